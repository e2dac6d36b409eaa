//===- KernelTest.cpp - choice of variants --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lookup, the choice of a variant, and the reasons. LaunchTest.cpp tests the
// launch itself.
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {
using KernelTest = KernelFixture;

/// The variant that a launch of these arguments runs, or the error's message.
std::string choose(const Kernel &kernel, const Argument *arguments,
                   size_t count) {
  fake::clearCalls();
  Status status = kernel.launch(arguments, count);
  if (!status)
    return status.error().message;
  std::vector<fake::Launch> launches = fake::getLaunches();
  return launches.size() == 1 ? launches[0].function : "no launch";
}

std::string choose(const Kernel &kernel, const CopyArguments &arguments) {
  return choose(kernel, arguments.list, 2);
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

TEST_F(KernelTest, UnknownName) {
  Package package = writeAndOpen(makeCopyManifest());
  Result<Kernel> kernel = Kernel::get(open(), package, "copy_3d");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, ErrorCode::NotFound);
  EXPECT_EQ(kernel.error().message, "expected a kernel of " +
                                        package.getDirectory() +
                                        " (copy, copy_2d, scale, gather), got "
                                        "'copy_3d'");
  // A message is one line.
  kernel = Kernel::get(open(), package, "a\nb");
  ASSERT_FALSE(kernel);
  EXPECT_NE(kernel.error().message.find("got 'a\\x0ab'"), std::string::npos);
}

TEST_F(KernelTest, LookupLoadsNothing) {
  Kernel kernel = getKernel("copy");
  EXPECT_EQ(kernel.getInfo().name, "copy");
  EXPECT_EQ(fake::countCalls("cuModuleLoadDataEx"), 0u);
  CopyArguments arguments(1024);
  ASSERT_TRUE(kernel.explain(arguments.list, 2));
  EXPECT_EQ(fake::countCalls("cuModuleLoadDataEx"), 0u);
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

TEST_F(KernelTest, FirstVariantThatHolds) {
  Kernel kernel = getKernel("copy");
  EXPECT_EQ(choose(kernel, CopyArguments(1024)), "copy_bulk");
  EXPECT_EQ(choose(kernel, CopyArguments(4)), "copy_bulk");
  EXPECT_EQ(choose(kernel, CopyArguments(1001)), "copy_simple");
  EXPECT_EQ(choose(kernel, CopyArguments(1024, 0x10004)), "copy_simple");
  EXPECT_EQ(choose(kernel, CopyArguments(1024, 0x10000, 0x20008)),
            "copy_simple");
  // Also after one was refused.
  EXPECT_EQ(choose(kernel, CopyArguments(2048)), "copy_bulk");
}

TEST_F(KernelTest, OlderDevice) {
  fake::setDevices({makeDevice(8)});
  Kernel kernel = getKernel("copy");
  CopyArguments arguments(1024);
  EXPECT_EQ(choose(kernel, arguments), "copy_simple");
  Result<std::vector<VariantReport>> reports =
      kernel.explain(arguments.list, 2);
  ASSERT_TRUE(reports);
  ASSERT_EQ(reports->size(), 2u);
  EXPECT_EQ((*reports)[0].function, "copy_bulk");
  EXPECT_FALSE((*reports)[0].accepted);
  EXPECT_EQ((*reports)[0].reasons,
            (std::vector<std::string>{
                "expected a device that runs code for sm_90a, got compute "
                "capability 8.0",
                "expected compute capability 9.0 or later, got 8.0"}));
  EXPECT_TRUE((*reports)[1].accepted);
  EXPECT_TRUE((*reports)[1].reasons.empty());
}

TEST_F(KernelTest, NewerDeviceRunsNoCodeForOneChip) {
  fake::setDevices({makeDevice(10)});
  Kernel kernel = getKernel("copy");
  CopyArguments arguments(1024);
  EXPECT_EQ(choose(kernel, arguments), "copy_simple");
  EXPECT_EQ((*kernel.explain(arguments.list, 2))[0].reasons,
            std::vector<std::string>{
                "expected a device that runs code for sm_90a, got compute "
                "capability 10.0"});
}

TEST_F(KernelTest, VariantThatTheBestImageLacks) {
  // Two chips in one module; the variant is in the code for the older one.
  std::string manifest = makeCopyManifest();
  manifest = setMember(manifest, "/modules/1/images/-",
                       R"({"chip": "sm_90", "kind": "ptx",
                           "file": "simple.sm_90.ptx", "bytes": 0,
                           "hash": "0000000000000000000000000000000000000000000000000000000000000000"})");
  Kernel kernel = getKernel("copy", manifest);
  EXPECT_EQ(choose(kernel, CopyArguments(1001)),
            "no variant of 'copy' takes these arguments: copy_bulk: expected "
            "x.extent(0) to be a multiple of 4, got 1001; copy_simple: "
            "expected a variant for sm_90, which the device runs best, got one "
            "for sm_80");
}

TEST_F(KernelTest, NoVariantSaysWhyInOneLine) {
  Kernel kernel = getKernel("copy");
  CopyArguments arguments(1001);
  int64_t other = 1002;
  arguments.list[1].extents = &other;
  Status status = kernel.launch(arguments.list, 2);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::NoVariant);
  EXPECT_EQ(status.error().message,
            "no variant of 'copy' takes these arguments: copy_bulk: expected "
            "x.extent(0) and y.extent(0) to be equal, got 1001 and 1002, "
            "expected x.extent(0) to be a multiple of 4, got 1001; "
            "copy_simple: expected x.extent(0) and y.extent(0) to be equal, "
            "got 1001 and 1002");
  EXPECT_EQ(fake::countCalls("cuModuleLoadDataEx"), 0u);
}

