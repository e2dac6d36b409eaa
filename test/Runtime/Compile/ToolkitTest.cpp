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

#include "ToolkitTest.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

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
                "bad.cu: NVRTC failed: bad.cu:1: identifier \"y\" is "
                "undefined (in 'k')"),
            std::string::npos)
      << cubin.error().message;
  EXPECT_EQ(cubin.error().message.find('\n'), std::string::npos);
}

TEST_F(Toolkit, NvJitLink) {
  if (options.libraries.nvJitLink.empty())
    GTEST_SKIP() << "no libnvJitLink beside the CUDA headers";
  // The PTX each time; what comes of it is taken.
  auto failNext = [] {
    fake::failNext("cuModuleLoadDataEx", CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  };
  failNext();
  Package package = makePackage({{"sm_90a", "ptx", "k.ptx", kPTX}});
  Result<std::string> cubin = compile(package);
  expectCubin(cubin, 90);
  EXPECT_EQ(read(onlyEntry()).find(*cubin),
            read(onlyEntry()).size() - 64 - cubin->size());
  failNext();
  expectCubin(compile(package), 90);

  failNext();
  cubin = compile(makePackage(
      {{"sm_90a", "ptx", "bad.ptx",
        ".version 8.0\n.target sm_90a\n.address_size 64\nnonsense\n"}}));
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().code, ErrorCode::CompileError);
  EXPECT_NE(
      cubin.error().message.find("; bad.ptx: nvJitLink failed: bad.ptx:4: "),
      std::string::npos)
      << cubin.error().message;
  EXPECT_EQ(cubin.error().message.find('\n'), std::string::npos);
}

} // namespace
