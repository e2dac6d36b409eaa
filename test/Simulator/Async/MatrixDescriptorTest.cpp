//===- MatrixDescriptorTest.cpp - descriptors against tensor copies -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor copy lays out a tile with each swizzle. A descriptor of the tile,
// with the fields that the PTX ISA states, must find each element where the
// copy has put it. Then the arithmetic of products against plain loops.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Async/Matrices/Product.h"
#include "AsyncFixture.h"

#include <cmath>
#include <random>

using namespace carousel::sim;

namespace {

constexpr uint64_t kFull = 0, kTile = 4096;
// The contiguous dimension of the tensor has 64 elements of 16 bits.
constexpr uint32_t kInner = 64, kElement = 2, kPiece = 16;

/// A descriptor's fields in bytes, as the PTX ISA packs them.
uint64_t pack(uint64_t address, uint64_t leading, uint64_t stride,
              uint64_t mode) {
  return address >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | mode << 62;
}

struct Layout {
  Swizzle swizzle;
  uint32_t span, mode;
};
constexpr Layout kLayouts[] = {{Swizzle::None, 16, 0},
                               {Swizzle::B32, 32, 3},
                               {Swizzle::B64, 64, 2},
                               {Swizzle::B128, 128, 1}};

TensorMap makeMap(const char *base, const Layout &layout, uint32_t lines) {
  TensorMap map;
  map.globalAddress = reinterpret_cast<uint64_t>(base);
  map.rank = 2;
  map.element = TensorElement::U16;
  map.globalExtents[0] = kInner;
  map.globalExtents[1] = lines;
  map.globalStrides[0] = kInner * kElement;
  map.box[0] = layout.span / kElement;
  map.box[1] = lines;
  map.swizzle = layout.swizzle;
  return map;
}

/// Copies a tile of `lines` rows, block by block, and calls `check` for each
/// line and piece with the tensor's 16 bytes and the tile's memory.
template <typename Check>
void checkTile(const Layout &layout, uint32_t lines, Check check) {
  uint32_t blockBytes = lines * layout.span;
  uint32_t blocks = kInner * kElement / layout.span;
  expectClean(makeShape(1, 32), 1, [=](AsyncRun &run) {
    const char *base = run.global(uint64_t(lines) * kInner * kElement);
    return [=, &run, map = makeMap(base, layout, lines)](Thread &thread) {
      run.initBarriers(thread, {{kFull, 1}});
      if (thread.index != 0)
        return;
      ArriveOptions options;
      options.expectBytes = int64_t(blocks) * blockBytes;
      run.machine.arrivals.arrive(run.shared(kFull), options);
      for (uint32_t block = 0; block < blocks; ++block)
        run.machine.tensorCopies.load(
            &map, {0, int32_t(block * layout.span / kElement)},
            TensorLoadMode::Tile, {}, run.shared(kTile + block * blockBytes),
            run.shared(kFull));
      run.machine.waits.wait(run.shared(kFull), PhaseName::parity(false));
      run.load(run.shared(kTile), blocks * blockBytes);
      for (uint32_t line = 0; line < lines; ++line)
        for (uint32_t piece = 0; piece < kInner * kElement / kPiece; ++piece)
          ASSERT_EQ(std::memcmp(
                        base + (line * kInner * kElement) + piece * kPiece,
                        check(run.shared(0), blockBytes, line, piece), kPiece),
                    0)
              << "swizzle " << int(layout.swizzle) << ", line " << line
              << ", piece " << piece;
    };
  });
}

TEST(MatrixDescriptor, FindsRowsAlongK) {
  for (const Layout &layout : kLayouts)
    checkTile(
        layout, 64,
        [&](char *shared, uint32_t blockBytes, uint32_t row, uint32_t piece) {
          // A product of depth 16 has two pieces of each row.
          uint32_t product = piece / 2, byte = product * 32;
          uint64_t begin =
              kTile + byte / layout.span * blockBytes + byte % layout.span;
          MatrixDescriptor matrix(
              pack(begin, blockBytes, 8 * layout.span, layout.mode));
          EXPECT_EQ(matrix.explain(), "");
          return shared +
                 matrix.getOffset(/*isTransposed=*/false, row, piece % 2);
        });
}

TEST(MatrixDescriptor, FindsRowsAcrossK) {
  for (const Layout &layout : kLayouts)
    checkTile(
        layout, 48,
        [&](char *shared, uint32_t blockBytes, uint32_t k, uint32_t piece) {
          uint64_t begin = kTile + k / 16 * 16 * layout.span;
          uint64_t groups = 8 * layout.span;
          MatrixDescriptor matrix(
              layout.mode == 0 ? pack(begin, groups, blockBytes, 0)
                               : pack(begin, blockBytes, groups, layout.mode));
          EXPECT_EQ(matrix.explain(), "");
          return shared +
                 matrix.getOffset(/*isTransposed=*/true, k % 16, piece);
        });
}

TEST(MatrixDescriptor, RowsBeginAtGroups) {
  auto explain = [](uint64_t address, uint64_t mode) {
    return MatrixDescriptor(pack(address, 16, 1024, mode)).explain();
  };
  EXPECT_EQ(explain(2048 + 96, 1), "");
  EXPECT_EQ(explain(2048 + 128, 0), "");
  EXPECT_EQ(explain(2048 + 128, 1),
            "expected the first row of a matrix at a multiple of 1024 bytes of "
            "shared memory, got one 128 bytes past that");
  EXPECT_EQ(explain(512 + 64 + 32, 2),
            "expected the first row of a matrix at a multiple of 512 bytes of "
            "shared memory, got one 64 bytes past that");
  EXPECT_EQ(MatrixDescriptor(uint64_t(3) << 49).explain(),
            "expected a matrix with base offset 0, got 3");
}

TEST(MatrixDescriptor, AddressesAreShared) {
  auto explain = [](uint64_t offset, bool isShared) {
    return MatrixDescriptor(MatrixDescriptor::getAddressBits(offset, isShared))
        .explain();
  };
  EXPECT_EQ(MatrixDescriptor::getAddressBits(0x3fff0, true), 0x3fffu);
  EXPECT_EQ(explain(0x3fff0, true), "");
  EXPECT_EQ(explain(0, false),
            "expected a matrix in the first 256 KiB of the CTA's shared "
            "memory, got one elsewhere");
  EXPECT_EQ(explain(0x40000, true), explain(0, false));
  EXPECT_EQ(explain(8, true),
            "expected a matrix at a multiple of 16 bytes, got one that isn't");
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

TEST(ProductArithmetic, RoundsToHalf) {
  // All numbers of f16, and the middles between two neighbours.
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    float value = widenHalf(uint16_t(bits));
    ASSERT_EQ(roundToHalf(value), bits);
    ASSERT_EQ(roundToHalf(-value), bits | 0x8000);
    float next = bits + 1 == 0x7c00 ? 65536.0f : widenHalf(uint16_t(bits + 1));
    float middle = value + (next - value) / 2;
    ASSERT_EQ(roundToHalf(middle), bits + (bits & 1));
    ASSERT_EQ(roundToHalf(std::nextafter(middle, 0.0f)), bits);
    ASSERT_EQ(roundToHalf(std::nextafter(middle, INFINITY)), bits + 1);
  }
  EXPECT_EQ(roundToHalf(INFINITY), 0x7c00);
  EXPECT_EQ(roundToHalf(-1e30f), 0xfc00);
  EXPECT_EQ(roundToHalf(NAN), 0x7fff);
}

TEST(ProductArithmetic, SaturatesOrWraps) {
  ProductForm form;
  form.n = 8;
  form.a = FactorType::U8;
  form.b = FactorType::S8;
  form.sum = SumType::S32;
  std::vector<char> a(64 * 32, char(0xff)), b(8 * 32, 127);
  constexpr int32_t kProduct = 32 * 255 * 127;
  for (bool saturates : {false, true}) {
    form.saturate = saturates;
    SumMatrix sums(form.sum, form.n);
    int32_t begin = std::numeric_limits<int32_t>::max() - 5, end = 0;
    SumPlace place(17, 3);
    sums.set(place, reinterpret_cast<char *>(&begin));
    sums.add(form, a.data(), b.data());
    sums.get(place, reinterpret_cast<char *>(&end));
    EXPECT_EQ(end, saturates ? std::numeric_limits<int32_t>::max()
                             : int32_t(uint32_t(begin) + uint32_t(kProduct)));
    sums.get(SumPlace(0, 0), reinterpret_cast<char *>(&end));
    EXPECT_EQ(end, kProduct);
  }
}

TEST(ProductArithmetic, ThreadsHaveEachElementOnce) {
  for (uint32_t n : {8u, 24u, 256u}) {
    std::vector<unsigned> counts(64 * n);
    for (uint32_t thread = 0; thread < 128; ++thread)
      for (uint32_t i = 0; i < n / 2; ++i) {
        SumPlace place(thread, i);
        ++counts[place.row * n + place.column];
      }
    for (unsigned count : counts)
      ASSERT_EQ(count, 1u);
  }
}

TEST(ProductForm, KeepsItsParts) {
  std::mt19937 random(1);
  for (unsigned i = 0; i < 1000; ++i) {
    ProductForm form;
    form.n = 8 * (random() % 32 + 1);
    form.a = FactorType(random() % 7);
    form.b = FactorType(random() % 7);
    form.sum = SumType(random() % 3);
    for (bool *part :
         {&form.aInRegisters, &form.isTransposedA, &form.isTransposedB,
          &form.negateA, &form.negateB, &form.saturate})
      *part = random() % 2;
    ProductForm other = ProductForm::decode(form.encode());
    EXPECT_EQ(std::tie(form.n, form.a, form.b, form.sum, form.aInRegisters,
                       form.isTransposedA, form.isTransposedB, form.negateA,
                       form.negateB, form.saturate),
              std::tie(other.n, other.a, other.b, other.sum, other.aInRegisters,
                       other.isTransposedA, other.isTransposedB, other.negateA,
                       other.negateB, other.saturate));
  }
}

} // namespace
