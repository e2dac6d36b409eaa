//===- LaunchTest.cpp - launches on the fake driver -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters byte by byte, attributes, prepared launches, capture of streams,
// and errors of the driver. KernelTest.cpp tests the choice of variants, and
// LoadTest.cpp the modules.
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include <atomic>
#include <cstring>
#include <limits>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {
using LaunchTest = KernelFixture;

void expectSuccess(const Status &status) {
  EXPECT_TRUE(status) << status.error().message;
}

void expectError(const Status &status, ErrorCode code,
                 const std::string &message) {
  ASSERT_FALSE(status) << message;
  EXPECT_EQ(status.error().code, code);
  EXPECT_EQ(status.error().message, message);
}

template <typename T> uint64_t toBits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

TEST_F(LaunchTest, Indices64) {
  fake::setParameterSizes("copy_bulk", {8, 8, 8, 8});
  Kernel kernel = getKernel("copy");
  CUstream stream = fake::makeStream();
  CopyArguments arguments(int64_t(1) << 33, 0x10000, 0x20000);
  expectSuccess(kernel.launch(arguments.list, 2, stream));
  ASSERT_EQ(fake::getLaunches().size(), 1u);
  fake::Launch launch = fake::getLaunches()[0];
  EXPECT_EQ(launch.function, "copy_bulk");
  EXPECT_EQ(launch.stream, stream);
  EXPECT_EQ(launch.get<uint64_t>(0), 0x10000u);
  EXPECT_EQ(launch.get<int64_t>(1), int64_t(1) << 33);
  EXPECT_EQ(launch.get<uint64_t>(2), 0x20000u);
  EXPECT_EQ(launch.get<int64_t>(3), int64_t(1) << 33);
  // min(ceildiv(n, 4096), sms * 3)
  EXPECT_EQ(launch.grid, (std::array<unsigned, 3>{396, 1, 1}));
  EXPECT_EQ(launch.block, (std::array<unsigned, 3>{64, 1, 1}));
  EXPECT_FALSE(launch.hasCluster);
  EXPECT_EQ(launch.dynamicShared, 65536u);
}

TEST_F(LaunchTest, Indices32) {
  fake::setParameterSizes("scale", {8, 4, 4, 4, 4});
  Kernel kernel = getKernel("scale");
  int64_t extent = 5000;
  Argument arguments[] = {
      Argument::tensor(ElementType::F32, 0x30000, 1, &extent),
      Argument::index(4999), Argument::scalar(ElementType::F32, toBits(1.5f)),
      Argument::scalar(ElementType::I32, uint64_t(int64_t(-7)))};
  expectSuccess(kernel.launch(arguments, 4));
  fake::Launch launch = fake::getLaunches().at(0);
  EXPECT_EQ(launch.get<uint64_t>(0), 0x30000u);
  EXPECT_EQ(launch.get<int32_t>(1), 5000);
  EXPECT_EQ(launch.get<int32_t>(2), 4999);
  EXPECT_EQ(launch.get<float>(3), 1.5f);
  EXPECT_EQ(launch.get<int32_t>(4), -7);
  EXPECT_EQ(launch.grid, (std::array<unsigned, 3>{20, 1, 1}));
}

/// "scale" with one scalar of each type instead.
std::string makeScalarManifest(int indexBits) {
  const char *types[] = {"i1",     "i8",        "i16",  "i32", "i64",
                         "f16",    "bf16",      "f32",  "f64", "f8E4M3FN",
                         "f8E5M2", "f8E8M0FNU", "index"};
  std::string arguments, parameters;
  for (size_t i = 0; i < std::size(types); ++i) {
    std::string separator = i == 0 ? "" : ", ";
    arguments += separator + R"({"name": "a)" + std::to_string(i) +
                 R"(", "kind": "scalar", "access": "in", "element": ")" +
                 types[i] + "\"}";
    // Back to front: the order of parameters is the variant's.
    parameters += separator + R"({"kind": "scalar", "argument": )" +
                  std::to_string(std::size(types) - 1 - i) + "}";
  }
  std::string manifest = makeCopyManifest();
  std::string variant = "/kernels/2/variants/0";
  manifest = setMember(manifest, variant + "/guards", "[]");
  manifest = setMember(manifest, variant + "/grid", "[1, 1, 1]");
  manifest =
      setMember(manifest, variant + "/index_bits", std::to_string(indexBits));
  manifest =
      setMember(manifest, variant + "/parameters", "[" + parameters + "]");
  return setMember(manifest, "/kernels/2/arguments", "[" + arguments + "]");
}

