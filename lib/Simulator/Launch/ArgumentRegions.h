//===- ArgumentRegions.h - the memory of a run's arguments ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the memory of all launches' arguments, by their addresses, and makes
// regions of the machine's memory of it: with names for findings, and with what
// is known before the first launch of who has written it and who may.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_LAUNCH_ARGUMENTREGIONS_H
#define CAROUSEL_LIB_SIMULATOR_LAUNCH_ARGUMENTREGIONS_H

#include "../Memory/Memory.h"
#include "LaunchArguments.h"

#include "carousel/Simulator/Simulator.h"

namespace carousel::sim {

class ArgumentRegions {
public:
  /// Adds the memory of one more launch. The arguments stay where they are.
  /// `areInputs` are the arguments that the kernel only reads.
  void add(const LaunchArguments &arguments, const Signature &signature,
           llvm::ArrayRef<bool> areInputs);
  /// Overlapping arguments share a region.
  void addRegions(Memory &machine) const;
  /// Poisons the memory that the kernels are to write.
  void poisonOutputs() const;

private:
  /// The memory of an argument, with the name that the first launch gives it.
  struct NamedMemory {
    char *begin;
    uint64_t size;
    std::string name;
    bool isWritten;
    /// The memref, between whose elements may be other data.
    const Argument *argument;
    uint64_t elementBytes;
    /// Whether all launches only read it.
    bool isInput = false;

    bool overlaps(const NamedMemory &other) const {
      return begin < other.begin + other.size && other.begin < begin + size;
    }
  };

  void addRegion(Memory &machine, llvm::ArrayRef<NamedMemory> shared) const;

  std::vector<NamedMemory> memory;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_LAUNCH_ARGUMENTREGIONS_H
