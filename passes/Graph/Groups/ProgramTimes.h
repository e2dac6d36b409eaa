//===- ProgramTimes.h - how long the steps of a program take ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A remark for each kernel and each call of a library that a program launches,
// with its bytes, its operations, the least time by the chip's roofline and the
// predicted time (GroupTimes.h), and one with the sums. Steps that are
// predicted to take more than three times the least one, and more than 2 % of
// the program, are warnings with the cause.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPS_PROGRAMTIMES_H
#define CAROUSEL_PASSES_GRAPH_GROUPS_PROGRAMTIMES_H

#include "../Decisions/DecisionLog.h"

#include "carousel/Analysis/Graph/GroupTimes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace carousel {

/// `times` are those of launches in the program.
void logProgramTimes(mlir::func::FuncOp program,
                     const llvm::DenseMap<mlir::Operation *, GroupTime> &times,
                     DecisionLog &log);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPS_PROGRAMTIMES_H
