//===- FrontEndText.h - texts that the parser refuses -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text of a front end's dialect doesn't parse. Its error should say how to
// import it. Of damaged bytecode the parser may say nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_MLIR_FRONTENDTEXT_H
#define CAROUSEL_TOOLS_SUPPORT_MLIR_FRONTENDTEXT_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace carousel {

inline constexpr llvm::StringLiteral kFrontEndError =
    "expected ops of linalg on tensors or kernels, got an exported model: use "
    "carousel-import";

inline constexpr llvm::StringLiteral kBytecodeError =
    "expected a module in bytecode of this version of MLIR, got what can't be "
    "read";

/// Whether a text has ops of the dialects that front ends export.
inline bool isOfFrontEnd(llvm::StringRef text) {
  constexpr llvm::StringLiteral kDialects[] = {"stablehlo.", "vhlo.", "mhlo.",
                                               "chlo.", "onnx."};
  return llvm::any_of(kDialects, [&](llvm::StringRef dialect) {
    for (size_t at = text.find(dialect); at != llvm::StringRef::npos;
         at = text.find(dialect, at + 1))
      if (at == 0 || (!llvm::isAlnum(text[at - 1]) && text[at - 1] != '.'))
        return true;
    return false;
  });
}

/// Explains a text that the parser refuses, or returns nothing.
inline llvm::StringRef explainRefusal(llvm::StringRef text) {
  constexpr llvm::StringLiteral kBytecodeMagic = "ML\xefR";
  if (text.starts_with(kBytecodeMagic))
    return kBytecodeError;
  return isOfFrontEnd(text) ? llvm::StringRef(kFrontEndError) : "";
}

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_MLIR_FRONTENDTEXT_H
