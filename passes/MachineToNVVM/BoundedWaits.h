//===- BoundedWaits.h - wait loops with a time bound ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the loop that a wait lowers to, around a test. With `debug-waits`, a
// thread that waits for longer than the bound fills a record and traps.
// docs/KernelABI.md describes the record.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINETONVVM_BOUNDEDWAITS_H
#define CAROUSEL_PASSES_MACHINETONVVM_BOUNDEDWAITS_H

#include "NVVMLowering.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// The bound of a wait, and the function that is called after it.
struct WaitBound {
  std::optional<uint64_t> nanoseconds; ///< absent: no bound
  mlir::FlatSymbolRefAttr report;
};

/// The bound of the waits of `module` in nanoseconds; absent if there is no
/// bound or no wait. Emits an error if the bound is 0, a wait has no number, or
/// the record's name is taken.
mlir::FailureOr<std::optional<uint64_t>>
checkWaitBound(mlir::gpu::GPUModuleOp module,
               std::optional<unsigned> milliseconds);

/// The same. If there is a wait, it also declares the record and creates the
/// function that fills it.
mlir::FailureOr<WaitBound>
createWaitBound(mlir::gpu::GPUModuleOp module,
                std::optional<unsigned> milliseconds);

/// The values that a thread writes to the record.
struct WaitPlace {
  LabelledWaitOpInterface wait;
  /// The indices of the barrier or semaphore that the thread waits for.
  mlir::ValueRange indices;
  mlir::Value awaited; ///< the converted memref
  /// The parity or the turn, an i32; null if the wait has a state.
  mlir::Value phase;
};

using WaitTest =
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location)>;

/// Creates a loop that ends when `mustWait` returns false.
void createWaitLoop(mlir::OpBuilder &builder, mlir::Location loc,
                    const WaitBound &bound, const WaitPlace &place,
                    WaitTest mustWait);

/// Waits for signals of other GPUs are bounded as well, unless they have a
/// timeout of their own.
void populateSignalToNVVM(const mlir::LLVMTypeConverter &converter,
                          const TargetSpec &target, const WaitBound &bound,
                          mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINETONVVM_BOUNDEDWAITS_H
