//===- MutateOptions.cpp - the command line of carousel-mutate ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options and the help.
//
//===----------------------------------------------------------------------===//

#include "MutateOptions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

using namespace carousel;
using namespace carousel::mutate;
namespace cl = llvm::cl;

static constexpr llvm::StringLiteral kOverview =
    R"(Enumerates the mutants of a module at the machine phase: copies in which one
synchronising op is missing, changed or moved (docs/Mutation.md).

  carousel-mutate ring.mlir --list
      one line each: number, name, place; a name is function/op/ordinal/kind
  carousel-mutate ring.mlir --mutant 7
      the module of that mutant; --mutant ring/mbarrier.wait/0/drop does it too
  carousel-mutate ring.mlir --function ring --all DIR
      DIR/1.mlir, DIR/2.mlir, ..., and the list
)";

static std::string listKinds() {
  std::string names;
  for (unsigned kind = 0; kind < kNumMutantKinds; ++kind)
    names += (kind ? ", " : "") + stringifyMutantKind(MutantKind(kind)).str();
  return names;
}

Options mutate::parseOptions(int argc, char **argv) {
  cl::OptionCategory category("carousel-mutate options");
  cl::opt<std::string> input(cl::Positional, cl::cat(category),
                             cl::desc("FILE.mlir (-: stdin)"));
  cl::opt<bool> list("list", cl::cat(category), cl::desc("List the mutants"));
  cl::opt<std::string> mutant("mutant", cl::cat(category),
                              cl::value_desc("N|NAME"),
                              cl::desc("Print this mutant"));
  cl::opt<std::string> all("all", cl::cat(category), cl::value_desc("DIR"),
                           cl::desc("Write all mutants, and list them"));
  cl::opt<std::string> output("o", cl::cat(category), cl::value_desc("FILE"),
                              cl::init("-"),
                              cl::desc("Where --mutant prints to"));
  cl::opt<std::string> function("function", cl::cat(category),
                                cl::value_desc("NAME"),
                                cl::desc("Mutants of this function only"));
  std::string kindsHelp = "Mutants of these kinds only, of " + listKinds();
  cl::list<std::string> kinds("kinds", cl::cat(category), cl::CommaSeparated,
                              cl::value_desc("kind,..."), cl::desc(kindsHelp));
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "carousel-mutate " CAROUSEL_VERSION "\n";
  });
  cl::ParseCommandLineOptions(argc, argv, kOverview);

  Options options;
  options.input = input;
  options.mutant = mutant;
  options.all = all;
  options.output = output;
  options.list = list;
  options.filter.function = llvm::StringRef(function).ltrim('@').str();
  for (const std::string &text : kinds) {
    if (std::optional<MutantKind> kind = parseMutantKind(text))
      options.filter.kinds.push_back(*kind);
    else
      options.error =
          "expected kinds of " + listKinds() + ", got '" + text + "'";
  }
  if (input.empty())
    options.error = "expected a file to mutate (see --help)";
  else if (list + !mutant.empty() + !all.empty() != 1)
    options.error = "expected one of --list, --mutant and --all";
  else if (output.getNumOccurrences() != 0 && mutant.empty())
    options.error = "expected -o beside --mutant, got it beside " +
                    std::string(list ? "--list" : "--all");
  return options;
}
