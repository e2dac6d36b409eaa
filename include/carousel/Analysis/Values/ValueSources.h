//===- ValueSources.h - the sources of a value ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sparse forward data-flow analyses, computed only for the values that are
// asked for. MLIR's solver visits all values of a kernel, but an offset of a
// transfer depends on few of them. Lattices and transfer functions are MLIR's.
// Results are the same, or narrower if MLIR's solver visits a value before its
// operands. They are wider after branches with a constant condition, because
// both branches are taken as possible. Values that still change after some
// rounds of a loop become unknown.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_VALUESOURCES_H
#define CAROUSEL_ANALYSIS_VALUES_VALUESOURCES_H

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseMap.h"

namespace carousel {

/// How a value is computed.
struct ValueSources {
  enum Kind {
    Unknown,   ///< nothing is known about it
    Result,    ///< an op's result, computed from `values`, its operands
    Joined,    ///< one of `values`: a loop carries it, or a branch yields it
    Induction, ///< a loop's variable, of the bounds `values`
  };
  mlir::Value value;
  Kind kind = Unknown;
  llvm::SmallVector<mlir::Value, 4> values;

  /// The loop of an induction variable.
  mlir::LoopLikeOpInterface loop;
  unsigned variable = 0;
};

/// Finds the sources of values.
class SourceFinder {
public:
  /// Whether an op's result is computed from its operands.
  using IsComputed = bool (*)(mlir::Operation *);
  explicit SourceFinder(IsComputed isComputed) : isComputed(isComputed) {}

  ValueSources find(mlir::Value value);

private:
  ValueSources findArgument(mlir::BlockArgument argument);
  /// Finds the values that flow into a result or a region argument of `branch`.
  bool findJoined(mlir::RegionBranchOpInterface branch, ValueSources &sources);

  IsComputed isComputed;
  llvm::DenseMap<mlir::Operation *, mlir::RegionBranchInverseSuccessorMapping>
      mappings;
};

/// The values that `root` is computed from, and that `isKnown` doesn't accept.
/// Each follows its own sources, except in loops, and `root` is last. `hasLoop`
/// says whether one of them depends on itself.
llvm::SmallVector<ValueSources>
collectSources(mlir::Value root, SourceFinder &finder,
               llvm::function_ref<bool(mlir::Value)> isKnown, bool &hasLoop);

/// An analysis. `Derived` has
/// `State update(const ValueSources &, const State &old)`, whose result is
/// `old` or above it in the lattice, and `State getUnknown(Value)`, the top of
/// the lattice. The default state is that of a value that hasn't been visited.
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
        // A number that a loop increments would need as many rounds as
        // iterations.
        if (round >= kRounds)
          state = analysis->getUnknown(sources.value);
        states.find(sources.value)->second = std::move(state);
        hasChanged = true;
      }
    }
    return states.find(value)->second;
  }

protected:
  /// The state of a source of a value that is being updated.
  State getState(mlir::Value source) const {
    auto found = states.find(source);
    assert(found != states.end() && "expected a source of the value");
    return found == states.end() ? State() : found->second;
  }

private:
  /// The number of rounds after which loops must converge.
  static constexpr unsigned kRounds = 16;

  SourceFinder finder;
  llvm::DenseMap<mlir::Value, State> states;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_VALUESOURCES_H
