//===- EmitPTX.h - PTX from the target phase --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates gpu.modules in the LLVM and NVVM dialects to PTX text through
// LLVM's NVPTX back end.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_EMITPTX_H
#define CAROUSEL_TARGET_EMITPTX_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace carousel {

class MathLibrary;
class TargetMachines;

struct EmitPTXOptions {
  /// Directory that holds nvvm/libdevice/libdevice.10.bc; needed only by
  /// kernels that call math functions.
  std::string cudaRoot;
  /// Where functions of libdevice are kept for the next call; null: nowhere.
  MathLibrary *math = nullptr;
  /// Where LLVM's back ends are kept for the next call, but for those that
  /// have made calls, which they number; null: nowhere.
  TargetMachines *machines = nullptr;
};

/// Registers what emitPTX needs of a context: the translations to LLVM IR and
/// the target attribute's serialisation.
void registerPTXTranslations(mlir::DialectRegistry &registry);

/// The PTX of one gpu.module with one `#nvvm.target`. Emits an error at the
/// module (or at the op that LLVM IR can't hold) and fails otherwise.
mlir::FailureOr<std::string> emitPTX(mlir::gpu::GPUModuleOp module,
                                     const EmitPTXOptions &options = {});

} // namespace carousel

#endif // CAROUSEL_TARGET_EMITPTX_H
