//===- LowerTilePhase.h - lower a module for each chip ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers kernels at the tile phase for each chip. A package takes the results
// as variants of one kernel. Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_LOWERTILEPHASE_H
#define CAROUSEL_COMPILER_PACKAGE_LOWERTILEPHASE_H

#include "PassManagers.h"

#include "carousel/Package/CompilePackage.h"

namespace carousel {

struct TargetInfo;

/// Replaces each gpu.module at the tile phase by one at the machine phase for
/// each chip, called MODULE_CHIP. That chip is its target, and its kernels have
/// guards on the compute capability. The runtime takes the first variant that
/// may run, so chips whose code runs nowhere else come first, then later chips
/// before earlier ones. Other modules are unchanged. Returns the new modules,
/// which are verified.
mlir::FailureOr<llvm::DenseSet<mlir::Operation *>>
lowerTilePhase(mlir::ModuleOp module, llvm::ArrayRef<const TargetInfo *> chips,
               const CompilePackageOptions &options, PassManagers &managers);

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_LOWERTILEPHASE_H
