//===- MachineCalls.cpp - functions that kernels call -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each op or kind of access, with the arguments that the
// lowerings pass (Lower*Ops.cpp, InstrumentMemory.cpp), and the site as the
// last one. Each counts a step, and then acts for the running thread. A mask of
// -1 means no mask. MachineAsyncCalls.cpp has mbarriers and copies,
// MachineCollectiveCalls.cpp values of several threads.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "carousel/Support/HardwareLimits.h"
#include "llvm/ADT/bit.h"

using namespace carousel::sim;
namespace rules = carousel::rules;

/// The machine, after the thread's site is set and its step is counted.
static Machine &enter(uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  return machine;
}
static AsyncMachine &enterAsync(uint32_t site) { return enter(site).async; }

namespace {
/// Shows a call in which the thread may wait on the timeline.
class Waiting : TracedCall {
public:
  Waiting(Machine &machine, llvm::StringRef what)
      : TracedCall(machine, CallKind::Waits, what) {}
};
} // namespace

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
static void carousel_sim_assert(int32_t holds, uint32_t site) {
  if (!holds)
    enter(site).report(FindingKind::InvalidOperand,
                       "expected the kernel's assertion to hold, got false");
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
