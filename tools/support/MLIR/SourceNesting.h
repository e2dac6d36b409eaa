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

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace carousel {

/// The deepest that brackets of any kind may be nested, operators and aliases
/// included; Clang has the same limit.
inline constexpr unsigned kMaxNesting = 256;

/// Whether the text of the main buffer nests no deeper than `kMaxNesting`.
/// Prints an error at the bracket if it does. Bytecode isn't looked into.
bool checkNesting(const llvm::SourceMgr &sources);

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_MLIR_SOURCENESTING_H
