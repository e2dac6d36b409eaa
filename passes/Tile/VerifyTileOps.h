//===- VerifyTileOps.h - ops and types that a target takes ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which ops of the dialect the tile phase has, and what it has of others: it
// refuses, at the op, what neither PTX nor CUDA C++ can be made of.
// docs/OpMatrix.md has the ops and the types that are taken.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_TILE_VERIFYTILEOPS_H
#define CAROUSEL_PASSES_TILE_VERIFYTILEOPS_H

#include "mlir/IR/Operation.h"

namespace carousel {

/// Whether `op` is one of the dialect that names no way of copying.
bool belongsToTilePhase(mlir::Operation *op);

/// Emits an error at an op that no target takes, or that computes with values
/// of a type that none has.
mlir::LogicalResult verifyTaken(mlir::Operation *op);

} // namespace carousel

#endif // CAROUSEL_PASSES_TILE_VERIFYTILEOPS_H
