//===- MbarrierTable.h - the barriers of a run ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds the barriers, from mbarrier.init to mbarrier.inval or the exit of their
// CTA, and checks whether a thread or an engine may use one.
//
// The eight bytes of a live barrier hold a pattern and count as unwritten. An
// ordinary read of them is a finding, and so is the next use after an ordinary
// write.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_MBARRIERTABLE_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_MBARRIERTABLE_H

#include "../ResidentCTAs.h"
#include "Mbarrier.h"

namespace carousel::sim {

class MbarrierTable {
public:
  MbarrierTable(AsyncContext &context, ResidentCTAs &ctas,
                const OperationTable &operations)
      : context(context), ctas(ctas), operations(operations) {}

  void init(void *barrier, uint32_t count);
  void inval(void *barrier);

  /// The barrier at an address if the running thread may use it; otherwise
  /// reports a finding.
  Mbarrier *use(void *address);
  /// As above, for operations that other CTAs can't execute. `what` is a text
  /// like "a wait on".
  Mbarrier *useOwn(void *address, const char *what);
  /// As above, for a transfer that the running thread issues.
  Mbarrier *useByEngine(void *address, Actor actor);

  /// Reports what is left over on the barriers of a CTA that exits.
  void checkExit(const AsyncCTA &cta);
  /// The barriers of the CTA are gone.
  void free(const AsyncCTA &cta);
  /// Reports, after a deadlock, phases that only lack bytes which nothing
  /// brings.
  void reportMissingBytes();

private:
  enum class User : uint8_t { Local, Remote, Engine };
  /// `view` is the user's.
  Mbarrier *use(const void *address, User user, const View &view, Epoch self,
                Actor actor);
  void checkPattern(Mbarrier &barrier, const Actor &actor);
  void checkExit(const Mbarrier &barrier);
  void free(Mbarrier &barrier);

  AsyncContext &context;
  ResidentCTAs &ctas;
  const OperationTable &operations;
  llvm::DenseMap<const void *, Mbarrier *> barriers;
  std::deque<Mbarrier> pool;
  std::vector<Mbarrier *> freeBarriers;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MBARRIERS_MBARRIERTABLE_H
