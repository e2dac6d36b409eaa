//===- TraceTracks.cpp - from notes to tracks -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merges the threads of a warp, each with its own time, into one track.
// Distributes overlapping operations to tracks, and sums differences to the
// values of counters.
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace carousel::sim;

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

namespace {

/// Sweeps over the starts and ends of a warp's calls.
class WarpSweep {
public:
  WarpSweep(llvm::ArrayRef<ThreadNotes> lanes,
            llvm::ArrayRef<Timeline::Label> labels, uint64_t end)
      : lanes(lanes), labels(labels), end(end), states(lanes.size()) {}

  std::vector<WarpSpan> run();

private:
  static constexpr uint32_t kNoSpan = ~0u, kLife = kNoSpan - 1;
  struct Edge {
    uint64_t time;
    bool isBegin;
    uint32_t lane, span;
    bool operator<(const Edge &other) const {
      return std::tie(time, isBegin, lane, span) <
             std::tie(other.time, other.isBegin, other.lane, other.span);
    }
  };
  struct State {
    bool isAlive = false;
    uint32_t span = kNoSpan;
  };

  void addEdges();
  /// The current activity of the warp, without times; nullopt if no lane is
  /// alive.
  std::optional<WarpSpan> getCurrent() const;
  uint64_t getEnd(const ThreadSpan &span) const {
    return span.end == kStillOpen ? end : span.end;
  }

  llvm::ArrayRef<ThreadNotes> lanes;
  llvm::ArrayRef<Timeline::Label> labels;
  uint64_t end;
  std::vector<Edge> edges;
  std::vector<State> states;
};

void WarpSweep::addEdges() {
  for (uint32_t lane = 0; lane < lanes.size(); ++lane) {
    const ThreadNotes &notes = lanes[lane];
    if (notes.begin == kStillOpen)
      continue;
    auto add = [&](uint64_t from, uint64_t to, uint32_t span) {
      to = to == kStillOpen ? end : to;
      if (from >= to)
        return;
      edges.push_back({from, true, lane, span});
      edges.push_back({to, false, lane, span});
    };
    add(notes.begin, notes.end, kLife);
    for (uint32_t span = 0; span < notes.spans.size(); ++span)
      add(notes.spans[span].begin, notes.spans[span].end, span);
  }
  llvm::sort(edges);
}

std::optional<WarpSpan> WarpSweep::getCurrent() const {
  const ThreadSpan *best = nullptr;
  bool works = false, computes = false, isAlive = false;
  uint32_t numComputing = 0;
  for (uint32_t lane = 0; lane < lanes.size(); ++lane) {
    const State &state = states[lane];
    if (!state.isAlive)
      continue;
    isAlive = true;
    if (state.span == kNoSpan) {
      computes = true;
      ++numComputing;
      continue;
    }
    const ThreadSpan &span = lanes[lane].spans[state.span];
    if (works)
      continue;
    works = labels[span.label].kind == CallKind::Works;
    if (!best || works || getEnd(span) < getEnd(*best))
      best = &span;
  }
  if (!isAlive)
    return std::nullopt;
  WarpSpan current;
  if (computes && !works) {
    current.threads = numComputing;
    return current;
  }
  current.label = best->label;
  current.site = best->site;
  current.isOpen = best->end == kStillOpen;
  for (uint32_t lane = 0; lane < lanes.size(); ++lane)
    current.threads +=
        states[lane].isAlive && states[lane].span != kNoSpan &&
        lanes[lane].spans[states[lane].span].label == current.label;
  return current;
}

std::vector<WarpSpan> WarpSweep::run() {
  addEdges();
  std::vector<WarpSpan> track;
  std::optional<WarpSpan> current;
  for (size_t i = 0; i < edges.size();) {
    uint64_t time = edges[i].time;
    for (; i < edges.size() && edges[i].time == time; ++i) {
      State &state = states[edges[i].lane];
      if (edges[i].span == kLife)
        state.isAlive = edges[i].isBegin;
      else
        state.span = edges[i].isBegin ? edges[i].span : kNoSpan;
    }
    std::optional<WarpSpan> next = getCurrent();
    if (current && next && current->label == next->label &&
        current->site == next->site) {
      current->threads = std::max(current->threads, next->threads);
      continue;
    }
    if (current) {
      current->end = time;
      track.push_back(*current);
    }
    current = next;
    if (current)
      current->begin = time;
  }
  return track;
}

} // namespace

