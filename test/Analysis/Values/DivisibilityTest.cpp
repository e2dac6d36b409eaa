//===- DivisibilityTest.cpp - multiples, signs and needs ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/Divisibility.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class DivisibilityTest : public ::testing::Test {
protected:
  DivisibilityTest() {
    context
        .loadDialect<CarouselDialect, affine::AffineDialect,
                     arith::ArithDialect, cf::ControlFlowDialect,
                     gpu::GPUDialect, memref::MemRefDialect, scf::SCFDialect>();
  }

  /// Parses a kernel; `use` is the index that its "test.use" takes.
  void analyse(StringRef body) {
    context.allowUnregisteredDialects();
    std::string text = R"mlir(
      gpu.module @m {
        gpu.func @k(%x: memref<?x?xf32, 1>, %n: index, %flag: i1) kernel {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %c6 = arith.constant 6 : index
          %c64 = arith.constant 64 : index
          %block = gpu.block_id x
          %blocks = gpu.grid_dim x
          %few = arith.remui %block, %c64 : index
    )mlir" + body.str() +
                       "\n gpu.return } }";
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    module->walk([&](gpu::GPUFuncOp op) { kernel = op; });
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.use")
        use = op->getOperand(0);
    });
    facts.emplace();
  }

  int64_t getMultiple(StringRef body) {
    analyse(body);
    return facts->getMultiple(use);
  }
  bool isNonNegative(StringRef body) {
    analyse(body);
    return facts->isNonNegative(use);
  }
  /// "argument 1 by 4; dim by 2", or "nothing does".
  std::string getNeeds(StringRef body, int64_t divisor) {
    analyse(body);
    SmallVector<DivisibilityNeed> needs;
    if (failed(facts->require(use, divisor, needs)))
      return needs.empty() ? "nothing does" : "needs left behind";
    std::string text;
    for (const DivisibilityNeed &need : needs) {
      auto argument = dyn_cast<BlockArgument>(need.value);
      text += (text.empty() ? "" : "; ") +
              (argument ? "argument " + std::to_string(argument.getArgNumber())
                        : std::string("dim")) +
              " by " + std::to_string(need.divisor);
    }
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  gpu::GPUFuncOp kernel;
  Value use;
  std::optional<Divisibility> facts;
};

TEST_F(DivisibilityTest, Arithmetic) {
  struct Case {
    const char *op;
    int64_t multiple;
  };
  const Case cases[] = {
      {"arith.constant -48 : index", 48},
      {"arith.constant 0 : index", 0},
      {"arith.muli %n, %c64 : index", 64},
      {"arith.muli %n, %c0 : index", 0},
      {"arith.addi %c64, %c6 : index", 2},
      {"arith.subi %n, %c64 : index", 1},
      {"arith.minsi %c64, %c6 : index", 2},
      {"arith.select %flag, %c4, %c6 : index", 2},
      {"arith.remui %c64, %c6 : index", 2},
      {"arith.divui %c64, %c4 : index", 16},
      {"arith.divui %c64, %c6 : index", 1},
      {"arith.divui %c64, %n : index", 1},
      {"arith.shli %n, %c4 : index", 16},
      {"arith.shrui %c64, %c4 : index", 4},
      {"arith.andi %n, %c64 : index", 64},
      {"arith.ori %c64, %c6 : index", 2},
      {"arith.index_cast %c64 : index to i32", 64},
      {"affine.apply affine_map<(d0)[s0] -> (d0 * 8 + s0)>(%n)[%c64]", 8},
      {"affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%c64)", 16},
      {"affine.min affine_map<(d0) -> (d0, 12)>(%c64)", 4},
      {"gpu.thread_id x", 1},
  };
  for (const Case &c : cases)
    EXPECT_EQ(getMultiple("%v = " + std::string(c.op) +
                          "\n\"test.use\"(%v) : (" +
                          (StringRef(c.op).ends_with("i32") ? "i32" : "index") +
                          ") -> ()"),
              c.multiple)
        << c.op;
}

