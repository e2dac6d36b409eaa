//===- EmitCUDA.h - CUDA C++ from the EmitC form ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints gpu.modules that carousel-lower-to-emitc has converted, as readable
// CUDA C++ (docs/CUDA.md).
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

/// Attributes for properties that EmitC can't express.
struct TextAttrs {
  /// On a call_opaque: the call has no effects, and may be a subexpression.
  static constexpr llvm::StringLiteral kPure{"cuda_pure"};
  /// A comment to print before a statement.
  static constexpr llvm::StringLiteral kComment{"cuda_comment"};
  /// A variable that is an array in shared memory; its alignment.
  static constexpr llvm::StringLiteral kShared{"cuda_shared"};
  static constexpr llvm::StringLiteral kAlign{"cuda_align"};
  /// On a loop: its bounds are compared as signed numbers, and it isn't
  /// unrolled.
  static constexpr llvm::StringLiteral kSigned{"cuda_signed"};
  static constexpr llvm::StringLiteral kRolled{"cuda_rolled"};
  /// The preferred name of the result.
  static constexpr llvm::StringLiteral kHint{"cuda_hint"};
  /// On a function: the names of its parameters, and whether it is a kernel.
  static constexpr llvm::StringLiteral kParameters{"cuda_parameters"};
  static constexpr llvm::StringLiteral kKernel{"cuda_kernel"};
  /// The callee of a call_opaque that prints as a list in braces.
  static constexpr llvm::StringLiteral kList{"{}"};
  /// The literal that stands for a kernel's dynamic shared memory.
  static constexpr llvm::StringLiteral kDynamicShared{"dynamic_shared_memory"};
};

struct EmitCUDAOptions {
  /// Print the locations of statements as comments.
  bool locations = true;
  /// Print `#line` directives instead.
  bool lineDirectives = false;
  /// The only kernel to print, with the device functions of the module. If
  /// empty, all kernels are printed.
  std::string kernel;
};

/// Prints one gpu.module of emitc.funcs as CUDA C++. If an op has no CUDA C++
/// form, emits an error and fails.
mlir::FailureOr<std::string> emitCUDA(mlir::gpu::GPUModuleOp module,
                                      const EmitCUDAOptions &options = {});

} // namespace carousel

#endif // CAROUSEL_TARGET_EMITCUDA_H
