//===- OutputReport.h - reports of comparisons ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data on a tensor that was written or compared after a run.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_TENSORS_OUTPUTREPORT_H
#define CAROUSEL_TOOLS_SUPPORT_TENSORS_OUTPUTREPORT_H

#include "Compare.h"

namespace carousel::tools {

struct OutputReport {
  std::string argument, file;
};

struct ComparisonReport {
  std::string argument, expected;
  ElementType element = ElementType::F32;
  Comparison comparison;
};

/// One line of text, without a line feed: "y: 3 of 4096 elements differ from
/// ref.npy; worst at [17]: got 0.5, want 1, error 0.5, relative 0.5, 8388608
/// ulp".
std::string formatText(const ComparisonReport &report);
/// A JSON object in one line, without a line feed.
std::string formatJSON(const ComparisonReport &report);

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_TENSORS_OUTPUTREPORT_H
