//===- VerifyBlock.cpp - verifier of the block phase ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the ops, vectors, regions and layouts of kernels with
// carousel.block_program. Constraints C207, C209 to C211, C248 and, by
// ArgumentWrites.h, C252 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "VerifyBlock.h"

#include "MaskedOps.h"

#include "carousel/Analysis/Layouts/ReadLayout.h"
#include "carousel/Analysis/Values/ArgumentWrites.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Dialect/IR/DistributionOpInterface.h"
#include "carousel/Dialect/Transforms/InlineBodies.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace carousel {
#define GEN_PASS_DEF_VERIFYBLOCK
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static bool isOfBlockPhase(Operation *op) {
  if (isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                      index::IndexDialect>(op->getDialect()))
    return true;
  if (isa<DistributionOpInterface>(op))
    return onlyMakesVectors(op);
  return isa<
      // Values of the CTA.
      vector::TransferReadOp, vector::TransferWriteOp, vector::GatherOp,
      vector::ScatterOp, vector::MultiDimReductionOp, vector::BroadcastOp,
      vector::TransposeOp, vector::ShapeCastOp, vector::InterleaveOp,
      vector::DeinterleaveOp, vector::InsertStridedSliceOp,
      vector::ExtractStridedSliceOp, vector::CreateMaskOp,
      vector::ConstantMaskOp, vector::StepOp, vector::ContractionOp,
      vector::ExtractOp, vector::InsertOp, vector::FMAOp, vector::MaskOp,
      vector::YieldOp,
      // Control, and ops of the tile phase.
      scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp,
      LoadOp, StoreOp, SerializeOp, PassTurnOp, AccumulateOp, GridTicketOp,
      ClusterGatherOp, ClusterArriveOp, ClusterWaitOp, ClusterRankOp,
      ClusterSizeOp, ClusterMapSharedOp, SignalOp, WaitSignalOp, RoundTF32Op,
      RowsOp, ScanOp, SortOp, gpu::YieldOp,
      // Numbers and memory that are the same for all threads.
      ub::PoisonOp, affine::AffineApplyOp, affine::AffineMinOp,
      affine::AffineMaxOp, gpu::BlockIdOp, gpu::GridDimOp, gpu::ReturnOp,
      gpu::GPUFuncOp, func::FuncOp, func::CallOp, func::ReturnOp, cf::AssertOp,
      memref::DimOp, memref::LoadOp, memref::StoreOp, memref::CastOp,
      memref::SubViewOp, memref::ReinterpretCastOp, memref::CollapseShapeOp,
      memref::ExpandShapeOp, memref::AllocOp>(op);
}

/// Only tiles are in shared memory: threads don't exist yet that could share
/// other data.
static LogicalResult verifyShared(Operation *op) {
  for (Value operand : op->getOperands())
    if (isSharedMemRef(operand.getType()) &&
        !isa<LoadOp, StoreOp, AccumulateOp, ClusterMapSharedOp,
             vector::TransferReadOp, vector::TransferWriteOp>(op))
      return op->emitError("expected shared memory as the tile of transfers in "
                           "a block program, got a use by '")
             << op->getName() << "'";
  return success();
}

