//===- IndexFunctionTest.cpp - indices as functions of the thread ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/IndexFunction.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class IndexFunctionTest : public ::testing::Test {
protected:
  IndexFunctionTest() {
    context.loadDialect<CarouselDialect, affine::AffineDialect,
                        arith::ArithDialect, cf::ControlFlowDialect,
                        gpu::GPUDialect, memref::MemRefDialect, scf::SCFDialect,
                        vector::VectorDialect>();
  }

  /// Parses a kernel; the values that are asked about are the operands of its
  /// prefetches, memref.prefetch %own[%value].
  void parse(StringRef body, StringRef block = "64, 4, 1") {
    std::string text =
        R"mlir(
      #gl = #gpu.address_space<global>
      #ws = #gpu.address_space<workgroup>
      !own = memref<64xindex, #gpu.address_space<private>>
      gpu.module @m {
        gpu.func @k(%x: memref<?x32xindex, #gl>, %flags: memref<?xi1, #gl>,
                    %a: index, %b: index, %n32: i32, %c: i1)
            workgroup(%tile: memref<64xindex, #ws>)
            private(%own: !own) kernel
      )mlir" +
        (block.empty() ? std::string()
                       : "attributes {known_block_size = array<i32: " +
                             block.str() + ">}") +
        R"mlir( {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %c32 = arith.constant 32 : index
          %x_id = gpu.thread_id x
          %y_id = gpu.thread_id y
          %z_id = gpu.thread_id z
    )mlir" +
        body.str() + "\n gpu.return } }";
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    module->walk([&](gpu::GPUFuncOp op) { kernel = op; });
    values.clear();
    module->walk(
        [&](memref::PrefetchOp op) { values.push_back(op.getIndices()[0]); });
    uniform.emplace(kernel);
  }

  std::string evaluate(int64_t thread, unsigned number = 0) {
    IndexFunction function(kernel, *uniform);
    function.setThread(thread);
    std::optional<IndexForm> form = function.evaluate(values[number]);
    if (!form)
      return function.getReason();
    std::string text;
    llvm::raw_string_ostream os(text);
    form->print(os);
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  gpu::GPUFuncOp kernel;
  SmallVector<Value> values;
  std::optional<UniformValues> uniform;
};

TEST_F(IndexFunctionTest, ThreadIdsAreNumbers) {
  parse(R"mlir(
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %extent = gpu.block_dim x
    memref.prefetch %own[%x_id], read, locality<0>, data : !own
    memref.prefetch %own[%y_id], read, locality<0>, data : !own
    memref.prefetch %own[%z_id], read, locality<0>, data : !own
    memref.prefetch %own[%lane], read, locality<0>, data : !own
    memref.prefetch %own[%warp], read, locality<0>, data : !own
    memref.prefetch %own[%extent], read, locality<0>, data : !own)mlir");
  const char *expected[] = {"37", "2", "0", "5", "5", "64"};
  for (unsigned number = 0; number < 6; ++number)
    EXPECT_EQ(evaluate(2 * 64 + 37, number), expected[number]) << number;
}

TEST_F(IndexFunctionTest, SumsKeepTheirSymbols) {
  parse(R"mlir(
    %0 = arith.muli %a, %c4 : index
    %1 = arith.addi %0, %x_id : index
    %2 = arith.subi %1, %b : index
    %3 = arith.addi %2, %b : index
    %4 = affine.apply affine_map<(d0, d1)[s0] -> (d0 * 8 + s0 * 4 + d1 floordiv 2)>(%a, %x_id)[%b]
    memref.prefetch %own[%2], read, locality<0>, data : !own
    memref.prefetch %own[%3], read, locality<0>, data : !own
    memref.prefetch %own[%4], read, locality<0>, data : !own)mlir");
  EXPECT_EQ(evaluate(7, 0), "4 * %arg2 + -1 * %arg3 + 7");
  EXPECT_EQ(evaluate(0, 1), "4 * %arg2");
  EXPECT_EQ(evaluate(9, 2), "8 * %arg2 + 4 * %arg3 + 4");
}

