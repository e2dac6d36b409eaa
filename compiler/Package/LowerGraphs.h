//===- LowerGraphs.h - graphs of a module to programs -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the package compiler.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_LOWERGRAPHS_H
#define CAROUSEL_COMPILER_PACKAGE_LOWERGRAPHS_H

#include "PassManagers.h"

#include "carousel/Package/CompilePackage.h"

namespace carousel {

/// Lowers the functions on tensors of a module, if it has any, to programs of
/// kernels at the block phase. The buffers of all programs become workspaces.
/// Warns of what will be slow, and returns all that was decided.
mlir::FailureOr<std::vector<GraphDecision>>
lowerGraphs(mlir::ModuleOp module, const CompilePackageOptions &options,
            PassManagers &managers);

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_LOWERGRAPHS_H
