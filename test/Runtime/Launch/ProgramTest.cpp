//===- ProgramTest.cpp - programs of packages -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Program.h"

#include "FakeCublasLt.h"
#include "ProgramFixture.h"

#include "carousel_runtime.h"

#include <numeric>
#include <thread>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

using ProgramTest = ProgramFixture;

TEST_F(ProgramTest, RunsSteps) {
  Context context = open();
  Program program = getProgram(context);
  EXPECT_EQ(program.getInfo().name, "twice");
  for (int64_t n : {2, 3, 7, 1024, 4096}) {
    TwiceArguments arguments(context, n);
    expectSuccess(program.launch(arguments.list, 3));
    arguments.expect(2.0f);
  }
}

TEST_F(ProgramTest, ReusesPlansForAddressesAndScalars) {
  Context context = open();
  Program program = getProgram(context);
  TwiceArguments arguments(context, 1024), others(context, 1024);
  expectSuccess(program.launch(arguments.list, 3));
  arguments.expect(2.0f);
  EXPECT_EQ(getFunctions(), (std::vector<std::string>{"scale", "copy_bulk"}));
  // No check is repeated, so nothing is asked of the driver but the steps.
  size_t allocations = fake::countCalls("cuMemAlloc");
  others.set(0, -3.0f);
  expectSuccess(program.launch(others.list, 3));
  others.expect(-3.0f);
  EXPECT_EQ(fake::countCalls("cuMemAlloc"), allocations);
  // Other alignments may need other variants.
  others.set(4, 0.5f);
  for (int64_t i = 0; i < 1024; ++i)
    others.getX()[i] = 10;
  expectSuccess(program.launch(others.list, 3));
  others.expect(0.5f);
  EXPECT_EQ(getFunctions().back(), "copy_simple");
}

TEST_F(ProgramTest, StreamsHaveTheirOwnMemory) {
  Context context = open();
  Program program = getProgram(context);
  TwiceArguments arguments(context, 64);
  CUstream streams[] = {nullptr, fake::makeStream()};
  for (CUstream stream : streams)
    expectSuccess(program.launch(arguments.list, 3, stream));
  auto launches = fake::getLaunches();
  EXPECT_NE(launches[0].get<uint64_t>(0), launches[2].get<uint64_t>(0));
  expectSuccess(program.launch(arguments.list, 3, streams[1]));
  launches = fake::getLaunches();
  EXPECT_EQ(launches[2].get<uint64_t>(0), launches[4].get<uint64_t>(0));
}

