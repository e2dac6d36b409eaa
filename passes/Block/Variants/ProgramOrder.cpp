//===- ProgramOrder.cpp - the order of programs in a loop -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProgramOrder.h.
//
//===----------------------------------------------------------------------===//

#include "ProgramOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace carousel;

using DimSet = llvm::SmallDenseSet<unsigned>;

/// The part of the L2 for what programs share. The rest has what each one reads
/// and writes alone.
static constexpr double kShareOfL2 = 0.5;

//===----------------------------------------------------------------------===//
// What depends on the grid
//===----------------------------------------------------------------------===//

/// The values from which a loop or a branch takes a result or a value that it
/// carries.
static void followControl(Value value, llvm::SetVector<Value> &values) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op =
      argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    OpOperand *init = argument ? loop.getTiedLoopInit(argument)
                               : loop.getTiedLoopInit(cast<OpResult>(value));
    if (!init)
      return;
    BlockArgument carried = loop.getTiedLoopRegionIterArg(init);
    values.insert(init->get());
    values.insert(loop.getTiedLoopYieldedValue(carried)->get());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    values.insert(branch.getCondition());
    values.insert(branch.thenYield().getOperand(number));
    values.insert(branch.elseYield().getOperand(number));
  }
}

/// The dimensions of the grid on which a value depends, apart from the number
/// of a loop's iteration. `readsMemory` is set if numbers in memory go into it.
static DimSet findGridDims(Value value, bool *readsMemory = nullptr) {
  DimSet dims;
  llvm::SetVector<Value> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op || op->getNumRegions() != 0) {
      followControl(values[i], values);
      continue;
    }
    if (auto id = dyn_cast<gpu::BlockIdOp>(op))
      dims.insert(unsigned(id.getDimension()));
    else if (readsMemory && !isMemoryEffectFree(op))
      *readsMemory = true;
    values.insert(op->operand_begin(), op->operand_end());
  }
  return dims;
}

/// What a factor is read from, and computed with.
static SmallVector<vector::TransferReadOp> findReads(Value factor) {
  SmallVector<vector::TransferReadOp> reads;
  llvm::SetVector<Value> values;
  values.insert(factor);
  for (unsigned i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (auto read = dyn_cast_or_null<vector::TransferReadOp>(op))
      reads.push_back(read);
    else if (op && op->getNumRegions() == 0)
      values.insert(op->operand_begin(), op->operand_end());
  }
  return reads;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

ProgramOrder::ProgramOrder(gpu::GPUFuncOp kernel, vector::ContractionOp product,
                           unsigned dims, const ChipModel &chip)
    : kernel(kernel), product(product), chip(chip) {
  if (dims < 2)
    return;
  tiles = findTiles();
  groups = tiles ? tiles : findShared();
}

std::optional<unsigned> ProgramOrder::getRows() const {
  return tiles ? std::optional(tiles->along) : std::nullopt;
}

/// Rows of tiles along one dimension, and columns along the other one.
std::optional<ProgramOrder::Groups> ProgramOrder::findTiles() {
  std::optional<unsigned> dims[2];
  for (auto [i, factor] :
       {std::pair(0u, product.getLhs()), std::pair(1u, product.getRhs())}) {
    DimSet own;
    bool areInMemory = false;
    for (vector::TransferReadOp read : findReads(factor))
      for (AffineExpr expr : read.getPermutationMap().getResults()) {
        auto along = dyn_cast<AffineDimExpr>(expr);
        DimSet ofIndex =
            along ? findGridDims(read.getIndices()[along.getPosition()],
                                 &areInMemory)
                  : DimSet();
        if (ofIndex.size() == 1 && *ofIndex.begin() < 2)
          own.insert(*ofIndex.begin());
      }
    // Scales of the other factor's dimension may be multiplied to it.
    if (own.size() == 1)
      dims[i] = *own.begin();
    haveListedRows |= i == 0 && areInMemory;
  }
  if (!dims[0] || !dims[1] || dims[0] == dims[1])
    return std::nullopt;
  return Groups{*dims[0], *dims[1]};
}

/// Loops read what one of the dimensions selects, and nothing that the other
/// one alone selects. How much they read depends on the other one.
std::optional<ProgramOrder::Groups> ProgramOrder::findShared() {
  DimSet found, ofBounds;
  bool areInMemory = false;
  kernel.walk([&](vector::TransferReadOp read) {
    auto loop = read->getParentOfType<scf::ForOp>();
    if (!loop)
      return;
    DimSet all;
    SharedRead own{read.getBase(), {}};
    for (auto [position, index] : llvm::enumerate(read.getIndices())) {
      DimSet dims = findGridDims(index);
      if (dims.contains(0) || dims.contains(1))
        own.selected.push_back(unsigned(position));
      all.insert(dims.begin(), dims.end());
    }
    if (all.contains(0) == all.contains(1))
      return;
    found.insert(all.contains(1));
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound()}) {
      DimSet dims = findGridDims(bound, &areInMemory);
      ofBounds.insert(dims.begin(), dims.end());
    }
    if (llvm::is_contained(kernel.getArguments(), own.memory))
      shared.push_back(own);
  });
  if (shared.empty() || found.size() != 1)
    return std::nullopt;
  unsigned along = *found.begin(), across = 1 - along;
  if (areInMemory || ofBounds.contains(along) || !ofBounds.contains(across))
    return std::nullopt;
  return Groups{along, across};
}