TEST_F(IndexFunctionTest, AffineDividesFactors) {
  parse(R"mlir(
    %0 = affine.apply affine_map<(d0, d1) -> ((d0 * 8 + d1) floordiv 4)>(%a, %x_id)
    %1 = affine.apply affine_map<(d0, d1) -> ((d0 * 8 + d1) mod 4)>(%a, %x_id)
    %2 = affine.apply affine_map<(d0, d1) -> ((d0 * 6 + d1) ceildiv 4)>(%a, %x_id)
    memref.prefetch %own[%0], read, locality<0>, data : !own
    memref.prefetch %own[%1], read, locality<0>, data : !own
    memref.prefetch %own[%2], read, locality<0>, data : !own)mlir");
  EXPECT_EQ(evaluate(7, 0), "2 * %arg2 + 1");
  EXPECT_EQ(evaluate(7, 1), "3");
  EXPECT_EQ(evaluate(7, 2),
            "'affine.apply' of %arg2 is known at run time only");
}

TEST_F(IndexFunctionTest, NarrowIntegersWrapAndHaveNoSymbols) {
  parse(R"mlir(
    %t = arith.index_cast %x_id : index to i8
    %k = arith.constant 100 : i8
    %s = arith.muli %t, %k : i8
    %0 = arith.index_cast %s : i8 to index
    %1 = arith.index_castui %s : i8 to index
    %u = arith.index_cast %x_id : index to i32
    %v = arith.addi %u, %n32 : i32
    %2 = arith.index_cast %v : i32 to index
    %3 = arith.index_cast %n32 : i32 to index
    memref.prefetch %own[%0], read, locality<0>, data : !own
    memref.prefetch %own[%1], read, locality<0>, data : !own
    memref.prefetch %own[%2], read, locality<0>, data : !own
    memref.prefetch %own[%3], read, locality<0>, data : !own)mlir");
  EXPECT_EQ(evaluate(2, 0), "-56");
  EXPECT_EQ(evaluate(2, 1), "200");
  EXPECT_EQ(evaluate(2, 2), "'arith.addi' of %arg4 is known at run time only");
  IndexFunction function(kernel, *uniform);
  std::optional<IndexForm> cast = function.evaluate(values[3]);
  ASSERT_TRUE(cast);
  EXPECT_EQ(cast->terms.front().first, values[3]);
}

