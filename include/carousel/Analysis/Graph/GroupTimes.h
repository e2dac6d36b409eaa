//===- GroupTimes.h - how long kernels of groups take -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the time of a group's kernel from what its ops compute and how often
// programs of its schedule compute it, and the least time that any kernel of
// the group would take: the roofline of its bytes and products. In: plain data.
// Out: plain data, and what limits the prediction.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_GROUPTIMES_H
#define CAROUSEL_ANALYSIS_GRAPH_GROUPTIMES_H

#include "carousel/Analysis/Graph/GroupSchedule.h"

namespace carousel {

struct GroupTime {
  /// The bytes that a kernel reads and writes, each one once.
  int64_t bytes = 0;
  /// The operations of products: a multiply-add has two.
  double operations = 0;
  /// Microseconds, with a launch among others: at the least, and as predicted.
  double bound = 0, predicted = 0;
  /// The resource that takes the predicted time, for people.
  std::string limit;
};

/// \p neededPart: of an online reduction's tiles, that which masks leave.
GroupTime estimateGroupTime(const GraphProblem &problem, const OpGroup &group,
                            const GroupShape &shape,
                            const GroupSchedule &schedule,
                            double neededPart = 1);

/// The time, in microseconds, of accesses of less than a sector of each row, as
/// where programs have single elements of the last dimension: lanes then access
/// different lines, and a multiprocessor takes a cycle for each.
double estimateSplitSectors(const GraphProblem &problem, const OpGroup &group,
                            const GroupShape &shape,
                            const GroupSchedule &schedule);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_GRAPH_GROUPTIMES_H
