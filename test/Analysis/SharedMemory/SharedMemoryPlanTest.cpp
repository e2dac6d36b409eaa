//===- SharedMemoryPlanTest.cpp - places of shared buffers ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/SharedMemory/SharedMemoryPlan.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace carousel;

namespace {

PlacedBuffer makeBuffer(int64_t bytes, int64_t alignment, int64_t first,
                        int64_t last) {
  PlacedBuffer buffer;
  buffer.bytes = bytes;
  buffer.alignment = alignment;
  buffer.lives = {first, last};
  return buffer;
}

TEST(PlaceBuffersTest, DisjointLivesShareBytes) {
  std::vector<PlacedBuffer> buffers = {makeBuffer(1000, 16, 0, 1),
                                       makeBuffer(800, 128, 2, 3)};
  EXPECT_EQ(placeByLifetime(buffers, 0), 1000);
  EXPECT_EQ(buffers[0].offset, 0);
  EXPECT_EQ(buffers[1].offset, 0);
}

TEST(PlaceBuffersTest, LivesThatTouchDoNotShare) {
  std::vector<PlacedBuffer> buffers = {makeBuffer(64, 16, 0, 2),
                                       makeBuffer(64, 16, 2, 3)};
  EXPECT_EQ(placeByLifetime(buffers, 0), 128);
}

TEST(PlaceBuffersTest, AlignmentHoldsBehindAnOddBase) {
  std::vector<PlacedBuffer> buffers = {makeBuffer(64, 1024, 0, 9),
                                       makeBuffer(64, 128, 0, 9)};
  EXPECT_EQ(placeSeparately(buffers, 100), 1024 + 64);
  EXPECT_EQ(buffers[0].offset, 1024);
  EXPECT_EQ(buffers[1].offset, 128);
}

// The gap of 200 bytes below the last buffer fits better than the one of 300.
TEST(PlaceBuffersTest, TheBestFitIsTaken) {
  std::vector<PlacedBuffer> buffers = {
      makeBuffer(1024, 16, 0, 0), // makes room for everything below
      makeBuffer(304, 16, 1, 1),  // a gap when it is gone
      makeBuffer(302, 16, 1, 2),  // at 304
      makeBuffer(208, 16, 1, 1),  // a gap when it is gone
      makeBuffer(207, 16, 1, 2),  makeBuffer(200, 16, 2, 2)};
  EXPECT_EQ(placeByLifetime(buffers, 0), 1024);
  EXPECT_EQ(buffers[1].offset, 0);
  EXPECT_EQ(buffers[2].offset, 304);
  EXPECT_EQ(buffers[3].offset, 608);
  EXPECT_EQ(buffers[4].offset, 816);
  EXPECT_EQ(buffers[5].offset, 608);
}

// Sharing that saves nothing is given up: it would cost barriers.
TEST(PlaceBuffersTest, NothingIsSharedForNothing) {
  std::vector<PlacedBuffer> buffers = {makeBuffer(64, 16, 0, 0),
                                       makeBuffer(64, 16, 1, 1),
                                       makeBuffer(128, 16, 2, 2)};
  EXPECT_EQ(placeByLifetime(buffers, 0), 128);
  EXPECT_FALSE(buffers[0].sharesBytesWith(buffers[1]));
}

TEST(PlaceBuffersTest, BuffersWithoutBytesOrLifeAreHarmless) {
  std::vector<PlacedBuffer> buffers = {makeBuffer(0, 16, 0, 5),
                                       makeBuffer(64, 16, 0, 5)};
  buffers.push_back(makeBuffer(64, 16, 0, 0));
  buffers.back().lives = Lifetime();
  EXPECT_EQ(placeByLifetime(buffers, 0), 64);
}

/// Checks the properties of every placement, whatever the buffers are.
void expectSound(const std::vector<PlacedBuffer> &buffers, int64_t base,
                 int64_t end, bool mayShare) {
  int64_t last = base;
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_GE(buffers[i].offset, base);
    EXPECT_EQ(buffers[i].offset % buffers[i].alignment, 0);
    last = std::max(last, buffers[i].getEnd());
    for (size_t j = 0; j < i; ++j)
      if (!mayShare || buffers[i].lives.overlaps(buffers[j].lives)) {
        EXPECT_FALSE(buffers[i].sharesBytesWith(buffers[j]))
            << "buffers " << j << " and " << i;
      }
  }
  EXPECT_EQ(end, last);
}

