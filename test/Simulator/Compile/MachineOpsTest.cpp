//===- MachineOpsTest.cpp - carousel ops in compiled kernels --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests that each family of machine ops reaches its unit with the right
// operands: small kernels whose results depend on all of them.
//
//===----------------------------------------------------------------------===//

#include "../Launch/KernelTesting.h"

#include <numeric>

using namespace carousel::sim;

namespace {

class MachineOps : public KernelTest {
protected:
  RunResult run(llvm::StringRef signature, llvm::StringRef body,
                llvm::ArrayRef<Argument> arguments, RunOptions options,
                llvm::StringRef attributes = "") {
    std::string text = ("#gl = #gpu.address_space<global>\n"
                        "#ws = #gpu.address_space<workgroup>\n"
                        "#cl = #nvvm.memory_space<shared_cluster>\n"
                        "!bars = memref<2x!carousel.mbarrier, #ws>\n"
                        "!peers = memref<2x!carousel.mbarrier, #cl>\n"
                        "gpu.module @m {\n  gpu.func @k(" +
                        signature + " kernel " + attributes + " {\n" +
                        kConstants + body + "\n    gpu.return\n  }\n}\n")
                           .str();
    RunResult result;
    std::unique_ptr<CompiledKernel> kernel = compile(text);
    if (!kernel) {
      result.error = "doesn't compile: " + messages;
      return result;
    }
    return kernel->run(arguments, options);
  }

  static RunOptions getShape(uint32_t ctas, uint32_t threads,
                             uint32_t cluster = 1) {
    RunOptions options;
    options.grid = {ctas, 1, 1};
    options.block = {threads, 1, 1};
    options.cluster = {cluster, 1, 1};
    return options;
  }

  static constexpr const char *kConstants = R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %false = arith.constant false
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %first = arith.cmpi eq, %t, %c0 : index
)";
};

std::vector<float> getRamp(size_t size) {
  std::vector<float> data(size);
  std::iota(data.begin(), data.end(), 1);
  return data;
}

TEST_F(MachineOps, CpAsyncGroupsAndBarriers) {
  std::vector<float> x = getRamp(128), y(128);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    RunOptions options = getShape(1, 32);
    options.seed = seed;
    RunResult result =
        run("%x: memref<?xf32, #gl>, %y: memref<?xf32, #gl>) "
            "workgroup(%tile: memref<128xf32, #ws>, %bar: !bars)",
            R"(
    %c4 = arith.constant 4 : index
    %i = arith.muli %t, %c4 : index
    %i8 = arith.constant 8 : i32
    scf.if %first {
      carousel.mbarrier.init %bar[%c1], 32 : !bars
    }
    gpu.barrier
    // The upper half of each thread's 16 bytes is zero.
    carousel.cp_async.copy cg %x[%i] to %tile[%i], 16 valid %i8
        : memref<?xf32, #gl>, memref<128xf32, #ws>
    carousel.cp_async.mbarrier_arrive %bar[%c1] noinc : !bars
    carousel.mbarrier.wait %bar[%c1] parity %false : !bars
    %c31 = arith.constant 31 : index
    %r = arith.subi %c31, %t : index
    %j = arith.muli %r, %c4 : index
    %v = vector.load %tile[%j] : memref<128xf32, #ws>, vector<4xf32>
    vector.store %v, %y[%j] : memref<?xf32, #gl>, vector<4xf32>
    carousel.cp_async.copy ca %x[%i] to %tile[%i], 4 : memref<?xf32, #gl>, memref<128xf32, #ws>
    carousel.cp_async.commit_group
    carousel.cp_async.wait_group 0
    carousel.cp_async.wait_all
)",
            {makeMemRef(x), makeMemRef(y, {}, false)}, options);
    // The last copy overwrites what another thread may still read.
    EXPECT_GE(result.findings.size(), 1u);
    EXPECT_EQ(result.findings.size(),
              count(result, FindingKind::DataRace) +
                  count(result, FindingKind::EngineRace))
        << describe(result);
    for (int i = 0; i < 128; ++i)
      ASSERT_TRUE(y[i] == (i % 4 < 2 ? x[i] : 0)) << i << " " << y[i];
  }
}

TEST_F(MachineOps, ClusterStoresToThePeer) {
  std::vector<int32_t> y(64);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    RunOptions options = getShape(4, 16, 2);
    options.seed = seed;
    RunResult result = run("%y: memref<?xi32, #gl>) "
                           "workgroup(%tile: memref<16xi32, #ws>, %bar: !bars)",
                           R"(
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bars
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 64 : !bars
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %size = carousel.cluster.size
    %other = arith.xori %rank, %i1 : i32
    %tile_peer = carousel.cluster.map_shared %tile, %other
        : memref<16xi32, #ws> to memref<16xi32, #cl>
    %bar_peer = carousel.cluster.map_shared %bar, %other : !bars to !peers
    %back = carousel.cluster.rank_of %tile_peer : memref<16xi32, #cl>
    %ti = arith.index_cast %t : index to i32
    %c100 = arith.constant 100 : i32
    %c1000 = arith.constant 1000 : i32
    %hundreds = arith.muli %rank, %c100 : i32
    %thousands = arith.muli %back, %c1000 : i32
    %s0 = arith.addi %hundreds, %ti : i32
    %s1 = arith.addi %s0, %thousands : i32
    %s2 = arith.addi %s1, %size : i32
    carousel.st_async %s2 to %tile_peer[%t] signals %bar_peer[%c0]
        : i32, memref<16xi32, #cl>, !peers
    carousel.mbarrier.wait %bar[%c0] parity %false : !bars
    %v = memref.load %tile[%t] : memref<16xi32, #ws>
    %c16 = arith.constant 16 : index
    %base = arith.muli %b, %c16 : index
    %i = arith.addi %base, %t : index
    memref.store %v, %y[%i] : memref<?xi32, #gl>
    carousel.cluster.arrive
    carousel.cluster.wait
)",
                           {makeMemRef(y, {}, false)}, options);
    ASSERT_TRUE(result.isClean()) << describe(result);
    for (int i = 0; i < 64; ++i) {
      int rank = i / 16 % 2;
      ASSERT_EQ(y[i], 2 + i % 16 + 100 * (1 - rank) + 1000 * rank);
    }
  }
}

