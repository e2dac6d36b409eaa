//===- Diagnostics.h - prints MLIR's errors on a terminal -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diagnostics show names and lines of an untrusted file. Characters that a
// terminal would interpret are escaped.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_MLIR_DIAGNOSTICS_H
#define CAROUSEL_TOOLS_SUPPORT_MLIR_DIAGNOSTICS_H

#include "../Process/OutOfMemory.h"

#include "carousel/Support/Printable.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

namespace carousel {

/// Passes lines on as they are complete, with control characters escaped.
class EscapedStream : public llvm::raw_ostream {
public:
  explicit EscapedStream(llvm::raw_ostream &to)
      : llvm::raw_ostream(/*unbuffered=*/true), to(to) {}
  ~EscapedStream() override { pass(line.size()); }

  // Colours are the stream's own; what a line brings isn't.
  bool has_colors() const override { return to.has_colors(); }
  bool is_displayed() const override { return to.is_displayed(); }
  llvm::raw_ostream &changeColor(enum Colors color, bool bold,
                                 bool background) override {
    pass(line.size());
    to.changeColor(color, bold, background);
    return *this;
  }
  llvm::raw_ostream &resetColor() override {
    pass(line.size());
    to.resetColor();
    return *this;
  }

private:
  void write_impl(const char *text, size_t size) override {
    position += size;
    line.append(text, size);
    pass(line.rfind('\n') + 1); // npos + 1 is 0
  }
  uint64_t current_pos() const override { return position; }
  void pass(size_t size) {
    if (size == 0)
      return;
    to << escapeControls(std::string_view(line).substr(0, size), "\n\t");
    line.erase(0, size);
  }

  llvm::raw_ostream &to;
  std::string line;
  uint64_t position = 0;
};

/// Prints diagnostics to stderr for as long as it lives.
class ToolDiagnostics {
public:
  ToolDiagnostics(llvm::SourceMgr &sources, mlir::MLIRContext *context)
      : stream(llvm::errs()), handler(sources, context, stream) {}

private:
  EscapedStream stream;
  mlir::SourceMgrDiagnosticHandler handler;
};

/// For operator new, and for what LLVM takes from malloc.
inline void installToolOutOfMemoryHandlers() {
  installOutOfMemoryHandler();
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { reportOutOfMemory(); });
}

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_MLIR_DIAGNOSTICS_H
