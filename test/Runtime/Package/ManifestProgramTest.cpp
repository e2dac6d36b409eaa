//===- ManifestProgramTest.cpp - programs in manifests --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Package.h"

#include "ProgramManifest.h"

#include "carousel/Runtime/Fail.h"

#include "gtest/gtest.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

TEST(ManifestProgram, Reads) {
  Result<Manifest> manifest = parseManifest(makeProgramManifest());
  ASSERT_TRUE(manifest) << manifest.error().message;
  ASSERT_EQ(manifest->programs.size(), 1u);
  const ProgramInfo &program = manifest->programs[0];
  EXPECT_EQ(manifest->findProgram("twice"), &program);
  EXPECT_EQ(manifest->findProgram("thrice"), nullptr);
  EXPECT_EQ(program.countPassed(), 3u);
  ASSERT_EQ(program.steps.size(), 5u);
  EXPECT_EQ(manifest->kernels[program.steps[1].kernel].name, "scale");
  EXPECT_EQ(program.steps[1].operands[3].bits, UINT64_MAX);
  EXPECT_EQ(program.steps[2].family, "elementwise");
  EXPECT_EQ(program.steps[2].sources, std::vector<std::string>{"twice.mlir:7"});
  EXPECT_EQ(program.constants[0].bytes, 8u);
  EXPECT_EQ(toString(program.checks[0].guard, program),
            "x.extent(0) and y.extent(1) are equal");
}

void expectError(const std::string &pointer, const std::string &value,
                 const std::string &message) {
  Result<Manifest> manifest =
      parseManifest(setMember(makeProgramManifest(), pointer, value));
  ASSERT_FALSE(manifest) << message;
  EXPECT_EQ(manifest.error().message, message);
}

TEST(ManifestProgram, Refuses) {
  expectError("/programs/0/steps/1/kernel", "\"none\"",
              "programs[0].steps[1].kernel: expected a kernel of the package, "
              "got 'none'");
  expectError("/programs/0/steps/1/operands", "[]",
              "programs[0].steps[1].operands: expected a list of 4, got 0");
  expectError("/programs/0/steps/1/operands/0/element", "\"f16\"",
              "programs[0].steps[1].operands[0]: expected an operand for "
              "tensor<?xf32> x (inout), got 1 dimensions of f16");
  expectError("/programs/0/steps/1/operands/2/argument", "0",
              "programs[0].steps[1].operands[2].argument: expected a scalar, "
              "got x, which is a tensor");
  expectError("/programs/0/steps/0/source/argument", "9",
              "programs[0].steps[0].source.argument: expected an argument's "
              "number below 4, got 9");
  expectError("/programs/0/steps/0/kind", "\"call\"",
              "programs[0].steps[0].kind: expected 'launch', 'fill', 'copy', "
              "'matmul' or 'fused_matmul', got 'call'");
  expectError(
      "/programs/0/steps/4/target/kind", "\"constant\"",
      "programs[0].steps[4].target: expected a member 'constant', got none");
  expectError("/programs/0/steps/3/value/element", "\"f64\"",
              "programs[0].steps[3].target: expected elements of f64, got f32");
  expectError("/programs/0/constants/0/offset", "260",
              "programs[0].constants[0].offset: expected 8 bytes in a file of "
              "264, got the offset 260");
  expectError("/programs/0/constants/0/extents/0", "1099511627776",
              "programs[0].constants[0].offset: expected 4398046511104 bytes "
              "in a file of 264, got the offset 256");
  expectError("/programs/0/checks/0/message", "\"\"",
              "programs[0].checks[0].message: expected a name of printable "
              "characters, got ''");
  expectError(
      "/constants/file", "\"../x\"",
      "constants.file: expected the name of a file in the package, got '../x'");
}

TEST(ManifestProgram, ReadsParameters) {
  Result<Manifest> manifest = parseManifest(makeLoadManifest());
  ASSERT_TRUE(manifest) << manifest.error().message;
  const ProgramInfo &program = manifest->programs[0];
  EXPECT_TRUE(program.arguments[0].isParameter);
  EXPECT_FALSE(program.arguments[1].isParameter);
  EXPECT_EQ(toString(program.arguments[0]), "tensor<8xf32> w (in, parameter)");
  EXPECT_TRUE(program.steps[2].isAtLoad);
  EXPECT_FALSE(program.steps[3].isAtLoad);
}

