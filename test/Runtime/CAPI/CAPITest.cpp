//===- CAPITest.cpp - the C interface -------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests what the C interface adds to the C++ classes: handles, sizes of
// structs, messages.
//
//===----------------------------------------------------------------------===//

#include "carousel_runtime.h"

#include "KernelTest.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using namespace carousel;
using namespace carousel::runtime::test;

extern "C" carousel_status carousel_test_copy_in_c(const char *driver,
                                                   const char *directory,
                                                   const float from[4],
                                                   float to[4]);

namespace {
/// Objects that go with the test. The fixture sees that nothing is left.
class CAPITest : public KernelFixture {
protected:
  void SetUp() override {
    KernelFixture::SetUp();
    carousel_context_options options = getOptions();
    ASSERT_EQ(carousel_context_create(&options, &context), CAROUSEL_OK)
        << carousel_last_error();
    path = writeAndOpen(makeCopyManifest()).getDirectory();
    ASSERT_EQ(carousel_package_open(path.c_str(), &package), CAROUSEL_OK)
        << carousel_last_error();
  }
  void TearDown() override {
    carousel_kernel_release(kernel);
    carousel_package_close(package);
    carousel_context_destroy(context);
    KernelFixture::TearDown();
  }

  static carousel_context_options getOptions() {
    carousel_context_options options;
    carousel_context_options_init(&options, sizeof(options));
    options.driver = CAROUSEL_FAKE_DRIVER;
    options.cache_bytes = 0;
    return options;
  }

  void getKernel(const char *name) {
    ASSERT_EQ(carousel_kernel_get(context, package, name, &kernel), CAROUSEL_OK)
        << carousel_last_error();
  }

