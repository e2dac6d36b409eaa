//===- MatrixLayouts.cpp - products as a library has them -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MatrixLayouts.h.
//
//===----------------------------------------------------------------------===//

#include "MatrixLayouts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace carousel::runtime {

namespace {

/// The last two dimensions of a view.
struct Matrix {
  explicit Matrix(const MatrixView &view)
      : rows(view.extents.rbegin()[1]), columns(view.extents.back()),
        rowStride(view.strides.rbegin()[1]), columnStride(view.strides.back()) {
  }

  Matrix transpose() const {
    Matrix result = *this;
    std::swap(result.rows, result.columns);
    std::swap(result.rowStride, result.columnStride);
    return result;
  }

  /// The layout with neighbours in a column; nothing if they aren't neighbours.
  std::optional<MatrixLayout> getColumns() const {
    // A dimension of one element has any stride.
    if (rows != 1 && rowStride != 1)
      return std::nullopt;
    MatrixLayout layout;
    layout.rows = rows;
    layout.columns = columns;
    layout.leading = columns == 1 ? rows : columnStride;
    if (layout.leading < rows)
      return std::nullopt;
    return layout;
  }

  /// The layout of a factor.
  std::optional<MatrixLayout> getLayout() const {
    std::optional<MatrixLayout> plain = getColumns();
    std::optional<MatrixLayout> transposed = transpose().getColumns();
    // Elements of a row are neighbours if they can be.
    if (transposed && (!plain || rows == 1)) {
      transposed->isTransposed = true;
      return transposed;
    }
    return plain;
  }

  int64_t rows, columns, rowStride, columnStride;
};

} // namespace

/// The longest batch is the library's, and others are loops.
void ProductLayout::setBatches(const std::array<const MatrixView *, 4> &views) {
  size_t count = views[2]->extents.size() - 2;
  for (size_t dim = 0; dim < count; ++dim)
    if (int64_t extent = views[2]->extents[dim]; extent != 1)
      loops.push_back(
          {extent,
           {views[0]->strides[dim], views[1]->strides[dim],
            views[2]->strides[dim], views[3] ? views[3]->strides[dim] : 0}});
  if (loops.empty())
    return;
  auto longest = std::max_element(
      loops.begin(), loops.end(),
      [](const Loop &x, const Loop &y) { return x.extent < y.extent; });
  batches = longest->extent;
  a.batchStride = longest->strides[isSwapped ? 1 : 0];
  b.batchStride = longest->strides[isSwapped ? 0 : 1];
  d.batchStride = longest->strides[2];
  c.batchStride = longest->strides[3];
  loops.erase(longest);
}

bool ProductLayout::set(const MatrixView &lhs, const MatrixView &rhs,
                        const MatrixView &target, std::string &reason,
                        const AddedViews &added) {
  const MatrixView *residual = added.residual ? &*added.residual : nullptr;
  size_t rank = target.extents.size();
  auto agree = [&](const MatrixView &factor) {
    return factor.extents.size() == rank &&
           std::equal(target.extents.begin(), target.extents.end() - 2,
                      factor.extents.begin());
  };
  Matrix first(lhs), second(rhs), result(target);
  if (!agree(lhs) || !agree(rhs) || first.rows != result.rows ||
      second.columns != result.columns || first.columns != second.rows) {
    reason =
        fmt::format("expected factors and a product of (batches, m, k), "
                    "(batches, k, n) and (batches, m, n), got {}, {} "
                    "and {}",
                    fmt::join(lhs.extents, "x"), fmt::join(rhs.extents, "x"),
                    fmt::join(target.extents, "x"));
    return false;
  }
  // Elements of a column are neighbours, too, in the transpose's rows.
  std::optional<MatrixLayout> plain = result.getColumns();
  std::optional<MatrixLayout> transposed = result.transpose().getColumns();
  bool isAlongRows = added.hasBias || residual;
  isSwapped = transposed && (!plain || result.rows == 1 || isAlongRows);
  std::optional<MatrixLayout> rows = transposed;
  if (residual && residual->extents != target.extents) {
    reason = fmt::format("expected a residual of {}, got {}",
                         fmt::join(target.extents, "x"),
                         fmt::join(residual->extents, "x"));
    return false;
  }
  if (residual)
    rows = Matrix(*residual).transpose().getColumns();
  if (isAlongRows && (!isSwapped || !rows)) {
    reason = fmt::format(
        "expected a target and a residual with the stride 1 along n and one "
        "along m that isn't less than n, got the strides {}{}{}",
        fmt::join(target.strides, ","), residual ? " and " : "",
        fmt::join(residual ? residual->strides : std::vector<int64_t>(), ","));
    return false;
  }
  Matrix left = isSwapped ? second.transpose() : first;
  Matrix right = isSwapped ? first.transpose() : second;
  std::optional<MatrixLayout> factors[] = {left.getLayout(), right.getLayout()};
  if ((!plain && !transposed) || !factors[0] || !factors[1]) {
    reason = fmt::format(
        "expected matrices with a dimension of stride 1, whose other stride "
        "isn't less than their extent, got the strides {}, {} and {}",
        fmt::join(lhs.strides, ","), fmt::join(rhs.strides, ","),
        fmt::join(target.strides, ","));
    return false;
  }
  d = isSwapped ? *transposed : *plain;
  a = *factors[0];
  b = *factors[1];
  if (isAlongRows)
    c = *rows;
  setBatches({&lhs, &rhs, &target, residual});
  return true;
}

} // namespace carousel::runtime
