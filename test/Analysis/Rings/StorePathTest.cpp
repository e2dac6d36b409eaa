//===- StorePathTest.cpp - tests for StorePath.h --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the stores that may go from registers, their alignment and bounds, and
// the choice between two possible paths.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/StorePath.h"

#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class StorePathTest : public ::testing::Test {
protected:
  StorePathTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect,
                        vector::VectorDialect>();
  }

  /// The plan for the store of a loop with `body`, in a kernel of 128 threads.
  StorePathPlan plan(const std::string &body, const std::string &pipeline = "",
                     const std::string &global = "memref<?xf32, #gl>",
                     const std::string &chip = "sm_90a") {
    module = parseSourceString<ModuleOp>(R"(
      #gl = #gpu.address_space<global>
      #ws = #gpu.address_space<workgroup>
      !global = )" + global + R"(
      !tile = memref<512xf32, #ws>
      gpu.module @m {
        gpu.func @k(%x: memref<?xf32, #gl>, %y: !global, %n: index) kernel
            attributes {known_block_size = array<i32: 128, 1, 1>} {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %c128 = arith.constant 128 : index
          %c512 = arith.constant 512 : index
          %thread = gpu.thread_id x
          %j = arith.muli %thread, %c4 : index
          %v = arith.constant dense<1.0> : vector<4xf32>
          %tile = memref.alloc() : !tile
          scf.for %i = %c0 to %n step %c512 {
)" + body + R"(
          } {carousel.pipeline = #carousel.pipeline<)" +
                                             pipeline + R"(>}
          gpu.return
        }
      })",
                                         &context);
    EXPECT_TRUE(module);
    gpu::GPUFuncOp kernel;
    module->walk([&](gpu::GPUFuncOp func) { kernel = func; });
    ChipModel target = ChipModel::of(*TargetInfo::lookup(chip));
    std::vector<StorePathPlan> plans =
        planStorePaths(kernel, planRings(kernel, target), target);
    EXPECT_EQ(plans.size(), 1u);
    return plans.front();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

const std::string kWrite =
    "vector.store %v, %tile[%j] {alignment = 16 : i64} : !tile, "
    "vector<4xf32>\n";
const std::string kStore =
    "carousel.store %tile to %y[%i] engine<bulk> : !tile, !global\n";

TEST_F(StorePathTest, WholeSectorsGoFromRegisters) {
  StorePathPlan path = plan(kWrite + kStore);
  EXPECT_TRUE(path.obstacle.empty()) << path.obstacle.text;
  EXPECT_FALSE(path.isGiven);
  ASSERT_EQ(path.writes.size(), 1u);
  EXPECT_EQ(path.writes[0].elements, 4);
  EXPECT_EQ(path.writes[0].alignment, 16);
  EXPECT_EQ(path.mayEndBehind, SmallVector<bool>{true});
  // Both were compared, and registers need a clear gain.
  EXPECT_GT(path.sharedNs, 0);
  EXPECT_GT(path.registersNs, 0);
  EXPECT_EQ(path.path == StorePath::Registers,
            path.registersNs < 0.97 * path.sharedNs);
}

TEST_F(StorePathTest, KnownBoundsNeedNoChecks) {
  StorePathPlan path =
      plan(kWrite + "carousel.store %tile to %y[%c512] engine<bulk> : !tile, "
                    "!global\n",
           "stores = registers", "memref<1024xf32, #gl>");
  EXPECT_EQ(path.path, StorePath::Registers) << path.obstacle.text;
  EXPECT_EQ(path.mayEndBehind, SmallVector<bool>{false});
}

TEST_F(StorePathTest, RequestsCount) {
  EXPECT_EQ(plan(kWrite + kStore, "stores = shared").path, StorePath::Shared);
  StorePathPlan path = plan(kWrite + kStore, "stores = registers");
  EXPECT_EQ(path.path, StorePath::Registers);
  EXPECT_TRUE(path.isGiven);
}

TEST_F(StorePathTest, AlignmentIsWhatIsKnownOfBoth) {
  // The alignment follows from the write.
  StorePathPlan path =
      plan("vector.store %v, %tile[%j] : !tile, vector<4xf32>\n" + kStore,
           "stores = registers");
  ASSERT_EQ(path.writes.size(), 1u);
  EXPECT_EQ(path.writes[0].alignment, 4);
  // And from the engine.
  path = plan(kWrite + "carousel.store %tile to %y[%i] engine<vector, width = "
                       "8> : !tile, !global\n",
              "stores = registers");
  ASSERT_EQ(path.writes.size(), 1u);
  EXPECT_EQ(path.writes[0].alignment, 8);
  // Accesses of 8 bytes where 16 are written aren't worth it.
  path = plan(kWrite + "carousel.store %tile to %y[%i] engine<vector, width = "
                       "8> : !tile, !global\n");
  EXPECT_EQ(path.path, StorePath::Shared);
  EXPECT_FALSE(path.obstacle.empty());
}

TEST_F(StorePathTest, ElementsOfALoopAreWholeSectors) {
  StorePathPlan path = plan("scf.for %k = %thread to %c512 step %c128 {\n"
                            "%e = arith.constant 1.0 : f32\n"
                            "memref.store %e, %tile[%k] : !tile\n"
                            "}\n" +
                            kStore);
  EXPECT_TRUE(path.obstacle.empty()) << path.obstacle.text;
  EXPECT_GT(path.registersNs, 0);
}

TEST_F(StorePathTest, OtherUsesOfTheTile) {
  StorePathPlan path =
      plan(kWrite + kStore +
               "%w = vector.load %tile[%j] : !tile, vector<4xf32>\n"
               "vector.store %w, %x[%j] : memref<?xf32, #gl>, vector<4xf32>\n",
           "stores = registers");
  EXPECT_EQ(path.path, StorePath::Shared);
  EXPECT_NE(path.obstacle.text.find("'vector.load'"), std::string::npos)
      << path.obstacle.text;
}

TEST_F(StorePathTest, PartsThatAreNotWritten) {
  StorePathPlan path = plan("%e = arith.constant 1.0 : f32\n"
                            "memref.store %e, %tile[%thread] : !tile\n" +
                                kStore,
                            "stores = registers");
  EXPECT_EQ(path.path, StorePath::Shared);
  EXPECT_NE(path.obstacle.text.find("whole tile"), std::string::npos)
      << path.obstacle.text;
}

TEST_F(StorePathTest, IndicesThatNoSumHolds) {
  StorePathPlan path =
      plan("%end = arith.constant 9223372036854775807 : index\n"
           "vector.store %v, %tile[%end] {alignment = 16 : "
           "i64} : !tile, vector<4xf32>\n" +
               kStore,
           "stores = registers");
  EXPECT_EQ(path.path, StorePath::Shared);
}

/// Iterations of a while loop aren't predicted: registers need a request.
TEST_F(StorePathTest, WhileLoopsByRequest) {
  auto planWhile = [&](const std::string &pipeline) {
    module = parseSourceString<ModuleOp>(R"(
      #gl = #gpu.address_space<global>
      #ws = #gpu.address_space<workgroup>
      gpu.module @m {
        gpu.func @k(%y: memref<?xf32, #gl>, %n: index) kernel
            attributes {known_block_size = array<i32: 128, 1, 1>} {
          %c0 = arith.constant 0 : index
          %c4 = arith.constant 4 : index
          %c512 = arith.constant 512 : index
          %thread = gpu.thread_id x
          %j = arith.muli %thread, %c4 : index
          %v = arith.constant dense<1.0> : vector<4xf32>
          %tile = memref.alloc() : memref<512xf32, #ws>
          %end = scf.while (%i = %c0) : (index) -> index {
            %more = arith.cmpi slt, %i, %n : index
            scf.condition(%more) %i : index
          } do {
          ^bb0(%i: index):
            vector.store %v, %tile[%j] {alignment = 16 : i64}
                : memref<512xf32, #ws>, vector<4xf32>
            carousel.store %tile to %y[%i] engine<bulk>
                : memref<512xf32, #ws>, memref<?xf32, #gl>
            %next = arith.addi %i, %c512 : index
            scf.yield %next : index
          } attributes {carousel.pipeline = #carousel.pipeline<)" +
                                             pipeline + R"(>}
          gpu.return
        }
      })",
                                         &context);
    gpu::GPUFuncOp kernel;
    module->walk([&](gpu::GPUFuncOp op) { kernel = op; });
    ChipModel target = ChipModel::of(*TargetInfo::lookup("sm_90a"));
    return planStorePaths(kernel, planRings(kernel, target), target);
  };
  EXPECT_TRUE(planWhile("stages = 2").empty());
  std::vector<StorePathPlan> paths = planWhile("stores = registers");
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(paths[0].path, StorePath::Registers) << paths[0].obstacle.text;
  EXPECT_TRUE(paths[0].isGiven);
  EXPECT_EQ(paths[0].writes.size(), 1u);
}

} // namespace
