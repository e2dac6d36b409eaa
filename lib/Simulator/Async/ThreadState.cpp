//===- ThreadState.cpp - what the asynchronous units keep of a thread -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The description of a group wait in a deadlock.
//
//===----------------------------------------------------------------------===//

#include "ThreadState.h"

#include "llvm/ADT/StringExtras.h"

namespace carousel::sim {

WaitDescription ThreadState::describe(const Thread &) const {
  WaitDescription description;
  if (!waitingOn)
    return description;
  description.what =
      waitingOn->isBulk ? "bulk group wait" : "cp.async group wait";
  if (waitRead)
    description.what += " (read)";
  uint32_t left = 0;
  for (size_t i = 0;
       i < waitingOn->groups.size() && waitingOn->first + i <= waitTarget; ++i)
    left += waitRead ? waitingOn->groups[i].readsLeft
                     : waitingOn->groups[i].writesLeft;
  description.missing = llvm::utostr(left) + " operations in flight";
  return description;
}

} // namespace carousel::sim
