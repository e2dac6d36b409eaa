//===- ReadBlockProblem.cpp - what threads depend on ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReadBlockProblem.h.
//
//===----------------------------------------------------------------------===//

#include "ReadBlockProblem.h"

#include "../Rows/RowLevels.h"
#include "PersistPrograms.h"

#include "carousel/Analysis/Distribution/AccessTransfers.h"
#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Distribution/VectorDemand.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

std::string carousel::findRowRefusal(gpu::GPUFuncOp kernel, int64_t width) {
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

BlockProblem carousel::readBlockProblem(gpu::GPUFuncOp kernel,
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
  // Of many vectors that a loop carries, a thread has few elements each.
  constexpr int64_t kManyCarried = 4, kMostCarried = 36;
  if (int64_t carried = countCarried(kernel); carried >= kManyCarried)
    problem.elementsOfThread =
        std::clamp<int64_t>(llvm::bit_floor<uint64_t>(kMostCarried / carried),
                            1, problem.elementsOfThread);
  return problem;
}
