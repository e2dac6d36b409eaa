//===- SimulateSourceTest.cpp - simulations through the C interface -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulateFixture.h"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace {

TEST_F(SimulateSourceTest, ResultsAreInTheArrays) {
  Result result = simulate(kDouble);
  EXPECT_EQ(carousel_compiler_result_finding_count(result.get()), 0u);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(y[i], 2.0f * float(i + 1));
  carousel_simulated_run run = getRun(result);
  EXPECT_EQ(run.status, CAROUSEL_RUN_FINISHED);
  EXPECT_STREQ(run.kernel, "m::twice");
  EXPECT_STREQ(run.policy, "random");
  EXPECT_EQ(run.threads, 32u);
  EXPECT_EQ(run.schedules_run, 1u);
}

TEST_F(SimulateSourceTest, EachScheduleStartsFromTheContents) {
  // In place: y = y + y would double once more with each schedule.
  std::string text = kDouble;
  text.replace(text.find("load %x"), 7, "load %y");
  std::fill(y.begin(), y.end(), 3.0f);
  arguments[1].contents = CAROUSEL_HOST_WRITTEN;
  options.schedules = 5;
  Result result = simulate(text);
  EXPECT_EQ(getRun(result).schedules_run, 5u);
  EXPECT_EQ(getRun(result).seed, 4u);
  EXPECT_EQ(y, std::vector<float>(32, 6.0f));
}

TEST_F(SimulateSourceTest, TheCallerMayStop) {
  uint64_t seen = 0;
  options.schedules = 9;
  options.progress_data = &seen;
  options.progress = [](void *data, uint64_t schedule,
                        uint64_t count) -> int32_t {
    *static_cast<uint64_t *>(data) = count;
    return schedule == 3;
  };
  Result result;
  EXPECT_EQ(call(kDouble, result), CAROUSEL_COMPILER_STOPPED);
  EXPECT_EQ(getLastError(), "stopped before schedule 3 of 9");
  EXPECT_EQ(seen, 9u);
}

/// The results of calls with the compiler within a callback of it.
struct Nested {
  carousel_compiler *compiler;
  std::vector<carousel_compiler_status> statuses = {};
  std::string message = {};

  void call() {
    carousel_compiler_source source = {"k.mlir", kDouble.data(),
                                       kDouble.size()};
    carousel_compiler_result *made = nullptr;
    const char *chip = "sm_90a";
    carousel_compile_source_options compile;
    carousel_compile_source_options_init(&compile, sizeof(compile));
    compile.chips = &chip, compile.chip_count = 1;
    statuses = {
        carousel_simulate_source(compiler, &source, nullptr, nullptr, 0, &made),
        carousel_compile_source(compiler, &source, &compile, &made),
        carousel_run_passes(compiler, &source, "", &made)};
    message = carousel_compiler_last_error();
  }
};

TEST_F(SimulateSourceTest, CallbacksMustNotUseTheCompiler) {
  Nested nested = {compiler};
  options.progress_data = &nested;
  options.progress = [](void *data, uint64_t, uint64_t) -> int32_t {
    static_cast<Nested *>(data)->call();
    return 0;
  };
  simulate(kDouble);
  EXPECT_EQ(nested.statuses, std::vector<carousel_compiler_status>(
                                 3, CAROUSEL_COMPILER_INVALID_ARGUMENT));
  EXPECT_EQ(nested.message,
            "compiler: expected one that isn't in a call of this thread, got "
            "that of the call which runs this callback");
  // After the call it is free, and others never were refused.
  options.progress = nullptr;
  simulate(kDouble);
  carousel_compiler *other = nullptr;
  ASSERT_EQ(carousel_compiler_create(&other), CAROUSEL_COMPILER_OK);
  nested.compiler = other;
  nested.call();
  EXPECT_EQ(nested.statuses.back(), CAROUSEL_COMPILER_OK);
  carousel_compiler_destroy(other);
}

