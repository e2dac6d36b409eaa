//===- WideFloats.cpp - elements of online reductions as f32 --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WideFloats.h.
//
//===----------------------------------------------------------------------===//

#include "WideFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

TypedAttr carousel::convertFloat(TypedAttr number, Type element) {
  auto attribute = dyn_cast_if_present<FloatAttr>(number);
  auto type = dyn_cast<FloatType>(element);
  if (!attribute || !type || attribute.getType() == type)
    return number;
  APFloat value = attribute.getValue();
  bool losesInfo = false;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return FloatAttr::get(type, value);
}

GroupValue carousel::convertFloat(GroupVectors &vectors, GroupValue value,
                                  Type element) {
  Type from = getElementTypeOrSelf(value.value);
  if (from == element || !isa<FloatType>(from) || !isa<FloatType>(element))
    return value;
  Type type = vectors.getType(element, value.dims);
  bool isLonger =
      from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth();
  value.value =
      isLonger ? Value(arith::ExtFOp::create(vectors.builder, vectors.loc, type,
                                             value.value))
               : Value(arith::TruncFOp::create(vectors.builder, vectors.loc,
                                               type, value.value));
  value.padding = convertFloat(value.padding, element);
  return value;
}

GroupValue carousel::widen(GroupVectors &vectors, GroupValue value) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value.value));
  if (!type || type.getWidth() >= 32)
    return value;
  return convertFloat(vectors, value, vectors.builder.getF32Type());
}

GroupValue carousel::writeExponential(
    GroupVectors &vectors, Operation *op, const GroupValue &value,
    const std::optional<std::pair<GroupValue, GroupValue>> &difference) {
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  double log2 = isa<math::ExpOp>(op) ? llvm::numbers::log2e : 1.0;
  auto multiply = [&](const GroupValue &factor, double by) {
    GroupValue product = factor;
    Value splat = vectors.createSplat(builder.getF32FloatAttr(by), factor.dims);
    product.value = arith::MulFOp::create(builder, loc, factor.value, splat);
    return product;
  };
  GroupValue power;
  power.dims = value.dims;
  if (difference) {
    GroupValue from = widen(vectors, difference->first);
    GroupValue row = multiply(widen(vectors, difference->second), -log2);
    power.value = math::FmaOp::create(
        builder, loc, vectors.expand(from, power.dims),
        vectors.createSplat(builder.getF32FloatAttr(log2 * from.scale),
                            power.dims),
        vectors.expand(row, power.dims));
  } else {
    power.value = log2 == 1.0 ? value.value : multiply(value, log2).value;
  }
  power.value = math::Exp2Op::create(builder, loc, power.value,
                                     arith::FastMathFlags::afn);
  return power;
}
