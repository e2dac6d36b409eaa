//===- ProductRotationTest.cpp - tests of the planner of two stages -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the stages of an iteration's ops, the values that the second stage
// takes over, and the reasons why loops can't be rotated.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/ProductRotation.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class ProductRotationTest : public ::testing::Test {
protected:
  ProductRotationTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect,
                        vector::VectorDialect>();
  }

  /// The reason why a loop with this body isn't rotated. It has two rings, of
  /// `slots` slots, in the role of consumers.
  std::string plan(const std::string &body, const std::string &slots = "2") {
    std::string text = R"(
      #ws = #gpu.address_space<workgroup>
      !tile = memref<64x64xbf16, #ws>
      !ring = !carousel.ring<)" +
                       slots + R"( x memref<64x64xbf16, #ws>>
      !sums = vector<1x8x2x2xf32>
      !narrow = vector<1x8x2x2xbf16>
      !factor = vector<1x4x4x2xbf16>
      gpu.module @m {
        gpu.func @k(%q: !factor, %n: index, %o: !sums) kernel {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %keys = carousel.ring.create : !ring
          %values = carousel.ring.create : !ring
          carousel.ring.roles producer threads(32) {
          } consumer threads(128) {
            %r:4 = scf.for %i = %c0 to %n step %c1
                iter_args(%k = %c0, %v = %c0, %max = %o, %acc = %o)
                -> (index, index, !sums, !sums) {
              %key = carousel.ring.tile %keys[%k], 0 : !ring -> !tile
              %value = carousel.ring.tile %values[%v], 0 : !ring -> !tile
              carousel.ring.wait %keys[%k] : !ring
              %s = carousel.multiply %q, %key[%c0], %o
                  : !factor, !tile, !sums
              carousel.ring.release %keys[%k] : !ring
)" + body + R"(
              %k1 = arith.addi %k, %c1 : index
              %v1 = arith.addi %v, %c1 : index
              scf.yield %k1, %v1, %more, %next : index, index, !sums, !sums
            }
          }
          gpu.return
        }
      })";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    std::string reason = "no second product";
    module->walk([&](scf::ForOp loop) {
      rotation = ProductRotation();
      rotation.products = findSecondProducts(loop);
      if (!rotation.products.empty())
        reason = planRotation(loop, rotation);
    });
    return reason;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  ProductRotation rotation;
};

const std::string kSoftmax = R"(
  %more = arith.maxnumf %s, %max : !sums
  %scaled = arith.mulf %acc, %more : !sums
  %narrow = arith.truncf %s : !sums to !narrow
  %p = vector.shape_cast %narrow : !narrow to !factor
)";
const std::string kSecond = R"(
  carousel.ring.wait %values[%v] : !ring
  %next = carousel.multiply %p, %value[%c0], %scaled : !factor, !tile, !sums
  carousel.ring.release %values[%v] : !ring
)";

template <typename Op> bool has(ArrayRef<Operation *> ops) {
  return llvm::any_of(ops, llvm::IsaPred<Op>);
}

TEST_F(ProductRotationTest, Stages) {
  EXPECT_EQ(plan(kSoftmax + kSecond), "");
  EXPECT_EQ(rotation.sums, (SmallVector<unsigned, 1>{3}));
  // The slot's tile, wait, product and release, and the maximum, its rounding
  // and its cast; and the next use.
  EXPECT_EQ(rotation.first.size(), 8u);
  EXPECT_TRUE(has<arith::MaxNumFOp>(rotation.first));
  EXPECT_EQ(rotation.scale.size(), 1u);
  EXPECT_TRUE(has<arith::MulFOp>(rotation.scale));
  EXPECT_EQ(rotation.second.size(), 5u);
  EXPECT_TRUE(has<RingReleaseOp>(rotation.second));
  // The second stage counts its uses, and takes the maximum and the factor.
  EXPECT_EQ(rotation.late, SmallVector<unsigned>{1});
  ASSERT_EQ(rotation.handed.size(), 2u);
  EXPECT_EQ(rotation.handed.back(), rotation.products.front().getA());
  // Two sums and a maximum of 32 registers, and two factors of 16.
  EXPECT_EQ(rotation.countRegisters(), 3 * 32 + 2 * 16);
}

