//===- FakeDriverTest.cpp - the fake is as strict as the driver -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the behaviour that other tests rely on: limits of a launch, capture,
// the chip of a cubin, logs, rules of tensor maps. Calls the functions
// directly.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

using namespace carousel;

namespace {

/// A map of 128x256 bf16 with boxes of 8 rows.
CUresult encodeMap(CUtensorMap *map, uint64_t address, uint32_t box) {
  uint64_t extents[] = {256, 128}, strides[] = {512};
  uint32_t boxes[] = {box, 8}, elementStrides[] = {1, 1};
  return cuTensorMapEncodeTiled(
      map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2,
      reinterpret_cast<void *>(address), extents, strides, boxes,
      elementStrides, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

class FakeDriverTest : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxPushCurrent(context), CUDA_SUCCESS);
  }

  CUfunction getFunction(const char *name) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleLoadDataEx(&module, "FAKECUBIN", 0, nullptr, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    return function;
  }

  CUresult launch(CUfunction function, unsigned grid, unsigned block,
                  unsigned cluster = 0, unsigned shared = 0,
                  CUstream stream = nullptr, void **parameters = nullptr) {
    CUlaunchConfig config = {};
    config.gridDimX = grid;
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = block;
    config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = shared;
    config.hStream = stream;
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {cluster, 1, 1};
    config.attrs = &attribute;
    config.numAttrs = cluster > 0;
    return cuLaunchKernelEx(&config, function, parameters, nullptr);
  }

  CUcontext context = nullptr;
};

