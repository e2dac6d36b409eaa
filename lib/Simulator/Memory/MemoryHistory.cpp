//===- MemoryHistory.cpp - recorded accesses ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interns access records, keeps sets of reads and updates as lists with shared
// tails, and collects those that no shadow state refers to.
//
//===----------------------------------------------------------------------===//

#include "MemoryHistory.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace carousel::sim;

namespace {

constexpr unsigned kCacheBits = 14;
constexpr size_t kFirstLimit = 1 << 20;
constexpr uint32_t kFirstBound = 8;

size_t hash(uint64_t a, uint64_t b) {
  uint64_t mixed =
      a * 0x9E3779B97F4A7C15u ^ (b + 0x7F4A7C15u) * 0xD6E8FEB86659FD93u;
  return mixed >> (64 - kCacheBits);
}

bool isSame(const Record &record, const Access &access) {
  return record.epoch == access.epoch && record.kind == access.kind &&
         record.proxy == access.proxy && record.form == access.form &&
         record.elementBytes == access.elementBytes &&
         record.operationId == access.operationId &&
         record.isSystem == access.isSystem &&
         record.isMulticast == access.isMulticast &&
         record.isOfPoison == access.isOfPoison;
}

/// Whether an atomic of the form `later` makes one of the form `earlier`
/// redundant: in its conflicts, in whether it reads the earlier value, and in
/// whether it ends the sequence of read-modify-writes.
bool implies(AtomicForm later, AtomicForm earlier) {
  if (earlier == AtomicForm::Load)
    return true;
  if (earlier == AtomicForm::Reduce)
    return later != AtomicForm::Load;
  return earlier == later;
}

} // namespace

History::History(bool strictFences)
    : strictFences(strictFences), recordLimit(kFirstLimit),
      nodeLimit(kFirstLimit), recordCache(size_t(1) << kCacheBits),
      additionCache(size_t(1) << kCacheBits) {
  // "None", and the host's write.
  records.resize(2);
  records[kHostWrite].kind = AccessKind::Write;
}

RecordId History::intern(const Access &access) {
  uint64_t details = uint64_t(access.site) << 32 ^ access.operationId << 4 ^
                     uint64_t(access.form) << 8 ^ uint64_t(access.kind) << 1 ^
                     uint64_t(access.proxy);
  RecordId &cached = recordCache[hash(access.epoch.getKey(), details)];
  if (cached) {
    const Record &record = records[cached];
    if (isSame(record, access) && record.site == access.site &&
        record.operation == access.operation && record.thread == access.thread)
      return cached;
  }
  if (freeRecords.empty()) {
    cached = records.size();
    records.emplace_back();
  } else {
    cached = freeRecords.back();
    freeRecords.pop_back();
  }
  Record &record = records[cached];
  record.epoch = access.epoch;
  record.operationId = access.operationId;
  record.thread = access.thread;
  record.site = access.site;
  record.operation = access.operation;
  record.kind = access.kind;
  record.proxy = access.proxy;
  record.form = access.form;
  record.elementBytes = access.elementBytes;
  record.isCollective = access.isCollective;
  record.isSystem = access.isSystem;
  record.isMulticast = access.isMulticast;
  record.isOfPoison = access.isOfPoison;
  return cached;
}

/// Whether everything that is ordered after `access` is also ordered after the
/// earlier record, so that only the new one must be kept. Both must lead to the
/// same kinds of findings.
bool History::isImplied(const Record &earlier, const Access &access) const {
  bool isEngine = !access.isCollective &&
                  (access.operation != 0 || access.operationId != 0);
  if (earlier.kind != access.kind || earlier.isEngine() != isEngine ||
      earlier.elementBytes != access.elementBytes ||
      earlier.isSystem != access.isSystem ||
      earlier.isMulticast != access.isMulticast ||
      !implies(access.form, earlier.form))
    return false;
  if (earlier.epoch.isSameAgent(access.epoch) &&
      earlier.operationId == access.operationId &&
      earlier.proxy == access.proxy)
    return earlier.epoch.time() <= access.epoch.time();
  // Other agents may know of it, and through it of earlier accesses.
  if (earlier.isCollective)
    return false;
  if (!access.view || !access.view->order.covers(earlier.epoch))
    return false;
  // Order is transitive. Fences aren't if only the writer's own counts.
  return access.isCollective || earlier.proxy == Proxy::Async ||
         (earlier.kind == AccessKind::Read && !strictFences);
}

