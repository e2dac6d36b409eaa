//===- ModuleValues.cpp - a PTX module ------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PTXModule.h and Instruction.h. Locations are left out of comparisons.
//
//===----------------------------------------------------------------------===//

#include "carousel/PTX/PTXModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

using namespace carousel;
using namespace carousel::ptx;
using llvm::StringRef;

StringRef ptx::stringify(SpecialRegister special) {
  static constexpr StringRef kNames[] = {
#define CAROUSEL_PTX_SPECIAL(name, text, type, shape) text,
#include "carousel/PTX/SpecialRegisters.def"
  };
  return kNames[unsigned(special)];
}

Type ptx::getType(SpecialRegister special) {
  static constexpr Type kTypes[] = {
#define CAROUSEL_PTX_SPECIAL(name, text, type, shape) Type::type,
#include "carousel/PTX/SpecialRegisters.def"
  };
  return kTypes[unsigned(special)];
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

std::optional<Word> Instruction::getModifier(char name) const {
  for (auto [slot, word] : llvm::zip(form->slots, modifiers))
    if (slot.name == name)
      return word;
  return std::nullopt;
}

llvm::SmallVector<Type, 4> Instruction::getTypes() const {
  llvm::SmallVector<Type, 4> types;
  for (std::optional<Word> word : modifiers)
    if (word)
      if (std::optional<Type> type = typeOf(*word))
        types.push_back(*type);
  return types;
}

StateSpace Instruction::getSpace(unsigned operand) const {
  const OperandSpec &spec = getSpec(operand);
  if (spec.slot == 0)
    return spec.space;
  std::optional<Word> word = getModifier(spec.slot);
  return word ? stateSpaceOf(*word).value_or(StateSpace::Generic)
              : StateSpace::Generic;
}

bool Operand::operator==(const Operand &other) const {
  auto fields = [](const Operand &operand) {
    return std::tie(operand.kind, operand.negated, operand.reg, operand.special,
                    operand.number, operand.part, operand.value, operand.symbol,
                    operand.symbolNumber, operand.offset, operand.isElement,
                    operand.unified, operand.label, operand.elements);
  };
  return fields(*this) == fields(other);
}

bool Instruction::operator==(const Instruction &other) const {
  auto fields = [](const Instruction &op) {
    return std::tie(op.opcode, op.form, op.modifiers, op.shape, op.operands,
                    op.specs);
  };
  bool sameGuard = guard.has_value() == other.guard.has_value() &&
                   (!guard || (guard->predicate == other.guard->predicate &&
                               guard->negated == other.guard->negated));
  return sameGuard && fields(*this) == fields(other);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

bool Initializer::operator==(const Initializer &other) const {
  auto fields = [](const Initializer &value) {
    return std::tie(value.kind, value.value, value.symbol, value.isGeneric,
                    value.mask, value.elements);
  };
  return fields(*this) == fields(other);
}

bool Attribute::operator==(const Attribute &other) const {
  return name == other.name && values == other.values;
}

std::optional<uint64_t> Variable::getBytes() const {
  bool overflows = false;
  uint64_t bytes = getBits(type) / 8;
  bytes = llvm::SaturatingMultiply<uint64_t>(bytes, vector, &overflows);
  for (uint64_t extent : dims) {
    bool beyond = false;
    bytes = llvm::SaturatingMultiply(bytes, extent, &beyond);
    overflows |= beyond;
    if (extent == 0 || overflows)
      return std::nullopt;
  }
  return bytes;
}

bool Variable::operator==(const Variable &other) const {
  auto fields = [](const Variable &variable) {
    return std::tie(variable.symbol, variable.name, variable.linkage,
                    variable.space, variable.type, variable.vector,
                    variable.align, variable.count, variable.dims,
                    variable.attributes, variable.initializer, variable.pointee,
                    variable.pointeeAlign);
  };
  return fields(*this) == fields(other);
}

bool RegisterGroup::operator==(const RegisterGroup &other) const {
  auto fields = [](const RegisterGroup &group) {
    return std::tie(group.name, group.type, group.vector, group.first,
                    group.count, group.isNumbered);
  };
  return fields(*this) == fields(other);
}

bool FunctionDirective::operator==(const FunctionDirective &other) const {
  return name == other.name && values == other.values;
}

bool Pragma::operator==(const Pragma &other) const {
  return strings == other.strings;
}

bool File::operator==(const File &other) const {
  return std::tie(index, name, time, bytes) ==
         std::tie(other.index, other.name, other.time, other.bytes);
}

bool SourceLocation::operator==(const SourceLocation &other) const {
  auto fields = [](const SourceLocation &place) {
    return std::tie(place.file, place.line, place.column, place.function,
                    place.functionOffset, place.inlinedAt);
  };
  return fields(*this) == fields(other);
}

bool Section::Value::operator==(const Value &other) const {
  return std::tie(symbol, minus, offset) ==
         std::tie(other.symbol, other.minus, other.offset);
}

bool Section::Entry::operator==(const Entry &other) const {
  return std::tie(label, type, values) ==
         std::tie(other.label, other.type, other.values);
}

bool Section::operator==(const Section &other) const {
  return name == other.name && entries == other.entries;
}

bool RegisterDeclaration::operator==(const RegisterDeclaration &other) const {
  return firstGroup == other.firstGroup && groups == other.groups;
}

bool BranchTargets::operator==(const BranchTargets &other) const {
  return label == other.label && targets == other.targets;
}

bool CallTargets::operator==(const CallTargets &other) const {
  return label == other.label && targets == other.targets;
}

bool CallPrototype::operator==(const CallPrototype &other) const {
  auto fields = [](const CallPrototype &prototype) {
    return std::tie(prototype.label, prototype.results, prototype.parameters,
                    prototype.directives);
  };
  return fields(*this) == fields(other);
}

bool Block::operator==(const Block &other) const {
  return statements == other.statements;
}

//===----------------------------------------------------------------------===//
// Functions and modules
//===----------------------------------------------------------------------===//

const RegisterGroup &Function::getGroup(RegisterId id) const {
  // The last group that doesn't begin after it; groups of no registers begin
  // where the next one does.
  auto after =
      llvm::partition_point(registers, [&](const RegisterGroup &group) {
        return group.first + group.count <= id;
      });
  assert(after != registers.end() && "a register of another function");
  return *after;
}

std::string Function::getName(RegisterId id) const {
  const RegisterGroup &group = getGroup(id);
  return group.isNumbered ? group.name + std::to_string(id - group.first)
                          : group.name;
}

bool Function::operator==(const Function &other) const {
  auto fields = [](const Function &function) {
    return std::tie(function.symbol, function.name, function.linkage,
                    function.isKernel, function.attributes, function.results,
                    function.parameters, function.directives, function.pragmas,
                    function.body, function.registers, function.labels);
  };
  return fields(*this) == fields(other);
}

bool Symbol::operator==(const Symbol &other) const {
  return std::tie(name, kind, space) ==
         std::tie(other.name, other.kind, other.space);
}

std::vector<const Function *> Module::getKernels() const {
  std::vector<const Function *> kernels;
  for (const auto &item : items)
    if (const auto *function = std::get_if<Function>(&item))
      if (function->isKernel && function->body)
        kernels.push_back(function);
  return kernels;
}

bool Module::operator==(const Module &other) const {
  auto fields = [](const Module &module) {
    return std::tie(module.major, module.minor, module.targets,
                    module.addressSize, module.items, module.symbols);
  };
  return fields(*this) == fields(other);
}