TEST_F(ProductRotationTest, ProductsOfParts) {
  // Both add to sums of their own, and have the factor in common.
  EXPECT_EQ(plan(R"(
    %most = arith.maxnumf %s, %o : !sums
    %scaled = arith.mulf %acc, %most : !sums
    %others = arith.mulf %max, %most : !sums
    %narrow = arith.truncf %s : !sums to !narrow
    %p = vector.shape_cast %narrow : !narrow to !factor
  )" + kSecond + R"(
    %more = carousel.multiply %p, %value[%c0], %others
        : !factor, !tile, !sums
  )"),
            "");
  ASSERT_EQ(rotation.products.size(), 2u);
  EXPECT_EQ(rotation.sums, (SmallVector<unsigned, 1>{3, 2}));
  EXPECT_EQ(rotation.scale.size(), 2u);
  EXPECT_EQ(rotation.late, SmallVector<unsigned>{1});
  ASSERT_EQ(rotation.handed.size(), 2u);
  EXPECT_EQ(rotation.handed.back(), rotation.products.back().getA());
  // The factor that scales the sums is as wide as they are.
  EXPECT_EQ(rotation.countRegisters(), 4 * 32 + 2 * 16);
}

TEST_F(ProductRotationTest, SumsOfAnotherProduct) {
  // The second one takes what the first one adds to.
  EXPECT_NE(plan(R"(
    %most = arith.maxnumf %s, %o : !sums
    %scaled = arith.mulf %acc, %max : !sums
    %others = arith.mulf %max, %most : !sums
    %narrow = arith.truncf %s : !sums to !narrow
    %p = vector.shape_cast %narrow : !narrow to !factor
  )" + kSecond + R"(
    %more = carousel.multiply %p, %value[%c0], %others
        : !factor, !tile, !sums
  )"),
            "");
}

TEST_F(ProductRotationTest, UseOfBothStages) {
  // The first stage needs the number of the use, too.
  EXPECT_EQ(plan(R"(
    %number = arith.index_cast %v : index to i32
    %float = arith.sitofp %number : i32 to f32
    %more = vector.broadcast %float : f32 to !sums
    %scaled = arith.mulf %acc, %more : !sums
    %narrow = arith.truncf %s : !sums to !narrow
    %p = vector.shape_cast %narrow : !narrow to !factor
  )" + kSecond),
            "");
  EXPECT_TRUE(rotation.late.empty());
  EXPECT_EQ(rotation.handed.size(), 3u);
}

TEST_F(ProductRotationTest, NoSecondProduct) {
  // The factor is that of the iteration before.
  EXPECT_EQ(plan(R"(
    %more = arith.maxnumf %s, %max : !sums
    %narrow = arith.truncf %max : !sums to !narrow
    %p = vector.shape_cast %narrow : !narrow to !factor
    %next = carousel.multiply %p, %value[%c0], %acc : !factor, !tile, !sums
  )"),
            "no second product");
  // Its sums go on.
  EXPECT_EQ(plan(kSoftmax + R"(
    %sum = carousel.multiply %p, %value[%c0], %scaled : !factor, !tile, !sums
    %next = arith.addf %sum, %s : !sums
  )"),
            "no second product");
}

TEST_F(ProductRotationTest, Refused) {
  EXPECT_EQ(plan(kSoftmax + kSecond, "1"),
            "a ring of the second product needs 2 slots, and has 1");
  EXPECT_EQ(plan(kSoftmax +
                 "%e = arith.addf %acc, %s : !sums\n"
                 "vector.print %e : !sums\n" +
                 kSecond),
            "its carried sums are used by 'arith.addf'");
  EXPECT_EQ(plan(R"(
    %more = arith.addf %s, %acc : !sums
    %scaled = arith.mulf %acc, %s : !sums
    %narrow = arith.truncf %s : !sums to !narrow
    %p = vector.shape_cast %narrow : !narrow to !factor
  )" + kSecond),
            "its carried sums are used by 'arith.addf'");
  EXPECT_EQ(plan(kSoftmax + "gpu.barrier\n" + kSecond),
            "the iteration has 'gpu.barrier'");
}

} // namespace
