//===- PartLoop.cpp - parts of sums in flight across iterations -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PartLoop.h.
//
//===----------------------------------------------------------------------===//

#include "PartLoop.h"

#include "IssueProducts.h"
#include "ValueOrder.h"

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Rings/ProductRotation.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

/// Iterations whose slots are in use at once.
static constexpr int64_t kIterations = 2;
static constexpr const char *kOtherReleases =
    "an iteration releases other slots than those that it waits for";
static constexpr const char *kOtherFills =
    "producers don't fill all slots of an iteration in one block";
/// Registers of the largest thread for both parts' sums and for what the loop
/// carries; others have addresses.
static constexpr int64_t kMostRegisters = 208;

static int64_t countRegistersOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? countRegisters(vector.getNumElements(),
                                 vector.getElementTypeBitWidth())
                : 0;
}

PartLoop::PartLoop(scf::ForOp loop) : loop(loop) { reason = read(); }

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::string PartLoop::read() {
  int64_t count = 0;
  loop->walk([&](MultiplyOp op) {
    ++count;
    product = op;
  });
  if (count != 1 || product->getBlock() != loop.getBody())
    return "the loop has several products";
  if (product.getPromote() || !addsToZero(product))
    return "it doesn't begin at zero";
  if (product.hasRegisters())
    return "a factor is in registers";
  if (loop.getUnsignedCmp())
    return "the loop's bounds are unsigned";
  int64_t registers = 2 * countRegistersOf(product.getSums().getType());
  for (Value carried : loop.getInitArgs())
    registers += countRegistersOf(carried.getType());
  if (registers > kMostRegisters)
    return "the sums of two parts, and what the loop carries, need " +
           std::to_string(registers) + " registers of " +
           std::to_string(kMostRegisters);
  for (OpOperand *tile : product.getConsumedTiles())
    if (!tile->get().getDefiningOp<RingTileOp>())
      return "a factor isn't in a ring";
  if (std::string why = readSlots(); !why.empty())
    return why;
  if (std::string why = readFirst(); !why.empty())
    return why;
  return readRest();
}

/// The next iteration's slots are waited for before this one's are released.
std::string PartLoop::readSlots() {
  llvm::MapVector<Value, SmallVector<Value>> waited, released;
  for (Operation &op : *loop.getBody())
    if (auto wait = dyn_cast<RingWaitOp>(op))
      waited[wait.getRing()].push_back(wait.getUse());
    else if (auto release = dyn_cast<RingReleaseOp>(op))
      released[release.getRing()].push_back(release.getUse());
  for (auto &[ring, uses] : waited) {
    if (std::string why = explainFilling(ring, loop); !why.empty())
      return why;
    int64_t stages = cast<RingType>(ring.getType()).getStages(),
            needed = kIterations * int64_t(uses.size());
    if (stages < needed)
      return "two iterations need " + std::to_string(needed) +
             " slots, and its ring has " + std::to_string(stages);
    if (released.lookup(ring) != uses)
      return kOtherReleases;
  }
  for (auto &[ring, uses] : released)
    if (!waited.contains(ring))
      return kOtherReleases;
  return readFillsOfSeveral(waited);
}

/// Producers that fill a ring ahead of another may wait for a slot before they
/// fill what the next iteration waits for.
std::string PartLoop::readFillsOfSeveral(
    const llvm::MapVector<Value, SmallVector<Value>> &waited) {
  if (waited.size() < 2)
    return {};
  Block *fills = nullptr;
  for (auto &[ring, uses] : waited) {
    size_t count = 0;
    for (Operation *user : ring.getUsers()) {
      if (isa<RingWaitOp>(user) && user->getBlock() != loop.getBody())
        return "one of its rings is waited for elsewhere, too";
      if (!isa<RingProduceOp>(user))
        continue;
      ++count;
      if (!fills)
        fills = user->getBlock();
      if (user->getBlock() != fills)
        return kOtherFills;
    }
    if (count != uses.size())
      return kOtherFills;
  }
  return {};
}

