//===- UsageJournal.h - tracks the size of the cache ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file beside the entries. It has a record with the sum of all sizes at the
// last count, and a record for each change since. Any number of processes
// append to it. The result may be too large, after two processes have stored
// the same entry. It isn't too small for long: after a number of records, and
// if the file is missing or damaged, the entries are counted again.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CACHE_USAGEJOURNAL_H
#define CAROUSEL_RUNTIME_SRC_CACHE_USAGEJOURNAL_H

#include "Support/FileDescriptor.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

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

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_CACHE_USAGEJOURNAL_H
