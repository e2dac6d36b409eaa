//===- UnwrittenRegisters.cpp - registers that are read before written ----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dataflow analysis of a function of PTX: which registers have been written
// on each way to an instruction. A guarded instruction may not write.
//
//===----------------------------------------------------------------------===//

#include "ThreadCode.h"

#include "carousel/PTX/Values.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandUse;
using ptx::RegisterId;
using Kind = ptx::Operand::Kind;

void sim::collectRegisters(const Operand &operand,
                           SmallVectorImpl<RegisterId> &to) {
  if (operand.kind == Kind::Register)
    to.push_back(operand.reg);
  for (const Operand &element : operand.elements)
    collectRegisters(element, to);
}

/// Sums of wgmma have no value before a first product that ignores them, so
/// that they count as written only.
SmallVector<RegisterId> sim::getRegisters(const Instruction &instruction,
                                          bool areWritten) {
  SmallVector<RegisterId> found;
  for (unsigned i = 0; i < instruction.operands.size(); ++i) {
    const ptx::OperandSpec &spec = instruction.getSpec(i);
    const Operand &operand = instruction.operands[i];
    if (spec.kind == ptx::OperandKind::Call) {
      for (size_t part = 0; part < operand.elements.size(); ++part)
        if ((part == 0) == areWritten)
          collectRegisters(operand.elements[part], found);
    } else if ((spec.use != OperandUse::Read) == areWritten) {
      collectRegisters(operand, found);
    }
  }
  return found;
}

bool sim::isComputation(const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::Mov:
  case Opcode::Mma:
  case Opcode::Cvta:
  case Opcode::Mapa:
    return true;
  default:
    return ptx::findValue(instruction) != nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Registers that may be read before they are written
//===----------------------------------------------------------------------===//

namespace {

class Assignments {
public:
  explicit Assignments(const ptx::Function &function) {
    begin();
    build(*function.body);
    for (Block &block : blocks)
      block.in.resize(unsigned(numbers.size()), true);
    blocks.front().in.reset();
  }

  llvm::DenseSet<RegisterId> find();

private:
  /// Instructions in order, of which the last one may branch.
  struct Block {
    SmallVector<const Instruction *> instructions;
    SmallVector<unsigned, 2> next;
    /// The registers that have been written on each way to the block.
    llvm::BitVector in;
    bool isReached = false;
  };

  void begin() { blocks.emplace_back(); }
  void build(const ptx::Block &block);
  void link();
  /// Passes the registers that are read while they may be unwritten.
  void visit(const Instruction &instruction, llvm::BitVector &written,
             llvm::function_ref<void(RegisterId)> read);
  void number(const Instruction &instruction);

  std::vector<Block> blocks;
  llvm::DenseMap<ptx::LabelId, unsigned> labels;
  llvm::DenseMap<ptx::LabelId, const ptx::BranchTargets *> tables;
  llvm::DenseMap<RegisterId, unsigned> numbers;
};

} // namespace

void Assignments::number(const Instruction &instruction) {
  for (bool areWritten : {false, true})
    for (RegisterId id : getRegisters(instruction, areWritten))
      numbers.try_emplace(id, unsigned(numbers.size()));
  if (instruction.guard)
    numbers.try_emplace(instruction.guard->predicate, unsigned(numbers.size()));
}

static bool endsBlock(Opcode opcode) {
  return opcode == Opcode::Bra || opcode == Opcode::BrxIdx ||
         opcode == Opcode::Ret || opcode == Opcode::Exit ||
         opcode == Opcode::Trap;
}

void Assignments::build(const ptx::Block &block) {
  for (const ptx::Statement &statement : block.statements) {
    if (const auto *inner = std::get_if<ptx::Block>(&statement.value)) {
      build(*inner);
    } else if (const auto *label = std::get_if<ptx::Label>(&statement.value)) {
      begin();
      labels[label->label] = unsigned(blocks.size() - 1);
    } else if (const auto *table =
                   std::get_if<ptx::BranchTargets>(&statement.value)) {
      tables[table->label] = table;
    } else if (const auto *instruction =
                   std::get_if<Instruction>(&statement.value)) {
      number(*instruction);
      blocks.back().instructions.push_back(instruction);
      if (endsBlock(instruction->opcode))
        begin();
    }
  }
}

void Assignments::link() {
  for (unsigned i = 0; i < blocks.size(); ++i) {
    Block &block = blocks[i];
    const Instruction *last =
        block.instructions.empty() ? nullptr : block.instructions.back();
    bool mayFallThrough = !last || !endsBlock(last->opcode) || last->guard;
    if (mayFallThrough && i + 1 < blocks.size())
      block.next.push_back(i + 1);
    if (last && last->opcode == Opcode::Bra)
      block.next.push_back(labels.lookup(last->operands[0].label));
    if (last && last->opcode == Opcode::BrxIdx)
      if (const ptx::BranchTargets *table =
              tables.lookup(last->operands[1].label))
        for (ptx::LabelId label : table->targets)
          block.next.push_back(labels.lookup(label));
  }
}

void Assignments::visit(const Instruction &instruction,
                        llvm::BitVector &written,
                        llvm::function_ref<void(RegisterId)> read) {
  if (instruction.guard && !written[numbers[instruction.guard->predicate]])
    read(instruction.guard->predicate);
  for (RegisterId id : getRegisters(instruction, /*areWritten=*/false))
    if (!written[numbers[id]])
      read(id);
  if (!instruction.guard)
    for (RegisterId id : getRegisters(instruction, /*areWritten=*/true))
      written.set(numbers[id]);
}

llvm::DenseSet<RegisterId> Assignments::find() {
  link();
  std::vector<unsigned> open = {0};
  while (!open.empty()) {
    Block &block = blocks[open.back()];
    open.pop_back();
    llvm::BitVector written = block.in;
    for (const Instruction *instruction : block.instructions)
      visit(*instruction, written, [](RegisterId) {});
    for (unsigned next : block.next) {
      // A block that no way has come to yet has all bits.
      llvm::BitVector in = blocks[next].in;
      in &= written;
      bool isFirst = !blocks[next].isReached;
      blocks[next].isReached = true;
      if (!isFirst && in == blocks[next].in)
        continue;
      blocks[next].in = std::move(in);
      open.push_back(next);
    }
  }
  llvm::DenseSet<RegisterId> found;
  for (Block &block : blocks) {
    llvm::BitVector written = block.in;
    for (const Instruction *instruction : block.instructions)
      visit(*instruction, written, [&](RegisterId id) { found.insert(id); });
  }
  // Registers computed from such.
  for (size_t before = 0; before != found.size();) {
    before = found.size();
    for (const Block &block : blocks)
      for (const Instruction *instruction : block.instructions)
        if (isComputation(*instruction) &&
            llvm::any_of(getRegisters(*instruction, /*areWritten=*/false),
                         [&](RegisterId id) { return found.contains(id); }))
          for (RegisterId id : getRegisters(*instruction, /*areWritten=*/true))
            found.insert(id);
  }
  return found;
}

llvm::DenseSet<RegisterId>
sim::findUnwrittenRegisters(const ptx::Function &function) {
  return Assignments(function).find();
}
