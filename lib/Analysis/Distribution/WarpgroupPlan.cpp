//===- WarpgroupPlan.cpp - products by wgmma ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ContractionPlan.h. Which products of a block program the instructions of
// warpgroups compute: those of two tiles that nothing changes on their way.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Layouts/FragmentLayouts.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

/// Why the kernel's target has no wgmma, or an empty string.
static std::string explainTarget(Operation *op) {
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  if (!module || !findChipModel(op))
    return "the kernel has no target";
  return getTargetSpec(module)->explainMissing(getWgmmaRequirement());
}

bool carousel::hasWarpgroups(Operation *op) {
  return explainTarget(op).empty();
}

/// Whether an op makes a matrix of the rows of a vector, in their order: of
/// pixels, or of a batch with one element.
static bool keepsRows(Operation *op) {
  auto cast = dyn_cast_or_null<vector::ShapeCastOp>(op);
  if (!cast)
    return false;
  ArrayRef<int64_t> from = cast.getSourceVectorType().getShape();
  ArrayRef<int64_t> to = cast.getResultVectorType().getShape();
  return from.size() >= 2 && to.size() == 2 && from.back() == to.back();
}

bool carousel::passesFactor(Operation *op) {
  return isa_and_nonnull<RoundTF32Op>(op) || keepsRows(op);
}

/// Calls `visit` with each op between a factor and its read.
static Value walkToRead(Value factor, function_ref<void(Operation *)> visit) {
  while (passesFactor(factor.getDefiningOp())) {
    visit(factor.getDefiningOp());
    factor = factor.getDefiningOp()->getOperand(0);
  }
  return factor;
}

vector::TransferReadOp carousel::findReadOfFactor(Value factor) {
  return walkToRead(factor, [](Operation *) {})
      .getDefiningOp<vector::TransferReadOp>();
}

/// Whether products beside the op that makes `factor`, or in loops there, take
/// it, and nothing else: as it is, or all of them rounded.
static bool isForProductsBeside(Value factor, bool isRounded) {
  return llvm::all_of(factor.getUsers(), [&](Operation *user) {
    if (!factor.getParentBlock()->findAncestorOpInBlock(*user))
      return false;
    if (keepsRows(user))
      return isForProductsBeside(user->getResult(0), isRounded);
    if (isRounded)
      return isa<RoundTF32Op>(user) &&
             isForProductsBeside(user->getResult(0), /*isRounded=*/false);
    return isa<vector::ContractionOp>(user);
  });
}

/// Why a factor can't stay in its tile, or an empty string.
static std::string explainFactor(vector::ContractionOp op, OpOperand &operand,
                                 unsigned dimOfK) {
  Value factor = operand.get();
  StringRef name = operand.getOperandNumber() == 0 ? "first" : "second";
  vector::TransferReadOp read = findReadOfFactor(factor);
  // The load rounds.
  bool isRounded = false;
  walkToRead(factor, [&](Operation *passing) {
    isRounded |= isa<RoundTF32Op>(passing);
  });
  if (!read || !isForProductsBeside(read, isRounded) ||
      !isTileOfProduct(factor))
    return ("the " + name +
            " factor isn't a tile that a pipelined loop reads for products "
            "alone")
        .str();
  if (isRounded && !matchPattern(read.getPadding(), m_PosZeroFloat()))
    return ("what fills the " + name + " factor isn't zero").str();
  auto type = cast<VectorType>(factor.getType());
  int64_t bits = type.getElementTypeBitWidth();
  if (bits != 16 && dimOfK != 1)
    return ("rows of the " + name + " factor aren't along k").str();
  if (type.getShape().back() * bits / 8 % kWgmmaDepthBytes != 0)
    return ("rows of the " + name + " factor are less than " +
            Twine(kWgmmaDepthBytes) + " bytes")
        .str();
  return {};
}

/// Why the sums aren't whole pieces of instructions, or an empty string.
static std::string explainExtents(int64_t rows, int64_t columns) {
  if (rows < kWgmmaRows)
    return "the sums have " + std::to_string(rows) +
           " rows, and an instruction " + std::to_string(kWgmmaRows);
  if (columns > kMaxWgmmaColumns)
    return "the sums have " + std::to_string(columns) +
           " columns, and an instruction at most " +
           std::to_string(kMaxWgmmaColumns);
  return {};
}