/// Steps that launches may skip depend on nothing that launches decide.
TEST(ManifestProgram, RefusesParameters) {
  auto expect = [](const std::string &member, const std::string &value,
                   const std::string &message) {
    Result<Manifest> manifest = parseManifest(
        setMember(makeLoadManifest(), "/programs/0/" + member, value));
    ASSERT_FALSE(manifest) << message;
    EXPECT_EQ(manifest.error().message, "programs[0]." + message);
  };
  const std::string rule =
      ": expected a step at load to use parameters, constants, and workspaces "
      "that only such steps write, got another operand";
  expect("arguments/0/parameter", "false", "steps[0]" + rule);
  expect("steps/0/target/argument", "2", "steps[0]" + rule);
  expect("steps/0/source/argument", "1", "steps[0]" + rule);
  expect("steps/0/source/offset", R"(["mul", ["extent", 1, 0], 0])",
         "steps[0]" + rule);
  expect("steps/2/operands/1/value", R"(["extent", 1, 0])", "steps[2]" + rule);
  expect("arguments/3/extents/0", R"(["mul", ["extent", 1, 0], 4])",
         "steps[0]" + rule);
  // Another step writes the workspace, or what a step at load reads.
  expect("steps/0/at_load", "false", "steps[2]" + rule);
  expect("steps/1/target/argument", "3",
         "steps[1].target: expected a step within 32 bytes of loaded, got 32 "
         "bytes from 32 on");
  expect("arguments/0/access", "\"inout\"",
         "arguments[0].parameter: expected a parameter that no launch writes, "
         "got tensor<8xf32> w (inout, parameter)");
  expect("arguments/2/may_alias", "0",
         "arguments[2].may_alias: expected an argument that isn't a "
         "parameter, got w");
}

TEST(ManifestProgram, ReadsProducts) {
  Result<Manifest> manifest = parseManifest(makeProductManifest());
  ASSERT_TRUE(manifest) << manifest.error().message;
  const StepInfo &step = manifest->programs[0].steps[0];
  EXPECT_EQ(step.kind, StepInfo::Kind::Matmul);
  EXPECT_STREQ(toString(step.kind), "matmul");
  EXPECT_EQ(step.operands.size(), 4u);
  EXPECT_FALSE(step.tf32);
  EXPECT_EQ(step.family, "library");
  EXPECT_EQ(step.sources, std::vector<std::string>{"product.mlir:3"});
}

TEST(ManifestProgram, ReadsFusedProducts) {
  Result<Manifest> manifest = parseManifest(makeFusedProductManifest());
  ASSERT_TRUE(manifest) << manifest.error().message;
  const StepInfo &step = manifest->programs[0].steps[0];
  EXPECT_EQ(step.kind, StepInfo::Kind::Matmul);
  EXPECT_EQ(step.operands.size(), 6u);
  EXPECT_EQ(step.function, StepInfo::Function::Relu);
  EXPECT_EQ(step.bias, 3u);
  EXPECT_EQ(step.residual, 4u);
  EXPECT_EQ(step.scratch, 5u);
}

TEST(ManifestProgram, RefusesFusedProducts) {
  auto expect = [](const std::string &member, const std::string &value,
                   const std::string &message) {
    Result<Manifest> manifest = parseManifest(setMember(
        makeFusedProductManifest(), "/programs/0/steps/0/" + member, value));
    ASSERT_FALSE(manifest) << message;
    EXPECT_EQ(manifest.error().message, "programs[0].steps[0]" + message);
  };
  expect("function", "\"swish\"",
         ".function: expected 'identity', 'relu' or 'gelu', got 'swish'");
  expect("bias/element", "\"bf16\"",
         ".bias: expected 1 dimensions of the target's f32, got 1 of bf16");
  expect("residual", R"({"kind": "tensor", "argument": 3, "element": "f32",
             "offset": 0, "extents": [4], "strides": [1]})",
         ".residual: expected 2 dimensions of the target's f32, got 1 of f32");
  expect("bias", R"({"kind": "bits", "element": "f32", "bits": 1})",
         ".bias: expected 1 dimensions of the target's f32, got 0 of f32");
  // Elements that are written, where all numbers are known.
  const char *kTarget = R"({"kind": "tensor", "argument": 2, "element": "f32",
             "offset": 0, "extents": [2, 4], "strides": [4, 1]})";
  std::string manifest = setMember(makeFusedProductManifest(),
                                   "/programs/0/steps/0/target", kTarget);
  Result<Manifest> read = parseManifest(
      setMember(manifest, "/programs/0/steps/0/residual", kTarget));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find(".residual: "), std::string::npos)
      << read.error().message;
  // A product that would ignore these members is a step of another kind.
  read = parseManifest(setMember(makeFusedProductManifest(),
                                 "/programs/0/steps/0/kind", "\"matmul\""));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->programs[0].steps[0].bias);
}

