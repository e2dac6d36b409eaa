//===- SharedAccessesTest.cpp - bank conflicts of a kernel ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RunOptions::bankConflicts. lit-tests/Simulator/bank-conflicts.mlir has more
// kernels.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"

using namespace carousel::sim;

namespace {

using SharedAccessesTest = KernelTest;

/// Column by column, and then row by row.
constexpr const char *kColumns = R"(
gpu.module @m {
  gpu.func @k() kernel attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %s = memref.alloc() : memref<64x32xf32, #gpu.address_space<workgroup>>
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c32 step %c1 {
      memref.store %zero, %s[%t, %i] : memref<64x32xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %lane = arith.remui %t, %c32 : index
    %warp = arith.divui %t, %c32 : index
    scf.for %i = %c0 to %c32 step %c1 {
      memref.store %zero, %s[%warp, %lane] : memref<64x32xf32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
})";

TEST_F(SharedAccessesTest, CountsIfAsked) {
  auto kernel = compile(kColumns);
  ASSERT_TRUE(kernel) << messages;
  RunResult result = kernel->run({});
  EXPECT_TRUE(result.isClean()) << describe(result);
  EXPECT_TRUE(result.sharedAccesses.empty());
  EXPECT_EQ(result.countExcessWavefronts(), 0u);

  RunOptions options;
  options.bankConflicts = true;
  for (llvm::StringRef policy : getPolicyNames()) {
    options.policy = policy.str();
    result = kernel->run({}, options);
    EXPECT_TRUE(result.isClean()) << describe(result);
    ASSERT_EQ(result.sharedAccesses.size(), 2u) << options.policy;
    // Two CTAs of two warps, 32 iterations.
    const SharedAccesses &columns = result.sharedAccesses[0];
    EXPECT_EQ(columns.op, "store");
    EXPECT_EQ(columns.bytes, 4u);
    EXPECT_EQ(columns.executions, 4u * 32);
    EXPECT_EQ(columns.wavefronts, 4u * 32 * 32);
    EXPECT_EQ(columns.least, 4u * 32);
    EXPECT_EQ(columns.getExcess(), 4u * 32 * 31);
    EXPECT_NE(columns.location, result.sharedAccesses[1].location);
    EXPECT_EQ(result.sharedAccesses[1].getExcess(), 0u);
    EXPECT_EQ(result.countExcessWavefronts(), 4u * 32 * 31);
  }
}

} // namespace
