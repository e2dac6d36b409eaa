//===- TransferLog.h - counts and traces transfers --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers the operations of a run and counts the bytes that they move. A
// timeline implements AsyncTrace.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_TRANSFERLOG_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_TRANSFERLOG_H

#include "../Memory/Memory.h"

#include "llvm/ADT/DenseMap.h"

namespace carousel::sim {

/// The events of engines that a timeline shows. Machine reports those of
/// threads. All cycles are simulated. `id` numbers the operations of a run from
/// 1.
class AsyncTrace {
public:
  virtual ~AsyncTrace();
  struct Transfer {
    uint64_t id;
    llvm::StringRef operation; // "tensor.load"
    uint32_t cta, thread;
    Site site;
    uint64_t bytes;
    /// The bytes in shared memory that the operation fills or reads. Null for
    /// prefetches.
    const void *shared;
    uint64_t issueCycles, landCycles;
    /// The barrier that the completion signals, or null.
    const void *barrier = nullptr;
  };
  virtual void transferIssued(const Transfer &transfer) = 0;
  virtual void transferLanded(const Transfer &transfer) = 0;
  virtual void phaseCompleted(const void *barrier, uint64_t phase,
                              uint64_t cycles) = 0;
};

/// Counters of operations, for RunFigures.
struct AsyncFigures {
  uint64_t transfers = 0;
  uint64_t transferredBytes = 0;
  /// The latest completion of an operation.
  uint64_t lastCycles = 0;
};

class TransferLog {
public:
  explicit TransferLog(Memory &memory) : memory(memory) {}

  uint64_t newId() { return ++lastId; }
  /// The index that Memory has for an operation's name, which is a literal.
  uint16_t internName(llvm::StringRef name);
  void count(uint64_t bytes, uint64_t landCycles);
  const AsyncFigures &getFigures() const { return figures; }

private:
  Memory &memory;
  AsyncFigures figures;
  uint64_t lastId = 0;
  llvm::DenseMap<uint64_t, uint16_t> operationNames;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_TRANSFERLOG_H