// A value that fits stays a multiple; one that doesn't, or loses its sign,
// keeps powers of two.
TEST_F(DivisibilityTest, FewerBits) {
  struct Case {
    const char *what;
    const char *body;
    const char *type;
    int64_t multiple;
  };
  const Case cases[] = {
      {"64 bits", R"mlir(
         %number = arith.muli %n, %c6 : index
         %v = arith.index_cast %number : index to i64)mlir",
       "i64", 6},
      {"32 of 64", R"mlir(
         %number = arith.muli %n, %c6 : index
         %v = arith.index_cast %number : index to i32)mlir",
       "i32", 2},
      {"32 of 64, without a sign", R"mlir(
         %number = arith.muli %n, %c6 : index
         %v = arith.index_castui %number : index to i32)mlir",
       "i32", 2},
      {"a block's id has 31 bits, six times as much has 34", R"mlir(
         %number = arith.muli %block, %c6 : index
         %v = arith.index_cast %number : index to i32)mlir",
       "i32", 2},
      {"few", R"mlir(
         %number = arith.muli %few, %c6 : index
         %v = arith.index_castui %number : index to i32)mlir",
       "i32", 6},
      {"32 bits without a sign, which come back with one", R"mlir(
         %most = arith.constant 600000000 : index
         %number = arith.remui %block, %most : index
         %product = arith.muli %number, %c6 : index
         %low = arith.index_cast %product : index to i32
         %v = arith.index_cast %low : i32 to index)mlir",
       "index", 2},
      {"i32 of i64", R"mlir(
         %six = arith.constant 6 : i64
         %long = arith.index_cast %n : index to i64
         %product = arith.muli %long, %six : i64
         %v = arith.trunci %product : i64 to i32)mlir",
       "i32", 2},
      {"a product of 32 bits", R"mlir(
         %six = arith.constant 6 : i32
         %low = arith.index_cast %n : index to i32
         %v = arith.muli %low, %six : i32)mlir",
       "i32", 2},
      {"that doesn't overflow, it says", R"mlir(
         %six = arith.constant 6 : i32
         %low = arith.index_cast %n : index to i32
         %v = arith.muli %low, %six overflow<nsw> : i32)mlir",
       "i32", 6},
      {"that overflows as a signed number only", R"mlir(
         %six = arith.constant 6 : i32
         %low = arith.index_cast %n : index to i32
         %v = arith.muli %low, %six overflow<nuw> : i32)mlir",
       "i32", 2},
      {"that doesn't, by its factors", R"mlir(
         %six = arith.constant 6 : i32
         %low = arith.index_cast %few : index to i32
         %v = arith.muli %low, %six : i32)mlir",
       "i32", 6},
      {"by its least factor, too", R"mlir(
         %large = arith.constant 60000000 : i32
         %low = arith.index_cast %few : index to i32
         %zero = arith.constant 0 : i32
         %less = arith.subi %zero, %low : i32
         %v = arith.muli %less, %large : i32)mlir",
       "i32", 256},
      {"a sum of 32 bits", R"mlir(
         %large = arith.constant 2147483646 : i32
         %six = arith.constant 6 : i32
         %low = arith.index_cast %few : index to i32
         %product = arith.muli %low, %six : i32
         %v = arith.addi %product, %large : i32)mlir",
       "i32", 2},
      {"a difference", R"mlir(
         %large = arith.constant -2147483646 : i32
         %six = arith.constant 6 : i32
         %low = arith.index_cast %few : index to i32
         %product = arith.muli %low, %six : i32
         %v = arith.subi %large, %product : i32)mlir",
       "i32", 2},
      {"a shift", R"mlir(
         %by = arith.constant 24 : i32
         %six = arith.constant 6 : i32
         %low = arith.index_cast %few : index to i32
         %product = arith.muli %low, %six : i32
         %v = arith.shli %product, %by : i32)mlir",
       "i32", 1 << 25},
      {"a shift by less", R"mlir(
         %by = arith.constant 4 : i32
         %six = arith.constant 6 : i32
         %low = arith.index_cast %few : index to i32
         %product = arith.muli %low, %six : i32
         %v = arith.shli %product, %by : i32)mlir",
       "i32", 96},
      {"32 bits that come back without a sign", R"mlir(
         %six = arith.constant 6 : i32
         %low = arith.index_cast %few : index to i32
         %product = arith.muli %low, %six : i32
         %v = arith.index_castui %product : i32 to index)mlir",
       "index", 6},
  };
  for (const Case &c : cases)
    EXPECT_EQ(getMultiple(c.body + std::string("\n\"test.use\"(%v) : (") +
                          c.type + ") -> ()"),
              c.multiple)
        << c.what;
}

