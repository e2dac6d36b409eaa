//===- ToolkitSourcesTest.cpp - CUDA C++ with the real NVRTC, linked ------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The real libraries' messages and code: errors by file, line and kernel,
// rounding, line information, and complete links. No GPU is needed.
//
//===----------------------------------------------------------------------===//

#include "ToolkitTest.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

class ToolkitSources : public Toolkit {
protected:
  void SetUp() override {
    Toolkit::SetUp();
    if (options.libraries.nvrtc.empty() || options.libraries.nvJitLink.empty())
      GTEST_SKIP() << "no NVRTC and nvJitLink beside the CUDA headers";
  }
  Result<CompiledCode> compileText(const std::string &text,
                                   CompileOptions wanted = {}) {
    if (wanted.chip.empty())
      wanted.chip = "sm_90a";
    messages.clear();
    return compileCUDA({"saxpy.cu", text}, wanted, &messages, options);
  }
  void expectMessages(const std::vector<std::string> &expected) {
    std::vector<std::string> got;
    for (const CompileMessage &message : messages)
      got.push_back(toString(message));
    EXPECT_EQ(got, expected);
  }
  std::vector<CompileMessage> messages;
};

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

TEST_F(ToolkitSources, ErrorsNameFileLineAndKernel) {
  Result<CompiledCode> code = compileText(R"(
#line 14 "dir/saxpy.mlir"
extern "C" __global__ void saxpy(float *x) {
#line 20 "dir/saxpy.mlir"
  int a = y;
}
__global__ void other() {
  z = 3;
}
)");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::CompileError);
  EXPECT_EQ(
      code.error().message,
      "NVRTC failed: dir/saxpy.mlir:20: identifier \"y\" is undefined "
      "(in 'saxpy'); dir/saxpy.mlir:23: identifier \"z\" is undefined (in "
      "'other')");
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].severity, CompileMessage::Severity::Error);
  EXPECT_EQ(messages[0].file, "dir/saxpy.mlir");
  EXPECT_EQ(messages[0].line, 20u);
  EXPECT_EQ(messages[0].function, "saxpy");
  EXPECT_EQ(messages[0].text, "identifier \"y\" is undefined");
  EXPECT_EQ(messages[0].source, "int a = y;");
}

TEST_F(ToolkitSources, ManyErrors) {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += fmt::format("int a{} = q{};\n", i, i);
  Result<CompiledCode> code = compileText(text);
  ASSERT_FALSE(code);
  const std::string &message = code.error().message;
  EXPECT_LT(message.size(), 1000u) << message;
  EXPECT_NE(message.find("; and 97 more errors"), std::string::npos) << message;
  EXPECT_EQ(messages.size(), 100u) << "NVRTC stops there";
}

/// ptxas speaks of lines of a text that nobody has.
TEST_F(ToolkitSources, ErrorsOfPTXAS) {
  for (bool lineInfo : {false, true}) {
    CompileOptions wanted;
    wanted.lineInfo = lineInfo;
    Result<CompiledCode> code = compileText(R"(
extern "C" __global__ void first(float *x) { x[0] = 1; }
#line 30 "saxpy.mlir"
extern "C" __global__ void saxpy(float *x) {
  x[1] = 2;
  asm volatile("nonsense.foo %0;" ::"r"(3));
}
)",
                                            wanted);
    ASSERT_FALSE(code);
    ASSERT_EQ(messages.size(), 2u) << code.error().message;
    EXPECT_EQ(messages[0].file, "saxpy.mlir");
    EXPECT_EQ(messages[0].line, 32u);
    EXPECT_EQ(messages[0].function, "saxpy");
    EXPECT_EQ(messages[0].text.find("Unknown modifier '.foo' (line "), 0u)
        << messages[0].text;
  }
  ASSERT_FALSE(compileText(R"(
extern "C" __global__ void saxpy(float *x) {
  __shared__ float a[100000];
  a[threadIdx.x] = x[0];
  __syncthreads();
  x[1] = a[5];
})"));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].function, "saxpy");
  EXPECT_EQ(
      messages[0].text.find("Entry function 'saxpy' uses too much shared"), 0u)
      << messages[0].text;
}

TEST_F(ToolkitSources, WarningsAreKept) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(compileText("extern \"C\" __global__ void k(float *x) {\n"
                            "  int unused = 3;\n  x[0] = 1;\n}\n"));
    expectMessages({"saxpy.cu:2: warning: variable \"unused\" was declared but "
                    "never referenced [#177-D] (in 'k')"});
  }
}