  carousel_context *context = nullptr;
  carousel_package *package = nullptr;
  carousel_kernel *kernel = nullptr;
  std::string path;
};

void expectError(carousel_status status, carousel_status wanted,
                 const std::string &message) {
  EXPECT_EQ(status, wanted);
  EXPECT_EQ(carousel_last_error(), message);
}

/// x and y of "copy".
struct CopyList {
  explicit CopyList(int64_t n) : extent(n) {
    for (carousel_argument &argument : list) {
      argument.kind = CAROUSEL_TENSOR;
      argument.element = CAROUSEL_F32;
      argument.rank = 1;
      argument.extents = &extent;
    }
    list[0].data = 0x10000;
    list[1].data = 0x20000;
  }
  CopyList(const CopyList &) = delete;
  CopyList &operator=(const CopyList &) = delete;
  int64_t extent;
  carousel_argument list[2] = {};
};

TEST_F(CAPITest, CopiesFromC) {
  fake::setKernel("copy_bulk", [](const fake::Launch &, void **parameters) {
    auto *x = *static_cast<float **>(parameters[0]);
    auto n = *static_cast<int64_t *>(parameters[1]);
    std::memcpy(*static_cast<float **>(parameters[2]), x, size_t(n) * 4);
  });
  const float from[4] = {1, -2, 3.5, 4};
  float to[4] = {};
  EXPECT_EQ(
      carousel_test_copy_in_c(CAROUSEL_FAKE_DRIVER, path.c_str(), from, to),
      CAROUSEL_OK)
      << carousel_last_error();
  EXPECT_EQ(std::memcmp(from, to, sizeof(to)), 0);
}

TEST_F(CAPITest, Versions) {
  EXPECT_EQ(carousel_runtime_version(), uint32_t(CAROUSEL_RUNTIME_VERSION));
  EXPECT_STREQ(carousel_status_name(CAROUSEL_OK), "ok");
  EXPECT_STREQ(carousel_status_name(CAROUSEL_NO_VARIANT), "no variant");
  EXPECT_STREQ(carousel_status_name(99), "unknown status");
  EXPECT_STREQ(carousel_status_name(-1), "unknown status");
}

TEST_F(CAPITest, ErrorsBelongToAThread) {
  carousel_package *other = nullptr;
  EXPECT_EQ(carousel_package_open("/none", &other), CAROUSEL_NOT_FOUND);
  EXPECT_EQ(other, nullptr);
  std::string here = carousel_last_error();
  EXPECT_NE(here.find("/none"), std::string::npos);
  std::thread([] { EXPECT_STREQ(carousel_last_error(), ""); }).join();
  size_t count = 0; // success changes nothing
  EXPECT_EQ(carousel_package_kernel_count(package, &count), CAROUSEL_OK);
  EXPECT_EQ(carousel_last_error(), here);
}

TEST_F(CAPITest, NullPointers) {
  getKernel("copy");
  auto expectNull = [](carousel_status status, const std::string &name) {
    expectError(status, CAROUSEL_INVALID_ARGUMENT,
                name + ": expected a pointer, got null");
  };
  size_t count;
  uint32_t grid[3];
  uint64_t word;
  const char *text;
  carousel_kernel *kernelOut;
  carousel_launch *launch;
  carousel_buffer *buffer;
  carousel_device_info device;
  expectNull(carousel_context_create(nullptr, nullptr), "context");
  expectNull(carousel_context_device(nullptr, &device), "context");
  expectNull(carousel_context_device(context, nullptr), "info");
  expectNull(carousel_context_synchronize(nullptr, nullptr), "context");
  expectNull(carousel_package_open(nullptr, &package), "directory");
  expectNull(carousel_package_open("/none", nullptr), "package");
  expectNull(carousel_package_kernel_count(nullptr, &count), "package");
  expectNull(carousel_package_kernel_count(package, nullptr), "count");
  expectNull(carousel_package_kernel_name(package, 0, nullptr), "name");
  expectNull(carousel_package_argument_count(nullptr, 0, &count), "package");
  expectNull(carousel_package_argument(package, 0, 0, nullptr), "info");
  expectNull(carousel_kernel_get(nullptr, package, "copy", &kernelOut),
             "context");
  expectNull(carousel_kernel_get(context, nullptr, "copy", &kernelOut),
             "package");
  expectNull(carousel_kernel_get(context, package, nullptr, &kernelOut),
             "name");
  expectNull(carousel_kernel_get(context, package, "copy", nullptr), "kernel");
  expectNull(carousel_kernel_load_all(nullptr), "kernel");
  expectNull(carousel_kernel_launch(nullptr, nullptr, 0, nullptr), "kernel");
  expectNull(carousel_kernel_explain(kernel, nullptr, 0, nullptr), "text");
  expectNull(carousel_kernel_explain(nullptr, nullptr, 0, &text), "kernel");
  expectNull(carousel_kernel_prepare(kernel, nullptr, nullptr, 0, nullptr),
             "launch");
  expectNull(carousel_kernel_prepare(nullptr, nullptr, nullptr, 0, &launch),
             "kernel");
  expectNull(carousel_launch_run(nullptr, nullptr), "launch");
  expectNull(carousel_launch_variant(nullptr, &text), "launch");
  expectNull(carousel_launch_grid(nullptr, grid), "launch");
  expectNull(carousel_buffer_allocate(nullptr, 4, &buffer), "context");
  expectNull(carousel_buffer_allocate(context, 4, nullptr), "buffer");
  expectNull(carousel_buffer_address(nullptr, &word), "buffer");
  expectNull(carousel_buffer_bytes(nullptr, &word), "buffer");
  expectNull(carousel_buffer_upload(nullptr, &word, 8, 0, nullptr), "buffer");
  expectNull(carousel_buffer_download(nullptr, &word, 8, 0, nullptr), "buffer");
  expectNull(carousel_buffer_fill(nullptr, 0, nullptr), "buffer");
  expectNull(carousel_tensor_map_encode(context, nullptr, nullptr, "x", &word),
             "format");
  expectError(carousel_kernel_launch(kernel, nullptr, 2, nullptr),
              CAROUSEL_INVALID_ARGUMENT, "expected arguments, got null");
  // Freeing nothing is fine.
  carousel_context_options_init(nullptr, sizeof(carousel_context_options));
  carousel_launch_release(nullptr);
  carousel_buffer_free(nullptr);
  carousel_kernel_release(nullptr);
  carousel_package_close(nullptr);
  carousel_context_destroy(nullptr);
}

TEST_F(CAPITest, SizesOfStructs) {
  carousel_context *other = nullptr;
  carousel_context_options options = getOptions();
  options.size = 8;
  EXPECT_EQ(carousel_context_create(&options, &other),
            CAROUSEL_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(carousel_last_error()),
            "options: expected a size of 56" // that of the first header
            " to 4096 bytes, got 8");
  options.size = SIZE_MAX; // never set
  EXPECT_EQ(carousel_context_create(&options, &other),
            CAROUSEL_INVALID_ARGUMENT);

  // A newer header: what it adds must not be used.
  struct Newer {
    carousel_context_options known;
    uint64_t added;
  } newer = {getOptions(), 0};
  newer.known.size = sizeof(newer);
  ASSERT_EQ(carousel_context_create(&newer.known, &other), CAROUSEL_OK)
      << carousel_last_error();
  carousel_context_destroy(other);
  newer.added = 1;
  EXPECT_EQ(carousel_context_create(&newer.known, &other),
            CAROUSEL_UNSUPPORTED_VERSION);
  EXPECT_EQ(std::string(carousel_last_error()).rfind("options: expected", 0),
            0u);

  struct NewerInfo {
    carousel_device_info known;
    uint64_t added;
  } info;
  std::memset(&info, 0xff, sizeof(info));
  info.known.size = sizeof(info);
  ASSERT_EQ(carousel_context_device(context, &info.known), CAROUSEL_OK);
  EXPECT_EQ(info.known.size, sizeof(info));
  EXPECT_EQ(info.added, 0u);
  EXPECT_STREQ(info.known.name, "Fake GPU");
  EXPECT_EQ(info.known.compute_capability, 90);
  EXPECT_EQ(info.known.multiprocessors, 132);
  EXPECT_EQ(info.known.driver_version, 13000);
  EXPECT_EQ(info.known.max_shared_per_block, 232448u);
  info.known.size = 8;
  EXPECT_EQ(carousel_context_device(context, &info.known),
            CAROUSEL_INVALID_ARGUMENT);
}

TEST_F(CAPITest, Introspection) {
  size_t count = 0;
  ASSERT_EQ(carousel_package_kernel_count(package, &count), CAROUSEL_OK);
  EXPECT_EQ(count, 4u);
  const char *name = nullptr;
  ASSERT_EQ(carousel_package_kernel_name(package, 1, &name), CAROUSEL_OK);
  EXPECT_STREQ(name, "copy_2d");
  expectError(carousel_package_kernel_name(package, 4, &name),
              CAROUSEL_INVALID_ARGUMENT,
              "kernel: expected a number below 4, got 4");
  ASSERT_EQ(carousel_package_argument_count(package, 2, &count), CAROUSEL_OK);
  EXPECT_EQ(count, 4u);

  carousel_argument_info info = {};
  info.size = sizeof(info);
  ASSERT_EQ(carousel_package_argument(package, 1, 1, &info), CAROUSEL_OK);
  EXPECT_STREQ(info.name, "y");
  EXPECT_EQ(info.kind, CAROUSEL_TENSOR);
  EXPECT_EQ(info.access, CAROUSEL_OUT);
  EXPECT_EQ(info.element, CAROUSEL_BF16);
  EXPECT_EQ(info.rank, 2u);
  EXPECT_EQ(info.contiguous, 0);
  EXPECT_EQ(info.extents[0], CAROUSEL_DYNAMIC);
  EXPECT_EQ(info.strides[0], CAROUSEL_DYNAMIC);
  EXPECT_EQ(info.strides[1], 1);
  EXPECT_EQ(info.sharing, CAROUSEL_SHARING_NONE);
  ASSERT_EQ(carousel_package_argument(package, 2, 3, &info), CAROUSEL_OK);
  EXPECT_STREQ(info.name, "bias");
  EXPECT_EQ(info.kind, CAROUSEL_SCALAR);
  EXPECT_EQ(info.access, CAROUSEL_IN);
  EXPECT_EQ(info.element, CAROUSEL_I32);
  EXPECT_EQ(info.rank, 0u);
  expectError(carousel_package_argument(package, 2, 4, &info),
              CAROUSEL_INVALID_ARGUMENT,
              "argument: expected a number below 4, got 4");
}

TEST_F(CAPITest, LaunchAndExplain) {
  getKernel("copy");
  CopyList good(1024), odd(1001);
  EXPECT_EQ(carousel_kernel_launch(kernel, good.list, 2, nullptr), CAROUSEL_OK);
  EXPECT_EQ(carousel_kernel_launch(kernel, odd.list, 2, nullptr), CAROUSEL_OK);
  ASSERT_EQ(fake::getLaunches().size(), 2u);
  EXPECT_EQ(fake::getLaunches()[0].function, "copy_bulk");
  EXPECT_EQ(fake::getLaunches()[1].function, "copy_simple");
  const char *text = nullptr;
  ASSERT_EQ(carousel_kernel_explain(kernel, odd.list, 2, &text), CAROUSEL_OK);
  EXPECT_STREQ(text, "copy_bulk: refused: expected x.extent(0) to be a "
                     "multiple of 4, got 1001\ncopy_simple: accepted\n");
  EXPECT_EQ(carousel_kernel_explain(kernel, good.list, 2, &text), CAROUSEL_OK);
  EXPECT_STREQ(text, "copy_bulk: accepted\ncopy_simple: accepted\n");
  expectError(carousel_kernel_launch(kernel, good.list, 1, nullptr),
              CAROUSEL_INVALID_ARGUMENT, "expected 2 arguments (x, y), got 1");
  good.list[0].kind = 0;
  expectError(carousel_kernel_launch(kernel, good.list, 2, nullptr),
              CAROUSEL_INVALID_ARGUMENT,
              "x: expected a tensor, got an unknown kind");
  good.list[0].kind = CAROUSEL_TENSOR;
  good.list[1].reserved = 3;
  expectError(carousel_kernel_launch(kernel, good.list, 2, nullptr),
              CAROUSEL_INVALID_ARGUMENT,
              "y: expected 0 in the member 'reserved', got 3");
  expectError(carousel_kernel_get(context, package, "none", &kernel),
              CAROUSEL_NOT_FOUND,
              "expected a kernel of " + path +
                  " (copy, copy_2d, scale, gather), got 'none'");
}

TEST_F(CAPITest, Prepare) {
  getKernel("copy");
  ASSERT_EQ(carousel_kernel_load_all(kernel), CAROUSEL_OK);
  CopyList good(1024);
  carousel_launch *first = nullptr, *simple = nullptr;
  ASSERT_EQ(carousel_kernel_prepare(kernel, nullptr, good.list, 2, &first),
            CAROUSEL_OK);
  ASSERT_EQ(
      carousel_kernel_prepare(kernel, "copy_simple", good.list, 2, &simple),
      CAROUSEL_OK);
  const char *function = nullptr;
  EXPECT_EQ(carousel_launch_variant(first, &function), CAROUSEL_OK);
  EXPECT_STREQ(function, "copy_bulk");
  uint32_t grid[3] = {};
  EXPECT_EQ(carousel_launch_grid(simple, grid), CAROUSEL_OK);
  EXPECT_EQ(grid[0], 4u);
  EXPECT_EQ(carousel_launch_run(simple, nullptr), CAROUSEL_OK);
  EXPECT_EQ(fake::getLaunches().at(0).function, "copy_simple");
  carousel_launch_release(first);
  carousel_launch_release(simple);
}

TEST_F(CAPITest, Buffers) {
  carousel_buffer *buffer = nullptr;
  ASSERT_EQ(carousel_buffer_allocate(context, 100, &buffer), CAROUSEL_OK);
  uint64_t address = 0, bytes = 0;
  EXPECT_EQ(carousel_buffer_address(buffer, &address), CAROUSEL_OK);
  EXPECT_NE(address, 0u);
  EXPECT_EQ(carousel_buffer_bytes(buffer, &bytes), CAROUSEL_OK);
  EXPECT_EQ(bytes, 100u);
  EXPECT_EQ(carousel_buffer_fill(buffer, 7, nullptr), CAROUSEL_OK);
  uint8_t byte = 9, back[2] = {};
  EXPECT_EQ(carousel_buffer_upload(buffer, &byte, 1, 99, nullptr), CAROUSEL_OK);
  EXPECT_EQ(carousel_buffer_download(buffer, back, 2, 98, nullptr),
            CAROUSEL_OK);
  EXPECT_EQ(back[0], 7);
  EXPECT_EQ(back[1], 9);
  EXPECT_EQ(carousel_buffer_upload(buffer, &byte, 1, 100, nullptr),
            CAROUSEL_INVALID_ARGUMENT);
  carousel_buffer_free(buffer);
  EXPECT_EQ(fake::countAllocations(), 0u);
}

TEST_F(CAPITest, ExplainsTimes) {
  std::string manifest =
      setMember(makeCopyManifest(), "/kernels/0/variants/0/cost", "5000");
  manifest = setMember(manifest, "/kernels/0/variants/1/cost", "7125");
  path = writeAndOpen(setMember(manifest, "/kernels/0/tuned", R"([
               {"device": "Fake GPU", "values": [1024, 1024], "times": [
                 {"function": "copy_simple", "ns": 4204}]}])"))
             .getDirectory();
  carousel_package_close(package);
  ASSERT_EQ(carousel_package_open(path.c_str(), &package), CAROUSEL_OK)
      << carousel_last_error();
  getKernel("copy");
  CopyList tuned(1024), other(2048), odd(1001);
  const char *text = nullptr;
  ASSERT_EQ(carousel_kernel_explain(kernel, tuned.list, 2, &text), CAROUSEL_OK);
  EXPECT_STREQ(text, "copy_bulk: accepted, predicted 5.00 us\n"
                     "copy_simple: accepted, predicted 7.12 us, measured "
                     "4.20 us, chosen by measurement\n");
  ASSERT_EQ(carousel_kernel_explain(kernel, other.list, 2, &text), CAROUSEL_OK);
  EXPECT_STREQ(text, "copy_bulk: accepted, predicted 5.00 us, chosen by "
                     "prediction\n"
                     "copy_simple: accepted, predicted 7.12 us\n");
  ASSERT_EQ(carousel_kernel_explain(kernel, odd.list, 2, &text), CAROUSEL_OK);
  EXPECT_STREQ(text, "copy_bulk: refused: expected x.extent(0) to be a "
                     "multiple of 4, got 1001\n"
                     "copy_simple: accepted, predicted 7.12 us, chosen by "
                     "prediction\n");
}

TEST_F(CAPITest, FilesOfPackages) {
  std::map<std::string, std::string> files;
  auto use = [](void *user, const char *name, const void *data,
                uint64_t bytes) {
    auto &map = *static_cast<std::map<std::string, std::string> *>(user);
    map[name] = data ? std::string(static_cast<const char *>(data), bytes)
                     : "constants of " + std::to_string(bytes);
  };
  ASSERT_EQ(carousel_package_files(package, use, &files), CAROUSEL_OK);
  std::map<std::string, std::string> wanted;
  for (const auto &entry : std::filesystem::directory_iterator(path))
    wanted[entry.path().filename()] =
        (std::stringstream() << std::ifstream(entry.path()).rdbuf()).str();
  EXPECT_EQ(files, wanted);
  expectError(carousel_package_files(package, nullptr, &files),
              CAROUSEL_INVALID_ARGUMENT, "use: expected a pointer, got null");

  char none;
  EXPECT_EQ(carousel_package_read_constants(package, &none, 0), CAROUSEL_OK);
  expectError(carousel_package_read_constants(package, &none, 1),
              CAROUSEL_INVALID_ARGUMENT,
              "bytes: expected the 0 of the constants, got 1");
}

TEST_F(CAPITest, TensorMaps) {
  carousel_tensor_map_format format = {};
  format.size = sizeof(format);
  format.element = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  format.rank = 2;
  format.box[0] = 8;
  format.box[1] = 32;
  format.element_strides[0] = format.element_strides[1] = 1;
  carousel_tensor_map_source source = {};
  source.size = sizeof(source);
  source.address = 0x10000;
  source.extents[0] = 100;
  source.extents[1] = 200;
  source.strides[0] = 800;
  char map[128] = {};
  ASSERT_EQ(carousel_tensor_map_encode(context, &format, &source, "x", map),
            CAROUSEL_OK)
      << carousel_last_error();
  fake::EncodedMap encoded;
  std::memcpy(&encoded, map, sizeof(map));
  EXPECT_EQ(encoded.extents[0], 200u);
  EXPECT_EQ(encoded.box[1], 8u);

  auto encode = [&] {
    return carousel_tensor_map_encode(context, &format, &source, nullptr, map);
  };
  source.strides[0] = 804;
  expectError(encode(), CAROUSEL_INVALID_ARGUMENT,
              "tensor: expected global strides at multiples of 16 bytes, got "
              "804 in dimension 0");
  format.swizzle = -1;
  expectError(encode(), CAROUSEL_INVALID_ARGUMENT,
              "format: expected the swizzle of a tensor map, got -1");
  format.swizzle = 7;
  expectError(encode(), CAROUSEL_INVALID_ARGUMENT,
              "tensor: expected the swizzle of a tensor map, got 7");
  format.swizzle = 0;
  format.rank = 6;
  expectError(encode(), CAROUSEL_INVALID_ARGUMENT,
              "format: expected a rank of 1 to 5, got 6");
  format.rank = 2;
  format.mode = 1;
  expectError(encode(), CAROUSEL_INVALID_ARGUMENT,
              "tensor: expected an im2col tensor map of rank 3 to 5, got 2");
  format.mode = 99;
  expectError(encode(), CAROUSEL_INVALID_ARGUMENT,
              "tensor: expected the mode of a tensor map, got 99");
}
} // namespace
