//===- Mbarrier.cpp - one barrier in shared memory ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The description of a wait for a barrier in a deadlock.
//
//===----------------------------------------------------------------------===//

#include "Mbarrier.h"

#include "llvm/ADT/StringExtras.h"

namespace carousel::sim {

WaitDescription Mbarrier::describe(const Thread &waiter) const {
  WaitDescription description;
  description.what = "mbarrier " + context.describeName(address) +
                     ", in phase " + llvm::utostr(phase) + " (parity " +
                     llvm::utostr(phase & 1) + ")";
  if (pending != 0)
    description.missing =
        llvm::utostr(pending) + " of " + llvm::utostr(expected) + " arrivals";
  if (transactions != 0) {
    if (!description.missing.empty())
      description.missing += " and ";
    description.missing += transactions > 0
                               ? llvm::utostr(uint64_t(transactions)) + " bytes"
                               : "the expectation of " +
                                     llvm::utostr(uint64_t(-transactions)) +
                                     " bytes that have landed";
  }
  constexpr size_t kShown = 4;
  for (const Who &who : lastArrivers) {
    if (description.providers.size() == kShown)
      break;
    auto hasArrived = [&](const Who &other) {
      return other.cta == who.cta && other.thread == who.thread;
    };
    if (llvm::none_of(arrivers, hasArrived))
      description.providers.push_back(context.describeSite(who) +
                                      ", which arrived in phase " +
                                      llvm::utostr(phase - 1));
  }
  if (!arrivers.empty())
    description.providers.push_back("the last arrival was of " +
                                    context.describeSite(arrivers.back()));
  if (transactions > 0 && hasExpecter)
    description.providers.push_back("the bytes were last expected by " +
                                    context.describeSite(expecter));
  for (const AsyncOperation *operation : operations.getActive())
    if (operation->barrier == this)
      description.providers.push_back(operation->name.str() +
                                      " in flight, issued by " +
                                      context.describeSite(operation->issuer));
  return description;
}

} // namespace carousel::sim
