//===- Trace.h - the timeline of a run --------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records the activity of threads and engines in simulated cycles, and writes
// it in the Chrome trace format: a process for each CTA, with tracks for warps
// and engines, and counters. docs/Simulator.md describes the result.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_TRACE_TRACE_H
#define CAROUSEL_LIB_SIMULATOR_TRACE_TRACE_H

#include "../Async/TransferLog.h"
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

/// Whether a thread works or waits in a call of the machine.
enum class CallKind : uint8_t { Works, Waits };

enum class Engine : uint8_t { Loads, Stores, Reductions, Copies, Products };
constexpr unsigned kNumEngines = unsigned(Engine::Products) + 1;

constexpr uint64_t kStillOpen = ~uint64_t(0);

/// A call of one thread.
struct ThreadSpan {
  uint64_t begin = 0, end = kStillOpen;
  uint32_t label = 0;
  Site site = 0;
};

/// Calls in order. The thread computes between them.
struct ThreadNotes {
  uint64_t begin = kStillOpen, end = kStillOpen;
  std::vector<ThreadSpan> spans;
};

/// An operation in flight, or operations that the lanes of a warp issued
/// together.
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
    /// The completion times of its phases.
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

  /// Spans of operations on single values, by warp and site. The n-th operation
  /// of each lane is in the n-th span.
  struct Together {
    std::vector<uint32_t> spans;
    std::array<uint32_t, 32> issued = {};
  };
  llvm::DenseMap<uint64_t, Together> together;
};

class Timeline final : public AsyncTrace {
public:
  /// Shows the CTAs numbered 0 to `ctas` - 1 of each launch.
  Timeline(Grid &grid, const Memory &memory,
           std::function<std::string(Site)> describeSite, uint32_t ctas);
  ~Timeline() override;

  void threadStarted(const Thread &thread);
  void threadEnded(const Thread &thread);
  /// Records a call of a thread, which makes one call at a time. `barrier` may
  /// be null.
  void callBegan(const Thread &thread, CallKind kind, llvm::StringRef what,
                 const void *barrier);
  void callEnded(const Thread &thread);

  void transferIssued(const Transfer &transfer) override;
  void transferLanded(const Transfer &transfer) override;
  void phaseCompleted(const void *barrier, uint64_t phase,
                      uint64_t cycles) override;

  /// Returns the trace as JSON. Call it after the run.
  std::string write() const;

  struct Label {
    CallKind kind;
    std::string name;
  };

private:
  CTANotes *find(uint32_t cta);
  ThreadNotes *find(const Thread &thread);
  /// "full[2]", and its slot, which is remembered. Empty for no barrier.
  std::string nameBarrier(const void *barrier, BarrierSlots::Slot **slot);
  std::string describe(const void *address) const;
  uint32_t intern(CallKind kind, llvm::StringRef name);
  void addCall(CTANotes &notes, uint32_t thread, uint32_t label, Site site,
               uint64_t begin, uint64_t end);

  Grid &grid;
  const Memory &memory;
  std::function<std::string(Site)> describeSite;
  uint32_t shownCTAs;
  /// The CTAs, by number over all launches; null for a CTA that isn't shown or
  /// hasn't started.
  std::vector<std::unique_ptr<CTANotes>> ctas;
  std::vector<Label> labels;
  llvm::StringMap<uint32_t> labelNumbers;
  /// Operations in flight: CTA and span.
  llvm::DenseMap<uint64_t, std::pair<uint32_t, uint32_t>> active;
};

//===----------------------------------------------------------------------===//
// Tracks
//===----------------------------------------------------------------------===//

/// A part of a warp's time in one call. The label kComputes stands for
/// computation.
struct WarpSpan {
  static constexpr uint32_t kComputes = ~0u;
  uint64_t begin = 0, end = 0;
  uint32_t label = kComputes;
  Site site = 0;
  /// The largest number of threads in it at one time.
  uint32_t threads = 0;
  bool isOpen = false;
};

/// The activity of a warp over time. If a thread is in a call that works, it is
/// that call. Otherwise, if a thread computes, it is computation. If all
/// threads wait, it is the wait that ends first. So the spans don't overlap.
/// Open spans end at `end`.
std::vector<WarpSpan> makeWarpTrack(llvm::ArrayRef<ThreadNotes> lanes,
                                    llvm::ArrayRef<Timeline::Label> labels,
                                    uint64_t end);

/// Assigns spans to the smallest number of tracks, such that those of one track
/// don't overlap. Returns the track of each span. `spans` are sorted by their
/// begins.
std::vector<uint32_t>
spreadOverTracks(llvm::ArrayRef<std::pair<uint64_t, uint64_t>> spans);

struct CounterValue {
  uint64_t time = 0;
  int64_t first = 0, second = 0;
};

/// Bytes of loads and of all other operations in flight.
std::vector<CounterValue> countBytes(const CTANotes &notes);

/// The number of slots that are being loaded, and of slots that hold loaded
/// data, of one array of `notes`. A slot holds data until it is loaded again,
/// or until a barrier without loads in another array, at the same index,
/// completes its next phase; otherwise until `end`.
std::vector<CounterValue> countSlots(const CTANotes &notes,
                                     const BarrierSlots &array, uint64_t end);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_TRACE_TRACE_H
