//===- VerifyRing.cpp - verifier of the ring phase ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the ops that a kernel of the ring phase may have and where they may
// stand, the producers and consumers of a ring, and the uses that are filled.
// Constraints C166 to C169, C191 and C192 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace carousel {
#define GEN_PASS_DEF_VERIFYRING
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Contents of a kernel
//===----------------------------------------------------------------------===//

static bool isRingOp(Operation *op) {
  return isa<RingCreateOp, RingProduceOp, RingWaitOp, RingReleaseOp, RingTileOp,
             RingLoadOp, RingSubmitOp, RingStoreOp, RingWaitStoresOp,
             RingSyncOp, RingRolesOp>(op);
}

/// Ops of the dialect besides those on rings: they name no way of copying.
static bool belongsToRingPhase(Operation *op) {
  return isRingOp(op) ||
         isa<ClusterGatherOp, ClusterArriveOp, ClusterWaitOp, ClusterRankOp,
             ClusterSizeOp, ClusterMapSharedOp, FenceProxyOp, FenceThreadOp,
             BarrierWarpOp, GridDependencyWaitOp, GridLaunchDependentsOp,
             GridSerialWaitOp, GridSerialReleaseOp, GridTicketOp, SerializeOp,
             PassTurnOp, SignalOp, WaitSignalOp, RoundTF32Op, RowsOp,
             AsyncConsumerOpInterface>(op);
}

/// C166
static LogicalResult verifyPhase(Operation *op) {
  if (Attribute pipeline = op->getDiscardableAttr(CarouselDialect::kPipeline))
    return op->emitOpError("expected no carousel.pipeline in the ring phase, "
                           "got ")
           << pipeline;
  if (isa<LoadOp, StoreOp>(op))
    return op->emitOpError(
        "expected ops of the ring phase, got a transfer of the tile phase");
  if (isa_and_nonnull<CarouselDialect>(op->getDialect()) &&
      !belongsToRingPhase(op))
    return op->emitOpError(
        "expected ops of the ring phase, got one of the machine phase");
  for (Type type : op->getResultTypes()) {
    auto memref = dyn_cast<MemRefType>(type);
    if (isa<MbarrierStateType>(type) ||
        (memref && isa<MbarrierType>(memref.getElementType())))
      return op->emitOpError("expected values of the ring phase, got ") << type;
  }
  return success();
}

