//===- ResidentTest.cpp - grids of as many blocks as fit ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `resident` in a grid: when the driver is asked, and what a launch does with
// its answer.
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {
using ResidentTest = KernelFixture;
using Blocks = std::array<uint32_t, 3>;

void expectSuccess(const Status &status) {
  ASSERT_TRUE(status) << status.error().message;
}

void expectError(const Status &status, ErrorCode code,
                 const std::string &message) {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, code);
  EXPECT_EQ(status.error().message, message);
}

/// "copy" with only one variant, of blocks of 64 threads with 65536 bytes.
std::string makeManifest(std::string_view grid, std::string_view cluster) {
  std::string manifest = makeCopyManifest();
  manifest = removeMember(manifest, "/kernels/0/variants/1");
  manifest = setMember(manifest, "/kernels/0/variants/0/grid", grid);
  return setMember(manifest, "/kernels/0/variants/0/cluster", cluster);
}

constexpr const char *kPersistent =
    R"([["min", ["ceildiv", ["extent", 0, 0], 4], "resident"], 1, 1])";

Blocks getGrid(const Kernel &kernel, int64_t n) {
  CopyArguments arguments(n);
  fake::clearCalls();
  expectSuccess(kernel.launch(arguments.list, 2));
  EXPECT_EQ(fake::getLaunches().size(), 1u);
  return fake::getLaunches().at(0).grid;
}

TEST_F(ResidentTest, ResidentIsAskedOnce) {
  fake::setOccupancy("copy_bulk", 3);
  Kernel kernel = getKernel("copy", makeManifest(kPersistent, "[1, 1, 1]"));
  constexpr const char *kCall = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
  EXPECT_EQ(fake::countCalls(kCall), 0u);
  EXPECT_EQ(getGrid(kernel, 4096), (Blocks{396, 1, 1}));
  EXPECT_EQ(fake::countCalls(kCall), 1u);
  // The launches after it don't ask, whatever the driver would say.
  fake::setOccupancy("copy_bulk", 1);
  EXPECT_EQ(getGrid(kernel, 8192), (Blocks{396, 1, 1}));
  EXPECT_EQ(getGrid(kernel, 64), (Blocks{16, 1, 1}));
  EXPECT_EQ(fake::countCalls(kCall), 0u);
}

TEST_F(ResidentTest, ResidentOfEachDevice) {
  fake::Device small = makeDevice(9);
  small.multiprocessors = 7;
  fake::setDevices({makeDevice(9), small});
  std::string manifest = makeManifest(kPersistent, "[1, 1, 1]");
  ContextOptions second;
  second.device = 1;
  Kernel large = getKernel("copy", manifest);
  Kernel other = getKernel("copy", manifest, second);
  EXPECT_EQ(getGrid(large, 4096), (Blocks{264, 1, 1}));
  EXPECT_EQ(getGrid(other, 4096), (Blocks{14, 1, 1}));
}

TEST_F(ResidentTest, ResidentClusters) {
  fake::setOccupancy("copy_bulk", 1);
  Kernel kernel =
      getKernel("copy", makeManifest(R"(["resident", 1, 1])", "[8, 1, 1]"));
  // 16 clusters of 8 are on the 132 multiprocessors.
  EXPECT_EQ(getGrid(kernel, 4096), (Blocks{128, 1, 1}));
}

TEST_F(ResidentTest, NoBlockIsResident) {
  fake::setOccupancy("copy_bulk", 0);
  CopyArguments arguments(4096);
  constexpr const char *kNoRoom =
      "copy_bulk: expected a device that holds a block of 64 x 1 x 1 threads "
      "and 65536 bytes of dynamic shared memory, got 0";
  Kernel kernel = getKernel("copy", makeManifest(kPersistent, "[1, 1, 1]"));
  expectError(kernel.launch(arguments.list, 2), ErrorCode::DriverError,
              kNoRoom);
  Result<Launch> prepared = kernel.prepare(arguments.list, 2);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().message, kNoRoom);
  prepared = kernel.prepareVariant("copy_bulk", arguments.list, 2);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().message, kNoRoom);
  EXPECT_FALSE(kernel.loadAll());
  EXPECT_EQ(fake::countLaunches(), 0u);
  // A failure is tried again.
  fake::setOccupancy("copy_bulk", 1);
  EXPECT_EQ(getGrid(kernel, 4096), (Blocks{132, 1, 1}));

  Kernel clusters =
      getKernel("copy", makeManifest(R"(["resident", 1, 1])", "[8, 1, 1]"));
  fake::setOccupancy("copy_bulk", 0);
  expectError(clusters.launch(arguments.list, 2), ErrorCode::DriverError,
              "copy_bulk: expected a device that holds a cluster of 8 blocks "
              "of 64 x 1 x 1 threads and 65536 bytes of dynamic shared memory, "
              "got 0");
}

TEST_F(ResidentTest, ResidentLoadsWhatGuardsAccept) {
  std::string manifest =
      setMember(makeCopyManifest(), "/kernels/0/variants/0/grid", kPersistent);
  Kernel kernel = getKernel("copy", manifest);
  // Another variant runs: no guard needs the first one's code.
  CopyArguments odd(1001);
  expectSuccess(kernel.launch(odd.list, 2));
  EXPECT_EQ(fake::getLaunches().at(0).function, "copy_simple");
  EXPECT_EQ(fake::countCalls("cuOccupancyMaxActiveBlocksPerMultiprocessor"),
            0u);
  CUstream stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CopyArguments arguments(4096);
  expectError(kernel.launch(arguments.list, 2, stream),
              ErrorCode::InvalidArgument,
              "expected 'copy_bulk' to be loaded before its stream is "
              "captured; prepare() and loadAll() load it");
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  Result<std::vector<VariantReport>> reports =
      kernel.explain(arguments.list, 2);
  ASSERT_TRUE(reports) << reports.error().message;
  EXPECT_TRUE(reports->at(0).accepted);
  EXPECT_EQ(getGrid(kernel, 4096), (Blocks{264, 1, 1}));
}
} // namespace
