//===- MemoryStep.h - fills and copies of device memory ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills and copies elements with strides by as few calls of the driver as their
// strides allow.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LAUNCH_MEMORYSTEP_H
#define CAROUSEL_RUNTIME_SRC_LAUNCH_MEMORYSTEP_H

#include "Context/ContextImpl.h"

#include <optional>
#include <vector>

namespace carousel::runtime {

/// Elements of a target, and for a copy those of a source in the same order.
/// What follows one another in both is one dimension.
class MemoryStep {
public:
  /// `bytes`: of an element. Lists are outermost first, strides in elements. No
  /// source: a fill. False where a number doesn't fit 64 bits.
  bool set(uint64_t bytes, const std::vector<int64_t> &extents,
           const std::vector<int64_t> &target,
           const std::vector<int64_t> *source);

  bool isEmpty() const { return rowBytes == 0; }
  /// The most calls of the driver that a copy takes, or a fill with a value,
  /// or with any; UINT64_MAX: or more.
  uint64_t countCopyCalls() const;
  uint64_t countFillCalls(std::optional<uint64_t> value) const;
  /// Starts the copy of what lies at these addresses. The same elements in the
  /// same place need none.
  Status copy(Context::Impl &context, uint64_t target, uint64_t source,
              Stream stream) const;
  /// Sets each element to the low bytes of `value`.
  Status fill(Context::Impl &context, uint64_t target, uint64_t value,
              Stream stream) const;

private:
  struct Dim {
    int64_t extent, target, source; ///< strides in bytes
  };
  /// The dimensions that each call of a copy or a fill covers around its rows.
  size_t countCopied() const;
  size_t countFilled(bool isSplit) const;
  uint64_t countElements(size_t dims) const;
  Status copyBlock(Context::Impl &context, uint64_t target, uint64_t source,
                   size_t planes, Stream stream) const;
  Status fillRows(Context::Impl &context, uint64_t target, uint64_t pitch,
                  uint64_t height, uint64_t value, Stream stream) const;
  /// Calls `run` with the offsets of all elements of the first `count`
  /// dimensions.
  template <typename Run> Status forEach(size_t count, Run run) const;

  std::vector<Dim> dims;                   ///< around rows
  uint64_t elementBytes = 0, rowBytes = 0; ///< a row is contiguous
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_MEMORYSTEP_H
