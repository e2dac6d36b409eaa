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
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace carousel {

class EqualExtents {
public:
  explicit EqualExtents(mlir::func::FuncOp func);

  /// Adds the equations of an op.
  void add(mlir::Operation *op);
  bool areEqual(const ExtentFactors &a, const ExtentFactors &b) const;
  /// Whether an op has said something of an extent of the tensor, or of the
  /// number.
  bool knows(mlir::Value value) const { return values.contains(value); }

private:
  using Factor = ExtentFactors::Factor;

  void unite(const ExtentFactors &a, const ExtentFactors &b);
  /// The same extent in terms of one symbol of each class.
  ExtentFactors simplify(const ExtentFactors &extent) const;

  /// The equal of each symbol; it may be replaced itself.
  llvm::DenseMap<Factor, ExtentFactors> replacements;
  /// Those of all replacements.
  llvm::DenseSet<mlir::Value> values;
};

/// The equal extents of a function while patterns rewrite it. They are found at
/// the first question, and then by each new op: to read the whole function for
/// each question takes time with the square of its length.
class EqualExtentsListener : public mlir::RewriterBase::Listener {
public:
  explicit EqualExtentsListener(mlir::func::FuncOp func) : func(func) {}

  bool areEqual(const ExtentFactors &a, const ExtentFactors &b);

  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override;
  void notifyOperationModified(mlir::Operation *op) override;
  void notifyOperationErased(mlir::Operation *op) override;

private:
  mlir::func::FuncOp func;
  std::optional<EqualExtents> found;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_EQUALEXTENTS_H
