//===- BoundedWaits.h - loops that wait, with an end ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a wait becomes: a loop around a test. With `debug-waits` a thread that
// waits for longer than the bound writes down where it is and traps; what it
// writes, and where to, is in docs/KernelABI.md.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINETONVVM_BOUNDEDWAITS_H
#define CAROUSEL_PASSES_MACHINETONVVM_BOUNDEDWAITS_H

#include "NVVMLowering.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// How long a wait may take, and what is called after that.
struct WaitBound {
  uint64_t nanoseconds = 0; ///< 0: any time
  mlir::FlatSymbolRefAttr report;
};

/// The nanoseconds that waits of `module` may take, 0 for any time or without a
/// wait. Emits an error where a wait has no number, or the record's name is
/// taken.
mlir::FailureOr<uint64_t> checkWaitBound(mlir::gpu::GPUModuleOp module,
                                         unsigned milliseconds);

/// The same, and declares the record and makes the function that fills it,
/// where there is a wait.
mlir::FailureOr<WaitBound> createWaitBound(mlir::gpu::GPUModuleOp module,
                                           unsigned milliseconds);

/// What a thread writes down.
struct WaitPlace {
  LabelledWaitOpInterface wait;
  /// The indices of what is awaited, and its extents.
  mlir::ValueRange indices;
  mlir::Value awaited; ///< the converted memref
  /// The parity or the turn, an i32; null where the wait has a state.
  mlir::Value phase;
};

using WaitTest =
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location)>;

/// A loop that ends when `mustWait` gives false.
void createWaitLoop(mlir::OpBuilder &builder, mlir::Location loc,
                    const WaitBound &bound, const WaitPlace &place,
                    WaitTest mustWait);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINETONVVM_BOUNDEDWAITS_H
