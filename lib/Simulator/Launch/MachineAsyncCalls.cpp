//===- MachineAsyncCalls.cpp - calls of the asynchronous units ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of MachineCalls.cpp for mbarriers, copies, tensor copies, a
// warpgroup's products and transfers of the tile phase, with the same
// conventions. A value of registers is in memory of the thread: its bytes, a
// byte for each element that says whether it is poison, and one that says
// whether these bytes are set.
//
//===----------------------------------------------------------------------===//

#include "../Async/TileMover.h"
#include "Machine.h"

using namespace carousel::sim;

namespace {
/// Shows calls that don't issue operations on the timeline.
struct Working : TracedCall {
  Working(Machine &machine, llvm::StringRef what, const void *barrier)
      : TracedCall(machine, CallKind::Works, what, barrier) {}
};
} // namespace

static std::optional<uint16_t> getMask(int32_t mask) {
  if (mask < 0)
    return std::nullopt;
  return static_cast<uint16_t>(mask);
}

static PhaseName getPhase(uint64_t phase, int32_t byParity) {
  return byParity ? PhaseName::parity(phase != 0) : PhaseName::state(phase);
}

extern "C" {

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

static void carousel_sim_mbarrier_init(void *barrier, uint32_t count,
                                       uint32_t site) {
  Machine &machine = enter(site);
  Working working(machine, "init", barrier);
  machine.async.mbarriers.init(barrier, count);
}
static void carousel_sim_mbarrier_inval(void *barrier, uint32_t site) {
  enterAsync(site).mbarriers.inval(barrier);
}
static void carousel_sim_mbarrier_expect_tx(void *barrier, uint32_t bytes,
                                            uint32_t site) {
  Machine &machine = enter(site);
  Working working(machine, "expect", barrier);
  machine.async.arrivals.expectTx(barrier, bytes);
}
static void carousel_sim_mbarrier_complete_tx(void *barrier, uint32_t bytes,
                                              uint32_t site) {
  Machine &machine = enter(site);
  Working working(machine, "complete", barrier);
  machine.async.arrivals.completeTx(barrier, bytes);
}
static uint64_t carousel_sim_mbarrier_arrive(void *barrier, uint32_t count,
                                             int64_t expectBytes,
                                             int32_t semantics, int32_t scope,
                                             int32_t drop, int32_t noComplete,
                                             uint32_t site) {
  ArriveOptions options;
  options.count = count;
  if (expectBytes >= 0)
    options.expectBytes = expectBytes;
  options.semantics = MemSemantics(semantics);
  options.scope = MemScope(scope);
  options.drop = drop;
  options.noComplete = noComplete;
  Machine &machine = enter(site);
  Working working(machine, "arrive", barrier);
  return machine.async.arrivals.arrive(barrier, options);
}
static int32_t carousel_sim_mbarrier_pending_count(uint64_t state, uint32_t) {
  return MbarrierArrivals::getPendingCount(state);
}
static int32_t carousel_sim_mbarrier_test_wait(void *barrier, uint64_t phase,
                                               int32_t byParity,
                                               int32_t semantics, int32_t scope,
                                               uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "wait", barrier);
  return machine.async.waits.testWait(barrier, getPhase(phase, byParity),
                                      MemSemantics(semantics), MemScope(scope));
}
static int32_t carousel_sim_mbarrier_try_wait(void *barrier, uint64_t phase,
                                              int32_t byParity,
                                              int32_t semantics, int32_t scope,
                                              uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "wait", barrier);
  return machine.async.waits.tryWait(barrier, getPhase(phase, byParity),
                                     MemSemantics(semantics), MemScope(scope));
}
static void carousel_sim_mbarrier_wait(void *barrier, uint64_t phase,
                                       int32_t byParity, int32_t semantics,
                                       int32_t scope, uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "wait", barrier);
  machine.async.waits.wait(barrier, getPhase(phase, byParity),
                           MemSemantics(semantics), MemScope(scope));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static void carousel_sim_bulk_load(void *source, void *destination,
                                   int32_t size, void *barrier, int32_t mask,
                                   uint32_t site) {
  enterAsync(site).bulkCopies.load(source, destination, size, barrier,
                                   getMask(mask));
}
static void carousel_sim_bulk_store(void *source, void *destination,
                                    int32_t size, int32_t mask, uint32_t site) {
  enterAsync(site).bulkCopies.store(source, destination, size, getMask(mask));
}
static void carousel_sim_bulk_copy_cluster(void *source, void *destination,
                                           int32_t size, void *barrier,
                                           uint32_t site) {
  enterAsync(site).bulkCopies.copyCluster(source, destination, size, barrier);
}
static void carousel_sim_bulk_reduce(int32_t kind, int32_t type, void *source,
                                     void *destination, int32_t size,
                                     uint32_t site) {
  enterAsync(site).bulkCopies.reduce(ReduceKind(kind), ReduceType(type), source,
                                     destination, size);
}
static void carousel_sim_bulk_reduce_cluster(int32_t kind, int32_t type,
                                             void *source, void *destination,
                                             int32_t size, void *barrier,
                                             uint32_t site) {
  enterAsync(site).bulkCopies.reduceCluster(ReduceKind(kind), ReduceType(type),
                                            source, destination, size, barrier);
}
static void carousel_sim_bulk_prefetch(void *source, int32_t size,
                                       uint32_t site) {
  enterAsync(site).bulkCopies.prefetch(source, size);
}
static void carousel_sim_bulk_commit_group(uint32_t site) {
  enterAsync(site).bulkGroups.commit();
}
static void carousel_sim_bulk_wait_group(int32_t read, int32_t pending,
                                         uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, read ? "bulk group wait (read)" : "bulk group wait");
  machine.async.bulkGroups.wait(read, pending);
}
static void carousel_sim_st_async(void *value, uint32_t bytes,
                                  void *destination, void *barrier,
                                  uint32_t site) {
  enterAsync(site).values.store(value, bytes, destination, barrier);
}
static void carousel_sim_st_async_global(void *value, uint32_t bytes,
                                         void *destination, uint32_t site) {
  enterAsync(site).values.storeGlobal(value, bytes, destination);
}
static void carousel_sim_red_async(int32_t kind, int32_t type, void *value,
                                   void *destination, void *barrier,
                                   uint32_t site) {
  enterAsync(site).values.reduce(ReduceKind(kind), ReduceType(type), value,
                                 destination, barrier);
}
static void carousel_sim_red_async_global(int32_t type, void *value,
                                          void *destination, uint32_t site) {
  enterAsync(site).values.reduceGlobal(ReduceType(type), value, destination);
}
static void carousel_sim_multimem_store(void *value, uint32_t bytes,
                                        char *address, uint32_t site) {
  enterAsync(site).multimem.store(value, bytes, address, [&] { enter(site); });
}
static void carousel_sim_multimem_reduce(int32_t kind, int32_t type,
                                         void *value, uint32_t bytes,
                                         char *address, uint32_t site) {
  enterAsync(site).multimem.reduce(ReduceKind(kind), ReduceType(type), value,
                                   bytes, address, [&] { enter(site); });
}
static void carousel_sim_vector_reduce(int32_t kind, int32_t type, void *value,
                                       uint32_t bytes, char *address,
                                       uint32_t site) {
  enterAsync(site).multimem.reduceOnce(ReduceKind(kind), ReduceType(type),
                                       value, bytes, address);
}
static void carousel_sim_cp_async(void *source, void *destination,
                                  uint32_t size, uint32_t valid,
                                  uint32_t site) {
  enterAsync(site).cpAsync.copy(source, destination, size, valid);
}
static void carousel_sim_cp_async_commit_group(uint32_t site) {
  enterAsync(site).cpAsync.commitGroup();
}
static void carousel_sim_cp_async_wait_group(int32_t pending, uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "cp.async group wait");
  machine.async.cpAsync.waitGroup(pending);
}
static void carousel_sim_cp_async_wait_all(uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "cp.async group wait");
  machine.async.cpAsync.waitAll();
}
static void carousel_sim_cp_async_mbarrier_arrive(void *barrier,
                                                  int32_t noIncrement,
                                                  uint32_t site) {
  Machine &machine = enter(site);
  Working working(machine, "arrive", barrier);
  machine.async.copyArrives.arrive(barrier, noIncrement);
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

static void carousel_sim_tensor_load(const TensorMap *map, int32_t mode,
                                     int32_t rank, int32_t c0, int32_t c1,
                                     int32_t c2, int32_t c3, int32_t c4,
                                     int32_t numOffsets, int32_t o0, int32_t o1,
                                     int32_t o2, void *destination,
                                     void *barrier, int32_t mask,
                                     uint32_t site) {
  int32_t coordinates[] = {c0, c1, c2, c3, c4};
  int16_t offsets[] = {int16_t(o0), int16_t(o1), int16_t(o2)};
  enterAsync(site).tensorCopies.load(
      map, {coordinates, size_t(rank)}, TensorLoadMode(mode),
      {offsets, size_t(numOffsets)}, destination, barrier, getMask(mask));
}
static void carousel_sim_tensor_store(const TensorMap *map, int32_t mode,
                                      int32_t rank, int32_t c0, int32_t c1,
                                      int32_t c2, int32_t c3, int32_t c4,
                                      void *source, uint32_t site) {
  int32_t coordinates[] = {c0, c1, c2, c3, c4};
  enterAsync(site).tensorCopies.store(map, {coordinates, size_t(rank)},
                                      TensorStoreMode(mode), source);
}
static void carousel_sim_tensor_reduce(int32_t kind, const TensorMap *map,
                                       int32_t mode, int32_t rank, int32_t c0,
                                       int32_t c1, int32_t c2, int32_t c3,
                                       int32_t c4, void *source,
                                       uint32_t site) {
  int32_t coordinates[] = {c0, c1, c2, c3, c4};
  enterAsync(site).tensorCopies.reduce(ReduceKind(kind), map,
                                       {coordinates, size_t(rank)},
                                       TensorStoreMode(mode), source);
}
static void carousel_sim_tensor_prefetch(const TensorMap *map, int32_t mode,
                                         int32_t rank, int32_t c0, int32_t c1,
                                         int32_t c2, int32_t c3, int32_t c4,
                                         int32_t numOffsets, int32_t o0,
                                         int32_t o1, int32_t o2,
                                         uint32_t site) {
  int32_t coordinates[] = {c0, c1, c2, c3, c4};
  int16_t offsets[] = {int16_t(o0), int16_t(o1), int16_t(o2)};
  enterAsync(site).tensorCopies.prefetch(map, {coordinates, size_t(rank)},
                                         TensorLoadMode(mode),
                                         {offsets, size_t(numOffsets)});
}
static void carousel_sim_tensor_map_replace(TensorMap *map, int32_t field,
                                            uint32_t dim, uint64_t value,
                                            uint32_t site) {
  enterAsync(site).tensorMaps.replace(map, TensorMapField(field), dim, value);
}
static void carousel_sim_tensor_map_copy_fence(const TensorMap *source,
                                               TensorMap *destination,
                                               int32_t scope, uint32_t site) {
  enterAsync(site).tensorMaps.copyFence(source, destination, MemScope(scope));
}

} // extern "C"

