//===- WaitRecordTest.cpp - waits past their bound ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module whose waits have bounds gets a record. The record that a kernel
// fills becomes a sentence, in the error of the launch and on request.
//
//===----------------------------------------------------------------------===//

#include "CAPI/CAPIImpl.h"
#include "KernelTest.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {
constexpr const char *kSymbol = "carousel_wait_record";

/// The copy manifest, its module "copies" with four waits.
std::string makeManifest() {
  return setMember(makeCopyManifest(), "/modules/0/waits", R"([
    {"number": 0, "function": "copy_bulk", "barrier": "x empty",
     "role": "producer", "phase": "parity", "location": "copies.mlir:14"},
    {"number": 1, "function": "copy_bulk", "barrier": "x full", "role": "all",
     "phase": "state", "location": ""},
    {"number": 3, "function": "helper", "barrier": "semaphore",
     "role": "consumer", "phase": "turn", "location": "copies.mlir:20"}])");
}

class WaitRecordTest : public KernelFixture {
protected:
  void SetUp() override {
    KernelFixture::SetUp();
    fake::setGlobal(kSymbol, 16);
  }
  void TearDown() override {
    KernelFixture::TearDown();
    EXPECT_EQ(fake::countHostAllocations(), 0u);
  }

  /// Loads copy_bulk, writes the record as a kernel does, and returns the
  /// record's sentence.
  std::string describe(std::initializer_list<uint32_t> record) {
    Context context = open();
    Result<Kernel> kernel =
        Kernel::get(context, writeAndOpen(makeManifest()), "copy");
    EXPECT_TRUE(kernel);
    CopyArguments arguments(1024);
    EXPECT_TRUE(kernel->launch(arguments.list, 2));
    EXPECT_EQ(context.describeExpiredWaits(), "");
    write(record);
    return context.describeExpiredWaits();
  }

  static void write(std::initializer_list<uint32_t> record) {
    auto *words = reinterpret_cast<uint32_t *>(fake::getGlobal(kSymbol));
    ASSERT_TRUE(words);
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(words[i], 0u);
    std::copy(record.begin(), record.end(), words);
  }
};

TEST_F(WaitRecordTest, ByParity) {
  EXPECT_EQ(describe({1, 0, 2, 1, 3, 4, 5, 6, 7, 8, 2000300000, 0}),
            "kernel 'copy_bulk': CTA (3, 4, 5), thread (6, 7, 8), producer: "
            "waited over 2000 ms for 'x empty' slot 2, phase of parity 1 "
            "(copies.mlir:14)");
}

TEST_F(WaitRecordTest, ByStateWithoutALocation) {
  // 2^32 ns and 5 ms.
  EXPECT_EQ(describe({1, 1, 0, 0, 1, 0, 0, 31, 0, 0, 5000000, 1}),
            "kernel 'copy_bulk': CTA (1, 0, 0), thread (31, 0, 0): waited over "
            "4299 ms for 'x full' slot 0");
}

TEST_F(WaitRecordTest, ForATurnInAFunction) {
  EXPECT_EQ(describe({1, 3, 5, 0xfffffffe, 0, 0, 0, 0, 0, 0, 10000000, 0}),
            "function 'helper': CTA (0, 0, 0), thread (0, 0, 0), consumer: "
            "waited over 10 ms for 'semaphore' slot 5, turn -2 "
            "(copies.mlir:20)");
}

TEST_F(WaitRecordTest, OfAnUnknownNumber) {
  EXPECT_EQ(describe({1, 2, 5, 0, 0, 0, 0, 0, 0, 0, 10000000, 0}),
            "a kernel of module 'copies': CTA (0, 0, 0), thread (0, 0, 0): "
            "waited over 10 ms for wait 2, slot 5");
  EXPECT_EQ(describe({2, 0}),
            "a wait of module 'copies' took too long, in a record of version 2 "
            "that this runtime doesn't know");
}

