//===- Version.h - what --version prints ------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carousel's version and that of the LLVM that a tool is linked with. A tool
// that wraps one of MLIR's drivers calls `printVersionOf` before the driver
// parses the command line, whose default names LLVM alone.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_MLIR_VERSION_H
#define CAROUSEL_TOOLS_SUPPORT_MLIR_VERSION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace carousel {

/// Makes `--version` print the versions of `tool` and of LLVM.
inline void printVersionOf(llvm::StringRef tool) {
  llvm::cl::SetVersionPrinter([tool](llvm::raw_ostream &os) {
    os << tool << " " CAROUSEL_VERSION "\nLLVM " LLVM_VERSION_STRING "\n";
  });
}

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_MLIR_VERSION_H
