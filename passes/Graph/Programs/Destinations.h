//===- Destinations.h - what ops of a program write to ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization puts a tensor, what an op writes into it, and what it begins as
// into one buffer. If results get the memory of arguments, a value that is
// needed apart from what is written over it would be lost: such values get a
// tensor of their own before.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PROGRAMS_DESTINATIONS_H
#define CAROUSEL_PASSES_GRAPH_PROGRAMS_DESTINATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Results of the function are bufferization.materialize_in_destination without
/// results. Fills and empty tensors that several ops write to are cloned; any
/// other value that several ops write to, or that is a result as well, is
/// copied for them. So are values within long chains of insertions.
void separateDestinations(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PROGRAMS_DESTINATIONS_H
