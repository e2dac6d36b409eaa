//===- EngineTime.cpp - when an engine is busy ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places an operation in the first gap that is long enough.
//
//===----------------------------------------------------------------------===//

#include "EngineTime.h"

#include "../AsyncContext.h"

#include <algorithm>

namespace carousel::sim {

uint64_t EngineTime::pass(uint64_t from, uint64_t bytes) {
  uint64_t duration = bytes / kEngineBytesPerCycle;
  if (duration == 0)
    return from;
  // New intervals mostly come last.
  size_t at = busy.size();
  while (at > 0 && busy[at - 1].second > from)
    --at;
  for (; at < busy.size() && busy[at].first < from + duration; ++at)
    from = std::max(from, busy[at].second);
  uint64_t end = from + duration;
  bool joinsBefore = at > 0 && busy[at - 1].second == from;
  bool joinsAfter = at < busy.size() && busy[at].first == end;
  if (joinsBefore && joinsAfter) {
    busy[at - 1].second = busy[at].second;
    busy.erase(busy.begin() + long(at));
  } else if (joinsBefore) {
    busy[at - 1].second = end;
  } else if (joinsAfter) {
    busy[at].first = from;
  } else {
    busy.insert(busy.begin() + long(at), {from, end});
  }
  // Gaps in the far past are rarely needed.
  constexpr size_t kMostGaps = 64;
  if (busy.size() > kMostGaps)
    busy.erase(busy.begin());
  return end;
}

} // namespace carousel::sim