TEST_F(ToolkitSources, OptionsThatNVRTCDoesNotKnow) {
  CompileOptions wanted;
  wanted.more = {"--nonsense"};
  Result<CompiledCode> code = compileText("", wanted);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().message,
            "NVRTC failed: unrecognized option --nonsense found");
  wanted = {};
  wanted.chip = "sm_42";
  code = compileText("", wanted);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().message,
            "NVRTC failed: invalid value for --gpu-architecture (-arch)");
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// All of them at once, without an include path and without a word.
TEST_F(ToolkitSources, DeviceHeaders) {
  std::string text;
  for (const DeviceHeader &header : getDeviceHeaders())
    text += fmt::format("#include <{}>\n", header.name);
  ASSERT_FALSE(text.empty()) << "no header in runtime/device";
  for (const char *chip : {"sm_80", "sm_90a", "sm_100a", "sm_120a"}) {
    CompileOptions wanted;
    wanted.chip = chip;
    Result<CompiledCode> code = compileText(
        text + "extern \"C\" __global__ void k(float *x) { x[0] = 1; }\n",
        wanted);
    EXPECT_TRUE(code) << chip << ": " << code.error().message;
    expectMessages({});
  }
}

/// NVRTC has these only with a toolkit beside it.
TEST_F(ToolkitSources, HeadersOfTheToolkit) {
  if (!std::filesystem::exists(
          std::filesystem::path(options.libraries.nvrtc).parent_path() /
          "../include/cuda_fp16.h"))
    GTEST_SKIP() << "no headers beside NVRTC";
  Result<CompiledCode> code =
      compileText("#include <cuda_fp16.h>\n"
                  "extern \"C\" __global__ void k(__half *x) { x[0] = "
                  "__hadd(x[1], x[2]); }");
  EXPECT_TRUE(code) << code.error().message;
}

constexpr const char *kMulAdd =
    R"(extern "C" __global__ void k(float *x) { x[0] = x[1] * x[2] + x[3]; })";

TEST_F(ToolkitSources, FastMathIsOffByDefault) {
  CompileOptions wanted;
  Result<CompiledCode> code = compileText(kMulAdd, wanted);
  ASSERT_TRUE(code) << code.error().message;
  Cubin strict(code->bytes);
  EXPECT_EQ(strict.countInstructions("k", Cubin::kFFMA), 0u);
  EXPECT_EQ(strict.countInstructions("k", Cubin::kFMUL), 1u);
  wanted.fastMath = true;
  code = compileText(kMulAdd, wanted);
  ASSERT_TRUE(code) << code.error().message;
  Cubin fast(code->bytes);
  EXPECT_EQ(fast.countInstructions("k", Cubin::kFFMA), 1u);
  EXPECT_EQ(fast.countInstructions("k", Cubin::kFMUL), 0u);
}

TEST_F(ToolkitSources, LineInfo) {
  for (bool lineInfo : {false, true}) {
    CompileOptions wanted;
    wanted.lineInfo = lineInfo;
    Result<CompiledCode> code =
        compileText("#line 14 \"saxpy.mlir\"\n" + std::string(kMulAdd), wanted);
    ASSERT_TRUE(code) << code.error().message;
    EXPECT_EQ(Cubin(code->bytes).hasSection(".debug_line"), lineInfo);
    EXPECT_EQ(code->bytes.find("saxpy.mlir") != std::string::npos, lineInfo);
  }
}

TEST_F(ToolkitSources, PTX) {
  CompileOptions wanted;
  wanted.kind = CodeKind::PTX;
  Result<CompiledCode> code = compileText(kMulAdd, wanted);
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_NE(code->bytes.find(".target sm_90a"), std::string::npos);
  EXPECT_NE(code->bytes.find(".visible .entry k("), std::string::npos);
  EXPECT_EQ(code->bytes.find('\0'), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

// As LLVM declares a function that is left for the linker.
constexpr const char *kCallingPTX = R"(
.version 8.0
.target sm_90a
.address_size 64
.extern .func  (.param .b32 func_retval0) activation
(
	.param .b32 activation_param_0
)
;
.visible .entry k(.param .u64 x) {
  .reg .b64 %a;
  .reg .b32 %f;
  ld.param.b64 %a, [x];
  cvta.to.global.u64 %a, %a;
  ld.global.b32 %f, [%a];
  {
  .param .b32 param0;
  .param .b32 retval0;
  st.param.b32 [param0], %f;
  call.uni (retval0), activation, (param0);
  ld.param.b32 %f, [retval0];
  }
  st.global.b32 [%a], %f;
  ret;
}
)";
constexpr const char *kCallingCUDA = R"(
extern "C" __device__ float activation(float);
extern "C" __global__ void k(float *x) { x[0] = activation(x[0]); }
)";
constexpr const char *kExterns =
    R"(, "externs": [{"name": "activation", "result": "f32",
                      "parameters": ["f32"]}])";

class ToolkitLinks : public ToolkitSources {
protected:
  Result<std::string> link(const std::string &source, LoadOptions load = {},
                           const char *externs = kExterns) {
    if (!source.empty())
      load.deviceSources.push_back({"relu.cu", source});
    return compile(makePackage({{"sm_90a", "ptx", "k.ptx", kCallingPTX},
                                {"sm_90a", "cuda", "k.cu", kCallingCUDA}},
                               externs),
                   load);
  }
  void expectError(const std::string &source, const std::string &message,
                   const LoadOptions &load = {}) {
    Result<std::string> cubin = link(source, load);
    ASSERT_FALSE(cubin);
    EXPECT_EQ(cubin.error().message, message);
  }
};

