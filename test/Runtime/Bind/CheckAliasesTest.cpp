//===- CheckAliasesTest.cpp - tests of arguments that may alias -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests which pairs of tensors a launch accepts for arguments that may alias.
// The comparison of tensors is checked against one of all their elements.
//
//===----------------------------------------------------------------------===//

#include "Bind/Bind.h"
#include "carousel/Support/TensorOverlap.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace carousel;
using namespace carousel::runtime;

namespace {
constexpr int64_t kDynamic = ArgumentInfo::kDynamic;

struct Tensor {
  std::vector<int64_t> extents, strides;
  uint64_t data;
  Argument get() const {
    return Argument::tensor(ElementType::F32, data, uint32_t(extents.size()),
                            extents.data(), strides.data());
  }
  TensorMemory getMemory() const {
    return {data, extents.data(), strides.data(), extents.size(), 4};
  }
  std::set<uint64_t> getAddresses() const {
    std::set<uint64_t> addresses;
    if (getMemory().isEmpty())
      return addresses;
    std::vector<int64_t> index(extents.size(), 0);
    while (true) {
      uint64_t address = data;
      for (size_t dim = 0; dim < index.size(); ++dim)
        address += uint64_t(index[dim] * strides[dim]) * 4;
      addresses.insert(address);
      size_t dim = index.size();
      while (dim > 0 && ++index[dim - 1] == extents[dim - 1])
        index[--dim] = 0;
      if (dim == 0)
        return addresses;
    }
  }
};

KernelInfo makeKernel(size_t rank,
                      const std::vector<std::optional<uint16_t>> &aliases) {
  KernelInfo kernel;
  kernel.name = "k";
  for (std::optional<uint16_t> alias : aliases) {
    ArgumentInfo &info = kernel.arguments.emplace_back();
    info.name = std::string(1, char('x' + kernel.arguments.size() - 1));
    info.extents.assign(rank, kDynamic);
    info.contiguous = false;
    info.strides.assign(rank, kDynamic);
    info.mayAlias = alias;
    if (!alias)
      continue;
    info.previousAlias = alias;
    for (size_t other = 0; other + 1 < kernel.arguments.size(); ++other)
      if (kernel.arguments[other].mayAlias == alias)
        info.previousAlias = static_cast<uint16_t>(other);
  }
  return kernel;
}

std::string bind(const KernelInfo &kernel, const std::vector<Tensor> &tensors) {
  std::vector<Argument> arguments;
  for (const Tensor &tensor : tensors)
    arguments.push_back(tensor.get());
  std::vector<BoundArgument> bound(arguments.size());
  Status status =
      bindArguments(kernel, arguments.data(), arguments.size(), bound.data());
  return status ? "" : status.error().message;
}

TEST(CheckAliases, SameOrApart) {
  KernelInfo kernel = makeKernel(1, {std::nullopt, 0});
  Tensor x = {{256}, {1}, 0x1000};
  EXPECT_EQ(bind(kernel, {x, x}), "");
  EXPECT_EQ(bind(kernel, {x, {{256}, {1}, 0x1400}}), "");
  EXPECT_EQ(bind(kernel, {x, {{256}, {1}, 0xc00}}), "");
  EXPECT_EQ(bind(kernel, {x, {{0}, {1}, 0x1000}}), "");
  EXPECT_EQ(bind(kernel, {x, {{256}, {1}, 0x13fc}}),
            "y: expected the same address, extents and strides as x, or no "
            "common element, got 1024 bytes at 0x13fc and 1024 bytes at "
            "0x1000");
  EXPECT_NE(bind(kernel, {x, {{255}, {1}, 0x1000}}), "");
  EXPECT_NE(bind(kernel, {x, {{256}, {2}, 0x1000}}), "");
}

TEST(CheckAliases, WithoutMayAlias) {
  Tensor x = {{256}, {1}, 0x1000};
  EXPECT_EQ(bind(makeKernel(1, {std::nullopt, std::nullopt}),
                 {x, {{256}, {1}, 0x1200}}),
            "");
}

TEST(CheckAliases, ColumnsOfAMatrix) {
  KernelInfo kernel = makeKernel(2, {std::nullopt, 0});
  Tensor left = {{16, 32}, {64, 1}, 0x1000};
  EXPECT_EQ(bind(kernel, {left, {{16, 32}, {64, 1}, 0x1080}}), "");
  EXPECT_NE(bind(kernel, {left, {{16, 32}, {64, 1}, 0x107c}}), "");
  // Other strides are compared by their first and last bytes.
  EXPECT_NE(bind(kernel, {left, {{8, 32}, {128, 1}, 0x1080}}), "");
  // A dimension with one element may have any stride.
  EXPECT_EQ(
      bind(kernel, {{{1, 32}, {64, 1}, 0x1000}, {{1, 32}, {7, 1}, 0x1000}}),
      "");
}

/// Even a negative one, with which no search may count.
TEST(CheckAliases, StridesThatDontMatter) {
  KernelInfo kernel = makeKernel(2, {std::nullopt, 0});
  Tensor x = {{1, 4}, {-4, 4}, 0x1000};
  EXPECT_EQ(bind(kernel, {x, {{1, 4}, {-4, 4}, 0x1004}}), "");
  EXPECT_NE(bind(kernel, {x, {{1, 4}, {-4, 4}, 0x1010}}), "");
}

TEST(CheckAliases, SeveralOfOne) {
  KernelInfo kernel = makeKernel(1, {std::nullopt, 0, 0});
  Tensor x = {{64}, {1}, 0x1000}, y = {{64}, {1}, 0x2000};
  EXPECT_EQ(bind(kernel, {x, y, y}), "");
  EXPECT_EQ(bind(kernel, {x, x, x}), "");
  EXPECT_EQ(bind(kernel, {x, y, {{64}, {1}, 0x2010}}),
            "z: expected the same address, extents and strides as y, or no "
            "common element, got 256 bytes at 0x2010 and 256 bytes at 0x2000");
}

/// Tensors of equal row-major strides are compared exactly; others never count
/// as apart if they have a common element.
TEST(TensorOverlap, AsAllElements) {
  std::mt19937 random(7);
  auto draw = [&](int64_t least, int64_t most) {
    return least + int64_t(random() % uint64_t(most - least + 1));
  };
  size_t common = 0, apart = 0;
  for (int round = 0; round < 20000; ++round) {
    size_t rank = size_t(draw(1, 3));
    Tensor lhs, rhs;
    int64_t stride = draw(1, 3);
    for (size_t dim = 0; dim < rank; ++dim) {
      int64_t left = draw(1, 4), right = draw(1, 4);
      lhs.extents.insert(lhs.extents.begin(), left);
      rhs.extents.insert(rhs.extents.begin(), right);
      lhs.strides.insert(lhs.strides.begin(), stride);
      stride *= std::max(left, right) + draw(0, 2);
    }
    rhs.strides = lhs.strides;
    bool isEqual = draw(0, 3) != 0;
    if (!isEqual)
      rhs.strides[0] = draw(0, 9);
    lhs.data = 4096;
    rhs.data = uint64_t(4096 + 4 * draw(-40, 40));
    std::set<uint64_t> elements = lhs.getAddresses();
    bool share = false;
    for (uint64_t address : rhs.getAddresses())
      share |= elements.count(address) != 0;
    bool found = mayShareElements(lhs.getMemory(), rhs.getMemory());
    EXPECT_EQ(found, mayShareElements(rhs.getMemory(), lhs.getMemory()));
    EXPECT_TRUE(found || !share);
    if (isEqual)
      EXPECT_EQ(found, share);
    common += share;
    apart += !found;
  }
  EXPECT_GT(common, 1000u);
  EXPECT_GT(apart, 1000u);
}
} // namespace