TEST(PlaceBuffersTest, RandomBuffersAreSound) {
  std::mt19937 generator(20240607);
  auto draw = [&](int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(generator);
  };
  unsigned saved = 0;
  for (unsigned round = 0; round < 2000 && !::testing::Test::HasFailure();
       ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::vector<PlacedBuffer> buffers;
    int64_t rounded = 0, largest = 1;
    for (int64_t count = draw(12); count >= 0; --count) {
      int64_t first = draw(10);
      buffers.push_back(makeBuffer(draw(4) == 0 ? draw(40) : 16 * draw(500),
                                   int64_t(16) << draw(6), first,
                                   first + draw(4)));
      if (draw(9) == 0)
        buffers.back().lives = Lifetime::whole();
      rounded += llvm::alignTo(buffers.back().bytes, buffers.back().alignment);
      largest = std::max(largest, buffers.back().alignment);
    }
    int64_t base = draw(1) * draw(3000);
    std::vector<PlacedBuffer> separate = buffers;
    int64_t separateEnd = placeSeparately(separate, base);
    expectSound(separate, base, separateEnd, /*mayShare=*/false);
    EXPECT_LE(separateEnd, int64_t(llvm::alignTo(base, largest)) + rounded);
    int64_t end = placeByLifetime(buffers, base);
    expectSound(buffers, base, end, /*mayShare=*/true);
    EXPECT_LE(end, separateEnd);
    saved += end < separateEnd;
  }
  // Most draws have something to share.
  EXPECT_GT(saved, 1000u);
}