TEST_F(SimulateSourceTest, TheCallerMayStopASchedule) {
  std::string text = kDouble;
  text.insert(text.find("    %i ="), R"mlir(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %many = arith.constant 1000000000 : index
    scf.for %turn = %c0 to %many step %c1 {
      gpu.barrier
    }
)mlir");
  stopAt(3); // after the passes, before the schedule, and within it
  Result result;
  EXPECT_EQ(call(text, result), CAROUSEL_COMPILER_STOPPED);
  EXPECT_EQ(getLastError(), "stopped by is_cancelled");
  EXPECT_EQ(asked, 3u);
  EXPECT_EQ(y, std::vector<float>(32, 0.0f));
}

TEST_F(SimulateSourceTest, TheCallerMayStopBetweenShortSchedules) {
  options.schedules = 9;
  uint64_t begun = 0;
  options.progress_data = &begun;
  options.progress = [](void *data, uint64_t, uint64_t) -> int32_t {
    ++*static_cast<uint64_t *>(data);
    return 0;
  };
  stopAt(5);
  Result result;
  EXPECT_EQ(call(kDouble, result), CAROUSEL_COMPILER_STOPPED);
  EXPECT_EQ(getLastError(), "stopped by is_cancelled");
  EXPECT_EQ(begun, 3u);
  EXPECT_EQ(y, std::vector<float>(32, 0.0f));
  // After the passes. No kernel is looked for.
  stopAt(1);
  options.kernel = "none";
  EXPECT_EQ(call(kDouble, result), CAROUSEL_COMPILER_STOPPED);
}

TEST_F(SimulateSourceTest, ARaceHasBothSides) {
  std::string text = kDouble;
  text.replace(text.find("%d, %y[%i]"), 10, "%d, %y[%c]");
  text.insert(text.find("    %i ="), "    %c = arith.constant 0 : index\n");
  options.schedules = 10;
  Result result = simulate(text);
  ASSERT_EQ(carousel_compiler_result_finding_count(result.get()), 1u);
  // The first schedule with findings is the last one.
  EXPECT_EQ(getRun(result).schedules_run, 1u);
  carousel_finding finding = getFinding(result);
  EXPECT_STREQ(finding.kind, "data-race");
  EXPECT_STREQ(finding.buffer, "y");
  ASSERT_TRUE(finding.has_other);
  EXPECT_NE(finding.actor.thread, finding.other.thread);
  EXPECT_STREQ(finding.actor.location, "k.mlir:11:5");
  EXPECT_EQ(finding.begin_byte, 0u);
  EXPECT_EQ(finding.end_byte, 4u);
  EXPECT_NE(std::string(finding.text).find("finding: [data-race]"),
            std::string::npos);
  EXPECT_EQ(getText(result, CAROUSEL_COMPILER_FINDINGS), finding.text);
}

TEST_F(SimulateSourceTest, UnwrittenArraysAreKnown) {
  arguments[0].contents = CAROUSEL_HOST_UNWRITTEN;
  std::string text = kDouble;
  Result result = simulate(text);
  ASSERT_NE(carousel_compiler_result_finding_count(result.get()), 0u);
}

TEST_F(SimulateSourceTest, OutputsAreUnwrittenAsDeclared) {
  std::string text = kDouble;
  text.replace(text.find("load %x"), 7, "load %y");
  arguments[1].contents = CAROUSEL_HOST_AS_DECLARED;
  Result result = simulate(text);
  ASSERT_NE(carousel_compiler_result_finding_count(result.get()), 0u);
  text.replace(text.find("out>"), 4, "inout>");
  result = simulate(text);
  EXPECT_EQ(carousel_compiler_result_finding_count(result.get()), 0u);
}