TEST_F(IndexFunctionTest, OtherOpsFoldOnceTheyHaveNumbers) {
  parse(R"mlir(
    %0 = arith.divui %x_id, %c4 : index
    %1 = arith.divui %0, %c0 : index
    %less = arith.cmpi ult, %x_id, %c32 : index
    %2 = arith.select %less, %a, %b : index
    %3:2 = affine.delinearize_index %x_id into (8, 8) : index, index
    %big = arith.constant 5000000000 : index
    %sum = arith.addi %x_id, %big : index
    %4 = arith.remui %sum, %c4 : index
    memref.prefetch %own[%0], read, locality<0>, data : !own
    memref.prefetch %own[%1], read, locality<0>, data : !own
    memref.prefetch %own[%2], read, locality<0>, data : !own
    memref.prefetch %own[%3#1], read, locality<0>, data : !own
    memref.prefetch %own[%4], read, locality<0>, data : !own)mlir");
  EXPECT_EQ(evaluate(13, 0), "3");
  EXPECT_EQ(evaluate(13, 1),
            "'arith.divui' can't be evaluated for each thread");
  EXPECT_EQ(evaluate(13, 2), "%arg2");
  EXPECT_EQ(evaluate(45, 2), "%arg3");
  EXPECT_EQ(evaluate(13, 3), "5");
  EXPECT_EQ(evaluate(13, 4), "an index beyond 32 bits can't be evaluated");
}

TEST_F(IndexFunctionTest, ExtentsOfAMemRefAreOneSymbol) {
  parse(R"mlir(
    %0 = memref.dim %x, %c0 : memref<?x32xindex, #gl>
    %1 = memref.dim %x, %c0 : memref<?x32xindex, #gl>
    %2 = arith.subi %0, %1 : index
    %3 = memref.dim %x, %c1 : memref<?x32xindex, #gl>
    memref.prefetch %own[%2], read, locality<0>, data : !own
    memref.prefetch %own[%3], read, locality<0>, data : !own)mlir");
  EXPECT_EQ(evaluate(0, 0), "0");
  EXPECT_EQ(evaluate(0, 1), "32");
}

TEST_F(IndexFunctionTest, ThreadsNeedABlock) {
  parse("memref.prefetch %own[%x_id], read, locality<0>, data : "
        "!own",
        "");
  EXPECT_EQ(evaluate(0), "the extents of the block aren't known");
}

TEST_F(IndexFunctionTest, BlocksThatNoChipHasAreUnknown) {
  for (StringRef block : {"1024, 2, 1", "65536, 65536, 1", "64, 0, 1"}) {
    parse("", block);
    EXPECT_FALSE(getKnownBlock(kernel)) << block.str();
  }
  parse("", "64, 4, 4");
  EXPECT_EQ(getKnownBlock(kernel), (std::array<int64_t, 3>{64, 4, 4}));
}

TEST_F(IndexFunctionTest, ClampsAreMinimaOfABoundAndTheRest) {
  parse(R"mlir(
    %n = memref.dim %x, %c0 : memref<?x32xindex, #gl>
    %rest = arith.subi %n, %a : index
    %0 = arith.minsi %rest, %c32 : index
    %1 = affine.min affine_map<(d0)[s0] -> (s0 - d0, 16, 48)>(%a)[%n]
    %2 = arith.minsi %rest, %b : index
    %3 = arith.minsi %c4, %c32 : index
    memref.prefetch %own[%0], read, locality<0>, data : !own
    memref.prefetch %own[%1], read, locality<0>, data : !own
    memref.prefetch %own[%2], read, locality<0>, data : !own
    memref.prefetch %own[%3], read, locality<0>, data : !own)mlir");
  IndexFunction function(kernel, *uniform);
  Value rest = values[0].getDefiningOp()->getOperand(0);
  IndexForm form = *function.evaluate(rest);
  EXPECT_EQ(function.matchClamp(values[0], form), 32);
  EXPECT_EQ(function.matchClamp(values[1], form), 16);
  EXPECT_EQ(function.matchClamp(values[2], form), std::nullopt);
  EXPECT_EQ(function.matchClamp(values[3], form), std::nullopt);
  EXPECT_EQ(function.matchClamp(values[0], *form.plus(IndexForm(1))),
            std::nullopt);
}

TEST_F(IndexFunctionTest, BoundValuesAreStepped) {
  parse(R"mlir(
    scf.for %i = %c0 to %c32 step %c4 {
      %0 = arith.addi %i, %a : index
      memref.prefetch %own[%0], read, locality<0>, data : !own
    })mlir");
  auto loop = cast<scf::ForOp>(values[0].getParentBlock()->getParentOp());
  IndexFunction outside(kernel, *uniform);
  EXPECT_EQ(outside.evaluate(values[0])->terms.size(), 2u);
  IndexFunction function(kernel, *uniform, loop);
  EXPECT_FALSE(function.evaluate(values[0]));
  function.bind(loop.getInductionVar(), 8);
  EXPECT_EQ(function.evaluate(values[0])->constant, 8);
  function.bind(loop.getInductionVar(), 12);
  function.forget(values[0]);
  EXPECT_EQ(function.evaluate(values[0])->constant, 12);
  EXPECT_FALSE(function.hasUsedThread());
}

TEST_F(IndexFunctionTest, SameInAllThreads) {
  parse(R"mlir(
    %c256 = arith.constant 256 : index
    %linear = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 64)>(%x_id, %y_id)
    %block = gpu.block_id x
    %shared = memref.load %tile[%a] : memref<64xindex, #ws>
    %global = memref.load %x[%shared, %block] : memref<?x32xindex, #gl>
    %whole = arith.divui %linear, %c256 : index
    %each = memref.load %x[%x_id, %c0] : memref<?x32xindex, #gl>
    %private = memref.load %own[%a] : !own
    %most = arith.divui %linear, %c32 : index
    memref.prefetch %own[%shared], read, locality<0>, data : !own
    memref.prefetch %own[%global], read, locality<0>, data : !own
    memref.prefetch %own[%whole], read, locality<0>, data : !own
    memref.prefetch %own[%z_id], read, locality<0>, data : !own
    memref.prefetch %own[%each], read, locality<0>, data : !own
    memref.prefetch %own[%private], read, locality<0>, data : !own
    memref.prefetch %own[%most], read, locality<0>, data : !own)mlir");
  IndexFunction function(kernel, *uniform);
  for (auto [number, value] : llvm::enumerate(values))
    EXPECT_EQ(function.isSameInAllThreads(value), number < 4) << number;
}

