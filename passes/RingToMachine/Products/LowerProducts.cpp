//===- LowerProducts.cpp - products of tiles become wgmma -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-lower-products. Products of loops with producers stay in flight
// where nothing needs their sums (ProductLoop.h). Others are waited for at
// once.
//
//===----------------------------------------------------------------------===//

#include "IssueProducts.h"
#include "ProductLoop.h"
#include "ValueOrder.h"

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Rings/ProductRotation.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <string>
#include <vector>

namespace carousel {
#define GEN_PASS_DEF_LOWERPRODUCTS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Parts of sums in flight across iterations
//
// A loop whose only product begins at zero in each iteration, as one of 8-bit
// floats with scales of blocks does: threads scale its sums, and add them to
// others. An iteration starts the next one's product, and then waits for its
// own: docs/Products.md, Loops. Registers in flight stay where they are, so
// that two iterations are one of the new loop.
//===----------------------------------------------------------------------===//

namespace {

class PartLoop {
public:
  /// The loop's body has products.
  explicit PartLoop(scf::ForOp loop);

  /// Why its product can't be in flight across iterations, or an empty string.
  std::string explain() const { return reason; }
  /// Whether its product begins at zero: other loops have other reasons.
  bool isCandidate() {
    return product && addsToZero(product) && !product.getPromote();
  }
  /// The loop is replaced.
  void rewrite();

private:
  /// An iteration: its induction variable, and the values that the loop carries
  /// before it. Those that only the sums need may be null before they are
  /// known.
  struct Iteration {
    Value number;
    SmallVector<Value> carried;
  };

  std::string read();
  std::string readSlots();
  std::string
  readFillsOfSeveral(const llvm::MapVector<Value, SmallVector<Value>> &waited);
  std::string readFirst();
  std::string readRest();

  IRMapping map(const Iteration &iteration);
  void clone(ImplicitLocOpBuilder &b, Operation *op, IRMapping &mapping);
  /// Waits for the iteration's tiles, and starts its product.
  SmallVector<Value> start(ImplicitLocOpBuilder &b, const Iteration &iteration);
  /// The next iteration, without the values that the sums are needed for.
  Iteration advance(ImplicitLocOpBuilder &b, const Iteration &iteration);
  /// Waits for its product, with so many later ones in flight, and completes
  /// the iteration. Returns the values that the loop carries after it. The
  /// wait stays behind what an earlier iteration has computed.
  SmallVector<Value> complete(ImplicitLocOpBuilder &b,
                              const Iteration &iteration, ValueRange registers,
                              int64_t pending, ValueRange earlier = {});
  /// Keeps the next wait behind what threads compute of carried values.
  void keepOrder(ImplicitLocOpBuilder &b, ValueRange carried);
  Value isBefore(ImplicitLocOpBuilder &b, Value number);
  /// The iteration in flight, and what comes after it, is all that is left.
  void writeLast(ImplicitLocOpBuilder &b, const Iteration &iteration,
                 ValueRange registers);

  scf::ForOp loop;
  std::string reason;
  MultiplyOp product;
  /// Ops that lead to the product, with the waits; ops that need its sums.
  llvm::SetVector<Operation *> first, dependents;
  /// By number: whether a carried value leads to the product.
  SmallVector<bool> isEarly;
  SmallVector<Operation *> clones;
};

} // namespace

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
    if (!findSlot(tile->get()))
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
  // Ops that don't need the sums, as the loads of scales, precede the wait.
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

//===----------------------------------------------------------------------===//
// Products in flight until they are needed
//
// Products are in flight from their places to the first op that needs their
// sums, or that could let their tiles be written: a release, a store, a
// barrier. So threads compute between two products what depends on neither, and
// several products may be in flight. Products whose sums or factors are the
// same registers are one group of the machine.
//===----------------------------------------------------------------------===//

/// Whether threads may do so while products read tiles: nothing that writes
/// tiles, or lets others write them.
static bool mayPrecedeWait(Operation &op) {
  if (auto product = dyn_cast<MultiplyOp>(op))
    return !product.getPromote();
  if (isa<RingWaitOp>(op))
    return true;
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(&op);
  return effects && llvm::all_of(*effects, [](const auto &effect) {
           return isa<MemoryEffects::Read>(effect.getEffect());
         });
}

namespace {

struct Product {
  MultiplyOp op;
  /// The product adds to the sums of the one before it in the group.
  bool addsToLast = false;
  /// In flight, for each 64 rows; empty if the next product adds to them.
  SmallVector<Value> sums;
};

/// Products that are issued together, in the place of the last one, and where
/// their sums must be known. Each adds to the sums of the one before it, or has
/// its factor in the same registers.
struct Group {
  SmallVector<Product, 1> products;
  Operation *end = nullptr;
  /// Sums in other shapes, in order, and releases that come too early.
  SmallVector<Operation *> casts, releases;
  /// The registers of factors in flight.
  llvm::MapVector<Value, SmallVector<Value>> factors;

