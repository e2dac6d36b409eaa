//===- MutateOptions.cpp - the command line of carousel-mutate ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options and the help text.
//
//===----------------------------------------------------------------------===//

#include "MutateOptions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

using namespace carousel;
using namespace carousel::mutate;
namespace cl = llvm::cl;

static constexpr llvm::StringLiteral kOverview =
    R"(Lists or prints the mutants of a module at the machine phase. A mutant is a
copy in which one synchronising op is dropped, changed or moved
(docs/Mutation.md).

  carousel-mutate ring.mlir --list
      prints number, name and location of each, one a line; a name is
      function/op/ordinal/kind
  carousel-mutate ring.mlir --mutant 7
      prints the mutated module; a name, such as ring/mbarrier.wait/0/drop,
      serves as well as a number
  carousel-mutate ring.mlir --function ring --all DIR
      writes DIR/1.mlir, DIR/2.mlir, ..., and prints the list
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
                           cl::desc("Write all mutants to DIR and list them"));
  cl::opt<std::string> output("o", cl::cat(category), cl::value_desc("FILE"),
                              cl::init("-"),
                              cl::desc("Output of --mutant (-: stdout)"));
  cl::opt<std::string> function("function", cl::cat(category),
                                cl::value_desc("NAME"),
                                cl::desc("Only mutants of this function"));
  std::string kindsHelp = "Only mutants of these kinds, among " + listKinds();
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
