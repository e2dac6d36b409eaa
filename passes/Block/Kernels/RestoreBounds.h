//===- RestoreBounds.h - bounds of vector transfers -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_KERNELS_RESTOREBOUNDS_H
#define CAROUSEL_PASSES_BLOCK_KERNELS_RESTOREBOUNDS_H

#include "mlir/IR/Operation.h"

namespace carousel {

/// Vector transfers in `root` whose index is a negative constant aren't in
/// bounds, whatever they say: upstream's fold adds `in_bounds` without a look
/// at where a transfer begins (docs/Rationale.md).
void restoreBounds(mlir::Operation *root);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_KERNELS_RESTOREBOUNDS_H
