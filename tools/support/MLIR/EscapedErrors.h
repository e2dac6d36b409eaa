//===- EscapedErrors.h - escapes the errors of MLIR's drivers ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In carousel-opt and carousel-translate, MLIR's drivers print diagnostics
// unescaped. If a file may put control characters into them, this filters
// stderr and escapes them, as ToolDiagnostics does for our own drivers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_MLIR_ESCAPEDERRORS_H
#define CAROUSEL_TOOLS_SUPPORT_MLIR_ESCAPEDERRORS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace carousel {

/// While one lives whose main buffer may show control characters, a process of
/// its own passes stderr on with these escaped, without colours. It outlives a
/// tool that ends by a signal, and loses nothing. What is written to output()
/// comes after all messages then.
class EscapedErrors {
public:
  EscapedErrors(const llvm::SourceMgr &sources, llvm::raw_ostream &to);
  ~EscapedErrors();
  EscapedErrors(const EscapedErrors &) = delete;
  EscapedErrors &operator=(const EscapedErrors &) = delete;

  llvm::raw_ostream &output() { return isActive() ? held : to; }

private:
  bool isActive() const { return process > 0; }

  llvm::raw_ostream &to;
  std::string text;
  llvm::raw_string_ostream held{text};
  int process = 0;
  int terminal = -1;
};

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_MLIR_ESCAPEDERRORS_H
