//===- Atomics.cpp - release and acquire in memory ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads take what writes to the same address have released.
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"

#include "ThreadOrder.h"

namespace carousel::sim {

void Atomics::read(const void *address, bool acquire, bool isSystem) {
  auto it = places.find(address);
  if (it == places.end())
    return;
  Thread &thread = context.grid.current();
  const AtomicRelease &place = *it->second;
  if (place.hasReleases) {
    auto take = [&](const View &released, MemScope scope) {
      View &known = acquire
                        ? thread.view
                        : ctas.stateOf(thread).getToAcquire()[getIndex(scope)];
      known.order.join(released.order);
      known.fencedShared.join(released.fencedShared);
      known.fencedAlias.join(released.fencedAlias);
      known.observations.join(released.observations);
      // A fence for global memory counts in the CTA that reads. In the strict
      // reading the writer's fence counts.
      if (context.rules.strictFences || scope == MemScope::CTA)
        known.fencedGlobal.join(released.fencedGlobal);
    };
    if (isSystem)
      take(place.system, MemScope::System);
    if (auto own = place.byGPU.find(thread.gpu); own != place.byGPU.end())
      take(own->second, MemScope::GPU);
    if (auto own = place.byCTA.find(thread.cta); own != place.byCTA.end())
      take(own->second, MemScope::CTA);
    if (auto own = place.byCluster.find(thread.cluster);
        own != place.byCluster.end())
      take(own->second, MemScope::Cluster);
  }
  if (!acquire && place.publication)
    noteObservation(thread, address, place.publication, std::nullopt);
}

/// The publication, as its only owner.
static Publication &own(llvm::IntrusiveRefCntPtr<Publication> &publication) {
  if (!publication)
    publication = llvm::makeIntrusiveRefCnt<Publication>();
  else if (publication->UseCount() > 1)
    publication = llvm::makeIntrusiveRefCnt<Publication>(*publication);
  return *publication;
}

void Atomics::publish(const void *address, const AtomicWrite &write,
                      bool continues) {
  ++context.progress;
  std::unique_ptr<AtomicRelease> &entry = places[address];
  if (!entry) {
    entry = std::make_unique<AtomicRelease>();
    if (AsyncCTA *owner = ctas.findShared(address))
      owner->atomics.push_back(address);
  } else if (!continues) {
    *entry = AtomicRelease();
  }
  AtomicRelease &place = *entry;
  Publication &publication = own(place.publication);
  publication.known.join(write.known->order);
  publication.writer = write.epoch;
  publication.site = write.site;
  publication.cluster = write.cluster;
  publication.gpu = write.gpu;
  for (unsigned scope = 0; scope < kNumScopes; ++scope) {
    const View *released = write.released[scope];
    if (!released || (scope == getIndex(MemScope::System) && !write.isSystem))
      continue;
    AsyncCTA *cta = ctas.find(write.cta);
    place.hasReleases = true;
    publication.released[scope].join(released->order);
    if (scope == getIndex(MemScope::System)) {
      place.system.join(*released);
    } else if (scope == getIndex(MemScope::GPU)) {
      place.byGPU[write.gpu].join(*released);
    } else if (scope == getIndex(MemScope::CTA)) {
      auto [own, isNew] = place.byCTA.try_emplace(write.cta);
      own->second.join(*released);
      if (isNew && cta)
        cta->releases.push_back(address);
    } else if (write.isClustered) {
      auto [own, isNew] = place.byCluster.try_emplace(write.cluster);
      own->second.join(*released);
      if (isNew && cta)
        cta->clusterReleases.push_back(address);
    }
  }
  if (auto waiting = watched.find(address); waiting != watched.end()) {
    waiting->second->cycles = write.cycles;
    context.grid.wake(*waiting->second);
  }
}

void Atomics::write(const void *address, bool release, bool isReadModifyWrite,
                    bool isSystem) {
  Thread &thread = context.grid.current();
  AtomicWrite write;
  write.epoch = thread.epoch();
  write.site = thread.site;
  write.cta = thread.cta;
  write.cluster = thread.cluster;
  write.gpu = thread.gpu;
  write.isSystem = isSystem;
  write.isClustered = isClustered(thread);
  write.cycles = thread.cycles;
  write.known = &carousel::sim::release(thread);
  if (release) {
    write.release(thread.view);
  } else if (ThreadState *state = findState(thread); state && state->released) {
    for (unsigned scope = 0; scope < kNumScopes; ++scope)
      write.released[scope] = &(*state->released)[scope];
  }
  publish(address, write, isReadModifyWrite);
}

//===----------------------------------------------------------------------===//
// CTAs that exit
//===----------------------------------------------------------------------===//

/// Keeps the releases of a cluster as long as one of its CTAs is resident.
void Atomics::propagateReleases(const AsyncCTA &cta) {
  if (cta.clusterReleases.empty())
    return;
  constexpr uint32_t kMostRanks = 16;
  for (uint32_t rank = 0; rank < kMostRanks; ++rank)
    if (AsyncCTA *other = ctas.findRank(cta.cluster, rank)) {
      llvm::append_range(other->clusterReleases, cta.clusterReleases);
      return;
    }
  for (const void *address : cta.clusterReleases)
    if (auto place = places.find(address); place != places.end())
      place->second->byCluster.erase(cta.cluster);
}

void Atomics::ctaExit(uint32_t cta, const AsyncCTA &state) {
  for (const void *address : state.atomics)
    places.erase(address);
  for (const void *address : state.releases)
    if (auto place = places.find(address); place != places.end())
      place->second->byCTA.erase(cta);
  propagateReleases(state);
}

} // namespace carousel::sim
