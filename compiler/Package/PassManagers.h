//===- PassManagers.h - a cache of pass managers ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps pass managers for repeated compilation. On its first run, a pass
// manager collects the patterns of all dialects for each canonicalizer, which
// takes 2 to 16 % of a kernel's compilation. Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_PASSMANAGERS_H
#define CAROUSEL_COMPILER_PACKAGE_PASSMANAGERS_H

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace carousel {

/// Adds a pipeline to the manager of a builtin module.
using BuildPipeline = llvm::function_ref<void(mlir::OpPassManager &)>;

class PassManagers {
public:
  explicit PassManagers(mlir::MLIRContext *context) : context(context) {}

  mlir::MLIRContext *getContext() const { return context; }

  /// The manager called `name`, which `build` fills on the first call. The name
  /// must tell apart all that `build` depends on. The manager doesn't verify
  /// after each pass.
  mlir::PassManager &get(llvm::StringRef name, BuildPipeline build) {
    std::unique_ptr<mlir::PassManager> &manager = managers[name];
    if (!manager) {
      manager = std::make_unique<mlir::PassManager>(context);
      build(*manager);
      manager->enableVerifier(false); // phases are verified
    }
    return *manager;
  }

private:
  mlir::MLIRContext *context;
  llvm::StringMap<std::unique_ptr<mlir::PassManager>> managers;
};

/// A pipeline, and a name that is unique in a compilation.
struct NamedPipeline {
  std::string name;
  BuildPipeline build;
};

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_PASSMANAGERS_H
