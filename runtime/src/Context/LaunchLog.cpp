//===- LaunchLog.cpp - recent launches that may have failed ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchLog.h"

#include <algorithm>
#include <cstring>

namespace carousel::runtime {

void LaunchLog::forget(CUstream stream, uint64_t upTo) {
  bool pending = false;
  for (Entry &entry : entries) {
    uint64_t number = entry.number.load(std::memory_order_acquire);
    if (number <= upTo &&
        entry.stream.load(std::memory_order_relaxed) == getKey(stream))
      entry.waited.store(number, std::memory_order_relaxed);
    pending |= entry.isPending();
  }
  // What was overwritten may have been on any stream, so it counts until
  // nothing is left.
  if (!pending)
    overflowed.store(false, std::memory_order_relaxed);
}

std::string LaunchLog::getSuspects() const {
  struct Suspect {
    uint64_t number;
    const char *name;
  };
  std::array<Suspect, kSize> suspects;
  size_t count = 0;
  for (const Entry &entry : entries)
    if (entry.isPending())
      suspects[count++] = {entry.number.load(std::memory_order_acquire),
                           entry.name.load(std::memory_order_relaxed)};
  std::sort(
      suspects.begin(), suspects.begin() + count,
      [](const Suspect &a, const Suspect &b) { return a.number > b.number; });

  std::string list;
  size_t distinct = 0;
  for (size_t i = 0; i < count; ++i) {
    auto same = [&](const Suspect &other) {
      return std::strcmp(other.name, suspects[i].name) == 0;
    };
    if (std::any_of(suspects.begin(), suspects.begin() + i, same))
      continue;
    if (distinct++ > 0)
      list += ", ";
    list += suspects[i].name;
  }
  if (distinct == 0)
    return "a kernel launched elsewhere or by a graph";
  bool more = overflowed.load(std::memory_order_relaxed);
  if (distinct == 1 && !more)
    return list;
  return "one of " + list + (more ? " or of earlier ones" : "") +
         " (launched and not waited for, the latest first)";
}

} // namespace carousel::runtime
