//===- VectorRelations.h - how ops relate layouts ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of the block phase by the relation between their operands' and
// results' layouts.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_VECTORRELATIONS_H
#define CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_VECTORRELATIONS_H

#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "carousel/Analysis/Layouts/LinearLayout.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace carousel {

inline bool isVector(mlir::Value value) {
  return mlir::isa<mlir::VectorType>(value.getType());
}
llvm::SmallVector<unsigned> getExtentBits(mlir::VectorType type);

/// Each thread computes any element from its coordinates: constants, masks,
/// steps, broadcast scalars. Such a value has the layout that its user wants.
bool isFree(mlir::Value vector);

/// A value on its way through a region op, with one layout.
struct CarriedValue {
  llvm::SmallVector<mlir::OpOperand *, 2> uses; ///< where it comes from
  llvm::SmallVector<mlir::Value, 2> values;     ///< what it is then
};
void forEachCarried(mlir::Operation *op,
                    llvm::function_ref<void(const CarriedValue &)> visit);

/// Whether operands have other layouts than results, which follow from each
/// other: changes of shape, and ops of other dialects with sources of their
/// own.
bool relatesLayouts(mlir::Operation *op);
/// The reason why such an op can't be distributed, or an empty string.
std::string explainRelation(mlir::Operation *op);
/// The layout of an operand from that of the results, and the reverse; nullopt
/// if there is none.
std::optional<LinearLayout> deriveOperand(mlir::OpOperand &operand,
                                          const LinearLayout &result);
std::optional<LinearLayout> deriveResult(mlir::OpOperand &operand,
                                         const LinearLayout &layout);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_VECTORRELATIONS_H
