//===- TensorMap.h - descriptors of tensor copies ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the rules of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, then
// encodes a tensor map. The checks need no driver.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_TENSORMAP_H
#define CAROUSEL_RUNTIME_TENSORMAP_H

#include "carousel/Runtime/Manifest.h"

#include <array>

namespace carousel::runtime {

class Context;

/// The values that a tensor map depends on besides its format. Lists are
/// outermost first.
struct TensorMapSource {
  uint64_t address = 0;
  uint32_t rank = 0;
  std::array<int64_t, kMaxTensorMapRank> extents = {}; ///< elements of the map
  /// The strides of all dimensions but the innermost, in bytes.
  std::array<int64_t, kMaxTensorMapRank - 1> strides = {};
};

/// A CUtensorMap: 128 opaque bytes.
struct alignas(128) TensorMap {
  std::array<uint64_t, 16> words = {};

  /// Checks every rule that the driver documents for this format, in the
  /// documented order, and those that it doesn't document (docs/Runtime.md).
  /// Needs no driver. `name` is the tensor's name in the message:
  /// "x: expected global strides at multiples of 16 bytes, got 1000 in
  /// dimension 0".
  static Status check(const TensorMapFormat &format,
                      const TensorMapSource &source,
                      std::string_view name) noexcept;

  /// Checks, then encodes.
  static Result<TensorMap> encode(const Context &context,
                                  const TensorMapFormat &format,
                                  const TensorMapSource &source,
                                  std::string_view name = "tensor") noexcept;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_TENSORMAP_H
