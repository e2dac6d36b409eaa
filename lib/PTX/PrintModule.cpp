//===- PrintModule.cpp - writes PTX text ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints operands, instructions and functions, then the variables and
// directives of a module. See Printer.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/PTX/PTXModule.h"
#include "carousel/PTX/Printer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace carousel;
using namespace carousel::ptx;

namespace {

class Printer {
public:
  Printer(const Module &module, llvm::raw_ostream &os)
      : module(module), os(os) {}

  void printModule();
  void printInstruction(const Instruction &instruction);

  const Function *function = nullptr;

private:
  void printItem(const Function &value);
  void printItem(const Variable &value);
  void printItem(const Alias &value);
  void printItem(const File &value);
  void printItem(const Section &value);
  void printItem(const Pragma &value);
  void printStatement(const Instruction &value);
  void printStatement(const Label &value);
  void printStatement(const RegisterDeclaration &value);
  void printStatement(const Variable &value);
  void printStatement(const Block &value);
  void printStatement(const BranchTargets &value);
  void printStatement(const CallTargets &value);
  void printStatement(const CallPrototype &value);
  void printStatement(const SourceLocation &value);
  void printStatement(const Pragma &value);
  void printPragma(const Pragma &pragma);
  void printLinkage(Linkage linkage);
  void printAttributes(llvm::ArrayRef<Attribute> attributes);
  void printVariable(const Variable &variable);
  void printParameters(llvm::ArrayRef<Variable> parameters);
  void printDirectives(llvm::ArrayRef<FunctionDirective> directives);
  void printInitializer(const Initializer &initializer);
  void printBlock(const Block &block);
  void printOperand(const Operand &operand);
  void printList(llvm::ArrayRef<Operand> operands);
  void printCall(const Operand &call);
  void printImmediate(const Immediate &value);
  void printOffset(int64_t offset);
  template <typename Range> void printNumbers(const Range &values) {
    llvm::interleave(values, os, ", ");
  }
  llvm::raw_ostream &indent() { return os.indent(2 * depth); }

  const Module &module;
  llvm::raw_ostream &os;
  unsigned depth = 0;
};

} // namespace

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

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

void Printer::printLinkage(Linkage linkage) {
  static constexpr llvm::StringRef kWords[] = {"", ".extern ", ".visible ",
                                               ".weak ", ".common "};
  os << kWords[unsigned(linkage)];
}

void Printer::printAttributes(llvm::ArrayRef<Attribute> attributes) {
  if (attributes.empty())
    return;
  os << ".attribute(";
  llvm::interleave(
      attributes,
      [&](const Attribute &attribute) {
        os << '.' << attribute.name;
        if (attribute.values.empty())
          return;
        os << '(';
        printNumbers(attribute.values);
        os << ')';
      },
      [&] { os << ", "; });
  os << ") ";
}

void Printer::printVariable(const Variable &variable) {
  printLinkage(variable.linkage);
  os << '.' << stringify(variable.space) << ' ';
  printAttributes(variable.attributes);
  if (variable.align != 0)
    os << ".align " << variable.align << ' ';
  if (variable.vector != 1)
    os << ".v" << variable.vector << ' ';
  os << '.' << stringify(variable.type) << ' ';
  if (variable.pointee) {
    os << ".ptr ";
    if (*variable.pointee != StateSpace::Generic)
      os << '.' << stringify(*variable.pointee) << ' ';
    if (variable.pointeeAlign != 0)
      os << ".align " << variable.pointeeAlign << ' ';
  }
  os << variable.name;
  if (variable.count != 0)
    os << '<' << variable.count << '>';
  for (uint64_t extent : variable.dims) {
    os << '[';
    if (extent != 0)
      os << extent;
    os << ']';
  }
  if (variable.initializer) {
    os << " = ";
    printInitializer(*variable.initializer);
  }
}

void Printer::printInitializer(const Initializer &initializer) {
  switch (initializer.kind) {
  case Initializer::Kind::List:
    os << '{';
    llvm::interleave(
        initializer.elements,
        [&](const Initializer &element) { printInitializer(element); },
        [&] { os << ", "; });
    os << '}';
    return;
  case Initializer::Kind::Integer:
  case Initializer::Kind::Float:
    printImmediate(initializer.value);
    return;
  case Initializer::Kind::Symbol:
    break;
  }
  if (initializer.mask != 0)
    os << llvm::format("0x%llX(", (unsigned long long)initializer.mask);
  if (initializer.isGeneric)
    os << "generic(";
  os << module.symbols[initializer.symbol].name;
  if (initializer.isGeneric)
    os << ')';
  printOffset(initializer.value.bits);
  if (initializer.mask != 0)
    os << ')';
}

void Printer::printParameters(llvm::ArrayRef<Variable> parameters) {
  os << '(';
  llvm::interleave(
      parameters, [&](const Variable &parameter) { printVariable(parameter); },
      [&] { os << ", "; });
  os << ')';
}

void Printer::printDirectives(llvm::ArrayRef<FunctionDirective> directives) {
  for (const FunctionDirective &directive : directives) {
    os << " ." << directive.name;
    if (!directive.values.empty())
      os << ' ';
    printNumbers(directive.values);
  }
}

