//===- SliceChecks.h - slices inside of their tensors -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice that isn't inside of its tensor would be other memory. Where
// constants don't show that it is, cf.assert compares offsets, sizes and
// extents.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PROGRAMS_SLICECHECKS_H
#define CAROUSEL_PASSES_GRAPH_PROGRAMS_SLICECHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Checks all tensor.extract_slice and insert_slice of a program (C294).
mlir::LogicalResult checkSlices(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PROGRAMS_SLICECHECKS_H
