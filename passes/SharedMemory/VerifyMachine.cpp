//===- VerifyMachine.cpp - verifier of the machine phase ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the alignment, size and coordinates of hardware accesses, where these
// are known at compile time. Checks which ops of other dialects access shared
// memory, and that variants have the same arguments. Constraints C75 to C77,
// C94 to C97, C99 to C101, C103, C104, C121, C141, C235, C332, C335 and, by
// OtherDialects.h, C193 to C197 and C203 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "../Tile/OtherDialects.h"

#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Analysis/Values/ArgumentWrites.h"
#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Dialect/IR/MatrixOps.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/TypeSwitch.h"

namespace carousel {
#define GEN_PASS_DEF_VERIFYMACHINE
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Bytes that the hardware touches
//===----------------------------------------------------------------------===//

/// C103: constant indices are inside of the buffer, and `bytes` from there on
/// fit into one of static shape.
static LogicalResult verifyRange(Operation *op, Value memref,
                                 ValueRange indices, int64_t bytes) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t linear = 0;
  bool constant = type.hasStaticShape() && type.getLayout().isIdentity();
  for (auto [index, extent] : llvm::zip(indices, type.getShape())) {
    std::optional<int64_t> position = getConstantIntValue(index);
    constant &= position.has_value();
    if (!position || ShapedType::isDynamic(extent))
      continue;
    if (*position < 0 || *position >= extent)
      return op->emitOpError("expected constant indices inside of ")
             << type << ", got " << *position;
    linear = linear * extent + *position;
  }
  int64_t elementBytes = getElementBytes(type.getElementType());
  if (!constant || elementBytes == 0)
    return success();
  int64_t room = (type.getNumElements() - linear) * elementBytes;
  if (bytes <= room)
    return success();
  return op->emitOpError("expected at most the ")
         << room << " bytes that are left of " << type << ", got " << bytes;
}

/// C94 to C97, C103: `what` begins at a multiple of `alignment` and has room.
static LogicalResult verifyTouched(Operation *op, Value memref,
                                   ValueRange indices, int64_t bytes,
                                   int64_t alignment, StringRef what) {
  if (failed(verifyRange(op, memref, indices, bytes)))
    return failure();
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
  return verifyTouched(op, op.getBarriers(), indices, rules::kMbarrierBytes,
                       rules::kMbarrierAlignment, "a barrier");
}

/// C95
template <typename Op> static LogicalResult verifyBulkSource(Op op) {
  return verifyTouched(op, op.getSource(), op.getSourceIndices(),
                       op.getStaticSize().value_or(rules::kBulkGranule),
                       rules::kBulkGranule, "the source of a bulk copy");
}

template <typename Op> static LogicalResult verifyBulk(Op op) {
  if (failed(verifyBulkSource(op)))
    return failure();
  return verifyTouched(op, op.getDestination(), op.getDestinationIndices(),
                       op.getStaticSize().value_or(rules::kBulkGranule),
                       rules::kBulkGranule, "the destination of a bulk copy");
}

/// C75, C76: the hardware reports other coordinates as an illegal instruction.
template <typename Op>
static LogicalResult verifyCoordinates(Op op, bool writesTensor) {
  TensorMapType map = op.getMap().getType();
  std::optional<int64_t> inner =
      getConstantIntValue(op.getCoordinates().back());
  if (inner && map.getInterleave() == Interleave::None &&
      *inner * map.getElementBits() % (8 * rules::kInnerBoxGranule) != 0)
    return op->emitOpError("expected an innermost coordinate at a multiple of ")
           << rules::kInnerBoxGranule << " bytes, got "
           << *inner * map.getElementBits() / 8;
  if (!writesTensor)
    return success();
  for (Value coordinate : op.getCoordinates())
    if (std::optional<int64_t> value = getConstantIntValue(coordinate))
      if (*value < 0)
        return op->emitOpError("expected coordinates of a write that are not "
                               "negative, got ")
               << *value;
  return success();
}

/// C96
static LogicalResult verifyTensorLoad(TensorLoadOp op) {
  if (failed(verifyBarrier(op, op.getBarrierIndices())) ||
      failed(verifyCoordinates(op, /*writesTensor=*/false)))
    return failure();
  return verifyTouched(op, op.getDestination(), op.getDestinationIndices(),
                       op.getTransactionBytes(),
                       op.getMap().getType().getSharedAlignment(),
                       "a tensor copy's tile");
}

template <typename Op> static LogicalResult verifyTensorStore(Op op) {
  TensorMapType map = op.getMap().getType();
  if (failed(verifyCoordinates(op, /*writesTensor=*/true)))
    return failure();
  unsigned rows =
      op.getMode() == TensorStoreMode::Scatter4 ? rules::kGatherRows : 1;
  return verifyTouched(op, op.getSource(), op.getSourceIndices(),
                       map.getBoxBytes(rows), map.getSharedAlignment(),
                       "a tensor copy's tile");
}