llvm::ArrayRef<HostSymbol> carousel::sim::getMachineAsyncSymbols() {
#define CAROUSEL_SYMBOL(Name)                                                  \
  {                                                                            \
    #Name, (void *)&Name                                                       \
  }
  static const HostSymbol kSymbols[] = {
      CAROUSEL_SYMBOL(carousel_sim_mbarrier_init),
      CAROUSEL_SYMBOL(carousel_sim_mbarrier_inval),
      CAROUSEL_SYMBOL(carousel_sim_mbarrier_expect_tx),
      CAROUSEL_SYMBOL(carousel_sim_mbarrier_complete_tx),
      CAROUSEL_SYMBOL(carousel_sim_mbarrier_arrive),
      CAROUSEL_SYMBOL(carousel_sim_mbarrier_pending_count),
      CAROUSEL_SYMBOL(carousel_sim_mbarrier_test_wait),
      CAROUSEL_SYMBOL(carousel_sim_mbarrier_try_wait),
      CAROUSEL_SYMBOL(carousel_sim_mbarrier_wait),
      CAROUSEL_SYMBOL(carousel_sim_bulk_load),
      CAROUSEL_SYMBOL(carousel_sim_bulk_store),
      CAROUSEL_SYMBOL(carousel_sim_bulk_copy_cluster),
      CAROUSEL_SYMBOL(carousel_sim_bulk_reduce),
      CAROUSEL_SYMBOL(carousel_sim_bulk_reduce_cluster),
      CAROUSEL_SYMBOL(carousel_sim_bulk_prefetch),
      CAROUSEL_SYMBOL(carousel_sim_bulk_commit_group),
      CAROUSEL_SYMBOL(carousel_sim_bulk_wait_group),
      CAROUSEL_SYMBOL(carousel_sim_st_async),
      CAROUSEL_SYMBOL(carousel_sim_st_async_global),
      CAROUSEL_SYMBOL(carousel_sim_red_async),
      CAROUSEL_SYMBOL(carousel_sim_red_async_global),
      CAROUSEL_SYMBOL(carousel_sim_multimem_store),
      CAROUSEL_SYMBOL(carousel_sim_multimem_reduce),
      CAROUSEL_SYMBOL(carousel_sim_vector_reduce),
      CAROUSEL_SYMBOL(carousel_sim_cp_async),
      CAROUSEL_SYMBOL(carousel_sim_cp_async_commit_group),
      CAROUSEL_SYMBOL(carousel_sim_cp_async_wait_group),
      CAROUSEL_SYMBOL(carousel_sim_cp_async_wait_all),
      CAROUSEL_SYMBOL(carousel_sim_cp_async_mbarrier_arrive),
      CAROUSEL_SYMBOL(carousel_sim_tensor_load),
      CAROUSEL_SYMBOL(carousel_sim_tensor_store),
      CAROUSEL_SYMBOL(carousel_sim_tensor_reduce),
      CAROUSEL_SYMBOL(carousel_sim_tensor_prefetch),
      CAROUSEL_SYMBOL(carousel_sim_tensor_map_replace),
      CAROUSEL_SYMBOL(carousel_sim_tensor_map_copy_fence)};
#undef CAROUSEL_SYMBOL
  return kSymbols;
}

