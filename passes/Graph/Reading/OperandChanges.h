//===- OperandChanges.h - changes of a structured op's operands -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How what a structured op computes changes with each of its operands.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_OPERANDCHANGES_H
#define CAROUSEL_PASSES_GRAPH_READING_OPERANDCHANGES_H

#include "carousel/Analysis/Graph/GraphProblem.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallBitVector.h"

namespace carousel {

/// Sets `shifted`, `scaled` and `replaced` of an op's input: for what the op
/// computes, or what its reduction combines with the result. They stay unknown
/// for ops with several results.
void findOperandChanges(mlir::linalg::LinalgOp op, mlir::OpOperand *input,
                        GraphAccess &read);

/// The loops that values of an op's body vary along.
class LoopFinder {
public:
  explicit LoopFinder(mlir::linalg::LinalgOp op) : op(op) {}

  const llvm::SmallBitVector &find(mlir::Value value);

private:
  llvm::SmallBitVector compute(mlir::Value value);

  mlir::linalg::LinalgOp op;
  OperandFold<llvm::SmallBitVector> loops;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_OPERANDCHANGES_H