static Value divide(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return arith::DivUIOp::create(b, lhs, rhs);
}

/// Those that run together are a square. If memory says where rows of tiles
/// begin, the last ones may be empty: a grid has as many as there may be. Few
/// of them go one by one, so that programs without work come last.
Value ProgramOrder::createSizeOfTiles(ImplicitLocOpBuilder &b,
                                      ArrayRef<Value> extents, int64_t ctas) {
  auto sums = cast<VectorType>(product.getResultType());
  double squares = double(chip.sms) * sums.getDimSize(1) / sums.getDimSize(0);
  Value side = arith::ConstantIndexOp::create(
      b, std::max<int64_t>(std::lround(std::sqrt(squares) / ctas), 1));
  if (!haveListedRows)
    return side;
  Value areFew = arith::CmpIOp::create(b, arith::CmpIPredicate::ule,
                                       extents[tiles->along], side);
  Value one = arith::ConstantIndexOp::create(b, 1);
  return arith::SelectOp::create(b, areFew, one, side);
}

/// As many as have room in the L2, but half of all at most: then long programs
/// of one group go with short ones of the other. CTAs should have several
/// programs of a group.
Value ProgramOrder::createSizeOfShared(ImplicitLocOpBuilder &b,
                                       ArrayRef<Value> extents) {
  constexpr int64_t kProgramsOfGroup = 2; // of a CTA
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  llvm::SetVector<Value> counted;
  Value bytes = number(1);
  for (const SharedRead &read : shared) {
    if (!counted.insert(read.memory))
      continue;
    auto type = cast<MemRefType>(read.memory.getType());
    Value own = number(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (!llvm::is_contained(read.selected, dim))
        own = arith::MulIOp::create(
            b, own, memref::DimOp::create(b, read.memory, number(dim)));
    bytes = arith::AddIOp::create(b, bytes, own);
  }
  Value along = extents[groups->along], across = extents[groups->across];
  Value room = number(std::llround(kShareOfL2 * double(chip.l2Bytes)));
  Value half = arith::CeilDivUIOp::create(b, along, number(2));
  Value fitting = arith::MinUIOp::create(b, divide(b, room, bytes), half);
  Value ctas = gpu::GridDimOp::create(b, gpu::Dimension::x);
  Value few = arith::MulIOp::create(b, ctas, number(kProgramsOfGroup));
  Value least = arith::CeilDivUIOp::create(
      b, few, arith::MaxUIOp::create(b, across, number(1)));
  return arith::MinUIOp::create(b, arith::MaxUIOp::create(b, fitting, least),
                                along);
}

void ProgramOrder::prepare(ImplicitLocOpBuilder &b, ArrayRef<Value> extents,
                           int64_t ctas) {
  if (tiles) {
    size = createSizeOfTiles(b, extents, ctas);
  } else if (groups) {
    size = createSizeOfShared(b, extents);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value end = arith::SubIOp::create(b, extents[groups->along], one);
    last = divide(b, end, size);
  }
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static Value remainder(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return arith::RemUIOp::create(b, lhs, rhs);
}

static Value narrow(ImplicitLocOpBuilder &b, Value number) {
  Type i32 = b.getI32Type();
  return arith::IndexCastUIOp::create(
      b, b.getIndexType(), arith::IndexCastUIOp::create(b, i32, number));
}

/// The last group is in the author's order, the one before in the opposite one,
/// and so on.
Value ProgramOrder::turnInEverySecond(ImplicitLocOpBuilder &b, Value group,
                                      Value place, Value extent) const {
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value difference = arith::XOrIOp::create(b, group, last);
  Value isSecond = arith::TruncIOp::create(
      b, b.getI1Type(),
      arith::IndexCastUIOp::create(b, b.getI32Type(), difference));
  Value turned =
      arith::SubIOp::create(b, arith::SubIOp::create(b, extent, one), place);
  return arith::SelectOp::create(b, isSecond, turned, place);
}

SmallVector<Value> ProgramOrder::computeIds(ImplicitLocOpBuilder &b,
                                            Value number,
                                            ArrayRef<Value> extents) const {
  if (extents.size() == 1)
    return {narrow(b, number)};
  if (extents.size() == 3) {
    Value layer = arith::MulIOp::create(b, extents[0], extents[1]);
    SmallVector<Value> ids =
        computeIds(b, remainder(b, number, layer), extents.drop_back());
    ids.push_back(narrow(b, divide(b, number, layer)));
    return ids;
  }
  if (!groups)
    return {narrow(b, remainder(b, number, extents[0])),
            narrow(b, divide(b, number, extents[0]))};
  Value along = extents[groups->along], across = extents[groups->across];
  Value programs = arith::MulIOp::create(b, across, size);
  Value group = divide(b, number, programs);
  Value first = arith::MulIOp::create(b, group, size);
  Value width =
      arith::MinUIOp::create(b, arith::SubIOp::create(b, along, first), size);
  Value inGroup = remainder(b, number, programs);
  SmallVector<Value> ids(2);
  ids[groups->along] =
      narrow(b, arith::AddIOp::create(b, first, remainder(b, inGroup, width)));
  Value place = divide(b, inGroup, width);
  if (last)
    place = turnInEverySecond(b, group, place, across);
  ids[groups->across] = narrow(b, place);
  return ids;
}
