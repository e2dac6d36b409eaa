//===- Async.h - mbarriers, engines, groups and fences ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The asynchronous units of the simulated machine, by the rules of
// docs/MemoryModel.md. One entry per op of the dialect; each acts for the
// running thread, whose site the caller has set and whose step the caller has
// counted. Engines act as the grid's background, between the steps of threads.
//
// Addresses are host addresses inside of regions of Memory; those of the
// cluster's window are simply addresses in another CTA's region.
//
// Cycles are those of the table in docs/Simulator.md. The bytes of an operation
// pass the engine of its CTA one operation after the other, and complete a
// latency later. A barrier's phase completes at the latest of its arrivals and
// landings; a wait ends at the later of its thread's time and that, plus
// kBarrierCycles.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNC_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNC_H

#include "../Grid/Grid.h"
#include "../Memory/Memory.h"
#include "SimTensorMap.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carousel::sim {

constexpr uint64_t kIssueCycles = 20, kBarrierCycles = 10, kGlobalLatency = 600,
                   kSharedLatency = 200, kEngineBytesPerCycle = 32;

struct TileTransfer;

enum class MemSemantics : uint8_t { Relaxed, Acquire, Release, AcqRel, SeqCst };
enum class ProxyKind : uint8_t {
  Alias,
  Async,
  AsyncGlobal,
  AsyncSharedCTA,
  AsyncSharedCluster
};

struct AsyncRules {
  /// Only the writer's own fence counts, docs/MemoryModel.md.
  bool strictFences = false;
};

/// What a timeline shows of engines; of threads, Machine tells it. All cycles
/// are simulated; `id` numbers the operations of a run from 1.
class AsyncTrace {
public:
  virtual ~AsyncTrace();
  struct Transfer {
    uint64_t id;
    llvm::StringRef operation; // "tensor.load"
    uint32_t cta, thread;
    Site site;
    uint64_t bytes;
    /// In shared memory, what the operation fills or reads (null: prefetches).
    const void *shared;
    uint64_t issueCycles, landCycles;
    /// What the landing signals, or null.
    const void *barrier = nullptr;
  };
  virtual void transferIssued(const Transfer &transfer) = 0;
  virtual void transferLanded(const Transfer &transfer) = 0;
  virtual void phaseCompleted(const void *barrier, uint64_t phase,
                              uint64_t cycles) = 0;
};

/// How a wait names its phase.
struct PhaseName {
  /// The state of an arrive, or a parity.
  static PhaseName state(uint64_t token) { return {token, false}; }
  static PhaseName parity(bool parity) { return {parity, true}; }
  uint64_t value;
  bool isParity;
};

struct ArriveOptions {
  uint32_t count = 1;
  /// Given: the arrive expects these bytes first (arrive_expect_tx).
  std::optional<int64_t> expectBytes;
  MemSemantics semantics = MemSemantics::Release;
  MemScope scope = MemScope::CTA;
  /// Later phases expect `count` arrivals fewer (arrive_drop).
  bool drop = false;
  bool noComplete = false;
};

/// A counter of what ran, for RunFigures.
struct AsyncFigures {
  uint64_t transfers = 0;
  uint64_t transferredBytes = 0;
  /// The latest completion of an operation.
  uint64_t lastCycles = 0;
};

class AsyncMachine final : public Background {
public:
  /// `trace` may be null. All referenced objects outlive the machine.
  AsyncMachine(Memory &memory, Grid &grid, Schedule &schedule, FindingLog &log,
               AsyncRules rules = {}, AsyncTrace *trace = nullptr);
  ~AsyncMachine() override;

  /// Text of a site, for deadlock reports. Empty by default.
  void setSiteNames(std::function<std::string(Site)> names);

  //===--------------------------------------------------------------------===//
  // Life. Give the events of the grid on; ctaStart and ctaExit while the CTA's
  // region is there.
  //===--------------------------------------------------------------------===//

  /// `shared` is the CTA's one region of shared memory, static and dynamic.
  void ctaStart(uint32_t cta, uint32_t cluster, uint32_t rankInCluster,
                char *shared, uint64_t bytes);
  void threadExit(Thread &thread);
  void ctaExit(uint32_t cta);
  /// After Grid::run, however it ended: reports what is left over.
  void gridEnd(RunEnd end);
  const AsyncFigures &getFigures() const;
  /// Operations in flight, one line each, for the notes of a deadlock.
  std::vector<std::string> describeOutstanding() const;

  // Background
  uint32_t ready() const override;
  bool isIdle(uint32_t launch) const override;
  uint64_t getLastCycles(uint32_t launch) const override;
  void run(uint32_t which, Schedule &schedule) override;

  //===--------------------------------------------------------------------===//
  // Mbarriers
  //===--------------------------------------------------------------------===//

  void mbarrierInit(void *barrier, uint32_t count);
  void mbarrierInval(void *barrier);
  void mbarrierExpectTx(void *barrier, int64_t bytes);
  void mbarrierCompleteTx(void *barrier, int64_t bytes);
  /// arrive, arrive_drop and their expect_tx forms. The state before the arrive
  /// (of no use when the barrier is another CTA's).
  uint64_t mbarrierArrive(void *barrier, const ArriveOptions &options);
  static uint32_t mbarrierPendingCount(uint64_t state);
  bool mbarrierTestWait(void *barrier, PhaseName phase,
                        MemSemantics semantics = MemSemantics::Acquire,
                        MemScope scope = MemScope::CTA);
  /// May return false at any time, by Decision::TryWait.
  bool mbarrierTryWait(void *barrier, PhaseName phase,
                       MemSemantics semantics = MemSemantics::Acquire,
                       MemScope scope = MemScope::CTA);
  void mbarrierWait(void *barrier, PhaseName phase,
                    MemSemantics semantics = MemSemantics::Acquire,
                    MemScope scope = MemScope::CTA);

