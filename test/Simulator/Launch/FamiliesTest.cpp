//===- FamiliesTest.cpp - the kernels that ran on a GPU -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the kernels of test/Device/families.mlir on the simulated machine, on
// the inputs of test/Device/families.cu and against what that computes, which
// an H200 agreed with. Here they run under every policy and several seeds,
// without findings.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"

#include "../../../lib/Simulator/Async/Tensors/SimTensorMap.h"

#include <algorithm>

using namespace carousel::sim;

namespace {

/// Small integers in an order that no mistake preserves.
template <typename T>
std::vector<T> makeValues(size_t count, unsigned seed = 1) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>((i * 7919 + seed * 104729) % 4093);
  return values;
}

class Families : public KernelTest {
protected:
  /// The kernel of that name. `from` is what of its signature becomes `to`: its
  /// maps, which there a driver encodes, are encoded from a further argument
  /// here.
  std::unique_ptr<CompiledKernel> compileKernel(llvm::StringRef name,
                                                llvm::StringRef from = "",
                                                llvm::StringRef to = "") {
    auto kernel =
        compile(readExample("../test/Device/families.mlir", from, to), name);
    EXPECT_TRUE(kernel) << messages;
    return kernel;
  }

  /// Runs the kernel on arguments that `makeArguments` has made anew, under
  /// each policy and seed, and calls `check` after each run.
  template <typename Make, typename Check>
  void run(const CompiledKernel *kernel, uint32_t grid, uint32_t block,
           uint32_t cluster, Make makeArguments, Check check) {
    ASSERT_TRUE(kernel);
    for (const char *policy :
         {"random", "late-landing", "early-landing", "eager-reuse",
          "starved-warp", "reverse-ctas", "one-cta"})
      for (uint64_t seed = 0; seed < 5; ++seed) {
        SCOPED_TRACE(std::string(policy) + ", seed " + std::to_string(seed));
        RunOptions options;
        options.policy = policy;
        options.seed = seed;
        options.grid = {grid, 1, 1};
        options.block = {block, 1, 1};
        options.cluster = {cluster, 1, 1};
        RunResult result = kernel->run(makeArguments(), options);
        ASSERT_TRUE(result.isClean()) << describe(result);
        check();
        if (HasFailure())
          return;
      }
  }
};

TEST_F(Families, TensorOrder) {
  constexpr int D = 5, H = 7, W = 12;
  auto kernel = compileKernel(
      "tensor_order", "%map: !box, %y: !x)",
      "%map: !box {carousel.encode = #carousel.encode<argument = 1>}, "
      "%y: !x, %x: memref<5x7x12xf32, #gl>)");
  auto x = makeValues<float>(D * H * W);
  std::vector<float> y, wanted;
  for (int d = 0; d < 2; ++d)
    for (int h = 0; h < 4; ++h)
      for (int w = 0; w < 8; ++w)
        // The box begins at [1, 2, 8]; beyond the tensor is zero.
        wanted.push_back(8 + w < W ? x[((1 + d) * H + 2 + h) * W + 8 + w] : 0);
  run(
      kernel.get(), 1, 64, 1,
      [&] {
        y.assign(64, -1);
        return std::vector<Argument>{makeMemRef(y), makeMemRef(x, {D, H, W})};
      },
      [&] { EXPECT_EQ(y, wanted); });
}

TEST_F(Families, Im2ColOrder) {
  constexpr int N = 2, H = 6, W = 7, C = 8;
  auto kernel = compileKernel(
      "im2col_order", "%map: !image, %y: !x)",
      "%map: !image {carousel.encode = #carousel.encode<argument = 1>}, "
      "%y: !x, %x: memref<2x6x7x8xf32, #gl>)");
  auto x = makeValues<float>(N * H * W * C);
  // A filter of 3x3: its origin runs over (H - 2) x (W - 2) pixels of image 1,
  // shifted by [1, 2].
  std::vector<float> y, wanted;
  for (int pixel = 0; pixel < 16; ++pixel)
    for (int c = 0; c < C; ++c)
      wanted.push_back(
          x[((H + pixel / (W - 2) + 1) * W + pixel % (W - 2) + 2) * C + c]);
  run(
      kernel.get(), 1, 128, 1,
      [&] {
        y.assign(128, -1);
        return std::vector<Argument>{makeMemRef(y),
                                     makeMemRef(x, {N, H, W, C})};
      },
      [&] { EXPECT_EQ(y, wanted); });
}

