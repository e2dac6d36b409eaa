//===- MarkOccupancy.cpp - tell ptxas the occupancy of kernels ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To leave room for more resident warps, ptxas uses few registers, at the cost
// of instruction-level parallelism. It doesn't know how much dynamic shared
// memory a kernel uses. If that memory permits only a few resident CTAs, this
// pass states their number, so that ptxas may use more registers.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/SharedMemory/SharedMemoryUse.h"
#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace carousel {
#define GEN_PASS_DEF_MARKOCCUPANCY
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Below that ptxas might have to spill what it keeps in registers unasked.
static constexpr int64_t kPlentyOfRegisters = 128;

/// Counts the bits of floats, vectors and the sums of a warpgroup. Other
/// integers are indices.
static int64_t countBitsOfSums(Type type) {
  if (auto sums = dyn_cast<WgmmaRegistersType>(type))
    type = sums.getVector();
  Type element = getElementTypeOrSelf(type);
  auto vector = dyn_cast<VectorType>(type);
  if (!element.isIntOrFloat() || (!vector && !isa<FloatType>(element)))
    return 0;
  return element.getIntOrFloatBitWidth() *
         (vector ? vector.getNumElements() : 1);
}

/// Counts the bits of products of a loop beside the values that it carries:
/// sums that they overwrite, and factors of all iterations.
static int64_t countBitsOfProducts(scf::ForOp loop) {
  int64_t most = 0;
  loop.walk([&](WgmmaFenceOp fence) {
    int64_t bits = 0;
    for (Value vector : fence.getVectors())
      if (loop.isDefinedOutsideOfLoop(vector) ||
          vector.getDefiningOp<ub::PoisonOp>())
        bits += countBitsOfSums(vector.getType());
    most = std::max(most, bits);
  });
  return most;
}

/// Counts the bits of sums to which no product of the block adds, and which no
/// loop carries on.
static int64_t countBitsOutsideLoops(Block &block) {
  int64_t bits = 0;
  for (auto product : block.getOps<nvgpu::MmaSyncOp>())
    if (llvm::none_of(product->getUsers(), [](Operation *user) {
          return isa<nvgpu::MmaSyncOp, scf::YieldOp>(user);
        }))
      bits += countBitsOfSums(product.getType());
  return bits;
}

/// The most registers that a loop carries and its products take, or that sums
/// of products outside of loops of their own take.
static int64_t countSums(gpu::GPUFuncOp kernel) {
  int64_t most = 0;
  kernel.walk([&](Block *block) {
    most = std::max(most, countRegisters(1, countBitsOutsideLoops(*block)));
  });
  kernel.walk([&](scf::ForOp loop) {
    int64_t bits = countBitsOfProducts(loop);
    for (Type type : loop.getResultTypes())
      bits += countBitsOfSums(type);
    most = std::max(most, countRegisters(1, bits));
  });
  return most;
}

/// How many CTAs an SM holds if shared memory decides alone; nothing where it
/// isn't known.
static std::optional<int64_t> countByShared(gpu::GPUFuncOp kernel,
                                            const ChipModel &chip,
                                            SymbolTableCollection &tables) {
  SharedMemoryUse use = computeSharedMemoryUse(kernel, tables);
  uint64_t bytes = use.staticBytes;
  if (use.hasDynamic) {
    auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    if (!launch && use.hasUnknownEnd)
      return std::nullopt;
    bytes = padStaticShared(bytes) +
            std::max<uint64_t>(use.dynamicEnd, launch ? launch.getShared() : 0);
  }
  return chip.sharedPerSM /
         (static_cast<int64_t>(bytes) + chip.sharedReservedPerBlock);
}

namespace {

struct MarkOccupancy : public carousel::impl::MarkOccupancyBase<MarkOccupancy> {
  void runOnOperation() override {
    FailureOr<ChipModel> target = getChipModel(getOperation());
    if (failed(target))
      return signalPassFailure();
    SymbolTableCollection tables;
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel())
        mark(kernel, *target, tables);
  }

  void mark(gpu::GPUFuncOp kernel, const ChipModel &chip,
            SymbolTableCollection &tables) {
    StringRef name = NVVM::NVVMDialect::getMinctasmAttrName();
    // With a number of registers there is nothing to decide.
    if (kernel->hasAttr(name) ||
        kernel->hasAttr(NVVM::NVVMDialect::getMaxnregAttrName()))
      return;
    std::optional<std::array<int64_t, 3>> block = getKnownBlock(kernel);
    std::optional<int64_t> count = countByShared(kernel, chip, tables);
    if (!block || !count || *count == 0)
      return;
    int64_t threads = llvm::alignTo((*block)[0] * (*block)[1] * (*block)[2],
                                    rules::kWarpSize);
    if (chip.getRegistersPerThread(*count * threads) < kPlentyOfRegisters) {
      ++unmarked;
      return;
    }
    // Sums that leave no registers for factors would be spilled.
    int64_t needed = estimateRegisters(countSums(kernel), kFactorRegisters);
    if (needed > kPlentyOfRegisters)
      count = std::clamp<int64_t>(chip.getRegistersPerThread(threads * needed),
                                  1, *count);
    kernel->setAttr(name, Builder(&getContext()).getI32IntegerAttr(*count));
    ++marked;
  }
};

} // namespace
