//===- AssemblePTXTest.cpp - running ptxas --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/AssemblePTX.h"

#include "gtest/gtest.h"

using namespace carousel;

namespace {

constexpr llvm::StringLiteral kEmptyKernel =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k() { ret; }\n";

std::string getError(llvm::Expected<std::string> result) {
  EXPECT_FALSE(static_cast<bool>(result));
  return result ? "" : llvm::toString(result.takeError());
}

TEST(AssemblePTXTest, MissingAssemblerIsAnError) {
  EXPECT_EQ(getError(findPTXAS("/does/not/exist")),
            "no ptxas at '/does/not/exist/bin/ptxas'");
  EXPECT_EQ(getError(assemblePTX(kEmptyKernel, "sm_90a", "/does/not/exist")),
            "no ptxas at '/does/not/exist/bin/ptxas'");
}

class WithPTXAS : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::Expected<std::string> ptxas = findPTXAS(CAROUSEL_CUDA_ROOT);
    if (!ptxas)
      GTEST_SKIP() << llvm::toString(ptxas.takeError());
  }
};

TEST_F(WithPTXAS, GivesACubin) {
  llvm::Expected<std::string> cubin =
      assemblePTX(kEmptyKernel, "sm_90a", CAROUSEL_CUDA_ROOT);
  ASSERT_TRUE(static_cast<bool>(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_TRUE(llvm::StringRef(*cubin).starts_with("\x7f"
                                                  "ELF"));
}

TEST_F(WithPTXAS, PassesTheAssemblersMessageOn) {
  std::string error =
      getError(assemblePTX("nonsense", "sm_90a", CAROUSEL_CUDA_ROOT));
  EXPECT_NE(error.find("ptxas failed for sm_90a: "), std::string::npos)
      << error;
  EXPECT_NE(error.find("Missing .version"), std::string::npos) << error;
}

} // namespace