TEST(AllocationBytesTest, LayoutsAndElements) {
  MLIRContext context;
  context.loadDialect<CarouselDialect, gpu::GPUDialect>();
  auto bytes = [&](StringRef type) {
    return getAllocationBytes(cast<MemRefType>(parseType(type, &context)));
  };
  EXPECT_EQ(bytes("memref<4x8xf16>"), 64);
  EXPECT_EQ(bytes("memref<f32>"), 4);
  EXPECT_EQ(bytes("memref<4xindex>"), 32);
  EXPECT_EQ(bytes("memref<3xi1>"), 3);
  EXPECT_EQ(bytes("memref<2x!carousel.mbarrier>"), 16);
  EXPECT_EQ(bytes("memref<4x0xf32>"), 0);
  EXPECT_EQ(bytes("memref<4x8xf32, strided<[9, 1]>>"), (3 * 9 + 8) * 4);
  EXPECT_EQ(bytes("memref<4xf32, strided<[1], offset: 4>>"), 32);
  EXPECT_EQ(bytes("memref<4294967296x4294967296xf32>"),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(bytes("memref<4x?xf32>"), std::nullopt);
  EXPECT_EQ(bytes("memref<4xf32, strided<[?]>>"), std::nullopt);
  EXPECT_EQ(bytes("memref<4xf32, strided<[-1], offset: 3>>"), std::nullopt);
  EXPECT_EQ(bytes("memref<4xmemref<4xf32>>"), std::nullopt);
}

class SharedMemoryPlanTest : public ::testing::Test {
protected:
  SharedMemoryPlanTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
  }

  /// Plans a kernel with buffers %a and %b of 512 bytes and what `body` does.
  SharedMemoryPlan plan(StringRef body, bool reuse = true,
                        StringRef tile = "memref<128xf32, #ws>") {
    std::string text = R"mlir(
      #ws = #gpu.address_space<workgroup>
      #gl = #gpu.address_space<global>
      !tile = )mlir" + tile.str() +
                       R"mlir(
      gpu.module @m {
        gpu.func @k(%x: memref<?xf32, #gl>, %i: index, %c: i1)
            workgroup(%full: memref<!carousel.mbarrier, #ws>) kernel {
          %a = memref.alloc() : !tile
          %b = memref.alloc() : !tile
          %zero = arith.constant 0.0 : f32
          %false = arith.constant false
    )mlir" + body.str() +
                       "\n gpu.return } }";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    gpu::GPUFuncOp kernel;
    SmallVector<memref::AllocOp> allocs;
    module->walk([&](gpu::GPUFuncOp func) { kernel = func; });
    module->walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
    TargetSpec target{TargetInfo::lookup("sm_90a"), kDefaultPTX};
    return planSharedMemory(kernel, allocs, target, /*staticBytes=*/8,
                            /*base=*/0, reuse);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

// Ops 0 to 3 are those in front of the body's.
TEST_F(SharedMemoryPlanTest, LivesAreFromUseToUse) {
  SharedMemoryPlan result = plan(R"mlir(
    memref.store %zero, %a[%i] : !tile
    scf.if %c {
      %v = memref.load %a[%i] : !tile
    }
    memref.store %zero, %b[%i] : !tile
    memref.dealloc %b : !tile
  )mlir");
  ASSERT_EQ(result.buffers.size(), 2u);
  EXPECT_EQ(result.buffers[0].lives.first, 4);
  EXPECT_EQ(result.buffers[0].lives.last, 5);
  EXPECT_EQ(result.buffers[1].lives.first, 6);
  EXPECT_EQ(result.buffers[1].lives.last, 6);
  EXPECT_EQ(result.buffers[1].uses.deallocs.size(), 1u);
  EXPECT_EQ(result.end, 512);
  EXPECT_EQ(result.separateEnd, 1024);
  EXPECT_EQ(result.getTotal(), 1024 + 512);
  ASSERT_EQ(result.barriers.size(), 1u);
  EXPECT_TRUE(isa<memref::StoreOp>(result.barriers[0].at));
  EXPECT_TRUE(result.barriers[0].insertsBarrier);
  EXPECT_FALSE(result.barriers[0].fencesAsyncProxy);
}

// A barrier costs more than a few bytes.
TEST_F(SharedMemoryPlanTest, BuffersOfFewBytesShareNone) {
  SharedMemoryPlan result = plan(R"mlir(
    memref.store %zero, %a[%i] : !tile
    memref.store %zero, %b[%i] : !tile
  )mlir",
                                 /*reuse=*/true, "memref<32xf32, #ws>");
  EXPECT_EQ(result.end, 256);
  EXPECT_TRUE(result.barriers.empty());
}

TEST_F(SharedMemoryPlanTest, WithoutReuseNothingIsShared) {
  SharedMemoryPlan result = plan(R"mlir(
    memref.store %zero, %a[%i] : !tile
    memref.store %zero, %b[%i] : !tile
  )mlir",
                                 /*reuse=*/false);
  EXPECT_EQ(result.end, 1024);
  EXPECT_TRUE(result.barriers.empty());
}

TEST_F(SharedMemoryPlanTest, LoadsLiveUntilTheLastUseOfTheirBarrier) {
  SharedMemoryPlan result = plan(R"mlir(
    carousel.bulk.load %x[%i] to %a[%i], 64 signals %full[]
        : memref<?xf32, #gl>, !tile, memref<!carousel.mbarrier, #ws>
    memref.store %zero, %b[%i] : !tile
    carousel.mbarrier.wait %full[] parity %false
        : memref<!carousel.mbarrier, #ws>
  )mlir");
  EXPECT_EQ(result.buffers[0].lives.first, 4);
  EXPECT_EQ(result.buffers[0].lives.last, 6);
  EXPECT_EQ(result.end, 1024);
}

// A selected buffer is one of two, which the view flow doesn't follow.
TEST_F(SharedMemoryPlanTest, WhatIsNotFollowedLivesAsLongAsTheKernel) {
  SharedMemoryPlan result = plan(R"mlir(
    %s = arith.select %c, %a, %a : !tile
    memref.store %zero, %b[%i] : !tile
    memref.store %zero, %s[%i] : !tile
  )mlir");
  EXPECT_TRUE(result.buffers[0].lives.isWhole());
  EXPECT_EQ(result.buffers[0].uses.keptFor,
            "'arith.select' uses it in a way that isn't followed");
  EXPECT_EQ(result.buffers[1].uses.keptFor, "");
}

TEST_F(SharedMemoryPlanTest, BodiesOfSeveralBlocksShareNothing) {
  SharedMemoryPlan result = plan(R"mlir(
    memref.store %zero, %a[%i] : !tile
    gpu.barrier
    "gpu.return"() : () -> ()
  ^other:
    memref.store %zero, %b[%i] : !tile
  )mlir");
  EXPECT_EQ(result.end, 1024);
  EXPECT_EQ(result.buffers[0].uses.keptFor,
            "the kernel's body has several blocks");
}

TEST_F(SharedMemoryPlanTest, PrintsATable) {
  SharedMemoryPlan result = plan("memref.store %zero, %a[%i] : !tile");
  std::string text;
  llvm::raw_string_ostream os(text);
  result.print(os, "k");
  EXPECT_NE(
      text.find("shared memory of @k on sm_90a: 1536 of 232448 bytes, 512 "
                "saved by reuse\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("       -     1024      -      all  static, padded\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("       0      512     16    never  "), std::string::npos)
      << text;
}

} // namespace
