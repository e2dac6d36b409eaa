//===- Distribute.cpp - distribute values of the CTA to its threads -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-distribute. Plans the layouts of each block program, and replaces
// its body by the program of one thread. Constraint C212 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "../Kernels/ClusterParts.h"
#include "../Kernels/RestoreBounds.h"
#include "../Kernels/VerifyBlock.h"
#include "../Threads/ConvertLayouts.h"
#include "DistributeOps.h"
#include "FreeVectors.h"

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Analysis/Distribution/DescribeLayouts.h"
#include "carousel/Analysis/Distribution/GatherRuns.h"
#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace carousel {
#define GEN_PASS_DEF_DISTRIBUTE
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Reads of tiles for branches
//
// Sinks a thread's reads from a tile that one side of a branch alone needs, as
// the numbers that a mask compares, into it: the other side, of tiles that need
// no mask, then has neither the reads nor their registers.
//===----------------------------------------------------------------------===//

/// The tile that an op reads, which a load fills; null for others.
static Value getReadTile(Operation *op) {
  Value tile;
  if (auto load = dyn_cast<vector::LoadOp>(op))
    tile = load.getBase();
  else if (auto load = dyn_cast<memref::LoadOp>(op))
    tile = load.getMemRef();
  bool isLoaded = tile && tile.getDefiningOp<memref::AllocOp>() &&
                  llvm::any_of(tile.getUsers(), llvm::IsaPred<LoadOp>);
  return isLoaded ? tile : Value();
}

static bool mayWrite(Operation *op, Value tile) {
  if (auto load = dyn_cast<LoadOp>(op))
    return getRootBuffer(load.getTile()) == tile;
  return !isa<memref::LoadOp, vector::LoadOp>(op) && !isMemoryEffectFree(op);
}

/// Whether the tile has the same elements where the branch begins.
static bool staysUntil(Operation *branch, Operation *read, Value tile) {
  auto visit = [&](Operation *op) {
    return !isa<scf::IfOp, scf::ForOp>(op) && mayWrite(op, tile)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  for (Operation *op = read->getNextNode(); op && op != branch;
       op = op->getNextNode())
    if (op->walk(visit).wasInterrupted())
      return false;
  return true;
}

/// Whether a thread computes an op alone. Others, such as shuffles, exchange
/// values with threads that may not take the branch.
static bool isOfOneThread(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         isa<arith::ArithDialect, math::MathDialect, vector::VectorDialect>(
             op->getDialect());
}

namespace {

/// The ops that may be in a branch.
class BranchOps {
public:
  explicit BranchOps(Operation *branch) : branch(branch) {}

  /// Reads, and what is computed of them: what else a branch computes may be
  /// the same in all iterations of a loop.
  bool contains(Operation *op) {
    if (op->getBlock() != branch->getBlock())
      return false;
    if (Value tile = getReadTile(op))
      return staysUntil(branch, op, tile);
    return isOfOneThread(op) &&
           llvm::any_of(op->getOperands(),
                        [&](Value operand) { return contains(operand); });
  }

private:
  bool contains(Value value) {
    auto isComputed = [&](Value inner) {
      Operation *source = inner.getDefiningOp();
      return source->getBlock() == branch->getBlock() && isOfOneThread(source);
    };
    return known.get(value, isComputed, [&](Value inner) {
      Operation *source = inner.getDefiningOp();
      return source && contains(source);
    });
  }

  Operation *branch;
  OperandFold<bool> known;
};

} // namespace

/// Moves reads of loaded tiles, and what is computed of them, into branches.
static void sinkReads(gpu::GPUFuncOp kernel) {
  DominanceInfo dominance(kernel);
  kernel.walk([&](scf::IfOp branch) {
    SmallVector<Region *> regions = {&branch.getThenRegion()};
    if (!branch.getElseRegion().empty())
      regions.push_back(&branch.getElseRegion());
    BranchOps ops(branch);
    controlFlowSink(
        regions, dominance,
        [&](Operation *op, Region *) { return ops.contains(op); },
        [](Operation *op, Region *region) {
          op->moveBefore(&region->front(), region->front().begin());
        });
  });
}

//===----------------------------------------------------------------------===//
// Coordinates in two layouts
//
// A vector that is computed from coordinates and scalars alone, as the numbers
// of positions, may be wanted along rows and along columns. Threads compute it
// twice then: an exchange costs two barriers, and keeps products of a loop from
// being in flight across it.
//===----------------------------------------------------------------------===//

/// Whether a vector follows from coordinates and scalars by few ops, which are
/// collected in order.
static bool isOfCoordinates(Value vector, llvm::SetVector<Operation *> &ops) {
  constexpr size_t kMost = 16;
  auto hasLayout = [](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || op->hasAttr(CarouselDialect::kLayout);
  };
  auto isComputed = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return isa<VectorType>(value.getType()) && !hasLayout(value) &&
           !isFreeVector(op) && isMemoryEffectFree(op) &&
           (isElementwise(op) ||
            isa<vector::BroadcastOp, vector::ShapeCastOp>(op));
  };
  return !walkOperands(vector, isComputed, [&](Value value) {
            bool isFree =
                !isa<VectorType>(value.getType()) ||
                (!hasLayout(value) && isFreeVector(value.getDefiningOp()));
            if (isFree)
              return WalkResult::advance();
            if (!isComputed(value) || ops.size() == kMost)
              return WalkResult::interrupt();
            ops.insert(value.getDefiningOp());
            return WalkResult::advance();
          }).wasInterrupted();
}

