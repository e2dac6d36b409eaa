//===- OtherDialects.h - checks of ops of other dialects --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks ops of other dialects, in the tile phase and in the machine phase, so
// that an error is at the op that the user wrote: constraints C193 to C197 and
// C203 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_TILE_OTHERDIALECTS_H
#define CAROUSEL_PASSES_TILE_OTHERDIALECTS_H

#include "mlir/IR/Operation.h"

namespace carousel {

mlir::LogicalResult verifyOtherDialects(mlir::Operation *op);

} // namespace carousel

#endif // CAROUSEL_PASSES_TILE_OTHERDIALECTS_H
