//===- PointReader.cpp - what a body computes at a point ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PointReader.h.
//
//===----------------------------------------------------------------------===//

#include "PointReader.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;

Value PointReader::readInput(OpBuilder &builder, BlockArgument argument) {
  OpOperand *input = op.getMatchingOpOperand(argument);
  assert(op.isDpsInput(input) && "expected no value of an earlier iteration");
  SmallVector<Value> indices;
  for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
    indices.push_back(loops[cast<AffineDimExpr>(expr).getPosition()]);
  constexpr unsigned kMostProducers = 16;
  if (!isComputed || depth == kMostProducers || !isComputed(input->get()))
    return tensor::ExtractOp::create(builder, op.getLoc(), input->get(),
                                     indices);
  std::vector<const void *> key = {input->get().getAsOpaquePointer()};
  for (Value index : indices)
    key.push_back(index.getAsOpaquePointer());
  if (auto known = elements.find(key); known != elements.end())
    return known->second;
  auto producer = input->get().getDefiningOp<linalg::GenericOp>();
  PointReader there(producer, isComputed);
  there.depth = depth + 1;
  there.elements = std::move(elements);
  AffineMap written =
      producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
  for (auto [expr, index] : llvm::zip_equal(written.getResults(), indices))
    there.setLoop(cast<AffineDimExpr>(expr).getPosition(), index);
  Value element = there.compute(
      builder, producer.getBody()->getTerminator()->getOperand(0));
  elements = std::move(there.elements);
  return elements[key] = element;
}

Value PointReader::compute(OpBuilder &builder, Value value) {
  auto isOpen = [&](Value inner) {
    return inner.getParentBlock() == op.getBody() && !mapping.contains(inner);
  };
  walkOperands(value, isOpen, [&](Value inner) {
    if (!isOpen(inner))
      return WalkResult::advance();
    Operation *source = inner.getDefiningOp();
    if (!source)
      mapping.map(inner, readInput(builder, cast<BlockArgument>(inner)));
    else if (auto index = dyn_cast<linalg::IndexOp>(source))
      mapping.map(inner, loops[index.getDim()]);
    else
      builder.clone(*source, mapping);
    assert(mapping.lookup(inner) && "expected a number of the loop");
    return WalkResult::advance();
  });
  return mapping.lookupOrDefault(value);
}

SmallVector<unsigned> carousel::orderPlaces(linalg::GenericOp op,
                                            const OneHotPoint &point) {
  SmallVector<unsigned> order;
  llvm::SmallBitVector done(point.size());
  while (order.size() != point.size()) {
    size_t before = order.size();
    for (auto [number, place] : llvm::enumerate(point)) {
      bool isReady = !done.test(number);
      for (auto [other, otherPlace] : llvm::enumerate(point))
        isReady &=
            done.test(other) || isFixedAlong(op, place.number, otherPlace.loop);
      if (!isReady)
        continue;
      order.push_back(number);
      done.set(number);
    }
    if (order.size() == before)
      return {};
  }
  return order;
}

ComputedPoint carousel::computePoint(OpBuilder &builder, linalg::GenericOp op,
                                     const OneHotPoint &point,
                                     PointReader reader) {
  Location loc = op.getLoc();
  ComputedPoint result;
  result.numbers.resize(point.size());
  Value first;
  for (unsigned at : orderPlaces(op, point)) {
    const OneHotPlace &place = point[at];
    Value number = reader.compute(builder, place.number);
    // An index may have the low bits alone of an integer of more than 32.
    auto type = dyn_cast<IntegerType>(number.getType());
    Value whole = type && type.getWidth() > 32 ? number : Value();
    if (type)
      number = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                          number);
    if (!whole)
      whole = number;
    result.numbers[at] = number;
    // Negative numbers are large ones.
    Value extent = arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(whole.getType(),
                               op.getStaticLoopRanges()[place.loop]));
    Value isInside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, whole, extent);
    result.exists =
        result.exists
            ? arith::AndIOp::create(builder, loc, result.exists, isInside)
                  .getResult()
            : isInside;
    // Another number may be read there, in all cases.
    bool isNeeded = llvm::any_of(point, [&](const OneHotPlace &other) {
      return !isFixedAlong(op, other.number, place.loop);
    });
    if (!isNeeded)
      continue;
    if (!first)
      first = arith::ConstantIndexOp::create(builder, loc, 0);
    reader.setLoop(place.loop, arith::SelectOp::create(builder, loc, isInside,
                                                       number, first));
  }
  return result;
}

PointReader carousel::goToPoint(OpBuilder &builder, const OneHotPoint &point,
                                const ComputedPoint &computed,
                                PointReader reader) {
  for (auto [place, number] : llvm::zip_equal(point, computed.numbers)) {
    OneHotPlace own = place;
    reader.setLoop(own.loop, number);
    reader.set(own.condition.getResult(),
               arith::ConstantOp::create(builder, own.condition.getLoc(),
                                         builder.getBoolAttr(true)));
  }
  return reader;
}

Value carousel::createBranch(OpBuilder &builder, Location loc, Type type,
                             Value condition,
                             llvm::function_ref<Value(OpBuilder &)> write) {
  auto branch = scf::IfOp::create(builder, loc, type, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value value = write(builder);
  scf::YieldOp::create(builder, loc, value);
  builder.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  scf::YieldOp::create(builder, loc, zero);
  return branch.getResult(0);
}

Value carousel::addElements(OpBuilder &builder, Location loc, Value a,
                            Value b) {
  return isa<FloatType>(a.getType())
             ? arith::AddFOp::create(builder, loc, a, b).getResult()
             : arith::AddIOp::create(builder, loc, a, b).getResult();
}

Value carousel::isNotZero(OpBuilder &builder, Location loc, Value number) {
  if (number.getType().isInteger(1))
    return number;
  Value zero = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(number.getType())));
  if (isa<FloatType>(number.getType()))
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                 number, zero);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, number,
                               zero);
}
