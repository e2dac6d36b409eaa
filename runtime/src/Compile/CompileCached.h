//===- CompileCached.h - NVRTC behind the disk cache ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements compileCUDA for callers that have already opened the libraries and
// the cache. Also makes the keys of cache entries.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILE_COMPILECACHED_H
#define CAROUSEL_RUNTIME_SRC_COMPILE_COMPILECACHED_H

#include "Cache/DiskCache.h"
#include "NVRTC.h"

#include <optional>

namespace carousel::runtime {

/// Adds a line to a key. With its length, so that no two lists of values make
/// the same key, whatever characters they have.
void appendToKey(std::string &key, std::string_view label,
                 std::string_view value);
/// Its name, size and hash.
void appendToKey(std::string &key, std::string_view label,
                 const CUDASource &source);

/// Packs it as a payload of the cache. The code comes last.
std::string pack(const Compiled &compiled);
std::optional<Compiled> unpack(std::string_view payload);

/// All that an input's code depends on, for a cache's key.
std::vector<std::string> describeInput(const CompilerInput &input);

/// Looks in the cache, compiles where it isn't there, and stores it, where that
/// may be. `messages` gets warnings in either case, and errors.
Result<Compiled> compileCached(Libraries &libraries, const DiskCache &cache,
                               const CompilerInput &input, CodeKind kind,
                               CompileMessages *messages);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_COMPILECACHED_H
