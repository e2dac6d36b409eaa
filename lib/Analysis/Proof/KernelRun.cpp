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

KernelRun::KernelRun(const KernelCode &code, const SharedLayout &shared,
                     const LaunchShape &launch, Terms &terms,
                     LaunchFacts &facts, RunMode mode, std::vector<bool> script,
                     uint64_t mostSteps)
    : script(std::move(script)), given(this->script.size()), code(code),
      shared(shared), launch(launch), terms(terms), facts(facts), mode(mode),
      mostSteps(mostSteps), assumptions(terms), words(shared.bytes) {
  for (const Linear &number : facts.atLeastZero)
    assumptions.assumeAtLeastZero(number, true);
  assumeBoxes();
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

KernelRun::KernelRun(const KernelRun &from, std::vector<bool> script,
                     uint64_t mostSteps)
    : KernelRun(from) {
  this->script = std::move(script);
  given = this->script.size();
  // Other ways may have found more of them since.
  assumeBoxes();
  earlierSteps = getSteps();
  this->mostSteps = earlierSteps + mostSteps;
}

void KernelRun::assumeBoxes() {
  for (auto [term, bytes] : facts.boxes)
    assumptions.assumeZero(Linear::of(term).plus({-bytes, {}}), true);
}

/// Copies the run from time to time, as often as that costs no more than its
/// steps.
void KernelRun::pause() {
  constexpr size_t kMostPauses = 24;
  constexpr uint64_t kLeastSteps = 512, kWordsOfStep = 16;
  if (mode == RunMode::InferBoxes || next != script.size() ||
      getSteps() < nextPause || pauses.size() == kMostPauses)
    return;
  nextPause = getSteps() + kLeastSteps + words.getBytes() / 4 / kWordsOfStep;
  if (steps == 0)
    return;
  auto kept = std::move(pauses);
  pauses.clear();
  kept.push_back(std::make_shared<const KernelRun>(*this));
  pauses = std::move(kept);
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
    for (; current < classes.size(); ++current)
      while (classes[current].state == State::Running) {
        moves = true;
        pause();
        if (!step(current))
          return ending;
      }
    current = 0;
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
