//===- RewriteLoops.cpp - rewrite a loop with rings -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop starts its loads ahead, waits for them right before their first use,
// and releases their slot right after the last use. It submits stores without
// waiting for them. docs/Rings.md has the IR before and after.
//
//===----------------------------------------------------------------------===//

#include "RingRewriter.h"

#include "carousel/Analysis/Values/IndexRanges.h"
#include "carousel/Analysis/Values/Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Bounds of prologues and steady states
//
// Computes the bounds of a loop's prologue, and of the iterations for which a
// later iteration exists, for induction variables of all types, signed and
// unsigned. Sums outside of the loop saturate instead of wrapping, so that the
// loop itself needs one comparison only. A distance that may not fit the type
// is clamped to the type's largest number. No two iterations are farther apart
// than that, as long as a loop spans at most the type's positive numbers, or
// all numbers of an unsigned type.
//===----------------------------------------------------------------------===//

namespace {

/// All values have the induction variable's type. The builder's insertion point
/// must be before the loop; for `createAhead` it may be in the loop.
class LoopBounds {
public:
  /// Loads run `iterations`, at least one, ahead.
  LoopBounds(OpBuilder &builder, scf::ForOp loop, int64_t iterations);

  /// The end of the first `iterations` iterations, or of the loop if it has
  /// fewer.
  Value createPrologueEnd();
  /// The end of those iterations for which an iteration `iterations` later
  /// exists.
  Value createSteadyEnd();
  /// Whether `variable` is before `end`.
  Value createIsBefore(Value variable, Value end);
  /// The induction variable `iterations` later, if that iteration exists.
  Value createAhead(Value variable);

private:
  Value createConstant(const APInt &value);
  template <typename Signed, typename Unsigned>
  Value createBy(Value lhs, Value rhs);
  Value createDistance();
  APInt getMost(Value value);
  /// Whether `value` plus (with `ahead`) or minus the distance is known not to
  /// overflow.
  bool isInside(Value value, bool ahead);

  OpBuilder &builder;
  scf::ForOp loop;
  int64_t iterations;
  bool isSigned;
  APInt least, most; ///< of the type
  Value distance;    ///< at most `most`
  IndexRanges ranges;
};

} // namespace

static unsigned getBits(Type type) {
  return type.isIndex() ? IndexType::kInternalStorageBitWidth
                        : type.getIntOrFloatBitWidth();
}

LoopBounds::LoopBounds(OpBuilder &builder, scf::ForOp loop, int64_t iterations)
    : builder(builder), loop(loop), iterations(iterations),
      isSigned(!loop.getUnsignedCmp()) {
  unsigned bits = getBits(loop.getStep().getType());
  least = isSigned ? APInt::getSignedMinValue(bits) : APInt::getMinValue(bits);
  most = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  distance = createDistance();
}

Value LoopBounds::createConstant(const APInt &value) {
  Type type = loop.getStep().getType();
  return arith::ConstantOp::create(builder, loop.getLoc(), type,
                                   builder.getIntegerAttr(type, value));
}

template <typename Signed, typename Unsigned>
Value LoopBounds::createBy(Value lhs, Value rhs) {
  if (isSigned)
    return builder.createOrFold<Signed>(loop.getLoc(), lhs, rhs);
  return builder.createOrFold<Unsigned>(loop.getLoc(), lhs, rhs);
}

Value LoopBounds::createDistance() {
  if (iterations == 1)
    return loop.getStep();
  unsigned bits = most.getBitWidth();
  // So many iterations aren't there.
  if (!llvm::isUIntN(std::min(bits, 63u), iterations) ||
      APInt(bits, iterations).ugt(most))
    return createConstant(most);
  APInt factor(bits, iterations);
  APInt step, longest = most.udiv(factor);
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return createConstant(step.ugt(longest) ? most : step * factor);
  Value capped = loop.getStep();
  if (getMost(capped).ugt(longest))
    capped = createBy<arith::MinSIOp, arith::MinUIOp>(capped,
                                                      createConstant(longest));
  return arith::MulIOp::create(builder, loop.getLoc(), capped,
                               createConstant(factor));
}

