//===- FoldPrologues.cpp - first fills in the loop that fills on ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring's first uses are filled by a loop in front of the one that fills the
// later ones. Where a fill is much code it stands once: the first iteration
// starts the loads of all iterations up to the one that it runs ahead to.
// docs/Rings.md has the IR before and after.
//
//===----------------------------------------------------------------------===//

#include "LoopAnnotations.h"
#include "RingLowering.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

namespace {

/// A prologue, and the branch that repeats in a loop what it does.
struct Fills {
  scf::ForOp prologue;
  scf::ForOp loop;
  scf::IfOp branch;
  RingProduceOp produce; ///< in the branch
  int64_t ahead;         ///< iterations
  /// Of the loop's body, what the branch's ops are computed from.
  SmallVector<Operation *> slice;
  /// Those of the loop's variables that the fill needs, and their steps.
  SmallVector<std::pair<BlockArgument, APInt>> carried;
};

} // namespace

//===----------------------------------------------------------------------===//
// Prologues that can be folded
//===----------------------------------------------------------------------===//

/// About how many instructions the issuing thread needs for a load.
static int64_t estimateCode(RingLoadOp load, const RingBarrierPlan &plan) {
  // Code for both cases, with loops over elements.
  constexpr int64_t kClippedCopy = 32;
  constexpr int64_t kBox = 4;
  if (load.getEngineAttr().getKind() == EngineKind::Tensor)
    return kBox * getTensorBoxes(load);
  return plan.shapes.at(load).isInside() ? kBox : kClippedCopy;
}

/// And for a fill.
static int64_t estimateCode(Region &body, const RingBarrierPlan &plan) {
  // Of 64 bits, by a number that isn't known.
  constexpr int64_t kDivision = 64;
  int64_t code = 0;
  body.walk([&](Operation *op) {
    APInt divisor;
    if (auto load = dyn_cast<RingLoadOp>(op))
      code += estimateCode(load, plan);
    else if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                 arith::RemUIOp>(op) &&
             !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)))
      code += kDivision;
    else if (!op->hasTrait<OpTrait::ConstantLike>())
      ++code;
  });
  return code;
}

/// One thread fills the ring's slots, and the barrier counts what it issues.
static bool isFilledByLeader(const PlannedRing &planned) {
  return planned.leaderArrives && !planned.cpAsyncArrives &&
         !planned.storesArrive && !planned.meetsWhenFilled && !planned.groups;
}

