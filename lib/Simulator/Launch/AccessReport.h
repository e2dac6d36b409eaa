//===- AccessReport.h - what is reported of warps' accesses -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins the counts of ops that look the same to a reader: those of an unrolled
// loop, and those of a kernel that is launched again.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_LAUNCH_ACCESSREPORT_H
#define CAROUSEL_LIB_SIMULATOR_LAUNCH_ACCESSREPORT_H

#include "../Compile/KernelModule.h"
#include "../Memory/WarpAccesses.h"

#include "carousel/Simulator/Simulator.h"

namespace carousel::sim {

class AccessReport {
public:
  /// `counts` are those of a run; `first` is the number before the one of the
  /// first op.
  void add(const AccessOps &ops, const SiteTable &sites,
           llvm::ArrayRef<WarpAccessCount> counts, uint32_t first);
  std::vector<SharedAccesses> take() { return std::move(rows); }

private:
  std::vector<SharedAccesses> rows;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_LAUNCH_ACCESSREPORT_H
