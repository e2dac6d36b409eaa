//===- carousel-run.cpp - runs the kernels of a package -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists the kernels of a package that carousel-compile wrote, runs one on .npy
// files, compares what it computed, times it, and explains which variant runs.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Run.h"

int main(int argc, char **argv) {
  using namespace carousel::run;
  auto parsed = parseCommandLine(argc, argv);
  if (auto *end = std::get_if<Exit>(&parsed))
    return static_cast<int>(*end);
  return static_cast<int>(run(std::get<Options>(parsed)));
}
