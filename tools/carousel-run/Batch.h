//===- Batch.h - runs many command lines in one process ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_RUN_BATCH_H
#define CAROUSEL_TOOLS_RUN_BATCH_H

#include "RunOptions.h"

#include <string>

namespace carousel::run {

/// Runs the command lines of a file, one a line, words apart by spaces, while
/// one context is kept: starting the driver takes longer than most kernels.
/// Behind what a line prints comes `batch LINE: STATUS`. Returns the highest
/// status. A kernel that traps ends the lines behind it, too.
Exit runBatch(const std::string &file);

} // namespace carousel::run

#endif // CAROUSEL_TOOLS_RUN_BATCH_H
