//===- RingRoles.h - roles of a kernel's threads ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the ring planner that decides for the whole kernel. Private.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_RINGROLES_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_RINGROLES_H

#include "carousel/Analysis/Rings/RingPlan.h"

namespace carousel {

struct ChipModel;

/// Producers for a loop whose tiles engines read, unless its author asks for
/// what only unified loops have. Returns why it gets none, or an empty string.
std::string chooseMode(mlir::gpu::GPUFuncOp kernel, const ChipModel &target,
                       LoopPlan &plan);

/// Decides whether the loops of `plan` that ask for it can be specialised. If
/// so, adds the roles. Otherwise makes the loops unified, and records the
/// reason.
void planRoles(mlir::gpu::GPUFuncOp kernel, const ChipModel &target,
               RingPlan &plan);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_RINGROLES_H
