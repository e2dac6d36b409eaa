//===- SelectedReads.h - reads that a selection discards --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends read at an index that may be outside of a tensor, and select
// another value where it is. Such a read happens only under the condition of
// the selection: elsewhere, it would be of other memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_SELECTEDREADS_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_SELECTEDREADS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Whether each use of a value, in the body of a structured op, is under a
/// condition: by an arith.select that may take another value, or in an scf.if.
bool isOnlySelected(mlir::Value value);

/// Takes such reads into an scf.if unless they are known to be inside of their
/// tensors. Returns how many.
unsigned guardSelectedReads(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_SELECTEDREADS_H
