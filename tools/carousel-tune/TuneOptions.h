//===- TuneOptions.h - the command line of carousel-tune --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_TUNE_TUNEOPTIONS_H
#define CAROUSEL_TOOLS_TUNE_TUNEOPTIONS_H

#include "../support/Launch/LaunchOptions.h"

namespace carousel::tune {

using tools::Exit;

struct Options : tools::LaunchOptions {
  Options() { benchmark.seconds = 0.2; } // of each variant
  bool dryRun = false;                   ///< store nothing
  bool jsonProgress = false;
};

} // namespace carousel::tune

#endif // CAROUSEL_TOOLS_TUNE_TUNEOPTIONS_H
