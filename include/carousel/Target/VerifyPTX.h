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

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class FunctionOpInterface;
namespace gpu {
class GPUModuleOp;
} // namespace gpu
} // namespace mlir

namespace carousel {

/// Whether the text has each kind of writes that a kernel has. The kernels are
/// those of the machine phase or of the target phase which `isInText` holds
/// for. Emits an error at each other kernel.
mlir::LogicalResult
verifyPTXWrites(mlir::gpu::GPUModuleOp module, llvm::StringRef ptx,
                llvm::function_ref<bool(mlir::FunctionOpInterface)> isInText);

/// Whether all calls of the text are direct and none is recursive. Emits an
/// error at the kernel that calls, or at the module.
mlir::LogicalResult verifyPTXCalls(mlir::gpu::GPUModuleOp module,
                                   llvm::StringRef ptx);

} // namespace carousel

#endif // CAROUSEL_TARGET_VERIFYPTX_H
