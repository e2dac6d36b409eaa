//===- OnlineMasks.h - tiles that masks exclude -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask that compares indices says which tiles have no element that counts,
// and in which all do. docs/GraphPhase.md, Masks.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_ONLINEMASKS_H
#define CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_ONLINEMASKS_H

#include "../Kernels/OpWriter.h"
#include "IndexBounds.h"

namespace carousel {

/// An op whose element is `kept` where a condition holds, and otherwise a
/// number that adds nothing to any sum.
struct OnlineMask : public IndexCondition {
  unsigned op = 0;
  mlir::Value kept; ///< of the body
  /// The element that masks leave is finite: a row of them alone isn't empty.
  bool isFinite = false;
  /// Its rows go along the dimension of the online reduction, as in gradients
  /// of keys, and elements of a row along the rows of that.
  bool hasRowsAlong = false;
};

/// Whether a number excludes an element, which is never the largest.
bool excludes(mlir::Value number);

/// Whether scores are products of matrices, and what follows from them alone:
/// nothing else excludes an element. The number of the op that does is \p own.
/// \p huge: the size of constants that may.
bool isOfProduct(mlir::linalg::LinalgOp op, mlir::Value own,
                 double huge = 0x1p29);

/// Finds the exponential that alone reads the difference of an argument and a
/// row, or null.
mlir::Operation *findExponential(mlir::Operation *user, mlir::Value argument);

/// How many finite numbers and tensors in memory may make the elements of an
/// op's tiles so large that they stand for infinite ones.
unsigned countHugeSources(const GroupProgram &program, unsigned op);

/// The masks of an online reduction's tiles that have bounds along its
/// dimension. Not null, \p refusals says of which masks all tiles are computed,
/// and why.
llvm::SmallVector<OnlineMask>
findOnlineMasks(const GroupProgram &program,
                llvm::SmallVectorImpl<std::string> *refusals = nullptr);

/// An op whose result is a product with a positive constant, of which others
/// need the maximum and exponentials only: the product is part of these.
struct ScaledTile {
  unsigned op = 0;
  mlir::Value product, factor; ///< of the body
  double scale = 1.0;
  /// The number that stands for elements that a mask doesn't count.
  mlir::Value other;
};

/// Those whose elements aren't so large that they stand for infinite ones.
llvm::SmallVector<ScaledTile> findScaledTiles(const GroupProgram &program);

/// Whether later rows have more tiles.
bool haveLaterRowsMore(const GroupProgram &program);

/// The dimension of an online reduction's rows, of those of the schedule.
unsigned findRowsPosition(const GroupProgram &program);

/// From, to: the elements along an online reduction's dimension that any row of
/// a program needs. The first one begins a tile.
std::pair<mlir::Value, mlir::Value>
computeOnlineRange(const GroupProgram &program, GroupVectors &vectors,
                   OpWriter &writer, llvm::ArrayRef<OnlineMask> masks);

/// The part of an online reduction's tiles that the rows of a program need, on
/// average.
double findNeededPart(const GroupProgram &program);

/// Whether the mask keeps all elements of a tile that exist: of the one where
/// the vectors are. Null if that isn't known.
mlir::Value isWholeTile(const GroupProgram &program, GroupVectors &vectors,
                        OpWriter &writer, const OnlineMask &mask);

/// The comparisons that hold for all elements of the tiles of an online
/// reduction's range: whole tiles lie between numbers of tiles.
llvm::SmallVector<mlir::Value> findHeldComparisons(const GroupProgram &program,
                                                   const OnlineMask &mask);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_ONLINEREDUCTIONS_ONLINEMASKS_H
