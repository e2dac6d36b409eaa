//===- NoThrowTest.cpp - no exception leaves the library ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No function of the public headers throws, even if memory runs out: then the
// process ends. This file is compiled with exceptions, as a caller's may be.
//
//===----------------------------------------------------------------------===//

#include "TestPackages.h"

#include "carousel/Runtime/Kernel.h"
#include "carousel/Runtime/Module.h"
#include "carousel/Runtime/TensorMap.h"
#include "carousel_runtime.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <utility>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {
//===----------------------------------------------------------------------===//
// Every function that is defined in the library
//===----------------------------------------------------------------------===//

template <typename T> T &any() noexcept;
#define EXPECT_NOEXCEPT(call)                                                  \
  static_assert(noexcept(call), #call " may throw into its caller")

EXPECT_NOEXCEPT(toString(ErrorCode()));
EXPECT_NOEXCEPT(Error(ErrorCode(), std::string_view()));

EXPECT_NOEXCEPT(getBytes(ElementType()));
EXPECT_NOEXCEPT(toString(ElementType()));
EXPECT_NOEXCEPT(parseElementType(std::string_view()));

EXPECT_NOEXCEPT(any<Manifest>().find(std::string_view()));
EXPECT_NOEXCEPT(parseManifest(std::string_view()));
EXPECT_NOEXCEPT(toString(any<Expression>(), any<KernelInfo>()));
EXPECT_NOEXCEPT(toString(any<Guard>(), any<KernelInfo>()));
EXPECT_NOEXCEPT(toString(any<ArgumentInfo>()));
EXPECT_NOEXCEPT(toString(any<ExternInfo>()));

EXPECT_NOEXCEPT(Package::open(any<std::string>()));
EXPECT_NOEXCEPT(any<Package>().getManifest());
EXPECT_NOEXCEPT(any<Package>().getDirectory());
EXPECT_NOEXCEPT(any<Package>().findKernel(std::string_view()));
EXPECT_NOEXCEPT(any<Package>().getContents(0, 0));

EXPECT_NOEXCEPT(TensorMap::check(any<TensorMapFormat>(), any<TensorMapSource>(),
                                 std::string_view()));
EXPECT_NOEXCEPT(TensorMap::encode(any<Context>(), any<TensorMapFormat>(),
                                  any<TensorMapSource>(), std::string_view()));

EXPECT_NOEXCEPT(Context::create(any<ContextOptions>()));
EXPECT_NOEXCEPT(any<Context>().getDevice());
EXPECT_NOEXCEPT(any<Context>().synchronize());

EXPECT_NOEXCEPT(compileCUDA(any<CUDASource>(), any<CompileOptions>()));
EXPECT_NOEXCEPT(compileCUDA(any<Context>(), any<CUDASource>()));
EXPECT_NOEXCEPT(toString(any<CompileMessage>()));
EXPECT_NOEXCEPT(getDeviceHeaders());
EXPECT_NOEXCEPT(Module::load(any<Context>(), any<CompiledCode>()));
EXPECT_NOEXCEPT(Module::compile(any<Context>(), any<CUDASource>()));
EXPECT_NOEXCEPT(any<Module>().launch(any<std::string>(), any<LaunchShape>(),
                                     nullptr));

EXPECT_NOEXCEPT(Buffer::allocate(any<Context>(), 0));
EXPECT_NOEXCEPT(Buffer(std::move(any<Buffer>())));
EXPECT_NOEXCEPT(any<Buffer>() = std::move(any<Buffer>()));
EXPECT_NOEXCEPT(any<Buffer>().upload(nullptr, 0));
EXPECT_NOEXCEPT(any<Buffer>().download(nullptr, 0));
EXPECT_NOEXCEPT(any<Buffer>().fill(0));

EXPECT_NOEXCEPT(Kernel::get(any<Context>(), any<Package>(),
                            std::string_view()));
EXPECT_NOEXCEPT(any<Kernel>().getInfo());
EXPECT_NOEXCEPT(any<Kernel>().launch(nullptr, 0));
EXPECT_NOEXCEPT(any<Kernel>().prepare(nullptr, 0));
EXPECT_NOEXCEPT(any<Kernel>().prepareVariant(std::string_view(), nullptr, 0));
EXPECT_NOEXCEPT(any<Kernel>().explain(nullptr, 0));
EXPECT_NOEXCEPT(any<Kernel>().getTunedValues(nullptr, 0));
EXPECT_NOEXCEPT(any<Kernel>().loadAll());
EXPECT_NOEXCEPT(any<Kernel>().getCompileMessages());

EXPECT_NOEXCEPT(any<Launch>().run());
EXPECT_NOEXCEPT(any<Launch>().getVariant());
EXPECT_NOEXCEPT(any<Launch>().getGrid());

//===----------------------------------------------------------------------===//
// Out of memory
//===----------------------------------------------------------------------===//

#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer) &&     \
    !__has_feature(thread_sanitizer) && !__has_feature(memory_sanitizer)
/// The directory of a package whose image takes 1 GiB of memory and no blocks
/// on disk.
std::string writeLargePackage(const TempDirectory &directory) {
  std::string path = directory / "package";
  std::filesystem::create_directory(path);
  std::ofstream(path + "/manifest.json") <<
      R"({"format": "carousel-package", "version": 1, "producer": "test",
          "kernels": [], "modules": [{"name": "m", "images": [
            {"chip": "sm_90", "kind": "ptx", "file": "m.ptx",
             "bytes": 1073741824,
             "hash": "0000000000000000000000000000000000000000000000000000000000000000"}]}]})";
  std::ofstream(path + "/m.ptx");
  std::filesystem::resize_file(path + "/m.ptx", 1 << 30);
  return path;
}

/// Ends the process with success if `open` throws, or comes back.
template <typename Open> void callInLittleMemory(Open open) {
  rlimit limit{512 << 20, 512 << 20};
  setrlimit(RLIMIT_AS, &limit);
  try {
    open();
  } catch (...) {
  }
  std::_Exit(0);
}

// Called through a type that may throw, or the compiler would drop the handler.
TEST(NoThrow, OutOfMemory) {
  TempDirectory directory;
  std::string path = writeLargePackage(directory);
  Result<Package> (*volatile open)(const std::string &) = Package::open;
  EXPECT_DEATH(callInLittleMemory([&] { (void)open(path); }), "bad_alloc");
}

TEST(CAPINoThrow, OutOfMemory) {
  TempDirectory directory;
  std::string path = writeLargePackage(directory);
  carousel_status (*volatile open)(const char *, carousel_package **) =
      carousel_package_open;
  carousel_package *package = nullptr;
  EXPECT_DEATH(callInLittleMemory([&] { open(path.c_str(), &package); }),
               "bad_alloc");
}
#endif
} // namespace
