//===- CompileSourceTest.cpp - packages through the C interface -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

class CompileSourceTest : public CompilerTest {
protected:
  CompileSourceTest() {
    carousel_compile_source_options_init(&options, sizeof(options));
    options.chips = chips;
    options.chip_count = 1;
  }

  Result compile(const std::string &text) {
    carousel_compiler_source source = makeSource(text);
    carousel_compiler_result *result = nullptr;
    EXPECT_EQ(carousel_compile_source(compiler, &source, &options, &result),
              CAROUSEL_COMPILER_OK)
        << carousel_compiler_last_error();
    return Result(result);
  }

  /// Makes a wrong call, and returns its status.
  carousel_compiler_status refuse() {
    carousel_compiler_source source = makeSource(kDouble);
    carousel_compiler_result *result = nullptr;
    carousel_compiler_status status =
        carousel_compile_source(compiler, &source, &options, &result);
    EXPECT_EQ(result, nullptr);
    return status;
  }

  const char *chips[2] = {"sm_90a", "sm_80"};
  carousel_compile_source_options options;
};

TEST_F(CompileSourceTest, MakesAPackageInMemory) {
  Result result = compile(kDouble);
  ASSERT_TRUE(carousel_compiler_result_succeeded(result.get()))
      << listDiagnostics(result).front();
  std::set<std::string> names;
  size_t count = carousel_compiler_result_file_count(result.get());
  for (size_t i = 0; i < count; ++i) {
    const char *name = nullptr, *data = nullptr;
    size_t bytes = 0;
    ASSERT_EQ(
        carousel_compiler_result_file(result.get(), i, &name, &data, &bytes),
        CAROUSEL_COMPILER_OK);
    EXPECT_EQ(data[bytes], '\0');
    names.insert(name);
    if (std::string(name) == "m.sm_90a.ptx")
      EXPECT_NE(std::string(data, bytes).find(".entry"), std::string::npos);
  }
  EXPECT_TRUE(names.count("manifest.json"));
  EXPECT_TRUE(names.count("m.sm_90a.ptx"));
  EXPECT_EQ(getText(result, CAROUSEL_COMPILER_DECISIONS_JSON).front(), '{');
  EXPECT_NE(getText(result, CAROUSEL_COMPILER_SUMMARY).find("twice"),
            std::string::npos);
}

TEST_F(CompileSourceTest, WritesItWithTheFilesInMemory) {
  Result result = compile(kDouble);
  auto directory = std::filesystem::path(::testing::TempDir()) /
                   ("carousel-" + std::to_string(::getpid()) + ".pkg");
  ASSERT_EQ(
      carousel_compiler_result_write(result.get(), directory.string().c_str()),
      CAROUSEL_COMPILER_OK)
      << carousel_compiler_last_error();
  size_t count = carousel_compiler_result_file_count(result.get());
  for (size_t i = 0; i < count; ++i) {
    const char *name = nullptr, *data = nullptr;
    size_t bytes = 0;
    carousel_compiler_result_file(result.get(), i, &name, &data, &bytes);
    std::ifstream file(directory / name, std::ios::binary);
    std::string contents{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(contents, std::string(data, bytes)) << name;
  }
  std::filesystem::remove_all(directory);
  EXPECT_EQ(carousel_compiler_result_write(result.get(), "/no/such/folder/p"),
            CAROUSEL_COMPILER_IO_ERROR);
  EXPECT_NE(getLastError().find("/no/such/folder"), std::string::npos);
}

TEST_F(CompileSourceTest, ErrorsHaveTheirPlaceAndLine) {
  Result result = compile("gpu.module @m {\n  gpu.func @k( kernel {}\n}\n");
  EXPECT_FALSE(carousel_compiler_result_succeeded(result.get()));
  std::vector<std::string> found = listDiagnostics(result);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rfind("k.mlir:2:15: error: ", 0), 0u) << found[0];
  EXPECT_EQ(found[0].substr(found[0].find(" | ")),
            " |   gpu.func @k( kernel {}");
  EXPECT_EQ(carousel_compiler_result_file_count(result.get()), 0u);
}

