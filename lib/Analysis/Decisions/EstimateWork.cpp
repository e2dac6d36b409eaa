//===- EstimateWork.cpp - the work of a loop's iterations -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op has a number of instructions for each element, and a latency. A
// block's chain is the longest path through its values; barriers and other
// threads' values extend it.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Decisions/EstimateWork.h"

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Values/IndexFunction.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace carousel;

namespace {

/// The work of one thread for an op.
struct OpWork {
  double instructions = 0;
  double special = 0;
  double latency = 0; ///< in cycles
  double barriers = 0;
  // Bytes of global memory, and bytes of shared memory.
  double bytesRead = 0, bytesWritten = 0, sharedBytes = 0;
};

class Estimator {
public:
  Estimator(gpu::GPUFuncOp kernel, scf::ForOp loop, const ChipModel &chip)
      : uniform(kernel), function(kernel, uniform, loop), chip(chip) {
    function.setThread(0);
  }

  /// Adds the work of a block. Returns the cycles of its chain.
  double visit(Block &block, double times);
  int64_t estimateRegisters(Block &block);

  OpWork total;

private:
  OpWork estimate(Operation *op);
  double followCarried(Block &block, double chain);
  double countTrips(scf::ForOp inner);

  UniformValues uniform;
  IndexFunction function;
  const ChipModel &chip;
};

} // namespace

/// Instructions of an approximation in f32: a polynomial with its range
/// reduction.
static constexpr double kPolynomial = 20;
/// erf in f32: two polynomials by selections, and a branch.
static constexpr double kErf = 30, kErfOfBF16 = 12;
/// A division in f32 with a reciprocal and its correction.
static constexpr double kDivision = 8;

static double countElements(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && !vector.isScalable() ? vector.getNumElements() : 1;
}

/// The elements of all results.
static double countResults(Operation *op) {
  double count = 0;
  for (Type type : op->getResultTypes())
    count += countElements(type);
  return count;
}

static double countWords(Type type) {
  if (!getElementTypeOrSelf(type).isIntOrFloat())
    return 1;
  return std::max(1.0, countElements(type) *
                           getElementTypeOrSelf(type).getIntOrFloatBitWidth() /
                           32.0);
}

/// Accesses of up to 16 bytes are one instruction.
static double countAccesses(Type type) {
  return std::max(1.0, countWords(type) / 4);
}

/// Adds the bytes that a thread's access moves, of all that isn't a memref or
/// an index.
static void countBytes(Operation *op, OpWork &work) {
  bool isGlobal = llvm::any_of(op->getOperandTypes(), isGlobalMemRef);
  if (!isGlobal && llvm::none_of(op->getOperandTypes(), isSharedMemRef))
    return;
  auto addBytes = [](double &sum, TypeRange types) {
    for (Type type : types)
      if (getElementTypeOrSelf(type).isIntOrFloat() && !isa<MemRefType>(type))
        sum += countElements(type) *
               llvm::divideCeil(
                   getElementTypeOrSelf(type).getIntOrFloatBitWidth(), 8);
  };
  addBytes(isGlobal ? work.bytesRead : work.sharedBytes, op->getResultTypes());
  if (op->getNumResults() == 0)
    addBytes(isGlobal ? work.bytesWritten : work.sharedBytes,
             op->getOperandTypes());
}

