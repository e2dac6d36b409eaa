//===- TensorOverlap.h - elements that two tensors share --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the memory of two tensors. The runtime and the simulated machine
// check arguments that may alias with it. It allocates no memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_SUPPORT_TENSOROVERLAP_H
#define CAROUSEL_SUPPORT_TENSOROVERLAP_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace carousel {

/// A tensor whose size in bytes is below 2^63. Strides count elements and are
/// not negative.
struct TensorMemory {
  uint64_t address = 0;
  const int64_t *extents = nullptr;
  const int64_t *strides = nullptr;
  size_t rank = 0;
  int64_t elementBytes = 1;

  bool isEmpty() const {
    return std::find(extents, extents + rank, 0) != extents + rank;
  }
  /// The bytes from the first one to the last one.
  uint64_t getBytes() const {
    int64_t last = 0;
    for (size_t dim = 0; dim < rank; ++dim)
      last += (extents[dim] - 1) * strides[dim];
    return uint64_t(last + 1) * uint64_t(elementBytes);
  }
};

/// Whether the tensors have the same address, extents and strides. Strides of
/// dimensions with one element don't count.
inline bool isSameTensor(const TensorMemory &lhs, const TensorMemory &rhs) {
  if (lhs.address != rhs.address || lhs.rank != rhs.rank ||
      lhs.elementBytes != rhs.elementBytes)
    return false;
  for (size_t dim = 0; dim < lhs.rank; ++dim)
    if (lhs.extents[dim] != rhs.extents[dim] ||
        (lhs.extents[dim] > 1 && lhs.strides[dim] != rhs.strides[dim]))
      return false;
  return true;
}

namespace detail {
/// Whether `distance`, in elements, is a sum of the strides of the dimensions
/// from `dim` on, each taken so often that both tensors have the element.
inline bool isReached(const TensorMemory &lhs, const TensorMemory &rhs,
                      size_t dim, int64_t distance) {
  // The least and the largest sum of the remaining dimensions.
  int64_t least = 0, most = 0;
  for (size_t rest = dim; rest < lhs.rank; ++rest) {
    least -= (rhs.extents[rest] - 1) * lhs.strides[rest];
    most += (lhs.extents[rest] - 1) * lhs.strides[rest];
  }
  if (distance < least || distance > most)
    return false;
  if (dim == lhs.rank)
    return distance == 0;
  int64_t stride = lhs.strides[dim];
  // A dimension with one element may have any stride, even a negative one.
  if (stride == 0 || (lhs.extents[dim] == 1 && rhs.extents[dim] == 1))
    return isReached(lhs, rhs, dim + 1, distance);
  // The most that later dimensions add bounds the multiples of this one.
  int64_t own = (lhs.extents[dim] - 1) * stride;
  int64_t ownLeast = -(rhs.extents[dim] - 1) * stride;
  int64_t first = distance - (most - own), last = distance - (least - ownLeast);
  first = std::max(first, ownLeast);
  last = std::min(last, own);
  int64_t step = first / stride + (first % stride > 0);
  for (; step * stride <= last; ++step)
    if (isReached(lhs, rhs, dim + 1, distance - step * stride))
      return true;
  return false;
}
} // namespace detail

/// Whether the tensors may have an element in common. Tensors of equal strides,
/// such as two column blocks of one matrix, are compared element by element,
/// others by their first and last bytes.
inline bool mayShareElements(const TensorMemory &lhs, const TensorMemory &rhs) {
  if (lhs.isEmpty() || rhs.isEmpty() ||
      lhs.address + lhs.getBytes() - 1 < rhs.address ||
      rhs.address + rhs.getBytes() - 1 < lhs.address)
    return false;
  int64_t bytes = int64_t(rhs.address - lhs.address);
  if (lhs.rank != rhs.rank || lhs.elementBytes != rhs.elementBytes ||
      bytes % lhs.elementBytes != 0)
    return true;
  // Row-major only: each row ends before the next one begins, so that few sums
  // of strides come into question.
  int64_t outer = INT64_MAX;
  for (size_t dim = 0; dim < lhs.rank; ++dim) {
    int64_t extent = std::max(lhs.extents[dim], rhs.extents[dim]), row;
    if (extent == 1)
      continue;
    if (lhs.strides[dim] != rhs.strides[dim] ||
        __builtin_mul_overflow(extent, lhs.strides[dim], &row) || row > outer)
      return true;
    outer = lhs.strides[dim];
  }
  return detail::isReached(lhs, rhs, 0, bytes / lhs.elementBytes);
}

} // namespace carousel

#endif // CAROUSEL_SUPPORT_TENSOROVERLAP_H
