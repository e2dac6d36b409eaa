//===- FakeCompileTest.h - compilation by the fake libraries ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Images, the results of the three fake libraries for them, and the fixture
// that loads these libraries.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FIXTURES_FAKECOMPILETEST_H
#define CAROUSEL_TEST_RUNTIME_FIXTURES_FAKECOMPILETEST_H

#include "CompileTest.h"
#include "FakeNVRTC.h"
#include "FakeNvJitLink.h"

#include <array>

namespace carousel::runtime::test {

inline const char *const kPTX = ".version 8.8\n.target sm_90a\n";
inline const char *const kCUDA = "extern \"C\" __global__ void k() {}\n";

inline const TestImage kCubinImage = {"sm_90a", "cubin", "m.sm_90a.cubin",
                                      "FAKECUBIN sm_90a from the package"};
inline const TestImage kPTXImage = {"sm_90a", "ptx", "m.sm_90a.ptx", kPTX};
inline const TestImage kCUDAImage = {"sm_90a", "cuda", "m.sm_90a.cu", kCUDA};

inline std::string jitLinked(const std::string &ptx) {
  return "FAKECUBIN sm_90a nvjitlink\n" + ptx + '\0';
}
inline std::string fromCUDA(const std::string &source,
                            const char *arch = "sm_90a") {
  return fmt::format("FAKECUBIN {} nvrtc\n{}", arch, source) + '\0';
}

/// With the fakes of all three libraries.
class Compile : public CompileFixture {
protected:
  void SetUp() override {
    CompileFixture::SetUp();
    fake::nvrtc::reset();
    fake::nvjitlink::reset();
    options.libraries.nvrtc = CAROUSEL_FAKE_NVRTC;
    options.libraries.nvJitLink = CAROUSEL_FAKE_NVJITLINK;
  }
  void TearDown() override {
    EXPECT_EQ(fake::nvrtc::countPrograms(), 0u);
    EXPECT_EQ(fake::nvjitlink::countHandles(), 0u);
  }

  /// How often the driver's compiler, nvJitLink and NVRTC were asked.
  std::array<size_t, 3> countCompilations() {
    return {fake::getCompilations().size(), fake::nvjitlink::getLinks().size(),
            fake::nvrtc::getCompilations().size()};
  }
  using Counts = std::array<size_t, 3>;
};

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_FIXTURES_FAKECOMPILETEST_H
