//===- SyncVerifiers.cpp - fence, barrier, cluster, grid rules ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints C86 to C90 of docs/Spec.md, and the target requirement of each
// form of the ops.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

TargetRequirement FenceThreadOp::getTargetRequirement() {
  // The cluster scope came with sm_90. One-way fences came with sm_90 and PTX
  // 8.6. For older targets LLVM makes them acq_rel, which orders more.
  return getScope() == MemScope::Cluster ? TargetRequirement{90, 78}
                                         : TargetRequirement{80, 70};
}

TargetRequirement FenceProxyOp::getTargetRequirement() {
  return getProxy() == ProxyKind::Alias ? TargetRequirement{80, 75}
                                        : TargetRequirement{90, 80};
}

//===----------------------------------------------------------------------===//
// Threads of a CTA
//===----------------------------------------------------------------------===//

/// C86, C87
static LogicalResult verifyNamedBarrier(Operation *op, Value id,
                                        std::optional<uint32_t> literal,
                                        std::optional<uint32_t> threads) {
  if (failed(verifyValueOrLiteral(op, id, literal, "barrier id")))
    return failure();
  if (literal && *literal >= rules::kNamedBarriers)
    return op->emitOpError()
           << "expected a barrier id of 0 to " << rules::kNamedBarriers - 1
           << ", got " << static_cast<int32_t>(*literal);
  if (threads && (*threads == 0 || *threads > rules::kMaxThreadsPerBlock ||
                  *threads % rules::kWarpSize != 0))
    return op->emitOpError()
           << "expected threads in a positive multiple of " << rules::kWarpSize
           << " up to " << rules::kMaxThreadsPerBlock << ", got "
           << static_cast<int32_t>(*threads);
  return success();
}

LogicalResult BarrierSyncOp::verify() {
  return verifyNamedBarrier(*this, getId(), getStaticId(), getThreads());
}

LogicalResult BarrierArriveOp::verify() {
  return verifyNamedBarrier(*this, getId(), getStaticId(), getThreads());
}

LogicalResult SetMaxRegistersOp::verify() {
  // C88
  int64_t count = static_cast<int32_t>(getRegisters());
  if (count < rules::kMinRegisters || count > rules::kMaxRegisters ||
      count % rules::kRegisterStep != 0)
    return emitOpError("expected ")
           << rules::kMinRegisters << " to " << rules::kMaxRegisters
           << " registers in steps of " << rules::kRegisterStep << ", got "
           << count;
  return success();
}

TargetRequirement SetMaxRegistersOp::getTargetRequirement() {
  return {90, 80, {"sm_90a", "sm_100a", "sm_120a"}};
}

//===----------------------------------------------------------------------===//
// Clusters and grids
//===----------------------------------------------------------------------===//

TargetRequirement ClusterArriveOp::getTargetRequirement() {
  return getSemantics() == MemSemantics::Relaxed ? TargetRequirement{90, 80}
                                                 : TargetRequirement{90, 78};
}

LogicalResult ClusterGatherOp::verify() {
  // C213
  constexpr int64_t kMostCTAs = 8; // C112
  Type value = getValue().getType();
  auto result = cast<VectorType>(getResult().getType());
  bool isWord = value.isSignlessInteger(32) || value.isSignlessInteger(64) ||
                value.isF32() || value.isF64();
  if (!isWord)
    return emitOpError("expected a value of i32, i64, f32 or f64, got ")
           << value;
  if (result.getRank() != 1 || result.isScalable() ||
      result.getElementType() != value || result.getDimSize(0) < 2 ||
      result.getDimSize(0) > kMostCTAs)
    return emitOpError("expected a vector of 2 to ")
           << kMostCTAs << " values of " << value << " as the result, got "
           << result;
  return success();
}

LogicalResult ClusterMapSharedOp::verify() {
  // C89
  MemRefType source = getSource().getType(), result = getResult().getType();
  if (source.getShape() == result.getShape() &&
      source.getElementType() == result.getElementType() &&
      source.getLayout() == result.getLayout())
    return success();
  return emitOpError("expected the source's shape, layout and elements in the "
                     "result, got ")
         << source << " and " << result;
}

LogicalResult carousel::verifySemaphore(Operation *op, MemRefType semaphores,
                                        ValueRange indices, StringRef name) {
  if (failed(verifyIndices(op, semaphores, indices, name)))
    return failure();
  // C90
  if (!semaphores.getElementType().isSignlessInteger(32))
    return op->emitOpError("expected ")
           << name << " of i32, got " << semaphores;
  return success();
}

LogicalResult GridSerialWaitOp::verify() {
  return verifySemaphore(*this, getSemaphores().getType(), getIndices(),
                         "semaphores");
}

LogicalResult GridSerialReleaseOp::verify() {
  return verifySemaphore(*this, getSemaphores().getType(), getIndices(),
                         "semaphores");
}
