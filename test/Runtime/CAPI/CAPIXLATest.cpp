//===- CAPIXLATest.cpp - calls from programs of XLA -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls the handlers as XLA does, with frames and functions of the test.
//
//===----------------------------------------------------------------------===//

#include "CAPI/XLACallFrame.h"
#include "ProgramFixture.h"
#include "carousel_xla.h"

#include <deque>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

struct XLA_FFI_Error {
  std::string message;
  xla::ErrorCode code;
};

namespace {

CUstream usedStream = nullptr;
bool hasStreams = true;

XLA_FFI_Error *createError(xla::ErrorArguments *arguments) {
  return new XLA_FFI_Error{arguments->message, arguments->code};
}

void destroyError(xla::DestroyArguments *arguments) { delete arguments->error; }

XLA_FFI_Error *getStream(xla::StreamArguments *arguments) {
  arguments->stream = usedStream;
  return nullptr;
}

XLA_FFI_Error *getDevice(xla::DeviceArguments *arguments) {
  if (!hasStreams)
    return new XLA_FFI_Error{"XLA's own", xla::ErrorCode::Internal};
  arguments->device = 0;
  return nullptr;
}

/// A call, and what its frame points to.
class Call {
public:
  Call(std::string directory, std::string kind, std::string name,
       std::vector<int64_t> operands, std::vector<int64_t> scalars)
      : directory(std::move(directory)), kind(std::move(kind)),
        name(std::move(name)), operands(std::move(operands)),
        scalars(std::move(scalars)) {}

  void addBuffer(bool isResult, int32_t type, uint64_t address,
                 std::vector<int64_t> extents) {
    shapes.push_back(std::move(extents));
    buffers.push_back(
        {sizeof(xla::Buffer), nullptr, type, reinterpret_cast<void *>(address),
         static_cast<int64_t>(shapes.back().size()), shapes.back().data()});
    (isResult ? results : arguments).push_back(&buffers.back());
  }

  /// "" if the call succeeds.
  std::string
  run(XLA_FFI_Error *(*handler)(XLA_FFI_CallFrame *) = carousel_xla_launch) {
    functions.size = functionBytes;
    functions.version = {24, nullptr, 0, 3};
    functions.createError = createError;
    functions.destroyError = destroyError;
    functions.getStream = getStream;
    functions.getDevice = getDevice;
    xla::Array operandArray = {5, operands.size(), operands.data()};
    xla::Array scalarArray = {5, scalars.size(), scalars.data()};
    xla::Text texts[] = {{directory.data(), directory.size()},
                         {kind.data(), kind.size()},
                         {name.data(), name.size()}};
    xla::Text keys[] = {{"package", 7},
                        {"kind", 4},
                        {"name", 4},
                        {"operands", 8},
                        {"scalars", 7}};
    const xla::Text *names[] = {&keys[0], &keys[1], &keys[2], &keys[3],
                                &keys[4]};
    xla::AttributeKind kinds[] = {
        xla::AttributeKind::Text, xla::AttributeKind::Text,
        xla::AttributeKind::Text, xla::AttributeKind::Array,
        xla::AttributeKind::Array};
    void *values[] = {&texts[0], &texts[1], &texts[2], &operandArray,
                      &scalarArray};
    std::vector<int32_t> bufferKinds(buffers.size(), xla::kBuffer);
    xla::CallFrame frame = {
        sizeof(frame), nullptr, &functions, nullptr, 3, {}, {}, {}};
    frame.arguments = {sizeof(frame.arguments), nullptr,
                       static_cast<int64_t>(arguments.size()),
                       bufferKinds.data(), arguments.data()};
    frame.results = {sizeof(frame.results), nullptr,
                     static_cast<int64_t>(results.size()), bufferKinds.data(),
                     results.data()};
    frame.attributes = {
        sizeof(frame.attributes), nullptr, 5, kinds, names, values};
    XLA_FFI_Error *error =
        handler(reinterpret_cast<XLA_FFI_CallFrame *>(&frame));
    if (!error)
      return "";
    std::string message = error->message;
    code = error->code;
    delete error;
    return message;
  }

  std::string directory, kind, name;
  std::vector<int64_t> operands, scalars;
  size_t functionBytes = sizeof(xla::Functions);
  xla::ErrorCode code = {};

private:
  xla::Functions functions = {};
  std::deque<std::vector<int64_t>> shapes;
  std::deque<xla::Buffer> buffers;
  std::vector<void *> arguments, results;
};

constexpr int32_t kF32 = 11, kF64 = 12, kC64 = 15;

class CAPIXLATest : public ProgramFixture {
protected:
  void SetUp() override {
    ProgramFixture::SetUp();
    usedStream = fake::makeStream();
    hasStreams = true;
  }
  void TearDown() override {
    xla::forgetCalls();
    ProgramFixture::TearDown();
  }

  std::string writeTwice() {
    return writeAndOpen(makeProgramManifest(),
                        {{"constants.bin", makeConstants()}})
        .getDirectory();
  }

