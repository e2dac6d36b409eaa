//===- WritePackageFixture.h - packages of versions, and system calls -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packages with version numbers that tell them apart, and the system calls that
// put a package in place. Tests can make these calls fail, wait or end the
// process.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_PACKAGE_WRITEPACKAGEFIXTURE_H
#define CAROUSEL_TEST_PACKAGE_WRITEPACKAGEFIXTURE_H

#include "PackageFixture.h"

#include "carousel/Package/WritePackage.h"

#include <atomic>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace carousel::test {

/// The behaviour of the calls that the library makes.
struct SystemCalls {
  std::atomic<int> fsyncsUntilFailure = -1; ///< negative: none fails
  std::atomic<int> fsyncCount = 0;
  std::atomic<int> exchangeError = 0;
  std::function<void()> beforeExchange;
  std::function<void()> afterFirstEntry;  ///< of a directory that is listed
  std::atomic<int> stepsUntilKilled = -1; ///< negative: not killed
};
extern SystemCalls calls;

/// A package of three images whose contents, sizes and number of the version
/// differ from those of every other version.
std::vector<PackageFile> makePackage(unsigned version);

/// The message, or an empty string.
std::string write(const std::string &directory, unsigned version);

/// The version of the package behind one open directory; -1 where a file is
/// gone. Fails where files don't belong together.
int readVersion(const std::string &path);

/// The names in a directory, sorted.
std::vector<std::string> list(const std::filesystem::path &directory);

class WritePackageTest : public ::testing::Test {
protected:
  ~WritePackageTest() override {
    calls.fsyncsUntilFailure = -1;
    calls.exchangeError = 0;
    calls.beforeExchange = nullptr;
    calls.afterFirstEntry = nullptr;
  }

  void makeFile(const std::string &path, const std::string &text) {
    std::ofstream(path) << text;
  }

  TemporaryDirectory temporary;
  std::string path = temporary / "pkg";
};

} // namespace carousel::test

#endif // CAROUSEL_TEST_PACKAGE_WRITEPACKAGEFIXTURE_H
