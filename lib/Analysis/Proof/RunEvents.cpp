//===- RunEvents.cpp - what events of a skeleton do -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses of shared memory, barriers, and asynchronous operations: the faults
// that they have, and who knows of them.
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

#include "llvm/ADT/Twine.h"

using namespace carousel;
using namespace carousel::proof;
using llvm::BitVector;
using llvm::SmallVector;
using llvm::Twine;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Word;

/// Rendezvous of warps have numbers from here on.
static constexpr unsigned kFirstWarp = 1024;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static std::string describe(const Access &access) {
  std::string text = access.isWrite ? "a write" : "a read";
  if (access.isAsync)
    text += " of an asynchronous operation";
  return text;
}

std::optional<uint64_t> KernelRun::getPlace(const Value &address,
                                            unsigned thread, uint64_t bytes,
                                            unsigned line) {
  uint64_t begin = uint64_t(address.get(thread));
  if (begin + bytes <= words.getBytes() && begin + bytes >= begin)
    return begin;
  if (!isMaybe)
    fail("accesses shared memory at " + Twine(begin) + ", of " +
             Twine(words.getBytes()) + " bytes",
         line);
  return std::nullopt;
}

bool KernelRun::accessShared(Class &own, unsigned line, const Value &address,
                             uint64_t bytes, bool isWrite, bool isAtomic,
                             const BitVector *some, bool isSame) {
  if (!address.isNumber())
    return giveUp("the address isn't known", line);
  if (!address.number.isConstant())
    return giveUp("the address depends on the launch", line);
  Access access;
  access.owner = own.number;
  access.epoch = own.epoch;
  access.line = line;
  access.isWrite = isWrite;
  access.isAtomic = isAtomic;
  access.isMaybe = isMaybe;
  access.isSame = isSame;
  access.instance = steps;
  const BitVector &threads = some ? *some : own.members;
  for (unsigned thread : threads.set_bits()) {
    std::optional<uint64_t> begin = getPlace(address, thread, bytes, line);
    if (!begin && !isMaybe)
      return false;
    if (!begin)
      continue;
    access.thread = int32_t(thread);
    Observer observer = {own.knowledge, own.warpEpochs, operations,
                         int32_t(thread)};
    if (const Access *earlier =
            words.access(*begin, *begin + bytes, access, observer))
      return access.isOfOneInstruction(*earlier)
                 ? giveUp("whether all threads write the same to byte " +
                              Twine(words.getFaultAt()) +
                              " of shared memory isn't known",
                          line)
             : isMaybe || earlier->isMaybe
                 ? giveUp("whether threads race here isn't known", line)
                 : fail(Twine(isWrite ? "writes" : "reads") + " byte " +
                            Twine(words.getFaultAt()) +
                            " of shared memory, which " + describe(*earlier) +
                            " isn't ordered before",
                        line, earlier->line);
  }
  return true;
}

bool KernelRun::accessAsync(Class &own, unsigned line, const Value &address,
                            uint64_t bytes, bool isWrite, unsigned operation,
                            const BitVector *some) {
  if (!address.isFixed())
    return giveUp("the address isn't known", line);
  const BitVector &threads = some ? *some : own.members;
  for (unsigned thread : threads.set_bits()) {
    std::optional<uint64_t> begin = getPlace(address, thread, bytes, line);
    if (!begin && !isMaybe)
      return false;
    if (!begin)
      continue;
    Access access;
    access.thread = int32_t(thread);
    access.owner = operation;
    access.line = line;
    access.isWrite = isWrite;
    access.isAsync = true;
    access.isMaybe = isMaybe;
    // cp.async is of the generic proxy.
    Observer observer = {own.knowledge, own.warpEpochs, operations,
                         int32_t(thread),
                         code.lines[line].kind != EventKind::CopyAsync};
    const Access *earlier =
        words.access(*begin, *begin + bytes, access, observer);
    if (!earlier)
      continue;
    if (access.isOfOneInstruction(*earlier))
      return giveUp("several threads copy to byte " +
                        Twine(words.getFaultAt()) + " of shared memory",
                    line);
    observer.isAsync = false;
    bool lacksFence = isOrdered(*earlier, observer);
    return isMaybe || earlier->isMaybe
               ? giveUp("whether threads race here isn't known", line)
               : fail(Twine("an asynchronous ") + (isWrite ? "write" : "read") +
                          " of byte " + Twine(words.getFaultAt()) +
                          " of shared memory, which " + describe(*earlier) +
                          " isn't ordered before" +
                          (lacksFence ? ", by a fence of the asynchronous "
                                        "proxy"
                                      : ""),
                      line, earlier->line);
  }
  return true;
}

