//===- ElementChanges.h - how a body's values change ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the values of a body where its arguments are shifted, or scaled:
// exp(x + d) = exp(x) exp(d), and so on. The rules are the same where only the
// kinds of changes are asked for and where a kernel computes the numbers, so
// they stand here for any Domain. docs/GraphPhase.md, Online reductions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_KERNELS_ELEMENTCHANGES_H
#define CAROUSEL_PASSES_BLOCK_KERNELS_ELEMENTCHANGES_H

#include "carousel/Analysis/Graph/GraphProblem.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace carousel {

/// Whether the op's result is finite where its operands are, but for overflow.
inline bool keepsFinite(mlir::Operation *op) {
  namespace arith = mlir::arith;
  return mlir::isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
                   arith::ExtFOp, arith::TruncFOp, arith::SelectOp,
                   arith::CmpFOp, arith::MaximumFOp, arith::MaxNumFOp,
                   arith::MinimumFOp, arith::MinNumFOp, arith::AndIOp,
                   arith::OrIOp, arith::XOrIOp, mlir::math::AbsFOp>(op) ||
         op->hasTrait<mlir::OpTrait::ConstantLike>();
}

/// An argument may also be replaced. Values that vary along the same loops, or
/// fewer, are rows, and are shifted by the difference that the domain computes
/// of each: so any function of a row has a correction.
///
/// Functions that may be infinite have none: where a row has no element so far,
/// it is 0.
///
/// \p Domain has a type Number, and computes with such numbers:
///   bool isRow(mlir::Value)
///   Number getDifference(mlir::Value)  of a row and what it was before
///   Number getValue(mlir::Value)  of a value that doesn't change
///   Number add(Number, Number), multiply, divide; negate(Number), invert
///   Number apply(mlir::Operation *, Number)  of an op with one operand
template <typename Domain> class ElementChanges {
public:
  using Number = typename Domain::Number;
  struct Change {
    ChangeKind kind = ChangeKind::Same;
    Number number = {};
    /// The row whose difference the number is, which isn't computed yet.
    mlir::Value row = {};
    /// The factors of a product, both of which are shifted.
    std::array<mlir::Value, 2> factors = {};
    /// It is scaled, or zero by choice, so that a factor that isn't finite says
    /// nothing of a row of zeros.
    bool isChosen = false;
  };

  ElementChanges(Domain &domain, mlir::Block *body)
      : domain(domain), body(body) {}

  /// An argument that becomes another row.
  void setReplaced(mlir::Value argument) {
    changes[argument] = {ChangeKind::Shift, {}, argument};
  }
  void set(mlir::Value argument, ChangeKind kind, Number number,
           bool isChosen = false) {
    changes[argument] = {kind, number, {}};
    changes[argument].isChosen = isChosen;
  }

  /// With its number, where it has one.
  Change compute(mlir::Value value) { return withNumber(find(value)); }

  Change find(mlir::Value value) {
    auto isOpen = [&](mlir::Value inner) {
      mlir::Operation *op = inner.getDefiningOp();
      return op && op->getBlock() == body && !changes.contains(inner);
    };
    walkOperands(value, isOpen, [&](mlir::Value inner) {
      if (isOpen(inner)) {
        Change change = computeOf(inner);
        changes[inner] = change;
      }
      return mlir::WalkResult::advance();
    });
    return changes.lookup(value);
  }

  /// The first op found that has no correction.
  mlir::Operation *getObstacle() const { return obstacle; }

private:
  using Changes = llvm::ArrayRef<Change>;

  /// Those of the operands are known.
  Change computeOf(mlir::Value value) {
    mlir::Operation *op = value.getDefiningOp();
    llvm::SmallVector<Change, 3> operands;
    bool isSame = true, isRow = true;
    for (mlir::Value operand : op->getOperands()) {
      operands.push_back(changes.lookup(operand));
      isSame &= operands.back().kind == ChangeKind::Same;
      isRow &= operands.back().kind == ChangeKind::Same || operands.back().row;
      if (operands.back().kind == ChangeKind::Unknown)
        return fail();
    }
    Change change;
    if (!isSame) {
      change = fail();
      if (op->getNumRegions() == 0)
        change = isRow && keepsFinite(op) && domain.isRow(value)
                     ? Change{ChangeKind::Shift, {}, value}
                     : propagate(op, operands);
    }
    if (change.kind == ChangeKind::Unknown && !obstacle)
      obstacle = op;
    for (const Change &operand : operands)
      change.isChosen |= operand.isChosen && isScale(change);
    return change;
  }

  static bool isShift(const Change &change) {
    return change.kind == ChangeKind::Shift;
  }
  static bool isScale(const Change &change) {
    return change.kind == ChangeKind::Scale;
  }
  static bool isProduct(const Change &change) {
    return change.kind == ChangeKind::Product;
  }
  static bool isSame(const Change &change) {
    return change.kind == ChangeKind::Same;
  }
  static Change shift(Number number) { return {ChangeKind::Shift, number, {}}; }
  static Change scale(Number number) { return {ChangeKind::Scale, number, {}}; }
  static Change fail() { return {ChangeKind::Unknown, {}, {}}; }

  Change withNumber(Change change) {
    if (change.row)
      change.number = domain.getDifference(change.row);
    change.row = {};
    return change;
  }

  Change propagate(mlir::Operation *op, llvm::ArrayRef<Change> operands) {
    llvm::SmallVector<Change, 3> of;
    for (const Change &operand : operands)
      of.push_back(withNumber(operand));
    return applyRule(op, of);
  }

  Change applyRule(mlir::Operation *op, Changes of) {
    namespace arith = mlir::arith;
    namespace math = mlir::math;
    if (llvm::isa<arith::AddFOp, arith::SubFOp>(op))
      return addChanges(op, of);
    if (llvm::isa<arith::MulFOp>(op))
      return multiplyChanges(op, of);
    if (llvm::isa<arith::DivFOp>(op))
      return divideChanges(op, of);
    if (llvm::isa<arith::SelectOp>(op))
      return selectChange(op, of);
    const Change &operand = of.front();
    // Roundings commute with changes, but for their errors.
    if (llvm::isa<arith::ExtFOp, arith::TruncFOp, RoundTF32Op,
                  mlir::vector::BroadcastOp, mlir::vector::ShapeCastOp>(op))
      return operand;
    if (isProduct(operand))
      return fail();
    if (llvm::isa<arith::NegFOp>(op))
      return isShift(operand) ? shift(domain.apply(op, operand.number))
                              : operand;
    if (llvm::isa<math::ExpOp, math::Exp2Op>(op) && isShift(operand))
      return scale(domain.apply(op, operand.number));
    if (llvm::isa<math::AbsFOp>(op) && isScale(operand))
      return scale(domain.apply(op, operand.number));
    // The scale has to be a row's: both numbers of a tile may be negative.
    if (!isScale(operand) || !domain.isRow(op->getResult(0)))
      return fail();
    if (llvm::isa<math::LogOp, math::Log2Op>(op))
      return shift(domain.apply(op, operand.number));
    if (llvm::isa<math::SqrtOp, math::RsqrtOp>(op))
      return scale(domain.apply(op, operand.number));
    return fail();
  }

  Change addChanges(mlir::Operation *op, Changes of) {
    bool isDifference = llvm::isa<mlir::arith::SubFOp>(op);
    for (const Change &operand : of)
      if (!isSame(operand) && !isShift(operand))
        return fail();
    if (isSame(of[1]))
      return of[0];
    Number other = isDifference ? domain.negate(of[1].number) : of[1].number;
    return shift(isSame(of[0]) ? other : domain.add(of[0].number, other));
  }

  Change multiplyChanges(mlir::Operation *op, Changes of) {
    for (unsigned own : {0, 1}) {
      const Change &change = of[own], &other = of[1 - own];
      if (isShift(change) && isSame(other))
        return shift(domain.multiply(change.number,
                                     domain.getValue(op->getOperand(1 - own))));
      if (isScale(change) && isSame(other))
        return change;
    }
    if (isScale(of[0]) && isScale(of[1]))
      return scale(domain.multiply(of[0].number, of[1].number));
    if (!isShift(of[0]) || !isShift(of[1]))
      return fail();
    Change product = {ChangeKind::Product, {}, {}};
    product.factors = {op->getOperand(0), op->getOperand(1)};
    return product;
  }

  Change divideChanges(mlir::Operation *op, Changes of) {
    if (isShift(of[0]) && isSame(of[1]))
      return shift(
          domain.divide(of[0].number, domain.getValue(op->getOperand(1))));
    if (isScale(of[0]) && isSame(of[1]))
      return of[0];
    // The divisor is a row: of a tile, an element may be zero.
    if (!domain.isRow(op->getOperand(1)))
      return fail();
    if (isSame(of[0]) && isScale(of[1]))
      return scale(domain.invert(of[1].number));
    if (isScale(of[0]) && isScale(of[1]))
      return scale(domain.divide(of[0].number, of[1].number));
    return fail();
  }

  /// A condition that is scaled is one of rows, which is false at first. Zero
  /// stays zero where it is scaled, and an infinity where it is shifted.
  Change selectChange(mlir::Operation *op, Changes of) {
    // Rows that a condition makes zero.
    if (isScale(of[0]) &&
        mlir::matchPattern(op->getOperand(1), mlir::m_AnyZeroFloat())) {
      if (isSame(of[2]))
        return of[0];
      return isScale(of[2]) ? scale(domain.multiply(of[0].number, of[2].number))
                            : fail();
    }
    if (!isSame(of[0]))
      return fail();
    for (unsigned own : {1, 2}) {
      mlir::Value other = op->getOperand(3 - own);
      bool stays = ((isScale(of[own]) || isProduct(of[own])) &&
                    mlir::matchPattern(other, mlir::m_AnyZeroFloat())) ||
                   (isShift(of[own]) &&
                    (mlir::matchPattern(other, mlir::m_PosInfFloat()) ||
                     mlir::matchPattern(other, mlir::m_NegInfFloat())));
      if (!stays)
        continue;
      Change chosen = of[own];
      chosen.isChosen = isScale(chosen);
      return chosen;
    }
    return fail();
  }

  Domain &domain;
  mlir::Block *body;
  llvm::DenseMap<mlir::Value, Change> changes;
  mlir::Operation *obstacle = nullptr;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_KERNELS_ELEMENTCHANGES_H
