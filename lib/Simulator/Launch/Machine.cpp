//===- Machine.cpp - CTAs' memory and threads' accesses -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace carousel::sim;

static thread_local Machine *currentMachine = nullptr;

Machine &Machine::current() { return *currentMachine; }

AlignedBlock::AlignedBlock(uint64_t size, bool isZero) : bytes(size) {
  size = llvm::alignTo(std::max<uint64_t>(size, 1), kAlignment);
  memory.reset(isZero
                   ? static_cast<char *>(std::calloc(size + kAlignment, 1))
                   : static_cast<char *>(std::aligned_alloc(kAlignment, size)));
  if (!memory)
    llvm::report_bad_alloc_error("no memory for the simulated machine");
  begin = reinterpret_cast<char *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(memory.get()), kAlignment));
}

Machine::Machine(std::vector<KernelLaunch> given, Grid &grid, Memory &memory,
                 AsyncMachine &async, FindingLog &log)
    : grid(grid), memory(memory), async(async),
      launches(given.begin(), given.end()), log(log) {
  for (LaunchState &launch : launches) {
    launch.dynamicOffset = launch.layout->getDynamicOffset();
    launch.blockBytes = launch.dynamicOffset + launch.dynamicSharedBytes;
    addGlobals(launch);
  }
}

void Machine::addGlobals(LaunchState &launch) {
  for (const GlobalBuffer &global : launch.layout->globals) {
    char *known = nullptr;
    for (const LaunchState &other : launches) {
      if (&other == &launch)
        break;
      for (auto [index, theirs] : llvm::enumerate(other.layout->globals))
        if (other.home == launch.home && other.gpu == launch.gpu &&
            theirs.symbol == global.symbol && theirs.size == global.size)
          known = other.globals[index];
    }
    if (known) {
      launch.globals.push_back(known);
      continue;
    }
    auto &block = globalBlocks.emplace_back(
        new AlignedBlock(global.size, /*isZero=*/global.initial.has_value()));
    launch.globals.push_back(block->data());
    if (!global.initial)
      poison(block->data(), global.size);
    else if (!global.initial->empty())
      std::memcpy(block->data(), global.initial->data(),
                  global.initial->size());
    if (global.size != 0)
      memory.addRegion({Space::Global, 0, global.name, block->data(),
                        global.size, global.initial.has_value()});
  }
  // Buffers that an earlier launch has made hold the same addresses already.
  for (auto [number, global] : llvm::enumerate(launch.layout->globals))
    for (const GlobalBuffer::Address &address : global.addresses) {
      char *value = launch.globals[address.global] + address.offset;
      std::memcpy(launch.globals[number] + address.at, &value, sizeof(value));
    }
}

Machine::~Machine() = default;

//===----------------------------------------------------------------------===//
// CTAs
//===----------------------------------------------------------------------===//

void Machine::startCTA(uint32_t cta) {
  const Thread &first = *grid.lookup(cta, 0);
  LaunchState &launch = launches[first.launch];
  // A block without bytes has a region, too, because barriers look for one.
  uint64_t size = std::max<uint64_t>(launch.blockBytes, 1);
  CTABlock block;
  auto &freeBlocks = launch.freeBlocks;
  if (freeBlocks.empty()) {
    block.block = std::make_unique<AlignedBlock>(size);
  } else {
    block.block = std::move(freeBlocks.back());
    freeBlocks.pop_back();
  }
  char *base = block.block->data();
  poison(base, size);
  block.region = memory.addRegion(
      {Space::Shared, cta, "shared memory", base, size, /*isWritten=*/false});
  auto name = [&](const StaticBuffer &buffer, uint64_t begin) {
    if (begin + buffer.size <= size && buffer.size != 0)
      memory.nameRange(block.region, begin, buffer.size, buffer.name,
                       buffer.slotBytes);
  };
  for (const StaticBuffer &buffer : launch.layout->shared)
    name(buffer, buffer.offset);
  for (const StaticBuffer &buffer : launch.layout->views)
    name(buffer, launch.dynamicOffset + buffer.offset);
  // Bytes between the static buffers and after the last one belong to none.
  uint64_t end = 0;
  for (const StaticBuffer &buffer : launch.layout->shared) {
    memory.addGap(block.region, end, buffer.offset - end);
    end = buffer.offset + buffer.size;
  }
  memory.addGap(block.region, end,
                (launch.dynamicSharedBytes ? launch.dynamicOffset : size) -
                    end);
  blocks[cta] = std::move(block);

  async.ctaStart(cta, first.cluster, first.rankInCluster, base, size);
}

