//===- InstructionForms.h - the table of instructions -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every form of every instruction: its modifiers in the order of the ISA, and
// the kinds and types of its operands. The rows are text, in lib/PTX/Forms.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PTX_INSTRUCTIONFORMS_H
#define CAROUSEL_PTX_INSTRUCTIONFORMS_H

#include "carousel/PTX/PTXTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace carousel::ptx {

/// The instructions, with the words of a name joined: CpAsyncBulkTensor.
enum class Opcode : uint16_t {
#define CAROUSEL_PTX_OPCODE(name, text) name,
#include "carousel/PTX/Opcodes.def"
};

/// The words after the name, types and state spaces among them.
enum class Word : uint16_t {
#define CAROUSEL_PTX_WORD(name, text) name,
#include "carousel/PTX/Words.def"
  Shape ///< m64n128k16 of wgmma: any n; Instruction::shape has the numbers
};

llvm::StringRef stringify(Opcode opcode);
std::optional<Opcode> parseOpcode(llvm::StringRef text);
/// The word without its dot; empty for Shape.
llvm::StringRef stringify(Word word);
std::optional<Word> parseWord(llvm::StringRef text);
/// The type that a word names.
std::optional<Type> typeOf(Word word);
std::optional<StateSpace> stateSpaceOf(Word word);

/// The rows, columns and depth of a product.
struct MatrixShape {
  unsigned m = 0, n = 0, k = 0;
  bool operator==(const MatrixShape &other) const {
    return m == other.m && n == other.n && k == other.k;
  }
};
/// Reads `m64n128k16`.
std::optional<MatrixShape> parseShape(llvm::StringRef word);
std::string stringify(MatrixShape shape);

/// One place of a form for a modifier.
struct ModifierSlot {
  char name = 0; ///< that operands refer to; 0: none does
  bool optional = false;
  llvm::SmallVector<Word, 4> words; ///< the allowed ones
  MatrixShape shape;                ///< of Word::Shape: n is free

  bool allows(Word word) const { return llvm::is_contained(words, word); }
};

enum class OperandUse : uint8_t { Read, Written, Updated };

enum class OperandKind : uint8_t {
  Value,        ///< a register or an immediate, or a vector of them
  Address,      ///< [a]
  TensorMemory, ///< [a], of 32 bits
  Tensor,       ///< [map, {coordinates}]
  Texture,      ///< [texture, sampler, {coordinates}]
  Immediate,    ///< an integer
  Label,
  Labels, ///< the name of a .branchtargets
  Call    ///< (results), callee, (arguments), targets
};

/// How many elements an operand has.
enum class ElementCount : uint8_t {
  One,
  Fixed, ///< `count` of them
  Slot,  ///< by .v2, .v4 or .v8
  Any,
  Packed, ///< parts of one value, which have its bits together
  Shape   ///< the shape's n, divided by `count`
};

/// One operand of a form.
struct OperandSpec {
  OperandKind kind = OperandKind::Value;
  OperandUse use = OperandUse::Read;
  /// The type of a value; where `slot` isn't 0, that modifier's. nullopt: any.
  std::optional<Type> type;
  /// The slot of the type, or of an address's state space.
  char slot = 0;
  /// The state space of an address without a slot.
  StateSpace space = StateSpace::Generic;
  bool doubled = false;   ///< twice as wide as the type
  bool widens = false;    ///< registers may be larger than the type
  bool isAddress = false; ///< a register of 32 or 64 bits, of an address
  bool symbols = false;   ///< also names of variables, special registers
  bool selects = false;   ///< a part of the register: `.b0`, `.h1`
  bool optional = false;
  ElementCount elements = ElementCount::One;
  unsigned count = 0;
  /// A predicate that is written, too: `d|p`.
  bool hasPredicate = false, predicateOptional = false;
  /// The operand is there where this modifier is.
  std::optional<Word> condition;
};

/// A row of the table.
struct InstructionForm {
  Opcode opcode;
  llvm::SmallVector<ModifierSlot, 8> slots;
  llvm::SmallVector<OperandSpec, 6> operands;
  std::string text; ///< the row
};

/// The forms of an instruction, in the table's order.
llvm::ArrayRef<const InstructionForm *> getForms(Opcode opcode);
/// All forms.
llvm::ArrayRef<InstructionForm> getAllForms();
/// Returns the faults of the rows, one line each: words without an enumerator,
/// slots without a name. Empty in any build that passes the tests.
llvm::ArrayRef<std::string> getTableFaults();

} // namespace carousel::ptx

#endif // CAROUSEL_PTX_INSTRUCTIONFORMS_H
