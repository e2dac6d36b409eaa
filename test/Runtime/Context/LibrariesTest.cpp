//===- LibrariesTest.cpp - loading NVIDIA's libraries ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context/Libraries.h"

#include "FakeCublasLt.h"
#include "FakeDriver.h"
#include "FakeNVRTC.h"
#include "FakeNvJitLink.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>
#include <unistd.h>

using namespace carousel;
using namespace carousel::runtime;

namespace {

/// A path that no test used before, since a loader remembers names; removed at
/// the end of the test.
class TemporaryPath {
public:
  explicit TemporaryPath(const std::string &name) {
    static int count = 0;
    path = std::filesystem::path(testing::TempDir()) /
           fmt::format("{}-{}-{}", getpid(), count++, name);
  }
  ~TemporaryPath() { std::filesystem::remove(path); }
  std::string get() const { return path.string(); }

private:
  std::filesystem::path path;
};

LibraryPaths getFakes() {
  return {CAROUSEL_FAKE_DRIVER, CAROUSEL_FAKE_NVRTC, CAROUSEL_FAKE_NVJITLINK,
          CAROUSEL_FAKE_CUBLASLT};
}

TEST(Libraries, LoadsTheDriverWithAllSymbols) {
  Libraries libraries(getFakes());
  Result<const DriverTable *> driver = libraries.getDriver();
  ASSERT_TRUE(driver) << driver.error().message;
#define CAROUSEL_DRIVER_SYMBOL(name) EXPECT_NE((*driver)->name, nullptr);
#include "Context/Symbols.def"
}

TEST(Libraries, CallsTheVersionsThatTheHeaderNames) {
  fake::reset();
  Libraries libraries(getFakes());
  const DriverTable *driver = *libraries.getDriver();
  EXPECT_EQ(driver->cuInit(0), CUDA_SUCCESS);
  CUcontext context = nullptr;
  ASSERT_EQ(driver->cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuCtxPushCurrent(context), CUDA_SUCCESS);
  CUdeviceptr address = 0;
  EXPECT_EQ(driver->cuMemAlloc(&address, uint64_t(5) << 30), CUDA_SUCCESS);
  EXPECT_EQ(fake::getAllocatedBytes(), uint64_t(5) << 30);
  EXPECT_EQ(driver->cuMemFree(address), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuCtxPopCurrent(&context), CUDA_SUCCESS);
}

TEST(Libraries, LoadsNVRTCAndNvJitLink) {
  fake::nvrtc::reset();
  fake::nvjitlink::reset();
  fake::nvrtc::setVersion(12, 9);
  fake::nvjitlink::setVersion(12, 8);
  Libraries libraries(getFakes());
  Result<const NVRTCTable *> nvrtc = libraries.getNVRTC();
  ASSERT_TRUE(nvrtc) << nvrtc.error().message;
  int major = 0, minor = 0;
  EXPECT_EQ((*nvrtc)->nvrtcVersion(&major, &minor), NVRTC_SUCCESS);
  EXPECT_EQ(major, 12);
  EXPECT_EQ(minor, 9);
  Result<const NvJitLinkTable *> linker = libraries.getNvJitLink();
  ASSERT_TRUE(linker) << linker.error().message;
  unsigned linkerMajor = 0, linkerMinor = 0;
  EXPECT_EQ((*linker)->nvJitLinkVersion(&linkerMajor, &linkerMinor),
            NVJITLINK_SUCCESS);
  EXPECT_EQ(linkerMajor, 12u);
  EXPECT_EQ(linkerMinor, 8u);
#define CAROUSEL_NVRTC_SYMBOL(name) EXPECT_NE((*nvrtc)->name, nullptr);
#define CAROUSEL_NVJITLINK_SYMBOL(name) EXPECT_NE((*linker)->name, nullptr);
#include "Context/Symbols.def"
}

TEST(Libraries, LoadsCublasLt) {
  Libraries libraries(getFakes());
  Result<const CublasLtTable *> library = libraries.getCublasLt();
  ASSERT_TRUE(library) << library.error().message;
  EXPECT_EQ((*library)->cublasLtGetVersion(), 130000u);
#define CAROUSEL_CUBLASLT_SYMBOL(name) EXPECT_NE((*library)->name, nullptr);
#include "Context/Symbols.def"
}

TEST(Libraries, UsualNamesAreFound) {
  // This program is linked to the fakes, which have the usual names.
  Libraries libraries({});
  EXPECT_TRUE(libraries.getDriver());
  EXPECT_TRUE(libraries.getNVRTC());
  EXPECT_TRUE(libraries.getNvJitLink());
  EXPECT_TRUE(libraries.getCublasLt());
}

TEST(Libraries, AnyThreadGetsTheSameTable) {
  Libraries libraries(getFakes());
  std::vector<const DriverTable *> tables(8);
  std::vector<std::thread> threads;
  for (const DriverTable *&table : tables)
    threads.emplace_back([&] { table = *libraries.getDriver(); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(std::set<const DriverTable *>(tables.begin(), tables.end()).size(),
            1u);
  EXPECT_NE(tables[0], nullptr);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(Libraries, MissingFiles) {
  Libraries libraries(
      {"/none/libcuda.so.1", "/none/nvrtc.so", "/none/link.so", "/none/lt.so"});
  Result<const DriverTable *> driver = libraries.getDriver();
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, ErrorCode::NoLibrary);
  EXPECT_EQ(driver.error().message,
            "no NVIDIA driver: can't load /none/libcuda.so.1 (cannot open "
            "shared object file: No such file or directory)");
  Result<const NVRTCTable *> nvrtc = libraries.getNVRTC();
  ASSERT_FALSE(nvrtc);
  EXPECT_EQ(nvrtc.error().code, ErrorCode::NoLibrary);
  EXPECT_EQ(nvrtc.error().message,
            "no NVRTC: can't load /none/nvrtc.so (cannot open shared object "
            "file: No such file or directory)");
  Result<const NvJitLinkTable *> linker = libraries.getNvJitLink();
  ASSERT_FALSE(linker);
  EXPECT_EQ(linker.error().code, ErrorCode::NoLibrary);
  EXPECT_EQ(linker.error().message,
            "no nvJitLink: can't load /none/link.so (cannot open shared object "
            "file: No such file or directory)");
  Result<const CublasLtTable *> blas = libraries.getCublasLt();
  ASSERT_FALSE(blas);
  EXPECT_EQ(blas.error().code, ErrorCode::NoLibrary);
  EXPECT_EQ(blas.error().message,
            "no cuBLASLt: can't load /none/lt.so (cannot open shared object "
            "file: No such file or directory)");
}

TEST(Libraries, AFileThatIsNoLibrary) {
  TemporaryPath path("libcuda.so.1");
  std::ofstream(path.get()) << std::string(4096, 'x');
  Libraries libraries({path.get(), "", ""});
  Result<const DriverTable *> driver = libraries.getDriver();
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, ErrorCode::NoLibrary);
  EXPECT_EQ(driver.error().message, "no NVIDIA driver: can't load " +
                                        path.get() + " (invalid ELF header)");
}

TEST(Libraries, ALibraryWithoutTheSymbols) {
  const std::string stub = CAROUSEL_STUB_LIBRARY;
  Libraries libraries({stub, stub, stub, stub});
  Result<const DriverTable *> driver = libraries.getDriver();
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, ErrorCode::NoLibrary);
  EXPECT_EQ(driver.error().message,
            "the NVIDIA driver is too old: " + stub +
                " has no cuDriverGetVersion, expected one for CUDA 12.0 or "
                "later");
  Result<const NVRTCTable *> nvrtc = libraries.getNVRTC();
  ASSERT_FALSE(nvrtc);
  EXPECT_EQ(nvrtc.error().message,
            "NVRTC is too old: " + stub +
                " has no nvrtcGetErrorString, expected CUDA 12.0 or later");
  Result<const NvJitLinkTable *> linker = libraries.getNvJitLink();
  ASSERT_FALSE(linker);
  EXPECT_EQ(linker.error().message,
            "nvJitLink is too old: " + stub +
                " has no nvJitLinkCreate, expected CUDA 12.3 or later");
  Result<const CublasLtTable *> blas = libraries.getCublasLt();
  ASSERT_FALSE(blas);
  EXPECT_EQ(blas.error().message,
            "cuBLASLt is too old: " + stub +
                " has no cublasLtGetStatusName, expected CUDA 12.0 or later");
}

TEST(Libraries, OldDriversLackOptionalSymbols) {
  fake::reset();
  Libraries libraries({CAROUSEL_FAKE_OLD_DRIVER_FILE, "", ""});
  Result<const DriverTable *> driver = libraries.getDriver();
  ASSERT_TRUE(driver) << driver.error().message;
  EXPECT_EQ((*driver)->cuTensorMapEncodeTiled, nullptr);
  EXPECT_EQ((*driver)->cuTensorMapEncodeIm2col, nullptr);
  EXPECT_EQ((*driver)->cuTensorMapEncodeIm2colWide, nullptr);
  EXPECT_EQ((*driver)->cuFuncGetParamInfo, nullptr);
  // There under its older name only.
  ASSERT_NE((*driver)->cuEventElapsedTime, nullptr);
  float time = 0;
  EXPECT_EQ((*driver)->cuEventElapsedTime(&time, nullptr, nullptr),
            CUDA_ERROR_NOT_INITIALIZED);
}

TEST(Libraries, WhatFailedIsTriedAgain) {
  TemporaryPath path("later.so");
  Libraries libraries({path.get(), "", ""});
  EXPECT_FALSE(libraries.getDriver());
  std::filesystem::create_symlink(CAROUSEL_FAKE_DRIVER, path.get());
  EXPECT_TRUE(libraries.getDriver());
}

} // namespace
