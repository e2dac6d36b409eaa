//===- DivideSums.cpp - loops divided among a cluster's CTAs --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DivideSums.h.
//
//===----------------------------------------------------------------------===//

#include "DivideSums.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/Utils/VectorUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

Value carousel::leaveSums(OpBuilder &builder, Location loc, Value vector,
                          bool areTransposed) {
  // Rows have some elements more, so that those which threads write together
  // are in other banks: pairs of four rows, or elements of each second one.
  constexpr int64_t kPadding = 8, kPaddingOfTransposed = 4;
  auto type = cast<VectorType>(vector.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() += areTransposed ? kPaddingOfTransposed : kPadding;
  auto shared = gpu::AddressSpaceAttr::get(builder.getContext(),
                                           gpu::AddressSpace::Workgroup);
  constexpr int64_t kAlignment = 128;
  Value tile = memref::AllocOp::create(
      builder, loc,
      MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(),
                      shared),
      builder.getI64IntegerAttr(kAlignment));
  SmallVector<Value> zeros(shape.size(),
                           arith::ConstantIndexOp::create(builder, loc, 0));
  vector::TransferWriteOp::create(builder, loc, vector, tile, zeros,
                                  SmallVector<bool>(shape.size(), true));
  return tile;
}

void carousel::meetCluster(OpBuilder &builder, Location loc) {
  ClusterArriveOp::create(builder, loc);
  ClusterWaitOp::create(builder, loc);
}

Value carousel::combineSums(OpBuilder &builder, Location loc, Value tile,
                            VectorType type, ValueRange offsets, int64_t ranks,
                            vector::CombiningKind kind) {
  auto local = cast<MemRefType>(tile.getType());
  auto ofPeer = MemRefType::get(
      local.getShape(), local.getElementType(), local.getLayout(),
      NVVM::NVVMMemorySpaceAttr::get(builder.getContext(),
                                     NVVM::NVVMMemorySpace::SharedCluster));
  Value padding = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  Value result;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Value number = arith::ConstantIntOp::create(builder, loc, rank, 32);
    Value peer = ClusterMapSharedOp::create(builder, loc, ofPeer, tile, number);
    Value read = vector::TransferReadOp::create(
        builder, loc, type, peer, offsets, padding,
        AffineMap::getMultiDimIdentityMap(type.getRank(), builder.getContext()),
        SmallVector<bool>(type.getRank(), true));
    result = rank == 0
                 ? read
                 : vector::makeArithReduction(builder, loc, kind, result, read);
  }
  return result;
}

/// Whether the use is that of a sum to which the op adds.
static bool isAddedTo(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto product = dyn_cast<vector::ContractionOp>(op))
    return product.getKind() == vector::CombiningKind::ADD &&
           &use == &product.getAccMutable();
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
    return reduction.getKind() == vector::CombiningKind::ADD &&
           &use == &reduction.getAccMutable();
  return isa<arith::AddFOp, arith::AddIOp>(op);
}

static bool isSum(scf::ForOp loop, unsigned number) {
  Value sum = loop.getRegionIterArg(number);
  while (isa<VectorType>(sum.getType()) && sum.hasOneUse()) {
    OpOperand &use = *sum.getUses().begin();
    if (isa<scf::YieldOp>(use.getOwner()))
      return use.getOwner()->getParentOp() == loop &&
             use.getOperandNumber() == number;
    if (!isAddedTo(use))
      return false;
    sum = use.getOwner()->getResult(0);
  }
  return false;
}

std::string carousel::explainUndivided(scf::ForOp loop) {
  auto kernel = dyn_cast<gpu::GPUFuncOp>(loop->getParentOp());
  if (!kernel || !loop.getInductionVar().getType().isIndex())
    return "the loop of its products is in another op, or has no indices";
  for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number)
    if (!isSum(loop, number))
      return "the loop of its products carries what isn't a sum of vectors";
  Operation *write = nullptr;
  kernel.walk([&](Operation *op) {
    if (!write && op->getNumRegions() == 0 &&
        hasEffect<MemoryEffects::Write>(op) &&
        (loop->isAncestor(op) || kernel->getRegion(0)
                                     .front()
                                     .findAncestorOpInBlock(*op)
                                     ->isBeforeInBlock(loop)))
      write = op;
  });
  return write ? quoteName(write) + " writes before its products end"
               : std::string();
}

namespace {

/// Writes the code of one CTA of a cluster.
struct PartOfLoop {
  OpBuilder builder;
  Location loc;
  /// The numbers of the CTA's program along the grid's dimension, and of its
  /// part.
  Value program, rank;
  int64_t parts;

