//===- Memory.cpp - regions, pages and histories --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interns access records, keeps sets of reads and updates as lists with shared
// tails, and collects those that no shadow state refers to; then the regions of
// memory, the names of their parts, and shadow pages. MemoryAccess.cpp has the
// rules for accesses.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "MemoryImpl.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>
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

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

unsigned carousel::sim::getGrain(uint64_t begin, uint64_t end) {
  uint64_t borders = begin | end;
  if (borders % kPageBytes == 0)
    return kPageShift;
  if (borders % 16 == 0)
    return 4;
  if (borders % 4 == 0)
    return 2;
  return borders % 2 == 0 ? 1 : 0;
}

Page::Page(unsigned shift, State state)
    : shift(shift), states(new State[size_t(1) << (kPageShift - shift)]) {
  std::fill_n(states.get(), size(), state);
}

void Page::refine(unsigned newShift) {
  unsigned factorShift = shift - newShift;
  uint32_t newSize = 1u << (kPageShift - newShift);
  std::unique_ptr<State[]> finer(new State[newSize]);
  for (uint32_t i = 0; i < newSize; ++i)
    finer[i] = states[i >> factorShift];
  states = std::move(finer);
  shift = newShift;
}

Page &Region::getPage(uint64_t number, uint64_t begin, uint64_t end) {
  unsigned shift = getGrain(begin, end);
  std::unique_ptr<Page> &page = pages[number];
  if (!page)
    page = std::make_unique<Page>(shift, getInitialState());
  else if (page->shift > shift)
    page->refine(shift);
  return *page;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

Memory::Memory(FindingLog &log, MemoryRules rules)
    : impl(std::make_unique<Impl>(log, rules)) {}

Memory::~Memory() = default;

RegionId Memory::addRegion(RegionInfo info) {
  auto region = std::make_unique<Region>();
  region->info = std::move(info);
  region->pages.resize((region->info.size + kPageBytes - 1) >> kPageShift);
  // No address of an empty buffer may be accessed.
  if (region->info.size != 0) {
    auto position = llvm::upper_bound(impl->byAddress, region->getBase(),
                                      [](uint64_t base, const Region *other) {
                                        return base < other->getBase();
                                      });
    impl->byAddress.insert(position, region.get());
  }
  impl->regions.push_back(std::move(region));
  return impl->regions.size() - 1;
}

void Memory::removeRegion(RegionId id) {
  if (id >= impl->regions.size() || !impl->regions[id])
    return;
  llvm::erase(impl->byAddress, impl->regions[id].get());
  impl->lookups.fill(nullptr);
  impl->regions[id].reset();
}

Region *Memory::Impl::lookup(uint64_t address) const {
  // Hashed, because the shared memories of CTAs may be at equal distances.
  uint64_t number = (address >> 14) * 0x9E3779B97F4A7C15u;
  Region *&recent = lookups[number >> (64 - kLookupBits)];
  if (recent && recent->contains(address))
    return recent;
  auto position = llvm::upper_bound(byAddress, address,
                                    [](uint64_t value, const Region *region) {
                                      return value < region->getBase();
                                    });
  if (position == byAddress.begin() || !(*--position)->contains(address))
    return nullptr;
  recent = *position;
  return recent;
}

std::pair<const Region *, const Region *>
Memory::Impl::getNeighbours(uint64_t address) const {
  auto position = llvm::upper_bound(byAddress, address,
                                    [](uint64_t value, const Region *region) {
                                      return value < region->getBase();
                                    });
  return {position == byAddress.begin() ? nullptr : *std::prev(position),
          position == byAddress.end() ? nullptr : *position};
}

const RegionInfo *Memory::find(const void *address) const {
  const Region *region = impl->lookup(reinterpret_cast<uint64_t>(address));
  return region ? &region->info : nullptr;
}

const Memory::Traffic &Memory::getTraffic() const { return impl->traffic; }

void Memory::nameRange(RegionId id, uint64_t begin, uint64_t size,
                       std::string name, uint64_t slotBytes) {
  if (id >= impl->regions.size() || !impl->regions[id])
    return;
  Region &region = *impl->regions[id];
  begin = std::min(begin, region.info.size);
  size = std::min(size, region.info.size - begin);
  region.names.push_back({begin, begin + size, std::move(name), slotBytes});
}

void Memory::addGap(RegionId id, uint64_t begin, uint64_t size) {
  if (size != 0 && id < impl->regions.size() && impl->regions[id])
    impl->regions[id]->gaps.push_back({begin, begin + size});
}

void Memory::addInput(RegionId id, uint64_t begin, uint64_t size) {
  if (size != 0 && id < impl->regions.size() && impl->regions[id])
    impl->regions[id]->inputs.push_back({begin, begin + size});
}

void Memory::Impl::describe(const Region &region, uint64_t begin, uint64_t end,
                            Finding &finding) const {
  // The smallest range around the bytes, and of equal ones the latest.
  const NamedRange *innermost = nullptr;
  for (const NamedRange &range : region.names)
    if (range.begin <= begin && end <= range.end &&
        (!innermost ||
         range.end - range.begin <= innermost->end - innermost->begin))
      innermost = &range;
  uint64_t origin = innermost ? innermost->begin : 0;
  finding.buffer = innermost ? innermost->name : region.info.name;
  finding.slot.reset();
  if (innermost && innermost->slotBytes != 0)
    finding.slot = (begin - origin) / innermost->slotBytes;
  finding.beginByte = begin - origin;
  finding.endByte = end - origin;
}

void Memory::describe(const void *address, uint64_t size,
                      Finding &finding) const {
  uint64_t begin = reinterpret_cast<uint64_t>(address);
  const Region *region = impl->lookup(begin);
  if (!region)
    return;
  uint64_t offset = begin - region->getBase();
  impl->describe(*region, offset,
                 offset + std::min(size, region->info.size - offset), finding);
}

void Memory::setWritten(const void *address, uint64_t size, bool written) {
  uint64_t begin = reinterpret_cast<uint64_t>(address);
  Region *region = impl->lookup(begin);
  if (!region)
    return;
  uint64_t offset = begin - region->getBase();
  size = std::min(size, region->info.size - offset);
  State state{written ? kHostWrite : 0, 0};
  region->forEachPage(offset, offset + size,
                      [&](Page &page, uint64_t first, uint64_t last, uint64_t) {
                        std::fill(page.states.get() + first,
                                  page.states.get() + last, state);
                      });
}

void Memory::Impl::collect() {
  history.beginMarking();
  for (const std::unique_ptr<Region> &region : regions) {
    if (!region)
      continue;
    for (const std::unique_ptr<Page> &page : region->pages) {
      if (!page)
        continue;
      // Neighbours mostly have the same state.
      State previous;
      for (uint32_t i = 0, e = page->size(); i < e; ++i) {
        if (page->states[i] != previous)
          history.mark(page->states[i]);
        previous = page->states[i];
      }
    }
  }
  history.sweep();
}

uint16_t Memory::internOperation(llvm::StringRef name) {
  auto found = llvm::find(impl->operations, name);
  if (found == impl->operations.end() && impl->operations.size() <= UINT16_MAX)
    found = impl->operations.insert(found, name.str());
  // If there are more names than numbers, the last number stands for the rest.
  return std::min<size_t>(found - impl->operations.begin(), UINT16_MAX);
}

void carousel::sim::poison(void *address, uint64_t size) {
  // 0x7FFB repeated is a NaN as f64, f32, f16 and bf16, and no small integer.
  constexpr uint8_t kPattern[2] = {0xFB, 0x7F};
  auto *bytes = static_cast<uint8_t *>(address);
  for (uint64_t i = 0; i < size; ++i)
    bytes[i] = kPattern[i % 2];
}
