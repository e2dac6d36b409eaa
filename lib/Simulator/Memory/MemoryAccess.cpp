//===- MemoryAccess.cpp - the rules for accesses --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks an access against the history of its bytes by the rules of
// docs/MemoryModel.md, and creates findings. Bytes with the same history are
// checked once per access.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "MemoryImpl.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace carousel::sim;
using llvm::utostr;

namespace {

/// Possible faults, in the order in which they are reported.
enum Fault : unsigned {
  Unwritten,
  ThreadRace,
  EngineRace,
  NoFence,
  kNumFaults
};
constexpr FindingKind kFaultKinds[] = {
    FindingKind::UnwrittenRead, FindingKind::DataRace, FindingKind::EngineRace,
    FindingKind::MissingProxyFence};

/// The result of an access for bytes of one state.
struct Verdict {
  State next;
  unsigned faults = 0; // bits by Fault
  bool isStale = false;
  bool needsAliasFence = false;     // of NoFence
  RecordId others[kNumFaults] = {}; // the other side of each
};

class AccessChecker {
public:
  AccessChecker(History &history, const Access &access, Space space,
                bool strictFences, llvm::ArrayRef<uint32_t> firstCTAs,
                bool keepsValues)
      : history(history), access(access), strictFences(strictFences),
        firstCTAs(firstCTAs), keepsValues(keepsValues),
        isGlobal(space == Space::Global), id(history.intern(access)) {
    if (const View *view = access.view) {
      order = &view->order;
      fenced =
          space == Space::Shared ? &view->fencedShared : &view->fencedGlobal;
    }
  }

  Verdict check(State state);

private:
  template <typename A, typename B>
  bool areCompatible(const A &a, const B &b) const;
  bool isOrdered(const Record &earlier) const;
  bool isSameOfWarp(const Record &earlier) const;
  bool isHandedOn(RecordId number, RecordSet since, const Clock *clock) const;
  bool isObserver(const Record &atomic) const;
  void checkPair(RecordId number, RecordSet since, bool isObserved,
                 Verdict &verdict) const;

