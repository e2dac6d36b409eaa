//===- DriverTensorMapTest.cpp - bytes of a CUtensorMap -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps that driver 13.0 encoded for an H200 are decoded to the parameters that
// it got. Bytes that it doesn't encode are refused, with the bits at fault.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Async/Tensors/SimTensorMap.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace carousel::sim;

namespace {

struct Encoded {
  const char *bytes; ///< from the first one on; the others are zero
  const char *text;
};
constexpr Encoded kEncoded[] = {
    {"00000000040000008003000000000000000000000000000000000000000000004f0000"
     "0000000000000000000000000000000000000000070000000000000000200000000000"
     "000010",
     "tiled f32 at 0x400000000: 80; ; box 8; steps 1; none, none, zero"},
    {"20017baad961000010650000f05bf13400000000000000000000000003000000580600"
     "00680000000000000000000000000000002700001f0000000000000000000000000000"
     "00000004",
     "tiled bf16 at 0x61d9aa7b0120: 1625 105; 220370157312; box 32 1; "
     "steps 8 5; none, b128, zero"},
    {"80aa37a772500000203500007618b2800c0000000000000000000000000000001d0000"
     "007d0300002f07000000000000000000005d01000f150f000000000000280000000000"
     "00000001",
     "tiled bf16 at 0x5072a737aa80: 30 894 1840; 34546485088 192; box 16 "
     "22 16; steps 6 4 6; b32, b32, zero"},
    {"40baa1f4bf060000b0410600d83f22107a1d03004aeaee01000000000300000028163e"
     "01ea000000f9eb3100acc82e0f00000000c704000b0007000000000000000000000000"
     "00000002",
     "tiled s32 at 0x6bff4a1ba40: 20846121 235 3271674 254724269; "
     "210489310592 3266464 518956192; box 12 1 8 1; steps 8 1 4 3; none, "
     "b64, zero"},
    {"a0310f9e4670000040a401000400000010130000600100003894010000000000bdca00"
     "000d1f9000dfce0a07be4a0000e9350b00f53a0007031bbf7900000000000000000000"
     "00000001",
     "tiled tf32_ftz at 0x70469e0f31a0: 51902 9445134 118148832 19135 "
     "734698; 64 78080 5632 1655680; box 8 4 28 192 122; steps 6 7 4 6 "
     "4; none, b32, nan"},
    {"80ed4e091f0c0000208d02007e32a59ae60c00000000000000000000000000004c2202"
     "00b6ab0e003900000000000000000000007400002f31010000000000007e0000000000"
     "000010",
     "tiled bf16 at 0xc1f094eed80: 139853 961463 58; 41512282080 52832; "
     "box 48 50 2; steps 5 7 2; b16, none, nan"},
    {"80563412007f0000a003000015000000890000000000000000000000000000004f0000"
     "0008000000050000000000000000000000300000070403000000000000000000000000"
     "000010",
     "tiled f32 at 0x7f0012345680: 80 9 6; 336 2192; box 8 5 4; steps 1 "
     "7 1; none, none, zero"},
    {"0046b4fea24b0000210d04000a000000240000000000000000000000000000005c7fee"
     "1eff604f0302a0313f00000000000000005c00007fb73ff0fd1d010000001e01000000"
     "000010",
     "im2col bf16 at 0x4ba2feb44600: 518946653 55533824 1060216835; 160 "
     "576; box 128 286; steps 5 4 2; corners 16311, -528; b16, none, "
     "zero"},
    {"e0d7b73a03220000b16202002e0000007263010088c5063f0000000000000000170300"
     "006ad9283e81a4b90039000000000000008501000f37eeda89c4000000806200000000"
     "00000004",
     "im2col s64 at 0x22033ab7d7e0: 792 1042864491 12166274 58; 736 "
     "1455904 16918534272; box 16 197; steps 6 1 7 1; corners 55 -18, "
     "-38 -119; none, b128, zero"},
    {"c0dfc8d2e908000041830600ca12290c06d3ae1ec2368c00804d100300000000110000"
     "0025000000847812057d941707cd3b00001f7c00476a6b003417020000802d01000000"
     "000010",
     "im2col f16 at 0x8e9d2c8dfc0: 18 38 85096581 118985854 15310; "
     "3264294048 8236380256 147024928 822401024; box 72 536; steps 8 4 1 "
     "7 8; corners 10 -5 -6, 0 0 13; none, none, nan"},
    {"c04438a41f4c0000a1a303000a0000003a560600000000000000000000000000a96f00"
     "00b7c34d00e165ad010000000000000000fb00000346992aa10b010000c01000000000"
     "00000001",
     "im2col tf32 at 0x4c1fa43844c0: 28586 5096376 28141026; 160 "
     "6644640; box 4 268; steps 4 8 4; corners -26298, -24278; none, "
     "b32, nan"},
    {"80b52d0b886b0000a10a06002603020012000000000000000000000000000000e3f200"
     "0033963f00754300000000000000000000a1000003cb98898d80030000207000000000"
     "000010",
     "im2col s64 at 0x6b880b2db580: 62180 4167220 17270; 2110048 288; "
     "box 4 897; steps 2 5 3; corners -26421, -29303; b16, none, zero"},
};

std::string makeBytes(llvm::StringRef hex) {
  std::string bytes = llvm::fromHex(hex);
  return bytes + std::string(sizeof(TensorMap) - bytes.size(), '\0');
}

std::string decode(llvm::StringRef bytes, TensorMap &map) {
  return decodeDriverMap(llvm::ArrayRef(bytes.bytes_begin(), bytes.size()),
                         map);
}

constexpr const char *kElements[] = {
    "u8",  "u16",     "u32", "s32",  "u64",  "s64",     "f16",
    "f32", "f32_ftz", "f64", "bf16", "tf32", "tf32_ftz"};
constexpr const char *kInterleaves[] = {"none", "b16", "b32"};
constexpr const char *kSwizzles[] = {"none", "b32", "b64", "b128"};
constexpr const char *kFills[] = {"zero", "nan"};

/// The parameters that the driver got, innermost dimensions first.
std::string print(const TensorMap &map) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto list = [&](const auto *values, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      os << (i ? " " : "") << int64_t(values[i]);
  };
  bool isTiled = map.mode == TensorMapMode::Tiled;
  os << (isTiled ? "tiled " : "im2col ") << kElements[int(map.element)]
     << " at 0x" << llvm::utohexstr(map.globalAddress, true) << ": ";
  list(map.globalExtents, map.rank);
  os << "; ";
  list(map.globalStrides, map.rank - 1);
  os << "; box ";
  list(map.box, isTiled ? map.rank : 2);
  os << "; steps ";
  list(map.elementStrides, map.rank);
  if (!isTiled) {
    os << "; corners ";
    list(map.lowerCorner, map.rank - 2);
    os << ", ";
    list(map.upperCorner, map.rank - 2);
  }
  os << "; " << kInterleaves[int(map.interleave)] << ", "
     << kSwizzles[int(map.swizzle)] << ", " << kFills[int(map.fill)];
  return text;
}

