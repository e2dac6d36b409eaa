//===- PlanBarriers.cpp - barriers between reused buffers -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PlanBarriers.h. By docs/MemoryModel.md, between the last access to the
// old buffer and the first one to the new buffer
//
// - all threads execute a barrier, which orders their own accesses, and those
//   of loads that one of them has waited for;
// - before that, threads whose engines or cp.async copies still read or write
//   the old bytes wait for them, since no other thread can;
// - before that, threads that wrote the old bytes execute a fence for the async
//   proxy, if it is to write the new ones.
//
//===----------------------------------------------------------------------===//

#include "PlanBarriers.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace carousel;

namespace {

/// Bytes that a later buffer reuses.
struct Handover {
  const PlannedBuffer *from;
  const PlannedBuffer *to;
};

} // namespace

/// Whether this is a barrier of all threads of the CTA.
static bool isThreadBarrier(Operation *op) {
  if (auto named = dyn_cast<BarrierSyncOp>(op))
    return !named.getThreads();
  return isa<gpu::BarrierOp>(op);
}

static bool isBulkWait(Operation *op) {
  auto wait = dyn_cast<BulkWaitGroupOp>(op);
  return wait && wait.getPending() == 0;
}

static bool isAsyncFence(Operation *op) {
  auto fence = dyn_cast<FenceProxyOp>(op);
  return fence && (fence.getProxy() == ProxyKind::Async ||
                   fence.getProxy() == ProxyKind::AsyncSharedCTA);
}

/// The next op that is `wanted`, and that each thread which executes `op` also
/// executes before `end` at the top of the kernel; or null.
static Operation *findAfter(Operation *op, Operation *end,
                            function_ref<bool(Operation *)> wanted) {
  for (; !isa<gpu::GPUFuncOp>(op); op = op->getParentOp())
    for (Operation *next = op->getNextNode(); next;
         next = next->getNextNode()) {
      if (next == end)
        return nullptr;
      if (wanted(next))
        return next;
    }
  return nullptr;
}

/// The wait for a barrier's first phase, which the copy completes: all of the
/// barrier's ops are at the top of the kernel, and one of them arrives.
static Operation *findFirstPhaseWait(Operation *copy, Operation *end) {
  auto arrive = dyn_cast_or_null<CpAsyncMbarrierArriveOp>(
      findAfter(copy, end, [](Operation *op) {
        return isa<CpAsyncMbarrierArriveOp>(op);
      }));
  auto isAtTop = [](Operation *op) {
    return isa<gpu::GPUFuncOp>(op->getParentOp());
  };
  if (!arrive || !isAtTop(arrive) ||
      !llvm::all_of(arrive.getBarriers().getUsers(), [&](Operation *user) {
        return user == arrive || isa<MbarrierInitOp, MbarrierWaitOp>(user);
      }))
    return nullptr;
  return findAfter(arrive, end, [&](Operation *op) {
    auto wait = dyn_cast<MbarrierWaitOp>(op);
    return wait && isAtTop(wait) &&
           wait.getBarriers() == arrive.getBarriers() &&
           wait.getIndices() == arrive.getIndices() && wait.getParity() &&
           matchPattern(wait.getParity(), m_Zero()) &&
           wait.getSemantics() == MemSemantics::Acquire;
  });
}

/// The wait after which this thread's cp.async is complete.
static Operation *findCpAsyncWait(Operation *copy, Operation *end) {
  if (Operation *wait = findFirstPhaseWait(copy, end))
    return wait;
  Operation *commit = findAfter(
      copy, end, [](Operation *op) { return isa<CpAsyncCommitGroupOp>(op); });
  Operation *all = findAfter(
      copy, end, [](Operation *op) { return isa<CpAsyncWaitAllOp>(op); });
  if (all || !commit)
    return all;
  return findAfter(commit, end, [](Operation *op) {
    auto wait = dyn_cast<CpAsyncWaitGroupOp>(op);
    return wait && wait.getPending() == 0;
  });
}

