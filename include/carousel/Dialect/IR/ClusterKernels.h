//===- ClusterKernels.h - kernels whose CTAs form clusters ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines a kernel of the block phase in a launch with a cluster: either the
// cluster executes one program, or each of its CTAs executes its own.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CLUSTERKERNELS_H
#define CAROUSEL_DIALECT_IR_CLUSTERKERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// Whether the kernel has ops about the CTAs of its cluster: their ranks, their
/// barrier, what one gathers or reads of its peers. At the block phase each CTA
/// then executes the program for itself: vectors are those of one CTA, and
/// block ids count CTAs.
bool isProgramOfCTA(mlir::gpu::GPUFuncOp kernel);

/// The CTAs of a cluster, 1 without one.
int64_t countClusterCTAs(mlir::gpu::GPUFuncOp kernel);

/// On a kernel of the block phase, an i64: the CTAs of a cluster may divide the
/// iterations of the products' loop into up to so many parts
/// (docs/BlockPhase.md, Parts of k).
inline constexpr llvm::StringLiteral kPartsAttr{"carousel.parts"};

/// The most parts, 1 without the attribute.
int64_t getMostParts(mlir::gpu::GPUFuncOp kernel);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_CLUSTERKERNELS_H
