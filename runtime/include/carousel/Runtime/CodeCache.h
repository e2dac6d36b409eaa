//===- CodeCache.h - code on disk by what it is made from -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compilation cache (docs/Runtime.md) for compilers that come before the
// runtime. Any number of processes and threads of one user may use it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_CODECACHE_H
#define CAROUSEL_RUNTIME_CODECACHE_H

#include "carousel/Runtime/Error.h"

#include <optional>

namespace carousel::runtime {

class CodeCache {
public:
  /// The cache that the environment names. Without one, nothing is found, and
  /// nothing is kept.
  static Result<CodeCache> open() noexcept;

  /// Returns the text stored under the key, intact.
  std::optional<std::string> lookup(std::string_view key) const noexcept;
  Status store(std::string_view key, std::string_view code) const noexcept;

private:
  CodeCache(std::string directory, uint64_t maxBytes)
      : directory(std::move(directory)), maxBytes(maxBytes) {}

  std::string directory;
  uint64_t maxBytes;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_CODECACHE_H
