//===- ValueSources.h - what a value comes from -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sparse forward analyses of the values that are asked for. MLIR's data-flow
// solver visits all values of a kernel; an index that a transfer begins at is
// computed from a few of them. Lattices, transfer functions and results are the
// same, or narrower where the solver meets a value before what it is computed
// from; wider behind branches whose condition is constant, which are taken as
// any. What a loop goes on changing is given up after some rounds.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_VALUESOURCES_H
#define CAROUSEL_ANALYSIS_VALUES_VALUESOURCES_H

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseMap.h"

namespace carousel {

/// How a value comes about.
struct ValueSources {
  enum Kind {
    Unknown,   ///< nothing is known of it
    Result,    ///< an op's result, computed from `values`, its operands
    Joined,    ///< one of `values`: a loop carries it, or a branch yields it
    Induction, ///< a loop's variable, of the bounds `values`
  };
  mlir::Value value;
  Kind kind = Unknown;
  llvm::SmallVector<mlir::Value, 4> values;

  /// Of an induction variable.
  mlir::LoopLikeOpInterface loop;
  unsigned variable = 0;
};

/// Looks sources up.
class SourceFinder {
public:
  /// Whether an op's result is computed from its operands.
  using IsComputed = bool (*)(mlir::Operation *);
  explicit SourceFinder(IsComputed isComputed) : isComputed(isComputed) {}

  ValueSources find(mlir::Value value);

private:
  ValueSources findArgument(mlir::BlockArgument argument);
  /// What flows into a result or an argument of a region of `branch`.
  bool findJoined(mlir::RegionBranchOpInterface branch, ValueSources &sources);

  IsComputed isComputed;
  llvm::DenseMap<mlir::Operation *, mlir::RegionBranchInverseSuccessorMapping>
      mappings;
};

/// The values that `root` is computed from and that `isKnown` doesn't say are
/// known, each behind its own sources but for loops, `root` last. `hasLoop`
/// says whether one of them is computed from itself.
llvm::SmallVector<ValueSources>
collectSources(mlir::Value root, SourceFinder &finder,
               llvm::function_ref<bool(mlir::Value)> isKnown, bool &hasLoop);

/// An analysis: `Derived` has `State update(const ValueSources &, const State
/// &old)`, which is `old` or above it, and `State getUnknown(Value)`, which is
/// above all. A state that is made by default is that of a value which hasn't
/// come yet.
template <typename State, typename Derived> class DemandAnalysis {
public:
  explicit DemandAnalysis(SourceFinder::IsComputed isComputed)
      : finder(isComputed) {}

  State get(mlir::Value value) {
    if (auto known = states.find(value); known != states.end())
      return known->second;
    bool hasLoop = false;
    llvm::SmallVector<ValueSources> order = collectSources(
        value, finder, [&](mlir::Value source) { return states.count(source); },
        hasLoop);
    for (const ValueSources &sources : order)
      states.try_emplace(sources.value);
    auto *analysis = static_cast<Derived *>(this);
    bool hasChanged = true;
    for (unsigned round = 0; hasChanged && (round == 0 || hasLoop); ++round) {
      hasChanged = false;
      for (const ValueSources &sources : order) {
        State old = states.find(sources.value)->second;
        State state = analysis->update(sources, old);
        if (state == old)
          continue;
        // A number that is counted up in a loop would take as many rounds.
        if (round >= kRounds)
          state = analysis->getUnknown(sources.value);
        states.find(sources.value)->second = std::move(state);
        hasChanged = true;
      }
    }
    return states.find(value)->second;
  }

protected:
  /// Of a source of a value that is being updated.
  State getState(mlir::Value source) const {
    auto found = states.find(source);
    assert(found != states.end() && "expected a source of the value");
    return found == states.end() ? State() : found->second;
  }

private:
  /// Rounds in which loops may settle.
  static constexpr unsigned kRounds = 16;

  SourceFinder finder;
  llvm::DenseMap<mlir::Value, State> states;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_VALUESOURCES_H
