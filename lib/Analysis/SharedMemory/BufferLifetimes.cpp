//===- BufferLifetimes.cpp - uses and lifetimes of shared buffers ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BufferLifetimes.h. MLIR's buffer view flow analysis finds aliases. An op
// that may do more than access its operand keeps the buffer alive for the whole
// kernel.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/SharedMemory/BufferLifetimes.h"

#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// One use
//===----------------------------------------------------------------------===//

namespace {

enum class AccessKind {
  /// Views, extents, control flow: no access.
  None,
  GenericRead,
  GenericWrite,
  AsyncWrite,
  AsyncRead,
  CpAsyncWrite,
  /// A read by products that begin at a descriptor's op at the earliest.
  ProductRead,
  /// An op on a barrier.
  Barrier,
  Unknown,
};

struct Access {
  AccessKind kind = AccessKind::Unknown;
  int64_t alignment = 1;
};

} // namespace

static bool isBarrierMemRef(Value memref) {
  return isa<MbarrierType>(cast<MemRefType>(memref.getType()).getElementType());
}

/// A load into other CTAs, or with a barrier there, is ordered by the cluster,
/// and not by a barrier of this CTA.
template <typename Op> static bool isLocalLoad(Op load) {
  return !load.getMulticastMask() &&
         isSharedMemRef(load.getBarriers().getType());
}

static Access getLoadAccess(BulkLoadOp load) {
  return {isLocalLoad(load) ? AccessKind::AsyncWrite : AccessKind::Unknown,
          rules::kBulkGranule};
}

static Access getLoadAccess(TensorLoadOp load) {
  bool isLocal = isLocalLoad(load) && load.getCtaGroup().value_or(1) == 1;
  return {isLocal ? AccessKind::AsyncWrite : AccessKind::Unknown,
          load.getMap().getType().getSharedAlignment()};
}

/// The rows after which a swizzle repeats.
static constexpr int64_t kRowsOfPattern = 8;

static Access getMachineAccess(OpOperand &use) {
  if (isBarrierMemRef(use.get()))
    return {AccessKind::Barrier, rules::kMbarrierAlignment};
  return llvm::TypeSwitch<Operation *, Access>(use.getOwner())
      .Case<BulkLoadOp, TensorLoadOp>(
          [](auto load) { return getLoadAccess(load); })
      .Case<BulkStoreOp, BulkReduceOp>([](auto) {
        return Access{AccessKind::AsyncRead, rules::kBulkGranule};
      })
      .Case<TensorStoreOp, TensorReduceOp>([](auto store) {
        return Access{AccessKind::AsyncRead,
                      store.getMap().getType().getSharedAlignment()};
      })
      .Case([](CpAsyncCopyOp copy) {
        return Access{AccessKind::CpAsyncWrite, copy.getSize()};
      })
      .Case([](WgmmaDescriptorOp descriptor) {
        // PTX ISA, Matrix Descriptor Format: the pattern repeats.
        std::optional<int64_t> span = getSwizzleSpan(descriptor.getSwizzle());
        return Access{AccessKind::ProductRead,
                      span ? kRowsOfPattern * *span : rules::kBulkGranule};
      })
      .Case<BulkCopyClusterOp, BulkReduceClusterOp>(
          [](auto) { return Access{AccessKind::Unknown, rules::kBulkGranule}; })
      .Case<TensorMapReplaceOp, TensorMapCopyFenceOp>([](auto) {
        return Access{AccessKind::Unknown, rules::kTensorMapAlignment};
      })
      .Default([](Operation *) { return Access(); });
}

/// Loads and stores of upstream dialects: ops without memref results that
/// declare their effects on this operand.
static Access getGenericAccess(OpOperand &use) {
  Operation *op = use.getOwner();
  static const StringLiteral kDialects[] = {"memref", "vector", "affine",
                                            "gpu"};
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects ||
      (!llvm::is_contained(kDialects, op->getName().getDialectNamespace()) &&
       !isa<nvgpu::LdMatrixOp>(op)) ||
      isa<memref::DmaStartOp, memref::DmaWaitOp, affine::AffineDmaStartOp,
          affine::AffineDmaWaitOp>(op) ||
      llvm::any_of(op->getResultTypes(),
                   [](Type type) { return isa<BaseMemRefType>(type); }))
    return {};
  SmallVector<MemoryEffects::EffectInstance> onBuffer;
  effects.getEffectsOnValue(use.get(), onBuffer);
  AccessKind kind = AccessKind::Unknown;
  for (const MemoryEffects::EffectInstance &effect : onBuffer) {
    if (isa<MemoryEffects::Write>(effect.getEffect()))
      return {AccessKind::GenericWrite};
    if (isa<MemoryEffects::Read>(effect.getEffect()))
      kind = AccessKind::GenericRead;
  }
  // PTX ISA, ldmatrix: rows begin at multiples of 16 bytes.
  return {kind, isa<nvgpu::LdMatrixOp>(op) ? rules::kMatrixRowBytes : 1};
}