TEST_F(Families, Reductions) {
  constexpr int Rows = 16, Columns = 32;
  auto kernel = compileKernel(
      "reductions", "%z: !matrix, %m: memref<?xi32, #gl>)",
      "%z: !matrix {carousel.encode = #carousel.encode<argument = 3>}, "
      "%m: memref<?xi32, #gl>, %tensor: memref<16x32xf32, #gl>)");
  auto x = makeValues<float>(128), y0 = makeValues<float>(128, 2);
  auto z0 = makeValues<float>(Rows * Columns, 3);
  auto m0 = makeValues<int32_t>(128, 4);
  auto wantedY = y0, wantedZ = z0;
  auto wantedM = m0;
  for (int i = 0; i < 128; ++i) {
    wantedY[i] += x[i];
    wantedM[i] = std::max(wantedM[i], static_cast<int32_t>(x[i]));
    int row = i / 16 + 12, column = i % 16 + 24;
    if (row < Rows && column < Columns) // what is outside is clipped
      wantedZ[row * Columns + column] += x[i];
  }
  std::vector<float> y, z;
  std::vector<int32_t> m;
  run(
      kernel.get(), 1, 128, 1,
      [&] {
        y = y0;
        z = z0;
        m = m0;
        return std::vector<Argument>{makeMemRef(x), makeMemRef(y),
                                     makeMemRef(m),
                                     makeMemRef(z, {Rows, Columns})};
      },
      [&] {
        EXPECT_EQ(y, wantedY);
        EXPECT_EQ(z, wantedZ);
        EXPECT_EQ(m, wantedM);
      });
}

TEST_F(Families, Exchange) {
  auto kernel = compileKernel("exchange");
  std::vector<float> y, wanted(16, -1);
  for (int rank = 0; rank < 2; ++rank) {
    float other = 1 - rank;
    float values[] = {other + 10, other + 10, other + 100, 7.0f + rank};
    std::copy(values, values + 4, wanted.begin() + 7 * rank);
  }
  std::vector<int32_t> ranks;
  run(
      kernel.get(), 2, 32, 2,
      [&] {
        y.assign(16, -1);
        ranks.assign(2, -1);
        return std::vector<Argument>{makeMemRef(y), makeMemRef(ranks)};
      },
      [&] {
        EXPECT_EQ(y, wanted);
        EXPECT_EQ(ranks, (std::vector<int32_t>{1, 0}));
      });
}

TEST_F(Families, Multicast) {
  auto kernel = compileKernel("multicast");
  auto x = makeValues<float>(64);
  std::vector<float> y, wanted = x;
  wanted.insert(wanted.end(), x.begin(), x.end());
  run(
      kernel.get(), 2, 64, 2,
      [&] {
        y.assign(128, -1);
        return std::vector<Argument>{makeMemRef(x), makeMemRef(y)};
      },
      [&] { EXPECT_EQ(y, wanted); });
}

TEST_F(Families, CpAsync) {
  auto kernel = compileKernel("cp_async");
  auto x = makeValues<float>(64);
  std::vector<float> y, wanted = x;
  wanted[62] = wanted[63] = 0;
  run(
      kernel.get(), 1, 16, 1,
      [&] {
        y.assign(64, -1);
        return std::vector<Argument>{makeMemRef(x), makeMemRef(y)};
      },
      [&] { EXPECT_EQ(y, wanted); });
}

TEST_F(Families, Replace) {
  // The target of the replaced address is an argument of its own, so that the
  // machine knows it.
  auto kernel = compileKernel("replace", "%other: i64, %y: !x)",
                              "%other: i64, %y: !x, %x: !x, %others: !x)");
  auto x = makeValues<float>(128), others = makeValues<float>(128, 5);
  TensorMap map;
  map.globalAddress = reinterpret_cast<uint64_t>(x.data());
  map.globalExtents[0] = map.box[0] = 16;
  map.globalExtents[1] = map.box[1] = 8;
  map.globalStrides[0] = 16 * sizeof(float);
  map.rank = 2;
  // The second is written by the kernel.
  std::vector<TensorMap> maps;
  std::vector<float> y;
  run(
      kernel.get(), 1, 32, 1,
      [&] {
        maps.assign(2, map);
        y.assign(128, -1);
        return std::vector<Argument>{
            makeMemRef(maps),
            makeNumber(reinterpret_cast<uint64_t>(others.data())),
            makeMemRef(y), makeMemRef(x), makeMemRef(others)};
      },
      [&] { EXPECT_EQ(y, others); });
}

TEST_F(Families, Turns) {
  constexpr uint32_t CTAs = 20;
  auto kernel = compileKernel("turns");
  float wanted = 1;
  for (int block = CTAs - 1; block >= 0; --block)
    wanted = 2 * wanted + block;
  std::vector<int32_t> semaphore;
  std::vector<float> y;
  run(
      kernel.get(), CTAs, 1, 1,
      [&] {
        semaphore.assign(1, 0);
        y.assign(1, 1);
        return std::vector<Argument>{makeMemRef(semaphore), makeMemRef(y)};
      },
      [&] { EXPECT_EQ(y[0], wanted); });
}

TEST_F(Families, States) {
  auto kernel = compileKernel("states");
  auto x = makeValues<float>(64);
  std::vector<float> y, wanted(64);
  for (int i = 0; i < 64; ++i)
    wanted[i] = x[i ^ 32];
  run(
      kernel.get(), 1, 64, 1,
      [&] {
        y.assign(64, -1);
        return std::vector<Argument>{makeMemRef(x), makeMemRef(y)};
      },
      [&] { EXPECT_EQ(y, wanted); });
}

} // namespace
