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

#include "../Kernels/ClusterParts.h"
#include "../Kernels/VerifyBlock.h"
#include "../Rows/RowLevels.h"
#include "MaskPadding.h"
#include "PersistProducts.h"

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Analysis/Distribution/AccessTransfers.h"
#include "carousel/Analysis/Distribution/BlockVariants.h"
#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Distribution/GatherRuns.h"
#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "carousel/Analysis/Distribution/VectorDemand.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"
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
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace carousel {
#define GEN_PASS_DEF_SPECIALIZEBLOCKS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// CTAs that go through programs
//
// A block program whose CTAs execute many programs, one after the other, reads
// once what all programs read. Its loop is pipelined, so that rings bring what
// the next programs read.
//===----------------------------------------------------------------------===//

static LaunchAttr getLaunch(gpu::GPUFuncOp kernel) {
  return kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
}

/// Whether the programs of a kernel can be executed in a loop: straight code,
/// and a grid of as many programs as an extent of an argument.
static bool canPersist(gpu::GPUFuncOp kernel) {
  ArrayRef<ExprAttr> grid = getLaunch(kernel).getGrid();
  if (grid.size() != 1 || grid[0].getKind() != ExprKind::Extent)
    return false;
  bool can = true;
  kernel->walk([&](Operation *op) {
    if (op == kernel)
      return;
    auto id = dyn_cast<gpu::BlockIdOp>(op);
    can &= op->getNumRegions() == 0 &&
           (!id || id.getDimension() == gpu::Dimension::x) &&
           !isa<gpu::GridDimOp, GridTicketOp, SignalOp, WaitSignalOp,
                ClusterArriveOp, ClusterWaitOp, TransferOpInterface,
                memref::AllocOp>(op);
  });
  return can;
}

namespace {

class LoopOverPrograms {
public:
  LoopOverPrograms(gpu::GPUFuncOp kernel, int64_t ctas)
      : kernel(kernel), ctas(ctas), old(kernel.getBody().front()),
        b(kernel.getLoc(), kernel.getContext()) {}

  void write() {
    noteWritten();
    SmallVector<Operation *> own;
    SmallVector<Operation *> common;
    for (Operation &op : old.without_terminator())
      (isOwn(&op) ? own : common).push_back(&op);
    b.setInsertionPoint(old.getTerminator());
    for (Operation *op : common)
      op->moveBefore(old.getTerminator());
    scf::ForOp loop = createLoop();
    Operation *end = loop.getBody()->getTerminator();
    for (Operation *op : own) {
      op->moveBefore(end);
      if (isa<gpu::BlockIdOp>(op)) {
        op->getResult(0).replaceAllUsesWith(loop.getInductionVar());
        op->erase();
      }
    }
    shrinkGrid();
  }

private:
  void noteWritten() {
    for (Operation &op : old)
      if (auto access = findElementAccess(&op); access && access->writes)
        written.insert(access->memref);
  }

  /// Whether each program executes the op: its operands differ, or it writes,
  /// or reads what may be written.
  bool isOwn(Operation *op) {
    std::optional<ElementAccess> access = findElementAccess(op);
    bool reads = access && !access->writes;
    bool own = isa<gpu::BlockIdOp>(op) || (!isMemoryEffectFree(op) && !reads) ||
               llvm::any_of(op->getOperands(), [&](Value operand) {
                 return ofPrograms.contains(operand) ||
                        (reads && written.contains(operand));
               });
    if (own)
      ofPrograms.insert(op->result_begin(), op->result_end());
    return own;
  }

  scf::ForOp createLoop() {
    ExprAttr grid = getLaunch(kernel).getGrid()[0];
    Value memref =
        old.getArgument(getArgumentPositions(kernel)[grid.getArgument()]);
    Value programs = memref::DimOp::create(b, memref, grid.getValue());
    Value first = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    Value step = gpu::GridDimOp::create(b, gpu::Dimension::x);
    auto loop = scf::ForOp::create(b, first, programs, step);
    loop->setAttr(CarouselDialect::kPipeline,
                  PipelineAttr::getAuto(kernel.getContext()));
    return loop;
  }

  void shrinkGrid() {
    MLIRContext *context = kernel.getContext();
    LaunchAttr launch = getLaunch(kernel);
    auto resident = ExprAttr::get(context, ExprKind::Resident, 0, 0, {}, {});
    if (ctas != 1)
      resident = ExprAttr::get(
          context, ExprKind::CeilDiv, 0, 0, resident,
          ExprAttr::get(context, ExprKind::Constant, ctas, 0, {}, {}));
    auto grid = ExprAttr::get(context, ExprKind::Min, 0, 0, launch.getGrid()[0],
                              resident);
    kernel->setAttr(CarouselDialect::kLaunch,
                    LaunchAttr::get(context, grid, launch.getBlock(),
                                    launch.getCluster(), launch.getShared()));
  }

  gpu::GPUFuncOp kernel;
  int64_t ctas;
  Block &old;
  ImplicitLocOpBuilder b;
  llvm::DenseSet<Value> written, ofPrograms;
};

} // namespace

/// For one that can. The grid becomes what is resident, in clusters of `ctas`
/// CTAs if these execute a program together.
static void persistPrograms(gpu::GPUFuncOp kernel, int64_t ctas) {
  LoopOverPrograms(kernel, ctas).write();
}

//===----------------------------------------------------------------------===//
// Facts that threads depend on
//
// The problem from which Analysis/Distribution/BlockVariants.h plans variants
// of a block program.
//===----------------------------------------------------------------------===//

/// Why rows of `width` elements can't go through the kernel in chunks.
static std::string findRowRefusal(gpu::GPUFuncOp kernel, int64_t width) {
  return RowLevels(kernel, width).getRefusal();
}

/// Counts the bytes that several loops over chunks of a row would read.
static int64_t countRepeatedBytes(gpu::GPUFuncOp kernel, int64_t width) {
  RowLevels levels(kernel, width);
  int64_t bytes = 0;
  if (levels.getRefusal().empty())
    for (auto [read, level] : levels.findRepeated())
      bytes +=
          width *
          getElementBits(cast<vector::TransferReadOp>(read).getVectorType()) /
          8;
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

static BlockProblem readBlockProblem(gpu::GPUFuncOp kernel,
                                     BlockProgramAttr program,
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
  constexpr int64_t kMultiplyAddsOfThread = 64, kElementsOfScan = 32;
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
    if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
      problem.exchanges |= llvm::is_contained(
          reduction.getSourceVectorType().getShape(), problem.width);
      problem.hasTotals |= !isa<VectorType>(reduction.getType());
    }
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
    if (auto scan = dyn_cast<ScanOp>(op); scan && isScannedByThreads(scan))
      problem.elementsOfThread =
          std::max(problem.elementsOfThread, kElementsOfScan);
    // A part's summand for that of others needs registers, too.
    isDivided |= isa<GridTicketOp>(op);
    hasRegions |= op->getNumRegions() != 0 && op != kernel;
    // CTAs that take turns can't do this together.
    if (isa<gpu::GridDimOp, SerializeOp, GridTicketOp, SignalOp, WaitSignalOp>(
            op))
      problem.canBatch = false;
  });
  // One product whose factors need registers is enough.
  for (int64_t sums : {otherSums != 0 ? otherSums : tiledSums, streamedSums})
    problem.elementsOfThread =
        std::max(problem.elementsOfThread,
                 isDivided && sums > kFewMultiplyAdds ? sums / 2 : sums);
  problem.elements = std::max(problem.elements, problem.width);
  problem.otherExtents.erase(problem.width);
  problem.canNarrow =
      problem.width == 0 || !findFixedWidth(kernel, problem.width);
  // --carousel-stream-rows divides some loops.
  problem.canStream = problem.width == 0
                          ? !hasRegions
                          : findRowRefusal(kernel, problem.width).empty();
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
  // A thread has few elements each of many vectors that a loop carries.
  constexpr int64_t kManyCarried = 4, kMostCarried = 36;
  if (int64_t carried = countCarried(kernel); carried >= kManyCarried)
    problem.elementsOfThread =
        std::clamp<int64_t>(llvm::bit_floor<uint64_t>(kMostCarried / carried),
                            1, problem.elementsOfThread);
  return problem;
}

