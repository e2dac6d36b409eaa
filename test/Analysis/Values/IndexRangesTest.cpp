//===- IndexRangesTest.cpp - index ranges, compared with MLIR's solver ----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/IndexRanges.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

constexpr llvm::StringLiteral kValues = R"mlir(
func.func @values(%n: index, %x: memref<?x64xf32>, %b: i1, %i32: i32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %neg = arith.constant -5 : index
  %thread = gpu.thread_id x
  %rows = memref.dim %x, %c0 : memref<?x64xf32>
  %columns = memref.dim %x, %c1 : memref<?x64xf32>
  %quarter = arith.divui %thread, %c3 : index
  %rest = arith.remui %thread, %c64 : index
  %scaled = arith.muli %rest, %c64 : index
  %least = arith.minui %scaled, %rows : index
  %wide = arith.extui %i32 : i32 to i64
  %cast = arith.index_cast %wide : i64 to index
  %picked = arith.select %b, %rest, %neg : index
  %branch = scf.if %b -> index {
    %one = arith.addi %rest, %c3 : index
    scf.yield %one : index
  } else {
    scf.yield %neg : index
  }
  %sum:2 = scf.for %i = %c3 to %c64 step %c1 iter_args(%s = %c0, %same = %rest) -> (index, index) {
    %next = arith.addi %s, %i : index
    %inner = scf.for %j = %i to %least step %c3 iter_args(%t = %s) -> index {
      %more = arith.addi %t, %branch : index
      %kept = arith.minui %more, %c64 : index
      scf.yield %kept : index
    }
    %swapped = arith.addi %inner, %c1 : index
    scf.yield %next, %same : index, index
  }
  %down = scf.for %i = %c0 to %picked step %n iter_args(%s = %c64) -> index {
    %less = arith.subi %s, %c1 : index
    %bounded = arith.maxsi %less, %c0 : index
    scf.yield %bounded : index
  }
  %looped = scf.while (%at = %c3) : (index) -> index {
    %goes = arith.cmpi ult, %at, %n : index
    scf.condition(%goes) %at : index
  } do {
  ^bb0(%was: index):
    %then = arith.addi %was, %c3 : index
    scf.yield %then : index
  }
  %loaded = memref.load %x[%c0, %rest] : memref<?x64xf32>
  %rounded = arith.fptosi %loaded : f32 to i64
  %all = arith.addi %sum#0, %looped : index
  return %all : index
}
)mlir";

class IndexRangesTest : public ::testing::Test {
protected:
  IndexRangesTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
    module = parseSourceString<ModuleOp>(kValues, &context);
  }

  std::string print(const IntegerValueRange &range) {
    std::string text;
    llvm::raw_string_ostream(text) << range;
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// Whatever is asked for first. The solver comes to %kept before all is known
/// that it is computed from, sees it change, and gives it up.
TEST_F(IndexRangesTest, AreThoseOfTheSolverOrWithin) {
  ASSERT_TRUE(module);
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<dataflow::IntegerRangeAnalysis>();
  ASSERT_TRUE(succeeded(solver.initializeAndRun(*module)));
  SmallVector<Value> values;
  module->walk([&](Operation *op) {
    llvm::append_range(values, op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(values, block.getArguments());
  });
  auto compare = [&](auto order) {
    IndexRanges ranges;
    int same = 0, within = 0;
    for (Value value : order) {
      if (!value.getType().isIntOrIndex())
        continue;
      auto *state =
          solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
      ASSERT_TRUE(state);
      std::string where;
      llvm::raw_string_ostream(where) << value;
      IntegerValueRange range = ranges.get(value), wide = state->getValue();
      if (range == wide) {
        ++same;
        continue;
      }
      EXPECT_EQ(print(IntegerValueRange::join(range, wide)), print(wide))
          << where;
      EXPECT_TRUE(value.getDefiningOp<arith::MinUIOp>() != nullptr) << where;
      ++within;
    }
    EXPECT_EQ(same, 43);
    EXPECT_EQ(within, 1);
  };
  compare(values);
  compare(llvm::reverse(values));
}

TEST_F(IndexRangesTest, Signs) {
  IndexRanges ranges;
  std::string found;
  module->walk([&](scf::ForOp loop) {
    found += ranges.isNonNegative(loop.getInductionVar()) ? "+" : "?";
    for (Value result : loop.getResults())
      found += ranges.isNonNegative(result) ? "1" : "0";
    found += " ";
  });
  EXPECT_EQ(found, "+0 +01 +0 ");
}

/// The outer loop counts up in what an inner one hands on: nothing that changes
/// is yielded. MLIR's solver would count to the end of the numbers.
TEST_F(IndexRangesTest, LoopsSettle) {
  auto nested = parseSourceString<ModuleOp>(R"mlir(
    func.func @nested(%n: index) -> index {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %c0) -> index {
        %q = arith.addi %p, %c16 : index
        %s = scf.for %j = %c0 to %n step %c1 iter_args(%u = %q) -> index {
          scf.yield %u : index
        }
        scf.yield %s : index
      }
      return %r : index
    }
  )mlir",
                                            &context);
  ASSERT_TRUE(nested);
  IndexRanges ranges;
  nested->walk([&](func::ReturnOp op) {
    EXPECT_FALSE(ranges.isNonNegative(op.getOperand(0)));
    EXPECT_EQ(print(ranges.get(op.getOperand(0))),
              print(IntegerValueRange::getMaxRange(op.getOperand(0))));
  });
}

