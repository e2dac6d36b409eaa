//===- Multimem.cpp - writes of vectors by one thread ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Multimem.h. Writes are weak and generic. Reductions are atomics of system
// or gpu scope, element by element.
//
//===----------------------------------------------------------------------===//

#include "Multimem.h"

#include "../Tensors/Reduce.h"

#include <cstring>

namespace carousel::sim {

using llvm::Twine;

void Multimem::verifyAlignment(llvm::StringRef name, uint32_t bytes,
                               char *address) {
  if (uint64_t past = reinterpret_cast<uint64_t>(address) % bytes)
    context.invalid(name,
                    "expected a destination aligned to " + Twine(bytes) +
                        " bytes, got an address " + Twine(past) +
                        " bytes past that",
                    address, bytes);
}

void Multimem::forEachPart(llvm::StringRef name, uint32_t bytes, char *address,
                           llvm::function_ref<void()> step,
                           llvm::function_ref<void(char *)> write) {
  verifyAlignment(name, bytes, address);
  const RegionInfo *region = context.memory.find(address);
  if (!region) {
    // Reports that it is out of bounds.
    context.memory.access(address, bytes,
                          context.makeAccess(AccessKind::Write));
    return;
  }
  if (region->parts.empty())
    return context.report(FindingKind::MulticastAccess,
                          context.here().actor(name),
                          "expected a multicast address, found memory of one "
                          "GPU",
                          address, bytes);
  std::vector<char *> parts = region->parts;
  uint64_t offset = address - region->base;
  for (size_t part = 0; part < parts.size(); ++part) {
    if (part > 0)
      step();
    write(parts[part] + offset);
  }
}

void Multimem::store(const void *value, uint32_t bytes, char *address,
                     llvm::function_ref<void()> step) {
  forEachPart("multimem.store", bytes, address, step, [&](char *part) {
    Access access = context.makeAccess(AccessKind::Write);
    access.isMulticast = true;
    if (context.memory.access(part, bytes, access).inBounds)
      std::memcpy(part, value, bytes);
  });
}

/// Reductions that threads make in global memory flush subnormals of f32.
static ReduceType getThreadType(ReduceType type) {
  return type == ReduceType::F32 ? ReduceType::F32FTZ : type;
}

void Multimem::reduce(ReduceKind kind, ReduceType type, const void *value,
                      uint32_t bytes, char *address,
                      llvm::function_ref<void()> step) {
  forEachPart("multimem.reduce", bytes, address, step, [&](char *part) {
    Access access = context.makeAccess(AccessKind::Reduce);
    access.form = AtomicForm::Reduce;
    access.elementBytes = uint8_t(getElementBytes(type));
    access.isSystem = true;
    access.isMulticast = true;
    if (context.memory.access(part, bytes, access).inBounds)
      sim::reduce(kind, getThreadType(type), part, value, bytes);
  });
}

void Multimem::reduceOnce(ReduceKind kind, ReduceType type, const void *value,
                          uint32_t bytes, char *address) {
  verifyAlignment("vector.reduce", bytes, address);
  Access access = context.makeAccess(AccessKind::Reduce);
  access.form = AtomicForm::Reduce;
  access.elementBytes = uint8_t(getElementBytes(type));
  if (context.memory.access(address, bytes, access).inBounds)
    sim::reduce(kind, getThreadType(type), address, value, bytes);
}

} // namespace carousel::sim