TEST(DriverTensorMapTest, DecodesWhatADriverEncoded) {
  for (const Encoded &encoded : kEncoded) {
    TensorMap map;
    EXPECT_EQ(decode(makeBytes(encoded.bytes), map), "") << encoded.text;
    EXPECT_EQ(print(map), encoded.text);
  }
}

TEST(DriverTensorMapTest, NamesBitsThatNoDriverEncodes) {
  auto decodeWith = [&](unsigned byte, unsigned value, unsigned at = 0) {
    std::string bytes = makeBytes(kEncoded[at].bytes);
    bytes[byte] = char(value);
    TensorMap map;
    return decode(bytes, map);
  };
  EXPECT_EQ(decodeWith(0, 0x10), "");
  EXPECT_EQ(decodeWith(8, 0x82), "bit 65 is set, which no field has");
  EXPECT_EQ(decodeWith(8, 0xe0), "bits 68 to 70, the rank minus 1, are 6");
  EXPECT_EQ(decodeWith(8, 0x81),
            "bits 68 to 70, the rank minus 1 of an im2col map, are 0");
  EXPECT_EQ(decodeWith(9, 0x07), "bits 71 to 74, the element type, are 15");
  EXPECT_EQ(decodeWith(9, 0x1b), "bits 75 to 76, the interleave, are 3");
  EXPECT_EQ(decodeWith(10, 1, 2),
            "bit 80, tf32, is 1, and bits 71 to 74, the element type, are 10");
  EXPECT_EQ(decodeWith(127, 1), "bit 1016 is set, which no field has");
  EXPECT_EQ(decodeWith(64, 33), "bits 512 to 543, the bytes of a box, are 33, "
                                "and the box has 32");
  EXPECT_EQ(decodeWith(73, 4),
            "bits 576 to 591, the period of the swizzle, are 1040, and the "
            "swizzle has 16");
  TensorMap map;
  EXPECT_NE(decode(std::string(sizeof(TensorMap), '\0'), map), "");
}

} // namespace
