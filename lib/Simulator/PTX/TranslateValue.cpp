//===- TranslateValue.cpp - instructions that only compute ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frequent instructions become code of the thread (InlineValues.cpp). All other
// pure ones call the function that the reader's library has for them
// (carousel/PTX/Values.h): operands and results are words in memory of the
// host's frame. What isn't pure goes to the other files.
//
//===----------------------------------------------------------------------===//

#include "ThreadCode.h"

#include "carousel/PTX/Values.h"

using namespace mlir;
using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Word;
using Kind = ptx::Operand::Kind;

namespace {

/// The words of one call.
class EvaluateCall {
public:
  EvaluateCall(ThreadCode &code, const Instruction &instruction)
      : code(code), instruction(instruction) {}

  LogicalResult addOperands();
  LogicalResult emit(ptx::Evaluate function);

private:
  LogicalResult add(const Operand &operand, ptx::Type type);
  void addResult(const Operand &operand, ptx::Type type);
  Value getWord(Value words, unsigned number) {
    return code.advance(words, uint64_t(number) * sizeof(uint64_t));
  }

  ThreadCode &code;
  const Instruction &instruction;
  SmallVector<Value> operands;
  /// The registers of the results, by word; null for a sink.
  SmallVector<std::pair<const Operand *, bool>> results;
};

} // namespace

/// Whether the instruction reads a carry flag. mad.cc and others name it `cc`.
static bool readsCarry(Opcode opcode) {
  return opcode == Opcode::Addc || opcode == Opcode::Subc ||
         opcode == Opcode::Madc;
}

LogicalResult EvaluateCall::add(const Operand &operand, ptx::Type type) {
  if (operand.kind == Kind::Vector) {
    for (const Operand &element : operand.elements)
      if (failed(add(element, type)))
        return failure();
    return success();
  }
  // Parts of registers are selected by words after the operands.
  Operand whole = operand;
  if (operand.kind == Kind::Register && !operand.part.empty()) {
    whole.part.clear();
    type = ptx::Type::B32;
  }
  Value value = code.read(instruction, whole, type);
  if (!value)
    return failure();
  if (ptx::getBits(type) <= 64) {
    operands.push_back(code.resize(value, 64));
    return success();
  }
  operands.push_back(code.resize(value, 64));
  operands.push_back(code.resize(
      LLVM::LShrOp::create(code.b, code.loc, value, code.constant(128, 64)),
      64));
  return success();
}

void EvaluateCall::addResult(const Operand &operand, ptx::Type type) {
  if (operand.kind == Kind::Vector || operand.kind == Kind::Predicate) {
    for (const Operand &element : operand.elements)
      addResult(element, &element == &operand.elements.back() &&
                                 operand.kind == Kind::Predicate
                             ? ptx::Type::Pred
                             : type);
    return;
  }
  results.push_back({&operand, false});
  if (ptx::getBits(type) == 128)
    results.push_back({&operand, true});
}

LogicalResult EvaluateCall::addOperands() {
  for (unsigned i = 0; i < instruction.operands.size(); ++i) {
    const ptx::OperandSpec &spec = instruction.getSpec(i);
    const Operand &operand = instruction.operands[i];
    if (spec.use != ptx::OperandUse::Read)
      addResult(operand, ThreadCode::getType(instruction, i));
    else if (operand.kind != Kind::Sink &&
             failed(add(operand, spec.kind == ptx::OperandKind::Immediate
                                     ? ptx::Type::U64
                                     : ThreadCode::getType(instruction, i))))
      return failure();
  }
  if (readsCarry(instruction.opcode))
    operands.push_back(code.resize(
        LLVM::LoadOp::create(code.b, code.loc, code.word(1), code.carry), 64));
  for (uint64_t selector : ptx::getSelectors(instruction))
    operands.push_back(code.i64(selector));
  return success();
}

LogicalResult EvaluateCall::emit(ptx::Evaluate function) {
  OpBuilder &b = code.b;
  bool writesCarry = instruction.has(Word::Cc);
  Value given = code.getScratch(0, 8 * std::max<size_t>(operands.size(), 1)),
        got = code.getScratch(1, 8 * (results.size() + writesCarry));
  for (auto [number, operand] : llvm::enumerate(operands))
    LLVM::StoreOp::create(b, code.loc, operand, getWord(given, number));
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(code.context),
                                          {code.pointer(), code.pointer()});
  Value callee =
      code.toPointer(code.i64(reinterpret_cast<uintptr_t>(function)));
  LLVM::CallOp::create(b, code.loc, type, ValueRange{callee, given, got});
  auto load = [&](unsigned number) -> Value {
    return LLVM::LoadOp::create(b, code.loc, code.word(64),
                                getWord(got, number));
  };
  for (unsigned i = 0; i < results.size(); ++i) {
    const Operand &operand = *results[i].first;
    if (operand.kind != Kind::Register)
      continue;
    bool isWide = i + 1 < results.size() && results[i + 1].second;
    // Results of fewer bits than the register are extended already.
    if (!isWide) {
      code.writeRegister(operand.reg, load(i));
      continue;
    }
    Value low = code.resize(load(i), 128), high = code.resize(load(i + 1), 128);
    high = LLVM::ShlOp::create(b, code.loc, high, code.constant(128, 64));
    code.writeRegister(operand.reg, LLVM::OrOp::create(b, code.loc, low, high));
    ++i;
  }
  if (writesCarry)
    LLVM::StoreOp::create(b, code.loc, code.resize(load(results.size()), 1),
                          code.carry);
  return success();
}

/// Moves of addresses and of special registers.
static LogicalResult translateMove(ThreadCode &code,
                                   const Instruction &instruction) {
  Value value = code.read(instruction, 1);
  if (!value)
    return failure();
  code.write(instruction.operands[0], value);
  return success();
}

static bool isOfTheThread(const Instruction &instruction) {
  const Operand &source = instruction.operands[1];
  return instruction.operands[0].kind != Kind::Vector &&
         source.kind != Kind::Vector;
}

LogicalResult sim::translateValue(ThreadCode &code,
                                  const Instruction &instruction) {
  if (instruction.opcode == Opcode::Mov && isOfTheThread(instruction))
    return translateMove(code, instruction);
  if (translateInline(code, instruction))
    return success();
  if (ptx::Evaluate function = ptx::findValue(instruction)) {
    EvaluateCall call(code, instruction);
    if (failed(call.addOperands()))
      return failure();
    return call.emit(function);
  }
  return translateMemory(code, instruction);
}