TEST_F(CompileSourceTest, NotesFollowTheirErrors) {
  Result result = compile("func.func @f(%x: i32) {\n  %y = arith.addf %x, %x "
                          ": f32\n  return\n}\n");
  std::vector<std::string> found = listDiagnostics(result);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].rfind("k.mlir:2:19: error: ", 0), 0u) << found[0];
  EXPECT_EQ(found[1].rfind("k.mlir:1:14: note: ", 0), 0u) << found[1];
}

TEST_F(CompileSourceTest, WrongChipsAreErrorsOfTheModule) {
  chips[0] = "sm_1";
  Result result = compile(kDouble);
  EXPECT_FALSE(carousel_compiler_result_succeeded(result.get()));
  ASSERT_EQ(listDiagnostics(result).size(), 1u);
  EXPECT_NE(listDiagnostics(result)[0].find("sm_1"), std::string::npos);
  options.chip_count = 0;
  EXPECT_NE(listDiagnostics(compile(kDouble))[0].find("at least one chip"),
            std::string::npos);
}

TEST_F(CompileSourceTest, DeepBracketsAndForeignDialectsAreErrors) {
  Result result = compile("\n" + std::string(300, '('));
  ASSERT_EQ(listDiagnostics(result).size(), 1u);
  EXPECT_EQ(listDiagnostics(result)[0].rfind("k.mlir:2:257: error: ", 0), 0u)
      << listDiagnostics(result)[0];
  result = compile("%0 = stablehlo.add %a, %b : tensor<f32>");
  ASSERT_FALSE(listDiagnostics(result).empty());
  EXPECT_NE(listDiagnostics(result).back().find("carousel-import"),
            std::string::npos);
}

TEST_F(CompileSourceTest, OptionsAreThoseOfTheTool) {
  options.ptx = 0;
  options.cuda = 1;
  options.chip_count = 2;
  Result result = compile(kDouble);
  ASSERT_TRUE(carousel_compiler_result_succeeded(result.get()));
  size_t cuda = 0;
  for (size_t i = 0; i < carousel_compiler_result_file_count(result.get());
       ++i) {
    const char *name = nullptr, *data = nullptr;
    size_t bytes = 0;
    carousel_compiler_result_file(result.get(), i, &name, &data, &bytes);
    std::string text = name;
    cuda += text.size() > 3 && text.substr(text.size() - 3) == ".cu";
    EXPECT_EQ(text.find(".ptx"), std::string::npos);
  }
  EXPECT_EQ(cuda, 2u);
}

TEST_F(CompileSourceTest, ProgressIsReported) {
  options.chip_count = 2;
  std::vector<std::string> steps;
  options.progress_data = &steps;
  options.progress = [](void *data, size_t number, size_t count,
                        const char *module, const char *chip) {
    static_cast<std::vector<std::string> *>(data)->push_back(
        std::to_string(number) + "/" + std::to_string(count) + " " + module +
        " " + chip);
  };
  compile(kDouble);
  EXPECT_EQ(steps, std::vector<std::string>({"1/2 m sm_90a", "2/2 m sm_80"}));
}

TEST_F(CompileSourceTest, TheCallerMayStop) {
  int left = 0; // answers before it stops
  options.cancel_data = &left;
  options.is_cancelled = [](void *data) -> int32_t {
    return --*static_cast<int *>(data) < 0;
  };
  EXPECT_EQ(refuse(), CAROUSEL_COMPILER_STOPPED);
  EXPECT_EQ(getLastError(), "stopped by is_cancelled");
  EXPECT_EQ(left, -1);
  options.is_cancelled = nullptr;
  compile(kDouble);
}

