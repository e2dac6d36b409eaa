//===- ManifestProgramTest.cpp - programs in manifests --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Package.h"

#include "ProgramManifest.h"

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
              "programs[0].steps[0].kind: expected 'launch', 'fill', 'copy' or "
              "'matmul', got 'call'");
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
  expect("scratch/element", "\"f32\"",
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
  EXPECT_EQ(package->getConstants(), makeConstants());
  ASSERT_TRUE(package->findProgram("twice"));
  writeFile(directory / "good/constants.bin", std::string(264, 'x'));
  package = Package::open(directory / "good");
  ASSERT_FALSE(package);
  EXPECT_NE(package.error().message.find(
                "constants.bin: expected contents with the hash"),
            std::string::npos);
}

} // namespace
