//===- FailedKernelTest.cpp - calls after a kernel has failed -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that traps leaves a context in which every call fails, with the
// kernel's name. A new context made after the old one is released fails as
// well, because the driver requires a new process.
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"
#include "OrderedManifest.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

constexpr const char *kReason =
    " failed on the device: unspecified launch failure "
    "(CUDA_ERROR_LAUNCH_FAILED)";

class FailedKernelTest : public KernelFixture {
protected:
  void SetUp() override {
    KernelFixture::SetUp();
    fake::setParameterSizes("ordered_tma", {8, 8, 8, 8, 8, 8, 8, 128});
    list[0] = Argument::tensor(ElementType::F32, 0x10000, 1, &extent);
  }

  void expectFailed(const Status &status,
                    const std::string &who = "ordered_tma") {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::LaunchFailed);
    EXPECT_EQ(status.error().message, who + kReason);
  }

  /// Launches well, and then a kernel that fails.
  void launch(const Context &context, const Kernel &kernel) {
    ASSERT_TRUE(kernel.launch(list, 1));
    ASSERT_TRUE(context.synchronize());
    fake::setKernelError("ordered_tma", CUDA_ERROR_LAUNCH_FAILED);
    ASSERT_TRUE(kernel.launch(list, 1));
  }

  int64_t extent = 1000;
  Argument list[1];
};

TEST_F(FailedKernelTest, EveryLaterCallNamesIt) {
  Context context = open();
  Package package = writeAndOpen(makeOrderedManifest());
  Result<Kernel> kernel = Kernel::get(context, package, "ordered");
  ASSERT_TRUE(kernel);
  Result<Launch> prepared = kernel->prepare(list, 1);
  Result<Buffer> buffer = Buffer::allocate(context, 16);
  ASSERT_TRUE(prepared && buffer);
  launch(context, *kernel);
  char bytes[16] = {};
  for (int i = 0; i < 2; ++i) {
    expectFailed(context.synchronize());
    expectFailed(kernel->launch(list, 1));
    expectFailed(kernel->launch(list, 1, fake::makeStream()));
    expectFailed(prepared->run());
    Result<Launch> again = kernel->prepare(list, 1);
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().message.find(std::string("ordered_tma") + kReason),
              std::string::npos)
        << again.error().message;
    Result<Buffer> more = Buffer::allocate(context, 16);
    ASSERT_FALSE(more);
    expectFailed(tl::make_unexpected(more.error()));
    expectFailed(buffer->upload(bytes, 16));
    expectFailed(buffer->download(bytes, 16));
    expectFailed(buffer->fill(0));
    Result<Kernel> other = Kernel::get(context, package, "ordered");
    ASSERT_TRUE(other); // loads nothing
    EXPECT_FALSE(other->loadAll());
  }
}

TEST_F(FailedKernelTest, ANewContextFailsToo) {
  {
    Context context = open();
    Package package = writeAndOpen(makeOrderedManifest());
    Result<Kernel> kernel = Kernel::get(context, package, "ordered");
    ASSERT_TRUE(kernel);
    launch(context, *kernel);
    expectFailed(context.synchronize());
  }
  EXPECT_EQ(fake::countAllocations(), 0u);
  Context context = open();
  for (int i = 0; i < 2; ++i)
    expectFailed(context.synchronize(),
                 "a kernel launched elsewhere or by a graph");
}

} // namespace
