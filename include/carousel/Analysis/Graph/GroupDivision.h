//===- GroupDivision.h - reductions divided among programs ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that has few programs and reduces much divides the reduction
// (split-K, split-KV): each of several parts has some of the elements, and the
// one that ends last combines their partial results. Those of online reductions
// are corrected before. How many parts there are depends on extents only
// (OrderOfSums.h), so that results have the same bits on all devices.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_GROUPDIVISION_H
#define CAROUSEL_ANALYSIS_GRAPH_GROUPDIVISION_H

#include "carousel/Analysis/Graph/GroupSchedule.h"
#include "carousel/Analysis/Graph/OrderOfSums.h"

namespace carousel {

/// The schedule of a kernel whose reduction is divided. Nothing where the group
/// doesn't reduce in one pass and is no online reduction, where a result would
/// be written by each part, or where the known extents leave nothing to divide.
std::optional<GroupSchedule> divideSchedule(const GraphProblem &problem,
                                            const OpGroup &group,
                                            const GroupShape &shape,
                                            const GroupSchedule &schedule);

/// The schedules of a kernel's variants, of the one that all launches could
/// take: for a product of few rows by weights of a byte or less, in tiles of so
/// many rows whose sums the CTAs of a cluster share; the divided one; and that
/// for all others, which is the last one. Known extents leave one of them.
std::vector<GroupSchedule> planVariants(const GraphProblem &problem,
                                        const OpGroup &group,
                                        const GroupShape &shape,
                                        const GroupSchedule &schedule);

/// The parts for so many programs and elements.
int64_t countParts(const GroupDivision &division, int64_t programs,
                   int64_t extent);

/// The parts of a divided schedule, if its extents are known.
std::optional<int64_t> getStaticParts(const GroupSchedule &schedule);

/// The numbers that each part of an online reduction leaves.
int64_t countPartials(const GroupShape &shape, const GroupSchedule &schedule);
/// The number of parts whose numbers one part reads together, so that it waits
/// once for them.
int64_t countTogether(const GroupShape &shape, const GroupSchedule &schedule);

/// By position of a group's op: whether it runs in the schedule's loops.
bool isInLoop(const GroupShape &shape, const GroupSchedule &schedule,
              unsigned at);

/// Where a kernel has an op: before its loops stands only what they read, so
/// that one program executes all else where programs divide a loop.
enum class OpPlace { BeforeLoops, Loops, BehindLoops };
/// By position of a group's op.
std::vector<OpPlace> findOpPlaces(const GraphProblem &problem,
                                  const OpGroup &group, const GroupShape &shape,
                                  const GroupSchedule &schedule);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_GRAPH_GROUPDIVISION_H
