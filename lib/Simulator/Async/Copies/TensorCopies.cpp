//===- TensorCopies.cpp - issue of tensor copies --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each tensor instruction becomes.
//
//===----------------------------------------------------------------------===//

#include "TensorCopies.h"

#include "carousel/Support/HardwareLimits.h"

#include "llvm/ADT/Hashing.h"

namespace carousel::sim {

void TensorCopies::setBox(AsyncOperation &operation, const TensorMap *map,
                          llvm::ArrayRef<int32_t> coordinates, BoxMode mode,
                          llvm::ArrayRef<int16_t> offsets, bool isWrite) {
  maps.fetch(map, operation.name, operation.map);
  std::string wrong = computeBox(operation.map, coordinates, mode, offsets,
                                 isWrite, operation.box);
  if (!wrong.empty())
    issue.context.invalid(operation.name, wrong);
  operation.isTensor = true;
  operation.bytes = operation.validBytes = operation.box.getBytes();
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

BoxMode TensorCopies::getLoadMode(llvm::StringRef name, TensorLoadMode mode) {
  std::optional<BoxMode> box = getBoxMode(mode);
  if (!box)
    issue.context.invalid(
        name,
        "expected mode tile, gather4 or im2col, the machine doesn't have the "
        "wide im2col modes");
  return *box;
}

void TensorCopies::load(const TensorMap *map,
                        llvm::ArrayRef<int32_t> coordinates,
                        TensorLoadMode mode, llvm::ArrayRef<int16_t> offsets,
                        void *shared, void *barrier,
                        std::optional<uint16_t> multicast) {
  constexpr llvm::StringLiteral kName = "tensor.load";
  BoxMode boxMode = getLoadMode(kName, mode);
  auto loadTo = [&](char *to, void *signal) {
    AsyncOperation &operation =
        issue.operations.create(OperationKind::GlobalToShared, kName);
    setBox(operation, map, coordinates, boxMode, offsets, /*isWrite=*/false);
    operation.tileOffset = issue.operands.checkShared(
        kName, to, rules::kSharedTileAlignment, "the tile", operation.bytes);
    operation.destination = to;
    issue.arrivals.signal(operation, signal);
    issue.engine.issue(operation, nullptr, kGlobalLatency);
  };
  issue.operands.forEachTarget(kName, shared, barrier, multicast, loadTo);
}

void TensorCopies::prefetch(const TensorMap *map,
                            llvm::ArrayRef<int32_t> coordinates,
                            TensorLoadMode mode,
                            llvm::ArrayRef<int16_t> offsets) {
  constexpr llvm::StringLiteral kName = "tensor.prefetch";
  // The access has no visible effect or time. Only its operands can be wrong.
  AsyncOperation &operation =
      issue.operations.create(OperationKind::GlobalToShared, kName);
  setBox(operation, map, coordinates, getLoadMode(kName, mode), offsets,
         /*isWrite=*/false);
  issue.operations.drop(operation);
  issue.context.grid.current().cycles += kIssueCycles;
}

//===----------------------------------------------------------------------===//
// Stores and reductions
//===----------------------------------------------------------------------===//

AsyncOperation &TensorCopies::createStore(llvm::StringLiteral name,
                                          const TensorMap *map,
                                          llvm::ArrayRef<int32_t> coordinates,
                                          TensorStoreMode mode,
                                          const void *shared) {
  AsyncOperation &operation =
      issue.operations.create(OperationKind::SharedToGlobal, name);
  setBox(operation, map, coordinates, getBoxMode(mode), {}, /*isWrite=*/true);
  operation.tileOffset = issue.operands.checkShared(
      name, shared, rules::kSharedTileAlignment, "the tile", operation.bytes);
  operation.source = static_cast<const char *>(shared);
  return operation;
}

void TensorCopies::store(const TensorMap *map,
                         llvm::ArrayRef<int32_t> coordinates,
                         TensorStoreMode mode, const void *shared) {
  issue.issueInBulkGroup(
      createStore("tensor.store", map, coordinates, mode, shared));
}

void TensorCopies::reduce(ReduceKind kind, const TensorMap *map,
                          llvm::ArrayRef<int32_t> coordinates,
                          TensorStoreMode mode, const void *shared) {
  constexpr llvm::StringLiteral kName = "tensor.reduce";
  AsyncOperation &operation =
      createStore(kName, map, coordinates, mode, shared);
  std::optional<ReduceType> type = getReduceType(kind, operation.map.element);
  if (!type)
    issue.context.invalid(
        kName, "expected a tensor map of an element type that the reduction "
               "has");
  operation.setReduction(kind, *type);
  issue.operands.noteReduction(
      operation,
      uint64_t(llvm::hash_combine(operation.map.globalAddress,
                                  llvm::hash_combine_range(coordinates))));
  issue.issueInBulkGroup(operation);
}

} // namespace carousel::sim
