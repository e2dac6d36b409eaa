//===- LowerProgram.cpp - from programs on tensors to buffers -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-lower-program. Results become arguments before upstream's one-shot
// bufferization, which then computes results where callers want them. What is
// left for the pass: the attributes, the checks of extents, and the ends of
// buffers' lives.
//
//===----------------------------------------------------------------------===//

#include "../Groups/Donations.h"
#include "../Reading/GreedyRewrites.h"
#include "ConstantNames.h"
#include "Destinations.h"
#include "SliceChecks.h"
#include "ViewExtents.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/Transforms/BufferizeProgramOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringSet.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERPROGRAM
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;
using bufferization::OneShotBufferizationOptions;

static bool isTensor(Type type) { return isa<TensorType>(type); }

//===----------------------------------------------------------------------===//
// Ops that a program may have
//===----------------------------------------------------------------------===//

static bool hasTensors(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

static bool isOnTensors(func::FuncOp func) {
  if (func.isExternal())
    return false;
  auto visit = [](Operation *op) {
    return hasTensors(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return llvm::any_of(func.getArgumentTypes(), isTensor) ||
         func.getBody().walk(visit).wasInterrupted();
}

static bool isProgramOp(Operation *op) {
  if (isa<func::ReturnOp, LaunchKernelOp, LibraryMatmulOp, tensor::EmptyOp,
          tensor::DimOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::CastOp,
          linalg::FillOp, linalg::CopyOp, cf::AssertOp>(op))
    return true;
  // A constant, which becomes a global.
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && isTensor(constant.getType()))
    return isa<DenseIntOrFPElementsAttr, DenseResourceElementsAttr>(
        constant.getValue());
  return isa<arith::ArithDialect, affine::AffineDialect>(op->getDialect()) &&
         op->getNumRegions() == 0 && !hasTensors(op) && isMemoryEffectFree(op);
}

// C224
static LogicalResult verifyProgram(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitError("expected a program of one block, got ")
           << func.getBody().getBlocks().size();
  auto isRanked = [](Type type) {
    return isa<RankedTensorType>(type) || type.isIntOrIndexOrFloat();
  };
  for (Type type : func.getArgumentTypes())
    if (!isRanked(type))
      return func.emitError("expected arguments of a program that are ranked "
                            "tensors or numbers, got ")
             << type;
  for (Type type : func.getResultTypes())
    if (!isa<RankedTensorType>(type))
      return func.emitError("expected results of a program that are ranked "
                            "tensors, got ")
             << type;
  if (failed(verifyDonations(func)))
    return failure();
  for (Operation &op : func.getBody().front())
    if (!isProgramOp(&op))
      return op.emitError(
                 "expected ops that a program has (launches of "
                 "kernels, library_matmul, tensor.empty, dim, cast, "
                 "reshapes and slices, constants, linalg.fill and copy, "
                 "cf.assert, and arith on numbers), got '")
             << op.getName() << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {

/// Names of arguments that no other argument has.
class Names {
public:
  explicit Names(func::FuncOp func) {
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (auto attr = func.getArgAttrOfType<ArgumentAttr>(
              i, CarouselDialect::kArgument))
        taken.insert(attr.getName());
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (auto attr = func.getResultAttrOfType<ArgumentAttr>(
              i, CarouselDialect::kArgument))
        taken.insert(attr.getName());
  }
  std::string make(StringRef kind, unsigned number) {
    std::string name = (kind + Twine(number)).str();
    while (!taken.insert(name).second)
      name += "_";
    return name;
  }

private:
  llvm::StringSet<> taken;
};

} // namespace

static MemRefType getBufferType(Type tensor) {
  auto global = gpu::AddressSpaceAttr::get(tensor.getContext(),
                                           gpu::AddressSpace::Global);
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType(),
                         MemRefLayoutAttrInterface(), global);
}

static void nameArguments(func::FuncOp func, Names &names) {
  StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
  Builder builder(func.getContext());
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    if (isTensor(func.getArgument(i).getType()))
      func.setArgAttr(i, writable, builder.getBoolAttr(false));
    if (!func.getArgAttr(i, CarouselDialect::kArgument))
      func.setArgAttr(i, CarouselDialect::kArgument,
                      ArgumentAttr::get(func.getContext(), names.make("arg", i),
                                        ArgumentAccess::In, std::nullopt));
  }
}

/// The caller passes as many elements as the program computes.
static void checkExtents(OpBuilder &builder, Location loc, Value result,
                         Value out, StringRef name) {
  auto type = cast<RankedTensorType>(result.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    Value computed = tensor::DimOp::create(builder, loc, result, dim);
    Value passed = memref::DimOp::create(builder, loc, out, dim);
    Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        computed, passed);
    cf::AssertOp::create(builder, loc, equal,
                         ("expected " + name +
                          " to have the extent that the program computes in "
                          "dimension " +
                          Twine(dim))
                             .str());
  }
}

