//===- EngineReductions.h - reductions into one memref ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses between engines and threads for reductions into one memref. Engines
// reduce through the async proxy, and threads through the generic proxy. PTX
// promises atomicity only within a proxy (docs/MemoryModel.md), and no fence
// helps, because CTAs reduce at the same time. So engines make all reductions
// into a memref, or threads make all of them.
//
// In: a kernel's transfers, and the costs of each engine. Out: for each of
// several reductions into one memref, whether engines make it, and why.
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
  /// Another reduction has a given engine, which puts conditions on all
  /// launches. This reduction may do so, too.
  bool besideGiven = false;
  /// The reason for the choice, for a remark.
  std::string why;
};

/// Rules by reduction. Reductions without a rule may use engines or threads. If
/// given engines contradict each other, or the kernel's own atomics, `faults`
/// reports it.
using ReductionRules = llvm::DenseMap<mlir::Operation *, ReductionRule>;
ReductionRules planReductions(mlir::gpu::GPUFuncOp kernel,
                              llvm::ArrayRef<TransferFacts> transfers,
                              GuardUse use, std::optional<EngineKind> preferred,
                              std::vector<EngineFault> &faults);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_ENGINES_ENGINEREDUCTIONS_H