  Value apply(AffineExpr expr, Value operand) {
    return affine::AffineApplyOp::create(builder, loc,
                                         AffineMap::get(1, 0, expr), operand);
  }

  /// Clones the loop with all that it needs of its kernel. The tile is that of
  /// the cluster.
  scf::ForOp clone(scf::ForOp whole, gpu::GPUFuncOp kernel, unsigned gridDim) {
    IRMapping mapping;
    mapping.map(whole->getParentOfType<gpu::GPUFuncOp>().getArguments(),
                kernel.getArguments());
    llvm::SetVector<Operation *> needed;
    BackwardSliceOptions options;
    options.omitBlockArguments = options.inclusive = true;
    options.omitUsesFromAbove = false;
    options.filter = [&](Operation *op) {
      return op->getBlock() == whole->getBlock();
    };
    (void)getBackwardSlice(whole.getOperation(), &needed, options);
    Value tile = apply(builder.getAffineDimExpr(0).floorDiv(parts), program);
    for (Operation &op : *whole->getBlock()) {
      auto id = dyn_cast<gpu::BlockIdOp>(op);
      if (id && unsigned(id.getDimension()) == gridDim)
        mapping.map(id.getResult(), tile);
      else if (needed.contains(&op))
        builder.clone(op, mapping);
      if (&op == whole)
        break;
    }
    return mapping.lookup(whole.getResult(0)).getDefiningOp<scf::ForOp>();
  }

  /// Equal numbers of iterations; the last parts may have fewer or none.
  void bound(scf::ForOp loop) {
    int64_t step = *getConstantIntValue(loop.getStep());
    AffineExpr first = builder.getAffineSymbolExpr(0),
               end = builder.getAffineSymbolExpr(1),
               own = builder.getAffineDimExpr(0);
    AffineExpr length = (end - first).ceilDiv(step * parts) * step;
    Value operands[] = {rank, loop.getLowerBound(), loop.getUpperBound()};
    Value from = affine::AffineApplyOp::create(
        builder, loc, AffineMap::get(1, 2, first + own * length), operands);
    Value to = affine::AffineMinOp::create(
        builder, loc,
        AffineMap::get(1, 2, {end, first + (own + 1) * length},
                       builder.getContext()),
        operands);
    loop.setLowerBound(from);
    loop.setUpperBound(to);
    for (OpOperand &init : loop.getInitArgsMutable())
      init.set(arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(init.get().getType())));
  }

  /// Where the CTA's part begins in a whole vector.
  SmallVector<Value> findOffsets(VectorType part, VectorType whole) {
    SmallVector<Value> offsets;
    for (auto [own, all] : llvm::zip(part.getShape(), whole.getShape()))
      offsets.push_back(
          own == all ? Value(arith::ConstantIndexOp::create(builder, loc, 0))
                     : apply(builder.getAffineDimExpr(0) * own, rank));
    return offsets;
  }
};

} // namespace

void carousel::divideSums(scf::ForOp loop, scf::ForOp whole, unsigned gridDim,
                          int64_t parts, bool areTransposed) {
  auto kernel = loop->getParentOfType<gpu::GPUFuncOp>();
  PartOfLoop writer = {OpBuilder(loop), loop.getLoc(), {}, {}, parts};
  OpBuilder &builder = writer.builder;
  Location loc = loop.getLoc();
  writer.program =
      gpu::BlockIdOp::create(builder, loc, gpu::Dimension(gridDim));
  writer.rank =
      writer.apply(builder.getAffineDimExpr(0) % parts, writer.program);
  scf::ForOp part = writer.clone(whole, kernel, gridDim);
  builder.setInsertionPoint(part);
  writer.bound(part);
  builder.setInsertionPointAfter(part);
  SmallVector<Value> tiles;
  for (Value sum : part.getResults())
    tiles.push_back(leaveSums(builder, loc, sum, areTransposed));
  meetCluster(builder, loc);
  for (auto [sum, init, tile, all] : llvm::zip_equal(
           loop.getResults(), loop.getInitArgs(), tiles, part.getResults())) {
    auto type = cast<VectorType>(sum.getType());
    Value result =
        combineSums(builder, loc, tile, type,
                    writer.findOffsets(type, cast<VectorType>(all.getType())),
                    parts, vector::CombiningKind::ADD);
    if (!matchPattern(init, m_AnyZeroFloat()) && !matchPattern(init, m_Zero()))
      result = vector::makeArithReduction(
          builder, loc, vector::CombiningKind::ADD, init, result);
    sum.replaceAllUsesWith(result);
  }
  meetCluster(builder, loc);
  loop.erase();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}
