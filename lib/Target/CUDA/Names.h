//===- Names.h - names and texts that C++ takes -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the IR calls something, the text has a valid identifier of its own
// for it, comments that end where they end, and strings that are strings.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_CUDA_NAMES_H
#define CAROUSEL_LIB_TARGET_CUDA_NAMES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace carousel {

/// Whether a kernel can be called that: an identifier that neither C++ nor CUDA
/// nor the device headers have for something else.
bool isFreeIdentifier(llvm::StringRef name);

/// Whether it may be the name of a macro of some header.
bool looksLikeMacro(llvm::StringRef name);

/// The identifiers of one function.
class NameScope {
public:
  /// Takes all identifiers in `text` away.
  void reserve(llvm::StringRef text);
  /// A name like `wanted` that nothing else has.
  std::string unique(llvm::StringRef wanted);

private:
  llvm::StringSet<> taken;
};

/// One line of a comment behind `//`: printable ASCII, without backslashes.
std::string escapeComment(llvm::StringRef text);

/// A string literal with its quotes.
std::string quote(llvm::StringRef text);

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_CUDA_NAMES_H
