//===- BulkCopies.cpp - issue of bulk copies ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each bulk instruction becomes.
//
//===----------------------------------------------------------------------===//

#include "BulkCopies.h"

#include "carousel/Support/HardwareLimits.h"

namespace carousel::sim {

using llvm::Twine;

void BulkCopies::load(const void *global, void *shared, int64_t size,
                      void *barrier, std::optional<uint16_t> multicast) {
  constexpr llvm::StringLiteral kName = "bulk.load";
  issue.operands.checkBulk(kName, global, size);
  issue.operands.checkShared(kName, shared, rules::kBulkGranule,
                             "the destination", uint64_t(size));
  issue.operands.forEachTarget(
      kName, shared, barrier, multicast, [&](char *to, void *signal) {
        AsyncOperation &operation =
            issue.operations.create(OperationKind::GlobalToShared, kName);
        operation.source = static_cast<const char *>(global);
        operation.destination = to;
        operation.bytes = operation.validBytes = uint64_t(size);
        issue.arrivals.signal(operation, signal);
        issue.engine.issue(operation, nullptr, kGlobalLatency);
      });
}

//===----------------------------------------------------------------------===//
// From shared to global memory
//===----------------------------------------------------------------------===//

AsyncOperation &BulkCopies::createStore(llvm::StringLiteral name,
                                        const void *shared, void *global,
                                        int64_t size) {
  issue.operands.checkBulk(name, global, size);
  issue.operands.checkShared(name, shared, rules::kBulkGranule, "the source",
                             uint64_t(size));
  AsyncOperation &operation =
      issue.operations.create(OperationKind::SharedToGlobal, name);
  operation.source = static_cast<const char *>(shared);
  operation.destination = static_cast<char *>(global);
  operation.bytes = operation.validBytes = uint64_t(size);
  return operation;
}

void BulkCopies::store(const void *shared, void *global, int64_t size,
                       std::optional<uint16_t> byteMask) {
  AsyncOperation &operation = createStore("bulk.store", shared, global, size);
  operation.byteMask = byteMask.value_or(0xffff);
  issue.issueInBulkGroup(operation);
}

void BulkCopies::reduce(ReduceKind kind, ReduceType type, const void *shared,
                        void *global, int64_t size) {
  AsyncOperation &operation = createStore("bulk.reduce", shared, global, size);
  operation.setReduction(kind, type);
  issue.operands.noteReduction(operation, reinterpret_cast<uint64_t>(global));
  issue.issueInBulkGroup(operation);
}

void BulkCopies::prefetch(const void *global, int64_t size) {
  constexpr llvm::StringLiteral kName = "bulk.prefetch";
  AsyncContext &context = issue.context;
  issue.operands.checkBulk(kName, global, size);
  // The access has no visible effect or time. Only its range can be wrong.
  const RegionInfo *region = context.memory.find(global);
  auto offset =
      region ? uint64_t(static_cast<const char *>(global) - region->base) : 0;
  if (!region || uint64_t(size) > region->size - offset)
    context.report(FindingKind::OutOfBounds, context.here().actor(kName),
                   "expected a prefetch inside one live buffer, found " +
                       Twine(size) + " bytes",
                   global, uint64_t(size));
  context.grid.current().cycles += kIssueCycles;
}

//===----------------------------------------------------------------------===//
// To the shared memory of another CTA
//===----------------------------------------------------------------------===//

AsyncOperation &BulkCopies::createClusterCopy(llvm::StringLiteral name,
                                              const void *shared, void *remote,
                                              int64_t size) {
  issue.operands.checkBulk(name, nullptr, size);
  issue.operands.checkShared(name, shared, rules::kBulkGranule, "the source",
                             uint64_t(size));
  issue.operands.checkShared(name, remote, rules::kBulkGranule,
                             "the destination", uint64_t(size));
  AsyncOperation &operation =
      issue.operations.create(OperationKind::SharedToShared, name);
  operation.source = static_cast<const char *>(shared);
  operation.destination = static_cast<char *>(remote);
  operation.bytes = operation.validBytes = uint64_t(size);
  return operation;
}

void BulkCopies::copyCluster(const void *shared, void *remote, int64_t size,
                             void *barrier) {
  AsyncOperation &operation =
      createClusterCopy("bulk.copy_cluster", shared, remote, size);
  issue.operands.signalAtDestination(operation, barrier);
  issue.engine.issue(operation, nullptr, kSharedLatency);
}

void BulkCopies::reduceCluster(ReduceKind kind, ReduceType type,
                               const void *shared, void *remote, int64_t size,
                               void *barrier) {
  AsyncOperation &operation =
      createClusterCopy("bulk.reduce_cluster", shared, remote, size);
  operation.setReduction(kind, type);
  issue.operands.noteReduction(operation, reinterpret_cast<uint64_t>(remote));
  issue.operands.signalAtDestination(operation, barrier);
  issue.engine.issue(operation, nullptr, kSharedLatency);
}

} // namespace carousel::sim