/// Finds the block phase's counterpart of an op; empty if nothing is as near.
static StringRef findRemedy(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("vector.reduction", "use vector.multi_reduction of all dimensions")
      .Cases({"vector.load", "vector.maskedload", "affine.vector_load"},
             "use vector.transfer_read, with a mask if there is one")
      .Cases({"vector.store", "vector.maskedstore", "affine.vector_store"},
             "use vector.transfer_write, with a mask if there is one")
      .Cases({"vector.outerproduct", "vector.matrix_multiply"},
             "use vector.contract")
      .Case("vector.scan", "use carousel.scan")
      .Cases({"vector.shuffle", "vector.scalable.extract"},
             "use vector.extract_strided_slice, interleave or deinterleave")
      .Case("vector.flat_transpose",
            "use vector.shape_cast and vector.transpose")
      .Cases({"vector.bitcast", "vector.type_cast"},
             "use arith.bitcast between elements of one width")
      .Cases({"vector.from_elements", "vector.splat"},
             "use vector.broadcast of a number, and vector.insert of others")
      .Cases({"vector.to_elements", "vector.extractelement"},
             "use vector.extract")
      .Case("vector.insertelement", "use vector.insert")
      .Cases({"vector.expandload", "vector.compressstore"},
             "use vector.gather or vector.scatter")
      .Cases({"gpu.thread_id", "gpu.lane_id", "gpu.subgroup_id"},
             "a program has no threads: use vector.step for coordinates")
      .Cases({"gpu.block_dim", "gpu.num_subgroups"},
             "a program has no threads: its vectors have all elements")
      .Cases({"gpu.barrier", "gpu.shuffle", "gpu.all_reduce",
              "gpu.subgroup_reduce"},
             "a program has no threads: passes exchange what vectors need")
      .Cases({"memref.atomic_rmw", "memref.generic_atomic_rmw"},
             "use carousel.accumulate")
      .Cases({"affine.for", "scf.parallel", "scf.forall", "affine.parallel"},
             "use scf.for, and the launch's grid for what is independent")
      .Cases({"affine.load", "affine.store", "affine.if"},
             "lower affine first (--lower-affine)")
      .Cases({"cf.br", "cf.cond_br"}, "use scf.if, scf.for or scf.while")
      .Case("memref.alloca", "use values: vectors are in registers")
      .Case("memref.copy", "use vector.transfer_read and transfer_write")
      .StartsWith("linalg.", "vectorize it first, or compile it as a graph "
                             "(docs/GraphPhase.md)")
      .StartsWith("tensor.", "bufferize it first, or compile it as a graph "
                             "(docs/GraphPhase.md)")
      .StartsWith("nvgpu.", "passes make it of vector ops")
      .StartsWith("nvvm.", "passes make it of vector ops")
      .Default("");
}

// C209
static LogicalResult verifyPhase(Operation *op) {
  if (!isOfBlockPhase(op)) {
    InFlightDiagnostic error = op->emitError("expected ops of the block phase "
                                             "in a block program, got '");
    error << op->getName() << "'";
    StringRef remedy = findRemedy(op);
    if (remedy.empty() && onlyMakesVectors(op))
      remedy = "implement carousel::DistributionOpInterface for it, or lower "
               "it first";
    if (!remedy.empty())
      error << "; " << remedy;
    return error;
  }
  auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
  if (kernel && (kernel.getNumWorkgroupAttributions() != 0 ||
                 kernel.getNumPrivateAttributions() != 0))
    return kernel.emitError("expected a block program without attributions, "
                            "got ")
           << kernel.getNumWorkgroupAttributions() << " of the workgroup and "
           << kernel.getNumPrivateAttributions() << " of a thread";
  // The verifier hasn't checked an interface that was attached to the op.
  if (isa<DistributionOpInterface>(op))
    return verifyDistribution(op);
  if (auto mask = dyn_cast<vector::MaskOp>(op))
    if (std::string reason = explainMask(mask); !reason.empty())
      return op->emitError(reason) << " in a block program";
  return verifyShared(op);
}