TEST_F(SimulateSourceTest, NumbersAreConverted) {
  std::string text = kDouble;
  text.replace(text.find("(%x"), 3, "(%a: bf16, %n: i8, %x");
  text.replace(text.find("%v, %v"), 6, "%v, %s");
  text.insert(text.find("    %d ="),
              "    %e = arith.extf %a : bf16 to f32\n    %f = arith.sitofp %n "
              ": i8 to f32\n    %s = arith.addf %e, %f : f32\n");
  carousel_host_argument a = {}, n = {};
  a.name = "arg0", a.kind = CAROUSEL_HOST_DOUBLE;
  const double half = 0.5;
  std::memcpy(&a.value, &half, sizeof(half));
  n.name = "arg1", n.kind = CAROUSEL_HOST_INTEGER;
  n.value = uint64_t(int64_t(-3));
  arguments.push_back(a);
  arguments.push_back(n);
  simulate(text);
  EXPECT_EQ(y[0], 1.0f - 2.5f);
  arguments[3].value = 300;
  EXPECT_EQ(refuse(text), "arg1: expected a number that i8 can hold, got 300");
  arguments[3].kind = CAROUSEL_HOST_DOUBLE;
  EXPECT_EQ(refuse(text), "arg1: expected an integer for i8, got a double");
  arguments[3].kind = CAROUSEL_HOST_EXACT_INTEGER;
  arguments[3].value = 2;
  arguments[2].kind = CAROUSEL_HOST_EXACT_DOUBLE;
  simulate(text);
  EXPECT_EQ(y[0], 1.0f + 2.5f);
}

TEST_F(SimulateSourceTest, NumbersThatTheTypeRounds) {
  std::string text = kDouble;
  text.replace(text.find("(%x"), 3, "(%a: bf16, %x");
  carousel_host_argument a = {};
  a.name = "arg0";
  arguments.push_back(a);
  auto set = [&](carousel_host_kind kind, double number) {
    arguments[2].kind = kind;
    std::memcpy(&arguments[2].value, &number, sizeof(number));
  };
  set(CAROUSEL_HOST_DOUBLE, 0.1);
  simulate(text);
  set(CAROUSEL_HOST_EXACT_DOUBLE, 0.1);
  EXPECT_EQ(refuse(text),
            "arg0: expected a number that bf16 holds exactly, got 0.1");
  set(CAROUSEL_HOST_DOUBLE, 1e39);
  EXPECT_EQ(refuse(text), "arg0: expected a number that bf16 can hold, got "
                          "1e+39");
  arguments[2].kind = CAROUSEL_HOST_INTEGER;
  arguments[2].value = 257;
  simulate(text);
  arguments[2].kind = CAROUSEL_HOST_EXACT_INTEGER;
  EXPECT_EQ(refuse(text),
            "arg0: expected a number that bf16 holds exactly, got 257");
  arguments[2].kind = 8;
  EXPECT_EQ(refuse(text), "arg0: kind: expected 0 to 7, got 8");
}

TEST_F(SimulateSourceTest, NumbersWithoutASign) {
  std::string text = kDouble;
  text.replace(text.find("(%x"), 3, "(%a: f32, %n: i64, %x");
  text.insert(text.find("    %d ="), "    %f = arith.uitofp %n : i64 to f32\n"
                                     "    %q = arith.divf %f, %a : f32\n");
  text.replace(text.find("%v, %v"), 6, "%v, %q");
  const uint64_t high = uint64_t(1) << 63;
  carousel_host_argument a = {}, n = {};
  a.name = "arg0", a.kind = CAROUSEL_HOST_EXACT_UNSIGNED, a.value = high;
  n.name = "arg1", n.kind = CAROUSEL_HOST_UNSIGNED, n.value = high;
  arguments.push_back(a);
  arguments.push_back(n);
  simulate(text);
  EXPECT_EQ(y[0], 2.0f);
  arguments[2].value = high + 1;
  EXPECT_EQ(refuse(text), "arg0: expected a number that f32 holds exactly, got "
                          "9223372036854775809");
  arguments[2].kind = CAROUSEL_HOST_UNSIGNED;
  simulate(text);
  EXPECT_EQ(y[0], 2.0f);
  text.replace(text.find("%n: i64"), 7, "%n: i32");
  text.replace(text.find("%n : i64"), 8, "%n : i32");
  EXPECT_EQ(refuse(text), "arg1: expected a number that i32 can hold, got "
                          "9223372036854775808");
}

