//===- SpecializeBlocks.cpp - variants of block programs ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-specialize-blocks. The plan is Analysis/Distribution/
// BlockVariants.h's. What a kernel that is a variant already becomes has its
// guards, too.
//
//===----------------------------------------------------------------------===//

#include "../Kernels/VerifyBlock.h"
#include "../Rows/RowLevels.h"
#include "FoldGrid.h"
#include "MaskPadding.h"
#include "PersistProducts.h"
#include "PersistPrograms.h"
#include "ReadBlockProblem.h"
#include "SplitRows.h"

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Analysis/Distribution/BlockVariants.h"
#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Distribution/GatherRuns.h"
#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "carousel/Analysis/Distribution/VectorDemand.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"

namespace carousel {
#define GEN_PASS_DEF_SPECIALIZEBLOCKS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Whether CTAs of a cluster can share the vectors: they exchange nothing but
/// results of reductions, and no memory.
static bool canShare(gpu::GPUFuncOp kernel, int64_t width) {
  if (width == 0 || findFixedWidth(kernel, width) || isProgramOfCTA(kernel))
    return false;
  llvm::DenseSet<Value> read, written;
  bool canShare = true;
  kernel->walk([&](Operation *op) {
    if (op == kernel)
      return;
    canShare &=
        op->getNumRegions() == 0 && !coversTwice(op, width) &&
        !isa<TransferOpInterface, GridTicketOp, SignalOp, WaitSignalOp>(op);
    if (auto access = findElementAccess(op))
      (access->writes ? written : read).insert(access->memref);
    if (auto transfer = dyn_cast<VectorTransferOpInterface>(op)) {
      canShare &= transfer.getPermutationMap().isMinorIdentity();
      return;
    }
    auto isVector = [](Type type) { return isa<VectorType>(type); };
    if (llvm::none_of(op->getOperandTypes(), isVector) &&
        llvm::none_of(op->getResultTypes(), isVector))
      return;
    auto reduction = dyn_cast<vector::MultiDimReductionOp>(op);
    auto broadcast = dyn_cast<vector::BroadcastOp>(op);
    canShare &= OpTrait::hasElementwiseMappableTraits(op) ||
                isa<vector::CreateMaskOp, vector::StepOp, arith::ConstantOp,
                    ub::PoisonOp>(op) ||
                (reduction && !isVector(reduction.getType())) ||
                (broadcast && !isVector(broadcast.getSourceType()));
  });
  for (Value memref : written)
    canShare &= !read.contains(memref);
  return canShare;
}

/// At least `threads`, and more where fewer wouldn't have registers for each
/// vector, or for all that live at once. From 256 threads on, more of them have
/// fewer registers each. Where none have enough, the fewest that take all
/// vectors: ptxas spills, or threads read factors in shared memory.
static int64_t findThreads(gpu::GPUFuncOp kernel, LaunchAttr launch,
                           int64_t threads) {
  constexpr int64_t kThreadsOfMost = 256, kMost = rules::kMaxThreadsPerBlock;
  std::optional<int64_t> fewest, found;
  for (; !found && threads <= kMost; threads *= 2) {
    kernel->setAttr(CarouselDialect::kLaunch,
                    LaunchAttr::get(kernel.getContext(), launch.getGrid(),
                                    threads, launch.getCluster(),
                                    launch.getShared()));
    LayoutPlan plan = LayoutPlan::compute(kernel);
    if (!fewest && plan.getFaults().empty())
      fewest = threads;
    if (plan.getMostRegisters() <= getVectorRegisters(threads) &&
        (threads >= kThreadsOfMost ||
         countLiveRegisters(kernel, plan) <= kMostVectorRegisters))
      found = threads;
  }
  kernel->setAttr(CarouselDialect::kLaunch, launch);
  return found ? *found : fewest.value_or(kMost);
}

/// The conditions under which all accesses can be of 16 bytes. Loops over
/// chunks access what pipelined loops over rows transfer.
static SmallVector<GuardAttr> getAlignmentGuards(gpu::GPUFuncOp kernel,
                                                 bool isStreamed) {
  SmallVector<GuardAttr> guards;
  AccessAlignment alignment(kernel);
  kernel.walk([&](vector::GatherOp op) {
    if (explainNoRuns(op).empty())
      alignment.require(op.getBase(), op.getOffsets(), /*inBounds=*/true,
                        getMostRun(op), guards);
  });
  kernel.walk([&](VectorTransferOpInterface op) {
    auto type = dyn_cast<MemRefType>(op.getShapedType());
    if (!type || !isGlobalMemRef(type) || type.getRank() == 0 ||
        (!isStreamed && becomesTransfer(op)))
      return;
    AffineExpr last = getAffineDimExpr(type.getRank() - 1, kernel.getContext());
    for (auto [dim, expr] :
         llvm::enumerate(op.getPermutationMap().getResults())) {
      int64_t extent = op.getVectorType().getDimSize(dim);
      if (expr != last)
        continue;
      int64_t elements =
          rules::kBulkGranule / std::max<int64_t>(getElementBits(type) / 8, 1);
      elements = std::min<int64_t>(elements, llvm::bit_floor(uint64_t(extent)));
      alignment.require(op.getBase(), op.getIndices(), op.isDimInBounds(dim),
                        elements, guards);
    }
  });
  return guards;
}

namespace {

struct SpecializeBlocks
    : public carousel::impl::SpecializeBlocksBase<SpecializeBlocks> {
  using SpecializeBlocksBase::SpecializeBlocksBase;

  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels;
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>())
      if (func->hasAttr(CarouselDialect::kBlockProgram))
        kernels.push_back(func);
    if (kernels.empty())
      return;
    SymbolTable symbols(getOperation());
    for (gpu::GPUFuncOp kernel : kernels) {
      auto program = kernel->getAttrOfType<BlockProgramAttr>(
          CarouselDialect::kBlockProgram);
      if (program.getWidth() != 0 && failed(maskPadding(kernel, program)))
        return signalPassFailure();
      // The threads of others follow from their layouts.
      if (program.getWidth() == 0 && failed(verifyVectorOps(kernel)))
        return signalPassFailure();
      specialize(kernel, symbols);
    }
  }

