//===- MachineCalls.cpp - calls of compiled code --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each op or kind of access, with the arguments that the
// lowerings pass (Lower*Ops.cpp, InstrumentMemory.cpp), and the site as the
// last one. Each counts a step, and then acts for the running thread. A mask of
// -1 means no mask. Last come those by which threads give each other values.
// MachineAsyncCalls.cpp has barriers, copies, products and transfers.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "carousel/Support/HardwareLimits.h"
#include "llvm/ADT/bit.h"

using namespace carousel::sim;
namespace rules = carousel::rules;

/// Positions have no effect and don't wait, so they aren't steps.
static Thread &here() { return Machine::current().grid.current(); }

static uint64_t pick(const Dim3 &dim, int32_t dimension) {
  return dimension == 0 ? dim.x : dimension == 1 ? dim.y : dim.z;
}

extern "C" {

//===----------------------------------------------------------------------===//
// Accesses and arithmetic
//===----------------------------------------------------------------------===//

static void *carousel_sim_read(void *pointer, uint64_t size, uint32_t site) {
  return Machine::current().access(pointer, size, AccessKind::Read, site);
}
static void *carousel_sim_write(void *pointer, uint64_t size, uint32_t site) {
  return Machine::current().access(pointer, size, AccessKind::Write, site);
}
static void *carousel_sim_load(void *pointer, uint64_t size, uint32_t access,
                               uint64_t iteration, uint32_t site) {
  Machine &machine = Machine::current();
  void *usable = machine.access(pointer, size, AccessKind::Read, site);
  machine.countAccess(pointer, size, access, iteration);
  return usable;
}
static void *carousel_sim_store(void *pointer, uint64_t size, uint32_t access,
                                uint64_t iteration, uint32_t site) {
  Machine &machine = Machine::current();
  void *usable = machine.access(pointer, size, AccessKind::Write, site);
  machine.countAccess(pointer, size, access, iteration);
  return usable;
}
static void carousel_sim_count_rows(void *row, uint32_t rows, uint32_t access,
                                    uint64_t iteration, uint32_t) {
  Machine::current().countAccess(here().lane() < rows ? row : nullptr,
                                 rules::kMatrixRowBytes, access, iteration);
}
static void *carousel_sim_atomic(void *pointer, uint64_t size, uint32_t site) {
  Machine &machine = Machine::current();
  void *usable = machine.access(pointer, size, AccessKind::Atomic, site,
                                AtomicForm::ReadModifyWrite);
  machine.notePoll(usable, size);
  machine.async.atomics.read(pointer, /*acquire=*/false);
  machine.async.atomics.write(pointer, /*release=*/false,
                              /*isReadModifyWrite=*/true);
  return usable;
}
/// An atomic without a used result.
static void *carousel_sim_atomic_reduce(void *pointer, uint64_t size,
                                        uint32_t site) {
  Machine &machine = Machine::current();
  void *usable = machine.access(pointer, size, AccessKind::Atomic, site,
                                AtomicForm::Reduce);
  machine.async.atomics.write(pointer, /*release=*/false,
                              /*isReadModifyWrite=*/true);
  return usable;
}
static void *carousel_sim_atomic_load(void *pointer, uint64_t size,
                                      uint32_t site) {
  Machine &machine = Machine::current();
  void *usable =
      machine.access(pointer, size, AccessKind::Atomic, site, AtomicForm::Load);
  machine.notePoll(usable, size);
  machine.async.atomics.read(pointer, /*acquire=*/false);
  return usable;
}
static void carousel_sim_step(uint32_t site) { enter(site).grid.noteIdle(); }
static void carousel_sim_turn(uint64_t values) {
  Machine::current().grid.noteTurn(values);
}
static void carousel_sim_forget_polls() {
  Machine::current().grid.forgetPolls();
}
static void carousel_sim_check_division(int32_t isBad, uint32_t site) {
  if (!isBad)
    return;
  enter(site).report(FindingKind::InvalidOperand,
                     "expected a quotient that its type can hold, got a "
                     "division by zero or an overflow");
}
static void carousel_sim_check_alignment(void *pointer, uint64_t alignment,
                                         uint32_t site) {
  uint64_t past = reinterpret_cast<uint64_t>(pointer) % alignment;
  if (past)
    enter(site).report(FindingKind::InvalidOperand,
                       "expected an address at a multiple of " +
                           std::to_string(alignment) +
                           " bytes, as the access says, got one " +
                           std::to_string(past) + " bytes past that");
}
static void *carousel_sim_check_own(void *pointer, uint64_t size, int32_t isBad,
                                    uint32_t site) {
  if (!isBad)
    return pointer;
  Machine &machine = enter(site);
  machine.report(FindingKind::OutOfBounds,
                 "expected an access inside a buffer of the thread's own, "
                 "found " +
                     std::to_string(size) + " bytes that aren't");
  return machine.getScratch(size, AccessKind::Atomic);
}
static void carousel_sim_check_poison(int32_t isPoison, uint32_t check,
                                      uint32_t site) {
  if (!isPoison)
    return;
  enter(site);
  Machine::current().reportPoison(check);
}
static void carousel_sim_assert(int32_t holds, uint32_t assertion,
                                uint64_t left, uint64_t right, uint32_t site) {
  if (holds)
    return;
  enter(site);
  Machine::current().failAssertion(assertion, left, right);
}
/// The text that PTX gives __assertfail.
static void carousel_sim_assert_fail(const char *message, uint32_t site) {
  Machine &machine = enter(site);
  constexpr size_t kMostCharacters = 1024;
  std::string text;
  while (text.size() < kMostCharacters) {
    void *next = const_cast<char *>(message) + text.size();
    char c =
        *static_cast<char *>(machine.access(next, 1, AccessKind::Read, site));
    if (c == 0)
      break;
    text += c;
  }
  machine.failAssertion(text + ", got false");
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

static uint64_t carousel_sim_thread_id(int32_t dimension, uint32_t) {
  return pick(here().threadId, dimension);
}
static uint64_t carousel_sim_block_id(int32_t dimension, uint32_t) {
  return pick(here().ctaId, dimension);
}
static uint64_t carousel_sim_block_dim(int32_t dimension, uint32_t) {
  return pick(Machine::current().grid.getShape().block, dimension);
}
static uint64_t carousel_sim_grid_dim(int32_t dimension, uint32_t) {
  return pick(Machine::current().grid.getShape().grid, dimension);
}
static uint64_t carousel_sim_cluster_id(int32_t dimension, uint32_t) {
  return pick(here().clusterId, dimension);
}
static uint64_t carousel_sim_cluster_dim(int32_t dimension, uint32_t) {
  const GridShape &shape = Machine::current().grid.getShape();
  return pick(shape.grid, dimension) / pick(shape.cluster, dimension);
}
static uint64_t carousel_sim_cluster_dim_blocks(int32_t dimension, uint32_t) {
  return pick(Machine::current().grid.getShape().cluster, dimension);
}
static uint64_t carousel_sim_cluster_block_id(int32_t dimension, uint32_t) {
  return pick(here().idInCluster, dimension);
}
static uint64_t carousel_sim_lane_id(int32_t, uint32_t) {
  return here().lane();
}
static uint64_t carousel_sim_subgroup_id(int32_t, uint32_t) {
  return here().warp();
}
static uint64_t carousel_sim_subgroup_size(int32_t, uint32_t) { return 32; }
static uint64_t carousel_sim_num_subgroups(int32_t, uint32_t) {
  return (Machine::current().grid.getShape().block.count() + 31) / 32;
}
static int32_t carousel_sim_cluster_rank(uint32_t) {
  return here().rankInCluster;
}
static int32_t carousel_sim_cluster_size(uint32_t) {
  return Machine::current().grid.getShape().cluster.count();
}

static void *carousel_sim_static_shared(uint64_t offset, uint32_t) {
  return Machine::current().getStaticShared(offset);
}
static void *carousel_sim_dynamic_shared(uint32_t) {
  return Machine::current().getDynamicShared();
}
static void *carousel_sim_global(int32_t index, uint32_t) {
  return Machine::current().getGlobal(index);
}
static void *carousel_sim_values(uint32_t) {
  return Machine::current().getValues();
}

//===----------------------------------------------------------------------===//
// Warps, CTAs, clusters
//===----------------------------------------------------------------------===//

static int32_t carousel_sim_elect(uint32_t mask, uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "elect");
  return machine.grid.elect(mask);
}
static void carousel_sim_barrier_sync(uint32_t name, uint32_t threads,
                                      uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, name == 0 ? "CTA barrier" : "named barrier");
  machine.grid.barrierSync(name, threads);
}
static void carousel_sim_barrier_arrive(uint32_t name, uint32_t threads,
                                        uint32_t site) {
  enter(site).grid.barrierArrive(name, threads);
}
static void carousel_sim_barrier_warp(uint32_t mask, uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "warp barrier");
  machine.grid.barrierWarp(mask);
}
static void carousel_sim_cluster_arrive(int32_t release, uint32_t site) {
  enterAsync(site).fences.clusterArrive(release);
}
static void carousel_sim_cluster_wait(uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "cluster barrier");
  machine.grid.clusterWait(/*acquire=*/true);
}
static void *carousel_sim_map_shared(void *shared, uint32_t rank,
                                     uint32_t site) {
  return enterAsync(site).ctas.mapShared(shared, rank);
}
static int32_t carousel_sim_rank_of(void *shared, uint32_t site) {
  return enterAsync(site).ctas.rankOf(shared);
}
static void carousel_sim_set_max_registers(int32_t increase, int32_t registers,
                                           uint32_t site) {
  enterAsync(site).registers.set(increase, registers);
}
static void carousel_sim_launch_dependents(uint32_t site) {
  enter(site).grid.launchDependents();
}
static void carousel_sim_dependency_wait(uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "dependency wait");
  machine.grid.waitForPrerequisite();
}
static void carousel_sim_grid_serial_wait(void *semaphore, int32_t turn,
                                          uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "serial wait");
  machine.async.semaphores.wait(static_cast<int32_t *>(semaphore), turn);
}
static void carousel_sim_grid_serial_release(void *semaphore, int32_t turn,
                                             uint32_t site) {
  enterAsync(site).semaphores.release(static_cast<int32_t *>(semaphore), turn);
}

