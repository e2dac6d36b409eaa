//===- SlicePatterns.h - slices, updates and concatenations -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What moves elements and isn't a view that the host can compute.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_SLICEPATTERNS_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_SLICEPATTERNS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Slices of what was inserted, or of a pad, that lie in what was inserted are
/// slices of that; a pad of which only slices are read has no more than these.
void populatePaddedSlicePatterns(mlir::RewritePatternSet &patterns);

/// Patterns for the greedy driver:
/// - slices and updates whose offsets depend on data are structured ops;
/// - tensor.concat is one, with a condition for each part.
void populateSlicePatterns(mlir::RewritePatternSet &patterns);

/// A structured op whose loops are all parallel and go along the dimensions of
/// its result, and of `inputs`. `write` gets their elements.
mlir::linalg::GenericOp createElementwise(
    mlir::PatternRewriter &rewriter, mlir::Location loc,
    mlir::RankedTensorType type, llvm::ArrayRef<mlir::OpFoldResult> sizes,
    mlir::ValueRange inputs,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> write);

/// Replaces an op whose type may know less than the value's.
void replaceWithCast(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                     mlir::Value value);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_SLICEPATTERNS_H
