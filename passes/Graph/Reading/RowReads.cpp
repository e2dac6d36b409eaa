//===- RowReads.cpp - elements of rows that numbers name ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowReads.h.
//
//===----------------------------------------------------------------------===//

#include "RowReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

tensor::ExtractOp carousel::findGuardedRow(scf::IfOp branch) {
  if (branch->getNumResults() != 1 || branch.getElseRegion().empty())
    return {};
  auto read =
      branch.thenYield().getOperand(0).getDefiningOp<tensor::ExtractOp>();
  Value other = branch.elseYield().getOperand(0);
  if (!read || read->getBlock() != branch.thenBlock() ||
      read.getIndices().empty() || !isZeroIntegerOrFloat(other))
    return {};
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  auto type = cast<RankedTensorType>(read.getTensor().getType());
  // An integer of 64 bits is compared itself: an index may have fewer.
  Value row = read.getIndices().front();
  auto number = row.getDefiningOp<arith::IndexCastOp>();
  auto isNumber = [&](Value value) {
    return value == row ||
           (number && value == number.getIn() && value.getType().isInteger(64));
  };
  APInt extent;
  bool isGuard = compare &&
                 compare.getPredicate() == arith::CmpIPredicate::ult &&
                 isNumber(compare.getLhs()) &&
                 matchPattern(compare.getRhs(), m_ConstantInt(&extent)) &&
                 extent == uint64_t(type.getDimSize(0));
  return isGuard ? read : tensor::ExtractOp();
}

Value TableRead::getIndex(unsigned at) const {
  tensor::ExtractOp read = extract;
  return read.getIndices()[at];
}

RankedTensorType TableRead::getType() const {
  tensor::ExtractOp read = extract;
  return cast<RankedTensorType>(read.getTensor().getType());
}

TableRead carousel::describeRead(tensor::ExtractOp extract) {
  TableRead read;
  read.extract = extract;
  for (Value index : extract.getIndices()) {
    auto loop = index.getDefiningOp<linalg::IndexOp>();
    read.loops.push_back(loop ? std::optional<unsigned>(loop.getDim())
                              : std::nullopt);
  }
  return read;
}

std::optional<TableRead> carousel::matchTableRead(linalg::LinalgOp op) {
  Value value = op.getBlock()->getTerminator()->getOperand(0);
  auto guard = value.getDefiningOp<scf::IfOp>();
  auto extract =
      guard ? findGuardedRow(guard) : value.getDefiningOp<tensor::ExtractOp>();
  if (!extract)
    return std::nullopt;
  TableRead read = describeRead(extract);
  read.isGuarded = bool(guard);
  return read;
}

std::optional<PagedRows> carousel::findPagedRows(tensor::ExtractOp element) {
  TableRead read = describeRead(element);
  if (read.loops.size() < 3 || read.loops.front() || !read.loops.back())
    return std::nullopt;
  PagedRows pages;
  pages.element = element;
  for (unsigned index = 1; index != read.loops.size(); ++index) {
    if (read.loops[index])
      continue;
    if (pages.at != 0)
      return std::nullopt;
    pages.at = index;
  }
  auto cast = read.getIndex(0).getDefiningOp<arith::IndexCastOp>();
  pages.page = cast ? cast.getIn().getDefiningOp<tensor::ExtractOp>()
                    : tensor::ExtractOp();
  auto row = read.getIndex(pages.at).getDefiningOp<arith::RemUIOp>();
  if (!pages.page || pages.page.getIndices().empty() || !row)
    return std::nullopt;
  auto place = pages.page.getIndices().back().getDefiningOp<arith::DivUIOp>();
  APInt rows;
  if (!place || place.getLhs() != row.getLhs() ||
      place.getRhs() != row.getRhs() ||
      !matchPattern(row.getRhs(), m_ConstantInt(&rows)) ||
      rows != read.getType().getDimSize(pages.at))
    return std::nullopt;
  pages.number = row.getLhs();
  pages.rows = rows.getSExtValue();
  return pages;
}

std::optional<PagedRows> carousel::matchPagedRows(linalg::LinalgOp op) {
  std::optional<TableRead> read = matchTableRead(op);
  return read && !read->isGuarded ? findPagedRows(read->extract) : std::nullopt;
}

std::optional<FollowingRows> carousel::findFollowingRows(linalg::LinalgOp op) {
  std::optional<TableRead> read = matchTableRead(op);
  // Kernels have boxes of known matrices alone.
  if (!read || read->loops.size() != 2 || !read->loops[1] ||
      !read->getType().hasStaticShape())
    return std::nullopt;
  unsigned column = *read->loops[1];
  auto sum = read->getIndex(0).getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  Value number = sum.getLhs(), own = sum.getRhs();
  if (number.getDefiningOp<linalg::IndexOp>())
    std::swap(number, own);
  auto row = own.getDefiningOp<linalg::IndexOp>();
  if (auto cast = number.getDefiningOp<arith::IndexCastOp>())
    number = cast.getIn();
  auto first = dyn_cast<BlockArgument>(number);
  if (!row || !first || first.getOwner() != op.getBlock() ||
      row.getDim() == column)
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(op.getMatchingOpOperand(first));
  if (map.isFunctionOfDim(row.getDim()) || map.isFunctionOfDim(column))
    return std::nullopt;
  return FollowingRows{first, static_cast<unsigned>(row.getDim()), column,
                       read->getType()};
}
