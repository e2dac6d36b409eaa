//===- PackageFixture.h - modules and directories for tests -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A context that can compile packages and collects diagnostics, and a directory
// that is removed after the test.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_PACKAGE_PACKAGEFIXTURE_H
#define CAROUSEL_TEST_PACKAGE_PACKAGEFIXTURE_H

#include "carousel/Package/CompilePackage.h"
#include "carousel/Passes/Pipelines.h"
#include "carousel/Target/EmitPTX.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <memory>

namespace carousel::test {

class CompileTest : public ::testing::Test {
protected:
  CompileTest() {
    mlir::DialectRegistry registry;
    registry.insert<CarouselDialect, mlir::arith::ArithDialect,
                    mlir::gpu::GPUDialect, mlir::memref::MemRefDialect>();
    registerPTXTranslations(registry);
    registerLoweringInterfaces(registry);
    context.appendDialectRegistry(registry);
    handler = std::make_unique<mlir::ScopedDiagnosticHandler>(
        &context, [&](mlir::Diagnostic &diagnostic) {
          said += diagnostic.str() + "\n";
          return mlir::success();
        });
    options.chips = {"sm_90a"};
    options.cubins = CompilePackageOptions::Cubins::Never;
  }

  mlir::FailureOr<Package> compile(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return mlir::failure();
    return compilePackage(*module, options);
  }

  static llvm::StringRef find(const Package &package, llvm::StringRef name) {
    for (const PackageFile &file : package.files)
      if (file.name == name)
        return file.contents;
    ADD_FAILURE() << "no file " << name.str();
    return {};
  }

  mlir::MLIRContext context;
  std::unique_ptr<mlir::ScopedDiagnosticHandler> handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  CompilePackageOptions options;
  std::string said;
};

/// A directory of this test's own.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "carousel-XXXXXX").string();
    const char *made = ::mkdtemp(pattern.data());
    EXPECT_NE(made, nullptr);
    path = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory &) = delete;

  std::string operator/(const std::string &name) const {
    return (path / name).string();
  }

  std::filesystem::path path;
};

} // namespace carousel::test

#endif // CAROUSEL_TEST_PACKAGE_PACKAGEFIXTURE_H
