//===- CheckArgumentsTest.cpp - arguments without a device ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderedManifest.h"

#include "carousel/Runtime/CheckArguments.h"

#include <gtest/gtest.h>

using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

/// A kernel with one tensor of one dimension and two workspaces.
class CheckArguments : public testing::Test {
protected:
  void SetUp() override {
    Result<Manifest> parsed = parseManifest(makeOrderedManifest());
    ASSERT_TRUE(parsed) << parsed.error().message;
    manifest = std::move(*parsed);
  }

  const KernelInfo &getKernel() const { return manifest.kernels[0]; }

  const int64_t extent = 1000;
  const Argument x = Argument::tensor(ElementType::F32, 4096, 1, &extent);
  Manifest manifest;
};

TEST_F(CheckArguments, Fit) {
  Status status = checkArguments(getKernel(), &x, 1);
  EXPECT_TRUE(status) << status.error().message;
}

TEST_F(CheckArguments, Errors) {
  Argument other = Argument::tensor(ElementType::F16, 4096, 1, &extent);
  Status status = checkArguments(getKernel(), &other, 1);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::InvalidArgument);
  EXPECT_FALSE(checkArguments(getKernel(), &x, 0));
  EXPECT_FALSE(computeWorkspaceExtents(getKernel(), &other, 1, 132));
}

TEST_F(CheckArguments, WorkspaceExtents) {
  auto extents = computeWorkspaceExtents(getKernel(), &x, 1, 132);
  ASSERT_TRUE(extents) << extents.error().message;
  ASSERT_EQ(extents->size(), 2u);
  EXPECT_EQ((*extents)[0], (std::vector<int64_t>{8})); // ceildiv(1000, 128)
  EXPECT_EQ((*extents)[1], (std::vector<int64_t>{1000, 64}));
}

} // namespace
