//===- ToolkitIncludesTest.cpp - files that the real NVRTC reads ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stale code, foreign files in messages, pipes that block, and the toolkit's
// own headers. Skipped if there is no libnvrtc beside the headers.
//
//===----------------------------------------------------------------------===//

#include "ToolkitTest.h"

#include "carousel/Runtime/CompileCUDA.h"

#include <sys/stat.h>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;
namespace fs = std::filesystem;

namespace {

class ToolkitIncludes : public Toolkit {
protected:
  void SetUp() override {
    Toolkit::SetUp();
    if (options.libraries.nvrtc.empty())
      GTEST_SKIP() << "no libnvrtc beside the CUDA headers";
    wanted.chip = "sm_90a";
    wanted.kind = CodeKind::PTX;
    for (const char *name : {"one", "two"})
      fs::create_directory(directory / name);
    writeFile(directory / "one/cfg.h", "#define VALUE 1111\n");
    writeFile(directory / "two/cfg.h", "#define VALUE 2222\n");
    start = fs::current_path();
  }
  void TearDown() override {
    if (!start.empty())
      fs::current_path(start);
    Toolkit::TearDown();
  }
  Result<CompiledCode> compileText(const std::string &text) {
    messages.clear();
    return compileCUDA({"k.cu", text}, wanted, &messages, options);
  }
  bool has(const std::string &text, const char *part) {
    Result<CompiledCode> code = compileText(text);
    EXPECT_TRUE(code) << code.error().message;
    return code && code->bytes.find(part) != std::string::npos;
  }

  CompileOptions wanted;
  std::vector<CompileMessage> messages;
  fs::path start;
  const std::string kKernel =
      "#include \"cfg.h\"\n"
      "extern \"C\" __global__ void k(int *x) { *x = VALUE; }\n";
};

TEST_F(ToolkitIncludes, TheWorkingDirectoryIsNotSearched) {
  for (const char *name : {"one", "two"}) {
    fs::current_path(directory / name);
    Result<CompiledCode> code = compileText(kKernel);
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().message.find("NVRTC failed: k.cu:1: could not open "
                                        "source file \"cfg.h\""),
              0u)
        << code.error().message;
  }
}

TEST_F(ToolkitIncludes, HeadersThatChange) {
  std::string header = directory / "one/cfg.h";
  wanted.more = {"-I" + directory / "one"};
  EXPECT_TRUE(has(kKernel, "1111"));
  EXPECT_TRUE(has(kKernel, "1111"));
  writeFile(header, "#define VALUE 3333\n");
  EXPECT_TRUE(has(kKernel, "3333"));
  // Another file of the name, before the first one.
  wanted.more = {"-I" + directory / "zero", "-I" + directory / "one"};
  EXPECT_TRUE(has(kKernel, "3333"));
  fs::create_directory(directory / "zero");
  writeFile(directory / "zero/cfg.h", "#include \"more.h\"\n");
  writeFile(directory / "zero/more.h", "#define VALUE 4444\n");
  EXPECT_TRUE(has(kKernel, "4444"));
  writeFile(directory / "zero/more.h", "#define VALUE 5555\n");
  EXPECT_TRUE(has(kKernel, "5555"));
  // One that only a macro names: compiled each time.
  writeFile(directory / "zero/cfg.h", "#define F \"more.h\"\n#include F\n");
  EXPECT_TRUE(has(kKernel, "5555"));
  writeFile(directory / "zero/cfg.h",
            "#define F \"more.h\"\n#if __has_include(F)\n#include \"more.h\"\n"
            "#endif\n");
  EXPECT_TRUE(has(kKernel, "5555"));
  writeFile(directory / "zero/more.h", "#define VALUE 6666\n");
  EXPECT_TRUE(has(kKernel, "6666"));
}

/// Relative options mean another directory, elsewhere.
TEST_F(ToolkitIncludes, RelativeDirectories) {
  wanted.more = {"-I."};
  fs::current_path(directory / "one");
  EXPECT_TRUE(has(kKernel, "1111"));
  fs::current_path(directory / "two");
  EXPECT_TRUE(has(kKernel, "2222"));
  wanted.more = {"--pre-include=cfg.h"};
  std::string text = kKernel.substr(kKernel.find('\n'));
  EXPECT_TRUE(has(text, "2222"));
  fs::current_path(directory / "one");
  EXPECT_TRUE(has(text, "1111"));
}

