//===- Memory.h - memory that records its accesses --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shadow memory for the bytes of global and shared buffers: the agents that
// wrote and read them, through which proxy, and whether they were ever written.
// `access` checks one access by the rules of docs/MemoryModel.md, reports
// findings, and records the access. The caller moves the bytes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORY_H
#define CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORY_H

#include "Clock.h"

#include "carousel/Simulator/Findings.h"

#include <memory>
#include <string>

namespace carousel::sim {

enum class Space : uint8_t { Global, Shared };
enum class Proxy : uint8_t { Generic, Async };
enum class AccessKind : uint8_t {
  Read,
  Write,
  /// An atomic through the generic proxy, which doesn't race with other
  /// atomics.
  Atomic,
  /// An element-wise atomic of an engine or of red.async, which doesn't race
  /// with others of its kind.
  Reduce,
};

/// The effect of an atomic on its address. Only forms that read can observe the
/// writes of others: PTX's `red`, an atomic without a result, forms no acquire
/// pattern.
enum class AtomicForm : uint8_t { None, Load, Store, Reduce, ReadModifyWrite };

/// One access and its agent. The view is used during the call only.
struct Access {
  AccessKind kind = AccessKind::Read;
  Proxy proxy = Proxy::Generic;
  /// For Atomic and Reduce: the form, and the bytes of one element. Atomics
  /// that overlap partly aren't morally strong, so they race.
  AtomicForm form = AtomicForm::None;
  uint8_t elementBytes = 0;
  /// The epoch of the thread, or the read or write epoch of the operation.
  Epoch epoch;
  /// The agent's knowledge: the thread's view, or the view when the operation
  /// was issued.
  const View *view = nullptr;
  uint32_t thread = 0; // index in the CTA of the thread that acted or issued
  /// Index into the machine's table of operation names; 0 for a thread's own
  /// access.
  uint16_t operation = 0;
  Site site = 0;
  /// Identifies an operation of an engine, whose accesses don't race with each
  /// other.
  uint64_t operationId = 0;
  /// An atomic of system scope. Others don't reach other GPUs.
  bool isSystem = false;
  /// Made by a multicast address. Accesses by other addresses of the same
  /// memory need an alias fence in between.
  bool isMulticast = false;
  /// The access ignores the value that it finds: an atomic store, or a tile
  /// transfer of elements that it only orders.
  bool mayBeUnwritten = false;
  /// A write of bytes without a value, which nobody may read.
  bool isOfPoison = false;
  /// Several threads make the access together (a tile transfer). An agent that
  /// knows of it also knows, for these bytes, everything that it was ordered
  /// after.
  bool isCollective = false;
  /// The bytes that a plain write writes, if its caller knows that lanes of a
  /// warp which write the same ones by one instruction need no order.
  const void *values = nullptr;
};

/// The result of an access. Findings have been reported. The caller must still
/// move the bytes that are in bounds.
struct AccessResult {
  /// False if the range isn't inside one live region. The caller must not
  /// access it.
  bool inBounds = true;
  /// Some bytes that an async access reads or replaces are stale: a fence is
  /// missing.
  bool stale = false;
  /// Some bytes were never written.
  bool unwritten = false;
};

struct RegionInfo {
  Space space = Space::Global;
  uint32_t cta = 0; // owner of shared memory
  std::string name; // "x", "shared memory"
  char *base = nullptr;
  uint64_t size = 0;
  /// The host has written all of it (an input). Otherwise it starts unwritten.
  bool isWritten = false;
  /// The first bytes of the parts that a multicast address stands for; empty
  /// for others. Any access to the region itself is a finding.
  std::vector<char *> parts = {};
};

/// Settings for the choices in docs/MemoryModel.md.
struct MemoryRules {
  /// Only the writer's own fence counts, and a buffer that is released to an
  /// engine needs a fence, too.
  bool strictFences = false;
};

using RegionId = uint32_t;

class Memory {
public:
  Memory(FindingLog &log, MemoryRules rules);
  ~Memory();

  /// The first CTA of each GPU, if there are several.
  void setGPUs(std::vector<uint32_t> firstCTAs);

  RegionId addRegion(RegionInfo info);
  /// Removes the region. Later accesses to its addresses are out of bounds.
  void removeRegion(RegionId region);
  const RegionInfo *find(const void *address) const;

  /// Bytes of global memory that were accessed in bounds.
  struct Traffic {
    uint64_t readBytes = 0, writtenBytes = 0;
  };
  const Traffic &getTraffic() const;

  /// Names a part of a region: an array of barriers, or a buffer with slots of
  /// `slotBytes` (0 for no slots). Findings then say `full[2]`. Names may be
  /// nested, and the innermost applies.
  void nameRange(RegionId region, uint64_t begin, uint64_t size,
                 std::string name, uint64_t slotBytes);
  /// Marks bytes of a region that belong to no buffer. Accesses to them are out
  /// of bounds. Call in ascending order.
  void addGap(RegionId region, uint64_t begin, uint64_t size);
  /// Marks bytes of a region that are only read. A write is a finding.
  void addInput(RegionId region, uint64_t begin, uint64_t size);
  /// The buffer, slot and byte range of an address, for findings of other parts
  /// ("full", 2).
  void describe(const void *address, uint64_t size, Finding &finding) const;

  /// Checks and records an access. Fast if it repeats the state of its
  /// neighbours.
  AccessResult access(const void *address, uint64_t size, const Access &access);

  /// Marks bytes as written by the host, or as poisoned (unwritten), without a
  /// check.
  void setWritten(const void *address, uint64_t size, bool written);

  /// The index of an operation's name, for actors ("tensor.load"). Index 0 is
  /// "".
  uint16_t internOperation(llvm::StringRef name);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Fills fresh memory with a pattern that is unlikely to be a correct result (a
/// NaN as float).
void poison(void *address, uint64_t size);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORY_H
