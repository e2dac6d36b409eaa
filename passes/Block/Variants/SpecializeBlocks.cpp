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

/// Why rows can't go through the kernel in chunks.
static std::string findRefusal(gpu::GPUFuncOp kernel, int64_t width) {
  return RowLevels(kernel, width).getRefusal();
}

/// What several loops over chunks of a row would read, in bytes.
static int64_t countRepeatedBytes(gpu::GPUFuncOp kernel, int64_t width) {
  RowLevels levels(kernel, width);
  int64_t bytes = 0;
  if (levels.getRefusal().empty())
    for (auto [read, level] : levels.findRepeated())
      bytes += width * getElementBits(read.getVectorType()) / 8;
  return bytes;
}

/// Whether a loop reduces what it multiplies, as one along tiles of a stream
/// does. Factors that threads have are then in shared memory.
static bool reducesProducts(Block *block) {
  return isa<LoopLikeOpInterface>(block->getParentOp()) &&
         !block->getOps<vector::MultiDimReductionOp>().empty();
}

/// Vectors of one type that a loop carries, at most; 0 in kernels with
/// products, whose sums have threads of their own.
static int64_t countCarried(gpu::GPUFuncOp kernel) {
  int64_t carried = 0, products = 0;
  kernel.walk([&](vector::ContractionOp) { ++products; });
  kernel.walk([&](scf::ForOp loop) {
    for (Type type : loop.getResultTypes())
      if (isa<VectorType>(type))
        carried = std::max<int64_t>(carried,
                                    llvm::count(loop.getResultTypes(), type));
  });
  return products != 0 ? 0 : carried;
}

