//===- Descriptors.cpp - tensor maps in memory ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A descriptor that the host wrote, or that is a kernel parameter, may be used
// without a fence. If the device changed one, the changing thread must release
// it to the tensormap proxy. A thread that happens before the user must acquire
// it.
//
//===----------------------------------------------------------------------===//

#include "AsyncImpl.h"

#include <cstring>

namespace carousel::sim {

using llvm::Twine;

static AccessResult accessMap(AsyncMachine::Impl &machine, const TensorMap *map,
                              AccessKind kind) {
  Thread &thread = machine.grid.current();
  Access access;
  access.kind = kind;
  access.epoch = thread.epoch();
  access.view = &thread.view;
  access.thread = thread.index;
  access.site = thread.site;
  return machine.memory.access(map, sizeof(TensorMap), access);
}

static bool knows(const Thread &thread, Epoch epoch) {
  return epoch &&
         (epoch.isSameAgent(thread.epoch()) || thread.view.order.covers(epoch));
}

void AsyncMachine::Impl::fetchDescriptor(const TensorMap *map,
                                         llvm::StringRef name,
                                         TensorMap &copy) {
  if (reinterpret_cast<uint64_t>(map) % alignof(TensorMap) != 0)
    invalid(name,
            "expected a tensor map aligned to " + Twine(alignof(TensorMap)) +
                " bytes, got an address " +
                Twine(reinterpret_cast<uint64_t>(map) % alignof(TensorMap)) +
                " bytes past that",
            map, sizeof(TensorMap));
  if (const RegionInfo *region = memory.find(map)) {
    if (region->space == Space::Shared)
      invalid(name,
              "expected a tensor map in global memory or of the kernel's "
              "parameters, got one "
              "in shared memory",
              map, sizeof(TensorMap));
    Thread &thread = grid.current();
    auto it = descriptors.find(map);
    if (it != descriptors.end()) {
      const DescriptorState &state = it->second;
      bool isAcquired = llvm::any_of(
          state.acquired, [&](Epoch epoch) { return knows(thread, epoch); });
      if (!isAcquired)
        report(FindingKind::StaleTensorMap, here().actor(name),
               state.released
                   ? "expected fence.tensor_map_acquire between the change of "
                     "a tensor map and its "
                     "use, found none that the issuing thread knows of"
                   : "expected fence.tensor_map_release or "
                     "tensor_map.copy_fence after the change "
                     "of a tensor map, found none",
               map, sizeof(TensorMap), state.writer.actor());
    } else if (!accessMap(*this, map, AccessKind::Read).inBounds) {
      trap();
    }
  }
  std::memcpy(static_cast<void *>(&copy), map, sizeof(copy));
  if (std::string wrong = copy.verify(); !wrong.empty()) {
    Finding finding;
    finding.kind = FindingKind::InvalidOperand;
    finding.message = std::move(wrong);
    finding.actor = here().actor(name);
    memory.describe(map, sizeof(TensorMap), finding);
    log.report(std::move(finding));
    trap();
  }
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

void AsyncMachine::tensorMapReplace(TensorMap *map, TensorMapField field,
                                    uint32_t dim, uint64_t value) {
  Impl &machine = *impl;
  Thread &thread = machine.grid.current();
  if (dim > 4)
    machine.invalid("tensor_map.replace",
                    "expected dimension 0 to 4, got " + Twine(dim), map,
                    sizeof(TensorMap));
  if (!accessMap(machine, map, AccessKind::Write).inBounds)
    return;
  if (isZero(*map))
    map->magic = TensorMap::kMagic;
  replaceField(*map, field, dim, value);
  DescriptorState &state = machine.descriptors[map];
  state = DescriptorState();
  state.written = thread.epoch();
  state.writer = Impl::whoIs(thread);
}

void AsyncMachine::tensorMapCopyFence(const TensorMap *source,
                                      TensorMap *destination, MemScope) {
  Impl &machine = *impl;
  Thread &thread = machine.grid.current();
  auto threads = uint32_t(machine.grid.getShape().block.count());
  uint32_t lanes = std::min(32u, threads - thread.warp() * 32);
  machine.grid.barrierWarp(lanes == 32 ? ~0u : (1u << lanes) - 1);
  if (thread.lane() != 0)
    return;
  if (!accessMap(machine, source, AccessKind::Read).inBounds ||
      !accessMap(machine, destination, AccessKind::Write).inBounds)
    return;
  std::memcpy(static_cast<void *>(destination), source, sizeof(TensorMap));
  DescriptorState &state = machine.descriptors[destination];
  state = DescriptorState();
  state.written = state.released = thread.epoch();
  state.writer = Impl::whoIs(thread);
  thread.tick();
}

void AsyncMachine::fenceTensorMapRelease(MemScope scope) {
  Thread &thread = impl->grid.current();
  Epoch epoch = thread.epoch();
  for (auto &entry : impl->descriptors)
    if (entry.second.written.isSameAgent(epoch) && !entry.second.released)
      entry.second.released = epoch;
  fenceThread(MemSemantics::Release, scope);
}

void AsyncMachine::fenceTensorMapAcquire(const TensorMap *map, MemScope scope) {
  Thread &thread = impl->grid.current();
  fenceThread(MemSemantics::Acquire, scope);
  auto it = impl->descriptors.find(map);
  if (it == impl->descriptors.end() || !knows(thread, it->second.released))
    return;
  if (it->second.acquired.size() >= 1024)
    it->second.acquired.clear();
  it->second.acquired.push_back(thread.epoch());
  thread.tick();
}

} // namespace carousel::sim
