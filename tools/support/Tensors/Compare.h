//===- Compare.h - compares tensors -----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares element by element: |got - want| <= atol + rtol * |want|. NaN equals
// NaN, an infinity equals only itself, and 0 equals -0. Finds the worst element
// whether or not all match.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_TENSORS_COMPARE_H
#define CAROUSEL_TOOLS_SUPPORT_TENSORS_COMPARE_H

#include "../Process/Progress.h"
#include "Layout.h"

#include <optional>

namespace carousel::tools {

struct Tolerance {
  double relative = 0, absolute = 0;
};

/// How far an element is from what was wanted. Errors are infinite where one of
/// the two is NaN or an infinity.
struct ElementError {
  std::vector<int64_t> index;
  uint64_t got = 0, want = 0; ///< bits
  double absolute = 0, relative = 0;
  /// Elements of the type between the two; nothing where one is NaN.
  std::optional<uint64_t> ulps;
};

struct Comparison {
  uint64_t elements = 0, mismatches = 0;
  /// The element that is furthest beyond, or closest to, its tolerance; among
  /// equals the one with the larger error, then the first. Nothing where all
  /// elements are equal.
  std::optional<ElementError> worst;
};

/// Both tensors have the type and `got`'s extents.
Comparison compare(ElementType type, const Layout &gotLayout,
                   const std::byte *got, const Layout &wantLayout,
                   const std::byte *want, const Tolerance &tolerance,
                   Progress &progress);

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_TENSORS_COMPARE_H
