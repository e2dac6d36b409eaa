//===- KernelPartsTest.cpp - kernels compiled in parallel or left out -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../compiler/Package/KernelParts.h"
#include "PackageFixture.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <thread>

using namespace mlir;
using namespace carousel;
using namespace carousel::test;

namespace {

class KernelPartsTest : public CompileTest {
protected:
  KernelPartsTest() {
    context.loadDialect<func::FuncDialect, scf::SCFDialect>();
  }

  /// Two kernels that call one function, which has `body`.
  static std::string makeKernels(StringRef body) {
    std::string text = "gpu.module @m { func.func private @helper() { " +
                       body.str() + " return }";
    for (const char *name : {"a", "b"})
      text += std::string("gpu.func @") + name + R"mlir((%x: f32) kernel
        attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
          func.call @helper() : () -> ()
          gpu.return
        })mlir";
    return text + "}";
  }
};

// Both kernels have it in their parts.
TEST_F(KernelPartsTest, WhatIsWrongIsSaidOnce) {
  options.chips = {"sm_80"};
  EXPECT_TRUE(failed(compile(makeKernels("carousel.bulk.commit_group"))));
  StringRef first = StringRef(said).split('\n').first;
  EXPECT_TRUE(first.contains("sm_90")) << said;
  EXPECT_EQ(StringRef(said).count(first), 1u) << said;
}

// No kernel calls it.
TEST_F(KernelPartsTest, WhatIsWrongElsewhereIsSaid) {
  options.chips = {"sm_80"};
  std::string text = makeKernels("");
  text.insert(text.find("func.func"), "func.func private @unused() { "
                                      "carousel.bulk.commit_group return } ");
  EXPECT_TRUE(failed(compile(text)));
  EXPECT_TRUE(StringRef(said).contains("sm_90")) << said;
}

/// Warns of each function, and fails for some.
struct Warn : public PassWrapper<Warn, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Warn)

  explicit Warn(StringRef wrong) : wrong(wrong) {}

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      function.emitWarning(function.getName());
      if (function.getName() == wrong)
        signalPassFailure();
    }
  }

  std::string wrong;
};

// Parts aren't compiled again for a warning, and give their copies of a
// function a word together.
TEST_F(KernelPartsTest, WarningsAreSaidOnceAndInOrder) {
  module = parseSourceString<ModuleOp>(makeKernels("gpu.barrier"), &context);
  ASSERT_TRUE(module);
  unsigned times = 0;
  auto build = [&](OpPassManager &manager, StringRef wrong) {
    ++times;
    manager.nest<gpu::GPUModuleOp>().addPass(std::make_unique<Warn>(wrong));
  };
  PassManagers managers(&context);
  EXPECT_TRUE(succeeded(
      lowerKernels(*module, managers,
                   {"right", [&](OpPassManager &pm) { build(pm, ""); }})));
  EXPECT_EQ(times, 1u);
  EXPECT_EQ(said, "helper\na\nb\n");
  said.clear();
  EXPECT_TRUE(failed(
      lowerKernels(*module, managers,
                   {"wrong", [&](OpPassManager &pm) { build(pm, "b"); }})));
  EXPECT_EQ(times, 3u); // as a whole, too
  EXPECT_EQ(said, "helper\na\nb\n");
}

/// Refuses modules with one kernel, as only parts are here.
struct RefuseParts
    : public PassWrapper<RefuseParts, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RefuseParts)

  void runOnOperation() override {
    if (llvm::range_size(getOperation().getOps<gpu::GPUFuncOp>()) != 1)
      return;
    InFlightDiagnostic error = emitError(getOperation().getLoc(), "a part");
    error.attachNote() << "of two";
    signalPassFailure();
  }
};

// A compilation that succeeds has no errors.
TEST_F(KernelPartsTest, ErrorsOfPartsAreRemarksIfTheWholeSucceeds) {
  module = parseSourceString<ModuleOp>(makeKernels("gpu.barrier"), &context);
  ASSERT_TRUE(module);
  std::vector<std::pair<DiagnosticSeverity, std::string>> heard;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    heard.emplace_back(diagnostic.getSeverity(), diagnostic.str());
    for (Diagnostic &note : diagnostic.getNotes())
      heard.emplace_back(note.getSeverity(), note.str());
  });
  PassManagers managers(&context);
  auto build = [](OpPassManager &manager) {
    manager.nest<gpu::GPUModuleOp>().addPass(std::make_unique<RefuseParts>());
  };
  EXPECT_TRUE(succeeded(lowerKernels(*module, managers, {"test", build})));
  decltype(heard) expected = {{DiagnosticSeverity::Remark, "a part"},
                              {DiagnosticSeverity::Note, "of two"}};
  EXPECT_EQ(heard, expected);
}

