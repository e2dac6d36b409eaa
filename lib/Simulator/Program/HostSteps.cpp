//===- HostSteps.cpp - fills and copies of programs as kernels ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostSteps.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

StringRef sim::getStepName(Operation *op) {
  return isa<linalg::FillOp>(op) ? "fill" : "copy";
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

static void makeLoops(OpBuilder &builder, Location loc, Value source,
                      Value target) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  int64_t rank = cast<MemRefType>(target.getType()).getRank();
  SmallVector<Value> begins(rank, zero), ends, steps(rank, one);
  for (int64_t dim = 0; dim < rank; ++dim)
    ends.push_back(memref::DimOp::create(builder, loc, target, dim));
  scf::buildLoopNest(
      builder, loc, begins, ends, steps,
      [&](OpBuilder &inner, Location, ValueRange index) {
        Value value = source;
        if (isa<MemRefType>(source.getType()))
          value = memref::LoadOp::create(inner, loc, source, index);
        memref::StoreOp::create(inner, loc, value, target, index);
      });
}

FailureOr<OwningOpRef<ModuleOp>> sim::makeStepKernel(Operation *op) {
  Type source = op->getOperand(0).getType();
  auto target = dyn_cast<MemRefType>(op->getOperand(1).getType());
  if (!target || op->getNumOperands() != 2 ||
      getElementTypeOrSelf(source) != target.getElementType())
    return op->emitError("expected a fill or copy of a memref whose elements "
                         "keep their type, got ")
           << source << " and " << op->getOperand(1).getType();
  MLIRContext *context = op->getContext();
  Location loc = op->getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto kernels = gpu::GPUModuleOp::create(builder, loc, "program");
  builder.setInsertionPointToStart(kernels.getBody());
  SmallVector<Type> types;
  for (Type type : op->getOperandTypes())
    types.push_back(getGeneralType(type));
  auto kernel = gpu::GPUFuncOp::create(builder, loc, getStepName(op),
                                       builder.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  auto one = ExprAttr::get(context, ExprKind::Constant, /*value=*/1,
                           /*argument=*/0, ExprAttr(), ExprAttr());
  kernel->setAttr(CarouselDialect::kLaunch,
                  LaunchAttr::get(context, one, /*block=*/{1}, /*cluster=*/{},
                                  /*shared=*/0));
  auto setName = [&](unsigned position, StringRef name, ArgumentAccess access) {
    kernel.setArgAttr(position, CarouselDialect::kArgument,
                      ArgumentAttr::get(context, name, access, std::nullopt));
  };
  setName(0, "source", ArgumentAccess::In);
  setName(1, "target", ArgumentAccess::Out);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  makeLoops(builder, loc, kernel.getArgument(0), kernel.getArgument(1));
  gpu::ReturnOp::create(builder, loc);
  return module;
}
