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
    if (isa<RingReleaseOp>(waited.end))
      waited.releases.push_back(waited.end);
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

/// Products that are issued later, but before the wait, stay in flight.
static void wait(ArrayRef<Waited> products, size_t number) {
  const Waited &own = products[number];
  MultiplyOp multiply = own.op;
  int64_t pending =
      llvm::count_if(products.drop_front(number + 1), [&](const Waited &other) {
        return other.op->isBeforeInBlock(own.end);
      });
  ImplicitLocOpBuilder b(multiply.getLoc(), own.end);
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
