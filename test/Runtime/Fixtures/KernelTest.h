//===- KernelTest.h - packages on the fake device ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fixture that writes a package, opens a context on the fake driver and looks
// kernels up.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FIXTURES_KERNELTEST_H
#define CAROUSEL_TEST_RUNTIME_FIXTURES_KERNELTEST_H

#include "FakeDriver.h"
#include "TestPackages.h"

#include "carousel/Runtime/Kernel.h"

#include "gtest/gtest.h"

namespace carousel::runtime::test {

class KernelFixture : public testing::Test {
protected:
  void SetUp() override { fake::reset(); }
  /// Checks that no module stays loaded, and no context retained.
  void TearDown() override {
    EXPECT_EQ(fake::countLoadedModules(), 0u);
    EXPECT_EQ(fake::countRetains(), 0u);
  }

  static fake::Device makeDevice(int major, int minor = 0) {
    fake::Device device;
    device.major = major;
    device.minor = minor;
    return device;
  }

  Context open(ContextOptions options = {}) {
    if (options.libraries.driver.empty())
      options.libraries.driver = CAROUSEL_FAKE_DRIVER;
    options.cacheBytes = 0;
    Result<Context> context = Context::create(options);
    EXPECT_TRUE(context) << context.error().message;
    return *context;
  }

  /// The package of this manifest, with images that the fake driver takes, and
  /// with files beside them.
  Package writeAndOpen(std::string_view manifest,
                       const std::map<std::string, std::string> &more = {}) {
    std::map<std::string, std::string> files = makeFiles(manifest);
    for (auto &[name, contents] : files) {
      bool cubin = name.size() > 6 && name.substr(name.size() - 6) == ".cubin";
      contents = cubin ? "FAKECUBIN " + name : ".version 8.0 // " + name;
    }
    files.insert(more.begin(), more.end());
    std::string path = directory / std::to_string(packages++);
    writePackage(path, manifest, files);
    Result<Package> package = Package::open(path);
    EXPECT_TRUE(package) << package.error().message;
    return *package;
  }

  Kernel getKernel(std::string_view name,
                   std::string_view manifest = makeCopyManifest(),
                   ContextOptions options = {}) {
    Result<Kernel> kernel =
        Kernel::get(open(options), writeAndOpen(manifest), name);
    EXPECT_TRUE(kernel) << kernel.error().message;
    return *kernel;
  }

  TempDirectory directory;
  int packages = 0;
};

/// x and y of "copy", `n` elements each.
class CopyArguments {
public:
  explicit CopyArguments(int64_t n, uint64_t x = 0x10000, uint64_t y = 0x20000)
      : extents{n} {
    list[0] = Argument::tensor(ElementType::F32, x, 1, extents);
    list[1] = Argument::tensor(ElementType::F32, y, 1, extents);
  }
  CopyArguments(const CopyArguments &) = delete;
  CopyArguments &operator=(const CopyArguments &) = delete;

  int64_t extents[1];
  Argument list[2];
};

/// x and y of "copy_2d": `rows` x `columns` elements, rows apart by `stride`.
class Copy2DArguments {
public:
  Copy2DArguments(int64_t rows, int64_t columns, int64_t stride,
                  uint64_t x = 0x10000, uint64_t y = 0x20000)
      : extents{rows, columns}, strides{stride, 1} {
    list[0] = Argument::tensor(ElementType::BF16, x, 2, extents, strides);
    list[1] = Argument::tensor(ElementType::BF16, y, 2, extents, strides);
  }
  Copy2DArguments(const Copy2DArguments &) = delete;
  Copy2DArguments &operator=(const Copy2DArguments &) = delete;

  int64_t extents[2], strides[2];
  Argument list[2];
};

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_FIXTURES_KERNELTEST_H
