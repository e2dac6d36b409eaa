//===- SourceNesting.h - refuses files that nest too deeply -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser, verifier and most passes recurse into nested structures. Tools
// refuse a file that would overflow the stack, before they parse it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_MLIR_SOURCENESTING_H
#define CAROUSEL_TOOLS_SUPPORT_MLIR_SOURCENESTING_H

#include <optional>
#include <string>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace carousel {

/// The deepest that brackets of any kind may be nested, operators and aliases
/// included; Clang has the same limit.
inline constexpr unsigned kMaxNesting = 256;

/// A bracket that is nested too deeply; line and column count from 1.
struct DeepBracket {
  unsigned line, column;
};

/// The first bracket of the main buffer that is nested deeper than
/// `kMaxNesting`. Bytecode isn't looked into.
std::optional<DeepBracket> findDeepBracket(const llvm::SourceMgr &sources);

/// Describes the fault in one line.
std::string describeDeepBracket();

/// Whether there is none. Prints an error at the bracket if there is one.
bool checkNesting(const llvm::SourceMgr &sources);

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_MLIR_SOURCENESTING_H
