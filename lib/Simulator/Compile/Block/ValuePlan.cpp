//===- ValuePlan.cpp - lifetimes of values, and their offsets -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValuePlan.h"

#include "../KernelModule.h"

#include "carousel/Dialect/IR/DistributionOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace carousel::sim;

/// A line of the host's cache, and the widest of its vectors.
static constexpr uint64_t kAlignment = 64;

std::optional<SplatSource> carousel::sim::findSplat(Value vector) {
  Operation *op = vector.getDefiningOp();
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return SplatSource{splat.getSplatValue<TypedAttr>(), {}, nullptr};
  if (auto broadcast = dyn_cast_or_null<vector::BroadcastOp>(op))
    if (!isa<VectorType>(broadcast.getSourceType()))
      return SplatSource{{}, broadcast.getSource(), nullptr};
  if (isa_and_nonnull<ub::PoisonOp>(op))
    return SplatSource{{}, {}, op};
  return std::nullopt;
}

Type carousel::sim::getStoredType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

bool carousel::sim::hasVectors(Operation *op) {
  auto isVector = [](Type type) { return isa<VectorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isVector) ||
         llvm::any_of(op->getResultTypes(), isVector) ||
         llvm::any_of(op->getRegions(), [&](Region &region) {
           return !region.empty() &&
                  llvm::any_of(region.getArgumentTypes(), isVector);
         });
}

/// LLVM's time is quadratic in the ops of a loop, too.
static constexpr size_t kMostOps = 512;

static bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         !isa<carousel::DistributionOpInterface>(op) &&
         op->getNumRegions() == 0 && op->getNumResults() != 0 &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return isa<VectorType>(type); });
}

/// Whether the op neither uses a run's results nor needs a loop. The ops of the
/// run can move past it then.
static bool isBetween(Operation *op) {
  return op->getNumRegions() == 0 &&
         llvm::none_of(op->getOperandTypes(),
                       [](Type type) { return isa<VectorType>(type); }) &&
         llvm::all_of(op->getResults(), [](Value result) {
           return !isa<VectorType>(result.getType()) || findSplat(result);
         });
}

void ValuePlan::findRuns(Block &block) {
  std::optional<int64_t> elements; // of the run that the next op may join
  for (Operation &op : block) {
    if (isElementwise(&op)) {
      int64_t count =
          cast<VectorType>(op.getResult(0).getType()).getNumElements();
      if (elements != count || runs.back().size() == kMostOps)
        runs.emplace_back();
      elements = count;
      runs.back().push_back(&op);
      runOf[&op] = runs.size() - 1;
    } else if (!isBetween(&op)) {
      elements.reset();
    }
  }
}

/// In pre-order, so that a range of positions encloses those of its regions.
void ValuePlan::number(Operation *op) {
  Range &range = ranges[op];
  range.first = next++;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        number(&inner);
  ranges[op].last = next++;
}

/// A run's loop reads its operands and writes its results in each iteration.
void ValuePlan::joinRanges() {
  for (const Run &run : runs) {
    Range whole = {ranges.at(run.front()).first, ranges.at(run.back()).last};
    for (Operation *op : run)
      ranges[op] = whole;
  }
}

unsigned ValuePlan::addSlot(Type type, Range range) {
  auto vector = cast<VectorType>(type);
  uint64_t element = *getElementBytes(getStoredType(vector.getElementType()));
  slots.push_back({range.first, range.last, element * vector.getNumElements()});
  return slots.size() - 1;
}

/// A use in a region counts until the region's end, because a loop may come
/// back to it.
void ValuePlan::extend(unsigned slot, Value value) {
  for (Operation *user : value.getUsers()) {
    Operation *ancestor = value.getParentBlock()->findAncestorOpInBlock(*user);
    slots[slot].last = std::max(slots[slot].last, ranges.at(ancestor).last);
  }
}

LogicalResult ValuePlan::addResults(Operation *op) {
  for (Value result : op->getResults()) {
    auto type = dyn_cast<VectorType>(result.getType());
    if (!type || findSplat(result))
      continue;
    const Run *run = findRun(op);
    if (run && llvm::all_of(result.getUsers(), [&](Operation *user) {
          return findRun(user) == run;
        }))
      continue;
    if (!type.getElementType().isIntOrIndexOrFloat())
      return op->emitError("expected vectors of numbers in a block program, "
                           "got ")
             << type;
    unsigned slot = addSlot(type, ranges.at(op));
    slotOf[result] = slot;
    extend(slot, result);
  }
  return success();
}

/// The arguments of a loop's body share the places of its results. The
/// condition of a while loop has others, which it may forward.
void ValuePlan::addArguments(Operation *op) {
  auto share = [&](ValueRange arguments, ValueRange results) {
    for (auto [argument, result] : llvm::zip_equal(arguments, results))
      if (isa<VectorType>(argument.getType())) {
        slotOf[argument] = slotOf.at(result);
        extend(slotOf.at(result), argument);
      }
  };
  if (auto loop = dyn_cast<scf::ForOp>(op))
    share(loop.getRegionIterArgs(), loop.getResults());
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    share(loop.getAfterArguments(), loop.getResults());
    for (Value argument : loop.getBeforeArguments())
      if (isa<VectorType>(argument.getType()))
        slotOf[argument] = addSlot(argument.getType(), ranges.at(op));
  }
}

void ValuePlan::addCopies(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return;
  Operation *yield = loop.getBody()->getTerminator();
  for (OpOperand &operand : yield->getOpOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand.get());
    if (isa<VectorType>(operand.get().getType()) && argument &&
        argument.getOwner() == loop.getBody() &&
        argument != loop.getRegionIterArg(operand.getOperandNumber()))
      copyOf[&operand] = addSlot(operand.get().getType(), ranges.at(yield));
  }
}

std::optional<uint64_t> ValuePlan::getCopyOffset(OpOperand &yielded) const {
  auto found = copyOf.find(&yielded);
  if (found == copyOf.end())
    return std::nullopt;
  return slots[found->second].offset;
}

/// First fit, in the order in which values become live.
void ValuePlan::place() {
  std::vector<Slot *> order;
  for (Slot &slot : slots)
    order.push_back(&slot);
  llvm::sort(order, [](const Slot *a, const Slot *b) {
    return std::tie(a->first, a) < std::tie(b->first, b);
  });
  std::multimap<uint64_t, Slot *> live; // by offset
  for (Slot *slot : order) {
    for (auto it = live.begin(); it != live.end();)
      it = it->second->last < slot->first ? live.erase(it) : std::next(it);
    uint64_t offset = 0;
    for (auto [begin, other] : live) {
      if (offset + slot->bytes <= begin)
        break;
      offset =
          std::max(offset, llvm::alignTo(begin + other->bytes, kAlignment));
    }
    slot->offset = offset;
    live.insert({offset, slot});
    bytes = std::max(bytes, offset + slot->bytes);
  }
}

FailureOr<ValuePlan> ValuePlan::compute(Operation *kernel) {
  ValuePlan plan;
  kernel->walk<WalkOrder::PreOrder>([&](Block *block) {
    // A mask lowers the op inside.
    if (!isa<vector::MaskOp>(block->getParentOp()))
      plan.findRuns(*block);
  });
  plan.number(kernel);
  plan.joinRanges();
  WalkResult result = kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (failed(plan.addResults(op)))
      return WalkResult::interrupt();
    plan.addArguments(op);
    plan.addCopies(op);
    // The op inside writes the results of the mask.
    return isa<vector::MaskOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  plan.place();
  return plan;
}
