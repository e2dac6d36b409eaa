//===- OneHotPoints.h - where one-hot factors aren't zero -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A factor is one-hot if comparisons with the numbers of loops make it zero
// almost everywhere, and a sum of a few of these has a few elements. Bodies
// of structured ops say which: nothing is recognised by name.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_ONEHOTPOINTS_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_ONEHOTPOINTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace carousel {

/// A loop, and the number that it has to have: `condition` compares the two.
/// The loop itself doesn't change `number`; others may.
struct OneHotPlace {
  unsigned loop;
  mlir::Value number;
  mlir::arith::CmpIOp condition;
};

/// Places of different loops, ascending.
using OneHotPoint = llvm::SmallVector<OneHotPlace, 2>;

/// The points outside of which the product of values of the op's body is zero,
/// if zero times any number counts as zero. All have places of the same loops,
/// which are of the given kind. Points may be equal, and the value may be zero
/// at one, too. Empty if there are no such points, or more than a few.
llvm::SmallVector<OneHotPoint> findOneHotPoints(mlir::linalg::GenericOp op,
                                                mlir::ValueRange values,
                                                mlir::utils::IteratorType kind);

/// What a sum adds in each iteration; null if the op is no sum from zero on.
mlir::Value findTerm(mlir::linalg::GenericOp op);

/// What a value is computed from in the body, in order; failure if that has
/// effects.
mlir::FailureOr<llvm::SetVector<mlir::Operation *>>
findSources(mlir::Value value, mlir::Block *body);

/// Whether a value of the body is the same in all iterations of the loop.
bool isFixedAlong(mlir::linalg::GenericOp op, mlir::Value value, unsigned loop);

/// Whether a body compares numbers for equality with those of loops.
bool comparesLoops(mlir::linalg::GenericOp op);

/// Whether it compares some in a type that doesn't have all numbers of a loop.
bool comparesNarrowLoops(mlir::linalg::GenericOp op);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_ONEHOTPOINTS_H
