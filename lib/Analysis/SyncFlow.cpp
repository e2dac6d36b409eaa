//===- SyncFlow.cpp - the data flow over a kernel -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SyncFlow.h. This half follows control flow and keeps the state; which
// pairs of accesses are in conflict, and what resolves it, is in
// SyncConflicts.cpp.
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

/// Iterations of a loop after which intervals that still grow are open.
static constexpr unsigned kWidenAfter = 3;
/// More than the accesses of any one op.
static constexpr unsigned kAccessesPerOp = 1024;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// The threads that execute `op` together, whatever it is under.
static Meet getCollective(Operation *op) {
  return llvm::TypeSwitch<Operation *, Meet>(op)
      .Case([](gpu::BarrierOp) { return Meet::CTA; })
      .Case<SerializeOp, PassTurnOp, GridTicketOp>(
          [](auto) { return Meet::CTA; })
      .Case<RingSyncOp, RingSubmitOp, RingDrainOp>(
          [](auto op) { return getMeet(op.getScope()); })
      .Case<RingProduceOp, RingWaitOp, RingReleaseOp>(
          [](auto op) { return getMeet(getRingScope(op.getRing())); })
      .Case([](BarrierWarpOp barrier) {
        return barrier.getMask() ? Meet::Nobody : Meet::Warp;
      })
      .Default([](Operation *) { return Meet::Nobody; });
}

SyncKernel::SyncKernel(gpu::GPUFuncOp kernel)
    : kernel(kernel), accesses(kernel) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    numbers[op] = ops.size();
    ops.push_back(op);
    if (isEvent(op))
      events[op->getBlock()].push_back(op);
    Meet meet = getCollective(op);
    if (meet == Meet::Nobody)
      return;
    for (Operation *outer = op->getParentOp(); outer != kernel;
         outer = outer->getParentOp()) {
      Meet &known = collective[outer];
      known = std::max(known, meet);
    }
  });
}

