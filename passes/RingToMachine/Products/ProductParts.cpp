//===- ProductParts.cpp - factors that are computed in two parts ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProductLoop.h. The first half of k has registers of its own, and so has
// the second one. While the products of one half are in flight, threads compute
// the other half. So there are always products in flight, and both halves have
// as many registers as one factor.
//
//===----------------------------------------------------------------------===//

#include "ProductLoop.h"

#include "TakeElements.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

/// The elements of vectors that an op computes or reads.
static int64_t countElements(Operation *op) {
  int64_t most = 0;
  auto note = [&](Type type) {
    if (auto vector = dyn_cast<VectorType>(type))
      most = std::max(most, vector.getNumElements());
  };
  llvm::for_each(op->getOperandTypes(), note);
  llvm::for_each(op->getResultTypes(), note);
  return most;
}

/// The elements that threads compute for these instructions alone.
int64_t ProductLoop::countWork(Instructions part) {
  MultiplyOp op = products.front().op;
  Block own;
  ImplicitLocOpBuilder b(op.getLoc(), op.getContext());
  b.setInsertionPointToEnd(&own);
  preparePart(b, part);
  int64_t work = 0;
  for (Operation &clone : own)
    clone.walk([&](Operation *inner) { work += countElements(inner); });
  return work;
}

/// A factor has parts if threads don't compute much for both.
void ProductLoop::readParts() {
  constexpr double kMost = 1.25;
  MultiplyOp op = products.front().op;
  int64_t count = getAllInstructions(op).count;
  if (products.size() != 1 || count % 2 != 0 ||
      findWholeVector(op.getA(), loop.getBody()))
    return;
  Instructions first = {0, count / 2}, second = {count / 2, count / 2};
  if (double(countWork(first) + countWork(second)) <=
      kMost * double(countWork({0, count})))
    parts = {first, second};
}

/// The words of a part, of the iteration whose body the builder is in.
SmallVector<Value> ProductLoop::preparePart(ImplicitLocOpBuilder &b,
                                            Instructions part) {
  IRMapping mapping;
  SmallVector<Operation *> clones;
  for (Operation *original : preparation)
    if (!isa<RingWaitOp>(original))
      clones.push_back(b.clone(*original, mapping));
  Value factor = MultiplyOp(products.front().op).getA();
  SmallVector<Value> words =
      splitFactor(b, mapping.lookupOrDefault(factor), part);
  eraseUnused(clones);
  return words;
}

/// Registers that no product reads, for the first iteration to wait for.
SmallVector<Value> ProductLoop::createUnreadPart(ImplicitLocOpBuilder &b) {
  auto type =
      cast<VectorType>(MultiplyOp(products.front().op).getA().getType());
  Value none = ub::PoisonOp::create(b, VectorType::get({4, 1}, b.getI32Type()));
  SmallVector<Value> words(type.getDimSize(0) * parts.back().count, none);
  return SmallVector<Value>(
      WgmmaFenceOp::create(b, words, /*renews=*/false).getResults());
}

/// Waits until at most this part's products are in flight. `earlier` are the
/// registers of the factor that the others read.
void ProductLoop::issuePart(ImplicitLocOpBuilder &b, ValueRange factor,
                            Instructions part, ValueRange earlier) {
  MultiplyOp op = products.front().op;
  Operation *yield = made.getBody()->getTerminator();
  unsigned first = firstRegisters.front();
  int64_t pieces = cast<VectorType>(op.getSums().getType()).getDimSize(0);
  SmallVector<Value> sums = issueProducts(
      b, op, yield->getOperands().slice(first, pieces), factor, part);
  for (auto [i, sum] : llvm::enumerate(sums))
    yield->setOperand(first + i, sum);
  WgmmaCommitOp::create(b);
  WgmmaWaitOp::create(b, /*pending=*/1, earlier);
}

void ProductLoop::multiplyFirstPart() {
  MultiplyOp op = products.front().op;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  ValueRange carried = made.getRegionIterArgs();
  unsigned count = secondFactor - firstFactor;
  ValueRange factor = WgmmaFenceOp::create(b, carried.slice(firstFactor, count),
                                           /*renews=*/false)
                          .getResults();
  inFlight.assign(factor.begin(), factor.end());
  issuePart(b, factor, parts.front(), carried.drop_front(secondFactor));
}

void ProductLoop::multiplySecondPart() {
  MultiplyOp op = products.front().op;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> words = preparePart(b, parts.back());
  ValueRange factor =
      WgmmaFenceOp::create(b, words, /*renews=*/false).getResults();
  issuePart(b, factor, parts.back(), inFlight);
  Operation *yield = made.getBody()->getTerminator();
  for (auto [i, value] : llvm::enumerate(factor))
    yield->setOperand(secondFactor + i, value);
}

void ProductLoop::eraseUnused(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}
