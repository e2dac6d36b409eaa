//===- CAPICompileTest.cpp - CUDA C++ of the C interface ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CAPI/CAPIImpl.h"
#include "FakeCompileTest.h"

#include <cstddef>

using namespace carousel;
using namespace carousel::runtime::test;

// The layout that callers were compiled with. Not to be changed.
static_assert(offsetof(carousel_compile_options, more_count) == 56 &&
              offsetof(carousel_message, source) == 40 &&
              offsetof(carousel_launch_shape, dynamic_shared) == 44 &&
              offsetof(carousel_load_options, compile) == 32);

namespace {

constexpr carousel_source kSource = {"k.cu",
                                     "extern \"C\" __global__ void k() {}\n"};

class CAPICompile : public Compile {
protected:
  void SetUp() override {
    Compile::SetUp();
    std::string cache = options.cacheDirectory;
    carousel_context_options given;
    carousel_context_options_init(&given, sizeof(given));
    given.driver = options.libraries.driver.c_str();
    given.nvrtc = options.libraries.nvrtc.c_str();
    given.nvjitlink = options.libraries.nvJitLink.c_str();
    given.cache_directory = cache.c_str();
    ASSERT_EQ(carousel_context_create(&given, &context), CAROUSEL_OK)
        << carousel_last_error();
  }
  void TearDown() override {
    carousel_context_destroy(context);
    Compile::TearDown();
  }
  carousel_context *context = nullptr;
};

TEST_F(CAPICompile, CompileLoadLaunch) {
  fake::nvrtc::setLog("k.cu(1): warning #1-D: careful\n");
  carousel_code *code = nullptr;
  ASSERT_EQ(carousel_compile(context, &kSource, nullptr, &code), CAROUSEL_OK)
      << carousel_last_error();
  const void *data = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(carousel_code_contents(code, &data, &bytes), CAROUSEL_OK);
  EXPECT_EQ(std::string(static_cast<const char *>(data), bytes),
            fromCUDA(kSource.text));
  ASSERT_EQ(carousel_message_count(), 1u);
  carousel_message message = {sizeof(message)};
  ASSERT_EQ(carousel_message_get(0, &message), CAROUSEL_OK);
  EXPECT_EQ(message.severity, CAROUSEL_WARNING);
  EXPECT_EQ(message.line, 1u);
  EXPECT_STREQ(message.file, "k.cu");
  EXPECT_STREQ(message.function, "k");
  EXPECT_STREQ(message.text, "careful [#1-D]");
  EXPECT_STREQ(message.source, "");
  EXPECT_EQ(carousel_message_get(1, &message), CAROUSEL_INVALID_ARGUMENT);

  carousel_module *module = nullptr;
  ASSERT_EQ(carousel_module_load(context, code, &module), CAROUSEL_OK);
  carousel_code_release(code);
  carousel_launch_shape shape = {sizeof(shape), {2, 1, 1}, {32, 1, 1}, {}, 64};
  EXPECT_EQ(carousel_module_launch(module, "k", &shape, nullptr, nullptr),
            CAROUSEL_OK)
      << carousel_last_error();
  fake::Launch launch = fake::getLaunches().back();
  EXPECT_EQ(launch.grid[0], 2u);
  EXPECT_EQ(launch.block[0], 32u);
  EXPECT_EQ(launch.dynamicShared, 64u);
  EXPECT_FALSE(launch.hasCluster);
  carousel_module_release(module);
  EXPECT_EQ(fake::countLoadedModules(), 0u);
}

TEST_F(CAPICompile, Options) {
  const carousel_source headers[] = {{"mine.h", "int mine;"}};
  const char *more[] = {"-DX=1"};
  carousel_compile_options wanted = {
      sizeof(wanted), CAROUSEL_PTX, 1, 1, "sm_80", headers, 1, more, 1};
  carousel_code *code = nullptr;
  ASSERT_EQ(carousel_compile(context, &kSource, &wanted, &code), CAROUSEL_OK)
      << carousel_last_error();
  carousel_code_release(code);
  fake::nvrtc::Compilation given = fake::nvrtc::getCompilations().back();
  EXPECT_EQ(given.options, (std::vector<std::string>{
                               "--gpu-architecture=compute_80", "--std=c++17",
                               "--use_fast_math", "--generate-line-info",
                               "-DX=1", "--no-source-include"}));
  EXPECT_EQ(given.headers[0], "mine.h");
}

TEST_F(CAPICompile, Errors) {
  carousel_code *code = nullptr;
  auto expectError = [&](const carousel_source *source,
                         const carousel_compile_options *wanted,
                         carousel_status status, const char *text) {
    EXPECT_EQ(carousel_compile(context, source, wanted, &code), status);
    EXPECT_STREQ(carousel_last_error(), text);
    EXPECT_EQ(code, nullptr);
  };
  expectError(nullptr, nullptr, CAROUSEL_INVALID_ARGUMENT,
              "source: expected a pointer, got null");
  carousel_source bad = {"k.cu", nullptr};
  expectError(&bad, nullptr, CAROUSEL_INVALID_ARGUMENT,
              "source: expected a name and a text of each, got null in number "
              "0");
  bad.text = "#error wrong\n";
  expectError(&bad, nullptr, CAROUSEL_COMPILE_ERROR,
              "NVRTC failed: k.cu:1: #error wrong");
  ASSERT_EQ(carousel_message_count(), 1u);
  carousel_message message = {sizeof(message)};
  ASSERT_EQ(carousel_message_get(0, &message), CAROUSEL_OK);
  EXPECT_EQ(message.severity, CAROUSEL_ERROR);
  EXPECT_STREQ(message.text, "#error wrong");
  carousel_compile_options wanted = {sizeof(wanted)};
  wanted.kind = 7;
  expectError(&kSource, &wanted, CAROUSEL_INVALID_ARGUMENT,
              "expected a kind of code from 1 to 3, got 7");
  EXPECT_EQ(carousel_message_count(), 0u) << "of the latest call only";
  wanted.kind = 0;
  wanted.more_count = 1;
  expectError(&kSource, &wanted, CAROUSEL_INVALID_ARGUMENT,
              "more: expected options, got null in number 0");
  wanted.more_count = 0;
  wanted.header_count = 1;
  expectError(&kSource, &wanted, CAROUSEL_INVALID_ARGUMENT,
              "headers: expected a pointer, got null");
  wanted.size = 63;
  expectError(&kSource, &wanted, CAROUSEL_INVALID_ARGUMENT,
              "options: expected a size of 64 to 4096 bytes, got 63");
  // Without a context there is no device to compile for.
  EXPECT_EQ(carousel_compile(nullptr, &kSource, nullptr, &code),
            CAROUSEL_INVALID_ARGUMENT);
  EXPECT_STREQ(carousel_last_error(),
               "expected a chip to compile for, as 'sm_90a', got ''");
}

TEST_F(CAPICompile, LoadOptions) {
  std::string manifest = setMember(
      makeCopyManifest(), "/modules/1/externs",
      R"([{"name": "activation", "result": "f32", "parameters": ["f32"]}])");
  std::string path = directory / "package";
  auto files = makeFiles(manifest);
  for (auto &[name, contents] : files)
    contents = ".version 8.0";
  writePackage(path, manifest, files);
  carousel_package *package = nullptr;
  ASSERT_EQ(carousel_package_open(path.c_str(), &package), CAROUSEL_OK);

  carousel_kernel *kernel = nullptr;
  carousel_source source = {"relu.cu", "float activation(float) {}"};
  carousel_compile_options compile = {sizeof(compile)};
  compile.fast_math = 1;
  carousel_load_options load = {sizeof(load), CAROUSEL_VIA_CUDA, &source, 1,
                                &compile};
  ASSERT_EQ(carousel_kernel_get_with(context, package, "scale", &load, &kernel),
            CAROUSEL_OK)
      << carousel_last_error();
  EXPECT_EQ(carousel_kernel_load_all(kernel), CAROUSEL_OK)
      << carousel_last_error();
  auto compilations = fake::nvrtc::getCompilations();
  ASSERT_EQ(compilations.size(), 2u);
  EXPECT_EQ(compilations[0].name, "relu.cu");
  EXPECT_EQ(compilations[0].options[2], "--use_fast_math");
  EXPECT_EQ(compilations[1].name, "simple.sm_80.cu");
  carousel_kernel_release(kernel);

  kernel = nullptr;
  auto expectError = [&](const char *text) {
    EXPECT_EQ(
        carousel_kernel_get_with(context, package, "scale", &load, &kernel),
        CAROUSEL_INVALID_ARGUMENT);
    EXPECT_STREQ(carousel_last_error(), text);
    EXPECT_EQ(kernel, nullptr);
  };
  load.via = 3;
  expectError("via: expected 0 to 2, got 3");
  load.via = CAROUSEL_VIA_ANY;
  compile.kind = CAROUSEL_PTX;
  expectError("compile: expected no kind and no chip, which follow from the "
              "package and the device, got one");
  compile.kind = 0;
  load.sources = nullptr;
  expectError("sources: expected a pointer, got null");
  EXPECT_EQ(
      carousel_kernel_get_with(context, package, "scale", nullptr, &kernel),
      CAROUSEL_INVALID_ARGUMENT);
  carousel_package_close(package);
}

} // namespace