/// Arithmetic isn't, and is most of a kernel.
bool SyncKernel::isEvent(Operation *op) {
  return op->getNumRegions() > 0 || op->hasTrait<OpTrait::IsTerminator>() ||
         isa<CarouselDialect>(op->getDialect()) || !isMemoryEffectFree(op) ||
         !accesses.get(op).empty();
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

bool SyncKernel::isTakenTogether(Operation *op, Meet meet) const {
  // What asks for all threads of the scope gets them.
  if (collective.lookup(op) >= meet)
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
// Edges
//===----------------------------------------------------------------------===//

namespace {

/// Values of `op`'s regions mean something else, or nothing, elsewhere.
struct IsInside {
  Operation *op;
  bool operator()(Value value) const {
    return op->isAncestor(value.getParentRegion()->getParentOp());
  }
};

} // namespace

/// What the values that are handed over at an edge are called behind it.
static PositionMap mapEdge(SyncPositions &positions, ValueRange from,
                           ValueRange to) {
  PositionMap map;
  for (auto [source, target] : llvm::zip_equal(from, to)) {
    if (!source.getType().isIndex())
      continue;
    IndexPosition handed = positions.get(source);
    if (const unsigned *value = handed.getSingleValue()) {
      IndexPosition rest = {{}, handed.rest};
      map.try_emplace(
          *value, positions.add(positions.get(target), rest, /*factor=*/-1));
    }
  }
  return map;
}

/// What an iteration adds to an induction variable. Loops count upwards.
static IndexInterval getStep(SyncPositions &positions,
                             LoopLikeOpInterface loop) {
  IndexInterval step;
  if (std::optional<OpFoldResult> by = loop.getSingleStep()) {
    if (std::optional<int64_t> constant = getConstantIntValue(*by))
      step = IndexInterval::exactly(*constant);
    else
      step = positions.getRange(cast<Value>(*by));
  }
  step.lo = std::max<int64_t>(step.lo, 1);
  return step;
}

void SyncFlow::visitFor(LoopLikeOpInterface loop, SyncState &state) {
  Block &body = loop.getLoopRegions().front()->front();
  IsInside isInside{loop};
  ValueRange arguments = loop.getRegionIterArgs();
  PositionMap entry = mapEdge(positions, loop.getInits(), arguments);
  PositionMap back = mapEdge(positions, loop.getYieldedValues(), arguments);
  PositionMap exit = mapEdge(positions, arguments, loop->getResults());
  PositionMap backBoxes = back, exitBoxes = exit;
  std::optional<Value> iv = loop.getSingleInductionVar();
  if (iv && iv->getType().isIndex()) {
    IndexInterval step = getStep(positions, loop);
    // What it was, in terms of what it is an iteration later.
    backBoxes.try_emplace(
        positions.getNumber(*iv),
        positions.add(positions.get(*iv), {{}, step}, /*factor=*/-1));
    // The loop is left with one that no iteration has had.
    exitBoxes.try_emplace(
        positions.getNumber(*iv),
        IndexPosition{{}, positions.getRange(*iv).plus(step)});
  }

  SyncState before = state;
  state.substitute(entry, PositionMap(), nullptr);
  // Once the loops around this one are at a fixpoint, and when the conflicts
  // are looked for, it is entered as before.
  auto known = fixpoints.find(loop);
  if (known != fixpoints.end() && known->second.entered == state) {
    state = known->second.reached;
  } else {
    Fixpoint found = {state, state};
    // An iteration of an outer loop begins with all that the one before began
    // with, and so leads at least where that one led.
    if (SyncState probe = state;
        known != fixpoints.end() && !probe.join(known->second.entered))
      found.reached.join(known->second.reached);
    bool wasChecking = std::exchange(isChecking, false);
    for (unsigned iteration = 0;; ++iteration) {
      SyncState end = found.reached;
      visitBlock(body, end);
      end.substitute(back, backBoxes, isInside);
      if (!found.reached.join(end, /*widen=*/iteration >= kWidenAfter) ||
          !conflicts.empty())
        break;
    }
    isChecking = wasChecking;
    state = found.reached;
    fixpoints.insert_or_assign(loop.getOperation(), std::move(found));
  }
  if (isChecking) {
    around.emplace_back(loop, before);
    SyncState end = state;
    visitBlock(body, end);
    around.pop_back();
  }
  state.substitute(exit, exitBoxes, isInside);
}

/// `visitBlock` returns whether there is anything to go on for.
static void visitWhile(scf::WhileOp loop, SyncPositions &positions,
                       SyncState &state,
                       function_ref<bool(Block &, SyncState &)> visitBlock) {
  IsInside isInside{loop};
  scf::ConditionOp condition = loop.getConditionOp();
  PositionMap entry =
      mapEdge(positions, loop.getInits(), loop.getBeforeArguments());
  PositionMap enter =
      mapEdge(positions, condition.getArgs(), loop.getAfterArguments());
  PositionMap leave =
      mapEdge(positions, condition.getArgs(), loop.getResults());
  PositionMap back = mapEdge(positions, loop.getYieldOp().getOperands(),
                             loop.getBeforeArguments());
  // Of the two regions' values those live on that are handed over.
  auto isInBefore = [&](Value value) {
    return loop.getBefore().isAncestor(value.getParentRegion());
  };
  auto isInAfter = [&](Value value) {
    return loop.getAfter().isAncestor(value.getParentRegion());
  };
  state.substitute(entry, PositionMap(), nullptr);
  SyncState decided = state;
  for (unsigned iteration = 0;; ++iteration) {
    decided = state;
    visitBlock(*loop.getBeforeBody(), decided);
    SyncState end = decided;
    end.substitute(enter, enter, isInBefore);
    bool goesOn = visitBlock(*loop.getAfterBody(), end);
    end.substitute(back, back, isInAfter);
    if (!state.join(end, /*widen=*/iteration >= kWidenAfter) || !goesOn)
      break;
  }
  state = decided;
  state.substitute(leave, leave, isInside);
}

void SyncFlow::visitIf(Operation *branch, SyncState &state) {
  IsInside isInside{branch};
  SyncState before = state;
  bool isFirst = true;
  if (isChecking)
    around.emplace_back(branch, before);
  for (Region &region : branch->getRegions()) {
    SyncState way = before;
    if (!region.empty()) {
      visitBlock(region.front(), way);
      PositionMap map =
          mapEdge(positions, region.front().getTerminator()->getOperands(),
                  branch->getResults());
      way.substitute(map, PositionMap(), isInside);
    }
    if (std::exchange(isFirst, false))
      state = way;
    else
      state.join(way);
  }
  if (isChecking)
    around.pop_back();
}

void SyncFlow::visitRoles(RingRolesOp roles, SyncState &state) {
  if (isChecking)
    around.emplace_back(roles, state);
  SyncState before = state;
  bool isFirst = true;
  for (Region &region : roles->getRegions()) {
    SyncState role = before;
    role.enterRole();
    visitBlock(region.front(), role);
    role.leaveRole();
    role.substitute(PositionMap(), PositionMap(), IsInside{roles});
    if (std::exchange(isFirst, false))
      state = role;
    else
      state.join(role);
  }
  if (isChecking)
    around.pop_back();
}

/// A region that is executed once. What others did in the turns before becomes
/// visible at its begin; where it ends, what was done in it is over.
void SyncFlow::visitTurn(SerializeOp turns, SyncState &state) {
  unsigned order = kernel.numbers.lookup(turns) * kAccessesPerOp;
  if (isChecking)
    around.emplace_back(turns, state);
  for (const Access &taken : kernel.accesses.get(turns))
    state.access(turns, order++, taken);
  Block &body = turns.getBody().front();
  visitBlock(body, state);
  PositionMap map = mapEdge(positions, body.getTerminator()->getOperands(),
                            turns.getResults());
  state.substitute(map, PositionMap(), IsInside{turns});
  if (isChecking)
    around.pop_back();
}

/// Regions that may be executed in any order, any number of times.
void SyncFlow::visitRegions(Operation *op, SyncState &state) {
  SyncState before = state;
  bool wasChecking = std::exchange(isChecking, false);
  auto visitAll = [&] {
    bool changed = false;
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        SyncState end = state;
        visitBlock(block, end);
        end.substitute(PositionMap(), PositionMap(), IsInside{op});
        changed |= state.join(end, /*widen=*/true);
      }
    return changed;
  };
  while (visitAll() && conflicts.empty())
    ;
  isChecking = wasChecking;
  if (isChecking) {
    around.emplace_back(op, before);
    visitAll();
    around.pop_back();
  }
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

SyncFlow::SyncFlow(SyncKernel &kernel, ArrayRef<SyncStep> steps,
                   const llvm::DenseSet<Operation *> &removed, Asked asked)
    : kernel(kernel), positions(kernel.accesses.getPositions()), steps(steps),
      removed(removed), asked(asked) {
  for (auto [index, step] : llvm::enumerate(steps)) {
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
    case SyncStepKind::Drain:
      state.drain(step.wait, step.pending, step.scope);
      break;
    case SyncStepKind::FenceShared:
      state.fence(/*shared=*/true, /*global=*/false);
      break;
    case SyncStepKind::FenceGlobal:
      state.fence(/*shared=*/false, /*global=*/true);
      break;
    case SyncStepKind::Sync:
      // Behind the numbers of the kernel's own meetings.
      state.meet(getMeet(step.scope), kernel.ops.size() + index);
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
  if (!conflicts.empty())
    return;
  auto before = stepsAt.find(op);
  if (before != stepsAt.end())
    applySteps(before->second, state);
  if (removed.contains(op))
    return;
  llvm::TypeSwitch<Operation *>(op)
      .Case<scf::ForOp, affine::AffineForOp>([&](auto loop) {
        visitFor(cast<LoopLikeOpInterface>(loop.getOperation()), state);
      })
      .Case<scf::IfOp, affine::AffineIfOp>(
          [&](auto branch) { visitIf(branch, state); })
      .Case([&](scf::WhileOp loop) {
        SyncState before = state;
        bool wasChecking = std::exchange(isChecking, false);
        SyncState head = state;
        auto visitor = [&](Block &block, SyncState &inner) {
          visitBlock(block, inner);
          return conflicts.empty();
        };
        visitWhile(loop, positions, state, visitor);
        isChecking = wasChecking;
        if (!isChecking)
          return;
        // What was found is a fixpoint: once more, to see the conflicts.
        around.emplace_back(loop, before);
        visitWhile(loop, positions, head, visitor);
        around.pop_back();
      })
      .Case([&](RingRolesOp roles) { visitRoles(roles, state); })
      .Case([&](SerializeOp turns) { visitTurn(turns, state); })
      .Case<RingProduceOp, RingSubmitOp>([&](auto) { visitEvent(op, state); })
      .Default([&](Operation *) {
        visitEvent(op, state);
        if (op->getNumRegions() > 0)
          visitRegions(op, state);
      });
}

/// Loads are there from when they have been waited for; what their operands are
/// computed from is read at once. Letting others go on is over as it is done.
static bool staysPending(Operation *op, const Access &access) {
  if (isa<PassTurnOp>(op))
    return false;
  if (isa<RingProduceOp>(op))
    return !access.isTransfer;
  return !access.isForeign || isWrite(access.kind);
}

void SyncFlow::visitWait(RingWaitOp wait, SyncState &state) {
  Value ring = wait.getRing();
  unsigned order = kernel.numbers.lookup(wait) * kAccessesPerOp;
  // Between the slot's last use and this one it was handed back.
  if (kernel.accesses.isReleased(ring))
    state.reuse(ring, kernel.accesses.getSlot(ring, wait.getUse()));
  if (const Access *phase = kernel.accesses.getPhaseRead(wait))
    state.access(wait, order++, *phase);
  for (const Access &landed : kernel.accesses.getLanded(wait))
    state.access(wait, order++, landed, getMeet(getRingScope(ring)));
}

/// A ticket is drawn before the threads meet. Who goes by its number, behind
/// fences of its own, may rely on a meeting in front of it.
void SyncFlow::noteBeforeTicket(Operation *ticket, const SyncState &state) {
  for (const PendingAccess &from : state.getPending())
    if (!from.access->buffer.isShared && !isAsync(from.access->kind))
      note(from.op, ticket, from.access->kind, from.met);
}

void SyncFlow::visitEvent(Operation *op, SyncState &state) {
  unsigned number = kernel.numbers.lookup(op);
  llvm::TypeSwitch<Operation *>(op)
      // All threads hear what one has drawn.
      .Case([&](gpu::BarrierOp) { state.meet(Meet::CTA, number); })
      .Case([&](GridTicketOp) {
        noteBeforeTicket(op, state);
        state.meet(Meet::CTA, number);
      })
      .Case([&](BarrierWarpOp barrier) {
        if (!barrier.getMask())
          state.meet(Meet::Warp, number);
      })
      .Case([&](RingSyncOp sync) {
        state.meet(getMeet(sync.getScope()), number);
      })
      .Case([&](FenceProxyOp fence) {
        ProxyKind proxy = fence.getProxy();
        state.fence(
            proxy == ProxyKind::Async || proxy == ProxyKind::AsyncSharedCTA,
            proxy == ProxyKind::Async || proxy == ProxyKind::AsyncGlobal);
      })
      .Case([&](RingDrainOp drain) {
        state.drain(drain.getKind(), drain.getPending(), drain.getScope());
      })
      .Case([&](RingWaitOp wait) { visitWait(wait, state); })
      .Case([&](RingReleaseOp release) {
        checkRelease(release, state);
        Value ring = release.getRing();
        state.handBack(ring, kernel.accesses.getSlot(ring, release.getUse()));
      })
      .Case([&](gpu::ReturnOp) { checkEnd(op, nullptr, state); })
      .Default([&](Operation *) {
        ArrayRef<Access> accesses = kernel.accesses.get(op);
        for (const Access &access : accesses)
          check(op, access, state);
        if (auto submit = dyn_cast<RingSubmitOp>(op))
          state.submit(submit.getScope());
        for (auto [index, access] : llvm::enumerate(accesses))
          if (staysPending(op, access))
            state.access(op, number * kAccessesPerOp + index, access);
      });
}
