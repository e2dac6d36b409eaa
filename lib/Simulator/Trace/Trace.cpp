//===- Trace.cpp - the timeline of a run ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls arrive in the order in which the host runs threads, and not in that of
// simulated cycles. Those of one thread are in order. Names are resolved at
// once, because a CTA's memory is later reused by another one. The threads of a
// warp, each with its own time, are merged into one track, overlapping
// operations go to several, and differences are summed to the values of
// counters. The writer gives the JSON object of the Chrome trace format, where
// one microsecond is one simulated cycle.
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

#include "../Async/AsyncContext.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <tuple>

using namespace carousel::sim;
using llvm::json::Object;
using llvm::json::Value;

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

namespace {

constexpr uint32_t kWarpSize = 32;
constexpr llvm::StringLiteral kEngineNames[] = {"loads", "stores", "reductions",
                                                "cp.async", "products"};
static_assert(std::size(kEngineNames) == kNumEngines);

/// The events of a trace, to be sorted.
class Events {
public:
  void nameProcess(uint32_t process, llvm::StringRef name) {
    addMetadata("process_name", process, 0, Object{{"name", name.str()}});
    addMetadata("process_sort_index", process, 0,
                Object{{"sort_index", process}});
  }
  void nameTrack(uint32_t process, uint32_t track, llvm::StringRef name) {
    addMetadata("thread_name", process, track, Object{{"name", name.str()}});
    addMetadata("thread_sort_index", process, track,
                Object{{"sort_index", track}});
  }
  void addSpan(uint32_t process, uint32_t track, llvm::StringRef category,
               llvm::StringRef name, uint64_t begin, uint64_t end,
               Object arguments) {
    events.push_back({begin, events.size(),
                      Object{{"ph", "X"},
                             {"cat", category},
                             {"name", llvm::json::fixUTF8(name)},
                             {"pid", process},
                             {"tid", track},
                             {"ts", begin},
                             {"dur", end - begin},
                             {"args", std::move(arguments)}}});
  }
  void addCounter(uint32_t process, llvm::StringRef name, llvm::StringRef first,
                  llvm::StringRef second, llvm::ArrayRef<CounterValue> values) {
    for (const CounterValue &value : values)
      events.push_back({value.time, events.size(),
                        Object{{"ph", "C"},
                               {"name", llvm::json::fixUTF8(name)},
                               {"pid", process},
                               {"ts", value.time},
                               {"args", Object{{first, value.first},
                                               {second, value.second}}}}});
  }

  /// Sorted, one per line.
  std::string write(const Object &other) {
    // Events at the same time keep the order of insertion.
    llvm::sort(events, [](const Event &a, const Event &b) {
      return std::tie(a.time, a.number) < std::tie(b.time, b.number);
    });
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "{\"displayTimeUnit\":\"ms\",\"otherData\":" << Value(Object(other))
       << ",\n\"traceEvents\":[";
    const char *separator = "\n";
    for (std::vector<Event> *list : {&metadata, &events})
      for (Event &event : *list) {
        os << separator << Value(std::move(event.object));
        separator = ",\n";
      }
    os << "\n]}\n";
    return text;
  }

private:
  struct Event {
    uint64_t time, number;
    Object object;
  };

  void addMetadata(llvm::StringRef what, uint32_t process, uint32_t track,
                   Object arguments) {
    metadata.push_back({0, 0,
                        Object{{"ph", "M"},
                               {"name", what},
                               {"pid", process},
                               {"tid", track},
                               {"ts", 0},
                               {"args", std::move(arguments)}}});
  }

  std::vector<Event> metadata, events;
};

/// The end of all records, at which open ones end.
uint64_t findEnd(const CTANotes &notes) {
  uint64_t last = 0;
  auto see = [&](uint64_t time) {
    if (time != kStillOpen)
      last = std::max(last, time);
  };
  for (const ThreadNotes &thread : notes.threads) {
    see(thread.begin);
    see(thread.end);
    for (const ThreadSpan &span : thread.spans) {
      see(span.begin);
      see(span.end);
    }
  }
  for (const TransferSpan &span : notes.transfers)
    see(span.end);
  return last;
}

} // namespace

