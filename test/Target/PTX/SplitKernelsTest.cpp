//===- SplitKernelsTest.cpp - modules taken apart and put together --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/SplitKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class SplitKernelsTest : public ::testing::Test {
protected:
  SplitKernelsTest() {
    context.loadDialect<func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                        NVVM::NVVMDialect, memref::MemRefDialect>();
  }

  gpu::GPUModuleOp parse(StringRef body) {
    module = parseSourceString<ModuleOp>(("gpu.module @m {" + body + "}").str(),
                                         &context);
    EXPECT_TRUE(module);
    return *module->getOps<gpu::GPUModuleOp>().begin();
  }

  /// The symbols of each part, or what there is of them.
  std::vector<std::string> split(StringRef body) {
    parts = splitKernels(parse(body));
    std::vector<std::string> names;
    for (auto &part : parts)
      names.push_back(getSymbols(*part));
    return names;
  }

  static std::string getSymbols(gpu::GPUModuleOp part) {
    std::string names;
    for (auto symbol : part.getOps<SymbolOpInterface>())
      names += (names.empty() ? "" : " ") + symbol.getName().str();
    return names;
  }

  SmallVector<gpu::GPUModuleOp> getParts() {
    SmallVector<gpu::GPUModuleOp> modules;
    for (auto &part : parts)
      modules.push_back(*part);
    return modules;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  SmallVector<OwningOpRef<gpu::GPUModuleOp>> parts;
};

constexpr StringLiteral kShared = R"mlir(
  func.func private @unused() { return }
  func.func private @inner() { return }
  gpu.func @b() kernel { func.call @outer() : () -> () gpu.return }
  memref.global "private" @tile : memref<4xf32, #gpu.address_space<workgroup>>
  func.func private @outer() { func.call @inner() : () -> () return }
  gpu.func @a() kernel {
    func.call @inner() : () -> ()
    %t = memref.get_global @tile : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
)mlir";
using Names = std::vector<std::string>;

TEST_F(SplitKernelsTest, APartHasWhatItsKernelNeeds) {
  EXPECT_EQ(split(kShared), Names({"unused inner b outer", "inner tile a"}));
}

TEST_F(SplitKernelsTest, SixteenPartsAtMost) {
  std::string kernels;
  for (int i = 0; i < 33; ++i)
    kernels += "gpu.func @k" + std::to_string(i) + "() kernel { gpu.return }\n";
  Names names = split(kernels);
  ASSERT_EQ(names.size(), 11u);
  EXPECT_EQ(names.front(), "k0 k1 k2");
  EXPECT_EQ(names.back(), "k30 k31 k32");
}

TEST_F(SplitKernelsTest, WhatCannotBeThereTwiceKeepsAModuleWhole) {
  constexpr StringLiteral kernels =
      "gpu.func @a() kernel { gpu.return } gpu.func @b() kernel { gpu.return }";
  EXPECT_EQ(split(kernels).size(), 2u);
  for (StringRef with :
       {"func.func @for_others() { return }",
        "gpu.func @for_others() { gpu.return }",
        "memref.global @count : memref<1xi32> = uninitialized",
        "llvm.mlir.global external @count() {addr_space = 1 : i32} : i32",
        "llvm.func @for_others() { llvm.return }"})
    EXPECT_EQ(split((kernels + with).str()), Names()) << with.str();
  for (StringRef with :
       {"func.func private @declared()",
        "memref.global constant @table : memref<1xi32> = dense<1>",
        "llvm.mlir.global external @tile() {addr_space = 3 : i32} : i32",
        "llvm.func internal @own() { llvm.return }"})
    EXPECT_EQ(split((kernels + with).str()).size(), 2u) << with.str();
  EXPECT_EQ(split("gpu.func @a() kernel { gpu.return }"), Names());
}

TEST_F(SplitKernelsTest, JoinedSymbolsAreThereOnce) {
  split(kShared);
  auto whole = *module->getOps<gpu::GPUModuleOp>().begin();
  ASSERT_TRUE(succeeded(joinKernels(whole, getParts())));
  EXPECT_EQ(getSymbols(whole), "unused inner b outer tile a");
}

TEST_F(SplitKernelsTest, WhatDiffersIsNotJoined) {
  auto expectRefused = [&] {
    auto whole = *module->getOps<gpu::GPUModuleOp>().begin();
    std::string before = getSymbols(whole);
    EXPECT_TRUE(failed(joinKernels(whole, getParts())));
    EXPECT_EQ(getSymbols(whole), before);
  };
  split(kShared);
  parts[1]->lookupSymbol("inner")->setAttr("changed", UnitAttr::get(&context));
  expectRefused();
  split(kShared);
  (*parts[1])->setAttr("changed", UnitAttr::get(&context));
  expectRefused();
}

} // namespace