/// C97
static LogicalResult verifyDescriptor(Operation *op, Value memref,
                                      ValueRange indices) {
  return verifyTouched(op, memref, indices, rules::kTensorMapBytes,
                       rules::kTensorMapAlignment, "a tensor map");
}

/// C77: constant values of a descriptor's fields, by the rules of the driver's
/// encode call.
static LogicalResult verifyReplacedValue(TensorMapReplaceOp op) {
  std::optional<int64_t> value =
      op.getValue() ? getConstantIntValue(op.getValue()) : std::nullopt;
  if (!value)
    return success();
  auto expect = [&](bool holds, const Twine &rule) -> LogicalResult {
    if (holds)
      return success();
    return op.emitOpError("expected ") << stringifyTensorMapField(op.getField())
                                       << " " << rule << ", got " << *value;
  };
  auto inRange = [&](int64_t low, int64_t high) {
    return expect(*value >= low && *value <= high,
                  "of " + Twine(low) + " to " + Twine(high));
  };
  switch (op.getField()) {
  case TensorMapField::GlobalAddress:
    return expect(*value % rules::kGlobalStrideGranule == 0,
                  "at a multiple of 16");
  case TensorMapField::Rank:
    return inRange(0, rules::kMaxTensorRank - 1);
  case TensorMapField::BoxDim:
    return inRange(1, rules::kMaxBoxExtent);
  case TensorMapField::ElementStride:
    return inRange(1, rules::kMaxElementStride);
  case TensorMapField::GlobalStride:
    return expect(*value >= 0 && *value <= rules::kMaxGlobalStride &&
                      *value % rules::kGlobalStrideGranule == 0,
                  "that is a multiple of 16 below 2^40");
  default:
    return success();
  }
}

static LogicalResult verifyReplace(TensorMapReplaceOp op) {
  if (failed(verifyDescriptor(op, op.getMaps(), op.getIndices())))
    return failure();
  return verifyReplacedValue(op);
}

//===----------------------------------------------------------------------===//
// Allocations and accesses of other dialects
//===----------------------------------------------------------------------===//

/// C188: MLIR's conversions count the elements, not the bytes that a layout
/// spreads them over.
static LogicalResult verifyDeclared(Operation *op, Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (memref && memref.hasStaticShape() && memref.getLayout().isIdentity())
    return success();
  return op->emitOpError("expected a contiguous buffer of static extents where "
                         "memory is declared, got ")
         << type;
}

/// C104
static LogicalResult verifyAlignment(gpu::GPUFuncOp func, Attribute attr,
                                     StringRef memory) {
  if (!attr)
    return success();
  auto align = dyn_cast<IntegerAttr>(attr);
  int64_t value = align ? align.getInt() : 0;
  if (value > 0 && llvm::isPowerOf2_64(value) &&
      value <= rules::kMaxDeclaredAlignment)
    return success();
  return func.emitError("expected an alignment of ")
         << memory << " memory that is a power of two up to "
         << rules::kMaxDeclaredAlignment << ", got " << attr;
}