static void carousel_sim_signal(void *counter, int64_t value, int32_t bytes,
                                int32_t add, int32_t release, uint32_t site) {
  enterAsync(site).signals.release({counter, uint64_t(bytes)}, value, add,
                                   release);
}
/// A timeout of -1 is none.
static int32_t carousel_sim_wait_signal(void *counter, int64_t value,
                                        int64_t timeout, int32_t bytes,
                                        int32_t acquire, uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "signal wait");
  std::optional<uint64_t> limit;
  if (timeout != -1)
    limit = uint64_t(timeout);
  return machine.async.signals.wait({counter, uint64_t(bytes)}, value, limit,
                                    acquire);
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

static void carousel_sim_fence_thread(int32_t semantics, int32_t scope,
                                      uint32_t site) {
  Machine &machine = enter(site);
  machine.grid.noteIdle();
  machine.async.fences.fenceThread(MemSemantics(semantics), MemScope(scope));
}
static void carousel_sim_fence_proxy(int32_t proxy, uint32_t site) {
  enterAsync(site).fences.fenceProxy(ProxyKind(proxy));
}
static void carousel_sim_fence_mbarrier_init(uint32_t site) {
  enterAsync(site).fences.fenceMbarrierInit();
}
static void carousel_sim_fence_sync_restrict(int32_t semantics, uint32_t site) {
  enterAsync(site).fences.fenceSyncRestrict(MemSemantics(semantics));
}
static void carousel_sim_fence_proxy_sync_restrict(int32_t semantics,
                                                   uint32_t site) {
  enterAsync(site).fences.fenceProxySyncRestrict(MemSemantics(semantics));
}
static void carousel_sim_fence_tensor_map_release(int32_t scope,
                                                  uint32_t site) {
  enterAsync(site).tensorMaps.fenceRelease(MemScope(scope));
}
static void carousel_sim_fence_tensor_map_acquire(const TensorMap *map,
                                                  int32_t scope,
                                                  uint32_t site) {
  enterAsync(site).tensorMaps.fenceAcquire(map, MemScope(scope));
}

