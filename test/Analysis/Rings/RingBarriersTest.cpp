//===- RingBarriersTest.cpp - plans of barriers and slots of rings --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/RingBarriers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class RingBarriersTest : public ::testing::Test {
protected:
  RingBarriersTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
  }

  /// The plan of a kernel with this body in a block of `threads` threads.
  FailureOr<RingBarrierPlan> plan(StringRef body, int threads = 128) {
    std::string text = R"mlir(
      #gl = #gpu.address_space<global>
      #ws = #gpu.address_space<workgroup>
      !vector = memref<?xf32, #gl>
      !tile = memref<100xf32, #ws>
      !ring = !carousel.ring<3 x !tile>
      gpu.module @m {
        gpu.func @k(%x: !vector, %y: !vector, %i: index, %k: index,
                    %map: !carousel.tensor_map<100xf32>)
            kernel attributes {known_block_size = array<i32: )mlir" +
                       std::to_string(threads) + ", 1, 1>} {" + body.str() +
                       "\n gpu.return } }";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    gpu::GPUFuncOp kernel;
    module->walk([&](gpu::GPUFuncOp func) { kernel = func; });
    return planRingBarriers(kernel);
  }

  /// A produce of %ring with this load.
  static std::string produce(StringRef engine) {
    return R"mlir(
      carousel.ring.produce %ring[%k] : !ring {
        %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %tile in_bounds engine<)mlir" +
           engine.str() + "> : !vector, !tile\n }";
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr StringRef kConsume = R"mlir(
  carousel.ring.wait %ring[%k] : !ring
  carousel.ring.release %ring[%k] : !ring
)mlir";

TEST_F(RingBarriersTest, OneThreadArrivesForEngines) {
  auto result = plan("%ring = carousel.ring.create : !ring" + produce("bulk") +
                     kConsume.str());
  ASSERT_TRUE(succeeded(result));
  const PlannedRing &ring = result->rings.front();
  EXPECT_TRUE(ring.hasFull);
  EXPECT_EQ(ring.fullArrivals, 1);
  EXPECT_TRUE(ring.hasEmpty);
  EXPECT_EQ(ring.emptyArrivals, 4) << "one for each warp";
}

TEST_F(RingBarriersTest, ArrivalsOfAllProducesAddUp) {
  auto result =
      plan("%ring = carousel.ring.create : !ring" + produce("bulk") +
           produce("cp_async, width = 16") + produce("vector, width = 16"));
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->rings.front().fullArrivals, 1 + 128 + 4);
}

TEST_F(RingBarriersTest, ThreadsOfABrokenWarpArriveByThemselves) {
  auto result = plan("%ring = carousel.ring.create : !ring" +
                         produce("vector, width = 16") + kConsume.str(),
                     /*threads=*/40);
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->rings.front().fullArrivals, 40);
  EXPECT_EQ(result->rings.front().emptyArrivals, 40);
}

TEST_F(RingBarriersTest, NobodyToWaitForWithoutRelease) {
  auto result = plan("%ring = carousel.ring.create : !ring" + produce("bulk") +
                     "carousel.ring.wait %ring[%k] : !ring");
  ASSERT_TRUE(succeeded(result));
  EXPECT_FALSE(result->rings.front().hasEmpty);
}

TEST_F(RingBarriersTest, RolesCountTheirOwnThreads) {
  auto result = plan("%ring = carousel.ring.create : !ring\n"
                     "carousel.ring.roles producer threads(32) {" +
                     produce("cp_async, width = 16") +
                     "} consumer threads(96) {" + kConsume.str() + "}");
  ASSERT_TRUE(succeeded(result));
  const PlannedRing &ring = result->rings.front();
  EXPECT_EQ(ring.producers, (ThreadRange{96, 32}));
  EXPECT_EQ(ring.consumers, (ThreadRange{0, 96}));
  EXPECT_EQ(ring.fullArrivals, 32);
  EXPECT_EQ(ring.emptyArrivals, 3);
}

TEST_F(RingBarriersTest, WarpsHaveRingsOfTheirOwn) {
  auto result = plan(
      "%ring = carousel.ring.create scope(warp) release(warp_barrier) : !ring" +
      produce("bulk") + kConsume.str());
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->rings.front().instances, 4);
  EXPECT_FALSE(result->rings.front().hasEmpty);
}

