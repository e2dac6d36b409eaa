//===- ClusterGathers.h - values of a cluster's CTAs ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cluster.gather: each CTA gives a value, and all threads get those of all
// CTAs. A thread waits for values, and not for other threads, so it orders
// nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_CLUSTERGATHERS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_CLUSTERGATHERS_H

#include "../ResidentCTAs.h"

#include <map>

namespace carousel::sim {

class ClusterGathers {
public:
  ClusterGathers(AsyncContext &context, ResidentCTAs &ctas)
      : context(context), ctas(ctas) {}

  /// The values of the CTAs, by rank. The n-th calls of a cluster's threads
  /// belong together.
  std::vector<uint64_t> gather(uint64_t value, uint32_t count);

private:
  struct Round final : Waitable {
    Round(const AsyncContext &context, uint32_t count)
        : context(context), values(count), givers(count), missing(count) {}
    WaitDescription describe(const Thread &waiter) const override;

    const AsyncContext &context;
    std::vector<uint64_t> values;
    std::vector<std::optional<Who>> givers; ///< the first thread of each CTA
    uint32_t missing;                       ///< CTAs without a value
    uint64_t takers = 0;                    ///< threads that have the values
    uint64_t cycles = 0;                    ///< of the last value
  };

  AsyncContext &context;
  ResidentCTAs &ctas;
  /// By cluster and number, until all threads have the values.
  std::map<std::pair<uint32_t, uint32_t>, std::unique_ptr<Round>> rounds;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ORDERING_CLUSTERGATHERS_H
