//===- GroupBodies.h - bodies of structured ops on vectors ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes what the body of a structured op computes, for all elements of a
// vector at once. A value has only the dimensions that it depends on.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_BODIES_GROUPBODIES_H
#define CAROUSEL_PASSES_GRAPH_BODIES_GROUPBODIES_H

#include "GroupValues.h"
#include "WideFloats.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <functional>

namespace carousel {

/// Values of a body, by those of the op.
using BodyValues = llvm::DenseMap<mlir::Value, GroupValue>;

class BodyWriter {
public:
  /// Elements of a tensor that a body extracts at indices, where the condition
  /// holds. It is null if it always does.
  using ExtractElement = std::function<GroupValue(
      mlir::Value tensor, llvm::ArrayRef<GroupValue> indices,
      const GroupValue &condition)>;

  /// `loops`: the schedule's dimension of each loop of the op.
  /// `allowsReciprocals`: quotients of f32 may be off by 2 ulp.
  BodyWriter(GroupVectors &vectors, llvm::ArrayRef<unsigned> loops,
             ExtractElement extractElement, bool allowsReciprocals)
      : vectors(vectors), loops(loops),
        extractElement(std::move(extractElement)),
        allowsReciprocals(allowsReciprocals),
        isWide(vectors.schedule.family == ScheduleFamily::Stream) {}

  /// Computes all values of the body that `results` need; `values` has those of
  /// the block's arguments and of what it uses from outside.
  mlir::LogicalResult write(mlir::linalg::LinalgOp op,
                            llvm::ArrayRef<mlir::Value> results,
                            BodyValues &values);

private:
  mlir::LogicalResult write(mlir::Operation *op, BodyValues &values);
  mlir::LogicalResult writeIf(mlir::scf::IfOp op, BodyValues &values);
  mlir::LogicalResult writeFor(mlir::scf::ForOp op, BodyValues &values);
  mlir::Value findLargest(const GroupValue &numbers, const GroupValue &least);
  mlir::LogicalResult writeBranch(mlir::Block *block,
                                  const GroupValue &condition,
                                  BodyValues &values);
  GroupValue select(const GroupValue &condition, const GroupValue &ifTrue,
                    const GroupValue &ifFalse);
  /// A choice between two values by the parity of an index, as pairs; nothing
  /// for other choices.
  std::optional<GroupValue> interleave(mlir::arith::SelectOp op,
                                       llvm::ArrayRef<GroupValue> operands);
  mlir::FailureOr<GroupValue> find(mlir::Value value, BodyValues &values);
  /// Widens a value where one of two branches, or of a loop's iterations, may
  /// compute what another one extracts from memory.
  GroupValue widenIfWide(const GroupValue &value) {
    return isWide ? widen(vectors, value) : value;
  }
  void writeElementwise(mlir::Operation *op,
                        llvm::ArrayRef<GroupValue> operands,
                        BodyValues &values);
  bool mayBeApproximate(mlir::Operation *quotient) const;
  /// Writes a quotient by numbers that elements have in common as a product
  /// with their reciprocals, if these may be approximate; nothing for other
  /// ops.
  std::optional<GroupValue>
  writeRowQuotient(mlir::Operation *op, llvm::ArrayRef<GroupValue> operands);
  /// Writes ops of online reductions: an exponential as one multiply-add and an
  /// instruction, or a rounding that isn't done; nothing for other ops.
  std::optional<GroupValue> writeWide(mlir::Operation *op,
                                      llvm::ArrayRef<GroupValue> operands,
                                      BodyValues &values);

  GroupVectors &vectors;
  llvm::ArrayRef<unsigned> loops;
  ExtractElement extractElement;
  bool allowsReciprocals;
  /// Elements of fewer than 32 bits are computed as f32, and rounded where they
  /// leave the loop or are multiplied by matrix instructions.
  bool isWide;
  /// For which elements the op at hand is executed.
  GroupValue condition;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_BODIES_GROUPBODIES_H
