//===- IndexRanges.h - ranges of integers -----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's integer ranges (InferIntRangeInterface), computed only for the values
// that are asked for.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_INDEXRANGES_H
#define CAROUSEL_ANALYSIS_VALUES_INDEXRANGES_H

#include "carousel/Analysis/Values/ValueSources.h"

#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace carousel {

class IndexRanges
    : public DemandAnalysis<mlir::IntegerValueRange, IndexRanges> {
public:
  /// Finds the range of a value that no op computes from others. Those without
  /// one are unknown.
  using FindRange = mlir::IntegerValueRange (*)(mlir::Value);
  explicit IndexRanges(FindRange findRange = getUnknown);

  /// Answers as dataflow::staticallyNonNegative does.
  bool isNonNegative(mlir::Value value);

  static mlir::IntegerValueRange getUnknown(mlir::Value value) {
    return mlir::IntegerValueRange::getMaxRange(value);
  }

private:
  friend DemandAnalysis;
  mlir::IntegerValueRange update(const ValueSources &sources,
                                 const mlir::IntegerValueRange &old);
  mlir::IntegerValueRange infer(const ValueSources &sources,
                                const mlir::IntegerValueRange &old);
  mlir::IntegerValueRange getInduction(const ValueSources &sources);

  FindRange findRange;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_INDEXRANGES_H