std::vector<WarpSpan>
carousel::sim::makeWarpTrack(llvm::ArrayRef<ThreadNotes> lanes,
                             llvm::ArrayRef<Timeline::Label> labels,
                             uint64_t end) {
  return WarpSweep(lanes, labels, end).run();
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

std::vector<uint32_t> carousel::sim::spreadOverTracks(
    llvm::ArrayRef<std::pair<uint64_t, uint64_t>> spans) {
  std::vector<uint32_t> tracks;
  std::vector<uint64_t> ends;
  for (auto [begin, end] : spans) {
    auto free = llvm::find_if(
        ends, [begin = begin](uint64_t last) { return last <= begin; });
    tracks.push_back(free - ends.begin());
    if (free == ends.end())
      ends.push_back(end);
    else
      *free = end;
  }
  return tracks;
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// Sums differences to values, one for each time at which they change.
static std::vector<CounterValue> addUp(std::vector<CounterValue> differences) {
  llvm::sort(differences, [](const CounterValue &a, const CounterValue &b) {
    return a.time < b.time;
  });
  std::vector<CounterValue> values;
  CounterValue now;
  for (size_t i = 0; i < differences.size();) {
    CounterValue before = now;
    now.time = differences[i].time;
    for (; i < differences.size() && differences[i].time == now.time; ++i) {
      now.first += differences[i].first;
      now.second += differences[i].second;
    }
    if (values.empty() || now.first != before.first ||
        now.second != before.second)
      values.push_back(now);
  }
  return values;
}

std::vector<CounterValue> carousel::sim::countBytes(const CTANotes &notes) {
  std::vector<CounterValue> differences;
  for (const TransferSpan &span : notes.transfers) {
    // Products move nothing to another memory.
    if (span.engine == Engine::Products)
      continue;
    auto bytes = int64_t(span.bytes);
    bool isLoad = span.engine == Engine::Loads || span.engine == Engine::Copies;
    int64_t first = isLoad ? bytes : 0, second = isLoad ? 0 : bytes;
    differences.push_back({span.begin, first, second});
    differences.push_back({span.end, -first, -second});
  }
  return addUp(std::move(differences));
}

/// The time at which the data that landed at `landed` was released, at the
/// latest at `before`.
static uint64_t findRelease(const CTANotes &notes, const BarrierSlots &array,
                            size_t slot, uint64_t landed, uint64_t before) {
  for (const BarrierSlots &other : notes.barriers) {
    if (&other == &array || other.slots.size() != array.slots.size() ||
        other.isFilled())
      continue;
    for (uint64_t completed : other.slots[slot].completed)
      if (completed >= landed)
        before = std::min(before, completed);
  }
  return before;
}

std::vector<CounterValue> carousel::sim::countSlots(const CTANotes &notes,
                                                    const BarrierSlots &array,
                                                    uint64_t end) {
  std::vector<CounterValue> differences;
  for (size_t slot = 0; slot < array.slots.size(); ++slot) {
    llvm::ArrayRef<SlotFill> fills = array.slots[slot].fills;
    for (size_t i = 0; i < fills.size(); ++i) {
      uint64_t next = i + 1 < fills.size() ? fills[i + 1].issued : end;
      uint64_t landed = std::min(fills[i].landed, next);
      uint64_t released =
          findRelease(notes, array, slot, fills[i].landed, next);
      differences.push_back({fills[i].issued, 1, 0});
      differences.push_back({landed, -1, 1});
      differences.push_back({std::max(landed, released), 0, -1});
    }
  }
  return addUp(std::move(differences));
}