//===----------------------------------------------------------------------===//
// Rows in the CTAs of a cluster
//
// A program of a cluster becomes one of each of its CTAs, which exchange the
// results of reductions (docs/BlockPhase.md, Clusters).
//===----------------------------------------------------------------------===//

namespace {

class Splitter {
public:
  Splitter(gpu::GPUFuncOp kernel, int64_t width, int64_t ctas)
      : kernel(kernel), width(width), ctas(ctas) {
    kernel.walk([&](Operation *op) { note(op); });
  }

  void write() {
    resizeVectors(kernel, width, width / ctas);
    OpBuilder builder(&kernel.getBody().front(),
                      kernel.getBody().front().begin());
    part.emplace(builder, kernel.getLoc(), ctas, width / ctas);
    for (OpOperand *index : indices)
      moveIndex<arith::AddIOp>(*index);
    for (OpOperand *size : sizes)
      moveIndex<arith::SubIOp>(*size);
    for (vector::StepOp steps : allSteps)
      moveSteps(steps);
    for (Operation *op : ofPrograms)
      countPrograms(op);
    for (Operation *op : writes)
      leaveToFirst(op);
    for (vector::MultiDimReductionOp op : reductions) {
      OpBuilder at(op);
      Value all = reduceParts(at, op, op.getSource(), op.getAcc(), ctas);
      op.getResult().replaceAllUsesWith(all);
      op.erase();
    }
    auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    kernel->setAttr(CarouselDialect::kLaunch, withClusters(launch, ctas));
  }

private:
  bool isSplit(Type type) const { return isCovered(type, width); }

