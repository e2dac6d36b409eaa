//===- KernelCode.cpp - a kernel's instructions in a row ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See KernelCode.h.
//
//===----------------------------------------------------------------------===//

#include "KernelCode.h"

using namespace carousel;
using namespace carousel::proof;
using llvm::ArrayRef;
using llvm::SmallVector;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::RegisterId;
using ptx::StateSpace;
using ptx::Word;

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

static bool isOfSharedOrGeneric(const Instruction &instruction,
                                unsigned operand) {
  StateSpace space = instruction.getSpace(operand);
  return space == StateSpace::Shared || space == StateSpace::Generic;
}

/// Accesses of the threads: those of global memory aren't events.
static EventKind classifyAccess(const Instruction &instruction, EventKind kind,
                                unsigned address) {
  StateSpace space = instruction.getSpace(address);
  // Ordered accesses of shared memory, as by flags, aren't modelled.
  bool isOrdered =
      instruction.has(Word::Acquire) || instruction.has(Word::Release) ||
      instruction.has(Word::Relaxed) || instruction.has(Word::Volatile);
  if (instruction.has(Word::SharedCluster) ||
      (space == StateSpace::Shared && isOrdered))
    return EventKind::Outside;
  return isOfSharedOrGeneric(instruction, address) ? kind : EventKind::None;
}

