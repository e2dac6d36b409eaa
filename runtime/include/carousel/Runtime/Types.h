//===- Types.h - element types and arguments of kernels ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments of a kernel: tensors in device memory and scalars.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_TYPES_H
#define CAROUSEL_RUNTIME_TYPES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

struct CUstream_st;

namespace carousel::runtime {

/// A stream of the driver: a CUstream or cudaStream_t. Null: the default
/// stream.
using Stream = CUstream_st *;

/// Element types of tensors and types of scalars. The numbers are part of the
/// C ABI.
enum class ElementType : int32_t {
  I1 = 1, ///< a byte, 0 or 1
  I8 = 2,
  I16 = 3,
  I32 = 4,
  I64 = 5,
  F16 = 6,
  BF16 = 7,
  F32 = 8,
  F64 = 9,
  F8E4M3FN = 10,
  F8E5M2 = 11,
  F8E8M0FNU = 12,
  Index = 13, ///< scalars only: an integer of the kernel's index width
};

/// Bytes of one element; 8 for an index.
size_t getBytes(ElementType type) noexcept;
/// Integers, indices and booleans.
bool isInteger(ElementType type) noexcept;
/// The spelling in a manifest: "bf16".
const char *toString(ElementType type) noexcept;
std::optional<ElementType> parseElementType(std::string_view name) noexcept;

/// The largest number of dimensions of a tensor.
inline constexpr unsigned kMaxRank = 8;

/// One argument of a launch. Doesn't own what it points to.
struct Argument {
  enum class Kind : int32_t { Tensor = 1, Scalar = 2 };
  Kind kind = Kind::Tensor;
  ElementType element = ElementType::F32;
  /// Tensors: dimensions, at most kMaxRank.
  uint32_t rank = 0;
  /// Tensors: device address of the first element.
  uint64_t data = 0;
  /// Tensors: `rank` extents in elements, outermost first.
  const int64_t *extents = nullptr;
  /// Tensors: `rank` strides in elements, or null for a contiguous tensor.
  const int64_t *strides = nullptr;
  /// Scalars: the first getBytes(element) bytes hold the value. Integers and
  /// indices are sign-extended to 64 bits.
  uint64_t value = 0;

  static Argument tensor(ElementType element, uint64_t data, uint32_t rank,
                         const int64_t *extents,
                         const int64_t *strides = nullptr) {
    return {Kind::Tensor, element, rank, data, extents, strides, 0};
  }
  static Argument index(int64_t value) {
    return {Kind::Scalar, ElementType::Index,          0, 0, nullptr,
            nullptr,      static_cast<uint64_t>(value)};
  }
  static Argument scalar(ElementType element, uint64_t bits) {
    return {Kind::Scalar, element, 0, 0, nullptr, nullptr, bits};
  }
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_TYPES_H