TEST_F(LaunchTest, EveryTypeOfScalar) {
  const uint64_t values[] = {1,
                             uint64_t(int64_t(-2)),
                             uint64_t(int64_t(-300)),
                             uint64_t(int64_t(-70000)),
                             uint64_t(std::numeric_limits<int64_t>::min() + 5),
                             0x3c01,
                             0x3f81,
                             toBits(0.1f),
                             toBits(0.1),
                             0x38,
                             0x7b,
                             0x7f,
                             uint64_t(int64_t(-123456))};
  const ElementType types[] = {
      ElementType::I1,       ElementType::I8,     ElementType::I16,
      ElementType::I32,      ElementType::I64,    ElementType::F16,
      ElementType::BF16,     ElementType::F32,    ElementType::F64,
      ElementType::F8E4M3FN, ElementType::F8E5M2, ElementType::F8E8M0FNU,
      ElementType::Index};
  for (int indexBits : {32, 64}) {
    fake::clearCalls();
    size_t index = size_t(indexBits) / 8;
    fake::setParameterSizes("scale",
                            {index, 1, 1, 1, 8, 4, 2, 2, 8, 4, 2, 1, 1});
    Kernel kernel = getKernel("scale", makeScalarManifest(indexBits));
    std::vector<Argument> arguments;
    for (size_t i = 0; i < std::size(values); ++i)
      arguments.push_back(Argument::scalar(types[i], values[i]));
    expectSuccess(kernel.launch(arguments.data(), arguments.size()));
    fake::Launch launch = fake::getLaunches().at(0);
    for (size_t i = 0; i < std::size(values); ++i) {
      const std::vector<uint8_t> &bytes =
          launch.parameters[std::size(values) - 1 - i];
      EXPECT_EQ(std::memcmp(bytes.data(), &values[i], bytes.size()), 0) << i;
    }
  }
}

TEST_F(LaunchTest, TensorMapsAndStrides) {
  fake::setParameterSizes("copy_ring_2d", {8, 8, 8, 8, 8, 8, 8, 8, 128, 128});
  Kernel kernel = getKernel("copy_2d");
  Copy2DArguments arguments(130, 1000, 1024, 0x10000, 0x80000);
  expectSuccess(kernel.launch(arguments.list, 2));
  fake::Launch launch = fake::getLaunches().at(0);
  EXPECT_EQ(launch.get<int64_t>(1), 130);
  EXPECT_EQ(launch.get<int64_t>(2), 1000);
  EXPECT_EQ(launch.get<int64_t>(3), 1024);
  EXPECT_EQ(launch.get<int64_t>(7), 1024);
  for (size_t i : {0, 1}) {
    auto map = launch.get<fake::EncodedMap>(8 + i);
    EXPECT_EQ(map.magic, fake::EncodedMap::kMagic);
    EXPECT_EQ(map.address, i == 0 ? 0x10000u : 0x80000u);
    EXPECT_EQ(map.extents[0], 1000u);
    EXPECT_EQ(map.extents[1], 130u);
    EXPECT_EQ(map.strides[0], 2048u);
  }
  EXPECT_EQ(launch.grid, (std::array<unsigned, 3>{16, 3, 1}));
  EXPECT_EQ(launch.block, (std::array<unsigned, 3>{128, 1, 1}));
  EXPECT_TRUE(launch.hasCluster);
  EXPECT_EQ(launch.cluster, (std::array<unsigned, 3>{2, 1, 1}));

  // The same maps again come from the cache, a different one doesn't.
  EXPECT_EQ(fake::countCalls("cuTensorMapEncodeTiled"), 2u);
  expectSuccess(kernel.launch(arguments.list, 2));
  EXPECT_EQ(fake::countCalls("cuTensorMapEncodeTiled"), 2u);
  EXPECT_EQ(fake::getLaunches().at(1).parameters, launch.parameters);
  arguments.extents[0] = 129;
  expectSuccess(kernel.launch(arguments.list, 2));
  EXPECT_EQ(fake::countCalls("cuTensorMapEncodeTiled"), 4u);
  EXPECT_EQ(fake::getLaunches().at(2).get<fake::EncodedMap>(9).extents[1],
            129u);
}

