//===- ThreadWork.cpp - work of the most loaded thread --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts ops. Constants, casts and views cost nothing, and all others one
// instruction. The distance of a loop's bounds is that of their ranges. Where
// one bound is the other one rounded down or up to a multiple, it is less than
// this multiple.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/ThreadWork.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

ThreadWork &ThreadWork::operator+=(const ThreadWork &other) {
  instructions += other.instructions;
  waits += other.waits;
  isBounded &= other.isBounded;
  return *this;
}

void ThreadWork::print(raw_ostream &os) const {
  os << instructions << " instructions and " << waits
     << " waits for global memory";
  if (!isBounded)
    os << " for each iteration of an unbounded loop";
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// `m` if the value is `base` rounded down to a multiple of m.
static std::optional<int64_t> matchRoundedDown(Value value, Value &base) {
  auto mask = value.getDefiningOp<arith::AndIOp>();
  if (!mask)
    return std::nullopt;
  std::optional<int64_t> bits = getConstantIntValue(mask.getRhs());
  if (!bits || *bits >= 0 || !llvm::isPowerOf2_64(-*bits))
    return std::nullopt;
  base = mask.getLhs();
  return -*bits;
}

/// The value without a constant that is added to it.
static Value dropConstant(Value value, int64_t &constant) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> added =
      sum ? getConstantIntValue(sum.getRhs()) : std::nullopt;
  if (!added)
    return value;
  constant += *added;
  return sum.getLhs();
}

/// A value without addends that are known to be 0 or more.
static Value dropNonNegative(Value value, IndexRanges &ranges) {
  while (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    if (getConstantIntValue(sum.getRhs()) ||
        !ranges.isNonNegative(sum.getRhs()))
      break;
    value = sum.getLhs();
  }
  return value;
}

/// The most that `upper` can be above `lower`, or nullopt.
static std::optional<int64_t> findDistance(Value lower, Value upper,
                                           IndexRanges &ranges) {
  lower = dropNonNegative(lower, ranges);
  if (lower == upper)
    return 0;
  Value low = lower, high = upper;
  int64_t slack = 0, shift = 0;
  std::optional<int64_t> multiple = matchRoundedDown(lower, low);
  if (multiple)
    slack += *multiple - 1;
  bool isSameMultiple = matchRoundedDown(upper, high) == multiple;
  high = dropConstant(high, shift);
  int64_t before = 0;
  low = dropConstant(low, before);
  slack -= before;
  if (low == high)
    return multiple && isSameMultiple ? (slack + shift) / *multiple * *multiple
                                      : slack + shift;
  auto getRange = [&](Value value) -> std::optional<ConstantIntRanges> {
    IntegerValueRange range = ranges.get(value);
    return range.isUninitialized() ? std::nullopt
                                   : std::optional(range.getValue());
  };
  std::optional<ConstantIntRanges> most = getRange(upper);
  if (!most || most->smax().isMaxSignedValue())
    return std::nullopt;
  // Rounded down, a number that isn't negative stays so.
  std::optional<ConstantIntRanges> range = getRange(lower);
  int64_t least = range ? range->smin().getSExtValue()
                        : std::numeric_limits<int64_t>::min();
  if (ranges.isNonNegative(low))
    least = std::max<int64_t>(least, 0);
  if (least == std::numeric_limits<int64_t>::min())
    return std::nullopt;
  return most->smax().getSExtValue() - least;
}

/// The most iterations that one thread executes, or nullopt.
static std::optional<int64_t> findIterations(scf::ForOp loop,
                                             IndexRanges &ranges) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  std::optional<int64_t> distance =
      findDistance(loop.getLowerBound(), loop.getUpperBound(), ranges);
  if (!step || *step <= 0 || !distance)
    return std::nullopt;
  return llvm::divideCeil(std::max<int64_t>(*distance, 0), *step);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static bool isFree(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         op->hasTrait<OpTrait::IsTerminator>() ||
         isa<ViewLikeOpInterface>(op) ||
         isa<arith::IndexCastOp, memref::DimOp, memref::CastOp>(op);
}

/// Whether the thread waits for the op's result from global memory.
static bool loadsGlobal(Operation *op) {
  Value memref;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    memref = load.getMemRef();
  else if (auto load = dyn_cast<vector::LoadOp>(op))
    memref = load.getBase();
  else
    return false;
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(
      cast<MemRefType>(memref.getType()).getMemorySpace());
  return !space || space.getValue() == gpu::AddressSpace::Global;
}

