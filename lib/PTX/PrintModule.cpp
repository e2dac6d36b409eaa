//===- PrintModule.cpp - writes PTX text ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Printer.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/PTX/Printer.h"

#include "PrintText.h"

#include "llvm/Support/Format.h"

using namespace carousel;
using namespace carousel::ptx;

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
