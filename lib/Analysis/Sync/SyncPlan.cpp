//===- SyncPlan.cpp - the synchronisation that a kernel needs -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SyncPlan.h. Resolves one conflict of the data flow after the other. Then
// removes everything that can be removed without a new conflict: first existing
// ops, then added steps.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Sync/SyncPlan.h"

#include "SyncFlow.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Kernels that can't be planned
//===----------------------------------------------------------------------===//

static bool isOfRingPhase(Operation *op) {
  return isa<RingProduceOp, RingWaitOp, RingReleaseOp, RingSubmitOp,
             RingWaitStoresOp, RingSyncOp, RingRolesOp, SerializeOp, SignalOp,
             WaitSignalOp>(op);
}

/// C173
static std::optional<SyncFault> findUnstructured(gpu::GPUFuncOp kernel) {
  std::optional<SyncFault> fault;
  kernel.walk([&](Operation *op) {
    if (!isOfRingPhase(op))
      return WalkResult::advance();
    for (Operation *inner = op; inner != kernel; inner = inner->getParentOp())
      if (!inner->getParentRegion()->hasOneBlock()) {
        fault = SyncFault{SyncFaultKind::Unstructured, op, nullptr,
                          inner->getParentOp()};
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return fault;
}

/// C172: the threads that make a transfer must be those that start it.
static std::optional<SyncFault> findOtherScope(gpu::GPUFuncOp kernel) {
  std::optional<SyncFault> fault;
  kernel.walk([&](TransferOpInterface op) {
    std::optional<TransferScope> scope;
    if (auto produce = op->getParentOfType<RingProduceOp>())
      scope = getRingScope(produce.getRing());
    else if (auto submit = op->getParentOfType<RingSubmitOp>())
      scope = submit.getScope();
    if (!scope || scope == op.getScope())
      return WalkResult::advance();
    fault = SyncFault{SyncFaultKind::Scope, op, nullptr, nullptr, *scope};
    return WalkResult::interrupt();
  });
  return fault;
}

/// C184: the thread that passes a turn on must have issued the turn's
/// transfers.
static std::optional<SyncFault> findOtherIssuer(gpu::GPUFuncOp kernel) {
  std::optional<SyncFault> fault;
  kernel.walk([&](TransferOpInterface op) {
    auto turns = op->getParentOfType<SerializeOp>();
    if (!turns || op.getScope() == TransferScope::CTA)
      return WalkResult::advance();
    fault = SyncFault{SyncFaultKind::Issuer, op, nullptr, turns,
                      TransferScope::CTA};
    return WalkResult::interrupt();
  });
  return fault;
}

/// Whether consumers release what `produce` fills, or nothing fills it again.
static bool followsProtocol(RingProduceOp produce, RingRolesOp roles) {
  bool isReleased = roles.getConsumer()
                        .walk([&](RingReleaseOp release) {
                          return release.getRing() == produce.getRing()
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
  return isReleased || !produce->getParentOfType<LoopLikeOpInterface>();
}

/// C171: accesses of both roles to one buffer.
static std::optional<SyncFault> findSharedByRoles(SyncKernel &kernel,
                                                  RingRolesOp roles) {
  std::optional<SyncFault> fault;
  auto compare = [&](Operation *producing, Operation *consuming) {
    for (const Access &lhs : kernel.accesses.get(producing)) {
      // A write of others before a signal. Both roles wait for it.
      if (lhs.isForeign)
        continue;
      for (const Access &rhs : kernel.accesses.get(consuming)) {
        if (!isWrite(lhs.kind) && !isWrite(rhs.kind))
          continue;
        // Consumers don't write what producers load ahead: the ring's planner
        // ensures it.
        if (!lhs.buffer.isShared && !isWrite(lhs.kind))
          continue;
        if (!lhs.buffer.mayBe(rhs.buffer))
          continue;
        fault =
            SyncFault{SyncFaultKind::Roles,
                      consuming,
                      producing,
                      nullptr,
                      TransferScope::CTA,
                      kernel.accesses.describe(
                          lhs.buffer.number != 0 ? lhs.buffer : rhs.buffer)};
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  };
  roles.getProducer().walk<WalkOrder::PreOrder>([&](Operation *producing) {
    auto produce = dyn_cast<RingProduceOp>(producing);
    if (produce && followsProtocol(produce, roles))
      return WalkResult::skip();
    WalkResult result = roles.getConsumer().walk<WalkOrder::PreOrder>(
        [&](Operation *consuming) {
          WalkResult compared = compare(producing, consuming);
          if (!compared.wasInterrupted() &&
              isa<RingProduceOp, RingSubmitOp>(consuming))
            return WalkResult::skip();
          return compared;
        });
    if (result.wasInterrupted())
      return result;
    return produce ? WalkResult::skip() : WalkResult::advance();
  });
  return fault;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Adds a step, or extends an existing one. Returns whether the plan changed.
static bool addStep(std::vector<SyncStep> &steps, const SyncStep &added) {
  for (SyncStep &step : steps) {
    if (step.kind != added.kind || !step.isAtPlaceOf(added))
      continue;
    if (step.kind == SyncStepKind::WaitStores) {
      if (step.scope != added.scope || step.wait != added.wait)
        continue;
      if (step.pending <= added.pending)
        return false;
      step.pending = added.pending;
      return true;
    }
    if (step.kind != SyncStepKind::Sync ||
        getBarrierScope(step.scope) >= getBarrierScope(added.scope))
      return false;
    step.scope = added.scope;
    return true;
  }
  steps.push_back(added);
  return true;
}

static bool isCandidate(Operation *op) {
  if (auto fence = dyn_cast<FenceProxyOp>(op))
    return llvm::is_contained(
        {ProxyKind::Async, ProxyKind::AsyncGlobal, ProxyKind::AsyncSharedCTA},
        fence.getProxy());
  return isa<RingWaitStoresOp, RingSyncOp>(op);
}

/// Removes everything that the kernel and the plan don't need. Without the
/// plan's step `last` there is known to be a conflict.
static void removeRedundant(SyncKernel &kernel, SyncPlan &plan,
                            const std::optional<SyncStep> &last) {
  SyncOmissions omitted;
  for (Operation *op : kernel.ops) {
    if (!isCandidate(op))
      continue;
    omitted.ops.insert(op);
    if (SyncFlow(kernel, plan.steps, omitted, SyncFlow::Asked::Whether)
            .conflict)
      omitted.ops.erase(op);
    else
      plan.redundant.push_back(op);
  }
  auto isLast = [&](const SyncStep &step) {
    return last && step.kind == last->kind && step.isAtPlaceOf(*last) &&
           step.scope == last->scope && step.wait == last->wait;
  };
  std::vector<SyncStep> needed;
  for (auto [index, step] : llvm::enumerate(plan.steps)) {
    omitted.steps.insert(index);
    if (!isLast(step) &&
        !SyncFlow(kernel, plan.steps, omitted, SyncFlow::Asked::Whether)
             .conflict)
      continue;
    omitted.steps.erase(index);
    needed.push_back(step);
  }
  plan.steps = std::move(needed);
}

/// In program order, and by kind at one place.
static void sortSteps(SyncKernel &kernel, std::vector<SyncStep> &steps) {
  auto getOrder = [&](const SyncStep &step) {
    unsigned number =
        step.before ? kernel.numbers.lookup(step.before)
                    : kernel.numbers.lookup(step.atEndOf->empty()
                                                ? step.atEndOf->getParentOp()
                                                : &step.atEndOf->back());
    return std::make_tuple(number, step.atEndOf != nullptr, step.kind,
                           step.wait, step.scope);
  };
  llvm::sort(steps, [&](const SyncStep &lhs, const SyncStep &rhs) {
    return getOrder(lhs) < getOrder(rhs);
  });
}

SyncPlan carousel::planSync(gpu::GPUFuncOp function) {
  SyncPlan plan;
  bool hasRings = function
                      ->walk([&](Operation *op) {
                        return isOfRingPhase(op) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
                      })
                      .wasInterrupted();
  if (!hasRings)
    return plan;
  plan.fault = findUnstructured(function);
  if (!plan.fault)
    plan.fault = findOtherScope(function);
  if (!plan.fault)
    plan.fault = findOtherIssuer(function);
  if (plan.fault)
    return plan;
  SyncKernel kernel(function);
  function.walk([&](RingRolesOp roles) {
    plan.fault = findSharedByRoles(kernel, roles);
    return plan.fault ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (plan.fault)
    return plan;

  const SyncOmissions nothing;
  // The step that alone resolved the last conflict, if there is one.
  std::optional<SyncStep> last;
  while (true) {
    SyncFlow flow(kernel, plan.steps, nothing);
    if (!flow.conflict) {
      sortSteps(kernel, plan.steps);
      removeRedundant(kernel, plan, last);
      return plan;
    }
    // The steps for the first conflict may resolve others.
    SyncConflict &first = *flow.conflict;
    bool changed = false;
    size_t before = plan.steps.size();
    for (const SyncStep &step : first.steps)
      changed |= addStep(plan.steps, step);
    last.reset();
    if (first.steps.size() == 1 && plan.steps.size() == before + 1)
      last = plan.steps.back();
    if (first.fault || !changed) {
      assert(first.fault && "a step that doesn't resolve its conflict");
      plan.fault = first.fault;
      if (!plan.fault) {
        const SyncStep &step = first.steps.front();
        plan.fault = SyncFault{SyncFaultKind::Parted,
                               step.to ? step.to : step.from,
                               step.from,
                               function,
                               step.scope,
                               step.buffer};
      }
      plan.steps.clear();
      return plan;
    }
  }
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string carousel::describe(const SyncStep &step) {
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (step.kind) {
  case SyncStepKind::WaitStores:
    os << "ring.wait_stores " << stringifyGroupWait(step.wait) << ' '
       << step.pending;
    break;
  case SyncStepKind::FenceShared:
    return "fence.proxy async_shared_cta";
  case SyncStepKind::FenceGlobal:
    return "fence.proxy async_global";
  case SyncStepKind::Sync:
    os << "ring.sync";
    break;
  }
  if (step.scope != TransferScope::CTA)
    os << " scope(" << stringifyTransferScope(step.scope) << ')';
  return text;
}

void SyncPlan::print(raw_ostream &os) const {
  for (const SyncStep &step : steps) {
    os << describe(step) << (step.before ? " before '" : " at the end of '")
       << (step.before ? step.before : step.atEndOf->getParentOp())->getName()
       << "': " << step.buffer << ", '" << step.from->getName() << "' to ";
    if (step.to)
      os << '\'' << step.to->getName() << "'\n";
    else
      os << "the end\n";
  }
  for (Operation *op : redundant)
    os << "without '" << op->getName() << "'\n";
}