/// Returns the most that a distance is; a step isn't negative.
APInt LoopBounds::getMost(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant;
  IntegerValueRange known = ranges.get(value);
  if (known.isUninitialized())
    return most;
  const ConstantIntRanges &range = known.getValue();
  return isSigned ? range.smax() : range.umax();
}

bool LoopBounds::isInside(Value value, bool ahead) {
  APInt by = getMost(distance);
  IntegerValueRange known = ranges.get(value);
  if (known.isUninitialized())
    return false;
  const ConstantIntRanges &range = known.getValue();
  if (ahead)
    return isSigned ? range.smax().sle(most - by) : range.umax().ule(most - by);
  return isSigned ? range.smin().sge(least + by) : range.umin().uge(least + by);
}

Value LoopBounds::createPrologueEnd() {
  Location loc = loop.getLoc();
  Value begin = loop.getLowerBound();
  if (!isInside(begin, /*ahead=*/true)) {
    // The last number from which the distance doesn't lead out of the type.
    Value last = builder.createOrFold<arith::SubIOp>(loc, createConstant(most),
                                                     distance);
    begin = createBy<arith::MinSIOp, arith::MinUIOp>(begin, last);
  }
  return createBy<arith::MinSIOp, arith::MinUIOp>(
      builder.createOrFold<arith::AddIOp>(loc, begin, distance),
      loop.getUpperBound());
}

Value LoopBounds::createSteadyEnd() {
  Location loc = loop.getLoc();
  Value end = loop.getUpperBound();
  if (!isInside(end, /*ahead=*/false)) {
    Value first = builder.createOrFold<arith::AddIOp>(
        loc, createConstant(least), distance);
    end = createBy<arith::MaxSIOp, arith::MaxUIOp>(end, first);
  }
  return builder.createOrFold<arith::SubIOp>(loc, end, distance);
}

Value LoopBounds::createIsBefore(Value variable, Value end) {
  return arith::CmpIOp::create(builder, loop.getLoc(),
                               isSigned ? arith::CmpIPredicate::slt
                                        : arith::CmpIPredicate::ult,
                               variable, end);
}

Value LoopBounds::createAhead(Value variable) {
  Location loc = loop.getLoc();
  // Not the capped distance, of which analyses would know less.
  APInt factor(64, iterations);
  Value shift = builder.createOrFold<arith::MulIOp>(
      loc, loop.getStep(),
      createConstant(factor.zextOrTrunc(most.getBitWidth())));
  return arith::AddIOp::create(builder, loc, variable, shift);
}

//===----------------------------------------------------------------------===//
// Rewrite a loop with rings
//===----------------------------------------------------------------------===//

Value carousel::addConstant(OpBuilder &builder, Location loc, Value value,
                            int64_t constant) {
  if (constant == 0)
    return value;
  return builder.createOrFold<arith::AddIOp>(
      loc, value, arith::ConstantIndexOp::create(builder, loc, constant));
}

//===----------------------------------------------------------------------===//
// Starting transfers
//===----------------------------------------------------------------------===//