static Access getAccess(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<ClusterMapSharedOp>(op))
    return {};
  if (isa_and_nonnull<CarouselDialect>(op->getDialect()))
    return getMachineAccess(use);
  if (isa<memref::DeallocOp, memref::DimOp, memref::RankOp>(op))
    return {AccessKind::None};
  // The buffer view flow analysis follows these.
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return {view.getViewSource() == use.get() ? AccessKind::None
                                              : AccessKind::Unknown};
  if (isa<RegionBranchOpInterface, BranchOpInterface>(op))
    return {AccessKind::None};
  if (isa<RegionBranchTerminatorOpInterface>(op) &&
      isa<RegionBranchOpInterface>(op->getParentOp()))
    return {AccessKind::None};
  return getGenericAccess(use);
}

//===----------------------------------------------------------------------===//
// All uses
//===----------------------------------------------------------------------===//

SmallVector<Operation *> carousel::getTopLevelOps(gpu::GPUFuncOp kernel) {
  SmallVector<Operation *> ops;
  if (!kernel.getBody().hasOneBlock())
    return ops;
  for (Operation &op : kernel.getBody().front())
    ops.push_back(&op);
  return ops;
}

namespace {

class UseCollector {
public:
  UseCollector(gpu::GPUFuncOp kernel, ArrayRef<memref::AllocOp> allocs)
      : kernel(kernel), flow(kernel) {
    for (auto [position, op] : llvm::enumerate(getTopLevelOps(kernel)))
      positions[op] = position;
    for (memref::AllocOp alloc : allocs) {
      buffers.emplace_back();
      buffers.back().alloc = alloc;
      buffers.back().alignment = getOwnAlignment(alloc);
      for (Value alias : flow.resolve(alloc))
        owners[alias].push_back(buffers.size() - 1);
    }
  }

  std::vector<BufferUses> collect() {
    // In program order, so that the first reason is reported.
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (OpOperand &use : op->getOpOperands())
        for (size_t index : owners.lookup(use.get()))
          addUse(buffers[index], use);
    });
    for (BufferUses &buffer : buffers)
      finish(buffer);
    return std::move(buffers);
  }

