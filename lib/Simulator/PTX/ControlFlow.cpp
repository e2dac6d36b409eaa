//===- ControlFlow.cpp - statements, branches and calls -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ControlFlow.h. Threads are fibres, so divergence needs no code.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using Kind = ptx::Operand::Kind;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Block *ControlFlow::addBlock() {
  Region &body = code.target.getBody();
  body.push_back(new Block());
  return &body.back();
}

void ControlFlow::jump(Block *to) { LLVM::BrOp::create(b, code.loc, to); }
void ControlFlow::jumpIf(Value condition, Block *then, Block *otherwise) {
  LLVM::CondBrOp::create(b, code.loc, condition, then, otherwise);
}

/// Ends the block; what follows belongs to one that nothing reaches, unless a
/// label begins there.
void ControlFlow::leave(bool hasExited) {
  LLVM::ReturnOp::create(b, code.loc, code.constant(1, hasExited));
  b.setInsertionPointToEnd(addBlock());
}

void ControlFlow::collectLabels(const ptx::Block &block) {
  for (const ptx::Statement &statement : block.statements) {
    if (const auto *inner = std::get_if<ptx::Block>(&statement.value))
      collectLabels(*inner);
    else if (const auto *label = std::get_if<ptx::Label>(&statement.value))
      labels[label->label] = addBlock();
    else if (const auto *targets =
                 std::get_if<ptx::BranchTargets>(&statement.value))
      branchTargets[targets->label] = targets;
    else if (const auto *callees =
                 std::get_if<ptx::CallTargets>(&statement.value))
      callTargets[callees->label] = callees;
    else if (const auto *prototype =
                 std::get_if<ptx::CallPrototype>(&statement.value))
      prototypes[prototype->label] = prototype;
    else if (const auto *instruction =
                 std::get_if<Instruction>(&statement.value)) {
      if (instruction->opcode == Opcode::WgmmaMmaAsync)
        code.addProduct(*instruction);
      if (instruction->opcode == Opcode::Atom &&
          instruction->has(ptx::Word::Cas))
        code.addExchange(*instruction);
    }
  }
}

void ControlFlow::declareParameter(const ptx::Variable &variable) {
  if (variable.space != ptx::StateSpace::Param)
    return;
  uint64_t bytes = variable.getBytes().value_or(0);
  code.addPassed(variable, code.allocate(std::max<uint64_t>(bytes, 1)));
}

/// "saxpy.mlir:14:3".
std::string ControlFlow::describe(const ptx::SourceLocation &location) const {
  for (const auto &item : code.source.module.items)
    if (const auto *file = std::get_if<ptx::File>(&item);
        file && file->index == location.file)
      return file->name + ":" + std::to_string(location.line) + ":" +
             std::to_string(location.column);
  return "";
}

LogicalResult ControlFlow::translateBody() {
  collectLabels(*code.function.body);
  code.findUnwritten();
  if (failed(translate(*code.function.body)))
    return failure();
  LLVM::ReturnOp::create(b, code.loc, code.constant(1, 0));
  // MLIR orders the blocks from each one anew that nothing reaches.
  IRRewriter rewriter(b);
  (void)eraseUnreachableBlocks(rewriter, code.target->getRegions());
  return success();
}

