//===- LateWaits.cpp - products in flight until they are needed -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LateWaits.h.
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

/// A product, and where its sums must be known.
struct Waited {
  MultiplyOp op;
  Operation *end;
  /// Sums in other shapes, in order, and releases that come too early.
  SmallVector<Operation *> casts, releases;
  ProductInFlight registers;
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

/// Whether the product may read what is released.
static bool readsReleased(MultiplyOp op, RingReleaseOp release) {
  return llvm::any_of(op.getConsumedTiles(), [&](OpOperand *tile) {
    auto slot = tile->get().getDefiningOp<RingTileOp>();
    return !slot || slot.getRing() == release.getRing();
  });
}

static Waited findEnd(MultiplyOp op) {
  Waited waited = {op, nullptr, {}, {}, {}};
  collectCasts(op, waited.casts);
  llvm::SmallPtrSet<Operation *, 8> users;
  auto addUsers = [&](Operation *source) {
    for (Operation *user : source->getUsers())
      if (!llvm::is_contained(waited.casts, user))
        users.insert(op->getBlock()->findAncestorOpInBlock(*user));
  };
  addUsers(op);
  for (Operation *cast : waited.casts)
    addUsers(cast);
  // What is released later can't be what the thread waits for in between.
  auto passes = [&](Operation *end) {
    return isa<RingReleaseOp>(end) ||
           (mayPrecedeWait(*end) &&
            (waited.releases.empty() || !isa<RingWaitOp>(end)));
  };
  for (waited.end = op->getNextNode();
       !waited.end->hasTrait<OpTrait::IsTerminator>() &&
       !users.contains(waited.end) && passes(waited.end);
       waited.end = waited.end->getNextNode())
    if (auto release = dyn_cast<RingReleaseOp>(waited.end);
        release && readsReleased(op, release))
      waited.releases.push_back(release);
  return waited;
}

/// Behind the casts of the product, which move to the wait.
static bool isLate(const Waited &waited) {
  for (Operation *op = waited.op->getNextNode(); op != waited.end;
       op = op->getNextNode())
    if (!llvm::is_contained(waited.casts, op) &&
        !llvm::is_contained(waited.releases, op))
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

/// Products that are issued later, but before the wait, stay in flight.
static void wait(ArrayRef<Waited> products, size_t number) {
  const Waited &own = products[number];
  MultiplyOp multiply = own.op;
  int64_t pending =
      llvm::count_if(products.drop_front(number + 1), [&](const Waited &other) {
        return other.op->isBeforeInBlock(own.end);
      });
  ImplicitLocOpBuilder b(multiply.getLoc(), own.end);
  // ptxas moves a wait up to the op that needs it, or that of an earlier
  // product: for it, nothing else stands against that.
  if (Value number = findLastNumber(own.op, own.end))
    orderBehind(b, number);
  SmallVector<Value> registers = own.registers.sums;
  // The factor's registers are the products' until the wait, too.
  llvm::append_range(registers, own.registers.factor);
  auto op = WgmmaWaitOp::create(b, pending, registers);
  Value sums =
      joinSums(b, op.getResults().take_front(own.registers.sums.size()),
               cast<VectorType>(multiply.getSums().getType()));
  for (Operation *moved :
       llvm::concat<Operation *const>(own.casts, own.releases))
    if (moved->isBeforeInBlock(own.end))
      moved->moveBefore(own.end);
  multiply.getResult().replaceAllUsesWith(sums);
}

unsigned carousel::lowerAndWaitLate(ArrayRef<MultiplyOp> ops) {
  std::vector<Waited> products;
  for (MultiplyOp op : ops)
    products.push_back(findEnd(op));
  unsigned late = llvm::count_if(products, isLate);
  llvm::BitVector isWaited(products.size());
  // For those begun so far that end at `op` or before it; for all, if it is
  // null.
  auto waitUpTo = [&](size_t begun, Operation *op) {
    for (size_t number = 0; number < begun; ++number)
      if (Operation *end = products[number].end;
          !isWaited[number] && (!op || end == op || end->isBeforeInBlock(op))) {
        wait(products, number);
        isWaited.set(number);
      }
  };
  for (auto [number, product] : llvm::enumerate(products)) {
    waitUpTo(number, product.op);
    ImplicitLocOpBuilder b(product.op.getLoc(), product.op);
    product.registers = beginProduct(b, product.op);
  }
  waitUpTo(products.size(), nullptr);
  for (const Waited &product : products)
    MultiplyOp(product.op).erase();
  return late;
}
