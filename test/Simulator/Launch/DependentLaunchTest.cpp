//===- DependentLaunchTest.cpp - kernels that run one after the other -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs of several launches: what is ordered, whose memory is one, and how
// findings and errors name the kernels.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"

#include <numeric>
#include <set>

using namespace carousel::sim;

namespace {

constexpr llvm::StringLiteral kModule = R"(
#gl = #gpu.address_space<global>
!v = memref<64xi32, #gl>
gpu.module @m {
  memref.global "private" @count : memref<64xi32, #gl> = dense<7>
  memref.global "private" @kept : memref<64xi32, #gl> = uninitialized

  gpu.func @add_one(%x: !v, %y: !v) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c32 = arith.constant 32 : index
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %begin = arith.muli %block, %c32 : index
    %i = arith.addi %begin, %t : index
    carousel.grid.launch_dependents
    carousel.grid.dependency_wait
    %v = memref.load %x[%i] : !v
    %w = arith.addi %v, %one : i32
    memref.store %w, %y[%i] : !v
    gpu.return
  }
  gpu.func @double(%y: !v, %z: !v) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %t = gpu.thread_id x
    %v = memref.load %y[%t] : !v
    %w = arith.addi %v, %v : i32
    memref.store %w, %z[%t] : !v
    gpu.return
  }
  gpu.func @keep(%x: !v) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %kept = memref.get_global @kept : memref<64xi32, #gl>
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : !v
    memref.store %v, %kept[%t] : memref<64xi32, #gl>
    gpu.return
  }
  gpu.func @give(%y: !v) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %count = memref.get_global @count : memref<64xi32, #gl>
    %kept = memref.get_global @kept : memref<64xi32, #gl>
    %t = gpu.thread_id x
    %v = memref.load %kept[%t] : memref<64xi32, #gl>
    %n = memref.load %count[%t] : memref<64xi32, #gl>
    %w = arith.addi %v, %n : i32
    memref.store %w, %y[%t] : !v
    gpu.return
  }
  gpu.func @no_launch(%x: !v) kernel {
    gpu.return
  }
}
)";

class DependentLaunch : public KernelTest {
protected:
  DependentLaunch() : x(64), y(64), z(64) {
    std::iota(x.begin(), x.end(), 0);
    xs = {makeMemRef(x), makeMemRef(y, {}, /*isWritten=*/false)};
    ys = {xs[1], makeMemRef(z, {}, /*isWritten=*/false)};
  }
  static Launch launch(const std::unique_ptr<CompiledKernel> &kernel,
                       llvm::ArrayRef<Argument> arguments,
                       bool dependent = false) {
    Launch result;
    result.kernel = kernel.get();
    result.arguments = arguments;
    result.dependent = dependent;
    return result;
  }

  std::vector<int32_t> x, y, z;
  std::vector<Argument> xs, ys;
};

TEST_F(DependentLaunch, OneAfterTheOther) {
  auto first = compile(kModule, "add_one"), second = compile(kModule, "double");
  ASSERT_TRUE(first && second) << messages;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RunOptions options;
    options.seed = seed;
    RunResult result = run({launch(first, xs), launch(second, ys)}, options);
    ASSERT_TRUE(result.isClean()) << describe(result);
    EXPECT_EQ(result.figures.threads, 128u);
    for (int32_t i = 0; i < 64; ++i)
      ASSERT_EQ(z[i], 2 * (i + 1));
  }
}

TEST_F(DependentLaunch, NeedsTheWait) {
  auto first = compile(kModule, "add_one"), second = compile(kModule, "double");
  ASSERT_TRUE(first && second) << messages;
  xs[1].isWritten = true;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RunOptions options;
    options.seed = seed;
    // With a wait: a second one of the first kernel.
    RunResult good = run({launch(first, xs), launch(first, ys, true)}, options);
    EXPECT_TRUE(good.isClean()) << describe(good);
    EXPECT_EQ(z[63], 65);
    RunResult bad = run({launch(first, xs), launch(second, ys, true)}, options);
    ASSERT_NE(bad.findings.size(), 0u);
    EXPECT_EQ(count(bad, FindingKind::DataRace), bad.findings.size())
        << describe(bad);
    const Finding &finding = bad.findings.front();
    EXPECT_NE(finding.message.find(" of @"), std::string::npos);
    ASSERT_TRUE(finding.other);
    EXPECT_EQ(finding.buffer, "arg1");
    for (const Actor &actor : {finding.actor, *finding.other}) {
      EXPECT_LT(actor.cta, actor.kernel == "@double" ? 1u : 2u);
      EXPECT_EQ(actor.location.substr(0, 10), "test.mlir:");
    }
    EXPECT_NE(finding.actor.kernel, finding.other->kernel);
  }
}

