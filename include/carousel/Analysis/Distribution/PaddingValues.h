//===- PaddingValues.h - elements beyond the covered extent -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the values of a block program's vectors beyond the covered extent, and
// whether an op that combines columns ignores them. A read gives them its
// padding, and ops compute with that. docs/BlockPhase.md, Width.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_PADDINGVALUES_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_PADDINGVALUES_H

#include "carousel/Analysis/Distribution/CoveredExtent.h"
#include "mlir/Analysis/DataFlowFramework.h"

namespace carousel {

/// The padding of a value. Scalars, and vectors that cover nothing, are their
/// own padding.
class Padding {
public:
  enum class Kind {
    None,     ///< not computed yet
    Constant, ///< one number
    Shared,   ///< unknown, but finite
    Unknown
  };

  Padding() = default;
  static Padding shared() { return Padding(Kind::Shared); }
  static Padding unknown() { return Padding(Kind::Unknown); }
  static Padding constant(mlir::TypedAttr value, bool mayBeNaN = false) {
    assert(value && "a constant is a number");
    Padding padding(Kind::Constant);
    padding.value = value;
    padding.isUncertain = mayBeNaN;
    return padding;
  }

  Kind getKind() const { return kind; }
  bool isNone() const { return kind == Kind::None; }
  /// The number, or null.
  mlir::TypedAttr getConstant() const { return value; }
  /// Whether a constant is NaN instead where a number that the columns have in
  /// common isn't finite, or is a divisor of 0. If it is 0, its sign isn't
  /// known.
  bool mayBeNaN() const { return isUncertain; }
  /// Whether the elements within the extent are the same number, too: the
  /// columns have it in common.
  bool isCommon() const { return isOfAll; }
  Padding asCommon(bool isCommon = true) const {
    Padding padding = *this;
    padding.isOfAll = isCommon;
    return padding;
  }
  /// Returns the conditions that a launch must fulfil.
  Conditions getConditions() const { return conditions; }
  Padding under(Conditions more) const {
    Padding padding = *this;
    padding.conditions |= more;
    return padding;
  }

  bool operator==(const Padding &other) const {
    return kind == other.kind && value == other.value &&
           isUncertain == other.isUncertain && isOfAll == other.isOfAll &&
           conditions == other.conditions;
  }
  void print(llvm::raw_ostream &os) const;
  /// The padding of a value that is either.
  static Padding join(const Padding &lhs, const Padding &rhs);

private:
  explicit Padding(Kind kind) : kind(kind) {}

  Kind kind = Kind::None;
  mlir::TypedAttr value;
  bool isUncertain = false;
  bool isOfAll = false;
  Conditions conditions = 0;
};

class PaddingValues {
public:
  /// Follows the padding of a kernel without calls and vector.mask.
  PaddingValues(mlir::gpu::GPUFuncOp kernel, CoveredExtent &extent);

  Padding get(mlir::Value value) const;

  /// The conditions under which the reduction, along a covered dimension, gives
  /// what it gives without padding. Nothing if there are none.
  std::optional<Conditions>
  findConditions(mlir::vector::MultiDimReductionOp op) const;
  /// The same for products. A factor is to be zero where it isn't known.
  std::optional<Conditions>
  findConditions(mlir::vector::ContractionOp op) const;

private:
  std::optional<Conditions>
  findConditionsOfFirst(mlir::vector::MultiDimReductionOp op) const;
  std::optional<Conditions> findConditionsOfAll(mlir::Value condition) const;
  std::optional<Conditions>
  findConditionsOfMaximum(mlir::Value condition) const;

  mlir::DataFlowSolver solver;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_PADDINGVALUES_H