  /// The program "twice" of x, a factor and y.
  Call makeTwice(const TwiceArguments &arguments, int64_t n, float factor,
                 int32_t type = kF32) {
    uint32_t bits;
    std::memcpy(&bits, &factor, sizeof(bits));
    Call call(writeTwice(), "program", "twice", {0, -1, 1}, {0, bits, 0});
    call.addBuffer(false, type, arguments.list[0].data, {n});
    call.addBuffer(true, kF32, arguments.list[2].data, {2, n});
    return call;
  }
};

TEST_F(CAPIXLATest, TellsVersionAndTraits) {
  xla::Metadata metadata = {};
  xla::MetadataExtension extension = {
      {sizeof(extension), xla::kMetadataExtension, nullptr}, &metadata};
  xla::CallFrame frame = {};
  frame.extensions = &extension.base;
  auto *call = reinterpret_cast<XLA_FFI_CallFrame *>(&frame);
  for (auto [handler, traits] :
       {std::pair(&carousel_xla_load, 0u), std::pair(&carousel_xla_launch, 0u),
        std::pair(&carousel_xla_launch_recorded, xla::kRecordable)}) {
    EXPECT_EQ(handler(call), nullptr);
    EXPECT_EQ(metadata.version.major, 0);
    EXPECT_EQ(metadata.version.minor, 3);
    EXPECT_EQ(metadata.traits, traits);
  }
}

TEST_F(CAPIXLATest, LaunchesPrograms) {
  Context context = open();
  TwiceArguments arguments(context, 1024);
  Call call = makeTwice(arguments, 1024, 0.5f);
  EXPECT_EQ(call.run(carousel_xla_load), "");
  EXPECT_TRUE(fake::getLaunches().empty());
  EXPECT_EQ(call.run(), "");
  arguments.expect(0.5f);
  // A second call opens and loads nothing.
  size_t loads = fake::countLoadedModules();
  EXPECT_EQ(call.run(), "");
  EXPECT_EQ(fake::countLoadedModules(), loads);
  arguments.expect(0.5f);
  for (const fake::Launch &launch : fake::getLaunches())
    EXPECT_EQ(launch.stream, usedStream);
}

TEST_F(CAPIXLATest, LoadsKernelsInCaptures) {
  Call call(writeTwice(), "kernel", "copy", {0, -1, 1, -1}, {0, 0, 0, 0});
  Package package = *Package::open(call.directory);
  const KernelInfo *info = nullptr;
  for (const KernelInfo &kernel : package.getManifest().kernels)
    if (kernel.name == "copy")
      info = &kernel;
  ASSERT_NE(info, nullptr);
  ASSERT_EQ(info->countPassed(), 2u);
  call.operands = {0, 1};
  call.scalars = {0, 0};
  call.addBuffer(false, kF32, 0x10000, {1024});
  call.addBuffer(true, kF32, 0x20000, {1024});
  fake::setCapturing(usedStream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(call.run(carousel_xla_launch_recorded), "");
  fake::setCapturing(usedStream, CU_STREAM_CAPTURE_STATUS_NONE);
  ASSERT_EQ(fake::getLaunches().size(), 1u);
  EXPECT_TRUE(fake::getLaunches()[0].captured);
}

TEST_F(CAPIXLATest, RefusesCalls) {
  Context context = open();
  TwiceArguments arguments(context, 64);
  auto refuse = [&](Call call, xla::ErrorCode code, const std::string &text) {
    EXPECT_EQ(call.run(), text);
    EXPECT_EQ(call.code, code);
    EXPECT_STREQ(carousel_last_error(), text.c_str());
  };
  constexpr auto kInvalid = xla::ErrorCode::InvalidArgument;
  refuse(makeTwice(arguments, 64, 1, kF64), kInvalid,
         "x: expected elements of type f32, got f64");
  refuse(makeTwice(arguments, 64, 1, kC64), kInvalid,
         "x: expected elements of a type that kernels have, got XLA's type 15");
  Call call = makeTwice(arguments, 64, 1);
  call.operands = {0, -1, 2};
  refuse(call, kInvalid,
         "expected operands that are buffers of the call, which has 2, got 2");
  call.operands = {0, -1};
  refuse(call, kInvalid,
         "expected as many scalars as operands of the call, got 3 and 2");
  call.scalars = {0, 0};
  refuse(call, kInvalid,
         "twice: expected 3 arguments, got 2 operands of the call");
  call.kind = "graph";
  refuse(call, kInvalid,
         "expected 'program' or 'kernel' as attribute 'kind' of the call, got "
         "'graph'");
  call.kind = "program";
  hasStreams = false;
  refuse(call, kInvalid,
         "expected a call on a CUDA device, got one on a platform that has no "
         "streams");
  call.functionBytes = offsetof(xla::Functions, getDevice);
  refuse(call, xla::ErrorCode::FailedPrecondition,
         "expected an XLA whose foreign function interface has version 0.3 or "
         "later, got 0.3");
}

} // namespace
