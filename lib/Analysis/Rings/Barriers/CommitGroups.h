//===- CommitGroups.h - rings filled by cp.async groups ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds rings whose uses can be distinguished by the commit groups of the
// threads that fill them, so that they need no mbarriers. In: a ring of the
// ring phase. Out: the places where groups are committed, and how many groups
// may be pending at each wait.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_BARRIERS_COMMITGROUPS_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_BARRIERS_COMMITGROUPS_H

#include "carousel/Analysis/Rings/RingBarriers.h"

namespace carousel {

/// Returns nullopt if mbarriers are better: for rings that aren't loaded ahead,
/// whose waits would also wait for all other copies in flight.
///
/// Consider a wait for use k in a loop that, once in each iteration and before
/// this wait, fills use k + d. It leaves d groups pending: d groups have been
/// committed since the group of use k, in the loop or before it. For uses that
/// were filled before the loop, d - 1 empty groups are committed right before
/// the loop. Groups of other rings in between only make a wait stricter. Every
/// other wait leaves no group pending.
std::optional<CommitGroups> planCommitGroups(RingCreateOp ring);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_BARRIERS_COMMITGROUPS_H
