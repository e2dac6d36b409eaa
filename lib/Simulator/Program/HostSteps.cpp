//===- HostSteps.cpp - what programs do between launches ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostSteps.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

StringRef sim::getStepName(Operation *op) {
  if (isa<LibraryMatmulOp>(op))
    return "matmul";
  return isa<linalg::FillOp>(op) ? "fill" : "copy";
}

bool sim::isHostStep(Operation *op) {
  return isa<memref::CopyOp, linalg::FillOp, linalg::CopyOp, LibraryMatmulOp>(
      op);
}

unsigned sim::countStepOperands(Operation *op) {
  auto matmul = dyn_cast<LibraryMatmulOp>(op);
  return matmul ? matmul.countTensors() : 2;
}

/// The type of memrefs of all layouts.
static Type getGeneralType(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return type;
  MLIRContext *context = type.getContext();
  SmallVector<int64_t> dynamic(memref.getRank(), ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(context, ShapedType::kDynamic, dynamic);
  return MemRefType::get(
      dynamic, memref.getElementType(), layout,
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Global));
}

namespace {

/// Writes the loops of a step.
class LoopWriter {
public:
  LoopWriter(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {
    zero = arith::ConstantIndexOp::create(builder, loc, 0);
    one = arith::ConstantIndexOp::create(builder, loc, 1);
  }

  /// A fill or a copy.
  void write(Value source, Value target) {
    int64_t rank = cast<MemRefType>(target.getType()).getRank();
    SmallVector<Value> ends;
    for (int64_t dim = 0; dim < rank; ++dim)
      ends.push_back(memref::DimOp::create(builder, loc, target, dim));
    nest(ends, [&](ValueRange index) {
      Value value = source;
      if (isa<MemRefType>(source.getType()))
        value = memref::LoadOp::create(builder, loc, source, index);
      memref::StoreOp::create(builder, loc, value, target, index);
    });
  }

  /// Sums in f32, and what comes after them, rounded once.
  void write(LibraryMatmulOp op, ValueRange arguments) {
    unsigned loops = op.countBatches() + 3;
    SmallVector<Value> ends(loops);
    for (unsigned operand = 0; operand < 3; ++operand)
      for (auto [dim, loop] : llvm::enumerate(getLoops(op, operand)))
        if (!ends[loop])
          ends[loop] =
              memref::DimOp::create(builder, loc, arguments[operand], dim);
    Type f32 = builder.getF32Type();
    nest(ArrayRef(ends).drop_back(), [&](ValueRange outer) {
      Value none =
          arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
      auto sum = scf::ForOp::create(builder, loc, zero, ends.back(), one, none);
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(sum.getBody());
        SmallVector<Value> index(outer);
        index.push_back(sum.getInductionVar());
        Value factors[2];
        for (unsigned operand : {0, 1})
          factors[operand] = convert(
              memref::LoadOp::create(builder, loc, arguments[operand],
                                     select(index, getLoops(op, operand))),
              f32);
        Value product =
            arith::MulFOp::create(builder, loc, factors[0], factors[1]);
        Value next = arith::AddFOp::create(builder, loc,
                                           sum.getRegionIterArg(0), product);
        scf::YieldOp::create(builder, loc, next);
      }
      SmallVector<Value> place = select(outer, getLoops(op, 2));
      Value number = sum.getResult(0);
      unsigned operand = 3;
      auto add = [&](ValueRange index) {
        Value added =
            memref::LoadOp::create(builder, loc, arguments[operand++], index);
        number =
            arith::AddFOp::create(builder, loc, number, convert(added, f32));
      };
      if (op.getBias())
        add(outer.back());
      if (op.getResidual())
        add(place);
      Type element = getElementTypeOrSelf(arguments[2].getType());
      memref::StoreOp::create(builder, loc,
                              convert(apply(op.getFunction(), number), element),
                              arguments[2], place);
    });
  }

private:
  Value makeNumber(double value) {
    return arith::ConstantOp::create(
        builder, loc, builder.getF32FloatAttr(static_cast<float>(value)));
  }