/// Why sums of 8-bit floats can't be promoted, or an empty string: a thread has
/// those of 128 of k, and those of f32 beside them.
static std::string explainPromotion(int64_t sums, int64_t depth) {
  if (sums > kMostPromotedSums)
    return "a tile has " + std::to_string(sums) +
           " sums, and there are registers for " +
           std::to_string(kMostPromotedSums) + " and those of " +
           std::to_string(kPromotedDepth) + " of k beside them";
  if (depth % kPromotedDepth != 0)
    return "a tile's k isn't a multiple of " + std::to_string(kPromotedDepth) +
           ", after which sums become f32";
  return {};
}

std::optional<WarpgroupForm>
carousel::findWarpgroupForm(vector::ContractionOp op, ThreadBits threads,
                            std::string &reason) {
  reason = explainTarget(op);
  if (!reason.empty())
    return std::nullopt;
  Type factor = op.getLhsType().getElementType();
  bool isFloat8 = hasFloat8Factors(op);
  if (!factor.isF16() && !factor.isBF16() && !factor.isF32() &&
      !factor.isInteger(8) && !isFloat8) {
    llvm::raw_string_ostream(reason)
        << "warpgroups multiply f16, bf16, tf32, i8, f8E4M3FN and f8E5M2, got "
        << factor;
    return std::nullopt;
  }
  std::optional<ProductDims> dims = findProductDims(op);
  constexpr unsigned kLaneBits = 5;
  if (factor.isF32() && !hasTF32Factors(op))
    reason = "it would read factors without rounding them";
  else if (!dims)
    reason = "no product of two matrices";
  else if (threads.ctas != 0)
    reason = "CTAs of a cluster share the sums";
  else if (threads.lanes != kLaneBits || threads.warps < kWarpBitsOfGroup)
    reason = "the block has no whole warpgroup";
  if (!reason.empty())
    return std::nullopt;
  SmallVector<int64_t> bounds;
  op.getIterationBounds(bounds);
  std::string why[2];
  for (auto [operand, map] :
       {std::pair(&op.getLhsMutable(), 0u), std::pair(&op.getRhsMutable(), 1u)})
    why[map] = explainFactor(op, *operand, *findOperandDim(op, map, dims->k));
  for (WarpgroupForm form : {WarpgroupForm{false, !why[0].empty()},
                             WarpgroupForm{true, !why[1].empty()}}) {
    int64_t rows = bounds[dims->m], columns = bounds[dims->n];
    if (form.isSwapped)
      std::swap(rows, columns);
    std::string own = explainExtents(rows, columns);
    if (own.empty() && isFloat8)
      own = explainPromotion(rows * columns, bounds[dims->k]);
    if (own.empty() && form.hasRegisters &&
        bounds[dims->k] * getElementBits(op.getLhsType()) / 8 %
                kWgmmaDepthBytes !=
            0)
      own = "its k is less than " + std::to_string(kWgmmaDepthBytes) + " bytes";
    if (own.empty())
      own = why[1 - form.getA()];
    if (own.empty())
      return form;
    if (reason.empty())
      reason = own;
  }
  return std::nullopt;
}

std::string carousel::explainNoWarpgroups(vector::ContractionOp op,
                                          ThreadBits threads) {
  std::string reason;
  return findWarpgroupForm(op, threads, reason) ? "" : reason;
}

WarpgroupShare carousel::getWarpgroupShare(vector::ContractionOp op,
                                           const ContractionPlan &plan) {
  unsigned rows = *findOperandDim(op, 2, plan.matrices->m);
  unsigned columns = *findOperandDim(op, 2, plan.matrices->n);
  WarpgroupShare share{1, kWgmmaColumnStep};
  for (const auto &basis : plan.acc.getBases(Place::Register)) {
    if (basis[rows] >= kWgmmaRows)
      share.pieces *= 2;
    if (basis[columns] >= kWgmmaColumnStep)
      share.columns *= 2;
  }
  return share;
}