/// Where the elements of a result are computed, and the view of the result's
/// memory that has them: reshapes of a result are views of its memory.
static std::pair<Value, Value> skipReshapes(OpBuilder &builder, Value result,
                                            Value out) {
  Location loc = out.getLoc();
  while (Operation *op = result.getDefiningOp()) {
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      result = collapse.getSrc();
      out = memref::ExpandShapeOp::create(
          builder, loc, cast<RankedTensorType>(result.getType()).getShape(),
          out, collapse.getReassociationIndices(),
          tensor::getMixedSizes(builder, loc, result));
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      result = expand.getSrc();
      out = memref::CollapseShapeOp::create(builder, loc, out,
                                            expand.getReassociationIndices());
    } else {
      break;
    }
  }
  return {result, out};
}

static LogicalResult passResults(func::FuncOp func, Names &names) {
  auto back = cast<func::ReturnOp>(func.getBody().front().getTerminator());
  OpBuilder builder(back);
  for (auto [number, result] : llvm::enumerate(back.getOperands())) {
    unsigned position = func.getNumArguments();
    auto given = func.getResultAttrOfType<ArgumentAttr>(
        number, CarouselDialect::kArgument);
    auto argument = ArgumentAttr::get(
        func.getContext(),
        given ? given.getName().str() : names.make("result", number),
        ArgumentAccess::Out, findDonor(func, number));
    NamedAttribute named(builder.getStringAttr(CarouselDialect::kArgument),
                         argument);
    if (failed(func.insertArgument(position, getBufferType(result.getType()),
                                   builder.getDictionaryAttr(named),
                                   result.getLoc())))
      return failure();
    Value out = func.getArgument(position);
    checkExtents(builder, back.getLoc(), result, out, argument.getName());
    auto [source, view] = skipReshapes(builder, result, out);
    bufferization::MaterializeInDestinationOp::create(
        builder, back.getLoc(), Type(), source, view, /*restrict=*/true,
        /*writable=*/true);
  }
  back->setOperands({});
  func.setType(FunctionType::get(func.getContext(), func.getArgumentTypes(),
                                 TypeRange()));
  func.removeResAttrsAttr();
  return success();
}

//===----------------------------------------------------------------------===//
// Bufferization
//===----------------------------------------------------------------------===//

template <typename... Dialects>
static LogicalResult canonicalize(func::FuncOp func) {
  MLIRContext *context = func.getContext();
  RewritePatternSet patterns(context);
  populateViewExtentPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (isa_and_nonnull<Dialects...>(&op.getDialect()))
      op.getCanonicalizationPatterns(patterns, context);
  (context->getOrLoadDialect<Dialects>()->getCanonicalizationPatterns(patterns),
   ...);
  return rewriteGreedily(func, std::move(patterns));
}

/// Values are computed where they are wanted: first those of results, of which
/// other values may be slices.
static LogicalResult eliminateEmptyTensors(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  OneShotBufferizationOptions options;
  bufferization::OneShotAnalysisState state(func, options);
  if (failed(bufferization::analyzeOp(func, state)))
    return failure();
  for (auto result : func.getOps<bufferization::MaterializeInDestinationOp>())
    if (result->getNumResults() == 0 &&
        failed(bufferization::eliminateEmptyTensors(rewriter, result, state)))
      return failure();
  return bufferization::eliminateEmptyTensors(rewriter, func);
}

static OneShotBufferizationOptions makeOptions() {
  OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.setFunctionBoundaryTypeConversion(
      bufferization::LayoutMapOption::IdentityLayoutMap);
  options.unknownTypeConverterFn =
      [](TensorType type, Attribute space,
         const bufferization::BufferizationOptions &) {
        return bufferization::getMemRefTypeWithStaticIdentityLayout(type,
                                                                    space);
      };
  options.defaultMemorySpaceFn =
      [](TensorType type) -> std::optional<Attribute> {
    return gpu::AddressSpaceAttr::get(type.getContext(),
                                      gpu::AddressSpace::Global);
  };
  // Allocations of device memory have this alignment.
  options.bufferAlignment = 256;
  return options;
}

/// Extents in terms of those of arguments.
static LogicalResult resolveExtents(func::FuncOp func) {
  RewritePatternSet patterns(func.getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, func.getContext());
  return rewriteGreedily(func, std::move(patterns));
}

