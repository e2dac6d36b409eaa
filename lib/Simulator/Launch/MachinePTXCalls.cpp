//===- MachinePTXCalls.cpp - calls of translated PTX ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of MachineCalls.cpp that only translated PTX makes, with the same
// conventions: addresses, accesses with an order and a scope, ends of a thread,
// and then those by which the lanes of a mask, the threads of a barrier or
// those of a warpgroup give each other values.
//
// A shared address is an offset in the CTA's block; one of the cluster has the
// rank of the CTA and 1 above its low 24 bits, and 0 there for the own CTA.
//
//===----------------------------------------------------------------------===//

#include "../Async/Tensors/Reduce.h"
#include "../PTX/Matrices/MmaForm.h"
#include "../PTX/PTXForms.h"
#include "Machine.h"

#include "carousel/PTX/PTXTypes.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace carousel::sim;
using carousel::ptx::StateSpace;

static constexpr unsigned kOffsetBits = 24;
static constexpr uint32_t kOffsetMask = (1u << kOffsetBits) - 1;

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

/// Notes a strong load's order. A scope below the GPU's is that of a fence.
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

static constexpr uint32_t kLanes = 32;

namespace {
/// A lane's part in a product: the form, and its fragments.
struct ProductLane {
  llvm::ArrayRef<uint64_t> form;
  char *words;
};
} // namespace

/// Exchanges the values of the lanes of the mask. An empty mask isn't one.
static std::array<uint64_t, kLanes> exchange(Machine &machine,
                                             llvm::StringRef kind,
                                             uint32_t mask, uint64_t value) {
  Waiting waiting(machine, kind);
  if (mask == 0) {
    machine.report(FindingKind::BarrierDivergence,
                   ("expected the mask of a '" + kind +
                    "' to have the lane itself, found an empty one")
                       .str());
    mask = 1u << machine.grid.current().lane();
  }
  return machine.grid.exchange(kind, mask, value);
}

/// The lanes of the mask that the warp has.
static uint32_t getLanes(Machine &machine, uint32_t mask) {
  const Thread &thread = machine.grid.current();
  uint64_t threads = machine.grid.getShape().block.count();
  uint64_t left = threads - thread.index / kLanes * kLanes;
  return left >= kLanes ? mask : mask & ((1u << left) - 1);
}

