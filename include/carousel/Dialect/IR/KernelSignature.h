//===- KernelSignature.h - arguments and parameters of kernels --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that says which parameters the arguments of a kernel become
// (docs/KernelABI.md): the lowering builds them, a package lists them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_KERNELSIGNATURE_H
#define CAROUSEL_DIALECT_IR_KERNELSIGNATURE_H

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace mlir::gpu {
class GPUFuncOp;
} // namespace mlir::gpu

namespace carousel {

/// One parameter of an emitted kernel.
struct KernelParameter {
  enum class Kind { Pointer, Extent, Stride, Scalar, TensorMap };
  Kind kind;
  unsigned position; ///< of the argument of the gpu.func that it comes from
  unsigned dim;      ///< of an extent or stride
};

/// The parameters of `kernel` in the order of the ABI. Emits an error at the
/// kernel and fails where an argument has no place in the ABI or all of them
/// take too many bytes (C98).
mlir::FailureOr<llvm::SmallVector<KernelParameter>>
getKernelParameters(mlir::gpu::GPUFuncOp kernel);

/// The dynamic extents (strides) of a memref argument that are passed,
/// outermost first.
llvm::SmallVector<unsigned> getPassedExtents(mlir::MemRefType type);
llvm::SmallVector<unsigned> getPassedStrides(mlir::MemRefType type);

/// An argument that isn't a tensor map: what callers pass and, behind all of
/// that, the workspaces.
struct KernelArgument {
  unsigned position; ///< in the gpu.func
  mlir::Type type;
  std::string name;        ///< "arg0", "arg1"... unless the kernel says it
  ArgumentAccess access;   ///< `in` for what isn't a memref
  WorkspaceAttr workspace; ///< null for what callers pass
};
llvm::SmallVector<KernelArgument>
getKernelArguments(mlir::gpu::GPUFuncOp kernel);

/// The kernel that callers name: that of carousel.variant, or the function.
llvm::StringRef getKernelName(mlir::gpu::GPUFuncOp kernel);

/// C121: functions that serve one kernel have the same arguments. `kernels` may
/// be of several modules; the error stands at the later function, a note at
/// the one that it differs from.
mlir::LogicalResult
verifyVariants(llvm::ArrayRef<mlir::gpu::GPUFuncOp> kernels);

/// Positions in the gpu.func of the arguments that aren't tensor maps. Launch
/// expressions and guards count these.
llvm::SmallVector<unsigned> getArgumentPositions(mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_KERNELSIGNATURE_H