TEST_F(ProgramTest, Threads) {
  Context context = open();
  Program program = getProgram(context);
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      CUstream stream = fake::makeStream();
      for (int64_t n = 2; n < 40; ++n) {
        TwiceArguments arguments(context, n);
        arguments.set(0, static_cast<float>(number));
        expectSuccess(program.launch(arguments.list, 3, stream));
        arguments.expect(static_cast<float>(number));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(ProgramTest, Refusals) {
  Context context = open();
  Program program = getProgram(context);
  auto expect = [&](const TwiceArguments &arguments, const std::string &text) {
    Status status = program.launch(arguments.list, 3);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(status.error().message, text);
  };
  expect(TwiceArguments(context, 1),
         "twice: expected a length of 2 or more: expected x.extent(0) to be "
         "from 2 to 1000000, got 1");
  TwiceArguments arguments(context, 8);
  int64_t other[] = {2, 9};
  arguments.list[2].extents = other;
  expect(arguments, "twice: expected y to be as long as x: expected "
                    "x.extent(0) and y.extent(1) to be equal, got 8 and 9");
  EXPECT_TRUE(fake::getLaunches().empty());
  Status status = program.launch(arguments.list, 2);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "expected 3 arguments (x, factor, y), got 2");
  Result<Program> none =
      Program::get(context, writeAndOpen(makeCopyManifest()), "twice");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
}

/// Products of a library are steps as others are.
TEST_F(ProgramTest, Products) {
  fake::cublaslt::reset();
  ContextOptions options;
  options.libraries.cublasLt = CAROUSEL_FAKE_CUBLASLT;
  Context context = open(options);
  Package package = writeAndOpen(makeProductManifest());
  Result<Program> program = Program::get(context, package, "product");
  ASSERT_TRUE(program) << program.error().message;
  Buffer memory = *Buffer::allocate(context, 4096);
  auto *values = reinterpret_cast<float *>(memory.getAddress());
  int64_t shapes[][2] = {{2, 3}, {4, 3}, {2, 4}};
  Argument list[3];
  auto bind = [&](int64_t shift) {
    for (int i = 0; i < 3; ++i)
      list[i] =
          Argument::tensor(ElementType::F32,
                           memory.getAddress() + shift + i * 256, 2, shapes[i]);
  };
  auto expect = [&](int64_t shift) {
    const float *x = values + shift / 4, *w = x + 64, *y = w + 64;
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 4; ++column) {
        float sum = 0;
        for (int k = 0; k < 3; ++k)
          sum += x[row * 3 + k] * w[column * 3 + k];
        EXPECT_EQ(y[row * 4 + column], sum);
      }
    std::fill_n(values + shift / 4 + 128, 8, -1.0f);
  };
  for (int i = 0; i < 1024; ++i)
    values[i] = static_cast<float>(i % 13);
  // A plan for addresses of one alignment, and another one.
  for (int64_t shift : {0, 1024, 4}) {
    bind(shift);
    expectSuccess(program->launch(list, 3));
    expect(shift);
  }
  std::vector<fake::cublaslt::Call> calls = fake::cublaslt::getCalls();
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_NE(calls[0].scratch, nullptr);
  EXPECT_EQ(calls[0].scratchBytes, 4096u);
  Result<PreparedProgram> prepared = program->prepare(list, 3);
  ASSERT_TRUE(prepared) << prepared.error().message;
  expectSuccess(prepared->run());
  expect(4);
  shapes[1][1] = 2;
  Status status = program->launch(list, 3);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "product: a product: expected factors and a product of (batches, "
            "m, k), (batches, k, n) and (batches, m, n), got 2x3, 2x4 and 2x4");
}

/// A bias that is too short, and a residual that is the result, are errors of
/// the launch.
TEST_F(ProgramTest, FusedProducts) {
  fake::cublaslt::reset();
  ContextOptions options;
  options.libraries.cublasLt = CAROUSEL_FAKE_CUBLASLT;
  Context context = open(options);
  Package package = writeAndOpen(makeFusedProductManifest());
  Result<Program> program = Program::get(context, package, "product");
  ASSERT_TRUE(program) << program.error().message;
  Buffer memory = *Buffer::allocate(context, 4096);
  auto *values = reinterpret_cast<float *>(memory.getAddress());
  for (int i = 0; i < 1024; ++i)
    values[i] = static_cast<float>((i * 5 + i / 7) % 13 - 6);
  int64_t shapes[5][2] = {{2, 3}, {4, 3}, {2, 4}, {4, 0}, {2, 4}};
  int64_t places[5] = {0, 256, 512, 768, 1024};
  Argument list[5];
  auto launch = [&] {
    for (int i = 0; i < 5; ++i)
      list[i] =
          Argument::tensor(ElementType::F32, memory.getAddress() + places[i],
                           i == 3 ? 1 : 2, shapes[i]);
    return program->launch(list, 5);
  };
  auto expect = [&] {
    const float *x = values, *w = x + 64, *y = w + 64;
    const float *b = values + places[3] / 4, *r = values + places[4] / 4;
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 4; ++column) {
        float sum = b[column] + r[row * 4 + column];
        for (int k = 0; k < 3; ++k)
          sum += x[row * 3 + k] * w[column * 3 + k];
        EXPECT_EQ(y[row * 4 + column], std::max(sum, 0.0f));
      }
  };
  expectSuccess(launch());
  expect();
  // The same plan with another bias, and one for another alignment.
  places[3] = 1280;
  expectSuccess(launch());
  expect();
  places[3] = 772;
  expectSuccess(launch());
  expect();
  EXPECT_EQ(fake::cublaslt::getCalls().size(), 3u);
  shapes[3][0] = 3;
  Status status = launch();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "product: expected a bias of 4 elements "
                                    "with the stride 1, got 3 with the stride "
                                    "1");
  shapes[3][0] = 4;
  places[4] = 512;
  status = launch();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("element"), std::string::npos)
      << status.error().message;
  places[4] = 1024;
  places[3] = 512 + 16;
  status = launch();
  ASSERT_FALSE(status);
}

