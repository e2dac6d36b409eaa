//===- ModuleFuzzer.cpp - hostile modules for the compiler ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mutates modules of graphs and kernels, compiles them to packages and runs
// them on the simulated machine. Each case runs in a process of its own. A
// signal, a fatal error, a failure without a diagnostic, and a run beyond the
// limits of time or memory are faults.
//
//===----------------------------------------------------------------------===//

#include "Isolate.h"
#include "Minimise.h"
#include "MutateOps.h"
#include "MutateText.h"
#include "RunModule.h"
#include "Seeds.h"

#include "../../tools/support/MLIR/Register.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <map>

using namespace mlir;
using namespace carousel;
using namespace carousel::fuzz;
namespace cl = llvm::cl;

static cl::list<std::string> paths(cl::Positional, cl::OneOrMore,
                                   cl::desc("FILE or FOLDER of modules..."));
static cl::opt<uint64_t> seed("seed", cl::desc("of the draw (0)"));
static cl::opt<uint64_t> first("first", cl::desc("number of the first case"));
static cl::opt<uint64_t> count("count", cl::init(~0ull),
                               cl::desc("of cases; without end by default"));
static cl::opt<unsigned> seconds("seconds", cl::init(60),
                                 cl::desc("after which no case begins (60)"));
static cl::opt<unsigned> timeout("timeout", cl::init(10),
                                 cl::desc("CPU seconds of a case (10)"));
static cl::opt<unsigned> megabytes("memory", cl::init(3072),
                                   cl::desc("MiB that a case may map (3072)"));
static cl::opt<std::string> keep("keep",
                                 cl::desc("folder for the cases with faults"));
static cl::opt<bool> smallest("minimise",
                              cl::desc("also keep the lines that faults need"));
static cl::opt<bool> asIs("as-is", cl::desc("run the modules unchanged, once"));

namespace {
class Fuzzer {
public:
  explicit Fuzzer(MLIRContext &context)
      : context(context), runner(context), isolation({timeout, megabytes}) {}

  int run(ArrayRef<Seed> seeds);

private:
  Outcome runCase(const Seed &from, Draw draw);
  Outcome runText(const std::string &text, Draw draw);
  std::string mutate(const Seed &from, Draw &draw);
  void note(uint64_t number, const Seed &from, const Outcome &outcome,
            Draw draw);

  MLIRContext &context;
  ModuleRunner runner;
  Isolation isolation;
  std::map<Verdict, uint64_t> verdicts;
  std::map<std::string, uint64_t> faults;
  uint64_t failed = 0, ofParser = 0, unmade = 0;
};
} // namespace

std::string Fuzzer::mutate(const Seed &from, Draw &draw) {
  std::string text = from.text;
  // Diagnostics of mutants aren't read.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  unsigned changes = 1 + draw.below(3);
  if (!draw.oneIn(3)) {
    auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    if (!module)
      return text;
    unsigned ofOps = 1 + draw.below(4);
    for (unsigned i = 0; i < ofOps; ++i)
      mutateOps(*module, draw);
    text.clear();
    llvm::raw_string_ostream out(text);
    // Printers of dialects may rely on what verifiers check.
    OpPrintingFlags flags;
    if (mlir::failed(verify(*module)))
      flags.printGenericOpForm();
    module->print(out, flags);
    changes = draw.below(3);
  }
  for (unsigned i = 0; i < changes; ++i)
    text = mutateText(text, draw);
  return text;
}

Outcome Fuzzer::runCase(const Seed &from, Draw draw) {
  return isolation.run([&](Report &report) {
    Draw own = draw;
    return runner.run(asIs ? from.text : mutate(from, own), draw, report);
  });
}

Outcome Fuzzer::runText(const std::string &text, Draw draw) {
  return isolation.run(
      [&](Report &report) { return runner.run(text, draw, report); });
}

static void writeFile(const Twine &name, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream out(name.str(), error);
  out << text;
}

void Fuzzer::note(uint64_t number, const Seed &from, const Outcome &outcome,
                  Draw draw) {
  // No code of this project can refuse those before.
  ++(outcome.isOfParser ? ofParser : failed);
  std::string kind =
      (toString(outcome.stage) + ": " + outcome.end + ": " + outcome.frames)
          .str();
  // One case of a kind is enough to look at.
  if (++faults[kind] > 1)
    return;
  llvm::outs() << "fault: case " << number << " of " << from.file << ": "
               << kind << '\n';
  llvm::outs().flush();
  if (keep.empty())
    return;
  llvm::sys::fs::create_directories(keep);
  std::string name = (keep + "/" + Twine(seed) + "-" + Twine(number)).str();
  std::string line = "// " + kind + "\n";
  writeFile(name + ".mlir", line + outcome.text);
  // Cases that take as long as they may would take hours.
  if (smallest && !outcome.isOverLimit) {
    constexpr unsigned kTries = 300;
    auto fails = [&](const std::string &text) {
      Outcome other = runText(text, draw);
      return other.isFault && other.stage == outcome.stage &&
             other.frames == outcome.frames;
    };
    writeFile(name + ".min.mlir", line + minimise(outcome.text, kTries, fails));
  }
}

int Fuzzer::run(ArrayRef<Seed> seeds) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  uint64_t ran = 0, most = asIs ? seeds.size() : uint64_t(count);
  for (; ran < most && std::chrono::steady_clock::now() < end; ++ran) {
    uint64_t number = first + ran;
    Draw draw(seed, number);
    // A case that was kept is compiled with the options that it had.
    const Seed &drawn = draw.from(seeds);
    const Seed &from = asIs ? seeds[ran] : drawn;
    Outcome outcome = runCase(from, draw);
    if (outcome.isFault)
      note(number, from, outcome, draw);
    else if (!outcome.end.empty())
      ++unmade;
    else
      ++verdicts[outcome.verdict];
  }
  for (const auto &[kind, times] : faults)
    llvm::outs() << "  " << times << " times " << kind << '\n';
  llvm::outs() << "fuzz: " << ran << " cases, " << verdicts[Verdict::Compiled]
               << " compiled, " << verdicts[Verdict::Refused] << " refused, "
               << verdicts[Verdict::Unparsed] << " not parsed, " << unmade
               << " not made, " << failed << " faults";
  if (ofParser)
    llvm::outs() << ", " << ofParser << " more in MLIR's parser";
  llvm::outs() << '\n';
  // A draw that compiles nothing tests nothing.
  bool isIdle = verdicts[Verdict::Compiled] + failed == 0;
  return failed || isIdle ? 1 : 0;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles and simulates mutants of modules\n");
  std::vector<Seed> seeds = readSeeds(paths);
  if (seeds.empty()) {
    llvm::errs() << "expected modules in the files, got none\n";
    return 2;
  }
  DialectRegistry registry;
  registerToolDialects(registry);
  // Children inherit no threads.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  context.loadAllAvailableDialects();
  return Fuzzer(context).run(seeds);
}