extern "C" {

static uint32_t carousel_sim_ptx_lane_mask(int32_t kind, uint32_t) {
  uint32_t own = 1u << Machine::current().grid.current().lane();
  uint32_t below = own - 1;
  switch (kind) {
  case 0:
    return own;
  case 1:
    return below;
  case 2:
    return below | own;
  case 3:
    return ~(below | own);
  default:
    return ~below;
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// This follows the ISA's text of shfl.sync: `c` has the clamp and the mask of
/// segments.
static uint64_t carousel_sim_ptx_shuffle(uint32_t value, uint32_t b, uint32_t c,
                                         uint32_t mask, int32_t mode,
                                         uint32_t site) {
  Machine &machine = enter(site);
  auto values = exchange(machine, "shfl.sync", mask, value);
  auto lane = int32_t(machine.grid.current().lane());
  int32_t by = b & 31, clamp = c & 31, segments = c >> 8 & 31;
  int32_t highest = (lane & segments) | (clamp & ~segments);
  int32_t lowest = lane & segments;
  int32_t from = 0;
  bool isInRange = false;
  switch (mode) {
  case 0: // up
    from = lane - by;
    isInRange = from >= highest;
    break;
  case 1: // down
    from = lane + by;
    isInRange = from <= highest;
    break;
  case 2: // bfly
    from = lane ^ by;
    isInRange = from <= highest;
    break;
  default: // idx
    from = lowest | (by & ~segments);
    isInRange = from <= highest;
  }
  if (!isInRange)
    from = lane;
  if (!(getLanes(machine, mask) >> from & 1) && from != lane)
    machine.report(FindingKind::InvalidOperand,
                   "expected the source lane of a 'shfl.sync' to be one of its "
                   "mask, got lane " +
                       std::to_string(from));
  return uint64_t(isInRange) << 32 | uint32_t(values[from]);
}

static uint32_t carousel_sim_ptx_vote(int32_t holds, uint32_t mask,
                                      int32_t mode, uint32_t site) {
  Machine &machine = enter(site);
  auto values = exchange(machine, "vote.sync", mask, holds & 1);
  uint32_t lanes = getLanes(machine, mask), ballot = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    ballot |= uint32_t(values[lane]) << lane;
  ballot &= lanes;
  switch (mode) {
  case 0:
    return ballot == lanes;
  case 1:
    return ballot != 0;
  case 2:
    return ballot == 0 || ballot == lanes;
  default:
    return ballot;
  }
}

static uint32_t carousel_sim_ptx_match(uint64_t value, uint32_t mask,
                                       int32_t isAny, uint32_t site) {
  Machine &machine = enter(site);
  auto values = exchange(machine, "match.sync", mask, value);
  uint32_t lanes = getLanes(machine, mask), equal = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    equal |= uint32_t(values[lane] == value) << lane;
  equal &= lanes;
  return isAny || equal == lanes ? equal : 0;
}

static uint32_t carousel_sim_ptx_redux(uint32_t value, uint32_t mask,
                                       int32_t kind, int32_t isSigned,
                                       uint32_t site) {
  Machine &machine = enter(site);
  auto values = exchange(machine, "redux.sync", mask, value);
  uint32_t lanes = getLanes(machine, mask), result = value;
  auto isLess = [&](uint32_t a, uint32_t b) {
    return isSigned ? int32_t(a) < int32_t(b) : a < b;
  };
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    auto other = uint32_t(values[lane]);
    if (!(lanes >> lane & 1) || lane == machine.grid.current().lane())
      continue;
    switch (kind) {
    case 0:
      result += other;
      break;
    case 1:
      result = isLess(other, result) ? other : result;
      break;
    case 2:
      result = isLess(result, other) ? other : result;
      break;
    case 3:
      result &= other;
      break;
    case 4:
      result |= other;
      break;
    default:
      result ^= other;
    }
  }
  return result;
}

static uint64_t carousel_sim_ptx_elect(uint32_t mask, uint32_t site) {
  Machine &machine = enter(site);
  bool isLeader = false;
  {
    Waiting waiting(machine, "elect");
    isLeader = machine.grid.elect(mask);
  }
  auto values = exchange(machine, "elect", mask, isLeader);
  uint32_t leader = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    if (values[lane])
      leader = lane;
  return uint64_t(isLeader) << 32 | leader;
}

/// A barrier whose threads also learn how many predicates held, or whether all
/// or any did.
static uint32_t carousel_sim_ptx_barrier_reduce(uint32_t name, uint32_t threads,
                                                int32_t holds, int32_t mode,
                                                uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, name == 0 ? "CTA barrier" : "named barrier");
  std::shared_ptr<BarrierVotes> &open = machine.getVotes(name);
  if (!open)
    open = std::make_shared<BarrierVotes>();
  std::shared_ptr<BarrierVotes> votes = open;
  votes->holds += holds & 1;
  ++votes->threads;
  machine.grid.barrierSync(name, threads);
  // All have voted; the first thread that goes on makes room for the next vote.
  std::shared_ptr<BarrierVotes> &now = machine.getVotes(name);
  if (now == votes)
    now.reset();
  switch (mode) {
  case 0:
    return votes->holds;
  case 1:
    return votes->holds == votes->threads;
  default:
    return votes->holds != 0;
  }
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

static constexpr uint32_t kRowBytes = 16, kMatrixRows = 8, kGroup = 4;

/// The addresses of the rows, by lane.
static std::array<uint64_t, kLanes> gatherRows(Machine &machine,
                                               llvm::StringRef kind, char *row,
                                               uint32_t matrices) {
  const Thread &thread = machine.grid.current();
  if (thread.lane() < matrices * kMatrixRows &&
      reinterpret_cast<uint64_t>(row) % kRowBytes != 0)
    machine.report(FindingKind::InvalidOperand,
                   ("expected rows of a '" + kind +
                    "' at multiples of 16 bytes, got one that isn't")
                       .str());
  return exchange(machine, kind, ~0u, reinterpret_cast<uint64_t>(row));
}

static char *getRow(const std::array<uint64_t, kLanes> &rows, uint32_t lane) {
  return reinterpret_cast<char *>(rows[lane]);
}

static void carousel_sim_ptx_ldmatrix(char *row, uint32_t matrices,
                                      int32_t isTransposed, uint32_t *words,
                                      uint32_t site) {
  Machine &machine = enter(site);
  auto rows = gatherRows(machine, "ldmatrix", row, matrices);
  uint32_t lane = machine.grid.current().lane();
  uint32_t group = lane / kGroup, member = lane % kGroup;
  auto read = [&](const char *from, uint64_t bytes, void *to) {
    std::memcpy(to,
                machine.accessAnywhere(const_cast<char *>(from), bytes,
                                       AccessKind::Read, site),
                bytes);
  };
  for (uint32_t matrix = 0; matrix < matrices; ++matrix) {
    uint32_t first = matrix * kMatrixRows;
    if (!isTransposed) {
      read(getRow(rows, first + group) + member * 4, 4, words + matrix);
      continue;
    }
    uint16_t halves[2];
    for (uint32_t i = 0; i < 2; ++i)
      read(getRow(rows, first + 2 * member + i) + group * 2, 2, &halves[i]);
    words[matrix] = uint32_t(halves[1]) << 16 | halves[0];
  }
}

static void carousel_sim_ptx_stmatrix(char *row, uint32_t matrices,
                                      int32_t isTransposed,
                                      const uint32_t *words, uint32_t site) {
  Machine &machine = enter(site);
  auto rows = gatherRows(machine, "stmatrix", row, matrices);
  uint32_t lane = machine.grid.current().lane();
  uint32_t group = lane / kGroup, member = lane % kGroup;
  auto write = [&](char *to, uint64_t bytes, const void *from) {
    std::memcpy(machine.accessAnywhere(to, bytes, AccessKind::Write, site),
                from, bytes);
  };
  for (uint32_t matrix = 0; matrix < matrices; ++matrix) {
    uint32_t first = matrix * kMatrixRows;
    if (!isTransposed) {
      write(getRow(rows, first + group) + member * 4, 4, words + matrix);
      continue;
    }
    for (uint32_t i = 0; i < 2; ++i) {
      auto half = uint16_t(words[matrix] >> (16 * i));
      write(getRow(rows, first + 2 * member + i) + group * 2, 2, &half);
    }
  }
}

static uint32_t carousel_sim_ptx_movmatrix(uint32_t word, uint32_t site) {
  Machine &machine = enter(site);
  auto words = exchange(machine, "movmatrix", ~0u, word);
  uint32_t lane = machine.grid.current().lane();
  uint32_t group = lane / kGroup, member = lane % kGroup, result = 0;
  // Element (row, column) is in the lane 4 * row + column / 2.
  for (uint32_t i = 0; i < 2; ++i) {
    uint32_t row = 2 * member + i, column = group;
    auto from = uint32_t(words[row * kGroup + column / 2]);
    result |= (from >> (column % 2 * 16) & 0xffff) << (16 * i);
  }
  return result;
}

} // extern "C"

/// The last lane that arrives computes the results of all. `form` is that of
/// the lane; all lanes of a warp must have the same.
static void
multiplyTogether(Machine &machine, const char *what,
                 llvm::ArrayRef<uint64_t> form, char *words,
                 llvm::function_ref<void(llvm::ArrayRef<char *>)> multiply) {
  Waiting waiting(machine, what);
  uint32_t first = machine.grid.current().index / kLanes * kLanes;
  ProductLane own = {form, words};
  machine.grid.gather(
      what, first, kLanes, reinterpret_cast<uint64_t>(&own),
      [&](llvm::ArrayRef<uint64_t> values) {
        std::array<char *, kLanes> lanes;
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
          const auto &other =
              *reinterpret_cast<const ProductLane *>(values[lane]);
          lanes[lane] = other.words;
          if (other.form == form)
            continue;
          machine.report(FindingKind::BarrierDivergence,
                         "expected the lanes of a warp to execute the same '" +
                             std::string(what) +
                             "', found another form in lane " +
                             std::to_string(lane));
          machine.grid.abort();
        }
        multiply(lanes);
      });
}

