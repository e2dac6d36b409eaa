//===- carousel-sim.cpp - runs kernels without a GPU ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a kernel of an MLIR file on the simulated machine, compares its results,
// and reports errors in its synchronisation (docs/Simulator.md).
//
//===----------------------------------------------------------------------===//

#include "../support/MLIR/Diagnostics.h"
#include "../support/Process/FileSizeLimit.h"
#include "SimCommandLine.h"
#include "Simulate.h"

int main(int argc, char **argv) {
  using namespace carousel::simtool;
  carousel::blockFileSizeSignal();
  carousel::installToolOutOfMemoryHandlers();
  auto parsed = parseCommandLine(argc, argv);
  if (auto *end = std::get_if<Exit>(&parsed))
    return static_cast<int>(*end);
  return static_cast<int>(simulate(std::get<std::vector<Options>>(parsed)));
}