// -6 is a multiple of 3, 2^64 - 6 isn't.
TEST_F(DivisibilityTest, UnsignedReadings) {
  struct Case {
    const char *number;
    const char *op;
    int64_t multiple;
  };
  const Case cases[] = {
      {"arith.muli %n, %c6", "arith.remui %number, %c6", 2},
      {"arith.muli %few, %c6", "arith.remui %number, %c6", 6},
      {"arith.muli %n, %c6", "arith.remsi %number, %c6", 6},
      {"arith.muli %n, %c6", "arith.remui %c6, %number", 2},
      {"arith.muli %n, %c48", "arith.divui %number, %c4", 4},
      {"arith.muli %n, %c48", "arith.divsi %number, %c4", 12},
      {"arith.muli %few, %c48", "arith.divui %number, %c4", 12},
      {"arith.muli %n, %c48", "arith.divui %number, %c6", 1},
      {"arith.muli %n, %c48", "arith.divui %number, %less", 1},
      {"arith.muli %n, %c48", "arith.ceildivui %number, %c4", 4},
      {"arith.muli %n, %c48", "arith.ceildivui %number, %less", 1},
      {"arith.muli %few, %c48", "arith.ceildivui %number, %c4", 12},
      {"arith.muli %n, %c48", "arith.shrui %number, %c4", 1},
      {"arith.muli %n, %c48", "arith.shrsi %number, %c4", 3},
      {"arith.muli %few, %c48", "arith.shrui %number, %c4", 3},
  };
  for (const Case &c : cases)
    EXPECT_EQ(getMultiple("%c48 = arith.constant 48 : index\n"
                          "%less = arith.constant -4 : index\n%number = " +
                          std::string(c.number) + " : index\n%v = " + c.op +
                          " : index\n\"test.use\"(%v) : (index) -> ()"),
              c.multiple)
        << c.number << "; " << c.op;
}

TEST_F(DivisibilityTest, InductionVariable) {
  EXPECT_EQ(getMultiple(R"mlir(
    %first = arith.muli %block, %c64 : index
    %step = arith.muli %blocks, %c6 : index
    scf.for %i = %first to %n step %step { "test.use"(%i) : (index) -> () }
  )mlir"),
            2);
  EXPECT_EQ(getMultiple(R"mlir(
    affine.for %i = affine_map<(d0) -> (d0 * 32)>(%n) to 4096 step 48 {
      "test.use"(%i) : (index) -> ()
    }
  )mlir"),
            16);
  // A constant bound may have operands nevertheless.
  EXPECT_EQ(getMultiple(R"mlir(
    affine.for %i = affine_map<(d0) -> (0)>(%n) to 4096 step 48 {
      "test.use"(%i) : (index) -> ()
    }
  )mlir"),
            48);
  EXPECT_EQ(getMultiple(R"mlir(
    scf.parallel (%i, %j) = (%c0, %c64) to (%n, %n) step (%c1, %c4) {
      "test.use"(%j) : (index) -> ()
    }
  )mlir"),
            4);
}

// 2^32 - 4 is a multiple of 6, -4 isn't.
TEST_F(DivisibilityTest, UnsignedLoops) {
  EXPECT_EQ(getMultiple(R"mlir(
    %first = arith.constant 0 : i32
    %step = arith.constant 6 : i32
    %end = arith.index_cast %n : index to i32
    scf.for unsigned %i = %first to %end step %step : i32 {
      "test.use"(%i) : (i32) -> ()
    }
  )mlir"),
            2);
  EXPECT_EQ(getMultiple(R"mlir(
    %first = arith.constant 0 : i32
    %step = arith.constant 6 : i32
    %end = arith.index_cast %n : index to i32
    scf.for %i = %first to %end step %step : i32 {
      "test.use"(%i) : (i32) -> ()
    }
  )mlir"),
            6);
}

TEST_F(DivisibilityTest, LoopCarriedValue) {
  EXPECT_EQ(getMultiple(R"mlir(
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c64) -> (index) {
      "test.use"(%k) : (index) -> ()
      %next = arith.addi %k, %c4 : index
      scf.yield %next : index
    }
  )mlir"),
            4);
  // The other one makes the first lose what it starts with.
  EXPECT_EQ(getMultiple(R"mlir(
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c64, %b = %c4) -> (index, index) {
      "test.use"(%a) : (index) -> ()
      %next = arith.addi %b, %c6 : index
      scf.yield %b, %next : index, index
    }
  )mlir"),
            2);
}

TEST_F(DivisibilityTest, Branches) {
  EXPECT_EQ(getMultiple(R"mlir(
      cf.br ^loop(%c64 : index)
    ^loop(%k: index):
      "test.use"(%k) : (index) -> ()
      %next = arith.addi %k, %c4 : index
      %goes = arith.cmpi ult, %next, %n : index
      cf.cond_br %goes, ^loop(%next : index), ^end
    ^end:
  )mlir"),
            4);
  EXPECT_EQ(getMultiple(R"mlir(
    %r = scf.if %flag -> (index) {
      scf.yield %c64 : index
    } else {
      scf.yield %c6 : index
    }
    "test.use"(%r) : (index) -> ()
  )mlir"),
            2);
}

