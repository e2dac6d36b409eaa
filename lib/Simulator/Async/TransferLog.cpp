//===- TransferLog.cpp - the transfers of a run, counted and traced -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of operations, and the figures of a run.
//
//===----------------------------------------------------------------------===//

#include "TransferLog.h"

#include <algorithm>

namespace carousel::sim {

AsyncTrace::~AsyncTrace() = default;

uint16_t TransferLog::internName(llvm::StringRef name) {
  // Names are literals, so their addresses identify them.
  uint16_t &index = operationNames[reinterpret_cast<uint64_t>(name.data())];
  if (index == 0)
    index = memory.internOperation(name);
  return index;
}

void TransferLog::count(uint64_t bytes, uint64_t landCycles) {
  ++figures.transfers;
  figures.transferredBytes += bytes;
  figures.lastCycles = std::max(figures.lastCycles, landCycles);
}

} // namespace carousel::sim
