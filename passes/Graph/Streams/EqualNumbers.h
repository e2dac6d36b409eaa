//===- EqualNumbers.h - masks that compare numbers in memory ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask asks a row and an element of a stream for the same number, as of their
// documents. docs/GraphPhase.md, Masks.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_STREAMS_EQUALNUMBERS_H
#define CAROUSEL_PASSES_GRAPH_STREAMS_EQUALNUMBERS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace carousel {

/// An operand of a comparison: a tensor of integers at loops of the op.
struct Numbers {
  mlir::Value tensor;
  llvm::SmallVector<unsigned> loops; ///< by dimension

  bool has(unsigned loop) const { return llvm::is_contained(loops, loop); }
};

/// A comparison in an op's body that says which elements a row needs.
struct EqualNumbers {
  mlir::linalg::GenericOp op;
  mlir::arith::CmpIOp compare;
  Numbers ofRows, ofElements;
  unsigned row = 0, element = 0;      ///< loops
  llvm::SmallVector<unsigned> others; ///< loops that any of the two has
};

/// The comparisons of an op of tiles, along the loop of the stream, by which
/// choices leave infinite numbers. \p refusals says of others why they bound
/// nothing.
llvm::SmallVector<EqualNumbers>
findEqualNumbers(mlir::linalg::GenericOp op, unsigned element,
                 llvm::SmallVectorImpl<std::string> &refusals);

/// Has choices of an op of tiles leave their element where a condition holds
/// and numbers are equal, and not where these differ.
void invertChoices(mlir::linalg::GenericOp op, mlir::RewriterBase &rewriter);

/// Has such choices leave infinite numbers in place of finite ones that exclude
/// elements, if that is the same: each row has an element with its own number,
/// and results are read for maxima and exponentials only.
void excludeByInfinities(mlir::linalg::GenericOp op, unsigned element,
                         mlir::RewriterBase &rewriter);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_STREAMS_EQUALNUMBERS_H
