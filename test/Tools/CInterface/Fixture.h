//===- Fixture.h - what tests of the C interface share ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_TOOLS_CINTERFACE_FIXTURE_H
#define CAROUSEL_TEST_TOOLS_CINTERFACE_FIXTURE_H

#include "carousel-c/Compiler.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

struct ResultDeleter {
  void operator()(carousel_compiler_result *result) const {
    carousel_compiler_result_free(result);
  }
};
using Result = std::unique_ptr<carousel_compiler_result, ResultDeleter>;

class CompilerTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(carousel_compiler_create(&compiler), CAROUSEL_COMPILER_OK);
  }
  static void TearDownTestSuite() {
    carousel_compiler_destroy(compiler);
    compiler = nullptr;
  }

  static carousel_compiler_source makeSource(const std::string &text) {
    return {"k.mlir", text.data(), text.size()};
  }

  static carousel_compiler_source makeSource(std::string &&) = delete;

  /// "k.mlir:2:3: message | line of code", one for each diagnostic.
  static std::vector<std::string> listDiagnostics(const Result &result) {
    std::vector<std::string> list;
    size_t count = carousel_compiler_result_diagnostic_count(result.get());
    for (size_t i = 0; i < count; ++i) {
      carousel_compiler_diagnostic diagnostic = {};
      diagnostic.size = sizeof(diagnostic);
      EXPECT_EQ(
          carousel_compiler_result_diagnostic(result.get(), i, &diagnostic),
          CAROUSEL_COMPILER_OK);
      static const char *const kNames[] = {"", "error", "warning", "note",
                                           "remark"};
      list.push_back(std::string(diagnostic.file) + ":" +
                     std::to_string(diagnostic.line) + ":" +
                     std::to_string(diagnostic.column) + ": " +
                     kNames[diagnostic.severity] + ": " + diagnostic.message +
                     " | " + diagnostic.source);
    }
    return list;
  }

  static std::string getText(const Result &result,
                             carousel_compiler_text kind) {
    const char *text = nullptr;
    size_t bytes = 0;
    EXPECT_EQ(carousel_compiler_result_text(result.get(), kind, &text, &bytes),
              CAROUSEL_COMPILER_OK)
        << carousel_compiler_last_error();
    return std::string(text ? text : "", bytes);
  }

  static std::string getLastError() { return carousel_compiler_last_error(); }

  static inline carousel_compiler *compiler = nullptr;
};

/// Each thread of a CTA doubles its element.
inline const std::string kDouble = R"mlir(
#gl = #gpu.address_space<global>
gpu.module @m {
  gpu.func @twice(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<?xf32, #gl>
    %d = arith.addf %v, %v : f32
    memref.store %d, %y[%i] : memref<?xf32, #gl>
    gpu.return
  }
}
)mlir";

#endif // CAROUSEL_TEST_TOOLS_CINTERFACE_FIXTURE_H
