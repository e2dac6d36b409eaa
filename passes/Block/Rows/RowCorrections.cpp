//===- RowCorrections.cpp - levels of reductions in one loop --------------===//
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

#include "../Kernels/ExtremumRows.h"

using namespace mlir;
using namespace carousel;
using Reduction = vector::MultiDimReductionOp;

Value carousel::skipBroadcasts(Value value) {
  while (isa_and_present<vector::BroadcastOp, vector::ShapeCastOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

bool carousel::isSameAlongRow(const RowLevels &levels, Value value) {
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

/// What chunks of the second level read of results of the first one.
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
      if (!isNumber(value) || !(isExtremum(reference) || isSum(reference)))
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
    if (element == reference.getSource())
      return true;
    SmallVector<Value> conditions;
    return element == skipMasks(reference.getSource(), conditions) &&
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