/// Computes such vectors again where their shape changes, and the plan has
/// another layout. Whether there were any.
static bool recomputeCoordinates(gpu::GPUFuncOp kernel,
                                 const LayoutPlan &plan) {
  if (!plan.getFaults().empty())
    return false;
  SmallVector<OpOperand *> operands;
  kernel.walk([&](Operation *op) {
    if (!isa<vector::BroadcastOp, vector::ShapeCastOp>(op))
      return;
    OpOperand &operand = op->getOpOperand(0);
    const LinearLayout *own = plan.getLayout(operand.get());
    if (own && !isWithinThreads(*own, plan.getOperandLayout(operand)))
      operands.push_back(&operand);
  });
  bool hasAny = false;
  for (OpOperand *operand : operands) {
    llvm::SetVector<Operation *> ops;
    if (!isOfCoordinates(operand->get(), ops))
      continue;
    OpBuilder builder(operand->getOwner());
    IRMapping mapping;
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    operand->set(mapping.lookup(operand->get()));
    hasAny = true;
  }
  return hasAny;
}

//===----------------------------------------------------------------------===//
// Distribute values of the CTA to its threads
//===----------------------------------------------------------------------===//

/// Replaces `acq_rel` by what orders the memory of all threads of a CTA. The
/// thread that draws has a release pattern (docs/MemoryModel.md): its fence
/// comes after a barrier, by which it has observed what the CTA's other threads
/// wrote, and before its atomic. Its second fence acquires, and the barrier
/// after it lets the others observe what the thread has.
static void expandTickets(Operation *root) {
  root->walk([](GridTicketOp ticket) {
    if (!ticket.getAcqRel())
      return;
    ticket.setAcqRel(false);
    OpBuilder builder(ticket);
    Location loc = ticket.getLoc();
    gpu::BarrierOp::create(builder, loc);
    FenceThreadOp::create(builder, loc, MemSemantics::Release, MemScope::GPU);
    builder.setInsertionPointAfter(ticket);
    FenceThreadOp::create(builder, loc, MemSemantics::Acquire, MemScope::GPU);
    gpu::BarrierOp::create(builder, loc);
  });
}

