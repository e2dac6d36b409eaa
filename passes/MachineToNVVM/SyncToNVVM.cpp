//===- SyncToNVVM.cpp - fences, barriers, clusters, grids to NVVM ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some intrinsics of fences and barriers access less memory than the
// instruction orders. These get a compiler fence before and after. Semaphores
// become atomic loads and stores of LLVM.
//
//===----------------------------------------------------------------------===//

#include "BoundedWaits.h"

using namespace mlir;
using namespace carousel;

namespace {

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

struct FenceThreadLowering : public NVVMLowering<FenceThreadOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(FenceThreadOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::FenceOp>(
        op, getOrdering(op.getSemantics()), getSyncScope(op.getScope()));
    return success();
  }

private:
  static LLVM::AtomicOrdering getOrdering(MemSemantics semantics) {
    switch (semantics) {
    case MemSemantics::Acquire:
      return LLVM::AtomicOrdering::acquire;
    case MemSemantics::Release:
      return LLVM::AtomicOrdering::release;
    case MemSemantics::AcqRel:
      return LLVM::AtomicOrdering::acq_rel;
    default:
      return LLVM::AtomicOrdering::seq_cst;
    }
  }
  static StringRef getSyncScope(MemScope scope) {
    switch (scope) {
    case MemScope::CTA:
      return "block";
    case MemScope::Cluster:
      return "cluster";
    case MemScope::GPU:
      return "device";
    case MemScope::System:
      return "";
    }
    llvm_unreachable("covered switch");
  }
};

struct FenceProxyLowering : public NVVMLowering<FenceProxyOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(FenceProxyOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::ProxyKind kind = NVVM::ProxyKind::alias;
    NVVM::SharedSpaceAttr space;
    switch (op.getProxy()) {
    case ProxyKind::Alias:
      break;
    case ProxyKind::Async:
      kind = NVVM::ProxyKind::async;
      break;
    case ProxyKind::AsyncGlobal:
      kind = NVVM::ProxyKind::async_global;
      break;
    case ProxyKind::AsyncSharedCTA:
      kind = NVVM::ProxyKind::async_shared;
      space = NVVM::SharedSpaceAttr::get(op.getContext(),
                                         NVVM::SharedSpace::shared_cta);
      break;
    case ProxyKind::AsyncSharedCluster:
      kind = NVVM::ProxyKind::async_shared;
      space = NVVM::SharedSpaceAttr::get(op.getContext(),
                                         NVVM::SharedSpace::shared_cluster);
      break;
    }
    rewriter.replaceOpWithNewOp<NVVM::FenceProxyOp>(op, kind, space);
    return success();
  }
};

struct FenceMbarrierInitLowering : public NVVMLowering<FenceMbarrierInitOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(FenceMbarrierInitOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::FenceMbarrierInitOp>(op);
    return success();
  }
};

static NVVM::MemOrderKind getOrder(MemSemantics semantics) {
  return semantics == MemSemantics::Acquire ? NVVM::MemOrderKind::ACQUIRE
                                            : NVVM::MemOrderKind::RELEASE;
}

struct FenceSyncRestrictLowering : public NVVMLowering<FenceSyncRestrictOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(FenceSyncRestrictOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::FenceSyncRestrictOp>(
        op, getOrder(op.getSemantics()));
    return success();
  }
};

struct FenceProxySyncRestrictLowering
    : public NVVMLowering<FenceProxySyncRestrictOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(FenceProxySyncRestrictOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::FenceProxySyncRestrictOp>(
        op, getOrder(op.getSemantics()));
    return success();
  }
};

struct FenceTensorMapReleaseLowering
    : public NVVMLowering<FenceTensorMapReleaseOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(FenceTensorMapReleaseOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::FenceProxyReleaseOp>(
        op, getNVVMScope(op.getScope()));
    return success();
  }
};

