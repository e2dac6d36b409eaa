//===- VerifyTileOps.h - checks of ops and types ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks which ops of this dialect and of others the tile phase may have. It
// refuses ops and types that neither PTX nor CUDA C++ supports.
// docs/OpMatrix.md lists the supported ones.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_TILE_VERIFYTILEOPS_H
#define CAROUSEL_PASSES_TILE_VERIFYTILEOPS_H

#include "carousel/Dialect/IR/CarouselOps.h"

namespace carousel {

/// Whether `op` is an op of this dialect that the tile phase may have.
bool belongsToTilePhase(mlir::Operation *op);

/// Emits an error if no target supports `op`, or the type of a value that it
/// computes with.
mlir::LogicalResult verifyTaken(mlir::Operation *op);

/// The number of tickets, and that they order no memory at the tile phase.
mlir::LogicalResult verifyTicket(GridTicketOp ticket);

/// C233, of a signal or a wait for one.
mlir::LogicalResult verifyCounters(mlir::Operation *op);

} // namespace carousel

#endif // CAROUSEL_PASSES_TILE_VERIFYTILEOPS_H
