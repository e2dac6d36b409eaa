//===- Divisibility.h - known divisors of indices ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows integers of a kernel through arithmetic, loops and branches. For each
// it computes a known divisor, whether it can be negative, and which conditions
// on the kernel's arguments would give a larger divisor. Signed index
// arithmetic is assumed not to overflow 64 bits. Arithmetic of fewer bits or
// without a sign isn't.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_DIVISIBILITY_H
#define CAROUSEL_ANALYSIS_VALUES_DIVISIBILITY_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

#include <cstdint>
#include <memory>

namespace carousel {

/// Whether each multiple of `known` is a multiple of `wanted`. Everything
/// divides 0.
inline bool isMultiple(int64_t known, int64_t wanted) {
  return known % wanted == 0;
}

/// The condition that `value` is a multiple of `divisor`. The value is known at
/// launch: an integer argument of the kernel, or the result of a `memref.dim`.
struct DivisibilityNeed {
  mlir::Value value;
  int64_t divisor;
};

class Divisibility {
public:
  /// Analyses the values of a kernel, which must not change in the lifetime of
  /// this object.
  Divisibility();
  ~Divisibility();

  /// The largest known divisor of the value: 1 if nothing is known, 0 if the
  /// value is 0.
  int64_t getMultiple(mlir::Value value) const;
  int64_t getMultiple(mlir::OpFoldResult value) const;

  /// Whether the value, as a signed number, is known to be 0 or more.
  bool isNonNegative(mlir::Value value) const;

  /// Adds to `needs` the conditions under which `value` is a multiple of
  /// `divisor`; none if it always is. `divisor` is a power of two, so that
  /// arithmetic of any width keeps the property. Fails, and doesn't change
  /// `needs`, if no conditions on the launch suffice.
  mlir::LogicalResult
  require(mlir::Value value, int64_t divisor,
          mlir::SmallVectorImpl<DivisibilityNeed> &needs) const;

private:
  /// Computed on demand.
  struct Analyses;
  std::unique_ptr<Analyses> analyses;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_DIVISIBILITY_H
