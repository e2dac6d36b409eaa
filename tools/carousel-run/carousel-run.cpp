//===- carousel-run.cpp - runs the kernels of a package -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists the kernels of a package that carousel-compile wrote. Runs one on .npy
// files, compares its results, times it, and explains which variant runs.
//
//===----------------------------------------------------------------------===//

#include "../support/Process/FileSizeLimit.h"
#include "../support/Process/Messages.h"
#include "../support/Process/OutOfMemory.h"
#include "Batch.h"
#include "Run.h"
#include "RunCommandLine.h"

#include <string_view>

int main(int argc, char **argv) {
  using namespace carousel::run;
  carousel::blockFileSizeSignal();
  carousel::installOutOfMemoryHandler();
  // --batch stands by itself: the lines have all other options.
  if (argc > 1 && std::string_view(argv[1]) == "--batch") {
    if (argc == 3)
      return static_cast<int>(runBatch(argv[2]));
    printError("expected --batch with one file and nothing else");
    return static_cast<int>(Exit::Usage);
  }
  auto parsed = parseCommandLine(argc, argv);
  if (auto *end = std::get_if<Exit>(&parsed))
    return static_cast<int>(*end);
  return static_cast<int>(run(std::get<Options>(parsed)));
}