  void specialize(gpu::GPUFuncOp kernel, SymbolTable &symbols) {
    auto program =
        kernel->getAttrOfType<BlockProgramAttr>(CarouselDialect::kBlockProgram);
    auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    if (!launch)
      return; // --carousel-distribute reports it
    BlockProblem problem = readBlockProblem(kernel, program, launch);
    if (std::optional<ChipModel> target = findChipModel(getOperation())) {
      problem.chip = *target;
      problem.sharedBytes = target->maxSharedPerBlock;
      if (variants && launch.getBlock().empty() &&
          launch.getCluster().empty() && canShare(kernel, problem.width))
        problem.mostCTAs = target->maxClusterSize;
      if (launch.getCluster().empty())
        problem.keptBytes = countKeptBytes(*target);
    }
    SmallVector<GuardAttr> alignment = getAlignmentGuards(kernel, false);
    SmallVector<GuardAttr> ofChunks = getAlignmentGuards(kernel, true);
    problem.hasAlignment = !alignment.empty();
    std::vector<BlockVariant> plan = planBlockVariants(problem);
    if (problem.width == 0 && launch.getBlock().empty()) {
      int64_t threads = findThreads(kernel, launch, plan.back().threads);
      for (BlockVariant &variant : plan)
        variant.threads = threads;
    }
    if (!variants) {
      // One function, as wide as it is.
      BlockVariant own = plan.back();
      own.width = problem.width;
      apply(kernel, own, problem);
      ++functions;
      return;
    }
    std::string name = kernel.getName().str();
    std::string served = getKernelName(kernel).str();
    // Other tiles are for launches that fast accesses serve.
    bool isServed = plan.size() > 1 && isServedEarlier(kernel);
    if (isServed)
      plan.pop_back();
    for (const BlockVariant &variant : plan) {
      gpu::GPUFuncOp func = kernel;
      if (isServed || &variant != &plan.back()) {
        func = kernel.clone();
        func.setName(name + variant.suffix);
        symbols.insert(func, Block::iterator(kernel));
      }
      apply(func, variant, problem);
      addGuards(func, served,
                getGuards(variant, program,
                          variant.isStreamed ? ofChunks : alignment));
      emitRemark(func, variant);
    }
    functions += plan.size();
    if (isServed)
      return symbols.erase(kernel);
    if (!problem.canNarrow)
      emitFixed(*findFixedWidth(kernel, problem.width), problem.width);
    if (problem.width != 0 && !problem.canStream)
      emitBound(kernel, plan.back(), problem.width,
                findRowRefusal(kernel, plan.back().width));
  }

  SmallVector<GuardAttr> getGuards(const BlockVariant &variant,
                                   BlockProgramAttr program,
                                   ArrayRef<GuardAttr> alignment) {
    SmallVector<GuardAttr> guards;
    int64_t most = variant.isStreamed ? variant.keeps : variant.width;
    if (most != 0)
      guards.push_back(GuardAttr::get(&getContext(), GuardKind::Range,
                                      /*argument=*/0, program.getCovers(),
                                      ExprAttr(), 0, most));
    if (variant.isAligned)
      llvm::append_range(guards, alignment);
    return guards;
  }

