//===- Patterns.h - rewrites of shapes and elements -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns for the greedy driver that --carousel-fuse-graph applies, and what
// they share. Front ends compute with extents and indices in many ways.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_PATTERNS_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_PATTERNS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace carousel {

class DecisionLog;
class EqualExtentsListener;

//===----------------------------------------------------------------------===//
// ExtentPatterns.cpp
//===----------------------------------------------------------------------===//

/// Patterns for the greedy driver:
/// - a quotient of products of extents is the product of what is left;
/// - a remainder of a multiple is 0;
/// - one of two equal extents is either;
/// - an index that is 0 if the loop's own extent is 1 is the loop's index.
void populateExtentPatterns(mlir::RewritePatternSet &patterns,
                            EqualExtentsListener &extents);

/// Says which extents may be 1 where an op reads an operand as if it were
/// broadcast.
void noteBroadcasts(mlir::func::FuncOp func, DecisionLog &log);

//===----------------------------------------------------------------------===//
// LoopIndexPatterns.cpp
//===----------------------------------------------------------------------===//

/// Patterns for the greedy driver: `max(i, 0)` and `min(i, extent - 1)` of the
/// index of a loop are that number where the loop is as long, and quotients of
/// joined indices are these. A difference that is compared with a range of one
/// number is an equality.
void populateLoopIndexPatterns(mlir::RewritePatternSet &patterns,
                               EqualExtentsListener &extents);

//===----------------------------------------------------------------------===//
// ExtractPatterns.cpp
//===----------------------------------------------------------------------===//

/// An extract at the indices of loops becomes an operand, unless it may be
/// outside of its tensor where a selection discards it. Numbers of loops aren't
/// limited to what they are anyway.
void populateLoopReadPatterns(mlir::RewritePatternSet &patterns,
                              EqualExtentsListener &extents);

/// These, and: an extract of what an elementwise op computes becomes extracts
/// of its operands, and that of a reshape one of what is reshaped. A body that
/// reads a constant that its result starts from has the constant.
void populateExtractPatterns(mlir::RewritePatternSet &patterns,
                             EqualExtentsListener &extents);

//===----------------------------------------------------------------------===//
// SlicePatterns.cpp
//===----------------------------------------------------------------------===//

/// An elementwise op that finds each element in one of several parts by
/// comparing an index with where these start becomes insertions of the parts.
void populateConcatenationPatterns(mlir::RewritePatternSet &patterns);

/// Parts of a tensor along one dimension of known extent.
struct Concatenation {
  struct Part {
    mlir::Value value;
    int64_t start; ///< along the axis
  };
  int64_t axis = 0;
  llvm::SmallVector<Part> parts;
};

/// The parts of a tensor.concat, of such an elementwise op, or of what is all
/// insertions; nullopt of others.
std::optional<Concatenation> readConcatenation(mlir::Operation *op);

/// Up to eight parts of a tensor along one dimension, at constant positions,
/// become an elementwise op that reads the part in which an index lies. That
/// needs users that compute on the elements, or parts that are cheap.
void populateInsertPatterns(mlir::RewritePatternSet &patterns);

//===----------------------------------------------------------------------===//
// ReducedConcatenations.cpp
//===----------------------------------------------------------------------===//

/// Patterns for the greedy driver: where ops reduce along the axis of a
/// concatenation of a tensor and single elements, or take slices of one part,
/// each part is computed apart.
void populateReducedConcatenationPatterns(mlir::RewritePatternSet &patterns);

//===----------------------------------------------------------------------===//
// IndexPatterns.cpp
//===----------------------------------------------------------------------===//

/// Patterns for the greedy driver: integers that follow from indices are
/// indices, and so are those compared. Widened floats are compared as they were
/// before.
void populateIntegerPatterns(mlir::RewritePatternSet &patterns);

/// Whether a number between structured ops depends on elements of tensors.
bool dependsOnData(mlir::Value number);

/// Patterns for the greedy driver:
/// - a structured op on numbers, without loops, becomes arithmetic;
/// - a tensor of one number is a number where a structured op reads it;
/// - extents that a body asks for are computed before it;
/// - a number that depends on data is computed in the bodies that use it;
/// - a function of a choice between constants in a body is such a choice.
void populateIndexPatterns(mlir::RewritePatternSet &patterns);

/// Makes structured ops of the tensors of up to 64 numbers that are left.
void populateTensorOfScalarsPatterns(mlir::RewritePatternSet &patterns);

//===----------------------------------------------------------------------===//
// ReshapePatterns.cpp
//===----------------------------------------------------------------------===//

/// Patterns for the greedy driver:
/// - tensor.reshape is tensor.collapse_shape and expand_shape, where runs of
///   dimensions are known to have as many elements;
/// - dimensions that are joined and then divided in another way are divided
///   first.
void populateReshapePatterns(mlir::RewritePatternSet &patterns);

/// Makes structured ops, which divide, of each tensor.reshape that is left. A
/// cf.assert compares the numbers of elements.
void populateOtherReshapePatterns(mlir::RewritePatternSet &patterns);

/// The number of an element of a tensor in the order of memory, of its indices;
/// the first extent may have any value.
mlir::Value linearize(mlir::OpBuilder &builder, mlir::Location loc,
                      llvm::ArrayRef<mlir::OpFoldResult> extents,
                      llvm::function_ref<mlir::Value(unsigned)> getIndex);

/// The indices of an element of a tensor, of its number.
llvm::SmallVector<mlir::Value>
delinearize(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number,
            llvm::ArrayRef<mlir::OpFoldResult> extents);

//===----------------------------------------------------------------------===//
// SelectedReads.cpp
//===----------------------------------------------------------------------===//

/// Whether each use of a value, in the body of a structured op, is under a
/// condition: by an arith.select that may take another value, or in an scf.if.
bool isOnlySelected(mlir::Value value);

/// Takes such reads into an scf.if unless they are known to be inside of their
/// tensors. Returns how many.
unsigned guardSelectedReads(mlir::func::FuncOp func);

//===----------------------------------------------------------------------===//
// ShapeTensors.cpp
//===----------------------------------------------------------------------===//

/// Patterns for the greedy driver: what is computed of tensors of a few
/// integers that are numbers of the host is made of such numbers, too.
void populateShapeTensorPatterns(mlir::RewritePatternSet &patterns);

//===----------------------------------------------------------------------===//
// SlicePatterns.cpp
//===----------------------------------------------------------------------===//

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
    mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
    llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::ValueRange inputs,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> write);

/// Makes an init of these sizes, filled with the same number as the one given,
/// or empty.
mlir::Value resizeInit(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value init,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// The indices of a slice's element in the tensor that the slice is of.
llvm::SmallVector<mlir::Value>
getSourceIndices(mlir::OpBuilder &builder, mlir::tensor::ExtractSliceOp slice,
                 llvm::function_ref<mlir::Value(unsigned)> getIndex);

/// Computes an op's only result for one iteration. `mapping` has the elements
/// that the body reads.
mlir::Value cloneBody(mlir::OpBuilder &builder, mlir::linalg::GenericOp op,
                      mlir::ValueRange loops, mlir::IRMapping mapping = {});

/// Replaces an op whose type may know less than the value's.
void replaceWithCast(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                     mlir::Value value);

//===----------------------------------------------------------------------===//
// SlicedProducts.cpp
//===----------------------------------------------------------------------===//

/// Patterns for the greedy driver: a slice that is all that reads a product, or
/// what ops on elements compute of one, is a product of slices of its factors
/// where these have fewer elements.
void populateSlicedProductPatterns(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_PATTERNS_H
