//===- DiskCache.h - code on disk -------------------------------*- C++ -*-===//
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
// The journal is a file beside the entries. It has a record with the sum of all
// sizes at the last count, and a record for each change since. Any number of
// processes append to it. The result may be too large, after two processes have
// stored the same entry. It isn't too small for long: after a number of
// records, and if the file is missing or damaged, the entries are counted
// again.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CACHE_DISKCACHE_H
#define CAROUSEL_RUNTIME_SRC_CACHE_DISKCACHE_H

#include "Support/FileDescriptor.h"

#include "carousel/Runtime/Error.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace carousel::runtime {

class UsageJournal {
public:
  /// `directory` is the cache's, `temporary` one of the same file system; both
  /// stay open for longer than this.
  UsageJournal(int directory, int temporary)
      : directory(directory), temporary(temporary) {}

  /// Notes a change in bytes, and returns the sum. None where it has to be
  /// counted anew.
  std::optional<uint64_t> append(int64_t change) const;
  /// Counts anew until the sum is at most `most`, unless another process is at
  /// it. `count` removes what is too much and returns what is left.
  void recount(uint64_t most, const std::function<uint64_t()> &count) const;

  static constexpr const char *kFile = "usage.journal";

private:
  struct Contents {
    ino_t inode = 0;
    std::string records;
  };
  int open() const;
  std::optional<Contents> read(int file) const;
  std::optional<uint64_t> replace(uint64_t counted,
                                  const Contents &before) const;

  int directory;
  int temporary;
};

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