TEST(ManifestProgram, RefusesProducts) {
  auto expect = [](const std::string &member, const std::string &value,
                   const std::string &message) {
    std::string place = "programs[0].steps[0]";
    Result<Manifest> manifest = parseManifest(setMember(
        makeProductManifest(), "/programs/0/steps/0/" + member, value));
    ASSERT_FALSE(manifest) << message;
    EXPECT_EQ(manifest.error().message, place + message);
  };
  expect("tf32", "1", ".tf32: expected true or false, got 1");
  expect("lhs", R"({"kind": "bits", "element": "f32", "bits": 1})",
         ".lhs: expected elements of a tensor, got another operand");
  expect("target/kind", "\"constant\"",
         ".target: expected a member 'constant', got none");
  expect("lhs/element", "\"f64\"",
         ".rhs: expected factors of f32, f16 or bf16, got f64 and f32");
  expect("rhs/element", "\"bf16\"",
         ".rhs: expected factors of f32, f16 or bf16, got f32 and bf16");
  expect("target/element", "\"bf16\"",
         ".target: expected elements of f32 or f32, got bf16");
  expect("rhs/extents", "[2]", ".rhs.strides: expected a list of 1, got 2");
  expect("scratch",
         R"({"kind": "tensor", "argument": 3, "element": "f32", "offset": 0,
             "extents": [4], "strides": [1]})",
         ".scratch: expected bytes of one dimension that can be written, got "
         "another operand");
  std::string batch = setMember(makeProductManifest(),
                                "/programs/0/steps/0/lhs/extents", "[1, 2, 3]");
  Result<Manifest> manifest = parseManifest(
      setMember(batch, "/programs/0/steps/0/lhs/strides", "[6, 3, 1]"));
  ASSERT_FALSE(manifest);
  EXPECT_EQ(manifest.error().message,
            "programs[0].steps[0].rhs: expected as many dimensions as lhs, at "
            "least 2, got 2");
}

TEST(ManifestProgram, ConstantsAreChecked) {
  TempDirectory directory;
  std::map<std::string, std::string> files = makeFiles(makeProgramManifest());
  files["constants.bin"] = makeConstants();
  writePackage(directory / "good", makeProgramManifest(), files);
  Result<Package> package = Package::open(directory / "good");
  ASSERT_TRUE(package) << package.error().message;
  auto read = [&](std::string &contents) {
    return package->readConstants([&](uint64_t offset, std::string_view part) {
      EXPECT_EQ(offset, contents.size());
      contents += part;
      return Status();
    });
  };
  std::string contents;
  ASSERT_TRUE(read(contents));
  EXPECT_EQ(contents, makeConstants());
  ASSERT_TRUE(package->findProgram("twice"));
  Status stopped = package->readConstants([](uint64_t, std::string_view) {
    return Status(fail(ErrorCode::OutOfMemory, "enough"));
  });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "enough");
  auto expectBad = [&](std::string_view text) {
    std::string ignored;
    Status status = read(ignored);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::InvalidPackage);
    EXPECT_NE(status.error().message.find(text), std::string::npos)
        << status.error().message;
  };
  // An open package reads the file that it found.
  writeFile(directory / "good/constants.bin", std::string(264, 'x'));
  expectBad("constants.bin: expected contents with the hash");
  writeFile(directory / "good/constants.bin", std::string(12, 'x'));
  expectBad("constants.bin: expected 264 bytes, got 12, as the file shrank");
  package = Package::open(directory / "good");
  ASSERT_FALSE(package);
  EXPECT_NE(
      package.error().message.find("constants.bin: expected 264 bytes, got 12"),
      std::string::npos);
}

