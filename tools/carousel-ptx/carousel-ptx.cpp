//===- carousel-ptx.cpp - reads PTX ---------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a text of PTX, and prints it in its canonical form or lists its
// kernels.
//
//===----------------------------------------------------------------------===//

#include "../support/Process/FileSizeLimit.h"

#include "carousel/PTX/Parser.h"
#include "carousel/PTX/Printer.h"
#include "carousel/Support/Printable.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

namespace cl = llvm::cl;
using namespace carousel::ptx;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Files of PTX
//
// The work of carousel-ptx on a file, and its messages. Names in messages and
// lists are of files that aren't trusted.
//===----------------------------------------------------------------------===//

namespace {

enum class Action { Print, List, Check };

} // namespace

using llvm::StringRef;

/// Prints a message and returns the exit status 1.
static int fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "carousel-ptx")
      << escapeControls(message.str()) << '\n';
  return 1;
}

static bool fail(StringRef file, Location location, StringRef message) {
  llvm::errs() << escapeControls(file.str()) << ':' << location.line << ':'
               << location.column << ": ";
  llvm::WithColor::error(llvm::errs()) << escapeControls(message.str()) << '\n';
  return false;
}

namespace {

/// The contents of a function.
struct Contents {
  unsigned instructions = 0;
  uint64_t shared = 0, local = 0;

  void add(const Block &block);
};

} // namespace

void Contents::add(const Block &block) {
  for (const Statement &statement : block.statements) {
    instructions += std::holds_alternative<Instruction>(statement.value);
    if (const auto *inner = std::get_if<Block>(&statement.value))
      add(*inner);
    const auto *variable = std::get_if<Variable>(&statement.value);
    if (!variable)
      continue;
    uint64_t bytes = variable->getBytes().value_or(0);
    if (variable->space == StateSpace::Shared)
      shared += bytes;
    if (variable->space == StateSpace::Local)
      local += bytes;
  }
}

static void listKernel(const Function &kernel, llvm::raw_ostream &os) {
  os << escapeControls(kernel.name) << '(';
  bool first = true;
  for (const Variable &parameter : kernel.parameters) {
    os << (first ? "" : ", ") << escapeControls(parameter.name) << ": ";
    first = false;
    os << '.' << stringify(parameter.type);
    for (uint64_t extent : parameter.dims)
      os << '[' << extent << ']';
    if (parameter.align != 0)
      os << " align " << parameter.align;
  }
  os << ')';
  for (const FunctionDirective &directive : kernel.directives) {
    os << " ." << directive.name;
    for (uint64_t value : directive.values)
      os << ' ' << value;
  }
  Contents contents;
  contents.add(*kernel.body);
  os << "\n  " << contents.instructions << " instructions, "
     << kernel.countRegisters() << " registers, " << contents.shared
     << " bytes of shared memory, " << contents.local
     << " bytes of local memory\n";
}

/// Whether the module's canonical text reads as the module.
static bool checkRoundTrip(StringRef file, const Module &module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(module, os);
  Diagnostic error;
  std::optional<Module> again = parse(text, error);
  if (!again)
    return fail(file, error.location,
                "expected the canonical text to be one of PTX: " +
                    error.message);
  if (!(*again == module))
    return fail(file, {1, 1},
                "expected the canonical text to read as the same module, got "
                "another");
  return true;
}

/// Reads `input`, and writes to `output` unless it only checks. Returns false
/// after a message.
static bool runFile(StringRef input, StringRef output, Action action) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(input);
  if (!buffer) {
    fail("cannot open '" + input + "': " + buffer.getError().message());
    return false;
  }
  StringRef name = input == "-" ? "<stdin>" : input;
  Diagnostic error;
  std::optional<Module> module = parse((*buffer)->getBuffer(), error);
  if (!module)
    return ::fail(name, error.location, error.message);
  if (action == Action::Check)
    return checkRoundTrip(name, *module);
  std::error_code code;
  llvm::ToolOutputFile file(output, code, llvm::sys::fs::OF_None);
  if (code) {
    fail("cannot open '" + output + "': " + code.message());
    return false;
  }
  if (action == Action::Print)
    print(*module, file.os());
  else
    for (const Function *kernel : module->getKernels())
      listKernel(*kernel, file.os());
  file.os().flush();
  if (file.os().has_error()) {
    fail("cannot write '" + output + "': " + file.os().error().message());
    file.os().clear_error();
    return false;
  }
  file.keep();
  return true;
}

//===----------------------------------------------------------------------===//
// Reads PTX
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kOverview =
    R"(Reads PTX (docs/PTXReader.md). What the reader doesn't know is an error.

  carousel-ptx kernel.ptx -o canonical.ptx
      prints the text with one statement a line, modifiers in the order of the
      ISA, and numbers in one form
  carousel-ptx kernel.ptx --list
      lists kernels with their parameters, and what they hold
  carousel-ptx *.ptx --check
      prints nothing; each file is read, printed, and read again, which must
      give the same module
)";

int main(int argc, char **argv) {
  carousel::blockFileSizeSignal();
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("carousel-ptx options");
  cl::list<std::string> inputs(cl::Positional, cl::cat(category), cl::OneOrMore,
                               cl::desc("FILE.ptx... (-: stdin)"));
  cl::opt<std::string> output("o", cl::cat(category), cl::value_desc("FILE"),
                              cl::init("-"), cl::desc("Output (-: stdout)"));
  cl::opt<bool> list("list", cl::cat(category), cl::desc("List the kernels"));
  cl::opt<bool> check("check", cl::cat(category),
                      cl::desc("Check that the text reads as it prints"));
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "carousel-ptx " CAROUSEL_VERSION "\n";
  });
  cl::ParseCommandLineOptions(argc, argv, kOverview);
  if (list && check)
    return fail("expected one of --list and --check, got both");
  if (inputs.size() > 1 && !check)
    return fail("expected one file, or several beside --check, got " +
                llvm::Twine(inputs.size()));
  Action action = list ? Action::List : check ? Action::Check : Action::Print;
  bool good = true;
  for (const std::string &input : inputs)
    good &= runFile(input, output, action);
  return good ? 0 : 1;
}
