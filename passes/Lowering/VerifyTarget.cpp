//===- VerifyTarget.cpp - refuse what the target lacks ---===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares every op's requirement with the module's target, and kernels with
// the limits that hold before launch. Constraints C91 to C93 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/HardwareRules.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Target/TargetInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace carousel {
#define GEN_PASS_DEF_VERIFYTARGET
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Bits of one element, barriers and descriptors included.
static uint64_t getElementBits(Type element) {
  if (isa<MbarrierType>(element))
    return 8 * rules::kMbarrierBytes;
  if (isa<TensorMapType>(element))
    return 8 * rules::kTensorMapBytes;
  if (auto vector = dyn_cast<VectorType>(element))
    return vector.getNumElements() * vector.getElementTypeBitWidth();
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

/// Bytes of a static buffer; the largest number if that is too small for them.
static uint64_t getBytes(MemRefType type) {
  uint64_t bits = getElementBits(type.getElementType());
  for (int64_t extent : type.getShape())
    bits = llvm::SaturatingMultiply(bits, static_cast<uint64_t>(extent));
  return llvm::divideCeil(bits, 8);
}

/// C92
static LogicalResult verifyStaticShared(gpu::GPUFuncOp func) {
  llvm::SmallSetVector<StringRef, 4> globals;
  SmallVector<MemRefType> buffers;
  for (BlockArgument buffer : func.getWorkgroupAttributions())
    buffers.push_back(cast<MemRefType>(buffer.getType()));
  func.walk([&](memref::GetGlobalOp get) {
    if (isSharedMemRef(get.getType()) && globals.insert(get.getName()))
      buffers.push_back(get.getType());
  });
  uint64_t bytes = 0;
  for (MemRefType type : buffers) {
    if (!type.hasStaticShape())
      return func.emitError("expected static extents in shared memory that the "
                            "kernel declares, got ")
             << type;
    bytes = llvm::SaturatingAdd(bytes, getBytes(type));
  }
  if (bytes <= static_cast<uint64_t>(rules::kMaxStaticSharedBytes))
    return success();
  return func.emitError("expected at most ")
         << rules::kMaxStaticSharedBytes
         << " bytes of static shared memory, got " << bytes;
}

/// C93
static LogicalResult verifyCluster(gpu::GPUFuncOp func,
                                   const TargetSpec &target) {
  DenseI32ArrayAttr cluster = func.getKnownClusterSizeAttr();
  if (!cluster)
    return success();
  int64_t size = 1;
  for (int32_t extent : cluster.asArrayRef())
    size *= extent;
  if (size <= target.info->maxClusterSize)
    return success();
  return func.emitError("expected a cluster of at most ")
         << target.info->maxClusterSize << " CTAs on " << target.info->chip
         << ", got " << size;
}

namespace {

struct VerifyTarget : public carousel::impl::VerifyTargetBase<VerifyTarget> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<TargetSpec> target = getTargetSpec(module);
    if (failed(target))
      return signalPassFailure();
    bool refused = false;
    module.walk([&](Operation *op) {
      if (auto func = dyn_cast<gpu::GPUFuncOp>(op))
        refused |= failed(verifyStaticShared(func)) ||
                   failed(verifyCluster(func, *target));
      auto targeted = dyn_cast<TargetOpInterface>(op);
      if (!targeted)
        return;
      // C91
      std::string missing =
          target->explainMissing(targeted.getTargetRequirement());
      if (missing.empty())
        return;
      op->emitOpError(missing);
      refused = true;
    });
    if (refused)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
