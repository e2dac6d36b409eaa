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

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <set>

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

/// Whether an index follows from a block id or an induction variable.
static bool movesOn(Value index) {
  SmallVector<Value> values = {index};
  llvm::DenseSet<Value> seen;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *source = value.getDefiningOp();
    if (!source &&
        isa<LoopLikeOpInterface>(value.getParentBlock()->getParentOp()))
      return true;
    if (isa_and_nonnull<gpu::BlockIdOp>(source))
      return true;
    if (source && isMemoryEffectFree(source))
      llvm::append_range(values, source->getOperands());
  }
  return false;
}

bool VectorAccess::isReadOnce() const {
  return isa<vector::TransferReadOp>(op) &&
         isGlobalMemRef(transfer.getShapedType()) &&
         llvm::hasSingleElement(llvm::make_filter_range(
             getMemRef().getUsers(),
             [](Operation *user) {
               return !isa<memref::DimOp, memref::LoadOp>(user);
             })) &&
         llvm::any_of(indices, movesOn);
}

void VectorAccess::countSectors(const LinearLayout &layout, int64_t run,
                                int64_t &sectors, int64_t &fullSectors) const {
  int64_t bytes = getElementBytes();
  int64_t groups = (int64_t(1) << layout.getNumBits(Place::Register)) / run;
  std::set<std::pair<SmallVector<uint32_t>, int64_t>> touched, runs;
  for (uint32_t lane = 0; lane < 1u << layout.getNumBits(Place::Lane); ++lane) {
    SmallVector<uint32_t> at = layout.apply({0, lane, 0, 0});
    int64_t inner = std::exchange(at[contiguous], 0) * bytes;
    if (hasContiguous) {
      touched.insert({at, inner / kSectorBytes});
      runs.insert({at, inner});
    } else {
      touched.insert({at, inner});
      runs.insert({at, inner});
    }
  }
  sectors = groups * touched.size();
  fullSectors = llvm::divideCeil(groups * int64_t(runs.size()) * run * bytes,
                                 kSectorBytes);
}