static BlockProblem readProblem(gpu::GPUFuncOp kernel, BlockProgramAttr program,
                                LaunchAttr launch) {
  BlockProblem problem;
  problem.elementsOfThread = 1;
  problem.width = program.getWidth();
  problem.programs = program.getPrograms();
  problem.keeps = program.getKeeps();
  if (!launch.getBlock().empty()) {
    int64_t threads = 1;
    for (int64_t extent : launch.getBlock())
      threads *= extent;
    problem.threads = threads;
  }
  auto note = [&](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      return;
    int64_t &most = problem.width == 0 || isCovered(vector, problem.width)
                        ? problem.elements
                        : problem.fixedElements;
    most = std::max(most, vector.getNumElements());
    problem.otherExtents.insert(vector.getShape().begin(),
                                vector.getShape().end());
  };
  bool hasRegions = false;
  int64_t widest = 1; // bytes of an element in memory
  unsigned ownReads = 0;
  // Sums of a thread: fewer where factors need registers.
  constexpr int64_t kMultiplyAddsOfThread = 64;
  int64_t tiledSums = 0, streamedSums = 0, otherSums = 0;
  bool isDivided = false;
  kernel.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), note);
    if (auto transfer = dyn_cast<VectorTransferOpInterface>(op)) {
      int64_t bytes = getElementBits(transfer.getVectorType()) / 8;
      bool isCommon = llvm::all_of(transfer.getIndices(), [](Value index) {
        return matchPattern(index, m_Constant());
      });
      if (!isCommon)
        widest = std::max(widest, bytes);
      ownReads += isa<vector::TransferReadOp>(op) && !isCommon;
      if (isa<vector::TransferReadOp>(op))
        (isCommon ? problem.commonBytes : problem.ownBytes) +=
            transfer.getVectorType().getNumElements() * bytes;
    }
    if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
      problem.exchanges |= llvm::is_contained(
          reduction.getSourceVectorType().getShape(), problem.width);
    // Blocks of runs both ways.
    if (auto transpose = dyn_cast<vector::TransposeOp>(op)) {
      int64_t bits = getElementBits(transpose.getSourceVectorType());
      int64_t run = std::min<int64_t>(8 * rules::kBulkGranule / bits, 8);
      problem.elementsOfThread = std::max(problem.elementsOfThread, run * run);
    }
    if (auto product = dyn_cast<vector::ContractionOp>(op)) {
      if (hasMatrixInstructions(product))
        problem.elementsOfThread =
            std::max(problem.elementsOfThread, countSumsOfThread(product));
      else if (isTileOfProduct(product.getLhs()) &&
               isTileOfProduct(product.getRhs()))
        tiledSums = kMultiplyAddsOfThread;
      else if (reducesProducts(product->getBlock()))
        streamedSums = kMultiplyAddsOfThread;
      else
        otherSums = kFewMultiplyAdds;
    }
    // What a part adds to that of others needs registers, too.
    isDivided |= isa<GridTicketOp>(op);
    hasRegions |= op->getNumRegions() != 0 && op != kernel;
    // What CTAs do in turns can't be done together.
    if (isa<gpu::GridDimOp, SerializeOp, GridTicketOp, SignalOp, WaitSignalOp>(
            op))
      problem.canBatch = false;
  });
  // One product whose factors need registers is enough.
  int64_t multiplyAdds = otherSums != 0 ? otherSums : tiledSums;
  problem.elementsOfThread = std::max(
      problem.elementsOfThread,
      isDivided ? std::min(multiplyAdds, kFewMultiplyAdds) : multiplyAdds);
  problem.elementsOfThread = std::max(
      problem.elementsOfThread, isDivided ? streamedSums / 2 : streamedSums);
  problem.elements = std::max(problem.elements, problem.width);
  problem.otherExtents.erase(problem.width);
  problem.canNarrow =
      problem.width == 0 || !findFixedWidth(kernel, problem.width);
  // --carousel-stream-rows divides some loops.
  problem.canStream = problem.width == 0
                          ? !hasRegions
                          : findRefusal(kernel, problem.width).empty();
  VectorDemand demand = VectorDemand::of(kernel);
  problem.liveBytes = demand.liveBytes;
  problem.tileBytes = demand.tileBytes;
  problem.canPersist = launch.getCluster().empty() && canPersist(kernel);
  if (problem.canStream && problem.width != 0)
    problem.repeatedBytes = countRepeatedBytes(kernel, problem.width);
  // Four accesses of 16 bytes in flight together. Where a thread reads three
  // memrefs and more, two of each leave registers for more threads.
  int64_t accesses = ownReads > 2 ? 2 : 4;
  int64_t ofAccesses =
      std::min<int64_t>(accesses * rules::kBulkGranule / widest, 32);
  problem.elementsOfThread =
      std::max(problem.elementsOfThread,
               ownReads > 2 ? ofAccesses : std::max<int64_t>(ofAccesses, 16));
  // Of many vectors that a loop carries, a thread has few elements each.
  constexpr int64_t kManyCarried = 4, kMostCarried = 36;
  if (int64_t carried = countCarried(kernel); carried >= kManyCarried)
    problem.elementsOfThread =
        std::clamp<int64_t>(llvm::bit_floor<uint64_t>(kMostCarried / carried),
                            1, problem.elementsOfThread);
  return problem;
}

/// At least `threads`, and more where fewer wouldn't have registers for each
/// vector, or for all that live at once. From 256 threads on, more of them have
/// fewer registers each.
static int64_t findThreads(gpu::GPUFuncOp kernel, LaunchAttr launch,
                           int64_t threads) {
  constexpr int64_t kThreadsOfMost = 256;
  for (; threads < rules::kMaxThreadsPerBlock; threads *= 2) {
    kernel->setAttr(CarouselDialect::kLaunch,
                    LaunchAttr::get(kernel.getContext(), launch.getGrid(),
                                    threads, launch.getCluster(),
                                    launch.getShared()));
    LayoutPlan plan = LayoutPlan::compute(kernel);
    if (plan.getMostRegisters() <= kMostVectorRegisters &&
        (threads >= kThreadsOfMost ||
         countLiveRegisters(kernel, plan) <= kMostVectorRegisters))
      break;
  }
  kernel->setAttr(CarouselDialect::kLaunch, launch);
  return threads;
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
    BlockProblem problem = readProblem(kernel, program, launch);
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
                findRefusal(kernel, plan.back().width));
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
