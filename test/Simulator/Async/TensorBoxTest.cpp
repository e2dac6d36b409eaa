//===- TensorBoxTest.cpp - boxes against naive references -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of random tiles, four-row boxes and im2col columns, each element
// compared with loops over coordinates; operands that no hardware takes.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Async/Tensors/SimTensorMap.h"

#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace carousel::sim;

namespace {

/// A dense tensor of 32-bit elements whose value is their index plus one.
struct Tensor {
  explicit Tensor(std::vector<uint64_t> innermostFirst)
      : extents(std::move(innermostFirst)) {
    uint64_t pitch = (extents[0] + 3) / 4 * 4, count = pitch;
    strides.push_back(1);
    for (size_t dim = 1; dim < extents.size(); ++dim) {
      strides.push_back(count);
      count *= extents[dim];
    }
    values.resize(count + 4);
    base = reinterpret_cast<uint32_t *>(
        (reinterpret_cast<uint64_t>(values.data()) + 15) / 16 * 16);
    for (uint64_t i = 0; i < count; ++i)
      base[i] = uint32_t(i + 1);
    map.globalAddress = reinterpret_cast<uint64_t>(base);
    map.rank = uint8_t(extents.size());
    map.element = TensorElement::U32;
    for (size_t dim = 0; dim < extents.size(); ++dim) {
      map.globalExtents[dim] = extents[dim];
      if (dim > 0)
        map.globalStrides[dim - 1] = strides[dim] * 4;
    }
  }
  /// 0 outside.
  uint32_t at(llvm::ArrayRef<int64_t> position) const {
    uint64_t index = 0;
    for (size_t dim = 0; dim < extents.size(); ++dim) {
      if (position[dim] < 0 || position[dim] >= int64_t(extents[dim]))
        return 0;
      index += uint64_t(position[dim]) * strides[dim];
    }
    return base[index];
  }

