//===- ContextTest.cpp - opening a device, and its errors -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context/ContextImpl.h"
#include "FakeDriver.h"

#include "carousel/Runtime/Manifest.h"

#include <gtest/gtest.h>

#include <thread>

using namespace carousel;
using namespace carousel::runtime;

namespace {

ContextOptions getOptions(int device = 0) {
  ContextOptions options;
  options.device = device;
  options.libraries.driver = CAROUSEL_FAKE_DRIVER;
  options.cacheBytes = 0;
  return options;
}

class ContextTest : public testing::Test {
protected:
  void SetUp() override { fake::reset(); }

  static Context create(int device = 0) {
    Result<Context> context = Context::create(getOptions(device));
    EXPECT_TRUE(context) << context.error().message;
    return *context;
  }

  /// The error of opening a device with the fake as it is.
  static Error getError(int device = 0) {
    Result<Context> context = Context::create(getOptions(device));
    if (context) {
      ADD_FAILURE() << "expected an error";
      return {ErrorCode::IOError, ""};
    }
    return context.error();
  }
};

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

TEST_F(ContextTest, NoDriver) {
  ContextOptions options = getOptions();
  options.libraries.driver = "/none/libcuda.so.1";
  Result<Context> context = Context::create(options);
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().code, ErrorCode::NoLibrary);
  EXPECT_EQ(context.error().message,
            "no NVIDIA driver: can't load /none/libcuda.so.1 (cannot open "
            "shared object file: No such file or directory)");
  EXPECT_EQ(fake::getCalls().size(), 0u);
}

TEST_F(ContextTest, ManifestsNeedNoDriver) {
  Result<Manifest> manifest = parseManifest(
      R"({"format": "carousel-package", "version": 1, "producer": "test",
          "modules": [], "kernels": []})");
  EXPECT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(fake::getCalls().size(), 0u);
}

TEST_F(ContextTest, SaysWhatTheDeviceIs) {
  fake::Device device;
  device.name = "Fake B";
  device.major = 12;
  device.minor = 1;
  device.multiprocessors = 7;
  device.sharedPerBlockOptin = 101376;
  device.l2Bytes = 1 << 20;
  fake::setDevices({fake::Device(), device});
  fake::setDriverVersion(12080);
  Context context = create(1);
  const DeviceInfo &info = context.getDevice();
  EXPECT_EQ(info.name, "Fake B");
  EXPECT_EQ(info.ordinal, 1);
  EXPECT_EQ(info.computeCapability, 121);
  EXPECT_EQ(info.multiprocessors, 7);
  EXPECT_EQ(info.driverVersion, 12080);
  EXPECT_EQ(info.maxSharedPerBlock, 101376u);
  EXPECT_EQ(info.l2Bytes, uint64_t(1) << 20);
}

TEST_F(ContextTest, NoDevice) {
  fake::setDevices({});
  Error error = getError();
  EXPECT_EQ(error.code, ErrorCode::NotFound);
  EXPECT_EQ(error.message, "no NVIDIA GPU: no CUDA-capable device is detected "
                           "(CUDA_ERROR_NO_DEVICE)");
}

TEST_F(ContextTest, StubOfTheToolkit) {
  // All functions of the stub return this, those of error texts too.
  for (const char *function :
       {"cuDriverGetVersion", "cuInit", "cuGetErrorName", "cuGetErrorString"})
    fake::failNext(function, CUDA_ERROR_STUB_LIBRARY);
  Error error = getError();
  EXPECT_EQ(error.code, ErrorCode::NoLibrary);
  EXPECT_EQ(error.message, "no NVIDIA driver: " CAROUSEL_FAKE_DRIVER
                           " is a CUDA toolkit's stub for linking");
}

TEST_F(ContextTest, OldDriver) {
  fake::setDriverVersion(11080);
  Error error = getError();
  EXPECT_EQ(error.code, ErrorCode::NoLibrary);
  EXPECT_EQ(error.message, "the NVIDIA driver is too old: expected one for "
                           "CUDA 12.0 or later, got 11.8");
  EXPECT_EQ(fake::countCalls("cuInit"), 0u);
  fake::setDriverVersion(12000);
  EXPECT_TRUE(Context::create(getOptions()));
}

TEST_F(ContextTest, DeviceOutOfRange) {
  EXPECT_EQ(getError(5).message, "expected device 0, the only one, got 5");
  fake::setDevices({fake::Device(), fake::Device()});
  EXPECT_EQ(getError(5).message, "expected a device of 0 to 1, got 5");
  EXPECT_EQ(getError(2).message, "expected a device of 0 to 1, got 2");
  EXPECT_EQ(getError(-1).message, "expected a device of 0 to 1, got -1");
  EXPECT_EQ(getError(2).code, ErrorCode::NotFound);
  EXPECT_TRUE(Context::create(getOptions(1)));
}