  History &history;
  const Access &access;
  const bool strictFences;
  const llvm::ArrayRef<uint32_t> firstCTAs; // of all GPUs but the first one
  const bool keepsValues;                   // a write of what is there
  const bool isGlobal;
  const RecordId id;
  const Clock *order = nullptr, *fenced = nullptr;
};

bool changesMemory(AccessKind kind, AtomicForm form) {
  return kind != AccessKind::Read && form != AtomicForm::Load;
}

/// Whether two accesses need no order, whatever their clocks are: reads, and
/// atomics that are morally strong, which requires one proxy, a complete
/// overlap, and scopes with both GPUs.
template <typename A, typename B>
bool AccessChecker::areCompatible(const A &a, const B &b) const {
  if (!changesMemory(a.kind, a.form) && !changesMemory(b.kind, b.form))
    return true;
  if (a.kind != b.kind || a.kind == AccessKind::Write || a.proxy != b.proxy ||
      a.elementBytes != b.elementBytes)
    return false;
  return (a.isSystem && b.isSystem) ||
         llvm::none_of(firstCTAs, [&](uint32_t first) {
           return (a.epoch.cta() < first) != (b.epoch.cta() < first);
         });
}

bool AccessChecker::isOrdered(const Record &earlier) const {
  // The zero epoch is the host before the launch.
  if (!earlier.epoch)
    return true;
  // A thread knows its own past. Operations of an engine share only their
  // agent.
  if (earlier.operationId == 0 && access.operationId == 0 &&
      earlier.epoch.isSameAgent(access.epoch))
    return true;
  return order && order->covers(earlier.epoch);
}

/// Whether two lanes of a warp write by one instruction. One of the writes
/// remains, and this one leaves what the earlier one wrote.
bool AccessChecker::isSameOfWarp(const Record &earlier) const {
  constexpr uint32_t kLanes = 32;
  return keepsValues && earlier.kind == AccessKind::Write &&
         !earlier.isEngine() && earlier.site == access.site &&
         earlier.epoch.cta() == access.epoch.cta() &&
         earlier.thread / kLanes == access.thread / kLanes;
}

/// Whether the clock knows of a collective access after the record `number`
/// that had to be ordered after it.
bool AccessChecker::isHandedOn(RecordId number, RecordSet since,
                               const Clock *clock) const {
  const Record &earlier = history[number];
  bool isAfter = true, isFound = false;
  history.forEach(since, [&](RecordId other) {
    isAfter &= other != number;
    const Record &record = history[other];
    if (!isAfter || !record.isCollective || areCompatible(earlier, record))
      return;
    isFound |= clock && clock->covers(record.epoch);
  });
  return isFound;
}

/// Whether an atomic read the earlier value and is known. What it observed,
/// itself or through other atomics, is before a generic access to the address:
/// observation order followed by base causality order is causality order.
bool AccessChecker::isObserver(const Record &atomic) const {
  return access.proxy == Proxy::Generic &&
         atomic.form == AtomicForm::ReadModifyWrite && isOrdered(atomic);
}

void AccessChecker::checkPair(RecordId number, RecordSet since, bool isObserved,
                              Verdict &verdict) const {
  const Record &earlier = history[number];
  if (areCompatible(earlier, access))
    return;
  if (access.operationId != 0 && access.operationId == earlier.operationId)
    return;
  auto blame = [&](Fault fault) {
    if (!(verdict.faults & 1u << fault))
      verdict.others[fault] = number;
    verdict.faults |= 1u << fault;
  };
  // Bytes that the generic proxy wrote reach the async proxy only through a
  // fence. So do bytes that engines of another CTA wrote to global memory,
  // because the order is established through the generic proxy. Earlier reads
  // matter only in the strict reading.
  bool isEarlierRead = !earlier.isWrite();
  bool isOfOtherCTA = isGlobal && earlier.epoch.cta() != access.epoch.cta();
  bool needsFence = earlier.epoch && access.proxy == Proxy::Async &&
                    (earlier.proxy == Proxy::Generic || isOfOtherCTA) &&
                    (!isEarlierRead || strictFences) &&
                    !(fenced && fenced->covers(earlier.epoch)) &&
                    !isHandedOn(number, since, fenced);
  if (needsFence && !isEarlierRead && earlier.proxy == Proxy::Generic)
    verdict.isStale = true;
  bool needsAliasFence =
      earlier.epoch && earlier.isMulticast != access.isMulticast &&
      !(access.view && access.view->fencedAlias.covers(earlier.epoch));
  bool hasEnded = !isGlobal && changesMemory(access.kind, access.form) &&
                  (isEarlierRead || earlier.isEngine()) && access.view &&
                  access.view->ended.covers(earlier.epoch);
  if (!isOrdered(earlier) && !hasEnded && !isObserved &&
      !isHandedOn(number, since, order)) {
    bool isEngine = earlier.isEngine() || history[id].isEngine();
    if (isEngine)
      blame(EngineRace);
    else if (!isSameOfWarp(earlier))
      blame(ThreadRace);
  } else if (needsFence || needsAliasFence) {
    blame(NoFence);
    verdict.needsAliasFence |= needsAliasFence;
  }
}

Verdict AccessChecker::check(State state) {
  Verdict verdict;
  bool isWrite = access.kind == AccessKind::Write;
  bool isRead = access.kind == AccessKind::Read;
  bool isWithoutValue = state.writer == 0 || history[state.writer].isOfPoison;
  if (!isWrite && !access.mayBeUnwritten && isWithoutValue) {
    verdict.faults |= 1u << Unwritten;
    verdict.others[Unwritten] = state.writer;
  }
  if (state.writer > kHostWrite)
    checkPair(state.writer, state.since, /*isObserved=*/false, verdict);
  // Reads don't conflict with earlier reads, and most sets have nothing else.
  if (state.since != 0 && (!isRead || history.hasUpdates(state.since))) {
    // Records come from the last one to the first. A plain atomic store hides
    // earlier ones.
    bool isSeen = false;
    history.forEach(state.since, [&](RecordId earlier) {
      const Record &record = history[earlier];
      bool isAtomic =
          record.kind == AccessKind::Atomic && record.proxy == Proxy::Generic;
      checkPair(earlier, state.since, isSeen && isAtomic && record.isWrite(),
                verdict);
      if (isAtomic)
        isSeen =
            isObserver(record) || (isSeen && record.form != AtomicForm::Store);
    });
  }
  if (isWrite) {
    verdict.next = {id, 0};
    return verdict;
  }
  verdict.next = {state.writer, history.add(state.since, id, access)};
  // An update of unwritten bytes was reported. The bytes now count as written.
  if (!isRead && isWithoutValue)
    verdict.next.writer = kHostWrite;
  return verdict;
}

/// A fault of an access, for all its bytes.
struct Blame {
  RecordId other = 0;
  bool needsAliasFence = false;
  uint64_t begin = 0, end = 0;
};

std::string explain(Fault fault, const Access &access, const Record &earlier,
                    const std::string &other, bool strictFences) {
  if (fault == Unwritten)
    return "expected only written bytes to be read, found bytes that " +
           (other.empty() ? "nothing has written"
                          : other + " has written without a value");
  bool isEarlierRead = !earlier.isWrite();
  bool isRead = !changesMemory(access.kind, access.form);
  const char *hazard = isEarlierRead ? "war" : isRead ? "raw" : "waw";
  std::string text = std::string(hazard) + ": expected ";
  std::string pair = std::string(isEarlierRead ? "the read" : "the write") +
                     " by " + other + " and this " +
                     (isRead ? "read" : "write") + " of the same bytes";
  if (fault != NoFence)
    return text + pair + " to be ordered, found no order between them";
  return text +
         (strictFences
              ? "a proxy fence by the thread that made the first access "
              : "a proxy fence ") +
         "between " + pair + ", found an order without a fence";
}

} // namespace

