//===- LowerConvolutions.h - parts of the pass ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites of one convolution each (im2col, merged groups, dilated images), and
// what other passes ask of convolutions.
// docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_LOWERCONVOLUTIONS_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_LOWERCONVOLUTIONS_H

#include "../Reading/ReadConvolution.h"
#include "../Tables/TableOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace carousel {

class DecisionLog;

/// Transposes a tensor: dimension i of the result is `permutation[i]` of it.
mlir::Value transpose(mlir::RewriterBase &rewriter, mlir::Value tensor,
                      llvm::ArrayRef<int64_t> permutation);

/// The place at which a tensor is inserted.
llvm::SmallVector<mlir::Range>
readRanges(mlir::OffsetSizeAndStrideOpInterface slice);

/// A convolution that is rewritten, and the ops that are made for it.
class ConvolutionRewriter : protected ConvolutionView {
public:
  ConvolutionRewriter(mlir::linalg::GenericOp op, mlir::RewriterBase &rewriter)
      : ConvolutionView(op), op(op), rewriter(rewriter), loc(op.getLoc()) {
    rewriter.setInsertionPoint(op);
  }

protected:
  mlir::OpFoldResult number(int64_t value) const {
    return rewriter.getIndexAttr(value);
  }
  llvm::SmallVector<mlir::OpFoldResult> getSizes(mlir::Value tensor) const {
    return mlir::tensor::getMixedSizes(rewriter, loc, tensor);
  }
  /// The whole of a tensor.
  llvm::SmallVector<mlir::Range> getRanges(mlir::Value tensor) const;
  mlir::Value fill(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                   mlir::TypedAttr value) const;
  mlir::Value insertIntoZeros(mlir::Value tensor,
                              llvm::ArrayRef<mlir::OpFoldResult> sizes,
                              llvm::ArrayRef<mlir::Range> ranges) const;
  /// The only reader of the result, if it computes each element from one of
  /// it, or null.
  mlir::linalg::GenericOp findConversion();
  /// Converts another tensor in the same way.
  mlir::Value convert(mlir::linalg::GenericOp conversion,
                      mlir::Value tensor) const;

  mlir::linalg::GenericOp op;
  mlir::RewriterBase &rewriter;
  mlir::Location loc;
};

/// The dimensions of a tensor of which `at` and the next one are one in
/// another tensor of `rank` dimensions.
llvm::SmallVector<mlir::ReassociationIndices> joinNext(int64_t rank,
                                                       int64_t at);

/// Whether a convolution reads one element of each channel for a pixel, and
/// every pixel once: a product.
bool isPlainConvolution(mlir::linalg::LinalgOp op);

/// Lets a convolution read the weights that a copy reverses, or that an
/// insertion into zeros spreads, at indices of the image that fit. Products
/// with these zeros are left out. Returns the op that takes its place, or the
/// op.
mlir::linalg::GenericOp readWeightsDirectly(mlir::linalg::GenericOp op,
                                            mlir::RewriterBase &rewriter);

/// The convolutions that take the place of one whose image an insertion into
/// zeros spreads, or the op itself. Products with the zeros between pixels are
/// left out, also where the kernel's element is NaN or infinite.
llvm::SmallVector<mlir::linalg::GenericOp>
splitDilatedImage(mlir::linalg::GenericOp op, mlir::RewriterBase &rewriter);

/// Puts narrow groups together. The image has groups and channels last. Returns
/// the op that takes the convolution's place, or the convolution.
mlir::linalg::GenericOp mergeConvolutionGroups(mlir::linalg::GenericOp op,
                                               mlir::RewriterBase &rewriter);

/// Replaces a gradient of depthwise weights by sums, and by an op that puts
/// them together. Other ops stay.
void splitDepthwiseWgrad(mlir::linalg::GenericOp op,
                         mlir::RewriterBase &rewriter, DecisionLog &log);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_LOWERCONVOLUTIONS_H
