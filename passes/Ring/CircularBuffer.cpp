//===- CircularBuffer.cpp - tile phase to ring phase ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass checks each kernel, plans its rings, reports pipelines that it can't
// build as asked, and rewrites the kernel. It also converts transfers outside
// of loops' rings to the ring phase.
//
//===----------------------------------------------------------------------===//

#include "RingRewriter.h"
#include "RotateWhileLoops.h"

#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "carousel-circular-buffer"

namespace carousel {
#define GEN_PASS_DEF_CIRCULARBUFFER
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Rewriting a kernel
//===----------------------------------------------------------------------===//

RingCreateOp RingRewriter::createRing(Location loc, TransferScope scope,
                                      SlotRelease release, int64_t stages,
                                      ValueRange buffers, int64_t multicast) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&getEntry());
  SmallVector<MemRefType> tiles;
  for (Value buffer : buffers)
    tiles.push_back(cast<MemRefType>(buffer.getType()));
  return RingCreateOp::create(rewriter, loc,
                              RingType::get(kernel.getContext(), stages, tiles),
                              scope, release, multicast);
}

/// All loads of a scope that one kind of engine carries out share a ring: each
/// is waited for before the next one starts.
void RingRewriter::rewriteLooseLoad(LoadOp load) {
  Location loc = load.getLoc();
  TransferScope scope = load.getScope();
  auto &[ring, variable] = loose[{scope, load.getEngineAttr().getKind()}];
  // The ring has no tiles, so no slot is released. --carousel-insert-async-sync
  // orders the accesses to the tile.
  bool hasBarrier = scope != TransferScope::Warpgroup;
  if (!ring) {
    SlotRelease release = scope == TransferScope::CTA ? SlotRelease::CTABarrier
                          : scope == TransferScope::Warp
                              ? SlotRelease::WarpBarrier
                              : SlotRelease::EmptyBarrier;
    ring = createRing(loc, scope, release, 1, {});
    variable = indices.create(getEntry(), loc);
  }
  // The op comes before the prologue that starts here: it comes back first.
  auto first = prologues.find(load);
  rewriter.setInsertionPoint(first == prologues.end() ? load : first->second);
  Value use = RunningIndices::read(rewriter, loc, variable);
  auto produce = RingProduceOp::create(rewriter, loc, ring, use, IntegerAttr());
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.createBlock(&produce.getBody());
    RingLoadOp::create(
        rewriter, loc, load.getGlobal(), load.getOffsets(), load.getTile(),
        load.getFillAttr(), load.getFillValueAttr(), load.getReduceAttr(),
        load.getRoundTf32Attr(), load.getScopeAttr(), load.getInBoundsAttr(),
        load.getByThreadsAttr(), load.getSwizzleAttr(), load.getCacheAttr(),
        load.getEngineAttr(), load.getMap(), /*independent=*/nullptr,
        /*multicast=*/nullptr);
  }
  rewriter.setInsertionPoint(load);
  RingWaitOp::create(rewriter, loc, ring, use);
  if (!hasBarrier)
    RingReleaseOp::create(rewriter, loc, ring, use);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  RunningIndices::write(rewriter, loc, variable,
                        arith::AddIOp::create(rewriter, loc, use, one));
  rewriter.eraseOp(load);
}

void RingRewriter::rewriteLooseTransfers() {
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      rewriteLooseLoad(load);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      rewriter.setInsertionPoint(store);
      emitSubmit(store, store.getTile());
      rewriter.eraseOp(store);
    }
  });
}

/// An extent that is known needs no buffer.
void RingRewriter::foldExtent(memref::DimOp dim) {
  auto type = cast<MemRefType>(dim.getSource().getType());
  std::optional<int64_t> index = dim.getConstantIndex();
  if (!index || *index < 0 || *index >= type.getRank() ||
      type.isDynamicDim(*index))
    return;
  rewriter.setInsertionPoint(dim);
  rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(dim,
                                                      type.getDimSize(*index));
}

