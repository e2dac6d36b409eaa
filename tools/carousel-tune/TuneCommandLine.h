//===- TuneCommandLine.h - reads carousel-tune's command line ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_TUNE_TUNECOMMANDLINE_H
#define CAROUSEL_TOOLS_TUNE_TUNECOMMANDLINE_H

#include "TuneOptions.h"

#include <variant>

namespace carousel::tune {

/// The options, or how the program ends without them: help was asked for, or an
/// error was printed.
std::variant<Options, Exit> parseCommandLine(int argc, char **argv);

} // namespace carousel::tune

#endif // CAROUSEL_TOOLS_TUNE_TUNECOMMANDLINE_H