struct FenceTensorMapAcquireLowering
    : public NVVMLowering<FenceTensorMapAcquireOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(FenceTensorMapAcquireOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value size = materializeI32(rewriter, loc, Value(), rules::kTensorMapBytes);
    // The intrinsic claims the descriptor's bytes only.
    createCompilerFence(rewriter, loc);
    NVVM::FenceProxyAcquireOp::create(
        rewriter, loc, getNVVMScope(op.getScope()), adaptor.getMap(), size);
    createCompilerFence(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Threads of a CTA
//===----------------------------------------------------------------------===//

struct ElectLowering : public NVVMLowering<ElectOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(ElectOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ElectSyncOp>(op, rewriter.getI1Type(),
                                                   adaptor.getMask());
    return success();
  }
};

struct BarrierSyncLowering : public NVVMLowering<BarrierSyncOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(BarrierSyncOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value id = materializeI32(rewriter, loc, adaptor.getId(), op.getStaticId());
    Value threads;
    if (op.getThreads())
      threads = materializeI32(rewriter, loc, Value(), op.getThreads());
    if (!op.getUnaligned()) {
      NVVM::BarrierOp::create(rewriter, loc, Type(), id, threads,
                              NVVM::BarrierReductionAttr(), Value());
    } else if (threads) {
      createIntrinsic(rewriter, loc, Type(), "llvm.nvvm.barrier.cta.sync.count",
                      {id, threads});
    } else {
      createIntrinsic(rewriter, loc, Type(), "llvm.nvvm.barrier.cta.sync.all",
                      id);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct BarrierArriveLowering : public NVVMLowering<BarrierArriveOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(BarrierArriveOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value id = materializeI32(rewriter, loc, adaptor.getId(), op.getStaticId());
    Value threads = materializeI32(rewriter, loc, Value(), op.getThreads());
    createIntrinsic(rewriter, loc, Type(),
                    op.getUnaligned()
                        ? "llvm.nvvm.barrier.cta.arrive.count"
                        : "llvm.nvvm.barrier.cta.arrive.aligned.count",
                    {id, threads});
    rewriter.eraseOp(op);
    return success();
  }
};

struct BarrierWarpLowering : public NVVMLowering<BarrierWarpOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(BarrierWarpOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value mask = materializeI32(rewriter, op.getLoc(), adaptor.getMask(), ~0u);
    rewriter.replaceOpWithNewOp<NVVM::SyncWarpOp>(op, mask);
    return success();
  }
};

struct SetMaxRegistersLowering : public NVVMLowering<SetMaxRegistersOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(SetMaxRegistersOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto action = op.getChange() == RegisterChange::Increase
                      ? NVVM::SetMaxRegisterAction::increase
                      : NVVM::SetMaxRegisterAction::decrease;
    rewriter.replaceOpWithNewOp<NVVM::SetMaxRegisterOp>(op, op.getRegisters(),
                                                        action);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

template <typename Op, typename NVVMOp>
struct ClusterRegisterLowering : public NVVMLowering<Op> {
  using NVVMLowering<Op>::NVVMLowering;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVMOp>(op, rewriter.getI32Type());
    return success();
  }
};

/// A descriptor like the source's, whose pointers lie in the other CTA.
struct MapSharedLowering : public NVVMLowering<ClusterMapSharedOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(ClusterMapSharedOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type converted = getTypeConverter()->convertType(op.getResult().getType());
    auto pointerType = LLVM::LLVMPointerType::get(
        op.getContext(),
        static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
    MemRefDescriptor source(adaptor.getSource());
    Value pointer = NVVM::MapaOp::create(rewriter, loc, pointerType,
                                         source.alignedPtr(rewriter, loc),
                                         adaptor.getRank());
    auto result = MemRefDescriptor::poison(rewriter, loc, converted);
    result.setAllocatedPtr(rewriter, loc, pointer);
    result.setAlignedPtr(rewriter, loc, pointer);
    result.setOffset(rewriter, loc, source.offset(rewriter, loc));
    for (int64_t dim = 0, rank = op.getSource().getType().getRank(); dim < rank;
         ++dim) {
      result.setSize(rewriter, loc, dim, source.size(rewriter, loc, dim));
      result.setStride(rewriter, loc, dim, source.stride(rewriter, loc, dim));
    }
    rewriter.replaceOp(op, {result});
    return success();
  }
};

struct RankOfLowering : public NVVMLowering<ClusterRankOfOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(ClusterRankOfOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefDescriptor source(adaptor.getSource());
    // The intrinsic of the shared window wants the CTA's address space; a
    // generic address says the same for both windows.
    Value pointer = castPointer(rewriter, loc, source.alignedPtr(rewriter, loc),
                                NVVM::NVVMMemorySpace::Generic);
    rewriter.replaceOp(op, createIntrinsic(rewriter, loc, rewriter.getI32Type(),
                                           "llvm.nvvm.getctarank", pointer));
    return success();
  }
};

