//===- LayoutPlanTest.cpp - tests of LayoutPlan.h -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/LayoutPlan.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class LayoutPlanTest : public ::testing::Test {
protected:
  LayoutPlanTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        math::MathDialect, memref::MemRefDialect,
                        scf::SCFDialect, vector::VectorDialect>();
  }

  /// A kernel of 128 threads on matrices of bf16 that are aligned to 16 bytes.
  LayoutPlan plan(const std::string &body, const std::string &guards = R"(
      aligned(0, 16), aligned(1, 16), divisible(extent(0, 1), 8),
      divisible(extent(1, 1), 8))",
                  const std::string &extents = "?x?") {
    module = parseSourceString<ModuleOp>(std::string(R"(
      #gl = #gpu.address_space<global>
      !m = memref<)") + extents + R"(xbf16, #gl>
      gpu.module @m {
        gpu.func @k(%x: !m, %y: !m, %n: index,
            %z: memref<1024xf32, #gl> {llvm.align = 16 : i64}) kernel attributes {
            carousel.block_program = #carousel.block_program<>,
            carousel.variant = #carousel.variant<kernel = "k", guards = [)" +
                                             guards + R"(]>,
            carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %pad = arith.constant 0.0 : bf16
)" + body + R"(
          gpu.return
        }
      })",
                                         &context);
    EXPECT_TRUE(module);
    gpu::GPUFuncOp kernel;
    module->walk([&](gpu::GPUFuncOp func) { kernel = func; });
    return LayoutPlan::compute(kernel);
  }

  /// The op of a kind, and its number among them.
  template <typename Op> Op find(unsigned number = 0) {
    Op found;
    module->walk([&](Op op) {
      if (number-- == 0)
        found = op;
    });
    return found;
  }

  static std::string toText(const LinearLayout &layout) {
    std::string text;
    llvm::raw_string_ostream os(text);
    layout.print(os);
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr const char *kCopy = R"(
  %v = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<8x512xbf16>
  vector.transfer_write %v, %y[%c0, %c0] : vector<8x512xbf16>, !m
)";

TEST_F(LayoutPlanTest, AccessesAreAsWideAsGuardsPromise) {
  LayoutPlan wide = plan(kCopy);
  ASSERT_TRUE(wide.getFaults().empty());
  auto read = find<vector::TransferReadOp>();
  EXPECT_EQ(wide.getAccess(read).run, 8);
  EXPECT_EQ(wide.getAccess(read).sectors, wide.getAccess(read).fullSectors);
  EXPECT_EQ(wide.getRegisters(read.getResult()), 16);
  EXPECT_FALSE(wide.getAccess(read).isShifted);
}

