//===- BatchedBody.cpp - the body of several programs ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BatchedBody.h.
//
//===----------------------------------------------------------------------===//

#include "BatchedBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace carousel;

void BatchedBody::refuse(Operation *op, const Twine &why) {
  if (refusal.empty())
    refusal = ("'" + op->getName().getStringRef() + "' " + why).str();
}

VectorType BatchedBody::getType(Type type) const {
  SmallVector<int64_t> shape = {programs};
  if (auto vector = dyn_cast<VectorType>(type)) {
    llvm::append_range(shape, vector.getShape());
    type = vector.getElementType();
  }
  return VectorType::get(shape, type);
}

Value BatchedBody::broadcast(Location loc, Value vector, VectorType to) const {
  auto from = cast<VectorType>(vector.getType());
  if (from == to)
    return vector;
  SmallVector<int64_t> shape = {programs};
  shape.append(to.getRank() - from.getRank(), 1);
  llvm::append_range(shape, from.getShape().drop_front());
  auto padded = VectorType::get(shape, from.getElementType());
  if (padded != from)
    vector = vector::ShapeCastOp::create(builder, loc, padded, vector);
  if (padded == to)
    return vector;
  return vector::BroadcastOp::create(builder, loc, to, vector);
}

Value BatchedBody::broadcastAlong(Location loc, Value vector, unsigned dim,
                                  VectorType to) const {
  auto from = cast<VectorType>(vector.getType());
  SmallVector<int64_t> shape(to.getRank() - dim, 1);
  shape.front() = from.getDimSize(0);
  auto padded = VectorType::get(shape, from.getElementType());
  if (padded != from)
    vector = vector::ShapeCastOp::create(builder, loc, padded, vector);
  to = to.clone(from.getElementType());
  if (padded == to)
    return vector;
  return vector::BroadcastOp::create(builder, loc, to, vector);
}

Value BatchedBody::toVector(Location loc, Value value) const {
  if (Value known = vectors.lookup(value))
    return known;
  VectorType type = getType(value.getType());
  if (Value base = bases.lookup(value)) {
    Value steps = vector::StepOp::create(builder, loc, type);
    Value copies = vector::BroadcastOp::create(builder, loc, type, base);
    return arith::AddIOp::create(builder, loc, steps, copies);
  }
  Value common = uniform.lookup(value);
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()));
  if (auto copies = common.getDefiningOp<vector::BroadcastOp>())
    if (!isa<VectorType>(copies.getSourceType()))
      return vector::BroadcastOp::create(builder, loc, type,
                                         copies.getSource());
  if (auto mask = common.getDefiningOp<vector::CreateMaskOp>()) {
    SmallVector<Value> sizes = {makeIndex(loc, programs)};
    llvm::append_range(sizes, mask.getOperands());
    return vector::CreateMaskOp::create(builder, loc, type, sizes);
  }
  return vector::BroadcastOp::create(builder, loc, type, common);
}

SmallVector<Value> BatchedBody::toVectors(Location loc,
                                          ValueRange values) const {
  return llvm::map_to_vector(values,
                             [&](Value value) { return toVector(loc, value); });
}

Value BatchedBody::select(Location loc, Value mask, Value taken,
                          Value other) const {
  auto type = cast<VectorType>(taken.getType());
  return arith::SelectOp::create(
      builder, loc, broadcast(loc, mask, type.clone(builder.getI1Type())),
      taken, other);
}

Value BatchedBody::reduce(Location loc, Value numbers,
                          vector::CombiningKind kind) const {
  Type type = cast<VectorType>(numbers.getType()).getElementType();
  return vector::MultiDimReductionOp::create(
      builder, loc, numbers, makeZero(loc, type), ArrayRef(true), kind);
}

Value BatchedBody::isAny(Location loc, Value mask) const {
  Type i32 = builder.getI32Type();
  Value numbers = arith::ExtUIOp::create(builder, loc,
                                         VectorType::get(programs, i32), mask);
  Value any = reduce(loc, numbers, vector::CombiningKind::OR);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, any,
                               makeZero(loc, i32));
}

Value BatchedBody::findMost(Location loc, Value numbers) const {
  return reduce(loc, numbers, vector::CombiningKind::MAXSI);
}

Value BatchedBody::makeZero(Location loc, Type type) const {
  return arith::ConstantOp::create(builder, loc,
                                   cast<TypedAttr>(builder.getZeroAttr(type)));
}

Value BatchedBody::makeIndex(Location loc, int64_t number) const {
  return arith::ConstantIndexOp::create(builder, loc, number);
}
