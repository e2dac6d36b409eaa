//===- UntrustedProgramTest.cpp - what programs may not do ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the checks of facts that only a launch knows: work, memory and
// addresses.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Program.h"

#include "FakeCublasLt.h"
#include "ProgramFixture.h"

#include <array>
#include <chrono>

#include <unistd.h>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

using UntrustedProgramTest = ProgramFixture;

/// Fills, copies and products of a program are a bounded number of calls. What
/// writes an element twice is refused, so that memory bounds their elements.
TEST_F(UntrustedProgramTest, CallsAreBounded) {
  Context context = open();
  std::string manifest = makeDonationManifest();
  std::string step = "/programs/0/steps/0/";
  auto launch = [&](const std::string &edited, int64_t rows, int64_t columns) {
    Result<Program> program =
        Program::get(context, writeAndOpen(edited), "again");
    EXPECT_TRUE(program) << program.error().message;
    Buffer x = *Buffer::allocate(context, uint64_t(rows * columns) * 4);
    Buffer y = *Buffer::allocate(context, uint64_t(rows * columns) * 4);
    int64_t extents[] = {rows, columns};
    Argument list[] = {
        Argument::tensor(ElementType::F32, x.getAddress(), 2, extents),
        Argument::tensor(ElementType::F32, y.getAddress(), 2, extents)};
    Status status = program->launch(list, 2);
    return status ? "" : status.error().message;
  };
  std::string transposed =
      setMember(manifest, step + "source/strides", R"([1, ["extent", 0, 0]])");
  EXPECT_EQ(launch(transposed, 1 << 10, 3), "");
  EXPECT_EQ(fake::countCalls("cuMemcpy3DAsync"), 1u << 10);
  EXPECT_EQ(launch(transposed, (1 << 20) + 1, 2),
            "again: expected at most 1048576 calls for fills, copies and "
            "products, got 1048577");
  // All steps together.
  std::string twice = setMember(transposed, "/programs/0/steps/-",
                                R"({"kind": "copy", "source":
    {"kind": "tensor", "argument": 0, "element": "f32", "offset": 0,
     "extents": [["extent", 0, 0], 2], "strides": [1, ["extent", 0, 0]]},
    "target":
    {"kind": "tensor", "argument": 1, "element": "f32", "offset": 0,
     "extents": [["extent", 0, 0], 2], "strides": [2, 1]}})");
  fake::clearCalls();
  EXPECT_EQ(launch(twice, 600000, 2),
            "again: expected at most 1048576 calls for fills, copies and "
            "products, got 600000 after 600000");
  EXPECT_EQ(fake::countCalls("cuMemcpy3DAsync"), 0u);
  std::string repeated = setMember(manifest, step + "target/strides",
                                   R"([["sub", ["extent", 0, 0], 8], 1])");
  EXPECT_EQ(launch(repeated, 8, 16),
            "again: expected a target whose strides each step over all "
            "elements of the smaller ones, got the extents 8x16 and the "
            "strides 0, 1");
}

TEST_F(UntrustedProgramTest, ElementsAreAligned) {
  Context context = open();
  std::string manifest = makeDonationManifest();
  for (const char *argument : {"0", "1"})
    manifest = setMember(
        setMember(manifest,
                  std::string("/programs/0/arguments/") + argument + "/element",
                  "\"i8\""),
        std::string("/programs/0/arguments/") + argument + "/extents",
        "[null, 64]");
  for (const char *view : {"source", "target"}) {
    std::string place = std::string("/programs/0/steps/0/") + view;
    manifest = setMember(setMember(manifest, place + "/extents", "[4]"),
                         place + "/strides", "[1]");
  }
  Result<Program> program =
      Program::get(context, writeAndOpen(manifest), "again");
  ASSERT_TRUE(program) << program.error().message;
  Buffer memory = *Buffer::allocate(context, 1024);
  int64_t extents[] = {1, 64};
  auto launch = [&](uint64_t x, uint64_t y) {
    Argument list[] = {
        Argument::tensor(ElementType::I8, memory.getAddress() + x, 2, extents),
        Argument::tensor(ElementType::I8, memory.getAddress() + y, 2, extents)};
    Status status = program->launch(list, 2);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(launch(0, 128), "");
  EXPECT_EQ(launch(4, 132), "");
  EXPECT_EQ(launch(0, 129), "again: expected a step on f32 at a multiple of 4 "
                            "bytes, got byte 0 of y");
}

/// The library writes as many bytes as it is told that it has.
TEST_F(UntrustedProgramTest, MemoryOfTheLibraryIsThere) {
  ContextOptions options;
  options.libraries.cublasLt = CAROUSEL_FAKE_CUBLASLT;
  Context context = open(options);
  std::string manifest = setMember(
      makeProductManifest(), "/programs/0/steps/0/scratch",
      R"({"kind": "tensor", "argument": 3, "element": "i8", "offset": 0,
          "extents": [["mul", ["extent", 0, 0], 65536]], "strides": [
          ["sub", ["extent", 0, 0], 2]]})");
  Result<Program> program =
      Program::get(context, writeAndOpen(manifest), "product");
  ASSERT_TRUE(program) << program.error().message;
  Buffer memory = *Buffer::allocate(context, 4096);
  int64_t extents[] = {2, 2};
  Argument list[3];
  for (uint64_t i = 0; i < 3; ++i)
    list[i] = Argument::tensor(ElementType::F32, memory.getAddress() + i * 256,
                               2, extents);
  Status status = program->launch(list, 3);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "product: expected memory for a library with the stride 1, got 0");
}