  void note(Operation *op) {
    bool splits = llvm::any_of(op->getOperandTypes(),
                               [&](Type type) { return isSplit(type); });
    bool isWrite = op->getNumResults() == 0 && op->getNumRegions() == 0 &&
                   !op->hasTrait<OpTrait::IsTerminator>() &&
                   !isMemoryEffectFree(op);
    if (isWrite && !splits)
      writes.push_back(op);
    if (auto transfer = dyn_cast<VectorTransferOpInterface>(op)) {
      noteIndices(transfer);
    } else if (auto mask = dyn_cast<vector::CreateMaskOp>(op)) {
      for (auto [dim, size] : llvm::enumerate(op->getOpOperands()))
        if (mask.getVectorType().getDimSize(dim) == width)
          sizes.push_back(&size);
    } else if (auto steps = dyn_cast<vector::StepOp>(op)) {
      if (isSplit(steps.getType()))
        allSteps.push_back(steps);
    } else if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
      if (splits)
        reductions.push_back(reduction);
    } else if (auto id = dyn_cast<gpu::BlockIdOp>(op)) {
      if (id.getDimension() == gpu::Dimension::x)
        ofPrograms.push_back(op);
    } else if (auto size = dyn_cast<gpu::GridDimOp>(op)) {
      if (size.getDimension() == gpu::Dimension::x)
        ofPrograms.push_back(op);
    }
  }

  void noteIndices(VectorTransferOpInterface transfer) {
    for (auto [dim, expr] :
         llvm::enumerate(transfer.getPermutationMap().getResults())) {
      auto along = dyn_cast<AffineDimExpr>(expr);
      if (!along || transfer.getVectorType().getDimSize(dim) != width)
        continue;
      unsigned number =
          transfer.getIndices().getBeginOperandIndex() + along.getPosition();
      indices.push_back(&transfer->getOpOperand(number));
    }
  }

  /// Counts from the begin of the CTA's part, or of the row.
  template <typename Op> void moveIndex(OpOperand &index) {
    OpBuilder builder(index.getOwner());
    index.set(Op::create(builder, index.getOwner()->getLoc(), index.get(),
                         part->begin));
  }

  void moveSteps(vector::StepOp steps) {
    OpBuilder builder(steps);
    builder.setInsertionPointAfter(steps);
    Location loc = steps.getLoc();
    Value begins =
        vector::BroadcastOp::create(builder, loc, steps.getType(), part->begin);
    Value moved = arith::AddIOp::create(builder, loc, steps, begins);
    steps.getResult().replaceAllUsesExcept(moved, moved.getDefiningOp());
  }

  void countPrograms(Operation *op) {
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    Value number = op->getResult(0);
    Value programs = toPrograms(builder, op->getLoc(), number, ctas);
    number.replaceAllUsesExcept(programs, programs.getDefiningOp());
  }

  /// Leaves to the first one an op that isn't a part of a row.
  void leaveToFirst(Operation *op) {
    OpBuilder builder(op);
    auto branch = scf::IfOp::create(builder, op->getLoc(),
                                    isFirstCTA(builder, op->getLoc(), *part),
                                    /*withElseRegion=*/false);
    op->moveBefore(branch.thenBlock()->getTerminator());
  }

  gpu::GPUFuncOp kernel;
  int64_t width, ctas;
  SmallVector<OpOperand *> indices, sizes;
  SmallVector<vector::StepOp> allSteps;
  SmallVector<Operation *> ofPrograms, writes;
  SmallVector<vector::MultiDimReductionOp> reductions;
  std::optional<ClusterPart> part;
};

} // namespace

