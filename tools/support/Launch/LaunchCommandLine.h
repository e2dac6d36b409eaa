//===- LaunchCommandLine.h - options of launching programs ------*- C++ -*-===//
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

#ifndef CAROUSEL_TOOLS_SUPPORT_LAUNCH_LAUNCHCOMMANDLINE_H
#define CAROUSEL_TOOLS_SUPPORT_LAUNCH_LAUNCHCOMMANDLINE_H

#include "../Process/CommandLineParts.h"
#include "LaunchOptions.h"

namespace carousel::tools {

/// --plain-symmetric.
void addPlainSymmetric(CLI::App &app, LaunchOptions &options);
/// --via, --link, --fast-math and --line-info.
void addLoadOptions(CLI::App &app, LaunchOptions &options);
/// --device and --cache-dir.
void addDeviceOptions(CLI::App &app, LaunchOptions &options);

/// Reads the command line. Nothing: go on. `required` is the error where the
/// positional argument is left out.
std::optional<Exit> parse(CLI::App &app, int argc, char **argv,
                          const char *required);

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_LAUNCH_LAUNCHCOMMANDLINE_H
