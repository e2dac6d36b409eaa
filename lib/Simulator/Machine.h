//===- Machine.h - one run's machine, as compiled code sees it --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins memory, grid and asynchronous units for one run, gives each CTA its
// block of shared memory, and is what the calls of compiled code act on. The
// code finds it by a pointer of the host thread that runs it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_MACHINE_H
#define CAROUSEL_LIB_SIMULATOR_MACHINE_H

#include "Async.h"
#include "Grid.h"
#include "HostLowering.h"
#include "KernelModule.h"
#include "Memory.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdlib>
#include <memory>

namespace carousel::sim {

/// Zero or more bytes at an alignment that suits every access.
class AlignedBlock {
public:
  static constexpr uint64_t kAlignment = 1024;
  explicit AlignedBlock(uint64_t bytes);
  char *data() const { return memory.get(); }
  uint64_t size() const { return bytes; }

private:
  struct Free {
    void operator()(char *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<char, Free> memory;
  uint64_t bytes;
};

class Machine {
public:
  Machine(const StaticMemory &layout, uint64_t dynamicSharedBytes, Grid &grid,
          Memory &memory, AsyncMachine &async, FindingLog &log);
  ~Machine();

  /// Runs the entry, which takes pointers to its arguments, in every thread.
  RunEnd run(void (*entry)(void **), void **arguments);

  /// The machine of this host thread's run.
  static Machine &current();

  /// Counts a step of the running thread, which is at `site`.
  Thread &enter(Site site) {
    Thread &thread = grid.current();
    thread.site = site;
    ++thread.cycles;
    grid.step();
    return thread;
  }

  /// Checks and records; where the thread may go on with the access.
  void *access(void *pointer, uint64_t size, AccessKind kind, Site site);

  /// The address of a static buffer, of dynamic shared memory, of a global.
  char *getStaticShared(uint64_t offset) { return getBlock() + offset; }
  char *getDynamicShared() { return getBlock() + dynamicOffset; }
  char *getGlobal(uint32_t index) { return globals[index]->data(); }

  /// What the threads of the running thread's CTA gathered last.
  std::vector<uint64_t> &getGathered() { return getCTA().gathered; }

  /// A finding of the running thread.
  void report(FindingKind kind, std::string message);

  /// The end of the last thread.
  uint64_t getCycles() const { return lastCycles; }

  Grid &grid;
  Memory &memory;
  AsyncMachine &async;

private:
  struct CTABlock {
    std::unique_ptr<AlignedBlock> block;
    RegionId region = 0;
    std::vector<uint64_t> gathered;
  };

  void startCTA(uint32_t cta);
  void exitCTA(uint32_t cta);
  CTABlock &getCTA();
  char *getBlock() { return getCTA().block->data(); }
  bool isOwnStack(const void *pointer) const;
  void *getScratch(uint64_t size, AccessKind kind);

  const StaticMemory &layout;
  uint64_t dynamicOffset, blockBytes;
  FindingLog &log;
  llvm::DenseMap<uint32_t, CTABlock> blocks;
  std::vector<std::unique_ptr<AlignedBlock>> freeBlocks;
  std::vector<std::unique_ptr<AlignedBlock>> globals;
  llvm::DenseMap<const Thread *, const char *> stackTops;
  std::unique_ptr<AlignedBlock> readScratch, writeScratch;
  uint64_t lastCycles = 0;
};

/// The functions that compiled kernels call.
llvm::ArrayRef<HostSymbol> getMachineSymbols();
llvm::ArrayRef<HostSymbol> getMachineAsyncSymbols();
llvm::ArrayRef<HostSymbol> getMachineTileSymbols();

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_MACHINE_H
