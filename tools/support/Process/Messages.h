//===- Messages.h - output and errors of tools ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_PROCESS_MESSAGES_H
#define CAROUSEL_TOOLS_SUPPORT_PROCESS_MESSAGES_H

#include <string>

namespace carousel::tools {

/// Writes "carousel-run: error: MESSAGE" to stderr, in one line.
void printError(std::string message);
void printWarning(std::string message);

/// Writes a result to stdout. If that fails, prints an error and returns false.
bool printResult(const std::string &text);

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_PROCESS_MESSAGES_H
