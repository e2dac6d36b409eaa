//===- HostCode.h - code that the host can call -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_HOSTCODE_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_HOSTCODE_H

#include "HostLowering.h"

#include <memory>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace carousel::sim {

/// The main work of a module.
enum class HostCodeKind {
  /// Computes in loops over elements, at the block phase and in references:
  /// code that is worth choosing well.
  Loops,
  /// Calls the machine, as threads do. Compiling takes longer than running.
  Threads,
};

/// A module of the LLVM dialect, compiled to machine code. Immutable.
class HostCode {
public:
  using Entry = void (*)(void **);

  /// Loads the dialects that the lowerings create.
  static void loadDialects(mlir::MLIRContext &context);

  static mlir::FailureOr<std::unique_ptr<HostCode>>
  compile(mlir::ModuleOp module, llvm::StringRef entry, HostCodeKind kind);
  ~HostCode();

  /// The entry takes pointers to the arguments, in order.
  Entry getEntry() const { return entry; }

private:
  HostCode();
  std::unique_ptr<mlir::ExecutionEngine> engine;
  Entry entry = nullptr;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_HOSTCODE_H