EventKind proof::classify(const Instruction &instruction, GroupKind &group) {
  switch (instruction.opcode) {
  case Opcode::Ld:
    return classifyAccess(instruction, EventKind::Load, 1);
  case Opcode::St:
    return classifyAccess(instruction, EventKind::Store, 0);
  case Opcode::Atom:
    return classifyAccess(instruction, EventKind::Atomic, 1);
  case Opcode::Red:
    return classifyAccess(instruction, EventKind::Atomic, 0);
  case Opcode::Ldmatrix:
    return EventKind::LoadMatrix;
  case Opcode::Stmatrix:
    return EventKind::StoreMatrix;
  case Opcode::MbarrierInit:
    return EventKind::Init;
  case Opcode::MbarrierInval:
    return EventKind::Invalidate;
  case Opcode::MbarrierExpectTx:
    return EventKind::ExpectBytes;
  case Opcode::MbarrierArrive:
    return instruction.has(Word::SharedCluster) ? EventKind::Outside
                                                : EventKind::Arrive;
  case Opcode::MbarrierTestWait:
  case Opcode::MbarrierTryWait:
    return instruction.has(Word::Parity) ? EventKind::Wait : EventKind::Outside;
  case Opcode::Bar:
  case Opcode::Barrier:
    return instruction.has(Word::Red) ? EventKind::Outside : EventKind::Barrier;
  case Opcode::BarWarpSync:
    return EventKind::WarpBarrier;
  case Opcode::FenceProxy:
    return instruction.has(Word::Async) ? EventKind::Fence : EventKind::None;
  case Opcode::CpAsyncBulk:
  case Opcode::CpAsyncBulkTensor:
  case Opcode::CpReduceAsyncBulk:
  case Opcode::CpReduceAsyncBulkTensor:
    group = GroupKind::Bulk;
    if (instruction.has(Word::BulkGroup))
      return EventKind::BulkStore;
    return instruction.has(Word::MulticastCluster) ||
                   instruction.opcode == Opcode::CpReduceAsyncBulk
               ? EventKind::Outside
               : EventKind::BulkLoad;
  case Opcode::CpAsync:
    group = GroupKind::Copy;
    return EventKind::CopyAsync;
  case Opcode::CpAsyncMbarrierArrive:
    return EventKind::CopyArrive;
  case Opcode::CpAsyncBulkCommitGroup:
    group = GroupKind::Bulk;
    return EventKind::Commit;
  case Opcode::CpAsyncCommitGroup:
    group = GroupKind::Copy;
    return EventKind::Commit;
  case Opcode::WgmmaCommitGroup:
    group = GroupKind::Product;
    return EventKind::Commit;
  case Opcode::CpAsyncBulkWaitGroup:
    group = GroupKind::Bulk;
    return EventKind::WaitGroup;
  case Opcode::CpAsyncWaitGroup:
  case Opcode::CpAsyncWaitAll:
    group = GroupKind::Copy;
    return EventKind::WaitGroup;
  case Opcode::WgmmaWaitGroup:
    group = GroupKind::Product;
    return EventKind::WaitGroup;
  case Opcode::WgmmaMmaAsync:
    group = GroupKind::Product;
    return EventKind::Product;
  case Opcode::Ret:
  case Opcode::Exit:
    return EventKind::Exit;
  case Opcode::MbarrierArriveDrop:
  case Opcode::MbarrierCompleteTx:
  case Opcode::BarrierCluster:
  case Opcode::StAsync:
  case Opcode::RedAsync:
  case Opcode::StBulk:
  case Opcode::Call:
  case Opcode::BrxIdx:
    return EventKind::Outside;
  default:
    return EventKind::None;
  }
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

static void collect(const Operand &operand, SmallVector<RegisterId, 4> &to) {
  if (operand.kind == Operand::Kind::Register)
    to.push_back(operand.reg);
  for (const Operand &element : operand.elements)
    collect(element, to);
}

void KernelCode::flatten(const ptx::Block &block) {
  for (const ptx::Statement &statement : block.statements) {
    if (const auto *inner = std::get_if<ptx::Block>(&statement.value))
      flatten(*inner);
    if (const auto *label = std::get_if<ptx::Label>(&statement.value))
      labels[label->label] = lines.size();
    const auto *instruction = std::get_if<Instruction>(&statement.value);
    if (!instruction)
      continue;
    CodeLine line;
    line.instruction = instruction;
    line.kind = classify(*instruction, line.group);
    for (auto [number, operand] : llvm::enumerate(instruction->operands)) {
      bool isWritten =
          instruction->getSpec(number).use != ptx::OperandUse::Read;
      collect(operand, isWritten ? line.writes : line.reads);
    }
    if (instruction->guard)
      line.reads.push_back(instruction->guard->predicate);
    lines.push_back(std::move(line));
  }
}

/// Generic addresses are of shared memory only where some of its addresses
/// become generic.
void KernelCode::dropGenericAccesses() {
  auto makesGeneric = [](const CodeLine &line) {
    const Instruction &instruction = *line.instruction;
    return instruction.opcode == Opcode::Cvta && !instruction.has(Word::To) &&
           (instruction.has(Word::Shared) || instruction.has(Word::SharedCta));
  };
  if (llvm::any_of(lines, makesGeneric))
    return;
  for (CodeLine &line : lines) {
    unsigned address = line.instruction->opcode == Opcode::Ld ||
                               line.instruction->opcode == Opcode::Atom
                           ? 1
                           : 0;
    bool isOfThreads = line.kind == EventKind::Load ||
                       line.kind == EventKind::Store ||
                       line.kind == EventKind::Atomic;
    if (isOfThreads &&
        line.instruction->getSpace(address) == StateSpace::Generic)
      line.kind = EventKind::None;
  }
}

static bool endsPart(const CodeLine &line) {
  return line.isBranch() || line.kind == EventKind::Exit;
}

void KernelCode::findParts() {
  llvm::BitVector begins(lines.size() + 1);
  begins.set(0);
  for (auto [number, line] : llvm::enumerate(lines)) {
    if (line.isBranch()) {
      line.target = labels.lookup(line.instruction->operands.front().label);
      if (line.target < lines.size())
        begins.set(line.target);
    }
    if (endsPart(line))
      begins.set(number + 1);
  }
  partOf.resize(lines.size());
  for (unsigned number = 0; number < lines.size(); ++number) {
    if (begins.test(number))
      parts.push_back({number, number, {}, {}});
    parts.back().end = number + 1;
    partOf[number] = parts.size() - 1;
  }
  for (Part &part : parts) {
    const CodeLine &last = lines[part.end - 1];
    auto add = [&](unsigned line) {
      if (line < lines.size())
        part.next.push_back(partOf[line]);
    };
    if (last.isBranch())
      add(last.target);
    bool goesOn = !endsPart(last) || last.instruction->guard;
    if (goesOn)
      add(part.end);
  }
}

bool KernelCode::mayEnd(unsigned part) const {
  const CodeLine &last = lines[parts[part].end - 1];
  return parts[part].next.empty() || last.kind == EventKind::Exit ||
         (last.isBranch() && last.target >= lines.size());
}

/// The first part that all ways from a part to the end have in common.
void KernelCode::findJoins() {
  // Parts on all ways, by iteration from all of them.
  std::vector<llvm::BitVector> common(parts.size(),
                                      llvm::BitVector(parts.size(), true));
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (unsigned part = parts.size(); part-- > 0;) {
      llvm::BitVector own(parts.size(), !mayEnd(part));
      for (unsigned next : parts[part].next)
        own &= common[next];
      own.set(part);
      isChanged |= own != common[part];
      common[part] = std::move(own);
    }
  }
  for (auto [number, part] : llvm::enumerate(parts)) {
    unsigned &join = lines[part.end - 1].join;
    join = lines.size();
    for (unsigned other : common[number].set_bits())
      if (common[other].count() + 1 == common[number].count())
        join = parts[other].begin;
  }
}