TEST_F(ContextTest, EveryDriverCallOfCreateMayFail) {
  for (const char *function :
       {"cuDriverGetVersion", "cuInit", "cuDeviceGetCount", "cuDeviceGet",
        "cuDeviceGetName", "cuDeviceGetAttribute",
        "cuDevicePrimaryCtxRetain"}) {
    fake::failNext(function, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
    Error error = getError();
    EXPECT_EQ(error.code, ErrorCode::DriverError);
    EXPECT_EQ(error.message,
              std::string(function) +
                  " failed: system has unsupported display driver / cuda "
                  "driver combination (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)");
    EXPECT_EQ(fake::countRetains(), 0u);
  }
}

TEST_F(ContextTest, CodesWithoutAName) {
  fake::failNext("cuInit", static_cast<CUresult>(1000));
  EXPECT_EQ(getError().message,
            "cuInit failed: error 1000, which the driver has no name for");
}

//===----------------------------------------------------------------------===//
// Lifetime and the current context
//===----------------------------------------------------------------------===//

TEST_F(ContextTest, CopiesRetainThePrimaryContextOnce) {
  {
    Context context = create();
    EXPECT_EQ(fake::countRetains(), 1u);
    Context copy = context;
    context = copy;
    EXPECT_EQ(fake::countRetains(), 1u);
    Context another = create();
    EXPECT_EQ(fake::countRetains(), 2u);
  }
  EXPECT_EQ(fake::countRetains(), 0u);
}

TEST_F(ContextTest, ReleaseAfterTheDriverShutDown) {
  {
    Context context = create();
    fake::setDeinitialized(true);
    Status status = context.synchronize();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message,
              "cuCtxGetCurrent failed: driver shutting down "
              "(CUDA_ERROR_DEINITIALIZED)");
  }
  EXPECT_EQ(fake::countCalls("cuDevicePrimaryCtxRelease"), 1u);
}

/// The context current on this thread.
CUcontext getCurrent(const Context &context) {
  CUcontext current = nullptr;
  context.getImpl().driver->cuCtxGetCurrent(&current);
  return current;
}

TEST_F(ContextTest, IsCurrentWithinTheScopeOnly) {
  fake::setDevices({fake::Device(), fake::Device()});
  Context first = create(0), second = create(1);
  EXPECT_EQ(getCurrent(first), nullptr);
  {
    CurrentContext outer(first.getImpl());
    ASSERT_TRUE(outer.getStatus());
    EXPECT_EQ(getCurrent(first), first.getImpl().context);
    {
      CurrentContext inner(second.getImpl());
      ASSERT_TRUE(inner.getStatus());
      EXPECT_EQ(getCurrent(first), second.getImpl().context);
    }
    EXPECT_EQ(getCurrent(first), first.getImpl().context);
  }
  EXPECT_EQ(getCurrent(first), nullptr);
}

TEST_F(ContextTest, OneCallWhereItIsCurrent) {
  Context context = create();
  CurrentContext outer(context.getImpl());
  fake::clearCalls();
  {
    CurrentContext inner(context.getImpl());
    ASSERT_TRUE(inner.getStatus());
  }
  std::vector<fake::Call> calls = fake::getCalls();
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].function, "cuCtxGetCurrent");
}

TEST_F(ContextTest, ReportsAContextThatCannotBeCurrent) {
  Context context = create();
  fake::failNext("cuCtxPushCurrent", CUDA_ERROR_INVALID_CONTEXT);
  Status status = context.synchronize();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::ContextLost);
  EXPECT_EQ(status.error().message, "cuCtxPushCurrent failed: invalid device "
                                    "context (CUDA_ERROR_INVALID_CONTEXT)");
  EXPECT_EQ(fake::countCalls("cuStreamSynchronize"), 0u);
  EXPECT_EQ(fake::countCalls("cuCtxPopCurrent"), 0u);
}

TEST_F(ContextTest, KeptNamesStay) {
  Context context = create();
  std::string name = "copy_1d";
  const char *kept = context.getImpl().keepName(name);
  for (int i = 0; i < 1000; ++i)
    context.getImpl().keepName("kernel_" + std::to_string(i));
  name[0] = 'x';
  EXPECT_STREQ(kept, "copy_1d");
  EXPECT_EQ(context.getImpl().keepName("copy_1d"), kept);
}

//===----------------------------------------------------------------------===//
// Errors of calls and of kernels
//===----------------------------------------------------------------------===//

TEST_F(ContextTest, AnErrorOfTheCall) {
  Context context = create();
  context.getImpl().noteLaunch("copy_1d", nullptr);
  fake::failNext("cuStreamSynchronize", CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  Status status = context.synchronize();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::DriverError);
  // The driver's text ends with a full stop.
  EXPECT_EQ(status.error().message,
            "cuStreamSynchronize failed: the provided PTX was compiled with an "
            "unsupported toolchain (CUDA_ERROR_UNSUPPORTED_PTX_VERSION)");
  EXPECT_TRUE(context.synchronize());
}

class KernelErrorTest : public ContextTest,
                        public testing::WithParamInterface<CUresult> {};

