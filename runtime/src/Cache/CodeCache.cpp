//===- CodeCache.cpp - code on disk by what it is made from ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CodeCache.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/CodeCache.h"

#include "CacheOptions.h"
#include "DiskCache.h"

namespace carousel::runtime {

Result<CodeCache> CodeCache::open() noexcept {
  CAROUSEL_TRY_ASSIGN(CacheOptions options, readCacheOptions({}));
  return CodeCache(std::move(options.directory), options.maxBytes);
}

std::optional<std::string>
CodeCache::lookup(std::string_view key) const noexcept {
  return DiskCache(directory, maxBytes).lookup(key);
}

Status CodeCache::store(std::string_view key,
                        std::string_view code) const noexcept {
  return DiskCache(directory, maxBytes).store(key, code);
}

} // namespace carousel::runtime