/// Repeats what `block` computes for the loads and under which conditions they
/// stand, and starts them.
void RingRewriter::emitLoads(const LoadRingPlan &loads, Block &block,
                             RingCreateOp ring, Value use, IRMapping &mapping) {
  auto hasLoad = [&](Operation *op) {
    return llvm::any_of(loads.loads,
                        [&](LoadOp load) { return op->isAncestor(load); });
  };
  for (Operation &op : block) {
    if (auto load = dyn_cast<LoadOp>(op); load && hasLoad(&op)) {
      Location loc = load.getLoc();
      Value buffer = getRootBuffer(load.getTile());
      unsigned index =
          llvm::find(loads.buffers, buffer) - loads.buffers.begin();
      Value slot =
          RingTileOp::create(rewriter, loc, buffer.getType(), ring, use, index);
      // The part of the slot that is the tile.
      IRMapping inner(mapping);
      inner.map(buffer, slot);
      SmallVector<Operation *> views = getViews(load.getTile());
      for (Operation *view : views)
        rewriter.clone(*view, inner);
      SmallVector<Value> offsets;
      for (Value offset : load.getOffsets())
        offsets.push_back(mapping.lookupOrDefault(offset));
      Value map = load.getMap();
      RingLoadOp::create(
          rewriter, loc, mapping.lookupOrDefault(load.getGlobal()), offsets,
          inner.lookup(load.getTile()), load.getFillAttr(),
          load.getFillValueAttr(), load.getReduceAttr(),
          load.getRoundTf32Attr(), load.getScopeAttr(), load.getInBoundsAttr(),
          load.getByThreadsAttr(), load.getSwizzleAttr(), load.getCacheAttr(),
          load.getEngineAttr(), map ? mapping.lookupOrDefault(map) : map,
          loads.overtakesStores ? rewriter.getUnitAttr() : nullptr,
          /*multicast=*/nullptr);
    } else if (loads.slice.contains(&op)) {
      rewriter.clone(op, mapping);
    } else if (auto branch = dyn_cast<scf::IfOp>(op); branch && hasLoad(&op)) {
      bool hasElse = branch.elseBlock() &&
                     llvm::any_of(*branch.elseBlock(), [&](Operation &inner) {
                       return hasLoad(&inner);
                     });
      auto copy = scf::IfOp::create(
          rewriter, op.getLoc(), mapping.lookupOrDefault(branch.getCondition()),
          hasElse);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(copy.thenBlock());
      emitLoads(loads, *branch.thenBlock(), ring, use, mapping);
      if (hasElse) {
        rewriter.setInsertionPointToStart(copy.elseBlock());
        emitLoads(loads, *branch.elseBlock(), ring, use, mapping);
      }
    }
  }
}

void RingRewriter::emitProduce(const LoadRingPlan &loads, scf::ForOp loop,
                               RingCreateOp ring, Value use, IRMapping mapping,
                               int64_t ahead) {
  OpBuilder::InsertionGuard guard(rewriter);
  auto produce =
      RingProduceOp::create(rewriter, loop.getLoc(), ring, use, IntegerAttr());
  if (ahead != 0)
    produce.setAhead(ahead);
  rewriter.createBlock(&produce.getBody());
  emitLoads(loads, *loop.getBody(), ring, use, mapping);
}

void RingRewriter::emitSubmit(StoreOp store, Value tile) {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = store.getLoc();
  auto submit = RingSubmitOp::create(rewriter, loc, store.getScope());
  rewriter.createBlock(&submit.getBody());
  RingStoreOp::create(
      rewriter, loc, tile, store.getGlobal(), store.getOffsets(),
      store.getReduceAttr(), store.getExclusiveAttr(), store.getScopeAttr(),
      store.getInBoundsAttr(), store.getByThreadsAttr(), store.getSwizzleAttr(),
      store.getCacheAttr(), store.getEngineAttr(), store.getMap());
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The rings of the loop from whose tiles `loads` reads operands.
static SmallVector<const LoadRingPlan *> getSources(const LoopPlan &loopPlan,
                                                    const LoadRingPlan &loads) {
  SmallVector<const LoadRingPlan *> sources;
  for (const LoadRingPlan &ring : loopPlan.rings)
    if (llvm::any_of(ring.buffers, [&](Value tile) {
          return loads.operandTiles.contains(tile);
        }))
      sources.push_back(&ring);
  return sources;
}

/// Waits for the tiles from which operands are read, in the uses that `getUse`
/// says, and maps the tiles and their views.
void RingRewriter::waitForOperands(
    const LoopPlan &loopPlan, const LoadRingPlan &loads,
    function_ref<Value(const LoadRingPlan &)> getUse, IRMapping &mapping) {
  scf::ForOp loop = loopPlan.loop;
  Location loc = loop.getLoc();
  for (const LoadRingPlan *source : getSources(loopPlan, loads)) {
    RingCreateOp ring = rings.lookup(source);
    Value use = getUse(*source);
    RingWaitOp::create(rewriter, loc, ring, use);
    for (auto [index, buffer] : llvm::enumerate(source->buffers))
      if (loads.operandTiles.contains(buffer))
        mapping.map(buffer, RingTileOp::create(rewriter, loc, buffer.getType(),
                                               ring, use, index));
  }
  if (loads.operandTiles.empty())
    return;
  auto mapViews = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()) && !mapping.contains(operand) &&
          loop.isDefinedOutsideOfLoop(operand) &&
          loads.operandTiles.contains(getRootBuffer(operand)))
        for (Operation *view : getViews(operand))
          rewriter.clone(*view, mapping);
  };
  for (Operation *op : loads.slice)
    op->walk(mapViews);
}

