//===- Trace.h - the timeline of a run ---------------------------*- C++
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Notes what threads and engines do, in simulated cycles, and writes it in the
// Chrome trace format: a process for each CTA, with tracks of warps and engines
// and with counters. What it shows is in docs/Simulator.md. Trace.cpp notes,
// TraceTracks.cpp turns notes into tracks, TraceWriter.cpp writes them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_TRACE_TRACE_H
#define CAROUSEL_LIB_SIMULATOR_TRACE_TRACE_H

#include "../Async/Async.h"
#include "../Grid/Grid.h"
#include "../Memory/Memory.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace carousel::sim {

/// What a thread does in a call of the machine: it works, or it waits.
enum class CallKind : uint8_t { Works, Waits };

enum class Engine : uint8_t { Loads, Stores, Reductions, Copies };
constexpr unsigned kNumEngines = unsigned(Engine::Copies) + 1;

constexpr uint64_t kStillOpen = ~uint64_t(0);

/// A call of one thread.
struct ThreadSpan {
  uint64_t begin = 0, end = kStillOpen;
  uint32_t label = 0;
  Site site = 0;
};

/// Calls in their order. Between them the thread computes.
struct ThreadNotes {
  uint64_t begin = kStillOpen, end = kStillOpen;
  std::vector<ThreadSpan> spans;
};

/// An operation in flight, or those that the lanes of a warp issued together.
struct TransferSpan {
  Engine engine = Engine::Loads;
  std::string operation, shared, signals;
  uint32_t thread = 0, threads = 0;
  Site site = 0;
  uint64_t bytes = 0, begin = 0, end = 0;
  uint32_t inFlight = 0; // operations that haven't landed
};

/// One use of a slot: the loads that signal its barrier in one phase.
struct SlotFill {
  uint64_t phase = 0, issued = 0, landed = 0;
};

/// The slots of an array of mbarriers.
struct BarrierSlots {
  struct Slot {
    /// When its phases were completed.
    std::vector<uint64_t> completed;
    std::vector<SlotFill> fills;
  };
  const char *base = nullptr;
  std::string name;
  std::vector<Slot> slots;

  bool isFilled() const;
};

struct CTANotes {
  uint32_t cta = 0;
  std::vector<ThreadNotes> threads;
  std::vector<TransferSpan> transfers;
  std::vector<BarrierSlots> barriers;

  /// The spans of operations of single values, by warp and site: the n-th one
  /// of each lane is in the n-th span.
  struct Together {
    std::vector<uint32_t> spans;
    std::array<uint32_t, 32> issued = {};
  };
  llvm::DenseMap<uint64_t, Together> together;
};

class Timeline final : public AsyncTrace {
public:
  /// Of each launch, the CTAs numbered 0 to `ctas` - 1 are shown.
  Timeline(Grid &grid, const Memory &memory,
           std::function<std::string(Site)> describeSite, uint32_t ctas);
  ~Timeline() override;

  void threadStarted(const Thread &thread);
  void threadEnded(const Thread &thread);
  /// A call of a thread, one at a time. `barrier` may be null.
  void callBegan(const Thread &thread, CallKind kind, llvm::StringRef what,
                 const void *barrier);
  void callEnded(const Thread &thread);

  void transferIssued(const Transfer &transfer) override;
  void transferLanded(const Transfer &transfer) override;
  void phaseCompleted(const void *barrier, uint64_t phase,
                      uint64_t cycles) override;

  /// After the run: the whole as JSON.
  std::string write() const;

  struct Label {
    CallKind kind;
    std::string name;
  };

private:
  CTANotes *find(uint32_t cta);
  ThreadNotes *find(const Thread &thread);
  /// "full[2]", and its slot, which is remembered; empty for no barrier.
  std::string nameBarrier(const void *barrier, BarrierSlots::Slot **slot);
  std::string describe(const void *address) const;
  uint32_t intern(CallKind kind, llvm::StringRef name);
  void addCall(CTANotes &notes, uint32_t thread, uint32_t label, Site site,
               uint64_t begin, uint64_t end);

  Grid &grid;
  const Memory &memory;
  std::function<std::string(Site)> describeSite;
  uint32_t shownCTAs;
  /// By number over all launches; null: not shown, or not started.
  std::vector<std::unique_ptr<CTANotes>> ctas;
  std::vector<Label> labels;
  llvm::StringMap<uint32_t> labelNumbers;
  /// Operations in flight: CTA and span.
  llvm::DenseMap<uint64_t, std::pair<uint32_t, uint32_t>> active;
};

//===----------------------------------------------------------------------===//
// Tracks (TraceTracks.cpp)
//===----------------------------------------------------------------------===//

/// A stretch of a warp's time in one call; computing if the label is
/// kComputes.
struct WarpSpan {
  static constexpr uint32_t kComputes = ~0u;
  uint64_t begin = 0, end = 0;
  uint32_t label = kComputes;
  Site site = 0;
  /// Most threads in it at one time.
  uint32_t threads = 0;
  bool isOpen = false;
};

/// What a warp does at each time: where one of its threads is in a call that
/// works, that; else, where one computes, that; where all wait, what the first
/// of them to go on waits for. So the spans don't overlap. What is open ends at
/// `end`.
std::vector<WarpSpan> makeWarpTrack(llvm::ArrayRef<ThreadNotes> lanes,
                                    llvm::ArrayRef<Timeline::Label> labels,
                                    uint64_t end);

/// The number of a track for each span, such that those of one track don't
/// overlap; as few tracks as can be. `spans` are in the order of their begins.
std::vector<uint32_t>
spreadOverTracks(llvm::ArrayRef<std::pair<uint64_t, uint64_t>> spans);

struct CounterValue {
  uint64_t time = 0;
  int64_t first = 0, second = 0;
};

/// Bytes of loads and of all other operations in flight.
std::vector<CounterValue> countBytes(const CTANotes &notes);

/// Slots that are being loaded, and slots that hold what was loaded, of one of
/// the arrays of `notes`. A slot is held until the next phase of the barrier at
/// the same index of another array that no load signals is completed, or until
/// it is loaded again; else to `end`.
std::vector<CounterValue> countSlots(const CTANotes &notes,
                                     const BarrierSlots &array, uint64_t end);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_TRACE_TRACE_H
