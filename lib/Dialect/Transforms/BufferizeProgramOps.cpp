//===- BufferizeProgramOps.cpp - steps for one-shot bufferize -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel or library may need strides that the memref of an operand doesn't
// show, such as those of a slice. Then the operand is copied to a buffer of its
// own, and back from there if it is written.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/BufferizeProgramOps.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace carousel;
using bufferization::AnalysisState;
using bufferization::BufferizationOptions;
using bufferization::BufferizationState;

/// The kernel's argument of each operand, or nothing if the kernel is unknown.
static SmallVector<KernelArgument> getArguments(LaunchKernelOp launch) {
  SymbolTableCollection symbols;
  SmallVector<gpu::GPUFuncOp> variants = launch.getVariants(symbols);
  SmallVector<KernelArgument> read, written;
  if (variants.empty())
    return read;
  for (KernelArgument &argument : getKernelArguments(variants.front()))
    if (!argument.workspace)
      (argument.access == ArgumentAccess::In ? read : written)
          .push_back(std::move(argument));
  llvm::append_range(read, written);
  return read;
}

/// Whether the type of a memref shows that it has the strides of the argument.
static bool showsStrides(MemRefType wanted, MemRefType given) {
  if (wanted.getLayout().isIdentity())
    return given.areTrailingDimsContiguous(given.getRank());
  SmallVector<int64_t> wantedStrides, givenStrides;
  int64_t offset;
  if (failed(wanted.getStridesAndOffset(wantedStrides, offset)) ||
      failed(given.getStridesAndOffset(givenStrides, offset)))
    return false;
  for (auto [want, have, extent] :
       llvm::zip_equal(wantedStrides, givenStrides, given.getShape()))
    if (!ShapedType::isDynamic(want) && want != have && extent != 1)
      return false;
  return true;
}

/// Memory for the elements of `like`, without gaps between them.
static FailureOr<Value> allocateLike(RewriterBase &rewriter, Location loc,
                                     Value like,
                                     const BufferizationOptions &options) {
  auto type = cast<MemRefType>(like.getType());
  SmallVector<Value> extents;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      extents.push_back(memref::DimOp::create(rewriter, loc, like, dim));
  MemRefType plain =
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  return options.createAlloc(rewriter, loc, plain, extents);
}

/// Whether the type shows that the dimension's elements are neighbours.
static bool hasNeighbours(MemRefType type, unsigned dim) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides[dim] == 1;
}

/// Whether a dimension of the operand's matrices has the stride 1.
static bool hasMatrix(MemRefType type, AffineMap map, unsigned batches) {
  return llvm::any_of(llvm::seq<unsigned>(0, type.getRank()), [&](unsigned d) {
    return map.getDimPosition(d) >= batches && hasNeighbours(type, d);
  });
}

/// Whether a library takes the operand as the type shows its strides: it adds
/// a bias and a residual to results that are neighbours along n.
static bool fitsLibrary(LibraryMatmulOp op, OpOperand &operand,
                        MemRefType type) {
  if (op.getBias() == operand.get() && type.getRank() == 1)
    return hasNeighbours(type, 0);
  unsigned number = std::min(operand.getOperandNumber(), 2u);
  AffineMap map = op.getIndexingMap(number);
  if (number < 2 || (!op.getBias() && !op.getResidual()))
    return hasMatrix(type, map, op.countBatches());
  AffineExpr n = getAffineDimExpr(op.countBatches() + 1, op.getContext());
  return hasNeighbours(type, *map.getResultPosition(n));
}

namespace {

/// Buffers of their own for operands of an op.
class Copies {
public:
  Copies(RewriterBase &rewriter, Location loc,
         const BufferizationOptions &options)
      : rewriter(rewriter), loc(loc), options(options) {}

