//===- EqualExtents.h - extents that a graph needs to be equal --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where ops need two dynamic extents to be equal, they are one
// (docs/GraphPhase.md). The loops of structured ops say so of their operands,
// and cf.assert says so of numbers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_EQUALEXTENTS_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_EQUALEXTENTS_H

#include "../Reading/ExtentFactors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace carousel {

class EqualExtents {
public:
  explicit EqualExtents(mlir::func::FuncOp func);

  bool areEqual(const ExtentFactors &a, const ExtentFactors &b) const;

private:
  using Factor = ExtentFactors::Factor;

  void unite(const ExtentFactors &a, const ExtentFactors &b);
  /// The same extent in terms of one symbol of each class.
  ExtentFactors simplify(const ExtentFactors &extent) const;

  /// What each symbol is equal to; it may be replaced itself.
  llvm::DenseMap<Factor, ExtentFactors> replacements;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_EQUALEXTENTS_H
