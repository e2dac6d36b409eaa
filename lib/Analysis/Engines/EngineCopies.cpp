//===- EngineCopies.cpp - engines without a descriptor --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bulk copies, cp.async and vectors: conditions, guards and costs.
//
//===----------------------------------------------------------------------===//

#include "EngineCandidates.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

namespace {

/// A box as rows along its outermost dimension of extent above 1.
struct BoxRows {
  int64_t dim = 0;         ///< this dimension
  int64_t rowElements = 1; ///< contiguous in global memory
  bool isOnePiece = false; ///< so are all rows together
  /// The memref's end may cut off a box in each row or plane of the memref, and
  /// not only at its very end.
  bool isOftenCut = false;
};

} // namespace

/// Sees the box as rows. If that isn't possible, returns nullopt and sets the
/// reason.
static std::optional<BoxRows> findRows(const TransferFacts &facts,
                                       Needs &needs) {
  BoxRows rows;
  rows.dim = facts.rank - 1;
  for (int64_t dim = facts.rank - 1; dim >= 0; --dim)
    if (facts.box[dim] > 1)
      rows.dim = dim;
  // Starting at the innermost dimension: whole contiguous dimensions, then
  // perhaps a part of one.
  bool isPart = false;
  for (int64_t dim = facts.rank - 1; dim > rows.dim; --dim) {
    int64_t extent = facts.box[dim];
    if (extent > 1 && (isPart || facts.strides[dim] != rows.rowElements)) {
      needs.refuse("rows that are not one piece in global memory");
      return std::nullopt;
    }
    // A row that its end cuts off would need two kinds of copies.
    if (!facts.isInside(dim)) {
      needs.refuse("rows that dimension " + Twine(dim) + " of " + facts.name +
                   " may cut off");
      return std::nullopt;
    }
    rows.rowElements *= extent;
    isPart |= extent != facts.extents[dim];
  }
  rows.isOnePiece = facts.strides[rows.dim] == rows.rowElements && !isPart;
  if (facts.box[rows.dim] == 1)
    rows.isOnePiece = true;
  rows.isOftenCut = !facts.isInside(rows.dim) &&
                    llvm::any_of(ArrayRef(facts.extents).take_front(rows.dim),
                                 [](int64_t extent) { return extent != 1; });
  return rows;
}

static std::optional<EngineChoice> makeBulk(const TransferFacts &facts,
                                            Needs &needs) {
  const int64_t granule = rules::kBulkGranule;
  if (!needs.hasTarget(rules::kBulkSM, rules::kBulkPTX) ||
      !needs.hasUnitStride() || !needs.hasContiguousTile() ||
      !needs.isTileAligned(granule))
    return std::nullopt;
  std::optional<BoxRows> rows = findRows(facts, needs);
  if (!rows)
    return std::nullopt;
  // Dimensions of extent 1 with arbitrary strides keep rows apart.
  std::string apart = explainBulk(facts.op, facts.shape);
  if (!apart.empty()) {
    needs.refuse("a shape that needs " + apart);
    return std::nullopt;
  }
  int64_t bytes = rows->rowElements * facts.elementBytes;
  int64_t piece = rows->isOnePiece ? facts.tileBytes : bytes;
  if (piece % granule != 0) {
    needs.refuse("pieces of " + Twine(piece) + " bytes, not a multiple of " +
                 Twine(granule));
    return std::nullopt;
  }
  for (int64_t dim = 0; dim < facts.rank; ++dim)
    if (!needs.isOffsetMultiple(dim, granule))
      return std::nullopt;
  if (!rows->isOnePiece && !needs.isStrideMultiple(rows->dim, granule))
    return std::nullopt;
  for (int64_t dim = 0; dim < facts.rank; ++dim)
    if (facts.isLoad && !facts.inBounds && !needs.startsInside(dim))
      return std::nullopt;
  // The last piece is added in whole granules.
  if (facts.reduce && rows->isOnePiece && !facts.inBounds &&
      !needs.isExtentMultiple(rows->dim, bytes, granule))
    return std::nullopt;
  if (!needs.isGlobalAligned(granule))
    return std::nullopt;

  EngineChoice choice;
  choice.engine = EngineAttr::get(facts.op->getContext(), EngineKind::Bulk,
                                  /*width=*/0, {});
  choice.instructions = rows->isOnePiece ? 1 : facts.box[rows->dim];
  const EngineCosts &costs = facts.kernel.chip;
  choice.cost = costs.bulkUse + costs.bulkDimension * (facts.rank - 1) +
                costs.bulkCopy * choice.instructions;
  // A store skips elements outside, and a tensor copy fills them.
  if (facts.isLoad && rows->isOftenCut)
    choice.cost += std::min<int64_t>(
        costs.bulkFillMost,
        costs.bulkFillPieces *
            llvm::divideCeil(facts.tileBytes, granule * rules::kWarpSize));
  choice.guards = needs.guards;
  return choice;
}

