//===- HoistReads.cpp - reads that begin before reductions ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-hoist-reads. Threads issue in program order, and meet in a
// reduction. A read behind it begins when all of them have met, and a number
// that is loaded at an address from memory holds up what comes after it, until
// the address is there. So reads go in this order: numbers whose addresses are
// known, vectors, and numbers at addresses from memory.
//
// Vectors that are read before a reduction instead of behind it live across it,
// in registers: at most as many bits as are read before it anyway.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace carousel {
#define GEN_PASS_DEF_HOISTREADS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

/// The ops around a kernel's first reduction that may change their order: none
/// has a region, or an effect but a read.
class ReadOrder {
public:
  explicit ReadOrder(Block &body);

  /// Returns how many reads begin before the reduction now.
  unsigned hoist();

private:
  using OpSet = llvm::SetVector<Operation *>;

  static bool isRead(Operation *op) {
    return isa<memref::LoadOp, vector::TransferReadOp>(op);
  }
  static int64_t countBits(Operation *op) {
    auto type = cast<VectorType>(op->getResult(0).getType());
    return type.getElementType().isIntOrFloat()
               ? type.getNumElements() * type.getElementTypeBitWidth()
               : std::numeric_limits<int64_t>::max() / 2;
  }

  /// The ops in the block that an op is computed of, and itself.
  static OpSet findSlice(Operation *op);
  static bool isAtAddressFromMemory(Operation *op);
  /// Moves an op, and what it needs of the ops behind a place, to the place.
  static void moveBefore(Operation *op, Operation *place);

  Block &body;
  Operation *begin = nullptr, *reduction = nullptr, *end = nullptr;
};

} // namespace

ReadOrder::ReadOrder(Block &body) : body(body), begin(&body.front()) {
  for (Operation &op : body) {
    bool isFree = op.getNumRegions() == 0 &&
                  (isMemoryEffectFree(&op) || isRead(&op)) &&
                  !op.hasTrait<OpTrait::IsTerminator>();
    // Where a product takes its factors is for its own plan to say.
    isFree &= !isa<vector::ContractionOp>(op);
    end = &op;
    if (isFree && !reduction && isa<vector::MultiDimReductionOp>(op))
      reduction = &op;
    if (isFree)
      continue;
    if (reduction)
      return;
    begin = op.getNextNode();
  }
}

ReadOrder::OpSet ReadOrder::findSlice(Operation *op) {
  OpSet slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = options.inclusive = true;
  (void)getBackwardSlice(op, &slice, options);
  return slice;
}

bool ReadOrder::isAtAddressFromMemory(Operation *op) {
  OpSet slice = findSlice(op);
  slice.remove(op);
  return llvm::any_of(slice, isRead);
}

void ReadOrder::moveBefore(Operation *op, Operation *place) {
  for (Operation *needed : findSlice(op))
    if (place->isBeforeInBlock(needed))
      needed->moveBefore(place);
}

unsigned ReadOrder::hoist() {
  if (!reduction)
    return 0;
  // Ops that need neither the reduction nor another one.
  llvm::SmallPtrSet<Operation *, 32> independent;
  SmallVector<Operation *> reads;
  int64_t bits = 0;
  for (Operation &op :
       llvm::make_range(begin->getIterator(), end->getIterator())) {
    bool isBefore = op.isBeforeInBlock(reduction);
    auto isThere = [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return !source || source->isBeforeInBlock(reduction) ||
             independent.contains(source);
    };
    if (isBefore && isa<vector::TransferReadOp>(op))
      bits += countBits(&op);
    if (isBefore || isa<vector::MultiDimReductionOp>(op) ||
        !llvm::all_of(op.getOperands(), isThere))
      continue;
    independent.insert(&op);
    if (isRead(&op))
      reads.push_back(&op);
  }
  unsigned hoisted = 0;
  for (Operation *read : reads) {
    if (isa<vector::TransferReadOp>(read)) {
      if (countBits(read) > bits)
        continue;
      bits -= countBits(read);
    }
    moveBefore(read, reduction);
    ++hoisted;
  }

  SmallVector<memref::LoadOp> numbers;
  Operation *firstVector = nullptr;
  for (Operation &op :
       llvm::make_range(begin->getIterator(), reduction->getIterator())) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      numbers.push_back(load);
    else if (!firstVector && isa<vector::TransferReadOp>(op))
      firstVector = &op;
  }
  for (memref::LoadOp load : numbers) {
    bool isUsed = llvm::any_of(load->getUsers(), [&](Operation *user) {
      return user->getBlock() == &body && user->isBeforeInBlock(reduction);
    });
    if (isAtAddressFromMemory(load) && !isUsed)
      load->moveBefore(reduction);
    else if (!isAtAddressFromMemory(load) && firstVector)
      moveBefore(load, firstVector);
  }
  return hoisted;
}

namespace {

struct HoistReads : public carousel::impl::HoistReadsBase<HoistReads> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (!kernel->hasAttr(CarouselDialect::kBlockProgram) ||
          !kernel.getBody().hasOneBlock())
        continue;
      unsigned count = ReadOrder(kernel.getBody().front()).hoist();
      hoisted += count;
      if (count != 0)
        remark::passed(kernel.getLoc(), remark::RemarkOpts::name("Hoist")
                                            .category("carousel-hoist-reads")
                                            .function(kernel.getName()))
            << remark::add("reads that begin before the first reduction now: "
                           "{0}",
                           count);
    }
  }
};

} // namespace
