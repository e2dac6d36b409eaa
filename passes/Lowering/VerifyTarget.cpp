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

namespace carousel {
#define GEN_PASS_DEF_VERIFYTARGET
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Bytes of a statically shaped buffer, barriers and descriptors included.
static int64_t getBytes(MemRefType type) {
  if (!type.hasStaticShape())
    return 0;
  Type element = type.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (isa<MbarrierType>(element))
    bits = 8 * rules::kMbarrierBytes;
  else if (isa<TensorMapType>(element))
    bits = 8 * rules::kTensorMapBytes;
  else if (auto vector = dyn_cast<VectorType>(element))
    bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  return type.getNumElements() * bits / 8;
}

/// C92
static LogicalResult verifyStaticShared(gpu::GPUFuncOp func) {
  int64_t bytes = 0;
  for (BlockArgument buffer : func.getWorkgroupAttributions())
    bytes += getBytes(cast<MemRefType>(buffer.getType()));
  llvm::SmallSetVector<StringRef, 4> globals;
  func.walk([&](memref::GetGlobalOp get) {
    if (isSharedMemRef(get.getType()) && globals.insert(get.getName()))
      bytes += getBytes(get.getType());
  });
  if (bytes <= rules::kMaxStaticSharedBytes)
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