TEST_F(SimulateSourceTest, ArraysMayShareMemory) {
  std::string text = kDouble;
  const std::string name = "\"y\", out>}";
  text.replace(text.find(name), name.size(), "\"y\", out, may_alias = 0>}");
  arguments[1].data = x.data();
  arguments[1].contents = CAROUSEL_HOST_WRITTEN;
  Result result = simulate(text);
  EXPECT_EQ(x[3], 8.0f);
}

TEST_F(SimulateSourceTest, WorkspacesAreZerosInEachSchedule) {
  std::string text = kDouble;
  text.replace(text.find(")\n      kernel"), 1,
               ",\n %w: memref<?xf32, #gl> {carousel.argument = "
               "#carousel.argument<\"w\", inout>, carousel.workspace = "
               "#carousel.workspace<[extent(0, 0)]>})");
  text.insert(text.find("    memref.store"),
              "    %b = memref.load %w[%i] : memref<?xf32, #gl>\n"
              "    %s = arith.addf %b, %d : f32\n"
              "    memref.store %s, %w[%i] : memref<?xf32, #gl>\n");
  text.replace(text.find("%d, %y"), 2, "%s");
  options.schedules = 3;
  simulate(text);
  EXPECT_EQ(y[3], 8.0f);
}

TEST_F(SimulateSourceTest, StridesAndGapsStay) {
  std::string text = kDouble;
  for (size_t at; (at = text.find("memref<?xf32, #gl>")) != std::string::npos;)
    text.replace(at, 18, "memref<?xf32, strided<[?]>, #gl>");
  const int64_t stride = 2;
  std::vector<float> wide(64, 7.0f);
  arguments[1].data = wide.data();
  arguments[1].strides = &stride;
  simulate(text);
  EXPECT_EQ(wide[6], 8.0f);
  EXPECT_EQ(wide[7], 7.0f);
}

TEST_F(SimulateSourceTest, PassesRunFirst) {
  std::ifstream file(CAROUSEL_EXAMPLES "/tile/copy.mlir");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  options.kernel = "copy_1d";
  options.pipeline = "builtin.module(carousel-lower{chip=sm_90a})";
  options.trace = options.record = options.bank_conflicts = 1;
  Result result = simulate(text);
  ASSERT_TRUE(carousel_compiler_result_succeeded(result.get()));
  EXPECT_EQ(y, x);
  carousel_simulated_run run = getRun(result);
  EXPECT_NE(std::string(run.kernel).find("copies::copy_1d_"), std::string::npos)
      << run.kernel;
  EXPECT_GT(run.transfers, 0u);
  EXPECT_NE(getText(result, CAROUSEL_COMPILER_TRACE).find("traceEvents"),
            std::string::npos);
  EXPECT_EQ(getText(result, CAROUSEL_COMPILER_SHARED_ACCESSES).front(), '[');
  std::string record = getText(result, CAROUSEL_COMPILER_RECORD);
  options.replay = record.data(), options.replay_bytes = record.size();
  EXPECT_STREQ(getRun(simulate(text)).policy, "");
}

