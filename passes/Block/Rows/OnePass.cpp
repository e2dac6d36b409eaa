//===- OnePass.cpp - a loop for two levels of reductions ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OnePass.h. A result so far is that of the chunks so far: an extremum, 0
// where nothing counts; or a sum, extrapolated to the row where that is finite,
// so that a mean is that of the elements so far.
//
//===----------------------------------------------------------------------===//

#include "OnePass.h"

#include "../Kernels/NeutralElement.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;
using Reduction = vector::MultiDimReductionOp;

OnePass::OnePass(const RowLevels &levels, const RowCorrections &corrections,
                 RowChunks &chunks, Value extent, IRMapping &mapping,
                 OpBuilder &builder)
    : levels(levels), corrections(corrections), chunks(chunks), extent(extent),
      mapping(mapping), builder(builder),
      loc(levels.getBlock().getParentOp()->getLoc()) {}

Value OnePass::getIndex(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value OnePass::createSplat(Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(vector, Attribute(element)));
  return arith::ConstantOp::create(builder, loc, element);
}

//===----------------------------------------------------------------------===//
// Numbers that correct
//===----------------------------------------------------------------------===//

/// ElementChanges.h's domain: numbers are scalars where the builder is.
class OnePass::Numbers {
public:
  using Number = Value;

  /// \p isNone says of which rows there is no difference, or is null.
  Numbers(OnePass &pass, const Rows &before, const Rows &now, Value isNone)
      : pass(pass), before(before), now(now), isNone(isNone) {}

  bool isRow(Value value) const { return isSameAlongRow(pass.levels, value); }
  Number getDifference(Value row) {
    Value a = toScalar(before.lookup(row)), b = toScalar(now.lookup(row));
    Value difference = create<arith::SubFOp>(b, a);
    // The difference is also zero of an infinite number and itself.
    Value isZero = arith::CmpFOp::create(pass.builder, pass.loc,
                                         arith::CmpFPredicate::OEQ, a, b);
    if (isNone)
      isZero = arith::OrIOp::create(pass.builder, pass.loc, isZero, isNone);
    Value zero = arith::ConstantOp::create(
        pass.builder, pass.loc, pass.builder.getZeroAttr(difference.getType()));
    return arith::SelectOp::create(pass.builder, pass.loc, isZero, zero,
                                   difference);
  }
  Number getValue(Value value) {
    Value same = skipBroadcasts(value);
    SplatElementsAttr splat;
    if (matchPattern(same, m_Constant(&splat)))
      return arith::ConstantOp::create(pass.builder, pass.loc,
                                       splat.getSplatValue<TypedAttr>());
    return toScalar(pass.mapping.lookup(same));
  }
  Number add(Number a, Number b) { return create<arith::AddFOp>(a, b); }
  Number multiply(Number a, Number b) { return create<arith::MulFOp>(a, b); }
  Number divide(Number a, Number b) { return create<arith::DivFOp>(a, b); }
  Number negate(Number a) {
    return arith::NegFOp::create(pass.builder, pass.loc, a);
  }
  Number invert(Number a) {
    return divide(
        arith::ConstantOp::create(pass.builder, pass.loc,
                                  pass.builder.getFloatAttr(a.getType(), 1.0)),
        a);
  }
  Number apply(Operation *math, Number a) {
    OperationState state(pass.loc, math->getName());
    state.addOperands(a);
    state.addTypes(a.getType());
    state.addAttributes(math->getAttrs());
    return pass.builder.create(state)->getResult(0);
  }

private:
  Value toScalar(Value value) {
    auto type = dyn_cast<VectorType>(value.getType());
    if (!type)
      return value;
    return vector::ExtractOp::create(pass.builder, pass.loc, value,
                                     SmallVector<int64_t>(type.getRank(), 0));
  }
  /// Creates the op in the wider one of both types.
  template <typename Op> Value create(Value a, Value b) {
    unsigned bitsOfA = a.getType().getIntOrFloatBitWidth(),
             bitsOfB = b.getType().getIntOrFloatBitWidth();
    if (bitsOfA < bitsOfB)
      a = arith::ExtFOp::create(pass.builder, pass.loc, b.getType(), a);
    if (bitsOfB < bitsOfA)
      b = arith::ExtFOp::create(pass.builder, pass.loc, a.getType(), b);
    return Op::create(pass.builder, pass.loc, a, b);
  }