  void apply(gpu::GPUFuncOp func, const BlockVariant &variant,
             const BlockProblem &problem) {
    auto program =
        func->getAttrOfType<BlockProgramAttr>(CarouselDialect::kBlockProgram);
    auto launch = func->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    func->removeAttr(kPartsAttr); // all variants that divide sums are there
    if (problem.width != 0)
      resizeVectors(func, problem.width, variant.width);
    // Programs of a cluster's CTAs have parts of rows.
    bool isSplit = variant.isPersistent && variant.ctas != 1;
    func->setAttr(
        CarouselDialect::kBlockProgram,
        BlockProgramAttr::get(&getContext(), isSplit ? 0 : variant.width,
                              isSplit ? ExprAttr() : program.getCovers(),
                              variant.programs, variant.keeps));
    // What all programs read is read late, and wants registers then.
    if (problem.commonBytes <= 2 * problem.ownBytes)
      limitRegisters(func, variant, problem.chip);
    if (variant.isPersistent) {
      persistPrograms(func, variant.ctas);
      if (isSplit) {
        splitRows(func, variant.width, variant.ctas);
        shareRegisters(func, variant, problem.chip);
      }
      launch = func->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    }
    // The block is the author's, or the variant's.
    int64_t block = variant.threads;
    if (!launch.getBlock().empty())
      block = ShapedType::getNumElements(launch.getBlock());
    if (problem.width == 0 && variants && llvm::isPowerOf2_64(block) &&
        block >= rules::kWarpgroupSize &&
        persistProducts(func, {5, llvm::Log2_64(block) - 5}, problem.chip))
      launch = func->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    else if (variant.ctas == 1 && variant.programs == 1 && foldGrid(func))
      launch = func->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    SmallVector<int64_t> cluster(launch.getCluster());
    if (variant.ctas != 1)
      cluster = {variant.ctas};
    if (launch.getBlock().empty())
      func->setAttr(CarouselDialect::kLaunch,
                    LaunchAttr::get(&getContext(), launch.getGrid(),
                                    variant.threads, cluster,
                                    launch.getShared()));
  }

  /// An SM should hold two CTAs of 512 threads: one loads while the other one
  /// reduces. The assembler takes more registers where it can.
  void limitRegisters(gpu::GPUFuncOp func, const BlockVariant &variant,
                      const ChipModel &chip) {
    constexpr int64_t kLeastWidth = 4096, kThreads = 512;
    int64_t registers = chip.getRegistersPerThread(2 * kThreads);
    StringRef name = NVVM::NVVMDialect::getMaxnregAttrName();
    if (variant.width >= kLeastWidth && variant.isAligned &&
        variant.registers <= registers && !variant.isStreamed &&
        !variant.isPersistent && !func->hasAttr(name))
      func->setAttr(name, IntegerAttr::get(IntegerType::get(&getContext(), 32),
                                           registers));
  }

  /// CTAs that wait for their peers in each iteration share an SM with another
  /// one.
  void shareRegisters(gpu::GPUFuncOp func, const BlockVariant &variant,
                      const ChipModel &chip) {
    constexpr int64_t kLeastRegisters = 128;
    int64_t registers = chip.getRegistersPerThread(2 * variant.threads);
    StringRef name = NVVM::NVVMDialect::getMaxnregAttrName();
    if (registers >= kLeastRegisters && !func->hasAttr(name))
      func->setAttr(name, IntegerAttr::get(IntegerType::get(&getContext(), 32),
                                           registers));
  }

  /// Three CTAs of an SM have tiles. Beside a tile there are the mbarrier and
  /// the partial results of reductions.
  int64_t countKeptBytes(const ChipModel &target) {
    constexpr int64_t kCTAs = 3, kOtherBytes = 1024;
    FailureOr<TargetSpec> spec = getTargetSpec(getOperation());
    if (failed(spec) ||
        !spec->explainMissing({rules::kBulkSM, rules::kBulkPTX}).empty())
      return 0;
    return target.sharedPerSM / kCTAs - target.sharedReservedPerBlock -
           kOtherBytes;
  }

  void emitFixed(const FixedWidth &fixed, int64_t width) {
    auto kernel = fixed.op->getParentOfType<gpu::GPUFuncOp>();
    remark::missed(fixed.op->getLoc(),
                   remark::RemarkOpts::name("Width")
                       .category("carousel-specialize-blocks")
                       .function(kernel.getName()))
        << remark::add("no variants of other widths than {0}: {1}", width,
                       fixed.reason);
  }

  void emitBound(gpu::GPUFuncOp kernel, const BlockVariant &widest,
                 int64_t width, StringRef refusal) {
    remark::missed(kernel.getLoc(), remark::RemarkOpts::name("Bound")
                                        .category("carousel-specialize-blocks")
                                        .function(kernel.getName()))
        << remark::add("no launch for extents above {0}: {1}, and rows can't "
                       "go in chunks: {2}",
                       widest.width,
                       widest.width < width ? "wider vectors don't fit a CTA"
                                            : "it is the kernel's width",
                       refusal);
  }

  void emitRemark(gpu::GPUFuncOp func, const BlockVariant &variant) {
    if (!getContext().getRemarkEngine())
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    print(os, variant);
    remark::passed(func.getLoc(), remark::RemarkOpts::name("Variant")
                                      .category("carousel-specialize-blocks")
                                      .function(func.getName()))
        << remark::add("{0}", text);
  }
};

} // namespace
