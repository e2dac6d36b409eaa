//===- FoldPrologues.cpp - fold prologues into main loops -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prologue is a loop that fills a ring's first uses, before the loop that
// fills the later ones. If a fill is large, its code exists once: the first
// iteration of the main loop starts the loads of all iterations up to the one
// that it runs ahead to. docs/Rings.md has the IR before and after.
//
// A prologue that stays, and that has the first uses of its ring, needs no
// waits.
//
//===----------------------------------------------------------------------===//

#include "FoldPrologues.h"

#include "IssueTransfers.h"
#include "LoopAnnotations.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "carousel-lower-rings"

using namespace mlir;
using namespace carousel;

namespace {

/// A prologue, and the branch that does in a loop what it does.
struct Fills {
  scf::ForOp prologue;
  scf::ForOp loop;
  scf::IfOp branch;
  RingProduceOp first; ///< in the prologue
  RingProduceOp later; ///< in the branch
  BlockArgument use;   ///< of the loop: the one that is waited for
  int64_t ahead;       ///< iterations
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
  // The costs of a division by a number that isn't known.
  constexpr int64_t kDivision = 64, kNarrowDivision = 16;
  int64_t code = 0;
  body.walk([&](Operation *op) {
    APInt divisor;
    if (auto load = dyn_cast<RingLoadOp>(op))
      code += estimateCode(load, plan);
    else if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                 arith::RemUIOp>(op) &&
             !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)))
      code += op->getResult(0).getType().isInteger(32) ? kNarrowDivision
                                                       : kDivision;
    else if (!op->hasTrait<OpTrait::ConstantLike>())
      ++code;
  });
  return code;
}

/// One of the threads that use the ring fills its slots, and the barrier counts
/// what it issues. In a role of its own a fill that waits for a slot, of any
/// ring, could wait for who waits for the fills that come later now.
static bool isFilledByLeader(const PlannedRing &planned) {
  return planned.producers == planned.consumers && planned.leaderArrives &&
         !planned.cpAsyncArrives && !planned.storesArrive &&
         !planned.syncsWarpWhenFilled && !planned.groups;
}

/// One thread may do it for itself: shuffles are pure, too.
static bool isArithmetic(Operation *op) {
  return isPure(op) &&
         (isa<RingTileOp>(op) ||
          isa<arith::ArithDialect, affine::AffineDialect, index::IndexDialect,
              memref::MemRefDialect>(op->getDialect()));
}