std::string Timeline::write() const {
  Events events;
  uint64_t end = 0;
  uint32_t shown = 0;
  for (const auto &notes : ctas)
    if (notes) {
      end = std::max(end, findEnd(*notes));
      ++shown;
    }
  // An open span is shown with at least one cycle.
  ++end;
  auto locate = [&](Object &arguments, Site site) {
    if (std::string place = describeSite(site); !place.empty())
      arguments["location"] = llvm::json::fixUTF8(place);
  };

  for (const auto &notes : ctas) {
    if (!notes)
      continue;
    uint32_t process = notes->cta;
    events.nameProcess(process, grid.describeCTA(process));

    auto threads = llvm::ArrayRef(notes->threads);
    uint32_t warps = llvm::divideCeil(threads.size(), kWarpSize);
    for (uint32_t warp = 0; warp < warps; ++warp) {
      events.nameTrack(process, warp, "warp " + llvm::utostr(warp));
      auto lanes = threads.drop_front(size_t(warp) * kWarpSize);
      for (const WarpSpan &span :
           makeWarpTrack(lanes.take_front(kWarpSize), labels, end)) {
        Object arguments{{"threads", span.threads}};
        if (span.label == WarpSpan::kComputes) {
          events.addSpan(process, warp, "compute", "compute", span.begin,
                         span.end, std::move(arguments));
          continue;
        }
        locate(arguments, span.site);
        if (span.isOpen)
          arguments["open"] = true;
        const Label &label = labels[span.label];
        events.addSpan(process, warp,
                       label.kind == CallKind::Waits ? "wait" : "call",
                       label.name, span.begin, span.end, std::move(arguments));
      }
    }

    uint32_t track = warps;
    for (unsigned engine = 0; engine < kNumEngines; ++engine) {
      std::vector<const TransferSpan *> spans;
      for (const TransferSpan &span : notes->transfers)
        if (span.engine == Engine(engine))
          spans.push_back(&span);
      // They are in one array, in the order of their issue.
      llvm::sort(spans, [](const TransferSpan *a, const TransferSpan *b) {
        return std::tie(a->begin, a) < std::tie(b->begin, b);
      });
      std::vector<std::pair<uint64_t, uint64_t>> times;
      for (const TransferSpan *span : spans)
        times.push_back({span->begin, span->end});
      std::vector<uint32_t> tracks = spreadOverTracks(times);
      llvm::StringRef name = kEngineNames[engine];
      uint32_t used = 0;
      for (auto [span, number] : llvm::zip_equal(spans, tracks)) {
        if (number >= used) {
          std::string suffix = used ? " " + llvm::utostr(used + 1) : "";
          events.nameTrack(process, track + used++, (name + suffix).str());
        }
        Object arguments{{"bytes", span->bytes}, {"thread", span->thread}};
        if (span->threads > 1)
          arguments["operations"] = span->threads;
        if (!span->shared.empty())
          arguments["shared"] = llvm::json::fixUTF8(span->shared);
        if (!span->signals.empty())
          arguments["signals"] = llvm::json::fixUTF8(span->signals);
        if (span->inFlight != 0)
          arguments["open"] = true;
        locate(arguments, span->site);
        events.addSpan(process, track + number, name, span->operation,
                       span->begin, span->end, std::move(arguments));
      }
      track += used;
    }

    if (!notes->transfers.empty())
      events.addCounter(process, "bytes in flight", "loads", "others",
                        countBytes(*notes));
    for (const BarrierSlots &array : notes->barriers)
      if (array.isFilled())
        events.addCounter(process, "slots of " + array.name, "loading",
                          "filled", countSlots(*notes, array, end));
  }
  return events.write(
      Object{{"unit", "1 us is one simulated cycle"}, {"shownCTAs", shown}});
}

bool BarrierSlots::isFilled() const {
  return llvm::any_of(slots,
                      [](const Slot &slot) { return !slot.fills.empty(); });
}

Timeline::Timeline(Grid &grid, const Memory &memory,
                   std::function<std::string(Site)> describeSite, uint32_t ctas)
    : grid(grid), memory(memory), describeSite(std::move(describeSite)),
      shownCTAs(ctas) {}

Timeline::~Timeline() = default;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

CTANotes *Timeline::find(uint32_t cta) {
  return cta < ctas.size() ? ctas[cta].get() : nullptr;
}

ThreadNotes *Timeline::find(const Thread &thread) {
  CTANotes *notes = find(thread.cta);
  return notes ? &notes->threads[thread.index] : nullptr;
}

std::string Timeline::describe(const void *address) const {
  Finding finding;
  memory.describe(address, 1, finding);
  if (finding.slot)
    finding.buffer += "[" + llvm::utostr(*finding.slot) + "]";
  return finding.buffer;
}

std::string Timeline::nameBarrier(const void *barrier,
                                  BarrierSlots::Slot **slot) {
  if (slot)
    *slot = nullptr;
  const RegionInfo *region = barrier ? memory.find(barrier) : nullptr;
  if (!region)
    return "";
  Finding finding;
  memory.describe(barrier, 1, finding);
  std::string name = finding.buffer;
  if (finding.slot)
    name += "[" + llvm::utostr(*finding.slot) + "]";
  CTANotes *notes = find(region->cta);
  if (!notes || region->space != Space::Shared)
    return name;
  const char *base = static_cast<const char *>(barrier) - finding.beginByte;
  auto array = llvm::find_if(notes->barriers, [&](const BarrierSlots &known) {
    return known.base == base;
  });
  if (array == notes->barriers.end()) {
    notes->barriers.push_back({base, finding.buffer, {}});
    array = std::prev(notes->barriers.end());
  }
  uint64_t index = finding.slot.value_or(0);
  if (array->slots.size() <= index)
    array->slots.resize(index + 1);
  if (slot)
    *slot = &array->slots[index];
  return name;
}

