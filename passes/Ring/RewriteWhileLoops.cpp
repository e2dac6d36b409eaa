//===- RewriteWhileLoops.cpp - while loops with rings ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A while loop is rotated before its rings are planned: into an scf.for that
// computes the next iteration's condition at its end, and whose trip count
// isn't known. With rings, the loop carries the states of the next iterations,
// as many as loads run ahead, and becomes an scf.while again. docs/Rings.md has
// the IR before and after.
//
//===----------------------------------------------------------------------===//

#include "RingRewriter.h"
#include "RotateWhileLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Rotation
//===----------------------------------------------------------------------===//

/// Emits the condition of the loop for the values that it carries. Returns the
/// condition and what it passes on to the body.
static SmallVector<Value> emitCondition(OpBuilder &builder, scf::WhileOp loop,
                                        ValueRange carried) {
  IRMapping mapping;
  mapping.map(loop.getBeforeArguments(), carried);
  for (Operation &op : loop.getBeforeBody()->without_terminator())
    builder.clone(op, mapping);
  scf::ConditionOp end = loop.getConditionOp();
  SmallVector<Value> values = {mapping.lookupOrDefault(end.getCondition())};
  for (Value value : end.getArgs())
    values.push_back(mapping.lookupOrDefault(value));
  return values;
}

static void rotate(IRRewriter &rewriter, scf::WhileOp loop) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> first = emitCondition(rewriter, loop, loop.getInits());
  Value trips =
      UnrealizedConversionCastOp::create(
          rewriter, loc, TypeRange(rewriter.getIndexType()), first.front())
          .getResult(0);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto rotated = scf::ForOp::create(rewriter, loc, zero, trips, one, first);
  rotated->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = rotated.getBody();
  rewriter.inlineBlockBefore(loop.getAfterBody(), body, body->end(),
                             rotated.getRegionIterArgs().drop_front());
  auto yield = cast<scf::YieldOp>(body->getTerminator());
  rewriter.setInsertionPoint(yield);
  SmallVector<Value> next = emitCondition(rewriter, loop, yield.getOperands());
  rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, next);
  rewriter.replaceOp(loop, rotated.getResults().drop_front());
}

bool carousel::rotateWhileLoops(gpu::GPUFuncOp kernel) {
  SmallVector<scf::WhileOp> loops;
  kernel.walk([&](scf::WhileOp loop) {
    if (loop->hasAttr(CarouselDialect::kPipeline) &&
        explainRotation(loop).empty())
      loops.push_back(loop);
  });
  IRRewriter rewriter(kernel.getContext());
  for (scf::WhileOp loop : loops)
    rotate(rewriter, loop);
  return !loops.empty();
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

void RingRewriter::createStates(const LoopPlan &loopPlan) {
  scf::ForOp loop = loopPlan.loop;
  states.assign(loopPlan.getPrefetch() + 1, {});
  for (SmallVector<Value> &state : states)
    for (unsigned number : loopPlan.state->carried)
      state.push_back(indices.create(getEntry(), loop.getLoc(),
                                     loop.getInitArgs()[number].getType()));
}

/// Maps the loop's state to that of the iteration `ahead` later.
void RingRewriter::mapState(const LoopPlan &loopPlan, int64_t ahead,
                            IRMapping &mapping) {
  scf::ForOp loop = loopPlan.loop;
  for (auto [number, variable] :
       llvm::zip_equal(loopPlan.state->carried, states[ahead]))
    mapping.map(loop.getRegionIterArg(number),
                RunningIndices::read(rewriter, loop.getLoc(), variable));
}

/// The state after the last one, if that one's iteration exists. No later one
/// exists otherwise, and nothing is drawn for it.
SmallVector<Value> RingRewriter::advanceState(const LoopPlan &loopPlan) {
  OpBuilder::InsertionGuard guard(rewriter);
  scf::ForOp loop = loopPlan.loop;
  Location loc = loop.getLoc();
  IRMapping mapping;
  mapState(loopPlan, static_cast<int64_t>(states.size()) - 1, mapping);
  SmallVector<Value> same, next;
  for (unsigned number : loopPlan.state->carried)
    same.push_back(mapping.lookup(loop.getRegionIterArg(number)));
  auto branch = scf::IfOp::create(rewriter, loc, TypeRange(same), same.front(),
                                  /*withElseRegion=*/true);
  rewriter.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(rewriter, loc, same);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  for (Operation *op : loopPlan.state->advance)
    rewriter.clone(*op, mapping);
  for (unsigned number : loopPlan.state->carried)
    next.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[number]));
  scf::YieldOp::create(rewriter, loc, next);
  return SmallVector<Value>(branch.getResults());
}