EngineAttempt carousel::tryBulk(const TransferFacts &facts, GuardUse use) {
  if (facts.isMulticast)
    return EngineAttempt::refused(kNoMulticastCopies);
  if (facts.rounds)
    return EngineAttempt::refused(kNoRounding);
  if (getRows(facts.op))
    return EngineAttempt::refused(kNoRows);
  Needs needs(facts, use);
  std::optional<EngineChoice> choice = makeBulk(facts, needs);
  return {choice, needs.reason};
}

//===----------------------------------------------------------------------===//
// Copies by threads
//===----------------------------------------------------------------------===//

/// The bytes of the widest access of a thread.
static constexpr int64_t kWidestPiece = 16;

/// Rows are cut into pieces of `width` bytes. A row is contiguous on both
/// sides.
static bool hasPieces(const TransferFacts &facts, Needs &needs, int64_t width) {
  if (width == facts.elementBytes)
    return true; // elements are where they are
  if (width < facts.elementBytes)
    return needs.refuse("elements of " + Twine(facts.elementBytes) + " bytes");
  const TransferShape &shape = facts.shape;
  if (shape.getRowBytes() % width != 0)
    return needs.refuse("rows of " + Twine(shape.getRowBytes()) +
                        " bytes, not a multiple of " + Twine(width));
  if (hasElementsOfTable(facts.op))
    return needs.refuse("rows of a table, of one element each");
  if (!needs.hasUnitStride())
    return false;
  if (!shape.tileIsContiguous)
    return needs.refuse("rows of the tile with gaps between elements");
  for (auto [dim, group] :
       llvm::zip(shape.getTileDims(), ArrayRef(shape.tileGroups).drop_back())) {
    int64_t step = facts.tileStrides[group.back()] * facts.elementBytes;
    if (dim.extent > 1 && step % width != 0)
      return needs.refuse("rows of the tile every " + Twine(step) +
                          " bytes, not at multiples of " + Twine(width));
  }
  // The memref's end cuts off whole units.
  const BoxDim &row = shape.dims.back();
  if (facts.isMulticast && facts.elementBytes < kMulticastUnit &&
      row.mayEndBehind &&
      !needs.isExtentMultiple(shape.globalGroups.back().front(), row.inner,
                              kMulticastUnit / facts.elementBytes))
    return false;
  return needs.isTileAligned(width) && needs.isBoxAligned(shape, width);
}

/// The attempt with the widest possible pieces of `widths`, by the number of
/// pieces.
static EngineAttempt tryWidths(const TransferFacts &facts, GuardUse use,
                               EngineKind kind, ArrayRef<int64_t> widths,
                               int64_t useCost, int64_t pieceCost) {
  EngineAttempt attempt;
  for (int64_t width : widths) {
    Needs needs(facts, use);
    if (!hasPieces(facts, needs, width)) {
      attempt.reason = needs.reason;
      continue;
    }
    EngineChoice &choice = attempt.choice.emplace();
    choice.engine = EngineAttr::get(facts.op->getContext(), kind, width, {});
    choice.instructions = facts.tileBytes / width;
    choice.cost = useCost + pieceCost * llvm::divideCeil(choice.instructions,
                                                         rules::kWarpSize);
    choice.guards = needs.guards;
    return attempt;
  }
  return attempt;
}

