//===- ConstantCopies.h - constants that are moved ---------------*- C++
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model's weights may be constants. Transposing them is work for the
// compiler, not for each launch.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_NORMALFORM_CONSTANTCOPIES_H
#define CAROUSEL_PASSES_GRAPH_NORMALFORM_CONSTANTCOPIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Structured ops that only move the elements of one constant, and write none
/// of them twice, become constants.
void foldConstantCopies(mlir::func::FuncOp func);

/// Gives constants of one element that are resources an attribute instead, so
/// that upstream's patterns read the number and kernels needn't load it.
void readConstantNumbers(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_NORMALFORM_CONSTANTCOPIES_H
