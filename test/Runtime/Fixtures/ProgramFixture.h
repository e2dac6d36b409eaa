//===- ProgramFixture.h - programs on the fake device -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fixture with the kernels of ProgramManifest.h as functions of the host, and
// the arguments of the program "twice".
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FIXTURES_PROGRAMFIXTURE_H
#define CAROUSEL_TEST_RUNTIME_FIXTURES_PROGRAMFIXTURE_H

#include "KernelTest.h"
#include "ProgramManifest.h"

#include "carousel/Runtime/Program.h"

#include <cstring>

namespace carousel::runtime::test {

inline void expectSuccess(const Status &status) {
  EXPECT_TRUE(status) << status.error().message;
}

/// x and y on the device, and the factor.
class TwiceArguments {
public:
  TwiceArguments(const Context &context, int64_t n)
      : x(*Buffer::allocate(context, static_cast<uint64_t>(n) * 4 + 64)),
        y(*Buffer::allocate(context, static_cast<uint64_t>(n) * 8 + 64)),
        extents{n}, results{2, n} {
    set(0, 2.0f);
    for (int64_t i = 0; i < n; ++i)
      getX()[i] = static_cast<float>(i + 1);
  }

  void set(uint64_t shift, float factor) {
    uint32_t bits;
    std::memcpy(&bits, &factor, sizeof(bits));
    offset = shift;
    list[0] =
        Argument::tensor(ElementType::F32, x.getAddress() + shift, 1, extents);
    list[1] = Argument::scalar(ElementType::F32, bits);
    list[2] =
        Argument::tensor(ElementType::F32, y.getAddress() + shift, 2, results);
  }
  float *getX() { return reinterpret_cast<float *>(x.getAddress() + offset); }
  float *getY() { return reinterpret_cast<float *>(y.getAddress() + offset); }

  /// Whether y is what the program computes with this factor; forgets it.
  void expect(float factor) {
    int64_t n = extents[0];
    for (int64_t i = 0; i < n; ++i) {
      EXPECT_EQ(getY()[i], getX()[i] * factor);
      EXPECT_EQ(getY()[n + i], i == 0 ? 3.0f : i == 1 ? -2.0f : 1.0f);
    }
    std::fill_n(getY(), 2 * n, -7.0f);
  }

  Argument list[3];

private:
  Buffer x, y;
  int64_t extents[1], results[2];
  uint64_t offset = 0;
};

class ProgramFixture : public KernelFixture {
protected:
  void SetUp() override {
    KernelFixture::SetUp();
    fake::setDevices({makeDevice(9)});
    fake::setParameterSizes("copy_bulk", {8, 8, 8, 8});
    fake::setParameterSizes("copy_simple", {8, 4, 8, 4});
    for (const char *name : {"copy_bulk", "copy_simple"})
      fake::setKernel(name, [](const fake::Launch &, void **parameters) {
        auto *const *x = static_cast<float *const *>(parameters[0]);
        auto *const *y = static_cast<float *const *>(parameters[2]);
        // The low half of an index of 32 bits, too.
        auto n = *static_cast<const uint32_t *>(parameters[1]);
        std::copy_n(*x, n, *y);
      });
    fake::setParameterSizes("scale", {8, 4, 4, 4, 4});
    fake::setKernel("scale", [](const fake::Launch &, void **parameters) {
      float *x = *static_cast<float *const *>(parameters[0]);
      auto n = *static_cast<const uint32_t *>(parameters[2]);
      auto factor = *static_cast<const float *>(parameters[3]);
      EXPECT_EQ(*static_cast<const int32_t *>(parameters[4]), -1);
      for (uint32_t i = 0; i < n; ++i)
        x[i] *= factor;
    });
  }

  Program getProgram(const Context &context,
                     const std::string &manifest = makeProgramManifest()) {
    Result<Program> program = Program::get(
        context, writeAndOpen(manifest, {{"constants.bin", makeConstants()}}),
        "twice");
    EXPECT_TRUE(program) << program.error().message;
    return *program;
  }

  static std::vector<std::string> getFunctions() {
    std::vector<std::string> functions;
    for (const fake::Launch &launch : fake::getLaunches())
      functions.push_back(launch.function);
    return functions;
  }
};

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_FIXTURES_PROGRAMFIXTURE_H
