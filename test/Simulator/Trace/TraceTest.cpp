//===- TraceTest.cpp - the timeline of a run ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Traces of kernels are read back as JSON: what waits for what, what overlaps,
// what counters say.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Trace/Trace.h"
#include "../Launch/KernelTesting.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <map>
#include <numeric>
#include <set>

using namespace carousel::sim;

namespace {

/// An event, as it was read.
struct Event {
  std::string phase, category, name;
  int64_t process = 0, track = 0, begin = 0, end = 0;
  llvm::json::Object arguments;

  std::string text(llvm::StringRef key) const {
    return arguments.getString(key).value_or("").str();
  }
  int64_t number(llvm::StringRef key) const {
    return arguments.getInteger(key).value_or(-1);
  }
};

std::vector<Event> readEvents(llvm::StringRef trace) {
  std::vector<Event> events;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(trace);
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    return events;
  }
  for (const llvm::json::Value &item :
       *value->getAsObject()->getArray("traceEvents")) {
    const llvm::json::Object &object = *item.getAsObject();
    Event &event = events.emplace_back();
    event.phase = object.getString("ph").value_or("").str();
    event.category = object.getString("cat").value_or("").str();
    event.name = object.getString("name").value_or("").str();
    event.process = object.getInteger("pid").value_or(-1);
    event.track = object.getInteger("tid").value_or(-1);
    event.begin = object.getInteger("ts").value_or(-1);
    event.end = event.begin + object.getInteger("dur").value_or(0);
    if (const llvm::json::Object *arguments = object.getObject("args"))
      event.arguments = *arguments;
  }
  return events;
}

/// Finds the spans of a category in one process, in the order of their begins.
std::vector<const Event *> find(const std::vector<Event> &events,
                                int64_t process, llvm::StringRef category,
                                llvm::StringRef name = "") {
  std::vector<const Event *> found;
  for (const Event &event : events)
    if (event.phase == "X" && event.process == process &&
        event.category == category && (name.empty() || event.name == name))
      found.push_back(&event);
  return found;
}

int64_t countOverlaps(const std::vector<const Event *> &spans) {
  int64_t most = 0;
  for (const Event *span : spans)
    most = std::max(most, llvm::count_if(spans, [&](const Event *other) {
                      return other->begin <= span->begin &&
                             span->begin < other->end;
                    }));
  return most;
}

class Trace : public KernelTest {
protected:
  std::unique_ptr<CompiledKernel> compileNamed(const std::string &text,
                                               llvm::StringRef kernel = "k") {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(text, "test.mlir"), {});
    auto module = parseNamedModule(sources, &context);
    EXPECT_TRUE(module) << messages;
    if (!module)
      return nullptr;
    auto compiled = CompiledKernel::compile(*module, kernel);
    EXPECT_TRUE(succeeded(compiled)) << messages;
    return failed(compiled) ? nullptr : std::move(*compiled);
  }

  /// The kernel of this body, which takes an %x of 1024 floats.
  RunResult runTraced(const std::string &workgroup, const std::string &body,
                      uint32_t threads, uint32_t ctas = 1) {
    std::string text = "#gl = #gpu.address_space<global>\n"
                       "#ws = #gpu.address_space<workgroup>\n"
                       "gpu.module @m {\n"
                       "  gpu.func @k(%x: memref<1024xf32, #gl>) " +
                       workgroup + " kernel {\n" + body +
                       "\n    gpu.return\n  }\n}\n";
    auto kernel = compileNamed(text);
    if (!kernel)
      return {};
    std::vector<float> x(1024, 1);
    RunOptions options;
    options.trace = true;
    options.grid = {ctas, 1, 1};
    options.block = {threads, 1, 1};
    return kernel->run({makeMemRef(x)}, options);
  }

  /// Two CTAs, which are resident at once, copy a matrix through rings of four
  /// slots.
  RunResult runRing(const std::string &policy, uint64_t seed,
                    uint32_t shown = 8, bool trace = true) {
    if (!ring)
      ring = compileNamed(
          readExample("machine/copy_ring.mlir", kVariant,
                      std::string("carousel.coresident, ") + kVariant),
          "copy_2d");
    if (!ring)
      return {};
    int64_t rows = 512, columns = 256;
    std::vector<float> x(rows * columns), y(x.size());
    std::iota(x.begin(), x.end(), 1);
    std::vector<int64_t> tickets(2, 0);
    RunOptions options;
    options.policy = policy;
    options.seed = seed;
    options.multiprocessors = 2;
    options.trace = trace;
    options.tracedCTAs = shown;
    RunResult result =
        ring->run({makeMemRef(x, {rows, columns}),
                   makeMemRef(y, {rows, columns}, false), makeMemRef(tickets)},
                  options);
    EXPECT_TRUE(result.isClean()) << describe(result);
    return result;
  }

  static constexpr const char *kVariant =
      "carousel.variant = #carousel.variant<kernel = \"copy_2d\"";
  std::unique_ptr<CompiledKernel> ring;
};

