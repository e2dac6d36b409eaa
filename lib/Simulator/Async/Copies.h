//===- Copies.h - issue of copies -------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Issues bulk copies, tensor copies, cp.async, single values (st.async,
// red.async) and accesses of multicast addresses: checks the operands, makes an
// operation, and hands it to the engine. An operand that hardware traps on ends
// the run. The issue of a tensor copy fetches the descriptor and computes the
// box; coordinates and offsets are in the order of the op, outermost first.
//
// A tensor map that the host wrote, or that is a kernel parameter, may be used
// as it is. If the device changed it, the thread that changed it releases it to
// the tensormap proxy, another thread acquires it, and the user must know of
// that acquire. The accesses of cp.async are weak and generic, and happen
// later: a group wait makes them known to the thread, a later mbarrier arrive
// to other threads (Mbarriers.h).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_H

#include "AsyncContext.h"
#include "Engine/AsyncEngine.h"
#include "Groups.h"
#include "Mbarriers.h"
#include "Ordering.h"
#include "Tensors/SimTensorMap.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace carousel::sim {

class TensorMaps {
public:
  TensorMaps(AsyncContext &context, Fences &fences)
      : context(context), fences(fences) {}

  /// `dim` counts from the innermost dimension. `value` is encoded as in PTX
  /// (the rank minus one).
  void replace(TensorMap *map, TensorMapField field, uint32_t dim,
               uint64_t value);
  /// The threads of a warp execute it together, and one of them copies.
  void copyFence(const TensorMap *source, TensorMap *destination,
                 MemScope scope);
  void fenceRelease(MemScope scope);
  void fenceAcquire(const TensorMap *map, MemScope scope);

  /// Reads a descriptor for an operation; ends the run if no copy can use it.
  void fetch(const TensorMap *map, llvm::StringRef name, TensorMap &copy);
  /// Forgets the descriptors in the CTA's shared memory.
  void ctaExit(const AsyncCTA &cta);

private:
  /// A descriptor in memory that the device wrote.
  struct State {
    Epoch written;
    Who writer;
    /// The epoch of the release fence, or of the copy with a fence, that
    /// covered it; the zero epoch before that.
    Epoch released;
    /// Threads' acquires of this version.
    llvm::SmallVector<Epoch, 2> acquired;
  };

  bool access(const TensorMap *map, AccessKind kind);

  AsyncContext &context;
  Fences &fences;
  llvm::DenseMap<const void *, State> states;
};

class CopyOperands {
public:
  CopyOperands(AsyncContext &context, ResidentCTAs &ctas,
               MbarrierArrivals &arrivals)
      : context(context), ctas(ctas), arrivals(arrivals) {}

  void checkBulk(llvm::StringRef name, const void *global, int64_t size);
  /// The offset of a shared address in its CTA.
  uint64_t checkShared(llvm::StringRef name, const void *shared,
                       uint64_t alignment, const char *what, uint64_t size);
  /// The operation signals the barrier, which must lie in the CTA of the
  /// destination.
  void signalAtDestination(AsyncOperation &operation, void *barrier);
  /// Calls `copy` for the destination and the barrier of each CTA in the mask,
  /// or for the given ones without a mask.
  void forEachTarget(llvm::StringRef name, void *shared, void *barrier,
                     std::optional<uint16_t> multicast,
                     llvm::function_ref<void(char *to, void *signal)> copy);
  /// Looks for the same reduction issued by another thread. Call it before the
  /// operation is issued.
  void noteReduction(AsyncOperation &operation, uint64_t destination);

private:
  AsyncContext &context;
  ResidentCTAs &ctas;
  MbarrierArrivals &arrivals;
};

struct CopyIssue {
  /// Issues in the bulk group of the running thread that is open.
  void issueInBulkGroup(AsyncOperation &operation) {
    engine.issue(operation, &ctas.stateOf(context.grid.current()).bulk,
                 kGlobalLatency);
  }

  AsyncContext &context;
  ResidentCTAs &ctas;
  OperationTable &operations;
  MbarrierArrivals &arrivals;
  CopyOperands &operands;
  AsyncEngine &engine;
};

class AsyncValues {
public:
  explicit AsyncValues(const CopyIssue &issue) : issue(issue) {}