// Diagnostics of another thread aren't the parts', though it reports them while
// the parts are lowered.
TEST_F(KernelPartsTest, OtherThreadsAreHeard) {
  module = parseSourceString<ModuleOp>(makeKernels("gpu.barrier"), &context);
  ASSERT_TRUE(module);
  Location loc = UnknownLoc::get(&context);
  unsigned times = 0;
  auto build = [&](OpPassManager &) {
    emitWarning(loc) << "of the kernels";
    if (times++ == 0)
      std::thread([&] { emitWarning(loc) << "of another thread"; }).join();
  };
  PassManagers managers(&context);
  EXPECT_TRUE(succeeded(lowerKernels(*module, managers, {"test", build})));
  EXPECT_EQ(times, 1u); // the parts are enough
  EXPECT_EQ(said, "of the kernels\nof another thread\n");
}

// On another thread or not.
TEST_F(KernelPartsTest, OneCompilationAtATime) {
  options.chips = {"sm_80"};
  CompilePackageOptions same = options;
  int refused = 0;
  options.progress = [&](const CompileStep &) {
    refused += failed(compilePackage(*module, same));
    std::thread([&] {
      refused += failed(compilePackage(*module, same));
    }).join();
  };
  std::string text = makeKernels("gpu.barrier");
  EXPECT_TRUE(succeeded(compile(text))) << said;
  EXPECT_EQ(refused, 2);
  std::string expected = "expected one compilation at a time in an MLIR "
                         "context, got another one that runs\n";
  EXPECT_EQ(said, expected + expected);

  options.progress = {};
  EXPECT_TRUE(succeeded(compile(text))) << said;
}

