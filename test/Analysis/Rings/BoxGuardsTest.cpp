//===- BoxGuardsTest.cpp - tests of guards on boxes -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conditions on a launch under which a load may run ahead of a store. Each
// kernel shifts a tile by some distance; the guard says for which distances no
// load meets the store of an earlier iteration.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/BoxGuards.h"

#include "carousel/Analysis/Rings/RingPlan.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class BoxGuardsTest : public ::testing::Test {
protected:
  BoxGuardsTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
  }

  /// The only kernel with `body`. %s is argument 2, of any sign.
  gpu::GPUFuncOp parse(const std::string &body) {
    module = parseSourceString<ModuleOp>(R"(
      #gl = #gpu.address_space<global>
      !global = memref<?xf32, #gl>
      !tile = memref<128xf32, #gpu.address_space<workgroup>>
      gpu.module @m {
        gpu.func @k(%x: !global, %y: !global {carousel.argument =
                      #carousel.argument<"y", out, may_alias = 0>},
                    %s: index, %n: index, %i32: i32) kernel
            attributes {known_block_size = array<i32: 128, 1, 1>} {
          %c0 = arith.constant 0 : index
          %c2 = arith.constant 2 : index
          %c128 = arith.constant 128 : index
          %c1024 = arith.constant 1024 : index
          %in = memref.alloc() : !tile
          %extent = memref.dim %x, %c0 : !global
)" + body + R"(
          gpu.return
        }
      })",
                                         &context);
    EXPECT_TRUE(module);
    gpu::GPUFuncOp kernel;
    module->walk([&](gpu::GPUFuncOp func) { kernel = func; });
    return kernel;
  }

  /// The guards of a loop with `loads` elements from %from to %to, printed.
  std::string find(const std::string &body,
                   const std::string &bounds = "%c0 to %c1024 step %c128",
                   const std::string &target = "%x") {
    gpu::GPUFuncOp kernel =
        parse("scf.for %i = " + bounds + " {\n" + body +
              "carousel.load %x[%from] to %in engine<bulk> : !global, !tile\n"
              "carousel.store %in to " +
              target +
              "[%to] engine<bulk> : !tile, !global\n"
              "} {carousel.pipeline = #carousel.pipeline<stages = 4>}");
    SmallVector<GuardAttr> guards = findBoxGuards(kernel);
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(guards, os);
    // With the guards as facts the load has a ring, and nothing is missing.
    ChipModel chip = ChipModel::of(*TargetInfo::lookup("sm_90a"));
    RingPlan before = planRings(kernel, chip);
    addGuards(kernel, "k", guards);
    RingPlan after = planRings(kernel, chip);
    EXPECT_EQ(isBetter(after, before), !guards.empty());
    EXPECT_EQ(isBetter(before, after), false);
    EXPECT_TRUE(findBoxGuards(kernel).empty());
    isRinged = !after.loops.front().rings.empty();
    return text;
  }

  bool isRinged = false;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

std::string guard(const std::string &expr) {
  return "#carousel.guard<range(" + expr + ", 0, 9223372036854775807)>";
}

const std::string kToSame = "%to = arith.addi %i, %c0 : index\n";

TEST_F(BoxGuardsTest, Shift) {
  // To the right of the store, or so far to the left that no store gets there.
  EXPECT_EQ(find("%from = arith.addi %i, %s : index\n" + kToSame),
            guard("max(scalar(2), scalar(2) * -1 - 1024)"));
  EXPECT_TRUE(isRinged);
  EXPECT_EQ(find("%from = arith.subi %i, %s : index\n" + kToSame),
            guard("max(scalar(2) * -1, scalar(2) - 1024)"));
}

TEST_F(BoxGuardsTest, Aliases) {
  EXPECT_EQ(find("%from = arith.addi %i, %s : index\n" + kToSame,
                 "%c0 to %c1024 step %c128", "%y"),
            guard("max(scalar(2), scalar(2) * -1 - 1024)"));
  EXPECT_EQ(find("%from = arith.addi %i, %c0 : index\n" + kToSame,
                 "%c0 to %c1024 step %c128", "%y"),
            "");
  EXPECT_TRUE(isRinged);
}

TEST_F(BoxGuardsTest, KnownWithoutGuard) {
  // An extent isn't negative.
  EXPECT_EQ(find("%half = arith.divui %extent, %c2 : index\n"
                 "%from = arith.addi %i, %half : index\n" +
                 kToSame),
            "");
  EXPECT_TRUE(isRinged);
}

TEST_F(BoxGuardsTest, Halves) {
  EXPECT_EQ(find("%half = arith.divui %extent, %c2 : index\n"
                 "%from = arith.addi %i, %c0 : index\n"
                 "%to = arith.addi %i, %half : index\n"),
            guard("max(floordiv(extent(0, 0), 2) * -1, "
                  "floordiv(extent(0, 0), 2) - 1024)"));
}

TEST_F(BoxGuardsTest, Bounds) {
  // The number of whole tiles in [0, %n), times the tile.
  EXPECT_EQ(find("%from = arith.addi %i, %s : index\n" + kToSame,
                 "%c0 to %n step %c128"),
            guard("max(scalar(2), ceildiv(scalar(3), 128) * -128 - "
                  "scalar(2))"));
  // Steps that the launch knows.
  EXPECT_EQ(find("%from = arith.addi %i, %c128 : index\n" + kToSame,
                 "%c0 to %c1024 step %n"),
            "");
  EXPECT_EQ(find("%from = arith.addi %i, %c0 : index\n" + kToSame,
                 "%c0 to %c1024 step %n"),
            guard("scalar(3) - 128"));
}

TEST_F(BoxGuardsTest, Integers) {
  EXPECT_EQ(find("%shift = arith.index_cast %i32 : i32 to index\n"
                 "%from = arith.addi %i, %shift : index\n" +
                 kToSame),
            guard("max(scalar(4), scalar(4) * -1 - 1024)"));
}

TEST_F(BoxGuardsTest, UnknownAtLaunch) {
  // Signed division of a number that may be negative rounds to zero.
  for (const char *shift :
       {"%shift = gpu.block_id x\n", "%shift = gpu.thread_id x\n",
        "%shift = arith.divsi %s, %c2 : index\n",
        "%shift = arith.divui %s, %c2 : index\n",
        "%shift = arith.xori %s, %c2 : index\n"}) {
    std::string text =
        find(std::string(shift) + "%to = arith.addi %i, %shift : index\n"
                                  "%from = arith.addi %i, %c0 : index\n");
    EXPECT_EQ(text, "") << shift;
    EXPECT_FALSE(isRinged) << shift;
  }
}

TEST_F(BoxGuardsTest, NoLaunch) {
  // Each box reaches into the one of the next iteration.
  EXPECT_EQ(find("%from = arith.addi %i, %c0 : index\n" + kToSame,
                 "%c0 to %c1024 step %c2"),
            "");
  EXPECT_FALSE(isRinged);
}

} // namespace
