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

#include <cstddef>
#include <string>
#include <string_view>

namespace carousel::runtime {

inline constexpr size_t kHashDigits = 64;

/// SHA-256 (FIPS 180-4) as lower-case hexadecimal digits.
std::string hashContents(std::string_view bytes);

/// The same without the processor's instructions for it.
std::string hashContentsPortably(std::string_view bytes);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_SUPPORT_HASH_H