/// A result that may have the memory of an argument: all of it or none.
TEST_F(ProgramTest, Donations) {
  Context context = open();
  Result<Program> program =
      Program::get(context, writeAndOpen(makeDonationManifest()), "again");
  ASSERT_TRUE(program) << program.error().message;
  Buffer memory = *Buffer::allocate(context, 4096);
  auto *values = reinterpret_cast<float *>(memory.getAddress());
  int64_t extents[] = {8, 16};
  auto launch = [&](int64_t x, int64_t y) {
    Argument list[] = {
        Argument::tensor(ElementType::F32, memory.getAddress() + x, 2, extents),
        Argument::tensor(ElementType::F32, memory.getAddress() + y, 2,
                         extents)};
    return program->launch(list, 2);
  };
  std::iota(values, values + 1024, 0.0f);
  expectSuccess(launch(0, 0));
  EXPECT_EQ(values[127], 127.0f);
  // A copy of memory to itself takes no call of the driver.
  EXPECT_EQ(fake::countCalls("cuMemcpyDtoDAsync"), 0u);
  expectSuccess(launch(0, 512));
  EXPECT_EQ(values[128 + 127], 127.0f);
  EXPECT_EQ(fake::countCalls("cuMemcpyDtoDAsync"), 1u);
  // The plan of other memory serves the same memory, and the other way round.
  expectSuccess(launch(512, 512));
  EXPECT_EQ(values[128 + 127], 127.0f);
  Status status = launch(0, 256);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(status.error().message.find(
                "y: expected the same address, extents and strides as x, or no "
                "common element, got 512 bytes at "),
            0u);
}

/// The manifest of a program of two tensors with checks of their alignment.
static std::string alignArguments(std::string manifest, int first, int second) {
  for (int argument : {first, second})
    manifest =
        setMember(manifest, "/programs/0/checks/-",
                  fmt::format(R"({{"guard": {{"kind": "aligned", "argument": {},
                        "bytes": 16}}, "message": "expected more"}})",
                              argument));
  return manifest;
}

/// Arguments that lie off have copies, and results are copied back.
TEST_F(ProgramTest, CopiesArgumentsThatLieOff) {
  Context context = open();
  Program program =
      getProgram(context, alignArguments(makeProgramManifest(), 0, 2));
  TwiceArguments arguments(context, 1024);
  CUstream stream = fake::makeStream();
  arguments.set(16, 2.0f);
  expectSuccess(program.launch(arguments.list, 3, stream));
  EXPECT_EQ(fake::countCalls("cuMemcpyDtoDAsync"), 2u);
  arguments.set(4, 2.0f);
  for (int64_t i = 0; i < 1024; ++i)
    arguments.getX()[i] = static_cast<float>(i);
  expectSuccess(program.launch(arguments.list, 3, stream));
  arguments.expect(2.0f);
  EXPECT_EQ(fake::countCalls("cuMemcpyDtoDAsync"), 2u + 2 + 3);
  EXPECT_EQ(getFunctions().back(), "copy_bulk");
  // The copies are there now, also while a stream records.
  Result<PreparedProgram> prepared = program.prepare(arguments.list, 3);
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(prepared->getWorkspaceBytes(), 4096u * 4);
  expectSuccess(prepared->run(stream));
  arguments.expect(2.0f);
  TwiceArguments larger(context, 2048);
  larger.set(4, 2.0f);
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  expectSuccess(program.launch(arguments.list, 3, stream));
  expectSuccess(prepared->run(stream));
  EXPECT_FALSE(program.launch(larger.list, 3, stream));
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
}

