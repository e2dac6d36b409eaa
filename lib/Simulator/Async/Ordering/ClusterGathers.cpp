//===- ClusterGathers.cpp - values of a cluster's CTAs --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first thread of a CTA gives the CTA's value, and the others must have the
// same.
//
//===----------------------------------------------------------------------===//

#include "ClusterGathers.h"

namespace carousel::sim {

using llvm::Twine;

static constexpr char kGather[] = "cluster.gather";

std::vector<uint64_t> ClusterGathers::gather(uint64_t value, uint32_t count) {
  Thread &thread = context.grid.current();
  const GridShape &shape = context.grid.getShape();
  // C214, with the cluster of this launch.
  if (shape.cluster.count() != count)
    context.invalid(kGather,
                    "expected a value for each CTA of the cluster, got " +
                        Twine(count) + " values and " +
                        Twine(shape.cluster.count()) + " CTAs");
  std::pair<uint32_t, uint32_t> key(thread.cluster,
                                    ctas.stateOf(thread).gathers++);
  std::unique_ptr<Round> &entry = rounds[key];
  if (!entry)
    entry = std::make_unique<Round>(context, count);
  Round &round = *entry;
  std::optional<Who> &giver = round.givers[thread.rankInCluster];
  if (!giver) {
    giver = context.here();
    round.values[thread.rankInCluster] = value;
    round.cycles = std::max(round.cycles, thread.cycles);
    ++context.progress;
    if (--round.missing == 0)
      context.grid.wake(round);
  } else if (round.values[thread.rankInCluster] != value) {
    context.report(FindingKind::InvalidOperand, context.here().actor(kGather),
                   "expected one value in all threads of a CTA, found two",
                   nullptr, 0, giver->actor(kGather));
    if (context.log.isFull())
      context.grid.abort();
  }
  while (round.missing != 0)
    context.grid.wait(round);
  thread.cycles = std::max(thread.cycles, round.cycles) + kBarrierCycles;
  std::vector<uint64_t> values = round.values;
  if (++round.takers == count * shape.block.count())
    rounds.erase(key);
  return values;
}

WaitDescription ClusterGathers::Round::describe(const Thread &) const {
  WaitDescription description;
  description.what = "cluster gather";
  std::string ranks;
  for (auto [rank, giver] : llvm::enumerate(givers))
    if (giver)
      description.providers.push_back(context.describeSite(*giver) +
                                      " gave the value of rank " +
                                      std::to_string(rank));
    else
      ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
  description.missing = "the values of the CTAs with ranks " + ranks;
  return description;
}

} // namespace carousel::sim
