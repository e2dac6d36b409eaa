//===- LowerTilePhase.h - a module for each chip ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of the tile phase become other kernels on each chip. A package takes
// them as variants of one kernel. Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_LOWERTILEPHASE_H
#define CAROUSEL_COMPILER_PACKAGE_LOWERTILEPHASE_H

#include "PassManagers.h"

#include "carousel/Package/CompilePackage.h"

namespace carousel {

struct TargetInfo;

/// Replaces each gpu.module at the tile phase by one at the machine phase for
/// each of the chips, called MODULE_CHIP, with that chip as its target, and
/// with guards on the capability in its kernels. Chips of which code runs only
/// there come first, then later ones before earlier ones, since the first
/// variant that may run is taken. Other modules stay. Returns those that it
/// made, which are verified.
mlir::FailureOr<llvm::DenseSet<mlir::Operation *>>
lowerTilePhase(mlir::ModuleOp module, llvm::ArrayRef<const TargetInfo *> chips,
               const CompilePackageOptions &options, PassManagers &managers);

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_LOWERTILEPHASE_H
