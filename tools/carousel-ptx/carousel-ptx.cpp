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

#include "PTXFiles.h"

#include "../support/Process/FileSizeLimit.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

namespace cl = llvm::cl;
using namespace carousel::ptx;

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