/// Splits the dimensions of `width` elements among `ctas` CTAs. The kernel's
/// vectors are elementwise along them, apart from reductions to scalars, and
/// reductions aren't in branches. The grid and ids count CTAs afterwards.
static void splitRows(gpu::GPUFuncOp kernel, int64_t width, int64_t ctas) {
  Splitter(kernel, width, ctas).write();
}

//===----------------------------------------------------------------------===//
// Programs of all dimensions along x
//
// A launch has up to 65535 CTAs along y and z, and 2^31 - 1 along x. So the
// programs of a grid whose extents there depend on arguments are numbered along
// x, in the same order. All of them together are then at most 2^31 - 1.
// Programs without a loop are short, and divisions would delay their first
// reads: they keep the grid of their author. So do grids of scalars, which may
// be negative, and be too large together. Upstream's affine.delinearize_index
// would take the divisions, but passes that follow know those of arith.
//===----------------------------------------------------------------------===//

/// Whether the number of programs depends on the launch. Constants are checked
/// when the kernel is verified.
static bool dependsOnLaunch(ExprAttr programs) {
  return programs.getKind() != ExprKind::Constant;
}

/// Whether no launch has a number below 0. Scalars and differences may be
/// negative: the host refuses them one by one, and would take the product of
/// two of them.
static bool isNeverNegative(ExprAttr expr) {
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return expr.getValue() >= 0;
  case ExprKind::Extent:
    return true;
  case ExprKind::Add:
  case ExprKind::Mul:
  case ExprKind::FloorDiv:
  case ExprKind::CeilDiv:
  case ExprKind::Mod:
  case ExprKind::Min:
  case ExprKind::Max:
    return isNeverNegative(expr.getLhs()) && isNeverNegative(expr.getRhs());
  default:
    return false;
  }
}

static bool hasLoop(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Gives a kernel with a loop whose y and z aren't bounded by constants a grid
/// of x alone. One of clusters, or one that can't compute its grid, stays as it
/// is. So must one whose programs CTAs execute together: the pass that batches
/// them follows ids of the author's grid, not quotients. Returns whether the
/// grid has changed.
static bool foldGrid(gpu::GPUFuncOp kernel) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  ArrayRef<ExprAttr> grid = launch.getGrid();
  if (llvm::none_of(grid.drop_front(), dependsOnLaunch) ||
      !llvm::all_of(grid, isNeverNegative) || !launch.getCluster().empty() ||
      !hasLoop(kernel))
    return false;

  SmallVector<Operation *> users;
  kernel.walk([&](Operation *op) {
    if (isa<gpu::BlockIdOp, gpu::GridDimOp>(op))
      users.push_back(op);
  });
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel.getContext());
  Operation *begin = &kernel.getBody().front().front();
  b.setInsertionPoint(begin);
  Value rest = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  SmallVector<Value> extents, ids;
  for (ExprAttr extent : grid) {
    extents.push_back(createExtent(b, b.getLoc(), kernel, extent));
    if (!extents.back()) {
      while (Operation *unused = begin->getPrevNode())
        unused->erase();
      return false;
    }
  }
  for (Value extent : ArrayRef(extents).drop_back()) {
    ids.push_back(arith::RemUIOp::create(b, rest, extent));
    rest = arith::DivUIOp::create(b, rest, extent);
  }
  ids.push_back(rest);

  for (Operation *user : users) {
    auto id = dyn_cast<gpu::BlockIdOp>(user);
    unsigned dim = unsigned(id ? id.getDimension()
                               : cast<gpu::GridDimOp>(user).getDimension());
    Value value;
    if (dim < grid.size())
      value = id ? ids[dim] : extents[dim];
    else
      value = arith::ConstantIndexOp::create(b, id ? 0 : 1);
    user->getResult(0).replaceAllUsesWith(value);
  }
  // One of them may be where the new ops are inserted.
  for (Operation *user : users)
    user->erase();

  MLIRContext *context = kernel.getContext();
  ExprAttr programs = grid.front();
  for (ExprAttr extent : grid.drop_front())
    programs = ExprAttr::get(context, ExprKind::Mul, /*value=*/0,
                             /*argument=*/0, programs, extent);
  kernel->setAttr(CarouselDialect::kLaunch,
                  LaunchAttr::get(context, programs, launch.getBlock(),
                                  launch.getCluster(), launch.getShared()));
  return true;
}

//===----------------------------------------------------------------------===//
// Variants of block programs
//===----------------------------------------------------------------------===//

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
    // Tensors that all programs read are read late, and want registers then.
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
