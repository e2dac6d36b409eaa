//===- OtherDialects.h - ops of others that kernels may hold ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tile phase and the machine phase both ask of ops of other dialects,
// so that an error is at the op that was written: constraints C193 to C197 and
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
