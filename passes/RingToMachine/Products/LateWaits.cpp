//===- LateWaits.cpp - products in flight until they are needed -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LateWaits.h. Products whose sums or factors are the same registers are
// one group of the machine.
//
//===----------------------------------------------------------------------===//

#include "LateWaits.h"

#include "IssueProducts.h"
#include "ValueOrder.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

#include <vector>

using namespace mlir;
using namespace carousel;

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
    auto slot = tile->get().getDefiningOp<RingTileOp>();
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
    auto slot = tile->get().getDefiningOp<RingTileOp>();
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
  // What is released later can't be what the thread waits for in between.
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
  ValueRange known = WgmmaWaitOp::create(b, pending, registers).getResults();
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

unsigned carousel::lowerAndWaitLate(ArrayRef<MultiplyOp> ops) {
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
