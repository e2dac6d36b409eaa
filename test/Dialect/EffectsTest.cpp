//===- EffectsTest.cpp - resources keep dependent ops in order ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clients that reorder by resource rely on these pairs of ops: each pair shares
// a resource that one of the two writes.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

constexpr StringLiteral kOps = R"mlir(
  #gl = #gpu.address_space<global>
  #ws = #gpu.address_space<workgroup>
  !map = !carousel.tensor_map<16x16xf32>
  func.func @ops(%x: memref<?xf32, #gl>, %tile: memref<16x16xf32, #ws>, %map: !map,
                 %bars: memref<1x!carousel.mbarrier, #ws>,
                 %maps: memref<1x!map, #gl>) {
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %parity = arith.constant false
    carousel.bulk.store %tile[%c0, %c0] to %x[%c0], 64 : memref<16x16xf32, #ws>, memref<?xf32, #gl>
    carousel.tensor.store %tile[%c0, %c0] to %map[%i0, %i0] : memref<16x16xf32, #ws>, !map
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 0
    carousel.cp_async.copy ca %x[%c0] to %tile[%c0, %c0], 4 : memref<?xf32, #gl>, memref<16x16xf32, #ws>
    carousel.cp_async.commit_group
    carousel.cp_async.wait_group 0
    carousel.barrier.warp
    carousel.tensor_map.replace rank of %maps[%c0] with %i0 : memref<1x!map, #gl>, i32
    carousel.cp_async.mbarrier_arrive %bars[%c0] : memref<1x!carousel.mbarrier, #ws>
    carousel.tensor.load %map[%i0, %i0] to %tile[%c0, %c0] signals %bars[%c0]
      : !map, memref<16x16xf32, #ws>, memref<1x!carousel.mbarrier, #ws>
    carousel.grid.dependency_wait
    carousel.fence.tensor_map_acquire %map gpu : !map
    carousel.mbarrier.arrive %bars[%c0] : memref<1x!carousel.mbarrier, #ws>
    carousel.mbarrier.wait %bars[%c0] parity %parity : memref<1x!carousel.mbarrier, #ws>
    carousel.fence.mbarrier_init
    carousel.mbarrier.init %bars[%c0], 1 : memref<1x!carousel.mbarrier, #ws>
    return
  }
)mlir";

class EffectsTest : public ::testing::Test {
protected:
  EffectsTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, func::FuncDialect,
                        gpu::GPUDialect, NVVM::NVVMDialect,
                        memref::MemRefDialect>();
    module = parseSourceString<ModuleOp>(kOps, &context);
  }

  Operation *find(StringRef name) {
    Operation *found = nullptr;
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == ("carousel." + name).str())
        found = op;
    });
    EXPECT_TRUE(found) << name.str();
    return found;
  }

  /// Whether one writes a resource that the other reads or writes.
  bool conflict(StringRef first, StringRef second) {
    SmallVector<MemoryEffects::EffectInstance> a, b;
    cast<MemoryEffectOpInterface>(find(first)).getEffects(a);
    cast<MemoryEffectOpInterface>(find(second)).getEffects(b);
    for (const auto &x : a)
      for (const auto &y : b)
        if (x.getResource() == y.getResource() &&
            (isa<MemoryEffects::Write>(x.getEffect()) ||
             isa<MemoryEffects::Write>(y.getEffect())))
          return true;
    return false;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(EffectsTest, CopiesStayBeforeTheCommitOfTheirGroup) {
  ASSERT_TRUE(module);
  EXPECT_TRUE(conflict("bulk.store", "bulk.commit_group"));
  EXPECT_TRUE(conflict("tensor.store", "bulk.commit_group"));
  EXPECT_TRUE(conflict("bulk.commit_group", "bulk.wait_group"));
  EXPECT_TRUE(conflict("cp_async.copy", "cp_async.commit_group"));
  EXPECT_TRUE(conflict("cp_async.copy", "cp_async.mbarrier_arrive"));
}

TEST_F(EffectsTest, LoadsStayBehindWhatTheyDependOn) {
  ASSERT_TRUE(module);
  EXPECT_TRUE(conflict("grid.dependency_wait", "tensor.load"));
  EXPECT_TRUE(conflict("fence.tensor_map_acquire", "tensor.load"));
  EXPECT_TRUE(conflict("mbarrier.wait", "tensor.load"));
}

TEST_F(EffectsTest, ArrivesAndInitsAreOrderedWithWaits) {
  ASSERT_TRUE(module);
  EXPECT_TRUE(conflict("mbarrier.arrive", "mbarrier.wait"));
  EXPECT_TRUE(conflict("mbarrier.arrive", "cp_async.copy"));
  EXPECT_TRUE(conflict("mbarrier.init", "fence.mbarrier_init"));
}

TEST_F(EffectsTest, WaitsForCopiesOrderTheirSourcesToo) {
  ASSERT_TRUE(module);
  EXPECT_TRUE(conflict("cp_async.wait_group", "bulk.store"));
}

TEST_F(EffectsTest, BarriersOrderDescriptors) {
  ASSERT_TRUE(module);
  EXPECT_TRUE(conflict("barrier.warp", "tensor_map.replace"));
  EXPECT_TRUE(conflict("mbarrier.wait", "tensor_map.replace"));
}

TEST_F(EffectsTest, UnrelatedMechanismsAreFree) {
  ASSERT_TRUE(module);
  EXPECT_FALSE(conflict("bulk.commit_group", "cp_async.commit_group"));
  EXPECT_FALSE(conflict("fence.mbarrier_init", "bulk.commit_group"));
}

} // namespace
