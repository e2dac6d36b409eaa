//===- CpAsyncToNVVM.cpp - cp_async and caches to NVVM --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVVM's copy has no ignore predicate, no L2 prefetch size and no cache policy.
// Copies with one of them, and the creation of policies, become inline PTX.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

namespace {

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

struct CopyLowering : public NVVMLowering<CpAsyncCopyOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(CpAsyncCopyOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = getSource(rewriter, op, adaptor);
    Value destination = getDestination(rewriter, op, adaptor);
    if (!op.getIgnore() && !op.getL2Prefetch() && !op.getCachePolicy()) {
      auto cache = op.getCache() == CpAsyncCache::CA
                       ? NVVM::LoadCacheModifierKind::CA
                       : NVVM::LoadCacheModifierKind::CG;
      rewriter.replaceOpWithNewOp<NVVM::CpAsyncOp>(
          op, destination, source, op.getSize(), cache, adaptor.getValid());
      return success();
    }
    std::string text =
        ("cp.async." + stringifyCpAsyncCache(op.getCache()) + ".shared.global")
            .str();
    std::string arguments = " [$0], [$1], " + std::to_string(op.getSize());
    SmallVector<Value> operands = {destination, source};
    auto append = [&](Value operand) {
      arguments += ", $" + std::to_string(operands.size());
      operands.push_back(operand);
    };
    if (adaptor.getValid())
      append(adaptor.getValid());
    else if (adaptor.getIgnore())
      append(adaptor.getIgnore());
    if (adaptor.getCachePolicy()) {
      text += ".L2::cache_hint";
      append(adaptor.getCachePolicy());
    }
    if (op.getL2Prefetch())
      text += ".L2::" + std::to_string(*op.getL2Prefetch()) + "B";
    createPTX(rewriter, loc, Type(), operands, text + arguments + ";");
    rewriter.eraseOp(op);
    return success();
  }
};

struct CommitGroupLowering : public NVVMLowering<CpAsyncCommitGroupOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(CpAsyncCommitGroupOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

struct WaitGroupLowering : public NVVMLowering<CpAsyncWaitGroupOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(CpAsyncWaitGroupOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(op, op.getPending());
    return success();
  }
};

struct WaitAllLowering : public NVVMLowering<CpAsyncWaitAllOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(CpAsyncWaitAllOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    createIntrinsic(rewriter, op.getLoc(), Type(),
                    "llvm.nvvm.cp.async.wait.all", ValueRange());
    rewriter.eraseOp(op);
    return success();
  }
};

struct MbarrierArriveLowering : public NVVMLowering<CpAsyncMbarrierArriveOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(CpAsyncMbarrierArriveOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value barrier = getBarrier(rewriter, op, adaptor);
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncMBarrierArriveOp>(op, barrier,
                                                               op.getNoinc());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

/// ".L2::evict_last.L2::evict_first"
static std::string getPriorities(EvictPriority priority,
                                 std::optional<EvictPriority> otherwise) {
  std::string text = (".L2::" + stringifyEvictPriority(priority)).str();
  if (otherwise)
    text += (".L2::" + stringifyEvictPriority(*otherwise)).str();
  return text;
}

struct FractionalLowering : public NVVMLowering<CachePolicyFractionalOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(CachePolicyFractionalOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string text = "createpolicy.fractional" +
                       getPriorities(op.getPriority(), op.getOtherwise()) +
                       ".b64 $0";
    // PTX spells a float exactly as 0f and its bits.
    if (std::optional<APFloat> fraction = op.getFraction())
      text +=
          ", 0f" + llvm::utohexstr(fraction->bitcastToAPInt().getZExtValue(),
                                   /*LowerCase=*/false, /*Width=*/8);
    rewriter.replaceOp(op, createPTX(rewriter, op.getLoc(),
                                     rewriter.getI64Type(), ValueRange(),
                                     text + ";", /*touchesMemory=*/false));
    return success();
  }
};

