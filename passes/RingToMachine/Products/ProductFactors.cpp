//===- ProductFactors.cpp - factors of the next iteration -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProductLoop.h. Threads wait for the next iteration's slots, and load or
// compute its factors, while the products of this one are in flight. Products
// are waited for before an iteration ends, since the next one's factors are in
// the registers that they read; or, in two parts, as IssueProducts.cpp says.
//
//===----------------------------------------------------------------------===//

#include "ProductLoop.h"

#include "IssueProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace carousel;

/// The registers that `prepare` yields if the condition holds: there is an
/// iteration that needs them. Otherwise they are poison, which nothing uses.
static SmallVector<Value>
prepareIf(ImplicitLocOpBuilder &b, Value condition,
          function_ref<SmallVector<Value>(ImplicitLocOpBuilder &)> prepare) {
  SmallVector<Value> prepared;
  auto branch = scf::IfOp::create(
      b, condition,
      [&](OpBuilder &nested, Location loc) {
        ImplicitLocOpBuilder inner(loc, nested);
        prepared = prepare(inner);
        scf::YieldOp::create(inner, prepared);
      },
      [&](OpBuilder &nested, Location loc) {
        SmallVector<Value> none;
        for (Value value : prepared)
          none.push_back(ub::PoisonOp::create(nested, loc, value.getType()));
        scf::YieldOp::create(nested, loc, none);
      });
  return SmallVector<Value>(branch.getResults());
}

/// The registers of all factors, or of the first part, of the iteration that
/// the mapping says.
SmallVector<Value> ProductLoop::clonePreparation(ImplicitLocOpBuilder &b,
                                                 IRMapping mapping) {
  SmallVector<Operation *> clones;
  for (Operation *op : preparation)
    clones.push_back(b.clone(*op, mapping));
  SmallVector<Value> registers;
  for (Value factor : factors) {
    int64_t count = cast<VectorType>(factor.getType()).getDimSize(1);
    llvm::append_range(
        registers,
        splitFactor(b, mapping.lookupOrDefault(factor),
                    hasParts() ? parts.front() : Instructions{0, count}));
  }
  if (hasParts())
    eraseUnused(clones);
  return registers;
}

ValueRange ProductLoop::takeFactor(ImplicitLocOpBuilder &b, MultiplyOp op) {
  unsigned first = firstFactor;
  for (Value factor : factors) {
    auto type = cast<VectorType>(factor.getType());
    unsigned count = type.getDimSize(0) * type.getDimSize(1);
    if (factor == op.getA()) {
      ValueRange fenced =
          WgmmaFenceOp::create(b, made.getRegionIterArgs().slice(first, count),
                               /*renews=*/false)
              .getResults();
      llvm::append_range(inFlight, fenced);
      return fenced;
    }
    first += count;
  }
  assert(!op.hasRegisters() && "a factor that isn't among those of the loop");
  return {};
}

static arith::CmpIPredicate getLess(scf::ForOp loop) {
  return loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                               : arith::CmpIPredicate::slt;
}

/// Prepares the first factors, before the loop.
SmallVector<Value> ProductLoop::prepareFirst() {
  if (!preparesFactors())
    return {};
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Value hasAny = arith::CmpIOp::create(b, getLess(loop), loop.getLowerBound(),
                                       loop.getUpperBound());
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), loop.getLowerBound());
  mapping.map(loop.getRegionIterArgs(), loop.getInitArgs());
  return prepareIf(b, hasAny, [&](ImplicitLocOpBuilder &inner) {
    return clonePreparation(inner, mapping);
  });
}

/// Behind the products, and then waits for them, unless they are those of a
/// second part.
void ProductLoop::prepareNext() {
  Operation *last = products.back().op,
            *yield = made.getBody()->getTerminator();
  // The first ops of the next iteration.
  llvm::SmallPtrSet<Operation *, 8> ofSums;
  for (Operation *op = last; op; op = op->getNextNode()) {
    bool isOfSums = isa<MultiplyOp>(op) ||
                    llvm::any_of(op->getOperands(), [&](Value operand) {
                      return ofSums.contains(operand.getDefiningOp());
                    });
    if (isOfSums)
      ofSums.insert(op);
  }
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(last->getIterator(), yield->getIterator())))
    if (!ofSums.contains(&op) && isMemoryEffectFree(&op))
      op.moveBefore(last);
  ImplicitLocOpBuilder b(last->getLoc(), last);
  Value rest =
      arith::SubIOp::create(b, made.getUpperBound(), made.getInductionVar());
  Value hasNext = arith::CmpIOp::create(b, getLess(made), made.getStep(), rest);
  IRMapping mapping;
  mapping.map(made.getInductionVar(),
              arith::AddIOp::create(b, made.getInductionVar(), made.getStep())
                  .getResult());
  for (unsigned position = 0; position < kept.size(); ++position)
    mapping.map(made.getRegionIterArg(position), yield->getOperand(position));
  SmallVector<Value> next =
      prepareIf(b, hasNext, [&](ImplicitLocOpBuilder &inner) {
        return clonePreparation(inner, mapping);
      });
  for (auto [number, factor] : llvm::enumerate(next))
    yield->setOperand(firstFactor + number, factor);
  // Also of these registers, so that nothing else is in them before.
  if (!hasParts())
    WgmmaWaitOp::create(b, /*pending=*/0, inFlight);
}

/// Erases the loop's own preparation, but for what others use.
void ProductLoop::eraseMoved() {
  for (Operation *op : llvm::reverse(preparation))
    if (isa<RingWaitOp>(op) || op->use_empty())
      op->erase();
}