TEST_F(KernelTest, WrongArgumentsBeforeAnyVariant) {
  Kernel kernel = getKernel("copy");
  CopyArguments arguments(1024);
  EXPECT_EQ(choose(kernel, arguments.list, 1),
            "expected 2 arguments (x, y), got 1");
  arguments.list[1].data = 0;
  EXPECT_EQ(choose(kernel, arguments),
            "y: expected a device address, got null");
  EXPECT_FALSE(kernel.explain(arguments.list, 2));
  EXPECT_FALSE(kernel.prepare(arguments.list, 2));
  EXPECT_FALSE(kernel.prepareVariant("copy_simple", arguments.list, 2));
}

TEST_F(KernelTest, Index32) {
  Kernel kernel = getKernel("copy");
  // Odd, so that the first variant is out; one element too many for 32 bits.
  EXPECT_EQ(choose(kernel, CopyArguments((int64_t(1) << 31) - 1)),
            "copy_simple");
  EXPECT_EQ(choose(kernel, CopyArguments((int64_t(1) << 31) + 1)),
            "no variant of 'copy' takes these arguments: copy_bulk: expected "
            "x.extent(0) to be a multiple of 4, got 2147483649; copy_simple: "
            "expected x.extent(0) to fit 32-bit indices, got 2147483649");
  EXPECT_EQ(choose(kernel, CopyArguments(int64_t(1) << 31)), "copy_bulk");
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

/// "copy" with its first variant's grid and cluster replaced, and only it.
std::string withGrid(std::string_view grid, std::string_view cluster) {
  std::string manifest = makeCopyManifest();
  manifest = removeMember(manifest, "/kernels/0/variants/1");
  manifest = setMember(manifest, "/kernels/0/variants/0/grid", grid);
  return setMember(manifest, "/kernels/0/variants/0/cluster", cluster);
}

TEST_F(KernelTest, GridLimits) {
  struct Case {
    const char *grid;
    int64_t n;
    const char *outcome;
  };
  const std::string prefix =
      "no variant of 'copy' takes these arguments: copy_bulk: ";
  const Case cases[] = {
      {R"([["extent", 0, 0], 1, 1])", INT32_MAX - 3, "copy_bulk"},
      {R"([["extent", 0, 0], 1, 1])", int64_t(1) << 31,
       "expected a grid of 0 to 2147483647 blocks in x, got 2147483648 from "
       "x.extent(0)"},
      {R"([1, ["add", ["extent", 0, 0], 3], 1])", 65532, "copy_bulk"},
      {R"([1, ["extent", 0, 0], 1])", 65536,
       "expected a grid of 0 to 65535 blocks in y, got 65536 from "
       "x.extent(0)"},
      {R"([1, 1, ["extent", 0, 0]])", 65536,
       "expected a grid of 0 to 65535 blocks in z, got 65536 from "
       "x.extent(0)"},
      {R"([["sub", ["extent", 0, 0], 9], 1, 1])", 8,
       "expected a grid of 0 to 2147483647 blocks in x, got -1 from "
       "x.extent(0) - 9"},
      {R"([["floordiv", 8, ["sub", ["extent", 0, 0], 8]], 1, 1])", 8,
       "expected the divisor x.extent(0) - 8 of floordiv(8, x.extent(0) - 8) "
       "to be positive, got 0"},
      {R"([["mul", "sms", 2], 1, 1])", 8, "copy_bulk"},
  };
  for (const Case &test : cases) {
    Kernel kernel = getKernel("copy", withGrid(test.grid, "[1, 1, 1]"));
    std::string outcome = test.outcome;
    EXPECT_EQ(choose(kernel, CopyArguments(test.n)),
              outcome == "copy_bulk" ? outcome : prefix + outcome);
  }
}

TEST_F(KernelTest, GridOfWholeClusters) {
  Kernel kernel =
      getKernel("copy", withGrid(R"([["extent", 0, 0], 4, 6])", "[4, 2, 2]"));
  EXPECT_EQ(choose(kernel, CopyArguments(8)), "copy_bulk");
  kernel =
      getKernel("copy", withGrid(R"([["floordiv", ["extent", 0, 0], 2], 3, 1])",
                                 "[4, 2, 1]"));
  EXPECT_EQ(choose(kernel, CopyArguments(12)),
            "no variant of 'copy' takes these arguments: copy_bulk: expected a "
            "grid of whole clusters of 4 blocks in x, got 6 from "
            "floordiv(x.extent(0), 2), expected a grid of whole clusters of 2 "
            "blocks in y, got 3 from 3");
}

TEST_F(KernelTest, EmptyGridDoesNothing) {
  Kernel kernel = getKernel("copy");
  CopyArguments empty(0, 0, 0);
  EXPECT_EQ(choose(kernel, empty), "no launch");
  EXPECT_EQ(fake::countCalls("cuModuleLoadDataEx"), 0u);

  // No rule of tensor maps is in the way of empty tensors.
  Kernel copy2D = getKernel("copy_2d");
  Copy2DArguments rows(0, 100, 104);
  EXPECT_EQ(choose(copy2D, rows.list, 2), "no launch");
  EXPECT_EQ(fake::countCalls("cuTensorMapEncodeTiled"), 0u);
  Result<Launch> launch = copy2D.prepare(rows.list, 2);
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(launch->getGrid(), (std::array<uint32_t, 3>{2, 0, 1}));
  EXPECT_TRUE(launch->run());
  EXPECT_EQ(fake::countLaunches(), 0u);
}

//===----------------------------------------------------------------------===//
// Devices and their limits
//===----------------------------------------------------------------------===//

TEST_F(KernelTest, SharedMemory) {
  fake::Device device = makeDevice(9);
  device.sharedPerBlockOptin = 65535;
  fake::setDevices({device});
  Kernel kernel = getKernel("copy");
  CopyArguments arguments(1024);
  EXPECT_EQ((*kernel.explain(arguments.list, 2))[0].reasons,
            std::vector<std::string>{
                "expected at most 65535 bytes of shared memory, got 65536"});
  EXPECT_EQ(choose(kernel, arguments), "copy_simple");
}

TEST_F(KernelTest, ClustersAndMapsOfOlderDevices) {
  fake::setDevices({makeDevice(8, 9)});
  std::string manifest = makeCopyManifest();
  manifest = setMember(manifest, "/kernels/1/variants/0/module", "\"simple\"");
  manifest = setMember(manifest, "/kernels/1/variants/0/chips", R"(["sm_80"])");
  manifest = setMember(manifest, "/kernels/1/variants/0/guards", "[]");
  Kernel kernel = getKernel("copy_2d", manifest);
  Copy2DArguments arguments(128, 128, 128);
  EXPECT_EQ((*kernel.explain(arguments.list, 2))[0].reasons,
            (std::vector<std::string>{
                "expected compute capability 9.0 or later for clusters, got "
                "8.9",
                "x: expected compute capability 9.0 or later for this tensor "
                "map, got 8.9",
                "y: expected compute capability 9.0 or later for this tensor "
                "map, got 8.9"}));
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

TEST_F(KernelTest, RulesOfTensorMapsAreGuards) {
  Kernel kernel = getKernel("copy_2d");
  Copy2DArguments good(128, 1000, 1000);
  EXPECT_EQ(choose(kernel, good.list, 2), "copy_ring_2d");
  Copy2DArguments stride(128, 1000, 1001);
  EXPECT_EQ(choose(kernel, stride.list, 2),
            "no variant of 'copy_2d' takes these arguments: copy_ring_2d: x: "
            "expected global strides at multiples of 16 bytes, got 2002 in "
            "dimension 0, y: expected global strides at multiples of 16 bytes, "
            "got 2002 in dimension 0");
  Copy2DArguments address(128, 1000, 1000, 0x10000, 0x20008);
  EXPECT_EQ(choose(kernel, address.list, 2),
            "no variant of 'copy_2d' takes these arguments: copy_ring_2d: y: "
            "expected an address at a multiple of 16 bytes, got 0x20008");
  EXPECT_EQ(fake::countCalls("cuTensorMapEncodeTiled"), 0u);
  // And of a request that is in the cache.
  EXPECT_EQ(choose(kernel, good.list, 2), "copy_ring_2d");
  EXPECT_EQ(fake::countCalls("cuTensorMapEncodeTiled"), 0u);
}

/// No address depends on the row stride of one row: neither a map's nor what a
/// guard says of it is a reason to refuse it.
TEST_F(KernelTest, StrideOfOneRow) {
  Kernel kernel = getKernel("copy_2d");
  Copy2DArguments one(1, 1000, 1001);
  EXPECT_EQ(choose(kernel, one.list, 2), "copy_ring_2d");
  for (const fake::Encode &encode : fake::getEncodes())
    EXPECT_EQ(encode.strides, std::vector<uint64_t>{16});
  Copy2DArguments two(2, 1000, 1001);
  EXPECT_NE(choose(kernel, two.list, 2), "copy_ring_2d");

  std::string guards = "/kernels/1/variants/0/guards";
  fake::setParameterSizes("copy_ring_2d", {8, 8, 8, 8, 8, 8, 8, 8, 128, 128});
  Kernel divisible = getKernel(
      "copy_2d", setMember(makeCopyManifest(), guards,
                           R"([{"kind": "divisible", "value": ["stride", 0, 0],
                     "by": 8}])"));
  ASSERT_EQ(choose(divisible, one.list, 2), "copy_ring_2d");
  // The kernel gets a stride that the guard holds for.
  EXPECT_EQ(fake::getLaunches().at(0).get<int64_t>(3), 0);
  EXPECT_NE(choose(divisible, two.list, 2), "copy_ring_2d");
  Result<std::vector<VariantReport>> reports = divisible.explain(two.list, 2);
  ASSERT_TRUE(reports);
  EXPECT_EQ(reports->at(0).reasons.at(0),
            "expected x.stride(0) to be a multiple of 8, got 1001");
  Result<Launch> launch = divisible.prepare(one.list, 2);
  EXPECT_TRUE(launch) << launch.error().message;

  // Where the given one holds, it stays.
  Kernel equal = getKernel(
      "copy_2d", setMember(makeCopyManifest(), guards,
                           R"([{"kind": "equal", "left": ["stride", 0, 0],
                                "right": ["extent", 0, 1]}])"));
  Copy2DArguments contiguous(1, 1001, 1001);
  ASSERT_EQ(choose(equal, contiguous.list, 2), "copy_ring_2d");
  EXPECT_EQ(fake::getLaunches().at(0).get<int64_t>(3), 1001);
  EXPECT_NE(choose(equal, one.list, 2), "copy_ring_2d");
}

