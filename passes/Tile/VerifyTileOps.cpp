//===- VerifyTileOps.cpp - checks of ops and types ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VerifyTileOps.h. Constraints C199 to C201 and C233 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "VerifyTileOps.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/Transforms/VectorLanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

bool carousel::belongsToTilePhase(Operation *op) {
  return isa<TransferOpInterface, SerializeOp, PassTurnOp, GridTicketOp,
             SignalOp, WaitSignalOp, ClusterGatherOp, ClusterArriveOp,
             ClusterWaitOp, ClusterRankOp, ClusterSizeOp, ClusterMapSharedOp,
             RoundTF32Op, RowsOp, BarrierWarpOp, FenceThreadOp,
             GridDependencyWaitOp, GridLaunchDependentsOp, GridSerialWaitOp,
             GridSerialReleaseOp, AsyncConsumerOpInterface>(op);
}

LogicalResult carousel::verifyTicket(GridTicketOp ticket) {
  // C189
  std::optional<int64_t> total = getConstantIntValue(ticket.getTotal());
  if (total && (*total < 1 || *total > std::numeric_limits<int32_t>::max()))
    return ticket.emitOpError("expected 1 to 2^31 - 1 tickets, got ") << *total;
  // C226
  if (ticket.getAcqRel())
    return ticket.emitOpError("expected acq_rel at the block phase only; the "
                              "tile phase has carousel.fence.thread");
  return success();
}

/// C233: peers can see the counters.
LogicalResult carousel::verifyCounters(Operation *op) {
  auto argument = dyn_cast<BlockArgument>(getRootBuffer(op->getOperand(0)));
  if (!argument || isSharedWithPeers(argument) ||
      !isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()))
    return success();
  return op->emitOpError("expected counters in an argument with "
                         "carousel.symmetric or carousel.peer, got argument ")
         << argument.getArgNumber();
}

/// Whether a kernel may hold this op of the gpu dialect; the others are the
/// host's.
static bool isOfKernels(Operation *op) {
  return isa<gpu::AllReduceOp, gpu::BarrierOp, gpu::BlockDimOp, gpu::BlockIdOp,
             gpu::ClusterBlockIdOp, gpu::ClusterDimBlocksOp, gpu::ClusterDimOp,
             gpu::ClusterIdOp, gpu::DynamicSharedMemoryOp, gpu::GPUFuncOp,
             gpu::GPUModuleOp, gpu::GlobalIdOp, gpu::GridDimOp, gpu::LaneIdOp,
             gpu::NumSubgroupsOp, gpu::PrintfOp, gpu::ReturnOp, gpu::RotateOp,
             gpu::ShuffleOp, gpu::SubgroupBroadcastOp, gpu::SubgroupIdOp,
             gpu::SubgroupMmaComputeOp, gpu::SubgroupMmaConstantMatrixOp,
             gpu::SubgroupMmaElementwiseOp,
             gpu::SubgroupMmaExtractThreadLocalOp,
             gpu::SubgroupMmaInsertThreadLocalOp, gpu::SubgroupMmaLoadMatrixOp,
             gpu::SubgroupMmaStoreMatrixOp, gpu::SubgroupReduceOp,
             gpu::SubgroupSizeOp, gpu::ThreadIdOp, gpu::YieldOp>(op);
}

/// Ops that nothing lowers, whatever their types.
static bool isForeign(Operation *op) {
  if (isa<gpu::GPUDialect>(op->getDialect()))
    return !isOfKernels(op);
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return !isSharedMemRef(alloc.getType()); // C139 has those
  return isa<memref::DeallocOp, memref::ReallocOp, vector::PrintOp>(op);
}

/// C199
static LogicalResult verifyKind(Operation *op) {
  if (!op->getDialect() || !isForeign(op))
    return success();
  return op->emitOpError("expected an op that PTX or CUDA C++ can be made of");
}

/// C200
static LogicalResult verifyFixed(Operation *op) {
  std::string reason = explainScalable(op);
  return reason.empty() ? success() : op->emitOpError(reason);
}

/// What the targets compute with.
static bool isComputed(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!isa<FloatType>(element))
    return true;
  return element.isF16() || element.isBF16() || element.isF32() ||
         element.isF64() || isa<Float8E4M3FNType, Float8E5M2Type>(element);
}

/// C201. Bytes of other formats are moved, and taken for integers.
static LogicalResult verifyElements(Operation *op) {
  bool isMove = isa<arith::BitcastOp, arith::ConstantOp, arith::SelectOp>(op);
  bool computes =
      isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<vector::ReductionOp, vector::MultiDimReductionOp, vector::FMAOp,
          vector::ContractionOp, vector::OuterProductOp, vector::ScanOp>(op);
  if (!computes)
    return success();
  // The high half depends on the width that a target gives to an index.
  if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op) &&
      getElementTypeOrSelf(op->getOperand(0)).isIndex())
    return op->emitOpError("expected factors of a fixed width, got ")
           << op->getOperand(0).getType();
  for (TypeRange types :
       {TypeRange(op->getResultTypes()), TypeRange(op->getOperandTypes())})
    for (Type type : types) {
      if (isComputed(type))
        continue;
      if (isMove && getElementTypeOrSelf(type).getIntOrFloatBitWidth() == 8)
        continue;
      return op->emitOpError("expected floats of f16, bf16, f32, f64, f8E4M3FN "
                             "or f8E5M2, got ")
             << type;
    }
  return success();
}

LogicalResult carousel::verifyTaken(Operation *op) {
  if (!op->getDialect())
    return success();
  return success(succeeded(verifyKind(op)) && succeeded(verifyFixed(op)) &&
                 succeeded(verifyElements(op)));
}
