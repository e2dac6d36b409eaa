//===- EqualTerms.h - values that differ by a number ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the terms of a sum in the body of an op, and all that they are
// computed from. They are equal if they differ only by constants and by slices
// of tensors whose numbers ascend by one from term to term.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_GROUPED_EQUALTERMS_H
#define CAROUSEL_PASSES_GRAPH_GROUPED_EQUALTERMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace carousel {

/// Tensors of the terms, one of each.
struct EqualTensors {
  llvm::SmallVector<mlir::Value> values;
  /// Where they are slices along the first dimension: what of, and the number
  /// of the first one.
  mlir::Value source;
  int64_t first = 0;
  /// Where ops compute them: the one of the first term.
  mlir::linalg::GenericOp op;

  bool areOne() const { return llvm::all_equal(values); }
};

class EqualTerms {
public:
  /// Of values in the body of an elementwise op.
  EqualTerms(mlir::linalg::GenericOp sum, llvm::ArrayRef<mlir::Value> terms);

  /// Empty, or why the terms aren't equal.
  const std::string &getReason() const { return reason; }
  /// Whether a term compares the number.
  bool compareNumbers() const { return choices != 0; }
  /// How often, as there may be a comparison for each choice of a token.
  int64_t getChoices() const { return choices; }
  int64_t size() const { return count; }

  /// What the first term is computed from in its body.
  const llvm::SetVector<mlir::Operation *> &getOps() const { return ops; }
  /// Inputs of the op that the first term reads.
  llvm::ArrayRef<mlir::BlockArgument> getInputs() const {
    return inputs.getArrayRef();
  }
  /// By the first term's tensor.
  const EqualTensors &find(mlir::Value tensor) const {
    return tensors.find(tensor)->second;
  }
  /// The ops that differ, each behind those that it reads.
  llvm::ArrayRef<mlir::linalg::GenericOp> getStacked() const { return stacked; }
  /// The number of an operand of the first term that differs, less that of the
  /// term.
  std::optional<int64_t> findNumber(mlir::OpOperand &operand) const;

private:
  using Values = llvm::SmallVector<mlir::Value>;
  /// Values of the first term that have to be compared, too.
  using Sources = llvm::SmallVectorImpl<mlir::Value>;

  bool compareTensors(const Values &values);
  bool compareTensors(const Values &values, Sources &sources);
  bool compareSlices(EqualTensors &own);
  bool compareOps(EqualTensors &own, Sources &sources);
  bool compareBodies(const Values &values);
  void compareTrees(const Values &values);
  bool compareTrees(const Values &values, Sources &sources);
  bool compareInputs(const Values &values);
  bool compareOperands(llvm::ArrayRef<mlir::Operation *> own,
                       llvm::function_ref<bool(const Values &)> compare);
  bool areNumbers(const Values &values, int64_t &first) const;
  bool fail(llvm::StringRef why);

  mlir::linalg::GenericOp sum;
  int64_t count = 0, choices = 0;
  std::string reason;
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SmallSetVector<mlir::BlockArgument, 4> inputs;
  llvm::MapVector<mlir::Value, EqualTensors> tensors;
  llvm::SmallVector<mlir::linalg::GenericOp> stacked;
  llvm::DenseMap<mlir::OpOperand *, int64_t> numbers;
  /// By the first term's value: those of all terms.
  llvm::DenseMap<mlir::Value, Values> trees;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_GROUPED_EQUALTERMS_H