/// Buffers whose place rings have taken.
void RingRewriter::removeDeadBuffers() {
  llvm::SetVector<Value> buffers;
  for (const LoopPlan &loop : plan.loops) {
    for (const LoadRingPlan &ring : loop.rings)
      buffers.insert_range(ring.buffers);
    for (const StoreRingPlan &store : loop.stores)
      buffers.insert(store.buffer);
  }
  for (Value buffer : buffers) {
    // The buffer and its views, each after its source.
    SmallVector<Value> views = {buffer};
    for (unsigned i = 0; i < views.size(); ++i)
      for (Operation *user : llvm::make_early_inc_range(views[i].getUsers())) {
        if (isa<ViewLikeOpInterface>(user))
          views.push_back(user->getResult(0));
        else if (isa<memref::DeallocOp>(user))
          rewriter.eraseOp(user);
        else if (auto dim = dyn_cast<memref::DimOp>(user))
          foldExtent(dim);
      }
    for (Value view : llvm::reverse(views))
      if (Operation *op = view.getDefiningOp(); op && op->use_empty())
        rewriter.eraseOp(op);
  }
  removeDeadAttributions(buffers);
}

/// Buffers of these that the kernel declares, with the attributes of those that
/// stay.
void RingRewriter::removeDeadAttributions(
    const llvm::SetVector<Value> &buffers) {
  auto isDead = [&](BlockArgument buffer) {
    return buffer.use_empty() && buffers.contains(buffer);
  };
  ArrayRef<BlockArgument> declared = kernel.getWorkgroupAttributions();
  unsigned first = kernel.getNumArguments(), count = declared.size();
  // They end with the last one that has any.
  ArrayAttr attributes = kernel.getWorkgroupAttribAttrsAttr();
  SmallVector<Attribute> kept;
  llvm::BitVector dead(getEntry().getNumArguments());
  for (auto [index, buffer] : llvm::enumerate(declared)) {
    if (isDead(buffer))
      dead.set(first + index);
    else
      kept.push_back(attributes && index < attributes.size()
                         ? attributes[index]
                         : rewriter.getDictionaryAttr({}));
  }
  if (dead.none())
    return;
  rewriter.modifyOpInPlace(kernel, [&] {
    getEntry().eraseArguments(dead);
    kernel->setAttr(kernel.getNumWorkgroupAttributionsAttrName(),
                    rewriter.getI64IntegerAttr(count - dead.count()));
    if (attributes)
      kernel.setWorkgroupAttribAttrsAttr(rewriter.getArrayAttr(kept));
  });
}

