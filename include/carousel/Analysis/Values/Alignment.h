//===- Alignment.h - what is known of a shared address ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows a memref element to its allocation and says what its address can be a
// multiple of.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_ALIGNMENT_H
#define CAROUSEL_ANALYSIS_VALUES_ALIGNMENT_H

#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"

#include <cstdint>
#include <optional>
#include <string>

namespace carousel {

/// The address of an element: an allocation of known alignment, a constant, and
/// multiples of a step that only run time knows. All in bytes.
struct AddressFacts {
  /// What the allocation promises, or nothing if it can't be found.
  std::optional<int64_t> baseAlignment;
  int64_t constant = 0;
  /// The greatest common divisor of all run-time terms; 0 without one.
  int64_t step = 0;

  /// Why the address can't be relied on to be a multiple of `alignment`, or an
  /// empty string. Run-time terms count as whatever helps.
  std::string explainMisalignment(int64_t alignment) const;
};

/// The bytes of an element of a memref as it lies in memory, or 0 if only run
/// time knows (index).
int64_t getElementBytes(mlir::Type type);

/// The most bytes that an element of a memref takes: an `index`, alone or in a
/// vector, counts as 8. Nothing for types that don't lie in memory (memrefs,
/// tf32, ...).
std::optional<int64_t> getMostElementBytes(mlir::Type type);

/// The facts about `memref[indices]`, looking through views, casts and
/// subviews.
AddressFacts computeAddressFacts(mlir::Value memref, mlir::ValueRange indices);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_ALIGNMENT_H