static int64_t carousel_sim_grid_ticket(void *counter, int64_t total,
                                        int32_t ordersMemory, uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "ticket");
  return machine.async.tickets.draw(static_cast<int32_t *>(counter), total,
                                    ordersMemory);
}

} // extern "C"

llvm::ArrayRef<HostSymbol> carousel::sim::getMachineSymbols() {
#define CAROUSEL_SYMBOL(Name)                                                  \
  {                                                                            \
    #Name, (void *)&Name                                                       \
  }
  static const HostSymbol kSymbols[] = {
      CAROUSEL_SYMBOL(carousel_sim_read),
      CAROUSEL_SYMBOL(carousel_sim_write),
      CAROUSEL_SYMBOL(carousel_sim_load),
      CAROUSEL_SYMBOL(carousel_sim_store),
      CAROUSEL_SYMBOL(carousel_sim_count_rows),
      CAROUSEL_SYMBOL(carousel_sim_atomic),
      CAROUSEL_SYMBOL(carousel_sim_atomic_load),
      CAROUSEL_SYMBOL(carousel_sim_atomic_reduce),
      CAROUSEL_SYMBOL(carousel_sim_step),
      CAROUSEL_SYMBOL(carousel_sim_turn),
      CAROUSEL_SYMBOL(carousel_sim_forget_polls),
      CAROUSEL_SYMBOL(carousel_sim_check_division),
      CAROUSEL_SYMBOL(carousel_sim_check_alignment),
      CAROUSEL_SYMBOL(carousel_sim_check_own),
      CAROUSEL_SYMBOL(carousel_sim_check_poison),
      CAROUSEL_SYMBOL(carousel_sim_assert),
      CAROUSEL_SYMBOL(carousel_sim_assert_fail),
      CAROUSEL_SYMBOL(carousel_sim_thread_id),
      CAROUSEL_SYMBOL(carousel_sim_block_id),
      CAROUSEL_SYMBOL(carousel_sim_block_dim),
      CAROUSEL_SYMBOL(carousel_sim_grid_dim),
      CAROUSEL_SYMBOL(carousel_sim_cluster_id),
      CAROUSEL_SYMBOL(carousel_sim_cluster_dim),
      CAROUSEL_SYMBOL(carousel_sim_cluster_dim_blocks),
      CAROUSEL_SYMBOL(carousel_sim_cluster_block_id),
      CAROUSEL_SYMBOL(carousel_sim_lane_id),
      CAROUSEL_SYMBOL(carousel_sim_subgroup_id),
      CAROUSEL_SYMBOL(carousel_sim_subgroup_size),
      CAROUSEL_SYMBOL(carousel_sim_num_subgroups),
      CAROUSEL_SYMBOL(carousel_sim_cluster_rank),
      CAROUSEL_SYMBOL(carousel_sim_cluster_size),
      CAROUSEL_SYMBOL(carousel_sim_static_shared),
      CAROUSEL_SYMBOL(carousel_sim_dynamic_shared),
      CAROUSEL_SYMBOL(carousel_sim_global),
      CAROUSEL_SYMBOL(carousel_sim_values),
      CAROUSEL_SYMBOL(carousel_sim_elect),
      CAROUSEL_SYMBOL(carousel_sim_barrier_sync),
      CAROUSEL_SYMBOL(carousel_sim_barrier_arrive),
      CAROUSEL_SYMBOL(carousel_sim_barrier_warp),
      CAROUSEL_SYMBOL(carousel_sim_cluster_arrive),
      CAROUSEL_SYMBOL(carousel_sim_cluster_wait),
      CAROUSEL_SYMBOL(carousel_sim_map_shared),
      CAROUSEL_SYMBOL(carousel_sim_rank_of),
      CAROUSEL_SYMBOL(carousel_sim_set_max_registers),
      CAROUSEL_SYMBOL(carousel_sim_launch_dependents),
      CAROUSEL_SYMBOL(carousel_sim_dependency_wait),
      CAROUSEL_SYMBOL(carousel_sim_grid_serial_wait),
      CAROUSEL_SYMBOL(carousel_sim_grid_serial_release),
      CAROUSEL_SYMBOL(carousel_sim_grid_ticket),
      CAROUSEL_SYMBOL(carousel_sim_signal),
      CAROUSEL_SYMBOL(carousel_sim_wait_signal),
      CAROUSEL_SYMBOL(carousel_sim_fence_thread),
      CAROUSEL_SYMBOL(carousel_sim_fence_proxy),
      CAROUSEL_SYMBOL(carousel_sim_fence_mbarrier_init),
      CAROUSEL_SYMBOL(carousel_sim_fence_sync_restrict),
      CAROUSEL_SYMBOL(carousel_sim_fence_proxy_sync_restrict),
      CAROUSEL_SYMBOL(carousel_sim_fence_tensor_map_release),
      CAROUSEL_SYMBOL(carousel_sim_fence_tensor_map_acquire)};
#undef CAROUSEL_SYMBOL
  return kSymbols;
}

