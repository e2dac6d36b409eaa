//===- CallAccesses.h - the memory that calls access ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Summarises the reads and writes of a called function in terms of the call's
// operands. A function without a body accesses only the memrefs that it is
// given (docs/Phases.md, Functions).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_CALLACCESSES_H
#define CAROUSEL_ANALYSIS_VALUES_CALLACCESSES_H

#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SmallVector.h"

namespace carousel {

/// A read or a write. `memref` is an operand of the call or memory of a symbol;
/// null for any memory.
struct CallAccess {
  mlir::Value memref;
  bool isWrite = false;

  bool operator==(const CallAccess &other) const {
    return memref == other.memref && isWrite == other.isWrite;
  }
};

/// The accesses of a call to memory of the kernel, each once. A function that
/// orders threads may access any memory.
llvm::SmallVector<CallAccess> getCallAccesses(mlir::CallOpInterface call);

/// Whether `op` reports to the host and accesses no memory of the kernel, even
/// though it declares a write: an assertion or a print.
bool isReport(mlir::Operation *op);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_CALLACCESSES_H