LogicalResult ControlFlow::translate(const ptx::Block &block) {
  for (const ptx::Statement &statement : block.statements) {
    if (const auto *inner = std::get_if<ptx::Block>(&statement.value)) {
      if (failed(translate(*inner)))
        return failure();
    } else if (const auto *label = std::get_if<ptx::Label>(&statement.value)) {
      Block *begin = getLabel(label->label);
      jump(begin);
      b.setInsertionPointToEnd(begin);
      placed.insert(label->label);
    } else if (const auto *variable =
                   std::get_if<ptx::Variable>(&statement.value)) {
      declareParameter(*variable);
    } else if (const auto *location =
                   std::get_if<ptx::SourceLocation>(&statement.value)) {
      origin = describe(*location);
    } else if (const auto *instruction =
                   std::get_if<Instruction>(&statement.value)) {
      code.setLocation(instruction->location, origin);
      if (failed(translate(*instruction)))
        return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Value ControlFlow::readGuard(const ptx::Guard &guard) {
  Operand predicate;
  predicate.kind = Kind::Register;
  predicate.reg = guard.predicate;
  code.checkWritten(predicate);
  return code.readRegister(guard.predicate);
}

LogicalResult ControlFlow::translate(const Instruction &instruction) {
  if (instruction.opcode == Opcode::Bra)
    return translateBranch(instruction);
  if (!instruction.guard)
    return translateUnguarded(instruction);
  Value holds = readGuard(*instruction.guard);
  Block *then = addBlock(), *after = addBlock();
  if (instruction.guard->negated)
    jumpIf(holds, after, then);
  else
    jumpIf(holds, then, after);
  b.setInsertionPointToEnd(then);
  if (failed(translateUnguarded(instruction)))
    return failure();
  jump(after);
  b.setInsertionPointToEnd(after);
  return success();
}

LogicalResult ControlFlow::translateUnguarded(const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::BrxIdx:
    return translateTable(instruction);
  case Opcode::Call:
    return translateCall(instruction);
  case Opcode::Ret:
    leave(false);
    return success();
  case Opcode::Exit:
    leave(true);
    return success();
  case Opcode::Trap:
  case Opcode::Brkpt:
    code.call("carousel_sim_ptx_trap", {});
    return success();
  case Opcode::Pmevent:
    return success();
  default:
    break;
  }
  if (!code.hasUnwritten())
    return translateValue(code, instruction);
  if (!isComputation(instruction)) {
    code.checkOperands(instruction);
    return translateValue(code, instruction);
  }
  auto poison = code.propagate(instruction);
  if (failed(translateValue(code, instruction)))
    return failure();
  for (auto [id, bits] : poison)
    code.setPoison(id, bits);
  return success();
}

LogicalResult ControlFlow::translateBranch(const Instruction &instruction) {
  ptx::LabelId label = instruction.operands[0].label;
  // A loop that doesn't call the machine would never let other threads run.
  if (placed.contains(label))
    code.call("carousel_sim_step", {});
  Block *to = getLabel(label), *after = addBlock();
  if (!instruction.guard) {
    jump(to);
  } else {
    Value holds = readGuard(*instruction.guard);
    if (instruction.guard->negated)
      jumpIf(holds, after, to);
    else
      jumpIf(holds, to, after);
  }
  b.setInsertionPointToEnd(after);
  return success();
}

LogicalResult ControlFlow::translateTable(const Instruction &instruction) {
  const ptx::BranchTargets *targets =
      branchTargets.lookup(instruction.operands[1].label);
  if (!targets)
    return code.refuse(instruction);
  code.checkWritten(instruction.operands[0]);
  Value index = code.read(instruction, 0);
  if (!index)
    return failure();
  code.call("carousel_sim_ptx_check_index",
            {index, code.i32(targets->targets.size())});
  SmallVector<int32_t> cases;
  SmallVector<Block *> blocks;
  for (auto [number, label] : llvm::enumerate(targets->targets)) {
    cases.push_back(int32_t(number));
    blocks.push_back(getLabel(label));
  }
  SmallVector<ValueRange> none(blocks.size());
  LLVM::SwitchOp::create(b, code.loc, index, blocks.back(), ValueRange(), cases,
                         blocks, none);
  b.setInsertionPointToEnd(addBlock());
  return success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Functions that the system has for CUDA: a failed assertion is a finding, and
/// nothing is printed.
bool ControlFlow::callSystem(const Instruction &instruction, StringRef name) {
  if (name == "__assertfail") {
    code.call("carousel_sim_assert", {code.i32(0)});
    return true;
  }
  if (name != "vprintf")
    return false;
  for (const Operand &result : instruction.operands[0].elements[0].elements)
    if (auto place = code.parameters.find(result.symbol);
        result.kind == Kind::Symbol && place != code.parameters.end() &&
        place->second.bytes == 4)
      LLVM::StoreOp::create(b, code.loc, code.i32(0), place->second.pointer);
  return true;
}

LogicalResult ControlFlow::translateCall(const Instruction &instruction) {
  const Operand &callee = instruction.operands[0].elements[1];
  if (callee.kind == Kind::Register)
    return callByAddress(instruction);
  const ptx::Function *function = code.layout.findFunction(callee.symbol);
  if (!function &&
      callSystem(instruction, code.source.module.symbols[callee.symbol].name))
    return success();
  if (!function)
    return code.error(instruction)
           << "expected a function that the text defines, got the declaration "
              "of '"
           << code.source.module.symbols[callee.symbol].name << "'";
  return callFunction(instruction, *function);
}

/// The memory of an argument or a result: the variable that the text declares
/// for it, or a copy of a register.
Value ControlFlow::passParameter(const Instruction &instruction,
                                 const Operand &value,
                                 const ptx::Variable &parameter) {
  uint64_t bytes = parameter.getBytes().value_or(0);
  if (value.kind == Kind::Symbol) {
    auto known = code.parameters.find(value.symbol);
    if (known != code.parameters.end() && known->second.bytes == bytes)
      return known->second.pointer;
    code.error(instruction)
        << "expected a parameter of " << bytes << " bytes for '"
        << parameter.name << "', as the callee has it, got "
        << (known == code.parameters.end() ? 0 : known->second.bytes);
    return {};
  }
  Value read = code.read(instruction, value, parameter.type);
  if (!read)
    return {};
  Value copy = code.allocate(std::max<uint64_t>(bytes, 8));
  LLVM::StoreOp::create(b, code.loc, code.resize(read, unsigned(bytes * 8)),
                        copy);
  return copy;
}

LogicalResult ControlFlow::callFunction(const Instruction &instruction,
                                        const ptx::Function &callee) {
  ArrayRef<Operand> parts = instruction.operands[0].elements;
  if (parts[0].elements.size() != callee.results.size() ||
      parts[2].elements.size() != callee.parameters.size())
    return code.error(instruction)
           << "expected " << callee.results.size() << " results and "
           << callee.parameters.size() << " arguments, as '" << callee.name
           << "' has, got " << parts[0].elements.size() << " and "
           << parts[2].elements.size();
  SmallVector<Value> operands;
  SmallVector<std::pair<const Operand *, Value>> copied;
  for (auto [value, result] : llvm::zip(parts[0].elements, callee.results)) {
    if (value.kind == Kind::Register) {
      Value copy = code.allocate(8);
      copied.push_back({&value, copy});
      operands.push_back(copy);
    } else if (Value place = passParameter(instruction, value, result)) {
      operands.push_back(place);
    } else {
      return failure();
    }
  }
  for (auto [value, parameter] :
       llvm::zip(parts[2].elements, callee.parameters)) {
    Value place = passParameter(instruction, value, parameter);
    if (!place)
      return failure();
    operands.push_back(place);
  }
  uint64_t bytes = code.layout.getFrameBytes(code.function);
  operands.push_back(LLVM::AddOp::create(b, code.loc, code.frame,
                                         code.i64(llvm::alignTo(bytes, 16))));
  // Calls of calls may have no end that a run reaches.
  code.call("carousel_sim_step", {});
  auto call = LLVM::CallOp::create(
      b, code.loc, hostFunctions.lookup(callee.symbol), operands);
  // An exit in the callee ends the thread.
  Block *exited = addBlock(), *after = addBlock();
  jumpIf(call.getResult(), exited, after);
  b.setInsertionPointToEnd(exited);
  LLVM::ReturnOp::create(b, code.loc, code.constant(1, 1));
  b.setInsertionPointToEnd(after);
  for (auto [operand, copy] : copied)
    code.write(
        *operand,
        LLVM::LoadOp::create(
            b, code.loc, code.word(code.getRegisterBits(operand->reg)), copy));
  return success();
}

static bool isLike(ArrayRef<ptx::Variable> these,
                   ArrayRef<ptx::Variable> those) {
  return llvm::equal(these, those, [](const auto &a, const auto &b) {
    return a.getBytes() == b.getBytes();
  });
}

/// Tests the address against each function that it may be: those of the list
/// of targets, or all whose address is taken and that have the prototype.
LogicalResult ControlFlow::callByAddress(const Instruction &instruction) {
  ArrayRef<Operand> parts = instruction.operands[0].elements;
  const ptx::CallPrototype *prototype = prototypes.lookup(parts[3].label);
  const ptx::CallTargets *targets = callTargets.lookup(parts[3].label);
  if (!prototype && !targets)
    return code.refuse(instruction);
  code.checkWritten(parts[1]);
  Value address = code.resize(code.readRegister(parts[1].reg), 64);
  Block *after = addBlock();
  ArrayRef<ptx::SymbolId> callable =
      targets ? ArrayRef(targets->targets) : code.layout.getCallable();
  for (ptx::SymbolId symbol : callable) {
    const ptx::Function *callee = code.layout.findFunction(symbol);
    if (!callee ||
        (prototype && !(isLike(prototype->results, callee->results) &&
                        isLike(prototype->parameters, callee->parameters))))
      continue;
    Value isIt =
        LLVM::ICmpOp::create(b, code.loc, LLVM::ICmpPredicate::eq, address,
                             code.i64(kFunctionAddress + symbol));
    Block *then = addBlock(), *next = addBlock();
    jumpIf(isIt, then, next);
    b.setInsertionPointToEnd(then);
    if (failed(callFunction(instruction, *callee)))
      return failure();
    jump(after);
    b.setInsertionPointToEnd(next);
  }
  code.call("carousel_sim_ptx_bad_callee", {address});
  jump(after);
  b.setInsertionPointToEnd(after);
  return success();
}
