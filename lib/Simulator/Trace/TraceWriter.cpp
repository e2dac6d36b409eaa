//===- TraceWriter.cpp - a timeline as JSON -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the JSON object of the Chrome trace format: metadata that names
// processes and tracks, then complete events and counters, ordered by time. One
// microsecond of the format is one simulated cycle.
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <tuple>

using namespace carousel::sim;
using llvm::json::Object;
using llvm::json::Value;

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