// C210
static LogicalResult verifyVectors(Operation *op) {
  constexpr uint64_t kMostElements = uint64_t(1) << 20;
  auto verify = [&](Type type) -> LogicalResult {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      return success();
    uint64_t elements = 1;
    for (int64_t extent : vector.getShape())
      elements = llvm::SaturatingMultiply(elements, uint64_t(extent));
    if (!vector.isScalable() && vector.getRank() >= 1 &&
        vector.getRank() <= kMostVectorDims && elements <= kMostElements)
      return success();
    return op->emitError("expected vectors of one to four dimensions of fixed "
                         "extents and at most ")
           << kMostElements << " elements in a block program, got " << vector;
  };
  // Operands are results or arguments of others.
  for (Type type : op->getResultTypes())
    if (failed(verify(type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Type type : region.getArgumentTypes())
      if (failed(verify(type)))
        return failure();
  return success();
}

// C211
static LogicalResult verifyRegions(Operation *op) {
  for (Region &region : op->getRegions())
    if (!region.empty() && !region.hasOneBlock())
      return op->emitError("expected regions of one block in a block program, "
                           "got ")
             << region.getBlocks().size() << " blocks";
  return success();
}

static bool isInKernel(ExprAttr expr) {
  if (!expr)
    return true;
  bool isOfDevice = expr.getKind() == ExprKind::Stride ||
                    expr.getKind() == ExprKind::SMs ||
                    expr.getKind() == ExprKind::Resident;
  return !isOfDevice && isInKernel(expr.getLhs()) && isInKernel(expr.getRhs());
}

// C248
static LogicalResult verifyCovers(gpu::GPUFuncOp kernel) {
  auto program =
      kernel->getAttrOfType<BlockProgramAttr>(CarouselDialect::kBlockProgram);
  if (isInKernel(program.getCovers()))
    return success();
  return kernel.emitError("expected a covered extent that is computed from "
                          "extents, numbers and constants, got ")
         << program.getCovers();
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Whether a layout has the lanes and warps of a block, and the CTAs of its
/// cluster.
static LogicalResult verifyPlaces(Operation *op, const LinearLayout &layout,
                                  LaunchAttr launch) {
  auto count = [](ArrayRef<int64_t> extents) {
    int64_t product = 1;
    for (int64_t extent : extents)
      product *= extent;
    return product;
  };
  int64_t threads = count(launch.getBlock());
  int64_t lanes = std::min<int64_t>(threads, rules::kWarpSize);
  int64_t warps = llvm::divideCeil(threads, rules::kWarpSize);
  int64_t ctas = count(launch.getCluster());
  for (auto [place, name, number] : {std::tuple(Place::Lane, "lanes", lanes),
                                     {Place::Warp, "warps", warps},
                                     {Place::CTA, "CTAs", ctas}})
    if (int64_t(1) << layout.getNumBits(place) != number)
      return op->emitError("expected a layout for the ")
             << number << " " << name << " of the launch, got one for "
             << (int64_t(1) << layout.getNumBits(place));
  return success();
}

// C207
static LogicalResult verifyLayout(Operation *op, LaunchAttr launch) {
  auto attr = op->getAttrOfType<LayoutAttr>(CarouselDialect::kLayout);
  if (!attr)
    return success();
  std::string error;
  std::optional<LinearLayout> layout =
      readLayout(attr, cast<VectorType>(op->getResult(0).getType()), error);
  if (!layout)
    return op->emitError() << error << " in " << CarouselDialect::kLayout;
  // Passes choose a block that the launch leaves open.
  if (!launch || launch.getBlock().empty())
    return success();
  return verifyPlaces(op, *layout, launch);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The launch, without a cluster if vectors belong to one CTA of it.
static LaunchAttr getLaunchOfVectors(gpu::GPUFuncOp kernel) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  if (!launch || !isProgramOfCTA(kernel))
    return launch;
  return LaunchAttr::get(launch.getContext(), launch.getGrid(),
                         launch.getBlock(), /*cluster=*/{}, launch.getShared());
}

/// A kernel, or a function that it calls.
static bool verifyOps(Operation *root, LaunchAttr launch) {
  bool holds = true;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    holds &= succeeded(verifyPhase(op)) && succeeded(verifyVectors(op)) &&
             succeeded(verifyRegions(op)) &&
             succeeded(verifyLayout(op, launch));
  });
  return holds;
}

LogicalResult carousel::verifyVectorOps(gpu::GPUFuncOp kernel) {
  auto isVector = [](Type type) { return isa<VectorType>(type); };
  WalkResult result = kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool hasVectors = llvm::any_of(op->getOperandTypes(), isVector) ||
                      llvm::any_of(op->getResultTypes(), isVector);
    return hasVectors && (failed(verifyPhase(op)) || failed(verifyVectors(op)))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {

struct VerifyBlock : public carousel::impl::VerifyBlockBase<VerifyBlock> {
  using VerifyBlockBase::VerifyBlockBase;
  void runOnOperation() override {
    // The pass manager may not have verified the ops (Pipelines.h).
    if (failed(verify(getOperation())))
      return signalPassFailure();
    bool holds = true;
    llvm::SetVector<func::FuncOp> functions;
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (!kernel->hasAttr(CarouselDialect::kBlockProgram))
        continue;
      holds &= succeeded(verifyCovers(kernel));
      holds &= verifyOps(kernel, getLaunchOfVectors(kernel)) &&
               succeeded(verifyArgumentWrites(kernel));
      // C211
      if (auto called = findCalledFunctions(kernel); succeeded(called))
        functions.insert(called->begin(), called->end());
      else
        holds = false;
    }
    for (func::FuncOp function : functions)
      holds &= verifyOps(function, /*launch=*/LaunchAttr());
    if (!holds)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
