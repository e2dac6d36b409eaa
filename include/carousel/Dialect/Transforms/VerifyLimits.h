//===- VerifyLimits.h - numbers that arithmetic can hold --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules come from anywhere. Passes, planners and MLIR's folders multiply
// extents, strides and paddings, so they need numbers that leave room for that.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_VERIFYLIMITS_H
#define CAROUSEL_DIALECT_TRANSFORMS_VERIFYLIMITS_H

#include "mlir/Support/LLVM.h"

namespace carousel {

/// No memory of a GPU is as large: addresses have 57 bits at most. Sums and
/// small multiples of such numbers fit into 64 bits.
inline constexpr int64_t kMaxExtentBytes = int64_t(1) << 48;

/// Reports the first op that is beyond the limits (C270 to C275). To be called
/// before any pass, also for modules that MLIR's verifier accepts.
mlir::LogicalResult verifyLimits(mlir::Operation *root);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_VERIFYLIMITS_H
