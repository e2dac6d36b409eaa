//===- PrintOperands.cpp - writes instructions of PTX ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Printer.h.
//
//===----------------------------------------------------------------------===//

#include "PrintText.h"

#include "llvm/Support/Format.h"

using namespace carousel;
using namespace carousel::ptx;
using Kind = Operand::Kind;

void Printer::printImmediate(const Immediate &value) {
  switch (value.kind) {
  case Immediate::Kind::Signed:
    os << int64_t(value.bits);
    break;
  case Immediate::Kind::Unsigned:
    os << value.bits << 'U';
    break;
  case Immediate::Kind::F32:
    os << llvm::format("0f%08X", uint32_t(value.bits));
    break;
  case Immediate::Kind::F64:
    os << llvm::format("0d%016llX", (unsigned long long)value.bits);
    break;
  }
}

void Printer::printOffset(int64_t offset) {
  if (offset != 0)
    os << '+' << offset;
}

void Printer::printList(llvm::ArrayRef<Operand> operands) {
  llvm::interleave(
      operands, [&](const Operand &operand) { printOperand(operand); },
      [&] { os << ", "; });
}

void Printer::printOperand(const Operand &operand) {
  if (operand.negated)
    os << '!';
  switch (operand.kind) {
  case Kind::Register:
    os << function->getName(operand.reg);
    if (!operand.part.empty())
      os << '.' << operand.part;
    break;
  case Kind::Special:
    os << operand.name;
    if (!operand.part.empty())
      os << '.' << operand.part;
    break;
  case Kind::Immediate:
    printImmediate(operand.value);
    break;
  case Kind::Symbol:
    os << module.symbols[operand.symbol].name;
    if (operand.symbolNumber != 0)
      os << operand.symbolNumber - 1;
    if (operand.isElement)
      os << '[' << operand.offset << ']';
    else
      printOffset(operand.offset);
    break;
  case Kind::Address:
    os << '[';
    printOperand(operand.elements.front());
    if (operand.elements.front().kind == Kind::Register)
      printOffset(operand.elements.front().offset);
    for (const Operand &part : llvm::drop_begin(operand.elements)) {
      os << ", ";
      printOperand(part);
    }
    os << ']';
    if (operand.unified)
      os << ".unified";
    break;
  case Kind::Vector:
    os << '{';
    printList(operand.elements);
    os << '}';
    break;
  case Kind::List:
    os << '(';
    printList(operand.elements);
    os << ')';
    break;
  case Kind::Predicate:
    printOperand(operand.elements[0]);
    os << '|';
    printOperand(operand.elements[1]);
    break;
  case Kind::Label:
    os << function->labels[operand.label];
    break;
  case Kind::Sink:
    os << '_';
    break;
  case Kind::Name:
    llvm_unreachable("a name without a meaning in a module");
  }
}

/// Results, callee, arguments, targets.
void Printer::printCall(const Operand &call) {
  llvm::ArrayRef<Operand> parts = call.elements;
  if (!parts[0].elements.empty()) {
    printOperand(parts[0]);
    os << ", ";
  }
  printOperand(parts[1]);
  // ptxas wants the parentheses where targets follow.
  if (!parts[2].elements.empty() || parts.size() == 4) {
    os << ", ";
    printOperand(parts[2]);
  }
  if (parts.size() == 4) {
    os << ", ";
    printOperand(parts[3]);
  }
}

void Printer::printInstruction(const Instruction &instruction) {
  if (instruction.guard)
    os << '@' << (instruction.guard->negated ? "!" : "")
       << function->getName(instruction.guard->predicate) << ' ';
  os << stringify(instruction.opcode);
  for (std::optional<Word> word : instruction.modifiers) {
    if (word == Word::Shape)
      os << '.' << stringify(instruction.shape);
    else if (word)
      os << '.' << stringify(*word);
  }
  if (instruction.operands.empty())
    return;
  os << ' ';
  if (instruction.opcode == Opcode::Call)
    printCall(instruction.operands.front());
  else
    printList(instruction.operands);
}
