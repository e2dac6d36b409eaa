//===- StreamFactors.h - factors of multiply-adds in streams --- -*- C++
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that multiply the factors of a stream read the elements of tiles in
// shared memory where they need them: whole factors, which they would compute
// or extend, have no room in their registers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_GRAPH_STREAMFACTORS_H
#define CAROUSEL_LIB_ANALYSIS_GRAPH_STREAMFACTORS_H

#include "carousel/Analysis/Graph/StreamShape.h"

namespace carousel {

/// Why threads can't multiply the factors of a stream whose roles are known;
/// nullopt if they can.
std::optional<std::string> refuseFactors(const GraphProblem &problem,
                                         const OpGroup &group,
                                         const GroupShape &shape,
                                         const StreamShape &stream);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_GRAPH_STREAMFACTORS_H
