//===- GPUReductions.cpp - reductions of a CTA ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers gpu.all_reduce without branches between blocks, which upstream's
// lowering creates and regions of scf can't hold. Also lowers the numbers of
// warps. All threads of the CTA must also reach a reduction without `uniform`;
// carousel-verify-tile refuses those that visibly don't.
//
//===----------------------------------------------------------------------===//

#include "GPUCollectives.h"

#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Utils/GPUUtils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace carousel;

/// The extents of the block around an op, where they are known.
static std::optional<std::array<int64_t, 3>> findBlock(OpBuilder &builder) {
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto kernel = dyn_cast<gpu::GPUFuncOp>(parent);
  if (!kernel)
    kernel = parent->getParentOfType<gpu::GPUFuncOp>();
  return kernel ? getKnownBlock(kernel) : std::nullopt;
}

static Value createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// The number of the thread in its block, as an index.
static Value createLinearThreadId(OpBuilder &builder, Location loc) {
  std::optional<std::array<int64_t, 3>> block = findBlock(builder);
  Value id;
  for (gpu::Dimension dim :
       {gpu::Dimension::z, gpu::Dimension::y, gpu::Dimension::x}) {
    if (block && (*block)[static_cast<size_t>(dim)] == 1)
      continue;
    if (id)
      id = arith::MulIOp::create(builder, loc, id,
                                 gpu::BlockDimOp::create(builder, loc, dim));
    Value own = gpu::ThreadIdOp::create(builder, loc, dim);
    id = id ? arith::AddIOp::create(builder, loc, id, own) : own;
  }
  return id ? id : createIndex(builder, loc, 0);
}

/// The number of threads of the block, as an index.
static Value createBlockThreads(OpBuilder &builder, Location loc) {
  if (std::optional<std::array<int64_t, 3>> block = findBlock(builder))
    return createIndex(builder, loc, (*block)[0] * (*block)[1] * (*block)[2]);
  Value threads = gpu::BlockDimOp::create(builder, loc, gpu::Dimension::x);
  for (gpu::Dimension dim : {gpu::Dimension::y, gpu::Dimension::z})
    threads = arith::MulIOp::create(builder, loc, threads,
                                    gpu::BlockDimOp::create(builder, loc, dim));
  return threads;
}

static Value createCombined(gpu::AllReduceOp op, OpBuilder &builder, Value lhs,
                            Value rhs) {
  if (std::optional<gpu::AllReduceOperation> kind = op.getOp())
    return vector::makeArithReduction(
        builder, op.getLoc(), gpu::convertReductionKind(*kind), lhs, rhs);
  Block &body = op.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), ValueRange{lhs, rhs});
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, mapping);
  return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
}

/// The reduction of the first `lanes` lanes of the warp, an i32, in its first
/// lane. Lanes that are farther away are left out.
static Value reduceWarp(gpu::AllReduceOp op, OpBuilder &builder, Value value,
                        Value lanes, bool isWhole) {
  Location loc = op.getLoc();
  for (int64_t offset = 1; offset < rules::kWarpSize; offset *= 2) {
    Value distance = arith::ConstantIntOp::create(builder, loc,
                                                  builder.getI32Type(), offset);
    auto shuffle = gpu::ShuffleOp::create(builder, loc, value, distance, lanes,
                                          gpu::ShuffleMode::XOR);
    Value both = createCombined(op, builder, value, shuffle.getShuffleResult());
    value = isWhole ? both
                    : arith::SelectOp::create(builder, loc, shuffle.getValid(),
                                              both, value);
  }
  return value;
}

namespace {

struct AllReduceByWarps : public OpRewritePattern<gpu::AllReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::AllReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    if (!kernel)
      return rewriter.notifyMatchFailure(op, "no kernel that has the memory");
    Location loc = op.getLoc();
    std::optional<std::array<int64_t, 3>> block = getKnownBlock(kernel);
    int64_t known = block ? (*block)[0] * (*block)[1] * (*block)[2] : 0;
    bool isWhole = known != 0 && known % rules::kWarpSize == 0;
    int64_t maxWarps = known ? llvm::divideCeil(known, rules::kWarpSize)
                             : rules::kMaxThreadsPerBlock / rules::kWarpSize;