void Printer::printPragma(const Pragma &pragma) {
  os << ".pragma ";
  llvm::interleave(
      pragma.strings,
      [&](const std::string &text) { os << '"' << text << '"'; },
      [&] { os << ", "; });
  os << ';';
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Printer::printStatement(const Instruction &value) {
  indent();
  printInstruction(value);
  os << ";\n";
}

void Printer::printStatement(const Label &value) {
  os << function->labels[value.label] << ":\n";
}

void Printer::printStatement(const RegisterDeclaration &value) {
  llvm::ArrayRef<RegisterGroup> groups =
      llvm::ArrayRef(function->registers).slice(value.firstGroup, value.groups);
  indent() << ".reg ";
  if (groups.front().vector != 1)
    os << ".v" << groups.front().vector << ' ';
  os << '.' << stringify(groups.front().type) << ' ';
  llvm::interleave(
      groups,
      [&](const RegisterGroup &group) {
        os << group.name;
        if (group.isNumbered)
          os << '<' << group.count << '>';
      },
      [&] { os << ", "; });
  os << ";\n";
}

void Printer::printStatement(const Variable &value) {
  indent();
  printVariable(value);
  os << ";\n";
}

void Printer::printStatement(const Block &value) {
  indent();
  printBlock(value);
}

void Printer::printStatement(const BranchTargets &value) {
  os << function->labels[value.label] << ": .branchtargets ";
  llvm::interleave(
      value.targets, [&](LabelId label) { os << function->labels[label]; },
      [&] { os << ", "; });
  os << ";\n";
}

void Printer::printStatement(const CallTargets &value) {
  os << function->labels[value.label] << ": .calltargets ";
  llvm::interleave(
      value.targets, [&](SymbolId id) { os << module.symbols[id].name; },
      [&] { os << ", "; });
  os << ";\n";
}

void Printer::printStatement(const CallPrototype &value) {
  os << function->labels[value.label] << ": .callprototype ";
  if (!value.results.empty()) {
    printParameters(value.results);
    os << ' ';
  }
  os << "_ ";
  printParameters(value.parameters);
  printDirectives(value.directives);
  os << ";\n";
}

void Printer::printStatement(const SourceLocation &value) {
  indent() << ".loc " << value.file << ' ' << value.line << ' ' << value.column;
  if (value.function) {
    os << ", function_name " << *value.function;
    printOffset(value.functionOffset);
  }
  if (value.inlinedAt)
    os << ", inlined_at " << (*value.inlinedAt)[0] << ' '
       << (*value.inlinedAt)[1] << ' ' << (*value.inlinedAt)[2];
  os << '\n';
}

void Printer::printStatement(const Pragma &value) {
  indent();
  printPragma(value);
  os << '\n';
}

void Printer::printBlock(const Block &block) {
  os << "{\n";
  ++depth;
  for (const Statement &statement : block.statements)
    std::visit([&](const auto &value) { printStatement(value); },
               statement.value);
  --depth;
  indent() << "}\n";
}

//===----------------------------------------------------------------------===//
// Items of a module
//===----------------------------------------------------------------------===//

void Printer::printItem(const Function &value) {
  function = &value;
  printLinkage(value.linkage);
  os << (value.isKernel ? ".entry " : ".func ");
  printAttributes(value.attributes);
  if (!value.results.empty()) {
    printParameters(value.results);
    os << ' ';
  }
  os << value.name << ' ';
  printParameters(value.parameters);
  printDirectives(value.directives);
  for (const Pragma &pragma : value.pragmas) {
    os << ' ';
    printPragma(pragma);
  }
  if (value.body) {
    os << '\n';
    printBlock(*value.body);
  } else {
    os << ";\n";
  }
  function = nullptr;
}

void Printer::printItem(const Variable &value) {
  printVariable(value);
  os << ";\n";
}

void Printer::printItem(const Alias &value) {
  os << ".alias " << module.symbols[value.name].name << ", "
     << module.symbols[value.aliasee].name << ";\n";
}

void Printer::printItem(const File &value) {
  os << ".file " << value.index << " \"" << value.name << '"';
  if (value.time)
    os << ", " << *value.time << ", " << *value.bytes;
  os << '\n';
}

void Printer::printItem(const Section &value) {
  os << ".section " << value.name << " {\n";
  for (const Section::Entry &entry : value.entries) {
    if (!entry.label.empty()) {
      os << entry.label << ":\n";
      continue;
    }
    os << "  ." << stringify(entry.type) << ' ';
    llvm::interleave(
        entry.values,
        [&](const Section::Value &part) {
          os << part.symbol;
          if (!part.minus.empty())
            os << '-' << part.minus;
          if (part.symbol.empty())
            printImmediate(part.offset);
          else
            printOffset(part.offset.bits);
        },
        [&] { os << ", "; });
    os << '\n';
  }
  os << "}\n";
}

void Printer::printItem(const Pragma &value) {
  printPragma(value);
  os << '\n';
}

void Printer::printModule() {
  os << ".version " << module.major << '.' << module.minor << "\n.target ";
  llvm::interleave(module.targets, os, ", ");
  os << '\n';
  if (module.addressSize)
    os << ".address_size " << *module.addressSize << '\n';
  for (const auto &item : module.items) {
    os << '\n';
    std::visit([&](const auto &value) { printItem(value); }, item);
  }
}

void ptx::print(const Module &module, llvm::raw_ostream &os) {
  Printer(module, os).printModule();
}

void ptx::print(const Instruction &instruction, const Function &function,
                const Module &module, llvm::raw_ostream &os) {
  Printer printer(module, os);
  printer.function = &function;
  printer.printInstruction(instruction);
}