Actor Memory::Impl::getActor(const Record &record) const {
  Actor actor;
  actor.cta = record.epoch.cta();
  actor.thread = record.thread;
  if (record.operation < operations.size())
    actor.operation = operations[record.operation];
  actor.site = record.site;
  return actor;
}

void Memory::Impl::reportOutOfBounds(const Region *region, uint64_t address,
                                     uint64_t size, const Access &access) {
  // The largest distance at which the name of a near buffer helps.
  constexpr uint64_t kNear = 1 << 16;
  std::string place = "an address far from every buffer";
  Finding finding;
  finding.kind = FindingKind::OutOfBounds;
  auto [below, above] = getNeighbours(address);
  if (!region && below && address - below->getBase() - below->info.size < kNear)
    region = below;
  if (region) {
    uint64_t offset = address - region->getBase(), bytes = region->info.size;
    finding.buffer = region->info.name;
    // Between buffers, the nearest one before the address was overrun.
    const NamedRange *nearest = nullptr;
    if (offset < bytes && region->hasGap(offset, offset + size))
      for (const NamedRange &range : region->names)
        if (range.begin <= offset && (!nearest || nearest->begin < range.begin))
          nearest = &range;
    if (nearest) {
      offset -= nearest->begin;
      bytes = nearest->end - nearest->begin;
      finding.buffer = nearest->name;
    }
    place = "offset " + utostr(offset) + " of " + finding.buffer +
            ", which has " + utostr(bytes) + " bytes";
    finding.beginByte = offset;
    finding.endByte = offset + size;
  } else if (above && above->getBase() - address < kNear) {
    place = utostr(above->getBase() - address) + " bytes before " +
            above->info.name;
    finding.buffer = above->info.name;
  }
  finding.message = "expected an access inside one live buffer, found " +
                    utostr(size) + " bytes at " + place;
  Record record;
  record.epoch = access.epoch;
  record.thread = access.thread;
  record.site = access.site;
  record.operation = access.operation;
  finding.actor = getActor(record);
  log.report(std::move(finding));
}

void Memory::Impl::reportMulticast(const Region &region, uint64_t begin,
                                   uint64_t size, const Access &access) {
  Finding finding;
  finding.kind = FindingKind::MulticastAccess;
  finding.message =
      std::string("expected only multimem stores and reductions at a "
                  "multicast address, found ") +
      (changesMemory(access.kind, access.form) ? "a write of " : "a read of ") +
      utostr(size) + " bytes";
  finding.actor = getActor(history[history.intern(access)]);
  describe(region, begin, begin + size, finding);
  log.report(std::move(finding));
}

/// C252: launches leave their inputs alone, also if they write what is there.
void Memory::Impl::reportInput(const Region &region, uint64_t begin,
                               uint64_t size, const Access &access) {
  Finding finding;
  finding.kind = FindingKind::InvalidOperand;
  finding.actor = getActor(history[history.intern(access)]);
  describe(region, begin, begin + size, finding);
  finding.message = "expected writes of arguments that are out or inout, found "
                    "one of " +
                    utostr(size) + " bytes of " + finding.buffer +
                    ", which is in";
  log.report(std::move(finding));
}