    Value size = createIndex(rewriter, loc, rules::kWarpSize);
    Value thread = createLinearThreadId(rewriter, loc);
    Value threads = createBlockThreads(rewriter, loc);
    Value warp = arith::DivUIOp::create(rewriter, loc, thread, size);
    Value lane = arith::RemUIOp::create(rewriter, loc, thread, size);
    Value lanes = size;
    if (!isWhole) { // the last warp may lack some
      Value left = arith::SubIOp::create(
          rewriter, loc, threads,
          arith::MulIOp::create(rewriter, loc, warp, size));
      lanes = arith::MinUIOp::create(rewriter, loc, left, size);
    }
    lanes =
        arith::IndexCastOp::create(rewriter, loc, rewriter.getI32Type(), lanes);
    if (isWhole)
      lanes = arith::ConstantIntOp::create(rewriter, loc, rewriter.getI32Type(),
                                           rules::kWarpSize);
    Value partial = reduceWarp(op, rewriter, op.getValue(), lanes, isWhole);

    auto space = gpu::AddressSpaceAttr::get(rewriter.getContext(),
                                            gpu::AddressSpace::Workgroup);
    BlockArgument buffer = kernel.addWorkgroupAttribution(
        MemRefType::get({maxWarps}, op.getType(), MemRefLayoutAttrInterface(),
                        space),
        loc);
    Value zero = createIndex(rewriter, loc, 0);
    Value isFirst = arith::CmpIOp::create(rewriter, loc,
                                          arith::CmpIPredicate::eq, lane, zero);
    auto writes = scf::IfOp::create(rewriter, loc, isFirst, /*else=*/false);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(writes.thenBlock());
      memref::StoreOp::create(rewriter, loc, partial, buffer, warp);
    }
    gpu::BarrierOp::create(rewriter, loc);
    Value first = memref::LoadOp::create(rewriter, loc, buffer, zero);
    Value one = createIndex(rewriter, loc, 1);
    Value warps = arith::CeilDivUIOp::create(rewriter, loc, threads, size);
    auto loop = scf::ForOp::create(rewriter, loc, one, warps, one, first);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      Value next =
          memref::LoadOp::create(rewriter, loc, buffer, loop.getInductionVar());
      scf::YieldOp::create(
          rewriter, loc,
          createCombined(op, rewriter, loop.getRegionIterArg(0), next));
    }
    gpu::BarrierOp::create(rewriter, loc); // before the buffer is used again
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }
};

struct SubgroupSizeIsConstant : public OpRewritePattern<gpu::SubgroupSizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::SubgroupSizeOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, rules::kWarpSize);
    return success();
  }
};

struct SubgroupIdByThread : public OpRewritePattern<gpu::SubgroupIdOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::SubgroupIdOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value thread = createLinearThreadId(rewriter, loc);
    rewriter.replaceOpWithNewOp<arith::DivUIOp>(
        op, thread, createIndex(rewriter, loc, rules::kWarpSize));
    return success();
  }
};

struct NumSubgroupsByBlock : public OpRewritePattern<gpu::NumSubgroupsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::NumSubgroupsOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value threads = createBlockThreads(rewriter, loc);
    rewriter.replaceOpWithNewOp<arith::CeilDivUIOp>(
        op, threads, createIndex(rewriter, loc, rules::kWarpSize));
    return success();
  }
};

} // namespace

void carousel::populateAllReduce(RewritePatternSet &patterns) {
  patterns.add<AllReduceByWarps>(patterns.getContext());
}

void carousel::populateSubgroupNumbers(RewritePatternSet &patterns) {
  patterns.add<SubgroupSizeIsConstant, SubgroupIdByThread, NumSubgroupsByBlock>(
      patterns.getContext());
}
