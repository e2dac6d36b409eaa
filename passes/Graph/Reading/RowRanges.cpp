//===- RowRanges.cpp - factors with rows in a range -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowRanges.h.
//
//===----------------------------------------------------------------------===//

#include "RowRanges.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;
using Predicate = arith::CmpIPredicate;

Value carousel::skipIndexCasts(Value value) {
  // Numbers of loops, and what is computed from them, need 32 bits.
  constexpr unsigned kLoopBits = 32;
  Value number = value;
  unsigned bits = IndexType::kInternalStorageBitWidth;
  while (Operation *cast = number.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(cast))
      break;
    if (auto type = dyn_cast<IntegerType>(cast->getResult(0).getType()))
      bits = std::min(bits, type.getWidth());
    number = cast->getOperand(0);
  }
  unsigned needed = IndexType::kInternalStorageBitWidth;
  if (auto type = dyn_cast<IntegerType>(number.getType()))
    needed = type.getWidth();
  else if (!isa<BlockArgument>(number))
    needed = kLoopBits;
  return bits >= needed ? number : value;
}

Value carousel::createRangeCheck(OpBuilder &builder, Location loc, Value row,
                                 Value begin, Value end) {
  auto toIndex = [&](Value number) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      number);
  };
  Value hasBegun =
      arith::CmpIOp::create(builder, loc, Predicate::sge, row, toIndex(begin));
  Value isBefore =
      arith::CmpIOp::create(builder, loc, Predicate::slt, row, toIndex(end));
  return arith::AndIOp::create(builder, loc, hasBegun, isBefore);
}

namespace {

/// A comparison of the index of a loop and an argument of the body.
struct RowBound {
  unsigned row;
  BlockArgument number;
  bool isEnd;
};

} // namespace

static std::optional<RowBound> findBound(linalg::GenericOp op, Value value) {
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  Value lhs = skipIndexCasts(compare.getLhs()),
        rhs = skipIndexCasts(compare.getRhs());
  Predicate predicate = compare.getPredicate();
  if (!lhs.getDefiningOp<linalg::IndexOp>()) {
    std::swap(lhs, rhs);
    predicate = predicate == Predicate::sle   ? Predicate::sge
                : predicate == Predicate::sgt ? Predicate::slt
                                              : Predicate::eq;
  }
  auto index = lhs.getDefiningOp<linalg::IndexOp>();
  auto number = dyn_cast<BlockArgument>(rhs);
  if (!index || !number || number.getOwner() != op.getBody() ||
      number.getArgNumber() >= op.getNumDpsInputs() ||
      (predicate != Predicate::sge && predicate != Predicate::slt))
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(op.getMatchingOpOperand(number));
  if (!map.isProjectedPermutation() || map.isFunctionOfDim(index.getDim()))
    return std::nullopt;
  return RowBound{static_cast<unsigned>(index.getDim()), number,
                  predicate == Predicate::slt};
}

std::optional<RowRange> carousel::findRowRange(linalg::GenericOp op) {
  if (op.getNumReductionLoops() != 0 || op.getNumDpsInits() != 1)
    return std::nullopt;
  auto choice = op.getBody()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::SelectOp>();
  if (!choice || !(matchPattern(choice.getFalseValue(), m_PosZeroFloat()) ||
                   matchPattern(choice.getFalseValue(), m_Zero())))
    return std::nullopt;
  auto both = choice.getCondition().getDefiningOp<arith::AndIOp>();
  if (!both)
    return std::nullopt;
  std::optional<RowBound> first = findBound(op, both.getLhs()),
                          second = findBound(op, both.getRhs());
  if (!first || !second || first->row != second->row ||
      first->isEnd == second->isEnd)
    return std::nullopt;
  if (first->isEnd)
    std::swap(first, second);
  return RowRange{first->row, first->number, second->number,
                  choice.getTrueValue()};
}
