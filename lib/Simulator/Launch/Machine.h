//===- Machine.h - the machine that compiled code calls ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Combines memory, grid and asynchronous units for one run, and gives each CTA
// its block of shared memory. The calls of compiled code act on it. The code
// finds it through a pointer of the host thread that runs it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_LAUNCH_MACHINE_H
#define CAROUSEL_LIB_SIMULATOR_LAUNCH_MACHINE_H

#include "../Async/AsyncMachine.h"
#include "../Compile/HostLowering.h"
#include "../Compile/KernelModule.h"
#include "../Grid/Grid.h"
#include "../Memory/Memory.h"
#include "../Memory/WarpAccesses.h"
#include "../Trace/Trace.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdlib>
#include <memory>

namespace carousel::sim {

/// Zero or more bytes, with an alignment that suits every access.
class AlignedBlock {
public:
  static constexpr uint64_t kAlignment = 1024;
  /// The system has pages of zeros that take no memory until they are written.
  explicit AlignedBlock(uint64_t bytes, bool isZero = false);
  char *data() const { return begin; }
  uint64_t size() const { return bytes; }

private:
  struct Free {
    void operator()(char *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<char, Free> memory;
  char *begin;
  uint64_t bytes;
};

/// The code of one launch of the run.
struct KernelLaunch {
  const StaticMemory *layout = nullptr;
  uint64_t dynamicSharedBytes = 0;
  /// The entry takes pointers to its arguments.
  void (*entry)(void **) = nullptr;
  void **arguments = nullptr;
  /// The offset that makes the code's sites unique in the run.
  Site firstSite = 0;
  /// The gpu.module, whose kernels share its globals on each GPU.
  const void *home = nullptr;
  /// The same as firstSite for the numbers of accesses.
  uint32_t firstAccess = 0;
  uint32_t gpu = 0;
  const PoisonChecks *poisonChecks = nullptr;
  const Assertions *assertions = nullptr;
  /// The tensor maps among the parameters.
  std::vector<const void *> maps = {};
  uint32_t multiprocessors = 1;
};

/// The predicates of the threads that have come to a barrier with a vote.
struct BarrierVotes {
  uint32_t threads = 0, holds = 0;
};

class Machine {
public:
  /// The launches must be those of the grid.
  Machine(std::vector<KernelLaunch> launches, Grid &grid, Memory &memory,
          AsyncMachine &async, FindingLog &log);
  ~Machine();

  /// Runs each launch's entry in each of its threads.
  RunEnd run();

  /// The machine of this host thread's run.
  static Machine &current();

  /// Counts a step of the running thread, which is at `site`.
  Thread &enter(Site site) {
    Thread &thread = grid.current();
    if (site != kSiteOfCaller)
      thread.site = launches[thread.launch].firstSite + site;
    ++thread.cycles;
    grid.step();
    return thread;
  }

  /// Checks and records an access. Returns the address at which the thread
  /// performs it.
  void *access(void *pointer, uint64_t size, AccessKind kind, Site site,
               AtomicForm form = AtomicForm::None);

  /// The same for code that no compiler of the machine's has seen: an address
  /// on the host's stack is nobody's, and local memory is that of getLocal.
  /// `values` are Access::values.
  void *accessAnywhere(void *pointer, uint64_t size, AccessKind kind, Site site,
                       AtomicForm form = AtomicForm::None,
                       bool isSystem = false, const void *values = nullptr);
  /// After the write of bytes of which some have no value.
  void notePoison(void *pointer, uint64_t size, const char *poison);

  /// Counts an access of the running thread to its CTA's shared memory. A null
  /// pointer: it executes the op and accesses nothing.
  void countAccess(const void *pointer, uint64_t size, uint32_t access,
                   uint64_t iteration);

  void notePoll(const void *address, uint64_t size) {
    grid.notePoll(address, size);
  }

  /// The address for an access that isn't allowed at its own address.
  void *getScratch(uint64_t size, AccessKind kind);

  /// The address of a static buffer, of dynamic shared memory, of a global.
  char *getStaticShared(uint64_t offset) { return getBlock() + offset; }
  char *getDynamicShared() { return getBlock() + here().dynamicOffset; }
  char *getGlobal(uint32_t index) { return here().globals[index]; }
  /// The memory for the vectors of a block program.
  char *getValues();
  /// The local memory of a thread of PTX.
  char *getLocal();
  /// Notes where a thread of PTX has its parameters, whose addresses it takes.
  /// Generic loads read them.
  void setParameters(const char *pointer, uint64_t bytes);
  /// Whether a generic address is of so many bytes of the running thread's.
  bool isParameter(const void *pointer, uint64_t size);
  uint64_t getLocalBytes() { return here().layout->localBytes; }
  uint64_t getDynamicSharedBytes() { return here().dynamicSharedBytes; }
  uint64_t getSharedBytes() {
    return here().layout->staticSharedBytes + here().dynamicSharedBytes;
  }
  uint32_t getMultiprocessors() { return here().multiprocessors; }
  /// Whether the address is that of a tensor map among the parameters.
  bool isMap(const void *address) {
    return llvm::is_contained(here().maps, address);
  }