void Memory::setGPUs(std::vector<uint32_t> firstCTAs) {
  impl->firstCTAs.assign(firstCTAs.begin() + 1, firstCTAs.end());
}

AccessResult Memory::access(const void *pointer, uint64_t size,
                            const Access &access) {
  AccessResult result;
  if (size == 0)
    return result;
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  Region *region = impl->lookup(address);
  uint64_t begin = region ? address - region->getBase() : 0;
  if (!region || size > region->info.size - begin ||
      region->hasGap(begin, begin + size)) {
    impl->reportOutOfBounds(region, address, size, access);
    result.inBounds = false;
    return result;
  }
  if (!region->info.parts.empty()) {
    impl->reportMulticast(*region, begin, size, access);
    result.inBounds = false;
    return result;
  }
  if (region->info.space == Space::Global) {
    bool isRead = access.kind == AccessKind::Read;
    bool isWrite = access.kind == AccessKind::Write;
    impl->traffic.readBytes += isWrite ? 0 : size;
    impl->traffic.writtenBytes += isRead ? 0 : size;
  }
  if (impl->history.isFull())
    impl->collect();
  if (!region->inputs.empty() && changesMemory(access.kind, access.form) &&
      region->hasInput(begin, begin + size))
    impl->reportInput(*region, begin, size, access);

  bool strictFences = impl->rules.strictFences;
  AccessChecker checker(
      impl->history, access, region->info.space, strictFences, impl->firstCTAs,
      access.values && std::memcmp(pointer, access.values, size) == 0);
  Blame blames[kNumFaults];
  unsigned faults = 0;
  uint64_t end = begin + size;
  // No byte has this state.
  State state{~0u, ~0u};
  Verdict verdict;
  auto visit = [&](Page &page, uint64_t first, uint64_t last, uint64_t offset) {
    State *states = page.states.get();
    for (uint64_t i = first; i < last; ++i) {
      if (states[i] != state) {
        state = states[i];
        verdict = checker.check(state);
      }
      states[i] = verdict.next;
      if (LLVM_LIKELY(verdict.faults == 0))
        continue;
      result.stale |= verdict.isStale;
      for (unsigned fault = 0; fault < kNumFaults; ++fault) {
        if (!(verdict.faults & 1u << fault))
          continue;
        Blame &blame = blames[fault];
        uint64_t from = offset + (i << page.shift);
        if (!(faults & 1u << fault))
          blame = {verdict.others[fault], verdict.needsAliasFence,
                   std::max(from, begin), 0};
        faults |= 1u << fault;
        blame.end = std::min(from + (uint64_t(1) << page.shift), end);
      }
    }
  };
  region->forEachPage(begin, end, visit);
  result.unwritten = faults & 1u << Unwritten;
  if (LLVM_LIKELY(faults == 0))
    return result;

  for (unsigned fault = 0; fault < kNumFaults; ++fault) {
    if (!(faults & 1u << fault))
      continue;
    const Blame &blame = blames[fault];
    // A copy, because interning may move the records.
    Record earlier = impl->history[blame.other];
    Finding finding;
    finding.kind = kFaultKinds[fault];
    finding.actor = impl->getActor(impl->history[impl->history.intern(access)]);
    if (blame.other != 0)
      finding.other = impl->getActor(earlier);
    finding.message = explain(
        Fault(fault), access, earlier,
        finding.other ? impl->log.describe(*finding.other) : "", strictFences);
    if (fault == NoFence && blame.needsAliasFence)
      finding.notes.push_back(
          "mend it with a signal and a wait between the two, or with a proxy "
          "fence (alias): one of them is by the multicast address");
    else if (fault == NoFence)
      finding.notes.push_back(
          std::string("mend it with a proxy fence (async, ") +
          (region->info.space == Space::Shared ? "shared" : "global") +
          " memory) by the thread that made the first access, after it and "
          "before what orders the two");
    if ((fault == ThreadRace || fault == EngineRace) && access.view)
      finding.notes =
          access.view->observations.explain(earlier.epoch, impl->log);
    if (!finding.notes.empty() && earlier.kind == AccessKind::Atomic)
      finding.notes.push_back("or mend it with an atomic in place of this "
                              "access, as where a counter is reset");
    impl->describe(*region, blame.begin, blame.end, finding);
    impl->log.report(std::move(finding));
  }
  return result;
}
