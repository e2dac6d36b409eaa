//===- EngineReductions.h - reductions into one memref ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Engines reduce through the async proxy, threads through the generic one, and
// PTX promises atomicity only within a proxy (docs/MemoryModel.md). CTAs reduce
// at the same time, so no fence helps: reductions into one memref are all by
// engines, or all by threads. In: a kernel's transfers and what each engine
// costs. Out: for each reduction that has company, who makes it and why.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_ENGINES_ENGINEREDUCTIONS_H
#define CAROUSEL_LIB_ANALYSIS_ENGINES_ENGINEREDUCTIONS_H

#include "EngineCandidates.h"

#include "llvm/ADT/DenseMap.h"

#include <string>

namespace carousel {

struct ReductionRule {
  bool byThreads = false;
  /// An engine that is given asks things of all launches; this one may, too.
  bool besideGiven = false;
  /// What decided it, for a remark.
  std::string why;
};

/// Reductions without a rule are free to choose. Where engines that are given
/// contradict each other, or atomics of the kernel's own, `faults` says so.
using ReductionRules = llvm::DenseMap<mlir::Operation *, ReductionRule>;
ReductionRules planReductions(mlir::gpu::GPUFuncOp kernel,
                              llvm::ArrayRef<TransferFacts> transfers,
                              GuardUse use, std::optional<EngineKind> preferred,
                              std::vector<EngineFault> &faults);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_ENGINES_ENGINEREDUCTIONS_H
