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

#include "../Kernels/ExtremumRows.h"
#include "../Kernels/NeutralElement.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Levels of reductions in one loop
//===----------------------------------------------------------------------===//

using Reduction = vector::MultiDimReductionOp;
/// Skips broadcasts, and returns what all elements of a row of a vector are.
static Value skipBroadcasts(Value value) {
  while (isa_and_present<vector::BroadcastOp, vector::ShapeCastOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Whether all elements of a vector along the covered dimension are the same.
static bool isSameAlongRow(const RowLevels &levels, Value value) {
  SplatElementsAttr splat;
  Value same = skipBroadcasts(value);
  return !levels.isCovered(same.getType()) ||
         matchPattern(same, m_Constant(&splat));
}

/// Skips choices between an element and one that doesn't count.
static Value skipMasks(Value value, SmallVectorImpl<Value> &conditions) {
  while (auto choice = value.getDefiningOp<arith::SelectOp>()) {
    if (!matchPattern(choice.getFalseValue(), m_Constant()))
      break;
    conditions.push_back(choice.getCondition());
    value = choice.getTrueValue();
  }
  return value;
}

bool RowCorrections::isExtremum(Reduction end) {
  using Kind = vector::CombiningKind;
  Kind kind = end.getKind();
  return kind == Kind::MAXIMUMF || kind == Kind::MAXNUMF ||
         kind == Kind::MINIMUMF || kind == Kind::MINNUMF;
}

/// Whether masks have what doesn't change an extremum for elements that don't
/// count.
static bool choosesNeutral(Reduction end) {
  using Kind = vector::CombiningKind;
  bool isMaximum =
      end.getKind() == Kind::MAXIMUMF || end.getKind() == Kind::MAXNUMF;
  Value value = end.getSource();
  while (auto choice = value.getDefiningOp<arith::SelectOp>()) {
    Value none = choice.getFalseValue();
    if (!(isMaximum ? matchPattern(none, m_NegInfFloat())
                    : matchPattern(none, m_PosInfFloat())))
      return false;
    value = choice.getTrueValue();
  }
  return true;
}

static std::string describeMissing(Operation *op) {
  return ("'" + op->getName().getStringRef() +
          "' has no correction where a result of earlier chunks changes")
      .str();
}

static bool isSum(Reduction end) {
  return end.getKind() == vector::CombiningKind::ADD;
}

static bool isOne(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return !vector || vector.getNumElements() == 1;
}

/// Whether it is one number of a type that corrections have.
static bool isNumber(Value value) {
  Type element = getElementTypeOrSelf(value);
  return isOne(value) && (element.isF32() || element.isF64());
}

namespace {

/// ElementChanges.h's domain: whether a number varies along rows.
class Variation {
public:
  using Number = bool;

  explicit Variation(const RowLevels &levels) : levels(levels) {}

  bool isRow(Value value) const { return isSameAlongRow(levels, value); }
  Number getDifference(Value) { return false; }
  Number getValue(Value value) { return !isRow(value); }
  Number add(Number a, Number b) { return a || b; }
  Number multiply(Number a, Number b) { return a || b; }
  Number divide(Number a, Number b) { return a || b; }
  Number negate(Number a) { return a; }
  Number invert(Number a) { return a; }
  Number apply(Operation *, Number a) { return a; }

private:
  const RowLevels &levels;
};

} // namespace

RowCorrections::RowCorrections(const RowLevels &levels, unsigned first)
    : levels(levels), first(first), second(levels.findNeeded(first + 1)) {
  SmallVector<Reduction> ends;
  for (Operation *op : second) {
    bool isOwn = levels.getLevel(op) == first + 1;
    if (isOwn && levels.isEnd(op))
      ends.push_back(cast<Reduction>(op));
    else if (isOwn && !canRepeat(op))
      return; // what is written needs the whole row
  }
  if (ends.empty() || !findRows())
    return;
  for (Reduction end : ends)
    if (!correct(end))
      return;
  llvm::SetVector<Operation *> all(second.begin(), second.end());
  all.insert_range(levels.findNeeded(first));
  needed = all.takeVector();
  llvm::sort(needed,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  possible = true;
}

/// Whether a value is the same for all chunks.
bool RowCorrections::isUnchanged(Value value) const {
  Operation *source = value.getDefiningOp();
  return !source ||
         levels.getLevel(source) + (levels.isEnd(source) ? 1 : 0) <= first;
}

/// Finds reads by the second level of results of the first one.
bool RowCorrections::findRows() {
  for (Operation *op : second)
    for (Value value : op->getOperands()) {
      // The initial value of a sum is added after the loop.
      auto end = dyn_cast<Reduction>(op);
      if (levels.isCovered(value.getType()) || isUnchanged(value) ||
          (end && value == end.getAcc()))
        continue;
      if (!isNumber(value))
        return refuse(describeMissing(op));
      if (!addRow(value))
        return false;
      rows.insert(value);
    }
  llvm::sort(rowOps,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  rowOps.erase(llvm::unique(rowOps), rowOps.end());
  bool hasSums = false, hasExtrema = false;
  for (Reduction reference : references)
    (isExtremum(reference) ? hasExtrema : hasSums) = true;
  return hasSums != hasExtrema;
}

/// Finds which reductions a row follows from. Functions that may be infinite
/// have no correction, as of a row without elements so far.
bool RowCorrections::addRow(Value row) {
  llvm::SetVector<Value> values;
  values.insert(row);
  for (unsigned i = 0; i < values.size(); ++i) {
    Value value = values[i];
    Operation *source = value.getDefiningOp();
    if (isUnchanged(value))
      continue;
    if (levels.isEnd(source)) {
      auto reference = cast<Reduction>(source);
      references.insert(reference);
      // An extremum may have fewer bits than what is computed with it.
      bool isKnown =
          isExtremum(reference)
              ? isOne(value) && isa<FloatType>(getElementTypeOrSelf(value))
              : isSum(reference) && isNumber(value);
      if (!isKnown)
        return false;
      continue;
    }
    bool isQuotient =
        isa<arith::DivFOp>(source) && isUnchanged(source->getOperand(1));
    bool isView = isa<vector::BroadcastOp, vector::ShapeCastOp>(source);
    if (!isOne(value) || !(isQuotient || isView || keepsFinite(source)))
      return refuse(describeMissing(source));
    rowOps.push_back(source);
    values.insert_range(source->getOperands());
  }
  return true;
}

/// Whether a reduction's elements are differences from the extrema of these
/// elements, so that rows without elements so far have nothing that counts.
bool RowCorrections::areOwnExtrema(Reduction end) const {
  SmallVector<Value> counted;
  skipMasks(end.getSource(), counted);
  auto isOwn = [&](Value element, Reduction reference) {
    if (element == skipRoundings(reference.getSource()))
      return true;
    SmallVector<Value> conditions;
    Value counts = skipMasks(skipRoundings(reference.getSource()), conditions);
    return element == skipRoundings(counts) &&
           llvm::all_of(conditions, [&](Value condition) {
             return llvm::is_contained(counted, condition);
           });
  };
  return llvm::all_of(second, [&](Operation *op) {
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      Value row = skipBroadcasts(operand.get());
      bool isView = isa<vector::BroadcastOp, vector::ShapeCastOp>(op);
      if (isView || !rows.contains(row))
        return true;
      return isa<arith::SubFOp>(op) && operand.getOperandNumber() == 1 &&
             llvm::all_of(references, [&](Reduction reference) {
               return isOwn(skipRoundings(op->getOperand(0)), reference);
             });
    });
  });
}

bool RowCorrections::correct(Reduction end) {
  Variation domain(levels);
  ElementChanges<Variation> changes(domain, &levels.getBlock());
  for (Value row : rows)
    changes.setReplaced(row);
  auto change = changes.compute(end.getSource());
  if (change.kind == ChangeKind::Unknown)
    return refuse(describeMissing(changes.getObstacle()));
  bool ofExtrema = isExtremum(references.front());
  if (change.kind == ChangeKind::Scale && !ofExtrema)
    return refuse("elements may be too large before a sum is complete");
  bool isCorrected =
      change.kind == ChangeKind::Same ||
      (change.kind == ChangeKind::Product && isSum(end) && !ofExtrema) ||
      (ofExtrema && !change.number &&
       (change.kind == ChangeKind::Scale ? isSum(end) : isExtremum(end)));
  bool areFactors = llvm::all_of(change.factors, [&](Value factor) {
    return !factor || getElementTypeOrSelf(factor) ==
                          end.getSourceVectorType().getElementType();
  });
  if (!isCorrected || !areFactors || !isNumber(end.getResult()) ||
      !isUnchanged(end.getAcc()))
    return refuse(describeMissing(end));
  if (ofExtrema && !areOwnExtrema(end))
    return refuse("it reads other elements than the largest or least is of");
  if (change.kind == ChangeKind::Scale && !llvm::all_of(rowOps, keepsExtremum))
    return refuse("elements may be too large before the largest or least that "
                  "it computes with is known");
  if (change.kind == ChangeKind::Shift && !choosesNeutral(end))
    return refuse("it chooses an infinite number that isn't neutral, and a "
                  "correction would change it");
  CorrectedEnd found;
  found.end = end;
  found.kind = change.kind;
  found.factors = change.factors;
  Value element = skipMasks(end.getSource(), found.conditions);
  if (found.kind != ChangeKind::Same && chooses(element))
    return refuse("it chooses among elements before it computes with them");
  corrected.push_back(std::move(found));
  return true;
}

/// Whether a value of the second level follows from a choice there.
bool RowCorrections::chooses(Value value) const {
  llvm::SmallPtrSet<Operation *, 16> inSecond(second.begin(), second.end());
  llvm::SetVector<Value> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i) {
    Operation *source = values[i].getDefiningOp();
    if (!source || !inSecond.contains(source) ||
        levels.getLevel(source) <= first)
      continue;
    if (isa<arith::SelectOp>(source))
      return true;
    values.insert_range(source->getOperands());
  }
  return false;
}

//===----------------------------------------------------------------------===//
// A loop for two levels of reductions
//===----------------------------------------------------------------------===//

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
// Carried values
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

/// Adds the values of a chunk.
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
