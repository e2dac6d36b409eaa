//===- SharedOptions.h - options of programs that launch kernels *- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options that carousel-run and carousel-tune have in common. CLI11 throws,
// so files that include this are built with exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_RUN_SHAREDOPTIONS_H
#define CAROUSEL_TOOLS_RUN_SHAREDOPTIONS_H

#include "../support/Process/CommandLineParts.h"
#include "RunOptions.h"

namespace carousel::run {

/// --plain-symmetric.
void addPlainSymmetric(CLI::App &app, Options &options);
/// --via, --link, --fast-math and --line-info.
void addLoadOptions(CLI::App &app, Options &options);
/// --device and --cache-dir.
void addDeviceOptions(CLI::App &app, Options &options);

/// Reads the command line. Nothing: go on. `required` is the error where the
/// positional argument is left out.
std::optional<Exit> parse(CLI::App &app, int argc, char **argv,
                          const char *required);

} // namespace carousel::run

#endif // CAROUSEL_TOOLS_RUN_SHAREDOPTIONS_H