  OnePass &pass;
  const Rows &before, &now;
  Value isNone;
};

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The factor that makes a sum of some elements one of the whole row.
static Value findShare(OpBuilder &builder, Location loc, Value extent,
                       Value count, Type type) {
  auto toFloat = [&](Value index) -> Value {
    Value number =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
    return arith::SIToFPOp::create(builder, loc, getElementTypeOrSelf(type),
                                   number);
  };
  Value share =
      arith::DivFOp::create(builder, loc, toFloat(extent), toFloat(count));
  if (auto vector = dyn_cast<VectorType>(type))
    return vector::BroadcastOp::create(builder, loc, vector, share);
  return share;
}

/// A sum of \p count elements for the whole row. Any number does for what is
/// corrected later, but an infinite one: then the sum stays as it is.
Value OnePass::extrapolate(Value sum, Value count) {
  Type type = sum.getType();
  Value all = arith::MulFOp::create(
      builder, loc, sum, findShare(builder, loc, extent, count, type));
  // Zero, unless it isn't finite.
  Value rest = arith::SubFOp::create(builder, loc, all, all);
  Value zero = createSplat(
      type, cast<TypedAttr>(builder.getZeroAttr(getElementTypeOrSelf(type))));
  Value isFinite = arith::CmpFOp::create(builder, loc,
                                         arith::CmpFPredicate::OEQ, rest, zero);
  return arith::SelectOp::create(builder, loc, isFinite, all, sum);
}

/// Computes the rows of \p count elements.
OnePass::Rows OnePass::computeRows(ValueRange values, Value count) {
  Rows rows;
  IRMapping own = mapping;
  for (const Carried &carried : all) {
    if (!carried.isReference)
      continue;
    Reduction end = carried.end;
    Value row = values[carried.begin];
    Type type = row.getType();
    bool isExtremum = RowCorrections::isExtremum(end);
    if (!isExtremum)
      row = extrapolate(row, count);
    row = vector::makeArithReduction(builder, loc, end.getKind(),
                                     mapping.lookup(end.getAcc()), row);
    if (isExtremum) {
      Type element = getElementTypeOrSelf(type);
      Value none = createSplat(type, getStart(builder, end.getKind(), element));
      Value isNone = arith::CmpFOp::create(
          builder, loc, arith::CmpFPredicate::OEQ, row, none);
      row = arith::SelectOp::create(
          builder, loc, isNone,
          createSplat(type, cast<TypedAttr>(builder.getZeroAttr(element))),
          row);
    }
    rows[end.getResult()] = row;
    own.map(end.getResult(), row);
  }
  for (Operation *op : corrections.getRowOps()) {
    Operation *clone = builder.clone(*op, own);
    rows[op->getResult(0)] = clone->getResult(0);
  }
  return rows;
}

Value OnePass::findNone(ValueRange values, Value count) {
  Value isNone = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       count, getIndex(0));
  for (const Carried &carried : all) {
    Reduction end = carried.end;
    if (!carried.isReference || !RowCorrections::isExtremum(end))
      continue;
    Value row = vector::makeArithReduction(builder, loc, end.getKind(),
                                           mapping.lookup(end.getAcc()),
                                           values[carried.begin]);
    if (auto type = dyn_cast<VectorType>(row.getType()))
      row = vector::ExtractOp::create(builder, loc, row,
                                      SmallVector<int64_t>(type.getRank(), 0));
    Value none = createSplat(row.getType(),
                             getStart(builder, end.getKind(), row.getType()));
    Value isOwn = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                        row, none);
    isNone = arith::OrIOp::create(builder, loc, isNone, isOwn);
  }
  return isNone;
}

//===----------------------------------------------------------------------===//
// What is carried
//===----------------------------------------------------------------------===//

