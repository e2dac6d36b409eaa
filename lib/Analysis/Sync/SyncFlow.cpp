//===- SyncFlow.cpp - the data flow over a kernel -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SyncFlow.h. This file keeps the state, SyncRegions.cpp follows control
// flow, and SyncConflicts.cpp finds conflicts and the steps that resolve them.
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// The threads that execute `op` together, under any control flow.
static BarrierScope getCollective(Operation *op) {
  return llvm::TypeSwitch<Operation *, BarrierScope>(op)
      .Case([](gpu::BarrierOp) { return BarrierScope::CTA; })
      .Case<SerializeOp, PassTurnOp, GridTicketOp, SignalOp, WaitSignalOp>(
          [](auto) { return BarrierScope::CTA; })
      .Case<RingSyncOp, RingSubmitOp, RingWaitStoresOp>(
          [](auto op) { return getBarrierScope(op.getScope()); })
      .Case<RingProduceOp, RingWaitOp, RingReleaseOp>(
          [](auto op) { return getBarrierScope(getRingScope(op.getRing())); })
      .Case([](BarrierWarpOp barrier) {
        return barrier.getMask() ? BarrierScope::None : BarrierScope::Warp;
      })
      .Default([](Operation *) { return BarrierScope::None; });
}

SyncKernel::SyncKernel(gpu::GPUFuncOp kernel)
    : kernel(kernel), accesses(kernel) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    numbers[op] = ops.size();
    ops.push_back(op);
    if (isEvent(op))
      events[op->getBlock()].push_back(op);
    BarrierScope scope = getCollective(op);
    if (scope == BarrierScope::None)
      return;
    for (Operation *outer = op->getParentOp(); outer != kernel;
         outer = outer->getParentOp()) {
      BarrierScope &known = collective[outer];
      known = std::max(known, scope);
    }
  });
}

/// Arithmetic isn't an event, and is most of a kernel.
bool SyncKernel::isEvent(Operation *op) {
  return op->getNumRegions() > 0 || op->hasTrait<OpTrait::IsTerminator>() ||
         isa_and_nonnull<CarouselDialect>(op->getDialect()) ||
         !isMemoryEffectFree(op) || !accesses.get(op).empty();
}

ArrayRef<Operation *> SyncKernel::getEvents(Block &block) const {
  auto known = events.find(&block);
  if (known == events.end())
    return {};
  return known->second;
}

void SyncKernel::addEvent(Operation *op) {
  std::vector<Operation *> &known = events[op->getBlock()];
  auto place =
      llvm::lower_bound(known, op, [&](Operation *lhs, Operation *rhs) {
        return numbers.lookup(lhs) < numbers.lookup(rhs);
      });
  if (place == known.end() || *place != op)
    known.insert(place, op);
}