struct ClusterArriveLowering : public NVVMLowering<ClusterArriveOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(ClusterArriveOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    UnitAttr aligned = op.getUnaligned() ? UnitAttr() : rewriter.getUnitAttr();
    if (op.getSemantics() == MemSemantics::Relaxed)
      rewriter.replaceOpWithNewOp<NVVM::ClusterArriveRelaxedOp>(op, aligned);
    else
      rewriter.replaceOpWithNewOp<NVVM::ClusterArriveOp>(op, aligned);
    return success();
  }
};

struct ClusterWaitLowering : public NVVMLowering<ClusterWaitOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(ClusterWaitOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    UnitAttr aligned = op.getUnaligned() ? UnitAttr() : rewriter.getUnitAttr();
    rewriter.replaceOpWithNewOp<NVVM::ClusterWaitOp>(op, aligned);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

template <typename Op, NVVM::GridDepActionKind kind>
struct GridDependencyLowering : public NVVMLowering<Op> {
  using NVVMLowering<Op>::NVVMLowering;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Both intrinsics claim no memory at all.
    createCompilerFence(rewriter, op.getLoc());
    NVVM::GriddepcontrolOp::create(rewriter, op.getLoc(), kind);
    createCompilerFence(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

static constexpr StringLiteral kSemaphoreScope{"device"};
static constexpr unsigned kSemaphoreAlignment = 4;

/// scf.while { %now = load acquire; condition(%now != %turn) } do {}
struct SerialWaitLowering : public NVVMLowering<GridSerialWaitOp> {
  SerialWaitLowering(const LLVMTypeConverter &converter,
                     const TargetSpec &target, const WaitBound &bound)
      : NVVMLowering(converter, target), bound(bound) {}

  LogicalResult
  matchAndRewrite(GridSerialWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value semaphore = getPointer(rewriter, loc, op.getSemaphores(),
                                 adaptor.getSemaphores(), adaptor.getIndices());
    WaitPlace place;
    place.wait = op;
    place.indices = adaptor.getIndices();
    place.awaited = adaptor.getSemaphores();
    place.phase = adaptor.getTurn();
    createWaitLoop(
        rewriter, loc, bound, place, [&](OpBuilder &builder, Location loc) {
          Value now = LLVM::LoadOp::create(
              builder, loc, builder.getI32Type(), semaphore,
              kSemaphoreAlignment, /*isVolatile=*/false,
              /*isNonTemporal=*/false, /*isInvariant=*/false,
              /*isInvariantGroup=*/false, LLVM::AtomicOrdering::acquire,
              kSemaphoreScope);
          return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                      now, adaptor.getTurn())
              .getResult();
        });
    createCompilerFence(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }

private:
  WaitBound bound;
};

struct SerialReleaseLowering : public NVVMLowering<GridSerialReleaseOp> {
  using NVVMLowering::NVVMLowering;
  LogicalResult
  matchAndRewrite(GridSerialReleaseOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value semaphore = getPointer(rewriter, loc, op.getSemaphores(),
                                 adaptor.getSemaphores(), adaptor.getIndices());
    createCompilerFence(rewriter, loc);
    LLVM::StoreOp::create(rewriter, loc, adaptor.getTurn(), semaphore,
                          kSemaphoreAlignment,
                          /*isVolatile=*/false, /*isNonTemporal=*/false,
                          /*isInvariantGroup=*/false,
                          LLVM::AtomicOrdering::release, kSemaphoreScope);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void carousel::populateSyncToNVVM(const LLVMTypeConverter &converter,
                                  const TargetSpec &target,
                                  const WaitBound &bound,
                                  RewritePatternSet &patterns) {
  patterns.add<SerialWaitLowering>(converter, target, bound);
  patterns
      .add<FenceThreadLowering, FenceProxyLowering, FenceMbarrierInitLowering,
           FenceSyncRestrictLowering, FenceProxySyncRestrictLowering,
           FenceTensorMapReleaseLowering, FenceTensorMapAcquireLowering,
           ElectLowering, BarrierSyncLowering, BarrierArriveLowering,
           BarrierWarpLowering, SetMaxRegistersLowering,
           ClusterRegisterLowering<ClusterRankOp, NVVM::ClusterId>,
           ClusterRegisterLowering<ClusterSizeOp, NVVM::ClusterDim>,
           MapSharedLowering, RankOfLowering, ClusterArriveLowering,
           ClusterWaitLowering,
           GridDependencyLowering<GridLaunchDependentsOp,
                                  NVVM::GridDepActionKind::launch_dependents>,
           GridDependencyLowering<GridDependencyWaitOp,
                                  NVVM::GridDepActionKind::wait>,
           SerialReleaseLowering>(converter, target);
}
