//===- InitReads.h - elementwise ops that read their inits ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op without reductions may read the elements of its init, which it then
// replaces. Fusion would put such an op into more loops, where the init becomes
// an accumulator: each iteration would read what an earlier one has written.
// Here the init becomes one more input, and the op gets an empty one.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_NORMALFORM_INITREADS_H
#define CAROUSEL_PASSES_GRAPH_NORMALFORM_INITREADS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Makes inits inputs wherever ops without reductions read them.
void makeReadInitsInputs(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_NORMALFORM_INITREADS_H
