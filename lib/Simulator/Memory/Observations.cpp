//===- Observations.cpp - missing fences and scopes -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views share lists of observations, which are immutable, so that barriers pass
// them on for the cost of a pointer.
//
//===----------------------------------------------------------------------===//

#include "Observations.h"

#include "llvm/ADT/STLExtras.h"

using namespace carousel::sim;

/// Rarely are more addresses than this polled at a time.
static constexpr size_t kMostObservations = 8;

void Observations::add(Observation observation) {
  auto next = llvm::makeIntrusiveRefCnt<List>();
  const void *place = observation.place;
  if (list)
    llvm::copy_if(list->items, std::back_inserter(next->items),
                  [&](const auto &item) {
                    return item->place != place ||
                           !item->reader.isSameAgent(observation.reader);
                  });
  if (next->items.size() == kMostObservations)
    next->items.erase(next->items.begin());
  next->items.push_back(
      llvm::makeIntrusiveRefCnt<Observation>(std::move(observation)));
  list = std::move(next);
}

void Observations::join(const Observations &other) {
  if (!other.list || other.list == list)
    return;
  if (!list) {
    list = other.list;
    return;
  }
  llvm::IntrusiveRefCntPtr<List> next;
  for (const auto &item : other.list->items) {
    if (llvm::is_contained(next ? next->items : list->items, item))
      continue;
    if (!next) {
      next = llvm::makeIntrusiveRefCnt<List>();
      next->items = list->items;
    }
    if (next->items.size() == kMostObservations)
      next->items.erase(next->items.begin());
    next->items.push_back(item);
  }
  if (next)
    list = std::move(next);
}

void Observations::noteAcquire(Epoch reader, MemScope scope) {
  if (!list)
    return;
  llvm::IntrusiveRefCntPtr<List> next;
  for (auto [index, item] : llvm::enumerate(list->items)) {
    if (!item->reader.isSameAgent(reader) ||
        (item->acquired && *item->acquired >= scope))
      continue;
    if (!next) {
      next = llvm::makeIntrusiveRefCnt<List>();
      next->items = list->items;
    }
    auto acquired = llvm::makeIntrusiveRefCnt<Observation>(*item);
    acquired->acquired = scope;
    next->items[index] = std::move(acquired);
  }
  if (next)
    list = std::move(next);
}

//===----------------------------------------------------------------------===//
// Explanations
//===----------------------------------------------------------------------===//

static const char *getName(MemScope scope) {
  return scope == MemScope::CTA       ? "cta"
         : scope == MemScope::Cluster ? "cluster"
         : scope == MemScope::GPU     ? "gpu"
                                      : "sys";
}

static std::string describe(Epoch epoch, Site site, const FindingLog &log) {
  Actor actor;
  actor.cta = epoch.cta();
  actor.thread = epoch.agent();
  actor.site = site;
  std::string text = log.describe(actor), place = log.locate(site);
  return place.empty() ? text : text + ", at " + place;
}

/// The narrowest scope that contains both sides.
static MemScope getScope(const Observation &observation, Epoch earlier) {
  const Publication &publication = *observation.publication;
  if (earlier.cta() == observation.reader.cta())
    return MemScope::CTA;
  bool isInCluster = earlier.cta() == publication.writer.cta() &&
                     publication.cluster == observation.cluster;
  if (isInCluster)
    return MemScope::Cluster;
  return publication.gpu == observation.gpu ? MemScope::GPU : MemScope::System;
}

static std::string explainRelease(const Observation &observation,
                                  MemScope scope, bool isNarrow,
                                  const FindingLog &log) {
  const Publication &publication = *observation.publication;
  std::string name = getName(scope);
  std::string who = describe(publication.writer, publication.site, log);
  if (!publication.isArrive)
    return "mend it with carousel.fence.thread release " + name +
           " before the atomic by " + who +
           (isNarrow ? ": the fence there has a narrower scope"
                     : ": an atomic releases nothing by itself");
  if (publication.isRelaxed && !isNarrow)
    return "mend it with release semantics, or carousel.fence.thread release " +
           name + " before it, at the arrive by " + who + ": it is relaxed";
  return "mend it with scope(" + name + ") at the arrive by " + who +
         ": it has a narrower scope";
}

static std::string explainAcquire(const Observation &observation,
                                  MemScope scope, const FindingLog &log) {
  std::string name = getName(scope);
  std::string who = describe(observation.reader, observation.site, log);
  if (!observation.publication->isArrive)
    return "mend it with carousel.fence.thread acquire " + name +
           " after the atomic by " + who +
           (observation.acquired ? ": the fence there has a narrower scope"
                                 : ": an atomic acquires nothing by itself");
  if (observation.isRelaxed)
    return "mend it with acquire semantics, or carousel.fence.thread acquire " +
           name + " after it, at the wait by " + who + ": it is relaxed";
  return "mend it with scope(" + name + ") at the wait by " + who +
         ": it has a narrower scope";
}

std::vector<std::string> Observations::explain(Epoch earlier,
                                               const FindingLog &log) const {
  std::vector<std::string> notes;
  if (!list)
    return notes;
  for (const auto &item : llvm::reverse(list->items)) {
    const Publication &publication = *item->publication;
    if (!publication.known.covers(earlier))
      continue;
    MemScope scope = getScope(*item, earlier);
    auto isReleased = [&](const Clock &clock) { return clock.covers(earlier); };
    if (!isReleased(publication.released[getIndex(scope)]))
      notes.push_back(explainRelease(
          *item, scope, llvm::any_of(publication.released, isReleased), log));
    if (!item->acquired || *item->acquired < scope)
      notes.push_back(explainAcquire(*item, scope, log));
    if (!notes.empty())
      break;
  }
  return notes;
}
