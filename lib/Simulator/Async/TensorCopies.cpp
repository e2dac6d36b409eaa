//===- TensorCopies.cpp - issue of tensor copies --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts the operation of each tensor instruction. It fetches the descriptor
// and computes the box at issue. The bytes follow later.
//
//===----------------------------------------------------------------------===//

#include "AsyncImpl.h"

#include "carousel/Support/HardwareLimits.h"

#include "llvm/ADT/Hashing.h"

namespace carousel::sim {

using llvm::Twine;

/// Sets the map and the box.
static void setBox(AsyncMachine::Impl &machine, Operation &operation,
                   const TensorMap *map, llvm::ArrayRef<int32_t> coordinates,
                   BoxMode mode, llvm::ArrayRef<int16_t> offsets,
                   bool isWrite) {
  machine.fetchDescriptor(map, operation.name, operation.map);
  std::string wrong = computeBox(operation.map, coordinates, mode, offsets,
                                 isWrite, operation.box);
  if (!wrong.empty()) {
    Finding finding;
    finding.kind = FindingKind::InvalidOperand;
    finding.message = std::move(wrong);
    finding.actor = operation.issuer.actor(operation.name);
    machine.log.report(std::move(finding));
    machine.trap();
  }
  operation.isTensor = true;
  operation.bytes = operation.validBytes = operation.box.getBytes();
}

static BoxMode getLoadMode(AsyncMachine::Impl &machine, llvm::StringRef name,
                           TensorLoadMode mode) {
  std::optional<BoxMode> box = getBoxMode(mode);
  if (!box)
    machine.invalid(
        name,
        "expected mode tile, gather4 or im2col, the machine doesn't have the "
        "wide im2col modes");
  return *box;
}

void AsyncMachine::tensorLoad(const TensorMap *map,
                              llvm::ArrayRef<int32_t> coordinates,
                              TensorLoadMode mode,
                              llvm::ArrayRef<int16_t> offsets, void *shared,
                              void *barrier,
                              std::optional<uint16_t> multicast) {
  constexpr llvm::StringLiteral kName = "tensor.load";
  Impl &machine = *impl;
  BoxMode boxMode = getLoadMode(machine, kName, mode);
  auto load = [&](char *to, void *signal) {
    Operation &operation =
        machine.newOperation(OperationKind::GlobalToShared, kName);
    setBox(machine, operation, map, coordinates, boxMode, offsets,
           /*isWrite=*/false);
    operation.tileOffset = machine.checkShared(
        kName, to, rules::kSharedTileAlignment, "the tile", operation.bytes);
    operation.destination = to;
    machine.signalBarrier(operation, signal);
    machine.issue(operation, nullptr, kGlobalLatency);
  };
  machine.forEachTarget(kName, shared, barrier, multicast, load);
}

/// Starts a store, or a reduction if it has a kind.
static void issueStore(AsyncMachine::Impl &machine, llvm::StringLiteral name,
                       std::optional<ReduceKind> kind, const TensorMap *map,
                       llvm::ArrayRef<int32_t> coordinates,
                       TensorStoreMode mode, const void *shared) {
  Operation &operation =
      machine.newOperation(OperationKind::SharedToGlobal, name);
  setBox(machine, operation, map, coordinates, getBoxMode(mode), {},
         /*isWrite=*/true);
  operation.tileOffset = machine.checkShared(
      name, shared, rules::kSharedTileAlignment, "the tile", operation.bytes);
  operation.source = static_cast<const char *>(shared);
  if (kind) {
    std::optional<ReduceType> type =
        getReduceType(*kind, operation.map.element);
    if (!type)
      machine.invalid(
          name,
          "expected a tensor map of an element type that the reduction has");
    operation.isReduction = true;
    operation.reduceKind = *kind;
    operation.reduceType = *type;
    machine.noteReduction(
        operation,
        uint64_t(llvm::hash_combine(operation.map.globalAddress,
                                    llvm::hash_combine_range(coordinates))));
  }
  machine.issue(operation, &machine.stateOf(machine.grid.current()).bulk,
                kGlobalLatency);
}

void AsyncMachine::tensorStore(const TensorMap *map,
                               llvm::ArrayRef<int32_t> coordinates,
                               TensorStoreMode mode, const void *shared) {
  issueStore(*impl, "tensor.store", std::nullopt, map, coordinates, mode,
             shared);
}

void AsyncMachine::tensorReduce(ReduceKind kind, const TensorMap *map,
                                llvm::ArrayRef<int32_t> coordinates,
                                TensorStoreMode mode, const void *shared) {
  issueStore(*impl, "tensor.reduce", kind, map, coordinates, mode, shared);
}

void AsyncMachine::tensorPrefetch(const TensorMap *map,
                                  llvm::ArrayRef<int32_t> coordinates,
                                  TensorLoadMode mode,
                                  llvm::ArrayRef<int16_t> offsets) {
  constexpr llvm::StringLiteral kName = "tensor.prefetch";
  Impl &machine = *impl;
  // The access has no visible effect or time. Only its operands can be wrong.
  Operation &operation =
      machine.newOperation(OperationKind::GlobalToShared, kName);
  setBox(machine, operation, map, coordinates,
         getLoadMode(machine, kName, mode), offsets,
         /*isWrite=*/false);
  machine.freeOperations.push_back(&operation);
  machine.grid.current().cycles += kIssueCycles;
}

} // namespace carousel::sim
