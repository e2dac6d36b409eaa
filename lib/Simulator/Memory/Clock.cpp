//===- Clock.cpp - vector clocks of agents --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Observes and joins clocks such that those of one CTA keep sharing one part. A
// part is copied only if more than one agent has advanced since. A join takes
// over the other clock's part if that one knows more. Lists of observations are
// immutable, so that barriers pass them on for the cost of a pointer.
//
//===----------------------------------------------------------------------===//

#include "Clock.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace carousel::sim;

/// The part, with no other owner, and with room for `numAgents`.
Clock::Part &Clock::Entry::ownPart(uint32_t numAgents) {
  if (!part)
    part = llvm::makeIntrusiveRefCnt<Part>();
  else if (part->UseCount() > 1)
    part = llvm::makeIntrusiveRefCnt<Part>(*part);
  if (part->times.size() < numAgents)
    part->times.resize(numAgents);
  return *part;
}

void Clock::Entry::observe(uint32_t agent, uint32_t time) {
  if (getTime(agent) >= time)
    return;
  if (aheadTime && aheadAgent == agent) {
    aheadTime = time;
    return;
  }
  bool isOwn = part && part->UseCount() == 1;
  if (!isOwn && !aheadTime) {
    aheadAgent = agent;
    aheadTime = time;
    return;
  }
  Part &own = ownPart(std::max(agent, aheadTime ? aheadAgent : 0) + 1);
  own.times[agent] = time;
  if (aheadTime)
    own.times[aheadAgent] = aheadTime;
  aheadTime = 0;
}

void Clock::Entry::join(const Entry &other) {
  if (!part) {
    part = other.part;
  } else if (other.part && other.part != part) {
    const std::vector<uint32_t> &mine = part->times,
                                &theirs = other.part->times;
    size_t common = std::min(mine.size(), theirs.size());
    // The loop has no early exit, so that the compiler vectorises it. Times
    // have fewer than 32 bits: the sign of a difference says which is later,
    // and costs less than unsigned comparisons.
    static_assert(Epoch::kTimeBits < 32);
    uint32_t earlier = 0, later = 0;
    for (size_t i = 0; i < common; ++i) {
      earlier |= mine[i] - theirs[i];
      later |= theirs[i] - mine[i];
    }
    bool isBelow = static_cast<int32_t>(later) >= 0;
    bool isAbove = static_cast<int32_t>(earlier) >= 0;
    auto isZero = [](uint32_t time) { return time == 0; };
    isBelow &= std::all_of(mine.begin() + common, mine.end(), isZero);
    isAbove &= std::all_of(theirs.begin() + common, theirs.end(), isZero);
    if (isBelow) {
      part = other.part;
    } else if (!isAbove) {
      std::vector<uint32_t> &own = ownPart(theirs.size()).times;
      for (size_t i = 0, e = theirs.size(); i < e; ++i)
        own[i] = std::max(own[i], theirs[i]);
    }
  }
  if (aheadTime && getPartTime(aheadAgent) >= aheadTime)
    aheadTime = 0;
  if (other.aheadTime)
    observe(other.aheadAgent, other.aheadTime);
}

const Clock::Entry *Clock::search(uint32_t cta) const {
  const Entry *entry =
      llvm::lower_bound(entries, cta, [](const Entry &e, uint32_t number) {
        return e.cta < number;
      });
  return entry != entries.end() && entry->cta == cta ? entry : nullptr;
}

Clock::Entry &Clock::findOrCreate(uint32_t cta) {
  Entry *entry =
      llvm::lower_bound(entries, cta, [](const Entry &e, uint32_t number) {
        return e.cta < number;
      });
  if (entry != entries.end() && entry->cta == cta)
    return *entry;
  Entry fresh;
  fresh.cta = cta;
  return *entries.insert(entry, std::move(fresh));
}

void Clock::observe(Epoch epoch) {
  if (epoch.time() != 0)
    findOrCreate(epoch.cta()).observe(epoch.agent(), epoch.time());
}

void Clock::observe(llvm::ArrayRef<Clock *> clocks, Epoch epoch) {
  uint32_t agent = epoch.agent();
  PartRef before, after;
  for (Clock *clock : clocks) {
    Entry &entry = clock->findOrCreate(epoch.cta());
    if (entry.getTime(agent) >= epoch.time())
      continue;
    if (!after || entry.part != before) {
      before = entry.part;
      after = before ? llvm::makeIntrusiveRefCnt<Part>(*before)
                     : llvm::makeIntrusiveRefCnt<Part>();
      if (after->times.size() <= agent)
        after->times.resize(agent + 1);
      after->times[agent] = epoch.time();
    }
    entry.part = after;
    if (entry.aheadAgent == agent)
      entry.aheadTime = 0;
  }
}

void Clock::CTASet::insert(Range range) {
  std::vector<Range> result;
  for (Range known : ranges) {
    if (known.end < range.begin || known.begin > range.end) {
      result.push_back(known);
    } else {
      range.begin = std::min(range.begin, known.begin);
      range.end = std::max(range.end, known.end);
    }
  }
  result.push_back(range);
  llvm::sort(result, [](Range a, Range b) { return a.begin < b.begin; });
  ranges = std::move(result);
}

void Clock::observeAll(uint32_t begin, uint32_t end) {
  if (begin >= end)
    return;
  auto set = llvm::makeIntrusiveRefCnt<CTASet>();
  if (ended)
    set->ranges = ended->ranges;
  set->insert({begin, end});
  ended = std::move(set);
}

void Clock::joinEnded(const Clock &other) {
  if (!other.ended || other.ended == ended)
    return;
  if (!ended) {
    ended = other.ended;
    return;
  }
  auto set = llvm::makeIntrusiveRefCnt<CTASet>();
  set->ranges = ended->ranges;
  for (CTASet::Range range : other.ended->ranges)
    set->insert(range);
  ended = std::move(set);
}

void Clock::joinOutside(const Clock &other, uint32_t begin, uint32_t end) {
  joinEnded(other);
  for (const Entry &entry : other.entries)
    if (entry.cta < begin || entry.cta >= end)
      findOrCreate(entry.cta).join(entry);
}

void Clock::join(const Clock &other) {
  if (this == &other)
    return;
  joinEnded(other);
  if (other.entries.empty())
    return;
  if (entries.empty()) {
    entries = other.entries;
    return;
  }
  // If all CTAs of the other clock are known, the entries stay in place.
  size_t position = 0, known = entries.size();
  llvm::SmallVector<const Entry *> missing;
  for (const Entry &theirs : other.entries) {
    while (position < known && entries[position].cta < theirs.cta)
      ++position;
    if (position < known && entries[position].cta == theirs.cta)
      entries[position].join(theirs);
    else
      missing.push_back(&theirs);
  }
  if (missing.empty())
    return;
  for (const Entry *entry : missing)
    entries.push_back(*entry);
  llvm::sort(entries,
             [](const Entry &a, const Entry &b) { return a.cta < b.cta; });
}

bool Clock::sharesParts(const Clock &other) const {
  return ended == other.ended && entries.size() == other.entries.size() &&
         std::equal(entries.begin(), entries.end(), other.entries.begin(),
                    [](const Entry &a, const Entry &b) {
                      return a.cta == b.cta && a.part == b.part;
                    });
}

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