  /// The open vote at a barrier of the running thread's CTA, or null.
  std::shared_ptr<BarrierVotes> &getVotes(uint32_t barrier) {
    return getCTA().votes[barrier];
  }

  /// The values that the running thread's CTA gathered last.
  std::vector<uint64_t> &getGathered() { return getCTA().gathered; }

  /// The values that the running thread got from the lanes of its warp or the
  /// CTAs of its cluster. It reads them at once, before another thread runs.
  std::vector<uint64_t> collected;

  /// Reports a finding of the running thread.
  void report(FindingKind kind, std::string message);
  /// Reports poison at a check of the running thread's kernel.
  void reportPoison(uint32_t check);
  /// Reports an assertion that doesn't hold, and ends the run, as a device
  /// ends the launch.
  [[noreturn]] void failAssertion(std::string message);
  [[noreturn]] void failAssertion(uint32_t assertion, uint64_t left,
                                  uint64_t right);

  /// The time at which the last thread ended.
  uint64_t getCycles() const { return lastCycles; }

  Grid &grid;
  Memory &memory;
  AsyncMachine &async;
  /// Null for no timeline.
  Timeline *timeline = nullptr;
  /// Null if a warp's accesses aren't counted.
  WarpAccesses *warpAccesses = nullptr;

private:
  struct CTABlock {
    std::unique_ptr<AlignedBlock> block;
    /// Null for a kernel that isn't a block program, or hasn't begun.
    std::unique_ptr<AlignedBlock> values;
    RegionId region = 0;
    std::vector<uint64_t> gathered;
    llvm::SmallDenseMap<uint32_t, std::shared_ptr<BarrierVotes>, 1> votes;
  };

  struct LaunchState : KernelLaunch {
    explicit LaunchState(const KernelLaunch &launch) : KernelLaunch(launch) {}
    uint64_t dynamicOffset = 0, blockBytes = 0;
    std::vector<char *> globals;
    std::vector<std::unique_ptr<AlignedBlock>> freeBlocks, freeValues;
  };

  void addGlobals(LaunchState &launch);
  LaunchState &here() { return launches[grid.current().launch]; }
  void startCTA(uint32_t cta);
  void exitCTA(uint32_t cta);
  CTABlock &getCTA();
  char *getBlock() { return getCTA().block->data(); }
  bool isOwnStack(const void *pointer) const;
  void *check(Thread &thread, void *pointer, uint64_t size, Access access);

  std::vector<LaunchState> launches;
  FindingLog &log;
  llvm::DenseMap<uint32_t, CTABlock> blocks;
  std::vector<std::unique_ptr<AlignedBlock>> globalBlocks;
  llvm::DenseMap<const Thread *, const char *> stackTops;
  std::unique_ptr<AlignedBlock> readScratch, writeScratch;
  llvm::DenseMap<const Thread *, std::unique_ptr<AlignedBlock>> locals;
  /// The parameters that setParameters has got.
  llvm::DenseMap<const Thread *, std::pair<const char *, uint64_t>> parameters;
  uint64_t lastCycles = 0;
};

/// Records a call of the running thread on the timeline, from here to the end
/// of the scope. If the run ends inside, the call stays open.
class TracedCall {
public:
  TracedCall(Machine &machine, CallKind kind, llvm::StringRef what,
             const void *barrier = nullptr)
      : machine(machine) {
    if (machine.timeline)
      machine.timeline->callBegan(machine.grid.current(), kind, what, barrier);
  }
  ~TracedCall() {
    if (machine.timeline)
      machine.timeline->callEnded(machine.grid.current());
  }
  TracedCall(const TracedCall &) = delete;
  TracedCall &operator=(const TracedCall &) = delete;

private:
  Machine &machine;
};

/// Shows a call in which the thread may wait.
struct Waiting : TracedCall {
  Waiting(Machine &machine, llvm::StringRef what, const void *barrier = nullptr)
      : TracedCall(machine, CallKind::Waits, what, barrier) {}
};

/// The machine, after the thread's site is set and its step is counted.
inline Machine &enter(Site site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  return machine;
}
inline AsyncMachine &enterAsync(Site site) { return enter(site).async; }

/// The functions that compiled kernels call.
llvm::ArrayRef<HostSymbol> getMachineSymbols();
llvm::ArrayRef<HostSymbol> getMachineCollectiveSymbols();
llvm::ArrayRef<HostSymbol> getMachineAsyncSymbols();
llvm::ArrayRef<HostSymbol> getMachineTileSymbols();
llvm::ArrayRef<HostSymbol> getMachineProductSymbols();
llvm::ArrayRef<HostSymbol> getMachinePTXSymbols();
llvm::ArrayRef<HostSymbol> getMachinePTXWarpSymbols();

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_LAUNCH_MACHINE_H
