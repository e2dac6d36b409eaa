//===- SyncRegions.cpp - the data flow through ops with regions -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SyncFlow.h. Visits loops to a fixpoint, branches, roles and turns, and
// renames values at control-flow edges.
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace carousel;

/// The number of iterations after which growing intervals are widened.
static constexpr unsigned kWidenAfter = 3;

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

namespace {

/// Values in the regions of `op` have another meaning, or none, outside.
struct IsInside {
  Operation *op;
  bool operator()(Value value) const {
    return op->isAncestor(value.getParentRegion()->getParentOp());
  }
};

} // namespace

/// Maps values that are passed along an edge to their names after it.
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

/// The increment of an induction variable. Loops count upwards.
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
    // The old value, in terms of the value one iteration later.
    backBoxes.try_emplace(
        positions.getNumber(*iv),
        positions.add(positions.get(*iv), {{}, step}, /*factor=*/-1));
    // The loop ends with a value that no iteration has had.
    exitBoxes.try_emplace(
        positions.getNumber(*iv),
        IndexPosition{{}, positions.getRange(*iv).plus(step)});
  }

  SyncState before = state;
  state.substitute(entry, PositionMap(), nullptr);
  LoopFixpoint &known = kernel.fixpoints[loop];
  const LoopPlan &plan = getPlanOf(loop);
  bool isSamePlan = known.reached && known.plan == plan;
  // When the outer loops are at a fixpoint and conflicts are collected, and in
  // later flows with another plan, the loop is entered in the same state.
  if (!isSamePlan || !(*known.entered == state)) {
    LoopFixpoint found = {plan, state, state};
    // An iteration of an outer loop starts with everything that the previous
    // one started with, so it leads to at least the same state.
    if (SyncState probe = state; isSamePlan && !probe.join(*known.entered))
      found.reached->join(*known.reached);
    bool wasChecking = std::exchange(isChecking, false);
    for (unsigned iteration = 0;; ++iteration) {
      SyncState end = *found.reached;
      visitBlock(body, end);
      if (conflict)
        return;
      end.substitute(back, backBoxes, isInside);
      if (!found.reached->join(end, /*widen=*/iteration >= kWidenAfter))
        break;
    }
    isChecking = wasChecking;
    // The table may have grown meanwhile.
    kernel.fixpoints[loop] = std::move(found);
  }
  state = *kernel.fixpoints[loop].reached;
  if (isChecking)
    checkIteration(loop, before, state);
  state.substitute(exit, exitBoxes, isInside);
}

/// Looks for conflicts in an iteration that starts with `state`, unless it is
/// known to have none.
void SyncFlow::checkIteration(LoopLikeOpInterface loop, const SyncState &before,
                              SyncState state) {
  if (kernel.fixpoints[loop].isChecked)
    return;
  around.emplace_back(loop, before);
  visitBlock(loop.getLoopRegions().front()->front(), state);
  around.pop_back();
  kernel.fixpoints[loop].isChecked = !conflict;
}

/// The steps in a loop, and the omissions there.
const LoopPlan &SyncFlow::getPlanOf(LoopLikeOpInterface loop) {
  auto [known, isNew] = plans.try_emplace(loop);
  LoopPlan &plan = known->second;
  if (!isNew)
    return plan;
  for (auto [index, step] : llvm::enumerate(steps)) {
    Operation *in =
        step.before ? step.before->getParentOp() : step.atEndOf->getParentOp();
    if (!omitted.steps.contains(index) && loop->isAncestor(in))
      plan.steps.push_back({static_cast<unsigned>(index), step.kind,
                            step.before, step.atEndOf, step.scope, step.wait,
                            step.pending});
  }
  for (Operation *op : omitted.ops)
    if (loop->isProperAncestor(op))
      plan.omitted.push_back(op);
  llvm::sort(plan.omitted);
  return plan;
}

/// Adds the values that a loop carries on as themselves plus an increment: the
/// old value, in terms of the value one iteration later. The increment counts
/// with its range.
static void addIncrements(SyncPositions &positions, scf::WhileOp loop,
                          PositionMap &map) {
  auto isAny = [](Value) { return true; };
  for (auto [source, target] : llvm::zip_equal(loop.getYieldOp().getOperands(),
                                               loop.getBeforeArguments())) {
    if (!source.getType().isIndex())
      continue;
    IndexPosition sum = positions.get(source);
    for (auto [number, factor] : sum.terms) {
      auto argument = dyn_cast<BlockArgument>(positions.getValue(number));
      if (factor != 1 || !argument ||
          argument.getOwner() != loop.getAfterBody())
        continue;
      IndexPosition increment = positions.substitute(
          positions.add(sum, positions.get(argument), /*factor=*/-1),
          PositionMap(), isAny);
      map.try_emplace(number,
                      positions.add(positions.get(target), increment, -1));
    }
  }
}

/// `visitBlock` returns whether to continue.
static void iterateWhile(scf::WhileOp loop, SyncPositions &positions,
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
  PositionMap backBoxes = back;
  addIncrements(positions, loop, backBoxes);
  // Only the values that the two regions pass on stay alive.
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
    end.substitute(back, backBoxes, isInAfter);
    if (!state.join(end, /*widen=*/iteration >= kWidenAfter) || !goesOn)
      break;
  }
  state = decided;
  state.substitute(leave, leave, isInside);
}

void SyncFlow::visitWhile(scf::WhileOp loop, SyncState &state) {
  SyncState before = state;
  bool wasChecking = std::exchange(isChecking, false);
  SyncState head = state;
  auto visitor = [&](Block &block, SyncState &inner) {
    visitBlock(block, inner);
    return !conflict;
  };
  iterateWhile(loop, positions, state, visitor);
  isChecking = wasChecking;
  if (!isChecking)
    return;
  // The state is a fixpoint. Visit once more, to collect conflicts.
  around.emplace_back(loop, before);
  iterateWhile(loop, positions, head, visitor);
  around.pop_back();
}

/// Visits a branch, one of whose regions is executed once.
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

/// Visits a region that is executed once. The accesses of earlier turns become
/// visible at its start. At its end, its own accesses are complete.
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

/// Visits regions that may be executed in any order, any number of times.
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
  while (visitAll() && !conflict)
    ;
  isChecking = wasChecking;
  if (isChecking) {
    around.emplace_back(op, before);
    visitAll();
    around.pop_back();
  }
}
