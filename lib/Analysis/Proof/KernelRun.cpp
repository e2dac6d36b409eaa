//===- KernelRun.cpp - one way through a kernel's skeleton ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each class of threads goes on until it waits. No order of classes gives
// another result: arrivals only accumulate, and what may wait for one value is
// resumed by it. So one order decides, and what it doesn't order races.
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

static constexpr unsigned kWarpSize = 32;
/// Rendezvous of warps have numbers from here on.
static constexpr unsigned kFirstWarp = 1024;

KernelRun::KernelRun(const KernelCode &code, const SharedLayout &shared,
                     const LaunchShape &launch, Terms &terms,
                     LaunchFacts &facts, RunMode mode, std::vector<bool> script,
                     uint64_t mostSteps)
    : script(std::move(script)), given(this->script.size()), code(code),
      shared(shared), launch(launch), terms(terms), facts(facts), mode(mode),
      mostSteps(mostSteps), assumptions(terms), words(shared.bytes) {
  for (const Linear &number : facts.atLeastZero)
    assumptions.assumeAtLeastZero(number, true);
  for (auto [term, bytes] : facts.boxes)
    assumptions.assumeZero(Linear::of(term).plus({-bytes, {}}), true);
  unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
  auto make = [&](auto compute) {
    auto lanes = std::make_shared<std::vector<int64_t>>(threads);
    for (unsigned thread = 0; thread < threads; ++thread)
      (*lanes)[thread] = compute(thread);
    return lanes;
  };
  unsigned x = launch.block[0], y = launch.block[1];
  threadIds[0] = make([=](unsigned thread) { return thread % x; });
  threadIds[1] = make([=](unsigned thread) { return thread / x % y; });
  threadIds[2] = make([=](unsigned thread) { return thread / (x * y); });
  laneIds = make([](unsigned thread) { return thread % kWarpSize; });
  warpIds = make([](unsigned thread) { return thread / kWarpSize; });
  Class all;
  all.members.resize(threads, true);
  all.registers.resize(code.slotCount);
  classes.push_back(std::move(all));
}

bool KernelRun::fail(const Twine &message, unsigned line,
                     std::optional<unsigned> other) {
  ending.kind = Ending::Kind::Refuted;
  ending.message = message.str();
  ending.at = code.lines[line].instruction->location;
  if (other)
    ending.other = code.lines[*other].instruction->location;
  return false;
}

