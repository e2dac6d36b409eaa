//===- VectorOps.cpp - vector ops of an embedder --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that Carousel asks of the ops: the sources of an element, and how it is
// computed.
//
//===----------------------------------------------------------------------===//

#include "VectorOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace sample;

#include "VectorOpsDialect.cpp.inc"

#define GET_OP_CLASSES
#include "VectorOps.cpp.inc"

void SampleDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "VectorOps.cpp.inc"
      >();
}

/// The coordinates of an element of one of the op's results.
static SmallVector<AffineExpr> getCoordinates(Operation *op) {
  auto type = cast<ShapedType>(op->getResult(0).getType());
  SmallVector<AffineExpr> coordinates(type.getRank());
  bindDimsList(op->getContext(), MutableArrayRef(coordinates));
  return coordinates;
}

static AffineMap makeMap(Operation *op, size_t rank,
                         ArrayRef<AffineExpr> results) {
  return AffineMap::get(rank, /*symbolCount=*/0, results, op->getContext());
}

/// Elements are numbers, or vectors of them.
SmallVector<Value> LeakyOp::createElements(OpBuilder &builder, Location loc,
                                           ValueRange sources,
                                           TypeRange types) {
  auto make = [&](double number) {
    TypedAttr value =
        builder.getFloatAttr(getElementTypeOrSelf(types[0]), number);
    if (auto vector = dyn_cast<VectorType>(types[0]))
      value = DenseElementsAttr::get(vector, value);
    return arith::ConstantOp::create(builder, loc, value);
  };
  Value scaled = arith::MulFOp::create(builder, loc, sources[0],
                                       make(getSlope().convertToDouble()));
  Value isNegative = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OLT, sources[0], make(0));
  return {
      arith::SelectOp::create(builder, loc, isNegative, scaled, sources[0])};
}

SmallVector<carousel::ElementSource> PairSumsOp::getElementSources() {
  SmallVector<AffineExpr> first = getCoordinates(*this);
  size_t rank = first.size();
  first.back() = first.back() * 2;
  SmallVector<AffineExpr> second(first);
  second.back() = second.back() + 1;
  return {{0, makeMap(*this, rank, first)}, {0, makeMap(*this, rank, second)}};
}

SmallVector<Value> PairSumsOp::createElements(OpBuilder &builder, Location loc,
                                              ValueRange sources,
                                              TypeRange types) {
  return {arith::AddFOp::create(builder, loc, sources[0], sources[1])};
}

SmallVector<carousel::ElementSource> ScaleRowsOp::getElementSources() {
  SmallVector<AffineExpr> element = getCoordinates(*this);
  return {{0, makeMap(*this, 2, element)},
          {1, makeMap(*this, 2, element[0])},
          {2, makeMap(*this, 2, {})}};
}

SmallVector<Value> ScaleRowsOp::createElements(OpBuilder &builder, Location loc,
                                               ValueRange sources,
                                               TypeRange types) {
  Value factor = arith::MulFOp::create(builder, loc, sources[1], sources[2]);
  return {arith::MulFOp::create(builder, loc, sources[0], factor)};
}

SmallVector<carousel::ElementSource> ReverseOp::getElementSources() {
  SmallVector<AffineExpr> element = getCoordinates(*this);
  int64_t extent = cast<ShapedType>(getType()).getShape().back();
  element.back() = extent - 1 - element.back();
  return {{0, makeMap(*this, element.size(), element)}};
}

SmallVector<Value> ReverseOp::createElements(OpBuilder &builder, Location loc,
                                             ValueRange sources,
                                             TypeRange types) {
  return {sources[0]};
}

SmallVector<carousel::ElementSource> SumOp::getElementSources() {
  SmallVector<carousel::ElementSource> sources;
  for (AffineMap map : getMaps().getAsValueRange<AffineMapAttr>())
    sources.push_back({0, map});
  return sources;
}

SmallVector<Value> SumOp::createElements(OpBuilder &builder, Location loc,
                                         ValueRange sources, TypeRange types) {
  Value sum = sources[0];
  for (Value source : sources.drop_front())
    sum = arith::AddFOp::create(builder, loc, sum, source);
  return {sum};
}

SmallVector<Value> LessOp::createElements(OpBuilder &builder, Location loc,
                                          ValueRange sources, TypeRange types) {
  return {};
}
