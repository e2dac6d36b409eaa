//===- ProductRegisters.h - registers that products access ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of !carousel.wgmma_registers is a handle of registers that the
// machine holds for the thread. A product changes them in place and gives them
// a new handle, so that a second use of the old one is found.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCTREGISTERS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCTREGISTERS_H

#include <cstdint>
#include <deque>
#include <vector>

namespace carousel::sim {

struct ProductRegisters {
  std::vector<char> bytes;
  /// Whether each element is poison; empty if none is.
  std::vector<bool> poison;
  /// The newest group with a product that accesses them, 0 for none, and that
  /// product's site.
  uint32_t group = 0, site = 0;
  /// The last product that changed them: its shape, 0 for none, and how many
  /// fences the thread's warp had executed.
  uint32_t shape = 0, fences = 0;
  /// A product that hasn't been computed yet adds to them.
  bool isPending = false;
};

/// The registers of one thread.
class RegisterFile {
public:
  /// Makes a handle of a value. `poison` has a byte for each element, or is
  /// null.
  uint64_t keep(const char *value, uint32_t bytes, const char *poison,
                uint32_t elements);
  /// The registers of a handle; null if a later value has replaced it.
  ProductRegisters *find(uint64_t handle);
  /// The same registers under a new handle. The old one is used up.
  uint64_t renew(uint64_t handle);
  /// Gives the registers back.
  void free(uint64_t handle);

private:
  struct Slot {
    ProductRegisters registers;
    uint32_t generation = 1;
    bool isUsed = false;
  };
  Slot *lookUp(uint64_t handle);

  /// Products in flight point to the registers.
  std::deque<Slot> slots;
  std::vector<uint32_t> freeSlots;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCTREGISTERS_H
