//===- LowerValues.h - ops on vectors as loops over elements ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function lowers the ops of one kind, at the builder's position. They
// return false for another op, and failure after an error. `mask` is that of
// the vector.mask around the op, or null.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_BLOCK_LOWERVALUES_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_BLOCK_LOWERVALUES_H

#include "ValueAccess.h"

namespace carousel::sim {

/// The run's ops (ValuePlan.h), before the last one.
void lowerRun(ValueAccess &access, llvm::ArrayRef<mlir::Operation *> run);
/// Constants, masks, ops of other dialects, and ops that move elements.
mlir::FailureOr<bool> lowerElements(mlir::ImplicitLocOpBuilder &b,
                                    ValueAccess &access, mlir::Operation *op);
mlir::FailureOr<bool> lowerMoves(mlir::ImplicitLocOpBuilder &b,
                                 ValueAccess &access, mlir::Operation *op);
/// Reads and writes of memrefs.
mlir::FailureOr<bool> lowerAccesses(mlir::ImplicitLocOpBuilder &b,
                                    ValueAccess &access, mlir::Operation *op,
                                    mlir::Value mask);
mlir::FailureOr<bool> lowerReductions(mlir::ImplicitLocOpBuilder &b,
                                      ValueAccess &access, mlir::Operation *op,
                                      mlir::Value mask);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_BLOCK_LOWERVALUES_H
