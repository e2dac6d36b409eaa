//===- ToolkitTest.h - the real NVRTC and nvJitLink -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fixture with the libraries of the toolkit that the headers come from and
// the fake driver.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_COMPILE_TOOLKITTEST_H
#define CAROUSEL_TEST_RUNTIME_COMPILE_TOOLKITTEST_H

#include "CompileTest.h"
#include "Cubin.h"

namespace carousel::runtime::test {

class Toolkit : public CompileFixture {
protected:
  void SetUp() override {
    CompileFixture::SetUp();
    options.libraries.nvrtc = findLibrary("libnvrtc.so");
    options.libraries.nvJitLink = findLibrary("libnvJitLink.so");
  }
  /// The machine code of a kernel, as e_machine and e_flags of an ELF file say.
  static void expectCubin(const Result<std::string> &cubin, unsigned arch) {
    ASSERT_TRUE(cubin) << cubin.error().message;
    ASSERT_GT(cubin->size(), 64u);
    EXPECT_EQ(cubin->substr(0, 4), "\177ELF");
    EXPECT_EQ(static_cast<unsigned char>((*cubin)[18]), 190u) << "EM_CUDA";
    EXPECT_NE(cubin->find(".text.double_it"), std::string::npos);
    // The byte of the flags that holds the architecture differs by the
    // version of the format.
    unsigned low = static_cast<unsigned char>((*cubin)[48]);
    unsigned next = static_cast<unsigned char>((*cubin)[49]);
    EXPECT_TRUE(low == arch || next == arch) << low << ", " << next;
  }
};

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_COMPILE_TOOLKITTEST_H