  std::vector<uint64_t> extents, strides;
  std::vector<uint32_t> values;
  uint32_t *base;
  TensorMap map;
};

/// Returns the elements that a load would bring, 0 where it fills.
std::vector<uint32_t> gather(const TensorBox &box) {
  std::vector<uint32_t> result;
  for (const BoxRow &row : box.rows)
    for (uint32_t at = 0; at < box.rowBytes; at += 4) {
      uint32_t value = 0;
      if (at >= row.begin && at + 4 <= row.end)
        std::memcpy(&value, reinterpret_cast<const void *>(row.address + at),
                    4);
      result.push_back(value);
    }
  return result;
}

std::vector<int32_t> outermostFirst(llvm::ArrayRef<int64_t> position) {
  return {position.rbegin(), position.rend()};
}

TEST(TensorBox, TilesOfEveryRank) {
  std::mt19937 random(3);
  auto draw = [&](int low, int high) {
    return low + int(random() % unsigned(high - low + 1));
  };
  for (unsigned round = 0; round < 500; ++round) {
    unsigned rank = 1 + round % 5;
    std::vector<uint64_t> extents;
    for (unsigned dim = 0; dim < rank; ++dim)
      extents.push_back(draw(1, 9));
    Tensor tensor(extents);
    std::vector<int64_t> start(5), count(5, 1), step(5, 1);
    for (unsigned dim = 0; dim < rank; ++dim) {
      start[dim] = draw(-6, 10);
      step[dim] = dim == 0 ? 1 : draw(1, 3);
      unsigned box = draw(1, 5);
      if (dim == 0) {
        start[0] = start[0] / 4 * 4;
        box = 4 * draw(1, 3);
      }
      tensor.map.box[dim] = uint16_t(box);
      tensor.map.elementStrides[dim] = uint8_t(step[dim]);
      count[dim] = (box + step[dim] - 1) / step[dim];
    }
    ASSERT_EQ(tensor.map.verify(), "");
    TensorBox box;
    auto coordinates = outermostFirst(llvm::ArrayRef(start).take_front(rank));
    ASSERT_EQ(
        computeBox(tensor.map, coordinates, BoxMode::Tile, {}, false, box), "");
    ASSERT_EQ(box.getBytes(), tensor.map.getBoxBytes());
    std::vector<uint32_t> expected;
    int64_t i[5];
    for (i[4] = 0; i[4] < count[4]; ++i[4])
      for (i[3] = 0; i[3] < count[3]; ++i[3])
        for (i[2] = 0; i[2] < count[2]; ++i[2])
          for (i[1] = 0; i[1] < count[1]; ++i[1])
            for (i[0] = 0; i[0] < count[0]; ++i[0]) {
              int64_t position[5];
              for (unsigned dim = 0; dim < 5; ++dim)
                position[dim] = start[dim] + i[dim] * step[dim];
              expected.push_back(tensor.at(position));
            }
    ASSERT_EQ(gather(box), expected) << "rank " << rank << ", round " << round;
  }
}

TEST(TensorBox, FourRows) {
  Tensor tensor({12, 7});
  tensor.map.box[0] = 8;
  TensorBox box;
  int32_t coordinates[] = {5, -1, 6, 7, 8};
  ASSERT_EQ(
      computeBox(tensor.map, coordinates, BoxMode::FourRows, {}, false, box),
      "");
  std::vector<uint32_t> expected;
  for (int64_t row : {5, -1, 6, 7})
    for (int64_t column = 8; column < 16; ++column)
      expected.push_back(tensor.at({column, row}));
  EXPECT_EQ(gather(box), expected);
  EXPECT_EQ(box.getBytes(), tensor.map.getBoxBytes(4));
}

/// A convolution's input pixels, as im2col is meant for: output pixels (n, p,
/// q) from a start on, each reads at p*stride - pad + r*dilation.
TEST(TensorBox, Im2ColIsAConvolution) {
  std::mt19937 random(5);
  auto draw = [&](int low, int high) {
    return low + int(random() % unsigned(high - low + 1));
  };
  for (unsigned round = 0; round < 300; ++round) {
    unsigned spatial = 1 + round % 3;
    std::vector<uint64_t> extents{8};
    std::vector<int> kernel, pad, stride, dilation, outputs;
    for (unsigned dim = 0; dim < spatial; ++dim) {
      kernel.push_back(draw(1, 3));
      pad.push_back(draw(0, 2));
      stride.push_back(draw(1, 2));
      dilation.push_back(draw(1, 2));
      int span = (kernel[dim] - 1) * dilation[dim];
      extents.push_back(
          uint64_t(draw(std::max(1, span + 1 - 2 * pad[dim]), span + 6)));
      outputs.push_back(
          (int(extents.back()) + 2 * pad[dim] - span - 1) / stride[dim] + 1);
    }
    int images = draw(1, 3);
    extents.push_back(uint64_t(images));
    Tensor tensor(extents);
    tensor.map.mode = TensorMapMode::Im2Col;
    tensor.map.box[0] = 4;
    tensor.map.box[1] = uint16_t(draw(1, 40));
    for (unsigned dim = 0; dim < spatial; ++dim) {
      tensor.map.lowerCorner[dim] = int16_t(-pad[dim]);
      tensor.map.upperCorner[dim] =
          int16_t(pad[dim] - (kernel[dim] - 1) * dilation[dim]);
      tensor.map.elementStrides[dim + 1] = uint8_t(stride[dim]);
    }
    ASSERT_EQ(tensor.map.verify(), "");

    int pixels = images;
    for (int output : outputs)
      pixels *= output;
    int first = draw(0, pixels - 1);
    std::vector<int64_t> tap(spatial);
    std::vector<int16_t> offsets(spatial);
    for (unsigned dim = 0; dim < spatial; ++dim) {
      tap[dim] = draw(0, kernel[dim] - 1) * dilation[dim];
      offsets[spatial - 1 - dim] = int16_t(tap[dim]);
    }
    // Position of output pixel `index`: its corner in the input.
    auto corner = [&](int index) {
      std::vector<int64_t> position(spatial + 2);
      for (unsigned dim = 0; dim < spatial; ++dim) {
        position[dim + 1] = index % outputs[dim] * stride[dim] - pad[dim];
        index /= outputs[dim];
      }
      position[spatial + 1] = index;
      return position;
    };
    std::vector<int64_t> start = corner(first);
    start[0] = 4;
    TensorBox box;
    ASSERT_EQ(computeBox(tensor.map, outermostFirst(start), BoxMode::Im2Col,
                         offsets, false, box),
              "");
    std::vector<uint32_t> expected;
    for (unsigned pixel = 0; pixel < tensor.map.box[1]; ++pixel) {
      std::vector<int64_t> position = corner(first + int(pixel));
      for (unsigned dim = 0; dim < spatial; ++dim)
        position[dim + 1] += tap[dim];
      for (position[0] = 4; position[0] < 8; ++position[0])
        expected.push_back(tensor.at(position));
    }
    ASSERT_EQ(gather(box), expected) << "round " << round;
  }
}

TEST(TensorBox, WritesWholePieces) {
  Tensor tensor({6, 3});
  tensor.map.box[0] = 8;
  TensorBox box;
  ASSERT_EQ(computeBox(tensor.map, {0, 0}, BoxMode::Tile, {}, false, box), "");
  EXPECT_EQ(box.rows[0].end, 24u);
  ASSERT_EQ(computeBox(tensor.map, {0, 0}, BoxMode::Tile, {}, true, box), "");
  EXPECT_EQ(box.rows[0].end, 32u);
  ASSERT_EQ(computeBox(tensor.map, {0, 4}, BoxMode::Tile, {}, true, box), "");
  EXPECT_EQ(box.rows[0].end, 16u);
}

TEST(TensorBox, OperandsThatNoHardwareTakes) {
  Tensor tensor({16, 8});
  tensor.map.box[0] = 8;
  TensorBox box;
  auto wrong = [&](llvm::ArrayRef<int32_t> coordinates, BoxMode mode,
                   bool isWrite) {
    return computeBox(tensor.map, coordinates, mode, {}, isWrite, box);
  };
  EXPECT_EQ(
      wrong({0, 2}, BoxMode::Tile, false),
      "expected an innermost coordinate at a multiple of 16 bytes, got 2");
  EXPECT_EQ(wrong({-1, 0}, BoxMode::Tile, false), "");
  EXPECT_EQ(wrong({-1, 0}, BoxMode::Tile, true),
            "expected coordinates of a write that are not negative, got -1");
  EXPECT_EQ(wrong({0}, BoxMode::Tile, false), "expected 2 coordinates, got 1");
  EXPECT_EQ(wrong({0, 0}, BoxMode::FourRows, false),
            "expected 5 coordinates, got 2");
  EXPECT_EQ(wrong({0, 0}, BoxMode::Im2Col, false),
            "expected a tensor map of mode im2col");
  tensor.map.box[1] = 2;
  EXPECT_NE(wrong({0, 0, 0, 0, 0}, BoxMode::FourRows, false), "");
}

TEST(TensorBox, MapsThatNoDriverMakes) {
  auto broken = [](auto change) {
    Tensor tensor({16, 8});
    tensor.map.box[0] = 8;
    EXPECT_EQ(tensor.map.verify(), "");
    change(tensor.map);
    return tensor.map.verify();
  };
  EXPECT_EQ(broken([](TensorMap &map) { map.magic = 0; }),
            "expected a tensor map, got other bytes");
  EXPECT_EQ(broken([](TensorMap &map) { map.globalStrides[0] = 40; }),
            "expected global strides at multiples of 16 bytes, got 40 in "
            "dimension 0");
  EXPECT_EQ(broken([](TensorMap &map) {
              map.globalStrides[0] = 40;
              map.globalExtents[1] = 1; // no address depends on it
            }),
            "");
  EXPECT_EQ(
      broken([](TensorMap &map) { map.box[0] = 6; }),
      "expected the inner box extent in bytes to be a multiple of 16, got 24");
  EXPECT_EQ(broken([](TensorMap &map) {
              map.box[0] = 12;
              map.swizzle = Swizzle::B32;
            }),
            "expected the inner box extent to be at most the swizzle span of "
            "32 bytes, got 48");
  EXPECT_NE(broken([](TensorMap &map) { map.globalAddress += 4; }), "");
  EXPECT_NE(broken([](TensorMap &map) { map.rank = 6; }), "");
  EXPECT_NE(broken([](TensorMap &map) { map.rank = 0; }), "");
  EXPECT_NE(broken([](TensorMap &map) { map.globalExtents[1] = 0; }), "");
  EXPECT_NE(broken([](TensorMap &map) { map.elementStrides[1] = 9; }), "");
  EXPECT_NE(broken([](TensorMap &map) { map.box[1] = 257; }), "");
  EXPECT_NE(broken([](TensorMap &map) { map.interleave = Interleave::B16; }),
            "");
}

TEST(TensorBox, Fills) {
  TensorMap map;
  map.element = TensorElement::BF16;
  uint16_t bytes[3] = {1, 1, 1};
  fillOutOfBounds(map, bytes, 4);
  EXPECT_EQ(bytes[1], 0);
  EXPECT_EQ(bytes[2], 1);
  map.fill = OutOfBoundsFill::NaN;
  fillOutOfBounds(map, bytes, 4);
  EXPECT_EQ(bytes[0], 0x7ff7);
  EXPECT_EQ(bytes[1], 0x7ff7);
  EXPECT_EQ(bytes[2], 1);
}

} // namespace