TEST_F(KernelTest, MapExtentsThatOverflow) {
  std::string manifest = setMember(
      makeCopyManifest(), "/kernels/1/variants/0/tensor_maps/0/strides/0",
      R"(["mul", ["stride", 0, 0], 4611686018427387904])");
  Kernel kernel = getKernel("copy_2d", manifest);
  Copy2DArguments arguments(128, 128, 128);
  EXPECT_EQ(choose(kernel, arguments.list, 2),
            "no variant of 'copy_2d' takes these arguments: copy_ring_2d: "
            "expected x.stride(0) * 4611686018427387904 to fit 64 bits, got "
            "128 * 4611686018427387904");
}

//===----------------------------------------------------------------------===//
// A variant of one's own
//===----------------------------------------------------------------------===//

TEST_F(KernelTest, PrepareVariant) {
  Kernel kernel = getKernel("copy");
  CopyArguments good(1024), odd(1001);
  Result<Launch> launch = kernel.prepareVariant("copy_simple", good.list, 2);
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(launch->getVariant().function, "copy_simple");
  EXPECT_EQ(launch->getGrid(), (std::array<uint32_t, 3>{4, 1, 1}));

  launch = kernel.prepareVariant("copy_bulk", odd.list, 2);
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.error().code, ErrorCode::NoVariant);
  EXPECT_EQ(launch.error().message,
            "variant 'copy_bulk' of 'copy' doesn't take these arguments: "
            "expected x.extent(0) to be a multiple of 4, got 1001");

  launch = kernel.prepareVariant("copy", good.list, 2);
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.error().code, ErrorCode::NotFound);
  EXPECT_EQ(launch.error().message,
            "expected a variant of 'copy' (copy_bulk, copy_simple), got "
            "'copy'");
}
} // namespace