/// A kept plan serves only arguments for which it would be made again.
TEST_F(UntrustedProgramTest, KeptPlansCheckAddresses) {
  Context context = open();
  // A copy between arguments that may be one.
  std::string manifest =
      setMember(makeDonationManifest(), "/programs/0/steps/0/source/strides",
                R"([1, ["extent", 0, 0]])");
  Result<Program> program =
      Program::get(context, writeAndOpen(manifest), "again");
  ASSERT_TRUE(program) << program.error().message;
  Buffer memory = *Buffer::allocate(context, 4096);
  int64_t extents[] = {8, 16};
  auto makeList = [&](uint64_t y) {
    return std::array<Argument, 2>{
        Argument::tensor(ElementType::F32, memory.getAddress(), 2, extents),
        Argument::tensor(ElementType::F32, memory.getAddress() + y, 2,
                         extents)};
  };
  expectSuccess(program->launch(makeList(1024).data(), 2));
  expectSuccess(program->prepare(makeList(1024).data(), 2)
                    .map([](const PreparedProgram &) {}));
  fake::clearCalls();
  const std::string kOverlap =
      "again: expected a step that writes no element of x that it also uses, "
      "got views that overlap";
  Status status = program->launch(makeList(0).data(), 2);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, kOverlap);
  Result<PreparedProgram> prepared = program->prepare(makeList(0).data(), 2);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().message, kOverlap);
  EXPECT_EQ(fake::countCalls("cuMemcpy3DAsync"), 0u);
}

/// Operands of a kernel that may alias, of arguments that say nothing of it.
TEST_F(UntrustedProgramTest, KeptPlansCompareAliases) {
  Context context = open();
  std::string manifest = makeProgramManifest();
  for (int argument : {0, 1})
    manifest = setMember(
        manifest, fmt::format("/kernels/0/arguments/{}/extents", argument),
        "[4]");
  manifest = setMember(manifest, "/kernels/0/arguments/1/may_alias", "0");
  manifest = setMember(manifest, "/programs/0/steps", R"([
    {"kind": "launch", "kernel": "copy", "operands": [
      {"kind": "tensor", "argument": 0, "element": "f32", "offset": 0,
       "extents": [4], "strides": [1]},
      {"kind": "tensor", "argument": 2, "element": "f32", "offset": 0,
       "extents": [4], "strides": [1]}]}])");
  Program program = getProgram(context, manifest);
  Buffer memory = *Buffer::allocate(context, 4096);
  int64_t extents[] = {2, 4};
  auto launch = [&](uint64_t shift) {
    Argument list[] = {
        Argument::tensor(ElementType::F32, memory.getAddress(), 1, extents + 1),
        Argument::scalar(ElementType::F32, 0),
        Argument::tensor(ElementType::F32, memory.getAddress() + shift, 2,
                         extents)};
    Status status = program.launch(list, 3);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(launch(1024), "");
  EXPECT_EQ(launch(0), "");
  EXPECT_EQ(launch(1024 + 256), "");
  // As far from a multiple of 256 as before.
  for (Buffer *buffer : {&memory})
    EXPECT_EQ(buffer->getAddress() % 256, 0u);
  manifest = setMember(manifest, "/kernels/0/arguments/0/extents", "[128]");
  manifest = setMember(manifest, "/kernels/0/arguments/1/extents", "[128]");
  for (int operand : {0, 1})
    manifest = setMember(
        manifest,
        fmt::format("/programs/0/steps/0/operands/{}/extents", operand),
        "[128]");
  program = getProgram(context, manifest);
  extents[1] = 128;
  EXPECT_EQ(launch(2048), "");
  fake::clearCalls();
  EXPECT_EQ(launch(256).find("copy: y: expected the same address, extents and "
                             "strides as x, or no common element, got 512 "
                             "bytes at "),
            0u);
  EXPECT_TRUE(fake::getLaunches().empty());
}

