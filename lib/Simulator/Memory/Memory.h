//===- Memory.h - memory with a memory of who touched it --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shadow memory over the real bytes of global and shared buffers: who wrote and
// read what, through which proxy, and whether it was ever written. `access`
// checks one access against the rules of docs/MemoryModel.md, reports findings,
// and records it; the caller moves the bytes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORY_H
#define CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORY_H

#include "View.h"

#include "carousel/Simulator/Findings.h"

#include <memory>
#include <string>

namespace carousel::sim {

enum class Space : uint8_t { Global, Shared };
enum class Proxy : uint8_t { Generic, Async };
enum class AccessKind : uint8_t {
  Read,
  Write,
  /// An atomic of the generic proxy: doesn't race with other atomics.
  Atomic,
  /// An element-wise atomic of an engine or of red.async: doesn't race with its
  /// like.
  Reduce,
};

/// What an atomic does to its place. Only what reads can see what others wrote:
/// PTX's `red`, an atomic without a result, forms no acquire pattern.
enum class AtomicForm : uint8_t { None, Load, Store, Reduce, ReadModifyWrite };

/// One access and the agent that makes it. The view is used during the call
/// only.
struct Access {
  AccessKind kind = AccessKind::Read;
  Proxy proxy = Proxy::Generic;
  /// Of Atomic and Reduce: the form, and the bytes of one element. Atomics that
  /// overlap in part are not morally strong: they race.
  AtomicForm form = AtomicForm::None;
  uint8_t elementBytes = 0;
  /// The moment of the agent: of the thread, or of the operation (its read or
  /// its write epoch).
  Epoch epoch;
  /// What the agent knew: the thread's view, or the view at the issue of the
  /// operation.
  const View *view = nullptr;
  uint32_t thread = 0; // index in the CTA of the thread that acted or issued
  /// Index into the machine's table of operation names; 0 for a thread's own
  /// access.
  uint16_t operation = 0;
  Site site = 0;
  /// Distinguishes operations of engines; accesses of one operation don't race
  /// with each other.
  uint64_t operationId = 0;
  /// It doesn't look at what it finds: an atomic store, or a tile transfer of
  /// elements that it only orders.
  bool mayBeUnwritten = false;
  /// Made by several threads together (a tile transfer). Whoever knows of it
  /// knows, as far as these bytes go, of all that it was ordered after.
  bool isCollective = false;
};

/// How an access went. Findings have been reported; the caller still has to
/// move the bytes in bounds.
struct AccessResult {
  /// False: not (wholly) inside one live region; nothing may be touched.
  bool inBounds = true;
  /// Part of the bytes that an async access reads or replaces is stale: a fence
  /// is missing.
  bool stale = false;
  /// Part of the bytes was never written.
  bool unwritten = false;
};

struct RegionInfo {
  Space space = Space::Global;
  uint32_t cta = 0; // owner of shared memory
  std::string name; // "x", "shared memory"
  char *base = nullptr;
  uint64_t size = 0;
  /// The host has written it all (an input); else it starts unwritten.
  bool isWritten = false;
};

/// Settings that docs/MemoryModel.md calls choices.
struct MemoryRules {
  /// Only the writer's own fence counts, and handing a buffer back to an engine
  /// needs one too.
  bool strictFences = false;
};

using RegionId = uint32_t;

class Memory {
public:
  Memory(FindingLog &log, MemoryRules rules);
  ~Memory();

  RegionId addRegion(RegionInfo info);
  /// The region is gone; later accesses to its addresses are out of bounds.
  void removeRegion(RegionId region);
  const RegionInfo *find(const void *address) const;

  /// Gives a name to part of a region: a barrier array, a buffer with slots of
  /// `slotBytes` (0: no slots). Findings then say `full[2]`. Names may nest;
  /// the innermost wins.
  void nameRange(RegionId region, uint64_t begin, uint64_t size,
                 std::string name, uint64_t slotBytes);
  /// Bytes of a region that belong to no buffer: accesses to them are out of
  /// bounds. Given in their order.
  void addGap(RegionId region, uint64_t begin, uint64_t size);
  /// The buffer, slot and byte range of an address, for findings of others
  /// ("full", 2).
  void describe(const void *address, uint64_t size, Finding &finding) const;

  /// Checks and records. Fast where an access repeats the state of its
  /// neighbours.
  AccessResult access(const void *address, uint64_t size, const Access &access);

  /// Marks bytes as written by the host or poisoned (unwritten) again, without
  /// any check.
  void setWritten(const void *address, uint64_t size, bool written);

  /// Name of an operation index, for actors ("tensor.load"); index 0 is "".
  uint16_t internOperation(llvm::StringRef name);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Fills fresh memory with a pattern that is unlikely to be a right result (a
/// NaN as float).
void poison(void *address, uint64_t size);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORY_H
