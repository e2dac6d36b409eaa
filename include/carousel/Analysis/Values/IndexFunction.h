//===- IndexFunction.h - indices as functions of the thread -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which values of a kernel are the same in all threads of a block, and what an
// index is for one thread: a number, and multiples of values that are the same
// in all threads. Pessimistic: what can't be followed may differ, and can't be
// evaluated. A read of memory that all threads share counts as the same if its
// place is; for a program without data races it is.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_INDEXFUNCTION_H
#define CAROUSEL_ANALYSIS_VALUES_INDEXFUNCTION_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <array>
#include <optional>
#include <string>

namespace carousel {

/// The extents of a kernel's block in threads, from known_block_size or
/// carousel.launch.
std::optional<std::array<int64_t, 3>>
getKnownBlock(mlir::gpu::GPUFuncOp kernel);

/// The values that are the same in all threads of a block.
class UniformValues {
public:
  explicit UniformValues(mlir::gpu::GPUFuncOp kernel);

  bool contains(mlir::Value value) const { return !varying.contains(value); }

private:
  void visit(mlir::Operation *op);
  void visitLoop(mlir::Operation *op);
  void mark(mlir::Value value);

  std::optional<std::array<int64_t, 3>> block;
  llvm::DenseSet<mlir::Value> varying;
  bool changed = false;
};

/// A sum of values that are the same in all threads, each with a factor, and
/// of a constant. Factors are not 0.
struct IndexForm {
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 2> terms;
  int64_t constant = 0;

  IndexForm() = default;
  explicit IndexForm(int64_t constant) : constant(constant) {}

  bool isConstant() const { return terms.empty(); }
  /// Whether the difference of the two is a constant.
  bool hasTermsOf(const IndexForm &other) const;
  bool operator==(const IndexForm &other) const {
    return constant == other.constant && hasTermsOf(other);
  }
  /// this + factor * other; nothing if that leaves 64 bits.
  std::optional<IndexForm> plus(const IndexForm &other,
                                int64_t factor = 1) const;
  std::optional<IndexForm> times(int64_t factor) const;
  /// Symbols print as their names: `4 * %i + 32`.
  void print(llvm::raw_ostream &os) const;
};

/// Evaluates integers for one thread of the block at a time.
class IndexFunction {
public:
  /// Values within `unit` (an op, or null) are never symbols: they are
  /// evaluated, or bound by whoever steps through `unit`.
  IndexFunction(mlir::gpu::GPUFuncOp kernel, const UniformValues &uniform,
                mlir::Operation *unit = nullptr);

  /// The threads of a block, if they are known.
  std::optional<int64_t> getBlockThreads() const;

  /// Starts anew for a thread, by its number in the block.
  void setThread(int64_t thread);
  void bind(mlir::Value value, int64_t constant);
  /// Forgets a value, to evaluate it once more.
  void forget(mlir::Value value) { known.erase(value); }

  std::optional<IndexForm> evaluate(mlir::Value value);
  std::optional<IndexForm> evaluate(mlir::OpFoldResult value);
  /// Nothing, too, if the value isn't a number.
  std::optional<int64_t> evaluateConstant(mlir::Value value);
  /// The extent of a memref, like all `memref.dim` of it.
  std::optional<IndexForm> evaluateExtent(mlir::Value memref, unsigned dim);

  /// The smallest bound that `value` has as min(bound, rest), or nothing if it
  /// isn't of that form.
  std::optional<int64_t> matchClamp(mlir::OpFoldResult value,
                                    const IndexForm &rest);

  /// Whether a value is the same in all threads, by what it is computed from or
  /// because it evaluates to one number for each of them. Starts anew.
  bool isSameInAllThreads(mlir::Value value);

  /// Whether something that was evaluated comes from a thread's number.
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
  /// One value stands for all dims of a memref.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> extents;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_INDEXFUNCTION_H
