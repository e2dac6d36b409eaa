//===- Compare.cpp - compares tensors -------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares both tensors row by row. Parts of rows with equal bytes match
// without a look at their elements, so that large equal tensors cost as much as
// memcmp.
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace carousel;
using namespace carousel::tools;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {

/// Badness of an element; larger is worse.
struct Rank {
  double ratio = 0, absolute = 0;
  bool operator<(const Rank &other) const {
    return ratio != other.ratio ? ratio < other.ratio
                                : absolute < other.absolute;
  }
};

class Comparer {
public:
  Comparer(ElementType type, const Tolerance &tolerance, Comparison &result)
      : type(type), size(runtime::getBytes(type)), integer(isInteger(type)),
        tolerance(tolerance), result(result) {}

  /// `column` elements into a row that begins at `index`.
  void compareElement(uint64_t got, uint64_t want,
                      const std::vector<int64_t> &index, int64_t column) {
    if (got == want)
      return;
    double gotValue = toDouble(type, got), wantValue = toDouble(type, want);
    bool gotNaN = std::isnan(gotValue), wantNaN = std::isnan(wantValue);
    // 64-bit integers may differ where their doubles are equal.
    if ((gotNaN && wantNaN) || (!integer && gotValue == wantValue))
      return;
    ElementError error;
    bool matches = false;
    double allowed = 0;
    if (!std::isfinite(gotValue) || !std::isfinite(wantValue)) {
      error.absolute = error.relative = kInfinity;
    } else {
      error.absolute = integer
                           ? static_cast<double>(getDistance(type, got, want))
                           : std::fabs(gotValue - wantValue);
      error.relative =
          wantValue == 0 ? kInfinity : error.absolute / std::fabs(wantValue);
      allowed = tolerance.absolute + tolerance.relative * std::fabs(wantValue);
      matches = error.absolute <= allowed;
    }
    result.mismatches += matches ? 0 : 1;
    Rank rank = {kInfinity, error.absolute};
    if (matches && std::isinf(error.absolute)) // both sides overflow
      rank.ratio = 1;
    else if (allowed > 0)
      rank.ratio = error.absolute / allowed;
    if (result.worst && !(worstRank < rank))
      return;
    worstRank = rank;
    error.got = got;
    error.want = want;
    if (!gotNaN && !wantNaN)
      error.ulps = getDistance(type, got, want);
    error.index = index;
    if (!error.index.empty())
      error.index.back() += column;
    result.worst = std::move(error);
  }

  void compareRow(const std::byte *got, int64_t gotStride,
                  const std::byte *want, int64_t wantStride, int64_t count,
                  const std::vector<int64_t> &index, Progress &progress) {
    constexpr int64_t kPiece = 4096;
    auto bytes = static_cast<int64_t>(size);
    for (int64_t begin = 0; begin < count; begin += kPiece) {
      int64_t end = std::min(begin + kPiece, count);
      bool together = gotStride == 1 && wantStride == 1;
      if (!together || std::memcmp(got + begin * bytes, want + begin * bytes,
                                   (end - begin) * bytes) != 0)
        for (int64_t i = begin; i < end; ++i)
          compareElement(loadBits(got + i * gotStride * bytes, size),
                         loadBits(want + i * wantStride * bytes, size), index,
                         i);
      progress.advance(static_cast<uint64_t>(end - begin));
    }
  }

private:
  ElementType type;
  size_t size;
  bool integer;
  Tolerance tolerance;
  Comparison &result;
  Rank worstRank;
};

} // namespace

Comparison tools::compare(ElementType type, const Layout &gotLayout,
                          const std::byte *got, const Layout &wantLayout,
                          const std::byte *want, const Tolerance &tolerance,
                          Progress &progress) {
  assert(gotLayout.extents == wantLayout.extents && "shapes differ");
  Comparison result;
  result.elements = gotLayout.elements;
  if (gotLayout.elements == 0)
    return result;
  size_t size = runtime::getBytes(type), rank = gotLayout.extents.size();
  // In the same order of memory: equal as a whole, most likely.
  if (gotLayout == wantLayout && gotLayout.isDense() &&
      std::memcmp(got, want, gotLayout.storage * size) == 0)
    return result;
  Comparer comparer(type, tolerance, result);
  std::vector<int64_t> index(rank, 0);
  if (rank == 0) {
    comparer.compareRow(got, 1, want, 1, 1, index, progress);
    return result;
  }
  while (true) {
    int64_t gotOffset = 0, wantOffset = 0;
    for (size_t d = 0; d + 1 < rank; ++d) {
      gotOffset += index[d] * gotLayout.strides[d];
      wantOffset += index[d] * wantLayout.strides[d];
    }
    comparer.compareRow(got + gotOffset * static_cast<int64_t>(size),
                        gotLayout.strides[rank - 1],
                        want + wantOffset * static_cast<int64_t>(size),
                        wantLayout.strides[rank - 1],
                        gotLayout.extents[rank - 1], index, progress);
    size_t d = rank - 1;
    while (d-- > 0 && ++index[d] == gotLayout.extents[d])
      index[d] = 0;
    if (d == static_cast<size_t>(-1))
      return result;
  }
}