TEST_F(DependentLaunch, NamesTheLaunchOfAKernelThatRunsTwice) {
  auto kernel = compile(kModule, "double");
  ASSERT_TRUE(kernel) << messages;
  std::vector<Argument> both[] = {{makeMemRef(x), makeMemRef(y)},
                                  {makeMemRef(y), makeMemRef(z)}};
  RunResult result =
      run({launch(kernel, both[0]), launch(kernel, both[1], true)});
  ASSERT_EQ(count(result, FindingKind::DataRace), 1u) << describe(result);
  const Finding &finding = result.findings.front();
  std::set<std::string> names = {finding.actor.kernel, finding.other->kernel};
  EXPECT_EQ(names, (std::set<std::string>{"@double (launch 0)",
                                          "@double (launch 1)"}));
}

TEST_F(DependentLaunch, MemoryThatTheFirstDoesNotWriteIsUnwritten) {
  auto writer = compile(kModule, "keep"), reader = compile(kModule, "double");
  ASSERT_TRUE(writer && reader) << messages;
  // The second says that it is written; the first says what it was at the
  // start.
  std::vector<Argument> first = {makeMemRef(x)};
  RunResult result = run({launch(writer, first), launch(reader, ys)});
  EXPECT_NE(count(result, FindingKind::UnwrittenRead), 0u) << describe(result);
  std::vector<Argument> given = {makeMemRef(y), makeMemRef(z)};
  result = run({launch(reader, ys), launch(reader, given)});
  EXPECT_NE(count(result, FindingKind::UnwrittenRead), 0u) << describe(result);
  result = run({launch(reader, given), launch(reader, ys)});
  EXPECT_TRUE(result.isClean()) << describe(result);
}

TEST_F(DependentLaunch, KernelsOfAModuleShareItsGlobals) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(kModule);
  ASSERT_TRUE(module);
  auto keep = CompiledKernel::compile(*module, "keep");
  auto give = CompiledKernel::compile(*module, "give");
  ASSERT_TRUE(succeeded(keep) && succeeded(give)) << messages;
  std::vector<Argument> from = {makeMemRef(x)}, to = {makeMemRef(y)};
  RunResult result = run({launch(*keep, from), launch(*give, to)});
  ASSERT_TRUE(result.isClean()) << describe(result);
  EXPECT_EQ(y[5], 12);
  result = run({launch(*give, to)});
  EXPECT_NE(count(result, FindingKind::UnwrittenRead), 0u);
  // Those of another module are others.
  auto other = compile(kModule, "give");
  ASSERT_TRUE(other);
  result = run({launch(*keep, from), launch(other, to)});
  EXPECT_NE(count(result, FindingKind::UnwrittenRead), 0u);
}

TEST_F(DependentLaunch, ExtentsOfALaunch) {
  auto kernel = compile(kModule, "double"),
       none = compile(kModule, "no_launch");
  ASSERT_TRUE(kernel && none) << messages;
  std::vector<Argument> one = {makeMemRef(x)};
  std::vector<Argument> two = {makeMemRef(x), makeMemRef(z)};
  RunOptions options;
  options.grid = {3, 1, 1};
  options.block = {4, 1, 1};
  Launch own = launch(none, one);
  own.block = {2, 2, 2};
  RunResult result = run({own}, options);
  EXPECT_EQ(result.figures.threads, 24u) << describe(result);
  Launch small = launch(kernel, two);
  small.grid = {1, 1, 1};
  result = run({small, own}, options);
  EXPECT_EQ(result.figures.threads, 4u + 24) << describe(result);
}

TEST_F(DependentLaunch, ReplaysARecord) {
  auto kernel = compile(kModule, "add_one");
  ASSERT_TRUE(kernel) << messages;
  Launch launches[] = {launch(kernel, xs), launch(kernel, ys, true)};
  RunOptions options;
  options.record = true;
  options.seed = 11;
  RunResult first = run(launches, options);
  ASSERT_TRUE(first.isClean()) << describe(first);
  options.replay = first.record;
  options.record = false;
  RunResult second = run(launches, options);
  EXPECT_TRUE(second.isClean()) << describe(second);
  EXPECT_EQ(first.figures.steps, second.figures.steps);
  EXPECT_EQ(first.figures.cycles, second.figures.cycles);
}

TEST_F(DependentLaunch, Errors) {
  auto kernel = compile(kModule, "double"),
       none = compile(kModule, "no_launch");
  ASSERT_TRUE(kernel && none) << messages;
  EXPECT_EQ(run({Launch()}).error, "expected a kernel in launch 0");
  EXPECT_EQ(run({launch(kernel, ys, true)}).error,
            "expected a launch before a dependent one");
  std::vector<Argument> one = {makeMemRef(x)};
  EXPECT_EQ(run({launch(kernel, ys), launch(none, one)}).error,
            "@no_launch: expected a grid and a block for a kernel without "
            "carousel.launch");
  EXPECT_TRUE(run(llvm::ArrayRef<Launch>()).isClean());
}

} // namespace