/// A value that is asked for a member is an object, wherever it stands.
TEST(ManifestProgram, ObjectsAreObjects) {
  std::string manifest = makeProgramManifest();
  for (const char *pointer :
       {"", "/modules/0", "/modules/0/images/0", "/kernels/0",
        "/kernels/0/arguments/0", "/kernels/0/variants/0",
        "/kernels/0/variants/0/guards/0", "/kernels/0/variants/0/parameters/0",
        "/kernels/1/variants/0/tensor_maps/0", "/constants", "/programs/0",
        "/programs/0/arguments/0", "/programs/0/constants/0",
        "/programs/0/checks/0", "/programs/0/steps/0",
        "/programs/0/steps/0/source", "/programs/0/steps/1/operands/0"})
    for (const char *value :
         {"[-1, 0]", "[[], [], []]", "[1152921504606846976, 0]",
          "[\"a\", 1, 2]", "[]", "-1", "1e9", "\"kind\"", "true", "null"}) {
      Result<Manifest> read =
          parseManifest(setMember(manifest, pointer, value));
      ASSERT_FALSE(read) << pointer << " " << value;
      EXPECT_NE(read.error().message.find("expected an object, got "),
                std::string::npos)
          << pointer << " " << value << ": " << read.error().message;
    }
  expectError("/programs/0/steps/0", "[-1, 0]",
              "programs[0].steps[0]: expected an object, got a list of 2");
}

/// A view whose numbers are in the manifest.
std::string makeView(int argument, int64_t offset, const std::string &extents,
                     const std::string &strides) {
  return fmt::format(R"({{"kind": "tensor", "argument": {}, "element": "f32",
                         "offset": {}, "extents": [{}], "strides": [{}]}})",
                     argument, offset, extents, strides);
}

TEST(ManifestProgram, RefusesWhatStepsMayNotDo) {
  std::string steps = "/programs/0/steps/", place = "programs[0].steps";
  std::string fill = steps + "3/target", copy = steps + "0/";
  // More elements than memory: of fills, of copies.
  expectError(fill, makeView(2, 0, "1099511627776, 4", "0, 1"),
              place + "[3].target: expected a target whose strides each step "
                      "over all elements of the smaller ones, got the extents "
                      "1099511627776x4 and the strides 0, 1");
  expectError(copy + "target", makeView(3, 0, "3, 4", "3, 1"),
              place + "[0].target: expected a target whose strides each step "
                      "over all elements of the smaller ones, got the extents "
                      "3x4 and the strides 3, 1");
  // Numbers that no memory has.
  expectError(fill, makeView(2, 0, "-1", "1"),
              place + "[3].target: expected a step on extents that are not "
                      "negative, got -1");
  expectError(fill, makeView(2, -4, "1", "1"),
              place + "[3].target: expected a step within the bytes of y, got "
                      "4 bytes from -4 on");
  expectError(fill, makeView(2, 0, "4", "-1"),
              place + "[3].target: expected a step within the bytes of y, got "
                      "9223372036854775807 bytes from 0 on");
  expectError(steps + "4/source/offset", "4",
              place + "[4].source: expected a step within 8 bytes of constant "
                      "0, got 8 bytes from 4 on");
  expectError(fill, makeView(2, 2, "1", "1"),
              place + "[3].target: expected a step on f32 at a multiple of 4 "
                      "bytes, got byte 2 of y");
  // Inputs and constants are read.
  expectError(fill, makeView(0, 0, "1", "1"),
              place + "[3].target: expected elements that can be written, got "
                      "those of tensor<?xf32> x (in)");
  expectError(copy + "target/argument", "0",
              place + "[0].target: expected elements that can be written, got "
                      "those of tensor<?xf32> x (in)");
  expectError(steps + "1/operands/0/argument", "0",
              place + "[1].operands[0]: expected elements that can be written, "
                      "got those of tensor<?xf32> x (in)");
  expectError(steps + "2/operands/1",
              R"({"kind": "constant", "constant": 0, "element": "f32",
                  "offset": 0, "extents": [2], "strides": [1]})",
              place + "[2].operands[1]: expected elements that can be written, "
                      "got another operand");
  // A copy within one argument.
  std::string inside = setMember(makeProgramManifest(), copy + "source",
                                 makeView(3, 0, "4", "1"));
  for (int offset : {0, 16, 4}) {
    Result<Manifest> read = parseManifest(
        setMember(inside, copy + "target", makeView(3, offset, "4", "1")));
    EXPECT_EQ(bool(read), offset != 4);
    if (!read)
      EXPECT_EQ(read.error().message,
                place + "[0].source: expected a step that writes no element of "
                        "work that it also uses, got views that overlap");
  }
}