/// Bounds of an unsigned comparison may be negative as signed numbers.
TEST_F(IndexRangesTest, UnsignedLoops) {
  auto loops = parseSourceString<ModuleOp>(R"mlir(
    func.func @loops(%n: i32) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      scf.for %i = %c0 to %n step %c1 : i32 {
      }
      scf.for unsigned %i = %c0 to %n step %c1 : i32 {
      }
      return
    }
  )mlir",
                                           &context);
  ASSERT_TRUE(loops);
  IndexRanges ranges;
  std::string found;
  loops->walk([&](scf::ForOp loop) {
    found += ranges.isNonNegative(loop.getInductionVar()) ? "+" : "?";
  });
  EXPECT_EQ(found, "+?");
}

/// The guards of a kernel's variant bound extents of its arguments, by their
/// numbers among those that aren't tensor maps.
TEST_F(IndexRangesTest, Guards) {
  context.loadDialect<CarouselDialect>();
  auto kernels = parseSourceString<ModuleOp>(R"mlir(
    !global = memref<?x?xf32, #gpu.address_space<global>>
    gpu.module @kernels {
      gpu.func @guarded(%map: !carousel.tensor_map<16x16xf32> {carousel.encode = #carousel.encode<argument = 1>}, %x: !global, %y: !global)
          kernel attributes {carousel.variant = #carousel.variant<kernel = "k", guards = [
            aligned(0, 16), range(extent(1, 0), 1, 2147483647), range(extent(1, 0), 0, 4096),
            range(extent(0, 1) * 2, 1, 4)]>} {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %a = memref.dim %x, %c0 : !global
        %b = memref.dim %x, %c1 : !global
        %c = memref.dim %y, %c0 : !global
        %d = memref.dim %y, %c1 : !global
        gpu.return
      }
      gpu.func @free(%x: !global) kernel {
        %c0 = arith.constant 0 : index
        %e = memref.dim %x, %c0 : !global
        gpu.return
      }
    }
  )mlir",
                                             &context);
  ASSERT_TRUE(kernels);
  IndexRanges ranges;
  std::string found;
  kernels->walk([&](memref::DimOp dim) {
    const ConstantIntRanges range = ranges.get(dim.getResult()).getValue();
    found += std::to_string(range.smin().getSExtValue()) + "-" +
             (range.smax().isMaxSignedValue()
                  ? "any"
                  : std::to_string(range.smax().getSExtValue())) +
             " ";
  });
  EXPECT_EQ(found, "0-any 0-any 1-4096 0-any 0-any ");
}

/// Counters of tickets have 32 bits.
TEST_F(IndexRangesTest, Tickets) {
  context.loadDialect<CarouselDialect>();
  auto kernels = parseSourceString<ModuleOp>(R"mlir(
    !counters = memref<?xi32, #gpu.address_space<global>>
    gpu.module @kernels {
      gpu.func @tickets(%counters: !counters, %n: index) kernel {
        %c0 = arith.constant 0 : index
        %ticket = carousel.grid.ticket %counters[%c0] of %n : !counters
        gpu.return
      }
    }
  )mlir",
                                             &context);
  ASSERT_TRUE(kernels);
  IndexRanges ranges;
  kernels->walk([&](GridTicketOp op) {
    const ConstantIntRanges range = ranges.get(op.getTicket()).getValue();
    EXPECT_EQ(range.umin().getZExtValue(), 0u);
    EXPECT_EQ(range.umax().getZExtValue(), 2147483647u);
  });
}

/// MLIR takes 32 bits for all of them.
TEST_F(IndexRangesTest, GridsAreOfTheSizeThatLaunchesTake) {
  constexpr llvm::StringLiteral kGrid = R"mlir(
func.func @grid() {
  %x = gpu.grid_dim x
  %y = gpu.grid_dim y
  %bx = gpu.block_id x
  %bz = gpu.block_id z
  return
}
)mlir";
  OwningOpRef<ModuleOp> grid = parseSourceString<ModuleOp>(kGrid, &context);
  ASSERT_TRUE(grid);
  IndexRanges ranges;
  std::vector<std::string> found;
  grid->walk([&](Operation *op) {
    if (isa<gpu::GridDimOp, gpu::BlockIdOp>(op)) {
      ConstantIntRanges range = ranges.get(op->getResult(0)).getValue();
      found.push_back(std::to_string(range.umin().getZExtValue()) + " to " +
                      std::to_string(range.umax().getZExtValue()));
    }
  });
  EXPECT_EQ(found, (std::vector<std::string>{"1 to 2147483647", "1 to 65535",
                                             "0 to 2147483646", "0 to 65534"}));
}

} // namespace
