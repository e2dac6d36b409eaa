//===- CompileTest.h - packages and contexts for compilation ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package of one module with given images, and a context on the fake driver
// whose cache is a new directory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FIXTURES_COMPILETEST_H
#define CAROUSEL_TEST_RUNTIME_FIXTURES_COMPILETEST_H

#include "FakeDriver.h"
#include "Load/LoadedModule.h"
#include "TestPackages.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace carousel::runtime::test {

struct TestImage {
  std::string chip, kind, file, contents;
  std::string function = {}; ///< empty: no such member
};

class CompileFixture : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    options.libraries.driver = CAROUSEL_FAKE_DRIVER;
    options.cacheDirectory = directory / "cache";
  }

  void setCapability(int major, int minor) {
    fake::Device device;
    device.major = major;
    device.minor = minor;
    fake::setDevices({device});
  }

  /// A package with the module 'm', which may have more members than images.
  Package makePackage(const std::vector<TestImage> &images,
                      const std::string &members = "") {
    std::string list;
    std::map<std::string, std::string> files;
    for (const TestImage &image : images) {
      list += fmt::format(
          R"({}{{"chip": "{}", "kind": "{}", "file": "{}",
                               "bytes": 0, "hash": ""{}}})",
          list.empty() ? "" : ", ", image.chip, image.kind, image.file,
          image.function.empty()
              ? ""
              : fmt::format(R"(, "function": "{}")", image.function));
      files[image.file] = image.contents;
    }
    std::string path = directory / fmt::format("package{}", packages++);
    writePackage(path,
                 fmt::format(R"({{"format": "carousel-package", "version": 1,
                               "producer": "a test", "modules": [
                               {{"name": "m", "images": [{}]{}}}],
                               "kernels": []}})",
                             list, members),
                 files);
    Result<Package> package = Package::open(path);
    if (!package) {
      ADD_FAILURE() << package.error().message;
      ::abort();
    }
    return *package;
  }

  Context makeContext() {
    Result<Context> context = Context::create(options);
    if (!context) {
      ADD_FAILURE() << context.error().message;
      ::abort();
    }
    return *context;
  }

  /// In a context of its own, as another process would.
  Result<std::string> compile(const Package &package,
                              const LoadOptions &load = {}) {
    Context context = makeContext();
    return compile(context, package, load);
  }
  /// The code that the driver takes.
  Result<std::string> compile(Context &context, const Package &package,
                              const LoadOptions &load = {},
                              std::string_view function = {}) {
    ModuleImages images(package.getManifest().modules[0],
                        context.getDevice().computeCapability, load.via);
    CAROUSEL_TRY_ASSIGN(
        ModuleCode module,
        loadModule(context.getImpl(), package, 0, images, function, load));
    return module.code;
  }
  void expectCubin(const Package &package, const std::string &expected,
                   const LoadOptions &load = {}) {
    Result<std::string> cubin = compile(package, load);
    ASSERT_TRUE(cubin) << cubin.error().message;
    EXPECT_EQ(*cubin, expected);
  }
  void expectError(const Package &package, ErrorCode code,
                   const std::string &message, const LoadOptions &load = {}) {
    Result<std::string> cubin = compile(package, load);
    ASSERT_FALSE(cubin);
    EXPECT_EQ(cubin.error().code, code);
    EXPECT_EQ(cubin.error().message, message);
  }

  /// The one entry of the cache.
  std::filesystem::path onlyEntry() {
    std::filesystem::path entry;
    for (const auto &file :
         std::filesystem::directory_iterator(options.cacheDirectory)) {
      if (file.path().extension() != ".entry")
        continue;
      EXPECT_TRUE(entry.empty()) << "more than one entry";
      entry = file.path();
    }
    EXPECT_FALSE(entry.empty()) << "no entry";
    return entry;
  }
  static std::string read(const std::filesystem::path &path) {
    std::ifstream stream(path, std::ios::binary);
    std::stringstream contents;
    contents << stream.rdbuf();
    return contents.str();
  }

  TempDirectory directory;
  ContextOptions options;

private:
  int packages = 0;
};

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_FIXTURES_COMPILETEST_H