static WarpgroupProducts &enterProducts(uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  return machine.async.products;
}

extern "C" {

static uint64_t carousel_sim_wgmma_descriptor(const char *address,
                                              uint64_t bits, uint32_t site) {
  return enterProducts(site).describe(address, bits);
}
static void carousel_sim_wgmma_fence(uint32_t site) {
  enterProducts(site).fence();
}
static uint64_t carousel_sim_wgmma_keep(const char *value, uint32_t bytes,
                                        uint32_t elements, uint32_t) {
  const char *poison = value + bytes;
  return Machine::current().async.products.keep(
      value, bytes, poison[elements] ? poison : nullptr, elements);
}
static uint64_t carousel_sim_wgmma_mma(uint64_t form, uint64_t a, uint64_t b,
                                       uint64_t sums, int32_t accumulates,
                                       uint32_t site) {
  return enterProducts(site).multiply(ProductForm::decode(form), a, b, sums,
                                      accumulates);
}
static void carousel_sim_wgmma_commit(uint32_t site) {
  enterProducts(site).commit();
}
static void carousel_sim_wgmma_wait(uint32_t pending, uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  TracedCall call(machine, CallKind::Waits, "wgmma group wait");
  machine.async.products.wait(pending);
}
static void carousel_sim_wgmma_take(uint64_t handle, char *value,
                                    uint32_t bytes, uint32_t elements,
                                    uint32_t) {
  Machine::current().async.products.take(handle, value, bytes, value + bytes,
                                         elements);
}

} // extern "C"

