//===- TensorMapTest.cpp - the rules of tensor maps -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule has a map that breaks this rule alone, and a twin that doesn't.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/TensorMap.h"

#include "gtest/gtest.h"

#include <functional>

using namespace carousel;
using namespace carousel::runtime;

namespace {
using Format = TensorMapFormat;
using Element = Format::Element;
using Mode = Format::Mode;
using Interleave = Format::Interleave;
using Swizzle = Format::Swizzle;

struct Map {
  Format format;
  TensorMapSource source;
};

constexpr uint64_t kAddress = 0x7f0000000000;

/// Boxes of 4x8x64 of a 30x20x1000 bf16 tensor with padded rows.
Map makeTile() {
  Map map;
  map.format.element = Element::BF16;
  map.format.swizzle = Swizzle::B128;
  map.format.rank = map.source.rank = 3;
  map.format.box = {4, 8, 64};
  map.format.elementStrides = {1, 1, 1};
  map.source.address = kAddress;
  map.source.extents = {30, 20, 1000};
  map.source.strides = {20 * 2048, 2048};
  return map;
}

/// 64 pixels of 32 channels of an 8x14x16x32 (NHWC) f16 tensor.
Map makeIm2Col() {
  Map map;
  map.format.element = Element::F16;
  map.format.mode = Mode::Im2Col;
  map.format.rank = map.source.rank = 4;
  map.format.box = {64, 32};
  map.format.elementStrides = {1, 1, 1, 1};
  map.format.lower = {-1, -2};
  map.format.upper = {1, 2};
  map.source.address = kAddress;
  map.source.extents = {8, 14, 16, 32};
  map.source.strides = {14 * 1024, 1024, 64};
  return map;
}

Map makeWide() {
  Map map = makeIm2Col();
  map.format.mode = Mode::Im2ColW;
  map.format.swizzle = Swizzle::B64;
  map.format.lower = {-1};
  map.format.upper = {1};
  return map;
}

/// Packed 4-bit elements with padding in shared memory.
Map makePadded() {
  Map map = makeTile();
  map.format.element = Element::B4x16P64;
  map.format.box = {4, 8, 128};
  map.source.extents = {30, 20, 1024};
  return map;
}

Map makeInterleaved() {
  Map map = makeTile();
  map.format.interleave = Interleave::B32;
  map.format.swizzle = Swizzle::B32;
  return map;
}

struct Rule {
  std::string name;
  std::function<Map()> make;
  std::function<void(Map &)> right, wrong;
  /// Without the "x: ".
  std::string message;
};

class TensorMapRules : public testing::TestWithParam<Rule> {};

TEST_P(TensorMapRules, Holds) {
  const Rule &rule = GetParam();
  Map right = rule.make(), wrong = rule.make();
  rule.right(right);
  rule.wrong(wrong);
  Status status = TensorMap::check(right.format, right.source, "x");
  EXPECT_TRUE(status) << status.error().message;
  status = TensorMap::check(wrong.format, wrong.source, "x");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(status.error().message, "x: " + rule.message);
}

void keep(Map &) {}

const Rule kRules[] = {
    {"Element", makeTile, keep,
     [](Map &map) { map.format.element = static_cast<Element>(16); },
     "expected the element type of a tensor map, got 16"},
    {"Mode", makeTile, keep,
     [](Map &map) { map.format.mode = static_cast<Mode>(4); },
     "expected the mode of a tensor map, got 4"},
    {"Interleave", makeTile, keep,
     [](Map &map) { map.format.interleave = static_cast<Interleave>(3); },
     "expected the interleave of a tensor map, got 3"},
    {"Swizzle", makeTile, keep,
     [](Map &map) { map.format.swizzle = static_cast<Swizzle>(7); },
     "expected the swizzle of a tensor map, got 7"},
    {"Promotion", makeTile,
     [](Map &map) { map.format.promotion = Format::Promotion::B256; },
     [](Map &map) { map.format.promotion = static_cast<Format::Promotion>(4); },
     "expected the promotion of a tensor map, got 4"},
    {"FillNumber", makeTile,
     [](Map &map) { map.format.fill = Format::Fill::NaN; },
     [](Map &map) { map.format.fill = static_cast<Format::Fill>(2); },
     "expected the fill of a tensor map, got 2"},
    {"RankZero", makeTile, keep, [](Map &map) { map.format.rank = 0; },
     "expected a tensor map of rank 1 to 5, got 0"},
    {"RankSix", makeTile, keep, [](Map &map) { map.format.rank = 6; },
     "expected a tensor map of rank 1 to 5, got 6"},
    {"Im2ColRank", makeIm2Col, keep, [](Map &map) { map.format.rank = 2; },
     "expected an im2col tensor map of rank 3 to 5, got 2"},
    {"InterleavedRank", makeInterleaved, keep,
     [](Map &map) { map.format.rank = 2; },
     "expected an interleaved tensor of rank 3 or more, got 2"},
    {"SourceRank", makeTile, keep, [](Map &map) { map.source.rank = 2; },
     "expected the extents of 3 dimensions, got 2"},
    {"BoxLength", makeTile, keep, [](Map &map) { map.format.box.pop_back(); },
     "expected 3 box extents in a tensor map of rank 3, got 2"},
    {"Im2ColBoxLength", makeIm2Col, keep,
     [](Map &map) { map.format.box.push_back(1); },
     "expected 2 box extents in a tensor map of rank 4, got 3"},
    {"StridesLength", makeTile, keep,
     [](Map &map) { map.format.elementStrides.push_back(1); },
     "expected 3 element strides in a tensor map of rank 3, got 4"},
    {"TileCorners", makeTile, keep, [](Map &map) { map.format.lower = {0}; },
     "expected 0 lower corners in a tensor map of rank 3, got 1"},
    {"LowerLength", makeIm2Col, keep, [](Map &map) { map.format.lower = {0}; },
     "expected 2 lower corners in a tensor map of rank 4, got 1"},
    {"UpperLength", makeWide, keep, [](Map &map) { map.format.upper = {0, 0}; },
     "expected 1 upper corners in a tensor map of rank 4, got 2"},

    {"Null", makeTile, keep, [](Map &map) { map.source.address = 0; },
     "expected a device address, got null"},
    {"Address", makeTile, [](Map &map) { map.source.address += 16; },
     [](Map &map) { map.source.address += 8; },
     "expected an address at a multiple of 16 bytes, got 0x7f0000000008"},
    {"AddressInterleaved", makeInterleaved,
     [](Map &map) { map.source.address += 32; },
     [](Map &map) { map.source.address += 16; },
     "expected an address at a multiple of 32 bytes, got 0x7f0000000010"},
    {"AddressPadded", makePadded, [](Map &map) { map.source.address += 32; },
     [](Map &map) { map.source.address += 16; },
     "expected an address at a multiple of 32 bytes, got 0x7f0000000010"},
    {"AddressRange", makeTile,
     [](Map &map) { map.source.address = (uint64_t(1) << 57) - 16; },
     [](Map &map) { map.source.address = uint64_t(1) << 57; },
     "expected an address below 2^57, got 0x200000000000000"},

    {"ExtentZero", makeTile, [](Map &map) { map.source.extents[1] = 1; },
     [](Map &map) { map.source.extents[1] = 0; },
     "expected extents of 1 to 4294967296, got 0 in dimension 1"},
    {"ExtentNegative", makeTile, keep,
     [](Map &map) { map.source.extents[0] = -1; },
     "expected extents of 1 to 4294967296, got -1 in dimension 0"},
    {"ExtentMost", makeTile,
     [](Map &map) { map.source.extents[2] = int64_t(1) << 32; },
     [](Map &map) { map.source.extents[2] = (int64_t(1) << 32) + 1; },
     "expected extents of 1 to 4294967296, got 4294967297 in dimension 2"},
    {"ExtentPadded", makePadded, [](Map &map) { map.source.extents[2] = 128; },
     [](Map &map) { map.source.extents[2] = 192; },
     "expected an innermost extent at a multiple of 128 for b4x16_p64, got "
     "192"},
    {"ExtentPacked", makeTile,
     [](Map &map) {
       map.format.element = Element::B4x16;
       map.source.extents[2] = 1002;
     },
     [](Map &map) {
       map.format.element = Element::B4x16;
       map.source.extents[2] = 1001;
     },
     "expected an innermost extent at a multiple of 2 for b4x16, got 1001"},

    {"Stride", makeTile, [](Map &map) { map.source.strides[0] = 1008; },
     [](Map &map) { map.source.strides[0] = 1000; },
     "expected global strides at multiples of 16 bytes, got 1000 in dimension "
     "0"},
    {"StrideOfOneElement", makeTile,
     [](Map &map) {
       map.source.extents[0] = 1;
       map.source.strides[0] = -1000;
     },
     [](Map &map) {
       map.source.extents[1] = 1;
       map.source.strides[0] = 1000;
     },
     "expected global strides at multiples of 16 bytes, got 1000 in dimension "
     "0"},
    {"StrideInterleaved", makeInterleaved,
     [](Map &map) { map.source.strides[1] = 2016; },
     [](Map &map) { map.source.strides[1] = 2000; },
     "expected global strides at multiples of 32 bytes, got 2000 in dimension "
     "1"},
    {"StridePadded", makePadded, [](Map &map) { map.source.strides[1] = 2016; },
     [](Map &map) { map.source.strides[1] = 2000; },
     "expected global strides at multiples of 32 bytes, got 2000 in dimension "
     "1"},
    {"StrideNegative", makeTile, [](Map &map) { map.source.strides[0] = 0; },
     [](Map &map) { map.source.strides[0] = -2048; },
     "expected global strides of 0 to 1099511627760 bytes, got -2048 in "
     "dimension 0"},
    {"StrideMost", makeTile,
     [](Map &map) { map.source.strides[0] = (int64_t(1) << 40) - 16; },
     [](Map &map) { map.source.strides[0] = int64_t(1) << 40; },
     "expected global strides of 0 to 1099511627760 bytes, got 1099511627776 "
     "in dimension 0"},

    {"CornersRank3", makeIm2Col,
     [](Map &map) {
       map.format.rank = map.source.rank = 3;
       map.format.elementStrides = {1, 1, 1};
       map.format.lower = map.format.upper = {-32768};
     },
     [](Map &map) {
       map.format.rank = map.source.rank = 3;
       map.format.elementStrides = {1, 1, 1};
       map.format.lower = {-32768};
       map.format.upper = {32768};
     },
     "expected im2col corners of -32768 to 32767 at rank 3, got 32768"},
    {"CornersRank4", makeIm2Col,
     [](Map &map) { map.format.lower = {-128, -128}; },
     [](Map &map) { map.format.lower = {-128, -129}; },
     "expected im2col corners of -128 to 127 at rank 4, got -129"},
    {"CornersRank5", makeIm2Col,
     [](Map &map) {
       map.format.rank = map.source.rank = 5;
       map.format.elementStrides = {1, 1, 1, 1, 1};
       map.source.extents = {8, 20, 14, 16, 32};
       map.source.strides = {1 << 20, 1 << 15, 1024, 64};
       map.format.lower = map.format.upper = {-16, 15, 0};
     },
     [](Map &map) {
       map.format.rank = map.source.rank = 5;
       map.format.elementStrides = {1, 1, 1, 1, 1};
       map.source.extents = {8, 20, 14, 16, 32};
       map.source.strides = {1 << 20, 1 << 15, 1024, 64};
       map.format.lower = {0, 16, 0};
       map.format.upper = {0, 0, 0};
     },
     "expected im2col corners of -16 to 15 at rank 5, got 16"},
    {"CornersWide", makeWide, [](Map &map) { map.format.lower = {-32768}; },
     [](Map &map) { map.format.lower = {-32769}; },
     "expected im2col corners of -32768 to 32767 at rank 4, got -32769"},
    {"BoundingBox", makeIm2Col,
     [](Map &map) {
       map.format.lower = {6, 0};
       map.format.upper = {-7, 0};
     },
     [](Map &map) {
       map.format.lower = {7, 0};
       map.format.upper = {-7, 0};
     },
     "expected an im2col bounding box that isn't empty, got the extent 0 in "
     "dimension 1"},
    {"BoundingBoxInterleaved", makeIm2Col,
     [](Map &map) {
       map.format.interleave = Interleave::B16;
       map.format.lower = {8, 16};
       map.format.upper = {-7, -15};
     },
     [](Map &map) {
       map.format.interleave = Interleave::B16;
       map.format.lower = {8, 16};
       map.format.upper = {-8, -15};
     },
     "expected an im2col bounding box that isn't empty, got the extent 0 in "
     "dimension 2"},
    {"BoundingBoxWide", makeWide, [](Map &map) { map.format.upper = {-16}; },
     [](Map &map) { map.format.upper = {-18}; },
     "expected an im2col bounding box that isn't empty, got the extent -1 in "
     "dimension 2"},
    {"Channels", makeIm2Col, [](Map &map) { map.format.box = {64, 256}; },
     [](Map &map) { map.format.box = {64, 257}; },
     "expected 1 to 256 channels in an im2col box, got 257"},
    {"Pixels", makeIm2Col, [](Map &map) { map.format.box = {1024, 32}; },
     [](Map &map) { map.format.box = {1025, 32}; },
     "expected 1 to 1024 pixels in an im2col box, got 1025"},
    {"NoPixels", makeIm2Col, [](Map &map) { map.format.box = {1, 32}; },
     [](Map &map) { map.format.box = {0, 32}; },
     "expected 1 to 1024 pixels in an im2col box, got 0"},

    {"BoxZero", makeTile, [](Map &map) { map.format.box[0] = 1; },
     [](Map &map) { map.format.box[0] = 0; },
     "expected box extents of 1 to 256, got 0 in dimension 0"},
    {"BoxMost", makeTile, [](Map &map) { map.format.box = {1, 256, 64}; },
     [](Map &map) { map.format.box[1] = 257; },
     "expected box extents of 1 to 256, got 257 in dimension 1"},
    {"BoxPadded", makePadded, keep, [](Map &map) { map.format.box[2] = 64; },
     "expected an inner box extent of 128 for b4x16_p64, got 64"},
    {"InnerBox", makeTile, [](Map &map) { map.format.box[2] = 8; },
     [](Map &map) { map.format.box[2] = 12; },
     "expected the inner box extent in bytes to be a multiple of 16, got 24"},
    {"InnerBoxHalfByte", makeTile,
     [](Map &map) {
       map.format.element = Element::B4x16;
       map.format.box[2] = 32;
     },
     [](Map &map) {
       map.format.element = Element::B4x16;
       map.format.box[2] = 33;
     },
     "expected the inner box extent in bytes to be a multiple of 16, got "
     "16.5"},
    {"InnerBoxInterleaved", makeInterleaved,
     [](Map &map) { map.format.box[2] = 8; },
     [](Map &map) { map.format.box[2] = 4; },
     "expected the inner box extent in bytes to be a multiple of 16, got 8"},
    {"InnerBoxChannels", makeIm2Col, [](Map &map) { map.format.box[1] = 8; },
     [](Map &map) { map.format.box[1] = 4; },
     "expected the inner box extent in bytes to be a multiple of 16, got 8"},
    {"ElementStride", makeTile,
     [](Map &map) { map.format.elementStrides[1] = 8; },
     [](Map &map) { map.format.elementStrides[1] = 9; },
     "expected element strides of 1 to 8, got 9 in dimension 1"},
    {"ElementStrideZero", makeTile, keep,
     [](Map &map) { map.format.elementStrides[0] = 0; },
     "expected element strides of 1 to 8, got 0 in dimension 0"},
    {"ElementStrideInnermost", makeTile,
     [](Map &map) { map.format.elementStrides[2] = 8; },
     [](Map &map) { map.format.elementStrides[2] = 9; },
     "expected element strides of 1 to 8, got 9 in dimension 2"},
    {"BoxBytes", makeTile, [](Map &map) { map.format.box = {57, 32, 64}; },
     [](Map &map) { map.format.box = {58, 32, 64}; },
     "expected a box of at most 233472 bytes, got 237568"},
    {"BoxBytesThinned", makeTile,
     [](Map &map) {
       map.format.box = {115, 32, 64};
       map.format.elementStrides = {2, 1, 1};
     },
     [](Map &map) {
       map.format.box = {117, 64, 64};
       map.format.elementStrides = {2, 2, 1};
     },
     "expected a box of at most 233472 bytes, got 237568"},
    {"BoxBytesIm2Col", makeIm2Col,
     [](Map &map) { map.format.box = {456, 256}; },
     [](Map &map) { map.format.box = {457, 256}; },
     "expected a box of at most 233472 bytes, got 233984"},
    {"InterleavePadded", makePadded,
     [](Map &map) { map.format.element = Element::B6x16P32; },
     [](Map &map) {
       map.format.element = Element::B6x16P32;
       map.format.interleave = Interleave::B16;
     },
     "expected no interleave for b6x16_p32, got b16"},
    {"Span32", makeTile,
     [](Map &map) {
       map.format.swizzle = Swizzle::B32;
       map.format.box[2] = 16;
     },
     [](Map &map) {
       map.format.swizzle = Swizzle::B32;
       map.format.box[2] = 24;
     },
     "expected the inner box extent to be at most the swizzle span of 32 "
     "bytes, got 48"},
    {"Span64", makeTile,
     [](Map &map) {
       map.format.swizzle = Swizzle::B64;
       map.format.box[2] = 32;
     },
     [](Map &map) { map.format.swizzle = Swizzle::B64; },
     "expected the inner box extent to be at most the swizzle span of 64 "
     "bytes, got 128"},
    {"Span128", makeTile,
     [](Map &map) { map.format.swizzle = Swizzle::B128Atom64; },
     [](Map &map) { map.format.box[2] = 72; },
     "expected the inner box extent to be at most the swizzle span of 128 "
     "bytes, got 144"},
    {"SpanInterleaved", makeTile,
     [](Map &map) {
       map.format.interleave = Interleave::B16;
       map.format.box[2] = 128;
     },
     [](Map &map) { map.format.box[2] = 128; },
     "expected the inner box extent to be at most the swizzle span of 128 "
     "bytes, got 256"},
    {"SwizzleInterleaved", makeInterleaved, keep,
     [](Map &map) { map.format.swizzle = Swizzle::None; },
     "expected swizzle b32 with interleave b32, got none"},
    {"SwizzlePadded", makePadded,
     [](Map &map) { map.format.swizzle = Swizzle::B128Atom32; },
     [](Map &map) { map.format.swizzle = Swizzle::B128Atom64; },
     "expected a swizzle that the hardware has for b4x16_p64, got "
     "b128_atom_64b"},
    {"SwizzlePadded6", makePadded,
     [](Map &map) {
       map.format.element = Element::B6x16P32;
       map.format.swizzle = Swizzle::B128Atom64;
     },
     [](Map &map) {
       map.format.element = Element::B6x16P32;
       map.format.swizzle = Swizzle::B128Atom32Flip8;
     },
     "expected a swizzle that the hardware has for b6x16_p32, got "
     "b128_atom_32b_flip_8b"},
    {"SwizzleWide", makeWide,
     [](Map &map) { map.format.swizzle = Swizzle::B128Atom32; },
     [](Map &map) { map.format.swizzle = Swizzle::None; },
     "expected swizzle b64, b128 or b128_atom_32b in mode im2col_w, got none"},
    {"Fill", makeTile, [](Map &map) { map.format.fill = Format::Fill::NaN; },
     [](Map &map) {
       map.format.fill = Format::Fill::NaN;
       map.format.element = Element::U16;
     },
     "expected floating-point elements for NaN fill, got u16"},
};

INSTANTIATE_TEST_SUITE_P(All, TensorMapRules, testing::ValuesIn(kRules),
                         [](const testing::TestParamInfo<Rule> &info) {
                           return info.param.name;
                         });

/// The mode says 128, so that any number is taken.
TEST(TensorMapRule, PixelsOfTheWideModeWith128) {
  Map map = makeWide();
  map.format.mode = Mode::Im2ColW128;
  map.format.box[0] = 5000;
  EXPECT_TRUE(TensorMap::check(map.format, map.source, "x"));
}
} // namespace
