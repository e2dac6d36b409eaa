//===- CacheOptions.h - place and size limit of the disk cache --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ContextOptions take precedence over environment variables, and these over the
// defaults.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CACHE_CACHEOPTIONS_H
#define CAROUSEL_RUNTIME_SRC_CACHE_CACHEOPTIONS_H

#include "carousel/Runtime/Context.h"

#include <cstdint>
#include <string>

namespace carousel::runtime {

struct CacheOptions {
  /// Empty if there is no home directory.
  std::string directory;
  uint64_t maxBytes = 0;
};

/// InvalidArgument where a variable that counts has a value that it can't have.
Result<CacheOptions> readCacheOptions(const ContextOptions &options);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_CACHE_CACHEOPTIONS_H
