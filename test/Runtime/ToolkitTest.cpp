//===- ToolkitTest.cpp - compiling with the real NVRTC and nvJitLink ------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both libraries work without a GPU. The driver is the fake one, a device of
// compute capability 9.0 that refuses PTX. Skipped where the toolkit that the
// headers come from has no libraries.
//
//===----------------------------------------------------------------------===//

#include "CompileTest.h"

#include <initializer_list>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;
namespace fs = std::filesystem;

namespace {

/// A library beside the headers: in a toolkit, a Debian package, or a Python
/// package. Empty if there is none.
std::string findLibrary(const std::string &name) {
  for (const char *directory :
       {"lib64", "lib", "targets/x86_64-linux/lib", "lib/x86_64-linux-gnu"})
    for (const char *version : {".13", ".12"}) {
      fs::path path =
          fs::path(CAROUSEL_TEST_CUDA_ROOT) / directory / (name + version);
      if (fs::exists(path))
        return path.string();
    }
  return {};
}

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

const char *kCUDA = R"(
extern "C" __global__ void double_it(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if constexpr (sizeof(void *) == 8) // C++17
    if (i < n)
      x[i] *= 2;
#if !defined(__CUDA_ARCH_FEAT_SM90_ALL) && defined(WANTS_90A)
#error not compiled for sm_90a
#endif
}
)";

// setmaxnreg is in sm_90a only.
const char *kPTX = R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry double_it(.param .u64 x) .maxntid 128, 1, 1 {
  .reg .b64 %a;
  .reg .f32 %f;
  setmaxnreg.inc.sync.aligned.u32 64;
  ld.param.u64 %a, [x];
  cvta.to.global.u64 %a, %a;
  ld.global.f32 %f, [%a];
  add.f32 %f, %f, %f;
  st.global.f32 [%a], %f;
  ret;
}
)";

TEST_F(Toolkit, NVRTC) {
  if (options.libraries.nvrtc.empty())
    GTEST_SKIP() << "no libnvrtc beside the CUDA headers";
  expectCubin(compile(makePackage({{"sm_80", "cuda", "k.cu", kCUDA}})), 90);
  expectCubin(
      compile(makePackage({{"sm_90a", "cuda", "k.cu",
                            "#define WANTS_90A\n" + std::string(kCUDA)}})),
      90);

  Result<std::string> cubin = compile(makePackage(
      {{"sm_80", "cuda", "k.cu", "#define WANTS_90A\n" + std::string(kCUDA)}}));
  ASSERT_FALSE(cubin) << "sm_80 asks for no feature of sm_90a";
  cubin = compile(makePackage(
      {{"sm_80", "cuda", "bad.cu", "__global__ void k() { int x = y; }"}}));
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().code, ErrorCode::CompileError);
  EXPECT_NE(cubin.error().message.find(
                "bad.cu: NVRTC failed: bad.cu(1): error: identifier \"y\" is "
                "undefined"),
            std::string::npos)
      << cubin.error().message;
  EXPECT_EQ(cubin.error().message.find('\n'), std::string::npos);
}

TEST_F(Toolkit, NvJitLink) {
  if (options.libraries.nvJitLink.empty())
    GTEST_SKIP() << "no libnvJitLink beside the CUDA headers";
  fake::failNext("cuLinkAddData", CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 0, 100);
  Package package = makePackage({{"sm_90a", "ptx", "k.ptx", kPTX}});
  Result<std::string> cubin = compile(package);
  expectCubin(cubin, 90);
  EXPECT_EQ(read(onlyEntry()).find(*cubin),
            read(onlyEntry()).size() - 32 - cubin->size());
  expectCubin(compile(package), 90);

  cubin = compile(makePackage(
      {{"sm_90a", "ptx", "bad.ptx",
        ".version 8.0\n.target sm_90a\n.address_size 64\nnonsense\n"}}));
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().code, ErrorCode::CompileError);
  EXPECT_NE(cubin.error().message.find("; bad.ptx: nvJitLink failed: "),
            std::string::npos)
      << cubin.error().message;
  EXPECT_NE(cubin.error().message.find("line 4"), std::string::npos)
      << cubin.error().message;
  EXPECT_EQ(cubin.error().message.find('\n'), std::string::npos);
}

} // namespace
