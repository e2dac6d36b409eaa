//===- ArgumentRegions.cpp - the memory of a run's arguments --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ArgumentRegions.h.
//
//===----------------------------------------------------------------------===//

#include "ArgumentRegions.h"

#include "../Compile/KernelModule.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace mlir;
using namespace carousel::sim;

void ArgumentRegions::add(const LaunchArguments &arguments,
                          const Signature &signature,
                          llvm::ArrayRef<bool> areInputs) {
  // Arguments of one launch are separate entries: if one of them is written,
  // the memory is written.
  size_t ofOthers = memory.size();
  for (const ArgumentMemory &part : arguments.getMemory()) {
    const Argument &argument = arguments.getArguments()[part.argument];
    auto isSame = [&](const NamedMemory &known) {
      return known.begin == part.begin && known.size == part.size;
    };
    bool isInput = areInputs[part.argument];
    auto known =
        llvm::find_if(MutableArrayRef(memory).take_front(ofOthers), isSame);
    if (known != memory.data() + ofOthers) {
      known->isInput &= isInput;
      continue;
    }
    const ArgumentInfo &info = signature.arguments[part.argument];
    uint64_t elementBytes =
        *getElementBytes(cast<MemRefType>(info.type).getElementType());
    memory.push_back({part.begin, part.size,
                      argument.name.empty() ? info.name : argument.name,
                      argument.isWritten, &argument, elementBytes, isInput});
    // What a multicast address stands for, unless a launch passes it, too.
    for (const Argument &ofGPU : argument.parts) {
      auto *begin = static_cast<char *>(ofGPU.data);
      if (llvm::none_of(memory, [&](const NamedMemory &known) {
            return known.begin == begin && known.size == part.size;
          }))
        memory.push_back({begin, part.size, ofGPU.name, ofGPU.isWritten, &ofGPU,
                          elementBytes});
    }
  }
}

/// Adds the region of arguments that share memory.
void ArgumentRegions::addRegion(Memory &machine,
                                ArrayRef<NamedMemory> shared) const {
  const NamedMemory &first = shared.front();
  char *end = first.begin;
  for (const NamedMemory &part : shared)
    end = std::max(end, part.begin + part.size);
  bool all = llvm::all_of(
      shared, [](const NamedMemory &part) { return part.isWritten; });
  std::vector<char *> parts;
  for (const Argument &part : first.argument->parts)
    parts.push_back(static_cast<char *>(part.data));
  RegionId region =
      machine.addRegion({Space::Global, 0, first.name, first.begin,
                         uint64_t(end - first.begin), all, std::move(parts)});
  for (const NamedMemory &part : shared) {
    uint64_t offset = part.begin - first.begin;
    machine.nameRange(region, offset, part.size, part.name, /*slotBytes=*/0);
    // Memory that another argument marks as written is written.
    if (!all && part.isWritten)
      machine.setWritten(part.begin, part.size, true);
    if (llvm::all_of(shared, [&](const NamedMemory &other) {
          return other.isInput || !other.overlaps(part);
        }))
      machine.addInput(region, offset, part.size);
  }
}

void ArgumentRegions::addRegions(Memory &machine) const {
  std::vector<NamedMemory> sorted = memory;
  llvm::sort(sorted, [](const NamedMemory &a, const NamedMemory &b) {
    return std::tie(a.begin, b.size, a.name) <
           std::tie(b.begin, a.size, b.name);
  });
  for (size_t first = 0; first < sorted.size();) {
    char *end = sorted[first].begin;
    size_t last = first;
    for (; last < sorted.size() && (last == first || sorted[last].begin < end);
         ++last)
      end = std::max(end, sorted[last].begin + sorted[last].size);
    addRegion(machine, ArrayRef(sorted).slice(first, last - first));
    first = last;
  }
}

void ArgumentRegions::poisonOutputs() const {
  for (const NamedMemory &part : memory) {
    bool isShared = llvm::any_of(memory, [&](const NamedMemory &other) {
      return &other != &part && other.overlaps(part);
    });
    if (!part.isWritten && !isShared)
      poisonElements(*part.argument, part.elementBytes);
  }
}
