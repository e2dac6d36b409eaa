//===- EmitPTXTest.cpp - PTX through the library --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/EmitPTX.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Passes/Pipelines.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class EmitPTXTest : public ::testing::Test {
protected:
  EmitPTXTest() {
    DialectRegistry registry;
    registry.insert<CarouselDialect>();
    registerAllDialects(registry);
    registerAllExtensions(registry);
    registerPTXTranslations(registry);
    context.appendDialectRegistry(registry);
    handler = std::make_unique<ScopedDiagnosticHandler>(
        &context, [&](Diagnostic &diagnostic) {
          errors += diagnostic.str() + "\n";
          return success();
        });
  }

  /// Parses, lowers with the options that `configure` sets, and emits the first
  /// gpu.module.
  FailureOr<std::string> emit(StringRef text, StringRef chip,
                              const EmitPTXOptions &options = {},
                              unsigned indexBitwidth = 64) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return failure();
    PassManager pm(&context);
    LowerToNVVMOptions lowering;
    lowering.chip = chip.str();
    lowering.indexBitwidth = indexBitwidth;
    buildLowerToNVVMPipeline(pm, lowering);
    if (failed(pm.run(*module)))
      return failure();
    return emitPTX(*module->getOps<gpu::GPUModuleOp>().begin(), options);
  }

  static bool has(StringRef text, StringRef part) {
    return text.contains(part);
  }

  MLIRContext context;
  std::unique_ptr<ScopedDiagnosticHandler> handler;
  OwningOpRef<ModuleOp> module;
  std::string errors;
};

constexpr StringLiteral kKernel = R"mlir(
  gpu.module @m {
    gpu.func @k(%x: memref<?x?xf32, strided<[?, 1]>, #gpu.address_space<global>>, %i: index) kernel {
      %v = memref.load %x[%i, %i] : memref<?x?xf32, strided<[?, 1]>, #gpu.address_space<global>>
      memref.store %v, %x[%i, %i] : memref<?x?xf32, strided<[?, 1]>, #gpu.address_space<global>>
      gpu.return
    }
  }
)mlir";

TEST_F(EmitPTXTest, KernelABIIsFlat) {
  FailureOr<std::string> ptx = emit(kKernel, "sm_90a");
  ASSERT_TRUE(succeeded(ptx)) << errors;
  EXPECT_TRUE(has(*ptx, ".target sm_90a"));
  // A pointer, two extents, a stride, and the index.
  EXPECT_TRUE(has(*ptx, ".param .u64 .ptr .global .align 1 k_param_0"));
  EXPECT_TRUE(has(*ptx, ".param .u64 k_param_4"));
  EXPECT_FALSE(has(*ptx, "k_param_5"));
  EXPECT_NE(ptx->back(), '\0');
}

TEST_F(EmitPTXTest, IndexMayHave32Bits) {
  FailureOr<std::string> ptx = emit(kKernel, "sm_80", {}, /*indexBitwidth=*/32);
  ASSERT_TRUE(succeeded(ptx)) << errors;
  EXPECT_TRUE(has(*ptx, ".param .u32 k_param_1"));
  EXPECT_TRUE(has(*ptx, ".param .u32 k_param_4"));
}

TEST_F(EmitPTXTest, MathFunctionWithoutLibdeviceIsAnError) {
  FailureOr<std::string> ptx = emit(R"mlir(
    gpu.module @m {
      gpu.func @k(%x: memref<f32, #gpu.address_space<global>>) kernel {
        %v = memref.load %x[] : memref<f32, #gpu.address_space<global>>
        %e = math.erf %v : f32
        memref.store %e, %x[] : memref<f32, #gpu.address_space<global>>
        gpu.return
      }
    }
  )mlir",
                                    "sm_90a", {"/does/not/exist"});
  EXPECT_TRUE(failed(ptx));
  EXPECT_TRUE(
      has(errors, "expected libdevice for the math function '__nv_erff'"))
      << errors;
}

TEST_F(EmitPTXTest, TargetIsRequired) {
  module = parseSourceString<ModuleOp>("gpu.module @m {}", &context);
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(emitPTX(*module->getOps<gpu::GPUModuleOp>().begin())));
  EXPECT_TRUE(has(errors, "expected one #nvvm.target on the gpu.module, got 0"))
      << errors;
}

TEST_F(EmitPTXTest, UnknownOpIsAnErrorAtItsLocation) {
  context.allowUnregisteredDialects();
  FailureOr<std::string> ptx = emit(R"mlir(
    gpu.module @m {
      gpu.func @k() kernel {
        "other.op"() : () -> ()
        gpu.return
      }
    }
  )mlir",
                                    "sm_90a");
  EXPECT_TRUE(failed(ptx));
  EXPECT_TRUE(has(errors, "other.op")) << errors;
}

} // namespace
