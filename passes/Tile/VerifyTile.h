//===- VerifyTile.h - ops that the tile phase may have ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks which ops of this dialect and of others the tile phase may have. It
// refuses ops and types that neither PTX nor CUDA C++ supports.
// docs/op-matrix.json lists the supported ones.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_TILE_VERIFYTILE_H
#define CAROUSEL_PASSES_TILE_VERIFYTILE_H

#include "carousel/Dialect/IR/CarouselOps.h"

namespace carousel {

/// Whether `op` is an op of this dialect that the tile phase may have.
bool belongsToTilePhase(mlir::Operation *op);

} // namespace carousel

#endif // CAROUSEL_PASSES_TILE_VERIFYTILE_H