OpWork Estimator::estimate(Operation *op) {
  OpWork work;
  auto each = [&](double instructions, double special, double latency) {
    double count = countResults(op);
    work.instructions = count * instructions;
    work.special = count * special;
    work.latency = latency;
  };
  // Index arithmetic is mostly hoisted, and cheap otherwise.
  if (op->getNumResults() == 1 && isa<IndexType>(op->getResult(0).getType()) &&
      isMemoryEffectFree(op)) {
    work.instructions = 1;
    work.latency = chip.arithmeticLatency;
    return work;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<math::ErfOp>([&](Operation *) {
        if (getElementTypeOrSelf(op->getResult(0).getType()).isBF16())
          return each(kErfOfBF16, 0, kErfOfBF16 * chip.arithmeticLatency);
        each(kErf, 1, kErf * chip.arithmeticLatency / 2);
      })
      .Case<math::TanhOp, math::SinOp, math::CosOp, math::LogOp, math::PowFOp,
            math::Log1pOp, math::ExpM1Op, math::ErfcOp>([&](Operation *) {
        each(kPolynomial, 1, kPolynomial * chip.arithmeticLatency / 2);
      })
      .Case<math::ExpOp, math::Exp2Op>([&](Operation *) {
        each(3, 1, chip.specialLatency + 2 * chip.arithmeticLatency);
      })
      .Case<math::RsqrtOp, math::SqrtOp>(
          [&](Operation *) { each(4, 1, chip.specialLatency); })
      .Case<arith::DivFOp>([&](Operation *) {
        each(kDivision, 1, chip.specialLatency + 4 * chip.arithmeticLatency);
      })
      .Case<vector::ReductionOp>([&](vector::ReductionOp reduction) {
        double count = countElements(reduction.getVector().getType());
        work.instructions = count;
        work.latency = count * chip.arithmeticLatency;
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *) {
        // Two at a time, or bits that are moved.
        each(0.75, 0, chip.arithmeticLatency);
      })
      .Case<RoundTF32Op>(
          [&](Operation *) { each(4, 0, 3 * chip.arithmeticLatency); })
      .Case<gpu::BarrierOp>([&](Operation *) {
        work.instructions = 1;
        work.barriers = 1;
      })
      .Case<gpu::ShuffleOp>(
          [&](Operation *) { each(1, 0, chip.shuffleLatency); })
      .Case<ClusterGatherOp>([&](Operation *) {
        work.instructions = 20;
        work.latency = chip.exchangeLatency;
      })
      .Case<gpu::SubgroupReduceOp>([&](Operation *) {
        each(10, 0, 5 * (chip.shuffleLatency + chip.arithmeticLatency));
      })
      .Case<gpu::AllReduceOp>([&](Operation *) {
        each(24, 0, 10 * (chip.shuffleLatency + chip.arithmeticLatency));
        work.barriers = 2;
      })
      .Case<nvgpu::MmaSyncOp>([&](nvgpu::MmaSyncOp mma) {
        std::array<int64_t, 3> shape = mma.getMmaShapeAsArray();
        double bits = getElementTypeOrSelf(mma.getMatrixA().getType())
                          .getIntOrFloatBitWidth();
        work.instructions =
            std::max(1.0, static_cast<double>(shape[0] * shape[1] * shape[2]) *
                              bits / chip.matrixBitsPerCycle);
        work.latency = chip.matrixLatency;
      })
      .Case<nvgpu::LdMatrixOp>([&](Operation *op) {
        work.instructions = 1;
        work.latency = chip.matrixLatency;
        countBytes(op, work);
      })
      .Case<LoadOp, StoreOp>([&](Operation *) {
        // By an engine: election, and the wait or the fence.
        work.instructions = 10;
        work.barriers = isa<StoreOp>(op) ? 1 : 0;
      })
      .Case<vector::BroadcastOp, vector::ShapeCastOp, vector::ExtractOp,
            vector::InsertOp, vector::BitCastOp, vector::FromElementsOp,
            vector::ToElementsOp, vector::ExtractStridedSliceOp,
            vector::InsertStridedSliceOp, arith::BitcastOp>([&](Operation *) {})
      .Default([&](Operation *op) {
        if (op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>() ||
            op->hasTrait<OpTrait::ConstantLike>())
          return;
        if (isMemoryEffectFree(op))
          return each(1, 0, chip.arithmeticLatency);
        // An access; the widest value is what it moves.
        double accesses = 1;
        for (Type type : op->getResultTypes())
          accesses = std::max(accesses, countAccesses(type));
        for (Type type : op->getOperandTypes())
          if (isa<VectorType>(type))
            accesses = std::max(accesses, countAccesses(type));
        work.instructions = accesses + 1;
        countBytes(op, work);
        work.latency = op->getNumResults() == 0 ? chip.arithmeticLatency
                                                : chip.sharedLatency;
      });
  return work;
}

double Estimator::countTrips(scf::ForOp inner) {
  std::optional<int64_t> lower =
                             function.evaluateConstant(inner.getLowerBound()),
                         upper =
                             function.evaluateConstant(inner.getUpperBound()),
                         step = function.evaluateConstant(inner.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return 1;
  if (*upper <= *lower)
    return 0;
  return static_cast<double>(llvm::divideCeil(static_cast<uint64_t>(*upper) -
                                                  static_cast<uint64_t>(*lower),
                                              static_cast<uint64_t>(*step)));
}

/// The longest path from what an iteration gets to what it yields, in cycles.
/// At most `chain`, which is that of the whole iteration.
double Estimator::followCarried(Block &block, double chain) {
  llvm::DenseMap<Value, double> ready;
  for (Value carried : block.getArguments().drop_front())
    ready[carried] = 0;
  for (Operation &op : block.without_terminator()) {
    OpWork work = estimate(&op);
    // Whatever stands behind a barrier, or isn't seen through, waits for all.
    if (work.barriers != 0 || (op.getNumRegions() != 0 && !ready.empty()))
      return chain;
    double start = -1;
    for (Value operand : op.getOperands())
      if (auto found = ready.find(operand); found != ready.end())
        start = std::max(start, found->second);
    if (start < 0)
      continue;
    for (Value result : op.getResults())
      ready[result] = start + work.latency;
  }
  double longest = 0;
  for (Value yielded : block.getTerminator()->getOperands())
    longest = std::max(longest, ready.lookup(yielded));
  return std::min(longest, chain);
}

double Estimator::visit(Block &block, double times) {
  llvm::DenseMap<Value, double> ready;
  double end = 0, floor = 0; // no op after a barrier starts before it
  for (Operation &op : block) {
    double start = floor;
    for (Value operand : op.getOperands())
      start = std::max(start, ready.lookup(operand));
    OpWork work = estimate(&op);
    double took = work.latency + std::max(0.0, work.instructions - 1);
    if (auto inner = dyn_cast<scf::ForOp>(op)) {
      double trips = countTrips(inner);
      double before = total.instructions;
      double chain = visit(*inner.getBody(), times * trips);
      double issued = (total.instructions - before) / std::max(times, 1.0);
      // Iterations overlap, as far as they can be issued, but for what they
      // hand to the next one.
      double carried = followCarried(*inner.getBody(), chain);
      took = std::max(chain + std::max(trips - 1, 0.0) * carried, issued);
    } else {
      // A branch counts as taken: what is done at bounds is rare.
      if (op.getNumRegions() != 0 && !op.getRegion(0).empty())
        took = std::max(took, visit(op.getRegion(0).front(), times));
    }
    total.instructions += work.instructions * times;
    total.special += work.special * times;
    total.barriers += work.barriers * times;
    total.bytesRead += work.bytesRead * times;
    total.bytesWritten += work.bytesWritten * times;
    total.sharedBytes += work.sharedBytes * times;
    end = std::max(end, start + took);
    if (work.barriers != 0)
      floor = end;
    for (Value result : op.getResults())
      ready[result] = start + took;
  }
  return end;
}

/// The most values of floats and vectors that are alive at once, in registers
/// of 32 bits.
int64_t Estimator::estimateRegisters(Block &block) {
  llvm::DenseSet<Value> alive;
  double words = 0, most = 0;
  auto add = [&](Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    if (isa<FloatType>(element) && alive.insert(value).second)
      words += countWords(value.getType());
  };
  for (Operation &op : llvm::reverse(block)) {
    double inside = 0;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        inside = std::max<double>(inside, estimateRegisters(inner));
    most = std::max(most, words + inside);
    for (Value result : op.getResults())
      if (alive.erase(result))
        words -= countWords(result.getType());
    for (Value operand : op.getOperands())
      if (!matchPattern(operand, m_Constant()))
        add(operand);
    most = std::max(most, words);
  }
  return static_cast<int64_t>(most);
}

/// Whether the expression depends on the number of SMs.
static bool growsWithDevice(ExprAttr expr) {
  if (!expr)
    return false;
  return expr.getKind() == ExprKind::SMs ||
         expr.getKind() == ExprKind::Resident ||
         growsWithDevice(expr.getLhs()) || growsWithDevice(expr.getRhs());
}

LoopWork carousel::estimateWork(gpu::GPUFuncOp kernel, scf::ForOp loop,
                                const ChipModel &chip) {
  LoopWork work;
  if (std::optional<std::array<int64_t, 3>> block = getKnownBlock(kernel))
    work.threads = (*block)[0] * (*block)[1] * (*block)[2];
  double warps = llvm::divideCeil(std::max<int64_t>(work.threads, 1),
                                  int64_t(rules::kWarpSize));
  loop.walk([&](TransferOpInterface op) {
    int64_t units =
        op.getScope() == TransferScope::CTA ? 1
        : op.getScope() == TransferScope::Warp
            ? static_cast<int64_t>(warps)
            : llvm::divideCeil(static_cast<int64_t>(warps),
                               rules::kWarpgroupSize / rules::kWarpSize);
    (op.isLoad() ? work.loadBytes : work.storeBytes) +=
        units * op.getTileBytes();
  });
  // An engine accesses the other side of each byte.
  int64_t moved = work.loadBytes + work.storeBytes;
  Estimator estimator(kernel, loop, chip);
  work.chainCycles = estimator.visit(*loop.getBody(), 1);
  work.instructions = estimator.total.instructions * warps;
  work.specialInstructions = estimator.total.special * warps;
  work.barriers = estimator.total.barriers;
  auto threads = static_cast<double>(std::max<int64_t>(work.threads, 1));
  work.loadBytes += std::llround(estimator.total.bytesRead * threads);
  work.storeBytes += std::llround(estimator.total.bytesWritten * threads);
  work.sharedBytes =
      moved + std::llround(estimator.total.sharedBytes * threads);
  if (auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch))
    work.mayBeFewCTAs = llvm::none_of(launch.getGrid(), growsWithDevice);
  work.registers = std::max<int64_t>(
      carousel::estimateRegisters(estimator.estimateRegisters(*loop.getBody()),
                                  kAddressRegisters),
      32);
  return work;
}
