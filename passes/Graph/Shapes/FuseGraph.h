//===- FuseGraph.h - fusion of elementwise ops ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that rewrite a graph in its normal form call this after a change.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_FUSEGRAPH_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_FUSEGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Fuses ops, simplifies their bodies and moves reshapes to arguments and
/// results, as --carousel-fuse-graph does. Fails with an error.
mlir::LogicalResult fuseGraph(mlir::func::FuncOp func);

/// Elementwise ops whose operands are constants, and constants that are put
/// into a fill, become constants. Their bodies have ops of arith that round to
/// the nearest even number, or not at all; what is NaN somewhere stays. So does
/// what would make a package larger by more than 4 KiB and 1/8 of the operands,
/// or take the compiler more than 2^24 steps (2^26 for a function). Ops are in
/// the form before fusion, which would join them with others.
void foldConstantArithmetic(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_FUSEGRAPH_H
