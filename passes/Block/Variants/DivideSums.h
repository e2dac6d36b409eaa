//===- DivideSums.h - loops divided among a cluster's CTAs ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The CTAs of a cluster each execute a part of a loop's iterations, leave their
// sums in shared memory, and add those of all in the order of the ranks.
// docs/BlockPhase.md, Parts of k.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_VARIANTS_DIVIDESUMS_H
#define CAROUSEL_PASSES_BLOCK_VARIANTS_DIVIDESUMS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <string>

namespace carousel {

/// A tile of shared memory that has the vector. `areTransposed`: its columns
/// are the rows of the instructions whose sums it is.
mlir::Value leaveSums(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value vector, bool areTransposed);

/// All CTAs of the cluster meet: before they read the tiles of others, and
/// before they leave or write their own ones again.
void meetCluster(mlir::OpBuilder &builder, mlir::Location loc);

/// Combines the vectors of type `type` from `offsets` on that the tiles of so
/// many ranks have.
mlir::Value combineSums(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value tile, mlir::VectorType type,
                        mlir::ValueRange offsets, int64_t ranks,
                        mlir::vector::CombiningKind kind);

/// Why the iterations can't be divided, or an empty string.
std::string explainUndivided(mlir::scf::ForOp loop);

/// Divides the iterations. `loop` is that of programs with a part of the tile
/// each, of which so many follow each other along the grid's dimension; `whole`
/// is the same one of a kernel whose programs have whole tiles, which the CTAs
/// of a cluster execute in parts.
void divideSums(mlir::scf::ForOp loop, mlir::scf::ForOp whole, unsigned gridDim,
                int64_t parts, bool areTransposed);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_VARIANTS_DIVIDESUMS_H