namespace {
struct ShuffleResult {
  uint64_t value, valid;
};
enum ShuffleMode { Xor, Down, Up, Index, Rotate };
} // namespace

/// The lane whose value a lane gets. Values outside 0..width-1 mean none.
static int64_t getSourceLane(ShuffleMode mode, int64_t lane, int64_t offset,
                             int64_t width) {
  switch (mode) {
  case Xor:
    return lane ^ offset;
  case Down:
    return lane + offset;
  case Up:
    return lane - offset;
  case Index:
    return offset;
  case Rotate:
    return (lane + offset) % width;
  }
  return lane;
}

extern "C" {

static ShuffleResult carousel_sim_shuffle(uint64_t value, int32_t offset,
                                          int32_t width, int32_t mode,
                                          uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  uint32_t lane = machine.grid.current().lane();
  // gpu.rotate defines the result of lanes beyond its width.
  if (mode == Rotate && lane >= uint32_t(width)) {
    ShuffleResult none = {0, 0};
    poison(&none.value, sizeof(none.value));
    return none;
  }
  if (width < 1 || width > 32 || lane >= uint32_t(width)) {
    machine.report(FindingKind::InvalidOperand,
                   "expected a shuffle's width to be at most 32 and above the "
                   "lane, got width " +
                       std::to_string(width) + " in lane " +
                       std::to_string(lane));
    return {value, 0};
  }
  TracedCall call(machine, CallKind::Waits, "shuffle");
  // The lanes below the width take part. A width of 32 means all lanes that the
  // warp has.
  uint32_t mask = width == 32 ? 0 : (1u << width) - 1;
  std::array<uint64_t, 32> values =
      machine.grid.exchange("shuffle", mask, value);
  int64_t source = getSourceLane(ShuffleMode(mode), lane, offset, width);
  if (source < 0 || source >= width)
    return {value, 0};
  return {values[source], 1};
}
/// A lane of -1 is the first one. All lanes of the warp take part.
static uint64_t carousel_sim_broadcast(uint64_t value, int32_t lane,
                                       uint32_t site) {
  constexpr llvm::StringLiteral kKind = "subgroup_broadcast";
  Machine &machine = Machine::current();
  machine.enter(site);
  std::array<uint64_t, 32> values = machine.grid.exchange(kKind, 0, value);
  if (lane == -1)
    return values[0];
  std::array<uint64_t, 32> lanes =
      machine.grid.exchange(kKind, 0, uint64_t(uint32_t(lane)) + 1);
  for (uint64_t other : lanes)
    if (other != 0 && other != uint64_t(uint32_t(lane)) + 1) {
      machine.report(FindingKind::InvalidOperand,
                     "expected one lane for all of a warp's broadcast, got " +
                         std::to_string(lane) + " and " +
                         std::to_string(int32_t(other - 1)));
      break;
    }
  if (uint32_t(lane) < 32 && lanes[lane] != 0)
    return values[lane];
  machine.report(FindingKind::InvalidOperand,
                 "expected the lane of a broadcast to be one that the warp "
                 "has, got " +
                     std::to_string(lane));
  return value;
}
static void carousel_sim_gather(uint64_t value, uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  TracedCall call(machine, CallKind::Waits, "all_reduce");
  // No thread gathers again before all have read, so one buffer per CTA
  // suffices.
  std::vector<uint64_t> &gathered = machine.getGathered();
  machine.grid.gather("all_reduce", 0, machine.grid.getShape().block.count(),
                      value, [&](llvm::ArrayRef<uint64_t> values) {
                        gathered.assign(values.begin(), values.end());
                      });
}
static uint64_t carousel_sim_gathered(uint32_t thread, uint32_t) {
  return Machine::current().getGathered()[thread];
}
/// The thread reads what these two collect before another one runs.
static void carousel_sim_cluster_gather(uint64_t value, uint32_t count,
                                        uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  TracedCall call(machine, CallKind::Waits, "cluster gather");
  machine.collected = machine.async.gathers.gather(value, count);
}
static void carousel_sim_collect_lanes(uint64_t value, uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  TracedCall call(machine, CallKind::Waits, "subgroup_reduce");
  std::array<uint64_t, 32> values =
      machine.grid.exchange("subgroup_reduce", 0, value);
  machine.collected.assign(values.begin(), values.end());
}
static uint64_t carousel_sim_collected(uint32_t number, uint32_t) {
  return Machine::current().collected[number];
}
static uint64_t carousel_sim_num_threads(uint32_t) {
  return Machine::current().grid.getShape().block.count();
}

} // extern "C"

llvm::ArrayRef<HostSymbol> carousel::sim::getMachineCollectiveSymbols() {
#define CAROUSEL_SYMBOL(Name)                                                  \
  {                                                                            \
    #Name, (void *)&Name                                                       \
  }
  static const HostSymbol kSymbols[] = {
      CAROUSEL_SYMBOL(carousel_sim_shuffle),
      CAROUSEL_SYMBOL(carousel_sim_broadcast),
      CAROUSEL_SYMBOL(carousel_sim_gather),
      CAROUSEL_SYMBOL(carousel_sim_gathered),
      CAROUSEL_SYMBOL(carousel_sim_cluster_gather),
      CAROUSEL_SYMBOL(carousel_sim_collect_lanes),
      CAROUSEL_SYMBOL(carousel_sim_collected),
      CAROUSEL_SYMBOL(carousel_sim_num_threads),
  };
#undef CAROUSEL_SYMBOL
  return kSymbols;
}
