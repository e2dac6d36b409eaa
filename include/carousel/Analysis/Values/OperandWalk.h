//===- OperandWalk.h - what a value is computed of --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one traversal of operands: each value is visited once, however many paths
// lead to it, and no stack grows with the length of a chain. A function that
// calls itself for the operands of an op takes time with the number of paths,
// which doubles with each op that uses a value twice.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_OPERANDWALK_H
#define CAROUSEL_ANALYSIS_VALUES_OPERANDWALK_H

#include "mlir/IR/Value.h"
#include "mlir/Support/WalkResult.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace carousel {

/// Visits `root` and its sources, which `addSources` finds when it comes to a
/// value. Each value is visited once, after its sources; in a cycle, one before
/// them. Returns whether a visit has interrupted the walk.
mlir::WalkResult walkSources(
    mlir::Value root,
    llvm::function_ref<void(mlir::Value, llvm::SmallVectorImpl<mlir::Value> &)>
        addSources,
    llvm::function_ref<mlir::WalkResult(mlir::Value)> visit);

/// The sources are what a value is computed of: the operands of its op, and
/// what the regions of this one use from outside, unless `enters` says that
/// they don't matter.
mlir::WalkResult
walkOperands(mlir::Value root, llvm::function_ref<bool(mlir::Value)> enters,
             llvm::function_ref<mlir::WalkResult(mlir::Value)> visit);

/// Whether `accepts` holds for one of the values that the walk visits.
bool isComputedOf(mlir::Value root,
                  llvm::function_ref<bool(mlir::Value)> enters,
                  llvm::function_ref<bool(mlir::Value)> accepts);

/// Computes a result of values from those of their operands, with a memory.
template <typename Result> class OperandFold {
public:
  /// `compute` gets a value. It may look up, by `lookup` or `get`, what one is
  /// computed of that `enters` accepts. What `get` returns may move when more
  /// is computed.
  const Result &get(mlir::Value root,
                    llvm::function_ref<bool(mlir::Value)> enters,
                    llvm::function_ref<Result(mlir::Value)> compute) {
    if (auto known = results.find(root); known != results.end())
      return known->second;
    auto isOpen = [&](mlir::Value value) {
      return !results.contains(value) && enters(value);
    };
    walkOperands(root, isOpen, [&](mlir::Value value) {
      if (!results.contains(value)) {
        Result result = compute(value);
        results.try_emplace(value, std::move(result));
      }
      return mlir::WalkResult::advance();
    });
    return lookup(root);
  }

  const Result &lookup(mlir::Value value) const {
    return results.find(value)->second;
  }
  void set(mlir::Value value, Result result) {
    results.insert_or_assign(value, std::move(result));
  }
  void clear() { results.clear(); }

private:
  llvm::DenseMap<mlir::Value, Result> results;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_OPERANDWALK_H
