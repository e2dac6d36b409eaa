//===- CompileCUDATest.cpp - CUDA C++ compiled at run time ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls to NVRTC, the contents of the cache, and the results, with the fake
// NVRTC; ToolkitTest.cpp uses the real one.
//
//===----------------------------------------------------------------------===//

#include "Compile/Includes/DeviceHeaders.h"
#include "FakeCompileTest.h"

#include "carousel/Runtime/CompileCUDA.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;
namespace fs = std::filesystem;

namespace {

const CUDASource kSource = {"k.cu", "extern \"C\" __global__ void k() {}\n"};

class CompileCUDA : public Compile {
protected:
  Result<CompiledCode> compile(const CompileOptions &compileOptions,
                               const CUDASource &source = kSource) {
    messages.clear();
    return compileCUDA(source, compileOptions, &messages, options);
  }
  size_t countCompilations() { return fake::nvrtc::getCompilations().size(); }
  std::vector<CompileMessage> messages;
};

CompileOptions forChip(const char *chip) {
  CompileOptions options;
  options.chip = chip;
  return options;
}

TEST_F(CompileCUDA, NeedsNoDriver) {
  options.libraries.driver = "/nonexistent/libcuda.so.1";
  Result<CompiledCode> code = compile(forChip("sm_90a"));
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->kind, CodeKind::Cubin);
  EXPECT_EQ(code->chip, "sm_90a");
  EXPECT_EQ(code->bytes, fromCUDA(kSource.text));
}

TEST_F(CompileCUDA, Options) {
  using List = std::vector<std::string>;
  CompileOptions wanted = forChip("sm_80");
  auto given = [&] {
    EXPECT_TRUE(compile(wanted));
    return fake::nvrtc::getCompilations().back().options;
  };
  EXPECT_EQ(given(), (List{"--gpu-architecture=sm_80", "--std=c++17",
                           "--fmad=false", "--no-source-include"}));
  wanted.fastMath = true;
  wanted.lineInfo = true;
  wanted.more = {"--maxrregcount=32", "-DX=1"};
  EXPECT_EQ(given(),
            (List{"--gpu-architecture=sm_80", "--std=c++17", "--use_fast_math",
                  "--generate-line-info", "--maxrregcount=32", "-DX=1",
                  "--no-source-include"}));
  wanted = forChip("sm_90a");
  wanted.kind = CodeKind::PTX;
  EXPECT_EQ(given(), (List{"--gpu-architecture=compute_90a", "--std=c++17",
                           "--fmad=false", "--no-source-include"}));
  wanted.kind = CodeKind::LTOIR;
  EXPECT_EQ(given(),
            (List{"--gpu-architecture=sm_90a", "--std=c++17", "--fmad=false",
                  "--dlink-time-opt", "--no-source-include"}));
}

TEST_F(CompileCUDA, Kinds) {
  CompileOptions wanted = forChip("sm_90a");
  wanted.kind = CodeKind::PTX;
  Result<CompiledCode> code = compile(wanted);
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->bytes, "FAKEPTX compute_90a nvrtc\n" + kSource.text)
      << "without the null";
  wanted.kind = CodeKind::LTOIR;
  code = compile(wanted);
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->bytes, "FAKELTO sm_90a nvrtc\n" + kSource.text + '\0');
}

TEST_F(CompileCUDA, TheChipOfTheContext) {
  for (auto [major, minor, chip] :
       {std::tuple(9, 0, "sm_90a"), std::tuple(8, 6, "sm_86"),
        std::tuple(10, 3, "sm_103a")}) {
    setCapability(major, minor);
    Result<CompiledCode> code = compileCUDA(makeContext(), kSource);
    ASSERT_TRUE(code) << code.error().message;
    EXPECT_EQ(code->chip, chip);
  }
  CompileOptions wanted = forChip("sm_80");
  Result<CompiledCode> code = compileCUDA(makeContext(), kSource, wanted);
  ASSERT_TRUE(code);
  EXPECT_EQ(code->chip, "sm_80");
}

