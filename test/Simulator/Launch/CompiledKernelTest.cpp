//===- CompiledKernelTest.cpp - what a kernel is and is given -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bad kernels, bad arguments, bad launches; findings of ordinary accesses.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"

#include <thread>

using namespace carousel::sim;
using ::testing::Test;

namespace {

class CompiledKernelTest : public KernelTest {
protected:
  void expectMessage(llvm::StringRef text) {
    EXPECT_NE(messages.find(text.str()), std::string::npos) << messages;
    messages.clear();
  }
};

constexpr const char *kScale = R"(
gpu.module @m {
  gpu.func @k(%x: memref<?x4xf32, #gpu.address_space<global>>
                  {carousel.argument = #carousel.argument<"x", inout>}, %n: index) kernel
      attributes {carousel.launch = #carousel.launch<
          grid = [ceildiv(extent(0, 0), 2)], block = [8], shared = 1024>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %first = arith.muli %b, %c2 : index
    %down = arith.divui %t, %c4 : index
    %i = arith.addi %first, %down : index
    %j = arith.remui %t, %c4 : index
    %rows = memref.dim %x, %c0 : memref<?x4xf32, #gpu.address_space<global>>
    %in = arith.cmpi ult, %i, %rows : index
    scf.if %in {
      %v = memref.load %x[%i, %j] : memref<?x4xf32, #gpu.address_space<global>>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i, %j] : memref<?x4xf32, #gpu.address_space<global>>
    }
    gpu.return
  }
})";

TEST_F(CompiledKernelTest, FindsTheKernel) {
  EXPECT_FALSE(compile(kScale, "other"));
  expectMessage("expected a kernel named 'other'");
  EXPECT_TRUE(compile(kScale, "m::k"));
  EXPECT_FALSE(compile(kScale, "n::k"));
  expectMessage("expected a kernel named 'n::k'");
  auto kernel = compile(kScale);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->getName(), "k");
  EXPECT_TRUE(kernel->hasLaunch());
  ASSERT_EQ(kernel->getArguments().size(), 2u);
  EXPECT_EQ(kernel->getArguments()[0].name, "x");
  EXPECT_EQ(kernel->getArguments()[1].name, "arg1");
}

TEST_F(CompiledKernelTest, RunsTheLaunch) {
  auto kernel = compile(kScale);
  ASSERT_TRUE(kernel) << messages;
  std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  RunResult result = kernel->run({makeMemRef(x, {3, 4}), makeNumber(0)});
  EXPECT_TRUE(result.isClean()) << describe(result);
  EXPECT_EQ(result.status, RunStatus::Finished);
  EXPECT_EQ(result.figures.threads, 16u);
  EXPECT_GE(result.figures.steps, 24u);
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(x[i], 2 * (i + 1));
  std::vector<float> none;
  result = kernel->run({makeMemRef(none, {0, 4}), makeNumber(0)});
  EXPECT_TRUE(result.isClean()) << describe(result);
  EXPECT_EQ(result.figures.threads, 0u);
}

TEST_F(CompiledKernelTest, ArgumentsThatDoNotFit) {
  auto kernel = compile(kScale);
  ASSERT_TRUE(kernel) << messages;
  std::vector<float> x(16);
  auto run = [&](Argument argument) {
    return kernel->run({argument, makeNumber(0)}).error;
  };
  EXPECT_EQ(kernel->run({}).error, "expected 2 arguments, got 0");
  EXPECT_EQ(run(makeNumber(1)),
            "expected 2 extents and strides for argument x, got 0 and 0");
  EXPECT_EQ(run(makeMemRef(x, {2, 8})),
            "expected extent 4 in dimension 1 of argument x, got 8");
  Argument argument = makeMemRef(x, {3, 4});
  argument.strides = {5, 1};
  EXPECT_EQ(run(argument),
            "expected stride 4 in dimension 0 of argument x, got 5");
  argument = makeMemRef(x, {3, 4});
  argument.strides[0] = -4;
  EXPECT_EQ(run(argument), "expected strides of argument x that aren't "
                           "negative, got -4 in dimension 0");
  argument = makeMemRef(x, {3, 4});
  argument.data = nullptr;
  EXPECT_EQ(run(argument),
            "expected memory for argument x, got a null pointer");
  argument.data = reinterpret_cast<char *>(x.data()) + 2;
  EXPECT_EQ(run(argument), "expected argument x to be aligned to 4 bytes");
  EXPECT_EQ(kernel->run({makeMemRef(x, {4, 4}), makeMemRef(x)}).error,
            "expected a number for argument arg1, got memory");
}

TEST_F(CompiledKernelTest, ArgumentsThatMayAlias) {
  auto kernel = compile(R"(gpu.module @m {
    gpu.func @k(%x: memref<?xf32>, %y: memref<?xf32>
        {carousel.argument = #carousel.argument<"y", out, may_alias = 0>})
        kernel attributes {carousel.launch =
            #carousel.launch<grid = [1], block = [4]>} {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<?xf32>
      %sum = arith.addf %v, %v : f32
      memref.store %sum, %y[%i] : memref<?xf32>
      gpu.return
    }
  })");
  ASSERT_TRUE(kernel) << messages;
  std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8};
  Argument first = makeMemRef(x, {4}), second = first;
  second.data = x.data() + 4;
  EXPECT_TRUE(kernel->run({first, second}).isClean());
  EXPECT_EQ(x[4], 2);
  EXPECT_TRUE(kernel->run({first, first}).isClean());
  EXPECT_EQ(x[3], 8);
  second.data = x.data() + 1;
  EXPECT_EQ(kernel->run({first, second}).error,
            "expected argument y to have the address, extents and strides of "
            "argument arg0, or no element in common with it, got 16 bytes and "
            "16 bytes that overlap");
}

TEST_F(CompiledKernelTest, LaunchesThatCannotBe) {
  auto kernel = compile(kScale);
  ASSERT_TRUE(kernel) << messages;
  std::vector<float> x(16);
  auto run = [&](const RunOptions &options) {
    return kernel->run({makeMemRef(x, {4, 4}), makeNumber(0)}, options).error;
  };
  RunOptions options;
  options.block = {64, 32, 1};
  EXPECT_EQ(run(options), "expected at most 1024 threads in a CTA, got 2048");
  options.block = {0, 1, 1};
  EXPECT_EQ(run(options), "expected extents of block and cluster of 1 to 1024, "
                          "got 0 x 1 x 1");
  options = {};
  options.cluster = {4, 1, 1};
  EXPECT_EQ(run(options), "expected the grid to be a multiple of the cluster, "
                          "got 2 and 4 in dimension 0");
  options = {};
  options.grid = {1 << 16, 1 << 16, 1 << 16};
  EXPECT_EQ(run(options),
            "expected fewer than 1048576 CTAs, got 65536 x 65536 x 65536");
  options = {};
  options.chip = "sm_1";
  EXPECT_EQ(run(options), "expected the name of a chip, got 'sm_1'");
  options = {};
  options.policy = "best";
  EXPECT_EQ(run(options), "expected the name of a policy, got 'best'");
  options = {};
  options.replay = "nonsense";
  EXPECT_FALSE(run(options).empty());
  options = {};
  options.dynamicSharedBytes = 1 << 20;
  RunResult result =
      kernel->run({makeMemRef(x, {4, 4}), makeNumber(0)}, options);
  EXPECT_EQ(count(result, FindingKind::SharedMemoryLimit), 1u);
}

TEST_F(CompiledKernelTest, UnknownOperationsAreErrorsAtTheirLocation) {
  RunResult result = runKernel("%x: memref<?xf32>", R"(
    %t = gpu.thread_id x
    gpu.printf "%d\n", %t : index)",
                               {});
  EXPECT_FALSE(result.error.empty());
  expectMessage("\"test.mlir\":5:5): the simulated machine doesn't know this "
                "operation: 'gpu.printf'");
  runKernel("%x: memref<?xf32>", "    %m = memref.alloc() : memref<4xf32>", {});
  expectMessage("doesn't know this operation: 'memref.alloc'");
}

