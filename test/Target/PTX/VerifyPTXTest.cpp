//===- VerifyPTXTest.cpp - whether PTX does what its kernels do -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/VerifyPTX.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

/// A store, a bulk store by an elected thread, a reduction that a condition may
/// remove, and a tile.
constexpr StringLiteral kKernel = R"mlir(
  !y = memref<?xf32, #gpu.address_space<global>>
  !t = memref<64xf32, #gpu.address_space<workgroup>>
  gpu.module @m {
    gpu.func @k(%y: !y, %v: f32, %c: i1) workgroup(%t: !t) kernel {
      %c0 = arith.constant 0 : index
      memref.store %v, %y[%c0] : !y
      memref.store %v, %t[%c0] : !t
      %elected = carousel.elect
      scf.if %elected {
        carousel.bulk.store %t[%c0] to %y[%c0], 256 : !t, !y
      }
      scf.if %c {
        %old = memref.atomic_rmw addf %v, %y[%c0] : (f32, !y) -> f32
      }
      gpu.return
    }
  })mlir";
constexpr StringLiteral kStore = "st.global.b32 [%rd1], %r1;";
constexpr StringLiteral kTile = "st.shared.b32 [%r2], %r1;";
constexpr StringLiteral kBulk =
    "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 256;";

class VerifyPTXTest : public ::testing::Test {
protected:
  VerifyPTXTest() {
    DialectRegistry registry;
    registry.insert<CarouselDialect>();
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// Verifies a text of the kernel with this code, and returns the diagnostics.
  std::string verify(const Twine &body, StringRef kernel = kKernel) {
    std::string said;
    bool isError = false;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      said += diagnostic.str();
      isError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    });
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(kernel, &context);
    EXPECT_TRUE(module) << said;
    LogicalResult result = reportMissingWrites(
        findMissingWrites(
            *module->getOps<gpu::GPUModuleOp>().begin(),
            (".visible .entry k(\n)\n{\n" + body + "\nret;\n}\n").str(),
            [](FunctionOpInterface) { return true; }),
        "somebody lost it");
    EXPECT_EQ(succeeded(result), !isError);
    return said;
  }

  MLIRContext context;
};

TEST_F(VerifyPTXTest, ConditionsMayBeFalse) {
  EXPECT_EQ(verify(kStore + kTile + kBulk), "");
}

TEST_F(VerifyPTXTest, LostKinds) {
  EXPECT_EQ(verify(kTile), "expected a store to global memory in the PTX of "
                           "kernel 'k', as the kernel has, got none");
  EXPECT_EQ(verify(kTile + kBulk),
            "expected a store to global memory in the PTX of kernel 'k', as "
            "the kernel has, got none");
  EXPECT_EQ(verify(kStore + kTile),
            "expected a bulk copy to global memory in the PTX of kernel 'k', "
            "as the kernel has, got none");
}

// Unless nothing reads it.
TEST_F(VerifyPTXTest, LostTiles) {
  EXPECT_EQ(verify(kStore + kBulk),
            "expected a write to the shared memory that it reads in the PTX "
            "of kernel 'k', as the kernel has, got none");
}

// No extent is more than the largest number.
TEST_F(VerifyPTXTest, WritesThatNeverHappen) {
  EXPECT_EQ(verify("", R"mlir(
              !y = memref<?xf32, #gpu.address_space<global>>
              gpu.module @m {
                gpu.func @k(%y: !y, %v: f32, %c: i1) kernel {
                  %c0 = arith.constant 0 : index
                  %last = arith.constant -1 : index
                  %n = memref.dim %y, %c0 : !y
                  %inside = arith.cmpi ugt, %n, %last : index
                  %both = arith.andi %inside, %c : i1
                  scf.if %both {
                    memref.store %v, %y[%last] : !y
                  }
                  gpu.return
                }
              })mlir"),
            "expected a store to global memory in kernel 'k' that can happen "
            "and change memory, got none");
}

} // namespace