/// Copies are apart, so what callers pass is compared.
TEST_F(ProgramTest, CopiesOfDonations) {
  Context context = open();
  Result<Program> program = Program::get(
      context, writeAndOpen(alignArguments(makeDonationManifest(), 0, 1)),
      "again");
  ASSERT_TRUE(program) << program.error().message;
  Buffer memory = *Buffer::allocate(context, 4096);
  auto *values = reinterpret_cast<float *>(memory.getAddress());
  int64_t extents[] = {8, 16};
  auto launch = [&](int64_t x, int64_t y) {
    Argument list[] = {
        Argument::tensor(ElementType::F32, memory.getAddress() + x, 2, extents),
        Argument::tensor(ElementType::F32, memory.getAddress() + y, 2,
                         extents)};
    return program->launch(list, 2);
  };
  std::iota(values, values + 1024, 0.0f);
  expectSuccess(launch(4, 4));
  EXPECT_EQ(values[1], 1.0f);
  expectSuccess(launch(4, 520));
  EXPECT_EQ(values[130], 1.0f);
  EXPECT_EQ(values[129], 129.0f);
  EXPECT_EQ(values[130 + 127], 128.0f);
  EXPECT_EQ(values[130 + 128], 258.0f);
  EXPECT_FALSE(launch(4, 260));
}

TEST_F(ProgramTest, ProductsNeedTheLibrary) {
  ContextOptions options;
  options.libraries.cublasLt = "/none/lt.so";
  Context context = open(options);
  Result<Program> program =
      Program::get(context, writeAndOpen(makeProductManifest()), "product");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, ErrorCode::NoLibrary);
  EXPECT_EQ(program.error().message,
            "product: no cuBLASLt: can't load /none/lt.so (cannot open shared "
            "object file: No such file or directory); without it, compile "
            "with --no-libraries");
}

/// A launch checks the manifest's statements about memory before a step uses
/// it.
TEST_F(ProgramTest, StepsStayInside) {
  Context context = open();
  auto expect = [&](const std::string &place, const std::string &value,
                    const std::string &text) {
    Program program =
        getProgram(context, setMember(makeProgramManifest(),
                                      "/programs/0/steps/" + place, value));
    TwiceArguments arguments(context, 8);
    Status status = program.launch(arguments.list, 3);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, text);
    EXPECT_EQ(status.error().code, ErrorCode::InvalidPackage);
  };
  expect(
      "3/target/offset", "36",
      "twice: expected a step within 64 bytes of y, got 32 bytes from 36 on");
  expect(
      "0/target/strides/0", "2",
      "twice: expected a step within 32 bytes of work, got 60 bytes from 0 on");
  expect("0/source/offset", "-4",
         "twice: expected a step within 32 bytes of x, got 32 bytes from -4 "
         "on");
}

TEST_F(ProgramTest, Prepared) {
  Context context = open();
  Program program = getProgram(context);
  TwiceArguments arguments(context, 1024);
  Result<PreparedProgram> prepared = program.prepare(arguments.list, 3);
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_TRUE(fake::getLaunches().empty());
  EXPECT_EQ(prepared->getWorkspaceBytes(), 4096u);
  ASSERT_EQ(prepared->getLaunches().size(), 2u);
  EXPECT_EQ(prepared->getLaunches()[1].getVariant().function, "copy_bulk");
  for (int i = 0; i < 3; ++i) {
    expectSuccess(prepared->run());
    arguments.expect(2.0f);
  }
  Status status = prepared->run(fake::makeStream());
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("prepare a launch for each stream"),
            std::string::npos);
}