TEST_F(CompiledKernelTest, OutOfBoundsIsFoundAndHarmless) {
  std::vector<float> x(4, 1), y(4);
  RunResult result = runKernel("%x: memref<?xf32>, %y: memref<?xf32>", R"(
    %t = gpu.thread_id x
    %far = arith.constant 100000000 : index
    %i = arith.muli %t, %far : index
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
)",
                               {makeMemRef(x), makeMemRef(y)}, 2);
  EXPECT_EQ(result.status, RunStatus::Finished);
  EXPECT_EQ(count(result, FindingKind::OutOfBounds), 2u) << describe(result);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].actor.location, "test.mlir:7:10");
  EXPECT_EQ(y[0], 1);
}

TEST_F(CompiledKernelTest, RacesAndUnwrittenReads) {
  std::vector<float> x(4, 1), y(4);
  RunResult result = runKernel("%x: memref<?xf32>, %y: memref<?xf32>", R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = memref.load %y[%c1] : memref<?xf32>
    memref.store %v, %x[%c0] : memref<?xf32>
)",
                               {makeMemRef(x), makeMemRef(y, {}, false)}, 2);
  EXPECT_GE(count(result, FindingKind::DataRace), 1u) << describe(result);
  EXPECT_GE(count(result, FindingKind::UnwrittenRead), 1u);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].buffer, "arg1") << describe(result);
}

