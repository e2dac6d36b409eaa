//===- PaddingValuesTest.cpp - tests of PaddingValues.h -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/PaddingValues.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class PaddingValuesTest : public ::testing::Test {
protected:
  PaddingValuesTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        math::MathDialect, memref::MemRefDialect,
                        scf::SCFDialect, vector::VectorDialect>();
  }

  /// The paddings of the results of ops with the attribute `p`, and whether
  /// reductions ignore theirs, in order.
  std::string describe(const std::string &body) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
      !m = memref<?x?xf32, #gpu.address_space<global>>
      !v = vector<128xf32>
      !b = vector<128xi1>
      !h = vector<128xf16>
      !q = vector<128xf8E4M3FN>
      gpu.module @m {
        gpu.func @k(%x: !m, %y: !m, %s: f32) kernel attributes {
            carousel.block_program = #carousel.block_program<
                width = 128, covers = extent(0, 1)>} {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %zero = arith.constant 0.0 : f32
          %lowest = arith.constant 0xFF800000 : f32
          %zeros = arith.constant dense<0.0> : !v
          %n = memref.dim %x, %c1 : !m
          %i = gpu.block_id x
          %all = vector.broadcast %s : f32 to !v
          %v = vector.transfer_read %x[%i, %c0], %zero : !m, !v
          %l = vector.transfer_read %x[%i, %c0], %lowest : !m, !v
)" + body + R"(
          gpu.return
        }
      })",
                                                               &context);
    EXPECT_TRUE(module);
    std::string text;
    if (module)
      module->walk([&](gpu::GPUFuncOp kernel) { describe(kernel, text); });
    return text;
  }

  static void describe(gpu::GPUFuncOp kernel, std::string &text) {
    CoveredExtent extent(kernel, kernel->getAttrOfType<BlockProgramAttr>(
                                     CarouselDialect::kBlockProgram));
    PaddingValues values(kernel, extent);
    llvm::raw_string_ostream os(text);
    kernel.walk([&](Operation *op) {
      if (op->hasAttr("p")) {
        values.get(op->getResult(0)).print(os);
        os << '\n';
      }
      auto reduction = dyn_cast<vector::MultiDimReductionOp>(op);
      if (!reduction)
        return;
      std::optional<Conditions> found = values.findConditions(reduction);
      os << (found ? "ignored" : "counts");
      for (GuardAttr guard : extent.getGuards(found.value_or(0)))
        os << ' ' << guard;
      os << '\n';
    });
  }

  MLIRContext context;
};

TEST_F(PaddingValuesTest, OpsFoldThePadding) {
  EXPECT_EQ(describe(R"(
    %e = math.exp %l {p} : !v
    %f = math.exp %v {p} : !v
    %g = arith.addf %v, %f {p} : !v
    %s1 = vector.multi_reduction <add>, %e, %zero [0] : !v to f32
    %s2 = vector.multi_reduction <add>, %f, %zero [0] : !v to f32
  )"),
            "0.000000e+00 : f32\n1.000000e+00 : f32\n1.000000e+00 : f32\n"
            "ignored\ncounts\n");
}

TEST_F(PaddingValuesTest, RoundedPaddingIsKnown) {
  EXPECT_EQ(describe(R"(
    %a = carousel.round_tf32 %v {p} : !v
    %b = carousel.round_tf32 %all {p} : !v
    %tenth = arith.constant 0.1 : f32
    %t = vector.transfer_read %x[%i, %c0], %tenth : !m, !v
    %c = carousel.round_tf32 %t {p} : !v
  )"),
            "0.000000e+00 : f32\nshared\n0.0999755859 : f32\n");
}

// Numbers that all columns have count as finite: 0 * s is 0, -inf - s is -inf.
TEST_F(PaddingValuesTest, SharedNumbersAreFinite) {
  EXPECT_EQ(describe(R"(
    %a = arith.mulf %v, %all {p} : !v
    %b = arith.subf %l, %all {p} : !v
    %c = arith.subf %v, %all {p} : !v
    %d = arith.mulf %l, %all {p} : !v
    %e = vector.fma %v, %c, %zeros {p} : !v
    %f = arith.divf %all, %v {p} : !v
    %s1 = vector.multi_reduction <add>, %a, %zero [0] : !v to f32
    %s2 = vector.multi_reduction <add>, %c, %zero [0] : !v to f32
  )"),
            "0.000000e+00 : f32 or NaN\n0xFF800000 : f32 or NaN\nshared\n"
            "unknown\n0.000000e+00 : f32 or NaN\nunknown\nignored\ncounts\n");
}