/// C167: a ring exists from the kernel's start, and structured control flow
/// determines its uses.
static LogicalResult verifyPlace(Operation *op) {
  auto func = op->getParentOfType<FunctionOpInterface>();
  auto kernel = dyn_cast_or_null<gpu::GPUFuncOp>(func.getOperation());
  if (!kernel || !kernel.isKernel())
    return op->emitOpError("expected a kernel around ops of the ring phase, "
                           "got a device function");
  if (isa<RingCreateOp>(op) && op->getParentOp() != kernel)
    return op->emitOpError("expected a ring at the top of its kernel, got one "
                           "under '")
           << op->getParentOp()->getName() << "'";
  for (Operation *inner = op; inner != kernel; inner = inner->getParentOp())
    if (!inner->getParentRegion()->hasOneBlock())
      return op->emitOpError("expected structured control flow around ops of "
                             "the ring phase, got a region of ")
             << inner->getParentRegion()->getBlocks().size() << " blocks";
  return success();
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// C168: the other role never reaches the barrier.
static LogicalResult verifyBarrier(gpu::BarrierOp barrier) {
  auto roles = barrier->getParentOfType<RingRolesOp>();
  if (!roles)
    return success();
  InFlightDiagnostic error = barrier.emitOpError(
      "expected carousel.ring.sync in a role, got a barrier of the CTA");
  error.attachNote(roles.getLoc()) << "the threads take roles here";
  return error;
}

namespace {

enum class Part { Everybody, Producer, Consumer };

/// The ops that produce and consume a ring.
struct RingUsers {
  SmallVector<RingProduceOp> produces;
  SmallVector<Operation *> consumes; ///< waits and releases
};

} // namespace

static Part getPart(Operation *op) {
  Region *region = op->getParentRegion();
  auto roles = op->getParentOfType<RingRolesOp>();
  if (!roles)
    return Part::Everybody;
  return roles.getProducer().isAncestor(region) ? Part::Producer
                                                : Part::Consumer;
}

/// C169
static LogicalResult verifyUsers(RingCreateOp create) {
  RingUsers users;
  for (Operation *user : create.getRing().getUsers()) {
    if (auto produce = dyn_cast<RingProduceOp>(user))
      users.produces.push_back(produce);
    else if (isa<RingWaitOp, RingReleaseOp>(user))
      users.consumes.push_back(user);
  }
  for (Operation *consume : users.consumes) {
    if (getPart(consume) == Part::Producer)
      return consume->emitOpError(
          "expected consumers to wait for and to release slots, got it in the "
          "producers' region");
    if (isa<RingWaitOp>(consume) && users.produces.empty())
      return consume->emitOpError(
          "expected a ring.produce for the ring waited on, got none");
  }
  for (RingProduceOp produce : users.produces) {
    if (getPart(produce) != Part::Producer)
      continue;
    for (RingProduceOp other : users.produces)
      if (getPart(other) != Part::Producer) {
        InFlightDiagnostic error =
            other.emitOpError("expected the producers alone to produce a ring, "
                              "got it produced by others, too");
        error.attachNote(produce.getLoc()) << "the producers do it here";
        return error;
      }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

namespace {

/// A use as a sum, as far as that shows.
struct UseSum {
  Value base; ///< null: zero
  int64_t constant = 0;
};

} // namespace

static UseSum getSum(Value use) {
  UseSum sum{use};
  while (sum.base) {
    if (std::optional<int64_t> constant = getConstantIntValue(sum.base))
      return {Value(), sum.constant + *constant};
    auto add = sum.base.getDefiningOp<arith::AddIOp>();
    std::optional<int64_t> constant =
        add ? getConstantIntValue(add.getRhs()) : std::nullopt;
    if (!constant)
      break;
    sum.constant += *constant;
    sum.base = add.getLhs();
  }
  return sum;
}

/// C191: the loads of a use go to its own slot. No wait would cover loads to
/// another slot.
static LogicalResult verifyOwnTiles(RingProduceOp produce) {
  UseSum use = getSum(produce.getUse());
  int64_t stages = produce.getRing().getType().getStages();
  WalkResult result = produce.walk([&](RingLoadOp load) {
    auto tile = getRootBuffer(load.getTile()).getDefiningOp<RingTileOp>();
    if (!tile || tile.getRing() != produce.getRing())
      return WalkResult::advance();
    UseSum other = getSum(tile.getUse());
    int64_t distance = other.constant - use.constant;
    if (other.base != use.base || distance % stages == 0)
      return WalkResult::advance();
    InFlightDiagnostic error =
        load.emitOpError("expected a tile of the use that is produced, got one "
                         "of the use ")
        << std::abs(distance) << (distance < 0 ? " before" : " after");
    error.attachNote(tile.getLoc()) << "the tile";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The iterations of a loop with known bounds.
static std::optional<int64_t> getTripCount(scf::ForOp loop) {
  std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound()),
                         end = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!begin || !end || !step || *step <= 0 || *begin < 0 || *end < 0)
    return std::nullopt;
  return *end <= *begin ? 0 : llvm::divideCeil(*end - *begin, *step);
}

/// C192: a prologue fills no more uses than it says, and its loop those as many
/// uses later.
static LogicalResult verifyAhead(RingProduceOp produce) {
  if (!produce.getAhead())
    return success();
  int64_t ahead = *produce.getAhead();
  Operation *parent = produce->getParentOp();
  auto loop = isa<scf::IfOp>(parent)
                  ? dyn_cast<scf::ForOp>(parent->getParentOp())
                  : dyn_cast<scf::ForOp>(parent);
  UseSum use = getSum(produce.getUse());
  auto counter = dyn_cast_or_null<BlockArgument>(use.base);
  if (!loop || !counter || counter.getOwner() != loop.getBody())
    return success();
  // In a prologue the loop's own use is filled, and in the loop that it is for
  // a later one. A prologue of one iteration has no loop of its own, and stands
  // in the one, or in the branch, around the main loop.
  bool isAroundMainLoop = parent
                              ->walk([&](RingWaitOp wait) {
                                return wait.getRing() == produce.getRing()
                                           ? WalkResult::interrupt()
                                           : WalkResult::advance();
                              })
                              .wasInterrupted();
  if (use.constant == 0 && isAroundMainLoop)
    return success();
  if (parent == loop && use.constant == 0) {
    std::optional<int64_t> trips = getTripCount(loop);
    if (trips.value_or(0) > ahead)
      return produce.emitOpError("expected a loop of at most ")
             << ahead << " iterations around loads that are started " << ahead
             << " ahead, got " << *trips;
    return success();
  }
  if (use.constant == ahead)
    return success();
  return produce.emitOpError("expected the use ")
         << ahead << " after the loop's, got the one " << use.constant
         << " after";
}

static LogicalResult verifyProduce(RingProduceOp produce) {
  return success(succeeded(verifyOwnTiles(produce)) &&
                 succeeded(verifyAhead(produce)));
}

static LogicalResult verifyRoles(RingRolesOp roles) {
  if (roles->getParentOfType<RingRolesOp>())
    return roles.emitOpError("expected threads without a role to take one, "
                             "got roles in a role");
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

static LogicalResult verifyOp(Operation *op) {
  if (failed(verifyPhase(op)) || (isRingOp(op) && failed(verifyPlace(op))))
    return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](gpu::BarrierOp barrier) { return verifyBarrier(barrier); })
      .Case([](RingCreateOp create) { return verifyUsers(create); })
      .Case([](RingProduceOp produce) { return verifyProduce(produce); })
      .Case([](RingRolesOp roles) { return verifyRoles(roles); })
      .Default([](Operation *) { return success(); });
}

namespace {

struct VerifyRing : public carousel::impl::VerifyRingBase<VerifyRing> {
  void runOnOperation() override {
    // The pass manager may not have verified the ops (Pipelines.h).
    if (failed(verify(getOperation())))
      return signalPassFailure();
    bool holds = true;
    getOperation().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { holds &= succeeded(verifyOp(op)); });
    if (!holds)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