TEST_F(CompiledKernelTest, OverlappingArgumentsShareARegion) {
  // A thread writes through one what the other thread reads through the other.
  for (bool isOrdered : {true, false}) {
    std::vector<float> x(8, 1);
    Argument whole = makeMemRef(x);
    Argument part = makeMemRef(x, {4});
    part.data = x.data() + 4;
    std::string body = R"(
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %two = arith.constant 2.0 : f32
    scf.if %first {
      memref.store %two, %y[%c0] : memref<?xf32>
    }
    BARRIER
    scf.if %first {
    } else {
      %w = vector.load %x[%c0] : memref<?xf32>, vector<8xf32>
      %v = vector.extract %w[4] : f32 from vector<8xf32>
      memref.store %v, %x[%c0] : memref<?xf32>
    }
)";
    body.replace(body.find("BARRIER"), 7, isOrdered ? "gpu.barrier" : "");
    RunResult result = runKernel("%x: memref<?xf32>, %y: memref<?xf32>", body,
                                 {whole, part}, 2);
    if (isOrdered) {
      EXPECT_TRUE(result.isClean()) << describe(result);
      EXPECT_EQ(x[0], 2);
    } else {
      EXPECT_EQ(count(result, FindingKind::DataRace), 1u) << describe(result);
    }
  }
}

TEST_F(CompiledKernelTest, ARunawayKernelEndsAtTheStepLimit) {
  auto kernel = compile(R"(
gpu.module @m {
  gpu.func @k() kernel {
    cf.br ^loop
  ^loop:
    cf.br ^loop
  }
})");
  ASSERT_TRUE(kernel) << messages;
  RunOptions options;
  options.grid = options.block = {1, 1, 1};
  options.stepLimit = 10000;
  RunResult result = kernel->run({}, options);
  EXPECT_EQ(result.status, RunStatus::StepLimit);
}

TEST_F(CompiledKernelTest, RunsInSeveralHostThreads) {
  auto kernel = compile(kScale);
  ASSERT_TRUE(kernel) << messages;
  std::vector<std::vector<float>> data(4, std::vector<float>(4096, 1));
  std::vector<RunResult> results(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      RunOptions options;
      options.seed = i;
      results[i] =
          kernel->run({makeMemRef(data[i], {1024, 4}), makeNumber(0)}, options);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(results[i].isClean()) << describe(results[i]);
    EXPECT_EQ(data[i], std::vector<float>(4096, 2));
  }
}

TEST_F(CompiledKernelTest, AReplayTakesTheSameSteps) {
  auto kernel = compile(kScale);
  ASSERT_TRUE(kernel) << messages;
  std::vector<float> x(32, 1);
  RunOptions options;
  options.seed = 7;
  options.record = true;
  RunResult first =
      kernel->run({makeMemRef(x, {8, 4}), makeNumber(0)}, options);
  EXPECT_TRUE(first.isClean()) << describe(first);
  ASSERT_FALSE(first.record.empty());
  RunOptions again;
  again.replay = first.record;
  RunResult second = kernel->run({makeMemRef(x, {8, 4}), makeNumber(0)}, again);
  EXPECT_TRUE(second.isClean()) << describe(second);
  EXPECT_EQ(first.figures.steps, second.figures.steps);
}

} // namespace
