//===- KernelParts.h - compile kernels in parallel --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a pipeline on parts of a gpu.module in parallel, on the context's
// threads. Each part has some of the kernels (SplitKernels.h). What parts say
// is shown once and in order. If a part fails, the pipeline runs again on the
// whole module, whose first error doesn't depend on the threads.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_KERNELPARTS_H
#define CAROUSEL_COMPILER_PACKAGE_KERNELPARTS_H

#include "PassManagers.h"

#include "carousel/Package/CompilePackage.h"
#include "carousel/Target/EmitPTX.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace carousel {

/// A file as it is now: one that is changed or replaced has another text.
std::string describeFile(const llvm::Twine &path);

/// A hash of the texts, and of this compiler and its LLVM.
std::string makeCodeKey(llvm::ArrayRef<llvm::StringRef> texts);

/// Keeps code for later compilations. A failure is a remark.
void keepCode(const CodeStore &store, llvm::StringRef key, llvm::StringRef code,
              mlir::Location loc);

/// Lowers the one gpu.module of `holder`.
mlir::LogicalResult lowerKernels(mlir::ModuleOp holder, PassManagers &managers,
                                 const NamedPipeline &pipeline);

/// Lowers the one gpu.module of `holder` to the target phase, and returns its
/// PTX. Parts without diagnostics are kept in the store. The module itself is
/// left at an unspecified stage.
mlir::FailureOr<std::string> emitKernels(mlir::ModuleOp holder,
                                         PassManagers &managers,
                                         const NamedPipeline &pipeline,
                                         const EmitPTXOptions &options,
                                         const CodeStore &store);

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_KERNELPARTS_H