TEST_F(CompileCUDA, Headers) {
  CompileOptions wanted = forChip("sm_90a");
  wanted.headers = {{"mine.h", "int mine;"}};
  std::vector<DeviceHeader> embedded = getDeviceHeaders();
  ASSERT_FALSE(embedded.empty()) << "no header in runtime/device";
  // The caller's comes first, and stands for ours of that name.
  wanted.headers.push_back({std::string(embedded[0].name), "int replaced;"});
  ASSERT_TRUE(compile(wanted));
  fake::nvrtc::Compilation given = fake::nvrtc::getCompilations().back();
  ASSERT_EQ(given.headers.size(), embedded.size() + 1);
  EXPECT_EQ(given.headers[0], "mine.h");
  EXPECT_EQ(given.headerTexts[0], "int mine;");
  EXPECT_EQ(given.headers[1], embedded[0].name);
  EXPECT_EQ(given.headerTexts[1], "int replaced;");
  for (size_t i = 1; i < embedded.size(); ++i) {
    EXPECT_EQ(given.headers[i + 1], embedded[i].name);
    EXPECT_EQ(given.headerTexts[i + 1], embedded[i].text);
  }
}

/// The library holds what the tree holds.
TEST(DeviceHeaders, AreTheFiles) {
  std::map<std::string, std::string> files;
  fs::path root = CAROUSEL_TEST_DEVICE_HEADERS;
  for (const auto &entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".h") {
      std::ifstream stream(entry.path(), std::ios::binary);
      std::stringstream contents;
      contents << stream.rdbuf();
      files[fs::relative(entry.path(), root).string()] = contents.str();
    }
  std::map<std::string, std::string> embedded;
  std::string last;
  for (const DeviceHeader &header : getDeviceHeaders()) {
    EXPECT_LT(last, header.name);
    last = header.name;
    EXPECT_EQ(header.name.substr(0, 16), "carousel/device/");
    EXPECT_EQ(header.text.data()[header.text.size()], '\0');
    embedded.emplace(header.name, header.text);
  }
  EXPECT_EQ(embedded, files);
}

TEST_F(CompileCUDA, CacheKey) {
  CompileOptions base = forChip("sm_90a");
  auto compilesAnew = [&](const CompileOptions &wanted,
                          const CUDASource &source = kSource) {
    size_t before = countCompilations();
    Result<CompiledCode> code = compile(wanted, source);
    EXPECT_TRUE(code) << code.error().message;
    return countCompilations() != before;
  };
  EXPECT_TRUE(compilesAnew(base));
  EXPECT_FALSE(compilesAnew(base));
  EXPECT_TRUE(compilesAnew(base, {"k.cu", kSource.text + " "})) << "text";
  EXPECT_TRUE(compilesAnew(base, {"n.cu", kSource.text})) << "name";
  EXPECT_TRUE(compilesAnew(forChip("sm_90"))) << "chip";
  auto change = [&](auto function) {
    CompileOptions other = base;
    function(other);
    EXPECT_TRUE(compilesAnew(other));
    EXPECT_FALSE(compilesAnew(other));
  };
  change([](CompileOptions &o) { o.kind = CodeKind::PTX; });
  change([](CompileOptions &o) { o.kind = CodeKind::LTOIR; });
  change([](CompileOptions &o) { o.lineInfo = true; });
  change([](CompileOptions &o) { o.fastMath = true; });
  change([](CompileOptions &o) { o.more = {"-DA", "-DB"}; });
  change([](CompileOptions &o) { o.more = {"-DB", "-DA"}; });
  change([](CompileOptions &o) { o.more = {"-DA\npart 3 -DB"}; });
  change([](CompileOptions &o) { o.headers = {{"a.h", "1"}}; });
  change([](CompileOptions &o) { o.headers = {{"a.h", "2"}}; });
  change([](CompileOptions &o) { o.headers = {{"b.h", "2"}}; });
  fake::nvrtc::setVersion(13, 1);
  EXPECT_TRUE(compilesAnew(base)) << "NVRTC's version";
  fake::nvrtc::setVersion(13, 0);
  EXPECT_FALSE(compilesAnew(base));
}