bool SyncKernel::isTakenTogether(Operation *op, BarrierScope scope) const {
  // An op that requires all threads of the scope has them.
  if (collective.lookup(op) >= scope)
    return true;
  const UniformValues &uniform = const_cast<SyncKernel *>(this)
                                     ->accesses.getPositions()
                                     .getUniformValues();
  auto areUniform = [&](ValueRange values) {
    return llvm::all_of(values,
                        [&](Value value) { return uniform.contains(value); });
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](scf::IfOp branch) { return areUniform(branch.getCondition()); })
      .Case([&](scf::IndexSwitchOp branch) {
        return areUniform(branch.getArg());
      })
      .Case([](scf::ExecuteRegionOp) { return true; })
      .Case([&](scf::ForOp loop) {
        return areUniform(
            {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
      })
      .Case([&](affine::AffineForOp loop) {
        return areUniform(llvm::to_vector(loop.getControlOperands()));
      })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

SyncFlow::SyncFlow(SyncKernel &kernel, ArrayRef<SyncStep> steps,
                   const SyncOmissions &omitted, Asked asked)
    : kernel(kernel), positions(kernel.accesses.getPositions()), steps(steps),
      omitted(omitted), asked(asked) {
  for (auto [index, step] : llvm::enumerate(steps)) {
    if (omitted.steps.contains(index))
      continue;
    void *place = step.before ? static_cast<void *>(step.before)
                              : static_cast<void *>(step.atEndOf);
    stepsAt[place].push_back(index);
    if (step.before)
      kernel.addEvent(step.before);
  }
  for (auto &[place, indices] : stepsAt)
    llvm::sort(indices, [&](unsigned lhs, unsigned rhs) {
      return std::make_pair(steps[lhs].kind, lhs) <
             std::make_pair(steps[rhs].kind, rhs);
    });
  SyncState state(positions, kernel.accesses.hasEngines());
  visitBlock(kernel.kernel.getBody().front(), state);
}

void SyncFlow::applySteps(ArrayRef<unsigned> indices, SyncState &state) {
  for (unsigned index : indices) {
    const SyncStep &step = steps[index];
    switch (step.kind) {
    case SyncStepKind::WaitStores:
      state.waitForStores(step.wait, step.pending, step.scope);
      break;
    case SyncStepKind::FenceShared:
      state.fence(/*shared=*/true, /*global=*/false);
      break;
    case SyncStepKind::FenceGlobal:
      state.fence(/*shared=*/false, /*global=*/true);
      break;
    case SyncStepKind::Sync:
      // Numbered after the kernel's own barriers.
      state.passBarrier(getBarrierScope(step.scope), kernel.ops.size() + index);
      break;
    }
  }
}

void SyncFlow::visitBlock(Block &block, SyncState &state) {
  for (Operation *op : kernel.getEvents(block))
    visit(op, state);
  auto atEnd = stepsAt.find(&block);
  if (atEnd != stepsAt.end())
    applySteps(atEnd->second, state);
  auto roles = dyn_cast<RingRolesOp>(block.getParentOp());
  if (roles && block.getParent() == &roles.getConsumer())
    checkEnd(nullptr, &block, state);
}

void SyncFlow::visit(Operation *op, SyncState &state) {
  if (conflict)
    return;
  auto before = stepsAt.find(op);
  if (before != stepsAt.end())
    applySteps(before->second, state);
  if (omitted.ops.contains(op)) {
    if (auto sync = dyn_cast<RingSyncOp>(op))
      state.miss(getBarrierScope(sync.getScope()));
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<scf::ForOp, affine::AffineForOp>([&](auto loop) {
        visitFor(cast<LoopLikeOpInterface>(loop.getOperation()), state);
      })
      .Case<scf::IfOp, affine::AffineIfOp, scf::IndexSwitchOp>(
          [&](auto branch) { visitIf(branch, state); })
      .Case([&](scf::ExecuteRegionOp once) {
        if (once.getRegion().hasOneBlock())
          visitIf(once, state);
        else
          visitRegions(once, state);
      })
      .Case([&](scf::WhileOp loop) { visitWhile(loop, state); })
      .Case([&](RingRolesOp roles) { visitRoles(roles, state); })
      .Case([&](SerializeOp turns) { visitTurn(turns, state); })
      .Case<RingProduceOp, RingSubmitOp>([&](auto) { visitEvent(op, state); })
      .Default([&](Operation *) {
        visitEvent(op, state);
        if (op->getNumRegions() > 0)
          visitRegions(op, state);
      });
}

/// Loads are complete when a thread has waited for them, but their operands are
/// read at once. A permission to others is complete when it is given.
static bool staysPending(Operation *op, const Access &access) {
  if (isa<PassTurnOp, SignalOp>(op) || access.isPermission)
    return false;
  if (isa<RingProduceOp>(op))
    return !access.isTransfer;
  return !access.isForeign || isWrite(access.kind);
}

void SyncFlow::visitWait(RingWaitOp wait, SyncState &state) {
  Value ring = wait.getRing();
  unsigned order = kernel.numbers.lookup(wait) * kAccessesPerOp;
  // The slot was released between its last use and this one.
  if (kernel.accesses.isReleased(ring))
    state.reuse(ring, kernel.accesses.getSlot(ring, wait.getUse()));
  if (const Access *phase = kernel.accesses.getPhaseRead(wait))
    state.access(wait, order++, *phase);
  for (const Access &landed : kernel.accesses.getLanded(wait))
    state.access(wait, order++, landed, getBarrierScope(getRingScope(ring)));
}

/// A ticket is drawn before the barrier. A thread that goes by its number,
/// after fences of its own, may rely on an earlier barrier.
void SyncFlow::checkTicket(const SyncState &state) {
  if (conflict || !looksForConflicts())
    return;
  for (const PendingAccess &from : state.getPending())
    if (!from.access->buffer.isShared && !isAsync(from.access->kind) &&
        from.missed != BarrierScope::None) {
      conflict.emplace();
      return;
    }
}

void SyncFlow::visitEvent(Operation *op, SyncState &state) {
  unsigned number = kernel.numbers.lookup(op);
  // All threads get the answer that one has found, by a barrier after it.
  auto wait = dyn_cast<WaitSignalOp>(op);
  BarrierScope seen = BarrierScope::None;
  if (wait && wait.getReached()) {
    seen = BarrierScope::CTA;
    state.passBarrier(seen, number);
  }
  llvm::TypeSwitch<Operation *>(op)
      // All threads get the number that one has drawn.
      .Case(
          [&](gpu::BarrierOp) { state.passBarrier(BarrierScope::CTA, number); })
      .Case([&](GridTicketOp) {
        checkTicket(state);
        state.passBarrier(BarrierScope::CTA, number);
      })
      .Case([&](BarrierWarpOp barrier) {
        if (!barrier.getMask())
          state.passBarrier(BarrierScope::Warp, number);
      })
      .Case([&](RingSyncOp sync) {
        state.passBarrier(getBarrierScope(sync.getScope()), number);
      })
      .Case([&](FenceProxyOp fence) {
        ProxyKind proxy = fence.getProxy();
        state.fence(
            proxy == ProxyKind::Async || proxy == ProxyKind::AsyncSharedCTA,
            proxy == ProxyKind::Async || proxy == ProxyKind::AsyncGlobal);
      })
      .Case([&](RingWaitStoresOp storeWait) {
        state.waitForStores(storeWait.getKind(), storeWait.getPending(),
                            storeWait.getScope());
      })
      .Case([&](RingWaitOp wait) { visitWait(wait, state); })
      .Case([&](RingReleaseOp release) {
        checkRelease(release, state);
        Value ring = release.getRing();
        state.release(ring, kernel.accesses.getSlot(ring, release.getUse()),
                      [&](const Buffer &buffer) {
                        return kernel.accesses.isOnlyRefilled(buffer);
                      });
      })
      .Case([&](gpu::ReturnOp) { checkEnd(op, nullptr, state); })
      .Default([&](Operation *) {
        ArrayRef<Access> accesses = kernel.accesses.get(op);
        // A wait for a signal orders others' accesses before later ones. What
        // others may access again has been released by an earlier signal.
        if (!wait)
          for (const Access &access : accesses)
            check(op, access, state);
        if (auto submit = dyn_cast<RingSubmitOp>(op))
          state.submit(submit.getScope());
        for (auto [index, access] : llvm::enumerate(accesses))
          if (staysPending(op, access))
            state.access(op, number * kAccessesPerOp + index, access, seen);
      });
}
