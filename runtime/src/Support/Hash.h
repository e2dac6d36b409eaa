//===- Hash.h - content hashes ----------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hashes name and verify code, so it must be infeasible to make two texts with
// one hash. docs/Rationale.md explains why this isn't a library's
// implementation.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_SUPPORT_HASH_H
#define CAROUSEL_RUNTIME_SRC_SUPPORT_HASH_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace carousel::runtime {

inline constexpr size_t kHashDigits = 64;

/// SHA-256 (FIPS 180-4) as lower-case hexadecimal digits.
std::string hashContents(std::string_view bytes);

/// The same of bytes that come in parts.
class ContentHasher {
public:
  ContentHasher();
  void add(std::string_view bytes);
  std::string finish();

private:
  static constexpr size_t kBlockBytes = 64;
  std::array<uint32_t, 8> state;
  unsigned char rest[kBlockBytes] = {}; ///< of a block that isn't whole yet
  size_t restBytes = 0;
  uint64_t allBytes = 0;
};

/// The same without the processor's instructions for it.
std::string hashContentsPortably(std::string_view bytes);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_SUPPORT_HASH_H
