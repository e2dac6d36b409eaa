//===- DiskCache.h - compiled code on disk ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A directory of files, each with a key, a payload and a hash. Any number of
// processes of one user may share it. A rename publishes a file. Damaged or
// foreign files are removed and count as absent. The oldest files are removed
// when the cache exceeds its limit. A directory that other users can write to
// isn't used.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CACHE_DISKCACHE_H
#define CAROUSEL_RUNTIME_SRC_CACHE_DISKCACHE_H

#include "carousel/Runtime/Error.h"

#include <optional>
#include <string>
#include <string_view>

namespace carousel::runtime {

class DiskCache {
public:
  /// No directory is made before the first store. `maxBytes` 0: nothing is
  /// kept and nothing found, and neither is an error. An empty `directory`:
  /// nothing is found and a store is an error.
  DiskCache(std::string directory, uint64_t maxBytes);

  /// The payload stored under `key`, intact, or nothing. Marks it as used.
  std::optional<std::string> lookup(std::string_view key) const;
  /// Stores a payload; then, if all files together exceed the bound, removes
  /// those used longest ago until they are a tenth below it. An entry that
  /// alone exceeds the bound is an error. A failure leaves the cache as it was;
  /// the caller may ignore it.
  Status store(std::string_view key, std::string_view payload) const;
  /// Removes what is stored under `key`, if anything is and can be removed.
  void remove(std::string_view key) const;

  const std::string &getDirectory() const { return directory; }

private:
  std::string directory;
  uint64_t maxBytes;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_CACHE_DISKCACHE_H