void OnePass::collect() {
  for (Operation *op : corrections.getNeeded()) {
    if (!levels.isEnd(op))
      continue;
    Carried carried;
    carried.end = cast<Reduction>(op);
    carried.begin = starts.size();
    carried.isReference =
        llvm::is_contained(corrections.getReferences(), carried.end);
    for (const CorrectedEnd &corrected : corrections.getCorrected())
      if (corrected.end == carried.end)
        carried.corrected = &corrected;
    VectorType type = carried.end.getSourceVectorType();
    Type element = type.getElementType();
    TypedAttr zero = cast<TypedAttr>(builder.getZeroAttr(element));
    if (carried.isReference) {
      starts.push_back(
          createSplat(carried.end.getResult().getType(),
                      getStart(builder, carried.end.getKind(), element)));
    } else {
      starts.push_back(createSplat(
          type, getNeutralElement(builder, carried.end.getKind(), element)));
      // Sums of the factors, and how many elements count.
      if (carried.corrected && carried.corrected->kind == ChangeKind::Product)
        starts.append(2, createSplat(type, zero));
      if (carried.corrected && carried.corrected->needsCount())
        starts.push_back(createSplat(type, zero));
    }
    all.push_back(carried);
  }
}

void OnePass::correct(const Carried &carried, MutableArrayRef<Value> values,
                      const Rows &before, const Rows &now, Value isNone) {
  if (!carried.corrected || carried.corrected->kind == ChangeKind::Same)
    return;
  Numbers domain(*this, before, now, isNone);
  ElementChanges<Numbers> changes(domain, &levels.getBlock());
  for (Value row : corrections.getRows())
    changes.setReplaced(row);
  Value &sum = values[carried.begin];
  auto spread = [&](Value number) -> Value {
    Type element = getElementTypeOrSelf(sum.getType());
    if (number.getType() != element)
      number =
          element.getIntOrFloatBitWidth() >
                  number.getType().getIntOrFloatBitWidth()
              ? Value(arith::ExtFOp::create(builder, loc, element, number))
              : Value(arith::TruncFOp::create(builder, loc, element, number));
    return vector::BroadcastOp::create(builder, loc, sum.getType(), number);
  };
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddFOp::create(builder, loc, a, b);
  };
  auto multiply = [&](Value a, Value b) -> Value {
    return arith::MulFOp::create(builder, loc, a, b);
  };
  if (carried.corrected->kind != ChangeKind::Product) {
    auto change = changes.compute(Reduction(carried.end).getSource());
    Value number = spread(change.number);
    Value corrected = change.kind == ChangeKind::Shift ? add(sum, number)
                                                       : multiply(sum, number);
    // A sum of nothing stays what it begins with: zero has no product with an
    // infinite factor, and an infinity no sum with another one.
    if (carried.corrected->needsCount()) {
      Type type = sum.getType();
      Value zero = createSplat(type, cast<TypedAttr>(builder.getZeroAttr(
                                         getElementTypeOrSelf(type))));
      Value hasSome =
          arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                values[carried.begin + 1], zero);
      corrected =
          arith::SelectOp::create(builder, loc, hasSome, corrected, sum);
    }
    sum = corrected;
    return;
  }
  // (a + da) (b + db) = a b + db a + da (b + db)
  auto [a, b] = carried.corrected->factors;
  Value da = spread(changes.compute(a).number),
        db = spread(changes.compute(b).number);
  Value &sumOfA = values[carried.begin + 1],
        &sumOfB = values[carried.begin + 2], &count = values[carried.begin + 3];
  Value nextOfB = add(sumOfB, multiply(count, db));
  sum = add(sum, add(multiply(db, sumOfA), multiply(da, nextOfB)));
  sumOfA = add(sumOfA, multiply(count, da));
  sumOfB = nextOfB;
}

