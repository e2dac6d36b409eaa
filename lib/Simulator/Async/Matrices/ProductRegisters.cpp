//===- ProductRegisters.cpp - registers that products access --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles are the number of a slot, and the generation of its value.
//
//===----------------------------------------------------------------------===//

#include "ProductRegisters.h"

namespace carousel::sim {

static uint64_t makeHandle(uint32_t slot, uint32_t generation) {
  return uint64_t(generation) << 32 | slot;
}

RegisterFile::Slot *RegisterFile::lookUp(uint64_t handle) {
  auto number = uint32_t(handle);
  if (number >= slots.size())
    return nullptr;
  Slot &slot = slots[number];
  return slot.isUsed && slot.generation == handle >> 32 ? &slot : nullptr;
}

uint64_t RegisterFile::keep(const char *value, uint32_t bytes,
                            const char *poison, uint32_t elements) {
  if (freeSlots.empty()) {
    freeSlots.push_back(uint32_t(slots.size()));
    slots.emplace_back();
  }
  uint32_t number = freeSlots.back();
  freeSlots.pop_back();
  Slot &slot = slots[number];
  slot.isUsed = true;
  slot.registers = ProductRegisters();
  slot.registers.bytes.assign(value, value + bytes);
  if (poison)
    slot.registers.poison.assign(poison, poison + elements);
  return makeHandle(number, slot.generation);
}

ProductRegisters *RegisterFile::find(uint64_t handle) {
  Slot *slot = lookUp(handle);
  return slot ? &slot->registers : nullptr;
}

uint64_t RegisterFile::renew(uint64_t handle) {
  Slot *slot = lookUp(handle);
  return slot ? makeHandle(uint32_t(handle), ++slot->generation) : handle;
}

void RegisterFile::free(uint64_t handle) {
  Slot *slot = lookUp(handle);
  if (!slot)
    return;
  slot->isUsed = false;
  ++slot->generation;
  freeSlots.push_back(uint32_t(handle));
}

} // namespace carousel::sim
