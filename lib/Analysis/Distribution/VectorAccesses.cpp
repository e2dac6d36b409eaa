//===- VectorAccesses.cpp - reads and writes of vectors -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VectorAccesses.h.
//
//===----------------------------------------------------------------------===//

#include "VectorAccesses.h"

#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Analysis/Values/IndexRanges.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace carousel;

/// The granule of global memory's traffic (CUDA C++ Programming Guide: Device
/// Memory Accesses).
static constexpr int64_t kSectorBytes = 32;

std::optional<VectorAccess> VectorAccess::of(Operation *op) {
  auto transfer = dyn_cast<VectorTransferOpInterface>(op);
  if (!transfer)
    return std::nullopt;
  VectorAccess access;
  access.op = op;
  access.transfer = transfer;
  llvm::append_range(access.indices, transfer.getIndices());
  access.contiguous = access.getType().getRank() - 1;
  auto type = dyn_cast<MemRefType>(transfer.getShapedType());
  if (!type || type.getRank() == 0)
    return access;
  SmallVector<int64_t> strides;
  int64_t first;
  bool isStrided = succeeded(type.getStridesAndOffset(strides, first));
  AffineExpr last = getAffineDimExpr(type.getRank() - 1, op->getContext());
  for (auto [dim, expr] :
       llvm::enumerate(transfer.getPermutationMap().getResults()))
    if (expr == last) {
      access.contiguous = dim;
      access.hasContiguous = isStrided && strides.back() == 1;
    }
  return access;
}

Value VectorAccess::getVector() const {
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return write.getValueToStore();
  return op->getResult(0);
}

int64_t VectorAccess::getElementBytes() const {
  return std::max<int64_t>(1, getElementBits(getType()) / 8);
}

int64_t VectorAccess::getRepetitions() const {
  constexpr int64_t kIterations = 16, kMost = kIterations * kIterations;
  int64_t repetitions = 1;
  for (Operation *loop = op->getParentOp(); loop; loop = loop->getParentOp())
    if (isa<LoopLikeOpInterface>(loop))
      repetitions = std::min(repetitions * kIterations, kMost);
  return repetitions;
}

std::string VectorAccess::explain() const {
  auto type = dyn_cast<MemRefType>(transfer.getShapedType());
  if (!type || type.getElementType() != getType().getElementType())
    return "expected a transfer of a memref with elements of the vector's type";
  if (transfer.getMask() && !transfer.getPermutationMap().isMinorIdentity())
    return "expected no mask on a transfer that permutes or broadcasts "
           "dimensions";
  if (isa<vector::TransferWriteOp>(op) &&
      transfer.getPermutationMap().getNumResults() !=
          transfer.getTransferRank())
    return "expected a write without broadcast dimensions";
  return "";
}

/// Whether an index follows from a block id, maybe by the bounds of a loop, or
/// also from an induction variable alone.
static bool movesOn(Value index, bool countsLoops = true) {
  SmallVector<Value> values = {index};
  llvm::DenseSet<Value> seen;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *source = value.getDefiningOp();
    if (!source) {
      auto loop =
          dyn_cast<LoopLikeOpInterface>(value.getParentBlock()->getParentOp());
      if (loop && countsLoops)
        return true;
      if (loop)
        llvm::append_range(values, loop->getOperands());
      continue;
    }
    if (isa<gpu::BlockIdOp>(source))
      return true;
    if (isMemoryEffectFree(source))
      llvm::append_range(values, source->getOperands());
  }
  return false;
}

/// How far a term moves between iterations, if that is known and it doesn't
/// depend on the program.
static std::optional<int64_t> findReach(Value term, IndexRanges &ranges) {
  IntegerValueRange range = ranges.get(term);
  if (range.isUninitialized())
    return std::nullopt;
  constexpr int64_t kFar = 4096;
  APInt reach = range.getValue().smax() - range.getValue().smin();
  if (!reach.ult(kFar))
    return std::nullopt;
  return reach.getSExtValue();
}

/// Whether `extent` elements from an index on are read by several programs or
/// iterations, as those of windows are: the index is a sum of a place and of
/// what moves by more than lies between two places.
static bool meetsAgain(Value index, int64_t extent) {
  llvm::SetVector<Value> terms;
  terms.insert(index);
  SmallVector<Value> moving;
  for (unsigned i = 0; i < terms.size(); ++i) {
    if (auto sum = terms[i].getDefiningOp<arith::AddIOp>())
      terms.insert_range(sum->getOperands());
    else if (movesOn(terms[i]))
      moving.push_back(terms[i]);
  }
  if (moving.size() != 2)
    return false;
  IndexRanges ranges;
  Divisibility divisibility;
  for (unsigned near : {0, 1})
    if (std::optional<int64_t> reach = findReach(moving[near], ranges))
      if (*reach != 0 &&
          *reach + extent > divisibility.getMultiple(moving[1 - near]))
        return true;
  return false;
}

bool VectorAccess::meetsAgain() const {
  SmallVector<int64_t> extents(indices.size(), 1);
  for (auto [dim, expr] :
       llvm::enumerate(transfer.getPermutationMap().getResults()))
    if (auto at = dyn_cast<AffineDimExpr>(expr))
      extents[at.getPosition()] = getType().getDimSize(dim);
  return llvm::any_of(llvm::zip_equal(indices, extents), [](auto index) {
    return ::meetsAgain(std::get<0>(index), std::get<1>(index));
  });
}

bool VectorAccess::isEachProgramsOwn() const {
  return llvm::any_of(indices, [](Value index) {
    return movesOn(index, /*countsLoops=*/false);
  });
}

bool VectorAccess::isReadOnce() const {
  return isa<vector::TransferReadOp>(op) &&
         isGlobalMemRef(transfer.getShapedType()) &&
         llvm::hasSingleElement(llvm::make_filter_range(
             getMemRef().getUsers(),
             [](Operation *user) {
               return !isa<memref::DimOp, memref::LoadOp>(user);
             })) &&
         isEachProgramsOwn() && !meetsAgain();
}

void VectorAccess::countSectors(const LinearLayout &layout, int64_t run,
                                int64_t &sectors, int64_t &fullSectors) const {
  int64_t bytes = getElementBytes();
  int64_t groups = (int64_t(1) << layout.getNumBits(Place::Register)) / run;
  auto number = [&](ArrayRef<uint32_t> at) {
    uint64_t place = 0;
    for (auto [bits, index] : llvm::zip_equal(layout.getExtentBits(), at))
      place = place << bits | index;
    return place;
  };
  llvm::SmallDenseSet<uint64_t, 64> touched, runs;
  for (uint32_t lane = 0; lane < 1u << layout.getNumBits(Place::Lane); ++lane) {
    SmallVector<uint32_t> at = layout.apply({0, lane, 0, 0});
    runs.insert(number(at));
    if (hasContiguous)
      at[contiguous] = at[contiguous] * bytes / kSectorBytes;
    touched.insert(number(at));
  }
  sectors = groups * touched.size();
  fullSectors = llvm::divideCeil(groups * int64_t(runs.size()) * run * bytes,
                                 kSectorBytes);
}
