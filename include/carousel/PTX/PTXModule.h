//===- PTXModule.h - a PTX module -------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text of PTX as plain values: parse (Parser.h) makes it, print (Printer.h)
// writes it. Names are resolved: a register is a number of its function, a
// variable or function a number of the module, a label a number of its
// function. Two modules are equal if they differ in locations only.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PTX_PTXMODULE_H
#define CAROUSEL_PTX_PTXMODULE_H

#include "carousel/PTX/Instruction.h"

#include <variant>

namespace carousel::ptx {

enum class Linkage : uint8_t { None, Extern, Visible, Weak, Common };

/// A variable's first contents: a list for each dimension.
struct Initializer {
  enum class Kind : uint8_t { List, Integer, Float, Symbol };
  Kind kind = Kind::List;
  Immediate value;        ///< of a number; for a symbol what is added
  SymbolId symbol = 0;    ///< whose address it is
  bool isGeneric = false; ///< generic(symbol)
  uint64_t mask = 0;      ///< 0xff00(symbol): one byte of the address; 0: all
  std::vector<Initializer> elements;

  bool operator==(const Initializer &other) const;
};

/// .attribute(.managed), .attribute(.unified(a, b)).
struct Attribute {
  std::string name;
  std::vector<uint64_t> values;
  bool operator==(const Attribute &other) const;
};

/// A variable of memory, or a parameter.
struct Variable {
  Location location;
  SymbolId symbol = 0;
  std::string name;
  Linkage linkage = Linkage::None;
  StateSpace space = StateSpace::Global;
  Type type = Type::B8;
  unsigned vector = 1; ///< elements of .v2, .v4, .v8
  uint64_t align = 0;  ///< in bytes; 0: that of the type
  /// `%b<10>`: so many variables, with numbers after the name. 0: one.
  uint64_t count = 0;
  /// The extents of the dimensions; 0: `[]`, as many as there are.
  std::vector<uint64_t> dims;
  std::vector<Attribute> attributes;
  std::optional<Initializer> initializer;
  /// The state space and the alignment of what a kernel's parameter points to,
  /// if it is an address.
  std::optional<StateSpace> pointee;
  uint64_t pointeeAlign = 0;
  /// A parameter of a .callprototype without a name.
  bool isUnnamed() const { return name == "_"; }
  /// The bytes of all elements; nullopt where the last word has the linker, or
  /// where the size is beyond 64 bits.
  std::optional<uint64_t> getBytes() const;

  bool operator==(const Variable &other) const;
};

/// Registers that were declared together: `%r<10>` are ten.
struct RegisterGroup {
  Location location;
  std::string name;
  Type type = Type::B32;
  unsigned vector = 1;
  RegisterId first = 0;
  uint32_t count = 1;
  bool isNumbered = false; ///< `%r<10>`

