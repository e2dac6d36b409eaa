//===- AsyncMachine.h - the asynchronous units of a run ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The asynchronous units of the simulated machine, by the rules of
// docs/MemoryModel.md. Each part does one job and has one entry for each op of
// the dialect. Callers use the part that they need.
//
// An entry acts for the running thread, after the caller has set its site and
// counted its step. The engine is the grid's background, and acts between the
// steps of threads.
//
// Addresses are host addresses in regions of Memory. An address in the
// cluster's window is an address in the region of another CTA.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNCMACHINE_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNCMACHINE_H

#include "AsyncContext.h"
#include "Copies.h"
#include "Groups.h"
#include "Matrices/WarpgroupProducts.h"
#include "Mbarriers.h"
#include "Ordering.h"
#include "TileMover.h"

#include "llvm/ADT/DenseMap.h"

namespace carousel::sim {

class MaxRegisters {
public:
  explicit MaxRegisters(AsyncContext &context) : context(context) {}

  /// Checks the count, and that the threads of the warpgroup agree on it.
  void set(bool increase, uint32_t registers);
  void ctaExit(uint32_t cta);

private:
  /// The requests of a warpgroup.
  struct Requests {
    uint32_t least = 0, most = 0; ///< 0: nothing
    Who who;                      ///< of the most
  };

  AsyncContext &context;
  /// The requests of each CTA, by warpgroup.
  llvm::DenseMap<uint32_t, llvm::SmallVector<Requests, 4>> requests;
};

class AsyncMachine final : public Background {
  // First what the parts below work with.
  AsyncContext context;
  TransferLog transfers;
  OperationTable operations;

public:
  /// `trace` may be null. All referenced objects must outlive the machine.
  AsyncMachine(Memory &memory, Grid &grid, Schedule &schedule, FindingLog &log,
               AsyncRules rules = {}, AsyncTrace *trace = nullptr);

  /// Sets the function that names sites in deadlock reports. By default names
  /// are empty.
  void setSiteNames(std::function<std::string(Site)> names);

  // Give the events of the grid on; ctaStart and ctaExit while the CTA's region
  // is there.

  /// `shared` is the CTA's one region of shared memory, static and dynamic.
  void ctaStart(uint32_t cta, uint32_t cluster, uint32_t rankInCluster,
                char *shared, uint64_t bytes);
  void threadExit(Thread &thread);
  void ctaExit(uint32_t cta);
  /// Call after Grid::run, however it ended. Reports leftover operations.
  void gridEnd(RunEnd end);
  const AsyncFigures &getFigures() const { return transfers.getFigures(); }
  /// Operations in flight, one line each, for the notes of a deadlock.
  std::vector<std::string> describeOutstanding() const;

  // Background
  uint32_t ready() const override;
  bool isIdle(uint32_t launch) const override;
  uint64_t getLastCycles(uint32_t launch) const override;
  void run(uint32_t which, Schedule &schedule) override;

  ResidentCTAs ctas;
  MbarrierTable mbarriers;
  MbarrierArrivals arrivals;
  MbarrierWaits waits;
  CopyArrives copyArrives;
  Atomics atomics;
  Fences fences;
  GridSemaphores semaphores;
  GridTickets tickets;
  ClusterGathers gathers{context, ctas};
  Signals signals{context, atomics};
  Multimem multimem{context};
  MaxRegisters registers;

private:
  AsyncEngine engine;
  CopyOperands operands;
  CopyIssue issue{context, ctas, operations, arrivals, operands, engine};

public:
  WarpgroupProducts products{context, ctas, operations, engine};
  BulkGroups bulkGroups;
  BulkCopies bulkCopies;
  AsyncValues values;
  CpAsync cpAsync;
  TensorMaps tensorMaps;
  TensorCopies tensorCopies;
  TileMover tiles;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNCMACHINE_H
