//===- KeptCode.h - code of earlier compilations ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys of code: all that it depends on, with this compiler. Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_KEPTCODE_H
#define CAROUSEL_COMPILER_PACKAGE_KEPTCODE_H

#include "carousel/Package/CompilePackage.h"

namespace carousel {

/// A file as it is now: one that is changed or replaced has another text.
std::string describeFile(const llvm::Twine &path);

/// The op, with all that its code depends on and no locations. Empty for one
/// whose text lacks the elements of constants.
std::string describeOp(mlir::Operation *op);

/// A hash of the texts, and of this compiler and its LLVM.
std::string makeCodeKey(llvm::ArrayRef<llvm::StringRef> texts);

/// Keeps code for later compilations. A failure is a remark.
void keepCode(const CodeStore &store, llvm::StringRef key, llvm::StringRef code,
              mlir::Location loc);

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_KEPTCODE_H
