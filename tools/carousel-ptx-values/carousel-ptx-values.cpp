//===- carousel-ptx-values.cpp - instructions and their values ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a kernel for each instruction of a pure form, inputs, and the results
// that Carousel computes. scripts/device/device-instructions compares these
// with a GPU's.
//
//===----------------------------------------------------------------------===//

#include "CaseInputs.h"
#include "FormCases.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

namespace cl = llvm::cl;
using namespace carousel::ptx;

static constexpr llvm::StringLiteral kOverview =
    R"(Writes what PTX instructions compute (docs/PTXValues.md).

  carousel-ptx-values DIR
      DIR/cases.json     a kernel for each instruction, and where its words are
      DIR/inputs.bin     words of 64 bits, the operands of one thread together
      DIR/results.bin    likewise, of each instruction that has a value
)";

namespace {

/// Writes the files of a directory.
class Writer {
public:
  Writer(llvm::StringRef directory, unsigned threads, uint64_t seed)
      : threads(threads), random(seed), cases(open(directory, "cases.json")),
        inputs(open(directory, "inputs.bin")),
        results(open(directory, "results.bin")) {}

  bool write();

private:
  std::unique_ptr<llvm::raw_fd_ostream> open(llvm::StringRef directory,
                                             llvm::StringRef name);
  void writeCase(const FormCase &made, llvm::json::OStream &json);
  uint64_t findInputs(llvm::ArrayRef<Type> types);

  struct Inputs {
    uint64_t offset;
    std::vector<uint64_t> words;
  };
  std::error_code failure;
  unsigned threads;
  Generator random;
  std::unique_ptr<llvm::raw_fd_ostream> cases, inputs, results;
  llvm::StringMap<Inputs> bySignature;
  const Inputs *current = nullptr;
  uint64_t inputWords = 0, resultWords = 0;
};

} // namespace

static int fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "carousel-ptx-values")
      << message << '\n';
  return 1;
}

std::unique_ptr<llvm::raw_fd_ostream> Writer::open(llvm::StringRef directory,
                                                   llvm::StringRef name) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  std::error_code code;
  auto os = std::make_unique<llvm::raw_fd_ostream>(path, code);
  if (code && !failure) {
    fail("cannot open '" + path + "': " + code.message());
    failure = code;
  }
  return os;
}

/// Instructions with operands of the same types have the same inputs.
uint64_t Writer::findInputs(llvm::ArrayRef<Type> types) {
  std::string signature;
  for (Type type : types)
    signature += (stringify(type) + " ").str();
  auto [entry, isNew] = bySignature.try_emplace(signature);
  Inputs &found = entry->second;
  if (isNew) {
    found.offset = inputWords;
    found.words = drawOperands(types, threads, random);
    inputWords += found.words.size();
    inputs->write(reinterpret_cast<const char *>(found.words.data()),
                  found.words.size() * sizeof(uint64_t));
  }
  current = &found;
  return found.offset;
}

void Writer::writeCase(const FormCase &made, llvm::json::OStream &json) {
  std::vector<Type> types;
  for (const CaseWord &word : made.operands)
    if (!word.constant)
      types.push_back(word.type);
  json.object([&] {
    json.attribute("name", made.name);
    json.attribute("text", made.text);
    json.attribute("kernel", makeKernel(made, "KERNEL"));
    json.attribute("hasValue", made.evaluate != nullptr);
    json.attribute("inputs", int64_t(findInputs(types)));
    json.attributeArray("operands", [&] {
      for (Type type : types)
        json.value(stringify(type));
    });
    json.attributeArray("types", [&] {
      for (const CaseWord &word : made.results)
        json.value(stringify(word.type));
    });
    if (!made.evaluate)
      return;
    json.attribute("results", int64_t(resultWords));
    const uint64_t *next = current->words.data();
    for (unsigned thread = 0; thread < threads; ++thread) {
      uint64_t operands[16], values[16] = {};
      for (auto [index, word] : llvm::enumerate(made.operands))
        operands[index] = word.constant ? *word.constant : *next++;
      made.evaluate(operands, values);
      for (auto [index, word] : llvm::enumerate(made.results)) {
        // Destinations of 8 bits are registers of 32.
        if (getBits(word.type) <= 32)
          values[index] &= 0xffffffff;
        if (getBits(word.type) == 16)
          values[index] &= 0xffff;
      }
      results->write(reinterpret_cast<const char *>(values),
                     made.results.size() * sizeof(uint64_t));
    }
    resultWords += threads * made.results.size();
  });
}

bool Writer::write() {
  if (failure)
    return false;
  llvm::json::OStream json(*cases);
  json.object([&] {
    json.attribute("threads", int64_t(threads));
    json.attributeArray("cases", [&] {
      for (const InstructionForm &form : getAllForms())
        if (isPure(form.opcode))
          forEachCase(form, [&](FormCase &&made) { writeCase(made, json); });
    });
  });
  for (auto *os : {cases.get(), inputs.get(), results.get()}) {
    os->close();
    if (!os->has_error())
      continue;
    fail("cannot write: " + os->error().message());
    os->clear_error();
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("carousel-ptx-values options");
  cl::opt<std::string> directory(cl::Positional, cl::cat(category),
                                 cl::Required, cl::desc("DIR"));
  cl::opt<unsigned> threads("inputs", cl::cat(category), cl::init(256),
                            cl::desc("Inputs of each instruction, 1 to 1024"));
  cl::opt<uint64_t> seed("input-seed", cl::cat(category), cl::init(1),
                         cl::desc("Of the random inputs"));
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "carousel-ptx-values " CAROUSEL_VERSION "\n";
  });
  cl::ParseCommandLineOptions(argc, argv, kOverview);
  if (threads < 1 || threads > 1024)
    return fail("expected --inputs from 1 to 1024, got " +
                llvm::Twine(threads));
  if (std::error_code code = llvm::sys::fs::create_directories(directory))
    return fail("cannot make '" + directory + "': " + code.message());
  return Writer(directory, threads, seed).write() ? 0 : 1;
}
