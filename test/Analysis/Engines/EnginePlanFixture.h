//===- EnginePlanFixture.h - plans of small kernels -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a kernel, plans its engines and shows the plan's parts as text.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_ANALYSIS_ENGINES_ENGINEPLANFIXTURE_H
#define CAROUSEL_TEST_ANALYSIS_ENGINES_ENGINEPLANFIXTURE_H

#include "carousel/Analysis/Engines/EnginePlan.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace carousel {

using namespace mlir;

inline std::string print(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return text;
}

inline std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

class EnginePlanTest : public ::testing::Test {
protected:
  EnginePlanTest() {
    context.loadDialect<CarouselDialect, arith::ArithDialect, gpu::GPUDialect,
                        LLVM::LLVMDialect, memref::MemRefDialect,
                        scf::SCFDialect>();
  }

  /// Plans the kernel that has these arguments and this body.
  EnginePlan plan(StringRef arguments, StringRef body,
                  StringRef chip = "sm_90a", bool variants = true) {
    std::string text = "gpu.module @m { gpu.func @k(" + arguments.str() +
                       R"mlir() kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c64 = arith.constant 64 : index
      %block = gpu.block_id x
      %i = arith.muli %block, %c64 : index
    )mlir" + body.str() +
                       "\n gpu.return } }";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    if (!module)
      return {};
    gpu::GPUFuncOp kernel;
    module->walk([&](gpu::GPUFuncOp op) { kernel = op; });
    std::string error;
    FailureOr<TargetSpec> target = makeTargetSpec(chip, std::nullopt, error);
    EXPECT_TRUE(succeeded(target)) << error;
    return planEngines(kernel, *target, ChipModel::of(*target->info),
                       {variants, std::nullopt});
  }

  /// The engine of the variant's first transfer.
  static std::string getEngine(const EnginePlan &plan, size_t variant = 0) {
    if (plan.variants.size() <= variant)
      return "no such variant";
    return print(plan.variants[variant].transfers[0].choice.engine);
  }
  static std::string getMap(const EnginePlan &plan) {
    TensorMapType map = plan.variants[0].transfers[0].choice.map;
    return map ? print(map) : "none";
  }
  static std::string getEncode(const EnginePlan &plan) {
    EncodeAttr encode = plan.variants[0].transfers[0].choice.encode;
    return encode ? print(encode) : "none";
  }
  static std::string getGuards(const EnginePlan &plan, size_t variant = 0) {
    std::string text;
    for (GuardAttr guard : plan.variants[variant].guards)
      text += (text.empty() ? "" : "; ") + toText(guard);
    return text;
  }
  /// Why the first variant's first transfer isn't carried out by `kind`.
  static std::string getReason(const EnginePlan &plan, EngineKind kind,
                               size_t variant = 0) {
    for (const EngineRejection &rejection :
         plan.variants[variant].transfers[0].rejections)
      if (rejection.kind == kind)
        return rejection.reason;
    return "none";
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

// A rectangle of a matrix whose strides only a launch knows.
inline constexpr const char *kMatrix =
    "%x: memref<?x?xf32, strided<[?, 1]>, 1>";
inline constexpr const char *kLoadTile = R"mlir(
  %t = memref.alloc() : memref<64x64xf32, 3>
  carousel.load %x[%i, %i] to %t
      : memref<?x?xf32, strided<[?, 1]>, 1>, memref<64x64xf32, 3>
)mlir";
inline constexpr const char *kStoreTile = R"mlir(
  %t = memref.alloc() : memref<64x64xf32, 3>
  carousel.store %t to %x[%i, %i]
      : memref<64x64xf32, 3>, memref<?x?xf32, strided<[?, 1]>, 1>
)mlir";

} // namespace carousel

#endif // CAROUSEL_TEST_ANALYSIS_ENGINES_ENGINEPLANFIXTURE_H
