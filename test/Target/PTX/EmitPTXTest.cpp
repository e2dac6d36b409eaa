//===- EmitPTXTest.cpp - PTX through the library --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/EmitPTX.h"
#include "carousel/Target/TargetMachines.h"

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

/// Two kernels. Their common declarations are in the text once, as if they had
/// been translated together.
constexpr StringLiteral kTwoKernels = R"mlir(
  gpu.module @m {
    func.func private @other(%v: f32) -> f32
    func.func private @square(%v: f32) -> f32 {
      %s = arith.mulf %v, %v : f32
      return %s : f32
    }
    gpu.func @first(%x: memref<?xf32, #gpu.address_space<global>>, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.load %x[%i] : memref<?xf32, #gpu.address_space<global>>
        %s = func.call @square(%v) : (f32) -> f32
        %o = func.call @other(%s) : (f32) -> f32
        memref.store %o, %x[%i] : memref<?xf32, #gpu.address_space<global>>
      }
      gpu.return
    }
    gpu.func @second(%x: memref<?xf32, #gpu.address_space<global>>, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %tile = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<64xf32, #gpu.address_space<workgroup>>
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.load %x[%i] : memref<?xf32, #gpu.address_space<global>>
        %o = func.call @other(%v) : (f32) -> f32
        memref.store %o, %tile[%i] : memref<64xf32, #gpu.address_space<workgroup>>
      }
      gpu.return
    }
    gpu.func @third(%i: index, %v: f32) kernel {
      %c0 = arith.constant 0 : index
      %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %tile = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %v, %tile[%i] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.return
    }
  }
)mlir";

TEST_F(EmitPTXTest, KernelsArePutTogether) {
  FailureOr<std::string> ptx = emit(kTwoKernels, "sm_90a");
  ASSERT_TRUE(succeeded(ptx)) << errors;
  StringRef text = *ptx;
  for (StringRef once :
       {".version", ".target", ".address_size", ".extern .func",
        ".extern .shared", ".entry first(", ".entry second(", ".entry third("})
    EXPECT_EQ(text.count(once), 1u) << once.str() << '\n' << *ptx;
  EXPECT_LT(text.find(".entry first("), text.find(".entry second("));
  EXPECT_LT(text.find(".entry second("), text.find(".entry third("));
  EXPECT_LT(text.find(".extern .shared"), text.find(".entry second("));
  // Labels are those of the first and of the second function.
  EXPECT_LT(text.find("$L__BB0_"), text.find(".entry second("));
  EXPECT_GT(text.find("$L__BB1_"), text.find(".entry second("));
}

TEST_F(EmitPTXTest, TextIsTheSameOnOneThread) {
  FailureOr<std::string> threaded = emit(kTwoKernels, "sm_90a");
  context.disableMultithreading();
  FailureOr<std::string> alone = emit(kTwoKernels, "sm_90a");
  ASSERT_TRUE(succeeded(threaded) && succeeded(alone)) << errors;
  EXPECT_EQ(*threaded, *alone);
}

// A back end numbers the calls that it makes, and would go on counting.
TEST_F(EmitPTXTest, TextsDontDependOnWhatWasCompiledBefore) {
  TargetMachines machines;
  EmitPTXOptions options;
  options.machines = &machines;
  context.disableMultithreading();
  FailureOr<std::string> first = emit(kTwoKernels, "sm_90a", options);
  FailureOr<std::string> second = emit(kTwoKernels, "sm_90a", options);
  ASSERT_TRUE(succeeded(first) && succeeded(second)) << errors;
  EXPECT_TRUE(has(*first, "callseq 0,"));
  EXPECT_EQ(*first, *second);
}

// One kernel loads from global memory what the other stores.
TEST_F(EmitPTXTest, KernelsWithAVariableStayTogether) {
  FailureOr<std::string> ptx = emit(R"mlir(
    gpu.module @m {
      memref.global "private" @count : memref<1xi32, #gpu.address_space<global>> = dense<7>
      gpu.func @put(%v: i32) kernel {
        %c0 = arith.constant 0 : index
        %count = memref.get_global @count : memref<1xi32, #gpu.address_space<global>>
        memref.store %v, %count[%c0] : memref<1xi32, #gpu.address_space<global>>
        gpu.return
      }
      gpu.func @get(%x: memref<1xi32, #gpu.address_space<global>>) kernel {
        %c0 = arith.constant 0 : index
        %count = memref.get_global @count : memref<1xi32, #gpu.address_space<global>>
        %v = memref.load %count[%c0] : memref<1xi32, #gpu.address_space<global>>
        memref.store %v, %x[%c0] : memref<1xi32, #gpu.address_space<global>>
        gpu.return
      }
    }
  )mlir",
                                    "sm_90a");
  ASSERT_TRUE(succeeded(ptx)) << errors;
  StringRef put, get;
  std::tie(put, get) = StringRef(*ptx).split(".entry get(");
  EXPECT_TRUE(put.contains("st.global")) << *ptx;
  EXPECT_TRUE(get.contains("ld.global")) << *ptx;
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