// Upstream folds no poles. Padding alone is there, and no other column has it.
TEST_F(PaddingValuesTest, PolesAreUnknown) {
  EXPECT_EQ(describe(R"(
    %less = arith.constant -1.0 : f32
    %w = vector.transfer_read %x[%i, %c0], %less : !m, !v
    %p = vector.transfer_read %x[%i, %c0], %s : !m, !v
    %minus = arith.constant dense<-1> : vector<128xi32>
    %two = arith.constant dense<2> : vector<128xi32>
    %a = math.rsqrt %v {p} : !v
    %b = math.log2 %w {p} : !v
    %c = math.sqrt %w {p} : !v
    %d = math.powf %v, %all {p} : !v
    %e = math.fpowi %v, %minus {p} : !v, vector<128xi32>
    %f = arith.remf %all, %v {p} : !v
    %g = math.acosh %p {p} : !v
    %h = math.exp %p {p} : !v
    %j = math.fpowi %v, %two {p} : !v, vector<128xi32>
    %k = math.floor %p {p} : !v
    %z = arith.mulf %a, %v : !v
    %s1 = vector.multi_reduction <add>, %z, %zero [0] : !v to f32
  )"),
            "unknown\nunknown\nunknown\nunknown\nunknown\nunknown\nunknown\n"
            "unknown\nshared\nshared\ncounts\n");
}

// A value that all columns have is also within the extent.
TEST_F(PaddingValuesTest, CommonNumbersAreFinite) {
  EXPECT_EQ(describe(R"(
    %a = math.rsqrt %all {p} : !v
    %b = arith.divf %v, %all {p} : !v
    %c = math.exp %all {p} : !v
    %d = arith.subf %v, %all : !v
    %e = arith.mulf %d, %a {p} : !v
    %f = arith.divf %v, %d {p} : !v
    %g = arith.constant dense<[[0x7F800000], [1.0]]> : vector<2x1xf32>
    %h = vector.broadcast %g {p} : vector<2x1xf32> to vector<2x128xf32>
    %j = arith.constant dense<[[2.0], [1.0]]> : vector<2x1xf32>
    %k = vector.broadcast %j {p} : vector<2x1xf32> to vector<2x128xf32>
    %l1 = arith.negf %lowest {p} : f32
    %m1 = vector.broadcast %l1 {p} : f32 to !v
  )"),
            "shared\n0.000000e+00 : f32 or NaN\nshared\nshared\nunknown\n"
            "unknown\nshared\n0x7F800000 : f32\n0x7F800000 : f32\n");
}

// Sums and products may exceed a type: of large numbers, and of few bits.
TEST_F(PaddingValuesTest, TypesEnd) {
  EXPECT_EQ(describe(R"(
    %much = arith.constant 1.0e+30 : f32
    %w = vector.transfer_read %x[%i, %c0], %much : !m, !v
    %p = vector.transfer_read %x[%i, %c0], %s : !m, !v
    %a = arith.mulf %w, %all {p} : !v
    %b = arith.truncf %w {p} : !v to !h
    %c = arith.truncf %p {p} : !v to !h
    %one = math.exp %v : !v
    %d = arith.truncf %one {p} : !v to !h
    %hs = arith.constant dense<3.0e+4> : !h
    %e = arith.mulf %d, %hs {p} : !h
    %f = arith.mulf %e, %hs {p} : !h
    %s16 = arith.truncf %all : !v to !h
    %g = arith.addf %d, %s16 {p} : !h
    %h = arith.addf %s16, %s16 {p} : !h
    %j = math.log %d {p} : !h
    %e8 = arith.truncf %one : !v to !q
    %q8 = arith.constant dense<3.2e+2> : !q
    %k = arith.mulf %e8, %q8 {p} : !q
    %c8 = arith.truncf %all : !v to !q
    %t8 = arith.addf %k, %c8 {p} : !q
  )"),
            "unknown\nunknown\nunknown\n1.000000e+00 : f16\n"
            "3.000000e+04 : f16\n0x7C00 : f16\nunknown\nshared\nunknown\n"
            "3.200000e+02 : f8E4M3FN\nunknown\n");
}

