//===- Layout.h - extents and strides ---------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The positions of a tensor's elements. Sizes of a Layout that a maker returned
// fit into 64 bits, in bytes of the largest element.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_TENSORS_LAYOUT_H
#define CAROUSEL_TOOLS_SUPPORT_TENSORS_LAYOUT_H

#include "Elements.h"

#include <string_view>
#include <vector>

namespace carousel::tools {

struct Layout {
  /// Outermost first; strides in elements.
  std::vector<int64_t> extents, strides;
  /// The product of the extents.
  uint64_t elements = 1;
  /// Elements of memory from the first to the last, gaps included.
  uint64_t storage = 1;

  /// Innermost dimension last in memory order: C.
  static Result<Layout> rowMajor(std::vector<int64_t> extents);
  /// Outermost dimension last in memory order: Fortran. Row-major where that is
  /// the same.
  static Result<Layout> columnMajor(std::vector<int64_t> extents);
  static Result<Layout> strided(std::vector<int64_t> extents,
                                std::vector<int64_t> strides);

  bool isRowMajor() const;
  /// No gaps, and every element once.
  bool isDense() const { return storage == elements && !overlaps; }
  bool overlaps = false; ///< a stride is 0 where the extent is above 1

  bool operator==(const Layout &other) const {
    return extents == other.extents && strides == other.strides;
  }
};

/// "64x128", "[]" for no dimensions.
std::string formatShape(const std::vector<int64_t> &extents);

/// Reads "4096", "64x128", "[]", each with strides in elements after an @ where
/// they aren't row-major: "64x128@136x1".
Result<Layout> parseLayout(std::string_view text);

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_TENSORS_LAYOUT_H