TEST_F(Trace, TracksHaveNamesAndNoOverlaps) {
  std::vector<Event> events = readEvents(runRing("random", 1).trace);
  std::map<std::pair<int64_t, int64_t>, std::string> tracks;
  std::set<int64_t> processes;
  for (const Event &event : events) {
    if (event.name == "process_name") {
      EXPECT_EQ(event.text("name"), "CTA " + std::to_string(event.process));
      processes.insert(event.process);
    }
    if (event.name != "thread_name")
      continue;
    auto [it, isNew] =
        tracks.insert({{event.process, event.track}, event.text("name")});
    EXPECT_TRUE(isNew) << event.text("name");
  }
  EXPECT_EQ(processes, (std::set<int64_t>{0, 1}));
  // One track for each warp.
  for (int64_t process : processes)
    for (const char *name : {"warp 0", "warp 1"})
      EXPECT_EQ(llvm::count_if(tracks,
                               [&](const auto &track) {
                                 return track.first.first == process &&
                                        track.second == name;
                               }),
                1);

  std::map<std::pair<int64_t, int64_t>, int64_t> ends;
  int64_t last = 0;
  for (const Event &event : events) {
    EXPECT_LE(last, event.begin);
    last = event.begin;
    if (event.phase != "X")
      continue;
    EXPECT_LT(event.begin, event.end) << event.name;
    auto track = std::make_pair(event.process, event.track);
    ASSERT_TRUE(tracks.count(track)) << event.name;
    EXPECT_EQ(llvm::StringRef(tracks[track]).starts_with("warp"),
              event.category == "wait" || event.category == "call" ||
                  event.category == "compute");
    EXPECT_LE(ends[track], event.begin) << event.name << tracks[track];
    ends[track] = event.end;
  }
}

TEST_F(Trace, WaitsEndAfterTheirLoads) {
  for (const char *policy :
       {"random", "early-landing", "late-landing", "starved-warp"}) {
    std::vector<Event> events = readEvents(runRing(policy, 2).trace);
    size_t numLoads = 0;
    for (int64_t cta : {0, 1})
      for (int slot = 0; slot < 4; ++slot) {
        std::string full = "full[" + std::to_string(slot) + "]";
        std::vector<int64_t> landings;
        for (const Event *load : find(events, cta, "loads"))
          if (load->text("signals") == full) {
            landings.push_back(load->end);
            EXPECT_EQ(load->name, "tensor.load");
            EXPECT_EQ(load->number("bytes"), 64 * 64 * 4);
            EXPECT_EQ(load->text("shared"),
                      "slots[" + std::to_string(slot) + "]");
            EXPECT_TRUE(llvm::StringRef(load->text("location"))
                            .starts_with("test.mlir:"));
          }
        std::vector<const Event *> waits =
            find(events, cta, "wait", "wait " + full);
        ASSERT_GE(waits.size(), landings.size()) << policy << full;
        for (size_t i = 0; i < landings.size(); ++i) {
          EXPECT_GE(waits[i]->end, landings[i]) << policy << full << i;
          // And not for the next one.
          if (i + 1 < landings.size())
            EXPECT_LT(waits[i]->end, landings[i + 1]) << policy << full << i;
        }
        numLoads += landings.size();
      }
    EXPECT_EQ(numLoads, 32u) << policy;
  }
}

TEST_F(Trace, RingsOverlap) {
  std::vector<Event> events = readEvents(runRing("late-landing", 3).trace);
  for (int64_t cta : {0, 1}) {
    std::vector<const Event *> loads = find(events, cta, "loads");
    int64_t overlaps = countOverlaps(loads);
    EXPECT_GT(overlaps, 1);
    EXPECT_LE(overlaps, 4);
    std::vector<const Event *> stores = find(events, cta, "stores");
    EXPECT_TRUE(llvm::any_of(stores, [&](const Event *store) {
      return llvm::any_of(loads, [&](const Event *load) {
        return load->begin < store->end && store->begin < load->end;
      });
    }));

    int64_t mostSlots = 0, mostBytes = 0, slots = 0, bytes = 0;
    for (const Event &event : events) {
      if (event.phase != "C" || event.process != cta)
        continue;
      if (event.name == "bytes in flight") {
        bytes = event.number("loads") + event.number("others");
        EXPECT_GE(event.number("loads"), 0);
        EXPECT_GE(event.number("others"), 0);
        mostBytes = std::max(mostBytes, bytes);
        continue;
      }
      EXPECT_EQ(event.name, "slots of full");
      slots = event.number("loading") + event.number("filled");
      EXPECT_GE(event.number("loading"), 0);
      EXPECT_GE(event.number("filled"), 0);
      EXPECT_LE(slots, 4);
      mostSlots = std::max(mostSlots, slots);
    }
    EXPECT_EQ(mostSlots, 4);
    EXPECT_GT(mostBytes, 64 * 64 * 4);
    EXPECT_EQ(bytes, 0);
  }
}

