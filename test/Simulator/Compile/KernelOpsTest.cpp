//===- KernelOpsTest.cpp - upstream ops on the simulated machine ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel per family of upstream ops, compared with the host.
//
//===----------------------------------------------------------------------===//

#include "../Launch/KernelTesting.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <numeric>

using namespace carousel::sim;

namespace {

class KernelOps : public KernelTest {};

std::vector<float> getRamp(size_t size, float start = -4, float step = 0.37f) {
  std::vector<float> data(size);
  for (size_t i = 0; i < size; ++i)
    data[i] = start + step * float(i);
  return data;
}

/// f32 rounded to a narrower type, as bits.
template <typename Bits>
Bits narrow(float value, const llvm::fltSemantics &semantics) {
  llvm::APFloat wide(value);
  bool losesInfo;
  wide.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return Bits(wide.bitcastToAPInt().getZExtValue());
}
template <typename Bits>
float widen(Bits bits, const llvm::fltSemantics &semantics) {
  llvm::APFloat value(semantics, llvm::APInt(8 * sizeof(Bits), uint64_t(bits)));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToFloat();
}

TEST_F(KernelOps, PositionsOfEveryThread) {
  std::vector<int64_t> ids(3 * 64, -1);
  RunResult result =
      runKernel("%y: memref<?xi64, #gpu.address_space<global>>",
                R"(
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %n = gpu.block_dim x
    %g = gpu.grid_dim x
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %size = gpu.subgroup_size : index
    %warps = gpu.num_subgroups : index
    %before = arith.muli %b, %n : index
    %i = arith.addi %before, %t : index
    %c1000 = arith.constant 1000 : index
    %w = arith.muli %warp, %size : index
    %same = arith.addi %w, %lane : index
    %high = arith.muli %same, %c1000 : index
    %more = arith.addi %warps, %g : index
    %value = arith.addi %high, %more : index
    %v = arith.index_cast %value : index to i64
    memref.store %v, %y[%i] : memref<?xi64, #gpu.address_space<global>>
)",
                {makeMemRef(ids, {}, /*isWritten=*/false)}, 64, 3);
  ASSERT_TRUE(result.isClean()) << describe(result);
  for (size_t i = 0; i < ids.size(); ++i)
    ASSERT_EQ(ids[i], int64_t(1000 * (i % 64) + 5)) << i;
}

TEST_F(KernelOps, MathOfFloats) {
  std::vector<float> x = getRamp(64), y(64);
  RunResult result = runKernel("%x: memref<?xf32>, %y: memref<?xf32>", R"(
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %a = math.tanh %v : f32
    %b = math.exp %v : f32
    %c = math.erf %v : f32
    %d = math.absf %v : f32
    %e = math.sqrt %d : f32
    %f = math.powf %d, %e : f32
    %one = arith.constant 1.0 : f32
    %g = arith.addf %d, %one : f32
    %h = math.rsqrt %g : f32
    %i = math.log1p %d : f32
    %s0 = arith.addf %a, %b : f32
    %s1 = arith.addf %s0, %c : f32
    %s2 = arith.addf %s1, %f : f32
    %s3 = math.fma %h, %i, %s2 : f32
    memref.store %s3, %y[%t] : memref<?xf32>
)",
                               {makeMemRef(x), makeMemRef(y)}, 64);
  ASSERT_TRUE(result.isClean()) << describe(result);
  for (size_t i = 0; i < x.size(); ++i) {
    float v = x[i], d = std::fabs(v);
    float expected = std::fma(1 / std::sqrt(d + 1), std::log1p(d),
                              std::tanh(v) + std::exp(v) + std::erf(v) +
                                  std::pow(d, std::sqrt(d)));
    // Each function of libm is right to about one unit in the last place.
    ASSERT_NEAR(y[i], expected, 1e-5f * (1 + std::fabs(expected))) << v;
  }
}

TEST_F(KernelOps, BFloat16RoundsAfterEachOperation) {
  const llvm::fltSemantics &bf16 = llvm::APFloat::BFloat();
  std::vector<uint16_t> x(64), y(64);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = narrow<uint16_t>(0.1f + 1.7f * float(i), bf16);
  RunResult result = runKernel("%x: memref<?xbf16>, %y: memref<?xbf16>", R"(
    %t = gpu.thread_id x
    %c4 = arith.constant 4 : index
    %i = arith.muli %t, %c4 : index
    %v = vector.load %x[%i] : memref<?xbf16>, vector<4xbf16>
    %m = arith.mulf %v, %v : vector<4xbf16>
    %s = arith.addf %m, %v : vector<4xbf16>
    %w = math.exp %v : vector<4xbf16>
    %n = arith.minimumf %s, %w : vector<4xbf16>
    vector.store %n, %y[%i] : memref<?xbf16>, vector<4xbf16>
)",
                               {makeMemRef(x), makeMemRef(y)}, 16);
  ASSERT_TRUE(result.isClean()) << describe(result);
  for (size_t i = 0; i < x.size(); ++i) {
    float v = widen(x[i], bf16);
    float m = widen(narrow<uint16_t>(v * v, bf16), bf16);
    float s = widen(narrow<uint16_t>(m + v, bf16), bf16);
    float w = widen(narrow<uint16_t>(std::exp(v), bf16), bf16);
    ASSERT_EQ(y[i], narrow<uint16_t>(std::min(s, w), bf16)) << v;
  }
}

