//===- PartialSums.h - what parts of a program leave ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several parts of a program reduce some of the elements each, and one of them
// combines the sums of all. docs/GraphPhase.md, Kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_KERNELS_PARTIALSUMS_H
#define CAROUSEL_PASSES_GRAPH_KERNELS_PARTIALSUMS_H

#include "../Bodies/GroupValues.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

class PartialSums {
public:
  virtual ~PartialSums() = default;

  /// How many parts there are.
  virtual mlir::Value getCount() const = 0;
  /// The part's share of elements of the divided dimension: from, to.
  virtual std::pair<mlir::Value, mlir::Value> getRange(mlir::Value from,
                                                       mlir::Value to) = 0;
  /// Leaves the partial result of the next op. It has no reduced dimension.
  virtual void leave(const GroupValue &partial) = 0;
  /// Draws a ticket, and lets what follows be executed by the last part.
  virtual mlir::scf::IfOp startLast() = 0;
  /// Reads a part's result of the op with this number: a value like \p own.
  virtual mlir::Value read(unsigned op, mlir::Value part,
                           const GroupValue &own) = 0;
};

/// The type of an online reduction's sums: f32 at least.
inline mlir::Type getSumType(mlir::Type element) {
  return mlir::isa<mlir::FloatType>(element) &&
                 element.getIntOrFloatBitWidth() < 32
             ? mlir::Float32Type::get(element.getContext())
             : element;
}

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_KERNELS_PARTIALSUMS_H