namespace {

struct Distribute : public carousel::impl::DistributeBase<Distribute> {
  using DistributeBase::DistributeBase;

  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels;
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>())
      if (func->hasAttr(CarouselDialect::kBlockProgram))
        kernels.push_back(func);
    for (gpu::GPUFuncOp kernel : kernels)
      if (failed(distribute(kernel)))
        return signalPassFailure();
  }

  LogicalResult distribute(gpu::GPUFuncOp kernel) {
    auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    // C257
    if (!launch)
      return kernel.emitError("expected ")
             << CarouselDialect::kLaunch
             << " with a grid on a block program, got none";
    // C212
    if (launch.getBlock().empty())
      return kernel.emitError("expected a block in ")
             << CarouselDialect::kLaunch << " of a kernel to distribute, got "
             << "none";
    // Layouts are those of ops that the phase has.
    if (failed(verifyVectorOps(kernel)))
      return failure();
    restoreBounds(kernel);
    narrowFactors(kernel);
    if (failed(splitMaskedTransfers(kernel)))
      return failure();
    LayoutPlan plan = LayoutPlan::compute(kernel);
    if (extendWhereNeeded(kernel, plan))
      plan = LayoutPlan::compute(kernel);
    if (recomputeCoordinates(kernel, plan))
      plan = LayoutPlan::compute(kernel);
    for (const LayoutFault &fault : plan.getFaults())
      report(fault);
    if (!plan.getFaults().empty())
      return failure();
    emitRemarks(kernel, plan);
    kernel.walk([&](vector::ContractionOp op) {
      report(op, plan.getContraction(op), plan.getThreads());
    });
    if (recordsDecisions(kernel)) {
      KernelDecisions decisions = getDecisions(kernel);
      describeSlowOps(kernel, plan, decisions);
      setDecisions(kernel, decisions);
    }
    FailureOr<DistributedCounts> counts = distributeOps(kernel, plan);
    if (failed(counts))
      return failure();
    sinkReads(kernel);
    expandTickets(kernel);
    values += counts->values;
    exchanges += counts->exchanges;
    conversions += counts->conversions;
    kernel->removeAttr(CarouselDialect::kBlockProgram);
    if (plan.getThreads().ctas != 0)
      kernel->setAttr(
          CarouselDialect::kLaunch,
          withClusters(launch, int64_t(1) << plan.getThreads().ctas));
    return success();
  }

  static void report(const LayoutFault &fault) {
    InFlightDiagnostic error = fault.op->emitOpError(fault.message);
    if (fault.vector)
      error.attachNote(fault.vector.getLoc())
          << "the vector, " << fault.vector.getType();
    if (!fault.remedy.empty())
      error.attachNote(fault.op->getLoc()) << fault.remedy;
  }

  /// A masked transfer that permutes or broadcasts dimensions becomes one that
  /// doesn't, and a change of shape: masks have the memref's dimensions.
  static LogicalResult splitMaskedTransfers(gpu::GPUFuncOp kernel) {
    SmallVector<Operation *> transfers;
    kernel.walk([&](VectorTransferOpInterface op) {
      if (op.getMask() && !op.getPermutationMap().isMinorIdentity())
        transfers.push_back(op);
    });
    if (transfers.empty())
      return success();
    RewritePatternSet patterns(kernel.getContext());
    vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    // Upstream's fold of transfers states bounds that don't hold.
    config.enableFolding(false);
    return applyOpPatternsGreedily(transfers, std::move(patterns), config);
  }

  /// A contraction extends its factors itself, and has instructions for narrow
  /// ones. Those of 8-bit floats keep fewer bits of sums than f32 has, so that
  /// they are for factors that the kernel doesn't extend.
  static void narrowFactors(gpu::GPUFuncOp kernel) {
    ThreadBits threads = findThreads(kernel);
    kernel.walk([&](vector::ContractionOp op) {
      if (hasFloat8Factors(op) && hasMatrixInstructions(op) &&
          explainNoWarpgroups(op, threads).empty())
        return;
      Value lhs = getNarrow(op.getLhs()), rhs = getNarrow(op.getRhs());
      Type type = getElementTypeOrSelf(lhs);
      Type sum = getElementTypeOrSelf(op.getAccType());
      bool extendsF16 = sum.isF16() || sum.getIntOrFloatBitWidth() > 16;
      if (isFloat8(type) && isFloat8(getElementTypeOrSelf(rhs)) && extendsF16) {
        OpBuilder builder(op);
        setFactors(op, extendToF16(builder, lhs), extendToF16(builder, rhs));
      } else if (type == getElementTypeOrSelf(rhs)) {
        setFactors(op, lhs, rhs);
      }
    });
  }

  /// 8-bit floats of products that layouts around them keep from warpgroups.
  /// Whether there were any.
  static bool extendWhereNeeded(gpu::GPUFuncOp kernel, const LayoutPlan &plan) {
    SmallVector<vector::ContractionOp> products;
    kernel.walk([&](vector::ContractionOp op) {
      if (hasFloat8Factors(op) && plan.getFaults().empty() &&
          !plan.getContraction(op).byWarpgroups)
        products.push_back(op);
    });
    for (vector::ContractionOp op : products) {
      OpBuilder builder(op);
      setFactors(op, extendToF16(builder, op.getLhs()),
                 extendToF16(builder, op.getRhs()));
    }
    return !products.empty();
  }

  static void setFactors(vector::ContractionOp op, Value lhs, Value rhs) {
    for (auto [operand, factor] :
         {std::pair(&op.getLhsMutable(), lhs), {&op.getRhsMutable(), rhs}}) {
      Operation *old = operand->get().getDefiningOp();
      operand->set(factor);
      if (old && old->use_empty() && isMemoryEffectFree(old))
        old->erase();
    }
  }

  static bool isFloat8(Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  }

  /// Warpgroups multiply 8-bit floats, and others f16: f16 has all values of
  /// 8-bit floats, and sums of f32 on all chips: mma.sync does the same on
  /// sm_90 (docs/Rationale.md).
  static Value extendToF16(OpBuilder &builder, Value narrow) {
    auto type = cast<VectorType>(narrow.getType());
    return arith::ExtFOp::create(builder, narrow.getLoc(),
                                 type.clone(builder.getF16Type()), narrow);
  }

  /// Returns a factor as it was before it was extended.
  static Value getNarrow(Value factor) {
    Operation *source = factor.getDefiningOp();
    return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(source)
               ? source->getOperand(0)
               : factor;
  }

  /// Reports sums that users want elsewhere than instructions leave them.
  static void emitLayoutRemark(vector::ContractionOp op,
                               const LayoutPlan &layouts) {
    const LinearLayout *wanted = layouts.getLayout(op.getResult());
    const ContractionPlan &plan = layouts.getContraction(op);
    if (!wanted || isWithinThreads(plan.acc, *wanted))
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    wanted->print(os);
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    remark::missed(op.getLoc(), remark::RemarkOpts::name("Sums")
                                    .category("carousel-distribute")
                                    .function(kernel.getName()))
        << remark::add(
               "the sums go through shared memory to another layout. mma.sync "
               "leaves [0, 1] and [8, 0] in registers, lane = [[0, 2], [0, 4], "
               "[1, 0], [2, 0], [4, 0]] and the other bits of rows and columns "
               "in registers or warps; got {0}",
               text);
  }

  /// Why a chip with wgmma doesn't compute a product by it, or an empty string.
  static std::string explainOnChip(vector::ContractionOp op,
                                   ThreadBits threads) {
    if (!hasWarpgroups(op))
      return "";
    std::string reason = explainNoWarpgroups(op, threads);
    return reason.empty() ? "layouts around it stand against it" : reason;
  }

  /// The instruction of a product, and why it isn't a faster one.
  static std::string describeProduct(vector::ContractionOp op,
                                     const ContractionPlan &plan,
                                     ThreadBits threads) {
    if (!plan.matrices) {
      std::string reason = findMatrixObstacle(op).text;
      if (reason.empty())
        reason = threads.ctas != 0 ? "CTAs of a cluster share the sums"
                                   : "a warp isn't full";
      return "a product by multiply-adds of threads: " + reason;
    }
    std::string element = "tf32";
    if (!hasTF32Factors(op)) {
      element.clear();
      llvm::raw_string_ostream(element) << op.getLhsType().getElementType();
    }
    if (plan.byWarpgroups) {
      WarpgroupShare share = getWarpgroupShare(op, plan);
      StringRef place = !plan.form.hasRegisters ? ""
                        : plan.form.isSwapped
                            ? ", with the second factor in registers"
                            : ", with the first factor in registers";
      return llvm::formatv("a product by wgmma m64n{0}k{1} of {2}, {3} for a "
                           "warpgroup{4}",
                           share.columns, plan.instructionK, element,
                           share.pieces, place)
          .str();
    }
    std::string reason = explainOnChip(op, threads);
    return llvm::formatv("a product by mma.sync m16n8k{0} of {1}{2}{3}",
                         plan.instructionK, element,
                         reason.empty() ? "" : ", and not by wgmma: ", reason)
        .str();
  }

  static void report(vector::ContractionOp op, const ContractionPlan &plan,
                     ThreadBits threads) {
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    std::string text = describeProduct(op, plan, threads);
    remark::RemarkOpts options = remark::RemarkOpts::name("Product")
                                     .category("carousel-distribute")
                                     .function(kernel.getName());
    if (plan.matrices)
      remark::passed(op.getLoc(), options) << text;
    else
      remark::missed(op.getLoc(), options) << text;
    if (!recordsDecisions(kernel))
      return;
    KernelDecisions decisions = getDecisions(kernel);
    decisions.notes.push_back({formatPlace(op.getLoc()), text});
    setDecisions(kernel, decisions);
  }

  static void emitRemark(vector::GatherOp op, int64_t run) {
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    remark::RemarkOpts options = remark::RemarkOpts::name("Gather")
                                     .category("carousel-distribute")
                                     .function(kernel.getName());
    if (run > 1) {
      remark::passed(op.getLoc(), options)
          << remark::add("accesses of {0} elements, where their indices are "
                         "multiples of that",
                         run);
      return;
    }
    std::string reason = explainNoRuns(op);
    remark::missed(op.getLoc(), options) << remark::add(
        "accesses of single elements: {0}",
        reason.empty() ? "no guard says that wider ones are aligned" : reason);
  }

  void emitRemarks(gpu::GPUFuncOp kernel, const LayoutPlan &plan) {
    if (!getContext().getRemarkEngine())
      return;
    remark::RemarkOpts options = remark::RemarkOpts::name("Layout")
                                     .category("carousel-distribute")
                                     .function(kernel.getName());
    kernel.walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (isa<VectorType>(result.getType()))
          if (const LinearLayout *layout = plan.getLayout(result)) {
            std::string text;
            llvm::raw_string_ostream os(text);
            layout->print(os);
            remark::analysis(op->getLoc(), options)
                << remark::add("{0} registers of a thread: {1}",
                               plan.getRegisters(result), text);
          }
      if (auto product = dyn_cast<vector::ContractionOp>(op))
        emitLayoutRemark(product, plan);
      if (auto gather = dyn_cast<vector::GatherOp>(op))
        emitRemark(gather, plan.getAccess(op).run);
      if (!isa<VectorTransferOpInterface>(op))
        return;
      if (std::string reason =
              explainNoTransfer(cast<VectorTransferOpInterface>(op));
          !reason.empty())
        remark::missed(op->getLoc(), remark::RemarkOpts::name("Store")
                                         .category("carousel-distribute")
                                         .function(kernel.getName()))
            << remark::add("{0}", reason);
      const AccessPlan &access = plan.getAccess(op);
      bool isFull = access.sectors <= access.fullSectors;
      remark::RemarkOpts named = remark::RemarkOpts::name("Access")
                                     .category("carousel-distribute")
                                     .function(kernel.getName());
      std::string text =
          "accesses of " + std::to_string(access.run) +
          (access.isShifted ? " elements at any address" : " elements") +
          "; a warp touches " + std::to_string(access.sectors) +
          " sectors of 32 bytes, " + std::to_string(access.fullSectors) +
          " without gaps";
      if (isFull)
        remark::passed(op->getLoc(), named) << remark::add("{0}", text);
      else
        remark::missed(op->getLoc(), named) << remark::add("{0}", text);
    });
  }
};

} // namespace
