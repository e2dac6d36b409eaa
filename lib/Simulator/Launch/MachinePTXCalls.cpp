//===- MachinePTXCalls.cpp - memory, as code of PTX accesses it -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of MachineCalls.cpp that only translated PTX makes, with the same
// conventions: addresses, accesses with an order and a scope, and ends of a
// thread. MachinePTXWarpCalls.cpp has values of several threads.
//
// A shared address is an offset in the CTA's block; one of the cluster has the
// rank of the CTA and 1 above its low 24 bits, and 0 there for the own CTA.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "../Async/Tensors/Reduce.h"
#include "../PTX/PTXForms.h"

#include "carousel/PTX/PTXTypes.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace carousel::sim;
using carousel::ptx::StateSpace;

static constexpr unsigned kOffsetBits = 24;
static constexpr uint32_t kOffsetMask = (1u << kOffsetBits) - 1;

static Machine &enter(uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  return machine;
}

static AsyncCTA &getOwnCTA(Machine &machine) {
  return machine.async.ctas.at(machine.grid.current().cta);
}

/// The device traps on an access that isn't aligned to its size. Here the
/// access goes on.
static void checkAlignment(Machine &machine, const void *pointer,
                           uint64_t bytes) {
  uint64_t past =
      reinterpret_cast<uint64_t>(pointer) % llvm::PowerOf2Ceil(bytes);
  if (past != 0)
    machine.report(FindingKind::InvalidOperand,
                   "expected an address at a multiple of " +
                       std::to_string(llvm::PowerOf2Ceil(bytes)) +
                       " bytes, the size of the access, got one " +
                       std::to_string(past) + " bytes past that");
}

static bool acquires(MemSemantics semantics) {
  return semantics == MemSemantics::Acquire ||
         semantics == MemSemantics::AcqRel || semantics == MemSemantics::SeqCst;
}
static bool releases(MemSemantics semantics) {
  return semantics == MemSemantics::Release ||
         semantics == MemSemantics::AcqRel || semantics == MemSemantics::SeqCst;
}
static bool isWide(MemScope scope) { return scope >= MemScope::GPU; }

/// The bytes of a word that are in a buffer of global memory. Compilers make
/// loops of atom.cas on words of atomics of 16 bits. Device memory is allocated
/// in whole words, so a word may have bytes past a buffer's end: nobody's, and
/// the loop leaves them as they are.
static uint64_t countInside(Machine &machine, const void *pointer,
                            uint64_t size) {
  const RegionInfo *region = machine.memory.find(pointer);
  constexpr uint64_t kWord = 4;
  if (!region || region->space != Space::Global || size != kWord)
    return size;
  uint64_t left =
      region->base + region->size - static_cast<const char *>(pointer);
  return std::min(size, left);
}

/// What a strong load orders. A scope below the GPU's is that of a fence.
static void noteRead(Machine &machine, const void *address,
                     MemSemantics semantics, MemScope scope) {
  machine.async.atomics.read(address, acquires(semantics) && isWide(scope),
                             scope == MemScope::System);
  if (acquires(semantics) && !isWide(scope))
    machine.async.fences.fenceThread(MemSemantics::Acquire, scope);
}
static void noteWrite(Machine &machine, const void *address,
                      MemSemantics semantics, MemScope scope,
                      bool isReadModifyWrite) {
  if (releases(semantics) && !isWide(scope))
    machine.async.fences.fenceThread(MemSemantics::Release, scope);
  machine.async.atomics.write(address, releases(semantics) && isWide(scope),
                              isReadModifyWrite, scope == MemScope::System);
}

