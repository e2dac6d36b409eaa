//===- StreamSchedule.h - schedules of streams ---------------- -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program has rows of a stream, and goes along tiles of its dimension.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_GRAPH_STREAMSCHEDULE_H
#define CAROUSEL_LIB_ANALYSIS_GRAPH_STREAMSCHEDULE_H

#include "carousel/Analysis/Graph/GroupSchedule.h"

namespace carousel {

/// Says which dimensions of \p schedule, which has none so far, programs and
/// the loop go along.
void scheduleStream(const GraphProblem &problem, const OpGroup &group,
                    const GroupShape &shape, GroupSchedule &schedule);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_GRAPH_STREAMSCHEDULE_H