//===----------------------------------------------------------------------===//
// The skeleton
//===----------------------------------------------------------------------===//

bool KernelCode::need(ArrayRef<RegisterId> registers) {
  bool isNew = false;
  for (RegisterId id : registers)
    if (!needed.test(id)) {
      needed.set(id);
      isNew = true;
    }
  return isNew;
}

bool KernelCode::walkWays(
    unsigned branch, llvm::function_ref<bool(const CodeLine &)> isFine) const {
  const CodeLine &line = lines[branch];
  llvm::BitVector seen(parts.size());
  SmallVector<unsigned, 4> open(parts[partOf[branch]].next);
  while (!open.empty()) {
    unsigned own = open.pop_back_val();
    if (seen.test(own) || parts[own].begin == line.join)
      continue;
    seen.set(own);
    for (unsigned at = parts[own].begin; at < parts[own].end; ++at)
      if (!isFine(lines[at]))
        return false;
    llvm::append_range(open, parts[own].next);
  }
  return true;
}

/// Whether one of a branch's ways has part of the skeleton before they meet.
bool KernelCode::hasNeeded(unsigned branch) const {
  bool isFound = false;
  walkWays(branch, [&](const CodeLine &own) {
    isFound |= own.isNeeded && !own.isBranch();
    return !isFound;
  });
  return isFound;
}

bool proof::isAccess(EventKind kind) {
  return kind == EventKind::Load || kind == EventKind::Store ||
         kind == EventKind::Atomic || kind == EventKind::CopyAsync ||
         kind == EventKind::LoadMatrix || kind == EventKind::StoreMatrix;
}

void KernelCode::findAccesses() {
  for (auto [number, line] : llvm::enumerate(lines))
    line.onlyAccesses =
        line.isBranch() && line.isNeeded && line.instruction->guard &&
        line.join != lines.size() &&
        walkWays(number, [&, number = number](const CodeLine &own) {
          return &own != &lines[number] &&
                 (own.kind == EventKind::None || isAccess(own.kind));
        });
}

