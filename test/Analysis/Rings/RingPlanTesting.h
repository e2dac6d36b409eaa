//===- RingPlanTesting.h - kernels with rings for tests ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel with a pipelined loop, and the plan for it as text.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_ANALYSIS_RINGS_RINGPLANTESTING_H
#define CAROUSEL_TEST_ANALYSIS_RINGS_RINGPLANTESTING_H

#include "carousel/Analysis/Rings/RingPlan.h"

#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace carousel {

class RingPlanTest : public ::testing::Test {
protected:
  RingPlanTest() {
    context.loadDialect<CarouselDialect, mlir::arith::ArithDialect,
                        mlir::func::FuncDialect, mlir::gpu::GPUDialect,
                        mlir::memref::MemRefDialect, mlir::scf::SCFDialect>();
  }

  /// The plan for a kernel with `body`, printed.
  std::string plan(const std::string &body, const std::string &chip = "sm_90a",
                   const std::string &block = "128, 1, 1",
                   const std::string &functions = "") {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        R"(
      #gl = #gpu.address_space<global>
      #ws = #gpu.address_space<workgroup>
      !global = memref<?xf32, #gl>
      !tile = memref<1024xf32, #ws>
      !big = memref<12288xf32, #ws>
      gpu.module @m {
        )" + functions +
            R"(
        gpu.func @k(%x: !global, %y: !global, %n: index,
                    %p: memref<?xi64, #gl>) kernel
            attributes {known_block_size = array<i32: )" +
            block + R"(>} {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c128 = arith.constant 128 : index
          %c1024 = arith.constant 1024 : index
          %c4096 = arith.constant 4096 : index
          %f0 = arith.constant 0.0 : f32
          %thread = gpu.thread_id x
          %in = memref.alloc() : !tile
          %out = memref.alloc() : !tile
)" + body + R"(
          gpu.return
        }
      })",
        &context);
    EXPECT_TRUE(module);
    std::string text;
    llvm::raw_string_ostream os(text);
    module->walk([&](mlir::gpu::GPUFuncOp kernel) {
      planRings(kernel, ChipModel::of(*TargetInfo::lookup(chip))).print(os);
    });
    return text;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

inline std::string loop(const std::string &body, const std::string &options,
                        const std::string &bounds = "%c0 to %n step %c1024") {
  return "scf.for %i = " + bounds + " {\n" + body +
         "\n} {carousel.pipeline = #carousel.pipeline<" + options + ">}";
}

inline const std::string kLoad =
    "carousel.load %x[%i] to %in engine<bulk> : !global, !tile\n";
inline const std::string kRead = "%v = memref.load %in[%thread] : !tile\n"
                                 "memref.store %v, %y[%i] : !global\n";
inline const std::string kStoreInPlace =
    "carousel.store %in to %y[%i] engine<bulk> : !tile, !global\n";
inline const std::string kCopy = R"(scf.for %j = %thread to %c1024 step %c128 {
    %v = memref.load %in[%j] : !tile
    memref.store %v, %out[%j] : !tile
  }
)";
inline const std::string kStore =
    "carousel.store %out to %y[%i] engine<bulk> : !tile, !global\n";

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// The stages of the first ring of a printed plan.
inline int getStages(const std::string &text) {
  size_t place = text.find("stages ");
  return place == std::string::npos ? 0 : std::stoi(text.substr(place + 7));
}

} // namespace carousel

#endif // CAROUSEL_TEST_ANALYSIS_RINGS_RINGPLANTESTING_H
