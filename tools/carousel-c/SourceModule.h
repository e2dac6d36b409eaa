//===- SourceModule.h - parses a caller's source ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a source in memory, and collects the diagnostics of all that is done
// with the module as values.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_C_SOURCEMODULE_H
#define CAROUSEL_TOOLS_C_SOURCEMODULE_H

#include "Result.h"
#include "Watch.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace carousel::capi {

/// Checks a source and its pointers.
carousel_compiler_status checkSource(const carousel_compiler_source *source);

/// A module, for as long as diagnostics go to `result`.
class SourceModule {
public:
  /// Which names of values stay known.
  enum class Names { None, Values, Memrefs };

  SourceModule(const carousel_compiler_source &source,
               mlir::MLIRContext &context, carousel_compiler_result &result);

  /// False after errors.
  bool parse(Names names);
  /// Runs a pipeline as text; empty: none. False after errors. The watch may
  /// end it: then it has stopped.
  bool runPasses(llvm::StringRef pipeline, Watch &watch);
  mlir::ModuleOp getModule() const { return *module; }

  /// Adds an error that is at no place.
  void addError(const llvm::Twine &message);
  /// Says that all was done. Errors among the diagnostics count more.
  void finish(bool succeeded);

private:
  void collect(mlir::Diagnostic &diagnostic);
  void add(mlir::Location loc, carousel_compiler_severity severity,
           llvm::StringRef message);

  mlir::MLIRContext &context;
  carousel_compiler_result &result;
  llvm::SourceMgr sources;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace carousel::capi

#endif // CAROUSEL_TOOLS_C_SOURCEMODULE_H
