//===- WhileLoopsTest.cpp - tests of plans for while loops ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a while loop's iterations: what it consists of, the ops that
// compute the next one, and each reason why they can't be executed ahead. The
// loops are in the rotated form in which the pass plans them.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/RingPlan.h"

#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class WhileLoopsTest : public ::testing::Test {
protected:
  WhileLoopsTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
  }

  /// The plan for a kernel with `body`.
  RingPlan plan(const std::string &body) {
    module = parseSourceString<ModuleOp>(
        R"(
      #gl = #gpu.address_space<global>
      #ws = #gpu.address_space<workgroup>
      !global = memref<?xf32, #gl>
      !links = memref<?xi32, #gl>
      !tile = memref<1024xf32, #ws>
      gpu.module @m {
        gpu.func @k(%x: !global, %y: !global, %p: !links, %q: !links,
                    %n: index) kernel
            attributes {known_block_size = array<i32: 128, 1, 1>} {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %zero = arith.constant 0.0 : f32
          %thread = gpu.thread_id x
          %in = memref.alloc() : !tile
          %live = arith.cmpi ult, %c0, %n : index
          %trips = builtin.unrealized_conversion_cast %live : i1 to index
)" + body + R"(
          gpu.return
        }
      })",
        &context);
    EXPECT_TRUE(module);
    RingPlan result;
    module->walk([&](gpu::GPUFuncOp kernel) {
      result = planRings(kernel, ChipModel::of(*TargetInfo::lookup("sm_90a")));
    });
    return result;
  }

  /// A rotated loop over %t, which runs while %l is true and also carries %s.
  static std::string loop(const std::string &next,
                          const std::string &pipeline = "stages = 4") {
    return R"(
      %end:3 = scf.for %i = %c0 to %trips step %c1
          iter_args(%l = %live, %s = %zero, %t = %c0) -> (i1, f32, index) {
        carousel.load %x[%t] to %in engine<bulk> : !global, !tile
        %v = memref.load %in[%thread] : !tile
        memref.store %v, %y[%t] : !global
        %s1 = arith.addf %s, %v : f32
)" + next + R"(
        %l1 = arith.cmpi ult, %t1, %n : index
        scf.yield %l1, %s1, %t1 : i1, f32, index
      } {carousel.pipeline = #carousel.pipeline<)" +
           pipeline + ">}\n";
  }

  static std::vector<std::string> getMisses(const RingPlan &plan) {
    std::vector<std::string> reasons;
    for (const RingMiss &miss : plan.misses)
      reasons.push_back(miss.reason);
    return reasons;
  }

  /// Expects no loads ahead of their iteration, for `reason`.
  void expectNotAhead(const std::string &next, const std::string &reason) {
    RingPlan result = plan(loop(next));
    ASSERT_EQ(result.loops.size(), 1u);
    ASSERT_EQ(result.loops[0].rings.size(), 1u);
    EXPECT_EQ(result.loops[0].rings[0].prefetch, 0);
    EXPECT_FALSE(result.loops[0].state);
    EXPECT_EQ(getMisses(result),
              std::vector<std::string>{"prefetch 0 instead of 2: " + reason});
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(WhileLoopsTest, StateOfTickets) {
  RingPlan result =
      plan(loop("%t1 = carousel.grid.ticket %p[%c0] of %n : !links\n"));
  EXPECT_TRUE(result.misses.empty());
  ASSERT_EQ(result.loops.size(), 1u);
  const LoopPlan &found = result.loops[0];
  EXPECT_TRUE(isRotatedWhile(found.loop));
  EXPECT_EQ(found.rings[0].prefetch, 2);
  ASSERT_TRUE(found.state);
  // Without the sum.
  EXPECT_EQ(llvm::to_vector(found.state->carried),
            (SmallVector<unsigned>{0, 2}));
  ASSERT_EQ(found.state->advance.size(), 2u);
  EXPECT_TRUE(isa<GridTicketOp>(found.state->advance[0]));
  EXPECT_TRUE(isa<arith::CmpIOp>(found.state->advance[1]));
}

TEST_F(WhileLoopsTest, StateOfNumbersAndMemory) {
  RingPlan result =
      plan(loop("%link = memref.load %p[%t] : !links\n"
                "%linked = arith.index_cast %link : i32 to index\n"
                "%t1 = arith.addi %linked, %t : index\n"));
  EXPECT_TRUE(result.misses.empty());
  ASSERT_TRUE(result.loops[0].state);
  EXPECT_EQ(result.loops[0].state->advance.size(), 4u);
}

TEST_F(WhileLoopsTest, OrdinaryLoopsHaveNone) {
  std::string text = loop("%t1 = arith.addi %t, %c1 : index\n");
  text.replace(text.find("%trips"), 6, "%n");
  RingPlan result = plan(text);
  EXPECT_FALSE(isRotatedWhile(result.loops[0].loop));
  EXPECT_FALSE(result.loops[0].state);
  EXPECT_EQ(getMisses(result),
            std::vector<std::string>{"prefetch 0 instead of 2: loads depend on "
                                     "values that the loop carries"});
}

TEST_F(WhileLoopsTest, NextIterationThatIsNotKnownAhead) {
  expectNotAhead("%link = memref.load %p[%t] : !links\n"
                 "memref.store %link, %p[%c0] : !links\n"
                 "%t1 = arith.index_cast %link : i32 to index\n",
                 "the next iteration depends on 'memref.load', which can't be "
                 "executed ahead");
  expectNotAhead("%one = arith.constant 1 : i32\n"
                 "%old = memref.atomic_rmw addi %one, %p[%c0] : (i32, !links) "
                 "-> i32\n"
                 "%t1 = arith.index_cast %old : i32 to index\n",
                 "the next iteration depends on 'memref.atomic_rmw', which "
                 "can't be executed ahead");
}

TEST_F(WhileLoopsTest, TicketsThatAreUsedOrOrdered) {
  const std::string draw =
      "%t1 = carousel.grid.ticket %p[%c0] of %n : !links\n";
  expectNotAhead(draw + "memref.store %v, %y[%t1] : !global\n",
                 "the ticket of the next iteration is used by 'memref.store' "
                 "in the iteration that draws it");
  // Through a computation.
  expectNotAhead(draw + "%t2 = arith.addi %t1, %c1 : index\n"
                        "memref.store %v, %y[%t2] : !global\n",
                 "the ticket of the next iteration is used by 'memref.store' "
                 "in the iteration that draws it");
  expectNotAhead(draw + "carousel.fence.thread release gpu\n",
                 "the loop has 'carousel.fence.thread', which may order the "
                 "ticket with other accesses");
  expectNotAhead(draw + "%count = memref.load %p[%c0] : !links\n"
                        "memref.store %count, %q[%t] : !links\n",
                 "the loop accesses the ticket's counter by 'memref.load'");
}

TEST_F(WhileLoopsTest, RequestsOfCountedLoops) {
  const std::string next = "%t1 = arith.addi %t, %c1 : index\n";
  RingPlan result =
      plan(loop(next, "stages = 4, mode = specialized, epilogue = peeled"));
  EXPECT_FALSE(result.roles);
  EXPECT_FALSE(result.loops[0].hasPeeledEpilogue);
  EXPECT_EQ(getMisses(result),
            (std::vector<std::string>{
                "unified instead of specialized: the kernel has a pipelined "
                "'scf.while'",
                "no peeled epilogue: the loop is an scf.while"}));
}

TEST_F(WhileLoopsTest, LoopsThatAreNotRotated) {
  RingPlan result = plan(R"(
    %end = scf.while (%t = %c0) : (index) -> index {
      %exists = arith.cmpi ult, %t, %n : index
      memref.store %zero, %y[%t] : !global
      scf.condition(%exists) %t : index
    } do {
    ^bb0(%t: index):
      carousel.load %x[%t] to %in engine<bulk> : !global, !tile
      %t1 = arith.addi %t, %c1 : index
      scf.yield %t1 : index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
  )");
  EXPECT_TRUE(result.loops.empty());
  EXPECT_EQ(getMisses(result),
            std::vector<std::string>{
                "no rings: the loop's condition has 'memref.store', which "
                "isn't a computation, a read or a ticket"});
}

} // namespace