/// Each element of a lane's fragment is an access of its own.
static void moveFragment(char *base, uint32_t stride, uint64_t bits,
                         char *words, bool isStore, uint32_t site) {
  Machine &machine = enter(site);
  WmmaFragment fragment = WmmaFragment::decode(bits);
  exchange(machine, "wmma", ~0u, 0);
  uint32_t lane = machine.grid.current().lane();
  uint64_t bytes = fragment.elementBits / 8;
  for (unsigned i = 0; i < fragment.getElements(); ++i) {
    char *at =
        base +
        fragment.getDistance(fragment.getNumber(lane, i), stride) * bytes;
    void *usable = machine.accessAnywhere(
        at, bytes, isStore ? AccessKind::Write : AccessKind::Read, site);
    if (isStore)
      std::memcpy(usable, words + i * bytes, bytes);
    else
      std::memcpy(words + i * bytes, usable, bytes);
  }
}

extern "C" {

static void carousel_sim_ptx_mma(uint64_t form, char *words, uint32_t site) {
  multiplyTogether(enter(site), "mma", form, words,
                   [&](llvm::ArrayRef<char *> lanes) {
                     multiplyWarp(MmaForm::decode(form), lanes);
                   });
}

static void carousel_sim_ptx_wmma_load(char *base, uint32_t stride,
                                       uint64_t fragment, char *words,
                                       uint32_t site) {
  moveFragment(base, stride, fragment, words, /*isStore=*/false, site);
}

static void carousel_sim_ptx_wmma_store(char *base, uint32_t stride,
                                        uint64_t fragment, char *words,
                                        uint32_t site) {
  moveFragment(base, stride, fragment, words, /*isStore=*/true, site);
}

static void carousel_sim_ptx_wmma(uint64_t types, uint64_t left, uint64_t right,
                                  uint64_t sums, uint64_t result, char *words,
                                  uint32_t site) {
  WmmaForm form;
  form.decodeTypes(types);
  form.left = WmmaFragment::decode(left);
  form.right = WmmaFragment::decode(right);
  form.sums = WmmaFragment::decode(sums);
  form.result = WmmaFragment::decode(result);
  multiplyTogether(
      enter(site), "wmma", {types, left, right, sums, result}, words,
      [&](llvm::ArrayRef<char *> lanes) { multiplyWarp(form, lanes); });
}

static uint32_t carousel_sim_ptx_wgmma(uint64_t form, uint64_t a, uint64_t b,
                                       const char *factors, char *sums,
                                       int32_t accumulates, uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "wgmma");
  return machine.async.products.multiplyInPlace(ProductForm::decode(form), a, b,
                                                factors, sums, accumulates & 1);
}