constexpr const char *kReLU =
    "__device__ float activation(float x) { return x * 0.5f + x * x; }\n";

TEST_F(ToolkitLinks, PTXAndSource) {
  Result<std::string> cubin = link(kReLU);
  ASSERT_TRUE(cubin) << cubin.error().message;
  Cubin linked(*cubin);
  EXPECT_TRUE(linked.hasSection(".text.k"));
  EXPECT_EQ(linked.getUndefined(), std::vector<std::string>{});
  // PTX is compiled before it is linked: the call stays.
  EXPECT_TRUE(linked.hasSection(".text.activation"));
  // NVRTC was told, and nvJitLink must be told again.
  EXPECT_EQ(linked.countInstructions("activation", Cubin::kFFMA), 0u);
  EXPECT_EQ(linked.countInstructions("activation", Cubin::kFMUL), 2u);

  LoadOptions load;
  load.cuda.fastMath = true;
  cubin = link(kReLU, load);
  ASSERT_TRUE(cubin) << cubin.error().message;
  EXPECT_NE(Cubin(*cubin).countInstructions("activation", Cubin::kFFMA), 0u);
}

/// Both as LTO-IR: nothing is left of the call.
TEST_F(ToolkitLinks, CUDAAndSource) {
  LoadOptions load;
  load.via = LoadOptions::Via::CUDA;
  Result<std::string> cubin = link(kReLU, load);
  ASSERT_TRUE(cubin) << cubin.error().message;
  Cubin linked(*cubin);
  EXPECT_TRUE(linked.hasSection(".text.k"));
  EXPECT_EQ(linked.getUndefined(), std::vector<std::string>{});
  EXPECT_FALSE(linked.hasSection(".text.activation")) << "not inlined";
  EXPECT_EQ(linked.countInstructions("k", Cubin::kFMUL), 2u);
  EXPECT_EQ(linked.countInstructions("k", Cubin::kFFMA), 0u);
}

TEST_F(ToolkitLinks, ASourceOfSeveralFiles) {
  LoadOptions load;
  load.deviceSources = {{"table.cu", "#include \"sizes.h\"\n"
                                     "__device__ float table[kSize] = {1};"}};
  load.cuda.headers = {{"sizes.h", "constexpr int kSize = 4;"}};
  Result<std::string> cubin =
      link("#include <sizes.h>\nextern __device__ float table[kSize];\n"
           "extern \"C\" __device__ float activation(float x) {\n"
           "  return x * table[threadIdx.x % kSize];\n}\n",
           load);
  ASSERT_TRUE(cubin) << cubin.error().message;
  EXPECT_EQ(Cubin(*cubin).getUndefined(), std::vector<std::string>{});
}

TEST_F(ToolkitLinks, LineInfo) {
  LoadOptions load;
  load.cuda.lineInfo = true;
  Result<std::string> cubin = link(kReLU, load);
  ASSERT_TRUE(cubin) << cubin.error().message;
  EXPECT_NE(cubin->find("relu.cu"), std::string::npos);
}

TEST_F(ToolkitLinks, Errors) {
  expectError("", "module 'm' calls what it doesn't define: expected device "
                  "sources with extern \"C\" __device__ float "
                  "activation(float), got none");
  for (LoadOptions::Via via : {LoadOptions::Via::PTX, LoadOptions::Via::CUDA}) {
    LoadOptions load;
    load.via = via;
    expectError("__device__ float other(float x) { return x; }\n",
                "module 'm': expected a device source that defines extern "
                "\"C\" __device__ float activation(float), got relu.cu",
                load);
  }
  // Another overload, in C++'s eyes.
  expectError("__device__ float activation(int x) { return x; }\n",
              "module 'm': expected a device source that defines extern \"C\" "
              "__device__ float activation(float), got relu.cu");
  expectError("\n__device__ double activation(float x) { return x; }\n",
              "module 'm': NVRTC failed: relu.cu:2: cannot overload functions "
              "distinguished by return type alone (in 'activation')");
  expectError("__device__ float activation(float x) {\n  return y;\n}\n",
              "module 'm': NVRTC failed: relu.cu:2: identifier \"y\" is "
              "undefined (in 'activation')");
}

/// Where the declaration can't tell, the linker can, if the sizes differ.
TEST_F(ToolkitLinks, ATypeOfAnotherSize) {
  Result<std::string> cubin = link(
      "extern \"C\" __device__ double activation(double x) { return x; }\n", {},
      R"(, "externs": [{"name": "activation", "result": "i32",
                        "parameters": ["i32"]}])");
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().message,
            "module 'm': expected a device source that defines extern \"C\" "
            "__device__ int activation(int), got relu.cu, where it has another "
            "type");
}

} // namespace
