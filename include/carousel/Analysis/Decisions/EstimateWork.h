//===- EstimateWork.h - the work of a loop's iterations ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates what an iteration of a loop at the tile phase costs: instructions,
// the dependent chain of a thread, barriers, registers. The counts are those of
// the code that the pipelines emit, within a factor of about 1.5.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DECISIONS_ESTIMATEWORK_H
#define CAROUSEL_ANALYSIS_DECISIONS_ESTIMATEWORK_H

#include "carousel/Analysis/Decisions/Throughput.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

/// The work of an iteration of `loop`, of thread 0 for all threads. Loops
/// inside of it count as often as they run, and once if that isn't known. The
/// kernel's block is known. Bytes are those of the transfers in the loop.
LoopWork estimateWork(mlir::gpu::GPUFuncOp kernel, mlir::scf::ForOp loop,
                      const ChipModel &chip);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DECISIONS_ESTIMATEWORK_H