TEST_F(WaitRecordTest, IsInTheErrorOfTheLaunch) {
  Context context = open();
  Result<Kernel> kernel =
      Kernel::get(context, writeAndOpen(makeManifest()), "copy");
  ASSERT_TRUE(kernel);
  fake::setKernel("copy_bulk", [](const fake::Launch &, void **) {
    write({1, 0, 2, 1, 3, 4, 5, 6, 7, 8, 2000300000, 0});
  });
  fake::setKernelError("copy_bulk", CUDA_ERROR_LAUNCH_FAILED);
  CopyArguments arguments(1024);
  EXPECT_TRUE(kernel->launch(arguments.list, 2));
  Status status = context.synchronize();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::LaunchFailed);
  EXPECT_EQ(status.error().message,
            "copy_bulk failed on the device: unspecified launch failure "
            "(CUDA_ERROR_LAUNCH_FAILED); kernel 'copy_bulk': CTA (3, 4, 5), "
            "thread (6, 7, 8), producer: waited over 2000 ms for 'x empty' "
            "slot 2, phase of parity 1 (copies.mlir:14)");
  // Also afterwards, and in C.
  carousel_context inC{context};
  const char *text = nullptr;
  EXPECT_EQ(carousel_context_expired_waits(&inC, &text), CAROUSEL_OK);
  EXPECT_EQ("copy_bulk failed on the device: unspecified launch failure "
            "(CUDA_ERROR_LAUNCH_FAILED); " +
                std::string(text),
            status.error().message);
  EXPECT_EQ(carousel_context_expired_waits(nullptr, &text),
            CAROUSEL_INVALID_ARGUMENT);
  EXPECT_STREQ(carousel_last_error(), "context: expected a pointer, got null");
  fake::poison(CUDA_SUCCESS);
}

TEST_F(WaitRecordTest, NothingExpired) {
  Context context = open();
  carousel_context inC{context};
  const char *text = nullptr;
  EXPECT_EQ(carousel_context_expired_waits(&inC, &text), CAROUSEL_OK);
  EXPECT_STREQ(text, "");
}

TEST_F(WaitRecordTest, OnlyWhereThePackageHasWaits) {
  Kernel without = getKernel("copy");
  EXPECT_TRUE(without.loadAll());
  EXPECT_EQ(fake::countCalls("cuModuleGetGlobal"), 0u);
  Kernel with = getKernel("copy", makeManifest());
  EXPECT_TRUE(with.loadAll());
  EXPECT_EQ(fake::countCalls("cuModuleGetGlobal"), 1u); // of two modules
  EXPECT_EQ(fake::countHostAllocations(), 1u);
  // A chip for which no kernel waits has no record either.
  fake::reset();
  Kernel none = getKernel("copy", makeManifest());
  EXPECT_TRUE(none.loadAll());
  EXPECT_EQ(fake::countCalls("cuModuleGetGlobal"), 1u);
  EXPECT_EQ(fake::countHostAllocations(), 0u);
}

TEST_F(WaitRecordTest, FailuresAreTheLoads) {
  Kernel kernel = getKernel("copy", makeManifest());
  CopyArguments arguments(1024);
  for (const char *call : {"cuModuleGetGlobal", "cuMemHostAlloc",
                           "cuMemHostGetDevicePointer", "cuStreamCreate"}) {
    fake::failNext(call, CUDA_ERROR_OUT_OF_MEMORY);
    Status status = kernel.launch(arguments.list, 2);
    ASSERT_FALSE(status) << call;
    EXPECT_EQ(status.error().message, std::string(call) +
                                          " failed: out of memory "
                                          "(CUDA_ERROR_OUT_OF_MEMORY)");
    EXPECT_EQ(fake::countLoadedModules(), 0u);
    EXPECT_EQ(fake::countHostAllocations(), 0u);
  }
  EXPECT_TRUE(kernel.launch(arguments.list, 2));
  EXPECT_EQ(fake::countHostAllocations(), 1u);
}

TEST_F(WaitRecordTest, ASymbolThatIsTooSmall) {
  fake::setGlobal(kSymbol, 4);
  Kernel kernel = getKernel("copy", makeManifest());
  Status status = kernel.loadAll();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "expected at least 8 bytes in 'carousel_wait_record' of the module "
            "'copies', got 4");
}

TEST_F(WaitRecordTest, LoadsWhileAStreamCaptures) {
  Kernel kernel = getKernel("copy", makeManifest());
  CUstream stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  Status status = kernel.loadAll();
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_EQ(fake::countHostAllocations(), 1u);
}

} // namespace
