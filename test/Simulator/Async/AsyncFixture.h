//===- AsyncFixture.h - a machine without a compiler ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory, a grid and the asynchronous units, with kernels written in C++: 64
// KiB of shared memory per CTA, global buffers, and loads and stores that are
// checked.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_SIMULATOR_ASYNC_ASYNCFIXTURE_H
#define CAROUSEL_TEST_SIMULATOR_ASYNC_ASYNCFIXTURE_H

#include "../../../lib/Simulator/Async/AsyncMachine.h"

#include "../Grid/GridFixture.h"

#include <cstdlib>
#include <cstring>
#include <map>

namespace carousel::sim {

struct AsyncRun {
  static constexpr uint64_t kShared = 64 * 1024;

  explicit AsyncRun(GridShape shape = makeShape(1, 64), uint64_t seed = 1,
                    Policy policy = Policy::Random, bool strict = false,
                    AsyncTrace *trace = nullptr)
      : schedule(createSchedule(policy, seed)),
        memory(log, MemoryRules{strict}), grid(shape, *schedule, log, {}),
        machine(memory, grid, *schedule, log, AsyncRules{strict}, trace) {
    CTAEvents events;
    events.start = [this](uint32_t cta) {
      Block &block = blocks[cta];
      block.base.reset(static_cast<char *>(std::aligned_alloc(1024, kShared)));
      poison(block.base.get(), kShared);
      RegionInfo info;
      info.space = Space::Shared;
      info.cta = cta;
      info.name = "shared memory";
      info.base = block.base.get();
      info.size = kShared;
      block.region = memory.addRegion(info);
      const Thread &first = *grid.lookup(cta, 0);
      machine.ctaStart(cta, first.cluster, first.rankInCluster, info.base,
                       kShared);
    };
    events.exit = [this](uint32_t cta) {
      machine.ctaExit(cta);
      memory.removeRegion(blocks[cta].region);
    };
    events.threadExit = [this](Thread &thread) { machine.threadExit(thread); };
    grid.setEvents(events);
    grid.setBackground(&machine);
  }

  RunEnd run(llvm::function_ref<void(Thread &)> entry) {
    RunEnd end = grid.run(entry);
    machine.gridEnd(end);
    return end;
  }

  /// A global buffer, written with bytes of a pattern unless it is an output.
  char *global(uint64_t size, bool isWritten = true, const char *name = "%x") {
    buffers.emplace_back(
        static_cast<char *>(std::aligned_alloc(256, (size + 255) / 256 * 256)));
    char *base = buffers.back().get();
    for (uint64_t i = 0; i < size; ++i)
      base[i] = isWritten ? char(i * 7 + i / 256) : char(0xee);
    RegionInfo info;
    info.name = name;
    info.base = base;
    info.size = size;
    info.isWritten = isWritten;
    memory.addRegion(info);
    return base;
  }

  char *shared(uint64_t offset = 0) {
    return sharedOf(grid.current().cta, offset);
  }
  char *sharedOf(uint32_t cta, uint64_t offset = 0) {
    return blocks[cta].base.get() + offset;
  }

  AccessResult touch(void *address, uint64_t size, AccessKind kind) {
    grid.step();
    Thread &thread = grid.current();
    Access access;
    access.kind = kind;
    access.epoch = thread.epoch();
    access.view = &thread.view;
    access.thread = thread.index;
    access.site = thread.site;
    return memory.access(address, size, access);
  }
  void store(char *address, const void *value, uint64_t size) {
    if (touch(address, size, AccessKind::Write).inBounds)
      std::memcpy(address, value, size);
  }
  void fill(char *address, uint64_t size, char value) {
    if (touch(address, size, AccessKind::Write).inBounds)
      std::memset(address, value, size);
  }
  void load(char *address, uint64_t size) {
    touch(address, size, AccessKind::Read);
  }
  void barrier() { grid.barrierSync(0, 0); }

  /// The start of many tests: thread 0 makes barriers, the CTA sees them.
  void
  initBarriers(Thread &thread,
               std::initializer_list<std::pair<uint64_t, uint32_t>> barriers) {
    if (thread.index == 0) {
      for (auto [offset, count] : barriers)
        machine.mbarriers.init(shared(offset), count);
      machine.fences.fenceMbarrierInit();
    }
    barrier();
  }

  unsigned count(FindingKind kind) const {
    unsigned result = 0;
    for (const Finding &finding : log.getFindings())
      result += finding.kind == kind;
    return result;
  }
  bool has(FindingKind kind) const { return count(kind) != 0; }
  std::string text() const {
    std::string result;
    llvm::raw_string_ostream os(result);
    for (const Finding &finding : log.getFindings())
      printText(finding, os);
    return result;
  }

  struct Free {
    void operator()(char *memory) const { std::free(memory); }
  };
  struct Block {
    std::unique_ptr<char, Free> base;
    RegionId region = 0;
  };

  FindingLog log;
  std::unique_ptr<Schedule> schedule;
  Memory memory;
  Grid grid;
  AsyncMachine machine;
  std::map<uint32_t, Block> blocks;
  std::vector<std::unique_ptr<char, Free>> buffers;
};

/// Runs `kernel(run, thread)` under every policy and `seeds` seeds of each;
/// `check(run, end)` looks at each run, with what `make(run)` made before it.
template <typename Kernel, typename Check>
void underSchedules(GridShape shape, unsigned seeds, Kernel kernel,
                    Check check) {
  for (Policy policy : getPolicies())
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      AsyncRun run(shape, seed, policy);
      auto test = kernel(run);
      RunEnd end = run.run([&](Thread &thread) { test(thread); });
      check(run, end);
      if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << "policy " << getName(policy).str() << ", seed " << seed
                      << "\n"
                      << run.text();
        return;
      }
    }
}

/// A kernel that must be clean, or must show a finding, in every schedule.
template <typename Kernel>
void expectClean(GridShape shape, unsigned seeds, Kernel kernel) {
  underSchedules(shape, seeds, kernel, [](AsyncRun &run, RunEnd end) {
    EXPECT_TRUE(run.log.empty());
    EXPECT_EQ(end, RunEnd::Finished);
  });
}
template <typename Kernel>
void expectFinding(GridShape shape, unsigned seeds, FindingKind kind,
                   Kernel kernel) {
  underSchedules(shape, seeds, kernel,
                 [&](AsyncRun &run, RunEnd) { EXPECT_TRUE(run.has(kind)); });
}

} // namespace carousel::sim

#endif // CAROUSEL_TEST_SIMULATOR_ASYNC_ASYNCFIXTURE_H
