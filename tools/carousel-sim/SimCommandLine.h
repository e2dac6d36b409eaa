//===- SimCommandLine.h - parses the command line ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options and the help text.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_SIMCOMMANDLINE_H
#define CAROUSEL_TOOLS_SIM_SIMCOMMANDLINE_H

#include "SimOptions.h"

#include <variant>
#include <vector>

namespace carousel::simtool {

/// The options of each run of the file, or how the program ends without them:
/// help was asked for, or an error was printed.
std::variant<std::vector<Options>, Exit> parseCommandLine(int argc,
                                                          char **argv);

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_SIMCOMMANDLINE_H
