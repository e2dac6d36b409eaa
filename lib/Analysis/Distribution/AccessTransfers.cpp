//===- AccessTransfers.cpp - which accesses are transfers of tiles --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AccessTransfers.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/AccessTransfers.h"

#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

int64_t carousel::getElementBits(ShapedType type) {
  return type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
}

/// Whether a vector has a product's shape, is a box of its rows, or has one of
/// its halves of columns, as what two products of one factor meet in.
static bool haveSameRows(VectorType product, VectorType vector) {
  return product.getShape() == vector.getShape() ||
         (product.getRank() == 2 && vector.getRank() > 2 &&
          product.getShape().back() == vector.getShape().back() &&
          product.getNumElements() == vector.getNumElements()) ||
         (product.getRank() == 2 && vector.getRank() == 2 &&
          product.getDimSize(0) == vector.getDimSize(0) &&
          product.getDimSize(1) == 2 * vector.getDimSize(1));
}

/// Whether a product of the vector's rows satisfies `holds`.
static bool anyProduct(gpu::GPUFuncOp kernel, VectorType type,
                       function_ref<bool(vector::ContractionOp)> holds) {
  return kernel
      .walk([&](vector::ContractionOp op) {
        auto product = dyn_cast<VectorType>(op.getResultType());
        return product && haveSameRows(product, type) && holds(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether threads hold the elements as fragments of a product: the vector has
/// its shape, and the kernel multiplies by matrix instructions.
static bool isFragments(gpu::GPUFuncOp kernel, VectorType type) {
  return anyProduct(kernel, type, [](vector::ContractionOp op) {
    return hasMatrixInstructions(op);
  });
}

ThreadBits carousel::findThreads(gpu::GPUFuncOp kernel) {
  ThreadBits threads{/*lanes=*/5, /*warps=*/kWarpBitsOfGroup};
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  auto multiply = [](ArrayRef<int64_t> extents) {
    return std::accumulate(extents.begin(), extents.end(), int64_t(1),
                           std::multiplies<>());
  };
  if (launch && !isProgramOfCTA(kernel))
    threads.ctas = llvm::Log2_64(multiply(launch.getCluster()));
  if (launch && !launch.getBlock().empty()) {
    int64_t count = multiply(launch.getBlock());
    threads.warps =
        llvm::Log2_64(std::max<int64_t>(count / rules::kWarpSize, 1));
  }
  return threads;
}

/// Whether the fragments are those of warpgroups.
static bool isProductOfWarpgroups(gpu::GPUFuncOp kernel, VectorType type) {
  ThreadBits threads = findThreads(kernel);
  return anyProduct(kernel, type, [&](vector::ContractionOp op) {
    return hasMatrixInstructions(op) &&
           explainNoWarpgroups(op, threads).empty();
  });
}

/// Whether threads may as well write what they hold of a product by warpgroups:
/// rows of their fragments are whole sectors of global memory.
static bool writesSectors(gpu::GPUFuncOp kernel, VectorType type) {
  constexpr int64_t kBitsOfWholeSectors = 32;
  return getElementBits(type) >= kBitsOfWholeSectors &&
         isProductOfWarpgroups(kernel, type);
}

static vector::TransferWriteOp findWriteInPlace(vector::TransferReadOp read);

static int64_t countBytes(ShapedType type) {
  return llvm::divideCeil(type.getNumElements() * getElementBits(type), 8);
}

/// The bytes of the slots of pipelined loops.
static int64_t countSlotBytes(gpu::GPUFuncOp kernel) {
  int64_t bytes = 0;
  kernel.walk([&](vector::TransferReadOp op) {
    auto read = cast<VectorTransferOpInterface>(op.getOperation());
    if (isPipelined(op) && !findWriteInPlace(op) && becomesTransfer(read))
      bytes += countSlotBytes(read);
  });
  return bytes;
}

/// Whether the kernel's loops have roles, so that nothing is between them.
static bool hasRoles(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto pipeline =
            op->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline);
        return pipeline && pipeline.getMode() == PipelineMode::Specialized
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether two transfers access other elements of the same memref: along a
/// dimension, constant ranges that have none in common.
static bool areApart(VectorTransferOpInterface a, VectorTransferOpInterface b) {
  if (a.getBase() != b.getBase())
    return false;
  auto getRange =
      [](VectorTransferOpInterface op,
         unsigned dim) -> std::optional<std::pair<int64_t, int64_t>> {
    APInt first;
    if (!matchPattern(op.getIndices()[dim], m_ConstantInt(&first)))
      return std::nullopt;
    int64_t extent = 1;
    AffineMap map = op.getPermutationMap();
    if (std::optional<unsigned> own =
            map.getResultPosition(getAffineDimExpr(dim, op->getContext())))
      extent = op.getVectorType().getDimSize(*own);
    return std::pair(first.getSExtValue(), first.getSExtValue() + extent);
  };
  for (unsigned dim = 0; dim < a.getIndices().size(); ++dim) {
    auto ofA = getRange(a, dim), ofB = getRange(b, dim);
    if (ofA && ofB && (ofA->second <= ofB->first || ofB->second <= ofA->first))
      return true;
  }
  return false;
}

bool carousel::isAccessedElsewhere(Operation *access, Value memref,
                                   bool byWrites) {
  auto kernel = access->getParentOfType<gpu::GPUFuncOp>();
  return kernel
      .walk([&](Operation *op) {
        bool isOther =
            op != access && !isMemoryEffectFree(op) &&
            op->getNumRegions() == 0 &&
            !(byWrites && isa<vector::TransferReadOp, memref::LoadOp>(op));
        auto other = dyn_cast<VectorTransferOpInterface>(op);
        if (isOther && other &&
            areApart(cast<VectorTransferOpInterface>(access), other))
          return WalkResult::advance();
        return isOther && llvm::any_of(op->getOperands(),
                                       [&](Value operand) {
                                         return isa<MemRefType>(
                                                    operand.getType()) &&
                                                mayOverlap(operand, memref);
                                       })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether warpgroups may store a tile of that many parts of its columns. Each
/// has one piece of rows, so that a part is in registers that follow each
/// other, and stores whole spans without waiting for others.
static bool mayHaveParts(vector::TransferWriteOp write, int64_t parts) {
  constexpr int64_t kSpanBytes = 128;
  VectorType type = write.getVectorType();
  auto kernel = write->getParentOfType<gpu::GPUFuncOp>();
  ThreadBits threads = findThreads(kernel);
  if (parts == 1)
    return true;
  if (type.getRank() != 2 || threads.warps <= kWarpBitsOfGroup ||
      type.getDimSize(0) != kWgmmaRows << (threads.warps - kWarpBitsOfGroup) ||
      !llvm::isPowerOf2_64(type.getDimSize(1)) ||
      type.getDimSize(1) * getElementBits(type) / 8 / parts < kSpanBytes)
    return false;
  return anyProduct(kernel, type,
                    [&](vector::ContractionOp op) {
                      std::string reason;
                      std::optional<WarpgroupForm> form;
                      if (hasMatrixInstructions(op))
                        form = findWarpgroupForm(op, threads, reason);
                      return form && !form->isSwapped;
                    }) &&
         !isAccessedElsewhere(write, write.getBase());
}

/// The parts of tiles of all writes of fragments with which these fit beside
/// the shared memory that the kernel allocates; 0 if there are none. The rings
/// of earlier loops are no longer in use, unless a loop has roles, as those of
/// products by warpgroups get: then these last as long as the kernel.
static int64_t findTileParts(gpu::GPUFuncOp kernel, const ChipModel &chip,
                             bool besideSlots) {
  constexpr int64_t kOfOthers = 1024; // reductions, barriers
  if (hasRoles(kernel))
    return 0;
  int64_t bytes = kOfOthers + (besideSlots ? countSlotBytes(kernel) : 0);
  kernel.walk([&](memref::AllocOp op) {
    if (op.getType().hasStaticShape())
      bytes += countBytes(op.getType());
  });
  for (int64_t parts : {1, 2, 4}) {
    int64_t ofWrites = 0;
    kernel.walk([&](vector::TransferWriteOp write) {
      VectorType type = write.getVectorType();
      if (isFragments(kernel, type) && !writesSectors(kernel, type))
        ofWrites += countBytes(type) / (mayHaveParts(write, parts) ? parts : 1);
    });
    if (bytes + ofWrites <= chip.maxSharedPerBlock)
      return parts;
  }
  return 0;
}

/// Whether an iteration of the loop computes a whole product of the vector's
/// rows, by a loop of its own.
static bool hasWholeProduct(LoopLikeOpInterface loop, VectorType type) {
  auto kernel = loop->getParentOfType<gpu::GPUFuncOp>();
  return anyProduct(kernel, type, [&](vector::ContractionOp op) {
    auto own = op->getParentOfType<LoopLikeOpInterface>();
    return own && loop->isProperAncestor(own);
  });
}

static SmallVector<LoopLikeOpInterface> getLoopsOfProgram(Operation *op) {
  SmallVector<LoopLikeOpInterface> loops;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    if (!isLoopOverPrograms(loop))
      loops.push_back(loop);
  return loops;
}

/// Threads would write fragments by 4 bytes, 16 of each row at once. An engine
/// writes whole rows: on an H200, a product of 8192 x 512 x 8192 then takes 195
/// us instead of 237, and one of 8192 x 2048 x 8192 641 instead of 678. Over
/// NVLink, threads write whole rows of a tile, too. Fragments of 32 bits are
/// whole sectors, and their tile would take two slots from the rings of a
/// product by warpgroups. In a loop of the program,
/// the tile takes shared memory from the rings of the next iteration, which
/// pays where an iteration has a whole product.
static bool writesFragments(VectorTransferOpInterface op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  if (!kernel || !isa<vector::TransferWriteOp>(op) ||
      !isFragments(kernel, op.getVectorType()))
    return false;
  SmallVector<LoopLikeOpInterface> loops = getLoopsOfProgram(op);
  if (llvm::any_of(loops, [&](LoopLikeOpInterface loop) {
        return !hasWholeProduct(loop, op.getVectorType());
      }))
    return false;
  std::optional<ChipModel> chip = findChipModel(kernel);
  bool besideSlots =
      !loops.empty() || isProductOfWarpgroups(kernel, op.getVectorType());
  if (!chip || findTileParts(kernel, *chip, besideSlots) == 0)
    return false;
  auto argument = dyn_cast<BlockArgument>(op.getBase());
  bool isOfPeer = argument &&
                  argument.getOwner() == &kernel.getBody().front() &&
                  kernel.getArgAttr(argument.getArgNumber(), kPeer);
  if (isOfPeer || chip->sm < rules::kBulkSM)
    return isOfPeer;
  return !writesSectors(kernel, op.getVectorType());
}

/// Takes `value` apart into a dividend and the size of a cluster, or 1.
static int64_t takeClusterSize(Value &value) {
  auto quotient = value.getDefiningOp<arith::DivUIOp>();
  if (!quotient)
    return 1;
  std::optional<int64_t> size = getConstantIntValue(quotient.getRhs());
  if (size)
    value = quotient.getLhs();
  return size.value_or(1);
}

bool carousel::isLoopOverPrograms(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return false;
  Value first = loop.getLowerBound(), step = loop.getStep();
  return takeClusterSize(first) == takeClusterSize(step) &&
         first.getDefiningOp<gpu::BlockIdOp>() &&
         step.getDefiningOp<gpu::GridDimOp>();
}

/// The loop whose pipeline the op is part of, or null.
static Operation *findPipelinedLoop(Operation *op) {
  Operation *loop = op->getParentOp();
  while (loop && !loop->hasAttr(CarouselDialect::kPipeline))
    loop = loop->getParentOp();
  return loop;
}

bool carousel::isPipelined(Operation *op) { return findPipelinedLoop(op); }

/// Whether a box may begin before its memref. A store of a tile must not, and a
/// load may (docs/Rationale.md). Indices of dimensions that the vector doesn't
/// have are in bounds. Rows are looked up wherever a box begins in its table.
static bool mayBeginBefore(VectorTransferOpInterface op) {
  Divisibility indices;
  bool areRows = op.getBase().getDefiningOp<RowsOp>() != nullptr;
  for (auto [dim, expr] :
       llvm::enumerate(op.getPermutationMap().getResults())) {
    auto along = dyn_cast<AffineDimExpr>(expr);
    if (along && !op.isDimInBounds(dim) &&
        !(areRows && along.getPosition() == 0) &&
        !indices.isNonNegative(op.getIndices()[along.getPosition()]))
      return true;
  }
  return false;
}

/// Whether the loop around the access is one over programs whose products
/// warpgroups compute in a pipelined loop inside of it. All of them would meet
/// for a tile of the CTA.
static bool isBesideProducts(Operation *op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  Operation *loop = findPipelinedLoop(op);
  if (!isLoopOverPrograms(loop))
    return false;
  ThreadBits threads = findThreads(kernel);
  return loop
      ->walk([&](vector::ContractionOp product) {
        Operation *inner = product->getParentOp();
        return inner != loop && inner->hasAttr(CarouselDialect::kPipeline) &&
                       hasMatrixInstructions(product) &&
                       explainNoWarpgroups(product, threads).empty()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the loop around the access makes it a transfer. In a loop over
/// programs of products, producers load the factors of all iterations, and
/// threads read the rest: what they have for each row.
static bool isPipelinedAccess(VectorTransferOpInterface op) {
  if (!isPipelined(op))
    return false;
  bool isFactor =
      isa<vector::TransferReadOp>(op) && isForProducts(op->getResult(0));
  return isFactor || !isBesideProducts(op);
}

int64_t carousel::countSlotBytes(VectorTransferOpInterface op) {
  constexpr int64_t kLeastStages = 2;
  if (isReadInPlace(op))
    return 0;
  int64_t slots = 1;
  for (Operation *loop = op->getParentOp();
       isPipelinedAccess(op) && !isa<gpu::GPUFuncOp>(loop);
       loop = loop->getParentOp())
    if (auto request =
            loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline)) {
      slots = request.getStages().value_or(kLeastStages);
      for (int64_t stages : request.getStagesOfEach())
        slots = std::max(slots, stages);
      break;
    }
  return slots * countBytes(op.getVectorType()) / countTileParts(op);
}

bool carousel::isReducingWrite(VectorTransferOpInterface op) {
  auto rows = op.getBase().getDefiningOp<RowsOp>();
  return rows && rows.getReduce();
}

bool carousel::isBox(VectorTransferOpInterface op) {
  int64_t last = -1;
  for (AffineExpr expr : op.getPermutationMap().getResults()) {
    auto along = dyn_cast<AffineDimExpr>(expr);
    if (!along || int64_t(along.getPosition()) <= last)
      return false;
    last = along.getPosition();
  }
  return last + 1 == int64_t(op.getPermutationMap().getNumDims());
}

SmallVector<int64_t> carousel::getBoxShape(VectorTransferOpInterface op,
                                           ArrayRef<int64_t> shape) {
  AffineMap map = op.getPermutationMap();
  unsigned first = map.getDimPosition(0);
  SmallVector<int64_t> box(map.getNumDims() - first, 1);
  for (auto [dim, extent] : llvm::enumerate(shape))
    box[map.getDimPosition(dim) - first] = extent;
  return box;
}

/// The reason why no engine copies what a loop accesses, wherever it begins; or
/// none.
static Obstacle findEngineObstacle(VectorTransferOpInterface op) {
  if (op.getMask())
    return {Miss::Masked, "it has a mask"};
  if (!isBox(op) || (op.getBase().getDefiningOp<RowsOp>() &&
                     !op.getPermutationMap().isMinorIdentity()))
    return {Miss::Permuted, "it permutes or repeats dimensions, or omits the "
                            "last one"};
  if (op.getVectorType().getElementType().isIndex() ||
      getElementBits(op.getVectorType()) < 8)
    return {Miss::ElementType, "no tile has its type of elements"};
  auto read = dyn_cast<vector::TransferReadOp>(op.getOperation());
  if (read && !matchPattern(read.getPadding(), m_Constant()))
    return {Miss::PaddingVaries, "its padding isn't a constant"};
  return {};
}

//===----------------------------------------------------------------------===//
// Reads in place
//===----------------------------------------------------------------------===//

/// Whether the op accesses a box in a loop over programs whose transfers have
/// one slot, and no other loop.
static bool hasSlotOfProgram(VectorTransferOpInterface op) {
  Operation *loop = op->getParentOp();
  auto pipeline = loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline);
  return pipeline && pipeline.getStages() == 1 && isLoopOverPrograms(loop) &&
         isGlobalMemRef(op.getShapedType()) && findEngineObstacle(op).empty();
}

static bool haveAlikeBoxes(VectorTransferOpInterface a,
                           VectorTransferOpInterface b) {
  VectorType type = a.getVectorType(), other = b.getVectorType();
  return type.getShape() == other.getShape() &&
         getElementBits(type) == getElementBits(other) &&
         getBoxShape(a, type.getShape()) == getBoxShape(b, type.getShape());
}

/// Whether ops by elements compute what is written from the read.
static bool isComputedOf(vector::TransferWriteOp write,
                         vector::TransferReadOp read) {
  auto isComputed = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->getBlock() == write->getBlock() && isElementwise(op);
  };
  return carousel::isComputedOf(
      write.getValueToStore(), isComputed,
      [&](Value value) { return value == read.getResult(); });
}

/// The write whose tile may be that of the read: the first one that it reaches.
static vector::TransferWriteOp findWriteInPlace(vector::TransferReadOp read) {
  auto box = cast<VectorTransferOpInterface>(read.getOperation());
  if (!hasSlotOfProgram(box) || isForProducts(read) || !isBesideProducts(read))
    return {};
  for (auto write : read->getBlock()->getOps<vector::TransferWriteOp>()) {
    auto own = cast<VectorTransferOpInterface>(write.getOperation());
    if (!isComputedOf(write, read))
      continue;
    return hasSlotOfProgram(own) && haveAlikeBoxes(box, own) &&
                   !isReducingWrite(own)
               ? write
               : vector::TransferWriteOp();
  }
  return {};
}

vector::TransferReadOp
carousel::findReadInPlace(VectorTransferOpInterface write) {
  if (!isa<vector::TransferWriteOp>(write) || !hasSlotOfProgram(write) ||
      !becomesTransfer(write) || countTileParts(write) != 1)
    return {};
  for (auto read : write->getBlock()->getOps<vector::TransferReadOp>())
    if (findWriteInPlace(read) == write)
      return read;
  return {};
}

bool carousel::isReadInPlace(VectorTransferOpInterface op) {
  auto read = dyn_cast<vector::TransferReadOp>(op.getOperation());
  vector::TransferWriteOp write =
      read ? findWriteInPlace(read) : vector::TransferWriteOp();
  return write && findReadInPlace(cast<VectorTransferOpInterface>(
                      write.getOperation())) == read;
}

/// Whether an engine could make the access, wherever it begins. Tiles have no
/// indices. Only transfers reduce.
static bool isOfEngine(VectorTransferOpInterface op) {
  return isGlobalMemRef(op.getShapedType()) && findEngineObstacle(op).empty() &&
         (isPipelinedAccess(op) || writesFragments(op) || isReducingWrite(op) ||
          isReadInPlace(op));
}

static Obstacle findReadObstacle(Operation *op) {
  if (auto gather = dyn_cast<vector::GatherOp>(op))
    return isGlobalMemRef(cast<ShapedType>(gather.getBaseType()))
               ? Obstacle(Miss::Gathers, "it gathers elements")
               : Obstacle();
  auto read = dyn_cast<vector::TransferReadOp>(op);
  if (!read || !isGlobalMemRef(read.getShapedType()) || becomesTransfer(read))
    return {};
  Obstacle obstacle = findEngineObstacle(read);
  return obstacle.empty() ? Obstacle(Miss::OverPrograms,
                                     "warpgroups compute the products, and it "
                                     "isn't a factor of them")
                          : obstacle;
}

Obstacle carousel::explainNoRing(Operation *op) {
  Operation *loop = findPipelinedLoop(op);
  Obstacle obstacle = loop ? findReadObstacle(op) : Obstacle();
  if (!obstacle.empty() && isLoopOverPrograms(loop))
    return {Miss::OverPrograms,
            "the loop goes through programs, and " + obstacle.text};
  return obstacle;
}

/// Whether each CTA of a cluster has a part of the kernel's vectors. A CTA can
/// load a whole tile, but has only a part of one to store.
static bool isSharedByCluster(VectorTransferOpInterface op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  auto launch =
      kernel ? kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch)
             : LaunchAttr();
  if (!launch ||
      llvm::all_of(launch.getCluster(), [](int64_t ctas) { return ctas == 1; }))
    return false;
  return !isProgramOfCTA(kernel);
}

bool carousel::becomesTransfer(VectorTransferOpInterface op) {
  return isOfEngine(op) && (isa<vector::TransferReadOp>(op) ||
                            (!mayBeginBefore(op) && !isSharedByCluster(op)));
}

std::string carousel::explainNoTransfer(VectorTransferOpInterface op) {
  if (!isOfEngine(op) || becomesTransfer(op))
    return "";
  if (isSharedByCluster(op))
    return "threads write it, since each CTA of the cluster has only a part of "
           "the tile";
  return "threads write it, since an index may be negative and no store of a "
         "tile may begin before its memref";
}

int64_t carousel::countTileParts(VectorTransferOpInterface op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  if (!kernel || !isa<vector::TransferWriteOp>(op) || !writesFragments(op) ||
      isPipelinedAccess(op))
    return 1;
  int64_t parts = findTileParts(kernel, *findChipModel(kernel),
                                /*besideSlots=*/true);
  auto write = cast<vector::TransferWriteOp>(op.getOperation());
  return parts != 0 && mayHaveParts(write, parts) ? parts : 1;
}