void Machine::exitCTA(uint32_t cta) {
  async.ctaExit(cta);
  if (warpAccesses)
    warpAccesses->ctaExit(cta);
  auto it = blocks.find(cta);
  memory.removeRegion(it->second.region);
  LaunchState &launch = launches[grid.getLaunchOf(cta)];
  launch.freeBlocks.push_back(std::move(it->second.block));
  if (it->second.values)
    launch.freeValues.push_back(std::move(it->second.values));
  blocks.erase(it);
}

/// A CTA that hasn't begun needs none, and the next one takes over the memory
/// of one that has ended.
char *Machine::getValues() {
  std::unique_ptr<AlignedBlock> &values = getCTA().values;
  auto &freeValues = here().freeValues;
  if (!values && freeValues.empty()) {
    values = std::make_unique<AlignedBlock>(here().layout->valueBytes);
  } else if (!values) {
    values = std::move(freeValues.back());
    freeValues.pop_back();
  }
  return values->data();
}

RunEnd Machine::run() {
  CTAEvents events;
  events.start = [this](uint32_t cta) { startCTA(cta); };
  events.exit = [this](uint32_t cta) { exitCTA(cta); };
  events.threadExit = [this](Thread &thread) {
    lastCycles = std::max(lastCycles, thread.cycles);
    if (timeline)
      timeline->threadEnded(thread);
    async.threadExit(thread);
    locals.erase(&thread);
  };
  grid.setEvents(std::move(events));
  grid.setBackground(&async);
  Machine *outer = currentMachine;
  currentMachine = this;
  RunEnd end = grid.run([&](Thread &thread) {
    stackTops[&thread] = static_cast<const char *>(__builtin_frame_address(0));
    if (timeline)
      timeline->threadStarted(thread);
    const LaunchState &launch = launches[thread.launch];
    launch.entry(launch.arguments);
  });
  async.gridEnd(end);
  if (warpAccesses)
    warpAccesses->finish();
  // Threads that never ended count, too.
  for (const auto &block : blocks)
    for (uint32_t index = 0;
         const Thread *thread = grid.lookup(block.first, index); ++index)
      lastCycles = std::max(lastCycles, thread->cycles);
  currentMachine = outer;
  return end;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Machine::CTABlock &Machine::getCTA() {
  return blocks.find(grid.current().cta)->second;
}

/// Whether the address is between this frame and the thread's first one: local
/// memory whose address the compiler couldn't follow.
bool Machine::isOwnStack(const void *pointer) const {
  const char *here = static_cast<const char *>(__builtin_frame_address(0));
  const char *address = static_cast<const char *>(pointer);
  // Nearly all addresses are further away.
  constexpr uint64_t kFarthest = uint64_t(64) << 20;
  if (uint64_t(address - here) >= kFarthest)
    return false;
  return address < stackTops.lookup(&grid.current());
}

/// Reads there return poison, and writes are never read.
void *Machine::getScratch(uint64_t size, AccessKind kind) {
  std::unique_ptr<AlignedBlock> &scratch =
      kind == AccessKind::Read ? readScratch : writeScratch;
  if (!scratch || scratch->size() < size)
    scratch = std::make_unique<AlignedBlock>(size);
  if (kind != AccessKind::Write)
    poison(scratch->data(), size);
  return scratch->data();
}

void *Machine::check(Thread &thread, void *pointer, uint64_t size,
                     Access access) {
  access.elementBytes = access.form == AtomicForm::None ? 0 : uint8_t(size);
  access.epoch = thread.epoch();
  access.view = &thread.view;
  access.thread = thread.index;
  access.site = thread.site;
  AccessResult result = memory.access(pointer, size, access);
  if (log.isFull())
    grid.abort();
  return result.inBounds ? pointer : getScratch(size, access.kind);
}

void *Machine::access(void *pointer, uint64_t size, AccessKind kind, Site site,
                      AtomicForm form) {
  Thread &thread = enter(site);
  if (size == 0 || isOwnStack(pointer))
    return pointer;
  Access access;
  access.kind = kind;
  access.form = form;
  return check(thread, pointer, size, access);
}

void *Machine::accessAnywhere(void *pointer, uint64_t size, AccessKind kind,
                              Site site, AtomicForm form, bool isSystem,
                              const void *values) {
  Thread &thread = enter(site);
  if (getLocalBytes() != 0) {
    uint64_t offset = static_cast<char *>(pointer) - getLocal();
    if (offset < getLocalBytes() && size <= getLocalBytes() - offset)
      return pointer;
  }
  if (kind == AccessKind::Read && isParameter(pointer, size))
    return pointer;
  Access access;
  access.kind = kind;
  access.form = form;
  access.isSystem = isSystem;
  access.mayBeUnwritten = form == AtomicForm::Store;
  access.values = values;
  return check(thread, pointer, size, access);
}

void Machine::notePoison(void *pointer, uint64_t size, const char *poison) {
  Access access;
  access.kind = AccessKind::Write;
  access.isOfPoison = true;
  auto *bytes = static_cast<char *>(pointer);
  for (uint64_t i = 0; i < size; ++i)
    if (poison[i])
      check(grid.current(), bytes + i, 1, access);
}

void Machine::setParameters(const char *pointer, uint64_t bytes) {
  parameters[&grid.current()] = {pointer, bytes};
}

bool Machine::isParameter(const void *pointer, uint64_t size) {
  if (!here().layout->addressesParameters)
    return false;
  auto [begin, bytes] = parameters.lookup(&grid.current());
  uint64_t offset = static_cast<const char *>(pointer) - begin;
  return offset < bytes && size <= bytes - offset;
}

/// Local memory that a thread hasn't written is poison, as all memory.
char *Machine::getLocal() {
  std::unique_ptr<AlignedBlock> &local = locals[&grid.current()];
  if (!local) {
    local = std::make_unique<AlignedBlock>(getLocalBytes());
    poison(local->data(), local->size());
  }
  return local->data();
}

void Machine::countAccess(const void *pointer, uint64_t size, uint32_t access,
                          uint64_t iteration) {
  if (!warpAccesses || access == 0)
    return;
  const Thread &thread = grid.current();
  const AlignedBlock &block = *getCTA().block;
  std::optional<uint64_t> address =
      static_cast<const char *>(pointer) - block.data();
  if (!pointer || *address >= block.size())
    address.reset();
  warpAccesses->add(
      {thread.cta, thread.index, uint32_t(grid.getShape().block.count())},
      here().firstAccess + access, iteration, address, size);
}

void Machine::reportPoison(uint32_t check) {
  const PoisonCheck &found = (*here().poisonChecks)[check];
  report(FindingKind::Poison, "expected " + found.what.str() +
                                  " that isn't poison, got " + found.sources);
}

void Machine::failAssertion(std::string message) {
  report(FindingKind::InvalidOperand, std::move(message));
  grid.abort();
}

void Machine::failAssertion(uint32_t number, uint64_t left, uint64_t right) {
  const Assertion &assertion = (*here().assertions)[number];
  auto spell = [&](uint64_t value) {
    return assertion.isUnsigned ? std::to_string(value)
                                : std::to_string(int64_t(value));
  };
  std::string found =
      assertion.found.empty()
          ? "false"
          : spell(left) + " " + assertion.found.str() + " " + spell(right);
  failAssertion(assertion.message + ", got " + found);
}

void Machine::report(FindingKind kind, std::string message) {
  Thread &thread = grid.current();
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.actor.cta = thread.cta;
  finding.actor.thread = thread.index;
  finding.actor.site = thread.site;
  log.report(std::move(finding));
  if (log.isFull())
    grid.abort();
}
