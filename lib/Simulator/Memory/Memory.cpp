//===- Memory.cpp - regions, names and shadow pages -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The regions of memory, the names of their parts, and shadow pages.
// MemoryAccess.cpp has the rules for accesses.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "MemoryImpl.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

using namespace carousel::sim;

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