// A zero times a number that may be below zero.
TEST_F(PaddingValuesTest, ZerosHaveSigns) {
  EXPECT_EQ(describe(R"(
    %ones = arith.constant dense<1.0> : !v
    %highest = arith.constant 0x7F800000 : f32
    %z = arith.mulf %v, %all {p} : !v
    %a = arith.divf %ones, %z {p} : !v
    %b = math.rsqrt %z {p} : !v
    %c = math.copysign %ones, %z {p} : !v
    %d = math.atan2 %z, %l {p} : !v
    %e = arith.divf %ones, %v {p} : !v
    %f = math.exp %z {p} : !v
    %least = vector.multi_reduction <minimumf>, %e, %highest [0] : !v to f32
    %nil = arith.constant -0.0 : f32
    %g = vector.multi_reduction <maximumf>, %v, %nil [0] : !v to f32
    %h = vector.multi_reduction <minimumf>, %z, %zero [0] : !v to f32
  )"),
            "0.000000e+00 : f32 or NaN\nunknown\nunknown\nunknown\nunknown\n"
            "0x7F800000 : f32\n1.000000e+00 : f32 or NaN\n"
            "ignored\ncounts\ncounts\n");
}

// The initial values of columns are what a neutral reduction of rows leaves.
TEST_F(PaddingValuesTest, ReductionsOfRowsLeaveInitialValues) {
  EXPECT_EQ(describe(R"(
    %w = vector.transfer_read %x[%c0, %c0], %lowest {in_bounds = [true, false]} : !m, vector<4x128xf32>
    %acc = vector.transfer_read %y[%i, %c1], %zero : !m, !v
    %a = vector.multi_reduction <maxnumf>, %w, %acc {p} [0] : vector<4x128xf32> to !v
    %b = vector.multi_reduction <maxnumf>, %w, %v {p} [0] : vector<4x128xf32> to !v
    %c = vector.multi_reduction <maxnumf>, %w, %all {p} [0] : vector<4x128xf32> to !v
  )"),
            "unknown\nignored\n0.000000e+00 : f32\nignored\nshared\n"
            "ignored\n");
}

// Comparisons of values that may be NaN aren't known.
TEST_F(PaddingValuesTest, ComparisonsNeedNumbers) {
  EXPECT_EQ(describe(R"(
    %a = arith.mulf %v, %all : !v
    %b = arith.cmpf olt, %a, %zeros {p} : !v
    %c = arith.cmpf olt, %v, %zeros {p} : !v
    %d = arith.cmpf oeq, %l, %all {p} : !v
  )"),
            "unknown\nfalse\nunknown\n");
}

TEST_F(PaddingValuesTest, MasksEndWithTheExtent) {
  EXPECT_EQ(describe(R"(
    %m = memref.dim %y, %c1 : !m
    %less = arith.minsi %n, %m : index
    %c100 = arith.constant 100 : index
    %a = vector.create_mask %n {p} : !b
    %b = vector.create_mask %less {p} : !b
    %c = vector.create_mask %c100 {p} : !b
    %d = arith.subf %v, %all : !v
    %e = arith.select %a, %d, %zeros {p} : !b, !v
    %f = arith.andi %c, %a {p} : !b
    %g = arith.andi %a, %c {p} : !b
    %byte = arith.index_cast %n : index to i8
    %wrapped = arith.index_cast %byte : i8 to index
    %long = arith.index_cast %n : index to i64
    %same = arith.index_cast %long : i64 to index
    %least = arith.minui %wrapped, %c100 : index
    %h = vector.create_mask %wrapped {p} : !b
    %j = vector.create_mask %least {p} : !b
    %k = vector.create_mask %same {p} : !b
  )"),
            "false\nfalse\nunknown\n0.000000e+00 : f32\nfalse\nfalse\n"
            "unknown\nunknown\nfalse\n");
}

