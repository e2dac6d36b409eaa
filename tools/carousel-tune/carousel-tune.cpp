//===- carousel-tune.cpp - measures variants and stores their times -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times the variants of a kernel that have a cost, on a device and with
// arguments as carousel-run takes them, and stores the times in the package's
// manifest.
//
//===----------------------------------------------------------------------===//

#include "../support/Process/FileSizeLimit.h"
#include "../support/Process/OutOfMemory.h"
#include "Tune.h"
#include "TuneCommandLine.h"

int main(int argc, char **argv) {
  using namespace carousel::tune;
  carousel::blockFileSizeSignal();
  carousel::installOutOfMemoryHandler();
  auto parsed = parseCommandLine(argc, argv);
  if (auto *end = std::get_if<Exit>(&parsed))
    return static_cast<int>(*end);
  return static_cast<int>(tune(std::get<Options>(parsed)));
}