TEST_F(MachineOps, MulticastReachesEachCTA) {
  std::vector<float> x = getRamp(64), y(128);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    RunOptions options = getShape(2, 64, 2);
    options.seed = seed;
    RunResult result = run("%x: memref<?xf32, #gl>, %y: memref<?xf32, #gl>) "
                           "workgroup(%tile: memref<64xf32, #ws>, %bar: !bars)",
                           R"(
    %both = arith.constant 3 : i16
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bars
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 256 : !bars
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    %rank = carousel.cluster.rank
    %leads = arith.cmpi eq, %rank, %i0 : i32
    %issues = arith.andi %leads, %first : i1
    scf.if %issues {
      carousel.bulk.load %x[%c0] to %tile[%c0], 256 signals %bar[%c0] multicast %both
          : memref<?xf32, #gl>, memref<64xf32, #ws>, !bars
    }
    carousel.mbarrier.wait %bar[%c0] parity %false : !bars
    %v = memref.load %tile[%t] : memref<64xf32, #ws>
    %c64 = arith.constant 64 : index
    %base = arith.muli %b, %c64 : index
    %i = arith.addi %base, %t : index
    memref.store %v, %y[%i] : memref<?xf32, #gl>
    carousel.cluster.arrive
    carousel.cluster.wait
)",
                           {makeMemRef(x), makeMemRef(y, {}, false)}, options);
    ASSERT_TRUE(result.isClean()) << describe(result);
    for (int i = 0; i < 128; ++i)
      ASSERT_EQ(y[i], x[i % 64]);
  }
}

TEST_F(MachineOps, ReductionsSemaphoresAndNamedBarriers) {
  // Each CTA adds its number plus one to 64 sums, in turn.
  std::vector<float> y(64, 0);
  std::vector<int32_t> semaphore(1, 0);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::fill(y.begin(), y.end(), 0);
    semaphore[0] = 0;
    RunOptions options = getShape(5, 64);
    options.seed = seed;
    RunResult result = run("%y: memref<?xf32, #gl>, %s: memref<?xi32, #gl>) "
                           "workgroup(%tile: memref<64xf32, #ws>)",
                           R"(
    %bi = arith.index_cast %b : index to i32
    %next = arith.addi %bi, %i1 : i32
    %value = arith.sitofp %next : i32 to f32
    memref.store %value, %tile[%t] : memref<64xf32, #ws>
    carousel.fence.proxy async_shared_cta
    carousel.barrier.sync 1 threads(64)
    scf.if %first {
      carousel.grid.serial_wait %s[%c0], %bi : memref<?xi32, #gl>
      carousel.bulk.reduce add f32 %tile[%c0] to %y[%c0], 256
          : memref<64xf32, #ws>, memref<?xf32, #gl>
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
      carousel.grid.serial_release %s[%c0], %next : memref<?xi32, #gl>
    }
)",
                           {makeMemRef(y), makeMemRef(semaphore)}, options,
                           "attributes {carousel.coresident}");
    ASSERT_TRUE(result.isClean()) << describe(result);
    EXPECT_EQ(y, std::vector<float>(64, 15));
    EXPECT_EQ(semaphore[0], 5);
  }
}

TEST_F(MachineOps, ElectStatesAndTryWait) {
  std::vector<int32_t> y(4, 0);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::fill(y.begin(), y.end(), 0);
    RunOptions options = getShape(1, 64);
    options.seed = seed;
    RunResult result = run("%y: memref<?xi32, #gl>) workgroup(%bar: !bars)", R"(
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 64 : !bars
    }
    gpu.barrier
    %elected = carousel.elect
    %state = carousel.mbarrier.arrive %bar[%c0] : !bars -> !carousel.mbarrier_state
    %pending = carousel.mbarrier.pending_count %state
    scf.while : () -> () {
      %done = carousel.mbarrier.try_wait %bar[%c0] state %state : !bars
      %true = arith.constant true
      %again = arith.xori %done, %true : i1
      scf.condition(%again)
    } do {
      scf.yield
    }
    %warp = gpu.subgroup_id : index
    scf.if %elected {
      memref.store %pending, %y[%warp] : memref<?xi32, #gl>
    }
)",
                           {makeMemRef(y)}, options);
    ASSERT_TRUE(result.isClean()) << describe(result);
    EXPECT_GE(y[0], 1);
    EXPECT_LE(y[0], 64);
    EXPECT_NE(y[0], y[1]);
    EXPECT_EQ(y[2], 0);
  }
}

} // namespace
