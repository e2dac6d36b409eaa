//===- Divisibility.h - what indices are multiples of -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows integers of a kernel through arithmetic, loops and branches and says
// what each is a multiple of, whether it can be negative, and what would have
// to hold of the kernel's arguments for more. Signed index arithmetic is taken
// not to leave 64 bits; powers of two would survive that, too. That of fewer
// bits, or without a sign, is not.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_DIVISIBILITY_H
#define CAROUSEL_ANALYSIS_VALUES_DIVISIBILITY_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

#include <cstdint>
#include <memory>

namespace carousel {

/// Whether a multiple of `known` is one of `wanted`. Everything divides 0.
inline bool isMultiple(int64_t known, int64_t wanted) {
  return known % wanted == 0;
}

/// "`value` is a multiple of `divisor`", of a number that only a launch knows:
/// an integer argument of the kernel, or the result of a `memref.dim`.
struct DivisibilityNeed {
  mlir::Value value;
  int64_t divisor;
};

class Divisibility {
public:
  /// Of the values of a kernel that doesn't change as long as this is used.
  Divisibility();
  ~Divisibility();

  /// The largest number that the value is known to be a multiple of: 1 if
  /// nothing is known, 0 if the value is 0.
  int64_t getMultiple(mlir::Value value) const;
  int64_t getMultiple(mlir::OpFoldResult value) const;

  /// Whether the value, as a signed number, is known to be 0 or more.
  bool isNonNegative(mlir::Value value) const;

  /// Adds to `needs` what makes `value` a multiple of `divisor`, a power of
  /// two, which arithmetic of any number of bits keeps; nothing if it is one.
  /// Fails, and leaves `needs` alone, where nothing that a launch could check
  /// does.
  mlir::LogicalResult
  require(mlir::Value value, int64_t divisor,
          mlir::SmallVectorImpl<DivisibilityNeed> &needs) const;

private:
  /// Found when they are asked for.
  struct Analyses;
  std::unique_ptr<Analyses> analyses;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_DIVISIBILITY_H