TEST_F(CompileSourceTest, TheCallerMayStopWithinAPipeline) {
  // The caller's thread is asked again and again while another one works.
  std::set<std::thread::id> threads;
  options.cancel_data = &threads;
  options.is_cancelled = [](void *data) -> int32_t {
    static_cast<std::set<std::thread::id> *>(data)->insert(
        std::this_thread::get_id());
    return 0;
  };
  compile(kDouble);
  EXPECT_EQ(threads, std::set<std::thread::id>({std::this_thread::get_id()}));
  int left = 1;
  options.cancel_data = &left;
  options.is_cancelled = [](void *data) -> int32_t {
    return --*static_cast<int *>(data) < 0;
  };
  // Before the work, and after the callback, which ends the wait.
  options.progress = [](void *, size_t, size_t, const char *, const char *) {};
  EXPECT_EQ(refuse(), CAROUSEL_COMPILER_STOPPED);
  EXPECT_EQ(left, -1);
}

TEST_F(CompileSourceTest, LocationsArePrintedOnRequest) {
  carousel_compiler_source source = makeSource(kDouble);
  for (int32_t locations : {0, 1}) {
    carousel_transform_source_options transform;
    carousel_transform_source_options_init(&transform, sizeof(transform));
    transform.locations = locations;
    carousel_compiler_result *made = nullptr;
    ASSERT_EQ(carousel_transform_source(compiler, &source, &transform, &made),
              CAROUSEL_COMPILER_OK);
    Result result(made);
    EXPECT_EQ(getText(result, CAROUSEL_COMPILER_MODULE).find("loc(") !=
                  std::string::npos,
              locations != 0);
  }
}

TEST_F(CompileSourceTest, PassesMayStop) {
  carousel_transform_source_options transform;
  carousel_transform_source_options_init(&transform, sizeof(transform));
  transform.pipeline = "builtin.module(canonicalize)";
  carousel_compiler_source source = makeSource(kDouble);
  carousel_compiler_result *result = nullptr;
  EXPECT_EQ(carousel_transform_source(compiler, &source, &transform, &result),
            CAROUSEL_COMPILER_OK);
  EXPECT_TRUE(carousel_compiler_result_succeeded(result));
  carousel_compiler_result_free(result);
  result = nullptr;
  transform.is_cancelled = [](void *) -> int32_t { return 1; };
  EXPECT_EQ(carousel_transform_source(compiler, &source, &transform, &result),
            CAROUSEL_COMPILER_STOPPED);
  EXPECT_EQ(result, nullptr);
  transform.size = 8;
  EXPECT_EQ(carousel_transform_source(compiler, &source, &transform, &result),
            CAROUSEL_COMPILER_INVALID_ARGUMENT);
  EXPECT_EQ(carousel_transform_source(compiler, &source, nullptr, &result),
            CAROUSEL_COMPILER_INVALID_ARGUMENT);
}