  FailureOr<Value> make(Value buffer, bool isRead, bool isWritten) {
    FailureOr<Value> plain = allocateLike(rewriter, loc, buffer, options);
    if (failed(plain) ||
        (isRead && failed(options.createMemCpy(rewriter, loc, buffer, *plain))))
      return failure();
    if (isWritten)
      copiesBack.emplace_back(*plain, buffer);
    return plain;
  }

  LogicalResult copyBack() {
    for (auto [from, to] : copiesBack)
      if (failed(options.createMemCpy(rewriter, loc, from, to)))
        return failure();
    return success();
  }

private:
  RewriterBase &rewriter;
  Location loc;
  const BufferizationOptions &options;
  SmallVector<std::pair<Value, Value>> copiesBack;
};

struct LaunchModel
    : public bufferization::DstBufferizableOpInterfaceExternalModel<
          LaunchModel, LaunchKernelOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto launch = cast<LaunchKernelOp>(op);
    if (!launch.isDpsInit(&operand))
      return true;
    SmallVector<KernelArgument> arguments = getArguments(launch);
    return arguments.empty() ||
           arguments[operand.getOperandNumber()].access != ArgumentAccess::Out;
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto launch = cast<LaunchKernelOp>(op);
    rewriter.setInsertionPoint(op);
    SmallVector<KernelArgument> arguments = getArguments(launch);
    SmallVector<Value> inputs, outputs, results;
    Copies copies(rewriter, op->getLoc(), options);
    for (OpOperand &operand : op->getOpOperands()) {
      bool isWritten = launch.isDpsInit(&operand);
      SmallVector<Value> &operands = isWritten ? outputs : inputs;
      if (!isa<TensorType>(operand.get().getType())) {
        operands.push_back(operand.get());
        continue;
      }
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      if (isWritten)
        results.push_back(*buffer);
      const KernelArgument *argument =
          arguments.empty() ? nullptr : &arguments[operand.getOperandNumber()];
      auto type = dyn_cast<MemRefType>(buffer->getType());
      if (!argument || !type ||
          showsStrides(cast<MemRefType>(argument->type), type)) {
        operands.push_back(*buffer);
        continue;
      }
      FailureOr<Value> plain = copies.make(
          *buffer, argument->access != ArgumentAccess::Out, isWritten);
      if (failed(plain))
        return failure();
      operands.push_back(*plain);
    }
    auto lowered =
        LaunchKernelOp::create(rewriter, op->getLoc(), TypeRange(),
                               launch.getKernelAttr(), inputs, outputs);
    lowered->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    if (failed(copies.copyBack()))
      return failure();
    bufferization::replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

struct LibraryMatmulModel
    : public bufferization::DstBufferizableOpInterfaceExternalModel<
          LibraryMatmulModel, LibraryMatmulOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<LibraryMatmulOp>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto matmul = cast<LibraryMatmulOp>(op);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands;
    Value result;
    Copies copies(rewriter, op->getLoc(), options);
    for (OpOperand &operand : op->getOpOperands()) {
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      bool isWritten = matmul.isDpsInit(&operand);
      if (isWritten)
        result = *buffer;
      if (!fitsLibrary(matmul, operand, cast<MemRefType>(buffer->getType())))
        buffer = copies.make(*buffer, !isWritten, isWritten);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    Value bias = matmul.getBias() ? operands[3] : Value();
    Value residual = matmul.getResidual() ? operands.back() : Value();
    auto lowered = LibraryMatmulOp::create(
        rewriter, op->getLoc(), Type(), operands[0], operands[1], operands[2],
        bias, residual, Value(), matmul.getIndexingMaps(), matmul.getTf32(),
        matmul.getFunction());
    lowered->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    if (failed(copies.copyBack()))
      return failure();
    bufferization::replaceOpWithBufferizedValues(rewriter, op, result);
    return success();
  }
};

} // namespace

void carousel::registerProgramBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CarouselDialect *) {
    LaunchKernelOp::attachInterface<LaunchModel>(*context);
    LibraryMatmulOp::attachInterface<LibraryMatmulModel>(*context);
  });
}
