//===- ProductRotation.h - products of two iterations at once ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration whose products depend on each other, as those of attention do,
// has two stages. The second one has products whose factor in registers threads
// compute from the sums of others, and whose sums the loop carries: one, or one
// for each part of the columns. In a rotated loop, an iteration starts the
// first stage of the next iteration before its own second one:
// docs/Products.md, Rotation. The plan says which op belongs to which stage.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_RINGS_PRODUCTROTATION_H
#define CAROUSEL_ANALYSIS_RINGS_PRODUCTROTATION_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace carousel {

struct ProductRotation {
  /// The products of the second stage, in program order.
  llvm::SmallVector<MultiplyOp, 1> products;
  /// The numbers of the carried values that they add to.
  llvm::SmallVector<unsigned, 1> sums;
  /// The ops of each stage, in program order. The products are in `second`;
  /// `scale` computes what they add to from the carried sums. What spreads a
  /// value over more registers for it may be in `first`, too.
  llvm::SmallVector<mlir::Operation *> first, scale, second;
  /// The numbers of carried values that the second stage alone needs, as the
  /// uses of its rings.
  llvm::SmallVector<unsigned> late;
  /// The values that `scale` and `second` take of the first stage, or of an
  /// iteration's start.
  llvm::SmallVector<mlir::Value> handed;

  /// The registers of a thread in the rotated loop, beside addresses.
  int64_t countRegisters() const;
};

/// The products of the body that add to carried sums, with a factor computed
/// from the sums of another product of the body. It works at the tile
/// phase and the ring phase.
llvm::SmallVector<MultiplyOp, 1> findSecondProducts(mlir::scf::ForOp loop);

/// At the tile phase: the buffers whose tiles these products alone read.
llvm::SmallVector<mlir::Value> findTilesOfSecondStage(mlir::scf::ForOp loop);

/// Finds the slot's tile that a factor is, or is a view of; or null.
RingTileOp findSlot(mlir::Value tile);

/// Why no other role fills the slots of a ring whose products stay in flight
/// across iterations, or an empty string: threads that wait for a slot which
/// they release themselves one iteration later wait for ever.
std::string explainFilling(mlir::Value ring, mlir::scf::ForOp loop);

/// At the ring phase: fills the plan in, which has the products, or returns why
/// the loop can't be rotated.
std::string planRotation(mlir::scf::ForOp loop, ProductRotation &plan);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_RINGS_PRODUCTROTATION_H
