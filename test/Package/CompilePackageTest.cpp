//===- CompilePackageTest.cpp - packages through the library --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests packages as an embedder gets them; lit-tests/Tools tests the output of
// the tool.
//
//===----------------------------------------------------------------------===//

#include "PackageFixture.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <fstream>

using namespace mlir;
using namespace carousel;
using namespace carousel::test;

namespace {

constexpr StringLiteral kTwoModules = R"mlir(
  gpu.module @first {
    gpu.func @k_90(%n: i32) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "k", guards = [capability(90)]>,
                  carousel.launch = #carousel.launch<grid = [scalar(0)], block = [32]>} {
      gpu.return
    }
  }
  gpu.module @second {
    gpu.func @k_any(%n: i32) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "k">,
                  carousel.launch = #carousel.launch<grid = [scalar(0)], block = [64]>} {
      gpu.return
    }
  }
)mlir";

TEST_F(CompileTest, FilesAreThoseOfTheManifest) {
  options.chips = {"sm_80", "sm_90a"};
  FailureOr<Package> package = compile(kTwoModules);
  ASSERT_TRUE(succeeded(package)) << said;
  size_t images = 0;
  for (const ModuleDescription &module : package->manifest.modules)
    for (const ImageDescription &image : module.images) {
      ++images;
      StringRef contents = find(*package, image.file);
      EXPECT_EQ(image.bytes, contents.size());
      EXPECT_EQ(image.hash, hashContents(contents));
      EXPECT_TRUE(contents.contains(".target " + image.chip)) << image.file;
    }
  EXPECT_EQ(images, 3u);
  ASSERT_EQ(package->files.size(), 4u);
  EXPECT_EQ(package->files.back().name, "manifest.json");
  EXPECT_EQ(package->files.back().contents, printManifest(package->manifest));

  ASSERT_EQ(package->manifest.kernels.size(), 1u);
  const KernelDescription &kernel = package->manifest.kernels[0];
  ASSERT_EQ(kernel.variants.size(), 2u);
  EXPECT_EQ(kernel.variants[0].chips, std::vector<std::string>({"sm_90a"}));
  EXPECT_EQ(kernel.variants[1].chips,
            std::vector<std::string>({"sm_80", "sm_90a"}));
  EXPECT_EQ(said, "");
}

TEST_F(CompileTest, StepsAreCountedAndTheModuleIsLeftAlone) {
  options.chips = {"sm_80", "sm_90a"};
  std::vector<std::string> steps;
  options.progress = [&](const CompileStep &step) {
    steps.push_back(std::to_string(step.number) + "/" +
                    std::to_string(step.count) + " " + step.module.str() + " " +
                    step.chip.str());
  };
  module = parseSourceString<ModuleOp>(kTwoModules, &context);
  ASSERT_TRUE(module);
  auto print = [&] {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  };
  std::string before = print();
  ASSERT_TRUE(succeeded(compilePackage(*module, options))) << said;
  EXPECT_EQ(print(), before);
  EXPECT_EQ(steps,
            std::vector<std::string>(
                {"1/3 first sm_90a", "2/3 second sm_80", "3/3 second sm_90a"}));
}

TEST_F(CompileTest, NoAssemblerIsAnErrorWhereCubinsAreRequired) {
  options.assembler = Assembler::Program;
  options.cudaRoot = "/does/not/exist";
  options.cubins = CompilePackageOptions::Cubins::Required;
  EXPECT_TRUE(failed(compile(kTwoModules)));
  EXPECT_EQ(said, "no ptxas at '/does/not/exist/bin/ptxas'\n");
  said.clear();
  options.cubins = CompilePackageOptions::Cubins::Auto;
  EXPECT_TRUE(succeeded(compile(kTwoModules)));
  EXPECT_EQ(said, "no ptxas at '/does/not/exist/bin/ptxas'; the package holds "
                  "PTX only\n");
}

TEST_F(CompileTest, ChipsAreRequired) {
  options.chips.clear();
  EXPECT_TRUE(failed(compile(kTwoModules)));
  EXPECT_EQ(said, "expected at least one chip, got none\n");
}

// A module that was built in C++ may not have been verified.
TEST_F(CompileTest, ModuleIsVerifiedFirst) {
  module = parseSourceString<ModuleOp>(kTwoModules, &context);
  ASSERT_TRUE(module);
  module->walk([&](gpu::GPUFuncOp func) {
    func->setDiscardableAttr(CarouselDialect::kLaunch,
                             StringAttr::get(&context, "soon"));
  });
  EXPECT_TRUE(failed(compilePackage(*module, options)));
  EXPECT_NE(said.find("expected #carousel.launch<...> as carousel.launch"),
            std::string::npos)
      << said;
}

TEST(HashTest, IsSHA256) {
  EXPECT_EQ(hashContents(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hashContents("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

constexpr StringLiteral kCallsAnother = R"mlir(
  gpu.module @m {
    func.func private @activation(%x: f32) -> f32
    gpu.func @k(%x: f32) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
      %y = func.call @activation(%x) : (f32) -> f32
      gpu.return
    }
  }
)mlir";

TEST_F(CompileTest, FunctionsForTheLinker) {
  context.loadDialect<func::FuncDialect>();
  FailureOr<Package> package = compile(kCallsAnother);
  ASSERT_TRUE(succeeded(package)) << said;
  EXPECT_EQ(said, ""); // no cubin was asked for
  const ModuleDescription &described = package->manifest.modules[0];
  ASSERT_EQ(described.externs.size(), 1u);
  EXPECT_EQ(described.externs[0].name, "activation");
  EXPECT_EQ(described.externs[0].result, "f32");
  EXPECT_EQ(described.externs[0].parameters, std::vector<std::string>{"f32"});

  // A cubin that must be there can't be.
  TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "bin");
  std::ofstream(directory / "bin/ptxas") << "#!/bin/sh\nexit 1\n";
  std::filesystem::permissions(directory / "bin/ptxas",
                               std::filesystem::perms::owner_all);
  options.assembler = Assembler::Program;
  options.cudaRoot = directory / "";
  options.cubins = CompilePackageOptions::Cubins::Required;
  EXPECT_TRUE(failed(compile(kCallsAnother)));
  EXPECT_EQ(said, "expected a body of 'activation' for a cubin, got a "
                  "declaration\n");
}

} // namespace