TEST_P(KernelErrorTest, NamesTheKernelAtEveryLaterCall) {
  Context context = create();
  context.getImpl().noteLaunch("copy_1d", nullptr);
  fake::poison(GetParam());
  for (int i = 0; i < 2; ++i) {
    Status status = context.synchronize();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::LaunchFailed);
    EXPECT_EQ(status.error().message.find("copy_1d failed on the device: "), 0u)
        << status.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Codes, KernelErrorTest,
    testing::Values(CUDA_ERROR_CONTAINED, CUDA_ERROR_ILLEGAL_ADDRESS,
                    CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_ASSERT,
                    CUDA_ERROR_HARDWARE_STACK_ERROR,
                    CUDA_ERROR_ILLEGAL_INSTRUCTION,
                    CUDA_ERROR_MISALIGNED_ADDRESS,
                    CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_PC,
                    CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_TENSOR_MEMORY_LEAK));

/// Launches by name, and what an illegal address is reported as.
class SuspectsTest : public ContextTest {
protected:
  void SetUp() override {
    ContextTest::SetUp();
    context.emplace(create());
  }
  void TearDown() override { context.reset(); }

  void launch(const char *name, CUstream stream = nullptr) {
    context->getImpl().noteLaunch(name, stream);
  }
  void wait(CUstream stream = nullptr) {
    EXPECT_TRUE(context->synchronize(stream));
  }
  std::string report() {
    fake::poison(CUDA_ERROR_ILLEGAL_ADDRESS);
    Status status = context->synchronize();
    fake::poison(CUDA_SUCCESS);
    return status ? "" : status.error().message;
  }

  std::optional<Context> context;
};

const std::string kFault =
    " failed on the device: an illegal memory access was encountered "
    "(CUDA_ERROR_ILLEGAL_ADDRESS)";
const std::string kPending = " (launched and not waited for, the latest first)";

TEST_F(SuspectsTest, None) {
  EXPECT_EQ(report(), "a kernel launched elsewhere or by a graph" + kFault);
  launch("copy_1d");
  wait();
  EXPECT_EQ(report(), "a kernel launched elsewhere or by a graph" + kFault);
}

TEST_F(SuspectsTest, EachNameOnceTheLatestFirst) {
  launch("scale");
  launch("copy_1d");
  launch("scale");
  launch("scale");
  EXPECT_EQ(report(), "one of scale, copy_1d" + kPending + kFault);
}

TEST_F(SuspectsTest, OneKernelManyTimes) {
  for (int i = 0; i < 16; ++i)
    launch("scale");
  EXPECT_EQ(report(), "scale" + kFault);
  // The first of seventeen is overwritten; it may have been another.
  launch("scale");
  EXPECT_EQ(report(), "one of scale or of earlier ones" + kPending + kFault);
  wait();
  launch("copy_1d");
  EXPECT_EQ(report(), "copy_1d" + kFault);
}

TEST_F(SuspectsTest, AWaitCoversItsStreamOnly) {
  CUstream first = fake::makeStream(), second = fake::makeStream();
  launch("copy_1d", first);
  launch("scale", second);
  launch("fill");
  wait(first);
  EXPECT_EQ(report(), "one of fill, scale" + kPending + kFault);
  wait(CU_STREAM_LEGACY); // the null stream by its other name
  EXPECT_EQ(report(), "scale" + kFault);
}

TEST_F(SuspectsTest, EveryThreadHasItsOwnPerThreadStream) {
  launch("copy_1d", CU_STREAM_PER_THREAD);
  std::thread([&] { wait(CU_STREAM_PER_THREAD); }).join();
  EXPECT_EQ(report(), "copy_1d" + kFault);
  wait(CU_STREAM_PER_THREAD);
  EXPECT_EQ(report(), "a kernel launched elsewhere or by a graph" + kFault);
}

TEST_F(SuspectsTest, AFailedWaitForgetsNothing) {
  launch("copy_1d");
  EXPECT_EQ(report(), "copy_1d" + kFault);
  EXPECT_EQ(report(), "copy_1d" + kFault);
}

TEST(LaunchLog, AWaitDoesNotCoverLaterLaunches) {
  LaunchLog log;
  log.note("copy_1d", nullptr);
  uint64_t covered = log.getLatest();
  log.note("scale", nullptr);
  log.forget(nullptr, covered);
  EXPECT_EQ(log.getSuspects(), "scale");
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

TEST_F(ContextTest, ManyThreads) {
  Context shared = create();
  const char *const names[] = {"copy_1d", "scale"};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      Context context = shared;
      CUstream stream = fake::makeStream();
      for (int i = 0; i < 200; ++i) {
        const char *name = context.getImpl().keepName(names[(t + i) % 2]);
        context.getImpl().noteLaunch(name, stream);
        Error error = context.getImpl().describe(CUDA_ERROR_ASSERT, "call");
        EXPECT_EQ(error.code, ErrorCode::LaunchFailed);
        EXPECT_TRUE(context.synchronize(stream));
        EXPECT_TRUE(Context::create(getOptions()));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake::countRetains(), 1u);
  // A race may leave an entry that no later wait covers, but only for as long
  // as its stream isn't waited for; all were.
  EXPECT_EQ(shared.getImpl().launches.getSuspects(),
            "a kernel launched elsewhere or by a graph");
}

} // namespace
