//===- BulkCopies.cpp - issue of bulk copies and single values ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks operands at run time, and starts the operation of each bulk
// instruction. Operands on which hardware traps end the run.
//
//===----------------------------------------------------------------------===//

#include "AsyncImpl.h"

#include "carousel/Support/HardwareLimits.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/bit.h"

#include <cstring>

namespace carousel::sim {

using llvm::Twine;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

void AsyncMachine::Impl::invalid(llvm::StringRef name, const Twine &message,
                                 const void *address, uint64_t size) {
  report(FindingKind::InvalidOperand, here().actor(name), message, address,
         size);
  trap();
}

void AsyncMachine::Impl::checkBulk(llvm::StringRef name, const void *global,
                                   int64_t size) {
  if (size <= 0 || size % rules::kBulkGranule != 0)
    invalid(name,
            "expected a size that is a positive multiple of 16 bytes, got " +
                Twine(size),
            global, 1);
  if (uint64_t past = reinterpret_cast<uint64_t>(global) % rules::kBulkGranule)
    invalid(name,
            "expected the global end of a bulk copy aligned to 16 bytes, got "
            "an address " +
                Twine(past) + " bytes past that",
            global, uint64_t(size));
}

uint64_t AsyncMachine::Impl::checkShared(llvm::StringRef name,
                                         const void *shared, uint64_t alignment,
                                         const char *what, uint64_t size) {
  const RegionInfo *region = memory.find(shared);
  if (!region || region->space != Space::Shared)
    invalid(name,
            Twine("expected ") + what +
                " in shared memory, got another address",
            shared, size);
  auto offset = uint64_t(static_cast<const char *>(shared) - region->base);
  if (offset % alignment != 0)
    invalid(name,
            Twine("expected ") + what + " aligned to " + Twine(alignment) +
                " bytes, got an offset of " + Twine(offset) + " bytes",
            shared, size);
  return offset;
}

void AsyncMachine::Impl::signalBarrier(Operation &operation, void *address) {
  Thread &thread = grid.current();
  // The issuing thread's own init needs a fence, too, because the engine isn't
  // the thread.
  Mbarrier *barrier =
      useBarrier(address, Use::Engine, thread.view, thread.epoch(),
                 operation.issuer.actor(operation.name));
  operation.barrier = barrier;
  if (!barrier)
    return;
  barrier->bytesInFlight += operation.bytes;
  ++barrier->operationsInFlight;
}

void AsyncMachine::Impl::signalAtDestination(Operation &operation,
                                             void *barrier) {
  uint32_t home = 0, signalled = 0;
  findShared(operation.destination, &home);
  findShared(barrier, &signalled);
  if (home != signalled)
    invalid(operation.name,
            "expected the barrier in the CTA of the destination, got CTAs " +
                Twine(signalled) + " and " + Twine(home),
            operation.destination, operation.bytes);
  signalBarrier(operation, barrier);
}

void AsyncMachine::Impl::noteReduction(Operation &operation,
                                       uint64_t destination) {
  Thread &thread = grid.current();
  auto key = uint64_t(llvm::hash_combine(thread.site, operation.source,
                                         destination)) >>
             1;
  ReductionIssue &last =
      ctaOf(thread.cta)
          .reductions.try_emplace(key, ReductionIssue{thread.index, Epoch()})
          .first->second;
  if (last.thread != thread.index && !thread.view.order.covers(last.issue))
    report(
        FindingKind::DuplicateReduction, operation.issuer.actor(operation.name),
        "expected one thread to issue a reduction, found threads " +
            Twine(last.thread) + " and " + Twine(thread.index) +
            " with the same source and destination",
        operation.source, operation.bytes,
        Actor{thread.cta, last.thread, operation.name.str(), thread.site, {}});
  last = {thread.index, thread.epoch()};
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

void AsyncMachine::Impl::forEachTarget(
    llvm::StringRef name, void *shared, void *barrier,
    std::optional<uint16_t> multicast,
    llvm::function_ref<void(char *to, void *signal)> copy) {
  if (!multicast) {
    copy(static_cast<char *>(shared), barrier);
    return;
  }
  for (uint32_t rank = 0; rank < 16; ++rank) {
    if (!(*multicast >> rank & 1))
      continue;
    char *to = toRank(shared, rank), *signal = toRank(barrier, rank);
    if (!to || !signal)
      invalid(name,
              "expected a multicast to CTAs of the cluster that haven't "
              "exited, got rank " +
                  Twine(rank),
              shared, 1);
    copy(to, signal);
  }
}

void AsyncMachine::bulkLoad(const void *global, void *shared, int64_t size,
                            void *barrier, std::optional<uint16_t> multicast) {
  constexpr llvm::StringLiteral kName = "bulk.load";
  Impl &machine = *impl;
  machine.checkBulk(kName, global, size);
  machine.checkShared(kName, shared, rules::kBulkGranule, "the destination",
                      uint64_t(size));
  machine.forEachTarget(
      kName, shared, barrier, multicast, [&](char *to, void *signal) {
        Operation &operation =
            machine.newOperation(OperationKind::GlobalToShared, kName);
        operation.source = static_cast<const char *>(global);
        operation.destination = to;
        operation.bytes = operation.validBytes = uint64_t(size);
        machine.signalBarrier(operation, signal);
        machine.issue(operation, nullptr, kGlobalLatency);
      });
}

void AsyncMachine::bulkStore(const void *shared, void *global, int64_t size,
                             std::optional<uint16_t> byteMask) {
  constexpr llvm::StringLiteral kName = "bulk.store";
  Impl &machine = *impl;
  machine.checkBulk(kName, global, size);
  machine.checkShared(kName, shared, rules::kBulkGranule, "the source",
                      uint64_t(size));
  Operation &operation =
      machine.newOperation(OperationKind::SharedToGlobal, kName);
  operation.source = static_cast<const char *>(shared);
  operation.destination = static_cast<char *>(global);
  operation.bytes = operation.validBytes = uint64_t(size);
  operation.byteMask = byteMask.value_or(0xffff);
  machine.issue(operation, &machine.stateOf(machine.grid.current()).bulk,
                kGlobalLatency);
}

/// A copy or reduction from shared memory to that of another CTA.
static void
issueClusterCopy(AsyncMachine::Impl &machine, llvm::StringLiteral name,
                 std::optional<std::pair<ReduceKind, ReduceType>> reduction,
                 const void *shared, void *remote, int64_t size,
                 void *barrier) {
  machine.checkBulk(name, nullptr, size);
  machine.checkShared(name, shared, rules::kBulkGranule, "the source",
                      uint64_t(size));
  machine.checkShared(name, remote, rules::kBulkGranule, "the destination",
                      uint64_t(size));
  Operation &operation =
      machine.newOperation(OperationKind::SharedToShared, name);
  operation.source = static_cast<const char *>(shared);
  operation.destination = static_cast<char *>(remote);
  operation.bytes = operation.validBytes = uint64_t(size);
  if (reduction) {
    operation.isReduction = true;
    operation.reduceKind = reduction->first;
    operation.reduceType = reduction->second;
    machine.noteReduction(operation, reinterpret_cast<uint64_t>(remote));
  }
  machine.signalAtDestination(operation, barrier);
  machine.issue(operation, nullptr, kSharedLatency);
}

void AsyncMachine::bulkCopyCluster(const void *shared, void *remote,
                                   int64_t size, void *barrier) {
  issueClusterCopy(*impl, "bulk.copy_cluster", std::nullopt, shared, remote,
                   size, barrier);
}

void AsyncMachine::bulkReduceCluster(ReduceKind kind, ReduceType type,
                                     const void *shared, void *remote,
                                     int64_t size, void *barrier) {
  issueClusterCopy(*impl, "bulk.reduce_cluster", std::pair(kind, type), shared,
                   remote, size, barrier);
}

void AsyncMachine::bulkReduce(ReduceKind kind, ReduceType type,
                              const void *shared, void *global, int64_t size) {
  constexpr llvm::StringLiteral kName = "bulk.reduce";
  Impl &machine = *impl;
  machine.checkBulk(kName, global, size);
  machine.checkShared(kName, shared, rules::kBulkGranule, "the source",
                      uint64_t(size));
  Operation &operation =
      machine.newOperation(OperationKind::SharedToGlobal, kName);
  operation.source = static_cast<const char *>(shared);
  operation.destination = static_cast<char *>(global);
  operation.bytes = operation.validBytes = uint64_t(size);
  operation.isReduction = true;
  operation.reduceKind = kind;
  operation.reduceType = type;
  machine.noteReduction(operation, reinterpret_cast<uint64_t>(global));
  machine.issue(operation, &machine.stateOf(machine.grid.current()).bulk,
                kGlobalLatency);
}

void AsyncMachine::bulkPrefetch(const void *global, int64_t size) {
  constexpr llvm::StringLiteral kName = "bulk.prefetch";
  Impl &machine = *impl;
  machine.checkBulk(kName, global, size);
  // The access has no visible effect or time. Only its range can be wrong.
  const RegionInfo *region = machine.memory.find(global);
  auto offset =
      region ? uint64_t(static_cast<const char *>(global) - region->base) : 0;
  if (!region || uint64_t(size) > region->size - offset)
    machine.report(FindingKind::OutOfBounds, machine.here().actor(kName),
                   "expected a prefetch inside one live buffer, found " +
                       Twine(size) + " bytes",
                   global, uint64_t(size));
  machine.grid.current().cycles += kIssueCycles;
}

//===----------------------------------------------------------------------===//
// Single values
//===----------------------------------------------------------------------===//

/// An operation on one value, which is read at once. It is performed in the
/// generic proxy (PTX ISA, st.async and red.async).
static Operation &newValue(AsyncMachine::Impl &machine,
                           llvm::StringLiteral name, const void *value,
                           uint32_t bytes, void *destination) {
  if (uint64_t past = reinterpret_cast<uint64_t>(destination) % bytes)
    machine.invalid(name,
                    "expected a destination aligned to " + Twine(bytes) +
                        " bytes, got an address " + Twine(past) +
                        " bytes past that",
                    destination, bytes);
  Operation &operation = machine.newOperation(OperationKind::Immediate, name);
  operation.proxy = Proxy::Generic;
  operation.destination = static_cast<char *>(destination);
  operation.bytes = bytes;
  if (operation.stagingSize < 16) {
    operation.staging = std::make_unique<char[]>(16);
    operation.stagingSize = 16;
  }
  std::memcpy(operation.staging.get(), value, bytes);
  return operation;
}

void AsyncMachine::stAsync(const void *value, uint32_t bytes, void *remote,
                           void *barrier) {
  constexpr llvm::StringLiteral kName = "st_async";
  impl->checkShared(kName, remote, 1, "the destination", bytes);
  Operation &operation = newValue(*impl, kName, value, bytes, remote);
  impl->signalAtDestination(operation, barrier);
  impl->issue(operation, nullptr, kSharedLatency);
}

void AsyncMachine::redAsync(ReduceKind kind, ReduceType type, const void *value,
                            void *remote, void *barrier) {
  constexpr llvm::StringLiteral kName = "red_async";
  impl->checkShared(kName, remote, 1, "the destination", getElementBytes(type));
  Operation &operation =
      newValue(*impl, kName, value, getElementBytes(type), remote);
  operation.isReduction = true;
  operation.reduceKind = kind;
  operation.reduceType = type;
  impl->signalAtDestination(operation, barrier);
  impl->issue(operation, nullptr, kSharedLatency);
}

/// A value that is released to global memory. It takes effect later, like an
/// atomic of the thread.
static void issueRelease(AsyncMachine::Impl &machine, Operation &operation) {
  operation.isRelease = true;
  machine.issue(operation, nullptr, kGlobalLatency);
}

void AsyncMachine::stAsyncGlobal(const void *value, uint32_t bytes,
                                 void *global) {
  issueRelease(*impl, newValue(*impl, "st_async_global", value, bytes, global));
}

void AsyncMachine::redAsyncGlobal(ReduceType type, const void *value,
                                  void *global) {
  Operation &operation =
      newValue(*impl, "red_async_global", value, getElementBytes(type), global);
  operation.isReduction = true;
  operation.reduceKind = ReduceKind::Add;
  operation.reduceType = type;
  issueRelease(*impl, operation);
}

} // namespace carousel::sim
