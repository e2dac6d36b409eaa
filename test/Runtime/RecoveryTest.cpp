//===- RecoveryTest.cpp - behind a kernel that failed ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that traps in mid-order leaves semaphores that aren't zero and a
// context that takes no call. All calls say so by the kernel's name; a context
// made when the old one is gone starts anew, with workspaces that are zero.
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"
#include "OrderedManifest.h"

#include "ContextImpl.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

constexpr const char *kFailed =
    "ordered_tma failed on the device: unspecified launch failure "
    "(CUDA_ERROR_LAUNCH_FAILED)";

class RecoveryTest : public KernelFixture {
protected:
  void SetUp() override {
    KernelFixture::SetUp();
    fake::setParameterSizes("ordered_tma", {8, 8, 8, 8, 8, 8, 8, 128});
    fake::setKernel("ordered_tma", [this](const fake::Launch &launch, void **) {
      auto *semaphore = launch.get<uint32_t *>(2);
      found = *semaphore;
      if (traps)
        *semaphore = 5;
    });
    list[0] = Argument::tensor(ElementType::F32, 0x10000, 1, &extent);
  }

  void expectFailed(const Status &status) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::LaunchFailed);
    EXPECT_EQ(status.error().message, kFailed);
  }

  /// A good launch, one that fails, and what calls say from then on.
  void fail(bool otherContext) {
    Context context = open();
    Package package = writeAndOpen(makeOrderedManifest());
    Result<Kernel> kernel = Kernel::get(context, package, "ordered");
    ASSERT_TRUE(kernel);
    Result<Launch> prepared = kernel->prepare(list, 1);
    Result<Buffer> buffer = Buffer::allocate(context, 16);
    ASSERT_TRUE(prepared && buffer);
    ASSERT_TRUE(kernel->launch(list, 1));
    ASSERT_TRUE(context.synchronize());
    traps = true;
    fake::setKernelError("ordered_tma", CUDA_ERROR_LAUNCH_FAILED);
    ASSERT_TRUE(kernel->launch(list, 1));
    char bytes[16] = {};
    for (int i = 0; i < 2; ++i) {
      expectFailed(context.synchronize());
      expectFailed(kernel->launch(list, 1));
      expectFailed(kernel->launch(list, 1, fake::makeStream()));
      expectFailed(prepared->run());
      Result<Launch> again = kernel->prepare(list, 1);
      ASSERT_FALSE(again);
      EXPECT_NE(again.error().message.find(kFailed), std::string::npos)
          << again.error().message;
      Result<Buffer> more = Buffer::allocate(context, 16);
      ASSERT_FALSE(more);
      EXPECT_EQ(more.error().message, kFailed);
      expectFailed(buffer->upload(bytes, 16));
      expectFailed(buffer->download(bytes, 16));
      expectFailed(buffer->fill(0));
      Result<Kernel> other = Kernel::get(context, package, "ordered");
      ASSERT_TRUE(other); // loads nothing
      EXPECT_FALSE(other->loadAll());
    }
    Status reset = Context::reset(getOptions());
    ASSERT_FALSE(reset);
    EXPECT_EQ(reset.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(reset.error().message,
              "expected no context of device 0 to be left, nor a kernel, "
              "launch or buffer that keeps one, got 1 context");
    if (otherContext) {
      Context second = open();
      Status status = Context::reset(getOptions());
      ASSERT_FALSE(status);
      EXPECT_NE(status.error().message.find("got 2 contexts"),
                std::string::npos);
    }
  }

  CUcontext other = nullptr;

  static ContextOptions getOptions() {
    ContextOptions options;
    options.libraries.driver = CAROUSEL_FAKE_DRIVER;
    options.cacheBytes = 0;
    return options;
  }

  void expectGood() {
    traps = false;
    fake::setKernelError("ordered_tma", CUDA_SUCCESS);
    Context context = open();
    Package package = writeAndOpen(makeOrderedManifest());
    Result<Kernel> kernel = Kernel::get(context, package, "ordered");
    ASSERT_TRUE(kernel);
    for (int i = 0; i < 3; ++i) {
      found = 7;
      Status status = kernel->launch(list, 1);
      if (status)
        status = context.synchronize();
      ASSERT_TRUE(status) << status.error().message;
      EXPECT_EQ(found, 0u);
    }
  }

  int64_t extent = 1000;
  Argument list[1];
  bool traps = false;
  uint32_t found = 0;
};

TEST_F(RecoveryTest, AContextBehindTheLastOne) {
  fail(/*otherContext=*/true);
  EXPECT_EQ(fake::countAllocations(), 0u);
  expectGood();
}

/// Somebody else, the CUDA runtime say, retains the primary context.
TEST_F(RecoveryTest, Reset) {
  {
    Context context = open();
    context.getImpl().driver->cuDevicePrimaryCtxRetain(&other, 0);
  }
  fail(/*otherContext=*/false);
  {
    // It is still the one that failed.
    Result<Buffer> buffer = Buffer::allocate(open(), 16);
    ASSERT_FALSE(buffer);
    EXPECT_EQ(buffer.error().message,
              "a kernel launched elsewhere or by a graph failed on the device: "
              "unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED)");
  }
  Status status = Context::reset(getOptions());
  ASSERT_TRUE(status) << status.error().message;
  expectGood();
  Context context = open();
  context.getImpl().driver->cuDevicePrimaryCtxRelease(0);
}

TEST_F(RecoveryTest, NothingToReset) {
  EXPECT_TRUE(Context::reset(getOptions()));
  ContextOptions options = getOptions();
  options.device = 3;
  Status status = Context::reset(options);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "expected device 0, the only one, got 3");
}

} // namespace
