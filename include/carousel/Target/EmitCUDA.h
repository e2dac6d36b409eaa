//===- EmitCUDA.h - CUDA C++ from the EmitC form ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints gpu.modules that carousel-lower-to-emitc has converted, as CUDA C++
// that a person can read (docs/CUDA.md).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_EMITCUDA_H
#define CAROUSEL_TARGET_EMITCUDA_H

#include "mlir/Support/LLVM.h"

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace carousel {

/// Attributes that say what EmitC has no words for.
struct TextAttrs {
  /// On a call_opaque: it may stand in an expression.
  static constexpr llvm::StringLiteral kPure{"cuda_pure"};
  /// On a call_opaque: a string that is the first argument.
  static constexpr llvm::StringLiteral kString{"cuda_string"};
  /// Said in front of a statement.
  static constexpr llvm::StringLiteral kComment{"cuda_comment"};
  /// On a variable: an array in shared memory; its alignment.
  static constexpr llvm::StringLiteral kShared{"cuda_shared"};
  static constexpr llvm::StringLiteral kAlign{"cuda_align"};
  /// On a loop: bounds are compared as signed; it is not to be unrolled.
  static constexpr llvm::StringLiteral kSigned{"cuda_signed"};
  static constexpr llvm::StringLiteral kRolled{"cuda_rolled"};
  /// What the result is to be called.
  static constexpr llvm::StringLiteral kHint{"cuda_hint"};
  /// On a function: names of its parameters; that it is a kernel.
  static constexpr llvm::StringLiteral kParameters{"cuda_parameters"};
  static constexpr llvm::StringLiteral kKernel{"cuda_kernel"};
  /// The callee of a call_opaque that is a list in braces.
  static constexpr llvm::StringLiteral kList{"{}"};
  /// The literal that is a kernel's dynamic shared memory.
  static constexpr llvm::StringLiteral kDynamicShared{"dynamic_shared_memory"};
};

struct EmitCUDAOptions {
  /// Comments with the locations that statements come from.
  bool locations = true;
  /// `#line` directives with them instead.
  bool lineDirectives = false;
  /// The only kernel to print, with the device functions of the module; empty:
  /// all of them.
  std::string kernel;
};

/// The CUDA C++ of one gpu.module of emitc.funcs. Emits an error where an op
/// has no text, and fails.
mlir::FailureOr<std::string> emitCUDA(mlir::gpu::GPUModuleOp module,
                                      const EmitCUDAOptions &options = {});

} // namespace carousel

#endif // CAROUSEL_TARGET_EMITCUDA_H