  MultiplyOp getPlace() const { return products.back().op; }
  bool has(Operation *op) const {
    return llvm::any_of(products,
                        [&](const Product &own) { return own.op == op; });
  }
};

} // namespace

/// They move with the wait.
static void collectCasts(Operation *op, SmallVectorImpl<Operation *> &casts) {
  for (Operation *user : op->getUsers())
    if (isa<vector::ShapeCastOp>(user) && user->getBlock() == op->getBlock()) {
      casts.push_back(user);
      collectCasts(user, casts);
    }
}

/// The product of the same block whose sums the op alone uses, maybe in another
/// shape, and adds to; null if there is none.
static MultiplyOp findSource(MultiplyOp op) {
  Value sums = op.getSums();
  while (auto cast = sums.getDefiningOp<vector::ShapeCastOp>()) {
    if (!sums.hasOneUse())
      return {};
    sums = cast.getSource();
  }
  auto source = sums.getDefiningOp<MultiplyOp>();
  bool isAlone = source && sums.hasOneUse() &&
                 source->getBlock() == op->getBlock() &&
                 source.getSums().getType() == op.getSums().getType();
  return isAlone ? source : MultiplyOp();
}

/// Whether threads may do so while products read tiles that they keep.
static bool mayPrecedeProducts(Operation &op) {
  return !isa<RingReleaseOp>(op) && mayPrecedeWait(op);
}

/// The rings that a product reads tiles of, null for other tiles.
static llvm::SmallDenseSet<Value> getRings(MultiplyOp op) {
  llvm::SmallDenseSet<Value> rings;
  for (OpOperand *tile : op.getConsumedTiles()) {
    auto slot = findSlot(tile->get());
    rings.insert(slot ? Value(slot.getRing()) : Value());
  }
  return rings;
}

/// Adds the op to the group if they may be issued together: nothing between
/// them needs what the group computes, or changes what it reads. Products of
/// other rings have waits of their own, so that slots are released early.
static bool join(MultiplyOp op, Group &group) {
  MultiplyOp last = group.getPlace();
  bool addsToLast = findSource(op) == last;
  bool sharesFactor = op.hasRegisters() &&
                      llvm::any_of(group.products, [&](const Product &other) {
                        MultiplyOp product = other.op;
                        return product.hasRegisters() &&
                               product.getA() == op.getA() &&
                               getRings(product) == getRings(op);
                      });
  if (!addsToLast && !sharesFactor)
    return false;
  SmallVector<Operation *> casts;
  for (const Product &product : group.products)
    collectCasts(product.op, casts);
  auto isSum = [&](Value value) {
    Operation *from = value.getDefiningOp();
    return from && (group.has(from) || llvm::is_contained(casts, from));
  };
  auto usesSum = [&](Operation *op) {
    return op
        ->walk([&](Operation *nested) {
          return llvm::any_of(nested->getOperands(), isSum)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  };
  for (Operation *between = last->getNextNode(); between != op;
       between = between->getNextNode())
    if (!llvm::is_contained(casts, between) &&
        (usesSum(between) || isa<MultiplyOp>(between) ||
         !mayPrecedeProducts(*between)))
      return false;
  if (isSum(op.getSums()) != addsToLast)
    return false;
  group.products.push_back({op, addsToLast, {}});
  return true;
}

/// Whether the product may read what is released.
static bool readsReleased(MultiplyOp op, RingReleaseOp release) {
  return llvm::any_of(op.getConsumedTiles(), [&](OpOperand *tile) {
    auto slot = findSlot(tile->get());
    return !slot || slot.getRing() == release.getRing();
  });
}

static void findEnd(Group &group) {
  MultiplyOp place = group.getPlace();
  llvm::SmallPtrSet<Operation *, 8> users;
  auto addUsers = [&](Operation *source) {
    for (Operation *user : source->getUsers())
      if (!llvm::is_contained(group.casts, user) && !group.has(user))
        users.insert(place->getBlock()->findAncestorOpInBlock(*user));
  };
  for (const Product &product : group.products)
    collectCasts(product.op, group.casts);
  for (const Product &product : group.products)
    addUsers(product.op);
  for (Operation *cast : group.casts)
    addUsers(cast);
  // A slot released later can't be what the thread waits for in between.
  auto passes = [&](Operation *end) {
    return isa<RingReleaseOp>(end) ||
           (mayPrecedeWait(*end) &&
            (group.releases.empty() || !isa<RingWaitOp>(end)));
  };
  for (group.end = place->getNextNode();
       !group.end->hasTrait<OpTrait::IsTerminator>() &&
       !users.contains(group.end) && passes(group.end);
       group.end = group.end->getNextNode())
    if (auto release = dyn_cast<RingReleaseOp>(group.end);
        release && llvm::any_of(group.products, [&](const Product &product) {
          return readsReleased(product.op, release);
        }))
      group.releases.push_back(release);
}

/// Behind the casts of the products, which move to the wait.
static bool isLate(const Group &group) {
  for (Operation *op = group.getPlace()->getNextNode(); op != group.end;
       op = op->getNextNode())
    if (!llvm::is_contained(group.casts, op) &&
        !llvm::is_contained(group.releases, op))
      return true;
  return false;
}

/// Whether threads compute a number by the op, and don't only move it.
static bool isArithmetic(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         op->getNumResults() == 1 && !op->hasTrait<OpTrait::ConstantLike>() &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

/// The number that most of what threads compute from `first` up to `end` goes
/// into, or null.
static Value findLastNumber(Operation *first, Operation *end) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == end->getBlock() && first->isBeforeInBlock(op);
  };
  Value last;
  int64_t most = 1; // an op alone costs less than a branch
  for (Operation *op = first->getNextNode(); op != end;
       op = op->getNextNode()) {
    if (!isArithmetic(op))
      continue;
    llvm::SetVector<Operation *> slice;
    (void)getBackwardSlice(op, &slice, options);
    int64_t count = llvm::count_if(slice, isArithmetic);
    if (count > most && llvm::none_of(slice, llvm::IsaPred<MultiplyOp>)) {
      most = count;
      last = op->getResult(0);
    }
  }
  return last;
}

/// Fences, issues and commits the products of a group.
static void begin(Group &group) {
  ImplicitLocOpBuilder b(group.getPlace().getLoc(), group.getPlace());
  SmallVector<Value> registers;
  SmallVector<SmallVectorImpl<Value> *> users; // of each register
  auto add = [&](ArrayRef<Value> values, SmallVectorImpl<Value> &user) {
    llvm::append_range(registers, values);
    users.append(values.size(), &user);
  };
  for (Product &product : group.products)
    if (!product.addsToLast)
      add(startSums(b, product.op), product.sums);
  // All first, so that they stay where they are.
  for (Product &product : group.products)
    if (product.op.hasRegisters())
      group.factors[product.op.getA()] = {};
  llvm::SmallDenseSet<Value> added;
  for (Product &product : group.products)
    if (MultiplyOp op = product.op;
        op.hasRegisters() && added.insert(op.getA()).second)
      add(splitFactor(b, op.getA(), getAllInstructions(op)),
          group.factors[op.getA()]);
  auto fence = WgmmaFenceOp::create(b, registers, /*renews=*/false);
  for (auto [user, fenced] : llvm::zip_equal(users, fence.getResults()))
    user->push_back(fenced);
  Product *last = nullptr;
  for (Product &product : group.products) {
    b.setLoc(product.op.getLoc());
    if (product.addsToLast)
      product.sums = std::exchange(last->sums, {});
    ArrayRef<Value> factor;
    if (product.op.hasRegisters())
      factor = group.factors[product.op.getA()];
    product.sums = issueProducts(b, product.op, product.sums, factor,
                                 getAllInstructions(product.op));
    last = &product;
  }
  WgmmaCommitOp::create(b);
}

/// Groups that are issued later, but before the wait, stay in flight.
static void wait(ArrayRef<Group> groups, size_t number) {
  const Group &own = groups[number];
  int64_t pending =
      llvm::count_if(groups.drop_front(number + 1), [&](const Group &other) {
        return other.getPlace()->isBeforeInBlock(own.end);
      });
  ImplicitLocOpBuilder b(own.getPlace().getLoc(), own.end);
  // ptxas moves a wait up to the op that needs it, or that of an earlier
  // product: for it, nothing else stands against that.
  if (Value number = findLastNumber(own.getPlace(), own.end))
    orderBehind(b, number);
  SmallVector<Value> registers;
  for (const Product &product : own.products)
    llvm::append_range(registers, product.sums);
  // The factors' registers are the products' until the wait, too.
  for (const auto &[factor, words] : own.factors)
    llvm::append_range(registers, words);
  // Those of one step, whose sums no other product adds to.
  bool isAlone = groups.size() == 1 && pending == 0 &&
                 llvm::all_of(own.products, [](const Product &product) {
                   return addsToZero(product.op);
                 });
  ValueRange known =
      WgmmaWaitOp::create(b, pending, registers, /*renews_sums=*/isAlone)
          .getResults();
  SmallVector<Value> results;
  for (const Product &product : own.products) {
    size_t count = product.sums.size();
    MultiplyOp op = product.op;
    results.push_back(count == 0
                          ? Value()
                          : joinSums(b, known.take_front(count),
                                     cast<VectorType>(op.getSums().getType())));
    known = known.drop_front(count);
  }
  for (Operation *moved :
       llvm::concat<Operation *const>(own.casts, own.releases))
    if (moved->isBeforeInBlock(own.end))
      moved->moveBefore(own.end);
  for (auto [product, sums] : llvm::zip_equal(own.products, results))
    if (sums)
      product.op->getResult(0).replaceAllUsesWith(sums);
}

/// Casts of sums that another product added to are of no use any more.
static void eraseProducts(const Group &group) {
  for (const Product &product : llvm::reverse(group.products)) {
    SmallVector<Operation *> casts;
    collectCasts(product.op, casts);
    for (Operation *cast : llvm::reverse(casts))
      cast->erase();
    product.op->erase();
  }
}

/// Lowers the products of a block, in its order, none of which is promoted.
/// Returns how many have ops between their places and their waits.
static unsigned lowerAndWaitLate(ArrayRef<MultiplyOp> ops) {
  std::vector<Group> groups;
  for (MultiplyOp op : ops)
    if (groups.empty() || !join(op, groups.back()))
      groups.emplace_back().products.push_back({op, false, {}});
  unsigned late = 0;
  for (Group &group : groups) {
    findEnd(group);
    if (isLate(group))
      late += group.products.size();
  }
  llvm::BitVector isWaited(groups.size());
  // For those begun so far that end at `op` or before it; for all, if it is
  // null.
  auto waitUpTo = [&](size_t begun, Operation *op) {
    for (size_t number = 0; number < begun; ++number)
      if (Operation *end = groups[number].end;
          !isWaited[number] && (!op || end == op || end->isBeforeInBlock(op))) {
        wait(groups, number);
        isWaited.set(number);
      }
  };
  for (auto [number, group] : llvm::enumerate(groups)) {
    waitUpTo(number, group.getPlace());
    begin(group);
  }
  waitUpTo(groups.size(), nullptr);
  for (const Group &group : groups)
    eraseProducts(group);
  return late;
}

//===----------------------------------------------------------------------===//
// Registers of factors that stay
//
// A first factor in registers that is the same in all iterations of a loop. The
// loop carries it from each wait to the next product, and each fence renews it.
//
// ptxas 13.0 doesn't see that such a factor lives as long as the loop, if
// products alone read it: it gives the registers to other values of the loop,
// so that the second iteration multiplies something else. Found on a GPU, in
// attention whose queries are the first factor and whose probabilities have as
// many registers.
//===----------------------------------------------------------------------===//

namespace {

/// An operand of a fence that stays the same, and what a wait makes of it.
struct StayingFactor {
  OpOperand *operand;
  Value waited;
};

} // namespace

static bool isFactor(Value fenced) {
  return llvm::any_of(fenced.getUses(), [](OpOperand &use) {
    auto product = dyn_cast<WgmmaMmaOp>(use.getOwner());
    return product && product.getA() == use.get();
  });
}

/// The value of the factor's registers behind a wait of the same iteration.
static Value findWaited(Value fenced) {
  for (OpOperand &use : fenced.getUses())
    if (auto wait = dyn_cast<WgmmaWaitOp>(use.getOwner()))
      if (wait->getBlock() == fenced.getParentBlock())
        return wait.getResult(use.getOperandNumber());
  return {};
}

/// Replaces values that a loop passes on as it got them: they stay the same.
static void replacePassedOn(scf::ForOp loop) {
  for (auto [init, argument, yielded] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                       loop.getYieldedValues()))
    if (init == yielded || argument == yielded)
      argument.replaceAllUsesWith(init);
}

/// Carries the factors of the products in the loop's body. Returns how many
/// registers of wgmma are carried.
static unsigned carryFactors(scf::ForOp loop) {
  replacePassedOn(loop);
  moveLoopInvariantCode(loop);
  SmallVector<StayingFactor> factors;
  SmallVector<Value> first;
  for (auto fence : loop.getOps<WgmmaFenceOp>())
    for (auto [operand, fenced] :
         llvm::zip_equal(fence->getOpOperands(), fence.getResults())) {
      if (!loop.isDefinedOutsideOfLoop(operand.get()) || !isFactor(fenced))
        continue;
      if (Value waited = findWaited(fenced)) {
        factors.push_back({&operand, waited});
        first.push_back(operand.get());
        fence.setRenews(true);
      }
    }
  if (factors.empty())
    return 0;
  IRRewriter rewriter(loop.getContext());
  (void)loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        SmallVector<Value> yielded;
        for (auto [factor, argument] : llvm::zip_equal(factors, arguments)) {
          factor.operand->set(argument);
          yielded.push_back(factor.waited);
        }
        return yielded;
      });
  return factors.size();
}