/// Every key has it: with other headers the code is another.
TEST_F(CompileCUDA, CacheKeyHasTheHeadersHash) {
  EXPECT_EQ(getDeviceHeadersHash().size(), 64u);
  ASSERT_TRUE(compile(forChip("sm_90a")));
  EXPECT_NE(read(onlyEntry()).find("headers " + getDeviceHeadersHash()),
            std::string::npos);
  fs::remove_all(options.cacheDirectory);
  expectCubin(makePackage({kCUDAImage}), fromCUDA(kCUDA));
  EXPECT_NE(read(onlyEntry()).find("headers " + getDeviceHeadersHash()),
            std::string::npos);
}

TEST_F(CompileCUDA, WarningsAreKept) {
  fake::nvrtc::setLog("k.cu(1): warning #177-D: variable \"i\" was declared "
                      "but never referenced\n");
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(compile(forChip("sm_90a")));
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(toString(messages[0]),
              "k.cu:1: warning: variable \"i\" was declared but never "
              "referenced [#177-D] (in 'k')");
  }
  EXPECT_EQ(countCompilations(), 1u) << "the second is the cache's";
}

TEST_F(CompileCUDA, DamagedEntriesAreRebuilt) {
  fake::nvrtc::setLog("k.cu(1): warning: a log\n");
  Result<CompiledCode> first = compile(forChip("sm_90a"));
  ASSERT_TRUE(first);
  std::string intact = read(onlyEntry());
  writeFile(onlyEntry(), intact.substr(0, intact.size() / 2));
  Result<CompiledCode> second = compile(forChip("sm_90a"));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->bytes, first->bytes);
  EXPECT_EQ(countCompilations(), 2u);
  EXPECT_EQ(read(onlyEntry()), intact);
}

TEST_F(CompileCUDA, Errors) {
  auto expectError = [&](const CompileOptions &wanted, const CUDASource &source,
                         ErrorCode code, const std::string &message) {
    Result<CompiledCode> compiled = compile(wanted, source);
    ASSERT_FALSE(compiled);
    EXPECT_EQ(compiled.error().code, code);
    EXPECT_EQ(compiled.error().message, message);
  };
  expectError({}, kSource, ErrorCode::InvalidArgument,
              "expected a chip to compile for, as 'sm_90a', got ''");
  expectError(forChip("sm_90\n"), kSource, ErrorCode::InvalidArgument,
              "expected a chip to compile for, as 'sm_90a', got 'sm_90\\x0a'");
  CompileOptions wanted = forChip("sm_90a");
  wanted.kind = static_cast<CodeKind>(4);
  expectError(wanted, kSource, ErrorCode::InvalidArgument,
              "expected a kind of code from 1 to 3, got 4");
  wanted.kind = CodeKind::Cubin;
  expectError(wanted, {"k.cu", std::string("a\0b", 3)}, ErrorCode::CompileError,
              "expected text without null characters, got one at byte 1");
  expectError(wanted, {"k.cu", "#error out of order\n"},
              ErrorCode::CompileError,
              "NVRTC failed: k.cu:1: #error out of order");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].severity, CompileMessage::Severity::Error);
  EXPECT_EQ(messages[0].file, "k.cu");
  EXPECT_EQ(messages[0].line, 1u);
  expectError(wanted, {"", "#error\n"}, ErrorCode::CompileError,
              "NVRTC failed: source.cu:1: #error");
  for (const char *call : {"nvrtcCreateProgram", "nvrtcCompileProgram",
                           "nvrtcGetCUBINSize", "nvrtcGetCUBIN"}) {
    fake::nvrtc::failNext(call, NVRTC_ERROR_INTERNAL_ERROR);
    expectError(wanted, kSource, ErrorCode::CompileError,
                fmt::format("NVRTC failed: {} failed: "
                            "NVRTC_ERROR_INTERNAL_ERROR",
                            call));
  }
  options.libraries.nvrtc = "/nonexistent/libnvrtc.so.13";
  Result<CompiledCode> compiled = compile(wanted);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, ErrorCode::NoLibrary);
  EXPECT_EQ(compiled.error().message.find("no NVRTC: "), 0u)
      << compiled.error().message;
}

} // namespace
