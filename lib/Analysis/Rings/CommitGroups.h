//===- CommitGroups.h - rings filled by cp.async groups ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether the uses of a ring can be told apart by the commit groups of the
// threads that fill it, instead of by mbarriers, and by how many. In: a ring of
// the ring phase. Out: where groups end, and how many may be pending where a
// use is waited for.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_COMMITGROUPS_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_COMMITGROUPS_H

#include "carousel/Analysis/Rings/RingBarriers.h"

namespace carousel {

/// Nothing where mbarriers do better: rings that aren't loaded ahead, whose
/// waits would wait for everything else that is under way, too.
///
/// A wait of use k in a loop that fills use k + d before it, once in each
/// iteration, leaves d groups pending: since the group of use k, d others have
/// been committed in the loop, or before it and in the loop together. For the
/// latter, d - 1 empty groups are committed in front of the loop, whatever else
/// was. Groups of other rings in between only make a wait stricter. Every other
/// wait leaves none pending.
std::optional<CommitGroups> planCommitGroups(RingCreateOp ring);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_COMMITGROUPS_H
