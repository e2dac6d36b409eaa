//===- EmptyReads.h - reads of tensors without elements ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of a tensor.empty is some value, and the same one for all that
// read it. It isn't poison: poison spreads through an `or` whose other operand
// decides, as the argmax of a pooling window has it, and LLVM then removes what
// is stored. So what is read is zero.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_NORMALFORM_EMPTYREADS_H
#define CAROUSEL_PASSES_GRAPH_NORMALFORM_EMPTYREADS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Fills each tensor.empty with zeros where an op reads its elements, also
/// those that slices of known extents leave. Inits that are only replaced stay
/// empty, and so does what has no elements.
void fillReadEmpties(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_NORMALFORM_EMPTYREADS_H
