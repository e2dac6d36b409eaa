//===- TensorMapTypeTest.cpp - sizes that follow from a tensor map --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace carousel;

namespace {

class TensorMapTypeTest : public ::testing::Test {
protected:
  TensorMapTypeTest() { context.loadDialect<CarouselDialect>(); }

  TensorMapType parse(StringRef text) {
    auto type = dyn_cast_or_null<TensorMapType>(
        parseType(("!carousel.tensor_map<" + text + ">").str(), &context));
    EXPECT_TRUE(type) << text.str();
    return type;
  }

  MLIRContext context;
};

TEST_F(TensorMapTypeTest, BoxBytesAreTheProductOfTheBox) {
  EXPECT_EQ(parse("64x32xf32").getBoxBytes(), 64 * 32 * 4);
  EXPECT_EQ(parse("2x3x4x5x16xu8").getBoxBytes(), 2 * 3 * 4 * 5 * 16);
  EXPECT_EQ(parse("256xf64").getBoxBytes(), 256 * 8);
}

TEST_F(TensorMapTypeTest, GatherCountsFourRows) {
  EXPECT_EQ(parse("1x64xbf16").getBoxBytes(/*rows=*/4), 4 * 64 * 2);
}

TEST_F(TensorMapTypeTest, TraversalStridesThinTheBoxOut) {
  // ceil(64 / 3) rows are loaded.
  EXPECT_EQ(parse("64x32xf32, strides = [3, 1]").getBoxBytes(), 22 * 32 * 4);
}

TEST_F(TensorMapTypeTest, Im2ColBoxesArePixelsByChannels) {
  TensorMapType map =
      parse("128x64xf16, mode = im2col, rank = 4, lower = [-1, -1], "
            "upper = [1, 1], strides = [1, 2, 2, 1]");
  EXPECT_EQ(map.getBoxBytes(), 128 * 64 * 2);
  EXPECT_EQ(map.getRank(), 4u);
}

TEST_F(TensorMapTypeTest, SubByteElementsArePacked) {
  EXPECT_EQ(parse("8x128xb4x16").getBoxBytes(), 8 * 64);
  // Padded formats occupy 16 bytes per 16 elements.
  EXPECT_EQ(parse("8x128xb4x16_p64").getBoxBytes(), 8 * 128);
  EXPECT_EQ(parse("8x128xb6x16_p32").getBoxBytes(), 8 * 128);
}

TEST_F(TensorMapTypeTest, AlignmentFollowsTheSwizzle) {
  EXPECT_EQ(parse("64x8xf32").getSharedAlignment(), 128);
  EXPECT_EQ(parse("64x8xf32, swizzle = b32").getSharedAlignment(), 256);
  EXPECT_EQ(parse("64x16xf32, swizzle = b64").getSharedAlignment(), 512);
  EXPECT_EQ(parse("64x32xf32, swizzle = b128").getSharedAlignment(), 1024);
  EXPECT_EQ(parse("64x32xf32, swizzle = b128_atom_64b").getSharedAlignment(),
            1024);
}

TEST_F(TensorMapTypeTest, BuilderTakesDefaults) {
  auto built =
      TensorMapType::get(&context, {64, 32}, TensorElement::F32, Swizzle::B128);
  EXPECT_EQ(built, parse("64x32xf32, swizzle = b128"));
}

} // namespace