/// Whether an event depends on an operand: not on what it stores, on places in
/// global memory, on coordinates, fragments and sums.
static bool dependsOn(const CodeLine &line, unsigned operand) {
  const Instruction &instruction = *line.instruction;
  const ptx::OperandSpec &spec = instruction.getSpec(operand);
  if (spec.use != ptx::OperandUse::Read)
    return false;
  switch (line.kind) {
  case EventKind::Store:
  case EventKind::Atomic:
  case EventKind::StoreMatrix:
    return spec.kind == ptx::OperandKind::Address;
  case EventKind::Product:
    return instruction.operands[operand].kind != Operand::Kind::Vector;
  case EventKind::CopyAsync:
    return operand == 0;
  case EventKind::BulkLoad:
  case EventKind::BulkStore:
    return spec.kind == ptx::OperandKind::Tensor ||
           (spec.kind == ptx::OperandKind::Address
                ? instruction.getSpace(operand) == StateSpace::Shared
                : operand == 2);
  default:
    return true;
  }
}

/// The registers that an event depends on.
static SmallVector<RegisterId, 4> getNeeds(const CodeLine &line) {
  const Instruction &instruction = *line.instruction;
  SmallVector<RegisterId, 4> found;
  for (auto [number, operand] : llvm::enumerate(instruction.operands)) {
    if (!dependsOn(line, number))
      continue;
    bool isTensor =
        instruction.getSpec(number).kind == ptx::OperandKind::Tensor;
    collect(isTensor ? operand.elements.front() : operand, found);
  }
  if (instruction.guard)
    found.push_back(instruction.guard->predicate);
  return found;
}

void KernelCode::findNeeded() {
  for (CodeLine &line : lines)
    if (line.kind != EventKind::None) {
      line.isNeeded = true;
      need(getNeeds(line));
    }
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (auto [number, line] : llvm::enumerate(lines)) {
      if (line.isNeeded)
        continue;
      if (line.isBranch()) {
        if (line.instruction->guard ? !hasNeeded(number) : false)
          continue;
        line.isNeeded = true;
        isChanged |= need(line.reads);
        continue;
      }
      if (llvm::none_of(line.writes,
                        [&](RegisterId id) { return needed.test(id); }))
        continue;
      line.isNeeded = true;
      need(line.reads);
      isChanged = true;
    }
  }
  slots.assign(needed.size(), ~0u);
  for (unsigned id : needed.set_bits())
    slots[id] = slotCount++;
}

//===----------------------------------------------------------------------===//
// Registers that are read
//===----------------------------------------------------------------------===//

void KernelCode::readLine(const CodeLine &line, llvm::BitVector &live) const {
  if (!line.isNeeded)
    return;
  auto set = [&](ArrayRef<RegisterId> registers, bool isLive) {
    for (RegisterId id : registers)
      if (slots[id] != ~0u)
        live[slots[id]] = isLive;
  };
  if (!line.instruction->guard)
    set(line.writes, false);
  set(line.reads, true);
}

llvm::BitVector KernelCode::findLive(unsigned line) const {
  llvm::BitVector live(slotCount);
  if (line >= lines.size())
    return live;
  const Part &part = parts[partOf[line]];
  for (unsigned next : part.next)
    live |= parts[next].live;
  for (unsigned at = part.end; at-- > line;)
    readLine(lines[at], live);
  return live;
}

void KernelCode::findLiveRegisters() {
  for (Part &part : parts)
    part.live.resize(slotCount);
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (Part &part : llvm::reverse(parts)) {
      llvm::BitVector live = findLive(part.begin);
      isChanged |= live != part.live;
      part.live = std::move(live);
    }
  }
}

KernelCode::KernelCode(const ptx::Function &kernel) {
  flatten(*kernel.body);
  dropGenericAccesses();
  needed.resize(kernel.countRegisters());
  for (const CodeLine &line : lines)
    if (line.kind == EventKind::Outside && refusal.empty()) {
      refusal = "'" + ptx::stringify(line.instruction->opcode).str() +
                "' in this form isn't modelled";
      refusalAt = line.instruction->location;
    }
  if (lines.empty())
    return;
  findParts();
  findJoins();
  findNeeded();
  findAccesses();
  findLiveRegisters();
}
