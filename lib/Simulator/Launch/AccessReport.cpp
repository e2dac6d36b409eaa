//===- AccessReport.cpp - what is reported of warps' accesses -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AccessReport.h.
//
//===----------------------------------------------------------------------===//

#include "AccessReport.h"

using namespace carousel::sim;

void AccessReport::add(const AccessOps &ops, const SiteTable &sites,
                       llvm::ArrayRef<WarpAccessCount> counts, uint32_t first) {
  uint32_t number = first;
  for (const AccessOp &op : ops) {
    ++number;
    if (number >= counts.size() || counts[number].executions == 0)
      continue;
    const WarpAccessCount &count = counts[number];
    const std::string &location = sites.describe(op.site);
    auto row = llvm::find_if(rows, [&](const SharedAccesses &known) {
      return known.location == location && known.op == op.name &&
             known.bytes == op.bytes;
    });
    if (row == rows.end())
      row = rows.insert(row, {location, op.name.str(), op.bytes});
    row->executions += count.executions;
    row->wavefronts += count.wavefronts;
    row->least += count.least;
  }
}