/// Waits for uses that must be over before the first loads start.
void RingRewriter::waitForEarlierUses(const LoopPlan &loopPlan,
                                      const LoadRingPlan &loads) {
  Location loc = scf::ForOp(loopPlan.loop).getLoc();
  TransferScope scope = loopPlan.request.getScope();
  if (loads.overtakesStores)
    RingWaitStoresOp::create(rewriter, loc, GroupWait::Complete, 0, scope);
  else if (!loads.inPlaceStores.empty() && loads.prefetch != 0 &&
           loads.release != SlotRelease::EmptyBarrier)
    // The first slots may still be those of a former execution of the loop.
    RingWaitStoresOp::create(rewriter, loc, GroupWait::Read,
                             loads.stages - loads.prefetch, scope);
  if (loads.overtakesStores || !loads.usedOutside.empty())
    RingSyncOp::create(rewriter, loc, scope);
}

/// The first `prefetch` uses, or as many as there are iterations.
void RingRewriter::emitPrologue(const LoopPlan &loopPlan,
                                const LoadRingPlan &loads, RingCreateOp ring,
                                Value variable) {
  scf::ForOp loop = loopPlan.loop;
  Location loc = loop.getLoc();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loopPlan.start);
  Operation *before = loopPlan.start->getPrevNode();
  waitForEarlierUses(loopPlan, loads);
  if (loads.prefetch == 0)
    return;
  Value end = LoopBounds(rewriter, loop, loads.prefetch).createPrologueEnd();
  // The first uses of this ring, and of the rings that it waits for.
  SmallVector<const LoadRingPlan *> sources = getSources(loopPlan, loads);
  SmallVector<Value> first = {RunningIndices::read(rewriter, loc, variable)};
  for (const LoadRingPlan *source : sources)
    first.push_back(
        RunningIndices::read(rewriter, loc, current.lookup(source).variable));
  auto prologue = scf::ForOp::create(
      rewriter, loc, loop.getLowerBound(), end, loop.getStep(), first,
      /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  rewriter.setInsertionPointToStart(prologue.getBody());
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), prologue.getInductionVar());
  waitForOperands(
      loopPlan, loads,
      [&](const LoadRingPlan &source) -> Value {
        return prologue.getRegionIterArg(
            1 + (llvm::find(sources, &source) - sources.begin()));
      },
      mapping);
  emitProduce(loads, loop, ring, prologue.getRegionIterArg(0), mapping,
              loads.prefetch);
  SmallVector<Value> next;
  for (Value use : prologue.getRegionIterArgs())
    next.push_back(addConstant(rewriter, loc, use, 1));
  scf::YieldOp::create(rewriter, loc, next);
  Operation *begin =
      before ? before->getNextNode() : &loopPlan.start->getBlock()->front();
  if (isa<LoadOp>(loopPlan.start))
    prologues.try_emplace(loopPlan.start, begin);
}

