//===- ProductRotation.h - products of two iterations at once ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration whose products depend on each other, as those of attention do,
// has two stages. The second one is a product whose factor in registers threads
// compute from the sums of others, and whose sums the loop carries. In a
// rotated loop, an iteration starts the first stage of the next iteration
// before its own second one: docs/Products.md, Rotation. The plan says which op
// belongs to which stage.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_RINGS_PRODUCTROTATION_H
#define CAROUSEL_ANALYSIS_RINGS_PRODUCTROTATION_H

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace carousel {

struct ProductRotation {
  MultiplyOp product; ///< of the second stage
  unsigned sums = 0;  ///< the number of the carried value that it adds to
  /// In program order. The product is in `second`.
  llvm::SmallVector<mlir::Operation *> first, scale, second;
  /// The numbers of carried values that the second stage alone needs, as the
  /// uses of its rings.
  llvm::SmallVector<unsigned> late;
  /// What the second stage takes of the first one, or of an iteration's start.
  llvm::SmallVector<mlir::Value> handed;

  /// Of a thread in the rotated loop, beside addresses.
  int64_t countRegisters() const;
};

/// The product of the body that adds to carried sums, with a factor computed
/// from the sums of another product of the body; null if there is none. At the
/// tile phase and the ring phase.
MultiplyOp findSecondProduct(mlir::scf::ForOp loop);

/// At the tile phase: the buffers whose tiles this product alone reads.
llvm::SmallVector<mlir::Value> findTilesOfSecondStage(mlir::scf::ForOp loop);

/// Why no other role fills the slots of a ring whose products stay in flight
/// across iterations, or an empty string: threads that wait for a slot which
/// they release themselves one iteration later wait for ever.
std::string explainFilling(mlir::Value ring, mlir::scf::ForOp loop);

/// At the ring phase: fills the plan in, which has the product, or returns why
/// the loop can't be rotated.
std::string planRotation(mlir::scf::ForOp loop, ProductRotation &plan);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_RINGS_PRODUCTROTATION_H