struct RangeLowering : public NVVMLowering<CachePolicyRangeOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(CachePolicyRangeOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value base = getPointer(rewriter, op.getLoc(), op.getBase(),
                            adaptor.getBase(), adaptor.getIndices());
    rewriter.replaceOp(
        op, createPTX(rewriter, op.getLoc(), rewriter.getI64Type(),
                      {base, adaptor.getPrimary(), adaptor.getTotal()},
                      "createpolicy.range.global" +
                          getPriorities(op.getPriority(), op.getOtherwise()) +
                          ".b64 $0, [$1], $2, $3;",
                      /*touchesMemory=*/false));
    return success();
  }
};

struct ConvertLowering : public NVVMLowering<CachePolicyConvertOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(CachePolicyConvertOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, createPTX(rewriter, op.getLoc(), rewriter.getI64Type(),
                      adaptor.getProperty(), "createpolicy.cvt.L2.b64 $0, $1;",
                      /*touchesMemory=*/false));
    return success();
  }
};

/// PTX has prefetches on every SM; LLVM's intrinsics ask for these.
static constexpr unsigned kPrefetchSM = 90;
static constexpr unsigned kPrefetchPTX = 80;

static std::string getPrefetch(PrefetchLevel level, bool local) {
  std::string space = local ? "local" : "global";
  switch (level) {
  case PrefetchLevel::L1:
    return "prefetch." + space + ".L1 [$0];";
  case PrefetchLevel::L2:
    return "prefetch." + space + ".L2 [$0];";
  case PrefetchLevel::L2EvictLast:
    return "prefetch.global.L2::evict_last [$0];";
  case PrefetchLevel::L2EvictNormal:
    return "prefetch.global.L2::evict_normal [$0];";
  case PrefetchLevel::UniformL1:
    return "prefetchu.L1 [$0];";
  }
  llvm_unreachable("covered switch");
}

struct PrefetchLowering : public NVVMLowering<PrefetchOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(PrefetchOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value address = getPointer(rewriter, op.getLoc(), op.getSource(),
                               adaptor.getSource(), adaptor.getIndices());
    MLIRContext *context = op.getContext();
    PrefetchLevel level = op.getLevel();
    UnitAttr uniform;
    if (level == PrefetchLevel::UniformL1) {
      uniform = rewriter.getUnitAttr();
      address = castPointer(rewriter, op.getLoc(), address,
                            NVVM::NVVMMemorySpace::Generic);
    }
    if (target.info->sm < kPrefetchSM || target.ptx < kPrefetchPTX) {
      createPTX(rewriter, op.getLoc(), Type(), address,
                getPrefetch(level, isLocalMemRef(op.getSource().getType())));
      rewriter.eraseOp(op);
      return success();
    }
    bool l1 = level == PrefetchLevel::L1 || level == PrefetchLevel::UniformL1;
    auto cache = NVVM::PrefetchCacheLevelAttr::get(
        context,
        l1 ? NVVM::PrefetchCacheLevel::L1 : NVVM::PrefetchCacheLevel::L2);
    NVVM::CacheEvictionPriorityAttr evict;
    if (level == PrefetchLevel::L2EvictLast)
      evict = NVVM::CacheEvictionPriorityAttr::get(
          context, NVVM::CacheEvictionPriority::EvictLast);
    else if (level == PrefetchLevel::L2EvictNormal)
      evict = NVVM::CacheEvictionPriorityAttr::get(
          context, NVVM::CacheEvictionPriority::EvictNormal);
    rewriter.replaceOpWithNewOp<NVVM::PrefetchOp>(
        op, cache, evict, address,
        /*predicate=*/Value(), /*tensormap=*/nullptr, uniform,
        /*in_param_space=*/nullptr);
    return success();
  }
};

} // namespace

void carousel::populateCpAsyncToNVVM(const LLVMTypeConverter &converter,
                                     const TargetSpec &target,
                                     RewritePatternSet &patterns) {
  patterns.add<CopyLowering, CommitGroupLowering, WaitGroupLowering,
               WaitAllLowering, MbarrierArriveLowering, FractionalLowering,
               RangeLowering, ConvertLowering, PrefetchLowering>(converter,
                                                                 target);
}