// Each has a context of its own.
TEST_F(KernelPartsTest, CompilationsInSeveralContexts) {
  struct Other : CompileTest {
    Other() { context.loadDialect<func::FuncDialect>(); }
    void TestBody() override {}
    using CompileTest::compile;
    using CompileTest::options;
    using CompileTest::said;
  };
  std::vector<std::thread> threads;
  for (bool isRight : {true, false, true, false})
    threads.emplace_back([isRight] {
      for (int i = 0; i < 5; ++i) {
        Other other;
        other.options.chips = {"sm_80"};
        EXPECT_EQ(succeeded(other.compile(makeKernels(
                      isRight ? "gpu.barrier" : "carousel.bulk.commit_group"))),
                  isRight);
        EXPECT_EQ(StringRef(other.said).count("sm_90"), isRight ? 0u : 1u)
            << other.said;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(KernelPartsTest, TextIsThatOfOneThread) {
  std::string text = makeKernels("gpu.barrier");
  FailureOr<Package> several = compile(text);
  ASSERT_TRUE(succeeded(several)) << said;
  context.disableMultithreading();
  FailureOr<Package> one = compile(text);
  ASSERT_TRUE(succeeded(one)) << said;
  ASSERT_EQ(several->files.size(), one->files.size());
  for (auto [lhs, rhs] : llvm::zip(several->files, one->files))
    EXPECT_EQ(lhs.contents, rhs.contents) << lhs.name;
  StringRef ptx = several->files.front().contents;
  EXPECT_EQ(ptx.count(".entry"), 2u);
  EXPECT_EQ(ptx.count(".version"), 1u);
}

constexpr StringLiteral kCopy = R"mlir(
  #gl = #gpu.address_space<global>
  #ws = #gpu.address_space<workgroup>
  gpu.module @m {
    gpu.func @copy(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
        attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
      %c0 = arith.constant 0 : index
      %t = memref.alloc() : memref<1024xf32, #ws>
      carousel.load %x[%c0] to %t : memref<?xf32, #gl>, memref<1024xf32, #ws>
      carousel.store %t to %y[%c0] : memref<1024xf32, #ws>, memref<?xf32, #gl>
      gpu.return
    }
  }
)mlir";

TEST_F(KernelPartsTest, FirstVariantThatIsWantedIsTheOnlyOne) {
  options.chips = {"sm_80", "sm_90a"};
  FailureOr<Package> all = compile(kCopy);
  ASSERT_TRUE(succeeded(all)) << said;
  ASSERT_EQ(all->manifest.kernels.size(), 1u);
  EXPECT_EQ(all->manifest.kernels[0].variants.size(), 4u);

  // The best one: guards of its own on both chips.
  options.wanted = [](StringRef kernel, ArrayRef<GuardAttr>) {
    return kernel == "copy";
  };
  FailureOr<Package> best = compile(kCopy);
  ASSERT_TRUE(succeeded(best)) << said;
  ASSERT_EQ(best->manifest.kernels[0].variants.size(), 2u);
  EXPECT_EQ(best->manifest.kernels[0].variants[0].functionName, "copy_tma");
  EXPECT_EQ(best->manifest.kernels[0].variants[1].functionName, "copy_wide");

  // The one for any address.
  auto needsAlignment = [](ArrayRef<GuardAttr> guards) {
    return llvm::any_of(guards, [](GuardAttr guard) {
      return guard.getKind() == GuardKind::Aligned;
    });
  };
  options.wanted = [&](StringRef, ArrayRef<GuardAttr> guards) {
    return !needsAlignment(guards);
  };
  FailureOr<Package> any = compile(kCopy);
  ASSERT_TRUE(succeeded(any)) << said;
  ASSERT_EQ(any->manifest.kernels[0].variants.size(), 2u);
  EXPECT_EQ(any->manifest.kernels[0].variants[0].functionName, "copy");
  EXPECT_EQ(said, "");
}

TEST_F(KernelPartsTest, AKernelWithoutAWantedVariantIsAnError) {
  options.wanted = [](StringRef, ArrayRef<GuardAttr>) { return false; };
  EXPECT_TRUE(failed(compile(kCopy)));
  EXPECT_EQ(said, "expected a variant of kernel 'copy' for sm_90a that is "
                  "wanted, got 2 that aren't\n");
}

// Whatever was compiled before: chips and options that alternate, and kernels
// that are refused.
TEST_F(KernelPartsTest, ACompilerGivesWhatANewOneGives) {
  PackageCompiler compiler(&context);
  auto expectSame = [&](StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    FailureOr<Package> expected = compilePackage(*module, options);
    std::string reason = std::exchange(said, "");
    FailureOr<Package> package = compiler.compile(*module, options);
    ASSERT_EQ(succeeded(package), succeeded(expected));
    EXPECT_EQ(std::exchange(said, ""), reason);
    if (failed(package))
      return;
    ASSERT_EQ(package->files.size(), expected->files.size());
    for (const PackageFile &file : expected->files)
      EXPECT_EQ(find(*package, file.name), file.contents) << file.name;
  };
  for (unsigned round = 0; round < 2; ++round) {
    options.chips = {"sm_80", "sm_90a"};
    options.indexBitwidth = 64;
    expectSame(kCopy);
    options.chips = {"sm_90a"};
    expectSame(kCopy);
    options.debugWaits = 100;
    expectSame(kCopy);
    options.debugWaits.reset();
    options.indexBitwidth = 32;
    options.ptxVersion = round == 0 ? 86 : 88;
    expectSame(kCopy);
    options.ptxVersion.reset();
    options.optLevel = round == 0 ? 1 : 3;
    expectSame(kCopy);
    options.chips = {"sm_80"};
    expectSame(makeKernels("carousel.bulk.commit_group")); // refused
  }
}

// A context loads the dialects of a module when it is parsed.
TEST_F(KernelPartsTest, ALaterModuleMayLoadADialect) {
  DialectRegistry registry;
  registry.insert<affine::AffineDialect, vector::VectorDialect>();
  context.appendDialectRegistry(registry);
  PackageCompiler compiler(&context);
  auto makeKernel = [](StringRef body) {
    return R"mlir(
      gpu.module @m {
        gpu.func @k(%y: memref<?xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"y", inout>})
            kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
          %c = arith.constant 0 : index
          )mlir" +
           body.str() + "\n gpu.return } }";
  };
  const std::string bodies[] = {
      "gpu.barrier",
      R"mlir(affine.for %i = 0 to 64 {
            %v = affine.load %y[%i * 4 + 3] : memref<?xf32, #gpu.address_space<global>>
            affine.store %v, %y[%i] : memref<?xf32, #gpu.address_space<global>>
          })mlir",
      R"mlir(%v = vector.load %y[%c] : memref<?xf32, #gpu.address_space<global>>, vector<4xf32>
          %w = arith.addf %v, %v : vector<4xf32>
          vector.store %w, %y[%c] : memref<?xf32, #gpu.address_space<global>>, vector<4xf32>)mlir"};
  for (unsigned round = 0; round < 2; ++round)
    for (const std::string &body : bodies) {
      module = parseSourceString<ModuleOp>(makeKernel(body), &context);
      ASSERT_TRUE(module) << said;
      FailureOr<Package> package = compiler.compile(*module, options);
      ASSERT_TRUE(succeeded(package)) << said;
      FailureOr<Package> expected = compilePackage(*module, options);
      ASSERT_TRUE(succeeded(expected)) << said;
      for (const PackageFile &file : expected->files)
        EXPECT_EQ(find(*package, file.name), file.contents) << file.name;
    }
}

TEST_F(KernelPartsTest, ACompilerIsForOneContext) {
  MLIRContext other;
  PackageCompiler compiler(&other);
  module = parseSourceString<ModuleOp>(makeKernels("gpu.barrier"), &context);
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(compiler.compile(*module, options)));
  EXPECT_EQ(said, "expected a module of the compiler's MLIR context, got one "
                  "of another\n");
}

} // namespace
