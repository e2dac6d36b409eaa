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

namespace carousel::simtool {

/// Lists or runs, as the options say. Results go to stdout, errors and progress
/// to stderr.
Exit simulate(const Options &options);

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_SIMULATE_H