bool KernelRun::giveUp(const Twine &message, unsigned line) {
  ending.kind = Ending::Kind::Unknown;
  ending.message = message.str();
  ending.at = code.lines[line].instruction->location;
  return false;
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// Makes a class of some threads. They know what all of them knew.
unsigned KernelRun::split(unsigned number, const BitVector &some) {
  Class part = classes[number];
  part.number = classes.size();
  part.members = some;
  part.epoch = 1;
  classes[number].members.reset(some);
  for (Class *own : {&classes[number], &part})
    for (Value &value : own->registers)
      simplify(value, *own);
  classes.push_back(std::move(part));
  return classes.size() - 1;
}

void KernelRun::simplify(Value &value, const Class &own) const {
  if (!value.isNumber() || !value.lanes)
    return;
  int64_t lane = (*value.lanes)[own.members.find_first()];
  for (unsigned thread : own.members.set_bits())
    if ((*value.lanes)[thread] != lane)
      return;
  value.number.constant += lane;
  value.lanes = nullptr;
}

std::optional<BitVector> KernelRun::findUnlike(const Class &own,
                                               const CodeLine &line) {
  switch (line.kind) {
  case EventKind::Init:
  case EventKind::Invalidate:
  case EventKind::ExpectBytes:
  case EventKind::Arrive:
  case EventKind::Wait:
  case EventKind::Barrier:
  case EventKind::BulkLoad:
  case EventKind::BulkStore:
  case EventKind::CopyArrive:
  case EventKind::Product:
    break;
  default:
    return std::nullopt;
  }
  const Instruction &instruction = *line.instruction;
  unsigned first = own.members.find_first();
  for (unsigned operand = 0; operand < instruction.operands.size(); ++operand) {
    if (instruction.getSpec(operand).use != ptx::OperandUse::Read)
      continue;
    Value value = read(instruction, instruction.operands[operand], own);
    if (!value.isNumber() || !value.lanes)
      continue;
    BitVector some(own.members.size());
    for (unsigned thread : own.members.set_bits())
      if (value.get(thread) == value.get(first))
        some.set(thread);
    if (some != own.members)
      return some;
  }
  return std::nullopt;
}

Knowledge KernelRun::release(Class &own) {
  Knowledge with = own.knowledge;
  with.known.setEpoch(own.number, own.epoch);
  ++own.epoch;
  return with;
}

unsigned KernelRun::getLiveThreads() const {
  unsigned count = 0;
  for (const Class &own : classes)
    if (own.state != State::Exited)
      count += own.members.count();
  return count;
}

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

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The bytes that an instruction of one thread accesses.
static uint64_t getAccessBytes(const Instruction &instruction, unsigned data) {
  uint64_t elements = 1;
  if (data < instruction.operands.size() &&
      instruction.operands[data].kind == Operand::Kind::Vector)
    elements = instruction.operands[data].elements.size();
  auto types = instruction.getTypes();
  return types.empty()
             ? 4
             : std::max(1u, ptx::getBits(types.back()) / 8) * elements;
}

/// The number that a thread has written for all: another one at each write.
Value KernelRun::getSharedNumber(const Value &address,
                                 const Instruction &instruction) {
  auto types = instruction.getTypes();
  if (!address.isConstant() || types.empty() ||
      ptx::getBits(types.back()) != 32)
    return {};
  const Access *writer = words.findWriter(uint64_t(address.number.constant));
  if (!writer)
    return {};
  return Value::of(Linear::of(
      terms.get(("word " + Twine(address.number.constant) + " of line " +
                 Twine(code.lines[writer->line].instruction->location.line) +
                 ", step " + Twine(writer->instance))
                    .str(),
                std::numeric_limits<int32_t>::min(),
                std::numeric_limits<int32_t>::max())));
}

/// Executes an instruction for the threads that its guard lets through.
bool KernelRun::execute(unsigned number, const BitVector *some, bool isOfSome) {
  Class &own = classes[number];
  unsigned at = own.pc;
  isMaybe = isOfSome || !own.maybes.empty();
  const CodeLine &line = code.lines[at];
  const Instruction &instruction = *line.instruction;
  auto access = [&](unsigned address, unsigned data, bool isWrite,
                    bool isAtomic) {
    return accessShared(
        own, at, readAddress(instruction, instruction.operands[address], own),
        getAccessBytes(instruction, data), isWrite, isAtomic, some,
        isWrite && isUniform(instruction, instruction.operands[data], own));
  };
  bool isFine = true;
  switch (line.kind) {
  case EventKind::None:
    compute(own, line, some);
    break;
  case EventKind::Load: {
    // The address may be overwritten.
    Value address = readAddress(instruction, instruction.operands[1], own);
    for (ptx::RegisterId id : line.writes)
      write(own, id, Value(), some);
    isFine = accessShared(own, at, address, getAccessBytes(instruction, 0),
                          /*isWrite=*/false, /*isAtomic=*/false, some);
    if (isFine && line.writes.size() == 1)
      write(own, line.writes.front(), getSharedNumber(address, instruction),
            some);
    break;
  }
  case EventKind::Store:
    isFine = access(0, 1, /*isWrite=*/true, /*isAtomic=*/false);
    break;
  case EventKind::Atomic: {
    unsigned address = instruction.opcode == Opcode::Atom ? 1 : 0;
    isFine = access(address, address + 1, /*isWrite=*/true, /*isAtomic=*/true);
    for (ptx::RegisterId id : line.writes)
      write(own, id, Value(), some);
    break;
  }
  case EventKind::LoadMatrix:
  case EventKind::StoreMatrix: {
    // Rows of 16 bytes, whose addresses the first lanes have.
    bool isLoad = line.kind == EventKind::LoadMatrix;
    unsigned rows = instruction.has(Word::X4)   ? 32
                    : instruction.has(Word::X2) ? 16
                                                : 8;
    BitVector threads = own.members;
    for (unsigned thread : own.members.set_bits())
      if (thread % kWarpSize >= rows)
        threads.reset(thread);
    isFine = accessShared(
        own, at,
        readAddress(instruction, instruction.operands[isLoad ? 1 : 0], own), 16,
        !isLoad, /*isAtomic=*/false, &threads);
    for (ptx::RegisterId id : line.writes)
      write(own, id, Value(), some);
    break;
  }
  case EventKind::Init:
  case EventKind::Invalidate:
  case EventKind::ExpectBytes:
  case EventKind::Arrive:
    isFine = executeBarrierOp(own, line, at);
    break;
  case EventKind::Wait:
    return wait(own, line, at);
  case EventKind::Barrier:
  case EventKind::WarpBarrier:
    return rendezvous(number, line, at);
  case EventKind::Fence:
    own.knowledge.proxied = own.knowledge.known;
    own.knowledge.proxied.setEpoch(own.number, own.epoch);
    ++own.epoch;
    break;
  case EventKind::BulkLoad:
  case EventKind::BulkStore:
    isFine = copyBulk(own, line, at);
    break;
  case EventKind::CopyAsync: {
    Value address = readAddress(instruction, instruction.operands[0], own);
    operations.push_back({at, {}});
    unsigned operation = operations.size() - 1;
    own.groups[unsigned(GroupKind::Copy)].open.push_back(operation);
    isFine = accessAsync(own, at, address, instruction.operands[2].value.bits,
                         /*isWrite=*/true, operation, some);
    break;
  }
  case EventKind::CopyArrive: {
    Barrier *known = getBarrier(own, line, 0, at);
    if (!known)
      return false;
    Barrier &barrier = *known;
    Knowledge with = release(own);
    Groups &groups = own.groups[unsigned(GroupKind::Copy)];
    auto complete = [&](const Group &group) {
      for (unsigned operation : group)
        Clock::set(with.known.done, operation);
    };
    complete(groups.open);
    llvm::for_each(groups.committed, complete);
    // Without noinc, the barrier's pending count has grown by as many.
    isFine = instruction.has(Word::Noinc)
                 ? arrive(barrier, with, own.members.count(), at)
                 : arrive(barrier, with, 0, at);
    break;
  }
  case EventKind::Product:
    isFine = startProduct(own, at);
    break;
  case EventKind::Commit:
  case EventKind::WaitGroup:
    isFine = executeGroup(own, line, at);
    break;
  case EventKind::Exit:
    own.state = State::Exited;
    return finishRendezvous();
  case EventKind::Outside:
    return giveUp("isn't modelled", at);
  }
  ++classes[number].pc;
  return isFine;
}

uint64_t KernelRun::getSteps() const {
  constexpr uint64_t kWorkOfStep = 16;
  return steps + assumptions.getWork() / kWorkOfStep;
}

bool KernelRun::step(unsigned number) {
  Class &own = classes[number];
  if (own.pc >= code.lines.size()) {
    own.state = State::Exited;
    return finishRendezvous();
  }
  const CodeLine &line = code.lines[own.pc];
  unsigned at = own.pc;
  const auto &guard = line.instruction->guard;
  if (!own.maybes.empty() && own.maybes.back().join == own.pc)
    return leaveMaybe(own);
  if (!line.isNeeded) {
    own.pc = !line.isBranch() ? at + 1 : guard ? line.join : line.target;
    return true;
  }
  ++steps;
  if (getSteps() > mostSteps)
    return giveUp("its synchronisation takes too many steps", at);
  auto executeForAll = [&] {
    if (line.isBranch()) {
      own.pc = line.target;
      return true;
    }
    if (std::optional<BitVector> some = findUnlike(own, line)) {
      split(number, *some);
      return true;
    }
    return execute(number, nullptr);
  };
  if (!guard)
    return executeForAll();
  unsigned slot = code.slots[guard->predicate];
  auto isOpen = [&] {
    const Value &value = own.registers[slot];
    return value.kind == Value::Kind::Condition &&
           findOpen(value.condition, own.members.find_first());
  };
  if (line.isBranch() && slot != ~0u && isOpen() && comesAgain(own, at))
    return false;
  Choice choice = decide(slot == ~0u ? Value() : own.registers[slot],
                         guard->negated, own, at);
  switch (choice.kind) {
  case Choice::Kind::Undecidable:
    if (isAccess(line.kind))
      return execute(number, nullptr, /*isOfSome=*/true);
    if (line.isBranch())
      return enterMaybe(own, line, at);
    if (line.kind == EventKind::None) {
      for (ptx::RegisterId id : line.writes)
        write(own, id, Value(), nullptr);
      ++own.pc;
      return true;
    }
    return giveUp("whether threads go on here isn't known", at);
  case Choice::Kind::None:
    ++own.pc;
    return true;
  case Choice::Kind::All:
    return executeForAll();
  case Choice::Kind::Some:
    break;
  }
  // Accesses and computations of some threads need no class.
  if (isAccess(line.kind) || (line.kind == EventKind::None && !line.isBranch()))
    return execute(number, &choice.some);
  split(number, choice.some);
  ++classes[number].pc;
  return true;
}

bool KernelRun::enterMaybe(Class &own, const CodeLine &line, unsigned at) {
  if (!line.onlyAccesses)
    return giveUp("whether threads go on here isn't known", at);
  Class::Maybe maybe;
  maybe.join = line.join;
  maybe.before = own.registers;
  if (line.target != line.join)
    maybe.other = line.target;
  own.maybes.push_back(std::move(maybe));
  own.pc = at + 1;
  return true;
}

static bool isSame(const Value &lhs, const Value &rhs) {
  return lhs.kind == rhs.kind && lhs.number == rhs.number &&
         lhs.lanes == rhs.lanes && lhs.condition == rhs.condition;
}

bool KernelRun::leaveMaybe(Class &own) {
  Class::Maybe &maybe = own.maybes.back();
  if (maybe.other) {
    own.pc = *maybe.other;
    maybe.other.reset();
    std::swap(own.registers, maybe.before);
    return true;
  }
  for (auto [now, other] : llvm::zip_equal(own.registers, maybe.before))
    if (!isSame(now, other))
      now = Value();
  own.maybes.pop_back();
  return true;
}

/// Lets classes go on whose barriers have completed a phase.
bool KernelRun::resume() {
  bool resumes = false;
  for (Class &own : classes) {
    if (own.state != State::AtWait)
      continue;
    auto found = barriers.find(own.barrier);
    if (found == barriers.end() ||
        (found->second.phases & 1) == uint64_t(own.parity))
      continue;
    own.state = State::Running;
    resumes = true;
  }
  return resumes;
}

std::string proof::getLoadName(const std::string &address) {
  return "[" + address + "]";
}

std::string proof::getBoxName(const std::string &map) {
  return "bytes of a box of " + map;
}

bool KernelRun::bindBoxes() {
  for (auto &[address, barrier] : barriers) {
    if (barrier.pending != 0 || barrier.bytes.isConstant() ||
        assumptions.isZero(barrier.bytes))
      continue;
    bool areBoxes = llvm::all_of(barrier.bytes.terms, [&](auto term) {
      return llvm::StringRef(terms.getTerm(term.first).name)
                 .starts_with(getBoxName("")) &&
             term.second < 0;
    });
    if (!areBoxes)
      continue;
    if (barrier.bytes.terms.size() == 1)
      facts.boxes[barrier.bytes.terms.front().first] =
          barrier.bytes.constant / -barrier.bytes.terms.front().second;
    assumptions.assumeZero(barrier.bytes, true);
    completePhase(barrier, barrier.line);
    return true;
  }
  return false;
}

Ending KernelRun::reportStuck() {
  for (const Class &own : classes) {
    if (own.state == State::AtWait) {
      const Barrier &barrier = barriers[own.barrier];
      fail("waits for ever: its barrier has completed " +
               Twine(barrier.phases) + " phases, and lacks " +
               Twine(barrier.pending) + " arrivals and " +
               terms.print(barrier.bytes) + " bytes",
           own.pc, barrier.line);
      // A sum of unknown numbers may be zero.
      if (!barrier.bytes.isConstant() && !assumptions.isZero(barrier.bytes)) {
        ending.kind = Ending::Kind::Unknown;
        ending.message = "whether all bytes arrive that a barrier expects "
                         "isn't known: " +
                         terms.print(barrier.bytes);
      }
      return ending;
    }
  }
  for (const Class &own : classes)
    if (own.state == State::AtBarrier) {
      const Rendezvous &meeting = named[own.rendezvous.front()];
      fail("waits for ever: " + Twine(meeting.arrived) + " of " +
               Twine(meeting.wanted == 0 ? int64_t(getLiveThreads())
                                         : meeting.wanted) +
               " threads arrive",
           own.pc - 1);
      return ending;
    }
  return ending;
}

/// Shared memory is given back behind the last thread.
bool KernelRun::checkEnd() {
  for (const Class &own : classes)
    for (Groups groups : own.groups) {
      groups.committed.push_back(groups.open);
      for (const Group &group : groups.committed)
        for (unsigned operation : group)
          if (operations[operation].ends.empty() &&
              code.lines[operations[operation].line].kind ==
                  EventKind::BulkStore)
            return fail("a bulk store may still read shared memory when its "
                        "thread exits",
                        operations[operation].line);
    }
  return true;
}

Ending KernelRun::run() {
  while (true) {
    bool moves = false;
    for (unsigned number = 0; number < classes.size(); ++number)
      while (classes[number].state == State::Running) {
        moves = true;
        if (!step(number))
          return ending;
      }
    if (resume() || moves)
      continue;
    bool areAllDone = llvm::all_of(
        classes, [](const Class &own) { return own.state == State::Exited; });
    if (areAllDone) {
      checkEnd();
      return ending;
    }
    if (!bindBoxes())
      return reportStuck();
  }
}