/// A stream may record a launch once its plan and memory are there, and a
/// prepared one at once.
TEST_F(ProgramTest, Capture) {
  Context context = open();
  Program program = getProgram(context);
  TwiceArguments arguments(context, 1024);
  CUstream stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_FALSE(program.launch(arguments.list, 3, stream));
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  expectSuccess(program.launch(arguments.list, 3, stream));
  Result<PreparedProgram> prepared = program.prepare(arguments.list, 3);
  ASSERT_TRUE(prepared);
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  expectSuccess(program.launch(arguments.list, 3, stream));
  expectSuccess(prepared->run(stream));
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
}

/// In a graph, steps wait for those whose memory they share, and what comes
/// behind a launch waits for all of its steps.
TEST_F(ProgramTest, StepsOfGraphs) {
  using Nodes = std::vector<std::vector<size_t>>;
  Context context = open();
  Program program = getProgram(context);
  TwiceArguments arguments(context, 1024);
  CUstream stream = fake::makeStream();
  expectSuccess(program.launch(arguments.list, 3, stream));
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  expectSuccess(program.launch(arguments.list, 3, stream));
  // x is scaled in the workspace and copied to y[0]. y[1] is filled, and then
  // its first elements are copied.
  EXPECT_EQ(fake::getNodes(stream), (Nodes{{}, {0}, {1}, {}, {3}}));
  expectSuccess(program.launch(arguments.list, 3, stream));
  EXPECT_EQ(fake::getNodes(stream),
            (Nodes{{}, {0}, {1}, {}, {3}, {2, 4}, {5}, {6}, {2, 4}, {8}}));
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  Result<PreparedProgram> prepared = program.prepare(arguments.list, 3);
  ASSERT_TRUE(prepared);
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  expectSuccess(prepared->run(stream));
  EXPECT_EQ(fake::getNodes(stream), (Nodes{{}, {0}, {1}, {}, {3}}));
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
}

/// A caller's next nodes wait for the steps of a refused launch.
TEST_F(ProgramTest, RefusedStepsOfGraphs) {
  using Nodes = std::vector<std::vector<size_t>>;
  Context context = open();
  Program program = getProgram(context);
  TwiceArguments arguments(context, 1024);
  CUstream stream = fake::makeStream();
  expectSuccess(program.launch(arguments.list, 3, stream));
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  // The fill waits for none of the three steps before it.
  fake::failNext("cuMemsetD2D32Async", CUDA_ERROR_INVALID_VALUE);
  EXPECT_FALSE(program.launch(arguments.list, 3, stream));
  EXPECT_EQ(fake::getNodes(stream), (Nodes{{}, {0}, {1}}));
  expectSuccess(program.launch(arguments.list, 3, stream));
  EXPECT_EQ(fake::getNodes(stream),
            (Nodes{{}, {0}, {1}, {2}, {3}, {4}, {2}, {6}}));
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
}

/// The arguments of "loads".
class LoadArguments {
public:
  explicit LoadArguments(const Context &context)
      : memory(*Buffer::allocate(context, 256)) {
    for (int i = 0; i < 3; ++i)
      list[i] = Argument::tensor(ElementType::F32,
                                 memory.getAddress() + uint64_t(i) * 64, 1,
                                 &extents[i]);
    setWeights(1.0f);
    std::iota(getValues() + 16, getValues() + 24, 100.0f);
  }

  void setWeights(float first) {
    std::iota(getValues(), getValues() + 8, first);
  }
  /// Whether y is made of weights from this one on; forgets it.
  void expect(float first) {
    const float *y = getValues() + 32;
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(y[i], 2 * (first + float(i)));
      EXPECT_EQ(y[8 + i], 100.0f + float(i));
    }
    std::fill_n(getValues() + 32, 16, -7.0f);
  }

  Argument list[3];