TEST_F(RingBarriersTest, SlotsArePaddedForTensorCopies) {
  auto result = plan(R"mlir(
      %ring = carousel.ring.create : !ring
      carousel.ring.produce %ring[%k] : !ring {
        %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
        carousel.ring.load %x[%i] to %tile engine<tensor> map %map
            : !vector, !tile, !carousel.tensor_map<100xf32>
      })mlir");
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->rings.front().tiles.front().alignment, 128);
  EXPECT_EQ(result->rings.front().tiles.front().stride, 512)
      << "400 bytes of elements";
}

TEST_F(RingBarriersTest, ReleaseLeavesItsBarrierToTheNextOne) {
  auto result =
      plan("%ring = carousel.ring.create release(cta_barrier) : !ring" +
           produce("bulk") + kConsume.str() + "carousel.ring.sync");
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->mergedReleases.size(), 1u);
}

TEST_F(RingBarriersTest, ReleaseDoesNotRelyOnOneThatRelies) {
  // The first release's barrier is left to the sync; the second one must not
  // take the first one's for its own, since %other is produced in between.
  auto result = plan("%ring = carousel.ring.create release(cta_barrier) : "
                     "!ring\n"
                     "%other = carousel.ring.create release(cta_barrier) : "
                     "!ring" +
                     produce("bulk") + kConsume.str() + R"mlir(
      carousel.ring.release %other[%k] : !ring
      carousel.ring.produce %other[%k] : !ring {
      }
      carousel.ring.sync
    )mlir");
  ASSERT_TRUE(succeeded(result));
  module->walk([&](RingReleaseOp release) {
    auto ring = release.getRing().getDefiningOp();
    bool isOther = ring->getPrevNode() != nullptr;
    EXPECT_EQ(result->mergedReleases.contains(release), !isOther);
  });
}

TEST_F(RingBarriersTest, WhoWaitsAfterTheBarrierMustNotBeLate) {
  // The issuing thread could fill the slot twice before another one waits for
  // the first time.
  auto result =
      plan("%ring = carousel.ring.create release(cta_barrier) : !ring" +
           produce("bulk") + "carousel.ring.sync" + kConsume.str());
  ASSERT_TRUE(succeeded(result));
  EXPECT_TRUE(result->mergedReleases.empty());
}

TEST_F(RingBarriersTest, NamedBarriersForRolesAndWarpgroups) {
  auto result = plan(R"mlir(
      carousel.ring.roles producer threads(128) {
        carousel.ring.sync
      } consumer threads(256) {
        carousel.ring.sync
        carousel.ring.sync
        carousel.ring.sync scope(warpgroup)
        carousel.ring.sync scope(warp)
      }
      carousel.ring.sync)mlir",
                     /*threads=*/384);
  ASSERT_TRUE(succeeded(result));
  ASSERT_EQ(result->namedBarriers.size(), 3u);
  const NamedBarriers *groups =
      result->getNamedBarriers({0, 256}, TransferScope::Warpgroup);
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->first, 3);
  EXPECT_EQ(groups->count, 2);
  EXPECT_FALSE(result->getNamedBarriers({0, 384}, TransferScope::CTA));
}

TEST_F(RingBarriersTest, Prints) {
  auto result =
      plan("%ring = carousel.ring.create release(cta_barrier) : !ring" +
           produce("bulk") + kConsume.str());
  ASSERT_TRUE(succeeded(result));
  std::string text;
  llvm::raw_string_ostream os(text);
  result->print(os);
  EXPECT_EQ(text, "ring of 3 slots: full by 1 arrivals of threads 0 to 127, "
                  "tile every 400 bytes aligned to 16\n"
                  "0 releases merged with a barrier\n");
}

TEST_F(RingBarriersTest, RefusesConsumersOfTwoRoles) {
  ScopedDiagnosticHandler silent(&context, [](Diagnostic &) {});
  auto result =
      plan("%ring = carousel.ring.create : !ring\n"
           "carousel.ring.roles producer threads(32) {" +
           produce("bulk") +
           "carousel.ring.wait %ring[%k] : !ring\n} consumer threads(96) {" +
           kConsume.str() + "}");
  EXPECT_TRUE(failed(result));
}

} // namespace
