//===- WarpgroupProductTest.cpp - products in flight ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When products read their factors, which groups a wait covers, and registers
// that are used twice or in flight. Factors are of i8, without a swizzle.
//
//===----------------------------------------------------------------------===//

#include "AsyncFixture.h"

#include <set>

using namespace carousel::sim;

namespace {

// A has 64 rows and B 8, of 32 bytes each.
constexpr uint64_t kA = 0, kB = 4096, kBytesOfA = 64 * 32, kBytesOfB = 8 * 32;
constexpr uint32_t kSums = 4;

ProductForm makeForm() {
  ProductForm form;
  form.n = 8;
  form.a = form.b = FactorType::S8;
  form.sum = SumType::S32;
  return form;
}

/// Core matrices of 8 rows and 16 bytes: the two of a row are adjacent.
uint64_t describe(AsyncRun &run, uint64_t offset) {
  constexpr uint64_t kLeading = 128, kStride = 256;
  return run.machine.products.describe(
      run.shared(offset), kLeading >> 4 << 16 | kStride >> 4 << 32);
}

/// Both factors are ones. The threads of the CTA know it.
void fillFactors(AsyncRun &run, Thread &thread) {
  run.fill(run.shared(kA + thread.index * (kBytesOfA / 128)), kBytesOfA / 128,
           1);
  run.fill(run.shared(kB + thread.index * (kBytesOfB / 128)), kBytesOfB / 128,
           1);
  run.machine.fences.fenceProxy(ProxyKind::AsyncSharedCTA);
  run.barrier();
}

uint64_t makeSums(AsyncRun &run, int32_t value = 0) {
  int32_t values[kSums] = {value, value, value, value};
  run.machine.products.fence();
  return run.machine.products.keep(reinterpret_cast<char *>(values),
                                   sizeof(values), nullptr, kSums);
}

uint64_t multiply(AsyncRun &run, uint64_t sums) {
  return run.machine.products.multiply(makeForm(), describe(run, kA),
                                       describe(run, kB), sums,
                                       /*accumulates=*/true);
}

int32_t take(AsyncRun &run, uint64_t sums) {
  int32_t values[kSums];
  char poison[kSums];
  run.machine.products.take(sums, reinterpret_cast<char *>(values),
                            sizeof(values), poison, kSums);
  for (int32_t value : values)
    EXPECT_EQ(value, values[0]);
  return values[0];
}

TEST(WarpgroupProduct, AddsAndWaits) {
  expectClean(makeShape(2, 256), 4, [](AsyncRun &run) {
    return [&run](Thread &thread) {
      fillFactors(run, thread);
      // The second warpgroup begins with other sums.
      auto begin = int32_t(thread.index / 128 * 1000);
      uint64_t first = multiply(run, makeSums(run, begin));
      run.machine.products.commit();
      uint64_t second = multiply(run, makeSums(run));
      second = multiply(run, second);
      run.machine.products.commit();
      run.machine.products.wait(1);
      EXPECT_EQ(take(run, first), begin + 32);
      run.machine.products.wait(0);
      EXPECT_EQ(take(run, second), 64);
    };
  });
}

TEST(WarpgroupProduct, ReadsAtAnyTimeUntilTheWait) {
  std::set<int32_t> seen;
  underSchedules(
      makeShape(1, 128), 4,
      [&seen](AsyncRun &run) {
        return [&](Thread &thread) {
          fillFactors(run, thread);
          uint64_t sums = multiply(run, makeSums(run));
          run.machine.products.commit();
          // Too early.
          if (thread.index == 0)
            run.fill(run.shared(kB), kBytesOfB, 2);
          run.barrier();
          run.machine.products.wait(0);
          int32_t values[kSums];
          char poison[kSums];
          run.machine.products.take(sums, reinterpret_cast<char *>(values),
                                    sizeof(values), poison, kSums);
          seen.insert(values, values + kSums);
        };
      },
      [](AsyncRun &run, RunEnd) {
        EXPECT_EQ(run.count(FindingKind::EngineRace), 1u);
      });
  // Runs see the values at the issue, those at the wait, and both.
  EXPECT_EQ(seen.count(32), 1u);
  EXPECT_EQ(seen.count(64), 1u);
}

TEST(WarpgroupProduct, OneThreadWritesAfterTheWait) {
  expectClean(makeShape(1, 128), 4, [](AsyncRun &run) {
    return [&run](Thread &thread) {
      fillFactors(run, thread);
      uint64_t sums = multiply(run, makeSums(run));
      run.machine.products.commit();
      run.machine.products.wait(0);
      // The other warps have read it, too.
      if (thread.index == 37)
        run.fill(run.shared(kB), kBytesOfB, 2);
      EXPECT_EQ(take(run, sums), 32);
    };
  });
}

TEST(WarpgroupProduct, RegistersInFlight) {
  expectFinding(makeShape(1, 128), 2, FindingKind::RegistersInFlight,
                [](AsyncRun &run) {
                  return [&run](Thread &thread) {
                    fillFactors(run, thread);
                    uint64_t sums = multiply(run, makeSums(run));
                    run.machine.products.commit();
                    run.machine.products.wait(1);
                    take(run, sums);
                    run.machine.products.wait(0);
                  };
                });
}

TEST(WarpgroupProduct, RegistersUsedTwice) {
  for (bool isTaken : {false, true})
    expectFinding(makeShape(1, 128), 2, FindingKind::RegistersInFlight,
                  [isTaken](AsyncRun &run) {
                    return [&run, isTaken](Thread &thread) {
                      fillFactors(run, thread);
                      uint64_t sums = makeSums(run);
                      uint64_t next = multiply(run, sums);
                      if (!isTaken)
                        multiply(run, sums);
                      run.machine.products.commit();
                      run.machine.products.wait(0);
                      EXPECT_EQ(take(run, next), 32);
                      if (isTaken)
                        take(run, next);
                    };
                  });
}

TEST(WarpgroupProduct, SmallCTAsHaveNone) {
  expectFinding(makeShape(1, 160), 1, FindingKind::InvalidOperand,
                [](AsyncRun &run) {
                  return [&run](Thread &thread) {
                    if (thread.index >= 128)
                      run.machine.products.fence();
                  };
                });
}

TEST(WarpgroupProduct, TakesItsTime) {
  AsyncRun run(makeShape(1, 128));
  uint64_t cycles = 0;
  run.run([&](Thread &thread) {
    fillFactors(run, thread);
    uint64_t begin = thread.cycles;
    uint64_t sums = makeSums(run);
    for (unsigned i = 0; i < 100; ++i)
      sums = multiply(run, sums);
    run.machine.products.commit();
    run.machine.products.wait(0);
    take(run, sums);
    cycles = thread.cycles - begin;
  });
  EXPECT_TRUE(run.log.empty()) << run.text();
  // 100 products of 8 columns take 4 cycles each.
  EXPECT_GE(cycles, 400u);
  EXPECT_LE(cycles, 800u);
}

} // namespace
