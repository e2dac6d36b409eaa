//===- OperationTable.h - operations in flight ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds the operations in flight, in the order in which the schedule numbers
// them, and counts those of each launch.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_OPERATIONTABLE_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_OPERATIONTABLE_H

#include "../TransferLog.h"
#include "AsyncOperation.h"

#include <memory>
#include <string>
#include <vector>

namespace carousel::sim {

class OperationTable {
public:
  OperationTable(AsyncContext &context, TransferLog &transfers)
      : context(context), transfers(transfers) {}

  /// An operation of the running thread, to be filled in, then started or
  /// dropped.
  AsyncOperation &create(OperationKind kind, llvm::StringRef name);
  void start(AsyncOperation &operation);
  /// It was never started.
  void drop(AsyncOperation &operation) { freeOperations.push_back(&operation); }
  /// It is complete; the last operation takes its number.
  void finish(uint32_t which);

  bool empty() const { return active.empty(); }
  uint32_t size() const { return uint32_t(active.size()); }
  AsyncOperation &operator[](size_t which) const { return *active[which]; }
  llvm::ArrayRef<AsyncOperation *> getActive() const { return active; }

  /// True if nothing is in flight that the launch issued.
  bool isIdle(uint32_t launch) const;
  /// When the last operation of the launch lands.
  uint64_t getLastCycles(uint32_t launch) const;
  /// One line each, for the notes of a deadlock.
  std::vector<std::string> describe() const;

private:
  struct LaunchWork {
    uint32_t active = 0;
    uint64_t lastCycles = 0;
  };
  LaunchWork &workOf(const AsyncOperation &operation);

  AsyncContext &context;
  TransferLog &transfers;
  std::vector<std::unique_ptr<AsyncOperation>> pool;
  std::vector<AsyncOperation *> freeOperations;
  std::vector<AsyncOperation *> active;
  llvm::SmallVector<LaunchWork, 1> launchWork;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_OPERATIONTABLE_H