  //===--------------------------------------------------------------------===//
  // Bulk copies
  //===--------------------------------------------------------------------===//

  void bulkLoad(const void *global, void *shared, int64_t size, void *barrier,
                std::optional<uint16_t> multicast = {});
  void bulkStore(const void *shared, void *global, int64_t size,
                 std::optional<uint16_t> byteMask = {});
  void bulkCopyCluster(const void *shared, void *remote, int64_t size,
                       void *barrier);
  void bulkReduce(ReduceKind kind, ReduceType type, const void *shared,
                  void *global, int64_t size);
  void bulkReduceCluster(ReduceKind kind, ReduceType type, const void *shared,
                         void *remote, int64_t size, void *barrier);
  void bulkPrefetch(const void *global, int64_t size);
  void bulkCommitGroup();
  /// `read`: until the sources were read; else complete.
  void bulkWaitGroup(bool read, uint32_t pending);

  //===--------------------------------------------------------------------===//
  // Single values. `value` points to `bytes` bytes that are read at once.
  //===--------------------------------------------------------------------===//

  void stAsync(const void *value, uint32_t bytes, void *remote, void *barrier);
  void stAsyncGlobal(const void *value, uint32_t bytes, void *global);
  void redAsync(ReduceKind kind, ReduceType type, const void *value,
                void *remote, void *barrier);
  void redAsyncGlobal(ReduceType type, const void *value, void *global);

  //===--------------------------------------------------------------------===//
  // Tensor copies. Coordinates and offsets in the order of the op: outermost
  // first.
  //===--------------------------------------------------------------------===//

  void tensorLoad(const TensorMap *map, llvm::ArrayRef<int32_t> coordinates,
                  TensorLoadMode mode, llvm::ArrayRef<int16_t> offsets,
                  void *shared, void *barrier,
                  std::optional<uint16_t> multicast = {});
  void tensorStore(const TensorMap *map, llvm::ArrayRef<int32_t> coordinates,
                   TensorStoreMode mode, const void *shared);
  void tensorReduce(ReduceKind kind, const TensorMap *map,
                    llvm::ArrayRef<int32_t> coordinates, TensorStoreMode mode,
                    const void *shared);
  void tensorPrefetch(const TensorMap *map, llvm::ArrayRef<int32_t> coordinates,
                      TensorLoadMode mode, llvm::ArrayRef<int16_t> offsets);

  //===--------------------------------------------------------------------===//
  // Tensor maps in memory
  //===--------------------------------------------------------------------===//

  /// `dim` counts from the innermost; `value` as PTX encodes it (the rank minus
  /// one).
  void tensorMapReplace(TensorMap *map, TensorMapField field, uint32_t dim,
                        uint64_t value);
  /// The running thread is one of a warp that executes it together; one of them
  /// copies.
  void tensorMapCopyFence(const TensorMap *source, TensorMap *destination,
                          MemScope scope);
  void fenceTensorMapRelease(MemScope scope);
  void fenceTensorMapAcquire(const TensorMap *map, MemScope scope);

  //===--------------------------------------------------------------------===//
  // cp.async
  //===--------------------------------------------------------------------===//

  /// The first `valid` bytes come from the source, the rest of `size` are zero.
  void cpAsync(const void *global, void *shared, uint32_t size, uint32_t valid);
  void cpAsyncCommitGroup();
  void cpAsyncWaitGroup(uint32_t pending);
  void cpAsyncWaitAll();
  void cpAsyncMbarrierArrive(void *barrier, bool noIncrement);

  //===--------------------------------------------------------------------===//
  // Tiles (TileTransfer.cpp)
  //===--------------------------------------------------------------------===//

  /// carousel.load and carousel.store: gathers the threads of the scope; one of
  /// them moves it.
  void moveTile(const TileTransfer &transfer);

  //===--------------------------------------------------------------------===//
  // Fences and clusters
  //===--------------------------------------------------------------------===//

  void fenceThread(MemSemantics semantics, MemScope scope);
  void fenceProxy(ProxyKind proxy);
  void fenceMbarrierInit();
  void fenceSyncRestrict(MemSemantics semantics);
  void fenceProxySyncRestrict(MemSemantics semantics);
  /// Grid::clusterArrive, where a relaxed arrive carries what a fence before it
  /// released.
  void clusterArrive(bool release);
  /// mapa: the same offset in the CTA of this rank; null with a finding if
  /// there is none.
  void *mapShared(const void *shared, uint32_t rank);
  uint32_t rankOf(const void *shared);

  //===--------------------------------------------------------------------===//
  // Atomics, semaphores, registers
  //===--------------------------------------------------------------------===//

  /// What an atomic load (or the load of a read-modify-write) of gpu scope has
  /// acquired, or has for an acquire fence after it; call after the load.
  /// Memory::access is the caller's.
  void atomicRead(const void *address, bool acquire);
  /// What an atomic store of gpu scope releases, or a fence before it has; call
  /// at the store. A read-modify-write continues the release sequence of what
  /// it read. Wakes those in gridSerialWait.
  void atomicWrite(const void *address, bool release, bool isReadModifyWrite);
  void gridSerialWait(int32_t *semaphore, int32_t turn);
  void gridSerialRelease(int32_t *semaphore, int32_t turn);
  /// All threads of the CTA come; one draws for them, and orders nothing.
  int64_t gridTicket(int32_t *counter, int64_t total);
  /// setmaxnreg: changes nothing; checks the count.
  void setMaxRegisters(bool increase, uint32_t registers);

  struct Impl;

private:
  std::unique_ptr<Impl> impl;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNC_H
