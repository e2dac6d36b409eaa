//===- CubinRegistersTest.cpp - registers of a cubin's kernels ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/CubinRegisters.h"
#include "carousel/Target/AssemblePTX.h"
#include "gtest/gtest.h"

using namespace carousel;

namespace {

constexpr llvm::StringLiteral kPTX = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry small(.param .u64 p) { ret; }
.visible .entry large(.param .u64 p) .maxntid 32 {
  .reg .b64 %r<3>;
  .reg .f32 %f<40>;
  ld.param.u64 %r1, [p];
  ret;
}
)";

TEST(CubinRegisters, OfEachKernel) {
  AssembleOptions options;
  options.cudaRoot = CAROUSEL_CUDA_ROOT;
  llvm::Expected<std::string> cubin = assemblePTX(kPTX, "sm_80", options);
  if (!cubin) {
    llvm::consumeError(cubin.takeError());
    GTEST_SKIP() << "no assembler";
  }
  llvm::StringMap<int64_t> registers = readRegisters(*cubin);
  ASSERT_EQ(registers.size(), 2u);
  EXPECT_GT(registers.lookup("small"), 0);
  EXPECT_LE(registers.lookup("large"), 255);
  // A file that is cut off anywhere is read as far as it goes.
  for (size_t size = 0; size < cubin->size(); ++size)
    EXPECT_LE(readRegisters(llvm::StringRef(*cubin).take_front(size)).size(),
              2u);
}

TEST(CubinRegisters, OfNoCubin) {
  EXPECT_TRUE(readRegisters("").empty());
  EXPECT_TRUE(readRegisters("\177ELF").empty());
  EXPECT_TRUE(readRegisters(std::string(4096, '\177')).empty());
}

} // namespace