private:
  float *getValues() { return reinterpret_cast<float *>(memory.getAddress()); }

  Buffer memory;
  int64_t extents[3] = {8, 8, 16};
};

TEST_F(ProgramTest, LoadsParameters) {
  using Functions = std::vector<std::string>;
  Context context = open();
  Result<Program> program =
      Program::get(context, writeAndOpen(makeLoadManifest()), "loads");
  ASSERT_TRUE(program) << program.error().message;
  LoadArguments arguments(context), others(context);
  CUstream stream = fake::makeStream(), second = fake::makeStream();
  auto launch = [&](LoadArguments &passed, CUstream in) {
    return program->launch(passed.list, 3, in);
  };
  // Parameters aren't kept unless that is asked for.
  expectSuccess(launch(arguments, stream));
  arguments.expect(1.0f);
  arguments.setWeights(2.0f);
  expectSuccess(launch(arguments, stream));
  arguments.expect(2.0f);
  EXPECT_EQ(getFunctions(),
            (Functions{"scale", "copy_bulk", "scale", "copy_bulk"}));
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  Status status = program->loadParameters(arguments.list, 3, stream);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "loads: expected parameters to be loaded "
                                    "before their stream is captured");
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  expectSuccess(program->loadParameters(arguments.list, 3, stream));
  EXPECT_EQ(getFunctions().size(), 5u);
  EXPECT_EQ(getFunctions().back(), "scale");
  // Changes after that aren't seen until parameters are loaded, also in a
  // graph.
  arguments.setWeights(3.0f);
  expectSuccess(launch(arguments, stream));
  arguments.expect(2.0f);
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  expectSuccess(launch(arguments, stream));
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(getFunctions().size(), 7u);
  expectSuccess(program->loadParameters(arguments.list, 3, stream));
  expectSuccess(launch(arguments, stream));
  arguments.expect(3.0f);
  // Others are refused, and another stream has loaded none.
  status = launch(others, stream);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "loads: expected the parameters that were loaded in this stream, "
            "got other memory; load these, or launch in another stream");
  expectSuccess(launch(others, second));
  others.expect(1.0f);
  expectSuccess(program->loadParameters(others.list, 3, stream));
  expectSuccess(launch(others, stream));
  others.expect(1.0f);
}

/// A program without such steps takes any arguments after it.
TEST_F(ProgramTest, LoadsNothing) {
  Context context = open();
  std::string manifest = makeLoadManifest();
  for (const char *step : {"0", "2"})
    manifest = setMember(manifest,
                         std::string("/programs/0/steps/") + step + "/at_load",
                         "false");
  Result<Program> program =
      Program::get(context, writeAndOpen(manifest), "loads");
  ASSERT_TRUE(program) << program.error().message;
  LoadArguments arguments(context), others(context);
  expectSuccess(program->loadParameters(arguments.list, 3));
  EXPECT_TRUE(fake::getLaunches().empty());
  expectSuccess(program->launch(others.list, 3));
  others.expect(1.0f);
}

TEST_F(ProgramTest, PreparedLoadsParameters) {
  Context context = open();
  Result<Program> program =
      Program::get(context, writeAndOpen(makeLoadManifest()), "loads");
  ASSERT_TRUE(program) << program.error().message;
  LoadArguments arguments(context);
  Result<PreparedProgram> prepared = program->prepare(arguments.list, 3);
  ASSERT_TRUE(prepared) << prepared.error().message;
  CUstream stream = fake::makeStream();
  auto expectRun = [&](float first, size_t launches) {
    size_t before = getFunctions().size();
    expectSuccess(prepared->run(stream));
    arguments.expect(first);
    EXPECT_EQ(getFunctions().size(), before + launches);
  };
  expectRun(1.0f, 2);
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_FALSE(prepared->loadParameters(stream));
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  expectRun(1.0f, 2);
  expectSuccess(prepared->loadParameters(stream));
  arguments.setWeights(5.0f);
  expectRun(1.0f, 1);
  expectSuccess(prepared->loadParameters(stream));
  expectRun(5.0f, 1);
  // The program's own memory has loaded none.
  expectSuccess(program->launch(arguments.list, 3, stream));
  arguments.expect(5.0f);
}