TEST_F(KernelOps, Float16AndFloat8) {
  const llvm::fltSemantics &half = llvm::APFloat::IEEEhalf();
  const llvm::fltSemantics &e4m3 = llvm::APFloat::Float8E4M3FN();
  std::vector<float> x = getRamp(32);
  std::vector<uint16_t> y(32);
  std::vector<uint8_t> z(32);
  RunResult result = runKernel(
      "%x: memref<?xf32>, %y: memref<?xf16>, %z: memref<?xf8E4M3FN>", R"(
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %h = arith.truncf %v : f32 to f16
    %hh = arith.mulf %h, %h : f16
    memref.store %hh, %y[%t] : memref<?xf16>
    %e = arith.truncf %v : f32 to f8E4M3FN
    %w = arith.extf %e : f8E4M3FN to f32
    %e2 = arith.truncf %w : f32 to f8E4M3FN
    %sum = arith.addf %e, %e2 : f8E4M3FN
    memref.store %sum, %z[%t] : memref<?xf8E4M3FN>
)",
      {makeMemRef(x), makeMemRef(y), makeMemRef(z)}, 32);
  ASSERT_TRUE(result.isClean()) << describe(result);
  for (size_t i = 0; i < x.size(); ++i) {
    float h = widen(narrow<uint16_t>(x[i], half), half);
    ASSERT_EQ(y[i], narrow<uint16_t>(h * h, half)) << x[i];
    float e = widen(narrow<uint8_t>(x[i], e4m3), e4m3);
    ASSERT_EQ(z[i], narrow<uint8_t>(e + e, e4m3)) << x[i];
  }
}

TEST_F(KernelOps, TransfersPastTheEndArePadded) {
  std::vector<float> x = getRamp(10), y(16, -1);
  RunResult result = runKernel("%x: memref<?xf32>, %y: memref<?xf32>", R"(
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %pad = arith.constant 7.0 : f32
    %v = vector.transfer_read %x[%c8], %pad : memref<?xf32>, vector<8xf32>
    vector.transfer_write %v, %y[%c8] {in_bounds = [true]} : vector<8xf32>, memref<?xf32>
    %w = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<?xf32>, vector<4xf32>
    %sum = vector.reduction <add>, %w : vector<4xf32> into f32
    memref.store %sum, %y[%c0] : memref<?xf32>
)",
                               {makeMemRef(x), makeMemRef(y)});
  ASSERT_TRUE(result.isClean()) << describe(result);
  EXPECT_EQ(y[8], x[8]);
  EXPECT_EQ(y[9], x[9]);
  EXPECT_EQ(y[10], 7);
  EXPECT_EQ(y[15], 7);
  EXPECT_NEAR(y[0], x[0] + x[1] + x[2] + x[3], 1e-5f);
}

TEST_F(KernelOps, ContractionsTransposesAndRows) {
  std::vector<float> a = getRamp(8, 1, 1), b = getRamp(8, 2, 1), c(4);
  RunResult result = runKernel(
      "%a: memref<2x4xf32>, %b: memref<4x2xf32>, %c: memref<2x2xf32>", R"(
    %c0 = arith.constant 0 : index
    %va = vector.load %a[%c0, %c0] : memref<2x4xf32>, vector<2x4xf32>
    %vb = vector.load %b[%c0, %c0] : memref<4x2xf32>, vector<4x2xf32>
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    %vc = vector.contract {
        indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                         affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %va, %vb, %zero : vector<2x4xf32>, vector<4x2xf32> into vector<2x2xf32>
    %t = vector.transpose %vc, [1, 0] : vector<2x2xf32> to vector<2x2xf32>
    vector.store %t, %c[%c0, %c0] : memref<2x2xf32>, vector<2x2xf32>
)",
      {makeMemRef(a, {2, 4}), makeMemRef(b, {4, 2}), makeMemRef(c, {2, 2})});
  ASSERT_TRUE(result.isClean()) << describe(result);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      float sum = 0;
      for (int k = 0; k < 4; ++k)
        sum += a[4 * i + k] * b[2 * k + j];
      EXPECT_EQ(c[2 * j + i], sum);
    }
}

