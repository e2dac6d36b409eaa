//===- CAPIStructTest.cpp - the C interface between versions --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structs of callers with another version of the header, calls at the end of a
// thread, and the errors without a driver.
//
//===----------------------------------------------------------------------===//

#include "CAPI/CAPIImpl.h"

#include "TestPackages.h"

#include "gtest/gtest.h"

#include <cstddef>
#include <thread>

using namespace carousel;
using namespace carousel::runtime::test;

/// A struct that has grown since its first header.
struct Grown {
  size_t size;
  uint64_t first, added;
};
template <>
inline constexpr size_t carousel::runtime::kFirstBytes<Grown> =
    offsetof(Grown, added);

namespace {
void expectError(carousel_status status, carousel_status wanted,
                 const std::string &message) {
  EXPECT_EQ(status, wanted);
  EXPECT_EQ(carousel_last_error(), message);
}

/// A caller whose header is older than the library.
TEST(CAPIStruct, Older) {
  struct {
    size_t size;
    uint64_t first, guard;
  } older = {16, 7, 9};
  auto *given = reinterpret_cast<Grown *>(&older);
  Grown read = {0, 0, 5};
  ASSERT_TRUE(runtime::readStruct(given, "grown", read));
  EXPECT_EQ(read.first, 7u);
  EXPECT_EQ(read.added, 5u); // what it is by default
  ASSERT_TRUE(runtime::writeStruct(Grown{0, 1, 2}, "grown", given));
  EXPECT_EQ(older.size, 16u);
  EXPECT_EQ(older.first, 1u);
  EXPECT_EQ(older.guard, 9u);
  older.size = 15;
  EXPECT_FALSE(runtime::readStruct(given, "grown", read));
}

/// carousel_context_options_init writes as much as its caller has.
TEST(CAPIStruct, InitWithinItsSize) {
  struct {
    carousel_context_options options;
    uint64_t rest[2];
  } newer;
  std::memset(&newer, 0xff, sizeof(newer));
  carousel_context_options_init(&newer.options, sizeof(newer) - 8);
  EXPECT_EQ(newer.options.size, sizeof(newer) - 8);
  EXPECT_EQ(newer.options.cache_bytes, CAROUSEL_CACHE_BYTES_DEFAULT);
  EXPECT_EQ(newer.rest[0], 0u);
  EXPECT_EQ(newer.rest[1], UINT64_MAX);
  carousel_context_options_init(&newer.options, 8); // no such struct
  EXPECT_EQ(newer.options.size, sizeof(newer) - 8);
}

/// Destroyed after the library's objects of the thread, as what exit() calls
/// is.
struct CallsLate {
  bool *good;
  ~CallsLate() {
    carousel_package *package = nullptr;
    *good =
        std::string(carousel_last_error()).empty() &&
        carousel_package_open("/none/late", &package) == CAROUSEL_NOT_FOUND &&
        std::string(carousel_last_error()).find("/none/late") !=
            std::string::npos;
  }
};

TEST(CAPIThreads, CallsAfterTheThreadsObjects) {
  bool good = false;
  std::thread([&] {
    static thread_local CallsLate late{&good};
    carousel_package *package = nullptr;
    carousel_package_open("/none/whose/message/is/on/the/heap", &package);
    EXPECT_STRNE(carousel_last_error(), "");
  }).join();
  EXPECT_TRUE(good);
}

/// Without a driver there is no context; what needs none works.
TEST(CAPIWithoutADriver, EveryCall) {
  carousel_context_options options;
  carousel_context_options_init(&options, sizeof(options));
  options.driver = "/none/libcuda.so.1";
  carousel_context *context = nullptr;
  carousel_kernel *kernel = nullptr;
  carousel_buffer *buffer = nullptr;
  expectError(carousel_context_create(&options, &context), CAROUSEL_NO_LIBRARY,
              "no NVIDIA driver: can't load /none/libcuda.so.1 (cannot open "
              "shared object file: No such file or directory)");
  ASSERT_EQ(context, nullptr);

  TempDirectory directory;
  std::string path = directory / "package";
  std::string manifest = makeCopyManifest();
  writePackage(path, manifest, makeFiles(manifest));
  carousel_package *package = nullptr;
  ASSERT_EQ(carousel_package_open(path.c_str(), &package), CAROUSEL_OK)
      << carousel_last_error();
  size_t count = 0;
  EXPECT_EQ(carousel_package_kernel_count(package, &count), CAROUSEL_OK);
  EXPECT_EQ(count, 4u);

  // The messages for a program that goes on regardless.
  const char *noContext = "context: expected a pointer, got null";
  const char *noKernel = "kernel: expected a pointer, got null";
  constexpr carousel_status kInvalid = CAROUSEL_INVALID_ARGUMENT;
  carousel_device_info info = {};
  info.size = sizeof(info);
  const char *text = nullptr;
  carousel_launch *launch = nullptr;
  carousel_tensor_map_format format = {};
  carousel_tensor_map_source source = {};
  char map[128];
  expectError(carousel_context_device(context, &info), kInvalid, noContext);
  expectError(carousel_context_synchronize(context, nullptr), kInvalid,
              noContext);
  expectError(carousel_kernel_get(context, package, "copy", &kernel), kInvalid,
              noContext);
  expectError(carousel_buffer_allocate(context, 16, &buffer), kInvalid,
              noContext);
  expectError(
      carousel_tensor_map_encode(context, &format, &source, nullptr, map),
      kInvalid, noContext);
  expectError(carousel_kernel_load_all(kernel), kInvalid, noKernel);
  expectError(carousel_kernel_launch(kernel, nullptr, 0, nullptr), kInvalid,
              noKernel);
  expectError(carousel_kernel_explain(kernel, nullptr, 0, &text), kInvalid,
              noKernel);
  expectError(carousel_kernel_prepare(kernel, nullptr, nullptr, 0, &launch),
              kInvalid, noKernel);
  expectError(carousel_launch_run(launch, nullptr), kInvalid,
              "launch: expected a pointer, got null");
  expectError(carousel_buffer_fill(buffer, 0, nullptr), kInvalid,
              "buffer: expected a pointer, got null");
  carousel_package_close(package);
}
} // namespace
