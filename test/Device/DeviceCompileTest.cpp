//===- DeviceCompileTest.cpp - compilation and the cache on a device ------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles CUDA C++ by NVRTC and PTX by the driver, runs the code and compares.
// The disk cache has NVRTC's results; a damaged entry is compiled again.
//
//===----------------------------------------------------------------------===//

#include "GPUSupport.h"
#include "TestPackages.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

using namespace carousel;
using namespace carousel::gpu_test;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

constexpr const char *kScale = R"(
extern "C" __global__ void scale(float *x, int extent, int n, float factor,
                                 int bias) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] * factor + bias;
})";

Context makeContext(const std::string &cache) {
  ContextOptions options;
  options.cacheDirectory = cache;
  return require(Context::create(options));
}

/// The copy manifest's package with `text` as the only image of "simple".
Package makeCUDAPackage(const std::string &directory, const char *text) {
  std::string manifest =
      removeMember(makeCopyManifest(), "/modules/1/images/0");
  auto files = makeFiles(manifest);
  files["simple.sm_80.cu"] = text;
  writePackage(directory, manifest, files);
  return require(Package::open(directory));
}

/// x * 3 + 7 by the kernel "scale", compared.
Status runScale(const Context &context, const Package &package) {
  auto kernel = Kernel::get(context, package, "scale");
  if (!kernel)
    return tl::make_unexpected(kernel.error());
  std::vector<float> values(1000), results(1000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  Buffer x = require(Buffer::allocate(context, 4000));
  if (auto status = x.upload(values.data(), 4000); !status)
    return status;
  int64_t extent = 1000;
  float factor = 3;
  uint32_t bits;
  std::memcpy(&bits, &factor, 4);
  Argument arguments[] = {
      Argument::tensor(ElementType::F32, x.getAddress(), 1, &extent),
      Argument::index(999), Argument::scalar(ElementType::F32, bits),
      Argument::scalar(ElementType::I32, 7)};
  if (auto status = kernel->launch(arguments, 4); !status)
    return status;
  if (auto status = x.download(results.data(), 4000); !status)
    return status;
  if (auto status = context.synchronize(); !status)
    return status;
  for (size_t i = 0; i < 999; ++i)
    EXPECT_EQ(results[i], values[i] * 3 + 7) << i;
  EXPECT_EQ(results[999], 999.0f);
  return {};
}

/// The cache's entries, without its journal.
std::vector<std::filesystem::path> list(const std::string &directory) {
  std::vector<std::filesystem::path> files;
  for (const auto &file : std::filesystem::directory_iterator(directory))
    if (file.path().extension() == ".entry")
      files.push_back(file.path());
  return files;
}

TEST(Compile, CUDAThroughNVRTC) {
  TempDirectory work;
  Package package = makeCUDAPackage(work / "package", kScale);
  Status status = runScale(makeContext(work / "cache"), package);
  ASSERT_TRUE(status) << status.error().message;
  ASSERT_EQ(list(work / "cache").size(), 1u);

  // The second context finds the file, a damaged one is made again.
  status = runScale(makeContext(work / "cache"), package);
  EXPECT_TRUE(status) << status.error().message;
  std::filesystem::path file = list(work / "cache").at(0);
  auto bytes = std::filesystem::file_size(file);
  std::filesystem::resize_file(file, bytes / 2);
  status = runScale(makeContext(work / "cache"), package);
  EXPECT_TRUE(status) << status.error().message;
  ASSERT_EQ(list(work / "cache").size(), 1u);
  EXPECT_EQ(std::filesystem::file_size(file), bytes);
}

TEST(Compile, ErrorsHaveTheCompilersWords) {
  TempDirectory work;
  Package package = makeCUDAPackage(
      work / "package",
      "extern \"C\" __global__ void scale() { undeclared = 1; }");
  Status status = runScale(makeContext(work / "cache"), package);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::CompileError);
  EXPECT_NE(status.error().message.find("\"undeclared\" is undefined"),
            std::string::npos)
      << status.error().message;
}

TEST(Compile, PTXThroughTheDriver) {
  TempDirectory work;
  Package package = openPackage("copy_ring_ptx");
  Context context = makeContext(work / "cache");
  Kernel kernel = require(Kernel::get(context, package, "copy_2d"));
  Status status = kernel.loadAll();
  ASSERT_TRUE(status) << status.error().message;
  // The driver keeps it in a cache of its own.
  EXPECT_FALSE(std::filesystem::exists(std::string(work / "cache")));
}

TEST(Compile, BrokenPTXIsAnError) {
  TempDirectory work;
  std::string manifest = removeMember(
      removeMember(makeCopyManifest(), "/modules/1/images/1"), "/modules/0");
  // Only the module "simple" and what uses it.
  manifest = removeMember(manifest, "/kernels/3");
  manifest = removeMember(manifest, "/kernels/1");
  manifest = removeMember(manifest, "/kernels/0");
  auto files = makeFiles(manifest);
  files["simple.sm_80.ptx"] = ".version 8.0\n.target sm_80\nnonsense\n";
  writePackage(work / "package", manifest, files);
  Status status = runScale(makeContext(work / "cache"),
                           require(Package::open(work / "package")));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::CompileError);
  EXPECT_NE(status.error().message.find("simple.sm_80.ptx"), std::string::npos)
      << status.error().message;
}

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  setPackages(argc, argv);
  return RUN_ALL_TESTS();
}