TEST_F(LayoutPlanTest, RowsAtAnyAddressAreShifted) {
  LayoutPlan copied = plan(kCopy, "", "?x509");
  for (Operation *op : {find<vector::TransferReadOp>().getOperation(),
                        find<vector::TransferWriteOp>().getOperation()}) {
    EXPECT_TRUE(copied.getAccess(op).isShifted);
    EXPECT_FALSE(copied.getAccess(op).isAligned);
    EXPECT_EQ(copied.getAccess(op).run, 8);
    EXPECT_EQ(countLanesAlong(copied.getAccess(op).layout, 8), 5u);
  }
  auto isShifted = [&](const std::string &body) {
    return plan(body, "", "?x509")
        .getAccess(find<vector::TransferReadOp>())
        .isShifted;
  };
  LayoutPlan unknown = plan(kCopy, "");
  EXPECT_FALSE(unknown.getAccess(find<vector::TransferReadOp>()).isShifted);
  // Rows that are written in place, computed by functions, or masked.
  EXPECT_FALSE(isShifted(R"(
    %v = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<8x512xbf16>
    vector.transfer_write %v, %x[%c0, %c0] : vector<8x512xbf16>, !m)"));
  EXPECT_FALSE(isShifted(R"(
    %v = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<8x512xbf16>
    %e = math.exp %v : vector<8x512xbf16>
    vector.transfer_write %e, %y[%c0, %c0] : vector<8x512xbf16>, !m)"));
  EXPECT_FALSE(isShifted(R"(
    %m = vector.create_mask %c1, %n : vector<8x512xi1>
    %v = vector.transfer_read %x[%c0, %c0], %pad, %m : !m, vector<8x512xbf16>
    vector.transfer_write %v, %y[%c0, %c0] : vector<8x512xbf16>, !m)"));
  // A vector that is shorter than a granule, or not a power of two.
  EXPECT_FALSE(isShifted(R"(
    %v = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<8x4xbf16>
    vector.transfer_write %v, %y[%c0, %c0] : vector<8x4xbf16>, !m)"));
  LayoutPlan narrow = plan(R"(
    %v = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<8x96xbf16>
    vector.transfer_write %v, %y[%c0, %c0] : vector<8x96xbf16>, !m)",
                           "", "?x509");
  const AccessPlan &single = narrow.getAccess(find<vector::TransferReadOp>());
  EXPECT_FALSE(single.isShifted);
  EXPECT_EQ(single.run, 1);
  // Neighbouring elements are in neighbouring lanes instead.
  EXPECT_EQ(single.sectors, single.fullSectors);
}

TEST_F(LayoutPlanTest, RunsDivideExtents) {
  LayoutPlan p = plan(R"(
    %v = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<4x100xbf16>
    vector.transfer_write %v, %y[%c0, %c0] : vector<4x100xbf16>, !m
  )");
  EXPECT_EQ(p.getAccess(find<vector::TransferReadOp>()).run, 4);
}

TEST_F(LayoutPlanTest, RowsOfReductionsHaveFewWarps) {
  LayoutPlan p = plan(R"(
    %zero = arith.constant dense<0.0> : vector<8xbf16>
    %v = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<8x512xbf16>
    %s = vector.multi_reduction <add>, %v, %zero [1]
        : vector<8x512xbf16> to vector<8xbf16>
    vector.transfer_write %s, %y[%c0, %c0] : vector<8xbf16>, !m
  )");
  auto read = find<vector::TransferReadOp>();
  EXPECT_EQ(toText(*p.getLayout(read)),
            "register = [[0, 1], [0, 2], [0, 4], [0, 256], [4, 0]], "
            "lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], "
            "warp = [[1, 0], [2, 0]]");
  auto sum = find<vector::MultiDimReductionOp>();
  EXPECT_EQ(toText(*p.getLayout(sum.getResult())),
            "register = [[4]], lane = [[0], [0], [0], [0], [0]], "
            "warp = [[1], [2]]");
}

// Ops with two results compute element by element, too.
TEST_F(LayoutPlanTest, ResultsOfAnOpShareALayout) {
  LayoutPlan p = plan(R"(
    %i = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : vector<2x4xi32>
    %v = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<2x4xbf16>
    %w = arith.fptosi %v : vector<2x4xbf16> to vector<2x4xi32>
    %low, %high = arith.mului_extended %w, %i : vector<2x4xi32>
    %s = arith.addi %low, %high : vector<2x4xi32>
    %f = arith.sitofp %s : vector<2x4xi32> to vector<2x4xbf16>
    vector.transfer_write %f, %y[%c0, %c0] : vector<2x4xbf16>, !m
  )");
  ASSERT_TRUE(p.getFaults().empty());
  auto product = find<arith::MulUIExtendedOp>();
  EXPECT_EQ(*p.getLayout(product.getLow()), *p.getLayout(product.getHigh()));
  // Threads make constants where they are used, also if elements differ.
  EXPECT_EQ(p.getLayout(product.getRhs()), nullptr);
  EXPECT_EQ(p.getOperandLayout(product->getOpOperand(1)),
            *p.getLayout(product.getLow()));
}

// Parts at any place move through shared memory: no vector is converted.
TEST_F(LayoutPlanTest, PartsAtAnyPlaceKeepLayouts) {
  LayoutPlan p = plan(R"(
    %v = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<64x128xbf16>
    %row = vector.extract %v[%n] : vector<128xbf16> from vector<64x128xbf16>
    %w = vector.insert_strided_slice %row, %v {offsets = [3, 0], strides = [1]}
        : vector<128xbf16> into vector<64x128xbf16>
    %u = vector.insert %row, %w[%n] : vector<128xbf16> into vector<64x128xbf16>
    vector.transfer_write %u, %y[%c0, %c0] : vector<64x128xbf16>, !m
  )");
  ASSERT_TRUE(p.getFaults().empty());
  auto extract = find<vector::ExtractOp>();
  EXPECT_EQ(p.getOperandLayout(extract.getSourceMutable()),
            *p.getLayout(extract.getSource()));
  auto insert = find<vector::InsertOp>();
  EXPECT_EQ(p.getOperandLayout(insert.getValueToStoreMutable()),
            *p.getLayout(extract.getResult()));
  EXPECT_EQ(p.getOperandLayout(insert.getDestMutable()),
            *p.getLayout(insert.getResult()));
}

// No store of a tile begins before its memref.
TEST_F(LayoutPlanTest, WritesThatMayBeginBeforeAreOfThreads) {
  LayoutPlan p = plan(R"(
    %c64 = arith.constant 64 : index
    scf.for %i = %c0 to %n step %c64 {
      %v = vector.transfer_read %x[%i, %n], %pad : !m, vector<64x64xbf16>
      vector.transfer_write %v, %y[%i, %c0] : vector<64x64xbf16>, !m
      vector.transfer_write %v, %y[%i, %n] : vector<64x64xbf16>, !m
      vector.transfer_write %v, %y[%i, %n] {in_bounds = [true, true]}
          : vector<64x64xbf16>, !m
    } {carousel.pipeline = #carousel.pipeline<>}
  )");
  ASSERT_TRUE(p.getFaults().empty());
  EXPECT_TRUE(p.getAccess(find<vector::TransferReadOp>()).isTransfer);
  EXPECT_TRUE(p.getAccess(find<vector::TransferWriteOp>(0)).isTransfer);
  EXPECT_FALSE(p.getAccess(find<vector::TransferWriteOp>(1)).isTransfer);
  EXPECT_TRUE(p.getAccess(find<vector::TransferWriteOp>(2)).isTransfer);
}

TEST_F(LayoutPlanTest, TransposesStayInRegisters) {
  LayoutPlan p = plan(R"(
    %v = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<64x128xbf16>
    %t = vector.transpose %v, [1, 0] : vector<64x128xbf16> to vector<128x64xbf16>
    vector.transfer_write %t, %y[%c0, %c0] : vector<128x64xbf16>, !m
  )");
  auto read = find<vector::TransferReadOp>();
  auto write = find<vector::TransferWriteOp>();
  for (Operation *op : {read.getOperation(), write.getOperation()}) {
    EXPECT_EQ(p.getAccess(op).run, 8);
    EXPECT_EQ(p.getAccess(op).sectors, p.getAccess(op).fullSectors);
  }
  auto transpose = find<vector::TransposeOp>();
  EXPECT_EQ(p.getOperandLayout(transpose->getOpOperand(0)), *p.getLayout(read));
}

TEST_F(LayoutPlanTest, OddBeginsWantShortRuns) {
  std::string odd = R"(
    %a = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<8x512xbf16>
    %b = vector.transfer_read %x[%c0, %c1], %pad : !m, vector<8x512xbf16>
    %c = arith.addf %a, %b : vector<8x512xbf16>
    vector.transfer_write %c, %y[%c0, %c1] : vector<8x512xbf16>, !m
  )";
  LayoutPlan shifted = plan(odd, "aligned(0, 16), aligned(1, 16)", "?x1024");
  for (unsigned number : {0, 1}) {
    auto read = find<vector::TransferReadOp>(number);
    EXPECT_EQ(shifted.getAccess(read).run, 8);
    EXPECT_EQ(shifted.getAccess(read).isShifted, number == 1);
  }
  // Functions want no shifts.
  LayoutPlan p = plan(odd + R"(
    %e = math.exp %c : vector<8x512xbf16>
    vector.transfer_write %e, %y[%c0, %c1] : vector<8x512xbf16>, !m
  )");
  for (unsigned number : {0, 1})
    EXPECT_EQ(p.getAccess(find<vector::TransferReadOp>(number)).run, 1);
}

TEST_F(LayoutPlanTest, CarriedVectorsHaveOneLayout) {
  LayoutPlan p = plan(R"(
    %zero = arith.constant dense<0.0> : vector<8x512xbf16>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero)
        -> (vector<8x512xbf16>) {
      %v = vector.transfer_read %x[%i, %c0], %pad : !m, vector<8x512xbf16>
      %b = arith.addf %a, %v : vector<8x512xbf16>
      scf.yield %b : vector<8x512xbf16>
    }
    vector.transfer_write %sum, %y[%c0, %c0] : vector<8x512xbf16>, !m
  )");
  auto loop = find<scf::ForOp>();
  const LinearLayout &layout = *p.getLayout(loop.getResult(0));
  EXPECT_EQ(*p.getLayout(loop.getRegionIterArg(0)), layout);
  EXPECT_EQ(p.getOperandLayout(loop.getInitArgsMutable()[0]), layout);
}

// 16 bytes of the input in each iteration: they count for more than the sums
// that are written once.
TEST_F(LayoutPlanTest, AccessesOfLoopsComeFirst) {
  LayoutPlan p = plan(R"(
    %zero = arith.constant dense<0.0> : vector<1024xf32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero)
        -> (vector<1024xf32>) {
      %v = vector.transfer_read %x[%i, %c0], %pad : !m, vector<1024xbf16>
      %e = arith.extf %v : vector<1024xbf16> to vector<1024xf32>
      %b = arith.addf %a, %e : vector<1024xf32>
      scf.yield %b : vector<1024xf32>
    }
    vector.transfer_write %sum, %z[%c0] {in_bounds = [true]} :
        vector<1024xf32>, memref<1024xf32, #gl>
  )");
  EXPECT_EQ(p.getAccess(find<vector::TransferReadOp>()).run, 8);
  EXPECT_EQ(p.getAccess(find<vector::TransferWriteOp>()).run, 4);
}

TEST_F(LayoutPlanTest, LargeVectorsAreRefused) {
  LayoutPlan p = plan(R"(
    %v = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<64x1024xbf16>
    vector.transfer_write %v, %y[%c0, %c0] : vector<64x1024xbf16>, !m
  )");
  ASSERT_EQ(p.getFaults().size(), 1u);
  EXPECT_EQ(p.getFaults()[0].message,
            "expected at most 224 registers of a thread for a vector, got 256 "
            "in a block of 128 threads");
}

constexpr const char *kMaps = R"(indexing_maps = [
    affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"])";

// Threads that multiply and add need all of k: one error, at the product, with
// the largest of its factors.
TEST_F(LayoutPlanTest, ProductsDemandRegistersOnce) {
  LayoutPlan p = plan(std::string(R"(
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    %v = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<128x128xbf16>
    %e = arith.extf %v : vector<128x128xbf16> to vector<128x128xf32>
    %u = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<128x128xbf16>
    %f = arith.extf %u : vector<128x128xbf16> to vector<128x128xf32>
    %d = arith.negf %f : vector<128x128xf32>
    %c = vector.contract {)") +
                      kMaps + R"(} %d, %e, %zeros
        : vector<128x128xf32>, vector<128x128xf32> into vector<128x128xf32>
    %t = arith.truncf %c : vector<128x128xf32> to vector<128x128xbf16>
    vector.transfer_write %t, %y[%c0, %c0] : vector<128x128xbf16>, !m
  )");
  ASSERT_EQ(p.getFaults().size(), 1u);
  EXPECT_EQ(p.getFaults()[0].op, find<vector::ContractionOp>().getOperation());
  EXPECT_EQ(p.getFaults()[0].vector, find<arith::ExtFOp>().getResult());
  EXPECT_EQ(p.getFaults()[0].message,
            "expected at most 224 registers of a thread for a vector, got 2048 "
            "in a block of 128 threads");
  EXPECT_NE(p.getFaults()[0].remedy, "");
  // Both factors.
  EXPECT_EQ(p.getMostRegisters(), 3072);
}

// Threads leave a factor in shared memory if other threads have it, or if a
// loop takes it from outside.
TEST_F(LayoutPlanTest, FactorsOfMultiplyAddsAreKeptInSharedMemory) {
  LayoutPlan p = plan(std::string(R"(
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %q = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<64x64xbf16>
    %r = scf.for %j = %c0 to %c512 step %c64 iter_args(%o = %zeros)
        -> (vector<64x64xf32>) {
      %k = vector.transfer_read %x[%j, %c0], %pad : !m, vector<64x64xbf16>
      %e = arith.extf %q : vector<64x64xbf16> to vector<64x64xf32>
      %f = arith.extf %k : vector<64x64xbf16> to vector<64x64xf32>
      %s = vector.contract {)") +
                      kMaps + R"(} %e, %f, %zeros
          : vector<64x64xf32>, vector<64x64xf32> into vector<64x64xf32>
      %t = vector.contract {)" +
                      kMaps + R"(} %s, %f, %o
          : vector<64x64xf32>, vector<64x64xf32> into vector<64x64xf32>
      scf.yield %t : vector<64x64xf32>
    }
    %t = arith.truncf %r : vector<64x64xf32> to vector<64x64xbf16>
    vector.transfer_write %t, %y[%c0, %c0] : vector<64x64xbf16>, !m
  )");
  SmallVector<vector::ContractionOp> products;
  module->walk([&](vector::ContractionOp op) { products.push_back(op); });
  ASSERT_EQ(products.size(), 2u);
  // Threads would have too many registers of what the loop computes.
  EXPECT_TRUE(p.isKept(products[0].getLhsMutable()));
  EXPECT_GT(p.getMostRegisters(), 224);
  EXPECT_TRUE(p.isKept(products[1].getLhsMutable())); // sums of other threads
  EXPECT_TRUE(p.isOnlyKept(products[0].getResult()));
  // Rows of both are in the same threads.
  const LinearLayout &scores = *p.getLayout(products[0].getResult());
  const LinearLayout &sums = *p.getLayout(products[1].getResult());
  for (Place place : {Place::Lane, Place::Warp})
    for (auto [first, second] :
         llvm::zip_equal(scores.getBases(place), sums.getBases(place)))
      EXPECT_EQ(first[0], second[0]);
}

TEST_F(LayoutPlanTest, SlowFactorsAreComputedOnce) {
  // Threads share the rows and columns of 64 x 64 sums.
  auto isKept = [&](const std::string &computed) {
    LayoutPlan p = plan(std::string(R"(
      %zeros = arith.constant dense<0.0> : vector<64x64xf32>
      %l = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<64x32xbf16>
      %r = vector.transfer_read %x[%c1, %c0], %pad : !m, vector<32x64xbf16>
      %e = arith.extf %l : vector<64x32xbf16> to vector<64x32xf32>
      %f = arith.extf %r : vector<32x64xbf16> to vector<32x64xf32>
      %a = )") + computed +
                        R"( : vector<64x32xf32>
      %g = arith.negf %a : vector<64x32xf32>
      %s = vector.contract {)" +
                        kMaps + R"(} %g, %f, %zeros
          : vector<64x32xf32>, vector<32x64xf32> into vector<64x64xf32>
      %t = arith.truncf %s : vector<64x64xf32> to vector<64x64xbf16>
      vector.transfer_write %t, %y[%c0, %c0] : vector<64x64xbf16>, !m
    )");
    return p.isKept(find<vector::ContractionOp>().getLhsMutable());
  };
  EXPECT_TRUE(isKept("math.exp %e"));
  EXPECT_TRUE(isKept("arith.divf %e, %e"));
  EXPECT_FALSE(isKept("arith.mulf %e, %e"));
}

// Values that threads compute from their coordinates need no registers for
// long.
TEST_F(LayoutPlanTest, CoordinatesNeedNoRegisters) {
  LayoutPlan p = plan(R"(
    %step = vector.step : vector<1024xindex>
    %rows = vector.broadcast %step : vector<1024xindex> to vector<32x1024xindex>
    %more = arith.addi %rows, %rows : vector<32x1024xindex>
    %i = arith.index_cast %more : vector<32x1024xindex> to vector<32x1024xi16>
    %b = arith.bitcast %i : vector<32x1024xi16> to vector<32x1024xbf16>
    vector.transfer_write %b, %y[%c0, %c0] : vector<32x1024xbf16>, !m
  )");
  EXPECT_TRUE(p.getFaults().empty());
  EXPECT_EQ(p.getMostRegisters(), 0);
}

// Scores, their rows' maxima, and a second product of them: nothing moves
// between warps.
TEST_F(LayoutPlanTest, RowsOfProductsStayInWarps) {
  for (bool isPinned : {false, true}) {
    std::string layout = isPinned ? R"(, carousel.layout = #carousel.layout<
        register = [[0, 1], [0, 8], [8, 0], [0, 16], [0, 32]],
        lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
        warp = [[32, 0], [16, 0]]>)"
                                  : "";
    LayoutPlan p = plan(std::string(R"(
      %zeros = arith.constant dense<0.0> : vector<64x64xf32>
      %low = arith.constant dense<-1.0> : vector<64xf32>
      %a = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<64x64xbf16>
      %b = vector.transfer_read %y[%c0, %c0], %pad : !m, vector<64x64xbf16>
      %s = vector.contract {)") +
                        kMaps + layout + R"(} %a, %b, %zeros
          : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
      %max = vector.multi_reduction <maxnumf>, %s, %low [1]
          : vector<64x64xf32> to vector<64xf32>
      %p = arith.truncf %s : vector<64x64xf32> to vector<64x64xbf16>
      %o = vector.contract {)" +
                        kMaps + R"(} %p, %b, %zeros
          : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
      vector.transfer_write %max, %z[%c0] : vector<64xf32>,
          memref<1024xf32, #gl>
      %t = arith.truncf %o : vector<64x64xf32> to vector<64x64xbf16>
      vector.transfer_write %t, %y[%c0, %c0] : vector<64x64xbf16>, !m
    )");
    ASSERT_TRUE(p.getFaults().empty());
    auto scores = find<vector::ContractionOp>(0);
    auto result = find<vector::ContractionOp>(1);
    const LinearLayout &own = p.getContraction(scores).acc;
    EXPECT_EQ(own.apply({0, 0, 1, 0})[0], isPinned ? 32u : 16u);
    EXPECT_EQ(own.apply({0, 0, 2, 0})[0], isPinned ? 16u : 32u);
    auto stays = [](const LinearLayout &from, const LinearLayout &to) {
      return Conversion::plan(from, to)->getMovement() <= Movement::Registers;
    };
    EXPECT_TRUE(stays(own, *p.getLayout(scores.getResult())));
    EXPECT_TRUE(stays(own, p.getContraction(result).lhs));
  }
}

TEST_F(LayoutPlanTest, TurnsPassVectorsInOneLayout) {
  LayoutPlan turns = plan(R"(
    %none = arith.constant 0.0 : f32
    %s = memref.alloc() : memref<1xi32, #gl>
    %v = carousel.serialize %s[%c0] turn %c0 of %c1 (%first, %last) {
      %0 = vector.transfer_read %z[%c0], %none {in_bounds = [true]}
          : memref<1024xf32, #gl>, vector<1024xf32>
      carousel.pass_turn %0 : vector<1024xf32>
    } : memref<1xi32, #gl> -> vector<1024xf32>
    %w = arith.addf %v, %v : vector<1024xf32>
    vector.transfer_write %w, %z[%c0] {in_bounds = [true]}
        : vector<1024xf32>, memref<1024xf32, #gl>
  )");
  ASSERT_TRUE(turns.getFaults().empty());
  auto turn = find<SerializeOp>();
  auto read = find<vector::TransferReadOp>();
  const LinearLayout *passed = turns.getLayout(turn.getResult(0));
  ASSERT_NE(passed, nullptr);
  EXPECT_EQ(toText(*passed), toText(*turns.getLayout(read.getResult())));
  OpOperand &operand = turn.getBody().front().getTerminator()->getOpOperand(0);
  EXPECT_EQ(toText(turns.getOperandLayout(operand)), toText(*passed));
}

} // namespace
