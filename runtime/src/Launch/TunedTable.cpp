//===- TunedTable.cpp - finds measured times ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TunedTable.h.
//
//===----------------------------------------------------------------------===//

#include "TunedTable.h"

#include <algorithm>

namespace carousel::runtime {

TunedTable::TunedTable(const KernelInfo &kernel, std::string_view device) {
  for (const TunedInfo &tuned : kernel.tuned)
    if (tuned.device == device)
      entries.push_back(&tuned);
  if (entries.empty())
    return;
  values = kernel.getTunedValues();
  std::sort(entries.begin(), entries.end(),
            [](const TunedInfo *left, const TunedInfo *right) {
              return left->values < right->values;
            });
}

const TunedInfo *TunedTable::search(const BoundArgument *bound) const {
  // Negative, 0 or positive, as an entry is before the arguments, their own, or
  // after them.
  auto compare = [&](const TunedInfo &entry) {
    for (size_t i = 0; i < values.size(); ++i)
      if (int64_t value = getValue(values[i], bound); entry.values[i] != value)
        return entry.values[i] < value ? -1 : 1;
    return 0;
  };
  auto found = std::partition_point(
      entries.begin(), entries.end(),
      [&](const TunedInfo *entry) { return compare(*entry) < 0; });
  bool isOwn = found != entries.end() && compare(**found) == 0;
  return isOwn ? *found : nullptr;
}

} // namespace carousel::runtime