namespace {

/// Bytes of shared memory that have a factor of a step: whole groups of eight
/// rows, as a swizzle mixes these (PTX ISA, Asynchronous warpgroup level matrix
/// shared memory layout).
struct FactorTile {
  FactorTile(uint64_t descriptor, uint64_t rows, bool isTransposed) {
    uint64_t begin = (descriptor & 0x3fff) << 4,
             leading = (descriptor >> 16 & 0x3fff) << 4,
             stride = (descriptor >> 32 & 0x3fff) << 4,
             swizzle = descriptor >> 62;
    constexpr uint64_t kGroup = 8, kDepth = 2, kSmallest = 16;
    uint64_t span = swizzle == 0 ? kSmallest : 256 >> swizzle;
    auto add = [&](uint64_t at) {
      uint64_t bytes = kGroup * span;
      pieces.push_back({swizzle == 0 ? at : at / bytes * bytes, bytes});
    };
    if (isTransposed) {
      // Rows of the depth, of `span` bytes of the other dimension each.
      for (uint64_t at = 0; at < rows * 2; at += span)
        for (uint64_t group = 0; group < kDepth; ++group)
          add(begin + at / span * leading + group * stride);
      return;
    }
    for (uint64_t row = 0; row < rows; row += kGroup)
      for (uint64_t part = 0; part < (swizzle == 0 ? kDepth : 1); ++part)
        add(begin + row / kGroup * stride + part * leading);
  }

  SmallVector<std::pair<uint64_t, uint64_t>> pieces;
};

} // namespace

