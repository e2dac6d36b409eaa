//===- CacheDirectory.h - where the cache is --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime executes code from disk, so no other user may be able to put it
// there. The directory and all files in it belong to the effective user. Others
// can write neither to them nor to the directories above. ContextOptions take
// precedence over environment variables, and these over the defaults.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CACHE_CACHEDIRECTORY_H
#define CAROUSEL_RUNTIME_SRC_CACHE_CACHEDIRECTORY_H

#include "carousel/Runtime/Context.h"
#include "carousel/Runtime/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

namespace carousel::runtime {

/// Opens a directory, which the caller closes. With `make`, creates it and its
/// parents if necessary, for this user only. NotFound if it doesn't exist. An
/// error about other users' rights is also printed to stderr, once. A symbolic
/// link is checked like the directory that contains it.
Result<int> openOwnDirectory(const std::string &path, bool make);

/// The same for a directory in one that is open.
Result<int> openOwnDirectory(int parent, const std::string &name);

/// A name for a temporary file: unique among all processes that share a
/// directory, other machines' and other containers' too.
std::string makeTemporaryName(std::string_view start);
bool isTemporaryName(std::string_view name);

/// An open directory's names, in no order, with "." and "..".
std::vector<std::string> listNames(int directory);

/// Removes a directory and all that is in it, as far as it can.
void removeTree(int parent, const std::string &name);

/// Makes room for a file whose name a directory has. What is in it is put aside
/// among the temporary files first, at once, so that a process that dies while
/// it removes leaves only what others remove.
void removeDirectory(int parent, const std::string &name, int temporaries);

/// Writes a line to stderr, once in a process.
void sayOnce(const std::string &message);

/// Whether an open file is a regular one that only this user can write to.
bool isOwnFile(const struct stat &status);

/// Counts a file's bytes on disk: its size, unless it has holes.
uint64_t countBytes(const struct stat &status);

struct CacheOptions {
  /// Empty if there is no home directory.
  std::string directory;
  uint64_t maxBytes = 0;
};

/// InvalidArgument where a variable that counts has a value that it can't have.
Result<CacheOptions> readCacheOptions(const ContextOptions &options);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_CACHE_CACHEDIRECTORY_H
