//===- TensorMaps.cpp - tensor maps in memory -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes of descriptors, the fences that make them visible, and fetches.
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"

#include "DriverTensorMap.h"

#include <cstring>

namespace carousel::sim {

using llvm::Twine;

/// What a descriptor in memory says: one that the host's driver encoded is
/// decoded. The reason why it can't be, or an empty string.
static std::string readMap(const TensorMap *map, TensorMap &copy) {
  std::memcpy(static_cast<void *>(&copy), map, sizeof(copy));
  if (copy.magic == TensorMap::kMagic)
    return {};
  std::string wrong = decodeDriverMap(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(map), sizeof(TensorMap)),
      copy);
  return wrong.empty() ? wrong
                       : "expected a tensor map, got other bytes: " + wrong;
}

static bool knows(const Thread &thread, Epoch epoch) {
  return epoch &&
         (epoch.isSameAgent(thread.epoch()) || thread.view.order.covers(epoch));
}

bool TensorMaps::access(const TensorMap *map, AccessKind kind) {
  return context.memory.access(map, sizeof(TensorMap), context.makeAccess(kind))
      .inBounds;
}

void TensorMaps::fetch(const TensorMap *map, llvm::StringRef name,
                       TensorMap &copy) {
  if (reinterpret_cast<uint64_t>(map) % alignof(TensorMap) != 0)
    context.invalid(
        name,
        "expected a tensor map aligned to " + Twine(alignof(TensorMap)) +
            " bytes, got an address " +
            Twine(reinterpret_cast<uint64_t>(map) % alignof(TensorMap)) +
            " bytes past that",
        map, sizeof(TensorMap));
  if (const RegionInfo *region = context.memory.find(map)) {
    if (region->space == Space::Shared)
      context.invalid(
          name,
          "expected a tensor map in global memory or of the kernel's "
          "parameters, got one "
          "in shared memory",
          map, sizeof(TensorMap));
    Thread &thread = context.grid.current();
    auto it = states.find(map);
    if (it != states.end()) {
      const State &state = it->second;
      bool isAcquired = llvm::any_of(
          state.acquired, [&](Epoch epoch) { return knows(thread, epoch); });
      if (!isAcquired)
        context.report(
            FindingKind::StaleTensorMap, context.here().actor(name),
            state.released
                ? "expected fence.tensor_map_acquire between the change of "
                  "a tensor map and its "
                  "use, found none that the issuing thread knows of"
                : "expected fence.tensor_map_release or "
                  "tensor_map.copy_fence after the change "
                  "of a tensor map, found none",
            map, sizeof(TensorMap), state.writer.actor());
    } else if (!access(map, AccessKind::Read)) {
      context.trap();
    }
  }
  std::string wrong = readMap(map, copy);
  if (wrong.empty())
    wrong = copy.verify();
  if (!wrong.empty())
    context.invalid(name, wrong, map, sizeof(TensorMap));
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// The encodings of swizzle_mode and swizzle_atomicity.
static Swizzle withSwizzleMode(uint64_t mode) {
  constexpr Swizzle kModes[] = {Swizzle::None, Swizzle::B32, Swizzle::B64,
                                Swizzle::B128};
  return kModes[mode & 3];
}
static Swizzle withSwizzleAtomicity(Swizzle swizzle, uint64_t atomicity) {
  // Only the span of 128 bytes has several atomicities.
  if (swizzle < Swizzle::B128)
    return swizzle;
  constexpr Swizzle kAtoms[] = {Swizzle::B128, Swizzle::B128Atom32,
                                Swizzle::B128Atom32Flip8, Swizzle::B128Atom64};
  return kAtoms[atomicity & 3];
}

static void replaceField(TensorMap &map, TensorMapField field, uint32_t dim,
                         uint64_t value) {
  switch (field) {
  case TensorMapField::GlobalAddress:
    map.globalAddress = value;
    return;
  case TensorMapField::Rank:
    map.rank = uint8_t(value + 1);
    return;
  case TensorMapField::BoxDim:
    map.box[dim] = uint16_t(value);
    return;
  case TensorMapField::GlobalDim:
    map.globalExtents[dim] = uint32_t(value);
    return;
  case TensorMapField::GlobalStride:
    // Strides exist for dimensions 1 and higher.
    if (dim < 4)
      map.globalStrides[dim] = value;
    return;
  case TensorMapField::ElementStride:
    map.elementStrides[dim] = uint8_t(value);
    return;
  case TensorMapField::ElementType:
    map.element = TensorElement(value & 15);
    return;
  case TensorMapField::InterleaveLayout:
    map.interleave = Interleave(value);
    return;
  case TensorMapField::SwizzleMode:
    map.swizzle = withSwizzleMode(value);
    return;
  case TensorMapField::SwizzleAtomicity:
    map.swizzle = withSwizzleAtomicity(map.swizzle, value);
    return;
  case TensorMapField::FillMode:
    map.fill = OutOfBoundsFill(value & 1);
    return;
  }
}

/// Whether the map is zero, as it is when the device starts to build one field
/// by field.
static bool isZero(const TensorMap &map) {
  auto bytes =
      llvm::ArrayRef(reinterpret_cast<const char *>(&map), sizeof(TensorMap));
  return llvm::all_of(bytes, [](char byte) { return byte == 0; });
}

void TensorMaps::replace(TensorMap *map, TensorMapField field, uint32_t dim,
                         uint64_t value) {
  Thread &thread = context.grid.current();
  if (dim > 4)
    context.invalid("tensor_map.replace",
                    "expected dimension 0 to 4, got " + Twine(dim), map,
                    sizeof(TensorMap));
  if (!access(map, AccessKind::Write))
    return;
  // From here on it has the machine's own layout.
  if (isZero(*map)) {
    map->magic = TensorMap::kMagic;
  } else {
    TensorMap copy;
    if (std::string wrong = readMap(map, copy); !wrong.empty())
      context.invalid("tensor_map.replace", wrong, map, sizeof(TensorMap));
    *map = copy;
  }
  replaceField(*map, field, dim, value);
  State &state = states[map];
  state = State();
  state.written = thread.epoch();
  state.writer = whoIs(thread);
}

void TensorMaps::copyFence(const TensorMap *source, TensorMap *destination,
                           MemScope) {
  Thread &thread = context.grid.current();
  auto threads = uint32_t(context.grid.getShape().block.count());
  uint32_t lanes = std::min(32u, threads - thread.warp() * 32);
  context.grid.barrierWarp(lanes == 32 ? ~0u : (1u << lanes) - 1);
  if (thread.lane() != 0)
    return;
  if (!access(source, AccessKind::Read) ||
      !access(destination, AccessKind::Write))
    return;
  std::memcpy(static_cast<void *>(destination), source, sizeof(TensorMap));
  State &state = states[destination];
  state = State();
  state.written = state.released = thread.epoch();
  state.writer = whoIs(thread);
  thread.tick();
}

void TensorMaps::fenceRelease(MemScope scope) {
  Thread &thread = context.grid.current();
  Epoch epoch = thread.epoch();
  for (auto &entry : states)
    if (entry.second.written.isSameAgent(epoch) && !entry.second.released)
      entry.second.released = epoch;
  fences.fenceThread(MemSemantics::Release, scope);
}

void TensorMaps::fenceAcquire(const TensorMap *map, MemScope scope) {
  Thread &thread = context.grid.current();
  fences.fenceThread(MemSemantics::Acquire, scope);
  auto it = states.find(map);
  if (it == states.end() || !knows(thread, it->second.released))
    return;
  if (it->second.acquired.size() >= 1024)
    it->second.acquired.clear();
  it->second.acquired.push_back(thread.epoch());
  thread.tick();
}

void TensorMaps::ctaExit(const AsyncCTA &cta) {
  llvm::SmallVector<const void *> stale;
  for (const auto &entry : states)
    if (cta.contains(entry.first))
      stale.push_back(entry.first);
  for (const void *address : stale)
    states.erase(address);
}

} // namespace carousel::sim