/// Each function calls the one before it twice, so that inlining all of them
/// has no end.
TEST_F(CompileSourceTest, PassesWithoutEndAreLeft) {
  std::string text = "func.func private @f0(%x: i32) -> i32 {\n"
                     "  %y = arith.addi %x, %x : i32\n  return %y : i32\n}\n";
  for (int number = 1; number < 60; ++number) {
    std::string callee = "@f" + std::to_string(number - 1);
    text += "func.func private @f" + std::to_string(number) +
            "(%x: i32) -> i32 {\n  %y = call " + callee +
            "(%x) : (i32) -> i32\n  %z = call " + callee +
            "(%y) : (i32) -> i32\n  return %z : i32\n}\n";
  }
  text += "func.func @main(%x: i32) -> i32 {\n"
          "  %y = call @f59(%x) : (i32) -> i32\n  return %y : i32\n}\n";
  carousel_transform_source_options transform;
  carousel_transform_source_options_init(&transform, sizeof(transform));
  transform.pipeline = "builtin.module(inline)";
  int left = 20; // questions before the answer is yes
  transform.cancel_data = &left;
  transform.is_cancelled = [](void *data) -> int32_t {
    return --*static_cast<int *>(data) < 0;
  };
  carousel_compiler *own = nullptr;
  ASSERT_EQ(carousel_compiler_create(&own), CAROUSEL_COMPILER_OK);
  EXPECT_TRUE(carousel_compiler_is_usable(own));
  carousel_compiler_source source = makeSource(text);
  carousel_compiler_result *result = nullptr;
  EXPECT_EQ(carousel_transform_source(own, &source, &transform, &result),
            CAROUSEL_COMPILER_STOPPED);
  EXPECT_FALSE(carousel_compiler_is_usable(own));
  EXPECT_EQ(carousel_transform_source(own, &source, &transform, &result),
            CAROUSEL_COMPILER_INVALID_ARGUMENT);
  EXPECT_EQ(result, nullptr);
  carousel_compiler_destroy(own);
  EXPECT_TRUE(carousel_compiler_is_usable(compiler));
}

TEST_F(CompileSourceTest, WrongCallsAreRefused) {
  carousel_compiler_result *result = nullptr;
  carousel_compiler_source source = makeSource(kDouble);
  EXPECT_EQ(carousel_compile_source(nullptr, &source, &options, &result),
            CAROUSEL_COMPILER_INVALID_ARGUMENT);
  EXPECT_EQ(getLastError(), "compiler: expected a pointer, got null");
  EXPECT_EQ(carousel_compile_source(compiler, nullptr, &options, &result),
            CAROUSEL_COMPILER_INVALID_ARGUMENT);
  source.data = nullptr;
  EXPECT_EQ(carousel_compile_source(compiler, &source, &options, &result),
            CAROUSEL_COMPILER_INVALID_ARGUMENT);
  EXPECT_EQ(getLastError(), "source: data: expected a pointer, got null");
  options.opt_level = 4;
  EXPECT_EQ(refuse(), CAROUSEL_COMPILER_INVALID_ARGUMENT);
  EXPECT_EQ(getLastError(), "options: opt_level: expected 0 to 3, got 4");
  options.opt_level = 2;
  options.index_bitwidth = 16;
  EXPECT_EQ(refuse(), CAROUSEL_COMPILER_INVALID_ARGUMENT);
  options.index_bitwidth = 64;
  const char *kinds[] = {"everything"};
  options.werror = kinds, options.werror_count = 1;
  EXPECT_EQ(refuse(), CAROUSEL_COMPILER_INVALID_ARGUMENT);
  EXPECT_NE(getLastError().find("got 'everything'"), std::string::npos);
}

TEST_F(CompileSourceTest, StructsMayGrow) {
  options.size = 8;
  EXPECT_EQ(refuse(), CAROUSEL_COMPILER_INVALID_ARGUMENT);
  struct {
    carousel_compile_source_options known;
    int64_t newer;
  } larger = {options, 0};
  larger.known.size = sizeof(larger);
  carousel_compiler_source source = makeSource(kDouble);
  carousel_compiler_result *result = nullptr;
  EXPECT_EQ(carousel_compile_source(compiler, &source, &larger.known, &result),
            CAROUSEL_COMPILER_OK)
      << carousel_compiler_last_error();
  carousel_compiler_result_free(result);
  larger.newer = 1;
  EXPECT_EQ(carousel_compile_source(compiler, &source, &larger.known, &result),
            CAROUSEL_COMPILER_UNSUPPORTED_VERSION);
}