/// Guards of any alignment are a part of what a plan is kept for.
TEST_F(UntrustedProgramTest, KeptPlansKnowAllAlignments) {
  Context context = open();
  std::string manifest = makeProgramManifest();
  for (int guard : {1, 2})
    manifest = setMember(
        manifest, fmt::format("/kernels/0/variants/0/guards/{}/bytes", guard),
        "1024");
  manifest =
      setMember(manifest, "/programs/0/steps/2/operands/0/argument", "0");
  Program program = getProgram(context, manifest);
  TwiceArguments arguments(context, 1024);
  Buffer memory = *Buffer::allocate(context, 16384);
  uint64_t start = (memory.getAddress() + 1023) / 1024 * 1024;
  for (auto [shift, function] :
       {std::pair(0, "copy_bulk"), std::pair(512, "copy_simple"),
        std::pair(1024, "copy_bulk"), std::pair(256, "copy_simple")}) {
    arguments.list[0].data = start + uint64_t(shift);
    arguments.list[2].data = start + 8192 - 4096 + uint64_t(shift) % 1024;
    Buffer result = *Buffer::allocate(context, 16384);
    arguments.list[2].data =
        (result.getAddress() + 1023) / 1024 * 1024 + uint64_t(shift) % 1024;
    expectSuccess(program.launch(arguments.list, 3));
    EXPECT_EQ(getFunctions().back(), function) << shift;
  }
}

/// An index that a kernel only gets decides whether it fits 32 bits.
TEST_F(UntrustedProgramTest, KeptPlansKnowIndices) {
  Context context = open();
  std::string manifest = makeProgramManifest();
  manifest =
      setMember(manifest, "/programs/0/arguments/1/element", "\"index\"");
  manifest = setMember(manifest, "/kernels/2/variants/0/guards", "[]");
  manifest = setMember(manifest, "/kernels/2/variants/0/grid", "[1, 1, 1]");
  manifest = setMember(manifest, "/programs/0/steps", R"([
    {"kind": "launch", "kernel": "scale", "operands": [
      {"kind": "tensor", "argument": 3, "element": "f32", "offset": 0,
       "extents": [["extent", 0, 0]], "strides": [1]},
      {"kind": "scalar", "argument": 1},
      {"kind": "bits", "element": "f32", "bits": 0},
      {"kind": "bits", "element": "i32", "bits": -1}]}])");
  Program program = getProgram(context, manifest);
  TwiceArguments arguments(context, 8);
  arguments.list[1] = Argument::scalar(ElementType::Index, 8);
  expectSuccess(program.launch(arguments.list, 3));
  arguments.list[1] = Argument::scalar(ElementType::Index, uint64_t(1) << 32);
  Status status = program.launch(arguments.list, 3);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "no variant of 'scale' takes these arguments: scale: expected n "
            "to fit 32-bit indices, got 4294967296");
}

/// Constants have their place on the device before any of them is read.
TEST_F(UntrustedProgramTest, HugeConstants) {
  Context context = open();
  Package small =
      writeAndOpen(makeProgramManifest(), {{"constants.bin", makeConstants()}});
  std::string path = small.getDirectory();
  std::string manifest =
      setMember(makeProgramManifest(), "/constants/bytes", "1099511627776");
  std::map<std::string, std::string> files = makeFiles(manifest);
  writeFile(path + "/manifest.json", fillHashes(manifest, [&] {
              for (auto &[name, contents] : files)
                contents = name.find(".cubin") != std::string::npos
                               ? "FAKECUBIN " + name
                               : ".version 8.0 // " + name;
              return files;
            }()));
  ASSERT_EQ(truncate((path + "/constants.bin").c_str(), int64_t(1) << 40), 0);
  Result<Package> package = Package::open(path);
  ASSERT_TRUE(package) << package.error().message;
  Result<Program> program = Program::get(context, *package, "twice");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, ErrorCode::OutOfMemory);
  EXPECT_EQ(program.error().message.find("twice: constants: "), 0u);
  // Contents that aren't those of the manifest.
  writeFile(small.getDirectory() + "/constants.bin", std::string(264, 'x'));
  program = Program::get(context, small, "twice");
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().message.find("expected contents with the hash"),
            std::string::npos);
}

/// Lists whose product would be work: scalars and steps, and arguments that may
/// alias.
TEST_F(UntrustedProgramTest, ManyScalarsAndSteps) {
  Context context = open();
  constexpr int kCount = 12000;
  std::string arguments, steps;
  for (int i = 0; i < kCount; ++i) {
    arguments += fmt::format(R"(, {{"name": "s{}", "kind": "scalar",
      "access": "in", "element": "index"}})",
                             i);
    steps += fmt::format(R"({}{{"kind": "fill",
      "value": {{"kind": "bits", "element": "f32", "bits": 0}},
      "target": {{"kind": "tensor", "argument": 0, "element": "f32",
      "offset": 0, "extents": [4], "strides": [1]}}}})",
                         i ? "," : "");
  }
  Package package = writeAndOpen(setMember(
      makeCopyManifest(), "/programs",
      R"([{"name": "many", "arguments": [{"name": "x", "kind": "tensor",
      "access": "inout", "element": "f32", "extents": [4],
      "strides": "contiguous"})" +
          arguments + R"(], "constants": [],
      "checks": [], "steps": [)" +
          steps + "]}]"));
  auto start = std::chrono::steady_clock::now();
  Result<Program> program = Program::get(context, package, "many");
  ASSERT_TRUE(program) << program.error().message;
  // Compared with each other, they took 8 s.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
}

} // namespace