void RingRewriter::run() {
  for (const LoopPlan &loop : plan.loops)
    for (const LoadRingPlan &ring : loop.rings)
      rings[&ring] =
          createRing(loop.loop->getLoc(), loop.request.getScope(), ring.release,
                     ring.stages, ring.buffers, loop.request.getMulticast());
  RingRolesOp roles = plan.roles ? buildProducers() : RingRolesOp();
  for (const LoopPlan &loop : plan.loops)
    rewriteLoop(loop);
  // Those that couldn't be rotated.
  kernel.walk(
      [](scf::WhileOp loop) { loop->removeAttr(CarouselDialect::kPipeline); });
  rewriteLooseTransfers();
  if (roles)
    assignRoles(roles);
  indices.promote(rewriter);
  removeDeadBuffers();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// C174: the kernel's transfers have engines, and stand where a running index
/// can be carried to.
static LogicalResult verifyKernel(gpu::GPUFuncOp kernel) {
  bool hasTransfers = false;
  WalkResult result = kernel.walk([&](TransferOpInterface transfer) {
    hasTransfers = true;
    if (!transfer.getEngineAttr())
      return transfer->emitOpError("expected an engine before transfers are "
                                   "made asynchronous, got none"),
             WalkResult::interrupt();
    for (Operation *outer = transfer->getParentOp(); outer != kernel;
         outer = outer->getParentOp())
      if (!RunningIndices::canPass(outer))
        return transfer->emitOpError("expected scf.for, scf.while, scf.if, "
                                     "scf.index_switch or scf.execute_region "
                                     "around a transfer, got '")
                   << outer->getName() << "'",
               WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  result = kernel.walk(
      [](Operation *op) { return WalkResult(verifyListedStages(op)); });
  if (result.wasInterrupted())
    return failure();
  // C175
  if (hasTransfers && !getKnownBlock(kernel))
    return kernel.emitOpError("expected carousel.launch or known_block_size "
                              "on a kernel with transfers, got neither");
  return success();
}

/// C179: no loop asks for more slots than the chip has room for. Loops that
/// follow one another may share bytes: the exact sum, with all that the kernel
/// allocates, is --carousel-allocate-shared's. Before that slots are counted,
/// and barriers initialised, one by one.
static LogicalResult verifySlots(const RingPlan &plan,
                                 const ChipModel &target) {
  int64_t most = target.maxSharedPerBlock;
  for (const LoopPlan &loop : plan.loops) {
    scf::ForOp op = loop.loop;
    if (loop.getSlotBytes() > most)
      return op.emitOpError("expected slots of at most ")
             << most << " bytes in all on " << target.chip << ", got "
             << loop.getSlotBytes();
  }
  return success();
}

namespace {

struct CircularBuffer : carousel::impl::CircularBufferBase<CircularBuffer> {
  using CircularBufferBase::CircularBufferBase;

  void runOnOperation() override {
    FailureOr<ChipModel> target = getChipModel(getOperation());
    if (failed(target))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      if (kernel.isExternal() || !kernel.isKernel())
        return WalkResult::advance();
      if (failed(verifyKernel(kernel)))
        return WalkResult::interrupt();
      if (rotateWhileLoops(kernel))
        getAnalysisManager().nest(kernel).invalidate({});
      const RingPlan &plan = getChildAnalysis<RingPlanning>(kernel).plan;
      report(kernel, plan);
      record(kernel, plan);
      if (failed(verifySlots(plan, *target)))
        return WalkResult::interrupt();
      RingRewriter(kernel, plan).run();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  void record(gpu::GPUFuncOp kernel, const RingPlan &plan) {
    if (!recordsDecisions(kernel))
      return;
    KernelDecisions decisions = getDecisions(kernel);
    describeRings(kernel, plan, decisions);
    setDecisions(kernel, decisions);
  }

  remark::RemarkOpts getRemarkOptions(gpu::GPUFuncOp kernel) const {
    return remark::RemarkOpts::name("Ring")
        .category(getArgument())
        .function(kernel.getName());
  }

  void report(gpu::GPUFuncOp kernel, const LoopPlan &loop) {
    auto remark = [&] {
      return remark::passed(loop.loop->getLoc(), getRemarkOptions(kernel));
    };
    size_t stores = 0;
    for (const StoreRingPlan &ring : loop.stores)
      stores += 1 + ring.others.size();
    for (const LoadRingPlan &ring : loop.rings) {
      numLoads += ring.loads.size();
      stores += ring.inPlaceStores.size();
      std::string ahead = loop.mode == PipelineMode::Specialized
                              ? "by producers"
                              : "prefetch " + std::to_string(ring.prefetch);
      LDBG() << loop.loop->getLoc() << ": ring of " << ring.stages
             << " stages for " << ring.loads.size() << " load(s), " << ahead
             << ", scope " << stringifyTransferScope(loop.request.getScope())
             << ", slots of " << loop.getSlotBytes() << " bytes in all";
      remark() << "loads ringed: " + std::to_string(ring.loads.size()) +
                      ", stages " + std::to_string(ring.stages) + ", " + ahead;
    }
    numStores += stores;
    for (const StoreRingPlan &ring : loop.stores)
      LDBG() << StoreOp(ring.store).getLoc() << ": ring of " << ring.stages
             << " stages for " << 1 + ring.others.size() << " store(s)";
    if (stores != 0)
      remark() << "stores ringed: " + std::to_string(stores);
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "iteration: ";
    loop.work.print(os);
    os << "; predicted: ";
    loop.prediction.print(os);
    LDBG() << loop.loop->getLoc() << ": " << text;
    remark::analysis(loop.loop->getLoc(), getRemarkOptions(kernel)) << text;
  }

  void report(gpu::GPUFuncOp kernel, const RingPlan &plan) {
    for (const LoopPlan &loop : plan.loops)
      report(kernel, loop);
    for (const RingMiss &miss : plan.misses) {
      ++numMissed;
      LDBG() << miss.op->getLoc() << ": missed: " << miss.reason;
      remark::missed(miss.op->getLoc(), getRemarkOptions(kernel))
          << miss.reason;
    }
  }
};

} // namespace