TEST_F(ToolkitIncludes, LineInformationNamesTheDirectory) {
  wanted.lineInfo = true;
  const char *text = "extern \"C\" __global__ void k(int *x) { *x = 1; }\n";
  for (const char *name : {"one", "two"}) {
    fs::current_path(directory / name);
    EXPECT_TRUE(has(text, (directory / name).c_str()));
  }
}

/// The toolkit's headers, with what they include themselves.
TEST_F(ToolkitIncludes, TheToolkitsHeaders) {
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(has("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
                    "#include <cuda_fp8.h>\n#include <mma.h>\n"
                    "extern \"C\" __global__ void k(__half *x) {\n"
                    "  *x = __hadd(*x, *x);\n}\n",
                    "add"));
  Result<CompiledCode> code =
      compileText("#include <cuda_fp16.h>\n__device__ __half f(int x) {\n"
                  "  return y;\n}\n");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().message,
            "NVRTC failed: k.cu:3: identifier \"y\" is undefined (in 'f')");
  EXPECT_TRUE(has("#if !__has_include(<cuda_fp16.h>) || "
                  "__has_include(<none.h>)\n#error wrong\n#endif\n"
                  "extern \"C\" __global__ void k() {}\n",
                  "k"));
}

/// A package's CUDA C++ neither reads a file of the host nor waits for a pipe.
TEST_F(ToolkitIncludes, PackagesReadNoFiles) {
  std::string secret = directory / "secret", pipe = directory / "pipe";
  writeFile(secret, "sesame open;\n");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::current_path(directory.getPath());
  for (std::string text :
       {"#include \"" + secret + "\"\n", "#include <" + pipe + ">\n",
        std::string("#include \"secret\"\n"),
        std::string("#include \"pipe\"\n"),
        std::string("#include \"./secret\"\n"),
        "%:inc\\\nlude \"" + secret + "\"\n",
        "#define F \"" + secret + "\"\n#include F\n",
        "#line 1 \"" + secret + "\"\n#include __FILE__\n",
        "#if 0\nisn't /* \n#endif\n#include \"" + secret + "\"\n// */\n",
        "#if __has_include(<a/*b>)\n#endif\n#include \"" + secret +
            "\"\n// */\n",
        "#if 0\n$R\"(\"; /* )\"\n#endif\n#include \"" + secret + "\"\n//*/\n",
        "__device__ void f() { asm(\"#include \\\"" + secret + "\\\"\\n\"); }",
        "__device__ void f() { asm(\".include \\\"" + secret +
            "\\\"\\n\"); }"}) {
    Result<std::string> cubin = compile(
        makePackage({{"sm_90a", "cuda", "k.cu",
                      text + "\nextern \"C\" __global__ void k() {}\n"}}));
    if (cubin)
      continue; // an assembler's text that isn't code yet
    EXPECT_EQ(cubin.error().message.find("sesame"), std::string::npos)
        << cubin.error().message;
  }
  for (const char *text : {"#include \"/etc/passwd\"\n", "#include F\n"}) {
    Result<std::string> cubin =
        compile(makePackage({{"sm_90a", "cuda", "k.cu", text}}));
    ASSERT_FALSE(cubin);
    EXPECT_EQ(cubin.error().code, ErrorCode::CompileError);
    EXPECT_NE(cubin.error().message.find("k.cu: refused: k.cu:1: expected a "),
              std::string::npos)
        << cubin.error().message;
  }
}

/// Nor does it learn which files there are.
TEST_F(ToolkitIncludes, PackagesAskForNoFiles) {
  writeFile(directory / "one/secret", "");
  std::string ask = "(\"" + (directory / "one/secret") + "\")";
  for (const std::string &text :
       {"__device__ int found = __has_include" + ask + ";\n",
        "#define C(a, b) a##b\n__device__ int found = C(__has_, include)" +
            ask + ";\n",
        "#define S(x) #x\n#define T(x) S(x)\n"
        "__device__ char found[] = T($__has_include" +
            ask + ");\n",
        "#if __has_include(<a//b>) || __has_include" + ask +
            "\n__device__ int found = 1;\n#endif\n"}) {
    Result<CompiledCode> code = compileText(text);
    EXPECT_FALSE(code) << text << code->bytes;
  }
  std::string pipe = directory / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  wanted.more = {"--std=c++20"};
  EXPECT_FALSE(compileText("import \"" + pipe + "\";\n"));
}

} // namespace
