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
              "programs[0].steps[0].kind: expected 'launch', 'fill' or 'copy', "
              "got 'call'");
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