  bool operator==(const RegisterGroup &other) const;
};

/// A tuning or linking directive of a function: `.maxntid 128, 1, 1`.
struct FunctionDirective {
  Location location;
  std::string name; ///< without the dot
  std::vector<uint64_t> values;
  bool operator==(const FunctionDirective &other) const;
};

/// .pragma "nounroll"
struct Pragma {
  Location location;
  std::vector<std::string> strings;
  bool operator==(const Pragma &other) const;
};

/// .file 1 "a.cu", 1234, 56
struct File {
  Location location;
  uint64_t index = 0;
  std::string name;
  std::optional<uint64_t> time, bytes;
  bool operator==(const File &other) const;
};

/// .loc 1 10 3, function_name $L + 4, inlined_at 1 5 1
struct SourceLocation {
  Location location;
  uint64_t file = 0, line = 0, column = 0;
  std::optional<std::string> function; ///< a label of .debug_str
  uint64_t functionOffset = 0;
  std::optional<std::array<uint64_t, 3>> inlinedAt;
  bool operator==(const SourceLocation &other) const;
};

/// .section .debug_info { .b8 1 ... }
struct Section {
  struct Value {
    std::string symbol, minus; ///< empty: none; symbol - minus
    Immediate offset;
    bool operator==(const Value &other) const;
  };
  struct Entry {
    std::string label; ///< empty: data
    Type type = Type::B8;
    std::vector<Value> values;
    bool operator==(const Entry &other) const;
  };
  Location location;
  std::string name; ///< with its dot
  std::vector<Entry> entries;
  bool operator==(const Section &other) const;
};

/// .reg .b32 %r<10>, a;
struct RegisterDeclaration {
  uint32_t firstGroup = 0, groups = 0; ///< of Function::registers
  bool operator==(const RegisterDeclaration &other) const;
};

/// name:
struct Label {
  Location location;
  LabelId label = 0;
  bool operator==(const Label &other) const { return label == other.label; }
};

/// name: .branchtargets A, B;
struct BranchTargets {
  Location location;
  LabelId label = 0;
  std::vector<LabelId> targets;
  bool operator==(const BranchTargets &other) const;
};

/// name: .calltargets f, g;
struct CallTargets {
  Location location;
  LabelId label = 0;
  std::vector<SymbolId> targets;
  bool operator==(const CallTargets &other) const;
};

/// name: .callprototype (results) _ (parameters) .noreturn;
struct CallPrototype {
  Location location;
  LabelId label = 0;
  std::vector<Variable> results, parameters;
  std::vector<FunctionDirective> directives;
  bool operator==(const CallPrototype &other) const;
};

struct Statement;

/// { ... }: names that are declared in it are its own.
struct Block {
  Location location;
  std::vector<Statement> statements;
  bool operator==(const Block &other) const;
};

struct Statement {
  std::variant<Instruction, Label, RegisterDeclaration, Variable, Block,
               BranchTargets, CallTargets, CallPrototype, SourceLocation,
               Pragma>
      value;
  bool operator==(const Statement &other) const { return value == other.value; }
};

/// A kernel or a function, or its declaration.
struct Function {
  Location location;
  SymbolId symbol = 0;
  std::string name;
  Linkage linkage = Linkage::None;
  bool isKernel = false;
  std::vector<Attribute> attributes;
  std::vector<Variable> results, parameters;
  std::vector<FunctionDirective> directives;
  std::vector<Pragma> pragmas;
  std::optional<Block> body;
  /// The registers of all blocks, in the order of their numbers.
  std::vector<RegisterGroup> registers;
  std::vector<std::string> labels;

  uint32_t countRegisters() const {
    return registers.empty() ? 0
                             : registers.back().first + registers.back().count;
  }
  const RegisterGroup &getGroup(RegisterId id) const;
  /// `%r7`.
  std::string getName(RegisterId id) const;

  bool operator==(const Function &other) const;
};

/// .alias name, aliasee;
struct Alias {
  Location location;
  SymbolId name = 0, aliasee = 0;
  bool operator==(const Alias &other) const {
    return name == other.name && aliasee == other.aliasee;
  }
};

/// A variable or function that operands name.
struct Symbol {
  enum class Kind : uint8_t { Variable, Function };
  std::string name;
  Kind kind = Kind::Variable;
  StateSpace space = StateSpace::Generic; ///< of a variable
  bool operator==(const Symbol &other) const;
};

struct Module {
  unsigned major = 0, minor = 0;    ///< of .version
  std::vector<std::string> targets; ///< the chip, and options such as debug
  std::optional<unsigned> addressSize;
  std::vector<std::variant<Function, Variable, Alias, File, Section, Pragma>>
      items; ///< in the order of the text
  std::vector<Symbol> symbols;

  /// The kernels that have a body, in order.
  std::vector<const Function *> getKernels() const;

  bool operator==(const Module &other) const;
};

} // namespace carousel::ptx

#endif // CAROUSEL_PTX_PTXMODULE_H