TEST_F(Trace, IsAFunctionOfTheSeed) {
  std::string trace = runRing("random", 5).trace;
  EXPECT_EQ(trace, runRing("random", 5).trace);
  EXPECT_NE(trace, runRing("random", 6).trace);
  EXPECT_EQ(runRing("random", 5, 8, /*trace=*/false).trace, "");
}

TEST_F(Trace, ShowsTheFirstCTAs) {
  std::set<int64_t> processes;
  for (const Event &event : readEvents(runRing("reverse-ctas", 1, 1).trace))
    processes.insert(event.process);
  EXPECT_EQ(processes, std::set<int64_t>{0});
}

TEST_F(Trace, ComputesBetweenBarriers) {
  RunResult result = runTraced("", R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c200 = arith.constant 200 : index
    %t = gpu.thread_id x
    %is_slow = arith.cmpi ult, %t, %c32 : index
    scf.if %is_slow {
      scf.for %i = %c0 to %c200 step %c1 {
        %v = memref.load %x[%t] : memref<1024xf32, #gl>
        memref.store %v, %x[%t] : memref<1024xf32, #gl>
      }
    }
    gpu.barrier)",
                               64);
  ASSERT_TRUE(result.isClean()) << describe(result);
  std::vector<Event> events = readEvents(result.trace);
  // The slow warp computes all the time; the other one waits for it.
  std::vector<const Event *> waits = find(events, 0, "wait", "CTA barrier");
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0]->track, 1);
  EXPECT_EQ(waits[0]->number("threads"), 32);
  EXPECT_GE(waits[0]->end - waits[0]->begin, 400);
  const Event *slow = find(events, 0, "compute").front();
  EXPECT_EQ(slow->track, 0);
  EXPECT_GE(slow->end, waits[0]->end);
}

TEST_F(Trace, LanesThatPartShowTheOneThatWorks) {
  RunResult result = runTraced("", R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    %t = gpu.thread_id x
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      scf.for %i = %c0 to %c100 step %c1 {
        %v = memref.load %x[%t] : memref<1024xf32, #gl>
        memref.store %v, %x[%t] : memref<1024xf32, #gl>
      }
    }
    gpu.barrier)",
                               32);
  ASSERT_TRUE(result.isClean()) << describe(result);
  std::vector<Event> events = readEvents(result.trace);
  EXPECT_TRUE(find(events, 0, "wait").empty());
  std::vector<const Event *> computes = find(events, 0, "compute");
  ASSERT_EQ(computes.size(), 1u);
  EXPECT_EQ(computes[0]->begin, 0);
  EXPECT_EQ(uint64_t(computes[0]->end), result.figures.cycles);
}

TEST_F(Trace, TileTransfers) {
  RunResult result = runTraced("", R"(
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() : memref<512xf32, #ws>
    carousel.load %x[%c0] to %tile : memref<1024xf32, #gl>, memref<512xf32, #ws>
    carousel.store %tile to %x[%c0] reduce<add f32> : memref<512xf32, #ws>, memref<1024xf32, #gl>)",
                               64);
  ASSERT_TRUE(result.isClean()) << describe(result);
  std::vector<Event> events = readEvents(result.trace);
  std::vector<const Event *> loads = find(events, 0, "loads", "load"),
                             stores = find(events, 0, "stores", "store");
  ASSERT_EQ(loads.size(), 1u);
  ASSERT_EQ(stores.size(), 1u);
  EXPECT_EQ(loads[0]->text("shared"), "tile");
  EXPECT_EQ(loads[0]->number("bytes"), 2048);
  EXPECT_LE(loads[0]->end, stores[0]->begin);
  // Both warps wait until it has landed.
  std::vector<const Event *> waits = find(events, 0, "wait", "tile load");
  ASSERT_EQ(waits.size(), 2u);
  for (const Event *wait : waits)
    EXPECT_GE(wait->end, loads[0]->end);
}