/// Checks come before the first launch, and the views of results before what
/// computes them. They depend on arguments only.
static void hoistChecks(func::FuncOp func) {
  auto isNumeric = [](Operation &op) {
    return isMemoryEffectFree(&op) && op.getNumResults() != 0 &&
           llvm::all_of(op.getResultTypes(),
                        [](Type type) { return type.isIntOrIndexOrFloat(); });
  };
  Block &body = func.getBody().front();
  IRRewriter rewriter(func.getContext());
  DominanceInfo dominance(func);
  Operation *first = &*llvm::find_if_not(body, isNumeric);
  for (Operation &op : llvm::make_early_inc_range(body))
    if (&op != first &&
        isa<cf::AssertOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(op) &&
        succeeded(moveOperationDependencies(rewriter, &op, first, dominance)))
      rewriter.moveOpBefore(&op, first);
}

static void removeDuplicates(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  DominanceInfo dominance(func);
  eliminateCommonSubExpressions(rewriter, dominance, func);
}

/// As much as cuBLASLt can use on the devices that there are, by its manual.
static constexpr int64_t kScratchBytes = int64_t(32) << 20;

static void addScratch(func::FuncOp func) {
  OpBuilder builder(func.getContext());
  auto type = MemRefType::get(
      kScratchBytes, builder.getI8Type(), MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(func.getContext(), gpu::AddressSpace::Global));
  for (auto op : func.getBody().front().getOps<LibraryMatmulOp>()) {
    builder.setInsertionPoint(op);
    op.getScratchMutable().assign(
        memref::AllocOp::create(builder, op.getLoc(), type).getResult());
  }
}

static void endLives(func::FuncOp func) {
  BufferViewFlowAnalysis views(func);
  OpBuilder builder(func.getContext());
  for (auto alloc : func.getBody().front().getOps<memref::AllocOp>()) {
    Operation *last = alloc;
    for (Value alias : views.resolve(alloc))
      for (Operation *user : alias.getUsers())
        if (last->isBeforeInBlock(user))
          last = user;
    builder.setInsertionPointAfter(last);
    memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
  }
}

namespace {

struct LowerProgram : public carousel::impl::LowerProgramBase<LowerProgram> {
  void getDependentDialects(DialectRegistry &registry) const override {
    LowerProgramBase::getDependentDialects(registry);
    registerProgramBufferization(registry);
    arith::registerBufferizableOpInterfaceExternalModels(registry);
    bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
        registry);
    linalg::registerBufferizableOpInterfaceExternalModels(registry);
    tensor::registerBufferizableOpInterfaceExternalModels(registry);
    tensor::registerInferTypeOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    if (failed(lower()))
      signalPassFailure();
  }

  LogicalResult lower() {
    SmallVector<func::FuncOp> programs;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (isOnTensors(func))
        programs.push_back(func);
    if (programs.empty())
      return success();
    for (func::FuncOp program : programs)
      if (failed(verifyProgram(program)))
        return failure();
    for (func::FuncOp program : programs) {
      Names names(program);
      nameArguments(program, names);
      if (failed(checkSlices(program)) || failed(passResults(program, names)))
        return failure();
      // Before results have the memory of arguments, whose extents would be
      // compared with themselves.
      if (failed(resolveExtents(program)))
        return failure();
      removeDuplicates(program);
      hoistChecks(program);
      separateDestinations(program);
      if (failed(eliminateEmptyTensors(program)))
        return failure();
    }
    bufferization::BufferizationState state;
    if (failed(bufferization::runOneShotModuleBufferize(getOperation(),
                                                        makeOptions(), state)))
      return failure();
    bufferization::removeBufferizationAttributesInModule(getOperation());
    orderConstants(getOperation(), programs);
    for (func::FuncOp program : programs)
      if (failed(finish(program)))
        return failure();
    return success();
  }

  LogicalResult finish(func::FuncOp program) {
    // A copy between equal views goes once the views are one.
    for (int round = 0; round < 2; ++round) {
      if (failed(canonicalize<memref::MemRefDialect,
                              bufferization::BufferizationDialect,
                              arith::ArithDialect, cf::ControlFlowDialect>(
              program)))
        return failure();
      removeDuplicates(program);
    }
    separated += separateDonations(program);
    addScratch(program);
    endLives(program);
    program->setAttr(CarouselDialect::kProgram, UnitAttr::get(&getContext()));
    program.walk([&](memref::CopyOp) { ++copies; });
    program.walk([&](memref::AllocOp) { ++buffers; });
    return success();
  }
};

} // namespace
