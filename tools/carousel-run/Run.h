//===- Run.h - the steps of carousel-run ------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_RUN_RUN_H
#define CAROUSEL_TOOLS_RUN_RUN_H

#include "RunOptions.h"

namespace carousel::run {

/// Lists, explains or runs, as the options say. Results go to stdout, errors
/// and progress to stderr.
Exit run(const Options &options);

} // namespace carousel::run

#endif // CAROUSEL_TOOLS_RUN_RUN_H
