//===- UseCodeCache.h - the cache of compiled code --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps what tools compile in the runtime's cache (docs/Runtime.md).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_MLIR_USECODECACHE_H
#define CAROUSEL_TOOLS_SUPPORT_MLIR_USECODECACHE_H

#include "carousel/Package/CompilePackage.h"
#ifndef CAROUSEL_WITHOUT_RUNTIME
#include "carousel/Runtime/CodeCache.h"
#endif

#include <atomic>
#include <memory>

namespace carousel {

/// Returns an error in the environment, or an empty string. A build without the
/// runtime keeps nothing.
inline std::string useCodeCache(CompilePackageOptions &options) {
#ifndef CAROUSEL_WITHOUT_RUNTIME
  runtime::Result<runtime::CodeCache> cache = runtime::CodeCache::open();
  if (!cache)
    return cache.error().message;
  options.code.find = [cache = *cache](llvm::StringRef key) {
    return cache.lookup(key);
  };
  // The next failure has the same reason.
  options.code.keep = [cache = *cache,
                       said = std::make_shared<std::atomic<bool>>(false)](
                          llvm::StringRef key, llvm::StringRef code) {
    runtime::Status stored = cache.store(key, code);
    return stored || said->exchange(true) ? std::string()
                                          : stored.error().message;
  };
#endif
  return {};
}

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_MLIR_USECODECACHE_H