TEST_F(PaddingValuesTest, OtherMemRefsAreConditions) {
  EXPECT_EQ(describe(R"(
    %w = vector.transfer_read %y[%i, %c0], %zero : !m, !v
    %o = vector.transfer_read %y[%i, %c1], %zero {p} : !m, !v
    %q = vector.transfer_read %x[%i, %i], %zero {p} : !m, !v
    %p = arith.mulf %v, %w : !v
    %s1 = vector.multi_reduction <add>, %p, %zero [0] : !v to f32
  )"),
            "unknown\nunknown\nignored #carousel.guard<range(extent(0, 1) - "
            "extent(1, 1), 0, 9223372036854775807)>\n");
}

TEST_F(PaddingValuesTest, LoopsAndBranchesJoin) {
  EXPECT_EQ(describe(R"(
    %c = arith.cmpf olt, %s, %zero : f32
    %a = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zeros) -> (!v) {
      %next = arith.addf %sum, %v : !v
      scf.yield %next : !v
    } {p}
    %b = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zeros) -> (!v) {
      %one = math.exp %v : !v
      %next = arith.addf %sum, %one : !v
      scf.yield %next : !v
    } {p}
    %d = scf.if %c -> (!v) {
      scf.yield %v : !v
    } else {
      scf.yield %l : !v
    } {p}
  )"),
            "0.000000e+00 : f32\nshared\nunknown\n");
}

// Neutral elements, and what the initial value is beyond.
TEST_F(PaddingValuesTest, KindsHaveNeutralElements) {
  EXPECT_EQ(describe(R"(
    %a = vector.multi_reduction <maximumf>, %l, %s [0] : !v to f32
    %b = vector.multi_reduction <maximumf>, %v, %s [0] : !v to f32
    %c = vector.multi_reduction <maximumf>, %v, %zero [0] : !v to f32
    %d = vector.multi_reduction <minimumf>, %v, %lowest [0] : !v to f32
    %e = vector.multi_reduction <mul>, %v, %zero [0] : !v to f32
  )"),
            "ignored\ncounts\nignored\nignored\ncounts\n");
}

// The index of the maximum: padding equals it only where all elements do.
TEST_F(PaddingValuesTest, FirstColumns) {
  const std::string index = R"(
    %max = vector.multi_reduction <maximumf>, %l, %lowest [0] : !v to f32
    %maxes = vector.broadcast %max : f32 to !v
    %equal = arith.cmpf oeq, %l, %maxes : !v
    %nan = arith.cmpf uno, %l, %l : !v
    %found = arith.ori %equal, %nan : !b
    %steps = vector.step : vector<128xindex>
    %last = arith.constant 4294967295 : index
    %lasts = vector.broadcast %last : index to vector<128xindex>
    %own = arith.select %found, %steps, %lasts : !b, vector<128xindex>
  )";
  EXPECT_EQ(describe(index + R"(
    %a = vector.multi_reduction <minui>, %own, %last [0] : vector<128xindex> to index
    %b = vector.multi_reduction <maxui>, %own, %last [0] : vector<128xindex> to index
  )"),
            "ignored\nignored\ncounts\n");
  // In 8 bits, columns beyond the row may be below its own.
  EXPECT_EQ(describe(index + R"(
    %most = arith.constant 127 : i8
    %mosts = arith.constant dense<127> : vector<128xi8>
    %bytes = arith.index_cast %steps : vector<128xindex> to vector<128xi8>
    %byte = arith.select %found, %bytes, %mosts : !b, vector<128xi8>
    %a = vector.multi_reduction <minsi>, %byte, %most [0] : vector<128xi8> to i8
    %end = arith.constant 2147483647 : i32
    %ends = arith.constant dense<2147483647> : vector<128xi32>
    %words = arith.index_cast %steps : vector<128xindex> to vector<128xi32>
    %word = arith.select %found, %words, %ends : !b, vector<128xi32>
    %b = vector.multi_reduction <minsi>, %word, %end [0] : vector<128xi32> to i32
  )"),
            "ignored\ncounts\nignored\n");
}

} // namespace
