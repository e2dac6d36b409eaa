//===- PassManagers.h - a cache of pass managers ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps pass managers for repeated compilation. On its first run, a pass
// manager collects the patterns of all dialects for each canonicalizer, which
// takes 2 to 16 % of a kernel's compilation. Patterns have the names of ops,
// which dangle once a dialect is loaded whose ops had no definition before, so
// that managers from before are made anew. Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_PASSMANAGERS_H
#define CAROUSEL_COMPILER_PACKAGE_PASSMANAGERS_H

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <memory>

namespace carousel {

/// Adds a pipeline to the manager of a builtin module.
using BuildPipeline = llvm::function_ref<void(mlir::OpPassManager &)>;

/// When the IR is verified, apart from passes that close a phase. Invalid IR
/// becomes wrong code.
enum class Verification {
  EachPass, ///< early phases: 3 % of a kernel's compilation
  AtEnd     ///< late phases, where it would take 20 % after each pass
};

/// A pipeline, and a name that is unique in a compilation.
struct NamedPipeline {
  std::string name;
  BuildPipeline build;
  Verification verification = Verification::AtEnd;
};

/// Notes which passes failed with invalid IR.
class PassFaults;

class PassManagers {
public:
  explicit PassManagers(mlir::MLIRContext *context) : context(context) {}

  mlir::MLIRContext *getContext() const { return context; }

  /// Runs the manager of the pipeline on the op. The pipeline builds it on the
  /// first call, and its name must tell apart all that `build` depends on.
  /// Invalid IR is an error that blames the pass, and not the input.
  mlir::LogicalResult run(const NamedPipeline &pipeline, mlir::Operation *op);

  /// Once it returns true, `run` fails without a diagnostic.
  void setIsCancelled(std::function<bool()> function) {
    isCancelled = std::move(function);
  }

private:
  struct Entry {
    std::unique_ptr<mlir::PassManager> manager;
    /// The dialects that the context had loaded when the manager had collected
    /// its patterns.
    size_t loadedDialects = 0;
    PassFaults *faults = nullptr; ///< the manager owns it
  };

  mlir::MLIRContext *context;
  llvm::StringMap<Entry> entries;
  std::function<bool()> isCancelled;
};

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_PASSMANAGERS_H