/// Adds to `barrier` the steps that the handover needs before it.
static void addNeeds(PlannedBarrier &barrier, const Handover &handover,
                     const TargetSpec &target) {
  const BufferUses &from = handover.from->uses;
  for (Operation *store : from.asyncReads) {
    Operation *commit = findAfter(store, barrier.at, [](Operation *op) {
      return isa<BulkCommitGroupOp>(op);
    });
    barrier.commitsBulk |= !commit;
    barrier.waitsForBulkReads |=
        !commit || !findAfter(commit, barrier.at, isBulkWait);
  }
  bool needsFence = !handover.to->uses.asyncWrites.empty() &&
                    target.info->sm >= rules::kBulkSM;
  for (Operation *write : from.genericWrites)
    barrier.fencesAsyncProxy |=
        needsFence && !findAfter(write, barrier.at, isAsyncFence);
  for (Operation *copy : from.cpAsyncWrites) {
    Operation *wait = findCpAsyncWait(copy, barrier.at);
    barrier.waitsForCpAsync |= !wait;
    // cp.async writes through the generic proxy, but only when it is performed.
    barrier.fencesAsyncProxy |=
        needsFence && !(wait && findAfter(wait, barrier.at, isAsyncFence));
  }
}

static unsigned countInsertions(const PlannedBarrier &barrier) {
  return barrier.insertsBarrier + barrier.commitsBulk +
         barrier.waitsForBulkReads + barrier.waitsForCpAsync +
         barrier.fencesAsyncProxy;
}

static SmallVector<Handover> getHandovers(ArrayRef<PlannedBuffer> buffers) {
  SmallVector<Handover> handovers;
  for (const PlannedBuffer &from : buffers)
    for (const PlannedBuffer &to : buffers)
      if (from.lives.last < to.lives.first && !from.lives.isEmpty() &&
          !to.lives.isEmpty() && from.sharesBytesWith(to))
        handovers.push_back({&from, &to});
  // The latest barrier that the first of them allows serves the most handovers.
  llvm::sort(handovers, [](const Handover &lhs, const Handover &rhs) {
    return std::make_tuple(lhs.to->lives.first, lhs.from, lhs.to) <
           std::make_tuple(rhs.to->lives.first, rhs.from, rhs.to);
  });
  return handovers;
}

SmallVector<PlannedBarrier>
carousel::planBarriers(gpu::GPUFuncOp kernel, ArrayRef<PlannedBuffer> buffers,
                       const TargetSpec &target) {
  SmallVector<Operation *> ops = getTopLevelOps(kernel);
  // Existing barriers, and those to insert before an op, by position.
  SmallVector<std::pair<int64_t, PlannedBarrier>> candidates;
  for (auto [position, op] : llvm::enumerate(ops))
    if (isThreadBarrier(op)) {
      candidates.emplace_back(position, PlannedBarrier());
      candidates.back().second.at = op;
    }
  for (const Handover &handover : getHandovers(buffers)) {
    std::pair<int64_t, PlannedBarrier> *best = nullptr;
    PlannedBarrier bestBarrier;
    unsigned bestCost = 0;
    for (auto &candidate : candidates) {
      auto &[position, barrier] = candidate;
      // An inserted barrier stands before the op at its position.
      int64_t latest = handover.to->lives.first - !barrier.insertsBarrier;
      if (position <= handover.from->lives.last || position > latest)
        continue;
      PlannedBarrier extended = barrier;
      addNeeds(extended, handover, target);
      unsigned cost = countInsertions(extended) - countInsertions(barrier);
      // A later wait blocks for less time.
      if (best &&
          (cost > bestCost || (cost == bestCost && position < best->first)))
        continue;
      best = &candidate;
      bestBarrier = extended;
      bestCost = cost;
    }
    if (best) {
      best->second = bestBarrier;
      continue;
    }
    PlannedBarrier barrier;
    barrier.at = ops[handover.to->lives.first];
    barrier.insertsBarrier = true;
    addNeeds(barrier, handover, target);
    candidates.emplace_back(handover.to->lives.first, barrier);
  }
  llvm::sort(candidates, llvm::less_first());
  SmallVector<PlannedBarrier> barriers;
  for (const auto &[position, barrier] : candidates)
    if (countInsertions(barrier) > 0)
      barriers.push_back(barrier);
  return barriers;
}