TEST_F(DivisibilityTest, SignsOfOffsets) {
  EXPECT_TRUE(isNonNegative(R"mlir(
    %first = arith.muli %block, %c64 : index
    %step = arith.muli %blocks, %c64 : index
    scf.for %i = %first to %n step %step { "test.use"(%i) : (index) -> () }
  )mlir"));
  EXPECT_TRUE(isNonNegative(R"mlir(
    %rows = memref.dim %x, %c0 : memref<?x?xf32, 1>
    %tiles = arith.ceildivui %rows, %c64 : index
    scf.for %t = %block to %tiles step %blocks {
      %t0 = arith.divui %t, %tiles : index
      %v = affine.apply affine_map<(d0) -> (d0 * 64 + 3)>(%t0)
      "test.use"(%v) : (index) -> ()
    }
  )mlir"));
  EXPECT_TRUE(isNonNegative(R"mlir(
    affine.for %i = affine_map<(d0) -> (d0 * 32)>(%block) to affine_map<(d0) -> (d0)>(%n) {
      "test.use"(%i) : (index) -> ()
    }
  )mlir"));
  EXPECT_FALSE(isNonNegative("\"test.use\"(%n) : (index) -> ()"));
  EXPECT_FALSE(isNonNegative(R"mlir(
    %v = arith.subi %block, %c1 : index
    "test.use"(%v) : (index) -> ()
  )mlir"));
  EXPECT_FALSE(isNonNegative(R"mlir(
    %v = affine.apply affine_map<(d0) -> (d0 - 1)>(%block)
    "test.use"(%v) : (index) -> ()
  )mlir"));
  EXPECT_FALSE(isNonNegative(R"mlir(
    scf.for %i = %n to %c64 step %c1 { "test.use"(%i) : (index) -> () }
  )mlir"));
}

TEST_F(DivisibilityTest, Needs) {
  EXPECT_EQ(getNeeds("\"test.use\"(%c64) : (index) -> ()", 16), "");
  EXPECT_EQ(getNeeds("\"test.use\"(%n) : (index) -> ()", 16),
            "argument 1 by 16");
  EXPECT_EQ(getNeeds(R"mlir(
    %a = arith.muli %n, %c6 : index
    %v = arith.addi %a, %c64 : index
    "test.use"(%v) : (index) -> ()
  )mlir",
                     16),
            "argument 1 by 8");
  EXPECT_EQ(getNeeds(R"mlir(
    %width = memref.dim %x, %c1 : memref<?x?xf32, 1>
    scf.for %row = %block to %n step %blocks {
      %v = arith.muli %row, %width : index
      "test.use"(%v) : (index) -> ()
    }
  )mlir",
                     4),
            "dim by 4");
  EXPECT_EQ(getNeeds(R"mlir(
    scf.for %i = %c0 to %n step %n {
      %v = affine.apply affine_map<(d0) -> (d0 * 2 + 64)>(%i)
      "test.use"(%v) : (index) -> ()
    }
  )mlir",
                     8),
            "argument 1 by 4");
  EXPECT_EQ(getNeeds("\"test.use\"(%block) : (index) -> ()", 2),
            "nothing does");
  // One of two terms isn't to be had: neither is asked for.
  EXPECT_EQ(getNeeds(R"mlir(
    %v = arith.addi %n, %block : index
    "test.use"(%v) : (index) -> ()
  )mlir",
                     2),
            "nothing does");
}

// By the paths to it, 8^11 visits would be made here.
TEST_F(DivisibilityTest, NeedsOfSharedSums) {
  std::string body, last = "%n";
  for (unsigned i = 0; i < 11; ++i) {
    std::string sum = "%sum" + std::to_string(i);
    body += sum + " = affine.apply affine_map<(a, b, c, d, e, f, g, h) -> " +
            "(a + b + c + d + e + f + g + h)>(" + last;
    for (unsigned more = 0; more < 7; ++more)
      body += ", " + last;
    body += ")\n";
    last = sum;
  }
  EXPECT_EQ(getNeeds(body + "\"test.use\"(" + last + ") : (index) -> ()", 4),
            "argument 1 by 4");
}

// Each value is visited once, and in no recursion: by the paths to it, 2^20000
// visits would be made here.
TEST_F(DivisibilityTest, LongChainsOfSums) {
  std::string body =
      "%sum0 = affine.apply affine_map<()[s0] -> (s0 mod 4)>()[%n]\n";
  for (unsigned i = 0; i < 20000; ++i) {
    std::string before = "%sum" + std::to_string(i);
    body += "%sum" + std::to_string(i + 1) + " = arith.addi " + before + ", " +
            before + " : index\n";
  }
  EXPECT_TRUE(isNonNegative(body + "\"test.use\"(%sum20000) : (index) -> ()"));
  EXPECT_FALSE(isNonNegative(body + "%more = arith.addi %sum20000, %n : index\n"
                                    "\"test.use\"(%more) : (index) -> ()"));
}

} // namespace