TEST_F(ProgramTest, InC) {
  Context context = open();
  TwiceArguments arguments(context, 16);
  carousel_context_options options;
  carousel_context_options_init(&options, sizeof(options));
  options.driver = CAROUSEL_FAKE_DRIVER;
  options.cache_bytes = 0;
  carousel_context *handle = nullptr;
  ASSERT_EQ(carousel_context_create(&options, &handle), CAROUSEL_OK);
  Package opened =
      writeAndOpen(makeProgramManifest(), {{"constants.bin", makeConstants()}});
  carousel_package *package = nullptr;
  ASSERT_EQ(carousel_package_open(opened.getDirectory().c_str(), &package),
            CAROUSEL_OK);
  size_t count = 0;
  EXPECT_EQ(carousel_package_program_count(package, &count), CAROUSEL_OK);
  EXPECT_EQ(count, 1u);
  const char *name = nullptr;
  EXPECT_EQ(carousel_package_program_name(package, 0, &name), CAROUSEL_OK);
  EXPECT_STREQ(name, "twice");
  EXPECT_EQ(carousel_package_program_argument_count(package, 0, &count),
            CAROUSEL_OK);
  EXPECT_EQ(count, 3u);
  carousel_argument_info info;
  info.size = sizeof(info);
  EXPECT_EQ(carousel_package_program_argument(package, 0, 2, &info),
            CAROUSEL_OK);
  EXPECT_STREQ(info.name, "y");
  EXPECT_EQ(carousel_package_program_argument(package, 0, 3, &info),
            CAROUSEL_INVALID_ARGUMENT);
  EXPECT_EQ(carousel_package_program_name(package, 1, &name),
            CAROUSEL_INVALID_ARGUMENT);

  carousel_program *program = nullptr;
  EXPECT_EQ(carousel_program_get(handle, package, "other", &program),
            CAROUSEL_NOT_FOUND);
  ASSERT_EQ(carousel_program_get(handle, package, "twice", &program),
            CAROUSEL_OK);
  EXPECT_EQ(carousel_program_load_all(program), CAROUSEL_OK);
  carousel_argument list[3] = {};
  for (int i = 0; i < 3; ++i) {
    const Argument &from = arguments.list[i];
    list[i].kind = static_cast<carousel_kind>(from.kind);
    list[i].element = static_cast<carousel_element>(from.element);
    list[i].rank = from.rank;
    list[i].data = from.data;
    list[i].extents = from.extents;
    list[i].value = from.value;
  }
  EXPECT_EQ(carousel_program_launch(program, list, 3, nullptr), CAROUSEL_OK);
  arguments.expect(2.0f);
  EXPECT_EQ(carousel_program_load_parameters(program, list, 3, nullptr),
            CAROUSEL_OK);
  carousel_prepared_program *prepared = nullptr;
  ASSERT_EQ(carousel_program_prepare(program, list, 3, &prepared), CAROUSEL_OK);
  EXPECT_EQ(carousel_prepared_program_load_parameters(prepared, nullptr),
            CAROUSEL_OK);
  EXPECT_EQ(carousel_prepared_program_run(prepared, nullptr), CAROUSEL_OK);
  arguments.expect(2.0f);
  EXPECT_EQ(carousel_program_launch(nullptr, list, 3, nullptr),
            CAROUSEL_INVALID_ARGUMENT);
  EXPECT_STREQ(carousel_last_error(), "program: expected a pointer, got null");
  carousel_prepared_program_release(prepared);
  carousel_program_release(program);
  carousel_package_close(package);
  carousel_context_destroy(handle);
}

} // namespace
