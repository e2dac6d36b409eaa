//===- IndexFunction.h - indices as functions of the thread -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates an index for one thread: as a constant plus multiples of values
// that are the same in all threads of the block. A value that the analysis
// can't follow isn't evaluated.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_INDEXFUNCTION_H
#define CAROUSEL_ANALYSIS_VALUES_INDEXFUNCTION_H

#include "carousel/Analysis/Values/UniformValues.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <optional>
#include <string>

namespace carousel {

/// A constant plus a sum of values that are the same in all threads, each with
/// a factor other than 0.
struct IndexForm {
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 2> terms;
  int64_t constant = 0;

  IndexForm() = default;
  explicit IndexForm(int64_t constant) : constant(constant) {}

  bool isConstant() const { return terms.empty(); }
  /// Whether this form and the other one differ by a constant.
  bool hasTermsOf(const IndexForm &other) const;
  bool operator==(const IndexForm &other) const {
    return constant == other.constant && hasTermsOf(other);
  }
  /// this + factor * other, or nullopt on overflow of 64 bits.
  std::optional<IndexForm> plus(const IndexForm &other,
                                int64_t factor = 1) const;
  std::optional<IndexForm> times(int64_t factor) const;
  /// Prints symbols as their names: `4 * %i + 32`.
  void print(llvm::raw_ostream &os) const;
};

/// Evaluates integers for one thread of the block at a time.
class IndexFunction {
public:
  /// Values within `unit` (an op, or null) are never symbols. They are
  /// evaluated, or the caller that steps through `unit` binds them.
  IndexFunction(mlir::gpu::GPUFuncOp kernel, const UniformValues &uniform,
                mlir::Operation *unit = nullptr);

  /// The threads of a block, if they are known.
  std::optional<int64_t> getBlockThreads() const;

  /// Restarts the evaluation for a thread, given by its number in the block.
  void setThread(int64_t thread);
  void bind(mlir::Value value, int64_t constant);
  /// Forgets a value, so that it is evaluated again.
  void forget(mlir::Value value) { known.erase(value); }

  std::optional<IndexForm> evaluate(mlir::Value value);
  std::optional<IndexForm> evaluate(mlir::OpFoldResult value);
  /// Returns nullopt if the value isn't a constant, either.
  std::optional<int64_t> evaluateConstant(mlir::Value value);
  /// The extent of a memref, which is also the value of its `memref.dim` ops.
  std::optional<IndexForm> evaluateExtent(mlir::Value memref, unsigned dim);

  /// The smallest bound for which `value` has the form min(bound, rest), or
  /// nullopt if it doesn't have this form.
  std::optional<int64_t> matchClamp(mlir::OpFoldResult value,
                                    const IndexForm &rest);

  /// Whether a value is the same in all threads: because its operands are, or
  /// because it evaluates to the same number in each thread. Restarts the
  /// evaluation.
  bool isSameInAllThreads(mlir::Value value);

  /// Whether an evaluated value depends on the thread's number.
  bool hasUsedThread() const { return usedThread; }
  /// Why the last evaluation failed.
  const std::string &getReason() const { return reason; }

private:
  std::optional<IndexForm> compute(mlir::Value value);
  std::optional<IndexForm> computeThread(mlir::Operation *op);
  std::optional<IndexForm> computeOp(mlir::OpResult result);
  std::optional<IndexForm> computeLinear(mlir::Operation *op,
                                         llvm::ArrayRef<IndexForm> operands);
  std::optional<IndexForm> fold(mlir::OpResult result,
                                llvm::ArrayRef<IndexForm> operands);
  std::optional<IndexForm> computeAffine(mlir::AffineExpr expr,
                                         llvm::ArrayRef<IndexForm> operands,
                                         unsigned dims);
  std::optional<llvm::SmallVector<IndexForm>>
  evaluateAll(mlir::ValueRange values);
  bool isInside(mlir::Value value) const;

  const UniformValues &uniform;
  mlir::Operation *unit;
  std::optional<std::array<int64_t, 3>> block;
  int64_t thread = 0;
  bool usedThread = false;
  unsigned depth = 0; ///< of the evaluations that are open
  std::string reason;
  llvm::DenseMap<mlir::Value, IndexForm> known;
  llvm::DenseMap<mlir::Value, int64_t> constants; ///< for all threads
  /// The value that stands for all memref.dim ops of one dimension of a memref.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> extents;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_INDEXFUNCTION_H