uint32_t Timeline::intern(CallKind kind, llvm::StringRef name) {
  auto [it, isNew] = labelNumbers.try_emplace(name, labels.size());
  if (isNew)
    labels.push_back({kind, name.str()});
  return it->second;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void Timeline::threadStarted(const Thread &thread) {
  if (thread.cta >= ctas.size())
    ctas.resize(thread.cta + 1);
  std::unique_ptr<CTANotes> &notes = ctas[thread.cta];
  if (!notes) {
    Actor actor;
    actor.cta = thread.cta;
    grid.nameLaunch(actor);
    if (actor.cta >= shownCTAs)
      return;
    notes = std::make_unique<CTANotes>();
    notes->cta = thread.cta;
    notes->threads.resize(grid.getShape(thread.launch).block.count());
  }
  notes->threads[thread.index].begin = thread.cycles;
}

void Timeline::threadEnded(const Thread &thread) {
  if (ThreadNotes *notes = find(thread))
    notes->end = thread.cycles;
}

void Timeline::callBegan(const Thread &thread, CallKind kind,
                         llvm::StringRef what, const void *barrier) {
  ThreadNotes *notes = find(thread);
  if (!notes)
    return;
  std::string name = what.str();
  if (barrier)
    name += " " + nameBarrier(barrier, nullptr);
  notes->spans.push_back(
      {thread.cycles, kStillOpen, intern(kind, name), thread.site});
}

void Timeline::callEnded(const Thread &thread) {
  ThreadNotes *notes = find(thread);
  if (!notes || notes->spans.empty())
    return;
  ThreadSpan &span = notes->spans.back();
  span.end = thread.cycles;
  if (span.end == span.begin)
    notes->spans.pop_back();
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

static Engine getEngine(llvm::StringRef operation) {
  if (operation.starts_with("cp_async"))
    return Engine::Copies;
  if (operation.starts_with("wgmma"))
    return Engine::Products;
  if (operation.contains("reduce") || operation.starts_with("red_async"))
    return Engine::Reductions;
  if (operation == "load" || operation.ends_with(".load"))
    return Engine::Loads;
  return Engine::Stores;
}

/// Each lane issues its own operation of a few bytes.
static bool isOfOneValue(llvm::StringRef operation) {
  return operation.starts_with("cp_async") ||
         operation.starts_with("st_async") ||
         operation.starts_with("red_async");
}

void Timeline::transferIssued(const Transfer &transfer) {
  CTANotes *notes = find(transfer.cta);
  if (!notes)
    return;
  uint32_t lane = transfer.thread % 32;
  CTANotes::Together *together = nullptr;
  uint32_t number = notes->transfers.size();
  if (isOfOneValue(transfer.operation)) {
    uint64_t key = uint64_t(transfer.thread / 32) << 32 | transfer.site;
    together = &notes->together[key];
    uint32_t which = together->issued[lane]++;
    if (which < together->spans.size())
      number = together->spans[which];
    else
      together->spans.push_back(number);
  }
  if (number == notes->transfers.size()) {
    TransferSpan &span = notes->transfers.emplace_back();
    span.engine = getEngine(transfer.operation);
    span.operation = transfer.operation.str();
    span.thread = transfer.thread;
    span.site = transfer.site;
    span.begin = transfer.issueCycles;
    if (transfer.shared)
      span.shared = describe(transfer.shared);
  }
  TransferSpan &span = notes->transfers[number];
  span.bytes += transfer.bytes;
  span.begin = std::min(span.begin, transfer.issueCycles);
  span.end = std::max(span.end, transfer.landCycles);
  ++span.threads;
  ++span.inFlight;
  active[transfer.id] = {transfer.cta, number};

  BarrierSlots::Slot *slot = nullptr;
  std::string signals = nameBarrier(transfer.barrier, &slot);
  if (slot) {
    uint64_t phase = slot->completed.size();
    if (slot->fills.empty() || slot->fills.back().phase != phase)
      slot->fills.push_back({phase, transfer.issueCycles, 0});
    SlotFill &fill = slot->fills.back();
    fill.issued = std::min(fill.issued, transfer.issueCycles);
    fill.landed = std::max(fill.landed, transfer.landCycles);
  }
  span.signals = std::move(signals);

  // A tile transfer is inside a call of its own.
  std::vector<ThreadSpan> &calls = notes->threads[transfer.thread].spans;
  if (!calls.empty() && calls.back().end == kStillOpen)
    return;
  calls.push_back(
      {transfer.issueCycles - kIssueCycles, transfer.issueCycles,
       intern(CallKind::Works, ("issue " + transfer.operation).str()),
       transfer.site});
}

void Timeline::transferLanded(const Transfer &transfer) {
  auto it = active.find(transfer.id);
  if (it == active.end())
    return;
  --ctas[it->second.first]->transfers[it->second.second].inFlight;
  active.erase(it);
}

void Timeline::phaseCompleted(const void *barrier, uint64_t, uint64_t cycles) {
  BarrierSlots::Slot *slot = nullptr;
  nameBarrier(barrier, &slot);
  if (slot)
    slot->completed.push_back(cycles);
}