static ThreadWork estimateBlock(Block &block, IndexRanges &ranges) {
  return estimateThreadWork(block.begin(), block.end(), ranges);
}

static ThreadWork estimateLoop(scf::ForOp loop, IndexRanges &ranges) {
  ThreadWork work = estimateBlock(*loop.getBody(), ranges);
  work.instructions += 2; // the increment and the branch
  std::optional<int64_t> iterations = findIterations(loop, ranges);
  work.isBounded &= iterations.has_value();
  work.instructions *= iterations.value_or(1);
  work.waits *= iterations.value_or(1);
  return work;
}

static ThreadWork estimateBranch(scf::IfOp branch, IndexRanges &ranges) {
  ThreadWork work = estimateBlock(*branch.thenBlock(), ranges);
  if (Block *otherwise = branch.elseBlock()) {
    ThreadWork other = estimateBlock(*otherwise, ranges);
    work.instructions = std::max(work.instructions, other.instructions);
    work.waits = std::max(work.waits, other.waits);
    work.isBounded &= other.isBounded;
  }
  work.instructions += 1;
  return work;
}

ThreadWork carousel::estimateThreadWork(Block::iterator first,
                                        Block::iterator last,
                                        IndexRanges &ranges) {
  ThreadWork work;
  bool loads = false;
  for (Operation &op : llvm::make_range(first, last)) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      work += estimateLoop(loop, ranges);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      work += estimateBranch(branch, ranges);
    } else {
      for (Region &region : op.getRegions())
        for (Block &block : region)
          work += estimateBlock(block, ranges);
      work.instructions += !isFree(&op);
      loads |= loadsGlobal(&op);
    }
  }
  work.waits += loads;
  return work;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// A granule is copied at once, or element by element where an end of a row
/// cuts it.
static ThreadWork getGranuleBound(TransferOpInterface op,
                                  const TransferShape &shape, int64_t threads) {
  int64_t elements = rules::kBulkGranule / shape.elementBytes;
  int64_t dims = shape.getTileDims().size();
  auto getTurns = [&](int64_t count) {
    return llvm::divideCeil(count, threads);
  };
  int64_t turns = getTurns(op.getTileBytes() / rules::kBulkGranule);
  ThreadWork bound;
  if (op.isLoad()) {
    bound.instructions = 64 + turns * (32 + 8 * elements + 16 * dims);
    bound.waits = 2 * turns;
    return bound;
  }
  // The ends of rows, and those of rows that are cut.
  int64_t ends = 2 * getTurns(shape.getRows() * elements);
  bound.instructions = 48 + turns * (40 + 16 * dims) + ends * (8 + 16 * dims);
  return bound;
}

ThreadWork carousel::getWorkBound(TransferOpInterface op,
                                  const TransferShape &shape, int64_t threads,
                                  bool hasWarp) {
  EngineAttr engine = op.getEngineAttr();
  int64_t bytes = op.getTileBytes(), rows = shape.getRows();
  int64_t lanes = hasWarp ? rules::kWarpSize : 1;
  ThreadWork bound;
  switch (engine.getKind()) {
  case EngineKind::Tensor:
    bound.instructions =
        64 + 32 * (bytes / op.getMap().getType().getBoxBytes());
    break;
  case EngineKind::Bulk: {
    int64_t granule = rules::kBulkGranule;
    int64_t rowsOfLane = llvm::divideCeil(rows, lanes);
    int64_t piecesOfLane = llvm::divideCeil(bytes, granule * lanes);
    // The leader issues each row that is inside.
    bound.instructions = 128 + 24 * rows + 160 * rowsOfLane + 24 * piecesOfLane;
    bound.waits = 1 + rowsOfLane;
    // A part that begins before the memref is copied by threads.
    if (shape.dims.back().mayBeginBefore) {
      bound.instructions += 160 * piecesOfLane;
      bound.waits += piecesOfLane;
    }
    break;
  }
  case EngineKind::CpAsync:
  case EngineKind::Vector: {
    int64_t width = engine.getWidth(), elements = width / shape.elementBytes;
    if (copiesGranules(op, shape))
      return getGranuleBound(op, shape, threads);
    int64_t turns = llvm::divideCeil(bytes / width, threads);
    bound.instructions =
        64 + turns * (24 + 8 * elements + 8 * shape.getTileDims().size());
    bound.waits = turns;
    break;
  }
  }
  return bound;
}
