//===- KernelParts.h - kernels that are compiled at once --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipeline of gpu.modules, run on copies of one that have some of its kernels
// each (SplitKernels.h), on as many threads as the context has. Whatever goes
// wrong or has something to say there is done again with the whole module, so
// that users hear it once and in order.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_KERNELPARTS_H
#define CAROUSEL_COMPILER_PACKAGE_KERNELPARTS_H

#include "PassManagers.h"

#include "carousel/Target/EmitPTX.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace carousel {

/// Lowers the one gpu.module of `holder`.
mlir::LogicalResult lowerKernels(mlir::ModuleOp holder, PassManagers &managers,
                                 const NamedPipeline &pipeline);

/// Lowers the one gpu.module of `holder` to the target phase, and gives its
/// PTX. It is left anywhere between.
mlir::FailureOr<std::string> emitKernels(mlir::ModuleOp holder,
                                         PassManagers &managers,
                                         const NamedPipeline &pipeline,
                                         const EmitPTXOptions &options);

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_KERNELPARTS_H
