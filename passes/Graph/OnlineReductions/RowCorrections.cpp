//===- RowCorrections.cpp - numbers that correct sums ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowCorrections.h.
//
//===----------------------------------------------------------------------===//

#include "RowCorrections.h"

#include "../../Block/Kernels/NeutralElement.h"

using namespace mlir;
using namespace carousel;

/// The wider one of two types.
static Type findWider(Type a, Type b) {
  return a.getIntOrFloatBitWidth() < b.getIntOrFloatBitWidth() ? b : a;
}

template <typename Op>
GroupValue RowCorrections::compute(GroupValue a, GroupValue b) {
  GroupValue result;
  result.dims = a.dims;
  llvm::append_range(result.dims, b.dims);
  result.dims = vectors.findVectorDims(result.dims);
  Type element =
      findWider(getElementTypeOrSelf(a.value), getElementTypeOrSelf(b.value));
  result.value = Op::create(
      vectors.builder, vectors.loc,
      vectors.expand(convertFloat(vectors, a, element), result.dims),
      vectors.expand(convertFloat(vectors, b, element), result.dims));
  return result;
}

GroupValue carousel::uniteRows(GroupVectors &vectors, const GroupValue &a,
                               const GroupValue &b) {
  if (!a.value || !b.value)
    return a.value ? a : b;
  SmallVector<unsigned> dims(a.dims);
  llvm::append_range(dims, b.dims);
  dims = vectors.findVectorDims(dims);
  Value either =
      arith::OrIOp::create(vectors.builder, vectors.loc,
                           vectors.expand(a, dims), vectors.expand(b, dims));
  return {either, dims, {}};
}

RowCorrections::Number RowCorrections::finish(GroupValue value, const Number &a,
                                              const Number &b) {
  return {value, uniteRows(vectors, a.isZero, b.isZero)};
}

RowCorrections::Number RowCorrections::getValue(Value value) {
  FailureOr<GroupValue> part = writer.writePart(op, value);
  if (succeeded(part))
    return {widen(vectors, *part)};
  isFailed = true;
  TypedAttr one = vectors.builder.getF32FloatAttr(1.0f);
  return {{vectors.createSplat(one, {}), {}, {}}};
}

RowCorrections::Number RowCorrections::getDifference(Value row) {
  useRows(/*isBefore=*/true);
  Number before = getValue(row);
  useRows(/*isBefore=*/false);
  Number difference = {
      compute<arith::SubFOp>(getValue(row).value, before.value)};
  if (!isNew.value)
    return difference;
  GroupValue &value = difference.value;
  SmallVector<unsigned> dims(value.dims);
  llvm::append_range(dims, isNew.dims);
  dims = vectors.findVectorDims(dims);
  Type element = getElementTypeOrSelf(value.value);
  Value zeros = vectors.createSplat(
      cast<TypedAttr>(vectors.builder.getZeroAttr(element)), dims);
  Value all = vectors.expand(value, dims);
  value = {arith::SelectOp::create(vectors.builder, vectors.loc,
                                   vectors.expand(isNew, dims), zeros, all),
           dims,
           {}};
  return difference;
}

RowCorrections::Number RowCorrections::add(const Number &a, const Number &b) {
  return finish(compute<arith::AddFOp>(a.value, b.value), a, b);
}

RowCorrections::Number RowCorrections::multiply(const Number &a,
                                                const Number &b) {
  if (!a.value.value || !b.value.value)
    return finish(a.value.value ? a.value : b.value, a, b);
  return finish(compute<arith::MulFOp>(a.value, b.value), a, b);
}

RowCorrections::Number RowCorrections::divide(const Number &a,
                                              const Number &b) {
  // Zeros have no quotient that a later row would undo.
  isFailed |= static_cast<bool>(b.isZero.value);
  if (!a.value.value)
    return {invert(b).value, a.isZero};
  return finish(compute<arith::DivFOp>(a.value, b.value), a, b);
}

RowCorrections::Number RowCorrections::negate(const Number &a) {
  if (!a.value.value)
    return a;
  GroupValue result = a.value;
  result.value =
      arith::NegFOp::create(vectors.builder, vectors.loc, result.value);
  return {result, a.isZero};
}

RowCorrections::Number RowCorrections::invert(const Number &a) {
  isFailed |= static_cast<bool>(a.isZero.value);
  if (!a.value.value)
    return a;
  TypedAttr one = FloatAttr::get(getElementTypeOrSelf(a.value.value), 1.0);
  GroupValue ones = {vectors.createSplat(one, {}), {}, {}};
  return {compute<arith::DivFOp>(ones, a.value), a.isZero};
}

RowCorrections::Number RowCorrections::apply(Operation *math, const Number &a) {
  isFailed |= a.isZero.value && !isa<math::AbsFOp, math::SqrtOp>(math);
  if (!a.value.value)
    return a;
  GroupValue result = a.value;
  // As elements are computed.
  if (isa<math::ExpOp, math::Exp2Op>(math) &&
      getElementTypeOrSelf(result.value).isF32())
    return {
        writeExponential(vectors, math, result, /*difference=*/std::nullopt),
        a.isZero};
  OperationState state(vectors.loc, math->getName());
  state.addOperands(result.value);
  state.addTypes(result.value.getType());
  state.addAttributes(math->getAttrs());
  result.value = vectors.builder.create(state)->getResult(0);
  return {result, a.isZero};
}

/// A number, or a vector of it.
static Value createConstant(OpBuilder &builder, Location loc, Type type,
                            TypedAttr element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    element = DenseElementsAttr::get(shaped, Attribute(element));
  return arith::ConstantOp::create(builder, loc, element);
}

NothingTest carousel::testNothing(OpBuilder &builder, Location loc,
                                  vector::CombiningKind kind, Value extremum) {
  Type type = extremum.getType();
  Value none = createConstant(
      builder, loc, type, getStart(builder, kind, getElementTypeOrSelf(type)));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value isNone = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                       extremum, none);
  return {isNone, zero};
}

const OnlineReference *carousel::findReference(const Graph &graph,
                                               const OnlineReduction &stream,
                                               Value tensor) {
  std::optional<unsigned> known = graph.findTensor(tensor);
  return known ? stream.findReference(*known) : nullptr;
}

Value carousel::correct(GroupVectors &vectors, ChangeKind kind,
                        const RowCorrection &number, Value sum,
                        ArrayRef<unsigned> dims) {
  OpBuilder &builder = vectors.builder;
  Type element = getElementTypeOrSelf(sum);
  if (number.value.value) {
    Value all =
        vectors.expand(convertFloat(vectors, number.value, element), dims);
    sum = kind == ChangeKind::Shift
              ? Value(arith::AddFOp::create(builder, vectors.loc, sum, all))
              : Value(arith::MulFOp::create(builder, vectors.loc, sum, all));
  }
  if (!number.isZero.value)
    return sum;
  Value zeros =
      vectors.createSplat(cast<TypedAttr>(builder.getZeroAttr(element)), dims);
  return arith::SelectOp::create(
      builder, vectors.loc, vectors.expand(number.isZero, dims), zeros, sum);
}