/// Whether fills of `ring` may be started behind `op` instead of before it:
/// nothing in it waits for them, nor writes what they read.
static bool mayPass(Operation *op, Value ring) {
  WalkResult result = op->walk([&](Operation *inner) {
    bool isPassed =
        isa<RingProduceOp, RingLoadOp, RingWaitStoresOp, RingSyncOp>(inner) ||
        inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isMemoryEffectFree(inner);
    auto produce = dyn_cast<RingProduceOp>(inner);
    return isPassed && !(produce && produce.getRing() == ring)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether the loop does nothing but to fill uses.
static bool isAlone(RingProduceOp produce, scf::ForOp loop) {
  return llvm::all_of(loop.getBody()->without_terminator(), [&](Operation &op) {
    return &op == produce || isArithmetic(&op);
  });
}

/// Finds the loop in front of `fills.loop` that makes its ring's first fills,
/// and nothing else.
static LogicalResult findPrologue(Fills &fills) {
  for (Operation *op = fills.loop->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      for (auto produce : loop.getOps<RingProduceOp>())
        if (produce.getAhead() == fills.later.getAhead() &&
            produce.getRing() == fills.later.getRing()) {
          fills.prologue = loop;
          fills.first = produce;
        }
    if (fills.prologue)
      break;
    if (!mayPass(op, fills.later.getRing()))
      return failure();
  }
  scf::ForOp prologue = fills.prologue, loop = fills.loop;
  if (!prologue)
    return failure();
  return success(isAlone(fills.first, prologue) && prologue->use_empty() &&
                 prologue.getLowerBound() == loop.getLowerBound() &&
                 prologue.getStep() == loop.getStep() &&
                 prologue.getUnsignedCmp() == loop.getUnsignedCmp());
}

/// Whether `argument` of the loop grows by one in each iteration.
static bool isCounter(scf::ForOp loop, BlockArgument argument) {
  auto add = loop.getTiedLoopYieldedValue(argument)
                 ->get()
                 .getDefiningOp<arith::AddIOp>();
  return add && add.getLhs() == argument && matchPattern(add.getRhs(), m_One());
}

/// Whether the branch's fill is that of the loop's use `ahead` uses later, and
/// the prologue begins with the loop's first use.
static bool hasSameUses(Fills &fills) {
  auto add = fills.later.getUse().getDefiningOp<arith::AddIOp>();
  APInt distance;
  if (!add || !matchPattern(add.getRhs(), m_ConstantInt(&distance)) ||
      distance != fills.ahead || fills.prologue.getNumRegionIterArgs() != 1)
    return false;
  fills.use = dyn_cast<BlockArgument>(add.getLhs());
  BlockArgument first = fills.prologue.getRegionIterArg(0);
  return fills.use && fills.use.getOwner() == fills.loop.getBody() &&
         fills.use != fills.loop.getInductionVar() &&
         isCounter(fills.loop, fills.use) && fills.first.getUse() == first &&
         isCounter(fills.prologue, first) &&
         fills.prologue.getInitArgs()[0] ==
             fills.loop.getTiedLoopInit(fills.use)->get();
}

static SmallVector<RingLoadOp> getLoads(RingProduceOp produce) {
  SmallVector<RingLoadOp> loads;
  produce.walk([&](RingLoadOp load) { loads.push_back(load); });
  return loads;
}

/// Whether the two load the same tiles in the same way.
static bool hasSameLoads(Fills &fills, const RingBarrierPlan &plan) {
  SmallVector<RingLoadOp> first = getLoads(fills.first),
                          later = getLoads(fills.later);
  return first.size() == later.size() &&
         llvm::all_of(llvm::zip_equal(first, later), [&](auto loads) {
           auto [one, other] = loads;
           return one->getAttrDictionary() == other->getAttrDictionary() &&
                  one.getGlobal().getType() == other.getGlobal().getType() &&
                  one.getTile().getType() == other.getTile().getType() &&
                  plan.shapes.at(one).hasGroupsOf(plan.shapes.at(other));
         });
}

/// Matches fills that can be folded with `produce`, if that is worth it.
static std::optional<Fills>
matchFills(RingProduceOp produce, const RingBarrierPlan &plan, int64_t least) {
  Fills fills;
  fills.later = produce;
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
    auto storeWait = dyn_cast<RingWaitStoresOp>(op);
    bool isByLeader = storeWait && storeWait.getScope() == ring.getScope();
    if (&op != produce && !isByLeader && !isArithmetic(&op))
      return std::nullopt;
  }
  Operation *before = fills.branch->getPrevNode();
  for (Operation *op = before; op; op = op->getPrevNode())
    if (!mayPass(op, produce.getRing()))
      return std::nullopt;
  if (failed(findPrologue(fills)))
    return std::nullopt;
  int64_t code = estimateCode(fills.prologue.getRegion(), plan);
  LDBG() << fills.prologue.getLoc() << ": a fill takes about " << code
         << " instructions, folded from " << least;
  if (code < least || !hasSameUses(fills) || !hasSameLoads(fills, plan))
    return std::nullopt;
  return fills;
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

/// Joins the plans of the two fills' boxes, which hold for those of both.
static void joinPlans(Fills &fills, RingBarrierPlan &plan) {
  for (auto [first, later] :
       llvm::zip_equal(getLoads(fills.first), getLoads(fills.later))) {
    plan.shapes.at(first).join(plan.shapes.at(later));
    if (plan.orderedEnds.contains(later))
      plan.orderedEnds.insert(first);
    if (!plan.asyncEnds.contains(later))
      plan.asyncEnds.erase(first);
    plan.shapes.erase(later);
    plan.orderedEnds.erase(later);
    plan.asyncEnds.erase(later);
  }
}

/// Replaces the branch by the prologue's body, in a loop that runs once where
/// the branch was taken, and in the first iteration for the prologue before.
/// The threads of which `isIssuing` holds, or all if it is null, start the
/// loads.
static void foldInto(Fills &fills, Value isIssuing) {
  scf::ForOp loop = fills.loop, prologue = fills.prologue;
  scf::IfOp branch = fills.branch;
  ImplicitLocOpBuilder outside(loop.getLoc(), loop);
  Type type = loop.getInductionVar().getType();
  Value distance = createFolded<arith::MulIOp>(
      outside, loop.getStep(), createConstant(outside, type, fills.ahead));

  ImplicitLocOpBuilder b(branch.getLoc(), branch);
  scf::IfOp issue;
  if (isIssuing) {
    issue = scf::IfOp::create(b, isIssuing, /*withElseRegion=*/false);
    b.setInsertionPointToStart(issue.thenBlock());
  }
  Value variable = loop.getInductionVar(), isAhead = branch.getCondition();
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, variable,
                                        loop.getLowerBound());
  // Sums are looked at only where they don't leave the type: before the end.
  Value ahead = createFolded<arith::AddIOp>(b, variable, distance);
  Value next = arith::SelectOp::create(b, isAhead, ahead, loop.getUpperBound());
  Value begin = arith::SelectOp::create(b, isFirst, variable, next);
  Value behind = createFolded<arith::AddIOp>(b, ahead, 1);
  Value end = arith::SelectOp::create(b, isAhead, behind, loop.getUpperBound());
  Value use = arith::SelectOp::create(
      b, isFirst, fills.use,
      createFolded<arith::AddIOp>(b, fills.use, fills.ahead));

  // The prologue itself, by whose ops the plan knows what they do.
  if (issue)
    prologue->moveBefore(issue.thenBlock()->getTerminator());
  else
    prologue->moveBefore(branch);
  prologue.setLowerBound(begin);
  prologue.setUpperBound(end);
  prologue.getInitArgsMutable().assign(use);
  for (auto storeWait : llvm::make_early_inc_range(
           branch.thenBlock()->getOps<RingWaitStoresOp>()))
    storeWait->moveBefore(fills.first);
  branch.erase();
  // Peeling the first iteration would make two of it again.
  forbidUnrolling(prologue);
  if (!loop->hasAttr(kLoopAnnotation))
    forbidUnrolling(loop);
}

unsigned carousel::foldPrologues(RingKernel &kernel, ThreadValues &threads,
                                 int64_t least) {
  RingBarrierPlan &plan = kernel.plan;
  SmallVector<RingProduceOp> produces;
  kernel.func.walk([&](RingProduceOp produce) {
    if (produce.getAhead())
      produces.push_back(produce);
  });
  unsigned folded = 0;
  for (RingProduceOp produce : produces) {
    std::optional<Fills> fills = matchFills(produce, plan, least);
    LDBG() << produce.getLoc() << ": prologue " << (fills ? "folded" : "kept");
    if (!fills)
      continue;
    joinPlans(*fills, plan);
    const PlannedRing &planned = plan.lookup(produce.getRing());
    RingCreateOp ring = planned.ring;
    foldInto(*fills,
             isFilledByWarp(fills->first, plan)
                 ? threads.getIssuingWarp(planned.producers, ring.getScope())
                 : threads.getLeader(planned.producers, ring.getScope()));
    ++folded;
  }
  return folded;
}

//===----------------------------------------------------------------------===//
// Prologues that stay
//===----------------------------------------------------------------------===//

/// Whether the loop counts the uses that it fills from the ring's first one,
/// and runs once in a kernel.
static bool countsFromFirst(RingProduceOp produce, scf::ForOp loop) {
  auto use = dyn_cast<BlockArgument>(produce.getUse());
  return use && use.getOwner() == loop.getBody() &&
         use != loop.getInductionVar() && isCounter(loop, use) &&
         matchPattern(loop.getTiedLoopInit(use)->get(), m_Zero()) &&
         !loop->getParentOfType<LoopLikeOpInterface>();
}

namespace {

/// The bound of a loop's end by how it is computed: a sum of its begin and so
/// many steps, or less (RewriteLoops.cpp makes them so). A sum that leaves its
/// type is less than the true one, since no distance is negative.
class MostIterations {
public:
  MostIterations(scf::ForOp loop, int64_t most)
      : loop(loop), most(most), isSigned(!loop.getUnsignedCmp()) {}

  bool hold() {
    return isAtMost(loop.getUpperBound(),
                    [&](Value end) { return isEnd(end); });
  }

private:
  /// The constant in 128 bits, in which nothing overflows.
  std::optional<APInt> getConstant(Value value) {
    APInt constant;
    if (!matchPattern(value, m_ConstantInt(&constant)))
      return std::nullopt;
    return isSigned ? constant.sext(128) : constant.zext(128);
  }
  bool isSame(Value value, Value other) {
    std::optional<APInt> constant = getConstant(value);
    return value == other || (constant && constant == getConstant(other));
  }
  /// Two values of which the result is no larger than either.
  std::optional<std::pair<Value, Value>> getLeast(Value value) {
    Operation *op = value.getDefiningOp();
    bool isLeast =
        op && (isSigned ? isa<arith::MinSIOp>(op) : isa<arith::MinUIOp>(op));
    if (!isLeast)
      return std::nullopt;
    return std::pair(op->getOperand(0), op->getOperand(1));
  }

  /// Whether one of the numbers that a value is at most has a property.
  bool isAtMost(Value value, function_ref<bool(Value)> isSought) {
    auto isLeast = [&](Value inner) { return getLeast(inner).has_value(); };
    return isComputedOf(value, isLeast, [&](Value inner) {
      return !isLeast(inner) && isSought(inner);
    });
  }
  bool isEnd(Value end) {
    std::optional<APInt> begin = getConstant(loop.getLowerBound()),
                         constant = getConstant(end);
    if (begin && constant)
      return isShort(*constant - *begin);
    auto add = end.getDefiningOp<arith::AddIOp>();
    if (!add)
      return begin && begin->isZero() && isDistance(end);
    return (isBegin(add.getLhs()) && isDistance(add.getRhs())) ||
           (isBegin(add.getRhs()) && isDistance(add.getLhs()));
  }
  bool isBegin(Value value) {
    return isAtMost(value, [&](Value inner) {
      return isSame(inner, loop.getLowerBound());
    });
  }
  bool isShort(const APInt &distance) {
    std::optional<APInt> step = getConstant(loop.getStep());
    return step && distance.sle(*step * APInt(128, most));
  }
  bool isDistance(Value distance) {
    if (std::optional<APInt> constant = getConstant(distance))
      return constant->isNonNegative() && isShort(*constant);
    if (isStep(distance))
      return true;
    auto multiply = distance.getDefiningOp<arith::MulIOp>();
    std::optional<APInt> factor =
        multiply ? getConstant(multiply.getRhs()) : std::nullopt;
    return factor && factor->isNonNegative() && factor->sle(APInt(128, most)) &&
           isStep(multiply.getLhs());
  }
  bool isStep(Value value) {
    while (auto least = getLeast(value)) {
      std::optional<APInt> cap = getConstant(least->second);
      if (!cap || !cap->isNonNegative())
        return false;
      value = least->first;
    }
    return isSame(value, loop.getStep());
  }

  scf::ForOp loop;
  int64_t most;
  bool isSigned;
};

} // namespace

void carousel::findFirstRounds(RingKernel &kernel, RingSlots &slots) {
  kernel.func.walk([&](RingProduceOp produce) {
    const PlannedRing &planned = kernel.plan.lookup(produce.getRing());
    auto loop = dyn_cast<scf::ForOp>(produce->getParentOp());
    int64_t stages = produce.getRing().getType().getStages();
    // Other threads could hand slots back while these go on.
    if (!loop || !(planned.producers == planned.consumers) ||
        !isAlone(produce, loop) || !countsFromFirst(produce, loop) ||
        !MostIterations(loop, stages).hold())
      return;
    ImplicitLocOpBuilder b(produce.getLoc(), loop);
    slots.setFirstRound(stages, produce.getUse(),
                        createConstant(b, b.getI1Type(), 0));
  });
}