TEST_F(Trace, CopiesOfAWarpAreOneSpan) {
  RunResult result = runTraced("workgroup(%tile: memref<256xf32, #ws>)", R"(
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c4 : index
    carousel.cp_async.copy cg %x[%i] to %tile[%i], 16 : memref<1024xf32, #gl>, memref<256xf32, #ws>
    carousel.cp_async.commit_group
    carousel.cp_async.wait_group 0)",
                               64);
  ASSERT_TRUE(result.isClean()) << describe(result);
  std::vector<Event> events = readEvents(result.trace);
  std::vector<const Event *> copies = find(events, 0, "cp.async");
  ASSERT_EQ(copies.size(), 2u);
  int64_t last = 0;
  for (const Event *copy : copies) {
    EXPECT_EQ(copy->number("operations"), 32);
    EXPECT_EQ(copy->number("bytes"), 512);
    EXPECT_EQ(copy->text("shared"), "tile");
    last = std::max(last, copy->end);
  }
  std::vector<const Event *> waits =
      find(events, 0, "wait", "cp.async group wait");
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(std::max(waits[0]->end, waits[1]->end), last);
}

TEST_F(Trace, DeadlocksLeaveOpenWaitsWithNames) {
  RunResult result =
      runTraced("workgroup(%full: memref<2x!carousel.mbarrier, #ws>)", R"(
    %c1 = arith.constant 1 : index
    %false = arith.constant false
    carousel.mbarrier.init %full[%c1], 1 : memref<2x!carousel.mbarrier, #ws>
    carousel.mbarrier.wait %full[%c1] parity %false : memref<2x!carousel.mbarrier, #ws>)",
                1);
  EXPECT_EQ(result.status, RunStatus::Deadlock);
  // No thread has ended, but the init and the wait were steps.
  EXPECT_GE(result.figures.cycles, 2u);
  ASSERT_EQ(count(result, FindingKind::Deadlock), 1u) << describe(result);
  EXPECT_NE(describe(result).find("mbarrier full[1]"), std::string::npos)
      << describe(result);
  std::vector<Event> events = readEvents(result.trace);
  std::vector<const Event *> waits = find(events, 0, "wait", "wait full[1]");
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_TRUE(waits[0]->arguments.getBoolean("open").value_or(false));
}

//===----------------------------------------------------------------------===//
// Tracks
//===----------------------------------------------------------------------===//

TEST(TraceTracks, SpansThatOverlapAreSpread) {
  EXPECT_EQ(spreadOverTracks({{0, 10}, {5, 20}, {10, 12}, {11, 30}, {20, 21}}),
            (std::vector<uint32_t>{0, 1, 0, 2, 0}));
}

TEST(TraceTracks, WarpsWaitWhenAllLanesDo) {
  std::vector<Timeline::Label> labels = {{CallKind::Waits, "a"},
                                         {CallKind::Waits, "b"},
                                         {CallKind::Works, "arrive"}};
  std::vector<ThreadNotes> lanes(2);
  lanes[0] = {0, 100, {{10, 50, 0, 1}, {60, 70, 2, 2}}};
  lanes[1] = {0, 90, {{20, 80, 1, 3}}};
  std::vector<WarpSpan> track = makeWarpTrack(lanes, labels, 100);
  std::vector<std::array<int64_t, 3>> spans,
      expected = {
          {0, 20, -1}, {20, 50, 0}, {50, 60, -1}, {60, 70, 2}, {70, 100, -1}};
  for (const WarpSpan &span : track)
    spans.push_back(
        {int64_t(span.begin), int64_t(span.end),
         span.label == WarpSpan::kComputes ? -1 : int64_t(span.label)});
  EXPECT_EQ(spans, expected);
}

TEST(TraceTracks, SlotsAreHeldUntilTheyAreGivenBack) {
  CTANotes notes;
  notes.barriers.resize(2);
  BarrierSlots &full = notes.barriers[0], &empty = notes.barriers[1];
  full.slots.resize(1);
  empty.slots.resize(1);
  full.slots[0].fills = {{0, 10, 20}, {1, 40, 50}};
  auto get = [&] {
    std::vector<std::array<int64_t, 3>> values;
    for (const CounterValue &value : countSlots(notes, full, 100))
      values.push_back({int64_t(value.time), value.first, value.second});
    return values;
  };
  std::vector<std::array<int64_t, 3>> reused = {
      {10, 1, 0}, {20, 0, 1}, {40, 1, 0}, {50, 0, 1}, {100, 0, 0}};
  EXPECT_EQ(get(), reused);
  // Phases before the landing gave back what was there before.
  empty.slots[0].completed = {5, 30};
  std::vector<std::array<int64_t, 3>> given = {
      {10, 1, 0}, {20, 0, 1}, {30, 0, 0}, {40, 1, 0}, {50, 0, 1}, {100, 0, 0}};
  EXPECT_EQ(get(), given);
}

} // namespace