llvm::ArrayRef<HostSymbol> carousel::sim::getMachineProductSymbols() {
#define CAROUSEL_SYMBOL(Name)                                                  \
  {                                                                            \
    #Name, (void *)&Name                                                       \
  }
  static const HostSymbol kSymbols[] = {
      CAROUSEL_SYMBOL(carousel_sim_wgmma_descriptor),
      CAROUSEL_SYMBOL(carousel_sim_wgmma_fence),
      CAROUSEL_SYMBOL(carousel_sim_wgmma_keep),
      CAROUSEL_SYMBOL(carousel_sim_wgmma_mma),
      CAROUSEL_SYMBOL(carousel_sim_wgmma_commit),
      CAROUSEL_SYMBOL(carousel_sim_wgmma_wait),
      CAROUSEL_SYMBOL(carousel_sim_wgmma_take)};
#undef CAROUSEL_SYMBOL
  return kSymbols;
}

extern "C" {

/// `numbers`: offsets, extents and strides of the global memref, then extents
/// and strides of the tile. A kind of -1 means no reduction.
static void carousel_sim_move_tile(
    int32_t isLoad, int32_t scope, int32_t isInBounds, uint32_t elementBytes,
    uint64_t fill, int32_t reduceKind, int32_t reduceType, int32_t rounds,
    int32_t isExclusive, char *global, char *tile, uint32_t globalRank,
    uint32_t tileRank, const int64_t *numbers, uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  auto take = [&](uint32_t rank) {
    llvm::ArrayRef<int64_t> taken(numbers, rank);
    numbers += rank;
    return taken;
  };
  TileTransfer transfer;
  transfer.isLoad = isLoad;
  transfer.scope = TransferScope(scope);
  transfer.isInBounds = isInBounds;
  transfer.elementBytes = elementBytes;
  transfer.fill = fill;
  if (reduceKind >= 0)
    transfer.reduction = {ReduceKind(reduceKind), ReduceType(reduceType)};
  transfer.rounds = rounds;
  transfer.isExclusive = isExclusive;
  transfer.global = global;
  transfer.tile = tile;
  transfer.offsets = take(globalRank);
  transfer.globalExtents = take(globalRank);
  transfer.globalStrides = take(globalRank);
  transfer.tileExtents = take(tileRank);
  transfer.tileStrides = take(tileRank);
  TracedCall call(machine, CallKind::Waits,
                  isLoad ? "tile load" : "tile store");
  machine.async.tiles.move(transfer);
}

} // extern "C"

llvm::ArrayRef<HostSymbol> carousel::sim::getMachineTileSymbols() {
  static const HostSymbol kSymbols[] = {
      {"carousel_sim_move_tile", (void *)&carousel_sim_move_tile}};
  return kSymbols;
}