  void store(const void *value, uint32_t bytes, void *remote, void *barrier);
  void storeGlobal(const void *value, uint32_t bytes, void *global);
  void reduce(ReduceKind kind, ReduceType type, const void *value, void *remote,
              void *barrier);
  void reduceGlobal(ReduceType type, const void *value, void *global);

private:
  AsyncOperation &create(llvm::StringLiteral name, const void *value,
                         uint32_t bytes, void *destination);
  void issueRelease(AsyncOperation &operation);

  CopyIssue issue;
};

class BulkCopies {
public:
  explicit BulkCopies(const CopyIssue &issue) : issue(issue) {}

  void load(const void *global, void *shared, int64_t size, void *barrier,
            std::optional<uint16_t> multicast = {});
  void store(const void *shared, void *global, int64_t size,
             std::optional<uint16_t> byteMask = {});
  void copyCluster(const void *shared, void *remote, int64_t size,
                   void *barrier);
  void reduce(ReduceKind kind, ReduceType type, const void *shared,
              void *global, int64_t size);
  void reduceCluster(ReduceKind kind, ReduceType type, const void *shared,
                     void *remote, int64_t size, void *barrier);
  void prefetch(const void *global, int64_t size);

private:
  AsyncOperation &createFromShared(OperationKind kind, llvm::StringLiteral name,
                                   const void *shared, void *destination,
                                   int64_t size);

  CopyIssue issue;
};

class CpAsync {
public:
  explicit CpAsync(const CopyIssue &issue)
      : issue(issue), waits(issue.context, issue.ctas) {}

  /// Copies the first `valid` bytes from the source, and sets the rest of
  /// `size` to zero.
  void copy(const void *global, void *shared, uint32_t size, uint32_t valid);
  void commitGroup();
  void waitGroup(uint32_t pending);
  void waitAll();
  /// Reports copies of the thread that nothing waits for.
  void threadExit(Thread &thread, ThreadState &state);

private:
  GroupQueue &getQueue();

  CopyIssue issue;
  GroupWaits waits;
};

class Multimem {
public:
  explicit Multimem(AsyncContext &context) : context(context) {}

  /// `step` counts a step of the running thread.
  void store(const void *value, uint32_t bytes, char *address,
             llvm::function_ref<void()> step);
  void reduce(ReduceKind kind, ReduceType type, const void *value,
              uint32_t bytes, char *address, llvm::function_ref<void()> step);

  /// Reduces to an address of one GPU, with gpu scope.
  void reduceOnce(ReduceKind kind, ReduceType type, const void *value,
                  uint32_t bytes, char *address);

private:
  void verifyAlignment(llvm::StringRef name, uint32_t bytes, char *address);
  /// Calls `write` for the address in each part.
  void forEachPart(llvm::StringRef name, uint32_t bytes, char *address,
                   llvm::function_ref<void()> step,
                   llvm::function_ref<void(char *)> write);

  AsyncContext &context;
};

class TensorCopies {
public:
  TensorCopies(const CopyIssue &issue, TensorMaps &maps)
      : issue(issue), maps(maps) {}

  void load(const TensorMap *map, llvm::ArrayRef<int32_t> coordinates,
            TensorLoadMode mode, llvm::ArrayRef<int16_t> offsets, void *shared,
            void *barrier, std::optional<uint16_t> multicast = {});
  void store(const TensorMap *map, llvm::ArrayRef<int32_t> coordinates,
             TensorStoreMode mode, const void *shared);
  void reduce(ReduceKind kind, const TensorMap *map,
              llvm::ArrayRef<int32_t> coordinates, TensorStoreMode mode,
              const void *shared);
  void prefetch(const TensorMap *map, llvm::ArrayRef<int32_t> coordinates,
                TensorLoadMode mode, llvm::ArrayRef<int16_t> offsets);

private:
  /// Sets the map and the box.
  void setBox(AsyncOperation &operation, const TensorMap *map,
              llvm::ArrayRef<int32_t> coordinates, BoxMode mode,
              llvm::ArrayRef<int16_t> offsets, bool isWrite);
  BoxMode getLoadMode(llvm::StringRef name, TensorLoadMode mode);
  AsyncOperation &createStore(llvm::StringLiteral name, const TensorMap *map,
                              llvm::ArrayRef<int32_t> coordinates,
                              TensorStoreMode mode, const void *shared);

  CopyIssue issue;
  TensorMaps &maps;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_H