static LogicalResult verifyAttributions(gpu::GPUFuncOp func) {
  StringRef align = LLVM::LLVMDialect::getAlignAttrName();
  for (auto [i, buffer] : llvm::enumerate(func.getWorkgroupAttributions()))
    if (failed(verifyDeclared(func, buffer.getType())) ||
        failed(verifyAlignment(func, func.getWorkgroupAttributionAttr(i, align),
                               "shared")))
      return failure();
  for (auto [i, buffer] : llvm::enumerate(func.getPrivateAttributions()))
    if (failed(verifyDeclared(func, buffer.getType())) ||
        failed(verifyAlignment(func, func.getPrivateAttributionAttr(i, align),
                               "private")))
      return failure();
  return success();
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

static LogicalResult verifyCopy(memref::CopyOp op) {
  Type element = cast<MemRefType>(op.getSource().getType()).getElementType();
  if (!isa<MbarrierType, TensorMapType>(element))
    return success();
  return op->emitOpError("expected elements that can be loaded and stored, got "
                         "the opaque ")
         << element;
}

/// C101: PTX has no initial values in shared memory; LLVM drops them.
static LogicalResult verifyGlobal(memref::GlobalOp op) {
  if (failed(verifyDeclared(op, op.getType())))
    return failure();
  if (!isSharedMemRef(op.getType()) || op.isUninitialized())
    return success();
  if (op.isExternal())
    return op->emitOpError("expected shared memory that this module declares, "
                           "got an external ")
           << op.getType();
  return op->emitOpError("expected shared memory without an initial value, got "
                         "one for ")
         << op.getType();
}

/// C141
static LogicalResult verifyPhase(Operation *op) {
  auto isRing = [](Type type) { return isa<RingType>(type); };
  if (isa<RingSubmitOp, RingWaitStoresOp, RingSyncOp, RingRolesOp, RingLoadOp,
          RingStoreOp>(op) ||
      llvm::any_of(op->getOperandTypes(), isRing) ||
      llvm::any_of(op->getResultTypes(), isRing))
    return op->emitOpError("expected ops of the machine phase, got one of the "
                           "ring phase");
  if (isa<TransferOpInterface>(op))
    return op->emitOpError(
        "expected ops of the machine phase, got a transfer of the tile phase");
  if (op->hasAttr(CarouselDialect::kPipeline))
    return op->emitOpError("expected no carousel.pipeline in the machine "
                           "phase, got ")
           << op->getAttr(CarouselDialect::kPipeline);
  return success();
}

/// Rows of 16 bytes at multiples of 16, and warps that have all their lanes.
static LogicalResult verifyMatrixOp(Operation *op) {
  if (std::string reason = explainMatrixOp(op); !reason.empty())
    return op->emitOpError() << reason;
  if (auto load = dyn_cast<nvgpu::LdMatrixOp>(op))
    if (failed(verifyTouched(op, load.getSrcMemref(), load.getIndices(),
                             rules::kMatrixRowBytes, rules::kMatrixRowBytes,
                             "rows of ldmatrix")))
      return failure();
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  std::optional<std::array<int64_t, 3>> block =
      kernel ? getKnownBlock(kernel) : std::nullopt;
  int64_t threads = block ? (*block)[0] * (*block)[1] * (*block)[2] : 0;
  if (threads % rules::kWarpSize == 0)
    return success();
  return op->emitOpError("expected whole warps, got a block of ")
         << threads << " threads";
}

/// C235
static LogicalResult verifyMultimem(Operation *op, Value destination) {
  auto argument = dyn_cast<BlockArgument>(getRootBuffer(destination));
  if (!argument || isMulticast(argument) ||
      !isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()))
    return success();
  return op->emitOpError("expected a destination in an argument with "
                         "carousel.multicast, got argument ")
         << argument.getArgNumber();
}

static LogicalResult verifyOp(Operation *op) {
  if (failed(verifyPhase(op)) || failed(verifyOtherDialects(op)))
    return failure();
  // C332, C335
  if (std::string reason = explainRegisterUse(op); !reason.empty())
    return op->emitOpError() << reason;
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
      .Case([](BulkPrefetchOp prefetch) { return verifyBulkSource(prefetch); })
      .Case([](memref::CopyOp copy) { return verifyCopy(copy); })
      .Case([](gpu::GPUFuncOp func) { return verifyAttributions(func); })
      .Case<memref::LoadOp, memref::StoreOp>(
          [](auto access) { return verifyAccess(access); })
      .Case([](memref::GlobalOp global) { return verifyGlobal(global); })
      .Case<memref::AllocOp, memref::AllocaOp>(
          [](auto alloc) { return verifyAllocation(alloc); })
      .Case<BulkStoreOp, BulkReduceOp>(
          [](auto copy) { return verifyBulk(copy); })
      .Case([](CpAsyncCopyOp copy) {
        return verifyTouched(copy, copy.getDestination(),
                             copy.getDestinationIndices(), copy.getSize(),
                             copy.getSize(), "the destination of cp.async");
      })
      .Case<MultimemStoreOp, MultimemReduceOp>([](auto store) {
        return verifyMultimem(store, store.getDestination());
      })
      .Case([](TensorLoadOp load) { return verifyTensorLoad(load); })
      .Case<nvgpu::LdMatrixOp, nvgpu::MmaSyncOp>(
          [](auto matrix) { return verifyMatrixOp(matrix); })
      .Case<TensorStoreOp, TensorReduceOp>(
          [](auto copy) { return verifyTensorStore(copy); })
      .Case([](TensorMapReplaceOp replace) { return verifyReplace(replace); })
      .Case([](TensorMapGetOp access) {
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
    // The pass manager may not have verified the ops (Pipelines.h).
    if (failed(verify(getOperation())))
      return signalPassFailure();
    bool refused = false;
    getOperation().walk(
        [&](Operation *op) { refused |= failed(verifyOp(op)); });
    SmallVector<gpu::GPUFuncOp> kernels;
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>())
      if (func.isKernel())
        kernels.push_back(func);
    for (gpu::GPUFuncOp kernel : kernels)
      refused |= failed(verifyArgumentWrites(kernel));
    refused |= failed(verifyVariants(kernels));
    if (refused)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
