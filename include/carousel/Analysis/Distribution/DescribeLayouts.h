//===- DescribeLayouts.h - what of a block program is slow ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that become slower code than their author may expect, as records.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_DESCRIBELAYOUTS_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_DESCRIBELAYOUTS_H

#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "carousel/Dialect/IR/KernelDecisions.h"

namespace carousel {

/// Appends products without matrix instructions though there are some for
/// their factors, and accesses for which no guard of a launch can promise 16
/// bytes at once.
void describeSlowOps(mlir::gpu::GPUFuncOp kernel, const LayoutPlan &plan,
                     KernelDecisions &decisions);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_DESCRIBELAYOUTS_H