/// What a chunk has.
void OnePass::add(const Carried &carried, MutableArrayRef<Value> values,
                  const IRMapping &own) {
  Reduction end = carried.end;
  Value source = own.lookup(end.getSource()), &sum = values[carried.begin];
  if (carried.isReference) {
    IRMapping ofEnd;
    ofEnd.map(end.getSource(), source);
    ofEnd.map(end.getAcc(), sum);
    sum = builder.clone(*end, ofEnd)->getResult(0);
    return;
  }
  sum = vector::makeArithReduction(builder, loc, end.getKind(), sum, source);
  if (!carried.corrected || !carried.corrected->needsCount())
    return;
  Type type = sum.getType(), element = getElementTypeOrSelf(type);
  Value condition;
  for (Value other : carried.corrected->conditions)
    condition = condition ? arith::AndIOp::create(builder, loc, condition,
                                                  own.lookup(other))
                          : own.lookup(other);
  Value one = createSplat(type, builder.getFloatAttr(element, 1.0));
  Value zero = createSplat(type, cast<TypedAttr>(builder.getZeroAttr(element)));
  SmallVector<Value> moments;
  if (carried.corrected->kind == ChangeKind::Product)
    for (Value factor : carried.corrected->factors)
      moments.push_back(own.lookup(factor));
  moments.push_back(one);
  for (auto [number, value] : llvm::enumerate(moments)) {
    Value counted = value;
    if (condition)
      counted = arith::SelectOp::create(builder, loc, condition, value, zero);
    Value &moment = values[carried.begin + 1 + number];
    moment = arith::AddFOp::create(builder, loc, moment, counted);
  }
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

void OnePass::write() {
  collect();
  auto loop = scf::ForOp::create(builder, loc, getIndex(0), extent,
                                 getIndex(levels.getWidth()), starts);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value chunk = loop.getInductionVar();
    SmallVector<Value> values(loop.getRegionIterArgs());
    const SmallVector<Value> old = values;
    IRMapping own = mapping;
    auto findCarried = [&](Operation *op) {
      return llvm::find_if(
          all, [&](const Carried &carried) { return carried.end == op; });
    };
    auto writeOps = [&](bool ofSecond) {
      for (Operation *op : corrections.getNeeded()) {
        if (corrections.isOfSecond(op) != ofSecond)
          continue;
        if (auto carried = findCarried(op); carried != all.end())
          add(*carried, values, own);
        else
          chunks.clone(builder, op, own, chunk);
      }
    };
    writeOps(/*ofSecond=*/false);
    Rows before = computeRows(old, chunk);
    Value next = arith::MinSIOp::create(
        builder, loc,
        arith::AddIOp::create(builder, loc, chunk, getIndex(levels.getWidth())),
        extent);
    Rows now = computeRows(values, next);
    Value isNone = findNone(old, chunk);
    for (const Carried &carried : all)
      correct(carried, values, before, now, isNone);
    for (Value row : corrections.getRows())
      own.map(row, now.lookup(row));
    writeOps(/*ofSecond=*/true);
    scf::YieldOp::create(builder, loc, values);
  }
  finish(loop.getResults());
}

void OnePass::finish(ValueRange results) {
  SmallVector<Value> values(results);
  IRMapping own = mapping;
  bool hasExtrema = false;
  for (const Carried &carried : all) {
    if (!carried.isReference)
      continue;
    Reduction end = carried.end;
    hasExtrema |= RowCorrections::isExtremum(end);
    own.map(end.getResult(),
            vector::makeArithReduction(builder, loc, end.getKind(),
                                       mapping.lookup(end.getAcc()),
                                       values[carried.begin]));
  }
  // A sum of all chunks is the row's. An extremum may be infinite, where chunks
  // were computed with 0. A row without elements has no correction.
  if (hasExtrema) {
    Rows before = computeRows(values, extent), truth;
    for (const Carried &carried : all)
      if (carried.isReference)
        truth[Reduction(carried.end).getResult()] =
            own.lookup(Reduction(carried.end).getResult());
    for (Operation *op : corrections.getRowOps())
      truth[op->getResult(0)] = builder.clone(*op, own)->getResult(0);
    Value isEmpty = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, extent, getIndex(0));
    for (const Carried &carried : all)
      correct(carried, values, before, truth, isEmpty);
  }
  for (const Carried &carried : all) {
    Reduction end = carried.end;
    if (carried.isReference) {
      mapping.map(end.getResult(), own.lookup(end.getResult()));
      continue;
    }
    IRMapping ofEnd = mapping;
    ofEnd.map(end.getSource(), values[carried.begin]);
    mapping.map(end.getResult(), builder.clone(*end, ofEnd)->getResult(0));
  }
}