TEST_F(KernelOps, MaskedLanesTouchNothing) {
  // Masked lanes are out of bounds.
  std::vector<float> x = getRamp(4), y(4, -1);
  RunResult result = runKernel("%x: memref<?xf32>, %y: memref<?xf32>", R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %mask = vector.create_mask %c3 : vector<8xi1>
    %zero = arith.constant dense<0.0> : vector<8xf32>
    %v = vector.maskedload %x[%c1], %mask, %zero
        : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %at = arith.constant dense<[3, 0, 2, 90, 90, 90, 90, 90]> : vector<8xi32>
    %g = vector.gather %x[%c0] [%at], %mask, %v
        : memref<?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    vector.scatter %y[%c0] [%at], %mask, %g
        : memref<?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
    vector.maskedstore %y[%c1], %mask, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
)",
                               {makeMemRef(x), makeMemRef(y)});
  ASSERT_TRUE(result.isClean()) << describe(result);
  EXPECT_EQ(y, (std::vector<float>{x[0], x[1], x[2], x[3]}));
}

TEST_F(KernelOps, ViewsOfMemRefs) {
  std::vector<float> x = getRamp(64), y(64, 0);
  RunResult result = runKernel("%x: memref<8x8xf32>, %y: memref<8x8xf32>", R"(
    %s = memref.subview %x[2, 3] [4, 2] [1, 2]
        : memref<8x8xf32> to memref<4x2xf32, strided<[8, 2], offset: 19>>
    %d = memref.subview %y[0, 0] [4, 2] [1, 1]
        : memref<8x8xf32> to memref<4x2xf32, strided<[8, 1]>>
    memref.copy %s, %d : memref<4x2xf32, strided<[8, 2], offset: 19>>
        to memref<4x2xf32, strided<[8, 1]>>
    %flat = memref.collapse_shape %y [[0, 1]] : memref<8x8xf32> into memref<64xf32>
    %c63 = arith.constant 63 : index
    %dim = memref.dim %flat, %c63 : memref<64xf32>
    %one = arith.constant 1.0 : f32
    affine.store %one, %flat[63] : memref<64xf32>
)",
                               {makeMemRef(x, {8, 8}), makeMemRef(y, {8, 8})});
  ASSERT_TRUE(result.isClean()) << describe(result);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      EXPECT_EQ(y[8 * i + j], x[8 * (2 + i) + 3 + 2 * j]);
  EXPECT_EQ(y[63], 1);
}

TEST_F(KernelOps, IntegersAndWhile) {
  std::vector<int32_t> y(32);
  RunResult result = runKernel("%y: memref<?xi32>, %n: i32", R"(
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %start = arith.index_cast %t : index to i32
    %first = arith.addi %start, %n : i32
    // Steps of Collatz's sequence to one.
    %r:2 = scf.while (%v = %first, %k = %c0) : (i32, i32) -> (i32, i32) {
      %go = arith.cmpi ne, %v, %c1 : i32
      scf.condition(%go) %v, %k : i32, i32
    } do {
    ^bb0(%v: i32, %k: i32):
      %odd = arith.andi %v, %c1 : i32
      %is_odd = arith.cmpi eq, %odd, %c1 : i32
      %next = scf.if %is_odd -> i32 {
        %m = arith.muli %v, %c3 : i32
        %p = arith.addi %m, %c1 : i32
        scf.yield %p : i32
      } else {
        %h = arith.shrui %v, %c1 : i32
        scf.yield %h : i32
      }
      %k1 = arith.addi %k, %c1 : i32
      scf.yield %next, %k1 : i32, i32
    }
    memref.store %r#1, %y[%t] : memref<?xi32>
)",
                               {makeMemRef(y), makeNumber(5)}, 32);
  ASSERT_TRUE(result.isClean()) << describe(result);
  for (int i = 0; i < 32; ++i) {
    int steps = 0;
    for (uint32_t v = i + 5; v != 1; ++steps)
      v = v % 2 ? 3 * v + 1 : v / 2;
    ASSERT_EQ(y[i], steps);
  }
}

TEST_F(KernelOps, Shuffles) {
  std::vector<float> x = getRamp(32), y(32);
  std::vector<int64_t> z(32);
  RunResult result =
      runKernel("%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xi64>", R"(
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %width = arith.constant 32 : i32
    %one = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %a, %va = gpu.shuffle xor %v, %one, %width : f32
    %b, %vb = gpu.shuffle up %a, %one, %width : f32
    %c, %vc = gpu.shuffle idx %b, %c5, %width : f32
    %s = arith.select %vb, %b, %c : f32
    memref.store %s, %y[%t] : memref<?xf32>
    %i = arith.index_cast %t : index to i64
    %d, %vd = gpu.shuffle down %i, %one, %width : i64
    %minus = arith.constant -1 : i64
    %r = arith.select %vd, %d, %minus : i64
    memref.store %r, %z[%t] : memref<?xi64>
)",
                {makeMemRef(x), makeMemRef(y), makeMemRef(z)}, 32);
  ASSERT_TRUE(result.isClean()) << describe(result);
  for (int i = 0; i < 32; ++i) {
    auto a = [&](int lane) { return x[lane ^ 1]; };
    ASSERT_EQ(y[i], i > 0 ? a(i - 1) : a(4)) << i;
    ASSERT_EQ(z[i], i < 31 ? i + 1 : -1) << i;
  }
}