// Passes are kept from one compilation to the next.
TEST_F(CompileSourceTest, SourcesMayHaveOtherDialects) {
  carousel_compiler *fresh = nullptr, *shared = compiler;
  ASSERT_EQ(carousel_compiler_create(&fresh), CAROUSEL_COMPILER_OK);
  compiler = fresh;
  std::vector<std::string> sources = {kDouble};
  for (const char *name : {"/tile/saxpy.mlir", "/tile/gelu.mlir",
                           "/block/softmax.mlir", "/block/matmul.mlir"}) {
    std::ifstream file(std::string(CAROUSEL_EXAMPLES) + name);
    sources.emplace_back(std::istreambuf_iterator<char>(file),
                         std::istreambuf_iterator<char>());
  }
  options.first_variant = 1;
  options.cubins = CAROUSEL_COMPILER_CUBINS_NEVER;
  options.cuda_root = CAROUSEL_TEST_CUDA_ROOT;
  for (const std::string &source : sources) {
    Result result = compile(source);
    EXPECT_TRUE(carousel_compiler_result_succeeded(result.get()))
        << listDiagnostics(result)[0];
    result = compile(kDouble);
    EXPECT_TRUE(carousel_compiler_result_succeeded(result.get()));
  }
  carousel_compiler_destroy(fresh);
  compiler = shared;
}

TEST_F(CompileSourceTest, ThreadsMayShareACompiler) {
  std::vector<std::thread> threads;
  std::vector<int> succeeded(4);
  for (int &each : succeeded)
    threads.emplace_back([this, &each] {
      Result result = compile(kDouble);
      each = carousel_compiler_result_succeeded(result.get());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(succeeded, std::vector<int>({1, 1, 1, 1}));
}

TEST_F(CompileSourceTest, AForkedChildNeedsItsOwn) {
  pid_t child = ::fork();
  if (child == 0) {
    bool refused = refuse() == CAROUSEL_COMPILER_OTHER_PROCESS;
    carousel_compiler_destroy(compiler);
    carousel_compiler *own = nullptr;
    bool made = carousel_compiler_create(&own) == CAROUSEL_COMPILER_OK;
    compiler = own;
    bool compiled = carousel_compiler_result_succeeded(compile(kDouble).get());
    ::_exit(refused && made && compiled ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// The thread that compiles is the parent's alone.
TEST_F(CompileSourceTest, AChildOfACallbackGetsAnError) {
  pid_t child = -1;
  options.progress_data = &child;
  options.progress = [](void *data, uint64_t, uint64_t, const char *,
                        const char *) {
    *static_cast<pid_t *>(data) = ::fork();
  };
  for (bool asks : {false, true}) {
    options.is_cancelled = nullptr;
    if (asks)
      options.is_cancelled = [](void *) -> int32_t { return 0; };
    carousel_compiler_source source = makeSource(kDouble);
    carousel_compiler_result *result = nullptr;
    carousel_compiler_status called =
        carousel_compile_source(compiler, &source, &options, &result);
    if (child == 0)
      ::_exit(called == CAROUSEL_COMPILER_OTHER_PROCESS && !result ? 0 : 1);
    EXPECT_EQ(called, CAROUSEL_COMPILER_OK);
    carousel_compiler_result_free(result);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

TEST_F(CompileSourceTest, PassesRun) {
  carousel_compiler_source source = makeSource(kDouble);
  carousel_compiler_result *made = nullptr;
  ASSERT_EQ(carousel_run_passes(compiler, &source,
                                "builtin.module(carousel-lower{chip=sm_80})",
                                &made),
            CAROUSEL_COMPILER_OK);
  Result result(made);
  ASSERT_EQ(listDiagnostics(result), std::vector<std::string>());
  EXPECT_NE(getText(result, CAROUSEL_COMPILER_MODULE).find("gpu.func @twice"),
            std::string::npos);
  ASSERT_EQ(
      carousel_run_passes(compiler, &source, "builtin.module(no-such)", &made),
      CAROUSEL_COMPILER_OK);
  result.reset(made);
  EXPECT_FALSE(carousel_compiler_result_succeeded(result.get()));
  EXPECT_NE(listDiagnostics(result)[0].find("no-such"), std::string::npos);
}

} // namespace
