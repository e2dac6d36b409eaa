//===- ManifestExternsTest.cpp - undefined functions in a manifest --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Manifest.h"

#include "TestPackages.h"

#include <gtest/gtest.h>

using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

Result<Manifest> read(const std::string &externs) {
  return parseManifest(
      setMember(makeCopyManifest(), "/modules/1/externs", externs));
}

TEST(ManifestExterns, Read) {
  Result<Manifest> manifest = read(R"([
      {"name": "activation", "result": "f32", "parameters": ["f32", "f64"]},
      {"name": "log_2", "result": null, "parameters": []},
      {"name": "_all", "result": "other", "parameters":
       ["i1", "i8", "i16", "i32", "i64", "f16", "bf16", "ptr", "other"]}])");
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_TRUE(manifest->modules[0].externs.empty());
  const std::vector<ExternInfo> &externs = manifest->modules[1].externs;
  ASSERT_EQ(externs.size(), 3u);
  EXPECT_EQ(externs[0].name, "activation");
  using Type = ExternInfo::Type;
  EXPECT_EQ(externs[0].result, Type::F32);
  EXPECT_EQ(externs[0].parameters, (std::vector<Type>{Type::F32, Type::F64}));
  EXPECT_FALSE(externs[1].result);
  EXPECT_EQ(toString(externs[0]),
            "extern \"C\" __device__ float activation(float, double)");
  EXPECT_EQ(toString(externs[1]), "extern \"C\" __device__ void log_2()");
  EXPECT_EQ(toString(externs[2]),
            "extern \"C\" __device__ ... _all(bool, signed char, short, int, "
            "long long, __half, __nv_bfloat16, void *, ...)");
}

TEST(ManifestExterns, Errors) {
  auto expectError = [](const char *externs, const char *message) {
    Result<Manifest> manifest = read(externs);
    ASSERT_FALSE(manifest) << message;
    EXPECT_EQ(manifest.error().code, ErrorCode::InvalidPackage);
    EXPECT_EQ(manifest.error().message, message);
  };
  expectError("3", "modules[1].externs: expected a list, got 3");
  expectError(R"([{"result": null, "parameters": []}])",
              "modules[1].externs[0]: expected a member 'name', got none");
  // It would become a part of a text that is compiled.
  expectError(R"([{"name": "f(); int g", "result": null, "parameters": []}])",
              "modules[1].externs[0].name: expected an identifier, got "
              "'f(); int g'");
  expectError(R"([{"name": "", "result": null, "parameters": []}])",
              "modules[1].externs[0].name: expected a name of printable "
              "characters, got ''");
  expectError(R"([{"name": "f", "parameters": []}])",
              "modules[1].externs[0]: expected a member 'result', got none");
  expectError(R"([{"name": "f", "result": null, "parameters": ["f33"]}])",
              "modules[1].externs[0].parameters[0]: expected 'i1', 'i8', "
              "'i16', 'i32', 'i64', 'f16', 'bf16', 'f32', 'f64', 'ptr' or "
              "'other', got 'f33'");
  expectError(R"([{"name": "f", "result": null, "parameters": []},
                  {"name": "f", "result": null, "parameters": []}])",
              "modules[1].externs[1]: expected a name that no other function "
              "has, got 'f'");
}

} // namespace
