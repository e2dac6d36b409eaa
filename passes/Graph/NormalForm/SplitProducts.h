//===- SplitProducts.h - long products of few tiles -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of few tiles that sums over many elements needs more programs than
// tiles. Up to 16 parts of a tile add what they have in the kernel itself
// (GroupDivision.h): the last one reads the sums of all. With more parts it
// would read for longer than the product takes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_NORMALFORM_SPLITPRODUCTS_H
#define CAROUSEL_PASSES_GRAPH_NORMALFORM_SPLITPRODUCTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Makes two ops of each product that needs more than 16 parts: a batch of
/// products, one for each part, and their sum, in the order of the parts. The
/// factors are narrow floats, extents are known, and parts are of equal length.
/// How many there are depends on extents only (OrderOfSums.h). Returns how many
/// products have become batches.
unsigned splitProducts(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_NORMALFORM_SPLITPRODUCTS_H
