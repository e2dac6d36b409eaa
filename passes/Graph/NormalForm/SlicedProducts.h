//===- SlicedProducts.h - products whose halves meet ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models write a gate by one matrix: the halves of a product meet in an
// elementwise op. Two products by halves of the matrix can be one kernel with
// that op. docs/GraphPhase.md, Gates.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_NORMALFORM_SLICEDPRODUCTS_H
#define CAROUSEL_PASSES_GRAPH_NORMALFORM_SLICEDPRODUCTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Makes two products of each one that only two slices read, possibly behind an
/// elementwise op, if one elementwise op reads both slices. Returns how many it
/// has cut.
unsigned cutProducts(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_NORMALFORM_SLICEDPRODUCTS_H
