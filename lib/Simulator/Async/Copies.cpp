//===- Copies.cpp - issue of copies ---------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes and fetches of tensor maps, the checks that copies have in common,
// then each instruction. Writes to multicast addresses are weak and generic,
// one write for each GPU's part; their reductions are atomics of system or gpu
// scope, element by element.
//
//===----------------------------------------------------------------------===//

#include "Copies.h"

#include "Tensors/Reduce.h"

#include "carousel/Support/HardwareLimits.h"
#include "llvm/ADT/Hashing.h"

#include <cstring>

namespace carousel::sim {

using llvm::Twine;

/// Reads a descriptor in memory: one that the host's driver encoded is decoded.
/// The reason why it can't be, or an empty string.
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

void CopyOperands::checkBulk(llvm::StringRef name, const void *global,
                             int64_t size) {
  if (size <= 0 || size % rules::kBulkGranule != 0)
    context.invalid(
        name,
        "expected a size that is a positive multiple of 16 bytes, got " +
            Twine(size),
        global, 1);
  if (uint64_t past = reinterpret_cast<uint64_t>(global) % rules::kBulkGranule)
    context.invalid(
        name,
        "expected the global end of a bulk copy aligned to 16 bytes, got "
        "an address " +
            Twine(past) + " bytes past that",
        global, uint64_t(size));
}

uint64_t CopyOperands::checkShared(llvm::StringRef name, const void *shared,
                                   uint64_t alignment, const char *what,
                                   uint64_t size) {
  const RegionInfo *region = context.memory.find(shared);
  if (!region || region->space != Space::Shared)
    context.invalid(name,
                    Twine("expected ") + what +
                        " in shared memory, got another address",
                    shared, size);
  auto offset = uint64_t(static_cast<const char *>(shared) - region->base);
  if (offset % alignment != 0)
    context.invalid(name,
                    Twine("expected ") + what + " aligned to " +
                        Twine(alignment) + " bytes, got an offset of " +
                        Twine(offset) + " bytes",
                    shared, size);
  return offset;
}

void CopyOperands::signalAtDestination(AsyncOperation &operation,
                                       void *barrier) {
  uint32_t home = 0, signalled = 0;
  ctas.findShared(operation.destination, &home);
  ctas.findShared(barrier, &signalled);
  if (home != signalled)
    context.invalid(
        operation.name,
        "expected the barrier in the CTA of the destination, got CTAs " +
            Twine(signalled) + " and " + Twine(home),
        operation.destination, operation.bytes);
  arrivals.signal(operation, barrier);
}

void CopyOperands::noteReduction(AsyncOperation &operation,
                                 uint64_t destination) {
  Thread &thread = context.grid.current();
  auto key = uint64_t(llvm::hash_combine(thread.site, operation.source,
                                         destination)) >>
             1;
  ReductionIssue &last =
      ctas.at(thread.cta)
          .reductions.try_emplace(key, ReductionIssue{thread.index, Epoch()})
          .first->second;
  if (last.thread != thread.index && !thread.view.order.covers(last.issue))
    context.report(
        FindingKind::DuplicateReduction, operation.issuer.actor(operation.name),
        "expected one thread to issue a reduction, found threads " +
            Twine(last.thread) + " and " + Twine(thread.index) +
            " with the same source and destination",
        operation.source, operation.bytes,
        Actor{thread.cta, last.thread, operation.name.str(), thread.site, {}});
  last = {thread.index, thread.epoch()};
}

void CopyOperands::forEachTarget(
    llvm::StringRef name, void *shared, void *barrier,
    std::optional<uint16_t> multicast,
    llvm::function_ref<void(char *to, void *signal)> copy) {
  if (!multicast) {
    copy(static_cast<char *>(shared), barrier);
    return;
  }
  for (uint32_t rank = 0; rank < 16; ++rank) {
    if (!(*multicast >> rank & 1))
      continue;
    char *to = ctas.toRank(shared, rank), *signal = ctas.toRank(barrier, rank);
    if (!to || !signal)
      context.invalid(
          name,
          "expected a multicast to CTAs of the cluster that haven't "
          "exited, got rank " +
              Twine(rank),
          shared, 1);
    copy(to, signal);
  }
}

/// An operation on one value, which is read at once. It is performed in the
/// generic proxy (PTX ISA, st.async and red.async).
AsyncOperation &AsyncValues::create(llvm::StringLiteral name, const void *value,
                                    uint32_t bytes, void *destination) {
  if (uint64_t past = reinterpret_cast<uint64_t>(destination) % bytes)
    issue.context.invalid(name,
                          "expected a destination aligned to " + Twine(bytes) +
                              " bytes, got an address " + Twine(past) +
                              " bytes past that",
                          destination, bytes);
  AsyncOperation &operation =
      issue.operations.create(OperationKind::Immediate, name);
  operation.proxy = Proxy::Generic;
  operation.destination = static_cast<char *>(destination);
  operation.bytes = bytes;
  if (operation.stagingSize < 16) {
    operation.staging = std::make_unique<char[]>(16);
    operation.stagingSize = 16;
  }
  std::memcpy(operation.staging.get(), value, bytes);
  return operation;
}

//===----------------------------------------------------------------------===//
// To the shared memory of a CTA
//===----------------------------------------------------------------------===//

void AsyncValues::store(const void *value, uint32_t bytes, void *remote,
                        void *barrier) {
  constexpr llvm::StringLiteral kName = "st_async";
  issue.operands.checkShared(kName, remote, 1, "the destination", bytes);
  AsyncOperation &operation = create(kName, value, bytes, remote);
  issue.operands.signalAtDestination(operation, barrier);
  issue.engine.issue(operation, nullptr, kSharedLatency);
}

void AsyncValues::reduce(ReduceKind kind, ReduceType type, const void *value,
                         void *remote, void *barrier) {
  constexpr llvm::StringLiteral kName = "red_async";
  uint32_t bytes = getElementBytes(type);
  issue.operands.checkShared(kName, remote, 1, "the destination", bytes);
  AsyncOperation &operation = create(kName, value, bytes, remote);
  operation.setReduction(kind, type);
  issue.operands.signalAtDestination(operation, barrier);
  issue.engine.issue(operation, nullptr, kSharedLatency);
}

//===----------------------------------------------------------------------===//
// To global memory
//===----------------------------------------------------------------------===//

/// A value that is released to global memory. It takes effect later, like an
/// atomic of the thread.
void AsyncValues::issueRelease(AsyncOperation &operation) {
  operation.isRelease = true;
  issue.engine.issue(operation, nullptr, kGlobalLatency);
}

void AsyncValues::storeGlobal(const void *value, uint32_t bytes, void *global) {
  issueRelease(create("st_async_global", value, bytes, global));
}

void AsyncValues::reduceGlobal(ReduceType type, const void *value,
                               void *global) {
  AsyncOperation &operation =
      create("red_async_global", value, getElementBytes(type), global);
  operation.setReduction(ReduceKind::Add, type);
  issueRelease(operation);
}

void BulkCopies::load(const void *global, void *shared, int64_t size,
                      void *barrier, std::optional<uint16_t> multicast) {
  constexpr llvm::StringLiteral kName = "bulk.load";
  issue.operands.checkBulk(kName, global, size);
  issue.operands.checkShared(kName, shared, rules::kBulkGranule,
                             "the destination", uint64_t(size));
  issue.operands.forEachTarget(
      kName, shared, barrier, multicast, [&](char *to, void *signal) {
        AsyncOperation &operation =
            issue.operations.create(OperationKind::GlobalToShared, kName);
        operation.source = static_cast<const char *>(global);
        operation.destination = to;
        operation.bytes = operation.validBytes = uint64_t(size);
        issue.arrivals.signal(operation, signal);
        issue.engine.issue(operation, nullptr, kGlobalLatency);
      });
}

//===----------------------------------------------------------------------===//
// From shared to global memory
//===----------------------------------------------------------------------===//

AsyncOperation &BulkCopies::createFromShared(OperationKind kind,
                                             llvm::StringLiteral name,
                                             const void *shared,
                                             void *destination, int64_t size) {
  bool isGlobal = kind == OperationKind::SharedToGlobal;
  issue.operands.checkBulk(name, isGlobal ? destination : nullptr, size);
  issue.operands.checkShared(name, shared, rules::kBulkGranule, "the source",
                             uint64_t(size));
  if (!isGlobal)
    issue.operands.checkShared(name, destination, rules::kBulkGranule,
                               "the destination", uint64_t(size));
  AsyncOperation &operation = issue.operations.create(kind, name);
  operation.source = static_cast<const char *>(shared);
  operation.destination = static_cast<char *>(destination);
  operation.bytes = operation.validBytes = uint64_t(size);
  return operation;
}

void BulkCopies::store(const void *shared, void *global, int64_t size,
                       std::optional<uint16_t> byteMask) {
  AsyncOperation &operation = createFromShared(
      OperationKind::SharedToGlobal, "bulk.store", shared, global, size);
  operation.byteMask = byteMask.value_or(0xffff);
  issue.issueInBulkGroup(operation);
}

void BulkCopies::reduce(ReduceKind kind, ReduceType type, const void *shared,
                        void *global, int64_t size) {
  AsyncOperation &operation = createFromShared(
      OperationKind::SharedToGlobal, "bulk.reduce", shared, global, size);
  operation.setReduction(kind, type);
  issue.operands.noteReduction(operation, reinterpret_cast<uint64_t>(global));
  issue.issueInBulkGroup(operation);
}

void BulkCopies::prefetch(const void *global, int64_t size) {
  constexpr llvm::StringLiteral kName = "bulk.prefetch";
  AsyncContext &context = issue.context;
  issue.operands.checkBulk(kName, global, size);
  // The access has no visible effect or time. Only its range can be wrong.
  const RegionInfo *region = context.memory.find(global);
  auto offset =
      region ? uint64_t(static_cast<const char *>(global) - region->base) : 0;
  if (!region || uint64_t(size) > region->size - offset)
    context.report(FindingKind::OutOfBounds, context.here().actor(kName),
                   "expected a prefetch inside one live buffer, found " +
                       Twine(size) + " bytes",
                   global, uint64_t(size));
  context.grid.current().cycles += kIssueCycles;
}

//===----------------------------------------------------------------------===//
// To the shared memory of another CTA
//===----------------------------------------------------------------------===//

void BulkCopies::copyCluster(const void *shared, void *remote, int64_t size,
                             void *barrier) {
  AsyncOperation &operation = createFromShared(
      OperationKind::SharedToShared, "bulk.copy_cluster", shared, remote, size);
  issue.operands.signalAtDestination(operation, barrier);
  issue.engine.issue(operation, nullptr, kSharedLatency);
}

void BulkCopies::reduceCluster(ReduceKind kind, ReduceType type,
                               const void *shared, void *remote, int64_t size,
                               void *barrier) {
  AsyncOperation &operation =
      createFromShared(OperationKind::SharedToShared, "bulk.reduce_cluster",
                       shared, remote, size);
  operation.setReduction(kind, type);
  issue.operands.noteReduction(operation, reinterpret_cast<uint64_t>(remote));
  issue.operands.signalAtDestination(operation, barrier);
  issue.engine.issue(operation, nullptr, kSharedLatency);
}

GroupQueue &CpAsync::getQueue() {
  return issue.ctas.stateOf(issue.context.grid.current()).copies;
}

void CpAsync::copy(const void *global, void *shared, uint32_t size,
                   uint32_t valid) {
  constexpr llvm::StringLiteral kName = "cp_async.copy";
  AsyncContext &context = issue.context;
  if (size != 4 && size != 8 && size != 16)
    context.invalid(kName,
                    "expected a size of 4, 8 or 16 bytes, got " + Twine(size),
                    shared, size);
  if (valid > size)
    context.invalid(kName,
                    "expected at most the " + Twine(size) +
                        " bytes of the copy to be valid, got " + Twine(valid),
                    shared, size);
  issue.operands.checkShared(kName, shared, size, "the destination", size);
  if (uint64_t past = reinterpret_cast<uint64_t>(global) % size;
      valid != 0 && past != 0)
    context.invalid(kName,
                    "expected a source aligned to " + Twine(size) +
                        " bytes, got an address " + Twine(past) +
                        " bytes past that",
                    global, size);
  AsyncOperation &operation =
      issue.operations.create(OperationKind::GlobalToShared, kName);
  operation.proxy = Proxy::Generic;
  operation.source = static_cast<const char *>(global);
  operation.destination = static_cast<char *>(shared);
  operation.bytes = size;
  operation.validBytes = valid;
  issue.engine.issue(operation, &getQueue(), kGlobalLatency);
}

void CpAsync::commitGroup() { getQueue().commit(); }

void CpAsync::waitGroup(uint32_t pending) {
  waits.wait(getQueue(), /*read=*/false, pending, /*includesOpen=*/false);
}

void CpAsync::waitAll() {
  waits.wait(getQueue(), /*read=*/false, 0, /*includesOpen=*/true);
}

void CpAsync::threadExit(Thread &thread, ThreadState &state) {
  Actor actor = whoIs(thread).actor();
  GroupQueue &copies = state.copies;
  for (size_t i = 0; i < copies.groups.size(); ++i) {
    const Group &group = copies.groups[i];
    if (group.operations == 0 || group.lastIssue <= copies.coveredStamp)
      continue;
    bool isOpen = i + 1 == copies.groups.size();
    actor.site = group.site;
    issue.context.report(
        isOpen ? FindingKind::UncommittedTransfer : FindingKind::InFlight,
        actor,
        "expected a wait or an mbarrier arrive for all cp.async of a thread "
        "before it exits, "
        "found " +
            Twine(group.operations) + " copies without");
  }
}

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

void TensorCopies::setBox(AsyncOperation &operation, const TensorMap *map,
                          llvm::ArrayRef<int32_t> coordinates, BoxMode mode,
                          llvm::ArrayRef<int16_t> offsets, bool isWrite) {
  maps.fetch(map, operation.name, operation.map);
  std::string wrong = computeBox(operation.map, coordinates, mode, offsets,
                                 isWrite, operation.box);
  if (!wrong.empty())
    issue.context.invalid(operation.name, wrong);
  operation.isTensor = true;
  operation.bytes = operation.validBytes = operation.box.getBytes();
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

BoxMode TensorCopies::getLoadMode(llvm::StringRef name, TensorLoadMode mode) {
  std::optional<BoxMode> box = getBoxMode(mode);
  if (!box)
    issue.context.invalid(
        name,
        "expected mode tile, gather4 or im2col, the machine doesn't have the "
        "wide im2col modes");
  return *box;
}

void TensorCopies::load(const TensorMap *map,
                        llvm::ArrayRef<int32_t> coordinates,
                        TensorLoadMode mode, llvm::ArrayRef<int16_t> offsets,
                        void *shared, void *barrier,
                        std::optional<uint16_t> multicast) {
  constexpr llvm::StringLiteral kName = "tensor.load";
  BoxMode boxMode = getLoadMode(kName, mode);
  auto loadTo = [&](char *to, void *signal) {
    AsyncOperation &operation =
        issue.operations.create(OperationKind::GlobalToShared, kName);
    setBox(operation, map, coordinates, boxMode, offsets, /*isWrite=*/false);
    operation.tileOffset = issue.operands.checkShared(
        kName, to, rules::kSharedTileAlignment, "the tile", operation.bytes);
    operation.destination = to;
    issue.arrivals.signal(operation, signal);
    issue.engine.issue(operation, nullptr, kGlobalLatency);
  };
  issue.operands.forEachTarget(kName, shared, barrier, multicast, loadTo);
}

void TensorCopies::prefetch(const TensorMap *map,
                            llvm::ArrayRef<int32_t> coordinates,
                            TensorLoadMode mode,
                            llvm::ArrayRef<int16_t> offsets) {
  constexpr llvm::StringLiteral kName = "tensor.prefetch";
  // The access has no visible effect or time. Only its operands can be wrong.
  AsyncOperation &operation =
      issue.operations.create(OperationKind::GlobalToShared, kName);
  setBox(operation, map, coordinates, getLoadMode(kName, mode), offsets,
         /*isWrite=*/false);
  issue.operations.drop(operation);
  issue.context.grid.current().cycles += kIssueCycles;
}

//===----------------------------------------------------------------------===//
// Stores and reductions
//===----------------------------------------------------------------------===//

AsyncOperation &TensorCopies::createStore(llvm::StringLiteral name,
                                          const TensorMap *map,
                                          llvm::ArrayRef<int32_t> coordinates,
                                          TensorStoreMode mode,
                                          const void *shared) {
  AsyncOperation &operation =
      issue.operations.create(OperationKind::SharedToGlobal, name);
  setBox(operation, map, coordinates, getBoxMode(mode), {}, /*isWrite=*/true);
  operation.tileOffset = issue.operands.checkShared(
      name, shared, rules::kSharedTileAlignment, "the tile", operation.bytes);
  operation.source = static_cast<const char *>(shared);
  return operation;
}

void TensorCopies::store(const TensorMap *map,
                         llvm::ArrayRef<int32_t> coordinates,
                         TensorStoreMode mode, const void *shared) {
  issue.issueInBulkGroup(
      createStore("tensor.store", map, coordinates, mode, shared));
}

void TensorCopies::reduce(ReduceKind kind, const TensorMap *map,
                          llvm::ArrayRef<int32_t> coordinates,
                          TensorStoreMode mode, const void *shared) {
  constexpr llvm::StringLiteral kName = "tensor.reduce";
  AsyncOperation &operation =
      createStore(kName, map, coordinates, mode, shared);
  std::optional<ReduceType> type = getReduceType(kind, operation.map.element);
  if (!type)
    issue.context.invalid(
        kName, "expected a tensor map of an element type that the reduction "
               "has");
  operation.setReduction(kind, *type);
  issue.operands.noteReduction(
      operation,
      uint64_t(llvm::hash_combine(operation.map.globalAddress,
                                  llvm::hash_combine_range(coordinates))));
  issue.issueInBulkGroup(operation);
}

} // namespace carousel::sim
