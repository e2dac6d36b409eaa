//===- OtherDialects.cpp - checks of ops of other dialects ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OtherDialects.h.
//
//===----------------------------------------------------------------------===//

#include "OtherDialects.h"

#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Dialect/IR/AsyncCopies.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

/// Four times the 255 registers of 32 bits that a thread has: vectors may be
/// spilled, and what is larger takes LLVM minutes.
static constexpr int64_t kMaxVectorElements = 1024;

/// C193
static LogicalResult verifyDim(memref::DimOp op) {
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  std::optional<int64_t> dim = op.getConstantIndex();
  if (!type || !dim || (*dim >= 0 && *dim < type.getRank()))
    return success();
  return op.emitOpError("expected one of the ")
         << type.getRank() << " dimensions of " << type << ", got " << *dim;
}

/// C194: what a kernel declares has to lie in memory, with a size.
static LogicalResult verifyElements(Operation *op, Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || getMostElementBytes(memref.getElementType()))
    return success();
  return op->emitOpError("expected elements of known size where memory is "
                         "declared, got ")
         << memref;
}

static LogicalResult verifyAttributions(gpu::GPUFuncOp func) {
  for (ArrayRef<BlockArgument> buffers :
       {func.getWorkgroupAttributions(), func.getPrivateAttributions()})
    for (BlockArgument buffer : buffers)
      if (failed(verifyElements(func, buffer.getType())))
        return failure();
  return success();
}

/// Names the substitute for an op that no target has; empty for other ops.
static StringRef findSubstitute(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<nvgpu::TmaAsyncLoadOp, nvgpu::TmaAsyncStoreOp,
            nvgpu::TmaCreateDescriptorOp, nvgpu::TmaFenceOp,
            nvgpu::TmaPrefetchOp>([](auto) {
        return "carousel.load and carousel.store, which become tensor copies, "
               "or ops of carousel.tensor at the machine phase";
      })
      .Case<nvgpu::MBarrierArriveExpectTxOp, nvgpu::MBarrierArriveNoCompleteOp,
            nvgpu::MBarrierArriveOp, nvgpu::MBarrierCreateOp,
            nvgpu::MBarrierGetOp, nvgpu::MBarrierInitOp,
            nvgpu::MBarrierTestWaitOp, nvgpu::MBarrierTryWaitParityOp>(
          [](auto) {
            return "gpu.barrier, or ops of carousel.mbarrier at the machine "
                   "phase";
          })
      .Case<memref::DmaStartOp, memref::DmaWaitOp>(
          [](auto) { return "carousel.load, carousel.store or memref.copy"; })
      .Case([](nvgpu::RcpOp) { return "arith.divf"; })
      .Case<nvgpu::MmaSparseSyncOp, nvgpu::WarpgroupGenerateDescriptorOp,
            nvgpu::WarpgroupMmaInitAccumulatorOp, nvgpu::WarpgroupMmaOp,
            nvgpu::WarpgroupMmaStoreOp>([](auto) { return "nvgpu.mma.sync"; })
      .Default([](Operation *) { return StringRef(); });
}

/// C195
static LogicalResult verifyLowerable(Operation *op) {
  StringRef substitute = findSubstitute(op);
  if (substitute.empty())
    return success();
  return op->emitOpError("expected ")
         << substitute << ", got an op that no target has";
}

/// C196: registers are all that a thread has of its own.
static LogicalResult verifyVectors(Operation *op, TypeRange types) {
  for (Type type : types) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      continue;
    int64_t elements = 1;
    for (int64_t extent : vector.getShape())
      if (llvm::MulOverflow(elements, extent, elements))
        elements = kMaxVectorElements + 1;
    if (elements > kMaxVectorElements)
      return op->emitOpError("expected vectors of at most ")
             << kMaxVectorElements << " elements in a thread, got " << vector;
  }
  return success();
}

/// C203: the hardware compares and swaps bytes and words.
static LogicalResult verifyAtomic(memref::GenericAtomicRMWOp op) {
  Type element = op.getType();
  if (element.isIntOrFloat() &&
      llvm::is_contained({8u, 16u, 32u, 64u}, element.getIntOrFloatBitWidth()))
    return success();
  return op.emitOpError("expected elements of 8, 16, 32 or 64 bits, got ")
         << op.getMemRefType();
}

LogicalResult carousel::verifyOtherDialects(Operation *op) {
  if (failed(verifyLowerable(op)) ||
      failed(verifyVectors(op, op->getResultTypes())))
    return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(verifyVectors(op, block.getArgumentTypes())))
        return failure();
  // C197
  if (std::string reason = explainAsyncCopy(op); !reason.empty())
    return op->emitOpError(reason);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](memref::DimOp dim) { return verifyDim(dim); })
      .Case([](memref::GenericAtomicRMWOp atomic) {
        return verifyAtomic(atomic);
      })
      .Case([](gpu::GPUFuncOp func) { return verifyAttributions(func); })
      .Case<memref::AllocOp, memref::AllocaOp, memref::GlobalOp>(
          [](auto declared) {
            return verifyElements(declared, declared.getType());
          })
      .Default([](Operation *) { return success(); });
}