extern "C" {

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static void *carousel_sim_ptx_load(void *pointer, uint64_t size,
                                   uint32_t site) {
  Machine &machine = Machine::current();
  void *usable = machine.accessAnywhere(pointer, size, AccessKind::Read, site);
  checkAlignment(machine, pointer, size);
  return usable;
}
static void carousel_sim_ptx_store(void *pointer, uint64_t size,
                                   const void *values, uint32_t site) {
  Machine &machine = Machine::current();
  void *usable =
      machine.accessAnywhere(pointer, size, AccessKind::Write, site,
                             AtomicForm::None, /*isSystem=*/false, values);
  checkAlignment(machine, pointer, size);
  std::memcpy(usable, values, size);
}
static void carousel_sim_ptx_store_poison(void *pointer, uint64_t size,
                                          const void *values,
                                          const char *poison, uint32_t site) {
  Machine &machine = Machine::current();
  carousel_sim_ptx_store(pointer, size, values, site);
  machine.notePoison(pointer, size, poison);
}
static void *carousel_sim_ptx_load_strong(void *pointer, uint64_t size,
                                          int32_t semantics, int32_t scope,
                                          uint32_t site) {
  Machine &machine = Machine::current();
  void *usable = machine.accessAnywhere(pointer, size, AccessKind::Atomic, site,
                                        AtomicForm::Load,
                                        MemScope(scope) == MemScope::System);
  checkAlignment(machine, pointer, size);
  machine.notePoll(usable, size);
  noteRead(machine, pointer, MemSemantics(semantics), MemScope(scope));
  return usable;
}
/// The first guess of a loop with atom.cas.
static void *carousel_sim_ptx_load_guess(void *pointer, uint64_t size,
                                         uint32_t site) {
  Machine &machine = Machine::current();
  uint64_t inside = countInside(machine, pointer, size);
  void *usable = machine.accessAnywhere(pointer, inside, AccessKind::Atomic,
                                        site, AtomicForm::Load);
  checkAlignment(machine, pointer, size);
  noteRead(machine, pointer, MemSemantics::Relaxed, MemScope::GPU);
  if (inside == size)
    return usable;
  void *word = machine.getScratch(size, AccessKind::Read);
  std::memcpy(word, usable, inside);
  return word;
}
static void carousel_sim_ptx_store_strong(void *pointer, uint64_t size,
                                          const void *values, int32_t semantics,
                                          int32_t scope, uint32_t site) {
  Machine &machine = Machine::current();
  void *usable = machine.accessAnywhere(pointer, size, AccessKind::Atomic, site,
                                        AtomicForm::Store,
                                        MemScope(scope) == MemScope::System);
  checkAlignment(machine, pointer, size);
  noteWrite(machine, pointer, MemSemantics(semantics), MemScope(scope),
            /*isReadModifyWrite=*/false);
  std::memcpy(usable, values, size);
}

/// `old` gets what the memory held. Threads are fibres of one host thread, so
/// the read and the write are one step.
static void carousel_sim_ptx_atomic(void *pointer, int32_t kind, int32_t type,
                                    const void *value, const void *compare,
                                    void *old, uint32_t bytes,
                                    uint32_t elementBytes, int32_t returns,
                                    int32_t semantics, int32_t scope,
                                    uint32_t site) {
  Machine &machine = Machine::current();
  uint64_t inside = kind == kAtomicCompareAndSwap
                        ? countInside(machine, pointer, bytes)
                        : bytes;
  char *at = static_cast<char *>(machine.accessAnywhere(
      pointer, inside, AccessKind::Atomic, site,
      returns ? AtomicForm::ReadModifyWrite : AtomicForm::Reduce,
      MemScope(scope) == MemScope::System));
  checkAlignment(machine, pointer, bytes);
  if (returns) {
    machine.notePoll(at, inside);
    noteRead(machine, pointer, MemSemantics(semantics), MemScope(scope));
  }
  noteWrite(machine, pointer, MemSemantics(semantics), MemScope(scope),
            /*isReadModifyWrite=*/true);
  // Bytes past the end hold what a read of them gives.
  if (inside < bytes)
    std::memcpy(old, machine.getScratch(bytes, AccessKind::Read), bytes);
  std::memcpy(old, at, inside);
  if (kind == kAtomicExchange)
    std::memcpy(at, value, bytes);
  else if (kind == kAtomicCompareAndSwap) {
    if (std::memcmp(old, compare, bytes) == 0)
      std::memcpy(at, value, inside);
  } else
    reduce(ReduceKind(kind), ReduceType(type), at, value, bytes);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static void *carousel_sim_ptx_shared(uint32_t address, uint32_t site) {
  Machine &machine = Machine::current();
  char *own = getOwnCTA(machine).shared + (address & kOffsetMask);
  uint32_t rank = address >> kOffsetBits;
  if (rank == 0)
    return own;
  machine.enter(site);
  return machine.async.ctas.mapShared(own, rank - 1);
}

/// Compilers compute addresses that no thread uses: a rank that no CTA has is a
/// finding at an access.
static uint32_t carousel_sim_ptx_mapa(uint32_t address, uint32_t rank,
                                      uint32_t) {
  constexpr uint32_t kMostRank = 0xfe;
  return (std::min(rank, kMostRank) + 1) << kOffsetBits |
         (address & kOffsetMask);
}

static uint32_t carousel_sim_ptx_rank(uint32_t address, uint32_t) {
  uint32_t rank = address >> kOffsetBits;
  return rank != 0 ? rank - 1 : Machine::current().grid.current().rankInCluster;
}

/// A generic address that isn't in the window becomes the address of nothing.
static uint64_t carousel_sim_ptx_to_shared(void *pointer, int32_t isOfCluster,
                                           uint32_t site) {
  Machine &machine = Machine::current();
  AsyncCTA &own = getOwnCTA(machine);
  // Addresses may be computed past the end.
  uint64_t offset = static_cast<char *>(pointer) - own.shared;
  if (offset <= std::max<uint64_t>(own.bytes, kOffsetMask))
    return offset;
  uint32_t cta = 0;
  AsyncCTA *other = machine.async.ctas.findShared(pointer, &cta);
  if (isOfCluster && other && other->cluster == own.cluster)
    return uint64_t(other->rank + 1) << kOffsetBits |
           uint64_t(static_cast<char *>(pointer) - other->shared);
  enter(site).report(FindingKind::InvalidOperand,
                     "expected a generic address in the CTA's shared memory, "
                     "got one elsewhere");
  return kOffsetMask;
}

static int32_t carousel_sim_ptx_is_space(void *pointer, int32_t space,
                                         int32_t isOfCluster, uint32_t) {
  Machine &machine = Machine::current();
  AsyncCTA &own = getOwnCTA(machine);
  AsyncCTA *shared = machine.async.ctas.findShared(pointer);
  bool isLocal = machine.getLocalBytes() != 0 &&
                 uint64_t(static_cast<char *>(pointer) - machine.getLocal()) <
                     machine.getLocalBytes();
  switch (StateSpace(space)) {
  case StateSpace::Shared:
    return isOfCluster ? shared && shared->cluster == own.cluster
                       : shared == &own;
  case StateSpace::Local:
    return isLocal;
  case StateSpace::Global:
    // The window of parameters is inside of it.
    return !shared && !isLocal;
  case StateSpace::Param:
    return machine.isMap(pointer) || machine.isParameter(pointer, 1);
  default:
    return 0;
  }
}

/// The address of a tensor map: a parameter, or bytes of memory.
static void *carousel_sim_ptx_map(void *address, uint32_t site) {
  Machine &machine = Machine::current();
  if (machine.isMap(address) || machine.memory.find(address))
    return address;
  enter(site).report(FindingKind::InvalidOperand,
                     "expected the address of a tensor map, a parameter or in "
                     "global memory, got another");
  machine.grid.abort();
}

static void carousel_sim_ptx_set_parameters(const char *pointer, uint64_t bytes,
                                            uint32_t) {
  Machine::current().setParameters(pointer, bytes);
}

/// The pointer, if the address is that of a parameter with so many bytes.
static void *carousel_sim_ptx_parameter(void *pointer, uint64_t address,
                                        uint64_t bytes, uint32_t site) {
  if (pointer)
    return pointer;
  Machine &machine = enter(site);
  machine.report(FindingKind::OutOfBounds,
                 "expected the address of " + std::to_string(bytes) +
                     " bytes of a parameter, got " + std::to_string(address));
  return machine.getScratch(bytes, AccessKind::Read);
}

static void *carousel_sim_ptx_local(uint32_t) {
  return Machine::current().getLocal();
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

static void carousel_sim_ptx_trap(uint32_t site) {
  Machine &machine = enter(site);
  machine.report(FindingKind::InvalidOperand,
                 "expected no thread to execute 'trap', found one");
  machine.grid.abort();
}
static void carousel_sim_ptx_bad_callee(uint64_t address, uint32_t site) {
  Machine &machine = enter(site);
  machine.report(FindingKind::InvalidOperand,
                 "expected the address of a function that the call may reach, "
                 "with its results and parameters, got another");
  machine.grid.abort();
}
static void carousel_sim_ptx_check_index(uint32_t index, uint32_t count,
                                         uint32_t site) {
  if (index >= count)
    enter(site).report(FindingKind::InvalidOperand,
                       "expected an index below the " + std::to_string(count) +
                           " targets of the branch, got " +
                           std::to_string(index));
}
static void carousel_sim_ptx_unwritten(uint32_t site) {
  enter(site).report(
      FindingKind::UnwrittenRead,
      "expected a register with a value, found one that nothing has "
      "written, or that is computed from such");
}
static void carousel_sim_ptx_yield(uint32_t site) {
  Machine &machine = enter(site);
  machine.grid.noteIdle();
  machine.grid.yield();
}
static uint64_t carousel_sim_ptx_clock(uint32_t) {
  Machine &machine = Machine::current();
  machine.grid.forgetPolls();
  return machine.grid.current().cycles;
}
/// The machine has no places of CTAs: they go to the multiprocessors in turn.
static uint32_t carousel_sim_ptx_multiprocessor(uint32_t) {
  Machine &machine = Machine::current();
  return machine.grid.current().cta % machine.getMultiprocessors();
}
static uint32_t carousel_sim_ptx_multiprocessors(uint32_t) {
  return Machine::current().getMultiprocessors();
}
static uint32_t carousel_sim_ptx_shared_bytes(uint32_t) {
  return uint32_t(Machine::current().getSharedBytes());
}
static uint32_t carousel_sim_ptx_dynamic_bytes(uint32_t) {
  return uint32_t(Machine::current().getDynamicSharedBytes());
}

} // extern "C"

llvm::ArrayRef<HostSymbol> carousel::sim::getMachinePTXSymbols() {
#define CAROUSEL_SYMBOL(Name)                                                  \
  {                                                                            \
    #Name, (void *)&Name                                                       \
  }
  static const HostSymbol kSymbols[] = {
      CAROUSEL_SYMBOL(carousel_sim_ptx_load),
      CAROUSEL_SYMBOL(carousel_sim_ptx_store),
      CAROUSEL_SYMBOL(carousel_sim_ptx_store_poison),
      CAROUSEL_SYMBOL(carousel_sim_ptx_load_strong),
      CAROUSEL_SYMBOL(carousel_sim_ptx_load_guess),
      CAROUSEL_SYMBOL(carousel_sim_ptx_store_strong),
      CAROUSEL_SYMBOL(carousel_sim_ptx_atomic),
      CAROUSEL_SYMBOL(carousel_sim_ptx_shared),
      CAROUSEL_SYMBOL(carousel_sim_ptx_mapa),
      CAROUSEL_SYMBOL(carousel_sim_ptx_rank),
      CAROUSEL_SYMBOL(carousel_sim_ptx_to_shared),
      CAROUSEL_SYMBOL(carousel_sim_ptx_is_space),
      CAROUSEL_SYMBOL(carousel_sim_ptx_map),
      CAROUSEL_SYMBOL(carousel_sim_ptx_set_parameters),
      CAROUSEL_SYMBOL(carousel_sim_ptx_parameter),
      CAROUSEL_SYMBOL(carousel_sim_ptx_local),
      CAROUSEL_SYMBOL(carousel_sim_ptx_trap),
      CAROUSEL_SYMBOL(carousel_sim_ptx_bad_callee),
      CAROUSEL_SYMBOL(carousel_sim_ptx_check_index),
      CAROUSEL_SYMBOL(carousel_sim_ptx_unwritten),
      CAROUSEL_SYMBOL(carousel_sim_ptx_yield),
      CAROUSEL_SYMBOL(carousel_sim_ptx_clock),
      CAROUSEL_SYMBOL(carousel_sim_ptx_multiprocessor),
      CAROUSEL_SYMBOL(carousel_sim_ptx_multiprocessors),
      CAROUSEL_SYMBOL(carousel_sim_ptx_shared_bytes),
      CAROUSEL_SYMBOL(carousel_sim_ptx_dynamic_bytes)};
#undef CAROUSEL_SYMBOL
  return kSymbols;
}
