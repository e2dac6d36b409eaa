//===- LayoutAccesses.cpp - how threads access vectors --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LayoutPlanner.h. The layout of an access is that of its vector, or one of
// its own, from or to which registers are converted.
//
//===----------------------------------------------------------------------===//

#include "LayoutPlanner.h"
#include "TileBanks.h"
#include "VectorRelations.h"

#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Distribution/GatherRuns.h"
#include "carousel/Analysis/Layouts/FragmentLayouts.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

int64_t LayoutPlanner::getConversionPrice(const VectorAccess &access,
                                          const LinearLayout &layout) {
  constexpr int64_t kBarrier = 40;
  int64_t elements = int64_t(1) << layout.getNumBits(Place::Register);
  return 2 * elements * access.getElementBytes() + kBarrier;
}

AccessPlan LayoutPlanner::makeAccess(const VectorAccess &access,
                                     const LinearLayout &layout) {
  AccessPlan made{withRunsFirst(layout, access.getContiguousDim())};
  made.isTransfer = access.isTransfer();
  if (access.isContiguous())
    made.run =
        std::min<int64_t>(getMostRun(access),
                          made.layout.getContiguous(access.getContiguousDim()));
  access.countSectors(made.layout, made.run, made.sectors, made.fullSectors);
  // The L1 keeps the part of a sector that the next instruction reads.
  made.isReadOnce = access.isReadOnce() && !made.isTransfer &&
                    made.sectors == made.fullSectors;
  return made;
}

bool carousel::leavesCTA(const LinearLayout &from, const LinearLayout &to) {
  if (from.getNumBits(Place::CTA) == 0)
    return false;
  std::optional<Conversion> conversion = Conversion::plan(from, to);
  return !conversion || conversion->getMovement() == Movement::CTAs;
}

/// A tile of whole matrices, read by ldmatrix.
static bool canLoadMatrices(const VectorAccess &access,
                            const LinearLayout &layout) {
  constexpr int64_t kMatrixRows = 8;
  VectorType type = access.getType();
  // The instruction's op has no 8-bit floats.
  bool isFloat8 =
      isa<FloatType>(type.getElementType()) && getElementBits(type) == 8;
  return !isFloat8 && access.isTransfer() &&
         isa<vector::TransferReadOp>(access.getOp()) &&
         findMatrixLoads(layout, getElementBits(type)) &&
         llvm::all_of(type.getShape(), llvm::isPowerOf2_64) &&
         type.getShape().back() >= kMatrixRows &&
         type.getNumElements() / type.getShape().back() >= kMatrixRows;
}

/// Warpgroups multiply without waiting for each other, and so they store. Other
/// accesses of what they write would have to wait for all of them.
bool LayoutPlanner::storesByWarpgroups(const VectorAccess &access,
                                       const AccessPlan &made) {
  if (!made.isTransfer || isa<vector::TransferReadOp>(access.getOp()) ||
      llvm::none_of(plan.contractions,
                    [](const auto &pair) { return pair.second.byWarpgroups; }))
    return false;
  if (isAccessedElsewhere(access.getOp(), access.getMemRef()))
    return false;
  VectorType type = access.getType();
  std::optional<WarpShare> share =
      type.getRank() == 2 ? findWarpShare(made.layout) : std::nullopt;
  return share && llvm::isPowerOf2_64(type.getDimSize(0)) &&
         haveOwnRows(*share, made.layout.getExtentBits()[0]);
}

static VectorType getPartType(VectorType type, int64_t parts) {
  SmallVector<int64_t> shape(type.getShape());
  shape.back() /= parts;
  return VectorType::get(shape, type.getElementType());
}

/// The layout without the last bits of registers, which select the part.
static LinearLayout getPartLayout(const LinearLayout &layout, int64_t parts) {
  if (parts == 1)
    return layout;
  SmallVector<unsigned> bits(layout.getExtentBits());
  bits.back() -= llvm::Log2_64(parts);
  LinearLayout part(bits);
  for (Place place : {Place::Register, Place::Lane, Place::Warp, Place::CTA}) {
    auto bases = layout.getBases(place);
    if (place == Place::Register)
      bases.truncate(bases.size() - llvm::Log2_64(parts));
    for (const auto &basis : bases)
      part.addBasis(place, basis);
  }
  return part;
}

/// Whether all users of a vector round it to tf32, as it is or as a matrix of
/// its rows.
static bool isRoundedFirst(Value vector) {
  return !vector.use_empty() &&
         llvm::all_of(vector.getUsers(), [](Operation *user) {
           return isa<RoundTF32Op>(user) ||
                  (passesFactor(user) && isRoundedFirst(user->getResult(0)));
         });
}

/// Whether a load of the tile can do what all users do first: round to tf32.
/// Tensor maps do, and cp.async can't.
static bool canRoundAtLoad(Operation *op) {
  auto read = dyn_cast<vector::TransferReadOp>(op);
  if (!read || !isRoundedFirst(read) ||
      !matchPattern(read.getPadding(), m_PosZeroFloat()))
    return false;
  std::optional<ChipModel> chip = findChipModel(op);
  return chip && chip->sm >= rules::kBulkSM;
}

/// Whether shared memory has room for a conversion of such a vector.
static bool canConvert(Operation *op, VectorType type) {
  std::optional<ChipModel> chip = findChipModel(op);
  return !chip || type.getNumElements() * getElementBits(type) / 8 <=
                      chip->maxSharedPerBlock;
}

void LayoutPlanner::chooseAccess(const VectorAccess &access) {
  LinearLayout preferred = makePreferred(access);
  AccessPlan best = makeAccess(access, preferred);
  if (!isFree(access.getVector())) {
    const LinearLayout &layout = *lookUp(access.getVector());
    AccessPlan own = makeAccess(access, layout);
    if (canLoadMatrices(access, layout)) {
      own.layout = layout;
      own.byMatrices = true;
    }
    // A tile is in shared memory already. CTAs access their own elements.
    bool isRead = isa<vector::TransferReadOp>(access.getOp());
    bool leaves =
        isRead ? leavesCTA(preferred, layout) : leavesCTA(layout, preferred);
    if (own.isTransfer || leaves ||
        !canConvert(access.getOp(), access.getType()) ||
        own.sectors <= best.sectors + getConversionPrice(access, own.layout))
      best = own;
  }
  best.byWarpgroups = storesByWarpgroups(access, best);
  if (best.byWarpgroups)
    best.parts =
        countTileParts(cast<VectorTransferOpInterface>(access.getOp()));
  best.rounds = best.isTransfer && canRoundAtLoad(access.getOp());
  if (best.isTransfer)
    best.swizzle = best.byMatrices || isFactorOfWarpgroups(plan, access.getOp())
                       ? chooseMatrixSwizzle(access.getType())
                       : chooseTileSwizzle(
                             getPartType(access.getType(), best.parts),
                             getPartLayout(best.layout, best.parts), best.run);
  plan.accesses.insert({access.getOp(), best});
}

void LayoutPlanner::chooseAccess(vector::GatherOp op) {
  unsigned dim = op.getVectorType().getRank() - 1;
  AccessPlan access{withRunsFirst(*lookUp(op.getResult()), dim)};
  if (explainNoRuns(op).empty())
    access.run = std::min<int64_t>(
        alignment.getRun(op.getBase(), op.getOffsets(), /*inBounds=*/true,
                         carousel::getMostRun(op)),
        access.layout.getContiguous(dim));
  plan.accesses.insert({op, access});
}