RecordSet History::append(RecordSet set, RecordId id, uint32_t length,
                          uint32_t bound) {
  uint32_t number;
  if (freeNodes.empty()) {
    number = nodes.size();
    nodes.emplace_back();
  } else {
    number = freeNodes.back();
    freeNodes.pop_back();
  }
  bool isUpdate = records[id].kind != AccessKind::Read;
  nodes[number] = {id, set, length, bound, isUpdate || hasUpdates(set)};
  return number | kNodeBit;
}

RecordSet History::compact(RecordSet set, RecordId id, const Access &access) {
  scratch.clear();
  uint32_t age = 0;
  forEach(set, [&](RecordId earlier) {
    if (!isImplied(records[earlier], access))
      scratch.push_back({earlier, age});
    ++age;
  });
  // The last one of equal accesses by one thread or operation suffices.
  auto agent = [&](const Kept &kept) {
    const Record &record = records[kept.record];
    return std::make_tuple(record.epoch.getAgent(), record.operationId,
                           record.kind, record.proxy, record.form,
                           record.elementBytes);
  };
  llvm::sort(scratch, [&](const Kept &a, const Kept &b) {
    auto agentA = agent(a), agentB = agent(b);
    return agentA != agentB ? agentA < agentB : a.age < b.age;
  });
  scratch.erase(std::unique(scratch.begin(), scratch.end(),
                            [&](const Kept &a, const Kept &b) {
                              return agent(a) == agent(b);
                            }),
                scratch.end());
  llvm::sort(scratch,
             [](const Kept &a, const Kept &b) { return a.age > b.age; });
  scratch.push_back({id, 0});
  uint32_t bound = std::max<uint32_t>(kFirstBound, 2 * scratch.size());
  RecordSet result = scratch.front().record;
  for (uint32_t i = 1, e = scratch.size(); i < e; ++i)
    result = append(result, scratch[i].record, i + 1, bound);
  return result;
}

RecordSet History::add(RecordSet set, RecordId id, const Access &access) {
  if (set == 0 || set == id)
    return id;
  bool isList = set & kNodeBit;
  const Record &latest = records[isList ? nodes[set & ~kNodeBit].record : set];
  if (isSame(latest, access))
    return set;
  Addition &cached = additionCache[hash(set, id)];
  if (cached.set == set && cached.record == id)
    return cached.result;
  RecordSet result;
  if (!isList) {
    result = isImplied(latest, access) ? id : append(set, id, 2, kFirstBound);
  } else {
    const Node &head = nodes[set & ~kNodeBit];
    // Accesses that a collective access makes redundant must be removed,
    // wherever they are.
    if (head.length >= head.bound || access.isCollective)
      result = compact(set, id, access);
    else if (isImplied(latest, access))
      result = append(head.previous, id, head.length, head.bound);
    else
      result = append(set, id, head.length + 1, head.bound);
  }
  cached = {set, id, result};
  return result;
}

bool History::isFull() const {
  return records.size() - freeRecords.size() > recordLimit ||
         nodes.size() - freeNodes.size() > nodeLimit;
}

void History::beginMarking() {
  markedRecords.assign(records.size(), false);
  markedNodes.assign(nodes.size(), false);
  markedRecords[0] = markedRecords[kHostWrite] = true;
}

void History::mark(State state) {
  markedRecords[state.writer] = true;
  RecordSet set = state.since;
  for (; set & kNodeBit; set = nodes[set & ~kNodeBit].previous) {
    if (markedNodes[set & ~kNodeBit])
      return;
    markedNodes[set & ~kNodeBit] = true;
    markedRecords[nodes[set & ~kNodeBit].record] = true;
  }
  markedRecords[set] = true;
}

void History::sweep() {
  auto collect = [](const std::vector<bool> &marked,
                    std::vector<uint32_t> &unused) {
    unused.clear();
    // From the end, so that low numbers are reused first.
    for (size_t i = marked.size(); i-- > 0;)
      if (!marked[i])
        unused.push_back(i);
    return std::max(kFirstLimit, 2 * (marked.size() - unused.size()));
  };
  recordLimit = collect(markedRecords, freeRecords);
  nodeLimit = collect(markedNodes, freeNodes);
  llvm::fill(recordCache, 0);
  llvm::fill(additionCache, Addition());
}
