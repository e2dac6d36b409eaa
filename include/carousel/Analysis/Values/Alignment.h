//===- Alignment.h - alignment of shared addresses --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows a memref element to its allocation, and computes an alignment that
// its address can have.
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

/// The address of an element in bytes: an allocation of known alignment, plus a
/// constant, plus multiples of a step that are known only at run time.
struct AddressFacts {
  /// The alignment of the allocation, or nullopt if the allocation isn't found.
  std::optional<int64_t> baseAlignment;
  int64_t constant = 0;
  /// The greatest common divisor of all run-time terms; 0 without one.
  int64_t step = 0;

  /// The reason why the address may not be a multiple of `alignment`, or an
  /// empty string. Run-time terms are assumed to have the best value.
  std::string explainMisalignment(int64_t alignment) const;
};

/// The bytes of a memref's element in memory, or 0 if they are known only at
/// run time (index).
int64_t getElementBytes(mlir::Type type);

/// The largest number of bytes of a memref's element: an `index`, alone or in a
/// vector, counts as 8. nullopt for types that aren't stored in memory
/// (memrefs, tf32, ...).
std::optional<int64_t> getMostElementBytes(mlir::Type type);

/// Computes the facts about `memref[indices]`, through views, casts and
/// subviews.
AddressFacts computeAddressFacts(mlir::Value memref, mlir::ValueRange indices);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_ALIGNMENT_H