TEST_F(FakeDriverTest, LimitsOfALaunch) {
  CUfunction function = getFunction("f");
  EXPECT_EQ(launch(function, 1, 1024), CUDA_SUCCESS);
  EXPECT_EQ(launch(function, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(function, 1, 1025), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(function, 4, 1, 2), CUDA_SUCCESS);
  EXPECT_EQ(launch(function, 5, 1, 2), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch(function, 16, 1, 16), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch(function, 1, 1, 0, 49153), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuFuncSetAttribute(function,
                               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               65536),
            CUDA_SUCCESS);
  EXPECT_EQ(launch(function, 1, 1, 0, 65536), CUDA_SUCCESS);
  EXPECT_EQ(cuFuncSetAttribute(function,
                               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               232449),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fake::countLaunches(), 3u);
  EXPECT_EQ(fake::getLaunches()[1].cluster, (std::array<unsigned, 3>{2, 1, 1}));
  EXPECT_FALSE(fake::getLaunches()[0].hasCluster);
}

TEST_F(FakeDriverTest, NeedsAContext) {
  CUfunction function = getFunction("f");
  CUcontext popped = nullptr;
  ASSERT_EQ(cuCtxPopCurrent(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, context);
  EXPECT_EQ(launch(function, 1, 1), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxPopCurrent(&popped), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_EQ(cuCtxPushCurrent(context), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  EXPECT_EQ(launch(function, 1, 1), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST_F(FakeDriverTest, SetsTheCurrentContext) {
  CUcontext current = nullptr;
  ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, nullptr);
  CUtensorMap map;
  EXPECT_EQ(encodeMap(&map, 4096, 64), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  EXPECT_EQ(encodeMap(&map, 4096, 64), CUDA_SUCCESS);
  // It replaced the context that was there.
  ASSERT_EQ(cuCtxPopCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, context);
  EXPECT_EQ(cuCtxPopCurrent(&current), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(FakeDriverTest, RunsHostKernelsWithParameters) {
  fake::installKernels();
  CUfunction copy = getFunction("copy_1d");
  CUdeviceptr x = 0, y = 0;
  ASSERT_EQ(cuMemAlloc(&x, 64), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc(&y, 64), CUDA_SUCCESS);
  std::array<float, 16> in, out = {};
  std::iota(in.begin(), in.end(), 1.0f);
  ASSERT_EQ(cuMemcpyHtoDAsync(x, in.data(), 64, nullptr), CUDA_SUCCESS);
  int64_t n = 16;
  void *parameters[] = {&x, &n, &y, &n};
  ASSERT_EQ(launch(copy, 1, 32, 0, 0, nullptr, parameters), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoHAsync(out.data(), y, 64, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(in, out);
  fake::Launch record = fake::getLaunches().at(0);
  EXPECT_EQ(record.get<uint64_t>(2), y);
  EXPECT_EQ(record.get<int64_t>(3), 16);
  size_t offset = 0, bytes = 0;
  EXPECT_EQ(cuFuncGetParamInfo(copy, 3, &offset, &bytes), CUDA_SUCCESS);
  EXPECT_EQ(offset, 24u);
  EXPECT_EQ(bytes, 8u);
  EXPECT_EQ(cuFuncGetParamInfo(copy, 4, &offset, &bytes),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeDriverTest, AKernelThatFailsPoisonsTheContext) {
  fake::setKernelError("bad", CUDA_ERROR_ILLEGAL_ADDRESS);
  CUfunction good = getFunction("good"), bad = getFunction("bad");
  EXPECT_EQ(launch(bad, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(launch(good, 1, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(fake::countLaunches(), 1u);
  EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(FakeDriverTest, FailsTheCallThatItWasToldTo) {
  fake::failNext("cuStreamSynchronize", CUDA_ERROR_UNKNOWN, 1, 2);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(fake::countCalls("cuStreamSynchronize"), 4u);
}

TEST_F(FakeDriverTest, Capture) {
  fake::setKernelError("f", CUDA_ERROR_ILLEGAL_ADDRESS); // isn't run
  CUfunction function = getFunction("f");
  CUstream stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(launch(function, 1, 1, 0, 0, stream), CUDA_SUCCESS);
  EXPECT_TRUE(fake::getLaunches().at(0).captured);
  EXPECT_EQ(launch(function, 1, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CUdeviceptr address = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  ASSERT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc(&address, 16), CUDA_SUCCESS);
  ASSERT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cuMemAlloc(&address, 16), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  EXPECT_EQ(cuStreamIsCapturing(stream, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
}

TEST_F(FakeDriverTest, ChipsOfCubins) {
  CUmodule module = nullptr;
  for (const char *image : {"FAKECUBIN", "FAKECUBIN sm_90a x",
                            "FAKECUBIN sm_90", "\177ELF", ".version 8.0\n"})
    EXPECT_EQ(cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr),
              CUDA_SUCCESS)
        << image;
  for (const char *image :
       {"FAKECUBIN sm_80", "FAKECUBIN sm_100a", "FAKECUBIN sm_91"})
    EXPECT_EQ(cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr),
              CUDA_ERROR_NO_BINARY_FOR_GPU)
        << image;
  EXPECT_EQ(cuModuleLoadDataEx(&module, "something", 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_IMAGE);
}

TEST_F(FakeDriverTest, TheCompilerWritesItsLog) {
  char log[64] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadDataEx(&module, "// ret;", 2, options, values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(std::string(log).find("ptxas fatal"), 0u);
  EXPECT_EQ(cuModuleLoadDataEx(&module, ".version 8.0", 2, options, values),
            CUDA_SUCCESS);
}

TEST_F(FakeDriverTest, RulesOfTensorMaps) {
  CUtensorMap first, second;
  ASSERT_EQ(encodeMap(&first, 4096, 64), CUDA_SUCCESS);
  ASSERT_EQ(encodeMap(&second, 4096, 64), CUDA_SUCCESS);
  EXPECT_EQ(memcmp(&first, &second, sizeof(first)), 0);
  fake::EncodedMap map;
  memcpy(&map, &first, sizeof(map));
  EXPECT_EQ(map.magic, fake::EncodedMap::kMagic);
  EXPECT_EQ(map.address, 4096u);
  EXPECT_EQ(map.box[0], 64u);
  ASSERT_EQ(encodeMap(&second, 8192, 64), CUDA_SUCCESS);
  EXPECT_NE(memcmp(&first, &second, sizeof(first)), 0);
  EXPECT_EQ(encodeMap(&first, 4100, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(encodeMap(&first, 4096, 72), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(encodeMap(&first, 4096, 12), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fake::getEncodes().size(), 3u);
}

TEST_F(FakeDriverTest, EventsTimeLaunches) {
  fake::setLaunchMilliseconds({1, 3});
  CUfunction function = getFunction("f");
  CUevent start = nullptr, end = nullptr;
  ASSERT_EQ(cuEventCreate(&start, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&end, 0), CUDA_SUCCESS);
  float time = 0;
  EXPECT_EQ(cuEventElapsedTime(&time, start, end), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cuEventRecord(start, nullptr), CUDA_SUCCESS);
  launch(function, 1, 1);
  launch(function, 1, 1);
  launch(function, 1, 1);
  ASSERT_EQ(cuEventRecord(end, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuEventElapsedTime(&time, start, end), CUDA_SUCCESS);
  EXPECT_EQ(time, 5.0f);
  EXPECT_EQ(cuEventDestroy(start), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy(start), CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
