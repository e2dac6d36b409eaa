//===- VectorDemand.cpp - what a block program's vectors need -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VectorDemand.h. Ops are numbered in program order. A vector lives from
// its op to its last use, and throughout loops that use it from outside.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/VectorDemand.h"

#include "VectorRelations.h"

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace carousel;

static int64_t countBytes(VectorType type) {
  int64_t bits = getElementBits(type);
  return bits == 1 ? 0 : llvm::divideCeil(type.getNumElements() * bits, 8);
}

namespace {

class LiveVectors {
public:
  explicit LiveVectors(gpu::GPUFuncOp kernel) {
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { note(op); });
  }

  int64_t getMostBytes() const {
    int64_t most = 0;
    for (Operation *place : places)
      most = std::max(most, count(place, [](Value vector) {
                        return countBytes(cast<VectorType>(vector.getType()));
                      }));
    return most;
  }

  /// As above, with what ops compute at these places.
  int64_t getMostRegisters(const LayoutPlan &plan) const {
    auto getRegisters = [&](Value vector) -> int64_t {
      return plan.getLayout(vector) && !isTileOfProduct(vector) &&
                     !plan.isOnlyKept(vector)
                 ? plan.getRegisters(vector)
                 : 0;
    };
    int64_t most = 0;
    for (auto list : {&places, &products})
      for (Operation *place : *list) {
        int64_t registers = count(place, getRegisters);
        for (Value result : place->getResults())
          if (isVector(result))
            registers += getRegisters(result);
        most = std::max(most, registers);
      }
    return most;
  }

private:
  void note(Operation *op) {
    numbers.try_emplace(op, numbers.size());
    auto noteVector = [&](Value value) {
      if (isVector(value) && !isFree(value))
        vectors.push_back(value);
    };
    llvm::for_each(op->getResults(), noteVector);
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), noteVector);
    if (isa<vector::MultiDimReductionOp>(op) || isYield(op))
      places.push_back(op);
    if (isa<vector::ContractionOp>(op))
      products.push_back(op);
  }

  static bool isYield(Operation *op) {
    return op->hasTrait<OpTrait::IsTerminator>() &&
           isa<LoopLikeOpInterface>(op->getParentOp());
  }

  int64_t getNumber(Operation *op) const { return numbers.lookup(op); }

  /// Whether the vector has been computed at `place`, and is used later.
  bool livesAcross(Value vector, Operation *place) const {
    Operation *source = vector.getDefiningOp();
    if (!source)
      source = vector.getParentBlock()->getParentOp();
    int64_t at = getNumber(place);
    if (getNumber(source) >= at || hasEnded(source, vector, place))
      return false;
    return llvm::any_of(vector.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      bool goesOn = user == place && isYield(place);
      return getNumber(user) > at || goesOn || isUsedAgain(vector, user, place);
    });
  }

  /// Results of a loop don't exist in it, and its arguments not after it.
  static bool hasEnded(Operation *source, Value vector, Operation *place) {
    bool isResult = vector.getDefiningOp() != nullptr;
    return isResult ? source->isProperAncestor(place)
                    : !source->isProperAncestor(place);
  }

  /// Whether a loop around both uses a vector from outside of it.
  static bool isUsedAgain(Value vector, Operation *user, Operation *place) {
    for (Operation *loop = place->getParentOp(); loop;
         loop = loop->getParentOp())
      if (isa<LoopLikeOpInterface>(loop) && loop->isProperAncestor(user) &&
          !loop->isAncestor(vector.getParentBlock()->getParentOp()))
        return true;
    return false;
  }

  /// The size of all vectors that live across a place.
  int64_t count(Operation *place,
                llvm::function_ref<int64_t(Value)> getSize) const {
    int64_t size = 0;
    for (Value vector : vectors)
      if (livesAcross(vector, place))
        size += getSize(vector);
    return size;
  }

  llvm::DenseMap<Operation *, int64_t> numbers;
  SmallVector<Value> vectors;
  SmallVector<Operation *> places, products;
};

} // namespace

VectorDemand VectorDemand::of(gpu::GPUFuncOp kernel) {
  constexpr int64_t kStages = 2;
  VectorDemand demand;
  demand.liveBytes = LiveVectors(kernel).getMostBytes();
  // A tile outside of pipelined loops is in memory that rings no longer need.
  int64_t ofOthers = 0;
  kernel.walk([&](VectorTransferOpInterface op) {
    if (!becomesTransfer(op))
      return;
    int64_t bytes = countBytes(op.getVectorType());
    if (isPipelined(op))
      demand.tileBytes += kStages * bytes;
    else
      ofOthers = std::max(ofOthers, bytes);
  });
  demand.tileBytes = std::max(demand.tileBytes, ofOthers);
  return demand;
}

int64_t carousel::countLiveRegisters(gpu::GPUFuncOp kernel,
                                     const LayoutPlan &plan) {
  return LiveVectors(kernel).getMostRegisters(plan);
}
