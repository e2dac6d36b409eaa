//===- ReaderFillTest.cpp - fills that no engine has ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EnginePlanFixture.h"

using namespace mlir;
using namespace carousel;

namespace {

class ReaderFillTest : public EnginePlanTest {
protected:
  EnginePlan planWith(StringRef uses, StringRef chip = "sm_90a") {
    return plan(kMatrix,
                R"mlir(
      %t = memref.alloc() : memref<64x64xf32, 3>
      carousel.load %x[%i, %i] to %t fill(-inf)
          : memref<?x?xf32, strided<[?, 1]>, 1>, memref<64x64xf32, 3>
    )mlir" + uses.str(),
                chip);
  }
};

TEST_F(ReaderFillTest, ReadersFillForATensorCopy) {
  EnginePlan p =
      planWith("%v = memref.load %t[%c0, %c1] : memref<64x64xf32, 3>");
  EXPECT_EQ(getEngine(p), "#carousel.engine<tensor>");
}

TEST_F(ReaderFillTest, OtherUsesNeedThreadsThatFill) {
  EnginePlan p = planWith(R"mlir(
    carousel.store %t to %x[%i, %i]
        : memref<64x64xf32, 3>, memref<?x?xf32, strided<[?, 1]>, 1>
  )mlir");
  EXPECT_NE(getEngine(p), "#carousel.engine<tensor>");
  EXPECT_EQ(getReason(p, EngineKind::Tensor),
            "a fill of -inf, which no map has, and a use of the tile by "
            "carousel.store, which can't fill");
}

TEST_F(ReaderFillTest, CpAsyncFillsByItsThreads) {
  EnginePlan p =
      planWith("%v = memref.load %t[%c0, %c1] : memref<64x64xf32, 3>", "sm_80");
  EXPECT_EQ(getEngine(p), "#carousel.engine<cp_async, width = 16>");
}

} // namespace