/// Whether fills of `ring` may be started behind `op` instead of before it:
/// nothing in it waits for them, nor writes what they read.
static bool mayPass(Operation *op, Value ring) {
  WalkResult result = op->walk([&](Operation *inner) {
    bool isPassed =
        isa<RingProduceOp, RingLoadOp, RingDrainOp, RingSyncOp>(inner) ||
        inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isMemoryEffectFree(inner);
    auto produce = dyn_cast<RingProduceOp>(inner);
    return isPassed && !(produce && produce.getRing() == ring)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// The loop in front of `fills.loop` that makes its ring's first fills, if
/// there is nothing else in it.
static scf::ForOp findPrologue(const Fills &fills) {
  scf::ForOp loop = fills.loop;
  RingProduceOp produce = fills.produce;
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    auto prologue = dyn_cast<scf::ForOp>(op);
    RingProduceOp first;
    if (prologue)
      for (auto inner : prologue.getOps<RingProduceOp>())
        if (inner.getAhead() == produce.getAhead() &&
            inner.getRing() == produce.getRing())
          first = inner;
    if (!first) {
      if (!mayPass(op, produce.getRing()))
        return {};
      continue;
    }
    bool isAlone = llvm::all_of(
        prologue.getBody()->without_terminator(),
        [&](Operation &inner) { return &inner == first || isPure(&inner); });
    bool isSame = prologue.getLowerBound() == loop.getLowerBound() &&
                  prologue.getStep() == loop.getStep() &&
                  prologue.getUnsignedCmp() == loop.getUnsignedCmp();
    return isAlone && isSame && prologue->use_empty() ? prologue : scf::ForOp();
  }
  return {};
}

/// What `argument` of the loop grows by in each iteration.
static std::optional<APInt> getGrowth(scf::ForOp loop, BlockArgument argument) {
  auto add = loop.getTiedLoopYieldedValue(argument)
                 ->get()
                 .getDefiningOp<arith::AddIOp>();
  APInt growth;
  if (!add || add.getLhs() != argument ||
      !matchPattern(add.getRhs(), m_ConstantInt(&growth)))
    return std::nullopt;
  return growth;
}

/// Finds what in the loop's body the branch's ops use. Fails where it isn't
/// arithmetic on the iteration.
static LogicalResult findSlice(Fills &fills) {
  DenseSet<Value> used;
  auto addOperands = [&](Operation *op) {
    op->walk(
        [&](Operation *inner) { used.insert_range(inner->getOperands()); });
  };
  for (Operation &op : *fills.branch.thenBlock())
    addOperands(&op);
  auto isUsed = [&](Value value) { return used.contains(value); };
  Operation *before = fills.branch->getPrevNode();
  for (Operation *op = before; op; op = op->getPrevNode()) {
    if (!llvm::any_of(op->getResults(), isUsed))
      continue;
    if (!isPure(op))
      return failure();
    addOperands(op);
    fills.slice.push_back(op);
  }
  std::reverse(fills.slice.begin(), fills.slice.end());
  for (BlockArgument argument : fills.loop.getRegionIterArgs()) {
    if (!isUsed(argument))
      continue;
    std::optional<APInt> growth = getGrowth(fills.loop, argument);
    if (!growth)
      return failure();
    fills.carried.emplace_back(argument, *growth);
  }
  return success();
}

/// Whether the branch's fill is that of the loop's use `ahead` uses later, and
/// the prologue begins with the loop's first use.
static bool hasSameUses(Fills &fills) {
  auto add = fills.produce.getUse().getDefiningOp<arith::AddIOp>();
  APInt distance;
  if (!add || !matchPattern(add.getRhs(), m_ConstantInt(&distance)) ||
      distance != fills.ahead)
    return false;
  auto use = dyn_cast<BlockArgument>(add.getLhs());
  if (!use || use.getOwner() != fills.loop.getBody() ||
      use == fills.loop.getInductionVar() ||
      fills.prologue.getNumRegionIterArgs() != 1)
    return false;
  RingProduceOp first = *fills.prologue.getOps<RingProduceOp>().begin();
  BlockArgument firstUse = fills.prologue.getRegionIterArg(0);
  std::optional<APInt> growth = getGrowth(fills.loop, use);
  return growth && *growth == 1 && first.getUse() == firstUse &&
         getGrowth(fills.prologue, firstUse) == growth &&
         fills.prologue.getInitArgs()[0] ==
             fills.loop.getTiedLoopInit(use)->get();
}

/// What can be folded with `produce`, if that is worth it.
static std::optional<Fills>
matchFills(RingProduceOp produce, const RingBarrierPlan &plan, int64_t least) {
  Fills fills;
  fills.produce = produce;
  fills.branch = dyn_cast<scf::IfOp>(produce->getParentOp());
  fills.loop = fills.branch ? dyn_cast<scf::ForOp>(fills.branch->getParentOp())
                            : scf::ForOp();
  const PlannedRing &planned = plan.lookup(produce.getRing());
  RingCreateOp ring = planned.ring;
  if (!fills.loop || !produce.getAhead() || fills.branch.elseBlock() ||
      !isFilledByLeader(planned))
    return std::nullopt;
  fills.ahead = *produce.getAhead();
  for (Operation &op : fills.branch.thenBlock()->without_terminator()) {
    auto drain = dyn_cast<RingDrainOp>(op);
    bool isByLeader = drain && drain.getScope() == ring.getScope();
    if (&op != produce && !isByLeader && !isPure(&op))
      return std::nullopt;
  }
  Operation *before = fills.branch->getPrevNode();
  for (Operation *op = before; op; op = op->getPrevNode())
    if (!mayPass(op, produce.getRing()))
      return std::nullopt;
  fills.prologue = findPrologue(fills);
  if (!fills.prologue ||
      estimateCode(fills.prologue.getRegion(), plan) < least ||
      !hasSameUses(fills) || failed(findSlice(fills)))
    return std::nullopt;
  return fills;
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

/// Values of an iteration of the folded loop: those that the variables have
/// `ahead` iterations before the one whose loads are started.
static IRMapping mapVariables(ImplicitLocOpBuilder &b, const Fills &fills,
                              Value distance, scf::ForOp folded) {
  scf::ForOp loop = fills.loop;
  IRMapping mapping;
  mapping.map(
      loop.getInductionVar(),
      createFolded<arith::SubIOp>(b, folded.getInductionVar(), distance));
  for (auto [entry, argument] :
       llvm::zip_equal(fills.carried, folded.getRegionIterArgs()))
    mapping.map(entry.first,
                createFolded<arith::SubIOp>(
                    b, argument, fills.ahead * entry.second.getSExtValue()));
  return mapping;
}

/// Replaces the branch by a loop, which runs once where the branch was taken,
/// and in the first iteration makes the prologue's fills before.
static void foldInto(Fills &fills, Value leader) {
  scf::ForOp loop = fills.loop;
  scf::IfOp branch = fills.branch;
  ImplicitLocOpBuilder outside(loop.getLoc(), loop);
  Type type = loop.getInductionVar().getType();
  Value distance = createFolded<arith::MulIOp>(
      outside, loop.getStep(), createConstant(outside, type, fills.ahead));

  ImplicitLocOpBuilder b(branch.getLoc(), branch);
  auto issue = scf::IfOp::create(b, leader, /*withElseRegion=*/false);
  b.setInsertionPointToStart(issue.thenBlock());
  Value variable = loop.getInductionVar(), isAhead = branch.getCondition();
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, variable,
                                        loop.getLowerBound());
  // Sums are looked at only where they don't leave the type: before the end.
  Value ahead = createFolded<arith::AddIOp>(b, variable, distance);
  Value next = arith::SelectOp::create(b, isAhead, ahead, loop.getUpperBound());
  Value begin = arith::SelectOp::create(b, isFirst, variable, next);
  Value behind = createFolded<arith::AddIOp>(b, ahead, 1);
  Value end = arith::SelectOp::create(b, isAhead, behind, loop.getUpperBound());
  SmallVector<Value> inits;
  for (auto [argument, growth] : fills.carried) {
    Value later = createFolded<arith::AddIOp>(
        b, argument, fills.ahead * growth.getSExtValue());
    inits.push_back(arith::SelectOp::create(b, isFirst, argument, later));
  }
  auto folded =
      scf::ForOp::create(b, begin, end, loop.getStep(), inits,
                         /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  if (inits.empty())
    folded.getBody()->getTerminator()->erase();
  b.setInsertionPointToStart(folded.getBody());
  IRMapping mapping = mapVariables(b, fills, distance, folded);
  for (Operation *op : fills.slice)
    b.clone(*op, mapping);
  // The ops themselves, by which the plan knows them.
  SmallVector<Operation *> ops =
      llvm::map_to_vector(branch.thenBlock()->without_terminator(),
                          [](Operation &op) { return &op; });
  for (Operation *op : ops) {
    op->moveBefore(folded.getBody(), folded.getBody()->end());
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        operand.set(mapping.lookupOrDefault(operand.get()));
    });
  }
  b.setInsertionPointToEnd(folded.getBody());
  SmallVector<Value> yields;
  for (auto [entry, argument] :
       llvm::zip_equal(fills.carried, folded.getRegionIterArgs()))
    yields.push_back(
        createFolded<arith::AddIOp>(b, argument, entry.second.getSExtValue()));
  scf::YieldOp::create(b, yields);
  branch.erase();
  fills.prologue.erase();
  // Peeling the first iteration would make two of it again.
  forbidUnrolling(folded);
  if (!loop->hasAttr(kLoopAnnotation))
    forbidUnrolling(loop);
}

unsigned RingLowering::foldPrologues(int64_t least) {
  if (least < 0)
    return 0;
  SmallVector<RingProduceOp> produces;
  kernel.walk([&](RingProduceOp produce) {
    if (produce.getAhead())
      produces.push_back(produce);
  });
  unsigned folded = 0;
  for (RingProduceOp produce : produces) {
    std::optional<Fills> fills = matchFills(produce, plan, least);
    if (!fills)
      continue;
    fills->prologue.walk([&](Operation *op) {
      plan.shapes.erase(op);
      plan.orderedEnds.erase(op);
      plan.metProduces.erase(op);
    });
    const PlannedRing &planned = plan.lookup(produce.getRing());
    RingCreateOp ring = planned.ring;
    foldInto(*fills, getLeader(planned.producers, ring.getScope()));
    ++folded;
  }
  return folded;
}
