//===- VerifyMachine.cpp - what the machine phase promises ---===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Alignment of the memory that the hardware reads and writes, where it is known
// before run time. Constraints C94 to C97, C99 to C101 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Alignment.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/HardwareRules.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"

namespace carousel {
#define GEN_PASS_DEF_VERIFYMACHINE
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

static LogicalResult verifyAlignment(Operation *op, Value memref,
                                     ValueRange indices, int64_t alignment,
                                     StringRef what) {
  std::string reason =
      computeAddressFacts(memref, indices).explainMisalignment(alignment);
  if (reason.empty())
    return success();
  return op->emitOpError() << "expected " << what << " aligned to " << alignment
                           << " bytes, got " << reason;
}

/// C94
template <typename Op>
static LogicalResult verifyBarrier(Op op, ValueRange indices) {
  return verifyAlignment(op, op.getBarriers(), indices,
                         rules::kMbarrierAlignment, "a barrier");
}

/// C95
template <typename Op> static LogicalResult verifyBulk(Op op) {
  if (failed(verifyAlignment(op, op.getSource(), op.getSourceIndices(),
                             rules::kBulkGranule, "the source of a bulk copy")))
    return failure();
  return verifyAlignment(op, op.getDestination(), op.getDestinationIndices(),
                         rules::kBulkGranule, "the destination of a bulk copy");
}

/// C96
template <typename Op> static LogicalResult verifyTensorStore(Op op) {
  return verifyAlignment(op, op.getSource(), op.getSourceIndices(),
                         op.getMap().getType().getSharedAlignment(),
                         "a tensor copy's tile");
}

/// C97
static LogicalResult verifyDescriptor(Operation *op, Value memref,
                                      ValueRange indices) {
  return verifyAlignment(op, memref, indices, rules::kTensorMapAlignment,
                         "a tensor map");
}

/// C99: MLIR's conversion would make a call of malloc of it.
template <typename Op> static LogicalResult verifyAllocation(Op op) {
  if (!isSharedMemRef(op.getType()))
    return success();
  return op->emitOpError("expected shared memory as a workgroup attribution, a "
                         "memref.global or gpu.dynamic_shared_memory, got ")
         << op.getType();
}

/// C100
template <typename Op> static LogicalResult verifyAccess(Op op) {
  Type element = op.getMemRefType().getElementType();
  if (!isa<MbarrierType, TensorMapType>(element))
    return success();
  return op->emitOpError("expected elements that can be loaded and stored, got "
                         "the opaque ")
         << element;
}

/// C101: PTX has no initial values in shared memory; LLVM drops them.
static LogicalResult verifyGlobal(memref::GlobalOp op) {
  if (!isSharedMemRef(op.getType()) || op.isUninitialized())
    return success();
  return op->emitOpError("expected shared memory without an initial value, got "
                         "one for ")
         << op.getType();
}

static LogicalResult verifyOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<MbarrierInitOp, MbarrierInvalOp, MbarrierExpectTxOp,
            MbarrierCompleteTxOp, MbarrierArriveOp, MbarrierArriveDropOp,
            MbarrierArriveExpectTxOp, MbarrierArriveDropExpectTxOp,
            MbarrierTestWaitOp, MbarrierTryWaitOp, MbarrierWaitOp,
            CpAsyncMbarrierArriveOp>([](auto barrier) {
        return verifyBarrier(barrier, barrier.getIndices());
      })
      .Case<BulkLoadOp, BulkCopyClusterOp, BulkReduceClusterOp>([](auto copy) {
        if (failed(verifyBarrier(copy, copy.getBarrierIndices())))
          return failure();
        return verifyBulk(copy);
      })
      .Case<StAsyncOp, RedAsyncOp>([](auto access) {
        return verifyBarrier(access, access.getBarrierIndices());
      })
      .Case([](BulkPrefetchOp prefetch) {
        return verifyAlignment(prefetch, prefetch.getSource(),
                               prefetch.getSourceIndices(), rules::kBulkGranule,
                               "the source of a bulk copy");
      })
      .Case<memref::LoadOp, memref::StoreOp>(
          [](auto access) { return verifyAccess(access); })
      .Case([](memref::GlobalOp global) { return verifyGlobal(global); })
      .Case<memref::AllocOp, memref::AllocaOp>(
          [](auto alloc) { return verifyAllocation(alloc); })
      .Case<BulkStoreOp, BulkReduceOp>(
          [](auto copy) { return verifyBulk(copy); })
      .Case([](CpAsyncCopyOp copy) {
        return verifyAlignment(copy, copy.getDestination(),
                               copy.getDestinationIndices(), copy.getSize(),
                               "the destination of cp.async");
      })
      .Case([](TensorLoadOp load) {
        if (failed(verifyBarrier(load, load.getBarrierIndices())))
          return failure();
        return verifyAlignment(load, load.getDestination(),
                               load.getDestinationIndices(),
                               load.getMap().getType().getSharedAlignment(),
                               "a tensor copy's tile");
      })
      .Case<TensorStoreOp, TensorReduceOp>(
          [](auto copy) { return verifyTensorStore(copy); })
      .Case<TensorMapGetOp, TensorMapReplaceOp>([](auto access) {
        return verifyDescriptor(access, access.getMaps(), access.getIndices());
      })
      .Case([](TensorMapCopyFenceOp copy) {
        if (failed(verifyDescriptor(copy, copy.getSource(),
                                    copy.getSourceIndices())))
          return failure();
        return verifyDescriptor(copy, copy.getDestination(),
                                copy.getDestinationIndices());
      })
      .Default([](Operation *) { return success(); });
}

namespace {

struct VerifyMachine : public carousel::impl::VerifyMachineBase<VerifyMachine> {
  void runOnOperation() override {
    bool refused = false;
    getOperation().walk(
        [&](Operation *op) { refused |= failed(verifyOp(op)); });
    if (refused)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
