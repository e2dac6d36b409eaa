//===- SimulateFixture.h - simulations through the C interface --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_TOOLS_CINTERFACE_SIMULATEFIXTURE_H
#define CAROUSEL_TEST_TOOLS_CINTERFACE_SIMULATEFIXTURE_H

#include "Fixture.h"

#include <numeric>

class SimulateSourceTest : public CompilerTest {
protected:
  SimulateSourceTest() {
    carousel_simulate_source_options_init(&options, sizeof(options));
    std::iota(x.begin(), x.end(), 1.0f);
    add("x", x);
    add("y", y);
    arguments[1].contents = CAROUSEL_HOST_UNWRITTEN;
  }

  void add(const char *name, std::vector<float> &data) {
    carousel_host_argument argument = {};
    argument.name = name;
    argument.element = "f32";
    argument.rank = 1;
    argument.data = data.data();
    argument.extents = &extent;
    arguments.push_back(argument);
  }

  carousel_compiler_status call(const std::string &text, Result &result) {
    carousel_compiler_source source = makeSource(text);
    carousel_compiler_result *made = nullptr;
    carousel_compiler_status status = carousel_simulate_source(
        compiler, &source, &options, arguments.data(), arguments.size(), &made);
    result.reset(made);
    return status;
  }
  Result simulate(const std::string &text) {
    Result result;
    EXPECT_EQ(call(text, result), CAROUSEL_COMPILER_OK)
        << carousel_compiler_last_error();
    return result;
  }
  /// The message of a call that is wrong.
  std::string refuse(const std::string &text = kDouble) {
    Result result;
    EXPECT_NE(call(text, result), CAROUSEL_COMPILER_OK);
    return getLastError();
  }

  carousel_simulated_run getRun(const Result &result) {
    carousel_simulated_run run = {};
    run.size = sizeof(run);
    EXPECT_EQ(carousel_compiler_result_run(result.get(), &run),
              CAROUSEL_COMPILER_OK);
    return run;
  }

  carousel_finding getFinding(const Result &result, size_t number = 0) {
    carousel_finding finding = {};
    finding.size = sizeof(finding);
    EXPECT_EQ(carousel_compiler_result_finding(result.get(), number, &finding),
              CAROUSEL_COMPILER_OK);
    return finding;
  }

  /// The call's n-th question whether to stop is answered by yes.
  void stopAt(uint64_t question) {
    asked = 0, last = question;
    options.cancel_data = this;
    options.is_cancelled = [](void *data) -> int32_t {
      auto *test = static_cast<SimulateSourceTest *>(data);
      return ++test->asked == test->last;
    };
  }

  uint64_t asked = 0, last = 0;
  int64_t extent = 32;
  std::vector<float> x = std::vector<float>(32), y = std::vector<float>(32);
  std::vector<carousel_host_argument> arguments;
  carousel_simulate_source_options options;
};

#endif // CAROUSEL_TEST_TOOLS_CINTERFACE_SIMULATEFIXTURE_H
