//===- TileAssignmentTest.cpp - tests for TileAssignment.h ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When tickets pay. lit-tests/Passes/Tile/draw-tiles-missed.mlir has what they
// don't apply to.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/TileAssignment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class TileAssignmentTest : public ::testing::Test {
protected:
  TileAssignmentTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        math::MathDialect, memref::MemRefDialect,
                        scf::SCFDialect, vector::VectorDialect>();
  }

  /// The plans for a loop over tiles of 2048 elements in 128 threads, which
  /// read %v, a vector of 4 elements, and write %w.
  std::vector<TileAssignmentPlan> plan(const std::string &body,
                                       const std::string &tiles) {
    module = parseSourceString<ModuleOp>(R"(
      #gl = #gpu.address_space<global>
      #ws = #gpu.address_space<workgroup>
      !global = memref<?xf32, #gl>
      !tile = memref<2048xf32, #ws>
      gpu.module @m {
        gpu.func @k(%x: !global, %y: !global, %n: index) kernel
            attributes {carousel.launch = #carousel.launch<grid = [resident],
                                                           block = [128]>} {
          %c4 = arith.constant 4 : index
          %c512 = arith.constant 512 : index
          %c2048 = arith.constant 2048 : index
          %thread = gpu.thread_id x
          %mine = arith.muli %thread, %c4 : index
          %block = gpu.block_id x
          %blocks = gpu.grid_dim x
          %first = arith.muli %block, %c2048 : index
          %step = arith.muli %blocks, %c2048 : index
          %in = memref.alloc() : !tile
          %out = memref.alloc() : !tile
          scf.for %i = %first to %n step %step {
            carousel.load %x[%i] to %in : !global, !tile
            scf.for %j = %mine to %c2048 step %c512 {
              %v = vector.load %in[%j] : !tile, vector<4xf32>
)" + body + R"(
              vector.store %w, %out[%j] : !tile, vector<4xf32>
            }
            carousel.store %out to %y[%i] : !tile, !global
          } {carousel.pipeline = #carousel.pipeline<)" +
                                             tiles + R"(>}
          gpu.return
        }
      })",
                                         &context);
    EXPECT_TRUE(module);
    gpu::GPUFuncOp kernel;
    module->walk([&](gpu::GPUFuncOp func) { kernel = func; });
    return planTileAssignments(kernel,
                               ChipModel::of(*TargetInfo::lookup("sm_90a")));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr const char *kSum = "%w = arith.addf %v, %v : vector<4xf32>";

/// Eight error functions: arithmetic takes longer than the transfers.
std::string makeLong() {
  std::string text = "%e0 = math.erf %v : vector<4xf32>\n";
  for (int i = 1; i < 8; ++i)
    text += "%e" + std::to_string(i) + " = math.erf %e" +
            std::to_string(i - 1) + " : vector<4xf32>\n";
  return text + "%w = math.erf %e7 : vector<4xf32>\n";
}

TEST_F(TileAssignmentTest, staticUnlessAskedFor) {
  EXPECT_TRUE(plan(kSum, "").empty());
  EXPECT_TRUE(plan(kSum, "tiles = static").empty());
}

TEST_F(TileAssignmentTest, transfersGain) {
  TileAssignmentPlan sum = plan(kSum, "tiles = auto").front();
  EXPECT_TRUE(sum.obstacle.empty()) << sum.obstacle.text;
  EXPECT_EQ(sum.step, 2048);
  EXPECT_TRUE(sum.usesTickets);
  EXPECT_LT(sum.ticketsNs, sum.staticNs);
}

TEST_F(TileAssignmentTest, arithmeticDoesNot) {
  TileAssignmentPlan erf = plan(makeLong(), "tiles = auto").front();
  EXPECT_TRUE(erf.obstacle.empty()) << erf.obstacle.text;
  EXPECT_FALSE(erf.usesTickets);
}

TEST_F(TileAssignmentTest, aRequestIsHonoured) {
  TileAssignmentPlan erf = plan(makeLong(), "tiles = tickets").front();
  EXPECT_TRUE(erf.usesTickets);
  std::string text;
  llvm::raw_string_ostream os(text);
  erf.print(os);
  EXPECT_EQ(text.find("tiles by tickets, as asked for: stride "), 0u) << text;
}

/// Tiles are read before they are written.
TEST_F(TileAssignmentTest, whatIterationsLeaveIsFound) {
  TileAssignmentPlan left =
      plan("%o = vector.load %out[%j] : !tile, vector<4xf32>\n"
           "%w = arith.addf %v, %o : vector<4xf32>",
           "tiles = tickets")
          .front();
  EXPECT_FALSE(left.obstacle.empty());
  EXPECT_EQ(left.obstacle.miss, Miss::TilesByStride);
  EXPECT_EQ(left.step, 0);
  EXPECT_FALSE(left.usesTickets);
}

} // namespace
