//===- Trace.cpp - recording of a timeline --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls arrive in the order in which the host runs threads, and not in that of
// simulated cycles. Those of one thread are in order. Names are resolved at
// once, because a CTA's memory is later reused by another one.
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

#include "../Async/AsyncContext.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace carousel::sim;

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
