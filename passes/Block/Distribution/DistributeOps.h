//===- DistributeOps.h - the program of one thread --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_DISTRIBUTEOPS_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_DISTRIBUTEOPS_H

#include "carousel/Analysis/Distribution/LayoutPlan.h"

namespace carousel {

struct DistributedCounts {
  unsigned values = 0;
  unsigned exchanges = 0;
  unsigned conversions = 0;
};

/// Replaces the kernel's body by that of one thread, with the layouts of a plan
/// without faults. Fails after an error in the code of another dialect's op.
mlir::FailureOr<DistributedCounts> distributeOps(mlir::gpu::GPUFuncOp kernel,
                                                 const LayoutPlan &plan);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_DISTRIBUTEOPS_H