std::string PartLoop::readFirst() {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.getBody();
  };
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == loop.getBody())
      (void)getBackwardSlice(op, &first, options);
  };
  for (Value operand : product->getOperands())
    add(operand);
  for (auto wait : loop.getBody()->getOps<RingWaitOp>()) {
    add(wait.getUse());
    first.insert(wait);
  }
  // Carried values that these need are early, with all that they need.
  isEarly.assign(loop.getNumRegionIterArgs(), false);
  for (bool hasMore = true; hasMore;) {
    hasMore = false;
    for (unsigned number = 0; number < isEarly.size(); ++number) {
      Value argument = loop.getRegionIterArg(number);
      if (isEarly[number] || llvm::none_of(first, [&](Operation *op) {
            return llvm::is_contained(op->getOperands(), argument);
          }))
        continue;
      isEarly[number] = hasMore = true;
      add(loop.getYieldedValues()[number]);
    }
  }
  for (Operation *op : first)
    if (op == product ||
        (!isa<RingWaitOp>(op) && (op->getNumRegions() != 0 || !isPure(op))))
      return "the product needs " + quoteName(op);
  return {};
}

std::string PartLoop::readRest() {
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool needsSums = op.walk([&](Operation *nested) {
                         return llvm::any_of(nested->getOperands(),
                                             [&](Value value) {
                                               Operation *from =
                                                   value.getDefiningOp();
                                               return from == product ||
                                                      dependents.contains(from);
                                             })
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       }).wasInterrupted();
    if (needsSums)
      dependents.insert(&op);
    if (isa<MultiplyOp, RingWaitOp, RingReleaseOp>(op))
      continue;
    std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
        getEffectsRecursively(&op);
    if (!effects || llvm::any_of(*effects, [](const auto &effect) {
          return !isa<MemoryEffects::Read>(effect.getEffect());
        }))
      return "the iteration has " + quoteName(&op);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

IRMapping PartLoop::map(const Iteration &iteration) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iteration.number);
  for (auto [argument, value] :
       llvm::zip_equal(loop.getRegionIterArgs(), iteration.carried))
    if (value)
      mapping.map(argument, value);
  return mapping;
}

void PartLoop::clone(ImplicitLocOpBuilder &b, Operation *op,
                     IRMapping &mapping) {
  clones.push_back(b.clone(*op, mapping));
}

SmallVector<Value> PartLoop::start(ImplicitLocOpBuilder &b,
                                   const Iteration &iteration) {
  IRMapping mapping = map(iteration);
  for (Operation &op : loop.getBody()->without_terminator())
    if (first.contains(&op))
      clone(b, &op, mapping);
  auto own = cast<MultiplyOp>(b.clone(*product, mapping));
  ValueRange registers =
      WgmmaFenceOp::create(b, startSums(b, own), /*renews=*/false).getResults();
  SmallVector<Value> sums =
      issueProducts(b, own, registers, /*factor=*/{}, getAllInstructions(own));
  WgmmaCommitOp::create(b);
  own.erase();
  return sums;
}

PartLoop::Iteration PartLoop::advance(ImplicitLocOpBuilder &b,
                                      const Iteration &iteration) {
  IRMapping mapping = map(iteration);
  for (Operation &op : loop.getBody()->without_terminator())
    if (first.contains(&op) && !isa<RingWaitOp>(op))
      clone(b, &op, mapping);
  Iteration next;
  next.number = arith::AddIOp::create(b, iteration.number, loop.getStep());
  for (auto [number, yielded] : llvm::enumerate(loop.getYieldedValues()))
    next.carried.push_back(isEarly[number] ? mapping.lookupOrDefault(yielded)
                                           : Value());
  return next;
}