  Value apply(LibraryFunction function, Value x) {
    switch (function) {
    case LibraryFunction::Identity:
      return x;
    case LibraryFunction::Relu:
      return arith::MaximumFOp::create(builder, loc, x, makeNumber(0));
    case LibraryFunction::Gelu:
      break;
    }
    auto multiply = [&](Value a, Value b) -> Value {
      return arith::MulFOp::create(builder, loc, a, b);
    };
    auto add = [&](Value a, Value b) -> Value {
      return arith::AddFOp::create(builder, loc, a, b);
    };
    Value cube = multiply(multiply(multiply(makeNumber(0.044715), x), x), x);
    Value inner = multiply(makeNumber(0.7978845608028654), add(x, cube));
    Value tanh = math::TanhOp::create(builder, loc, inner);
    return multiply(multiply(makeNumber(0.5), x), add(makeNumber(1), tanh));
  }

  static SmallVector<unsigned> getLoops(LibraryMatmulOp op, unsigned operand) {
    return llvm::map_to_vector(op.getIndexingMap(operand).getResults(),
                               [](AffineExpr loop) {
                                 return cast<AffineDimExpr>(loop).getPosition();
                               });
  }

  static SmallVector<Value> select(ValueRange index, ArrayRef<unsigned> loops) {
    return llvm::map_to_vector(loops,
                               [&](unsigned loop) { return index[loop]; });
  }

  Value convert(Value number, Type type) {
    if (number.getType() == type)
      return number;
    if (type.isF32())
      return arith::ExtFOp::create(builder, loc, type, number);
    return arith::TruncFOp::create(builder, loc, type, number);
  }

  void nest(ArrayRef<Value> ends, function_ref<void(ValueRange)> write) {
    SmallVector<Value> begins(ends.size(), zero), steps(ends.size(), one);
    OpBuilder::InsertionGuard guard(builder);
    scf::buildLoopNest(builder, loc, begins, ends, steps,
                       [&](OpBuilder &inner, Location, ValueRange index) {
                         OpBuilder::InsertionGuard guard(builder);
                         builder.setInsertionPoint(inner.getInsertionBlock(),
                                                   inner.getInsertionPoint());
                         write(index);
                       });
  }

  OpBuilder &builder;
  Location loc;
  Value zero, one;
};

} // namespace

static LogicalResult verifyMemoryStep(Operation *op) {
  Type source = op->getOperand(0).getType();
  auto target = dyn_cast<MemRefType>(op->getOperand(1).getType());
  if (!target || op->getNumOperands() != 2 ||
      getElementTypeOrSelf(source) != target.getElementType())
    return op->emitError("expected a fill or copy of a memref whose elements "
                         "keep their type, got ")
           << source << " and " << op->getOperand(1).getType();
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> sim::makeStepKernel(Operation *op) {
  auto matmul = dyn_cast<LibraryMatmulOp>(op);
  if (!matmul && failed(verifyMemoryStep(op)))
    return failure();
  MLIRContext *context = op->getContext();
  Location loc = op->getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto kernels = gpu::GPUModuleOp::create(builder, loc, "program");
  builder.setInsertionPointToStart(kernels.getBody());
  SmallVector<Type> types;
  for (Value operand : op->getOperands().take_front(countStepOperands(op)))
    types.push_back(getGeneralType(operand.getType()));
  auto kernel = gpu::GPUFuncOp::create(builder, loc, getStepName(op),
                                       builder.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  auto one = ExprAttr::get(context, ExprKind::Constant, /*value=*/1,
                           /*argument=*/0, ExprAttr(), ExprAttr());
  kernel->setAttr(CarouselDialect::kLaunch,
                  LaunchAttr::get(context, one, /*block=*/{1}, /*cluster=*/{},
                                  /*shared=*/0));
  auto setName = [&](unsigned position, const std::string &name,
                     ArgumentAccess access) {
    kernel.setArgAttr(position, CarouselDialect::kArgument,
                      ArgumentAttr::get(context, name, access, std::nullopt));
  };
  unsigned target = matmul ? 2 : 1;
  for (unsigned position = 0; position < types.size(); ++position)
    if (position != target)
      setName(position, "source" + std::to_string(position),
              ArgumentAccess::In);
  setName(target, "target", ArgumentAccess::Out);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  LoopWriter loops(builder, loc);
  if (matmul)
    loops.write(matmul, kernel.getArguments());
  else
    loops.write(kernel.getArgument(0), kernel.getArgument(1));
  gpu::ReturnOp::create(builder, loc);
  return module;
}
