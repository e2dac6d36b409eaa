//===- VerifyPTX.h - whether PTX does what its kernels do -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares a PTX text with the kernels that it was made of. The simulated
// machine runs the machine phase, so what a back end makes of it is checked
// here. Removing dead code is no error; what can't be legal is.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_VERIFYPTX_H
#define CAROUSEL_TARGET_VERIFYPTX_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace carousel {

/// A kind of writes that a kernel has and its PTX doesn't.
struct MissingWrite {
  mlir::FunctionOpInterface kernel;
  mlir::StringRef kind; ///< in words
  /// Whether some write of the kind may be executed, as far as is known.
  bool canHappen;
};

/// Compares the kernels of the machine phase, or of the target phase, which
/// `isInText` holds for. Finds at most one for each kernel.
mlir::SmallVector<MissingWrite>
findMissingWrites(mlir::gpu::GPUModuleOp module, llvm::StringRef ptx,
                  llvm::function_ref<bool(mlir::FunctionOpInterface)> isInText);

/// Emits an error with the note for each write that can happen, and a warning
/// for each that can't. Succeeds if there was no error.
mlir::LogicalResult reportMissingWrites(llvm::ArrayRef<MissingWrite> missing,
                                        llvm::StringRef note);

/// Whether all calls of the text are direct and none is recursive. Emits an
/// error at the kernel that calls, or at the module.
mlir::LogicalResult verifyPTXCalls(mlir::gpu::GPUModuleOp module,
                                   llvm::StringRef ptx);

} // namespace carousel

#endif // CAROUSEL_TARGET_VERIFYPTX_H
