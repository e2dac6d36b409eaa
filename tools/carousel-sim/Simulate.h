//===- Simulate.h - the steps of carousel-sim -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the steps of the program in order.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_SIMULATE_H
#define CAROUSEL_TOOLS_SIM_SIMULATE_H

#include "SimOptions.h"

#include "llvm/ADT/ArrayRef.h"

namespace carousel::simtool {

/// Lists or runs, as the options of each run say; all are of one file. Results
/// go to stdout, errors and progress to stderr. Returns the worst of all ends.
Exit simulate(llvm::ArrayRef<Options> runs);

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_SIMULATE_H
