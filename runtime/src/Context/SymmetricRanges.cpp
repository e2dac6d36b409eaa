//===- SymmetricRanges.cpp - where symmetric buffers are mapped -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SymmetricRanges.h. Ranges may overlap: ranks of one process map the same
// addresses, and adopted memory may be a part of another buffer.
//
//===----------------------------------------------------------------------===//

#include "SymmetricRanges.h"

#include "Support/Process.h"
#include "Support/ThreadLocal.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

namespace carousel::runtime {

namespace {

struct Entry {
  SymmetricRange range;
  uint64_t number;       ///< of its RegisteredRanges
  uint64_t furthest = 0; ///< the largest end of it and of those before it
};

/// By context, then by where they begin. `furthest` counts those of one
/// context.
using Entries = std::vector<Entry>;

struct Registry {
  std::mutex mutex;
  std::shared_ptr<const Entries> entries = std::make_shared<Entries>();
  uint64_t lastNumber = 0;
  /// The version of `entries`, which every change makes larger.
  std::atomic<uint64_t> version{1};

  /// The mutex must be held.
  void replace(Entries changed) {
    for (size_t i = 0; i < changed.size(); ++i) {
      bool isFirst =
          i == 0 || changed[i - 1].range.context != changed[i].range.context;
      changed[i].furthest =
          std::max(changed[i].range.end, isFirst ? 0 : changed[i - 1].furthest);
    }
    entries = std::make_shared<const Entries>(std::move(changed));
    version.fetch_add(1, std::memory_order_release);
  }
};

/// Never destroyed: static objects may own buffers.
Registry &getRegistry() {
  static auto *registry = new Registry();
  return *registry;
}

/// A thread's knowledge of the registry.
struct Known {
  uint64_t version = 0;
  std::shared_ptr<const Entries> entries;
};

const Entries &getEntries() {
  Registry &registry = getRegistry();
  Known &known = getOfThread<Known>();
  if (known.version != registry.version.load(std::memory_order_acquire)) {
    std::lock_guard<std::mutex> lock(registry.mutex);
    known.entries = registry.entries;
    known.version = registry.version.load(std::memory_order_relaxed);
  }
  return *known.entries;
}

bool comesBefore(const Entry &a, const Entry &b) {
  return std::tuple(reinterpret_cast<uintptr_t>(a.range.context),
                    a.range.begin) <
         std::tuple(reinterpret_cast<uintptr_t>(b.range.context),
                    b.range.begin);
}

} // namespace

RegisteredRanges::RegisteredRanges(std::vector<SymmetricRange> ranges) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  number = ++registry.lastNumber;
  Entries changed = *registry.entries;
  for (const SymmetricRange &range : ranges)
    changed.push_back({range, number});
  std::sort(changed.begin(), changed.end(), comesBefore);
  registry.replace(std::move(changed));
}

RegisteredRanges::RegisteredRanges(RegisteredRanges &&other) noexcept
    : number(std::exchange(other.number, 0)) {}

RegisteredRanges &
RegisteredRanges::operator=(RegisteredRanges &&other) noexcept {
  std::swap(number, other.number);
  return *this;
}

void RegisteredRanges::reset() {
  uint64_t own = std::exchange(number, 0);
  // In a forked child the mutex may be held forever.
  if (own == 0 || isForkedFromUser())
    return;
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  Entries changed = *registry.entries;
  changed.erase(
      std::remove_if(changed.begin(), changed.end(),
                     [own](const Entry &entry) { return entry.number == own; }),
      changed.end());
  registry.replace(std::move(changed));
}

FoundRanges findSymmetricRanges(CUcontext context, const Context::Impl *owner,
                                uint64_t address) {
  const Entries &entries = getEntries();
  Entry wanted = {};
  wanted.range.context = context;
  wanted.range.begin = address;
  auto end =
      std::upper_bound(entries.begin(), entries.end(), wanted, comesBefore);
  FoundRanges ofOwner, ofAny;
  auto keep = [](const SymmetricRange &range, FoundRanges &found) {
    if (range.isOwn && range.end > found.own.end)
      found.own = range;
    if (range.isPeer && range.end > found.peer.end)
      found.peer = range;
    if (range.isMulticast && range.end > found.multicast.end)
      found.multicast = range;
  };
  for (auto entry = end; entry != entries.begin();) {
    --entry;
    const SymmetricRange &range = entry->range;
    if (range.context != context || entry->furthest <= address)
      break;
    if (range.end <= address)
      continue;
    keep(range, ofAny);
    if (range.owner == owner)
      keep(range, ofOwner);
  }
  bool isOfOwner = ofOwner.own.end != 0 || ofOwner.peer.end != 0 ||
                   ofOwner.multicast.end != 0;
  return isOfOwner ? ofOwner : ofAny;
}

} // namespace carousel::runtime