TEST_F(SimulateSourceTest, ProgramsOfGraphsRun) {
  const std::string text = R"mlir(
    func.func @main(%x: tensor<?xf32> {carousel.argument = #carousel.argument<"x", in>})
        -> (tensor<?xf32> {carousel.argument = #carousel.argument<"y", out>}) {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %empty = tensor.empty(%n) : tensor<?xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
                           iterator_types = ["parallel"]}
          ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
      ^bb0(%v: f32, %o: f32):
        %d = arith.addf %v, %v : f32
        linalg.yield %d : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
  )mlir";
  options.program = "main";
  EXPECT_EQ(refuse(text), "program: expected one of none, as no passes have "
                          "made a program, got 'main'");
  for (const char *pipeline : {"builtin.module(carousel-graph-to-block)",
                               "builtin.module(carousel-graph-to-block,"
                               "carousel-lower{chip=sm_90a})"}) {
    std::fill(y.begin(), y.end(), 0.0f);
    options.pipeline = pipeline;
    Result result = simulate(text);
    ASSERT_TRUE(carousel_compiler_result_succeeded(result.get()))
        << listDiagnostics(result)[0];
    EXPECT_EQ(carousel_compiler_result_finding_count(result.get()), 0u);
    EXPECT_EQ(y[31], 64.0f);
    EXPECT_STREQ(getRun(result).kernel, "main");
  }
  options.program = "other";
  EXPECT_EQ(refuse(text), "program: expected one of main, got 'other'");
  options.kernel = "main";
  EXPECT_EQ(refuse(text), "options: expected a kernel or a program, got both");
}

TEST_F(SimulateSourceTest, WrongArgumentsAreRefused) {
  arguments[1].name = "z";
  EXPECT_EQ(refuse(), "expected arguments of m::twice (x, y), got 'z'");
  arguments[1].name = "x";
  EXPECT_EQ(refuse(), "x: expected it once, got it twice");
  arguments[1].name = "y";
  arguments[1].element = "f16";
  EXPECT_EQ(refuse(), "y: expected elements of f32, got f16");
  arguments[1].element = "f32";
  arguments[1].rank = 2;
  EXPECT_EQ(refuse(), "y: expected rank 1, got 2");
  arguments[1].rank = 1;
  arguments[1].kind = CAROUSEL_HOST_BITS;
  EXPECT_EQ(refuse().rfind("y: expected an array", 0), 0u);
  arguments[1].kind = CAROUSEL_HOST_ARRAY;
  arguments[0].is_read_only = arguments[1].is_read_only = 1;
  EXPECT_EQ(refuse(),
            "y: expected memory that can be written, got read-only memory");
  arguments[1].is_read_only = 0;
  arguments[1].data = nullptr;
  EXPECT_EQ(refuse(), "y: expected memory, got a null pointer");
  // An array that no memory has.
  const int64_t large = int64_t(1) << 44;
  arguments[1].data = y.data();
  arguments[1].extents = &large;
  EXPECT_EQ(refuse().rfind("expected arrays that fit the host's memory", 0),
            0u);
  const int64_t huge = int64_t(1) << 62;
  arguments[1].extents = &huge;
  EXPECT_EQ(refuse().rfind("y: expected extents and strides", 0), 0u);
  arguments.pop_back();
  EXPECT_EQ(refuse(), "expected a value of each argument of m::twice (x, y), "
                      "got none of y");
}

TEST_F(SimulateSourceTest, WrongOptionsAreRefused) {
  options.kernel = "triple";
  EXPECT_EQ(refuse(), "kernel: expected one of m::twice, got 'triple'");
  EXPECT_EQ(refuse("gpu.module @m {}"),
            "expected a module with a kernel, got none");
  options.kernel = nullptr;
  options.chip = "sm_1";
  EXPECT_EQ(refuse(), "expected the name of a chip, got 'sm_1'");
  options.chip = "sm_90a";
  options.schedules = 0;
  EXPECT_EQ(refuse(), "options: schedules: expected 1 to 2^32, got 0");
  options.schedules = 1;
  const char *policies[] = {"chaotic"};
  options.policies = policies, options.policy_count = 1;
  EXPECT_NE(refuse().find("got 'chaotic'"), std::string::npos);
}

TEST_F(SimulateSourceTest, ErrorsOfTheModuleAreDiagnostics) {
  Result result = simulate("gpu.module @m {\n  nonsense\n}");
  EXPECT_FALSE(carousel_compiler_result_succeeded(result.get()));
  EXPECT_EQ(listDiagnostics(result)[0].rfind("k.mlir:2:3: error", 0), 0u);
  carousel_simulated_run run = {};
  run.size = sizeof(run);
  EXPECT_EQ(carousel_compiler_result_run(result.get(), &run),
            CAROUSEL_COMPILER_NOT_FOUND);
}

} // namespace