bool KernelRun::startProduct(Class &own, unsigned line) {
  const Instruction &instruction = *code.lines[line].instruction;
  operations.push_back({line, {}});
  unsigned operation = operations.size() - 1;
  own.groups[unsigned(GroupKind::Product)].open.push_back(operation);
  // d, A or its registers, B, and immediates: those behind the scales of two
  // factors say whether these are transposed.
  unsigned factor = 0;
  // One thread stands for all, which wait together.
  BitVector first(own.members.size());
  first.set(own.members.find_first());
  for (unsigned operand : {1u, 2u}) {
    if (instruction.operands[operand].kind == Operand::Kind::Vector)
      continue;
    Value descriptor = read(instruction, instruction.operands[operand], own);
    if (!descriptor.isConstant())
      return giveUp("the descriptor of a factor isn't known", line);
    constexpr unsigned kFirstTranspose = 6;
    unsigned place = kFirstTranspose + factor++;
    bool isTransposed = place < instruction.operands.size() &&
                        instruction.operands[place].value.bits != 0;
    FactorTile tile(uint64_t(descriptor.number.constant),
                    operand == 1 ? 64 : instruction.shape.n, isTransposed);
    for (auto [begin, bytes] : tile.pieces)
      if (!accessAsync(own, line, Value::of(int64_t(begin)), bytes,
                       /*isWrite=*/false, operation, &first))
        return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Barriers in shared memory
//===----------------------------------------------------------------------===//

std::optional<uint64_t> KernelRun::getBarrierAddress(Class &own,
                                                     const CodeLine &line,
                                                     unsigned operand,
                                                     unsigned at) {
  Value address =
      readAddress(*line.instruction, line.instruction->operands[operand], own);
  if (!address.isConstant()) {
    giveUp("the barrier's address isn't known", at);
    return std::nullopt;
  }
  return uint64_t(address.number.constant);
}

KernelRun::Barrier *KernelRun::getBarrier(Class &own, const CodeLine &line,
                                          unsigned operand, unsigned at) {
  std::optional<uint64_t> address = getBarrierAddress(own, line, operand, at);
  if (!address)
    return nullptr;
  auto found = barriers.find(*address);
  if (found != barriers.end())
    return &found->second;
  fail("uses a barrier that isn't initialised", at);
  return nullptr;
}

/// Counts arrivals. The last one of a phase completes it, if all bytes have
/// arrived.
bool KernelRun::arrive(Barrier &barrier, const Knowledge &with, int64_t count,
                       unsigned line) {
  barrier.arrived.join(with);
  barrier.pending -= count;
  if (barrier.pending < 0)
    return fail("more threads arrive at a barrier than its " +
                    Twine(barrier.count),
                line, barrier.line);
  return completePhase(barrier, line);
}

bool KernelRun::completePhase(Barrier &barrier, unsigned line) {
  if (barrier.pending != 0)
    return true;
  std::optional<bool> areThere = assumptions.isZero(barrier.bytes);
  if (!areThere || !*areThere)
    return true;
  barrier.bytes = Linear();
  ++barrier.phases;
  barrier.pending = barrier.count;
  // A wait that this phase doesn't need could miss the one before it.
  for (const Barrier::Waited &waited : barrier.waited)
    if (barrier.arrived.known.getEpoch(waited.owner) < waited.epoch)
      return fail("completes a phase of a barrier before a wait for the phase "
                  "before it may have been passed",
                  line, waited.line);
  barrier.waited.clear();
  barrier.complete.join(barrier.arrived);
  barrier.arrived = Knowledge();
  return true;
}

bool KernelRun::wait(Class &own, const CodeLine &line, unsigned at) {
  Barrier *known = getBarrier(own, line, 1, at);
  if (!known)
    return false;
  Barrier &barrier = *known;
  Value parity = read(*line.instruction, line.instruction->operands[2], own);
  if (!parity.isConstant())
    return giveUp("the parity isn't known", at);
  bool isComplete =
      (barrier.phases & 1) != (uint64_t(parity.number.constant) & 1);
  if (!isComplete) {
    own.state = State::AtWait;
    own.barrier = barrier.address;
    own.parity = parity.number.constant & 1;
    return true;
  }
  if (!accessShared(own, at, Value::of(int64_t(barrier.address)), 8,
                    /*isWrite=*/false, /*isAtomic=*/true, nullptr))
    return false;
  auto [seen, isFirst] = own.seen.try_emplace(barrier.address, barrier.phases);
  if (!isFirst && barrier.phases >= seen->second + 2)
    return giveUp("a wait of a thread leaves out a phase of its barrier", at);
  seen->second = barrier.phases;
  own.state = State::Running;
  own.knowledge.join(barrier.complete);
  barrier.waited.push_back({own.number, own.epoch, at});
  ++own.epoch;
  for (ptx::RegisterId id : line.writes)
    write(own, id, Value::of(1), nullptr);
  ++own.pc;
  return true;
}

bool KernelRun::executeBarrierOp(Class &own, const CodeLine &line,
                                 unsigned at) {
  const Instruction &instruction = *line.instruction;
  bool hasResult = line.kind == EventKind::Arrive; // the state, or a sink
  unsigned place = hasResult ? 1 : 0;
  int64_t threads = own.members.count();
  auto getNumber = [&](unsigned operand) -> Value {
    return operand < instruction.operands.size() &&
                   instruction.operands[operand].kind != Operand::Kind::Sink
               ? read(instruction, instruction.operands[operand], own)
               : Value::of(1);
  };
  if (line.kind == EventKind::Init) {
    std::optional<uint64_t> address = getBarrierAddress(own, line, place, at);
    if (!address)
      return false;
    Value count = getNumber(1);
    if (!count.isConstant())
      return giveUp("the barrier's count isn't known", at);
    if (threads != 1)
      return giveUp("several threads initialise a barrier", at);
    if (!accessShared(own, at, Value::of(int64_t(*address)), 8,
                      /*isWrite=*/true, /*isAtomic=*/false, nullptr))
      return false;
    if (barriers.count(*address))
      return fail("initialises a barrier again, which is in use", at,
                  barriers[*address].line);
    Barrier barrier;
    barrier.count = barrier.pending = count.number.constant;
    barrier.line = at;
    barrier.address = *address;
    barriers[*address] = barrier;
    return true;
  }
  Barrier *known = getBarrier(own, line, place, at);
  if (!known)
    return false;
  Barrier &barrier = *known;
  if (!accessShared(own, at, Value::of(int64_t(barrier.address)), 8,
                    /*isWrite=*/false, /*isAtomic=*/true, nullptr))
    return false;
  if (line.kind == EventKind::Invalidate)
    return barriers.erase(barrier.address);
  bool expects =
      line.kind == EventKind::ExpectBytes || instruction.has(Word::ExpectTx);
  if (expects) {
    Value bytes = getNumber(hasResult ? 2 : 1);
    if (!bytes.isNumber() || bytes.lanes)
      return giveUp("the bytes that a barrier expects aren't known", at);
    barrier.bytes = barrier.bytes.plus(bytes.number.times(threads));
    if (line.kind == EventKind::ExpectBytes)
      return true;
  }
  Value count = expects ? Value::of(1) : getNumber(2);
  if (!count.isConstant())
    return giveUp("the arrivals aren't known", at);
  for (ptx::RegisterId id : line.writes)
    write(own, id, Value(), nullptr);
  return arrive(barrier, release(own), threads * count.number.constant, at);
}

//===----------------------------------------------------------------------===//
// Barriers of threads
//===----------------------------------------------------------------------===//

bool KernelRun::rendezvous(unsigned number, const CodeLine &line, unsigned at) {
  Class &own = classes[number];
  const Instruction &instruction = *line.instruction;
  own.rendezvous.clear();
  auto join = [&](unsigned name, int64_t threads, int64_t wanted) {
    Rendezvous &meeting = named[name];
    if (meeting.arrived != 0 && meeting.wanted != wanted)
      return fail("arrives at barrier " + Twine(name) + " for " +
                      Twine(wanted) + " threads, others for " +
                      Twine(meeting.wanted),
                  at);
    meeting.wanted = wanted;
    meeting.arrived += threads;
    own.rendezvous.push_back(name);
    return true;
  };
  if (line.kind == EventKind::WarpBarrier) {
    Value mask = read(instruction, instruction.operands[0], own);
    if (!mask.isConstant())
      return giveUp("the lanes of a barrier aren't known", at);
    uint32_t lanes = uint32_t(mask.number.constant);
    bool isWhole = true;
    for (unsigned first = 0; first < own.members.size(); first += kWarpSize) {
      int64_t threads = 0, wanted = 0;
      unsigned end = std::min<unsigned>(first + kWarpSize, own.members.size());
      for (unsigned thread = first; thread < end; ++thread) {
        wanted += lanes >> (thread - first) & 1;
        threads += own.members.test(thread);
      }
      if (threads == 0)
        continue;
      isWhole &= threads == wanted;
      if (threads != wanted && !join(kFirstWarp + first, threads, wanted))
        return false;
    }
    auto *known = llvm::find_if(
        own.warpEpochs, [&](auto own_) { return own_.first == own.number; });
    if (known == own.warpEpochs.end())
      known = own.warpEpochs.insert(known, {own.number, 0});
    known->second = own.epoch;
    if (isWhole) {
      ++own.epoch;
      ++own.pc;
      return true;
    }
  } else {
    Value name = read(instruction, instruction.operands[0], own);
    if (!name.isConstant())
      return giveUp("the barrier's number isn't known", at);
    int64_t wanted = 0;
    bool hasCount = instruction.operands.size() > 1 &&
                    instruction.operands[1].kind != Operand::Kind::Sink;
    if (hasCount) {
      Value count = read(instruction, instruction.operands[1], own);
      if (!count.isConstant())
        return giveUp("the barrier's threads aren't known", at);
      wanted = count.number.constant;
    }
    if (!join(unsigned(name.number.constant), own.members.count(), wanted))
      return false;
  }
  Knowledge with = release(own);
  bool waits = !instruction.has(Word::Arrive);
  for (unsigned name : own.rendezvous) {
    named[name].arrivedWith.join(with);
    if (waits)
      named[name].classes.push_back(number);
  }
  ++own.pc;
  if (waits)
    own.state = State::AtBarrier;
  else
    own.rendezvous.clear();
  return finishRendezvous();
}

bool KernelRun::finishRendezvous() {
  for (auto found = named.begin(); found != named.end();) {
    Rendezvous &meeting = found->second;
    int64_t wanted =
        meeting.wanted == 0 ? int64_t(getLiveThreads()) : meeting.wanted;
    if (meeting.arrived == 0 || meeting.arrived < wanted) {
      ++found;
      continue;
    }
    for (unsigned number : meeting.classes) {
      Class &own = classes[number];
      own.knowledge.join(meeting.arrivedWith);
      llvm::erase(own.rendezvous, found->first);
      if (own.rendezvous.empty())
        own.state = State::Running;
    }
    found = named.erase(found);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Asynchronous operations
//===----------------------------------------------------------------------===//

bool KernelRun::copyBulk(Class &own, const CodeLine &line, unsigned at) {
  const Instruction &instruction = *line.instruction;
  bool isTensor = instruction.opcode == Opcode::CpAsyncBulkTensor ||
                  instruction.opcode == Opcode::CpReduceAsyncBulkTensor;
  bool isLoad = line.kind == EventKind::BulkLoad;
  // [D], [tensor], [barrier]; [tensor], [S]; [D], [S], size, [barrier].
  Value address =
      readAddress(instruction, instruction.operands[isLoad ? 0 : 1], own);
  int64_t threads = own.members.count();
  Linear bytes;
  if (isTensor) {
    // Only the map knows the box.
    Value map =
        readAddress(instruction,
                    instruction.operands[isLoad ? 1 : 0].elements.front(), own);
    if (!map.isNumber() || map.lanes)
      return giveUp("the tensor map isn't known", at);
    bytes = Linear::of(terms.getFree(getBoxName(terms.print(map.number)), 0,
                                     std::numeric_limits<int64_t>::max()));
  } else {
    Value size = read(instruction, instruction.operands[2], own);
    if (!size.isNumber() || size.lanes)
      return giveUp("the bytes of a copy aren't known", at);
    bytes = size.number;
  }
  auto [least, most] = assumptions.getRange(bytes);
  if (least != most && !(mode == RunMode::InferBoxes && isTensor))
    return giveUp("the bytes of a copy aren't known: " + terms.print(bytes),
                  at);
  uint64_t extent = least == most ? uint64_t(least) : 0;
  operations.push_back({at, {}});
  unsigned operation = operations.size() - 1;
  if (!accessAsync(own, at, address, extent, isLoad, operation))
    return false;
  if (!isLoad) {
    own.groups[unsigned(GroupKind::Bulk)].open.push_back(operation);
    return true;
  }
  Barrier *known = getBarrier(own, line, isTensor ? 2 : 3, at);
  if (!known)
    return false;
  Barrier &barrier = *known;
  Clock::set(barrier.arrived.known.done, operation);
  Clock::set(barrier.arrived.proxied.done, operation);
  barrier.bytes = barrier.bytes.plus(bytes.times(threads), -1);
  return completePhase(barrier, at);
}

bool KernelRun::executeGroup(Class &own, const CodeLine &line, unsigned at) {
  Groups &groups = own.groups[unsigned(line.group)];
  if (line.kind == EventKind::Commit) {
    groups.committed.push_back(std::move(groups.open));
    groups.open.clear();
    return true;
  }
  const Instruction &instruction = *line.instruction;
  int64_t left = 0;
  if (instruction.opcode == Opcode::CpAsyncWaitAll) {
    groups.committed.push_back(std::move(groups.open));
    groups.open.clear();
  } else {
    left = int64_t(instruction.operands[0].value.bits);
  }
  bool isRead = instruction.has(Word::Read);
  size_t ended = groups.committed.size() > size_t(left)
                     ? groups.committed.size() - size_t(left)
                     : 0;
  for (size_t number = 0; number < ended; ++number)
    for (unsigned operation : groups.committed[number])
      operations[operation].ends.push_back(
          {own.number, own.epoch, own.members, isRead});
  ++own.epoch;
  if (!isRead)
    groups.committed.erase(groups.committed.begin(),
                           groups.committed.begin() + ended);
  return true;
}
