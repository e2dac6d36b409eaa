//===- Evaluate.h - evaluates expressions and guards ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates expressions and guards of a manifest with the arguments of a
// launch. The functions that a warm launch calls allocate no memory; the others
// make messages.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_BIND_EVALUATE_H
#define CAROUSEL_RUNTIME_SRC_BIND_EVALUATE_H

#include "carousel/Runtime/Manifest.h"

#include <optional>

namespace carousel::runtime {

/// An argument that was found to fit its ArgumentInfo. Strides are always
/// there, in elements.
struct BoundArgument {
  uint64_t data = 0;
  int64_t extents[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};
  /// Bits of the dimensions of a tensor whose stride no access depends on,
  /// since they have one element at most.
  uint8_t loose = 0;
  int64_t scalar = 0; ///< integers and indices: the value
  uint64_t bytes = 0; ///< workspaces

  int64_t getStride(unsigned dim, bool loosens) const {
    return loosens && (loose >> dim & 1) ? 0 : strides[dim];
  }
};

/// The values that expressions and guards refer to.
struct Environment {
  const BoundArgument *arguments = nullptr;
  int64_t multiprocessors = 0;
  int computeCapability = 0;
  int64_t resident = 0; ///< blocks of a loaded variant; only grids name it
  bool loosens = false; ///< strides that no access depends on count as 0
};

/// The value, or nothing where 64 bits overflow or a divisor isn't positive.
std::optional<int64_t> evaluate(const Expression &expression,
                                const Environment &environment);

/// Why evaluate() gives nothing, one line, for the innermost part that has no
/// value: "expected x.extent(0) * 4096 to fit 64 bits, got 9007199254740992 *
/// 4096".
std::string explainNoValue(const Expression &expression,
                           const SignatureInfo &signature,
                           const Environment &environment);

/// Whether the guard holds. A value that can't be computed doesn't.
bool holds(const Guard &guard, const Environment &environment);

/// Why the guard doesn't hold, one line: "expected x aligned to 16 bytes, got
/// the address 0x7f0000000004"; "expected x.extent(0) to be a multiple of 4,
/// got 1001".
std::string explainFailure(const Guard &guard, const SignatureInfo &signature,
                           const Environment &environment);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_BIND_EVALUATE_H
