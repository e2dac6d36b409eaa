//===- carousel-p2p.cpp - times copies between GPUs -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints how long copies between the GPUs of this machine take by each
// transport, and writes the table by which the runtime chooses one.
//
//===----------------------------------------------------------------------===//

#include "../support/Process/FileSizeLimit.h"
#include "../support/Process/OutOfMemory.h"
#include "P2PCommandLine.h"
#include "P2PReport.h"

int main(int argc, char **argv) {
  using namespace carousel::p2p;
  carousel::blockFileSizeSignal();
  carousel::installOutOfMemoryHandler();
  auto parsed = parseCommandLine(argc, argv);
  if (auto *end = std::get_if<Exit>(&parsed))
    return static_cast<int>(*end);
  return static_cast<int>(run(std::get<Options>(parsed)));
}
