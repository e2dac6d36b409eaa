//===- LoadPlan.h - what a program does once for all launches ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the steps of a program whose results follow from parameters and
// constants, in memory that no other step writes: weights in another layout,
// the numbers of norms. A launch may skip them once they have run.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_PROGRAMS_LOADPLAN_H
#define CAROUSEL_ANALYSIS_PROGRAMS_LOADPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace carousel {

/// The steps of a graph on tensors that can run at load. None of their values
/// is a result, or is put between elements that a launch computes.
llvm::SetVector<mlir::Operation *> findLoadSteps(mlir::func::FuncOp graph);

struct LoadPlan {
  llvm::SetVector<mlir::Operation *> steps;
  /// The memref.allocs that they write, which keep their elements.
  llvm::SetVector<mlir::Operation *> buffers;
};

/// Plans a program of one block on buffers: of the launches and products that
/// have carousel.at_load, and of all fills and copies, those that read only
/// parameters, constants and what other such steps write, at places that no
/// argument decides, and that write only buffers of known size which no other
/// step writes.
LoadPlan planLoad(mlir::func::FuncOp program);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_PROGRAMS_LOADPLAN_H
