//===- ManifestWorkspaceTest.cpp - workspaces in a manifest ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Manifest.h"

#include "OrderedManifest.h"

#include <gtest/gtest.h>

using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

constexpr const char *kExtents = "/kernels/0/arguments/1/extents";

TEST(ManifestWorkspace, Read) {
  Result<Manifest> manifest = parseManifest(makeOrderedManifest());
  ASSERT_TRUE(manifest) << manifest.error().message;
  const KernelInfo &kernel = manifest->kernels[0];
  EXPECT_EQ(kernel.arguments.size(), 3u);
  EXPECT_EQ(kernel.countPassed(), 1u);
  const ArgumentInfo &sums = kernel.arguments[2];
  EXPECT_EQ(sums.kind, ArgumentInfo::Kind::Workspace);
  EXPECT_EQ(sums.element, ElementType::F32);
  EXPECT_EQ(sums.extents, (std::vector<int64_t>{ArgumentInfo::kDynamic, 64}));
  EXPECT_TRUE(sums.contiguous);
  EXPECT_EQ(sums.workspaceExtents.size(), 2u);
  EXPECT_EQ(toString(sums), "workspace<?x64xf32> sums");
  EXPECT_EQ(toString(kernel.arguments[1], kernel),
            "workspace<[ceildiv(x.extent(0), 128)] x i32> semaphores");
  EXPECT_EQ(toString(kernel.arguments[0], kernel), "tensor<?xf32> x (in)");
  EXPECT_TRUE(kernel.variants[0].cooperative);
  EXPECT_FALSE(kernel.variants[1].cooperative);
  EXPECT_EQ(kernel.variants[0].tensorMaps[0].argument, 2);
}

/// Rank 0, and a constant.
TEST(ManifestWorkspace, SmallOnes) {
  Result<Manifest> manifest = parseManifest(
      setMember(setMember(makeOrderedManifest(),
                          "/kernels/0/variants/0/parameters", "[]"),
                "/kernels/0/variants/0/grid", "[1, 1, 1]"));
  ASSERT_TRUE(manifest) << manifest.error().message;
  std::string text = removeMember(
      setMember(makeOrderedManifest(), "/kernels/0/variants",
                R"([{"function": "f", "module": "simple", "chips": ["sm_80"],
                     "guards": [], "index_bits": 64, "parameters": [],
                     "tensor_maps": [], "grid": [1, 1, 1], "block": [1, 1, 1],
                     "cluster": [1, 1, 1], "dynamic_shared": 0,
                     "cooperative": false}])"),
      "/kernels/0/arguments/2");
  manifest = parseManifest(setMember(text, kExtents, "[]"));
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_TRUE(manifest->kernels[0].arguments[1].extents.empty());
  manifest = parseManifest(setMember(text, kExtents, "[4]"));
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->kernels[0].arguments[1].extents[0], 4);
  EXPECT_FALSE(manifest->kernels[0].variants[0].cooperative);
}

TEST(ManifestWorkspace, Errors) {
  auto expectError = [](const char *pointer, const char *value,
                        const char *message) {
    Result<Manifest> manifest =
        parseManifest(setMember(makeOrderedManifest(), pointer, value));
    ASSERT_FALSE(manifest) << message;
    EXPECT_EQ(manifest.error().code, ErrorCode::InvalidPackage);
    EXPECT_EQ(manifest.error().message, message);
  };
  expectError(kExtents, "4",
              "kernels[0].arguments[1].extents: expected a list, got 4");
  expectError(kExtents, "[-1]",
              "kernels[0].arguments[1].extents[0]: expected an extent that is "
              "not negative, got -1");
  expectError(kExtents, "[null]",
              "kernels[0].arguments[1].extents[0]: expected an integer, 'sms', "
              "'resident' or a list of an operator and its operands, got null");
  expectError(kExtents, R"([["mul", "resident", 4]])",
              "kernels[0].arguments[1].extents[0]: expected 'resident' in a "
              "grid only, got it here");
  expectError(kExtents, "[1, 1, 1, 1, 1, 1, 1, 1, 1]",
              "kernels[0].arguments[1].extents: expected at most 8 dimensions, "
              "got 9");
  // An argument that isn't passed has no extents yet, be it itself or one
  // before it.
  expectError("/kernels/0/arguments/2/extents", R"([["extent", 1, 0], 64])",
              "kernels[0].arguments[2].extents[0][1]: expected an argument's "
              "number below 1, got 1");
  expectError("/kernels/0/arguments/2",
              R"({"name": "y", "kind": "tensor", "access": "in",
                  "element": "f32", "extents": [], "strides": "contiguous"})",
              "kernels[0].arguments[2].kind: expected a workspace, since one "
              "comes before, got 'tensor'");
  expectError("/kernels/0/arguments/1/element", "\"index\"",
              "kernels[0].arguments[1].element: expected an element type of a "
              "workspace, got 'index'");
  expectError("/kernels/0/arguments/1/name", "\"x\"",
              "kernels[0].arguments[1]: expected a name that no other argument "
              "has, got 'x'");
  expectError("/kernels/0/variants/0/parameters/2",
              R"({"kind": "scalar", "argument": 1})",
              "kernels[0].variants[0].parameters[2].argument: expected a "
              "scalar, got semaphores, which is a workspace");
  expectError("/kernels/0/variants/0/cooperative", "1",
              "kernels[0].variants[0].cooperative: expected true or false, got "
              "1");
}

} // namespace
