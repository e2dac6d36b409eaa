//===- Async.h - mbarriers, engines, groups and fences ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The asynchronous units of the simulated machine, by the rules of
// docs/MemoryModel.md. There is one entry for each op of the dialect. It acts
// for the running thread, after the caller has set its site and counted its
// step. Engines are the grid's background, and act between the steps of
// threads.
//
// Addresses are host addresses in regions of Memory. An address in the
// cluster's window is an address in the region of another CTA.
//
// docs/Simulator.md has the table of cycles. The engine of a CTA passes the
// bytes of one operation after the other. Each operation completes a latency
// later. A barrier's phase completes at the latest time of its arrivals and
// landings. A wait ends kBarrierCycles after that, or at its thread's own time
// if that is later.
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
  /// Whether only the writer's own fence counts (docs/MemoryModel.md).
  bool strictFences = false;
};

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
  /// If set, the arrive first expects these bytes (arrive_expect_tx).
  std::optional<int64_t> expectBytes;
  MemSemantics semantics = MemSemantics::Release;
  MemScope scope = MemScope::CTA;
  /// Whether later phases expect `count` fewer arrivals (arrive_drop).
  bool drop = false;
  bool noComplete = false;
};

/// Counters of operations, for RunFigures.
struct AsyncFigures {
  uint64_t transfers = 0;
  uint64_t transferredBytes = 0;
  /// The latest completion of an operation.
  uint64_t lastCycles = 0;
};

class AsyncMachine final : public Background {
public:
  /// `trace` may be null. All referenced objects must outlive the machine.
  AsyncMachine(Memory &memory, Grid &grid, Schedule &schedule, FindingLog &log,
               AsyncRules rules = {}, AsyncTrace *trace = nullptr);
  ~AsyncMachine() override;

  /// Sets the function that names sites in deadlock reports. By default names
  /// are empty.
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
  /// Call after Grid::run, however it ended. Reports leftover operations.
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
  /// arrive, arrive_drop and their expect_tx forms. Returns the state before
  /// the arrive, which is unused if the barrier belongs to another CTA.
  uint64_t mbarrierArrive(void *barrier, const ArriveOptions &options);
  static uint32_t mbarrierPendingCount(uint64_t state);
  bool mbarrierTestWait(void *barrier, PhaseName phase,
                        MemSemantics semantics = MemSemantics::Acquire,
                        MemScope scope = MemScope::CTA);
  /// May return false at any time, as Decision::TryWait decides.
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
  /// `read`: waits until the sources were read; otherwise until the groups are
  /// complete.
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

  /// `dim` counts from the innermost dimension. `value` is encoded as in PTX
  /// (the rank minus one).
  void tensorMapReplace(TensorMap *map, TensorMapField field, uint32_t dim,
                        uint64_t value);
  /// The threads of a warp execute it together, and one of them copies.
  void tensorMapCopyFence(const TensorMap *source, TensorMap *destination,
                          MemScope scope);
  void fenceTensorMapRelease(MemScope scope);
  void fenceTensorMapAcquire(const TensorMap *map, MemScope scope);

  //===--------------------------------------------------------------------===//
  // cp.async
  //===--------------------------------------------------------------------===//

  /// Copies the first `valid` bytes from the source, and sets the rest of
  /// `size` to zero.
  void cpAsync(const void *global, void *shared, uint32_t size, uint32_t valid);
  void cpAsyncCommitGroup();
  void cpAsyncWaitGroup(uint32_t pending);
  void cpAsyncWaitAll();
  void cpAsyncMbarrierArrive(void *barrier, bool noIncrement);

  //===--------------------------------------------------------------------===//
  // Tiles (TileTransfer.cpp)
  //===--------------------------------------------------------------------===//

  /// carousel.load and carousel.store: waits for all threads of the scope, one
  /// of which then copies.
  void moveTile(const TileTransfer &transfer);

  //===--------------------------------------------------------------------===//
  // Fences and clusters
  //===--------------------------------------------------------------------===//

  void fenceThread(MemSemantics semantics, MemScope scope);
  void fenceProxy(ProxyKind proxy);
  void fenceMbarrierInit();
  void fenceSyncRestrict(MemSemantics semantics);
  void fenceProxySyncRestrict(MemSemantics semantics);
  /// As Grid::clusterArrive. A relaxed arrive carries what an earlier fence
  /// released.
  void clusterArrive(bool release);
  /// mapa: the same offset in the CTA of this rank. If there is none, reports a
  /// finding and returns null.
  void *mapShared(const void *shared, uint32_t rank);
  uint32_t rankOf(const void *shared);

  //===--------------------------------------------------------------------===//
  // Atomics, semaphores, registers
  //===--------------------------------------------------------------------===//

  /// Acquires for an atomic load (or the load of a read-modify-write) of gpu
  /// scope, or remembers it for a later acquire fence. Call it after the load.
  /// The caller calls Memory::access.
  void atomicRead(const void *address, bool acquire);
  /// Releases for an atomic store of gpu scope, with what an earlier fence
  /// released. Call it at the store. A read-modify-write continues the release
  /// sequence of the value that it read. Wakes threads in gridSerialWait.
  void atomicWrite(const void *address, bool release, bool isReadModifyWrite);
  void gridSerialWait(int32_t *semaphore, int32_t turn);
  void gridSerialRelease(int32_t *semaphore, int32_t turn);
  /// All threads of the CTA call it. One of them draws for all. It orders
  /// nothing.
  int64_t gridTicket(int32_t *counter, int64_t total);
  /// setmaxnreg: checks the count, and has no other effect.
  void setMaxRegisters(bool increase, uint32_t registers);

  struct Impl;

private:
  std::unique_ptr<Impl> impl;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ASYNC_H