TEST_F(IndexFunctionTest, LoopsAndBranchesSpreadDifferences) {
  parse(R"mlir(
    %differs = arith.cmpi ult, %x_id, %c4 : index
    %0 = scf.if %c -> index { scf.yield %a : index } else { scf.yield %b : index }
    %1 = scf.if %differs -> index { scf.yield %a : index } else { scf.yield %b : index }
    %2 = scf.for %i = %c0 to %a step %c1 iter_args(%s = %b) -> index {
      %t = arith.addi %s, %i : index
      scf.yield %t : index
    }
    %3 = scf.for %i = %c0 to %x_id step %c1 iter_args(%s = %b) -> index {
      scf.yield %s : index
    }
    %4:2 = scf.for %i = %c0 to %a step %c1 iter_args(%s = %b, %last = %x_id) -> (index, index) {
      scf.yield %last, %b : index, index
    }
    %5 = scf.while (%s = %a) : (index) -> index {
      scf.condition(%c) %s : index
    } do {
    ^bb0(%s: index):
      scf.yield %s : index
    }
    %6 = scf.while (%s = %a) : (index) -> index {
      scf.condition(%differs) %s : index
    } do {
    ^bb0(%s: index):
      scf.yield %s : index
    }
    %7:2 = scf.while (%s = %a, %next = %x_id) : (index, index) -> (index, index) {
      scf.condition(%c) %next, %s : index, index
    } do {
    ^bb0(%s: index, %next: index):
      scf.yield %s, %b : index, index
    }
    memref.prefetch %own[%0], read, locality<0>, data : !own
    memref.prefetch %own[%2], read, locality<0>, data : !own
    memref.prefetch %own[%5], read, locality<0>, data : !own
    memref.prefetch %own[%1], read, locality<0>, data : !own
    memref.prefetch %own[%3], read, locality<0>, data : !own
    memref.prefetch %own[%4#0], read, locality<0>, data : !own
    memref.prefetch %own[%6], read, locality<0>, data : !own
    memref.prefetch %own[%7#0], read, locality<0>, data : !own
    memref.prefetch %own[%7#1], read, locality<0>, data : !own)mlir");
  for (auto [number, value] : llvm::enumerate(values))
    EXPECT_EQ(uniform->contains(value), number < 3) << number;
}

TEST_F(IndexFunctionTest, FormsDoNotOverflow) {
  IndexForm big(INT64_MAX);
  EXPECT_FALSE(big.plus(IndexForm(1)));
  EXPECT_FALSE(big.times(2));
  EXPECT_EQ(big.times(-1)->constant, -INT64_MAX);
}

TEST_F(IndexFunctionTest, TurnsAndTicketsAreTheBlocks) {
  parse(R"mlir(
    %s = memref.alloc() : memref<4xi32, #gpu.address_space<global>>
    %ticket = carousel.grid.ticket %s[%c4] of %a
      : memref<4xi32, #gpu.address_space<global>>
    %r:3 = carousel.serialize %s[%c4] turn %ticket of %a (%first, %last) {
      %both = arith.andi %first, %last : i1
      %sum = arith.addi %ticket, %b : index
      carousel.pass_turn %sum, %x_id, %both : index, index, i1
    } : memref<4xi32, #gpu.address_space<global>> -> index, index, i1
    %chosen = arith.select %r#2, %r#0, %ticket : index
    %other = carousel.serialize %s[%c4] turn %x_id of %a (%first, %last) {
      %later = arith.select %first, %a, %b : index
      memref.prefetch %own[%later], read, locality<0>, data : !own
      carousel.pass_turn %a : index
    } : memref<4xi32, #gpu.address_space<global>> -> index
    memref.prefetch %own[%ticket], read, locality<0>, data : !own
    memref.prefetch %own[%r#0], read, locality<0>, data : !own
    memref.prefetch %own[%r#1], read, locality<0>, data : !own
    memref.prefetch %own[%chosen], read, locality<0>, data : !own
    memref.prefetch %own[%other], read, locality<0>, data : !own)mlir");
  ASSERT_EQ(values.size(), 6u);
  // All threads have to be in the same iteration.
  EXPECT_FALSE(uniform->contains(values[0]));
  EXPECT_TRUE(uniform->contains(values[1]));
  EXPECT_TRUE(uniform->contains(values[2]));
  EXPECT_FALSE(uniform->contains(values[3]));
  EXPECT_TRUE(uniform->contains(values[4]));
  EXPECT_FALSE(uniform->contains(values[5]));
}

/// Each of `count` sums is of the one before it and 1; the last is prefetched.
static std::string makeChain(StringRef first, unsigned count) {
  std::string body, before = first.str();
  for (unsigned i = 0; i < count; ++i) {
    std::string sum = "%sum" + std::to_string(i);
    body += sum + " = arith.addi " + before + ", %c1 : index\n";
    before = sum;
  }
  return body + "memref.prefetch %own[" + before +
         "], read, locality<0>, data : !own";
}

TEST_F(IndexFunctionTest, CTAsOfAClusterShareTheirQuotient) {
  parse(R"mlir(
    %id = gpu.block_id x
    %layer = gpu.block_id y
    %c2 = arith.constant 2 : index
    %cluster = arith.divui %id, %c2 : index
    %pair = arith.divui %id, %c4 : index
    %rank = arith.remui %id, %c2 : index
    %grid = gpu.grid_dim x
    %read = memref.load %tile[%c0] : memref<64xindex, #ws>
    %last = scf.for %i = %cluster to %grid step %c1 iter_args(%s = %layer) -> (index) {
      %next = arith.addi %s, %i : index
      memref.prefetch %own[%next], read, locality<0>, data : !own
      scf.yield %next : index
    }
    %other = scf.for %i = %c0 to %id step %c1 iter_args(%s = %c0) -> (index) {
      scf.yield %c1 : index
    }
    memref.prefetch %own[%id], read, locality<0>, data : !own
    memref.prefetch %own[%pair], read, locality<0>, data : !own
    memref.prefetch %own[%rank], read, locality<0>, data : !own
    memref.prefetch %own[%x_id], read, locality<0>, data : !own
    memref.prefetch %own[%read], read, locality<0>, data : !own
    memref.prefetch %own[%other], read, locality<0>, data : !own
    memref.prefetch %own[%a], read, locality<0>, data : !own)mlir");
  auto ofCluster = UniformValues::ofCluster(kernel, 2);
  bool expected[] = {true, false, true, false, true, false, false, true};
  ASSERT_EQ(values.size(), std::size(expected));
  for (auto [number, same] : llvm::enumerate(expected))
    EXPECT_EQ(ofCluster.contains(values[number]), same) << number;
  // Programs 2 i and 2 i + 1 aren't in one cluster of four.
  EXPECT_FALSE(UniformValues::ofCluster(kernel, 4).contains(values[0]));
}

TEST_F(IndexFunctionTest, LongChainsAreUnknown) {
  parse(makeChain("%x_id", 200));
  EXPECT_EQ(evaluate(37), "237");
  parse(makeChain("%x_id", 20000));
  EXPECT_EQ(evaluate(37), "a value that more than 256 ops in a row compute "
                          "can't be evaluated for each thread");
  // A value that is the same in all threads is a symbol where it is too deep.
  parse(makeChain("%a", 20000));
  std::string text = evaluate(37);
  EXPECT_TRUE(StringRef(text).ends_with(" + 256")) << text;
}

} // namespace
