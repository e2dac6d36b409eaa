//===- Names.h - valid names and texts for C++ ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a unique and valid identifier for each name of the IR, comments that
// can't continue on the next line, and properly escaped string literals.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_CUDA_NAMES_H
#define CAROUSEL_LIB_TARGET_CUDA_NAMES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace carousel {

/// Whether a kernel can have this name: an identifier that C++, CUDA and the
/// device headers don't use.
bool isFreeIdentifier(llvm::StringRef name);

/// Whether some header may define a macro of this name.
bool looksLikeMacro(llvm::StringRef name);

/// The identifiers of one function.
class NameScope {
public:
  /// Reserves all identifiers in `text`.
  void reserve(llvm::StringRef text);
  /// A unique name like `wanted`.
  std::string unique(llvm::StringRef wanted);

private:
  llvm::StringSet<> taken;
};

/// One line of a comment after `//`: printable ASCII, without backslashes.
std::string escapeComment(llvm::StringRef text);

/// A string literal with its quotes.
std::string quote(llvm::StringRef text);

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_CUDA_NAMES_H
