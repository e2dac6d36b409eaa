//===- Tune.h - the steps of carousel-tune ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_TUNE_TUNE_H
#define CAROUSEL_TOOLS_TUNE_TUNE_H

#include "TuneOptions.h"

namespace carousel::tune {

/// Measures and stores, as the options say. Results go to stdout, errors and
/// progress to stderr.
Exit tune(const Options &options);

} // namespace carousel::tune

#endif // CAROUSEL_TOOLS_TUNE_TUNE_H