EngineAttempt carousel::tryCpAsync(const TransferFacts &facts, GuardUse use,
                                   std::optional<int64_t> width) {
  Needs needs(facts, use);
  if (!facts.isLoad)
    return EngineAttempt::refused("a store");
  if (facts.fill != OutOfBoundsFill::Zero)
    return EngineAttempt::refused("a fill of NaN");
  if (facts.rounds)
    return EngineAttempt::refused(kNoRounding);
  if (!needs.hasTarget(80, 70))
    return EngineAttempt::refused(needs.reason);
  SmallVector<int64_t> widths = {16, 8, 4};
  if (width)
    widths = {*width};
  const EngineCosts &costs = facts.kernel.chip;
  return tryWidths(facts, use, EngineKind::CpAsync, widths, costs.cpAsyncUse,
                   costs.cpAsyncPieces);
}

/// Widths of the pieces that one multimem instruction stores or reduces.
static SmallVector<int64_t> getMulticastWidths(const TransferFacts &facts) {
  int64_t most =
      facts.reduce ? getMultimemWidth(facts.reduce.getType()) : kWidestPiece;
  SmallVector<int64_t> widths;
  for (int64_t width = most; width >= kMulticastUnit; width /= 2)
    if (width >= facts.elementBytes)
      widths.push_back(width);
  return widths;
}

static EngineAttempt tryMulticast(const TransferFacts &facts, GuardUse use,
                                  std::optional<int64_t> width) {
  Needs needs(facts, use);
  if (!needs.hasTarget(kMultimemSM, kMultimemPTX))
    return EngineAttempt::refused(needs.reason);
  SmallVector<int64_t> widths = getMulticastWidths(facts);
  if (width && !llvm::is_contained(widths, *width))
    return EngineAttempt::refused("pieces of " + Twine(*width) +
                                  " bytes, which multimem doesn't have");
  if (width)
    widths = {*width};
  const EngineCosts &costs = facts.kernel.chip;
  return tryWidths(facts, use, EngineKind::Vector, widths, costs.vectorStoreUse,
                   costs.vectorStorePieces);
}

/// An atomic operation is for each element, or for several.
static SmallVector<int64_t> getAtomicWidths(const TransferFacts &facts,
                                            GuardUse use) {
  Needs needs(facts, use);
  SmallVector<int64_t> widths;
  if (hasVectorReduction(facts.reduce.getKind(), facts.reduce.getType()) &&
      needs.hasTarget(kVectorReduceSM, kVectorReducePTX))
    for (int64_t several = kWidestPiece; several > facts.elementBytes;
         several /= 2)
      if (several >= kLeastVectorReduction)
        widths.push_back(several);
  widths.push_back(facts.elementBytes);
  return widths;
}

EngineAttempt carousel::tryVector(const TransferFacts &facts, GuardUse use,
                                  std::optional<int64_t> width) {
  if (facts.isMulticast)
    return tryMulticast(facts, use, width);
  SmallVector<int64_t> widths = {kWidestPiece, 8, 4, 2, 1};
  bool isAtomic = facts.reduce && !facts.isExclusive;
  if (isAtomic)
    widths = getAtomicWidths(facts, use);
  if (width) {
    if (isAtomic && !llvm::is_contained(widths, *width))
      return EngineAttempt::refused("a reduction of elements of " +
                                    Twine(facts.elementBytes) + " bytes");
    widths = {*width};
  }
  const EngineCosts &costs = facts.kernel.chip;
  // Threads that combine values first load the old ones.
  bool loads = facts.isLoad || facts.isExclusive;
  return tryWidths(facts, use, EngineKind::Vector, widths,
                   loads ? costs.vectorLoadUse : costs.vectorStoreUse,
                   facts.isLoad ? costs.vectorLoadPieces
                                : costs.vectorStorePieces);
}
