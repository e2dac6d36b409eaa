//===- FormInstances.cpp - instructions made of the table's rows ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FormInstances.h.
//
//===----------------------------------------------------------------------===//

#include "FormInstances.h"

#include "llvm/ADT/StringExtras.h"

using namespace carousel;
using namespace carousel::ptx;

namespace {

class Instance {
public:
  Instance(const InstructionForm &form, bool withOptional)
      : form(form), withOptional(withOptional) {}

  std::string make();

private:
  std::optional<Word> find(char name) const {
    for (const ModifierSlot &slot : form.slots)
      if (slot.name == name && (withOptional || !slot.optional))
        return slot.words.front();
    return std::nullopt;
  }
  bool has(Word word) const {
    for (const ModifierSlot &slot : form.slots)
      if ((withOptional || !slot.optional) && slot.words.front() == word)
        return true;
    return false;
  }
  std::string makeRegister(std::optional<Type> type);
  std::string makeValue(const OperandSpec &spec);
  std::string makeOperand(const OperandSpec &spec);

  const InstructionForm &form;
  bool withOptional;
  unsigned next = 0; ///< registers, so that vectors have different ones
};

} // namespace

std::string Instance::makeRegister(std::optional<Type> type) {
  std::string number = std::to_string(next++ % 200);
  if (!type)
    return "%r" + number;
  if (*type == Type::Pred)
    return "%p" + number;
  switch (getBits(*type)) {
  case 8:
    return "%b" + number;
  case 16:
    return "%h" + number;
  case 32:
    return "%r" + number;
  case 64:
    return "%rd" + number;
  default:
    return "%q" + number;
  }
}

std::string Instance::makeValue(const OperandSpec &spec) {
  std::optional<Type> type = spec.type;
  if (spec.slot != 0)
    type = typeOf(*find(spec.slot));
  if (spec.isAddress)
    return makeRegister(Type::B64);
  if (type && spec.doubled)
    type = getBits(*type) == 16 ? Type::B32 : Type::B64;
  unsigned count = 1;
  bool isVector = spec.elements != ElementCount::One;
  switch (spec.elements) {
  case ElementCount::One:
    break;
  case ElementCount::Fixed:
    count = spec.count;
    break;
  case ElementCount::Slot: {
    std::optional<Word> word = find('V');
    isVector = word.has_value();
    count = !word ? 1 : *word == Word::V2 ? 2 : *word == Word::V4 ? 4 : 8;
    break;
  }
  case ElementCount::Any:
    count = 4;
    break;
  case ElementCount::Packed:
    count = 2;
    type = parseType("b" + std::to_string(getBits(*type) / 2));
    break;
  case ElementCount::Shape:
    count = 64 / spec.count;
    break;
  }
  if (!isVector)
    return makeRegister(type);
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + makeRegister(type);
  return text + "}";
}

std::string Instance::makeOperand(const OperandSpec &spec) {
  switch (spec.kind) {
  case OperandKind::Value: {
    std::string text = makeValue(spec);
    if (spec.hasPredicate && (withOptional || !spec.predicateOptional))
      text += "|" + makeRegister(Type::Pred);
    return text;
  }
  case OperandKind::Address:
    return "[" + makeRegister(Type::B64) + "]";
  case OperandKind::TensorMemory:
    return "[" + makeRegister(Type::B32) + "]";
  case OperandKind::Tensor:
    return "[" + makeRegister(Type::B64) + ", {" + makeRegister(Type::B32) +
           "}]";
  case OperandKind::Texture:
    return "[" + makeRegister(Type::B64) + ", {" + makeRegister(Type::B32) +
           "}]";
  case OperandKind::Immediate:
    return "0";
  case OperandKind::Label:
    return "label";
  case OperandKind::Labels:
    return "table";
  case OperandKind::Call:
    return "callee";
  }
  llvm_unreachable("unknown kind of operand");
}

std::string Instance::make() {
  std::string text = stringify(form.opcode).str();
  for (const ModifierSlot &slot : form.slots) {
    if (slot.optional && !withOptional)
      continue;
    MatrixShape shape = slot.shape;
    shape.n = 64;
    text += "." + (slot.words.front() == Word::Shape
                       ? stringify(shape)
                       : stringify(slot.words.front()).str());
  }
  bool first = true;
  for (const OperandSpec &spec : form.operands) {
    if (spec.condition ? !has(*spec.condition) : spec.optional && !withOptional)
      continue;
    text += (first ? " " : ", ") + makeOperand(spec);
    first = false;
  }
  return text;
}

std::string ptx::makeInstance(const InstructionForm &form, bool withOptional) {
  return Instance(form, withOptional).make();
}

std::string ptx::makeModule(llvm::ArrayRef<std::string> instructions,
                            llvm::StringRef chip) {
  std::string text = ".version 9.0\n.target " + chip.str() +
                     "\n.address_size 64\n.func callee();\n"
                     ".visible .entry k()\n{\n"
                     "  .reg .pred %p<200>;\n  .reg .b8 %b<200>;\n"
                     "  .reg .b16 %h<200>;\n  .reg .b32 %r<200>;\n"
                     "  .reg .b64 %rd<200>;\n  .reg .b128 %q<200>;\n"
                     "label:\ntable: .branchtargets label;\n";
  for (const std::string &instruction : instructions)
    text += "  " + instruction + ";\n";
  return text + "}\n";
}