//===----------------------------------------------------------------------===//
// Products of tiles become wgmma
//===----------------------------------------------------------------------===//

namespace {

struct LowerProducts : public carousel::impl::LowerProductsBase<LowerProducts> {
  void runOnOperation() override {
    llvm::SetVector<scf::ForOp> loops;
    WalkResult result = getOperation().walk([&](MultiplyOp op) {
      if (isOnePromotedPart(op))
        op.removePromoteAttr();
      if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
        loops.insert(loop);
      return WalkResult(verify(op));
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (scf::ForOp loop : loops) {
      auto kernel = loop->getParentOfType<gpu::GPUFuncOp>();
      remark::RemarkOpts options =
          remark::RemarkOpts::name("ProductLoop")
              .category("carousel-lower-products")
              .function(kernel ? kernel.getName() : StringRef());
      Location loc = loop.getLoc();
      ProductLoop products(loop);
      std::string reason = products.explain();
      if (reason.empty()) {
        products.rewrite();
        ++loopsOverlapped;
        remark::passed(loc, options) << remark::add(
            "{0}", products.hasParts()
                       ? "the products of half an iteration are in flight "
                         "while threads prepare the other half's factor"
                   : products.preparesFactors()
                       ? "the products of an iteration are in flight while "
                         "threads prepare the next one's factors"
                       : "the products of an iteration are in flight until the "
                         "next iteration's have begun");
      } else if (PartLoop parts(loop); parts.explain().empty()) {
        parts.rewrite();
        ++loopsOverlapped;
        remark::passed(loc, options)
            << remark::add("threads add the sums of an iteration while the "
                           "product of the next one is in flight");
      } else {
        remark::missed(loc, options)
            << remark::add("each product is waited for: {0}",
                           parts.isCandidate() ? parts.explain() : reason);
      }
    }
    lowerOthers();
    SmallVector<scf::ForOp> all;
    getOperation().walk([&](scf::ForOp loop) { all.push_back(loop); });
    for (scf::ForOp loop : all)
      factorsCarried += carryFactors(loop);
  }

  /// Products that aren't in flight across iterations.
  void lowerOthers() {
    llvm::MapVector<Block *, SmallVector<MultiplyOp>> others;
    SmallVector<MultiplyOp> promoted;
    getOperation().walk([&](MultiplyOp op) {
      if (!isa<scf::ForOp>(op->getParentOp()))
        remark::missed(op.getLoc(),
                       remark::RemarkOpts::name("Product").category(
                           "carousel-lower-products"))
            << remark::add("the product is waited for: it isn't in the body of "
                           "an scf.for");
      if (op.getPromote())
        promoted.push_back(op);
      else
        others[op->getBlock()].push_back(op);
    });
    for (auto &[block, products] : others) {
      unsigned late = lowerAndWaitLate(products);
      productsLate += late;
      productsWaited += products.size() - late;
    }
    for (MultiplyOp op : promoted)
      lowerPromoted(op);
    productsWaited += promoted.size();
  }

  /// C331
  static LogicalResult verify(MultiplyOp op) {
    for (OpOperand *tile : op.getConsumedTiles()) {
      Swizzle swizzle =
          tile == &op.getAMutable() ? op.getSwizzleA() : op.getSwizzleB();
      if (swizzle == Swizzle::None || swizzle > Swizzle::B128)
        return op.emitOpError("expected a tile that is swizzled by b32, b64 or "
                              "b128, got ")
               << stringifySwizzle(swizzle) << "; load it with swizzle(b128)";
      auto type = cast<MemRefType>(tile->get().getType());
      int64_t row =
          getMatrixExtents(type)[1] * type.getElementTypeBitWidth() / 8;
      if (row % *getSwizzleSpan(swizzle) != 0)
        return op.emitOpError("expected rows in multiples of ")
               << *getSwizzleSpan(swizzle) << " bytes with "
               << stringifySwizzle(swizzle) << ", got " << row;
    }
    return success();
  }
};

} // namespace