SmallVector<Value> PartLoop::complete(ImplicitLocOpBuilder &b,
                                      const Iteration &iteration,
                                      ValueRange registers, int64_t pending,
                                      ValueRange earlier) {
  IRMapping mapping = map(iteration);
  // What doesn't need the sums, as the loads of scales, comes before the wait.
  SmallVector<Operation *> behind;
  size_t lastRead = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<RingWaitOp>(op) || &op == product)
      continue;
    if (auto release = dyn_cast<RingReleaseOp>(op)) {
      // As early as what reads tiles lets it be.
      behind.insert(behind.begin() + lastRead, release);
      ++lastRead;
    } else if (dependents.contains(&op)) {
      behind.push_back(&op);
      if (!isMemoryEffectFree(&op))
        lastRead = behind.size();
    } else {
      clone(b, &op, mapping);
    }
  }
  keepOrder(b, earlier);
  auto wait = WgmmaWaitOp::create(b, pending, registers);
  mapping.map(product.getResult(),
              joinSums(b, wait.getResults(),
                       cast<VectorType>(product.getSums().getType())));
  for (Operation *op : behind)
    clone(b, op, mapping);
  return llvm::map_to_vector(loop.getYieldedValues(), [&](Value yielded) {
    return mapping.lookupOrDefault(yielded);
  });
}

void PartLoop::keepOrder(ImplicitLocOpBuilder &b, ValueRange carried) {
  for (auto [yielded, value] : llvm::zip(loop.getYieldedValues(), carried))
    if (dependents.contains(yielded.getDefiningOp()) &&
        getElementTypeOrSelf(value.getType()).isF32())
      return orderBehind(b, value);
}

Value PartLoop::isBefore(ImplicitLocOpBuilder &b, Value number) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, number,
                               loop.getUpperBound());
}

void PartLoop::writeLast(ImplicitLocOpBuilder &b, const Iteration &iteration,
                         ValueRange registers) {
  Iteration next = advance(b, iteration);
  auto branch =
      scf::IfOp::create(b, loop.getResultTypes(), isBefore(b, next.number),
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> others = start(b, next);
    next.carried = complete(b, iteration, registers, /*pending=*/1);
    scf::YieldOp::create(
        b, complete(b, next, others, /*pending=*/0, next.carried));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, complete(b, iteration, registers, /*pending=*/0));
  }
  scf::YieldOp::create(b, branch.getResults());
}

void PartLoop::rewrite() {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  auto branch = scf::IfOp::create(b, loop.getResultTypes(),
                                  isBefore(b, loop.getLowerBound()),
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loop.getInitArgs());
  b.setInsertionPointToStart(branch.thenBlock());
  Iteration begin{loop.getLowerBound(), SmallVector<Value>(loop.getInitArgs())};
  SmallVector<Value> inits = {begin.number};
  llvm::append_range(inits, begin.carried);
  llvm::append_range(inits, start(b, begin));
  // Two iterations at a time, while a third one follows.
  Value two = arith::AddIOp::create(b, loop.getStep(), loop.getStep());
  Value end = arith::SubIOp::create(b, loop.getUpperBound(), two);
  auto made = scf::ForOp::create(b, loop.getLowerBound(), end, two, inits);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  auto split = [&](ValueRange values) {
    size_t count = loop.getNumRegionIterArgs();
    return std::pair(
        Iteration{values.front(), SmallVector<Value>(values.slice(1, count))},
        values.drop_front(1 + count));
  };
  {
    OpBuilder::InsertionGuard guard(b);
    if (!made.getBody()->empty())
      made.getBody()->back().erase();
    b.setInsertionPointToEnd(made.getBody());
    auto [current, registers] = split(made.getRegionIterArgs());
    Iteration next = advance(b, current);
    SmallVector<Value> others = start(b, next);
    next.carried = complete(b, current, registers, /*pending=*/1);
    Iteration later = advance(b, next);
    SmallVector<Value> sums = start(b, later);
    later.carried = complete(b, next, others, /*pending=*/1, next.carried);
    SmallVector<Value> yields = {later.number};
    llvm::append_range(yields, later.carried);
    llvm::append_range(yields, sums);
    scf::YieldOp::create(b, yields);
  }
  auto [last, registers] = split(made.getResults());
  writeLast(b, last, registers);
  loop.replaceAllUsesWith(branch.getResults());
  loop.erase();
  for (Operation *op : llvm::reverse(clones))
    if (isOpTriviallyDead(op))
      op->erase();
}