/// Each state takes the place of the one before it, and `last` that of the last
/// one.
void RingRewriter::shiftStates(const LoopPlan &loopPlan, ValueRange last) {
  Location loc = scf::ForOp(loopPlan.loop).getLoc();
  for (auto [to, from] : llvm::zip(states, llvm::drop_begin(states)))
    for (auto [target, source] : llvm::zip_equal(to, from))
      RunningIndices::write(rewriter, loc, target,
                            RunningIndices::read(rewriter, loc, source));
  for (auto [target, value] : llvm::zip_equal(states.back(), last))
    RunningIndices::write(rewriter, loc, target, value);
}

/// Whether both values are tickets of one counter: a CTA's later ticket is the
/// larger one.
static bool areTicketsOfOneCounter(Value lhs, Value rhs) {
  auto ticket = lhs.getDefiningOp<GridTicketOp>(),
       other = rhs.getDefiningOp<GridTicketOp>();
  return ticket && other && ticket.getCounters() == other.getCounters() &&
         ticket.getIndices() == other.getIndices();
}

/// Writes the next iteration's state as the current one plus an increment,
/// where that is known to be the same. Analyses of boxes follow increments, but
/// not values from state to state.
void RingRewriter::showIncrements(const LoopPlan &loopPlan) {
  scf::ForOp loop = loopPlan.loop;
  Location loc = loop.getLoc();
  for (auto [number, now, next] :
       llvm::zip_equal(loopPlan.state->carried, states[0], states[1])) {
    Value yielded = loop.getYieldedValues()[number];
    Value argument = loop.getRegionIterArg(number), increment;
    if (!yielded.getType().isIndex())
      continue;
    Value value = RunningIndices::read(rewriter, loc, now);
    if (auto sum = yielded.getDefiningOp<arith::AddIOp>()) {
      bool isFirst = sum.getLhs() == argument;
      Value other = isFirst ? sum.getRhs() : sum.getLhs();
      if ((isFirst || sum.getRhs() == argument) &&
          loop.isDefinedOutsideOfLoop(other))
        increment = other;
    } else if (areTicketsOfOneCounter(yielded, loop.getInitArgs()[number])) {
      Value later = RunningIndices::read(rewriter, loc, next);
      increment = arith::MaxSIOp::create(
          rewriter, loc, arith::SubIOp::create(rewriter, loc, later, value),
          arith::ConstantIndexOp::create(rewriter, loc, 1));
    }
    if (increment)
      RunningIndices::write(
          rewriter, loc, next,
          arith::AddIOp::create(rewriter, loc, value, increment));
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Computes the states of the first iterations one after the other, each as the
/// last state, and starts the loads that run so far ahead.
void RingRewriter::emitWhilePrologue(const LoopPlan &loopPlan) {
  OpBuilder::InsertionGuard guard(rewriter);
  scf::ForOp loop = loopPlan.loop;
  Location loc = loop.getLoc();
  createStates(loopPlan);
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> uses;
  for (const LoadRingPlan &loads : loopPlan.rings) {
    waitForEarlierUses(loopPlan, loads);
    Value variable = indices.create(getEntry(), loc);
    current[&loads].variable = variable;
    uses.push_back(RunningIndices::read(rewriter, loc, variable));
  }
  for (auto [number, variable] :
       llvm::zip_equal(loopPlan.state->carried, states.back()))
    RunningIndices::write(rewriter, loc, variable, loop.getInitArgs()[number]);

  Value farthest =
      arith::ConstantIndexOp::create(rewriter, loc, loopPlan.getPrefetch());
  auto prologue = scf::ForOp::create(rewriter, loc, loop.getLowerBound(),
                                     farthest, loop.getStep(), uses);
  rewriter.setInsertionPointToStart(prologue.getBody());
  auto getUse = [&](const LoadRingPlan &loads) -> Value {
    return prologue.getRegionIterArg(&loads - loopPlan.rings.data());
  };
  for (const LoadRingPlan &loads : loopPlan.rings) {
    if (loads.prefetch == 0)
      continue;
    OpBuilder::InsertionGuard inBranch(rewriter);
    Value starts = RunningIndices::read(rewriter, loc, states.back().front());
    if (loads.prefetch != loopPlan.getPrefetch()) {
      Value end = arith::ConstantIndexOp::create(rewriter, loc, loads.prefetch);
      Value isFirst =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                                prologue.getInductionVar(), end);
      starts = arith::AndIOp::create(rewriter, loc, starts, isFirst);
    }
    auto branch =
        scf::IfOp::create(rewriter, loc, starts, /*withElseRegion=*/false);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    IRMapping mapping;
    mapState(loopPlan, loopPlan.getPrefetch(), mapping);
    waitForOperands(loopPlan, loads, getUse, mapping);
    emitProduce(loads, loop, rings.lookup(&loads), getUse(loads), mapping);
  }
  SmallVector<Value> last = advanceState(loopPlan), next;
  shiftStates(loopPlan, last);
  for (Value use : prologue.getRegionIterArgs())
    next.push_back(addConstant(rewriter, loc, use, 1));
  scf::YieldOp::create(rewriter, loc, next);
}

/// Makes a rotated loop an scf.while again.
void RingRewriter::restoreWhile(const LoopPlan &loopPlan) {
  OpBuilder::InsertionGuard guard(rewriter);
  scf::ForOp loop = loopPlan.loop;
  Location loc = loop.getLoc();
  SmallVector<Value> inits, yields, replacements = {loop.getLowerBound()};
  SmallVector<unsigned> kept;
  for (unsigned number = 0; number < loop.getInitArgs().size(); ++number)
    if (states.empty() || !loopPlan.state->carried.contains(number)) {
      kept.push_back(number);
      inits.push_back(loop.getInitArgs()[number]);
      yields.push_back(loop.getYieldedValues()[number]);
    }
  rewriter.setInsertionPoint(loop);
  auto restored = scf::WhileOp::create(
      rewriter, loc, TypeRange(ValueRange(inits)), inits, nullptr, nullptr);
  restored->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *before = restored.getBeforeBody(), *after = restored.getAfterBody();
  rewriter.setInsertionPointToEnd(before);
  Value condition =
      states.empty()
          ? before->getArgument(0)
          : RunningIndices::read(rewriter, loc, states.front().front());
  scf::ConditionOp::create(rewriter, loc, condition, before->getArguments());

  // The loop's state: of the current iteration, and after the loop.
  IRMapping now, end;
  if (!states.empty()) {
    rewriter.setInsertionPointToStart(loop.getBody());
    mapState(loopPlan, 0, now);
    rewriter.setInsertionPointAfter(loop);
    mapState(loopPlan, 0, end);
  }
  for (auto [position, number] : llvm::enumerate(kept)) {
    now.map(loop.getRegionIterArg(number), after->getArgument(position));
    end.map(loop.getRegionIterArg(number), restored.getResult(position));
  }
  for (auto [argument, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults())) {
    replacements.push_back(now.lookup(argument));
    rewriter.replaceAllUsesWith(result, end.lookup(argument));
  }
  rewriter.eraseOp(loop.getBody()->getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), after, after->end(), replacements);
  rewriter.setInsertionPointToEnd(after);
  auto yield = scf::YieldOp::create(rewriter, loc, yields);
  // Ops computed for the state alone, with its tickets.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*after)))
    if (&op != yield &&
        (isOpTriviallyDead(&op) ||
         (!states.empty() && isa<GridTicketOp>(op) && op.use_empty() &&
          llvm::is_contained(loopPlan.state->advance, &op))))
      rewriter.eraseOp(&op);
  Operation *trips = loop.getUpperBound().getDefiningOp();
  rewriter.eraseOp(loop);
  rewriter.eraseOp(trips);
  states.clear();
}