/// Starts the loads of the iteration that is `prefetch` later, at the start of
/// an iteration.
void RingRewriter::startAhead(const LoopPlan &loopPlan,
                              const LoadRingPlan &loads, RingCreateOp ring,
                              Value use) {
  scf::ForOp loop = loopPlan.loop;
  Location loc = loop.getLoc();
  OpBuilder::InsertionGuard guard(rewriter);
  IRMapping mapping;
  if (loads.prefetch != 0 && loopPlan.state) {
    Value exists =
        RunningIndices::read(rewriter, loc, states[loads.prefetch].front());
    auto branch =
        scf::IfOp::create(rewriter, loc, exists, /*withElseRegion=*/false);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    mapState(loopPlan, loads.prefetch, mapping);
  } else if (loads.prefetch != 0) {
    Value variable = loop.getInductionVar();
    OpBuilder::InsertPoint start = rewriter.saveInsertionPoint();
    rewriter.setInsertionPoint(loop);
    LoopBounds bounds(rewriter, loop, loads.prefetch);
    Value end = bounds.createSteadyEnd();
    rewriter.restoreInsertionPoint(start);
    auto branch =
        scf::IfOp::create(rewriter, loc, bounds.createIsBefore(variable, end),
                          /*withElseRegion=*/false);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    mapping.map(variable, bounds.createAhead(variable));
    guards.emplace_back(branch, loads.prefetch);
  }
  // Stores that empty the slots are issued by the thread that fills them.
  if (!loads.inPlaceStores.empty() &&
      loads.release != SlotRelease::EmptyBarrier)
    RingWaitStoresOp::create(rewriter, loc, GroupWait::Read,
                             loads.stages - loads.prefetch - 1,
                             loopPlan.request.getScope());
  waitForOperands(
      loopPlan, loads,
      [&](const LoadRingPlan &source) {
        return addConstant(rewriter, loc, current.lookup(&source).use,
                           loads.prefetch);
      },
      mapping);
  emitProduce(loads, loop, ring,
              addConstant(rewriter, loc, use, loads.prefetch), mapping,
              loopPlan.state ? 0 : loads.prefetch);
}

