//===- RingRoles.h - whether a kernel's threads take roles ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the planner of rings that looks at the whole kernel. Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_RINGROLES_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_RINGROLES_H

#include "carousel/Analysis/Rings/RingPlan.h"

namespace carousel {

/// Decides whether the specialised loops of `plan` can be that, adds roles if
/// so, and makes them unified, with the reason, if not.
void planRoles(mlir::gpu::GPUFuncOp kernel, RingPlan &plan);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_RINGROLES_H