private:
  static int64_t getOwnAlignment(memref::AllocOp alloc) {
    int64_t element = getElementBytes(alloc.getType().getElementType());
    return std::max<int64_t>(alloc.getAlignment().value_or(1),
                             llvm::PowerOf2Ceil(std::max<int64_t>(element, 1)));
  }

  int64_t getPosition(Operation *op) {
    Operation *top = kernel.getBody().front().findAncestorOpInBlock(*op);
    return positions.lookup(top);
  }

  void keep(BufferUses &buffer, const Twine &reason) {
    if (buffer.keptFor.empty())
      buffer.keptFor = reason.str();
  }

  /// Whether the operand can only be this buffer.
  bool isSole(OpOperand &use) const {
    return owners.lookup(use.get()).size() == 1;
  }

  void addDealloc(BufferUses &buffer, OpOperand &use,
                  memref::DeallocOp dealloc) {
    buffer.deallocs.push_back(dealloc);
    if (isSole(use) && positions.contains(dealloc))
      buffer.deallocated = std::min(buffer.deallocated, getPosition(dealloc));
  }

  void addUse(BufferUses &buffer, OpOperand &use) {
    Operation *op = use.getOwner();
    Access access = getAccess(use);
    buffer.alignment = std::max(buffer.alignment, access.alignment);
    switch (access.kind) {
    case AccessKind::None:
      if (auto dealloc = dyn_cast<memref::DeallocOp>(op))
        addDealloc(buffer, use, dealloc);
      return;
    case AccessKind::GenericRead:
      break;
    case AccessKind::GenericWrite:
      buffer.genericWrites.push_back(op);
      break;
    case AccessKind::AsyncWrite:
      buffer.asyncWrites.push_back(op);
      break;
    case AccessKind::AsyncRead:
      buffer.asyncReads.push_back(op);
      break;
    case AccessKind::CpAsyncWrite:
      buffer.cpAsyncWrites.push_back(op);
      break;
    case AccessKind::ProductRead:
      coverProducts(buffer, op);
      break;
    case AccessKind::Barrier:
      keep(buffer, "it holds barriers");
      break;
    case AccessKind::Unknown:
      keep(buffer, "'" + op->getName().getStringRef() +
                       "' uses it in a way that isn't followed");
      break;
    }
    if (isSole(use) && buffer.deallocated < getPosition(op))
      buffer.useAfterDealloc = op;
    buffer.lives.extend(getPosition(op));
  }

  /// The last op that uses the barriers that `barriers` is a view of, or
  /// nullopt if not all are known.
  std::optional<int64_t> findLastBarrierUse(Value barriers) {
    int64_t last = 0;
    for (Value origin : flow.resolveReverse(barriers)) {
      if (!flow.mayBeTerminalBuffer(origin))
        continue;
      // A variable or dynamic shared memory may have other views.
      bool isAttribution =
          llvm::is_contained(kernel.getWorkgroupAttributions(), origin);
      if (!isAttribution && !origin.getDefiningOp<memref::AllocOp>())
        return std::nullopt;
      for (Value alias : flow.resolve(origin))
        for (OpOperand &use : alias.getUses()) {
          if (getAccess(use).kind == AccessKind::Unknown)
            return std::nullopt;
          last = std::max(last, getPosition(use.getOwner()));
        }
    }
    return last;
  }

  /// A load is complete when a thread has waited for its barrier. Each load is
  /// waited for before the kernel ends, at the latest by the barrier's last
  /// use.
  void coverLoads(BufferUses &buffer) {
    for (Operation *load : buffer.asyncWrites) {
      Value barriers = isa<BulkLoadOp>(load)
                           ? cast<BulkLoadOp>(load).getBarriers()
                           : cast<TensorLoadOp>(load).getBarriers();
      auto [known, isNew] = lastBarrierUses.try_emplace(barriers);
      if (isNew)
        known->second = findLastBarrierUse(barriers);
      if (!known->second)
        return keep(buffer, "it is loaded with a barrier whose uses aren't "
                            "all known");
      buffer.lives.extend(*known->second);
    }
  }

  /// Products that read the buffer are complete at the next wait for all.
  void coverProducts(BufferUses &buffer, Operation *descriptor) {
    for (Operation *product : descriptor->getUsers()) {
      Operation *wait = isa<WgmmaMmaOp>(product) ? findWait(product) : nullptr;
      if (!wait)
        return keep(buffer, "products that read it are waited for elsewhere");
      buffer.lives.extend(getPosition(wait));
    }
  }

  /// The next wait for all products that is certain to follow, or null.
  Operation *findWait(Operation *product) {
    for (Operation *at = product; at != kernel; at = at->getParentOp())
      for (Operation *next = at; next; next = next->getNextNode())
        if (auto wait = dyn_cast<WgmmaWaitOp>(next); wait && !wait.getPending())
          return next;
    return nullptr;
  }

  void finish(BufferUses &buffer) {
    Type element = buffer.alloc.getType().getElementType();
    if (isa<MbarrierType>(element))
      keep(buffer, "it holds barriers");
    if (isa<TensorMapType>(element))
      keep(buffer, "it holds tensor maps");
    if (positions.empty())
      keep(buffer, "the kernel's body has several blocks");
    coverLoads(buffer);
    if (!buffer.keptFor.empty())
      buffer.lives = Lifetime::whole();
  }

  gpu::GPUFuncOp kernel;
  BufferViewFlowAnalysis flow;
  std::vector<BufferUses> buffers;
  DenseMap<Operation *, int64_t> positions;
  DenseMap<Value, SmallVector<size_t>> owners;
  DenseMap<Value, std::optional<int64_t>> lastBarrierUses;
};

} // namespace

std::vector<BufferUses>
carousel::computeBufferUses(gpu::GPUFuncOp kernel,
                            ArrayRef<memref::AllocOp> allocs) {
  return UseCollector(kernel, allocs).collect();
}
