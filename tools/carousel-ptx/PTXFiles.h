//===- PTXFiles.h - files of PTX ----------------------------------*- C++
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What carousel-ptx does with a file, and its messages.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_CAROUSEL_PTX_PTXFILES_H
#define CAROUSEL_TOOLS_CAROUSEL_PTX_PTXFILES_H

#include "llvm/ADT/Twine.h"

namespace carousel::ptx {

enum class Action { Print, List, Check };

/// Prints a message and returns the exit status 1.
int fail(const llvm::Twine &message);

/// Reads `input`, and writes to `output` unless it only checks. Returns false
/// after a message.
bool runFile(llvm::StringRef input, llvm::StringRef output, Action action);

} // namespace carousel::ptx

#endif // CAROUSEL_TOOLS_CAROUSEL_PTX_PTXFILES_H