TEST_F(KernelOps, Reductions) {
  std::vector<float> x = getRamp(96, 1, 1), y(96), z(96);
  RunResult result =
      runKernel("%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>", R"(
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    %warp = gpu.subgroup_reduce add %v : (f32) -> f32
    memref.store %warp, %y[%t] : memref<?xf32>
    %all = gpu.all_reduce maxnumf %v uniform {} : (f32) -> f32
    memref.store %all, %z[%t] : memref<?xf32>
)",
                {makeMemRef(x), makeMemRef(y), makeMemRef(z)}, 96);
  ASSERT_TRUE(result.isClean()) << describe(result);
  for (int i = 0; i < 96; ++i) {
    float sum = std::accumulate(x.begin() + i / 32 * 32,
                                x.begin() + i / 32 * 32 + 32, 0.f);
    ASSERT_EQ(y[i], sum);
    ASSERT_EQ(z[i], 96);
  }
}

TEST_F(KernelOps, AtomicsOfManyThreads) {
  std::vector<int32_t> sum(1, 0);
  std::vector<float> most(1, -100);
  RunResult result = runKernel("%s: memref<?xi32>, %m: memref<?xf32>", R"(
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i32
    %old = memref.atomic_rmw addi %i, %s[%c0] : (i32, memref<?xi32>) -> i32
    %f = arith.sitofp %i : i32 to f32
    %before = memref.atomic_rmw maximumf %f, %m[%c0] : (f32, memref<?xf32>) -> f32
)",
                               {makeMemRef(sum), makeMemRef(most)}, 64, 2);
  ASSERT_TRUE(result.isClean()) << describe(result);
  EXPECT_EQ(sum[0], 2 * 63 * 32);
  EXPECT_EQ(most[0], 63);
}

TEST_F(KernelOps, SharedAndPrivateMemoryAndGlobals) {
  std::vector<float> y(64);
  std::unique_ptr<CompiledKernel> kernel = compile(R"(
gpu.module @m {
  memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  func.func private @scale(%v: f32) -> f32 {
    %c = arith.constant 10.0 : f32
    %r = arith.mulf %v, %c : f32
    return %r : f32
  }
  gpu.func @k(%y: memref<?xf32>)
      workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>)
      private(%p: memref<4xf32, #gpu.address_space<private>>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %table = memref.get_global @table : memref<4xf32>
    %i = arith.andi %t, %c3 : index
    %v = memref.load %table[%i] : memref<4xf32>
    memref.store %v, %p[%i] : memref<4xf32, #gpu.address_space<private>>
    %q = memref.load %p[%i] : memref<4xf32, #gpu.address_space<private>>
    memref.store %q, %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    %own = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %q, %own[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %j = arith.subi %c63, %t : index
    %o = memref.load %s[%j] : memref<64xf32, #gpu.address_space<workgroup>>
    %o2 = memref.load %own[%j] : memref<64xf32, #gpu.address_space<workgroup>>
    %sum = arith.addf %o, %o2 : f32
    %r = func.call @scale(%sum) : (f32) -> f32
    memref.store %r, %y[%t] : memref<?xf32>
    memref.dealloc %own : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
})");
  ASSERT_TRUE(kernel) << messages;
  RunResult result = kernel->run({makeMemRef(y)});
  ASSERT_TRUE(result.isClean()) << describe(result);
  for (int i = 0; i < 64; ++i)
    ASSERT_EQ(y[i], 20 * float((63 - i) % 4 + 1));
}

TEST_F(KernelOps, DivisionByZeroIsAFinding) {
  std::vector<int32_t> y(3);
  RunResult result = runKernel("%y: memref<?xi32>, %d: i32", R"(
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i32
    %q = arith.divsi %i, %d : i32
    %least = arith.constant -2147483648 : i32
    %minus = arith.subi %d, %i : i32
    %r = arith.remsi %least, %minus : i32
    %sum = arith.addi %q, %r : i32
    memref.store %sum, %y[%t] : memref<?xi32>
)",
                               {makeMemRef(y), makeNumber(0)}, 3);
  EXPECT_EQ(result.status, RunStatus::Finished);
  EXPECT_EQ(count(result, FindingKind::InvalidOperand), 2u) << describe(result);
}

} // namespace
