//===- LowerRings.cpp - ring phase to machine phase -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the plan of a kernel's rings. Slots become buffers, and uses become
// slot numbers and parities. Produce, wait and release become arrivals and
// waits at mbarriers. Ring barriers become barriers of the scope's threads, and
// roles become branches. Checks constraints C160 and C162 to C165 of
// docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "RingLowering.h"

#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Dialect/IR/AsyncCopies.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERRINGS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Tiles with wider elements
//===----------------------------------------------------------------------===//

/// Makes a tile that is a buffer of its own a view of bytes, as a ring's tile
/// is, where its map sees it as wider elements.
static void viewAsBytes(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  OpBuilder b(alloc);
  int64_t bytes =
      type.getNumElements() * getElementBytes(type.getElementType());
  auto bytesType =
      MemRefType::get({bytes}, b.getI8Type(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace());
  Location loc = alloc.getLoc();
  Value buffer =
      memref::AllocOp::create(b, loc, bytesType, alloc.getAlignmentAttr());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value view = memref::ViewOp::create(b, loc, type, buffer, zero,
                                      /*sizes=*/ValueRange());
  for (OpOperand &use : llvm::make_early_inc_range(alloc->getUses()))
    use.set(isa<memref::DeallocOp>(use.getOwner()) ? buffer : view);
  alloc.erase();
}

static void viewWideTilesAsBytes(gpu::GPUFuncOp kernel) {
  llvm::SetVector<Operation *> allocs;
  kernel.walk([&](TransferOpInterface op) {
    MemRefType tile = op.getTile().getType();
    auto alloc = op.getTile().getDefiningOp<memref::AllocOp>();
    if (alloc && op.getMap() && tile.getLayout().isIdentity() &&
        op.getMap().getType().getElementBits() !=
            8 * getElementBytes(tile.getElementType()))
      allocs.insert(alloc);
  });
  for (Operation *alloc : allocs)
    viewAsBytes(cast<memref::AllocOp>(alloc));
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static remark::RemarkOpts getRemarkOptions(gpu::GPUFuncOp kernel) {
  return remark::RemarkOpts::name("Ring")
      .category("carousel-lower-rings")
      .function(kernel.getName());
}

static void emitRemarks(gpu::GPUFuncOp kernel, const RingBarrierPlan &plan) {
  if (!kernel.getContext()->getRemarkEngine())
    return;
  remark::RemarkOpts options = getRemarkOptions(kernel);
  for (const PlannedRing &planned : plan.rings) {
    RingCreateOp ring = planned.ring;
    int64_t bytes = 0, stages = ring.getRing().getType().getStages();
    for (const PlannedTile &tile : planned.tiles)
      bytes += tile.stride * stages;
    remark::passed(ring.getLoc(), options) << remark::add(
        "{0} slots in {1} bytes, {2} arrivals fill one, {3}", stages, bytes,
        planned.hasFull ? planned.fullArrivals : 0,
        planned.groups     ? std::string("each thread's commit groups")
        : !planned.hasFull ? std::string("no consumer waits on it")
        : planned.hasEmpty
            ? std::to_string(planned.emptyArrivals) + " hand it back"
            : std::string("a barrier releases the slot"));
  }
}

namespace {

struct LowerRings : public carousel::impl::LowerRingsBase<LowerRings> {
  using LowerRingsBase::LowerRingsBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<TargetSpec> target = getTargetSpec(module);
    if (failed(target))
      return signalPassFailure();
    bool refused = false;
    for (Operation &op : module.getOps()) {
      auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
      if (kernel && kernel.isKernel())
        refused |= failed(lower(kernel, *target));
      else
        refused |= failed(verifyNoRings(&op));
    }
    // C197: what no pass has raised is the machine's from here on, and counts
    // as that where bytes of shared memory change hands.
    if (refused || failed(lowerAsyncCopies(getOperation())))
      signalPassFailure();
  }

  /// C165
  LogicalResult verifyNoRings(Operation *func) {
    WalkResult result = func->walk([](Operation *op) {
      if (!isRingOp(op))
        return WalkResult::advance();
      op->emitOpError("expected a kernel around ops of the ring phase, got a "
                      "device function");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult lower(gpu::GPUFuncOp kernel, const TargetSpec &target) {
    bool hasRings = false;
    kernel.walk([&](Operation *op) { hasRings |= isRingOp(op); });
    if (!hasRings)
      return success();
    viewWideTilesAsBytes(kernel);
    FailureOr<RingBarrierPlan> plan = planRingBarriers(kernel, commitGroups);
    if (failed(plan))
      return failure();
    emitRemarks(kernel, *plan);
    RingLowering lowering(kernel, target, std::move(*plan));
    if (unsigned folded =
            foldPrologues ? lowering.foldPrologues(prologueFoldThreshold) : 0) {
      prologuesFolded += folded;
      remark::passed(kernel.getLoc(), getRemarkOptions(kernel)) << remark::add(
          "{0} prologues folded: their loops make the first fills, too",
          folded);
    }
    count(kernel, lowering.getPlan());
    lowering.run();
    for (int64_t registers : lowering.getSkippedRegisters())
      remark::missed(kernel.getLoc(), getRemarkOptions(kernel)) << remark::add(
          "{0} registers a thread not set: {1} has no setmaxnreg", registers,
          target.info->chip);
    return success();
  }

  void count(gpu::GPUFuncOp kernel, const RingBarrierPlan &plan) {
    ringsLowered += plan.rings.size();
    for (const PlannedRing &planned : plan.rings) {
      RingCreateOp ring = planned.ring;
      barriers += ring.getRing().getType().getStages() * planned.instances *
                  (planned.hasFull + planned.hasEmpty);
    }
    barriersMerged += plan.mergedReleases.size();
    kernel.walk([&](TransferOpInterface op) {
      EngineAttr engine = op.getEngineAttr();
      if (!engine)
        return;
      EngineKind kind = engine.getKind();
      bool isByLeader = kind == EngineKind::Tensor || kind == EngineKind::Bulk;
      ++(isByLeader ? byOneThread : byAllThreads);
      auto shape = plan.shapes.find(op);
      if (shape != plan.shapes.end() && !shape->second.isInside() &&
          kind != EngineKind::Tensor)
        ++clipped;
    });
  }
};

} // namespace
