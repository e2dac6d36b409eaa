//===- Instruction.h - an instruction and its operands ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction of a module: its form in the table, the modifiers that it has,
// its guard and its operands.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PTX_INSTRUCTION_H
#define CAROUSEL_PTX_INSTRUCTION_H

#include "carousel/PTX/InstructionForms.h"

#include <array>
#include <string>

namespace carousel::ptx {

/// Where something is in the text; both count from 1.
struct Location {
  unsigned line = 0, column = 0;
};

using RegisterId = uint32_t; ///< of a function
using SymbolId = uint32_t;   ///< of a module
using LabelId = uint32_t;    ///< of a function

enum class SpecialRegister : uint8_t {
#define CAROUSEL_PTX_SPECIAL(name, text, type, shape) name,
#include "carousel/PTX/SpecialRegisters.def"
};
llvm::StringRef stringify(SpecialRegister special);
Type getType(SpecialRegister special);

/// A number: 64 bits of an integer, or the bits of a float.
struct Immediate {
  enum class Kind : uint8_t { Signed, Unsigned, F32, F64 };
  Kind kind = Kind::Signed;
  uint64_t bits = 0;

  bool isFloat() const { return kind == Kind::F32 || kind == Kind::F64; }
  bool operator==(const Immediate &other) const {
    return kind == other.kind && bits == other.bits;
  }
};

/// An operand, with parts for what is in braces, brackets or parentheses.
struct Operand {
  enum class Kind : uint8_t {
    Register,
    Special, ///< %tid.x
    Immediate,
    Symbol,    ///< the address of a variable or function, and an offset
    Address,   ///< [base + offset], and coordinates: `elements`, base first
    Vector,    ///< {a, b}
    List,      ///< (a, b) of a call
    Predicate, ///< value|predicate: two elements
    Label,
    Sink, ///< _
    Name  ///< not resolved yet; never in a module
  };
  Kind kind = Kind::Sink;
  Location location;
  bool negated = false; ///< !p; of a number in an address also subtracted
  RegisterId reg = 0;
  SpecialRegister special = SpecialRegister::Tid;
  unsigned number = 0; ///< of %envreg3
  /// The part of a register: `x`, `b0`, `h1` and so on. Empty: all of it.
  std::string part;
  Immediate value;
  SymbolId symbol = 0;
  uint64_t symbolNumber = 0; ///< of a variable of `%b<10>`, counts from 1
  int64_t offset = 0;        ///< in bytes, of a symbol or an address
  bool isElement = false;    ///< a[3]: the offset is in elements
  bool unified = false;      ///< [a].unified
  LabelId label = 0;
  std::string name;
  std::vector<Operand> elements;

  bool operator==(const Operand &other) const;
};

struct Guard {
  RegisterId predicate = 0;
  bool negated = false;
};

struct Instruction {
  Location location;
  std::optional<Guard> guard;
  Opcode opcode = Opcode::Exit;
  const InstructionForm *form = nullptr;
  /// The modifiers, by slot of the form; nullopt where an optional one is left
  /// out.
  std::vector<std::optional<Word>> modifiers;
  MatrixShape shape; ///< of wgmma
  /// By the form's operands; those that are left out at the end are missing,
  /// others are sinks with a spec that is optional.
  std::vector<Operand> operands;
  /// The place of each operand in the form.
  std::vector<uint8_t> specs;

  bool has(Word word) const {
    return llvm::is_contained(modifiers, std::optional<Word>(word));
  }
  /// The modifier of a slot that has a name in the table, or nullopt.
  std::optional<Word> getModifier(char slot) const;
  /// The types among the modifiers, in order.
  llvm::SmallVector<Type, 4> getTypes() const;
  /// The spec of an operand.
  const OperandSpec &getSpec(unsigned operand) const {
    return form->operands[specs[operand]];
  }
  /// The state space of an address: by its slot, or Generic.
  StateSpace getSpace(unsigned operand) const;

  bool operator==(const Instruction &other) const;
};

} // namespace carousel::ptx

#endif // CAROUSEL_PTX_INSTRUCTION_H
