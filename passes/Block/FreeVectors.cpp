//===- FreeVectors.cpp - vectors that threads compute ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FreeVectors.h.
//
//===----------------------------------------------------------------------===//

#include "FreeVectors.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

static Value makeMask(ThreadProgram &program, const LinearLayout &layout,
                      ArrayRef<Value> sizes) {
  OpBuilder &builder = program.builder;
  Value all;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    Value at = program.getCoordinates(layout, dim);
    Value limit =
        vector::BroadcastOp::create(builder, program.loc, at.getType(), size);
    Value inside = arith::CmpIOp::create(builder, program.loc,
                                         arith::CmpIPredicate::slt, at, limit);
    all =
        all ? arith::AndIOp::create(builder, program.loc, all, inside) : inside;
  }
  return all;
}

Value carousel::makeFreeVector(ThreadProgram &program, Value vector,
                               const LinearLayout &layout,
                               const IRMapping &scalars) {
  OpBuilder &builder = program.builder;
  VectorType type = getThreadType(vector.getType(), layout);
  return llvm::TypeSwitch<Operation *, Value>(vector.getDefiningOp())
      .Case([&](arith::ConstantOp constant) {
        auto splat = cast<SplatElementsAttr>(constant.getValue());
        return program.constant(type, splat.getSplatValue<TypedAttr>());
      })
      .Case([&](vector::BroadcastOp broadcast) -> Value {
        return vector::BroadcastOp::create(
            builder, program.loc, type, scalars.lookup(broadcast.getSource()));
      })
      .Case([&](vector::StepOp) { return program.getCoordinates(layout, 0); })
      .Case([&](vector::CreateMaskOp mask) {
        SmallVector<Value> sizes;
        for (Value size : mask.getOperands())
          sizes.push_back(scalars.lookup(size));
        return makeMask(program, layout, sizes);
      })
      .Case([&](vector::ConstantMaskOp mask) {
        SmallVector<Value> sizes;
        for (int64_t size : mask.getMaskDimSizes())
          sizes.push_back(program.index(size));
        return makeMask(program, layout, sizes);
      })
      .Default([&](Operation *) -> Value {
        return ub::PoisonOp::create(builder, program.loc, type);
      });
}

/// A vector.step, or copies of it.
static std::optional<unsigned> findSteps(Value vector) {
  if (vector.getDefiningOp<vector::StepOp>())
    return 0;
  auto copies = vector.getDefiningOp<vector::BroadcastOp>();
  if (!copies || !copies.getSource().getDefiningOp<vector::StepOp>())
    return std::nullopt;
  return copies.getResultVectorType().getRank() - 1;
}

std::optional<unsigned> carousel::findComparedSteps(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || compare.getPredicate() >= arith::CmpIPredicate::ult)
    return std::nullopt;
  auto type = cast<VectorType>(compare.getLhs().getType());
  return type.getElementType().isIndex() ? findSteps(compare.getLhs())
                                         : std::nullopt;
}