TEST(ManifestProgram, ProductsAreApartFromTheirFactors) {
  std::string step = "/programs/0/steps/0/";
  auto makeManifest = [&](int64_t target) {
    std::string manifest = makeProductManifest();
    for (auto [member, offset] :
         {std::pair("lhs", int64_t(0)), std::pair("rhs", int64_t(16)),
          std::pair("target", target)})
      manifest = setMember(manifest, step + member,
                           makeView(3, offset, "2, 2", "2, 1"));
    return manifest;
  };
  EXPECT_TRUE(parseManifest(makeManifest(32)));
  for (auto [offset, member] : {std::pair(0, "lhs"), std::pair(16, "rhs"),
                                std::pair(4100, "scratch")}) {
    Result<Manifest> read = parseManifest(makeManifest(offset));
    ASSERT_FALSE(read);
    EXPECT_EQ(
        read.error().message,
        fmt::format("programs[0].steps[0].{}: expected a step that "
                    "writes no element of work that it also uses, got "
                    "views that overlap",
                    member == std::string("scratch") ? "scratch" : member));
  }
  Result<Manifest> read = parseManifest(
      setMember(makeProductManifest(), step + "scratch/argument", "0"));
  ASSERT_FALSE(read);
  // The library would have more bytes than there are.
  read = parseManifest(setMember(
      makeProductManifest(), step + "scratch",
      R"({"kind": "tensor", "argument": 3, "element": "i8", "offset": 0,
          "extents": [1099511627776], "strides": [0]})"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            "programs[0].steps[0].scratch: expected memory for a library with "
            "the stride 1, got 0");
  read = parseManifest(
      setMember(makeManifest(32), step + "target",
                makeView(3, 0, "2147483647, 2147483647, 2, 2", "0, 0, 2, 1")));
  ASSERT_FALSE(read);
}

/// Counts whose product is work at a launch.
TEST(ManifestProgram, BoundsTheWorkOfALaunch) {
  std::string guards, steps;
  for (int i = 0; i < 400; ++i)
    guards += std::string(i ? "," : "") +
              R"({"kind": "divisible", "value": "sms", "by": 1})";
  for (int i = 0; i < 22000; ++i)
    steps += std::string(i ? "," : "") +
             R"({"kind": "launch", "kernel": "k", "operands": []})";
  std::string text = R"({"format": "carousel-package", "version": 3,
    "producer": "test", "modules": [{"name": "m", "images": []}],
    "kernels": [{"name": "k", "arguments": [], "variants": [
      {"function": "f", "module": "m", "chips": ["sm_90a"], "guards": [)" +
                     guards + R"(], "index_bits": 64, "parameters": [],
       "tensor_maps": [], "grid": [1, 1, 1], "block": [1, 1, 1],
       "cluster": [1, 1, 1], "dynamic_shared": 0}]}],
    "programs": [{"name": "p", "arguments": [], "constants": [], "checks": [],
    "steps": [)" + steps +
                     "]}]}";
  Result<Manifest> read = parseManifest(text);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            "programs[0].steps: expected a program that looks at no more than "
            "16777216 guards, operators, operands, tensor maps and arguments, "
            "got 17710000");
}

TEST(ManifestProgram, BoundsArgumentsThatMayAlias) {
  std::string manifest = makeDonationManifest();
  for (int i = 0; i < 17; ++i)
    manifest = setMember(
        manifest, "/programs/0/arguments/-",
        fmt::format(R"({{"name": "y{}", "kind": "tensor", "access": "out",
                        "element": "f32", "extents": [null, null],
                        "strides": "contiguous", "may_alias": {}}})",
                    i, 0));
  Result<Manifest> read = parseManifest(manifest);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            "programs[0].arguments[17]: expected at most 16 arguments that may "
            "alias x, got more");
}

} // namespace