TEST_F(LaunchTest, Im2Col) {
  fake::setParameterSizes("gather", {128});
  Kernel kernel = getKernel("gather");
  int64_t extents[] = {8, 14, 64, 128};
  Argument argument = Argument::tensor(ElementType::F16, 0x40000, 4, extents);
  expectSuccess(kernel.launch(&argument, 1));
  fake::Launch launch = fake::getLaunches().at(0);
  EXPECT_EQ(launch.grid, (std::array<unsigned, 3>{3, 8, 132}));
  EXPECT_EQ(launch.block, (std::array<unsigned, 3>{32, 2, 2}));
  auto map = launch.get<fake::EncodedMap>(0);
  EXPECT_EQ(map.kind, uint32_t(fake::Encode::Kind::Im2col));
  EXPECT_EQ(map.extents[0], 128u);
  EXPECT_EQ(map.strides[0], 256u);
}

//===----------------------------------------------------------------------===//
// Prepared launches
//===----------------------------------------------------------------------===//

TEST_F(LaunchTest, PreparedRunsTheSame) {
  fake::setParameterSizes("copy_ring_2d", {8, 8, 8, 8, 8, 8, 8, 8, 128, 128});
  Result<Launch> launch = [&] {
    Kernel kernel = getKernel("copy_2d");
    Copy2DArguments arguments(130, 1000, 1024);
    expectSuccess(kernel.launch(arguments.list, 2));
    return kernel.prepare(arguments.list, 2);
  }(); // keeps alive what it needs
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(fake::countLaunches(), 1u);
  EXPECT_EQ(launch->getVariant().function, "copy_ring_2d");
  EXPECT_EQ(launch->getGrid(), (std::array<uint32_t, 3>{16, 3, 1}));
  CUstream stream = fake::makeStream();
  expectSuccess(launch->run(stream));
  Launch copy = *launch;
  expectSuccess(copy.run());
  std::vector<fake::Launch> launches = fake::getLaunches();
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[1].stream, stream);
  for (size_t i : {1, 2}) {
    EXPECT_EQ(launches[i].parameters, launches[0].parameters);
    EXPECT_EQ(launches[i].grid, launches[0].grid);
    EXPECT_EQ(launches[i].cluster, launches[0].cluster);
    EXPECT_EQ(launches[i].dynamicShared, launches[0].dynamicShared);
  }
}

TEST_F(LaunchTest, ThreadsWithoutAContext) {
  Kernel kernel = getKernel("copy");
  CopyArguments arguments(1024);
  Result<Launch> launch = kernel.prepare(arguments.list, 2);
  ASSERT_TRUE(launch);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j) {
        expectSuccess(launch->run());
        expectSuccess(kernel.launch(arguments.list, 2));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake::countLaunches(), 400u);
  EXPECT_EQ(fake::countCalls("cuCtxPushCurrent"),
            fake::countCalls("cuCtxPopCurrent"));
}

