//===- TensorMapEncodeTest.cpp - encoding and the cache of tensor maps ----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls to the driver. The fake driver refuses no map that passes the
// rules.
//
//===----------------------------------------------------------------------===//

#include "Bind/TensorMapRules.h"
#include "FakeDriver.h"

#include "carousel/Runtime/Context.h"
#include "carousel/Runtime/TensorMap.h"

#include "gtest/gtest.h"

#include <cstring>
#include <random>
#include <thread>

using namespace carousel;
using namespace carousel::runtime;

namespace {
using Format = TensorMapFormat;
using Mode = Format::Mode;

constexpr uint64_t kAddress = 0x7f0000000000;

class TensorMapEncode : public testing::Test {
protected:
  void SetUp() override { fake::reset(); }

  static Context open(int major, const char *driver = CAROUSEL_FAKE_DRIVER) {
    fake::Device device;
    device.major = major;
    fake::setDevices({device});
    ContextOptions options;
    options.libraries.driver = driver;
    options.cacheBytes = 0;
    Result<Context> context = Context::create(options);
    EXPECT_TRUE(context) << context.error().message;
    return *context;
  }
};

Format makeTileFormat() {
  Format format;
  format.element = Format::Element::BF16;
  format.interleave = Format::Interleave::None;
  format.swizzle = Format::Swizzle::B128;
  format.promotion = Format::Promotion::B256;
  format.fill = Format::Fill::NaN;
  format.rank = 3;
  format.box = {4, 8, 64};
  format.elementStrides = {1, 2, 1};
  return format;
}

TensorMapSource makeTileSource() {
  TensorMapSource source;
  source.address = kAddress + 16;
  source.rank = 3;
  source.extents = {30, 20, 1000};
  source.strides = {40960, 2048};
  return source;
}

TEST_F(TensorMapEncode, TileInnermostFirst) {
  Context context = open(9);
  Result<TensorMap> map =
      TensorMap::encode(context, makeTileFormat(), makeTileSource());
  ASSERT_TRUE(map) << map.error().message;
  std::vector<fake::Encode> encodes = fake::getEncodes();
  ASSERT_EQ(encodes.size(), 1u);
  const fake::Encode &encode = encodes[0];
  EXPECT_EQ(encode.kind, fake::Encode::Kind::Tiled);
  EXPECT_EQ(encode.type, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  EXPECT_EQ(encode.address, kAddress + 16);
  EXPECT_EQ(encode.extents, (std::vector<uint64_t>{1000, 20, 30}));
  EXPECT_EQ(encode.strides, (std::vector<uint64_t>{2048, 40960}));
  EXPECT_EQ(encode.box, (std::vector<uint32_t>{64, 8, 4}));
  EXPECT_EQ(encode.elementStrides, (std::vector<uint32_t>{1, 2, 1}));
  EXPECT_EQ(encode.interleave, CU_TENSOR_MAP_INTERLEAVE_NONE);
  EXPECT_EQ(encode.swizzle, CU_TENSOR_MAP_SWIZZLE_128B);
  EXPECT_EQ(encode.promotion, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
  EXPECT_EQ(encode.fill, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  fake::EncodedMap bytes;
  std::memcpy(&bytes, map->words.data(), sizeof(bytes));
  EXPECT_EQ(bytes.magic, fake::EncodedMap::kMagic);
  EXPECT_EQ(bytes.address, kAddress + 16);
}

TEST_F(TensorMapEncode, RankOneHasNoStrides) {
  Context context = open(9);
  Format format = makeTileFormat();
  format.rank = 1;
  format.box = {64};
  format.elementStrides = {1};
  TensorMapSource source;
  source.address = kAddress;
  source.rank = 1;
  source.extents = {5};
  Result<TensorMap> map = TensorMap::encode(context, format, source);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(fake::getEncodes()[0].extents, std::vector<uint64_t>{5});
  EXPECT_TRUE(fake::getEncodes()[0].strides.empty());
}

Format makeIm2ColFormat() {
  Format format = makeTileFormat();
  format.mode = Mode::Im2Col;
  format.rank = 5;
  format.box = {96, 64};
  format.elementStrides = {1, 2, 3, 4, 1};
  format.lower = {-1, -2, -3};
  format.upper = {1, 2, 3};
  return format;
}

TensorMapSource makeIm2ColSource() {
  TensorMapSource source;
  source.address = kAddress;
  source.rank = 5;
  source.extents = {2, 8, 14, 16, 64};
  source.strides = {1 << 20, 1 << 16, 2048, 128};
  return source;
}

TEST_F(TensorMapEncode, Im2ColInnermostFirst) {
  Context context = open(9);
  Result<TensorMap> map =
      TensorMap::encode(context, makeIm2ColFormat(), makeIm2ColSource());
  ASSERT_TRUE(map) << map.error().message;
  const fake::Encode encode = fake::getEncodes().at(0);
  EXPECT_EQ(encode.kind, fake::Encode::Kind::Im2col);
  EXPECT_EQ(encode.extents, (std::vector<uint64_t>{64, 16, 14, 8, 2}));
  EXPECT_EQ(encode.strides,
            (std::vector<uint64_t>{128, 2048, 1 << 16, 1 << 20}));
  EXPECT_EQ(encode.elementStrides, (std::vector<uint32_t>{1, 4, 3, 2, 1}));
  EXPECT_EQ(encode.lower, (std::vector<int>{-3, -2, -1}));
  EXPECT_EQ(encode.upper, (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(encode.channels, 64u);
  EXPECT_EQ(encode.pixels, 96u);
}

TEST_F(TensorMapEncode, WideModes) {
  Context context = open(10);
  Format format = makeIm2ColFormat();
  format.mode = Mode::Im2ColW;
  format.lower = {-300};
  format.upper = {300};
  ASSERT_TRUE(TensorMap::encode(context, format, makeIm2ColSource()));
  format.mode = Mode::Im2ColW128;
  ASSERT_TRUE(TensorMap::encode(context, format, makeIm2ColSource()));
  std::vector<fake::Encode> encodes = fake::getEncodes();
  ASSERT_EQ(encodes.size(), 2u);
  EXPECT_EQ(encodes[0].kind, fake::Encode::Kind::Im2colWide);
  EXPECT_EQ(encodes[0].mode, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W);
  EXPECT_EQ(encodes[0].lower, std::vector<int>{-300});
  EXPECT_EQ(encodes[0].upper, std::vector<int>{300});
  EXPECT_EQ(encodes[0].pixels, 96u);
  EXPECT_EQ(encodes[1].mode, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128);
  EXPECT_EQ(encodes[1].pixels, 128u);
}

TEST_F(TensorMapEncode, RefusesBeforeTheDriver) {
  Context context = open(9);
  TensorMapSource source = makeTileSource();
  source.strides[0] = 1000;
  Result<TensorMap> map =
      TensorMap::encode(context, makeTileFormat(), source, "weights");
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().message,
            "weights: expected global strides at multiples of 16 bytes, got "
            "1000 in dimension 0");
  EXPECT_EQ(fake::countCalls("cuTensorMapEncodeTiled"), 0u);
}

TEST_F(TensorMapEncode, OlderDevices) {
  Context context = open(8);
  Result<TensorMap> map =
      TensorMap::encode(context, makeTileFormat(), makeTileSource());
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().message,
            "tensor: expected compute capability 9.0 or later for this tensor "
            "map, got 8.0");
}

TEST_F(TensorMapEncode, OlderDrivers) {
  Context context = open(9, CAROUSEL_FAKE_OLD_DRIVER_FILE);
  Result<TensorMap> map =
      TensorMap::encode(context, makeTileFormat(), makeTileSource());
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().code, ErrorCode::NoLibrary);
  EXPECT_EQ(map.error().message,
            "tensor: expected a driver that has cuTensorMapEncodeTiled, got "
            "one for CUDA 13.0");
}

TEST_F(TensorMapEncode, FormatsOfNewerDevices) {
  Context context = open(9);
  for (int i = 0; i < 3; ++i) {
    Format format = i == 0 ? makeIm2ColFormat() : makeTileFormat();
    TensorMapSource source = i == 0 ? makeIm2ColSource() : makeTileSource();
    if (i == 0) {
      format.mode = Mode::Im2ColW;
      format.lower = format.upper = {0};
    } else if (i == 1) {
      format.swizzle = Format::Swizzle::B128Atom32;
    } else {
      format.element = Format::Element::B4x16;
      format.fill = Format::Fill::Zero;
    }
    Result<TensorMap> map = TensorMap::encode(context, format, source);
    ASSERT_FALSE(map) << i;
    EXPECT_EQ(map.error().message,
              "tensor: expected compute capability 10.0 or later for this "
              "tensor map, got 9.0");
  }
}

TEST_F(TensorMapEncode, UnforeseenRefusalListsAllFields) {
  Context context = open(9);
  fake::failNext("cuTensorMapEncodeTiled", CUDA_ERROR_INVALID_VALUE);
  Result<TensorMap> map =
      TensorMap::encode(context, makeTileFormat(), makeTileSource(), "x");
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().code, ErrorCode::DriverError);
  EXPECT_EQ(map.error().message,
            "x: cuTensorMapEncodeTiled failed: invalid argument "
            "(CUDA_ERROR_INVALID_VALUE) (element 9, mode 0, interleave 0, "
            "swizzle 3, promotion 3, fill 1, address 0x7f0000000010, extents "
            "[30, 20, 1000], strides [40960, 2048], box [4, 8, 64], element "
            "strides [1, 2, 1], lower [], upper [])");
}

//===----------------------------------------------------------------------===//
// A random walk around the rules
//===----------------------------------------------------------------------===//

class Draw {
public:
  explicit Draw(uint64_t seed) : generator(seed) {}
  uint64_t below(uint64_t count) { return generator() % count; }
  bool rarely(unsigned times) { return below(times) == 0; }
  int64_t from(std::initializer_list<int64_t> values) {
    return values.begin()[below(values.size())];
  }

private:
  std::mt19937_64 generator;
};

Format drawFormat(Draw &draw) {
  Format format;
  format.mode = static_cast<Mode>(draw.below(4));
  bool tile = format.mode == Mode::Tile;
  format.element = static_cast<Format::Element>(draw.below(16));
  format.swizzle = static_cast<Format::Swizzle>(draw.below(7));
  format.promotion = static_cast<Format::Promotion>(draw.below(4));
  format.fill = static_cast<Format::Fill>(draw.below(2));
  if (draw.rarely(4))
    format.interleave = static_cast<Format::Interleave>(draw.below(3));
  format.rank = uint8_t(tile ? 1 + draw.below(5) : 3 + draw.below(3));
  auto box = [&] {
    return draw.rarely(12) ? draw.from({0, 1, 3, 7, 255, 256, 257, 1024, 1025})
                           : draw.from({1, 2, 8, 16, 32, 64, 128});
  };
  for (unsigned i = 0; i < (tile ? format.rank : 2u); ++i)
    format.box.push_back(box());
  for (unsigned i = 0; i < format.rank; ++i)
    format.elementStrides.push_back(draw.rarely(12) ? draw.from({0, 2, 8, 9})
                                                    : 1);
  unsigned corners = tile                          ? 0
                     : format.mode == Mode::Im2Col ? format.rank - 2u
                                                   : 1;
  for (unsigned i = 0; i < corners; ++i) {
    format.lower.push_back(draw.from({0, -1, -16, -17, 127, 128, -32768}));
    format.upper.push_back(draw.from({0, 1, 15, 16, -128, -129, 32767}));
  }
  return format;
}

TensorMapSource drawSource(Draw &draw, unsigned rank) {
  TensorMapSource source;
  source.rank = rank;
  source.address = kAddress + (draw.rarely(8) ? draw.below(64) : 0);
  for (unsigned i = 0; i < rank; ++i)
    source.extents[i] = draw.rarely(10)
                            ? draw.from({-1, 0, 1, int64_t(1) << 32,
                                         (int64_t(1) << 32) + 1, 127})
                            : draw.from({128, 256, 1024, 4096});
  for (unsigned i = 0; i + 1 < rank; ++i)
    source.strides[i] =
        draw.rarely(10) ? draw.from({-16, 0, 8, 16, 48, int64_t(1) << 40, 1000})
                        : draw.from({4096, 65536, 1 << 20});
  return source;
}

TEST_F(TensorMapEncode, WhatPassesIsNotRefusedByTheDriver) {
  Context context = open(10);
  fake::setRecording(false);
  Draw draw(20261120);
  unsigned passed[4] = {};
  for (unsigned i = 0; i < 400000; ++i) {
    Format format = drawFormat(draw);
    TensorMapSource source = drawSource(draw, format.rank);
    if (!TensorMap::check(format, source, "x"))
      continue;
    ++passed[int(format.mode)];
    Result<TensorMap> map = TensorMap::encode(context, format, source, "x");
    ASSERT_TRUE(map) << map.error().message;
  }
  for (unsigned count : passed)
    EXPECT_GT(count, 500u);
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

TensorMap makeMap(uint64_t word) {
  TensorMap map;
  map.words[15] = word;
  return map;
}

TEST(TensorMapCacheTest, FindsTheSameRequestOnly) {
  TensorMapCache cache;
  uint64_t id = TensorMapCache::makeFormatId();
  TensorMapSource source = makeTileSource();
  EXPECT_EQ(cache.lookup(id, source), nullptr);
  cache.store(id, source, makeMap(7));
  const TensorMap *found = cache.lookup(id, source);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->words[15], 7u);

  EXPECT_EQ(cache.lookup(TensorMapCache::makeFormatId(), source), nullptr);
  auto expectOther = [&](auto change) {
    TensorMapSource other = source;
    change(other);
    EXPECT_EQ(cache.lookup(id, other), nullptr);
  };
  expectOther([](TensorMapSource &other) { other.address += 16; });
  for (int dim = 0; dim < 3; ++dim)
    expectOther([&](TensorMapSource &other) { ++other.extents[dim]; });
  for (int dim = 0; dim < 2; ++dim)
    expectOther([&](TensorMapSource &other) { other.strides[dim] += 16; });
  expectOther([](TensorMapSource &other) { other.rank = 2; });
}

/// With far more requests than slots, each field must tell maps apart.
TEST(TensorMapCacheTest, NeverAnotherMap) {
  TensorMapCache cache;
  Draw draw(7);
  unsigned hits = 0;
  for (unsigned i = 0; i < 100000; ++i) {
    uint64_t id = 1 + draw.below(16);
    uint64_t fields[6] = {};
    for (uint64_t &field : fields)
      field = draw.below(2);
    TensorMapSource source = makeTileSource();
    source.address += 16 * fields[0];
    for (int dim = 0; dim < 3; ++dim)
      source.extents[dim] += int64_t(fields[1 + dim]);
    for (int dim = 0; dim < 2; ++dim)
      source.strides[dim] += int64_t(16 * fields[4 + dim]);
    uint64_t word = id;
    for (uint64_t field : fields)
      word = 2 * word + field;
    if (const TensorMap *found = cache.lookup(id, source)) {
      ++hits;
      ASSERT_EQ(found->words[15], word);
    } else {
      cache.store(id, source, makeMap(word));
    }
  }
  EXPECT_GT(hits, 1000u);
}

/// As many as a kernel's arguments, wherever they lie: a launch that comes
/// again encodes none of them.
TEST(TensorMapCacheTest, AnyEightStay) {
  Draw draw(20261121);
  for (unsigned round = 0; round < 2000; ++round) {
    TensorMapCache cache;
    uint64_t id = TensorMapCache::makeFormatId();
    std::array<TensorMapSource, 8> sources;
    for (size_t i = 0; i < sources.size(); ++i) {
      sources[i] = makeTileSource();
      sources[i].address = kAddress + 16 * draw.below(1 << 20);
      cache.store(id + i, sources[i], makeMap(i));
    }
    for (size_t i = 0; i < sources.size(); ++i) {
      const TensorMap *found = cache.lookup(id + i, sources[i]);
      ASSERT_NE(found, nullptr) << round << " " << i;
      EXPECT_EQ(found->words[15], i);
    }
  }
}

TEST(TensorMapCacheTest, IsTheThreadsOwn) {
  TensorMapCache *here = &TensorMapCache::get();
  EXPECT_EQ(here, &TensorMapCache::get());
  TensorMapCache *there = nullptr;
  std::thread([&] { there = &TensorMapCache::get(); }).join();
  EXPECT_NE(here, there);
}
} // namespace
