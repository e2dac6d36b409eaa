//===- SyncPlanTest.h - plans of kernels with a given body -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fixture of tests that plan the synchronisation of a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_ANALYSIS_SYNC_SYNCPLANTEST_H
#define CAROUSEL_TEST_ANALYSIS_SYNC_SYNCPLANTEST_H

#include "carousel/Analysis/Sync/SyncPlan.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

class SyncPlanTest : public ::testing::Test {
protected:
  SyncPlanTest() {
    using namespace mlir;
    context.loadDialect<carousel::CarouselDialect, affine::AffineDialect,
                        arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
  }

  /// Plans a kernel with this body.
  carousel::SyncPlan plan(llvm::StringRef body) {
    std::string text = R"mlir(
      #ws = #gpu.address_space<workgroup>
      #gl = #gpu.address_space<global>
      !g = memref<?xf32, #gl>
      !t = memref<1024xf32, #ws>
      !r = !carousel.ring<1>
      !slots = !carousel.ring<3 x !t>
      !semaphores = memref<?xi32, #gl>
      gpu.module @m {
        func.func private @unknown()
        func.func private @given(memref<?xf32, #gl>)
        gpu.func @k(%x: !g, %y: !g, %n: index, %i: index, %v: f32,
                   %semaphores: !semaphores)
            workgroup(%a: !t, %b: !t) kernel {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c1024 = arith.constant 1024 : index
          %t = gpu.thread_id x
          %ring = carousel.ring.create : !r
          %stores = carousel.ring.create : !slots
    )mlir" + body.str() +
                       "\n gpu.return } }";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    if (!module)
      return {};
    mlir::gpu::GPUFuncOp kernel;
    module->walk([&](mlir::gpu::GPUFuncOp func) { kernel = func; });
    return carousel::planSync(kernel);
  }

  /// The steps' ops, in order.
  static std::vector<std::string> getSteps(const carousel::SyncPlan &plan) {
    std::vector<std::string> steps;
    for (const carousel::SyncStep &step : plan.steps)
      steps.push_back(carousel::describe(step));
    return steps;
  }

  using Steps = std::vector<std::string>;

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

constexpr llvm::StringLiteral kStoreA = R"mlir(
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
  })mlir";
constexpr llvm::StringLiteral kStoreB = R"mlir(
  carousel.ring.submit {
    carousel.ring.store %b to %x[%i] in_bounds engine<bulk> : !t, !g
  })mlir";

#endif // CAROUSEL_TEST_ANALYSIS_SYNC_SYNCPLANTEST_H
