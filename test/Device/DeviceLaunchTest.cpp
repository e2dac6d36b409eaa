//===- DeviceLaunchTest.cpp - the parameters of a launch on a device ------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of launch.mlir, with 64-bit and 32-bit indices: scalars of every
// type, strides, clusters, and a tensor map whose extents, strides and offset
// are expressions.
//
//===----------------------------------------------------------------------===//

#include "GPUSupport.h"

#include <gtest/gtest.h>

#include <vector>

using namespace carousel;
using namespace carousel::gpu_test;
using runtime::Argument;
using runtime::ElementType;
using runtime::Kernel;

namespace {

/// A vector on the device, poisoned unless given values.
template <typename T> class DeviceVector {
public:
  explicit DeviceVector(size_t count) : memory(count * sizeof(T)) {}
  explicit DeviceVector(const std::vector<T> &values)
      : DeviceVector(values.size()) {
    require(cudaMemcpy(memory.data(), values.data(), memory.size(),
                       cudaMemcpyHostToDevice),
            "upload");
  }
  std::vector<T> get() const {
    std::vector<T> values(memory.size() / sizeof(T));
    require(cudaMemcpy(values.data(), memory.data(), memory.size(),
                       cudaMemcpyDeviceToHost),
            "download");
    return values;
  }
  uint64_t address(size_t element = 0) const {
    return memory.address() + element * sizeof(T);
  }

private:
  Memory memory;
};

class LaunchTest : public testing::TestWithParam<const char *> {
protected:
  /// The error's text, empty on success.
  std::string launch(const char *name, const std::vector<Argument> &arguments) {
    Kernel kernel =
        require(Kernel::get(context(), openPackage(GetParam()), name));
    auto status = kernel.launch(arguments.data(), arguments.size());
    if (status)
      status = context().synchronize();
    return status ? "" : status.error().message;
  }
};

TEST_P(LaunchTest, ScalarsOfEveryType) {
  DeviceVector<int64_t> out(11);
  int64_t extent = 11;
  auto integer = [](ElementType type, int64_t value) {
    return Argument::scalar(type, static_cast<uint64_t>(value));
  };
  EXPECT_EQ(
      launch("scalars",
             {Argument::tensor(ElementType::I64, out.address(), 1, &extent),
              integer(ElementType::I1, 1), integer(ElementType::I8, -3),
              integer(ElementType::I16, -30000),
              integer(ElementType::I32, -2000000000),
              integer(ElementType::I64, INT64_MIN + 5),
              Argument::scalar(ElementType::F16, 0x3c01),
              Argument::scalar(ElementType::BF16, 0xbf80),
              Argument::scalar(ElementType::F32, 0x7fc00001),
              Argument::scalar(ElementType::F64, 0x8000000000000001),
              Argument::index(-7)}),
      "");
  EXPECT_EQ(out.get(), (std::vector<int64_t>{
                           1, -3, -30000, -2000000000, INT64_MIN + 5, 0x3c01,
                           0xbf80, 0x7fc00001, INT64_MIN + 1, -7, 11}));
}

TEST_P(LaunchTest, ClustersHaveTheirShape) {
  DeviceVector<int64_t> out(32);
  int64_t extent = 32;
  EXPECT_EQ(launch("clusters", {Argument::tensor(ElementType::I64,
                                                 out.address(), 1, &extent)}),
            "");
  std::vector<int64_t> want;
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 16; ++x)
      want.push_back(y * 4 + x % 4);
  EXPECT_EQ(out.get(), want);
  extent = 20;
  EXPECT_NE(launch("clusters", {Argument::tensor(ElementType::I64,
                                                 out.address(), 1, &extent)})
                .find("expected out.extent(0) to be a multiple of 8, got 20"),
            std::string::npos);
}

TEST_P(LaunchTest, StridesInEveryOrder) {
  constexpr int64_t rows = 70, columns = 9;
  std::vector<int32_t> values(rows * columns);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int32_t>(i * 7919);
  DeviceVector<int32_t> x(values), y(values.size());
  int64_t extents[] = {rows, columns}, across[] = {columns, 1},
          down[] = {1, rows}, repeated[] = {0, 1};
  EXPECT_EQ(launch("strided", {Argument::tensor(ElementType::I32, x.address(),
                                                2, extents, across),
                               Argument::tensor(ElementType::I32, y.address(),
                                                2, extents, down)}),
            "");
  std::vector<int32_t> got = y.get();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      EXPECT_EQ(got[j * rows + i], values[i * columns + j]);
  // One row again and again.
  EXPECT_EQ(launch("strided", {Argument::tensor(ElementType::I32, x.address(),
                                                2, extents, repeated),
                               Argument::tensor(ElementType::I32, y.address(),
                                                2, extents, across)}),
            "");
  got = y.get();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      EXPECT_EQ(got[i * columns + j], values[j]);
}

TEST_P(LaunchTest, MapsOfComputedViews) {
  constexpr int64_t rows = 5, columns = 35, pitch = 40;
  std::vector<uint16_t> values(rows * pitch);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<uint16_t>(i + 1);
  DeviceVector<uint16_t> x(values), y(4 * 2 * 16);
  int64_t extents[] = {rows, columns}, strides[] = {pitch, 1},
          box[] = {4, 2, 16};
  EXPECT_EQ(
      launch("view", {Argument::tensor(ElementType::F16, x.address(), 2,
                                       extents, strides),
                      Argument::tensor(ElementType::F16, y.address(), 3, box)}),
      "");
  std::vector<uint16_t> want;
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 2; ++j)
      for (int64_t k = 0; k < 16; ++k)
        want.push_back(values[(i + 1) * pitch + j * 16 + k]);
  EXPECT_EQ(y.get(), want);
  // One row is left of one: the map's outer extent is 0.
  extents[0] = 1;
  EXPECT_NE(
      launch("view", {Argument::tensor(ElementType::F16, x.address(), 2,
                                       extents, strides),
                      Argument::tensor(ElementType::F16, y.address(), 3, box)})
          .find("x: "),
      std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(IndexBits, LaunchTest,
                         testing::Values("launch", "launch_32"));

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  setPackages(argc, argv);
  return RUN_ALL_TESTS();
}