/// Frames and maps of threads must not mix.
TEST_F(LaunchTest, ThreadsWithTheirOwnArguments) {
  std::atomic<unsigned> wrong = 0;
  fake::setKernel("copy_ring_2d", [&](const fake::Launch &launch,
                                      void **parameters) {
    auto word = [&](int i) { return *static_cast<uint64_t *>(parameters[i]); };
    const auto &map = *static_cast<const fake::EncodedMap *>(parameters[8]);
    if (map.address != word(0) || map.extents[1] != word(1) ||
        map.strides[0] != 2 * word(3) || word(4) != word(0) + 0x8000000 ||
        launch.grid[1] != (word(1) + 63) / 64)
      ++wrong;
  });
  Kernel kernel = getKernel("copy_2d");
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < 500; ++i) {
        uint64_t x = 0x10000 + 0x100000 * t + 0x100 * (i % 100);
        Copy2DArguments arguments(int64_t(1 + i % 7 + 64 * t), 100,
                                  int64_t(104 + 8 * (i % 3)), x, x + 0x8000000);
        expectSuccess(kernel.launch(arguments.list, 2));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(fake::countLaunches(), 4000u);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(LaunchTest, DriverRefusesTheLaunch) {
  Kernel kernel = getKernel("copy");
  CopyArguments arguments(1024);
  fake::failNext("cuLaunchKernelEx", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  expectError(kernel.launch(arguments.list, 2), ErrorCode::DriverError,
              "copy_bulk: cuLaunchKernelEx failed: too many resources "
              "requested for launch (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)");
  expectSuccess(kernel.launch(arguments.list, 2));
}

TEST_F(LaunchTest, FailureOnTheDeviceSurfacesAtTheNextCall) {
  Kernel kernel = getKernel("copy");
  CopyArguments bulk(1024), odd(1001);
  expectSuccess(kernel.launch(odd.list, 2));
  fake::setKernelError("copy_bulk", CUDA_ERROR_ILLEGAL_ADDRESS);
  expectSuccess(kernel.launch(bulk.list, 2));
  Status status = kernel.launch(odd.list, 2);
  expectError(status, ErrorCode::LaunchFailed,
              "one of copy_bulk, copy_simple (launched and not waited for, the "
              "latest first) failed on the device: an illegal memory access "
              "was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
  fake::poison(CUDA_SUCCESS);
}

TEST_F(LaunchTest, BlockingNamesTheOne) {
  ContextOptions options;
  options.blocking = true;
  Kernel kernel = getKernel("copy", makeCopyManifest(), options);
  CopyArguments bulk(1024), odd(1001);
  CUstream stream = fake::makeStream();
  expectSuccess(kernel.launch(odd.list, 2, stream));
  EXPECT_EQ(fake::countCalls("cuStreamSynchronize"), 1u);
  fake::setKernelError("copy_bulk", CUDA_ERROR_ILLEGAL_ADDRESS);
  expectError(kernel.launch(bulk.list, 2, stream), ErrorCode::LaunchFailed,
              "copy_bulk failed on the device: an illegal memory access was "
              "encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
  fake::poison(CUDA_SUCCESS);
}

//===----------------------------------------------------------------------===//
// Graph capture
//===----------------------------------------------------------------------===//

constexpr const char *kNotLoaded =
    "expected 'copy_bulk' to be loaded before its stream is captured; "
    "prepare() and loadAll() load it";

TEST_F(LaunchTest, CaptureNeedsALoadedVariant) {
  Kernel kernel = getKernel("copy");
  CopyArguments arguments(1024);
  CUstream stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  expectError(kernel.launch(arguments.list, 2, stream),
              ErrorCode::InvalidArgument, kNotLoaded);
  // The default stream can't be used meanwhile.
  expectError(kernel.launch(arguments.list, 2), ErrorCode::InvalidArgument,
              kNotLoaded);
  EXPECT_EQ(fake::countCalls("cuModuleLoadDataEx"), 0u);

  // Loading elsewhere doesn't spoil the capture.
  expectSuccess(kernel.loadAll());
  expectSuccess(kernel.launch(arguments.list, 2, stream));
  ASSERT_EQ(fake::getLaunches().size(), 1u);
  EXPECT_TRUE(fake::getLaunches()[0].captured);
}

/// Another thread may drop kernels and memory while this one captures.
TEST_F(LaunchTest, NothingElseSpoilsACapture) {
  Context context = open();
  Kernel captured = getKernel("scale");
  int64_t extent = 100;
  Argument arguments[] = {
      Argument::tensor(ElementType::F32, 0x30000, 1, &extent),
      Argument::index(99), Argument::scalar(ElementType::F32, 0),
      Argument::scalar(ElementType::I32, 0)};
  expectSuccess(captured.loadAll());
  unsigned loaded = fake::countLoadedModules();
  CUstream stream = fake::makeStream();
  {
    Kernel kernel = getKernel("copy");
    expectSuccess(kernel.loadAll());
    Result<Buffer> before = Buffer::allocate(context, 16);
    fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    Result<Buffer> during = Buffer::allocate(context, 16);
    EXPECT_TRUE(before && during);
  }
  EXPECT_EQ(fake::countLoadedModules(), loaded);
  EXPECT_EQ(fake::countAllocations(), 0u);
  expectSuccess(captured.launch(arguments, 4, stream));
  EXPECT_TRUE(fake::getLaunches().at(0).captured);
  // The thread's mode is as it was.
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  EXPECT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

TEST_F(LaunchTest, PreparedIsCaptured) {
  Kernel kernel = getKernel("copy_2d");
  Copy2DArguments arguments(130, 1000, 1024);
  Result<Launch> launch = kernel.prepare(arguments.list, 2);
  ASSERT_TRUE(launch);
  CUstream stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  expectSuccess(launch->run(stream));
  // Maps are encoded on the host, so new ones may be.
  arguments.extents[0] = 200;
  expectSuccess(kernel.launch(arguments.list, 2, stream));
  EXPECT_EQ(fake::getLaunches().size(), 2u);
  for (const fake::Launch &captured : fake::getLaunches())
    EXPECT_TRUE(captured.captured);
}

TEST_F(LaunchTest, BlockingDoesNotWaitForACapture) {
  ContextOptions options;
  options.blocking = true;
  Kernel kernel = getKernel("copy", makeCopyManifest(), options);
  CopyArguments arguments(1024);
  expectSuccess(kernel.loadAll());
  CUstream stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  expectSuccess(kernel.launch(arguments.list, 2, stream));
  EXPECT_EQ(fake::countCalls("cuStreamSynchronize"), 0u);
}
} // namespace