/// Starts the ring's loads ahead, before the loop and at the start of its body,
/// after `previous`, the last op of the previous ring, if there is one. Returns
/// the last op inserted. The rest of the body stays as it is.
Operation *RingRewriter::startLoads(const LoopPlan &loopPlan,
                                    const LoadRingPlan &loads,
                                    Operation *previous) {
  scf::ForOp loop = loopPlan.loop;
  RingCreateOp ring = rings.lookup(&loads);
  Location loc = loop.getLoc();
  bool isUnified = loopPlan.mode == PipelineMode::Unified;
  // A while loop has one prologue for all rings.
  CurrentUse now = current.lookup(&loads);
  if (!now.variable) {
    now.variable = indices.create(getEntry(), loc);
    if (isUnified)
      emitPrologue(loopPlan, loads, ring, now.variable);
  }
  if (previous)
    rewriter.setInsertionPointAfter(previous);
  else
    rewriter.setInsertionPointToStart(loop.getBody());
  for (LoadOp load : loads.loads)
    now.sources.push_back(getRootBuffer(load.getGlobal()));
  now.use = RunningIndices::read(rewriter, loc, now.variable);
  if (isUnified)
    startAhead(loopPlan, loads, ring, now.use);
  for (auto [index, buffer] : llvm::enumerate(loads.buffers))
    now.tiles.push_back(RingTileOp::create(rewriter, loc, buffer.getType(),
                                           ring, now.use, index));
  Operation *last = now.tiles.back().getDefiningOp();
  current[&loads] = std::move(now);
  return last;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Stores of parts of one buffer share the slot. The first one's wait and
/// barrier free the next slot.
void RingRewriter::rewriteStore(const LoopPlan &loopPlan,
                                const StoreRingPlan &storePlan) {
  scf::ForOp loop = loopPlan.loop;
  StoreOp first = storePlan.store;
  Location loc = first.getLoc();
  TransferScope scope = first.getScope();
  RingCreateOp ring = createRing(loc, scope, SlotRelease::EmptyBarrier,
                                 storePlan.stages, storePlan.buffer);
  Value variable = indices.create(getEntry(), loc);
  rewriter.setInsertionPointToStart(loop.getBody());
  Value use = RunningIndices::read(rewriter, loc, variable);
  Value tile = RingTileOp::create(rewriter, loc, storePlan.buffer.getType(),
                                  ring, use, 0);
  redirect(storePlan.buffer, loop, tile);
  rewriter.setInsertionPoint(first);
  // The barrier also frees the next slot, because its store has read it.
  RingWaitStoresOp::create(rewriter, loc, GroupWait::Read, storePlan.stages - 2,
                           scope);
  SmallVector<StoreOp> stores = {first};
  stores.append(storePlan.others);
  for (StoreOp store : stores) {
    rewriter.setInsertionPoint(store);
    RingSyncOp::create(rewriter, store.getLoc(), scope);
    emitSubmit(store, store.getTile());
  }
  RunningIndices::write(rewriter, loc, variable,
                        addConstant(rewriter, loc, use, 1));
  for (StoreOp store : stores)
    rewriter.eraseOp(store);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Puts what `branch` holds in its place.
static void unguard(IRRewriter &rewriter, scf::IfOp branch) {
  rewriter.eraseOp(branch.thenYield());
  rewriter.inlineBlockBefore(branch.thenBlock(), branch);
  rewriter.eraseOp(branch);
}

/// Splits the loop where the loads that run farthest ahead end. The first part
/// needs no condition for these loads, and the second part has none of them.
void RingRewriter::peelEpilogue(const LoopPlan &loopPlan) {
  OpBuilder::InsertionGuard guard(rewriter);
  scf::ForOp steady = loopPlan.loop;
  int64_t farthest = loopPlan.getPrefetch();
  Location loc = steady.getLoc();
  Value step = steady.getStep();
  rewriter.setInsertionPoint(steady);
  // Where the steady loop stops, found without a division.
  Value next = indices.create(getEntry(), loc, step.getType());
  RunningIndices::write(rewriter, loc, next, steady.getLowerBound());
  Value end = LoopBounds(rewriter, steady, farthest).createSteadyEnd();

  IRMapping mapping;
  rewriter.setInsertionPointAfter(steady);
  Value start = RunningIndices::read(rewriter, loc, next);
  auto epilogue = cast<scf::ForOp>(rewriter.clone(*steady, mapping));
  // Loads of the copy also come before the prologues of its loops.
  for (auto [load, first] : llvm::to_vector(prologues))
    if (mapping.contains(load))
      prologues[mapping.lookup(load)] = mapping.lookup(first);
  rewriter.modifyOpInPlace(steady, [&] { steady.setUpperBound(end); });
  rewriter.replaceUsesWithIf(
      steady.getResults(), epilogue.getResults(),
      [&](OpOperand &use) { return use.getOwner() != epilogue; });
  rewriter.modifyOpInPlace(epilogue, [&] {
    epilogue.setLowerBound(start);
    epilogue.getInitArgsMutable().assign(steady.getResults());
  });
  rewriter.setInsertionPoint(steady.getBody()->getTerminator());
  Value following =
      arith::AddIOp::create(rewriter, loc, steady.getInductionVar(), step);
  RunningIndices::write(rewriter, loc, next, following);
  for (auto [branch, prefetch] : guards) {
    if (prefetch == farthest)
      rewriter.eraseOp(mapping.lookup(branch.getOperation()));
    unguard(rewriter, branch);
  }
}

void RingRewriter::rewriteLoop(const LoopPlan &loopPlan) {
  // Stores first: what they become is then accesses to be waited for.
  for (const StoreRingPlan &store : loopPlan.stores)
    rewriteStore(loopPlan, store);
  bool hasStates = loopPlan.state && loopPlan.getPrefetch() != 0;
  if (hasStates)
    emitWhilePrologue(loopPlan);
  Operation *start = nullptr;
  for (const LoadRingPlan &loads : loopPlan.rings)
    start = startLoads(loopPlan, loads, start);
  if (hasStates) {
    rewriter.setInsertionPointAfter(start);
    SmallVector<Value> last = advanceState(loopPlan);
    rewriter.setInsertionPoint(
        scf::ForOp(loopPlan.loop).getBody()->getTerminator());
    showIncrements(loopPlan);
    shiftStates(loopPlan, last);
  }
  eraseLoads(loopPlan);
  for (const LoadRingPlan &loads : loopPlan.rings)
    rewriteAccesses(loopPlan, loads);
  scf::ForOp loop = loopPlan.loop;
  loop->removeAttr(CarouselDialect::kPipeline);
  if (loopPlan.hasPeeledEpilogue)
    peelEpilogue(loopPlan);
  guards.clear();
  if (isRotatedWhile(loop))
    restoreWhile(loopPlan);
}
