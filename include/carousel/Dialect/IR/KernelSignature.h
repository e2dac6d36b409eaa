//===- KernelSignature.h - arguments and parameters of kernels --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the parameters that the arguments of a kernel become
// (docs/KernelABI.md). The lowering builds these parameters, and a package
// lists them.
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

/// The parameters of `kernel` in the order of the ABI. If the ABI doesn't
/// support an argument, or all arguments together take too many bytes, emits an
/// error at the kernel and fails (C98).
mlir::FailureOr<llvm::SmallVector<KernelParameter>>
getKernelParameters(mlir::gpu::GPUFuncOp kernel);

/// The dynamic extents (strides) of a memref argument that are passed as
/// parameters, outermost first.
llvm::SmallVector<unsigned> getPassedExtents(mlir::MemRefType type);
llvm::SmallVector<unsigned> getPassedStrides(mlir::MemRefType type);

/// The GPUs that access a memref argument during a launch.
enum class Sharing {
  None,      ///< the GPU of the launch only
  Symmetric, ///< carousel.symmetric: its own part, which peers access
  Peer,      ///< carousel.peer: a peer's part
  Multicast, ///< carousel.multicast: the parts of all
};

/// An argument that isn't a tensor map. Workspaces come after the arguments
/// that callers pass.
struct KernelArgument {
  unsigned position; ///< in the gpu.func
  mlir::Type type;   ///< as callers see it: of i1 where bytes stand for bits
  std::string name;  ///< "arg0", "arg1"... unless the kernel says it
  ArgumentAccess access;   ///< `in` if it isn't a memref
  WorkspaceAttr workspace; ///< null if callers pass it
  /// The number of the argument that callers may pass the same memref for.
  std::optional<int64_t> mayAlias;
  Sharing sharing = Sharing::None;
};
llvm::SmallVector<KernelArgument>
getKernelArguments(mlir::gpu::GPUFuncOp kernel);

/// The name of the kernel that callers use: that of carousel.variant, or that
/// of the function.
llvm::StringRef getKernelName(mlir::gpu::GPUFuncOp kernel);

/// Makes `kernel` a variant of the kernel `name`, with `guards` after those
/// that it has.
void addGuards(mlir::gpu::GPUFuncOp kernel, llvm::StringRef name,
               llvm::ArrayRef<GuardAttr> guards);

/// Whether an earlier function serves the same kernel under some of its guards.
/// Both have costs. So launches have a variant without this one, only maybe a
/// slower one.
bool isServedEarlier(mlir::gpu::GPUFuncOp kernel);

/// C121: functions that serve one kernel have the same arguments. `kernels` may
/// be from several modules. The error is at the later function, and a note at
/// the function that it differs from.
mlir::LogicalResult
verifyVariants(llvm::ArrayRef<mlir::gpu::GPUFuncOp> kernels);

/// The positions in the gpu.func of the arguments that aren't tensor maps.
/// Launch expressions and guards count these arguments.
llvm::SmallVector<unsigned> getArgumentPositions(mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_KERNELSIGNATURE_H
