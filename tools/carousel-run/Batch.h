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

/// Runs the command lines of a file, one a line, with words separated by
/// spaces. Keeps one context, because starting the driver takes longer than
/// most kernels. Prints `batch LINE: STATUS` after each. Returns the highest
/// status. After a kernel that traps, all later lines fail.
Exit runBatch(const std::string &file);

} // namespace carousel::run

#endif // CAROUSEL_TOOLS_RUN_BATCH_H
