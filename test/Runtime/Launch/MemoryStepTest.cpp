//===- MemoryStepTest.cpp - fills and copies of device memory -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch/LibrarySteps.h"

#include "KernelTest.h"

#include <cstring>
#include <random>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

using List = std::vector<int64_t>;

class MemoryStepTest : public KernelFixture {
protected:
  static constexpr int64_t kBytes = 1 << 16;

  /// All elements, one by one.
  template <typename Run> static void forEach(const List &extents, Run run) {
    List index(extents.size(), 0);
    for (int64_t extent : extents)
      if (extent == 0)
        return;
    while (true) {
      run(index);
      size_t dim = extents.size();
      while (dim > 0 && ++index[dim - 1] == extents[dim - 1])
        index[--dim] = 0;
      if (dim == 0)
        return;
    }
  }
  static int64_t getOffset(const List &index, const List &strides) {
    int64_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i)
      offset += index[i] * strides[i];
    return offset;
  }

  /// Runs it on the fake device and element by element; the calls that it took.
  size_t check(int64_t bytes, const List &extents, const List &target,
               const List *source, uint64_t value = 0x8899aabbccddeeff) {
    Context context = open();
    CurrentContext current(context.getImpl());
    Result<Buffer> to = Buffer::allocate(context, kBytes);
    Result<Buffer> from = Buffer::allocate(context, kBytes);
    EXPECT_TRUE(to && from);
    auto *toBytes = reinterpret_cast<uint8_t *>(to->getAddress());
    auto *fromBytes = reinterpret_cast<uint8_t *>(from->getAddress());
    for (int64_t i = 0; i < kBytes; ++i) {
      toBytes[i] = 0xee;
      fromBytes[i] = static_cast<uint8_t>(i * 37 + i / 251);
    }
    std::vector<uint8_t> want(toBytes, toBytes + kBytes);
    forEach(extents, [&](const List &index) {
      const void *element = source
                                ? fromBytes + getOffset(index, *source) * bytes
                                : reinterpret_cast<const uint8_t *>(&value);
      std::memcpy(want.data() + getOffset(index, target) * bytes, element,
                  static_cast<size_t>(bytes));
    });
    MemoryStep step;
    EXPECT_TRUE(
        step.set(static_cast<uint64_t>(bytes), extents, target, source));
    size_t before = countCalls();
    Status status =
        source ? step.copy(context.getImpl(), to->getAddress(),
                           from->getAddress(), nullptr)
               : step.fill(context.getImpl(), to->getAddress(), value, nullptr);
    EXPECT_TRUE(status) << status.error().message;
    EXPECT_TRUE(std::equal(want.begin(), want.end(), toBytes));
    size_t calls = countCalls() - before;
    uint64_t counted =
        source ? step.countCopyCalls() : step.countFillCalls(value);
    EXPECT_EQ(counted, calls);
    if (!source)
      EXPECT_LE(calls, step.countFillCalls(std::nullopt));
    return calls;
  }

private:
  static size_t countCalls() {
    size_t calls = 0;
    for (const char *name :
         {"cuMemcpyDtoDAsync", "cuMemcpy3DAsync", "cuMemsetD2D8Async",
          "cuMemsetD2D16Async", "cuMemsetD2D32Async"})
      calls += fake::countCalls(name);
    return calls;
  }
};

TEST_F(MemoryStepTest, FewCalls) {
  List dense = {70, 10, 1}, padded = {120, 12, 1};
  EXPECT_EQ(check(4, {5, 7, 10}, dense, &dense), 1u);
  EXPECT_EQ(check(4, {5, 7, 10}, dense, &padded), 1u);
  EXPECT_EQ(check(4, {5, 7, 10}, padded, nullptr), 5u);
  EXPECT_EQ(check(2, {5, 7, 10}, dense, nullptr), 1u);
  // Planes that aren't whole rows apart.
  List odd = {125, 12, 1};
  EXPECT_EQ(check(4, {5, 7, 10}, dense, &odd), 5u);
  // No elements, and one.
  EXPECT_EQ(check(4, {5, 0, 10}, dense, &dense), 0u);
  EXPECT_EQ(check(8, {}, {}, nullptr), 2u);
  // Values of two equal words.
  EXPECT_EQ(check(8, {5, 7}, {7, 1}, nullptr, 0), 1u);
  EXPECT_EQ(check(8, {5, 7}, {9, 1}, nullptr, UINT64_MAX), 1u);
  List none;
  EXPECT_EQ(check(1, {}, {}, &none), 1u);
  // Columns, broadcast rows.
  List transposed = {1, 5}, repeated = {0, 1};
  EXPECT_EQ(check(4, {5, 7}, {7, 1}, &transposed), 5u);
  EXPECT_EQ(check(4, {5, 7}, {7, 1}, &repeated), 5u);
}

TEST_F(MemoryStepTest, AnyStrides) {
  std::mt19937 random(1);
  auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (int run = 0; run < 300; ++run) {
    auto rank = static_cast<size_t>(draw(0, 4));
    List extents, target(rank), source(rank);
    for (size_t i = 0; i < rank; ++i)
      extents.push_back(draw(0, 5));
    // Targets have each element once.
    for (List *strides : {&target, &source}) {
      int64_t next = draw(1, 2);
      for (size_t i = rank; i-- > 0;) {
        (*strides)[i] = next;
        next *= std::max<int64_t>(extents[i], 1);
        next += draw(0, 1) * draw(0, 3);
      }
    }
    for (size_t i = 0; i < rank; ++i)
      if (draw(0, 4) == 0)
        source[i] = 0;
    int64_t bytes = int64_t(1) << draw(0, 3);
    check(bytes, extents, target, draw(0, 2) == 0 ? nullptr : &source,
          draw(0, 1) == 0 ? 0 : 0x8899aabbccddeeff);
  }
}

TEST_F(MemoryStepTest, Overflow) {
  MemoryStep step;
  List repeated = {0, 7, 0, 3, 1}, extents = {1 << 30, 16, 1 << 30, 2, 2};
  ASSERT_TRUE(step.set(4, extents, repeated, &repeated));
  EXPECT_EQ(step.countCopyCalls(), UINT64_MAX);
  EXPECT_EQ(step.countFillCalls(std::nullopt), UINT64_MAX);
  EXPECT_FALSE(step.set(4, {2, 2}, {INT64_MAX / 2, 1}, nullptr));
}

} // namespace
