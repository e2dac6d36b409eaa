//===- embedder.c - a C program that compiles and simulates ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   embedder saxpy.mlir saxpy.pkg
//
// Compiles the kernel to a package on disk, runs it on the simulated machine,
// and compares each element. docs/CompilerC.md refers to it.
//
//===----------------------------------------------------------------------===//

#include <carousel-c/Compiler.h>
#include <carousel_runtime.h> // no name is in both

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_diagnostics(const carousel_compiler_result *result) {
  for (size_t i = 0; i < carousel_compiler_result_diagnostic_count(result);
       ++i) {
    carousel_compiler_diagnostic diagnostic = {.size = sizeof(diagnostic)};
    carousel_compiler_result_diagnostic(result, i, &diagnostic);
    fprintf(stderr, "%s:%u:%u: %s\n", diagnostic.file, diagnostic.line,
            diagnostic.column, diagnostic.message);
  }
}

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, carousel_compiler_last_error());
  return 1;
}

static int compile(carousel_compiler *compiler,
                   const carousel_compiler_source *source,
                   const char *directory) {
  const char *chips[] = {"sm_90a"};
  carousel_compile_source_options options;
  carousel_compile_source_options_init(&options, sizeof(options));
  options.chips = chips;
  options.chip_count = 1;
  carousel_compiler_result *result = NULL;
  if (carousel_compile_source(compiler, source, &options, &result) !=
      CAROUSEL_COMPILER_OK)
    return fail("compile");
  int failed = 0;
  if (!carousel_compiler_result_succeeded(result)) {
    print_diagnostics(result);
    failed = 1;
  } else if (carousel_compiler_result_write(result, directory) !=
             CAROUSEL_COMPILER_OK) {
    failed = fail("write");
  }
  carousel_compiler_result_free(result);
  return failed;
}

enum { COUNT = 5000 };

static int simulate(carousel_compiler *compiler,
                    const carousel_compiler_source *source) {
  static float x[COUNT], y[COUNT], out[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    x[i] = (float)i;
    y[i] = 1.0f;
  }
  const float a = 2.0f;
  uint32_t bits;
  memcpy(&bits, &a, sizeof(bits));
  const int64_t extents[] = {COUNT};
  const carousel_host_argument arguments[] = {
      {.name = "a",
       .element = "f32",
       .kind = CAROUSEL_HOST_BITS,
       .value = bits},
      {.name = "x", .element = "f32", .rank = 1, .data = x, .extents = extents},
      {.name = "y", .element = "f32", .rank = 1, .data = y, .extents = extents},
      {.name = "out",
       .element = "f32",
       .rank = 1,
       .contents = CAROUSEL_HOST_UNWRITTEN,
       .data = out,
       .extents = extents}};
  carousel_simulate_source_options options;
  carousel_simulate_source_options_init(&options, sizeof(options));
  options.pipeline = "builtin.module(carousel-lower{chip=sm_90a})";
  carousel_compiler_result *result = NULL;
  if (carousel_simulate_source(compiler, source, &options, arguments, 4,
                               &result) != CAROUSEL_COMPILER_OK)
    return fail("simulate");
  print_diagnostics(result);
  size_t findings = carousel_compiler_result_finding_count(result);
  carousel_simulated_run run = {.size = sizeof(run)};
  int failed =
      !carousel_compiler_result_succeeded(result) || findings != 0 ||
      carousel_compiler_result_run(result, &run) != CAROUSEL_COMPILER_OK;
  printf("%llu findings, %llu transfers\n", (unsigned long long)findings,
         (unsigned long long)run.transfers);
  carousel_compiler_result_free(result);
  for (int i = 0; i < COUNT; ++i)
    failed |= out[i] != 2.0f * (float)i + 1.0f;
  if (failed || run.transfers == 0)
    fprintf(stderr, "expected 2 * x + 1 by transfers, and no findings\n");
  return failed || run.transfers == 0;
}

static char *read_file(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  enum { MOST = 1 << 20 };
  char *text = malloc(MOST);
  if (text)
    *bytes = fread(text, 1, MOST, file);
  fclose(file);
  return text;
}

int main(int argc, char **argv) {
  if (argc != 3 || carousel_compiler_version() < CAROUSEL_COMPILER_VERSION)
    return 2;
  size_t bytes = 0;
  char *text = read_file(argv[1], &bytes);
  if (!text)
    return 2;
  carousel_compiler *compiler = NULL;
  if (carousel_compiler_create(&compiler) != CAROUSEL_COMPILER_OK)
    return fail("create");
  const carousel_compiler_source source = {argv[1], text, bytes};
  int failed = compile(compiler, &source, argv[2]);
  failed |= simulate(compiler, &source);
  carousel_compiler_destroy(compiler);
  free(text);
  return failed;
}
