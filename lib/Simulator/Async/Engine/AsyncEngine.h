//===- AsyncEngine.h - issues and completes operations ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Issues operations and completes them between the steps of threads. It gives
// them epochs and simulated time, moves their bytes, and tells barriers, groups
// and atomics what has landed. Pieces move from the source to the operation's
// own copy, in the order of the tile, and from there to the destination. Every
// access goes through Memory, in ranges that are as long as contiguity allows.
//
// An operation that signals a barrier borrows an agent of its CTA for its
// epochs. An operation in a group uses the agents of its queue.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_ASYNCENGINE_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_ASYNCENGINE_H

#include "../Mbarriers.h"
#include "../Ordering.h"
#include "../ResidentCTAs.h"
#include "AsyncOperation.h"

namespace carousel::sim {

class ByteMover {
public:
  explicit ByteMover(AsyncContext &context)
      : memory(context.memory), schedule(context.schedule) {}

  void read(AsyncOperation &operation, const Pieces &pieces);
  void write(AsyncOperation &operation, const Pieces &pieces);

private:
  AccessResult access(AsyncOperation &operation, const void *address,
                      uint64_t size, bool isWrite);
  void readRange(AsyncOperation &operation, const char *address, uint64_t size,
                 char *to);
  void writeRange(AsyncOperation &operation, char *address, uint64_t size,
                  const char *from);

  Memory &memory;
  Schedule &schedule;
};

class AsyncEngine {
public:
  AsyncEngine(AsyncContext &context, ResidentCTAs &ctas,
              OperationTable &operations, TransferLog &transfers,
              MbarrierArrivals &arrivals, CopyArrives &copyArrives,
              Atomics &atomics)
      : context(context), ctas(ctas), operations(operations),
        transfers(transfers), arrivals(arrivals), copyArrives(copyArrives),
        atomics(atomics), mover(context) {}

  /// Gives an operation epochs and a view, and starts it. Adds it to a group if
  /// `queue` isn't null.
  void issue(AsyncOperation &operation, GroupQueue *queue, uint64_t latency);
  /// Starts a product, which reads so many pieces of 16 bytes. The caller gives
  /// it epochs and its own time.
  void issueProduct(AsyncOperation &operation, uint32_t pieces);
  /// Does the next batch of an operation in flight.
  void act(uint32_t which, Schedule &schedule);
  /// Reports operations that still use the CTA's shared memory, and does what
  /// is left of them now, but for writes to global memory.
  void ctaExit(uint32_t cta, const AsyncCTA &state);

private:
  void lendAgent(AsyncOperation &operation, Thread &thread);
  void joinGroup(AsyncOperation &operation, GroupQueue &queue, Thread &thread,
                 Epoch issueEpoch);
  void endReads(AsyncOperation &operation);
  void finish(uint32_t which);
  void finishReader(uint32_t which);
  void expel(uint32_t which);

  AsyncContext &context;
  ResidentCTAs &ctas;
  OperationTable &operations;
  TransferLog &transfers;
  MbarrierArrivals &arrivals;
  CopyArrives &copyArrives;
  Atomics &atomics;
  ByteMover mover;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_ASYNCENGINE_H
