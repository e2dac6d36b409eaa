//===- MatrixLayouts.h - products as a library has them ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// BLAS has matrices in which the elements of a column are neighbours, and can
// transpose factors. Any product of matrices with a dimension of stride 1 is
// one of those, or its transpose is.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LAUNCH_MATRIXLAYOUTS_H
#define CAROUSEL_RUNTIME_SRC_LAUNCH_MATRIXLAYOUTS_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carousel::runtime {

/// (batches..., rows, columns), strides in elements.
struct MatrixView {
  std::vector<int64_t> extents, strides;
};

/// A matrix of BLAS: elements of a column are neighbours, and columns are
/// `leading` elements apart.
struct MatrixLayout {
  int64_t rows = 0, columns = 0, leading = 1;
  bool isTransposed = false;
  /// Elements from a batch's matrix to the next one's.
  int64_t batchStride = 0;

  bool operator==(const MatrixLayout &other) const {
    return rows == other.rows && columns == other.columns &&
           leading == other.leading && isTransposed == other.isTransposed &&
           batchStride == other.batchStride;
  }
};

/// What is added to sums.
struct AddedViews {
  bool hasBias = false; ///< along n
  std::optional<MatrixView> residual = {};
};

/// `target` = the sum of products of `lhs` and `rhs`, as calls of BLAS.
struct ProductLayout {
  /// Factors and result of a call, and what is added to it. If `isSwapped`, the
  /// call's first factor is the second one, and its result the transpose.
  MatrixLayout a, b, c, d;
  bool isSwapped = false;
  int64_t batches = 1;
  /// What calls repeat: the iterations, and how far lhs, rhs, target and
  /// residual move.
  struct Loop {
    int64_t extent;
    std::array<int64_t, 4> strides;
  };
  std::vector<Loop> loops;

  /// False, with the reason, for views that aren't a product's, or that have
  /// matrices without a dimension of stride 1. If something is added, that is
  /// the dimension n of target and residual. No extent is 0.
  bool set(const MatrixView &lhs, const MatrixView &rhs,
           const MatrixView &target, std::string &reason,
           const AddedViews &added = {});

private:
  void setBatches(const std::array<const MatrixView *, 4> &views);
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_MATRIXLAYOUTS_H
