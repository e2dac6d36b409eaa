//===- Mutate.cpp - lists and prints mutants ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes each mutant from a clone of its own. The enumeration gives the same
// mutants for each clone.
//
//===----------------------------------------------------------------------===//

#include "Mutate.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::mutate;

static llvm::Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string describePlace(Operation *op) {
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return llvm::formatv("{0}:{1}:{2}",
                         llvm::sys::path::filename(loc.getFilename()),
                         loc.getLine(), loc.getColumn());
  return "-";
}

static void printList(ArrayRef<Mutant> mutants) {
  size_t digits = std::to_string(mutants.size()).size(), width = 0;
  for (const Mutant &mutant : mutants)
    width = std::max(width, mutant.name.size());
  for (auto [index, mutant] : llvm::enumerate(mutants))
    llvm::outs() << llvm::right_justify(std::to_string(index + 1), digits)
                 << "  " << llvm::left_justify(mutant.name, width) << "  "
                 << describePlace(mutant.op) << '\n';
}

static llvm::Error writeMutant(ModuleOp module, const MutantFilter &filter,
                               size_t index, StringRef file) {
  OwningOpRef<ModuleOp> clone = module.clone();
  std::vector<Mutant> mutants = enumerateMutants(*clone, filter);
  mutants[index].apply();
  if (failed(verify(*clone)))
    return fail("expected mutant " + mutants[index].name + " to verify");
  std::error_code error;
  llvm::raw_fd_ostream os(file, error);
  if (!error) {
    // With the names of buffers, so that findings have them as well.
    clone->print(os, OpPrintingFlags().printNameLocAsPrefix());
    os << '\n';
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return fail(file + ": cannot write: " + error.message());
  return llvm::Error::success();
}

static llvm::Error writeOne(ModuleOp module, ArrayRef<Mutant> mutants,
                            const Options &options) {
  size_t number = 0;
  if (StringRef(options.mutant).getAsInteger(10, number)) {
    const Mutant *found = llvm::find_if(mutants, [&](const Mutant &mutant) {
      return mutant.name == options.mutant;
    });
    if (found == mutants.end())
      return fail("expected the name of a mutant that --list shows, got '" +
                  options.mutant + "'");
    number = found - mutants.begin() + 1;
  }
  if (number < 1 || number > mutants.size())
    return fail("expected the number of a mutant, 1 to " +
                Twine(mutants.size()) + ", got " + Twine(number));
  return writeMutant(module, options.filter, number - 1, options.output);
}

static llvm::Error writeAll(ModuleOp module, ArrayRef<Mutant> mutants,
                            const Options &options) {
  if (std::error_code error = llvm::sys::fs::create_directories(options.all))
    return fail(options.all + ": cannot create: " + error.message());
  for (size_t i = 0; i < mutants.size(); ++i) {
    std::string file = llvm::formatv("{0}/{1}.mlir", options.all, i + 1);
    if (llvm::Error error = writeMutant(module, options.filter, i, file))
      return error;
  }
  printList(mutants);
  return llvm::Error::success();
}

static std::string listKinds(ArrayRef<MutantKind> kinds) {
  std::string names;
  for (MutantKind kind : kinds)
    names += (names.empty() ? "" : " or ") + stringifyMutantKind(kind).str();
  return names;
}

llvm::Error mutate::run(ModuleOp module, const Options &options) {
  std::vector<Mutant> mutants = enumerateMutants(module, options.filter);
  if (mutants.empty()) {
    std::string rule = "expected an op that synchronises";
    if (!options.filter.function.empty())
      rule += " in a function '" + options.filter.function + "'";
    if (!options.filter.kinds.empty())
      rule += " with a mutant of kind " + listKinds(options.filter.kinds);
    return fail(rule + ", got none");
  }
  if (!options.mutant.empty())
    return writeOne(module, mutants, options);
  if (!options.all.empty())
    return writeAll(module, mutants, options);
  printList(mutants);
  return llvm::Error::success();
}
