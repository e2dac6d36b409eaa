//===- MachineKernelTest.cpp - asynchronous kernels and their twins -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of examples/machine run clean and right under many schedules; one
// operation less or different is found.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"

#include <numeric>

using namespace carousel::sim;

namespace {

class MachineKernel : public KernelTest {
protected:
  /// Two CTAs, so that their rings wrap.
  static RunOptions getOptions(uint64_t seed) {
    RunOptions options;
    options.seed = seed;
    options.multiprocessors = 2;
    return options;
  }

  RunResult runCopy1D(const CompiledKernel &kernel, size_t tiles,
                      uint64_t seed) {
    std::vector<float> x(tiles * 1024 - 60), y(x.size());
    std::iota(x.begin(), x.end(), 1);
    std::vector<int64_t> tickets(2, 0);
    RunResult result =
        kernel.run({makeMemRef(x), makeMemRef(y, {}, /*isWritten=*/false),
                    makeMemRef(tickets)},
                   getOptions(seed));
    if (result.isClean()) {
      EXPECT_EQ(x, y) << "seed " << seed;
      EXPECT_EQ(tickets, std::vector<int64_t>(2, 0));
    }
    return result;
  }

  RunResult runCopy2D(const CompiledKernel &kernel, uint64_t seed) {
    int64_t rows = 200, columns = 324;
    std::vector<float> x(rows * columns), y(x.size());
    std::iota(x.begin(), x.end(), 1);
    std::vector<int64_t> tickets(2, 0);
    RunResult result =
        kernel.run({makeMemRef(x, {rows, columns}),
                    makeMemRef(y, {rows, columns}, /*isWritten=*/false),
                    makeMemRef(tickets)},
                   getOptions(seed));
    if (result.isClean())
      EXPECT_EQ(x, y) << "seed " << seed;
    return result;
  }

  /// Runs seeds of a kernel that is wrong until the kind is found.
  template <typename Run>
  void expectFound(Run run, FindingKind kind, unsigned seeds) {
    std::string seen;
    for (unsigned seed = 0; seed < seeds; ++seed) {
      RunResult result = run(seed);
      if (count(result, kind) != 0)
        return;
      seen = describe(result);
    }
    ADD_FAILURE() << getIdentifier(kind).str()
                  << " not found; the last seed: " << seen;
  }

  std::unique_ptr<CompiledKernel>
  compileCopy(llvm::StringRef from, llvm::StringRef to,
              llvm::StringRef name = "copy_1d") {
    return compile(readExample("machine/copy_ring.mlir", from, to), name);
  }
};

TEST_F(MachineKernel, CopyByBulkCopies) {
  auto kernel = compileCopy("", "");
  ASSERT_TRUE(kernel) << messages;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RunResult result = runCopy1D(*kernel, 40, seed);
    ASSERT_TRUE(result.isClean()) << "seed " << seed << "\n"
                                  << describe(result);
    EXPECT_EQ(result.figures.transfers, 80u);
  }
}

TEST_F(MachineKernel, CopyByTensorMaps) {
  auto kernel = compileCopy("", "", "copy_2d");
  ASSERT_TRUE(kernel) << messages;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RunResult result = runCopy2D(*kernel, seed);
    ASSERT_TRUE(result.isClean()) << "seed " << seed << "\n"
                                  << describe(result);
  }
}

TEST_F(MachineKernel, CopyByElements) {
  auto kernel = compileCopy("", "", "copy_elements");
  ASSERT_TRUE(kernel) << messages;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RunResult result = runCopy1D(*kernel, 3, seed);
    ASSERT_TRUE(result.isClean()) << "seed " << seed << "\n"
                                  << describe(result);
  }
}

TEST_F(MachineKernel, AdversarialSchedules) {
  auto kernel = compileCopy("", "");
  ASSERT_TRUE(kernel) << messages;
  for (const char *policy : {"late-landing", "early-landing", "eager-reuse",
                             "starved-warp", "reverse-ctas", "one-cta"}) {
    std::vector<float> x(30 * 1024), y(x.size());
    std::iota(x.begin(), x.end(), 1);
    std::vector<int64_t> tickets(2, 0);
    RunOptions options = getOptions(1);
    options.policy = policy;
    RunResult result = kernel->run(
        {makeMemRef(x), makeMemRef(y, {}, false), makeMemRef(tickets)},
        options);
    EXPECT_TRUE(result.isClean()) << policy << "\n" << describe(result);
    EXPECT_EQ(x, y) << policy;
  }
}

TEST_F(MachineKernel, StoresNotWaitedForAreARace) {
  auto kernel = compileCopy("          carousel.bulk.wait_group read 2\n", "");
  ASSERT_TRUE(kernel) << messages;
  expectFound([&](uint64_t seed) { return runCopy1D(*kernel, 60, seed); },
              FindingKind::EngineRace, 1);
}

TEST_F(MachineKernel, InitWithoutItsFence) {
  auto kernel = compileCopy("      carousel.fence.mbarrier_init\n", "");
  ASSERT_TRUE(kernel) << messages;
  expectFound([&](uint64_t seed) { return runCopy1D(*kernel, 20, seed); },
              FindingKind::InitNotVisible, 1);
}

TEST_F(MachineKernel, WrongExpectedBytes) {
  auto more = compileCopy("arrive_expect_tx %full[%slot], 16384",
                          "arrive_expect_tx %full[%slot], 16400", "copy_2d");
  ASSERT_TRUE(more) << messages;
  expectFound([&](uint64_t seed) { return runCopy2D(*more, seed); },
              FindingKind::MissingBytes, 1);
  auto less = compileCopy("arrive_expect_tx %full[%slot], 16384",
                          "arrive_expect_tx %full[%slot], 16368", "copy_2d");
  ASSERT_TRUE(less) << messages;
  expectFound([&](uint64_t seed) { return runCopy2D(*less, seed); },
              FindingKind::ExcessBytes, 1);
}

TEST_F(MachineKernel, FlippedParity) {
  auto kernel = compileCopy("%emptied = arith.xori %round_i1, %true : i1",
                            "%emptied = arith.xori %round_i1, %false : i1");
  ASSERT_TRUE(kernel) << messages;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    RunResult result = runCopy1D(*kernel, 40, seed);
    EXPECT_FALSE(result.isClean()) << seed;
  }
}

TEST_F(MachineKernel, ScaleTile) {
  auto kernel = compile(readExample("machine/scale_tile.mlir"), "scale_tile");
  ASSERT_TRUE(kernel) << messages;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<float> x(3 * 1024), y(x.size());
    std::iota(x.begin(), x.end(), 1);
    RunOptions options;
    options.seed = seed;
    options.grid = {3, 1, 1};
    options.block = {256, 1, 1};
    uint32_t two = 0x40000000;
    RunResult result = kernel->run(
        {makeMemRef(x), makeMemRef(y, {}, false), makeNumber(two)}, options);
    ASSERT_TRUE(result.isClean()) << "seed " << seed << "\n"
                                  << describe(result);
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(y[i], 2 * x[i]);
  }
}

} // namespace