static void carousel_sim_ptx_check_sums(uint32_t group, uint32_t site) {
  if (group != 0)
    enter(site).async.products.checkSums(group);
}
static void carousel_sim_ptx_check_factors(uint32_t group, uint32_t site) {
  if (group != 0)
    enter(site).async.products.checkFactors(group);
}

} // extern "C"

llvm::ArrayRef<HostSymbol> carousel::sim::getMachinePTXWarpSymbols() {
#define CAROUSEL_SYMBOL(Name)                                                  \
  {                                                                            \
    #Name, (void *)&Name                                                       \
  }
  static const HostSymbol kSymbols[] = {
      CAROUSEL_SYMBOL(carousel_sim_ptx_lane_mask),
      CAROUSEL_SYMBOL(carousel_sim_ptx_shuffle),
      CAROUSEL_SYMBOL(carousel_sim_ptx_vote),
      CAROUSEL_SYMBOL(carousel_sim_ptx_match),
      CAROUSEL_SYMBOL(carousel_sim_ptx_redux),
      CAROUSEL_SYMBOL(carousel_sim_ptx_elect),
      CAROUSEL_SYMBOL(carousel_sim_ptx_barrier_reduce),
      CAROUSEL_SYMBOL(carousel_sim_ptx_ldmatrix),
      CAROUSEL_SYMBOL(carousel_sim_ptx_stmatrix),
      CAROUSEL_SYMBOL(carousel_sim_ptx_movmatrix),
      CAROUSEL_SYMBOL(carousel_sim_ptx_mma),
      CAROUSEL_SYMBOL(carousel_sim_ptx_wmma_load),
      CAROUSEL_SYMBOL(carousel_sim_ptx_wmma_store),
      CAROUSEL_SYMBOL(carousel_sim_ptx_wmma),
      CAROUSEL_SYMBOL(carousel_sim_ptx_wgmma),
      CAROUSEL_SYMBOL(carousel_sim_ptx_check_sums),
      CAROUSEL_SYMBOL(carousel_sim_ptx_check_factors)};
#undef CAROUSEL_SYMBOL
  return kSymbols;
}
