//===- carousel-compile.cpp - compiles IR to a package --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the kernels of one file for one or several chips and writes the
// package (docs/Package.md). Progress goes to stderr, the summary to stdout.
//
//===----------------------------------------------------------------------===//

#include "../support/MLIR/AssemblerOption.h"
#include "../support/MLIR/Diagnostics.h"
#include "../support/MLIR/FrontEndText.h"
#include "../support/MLIR/Register.h"
#include "../support/MLIR/SourceNames.h"
#include "../support/MLIR/SourceNesting.h"
#include "../support/MLIR/UseCodeCache.h"
#include "../support/Process/FileSizeLimit.h"
#include "../support/Process/Interrupt.h"

#include "carousel/Package/CompilePackage.h"
#include "carousel/Package/ReportDecisions.h"
#include "carousel/Package/WritePackage.h"
#include "carousel/Passes/OptionalOption.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// The command line of carousel-compile
//
// The options and their help texts.
//===----------------------------------------------------------------------===//

namespace {

struct CompileToolOptions {
  std::string input;
  std::string output;
  bool quiet;
  enum class Explain { No, Text, JSON, SVG } explain = Explain::No;
  CompilePackageOptions compile;
  bool hasOthers = false; ///< options of LLVM's, which may change the code
  std::string error;      ///< what is wrong with the command line, or empty
};

} // namespace

namespace cl = llvm::cl;

static constexpr llvm::StringLiteral kOverview =
    R"(Compiles the kernels of an MLIR file, at the block phase, the tile phase or
the machine phase, into a package: a directory with a manifest, PTX and cubins,
which the runtime launches. Functions of linalg on tensors become programs of
kernels (docs/GraphPhase.md).

  carousel-compile kernel.mlir -o kernel.pkg --chip sm_90a,sm_100a
  carousel-compile graph.mlir -o graph.pkg --chip sm_90a --products=tf32

Each kernel needs a carousel.launch attribute (docs/Package.md). The tool
replaces DIR in one step after everything has succeeded; after an error, DIR is
unchanged. Progress and warnings go to stderr, a summary and the decisions about
loops and transfers to stdout.
)";

static std::string listChips() {
  std::vector<llvm::StringRef> names;
  for (const TargetInfo &target : TargetInfo::all())
    names.push_back(target.chip);
  return "Chips to compile for, among " + llvm::join(names, ", ");
}

/// Prints help and ends the program where that is asked for.
static CompileToolOptions parseCompileToolOptions(int argc, char **argv) {
  cl::OptionCategory category("carousel-compile options");
  cl::opt<std::string> input(cl::Positional, cl::cat(category),
                             cl::desc("FILE.mlir (-: stdin)"));
  cl::opt<std::string> output(
      "o", cl::cat(category), cl::value_desc("DIR"),
      cl::desc("The package to write; replaces an older package"));
  std::string chipHelp = listChips();
  cl::list<std::string> chips("chip", cl::cat(category), cl::CommaSeparated,
                              cl::value_desc("chip,..."), cl::desc(chipHelp));
  std::string gpuHelp =
      "GPUs to plan for, one of each chip (docs/ChipModel.md), among " +
      llvm::join(ChipModel::getGPUs(), ", ");
  cl::list<std::string> gpus("gpu", cl::cat(category), cl::CommaSeparated,
                             cl::value_desc("gpu,..."), cl::desc(gpuHelp));
  cl::opt<bool> noCubin(
      "no-cubin", cl::cat(category),
      cl::desc("Write PTX only, even if an assembler is available"));
  cl::list<std::string> emit(
      "emit", cl::cat(category), cl::CommaSeparated, cl::value_desc("kind,..."),
      cl::desc("Images to write: cubin, ptx and cuda (cubin,ptx)"));
  cl::opt<bool> lineDirectives(
      "cuda-line-directives", cl::cat(category),
      cl::desc("Write #line directives with the IR's locations to CUDA C++"));
  cl::opt<std::string> cudaRoot(
      "cuda-root", cl::cat(category), cl::value_desc("dir"),
      cl::init(CAROUSEL_CUDA_ROOT),
      cl::desc("CUDA toolkit with libdevice and ptxas (empty: find ptxas on "
               "the PATH)"));
  AssemblerOption assembler((cl::cat(category)));
  cl::opt<unsigned> indexBitwidth(
      "index-bitwidth", cl::cat(category), cl::init(64),
      cl::desc("Width of the index type in bits: 32 or 64"));
  cl::opt<unsigned> optLevel(
      "opt-level", cl::cat(category), cl::init(kDefaultOptLevel),
      cl::desc("LLVM's optimisation: 2, the passes that ptxas doesn't repeat; "
               "1 and 3, LLVM's own levels; 0, none"));
  cl::opt<std::optional<unsigned>> ptxVersion(
      "ptx-version", cl::cat(category),
      cl::desc("PTX version times ten, e.g. 86; if absent, 88"));
  cl::opt<std::optional<unsigned>> debugWaits(
      "debug-waits", cl::cat(category), cl::value_desc("milliseconds"),
      cl::desc("Milliseconds after which a wait records its number and traps; "
               "if absent, waits are unbounded"));
  cl::opt<bool> debugAssertions(
      "debug-assertions", cl::cat(category),
      cl::desc("Keep cf.assert of kernels, and assert that indices which they "
               "read from memory are inside"));
  enum class Variants { All, First };
  cl::opt<Variants> variants(
      "variants", cl::cat(category), cl::init(Variants::All),
      cl::desc("Variants to compile of kernels at the tile phase:"),
      cl::values(clEnumValN(Variants::All, "all", "all (the default)"),
                 clEnumValN(Variants::First, "first",
                            "the first one, with the best engines; the runtime "
                            "refuses launches for which its guards don't "
                            "hold")));
  cl::opt<std::string> accumulate(
      "accumulate", cl::cat(category), cl::init("f32"),
      cl::desc("The least type in which contractions of graphs add: f32, or "
               "as-written"));
  cl::opt<std::string> products(
      "products", cl::cat(category), cl::init("exact"),
      cl::desc(
          "How graphs multiply factors of f32: exact, or rounded to tf32"));
  cl::opt<bool> noLibraries(
      "no-libraries", cl::cat(category),
      cl::desc("Compute all products of graphs by kernels, none by cuBLASLt"));
  cl::opt<bool> noStreams(
      "no-streams", cl::cat(category),
      cl::desc("Compute each product of graphs by a kernel of its own, and no "
               "softmax between two in one pass"));
  cl::opt<bool> quiet(
      "quiet", cl::cat(category),
      cl::desc("Print errors only: no progress, no summary, no decisions and "
               "no warnings about requests that aren't honoured"));
  using Explain = CompileToolOptions::Explain;
  cl::opt<Explain> explain(
      "explain", cl::cat(category), cl::ValueOptional, cl::init(Explain::No),
      cl::desc("Print the reasoning behind the decisions instead of the "
               "summary:"),
      cl::values(clEnumValN(Explain::Text, "", "as text"),
                 clEnumValN(Explain::Text, "text", "as text"),
                 clEnumValN(Explain::JSON, "json", "as JSON"),
                 clEnumValN(Explain::SVG, "svg",
                            "as a drawing of graphs and their kernels")));
  cl::list<MissKind> werror(
      "werror", cl::cat(category), cl::CommaSeparated,
      cl::value_desc("kind,..."),
      cl::desc("Make warnings errors (docs/WhyNotPipelined.md):"),
      cl::values(clEnumValN(MissKind::Request, "pipeline",
                            "requests of loops and transfers that aren't "
                            "honoured"),
                 clEnumValN(MissKind::TensorCores, "tensor-cores",
                            "products that threads multiply and add"),
                 clEnumValN(MissKind::Alignment, "alignment",
                            "accesses of single elements"),
                 clEnumValN(MissKind::Spills, "spills",
                            "registers that the assembler puts into "
                            "memory")));
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "carousel-compile " CAROUSEL_VERSION "\n";
  });
  cl::ParseCommandLineOptions(argc, argv, kOverview);

  CompileToolOptions options;
  options.input = input;
  options.output = output;
  options.quiet = quiet;
  for (const auto &[name, option] : cl::getRegisteredOptions())
    options.hasOthers |= option->getNumOccurrences() != 0 &&
                         !llvm::is_contained(option->Categories, &category);
  options.explain = explain;
  using Misses = CompilePackageOptions::Misses;
  options.compile.misses = quiet ? Misses::Ignore : Misses::Warn;
  options.compile.errors.assign(werror.begin(), werror.end());
  options.compile.chips = chips;
  options.compile.gpus = gpus;
  options.compile.accumulate = accumulate;
  options.compile.products = products;
  options.compile.libraries = !noLibraries;
  options.compile.streams = !noStreams;
  options.compile.ptxVersion = ptxVersion.getValue();
  options.compile.indexBitwidth = indexBitwidth;
  options.compile.optLevel = optLevel;
  options.compile.debugWaits = debugWaits.getValue();
  options.compile.debugAssertions = debugAssertions;
  options.compile.cudaRoot = cudaRoot;
  options.compile.assembler = assembler;
  if (variants == Variants::First)
    options.compile.wanted = [](llvm::StringRef, auto) { return true; };
  using Cubins = CompilePackageOptions::Cubins;
  options.compile.cubins = noCubin ? Cubins::Never : Cubins::Auto;
  auto emits = [&](llvm::StringRef kind) {
    return llvm::is_contained(emit, kind);
  };
  if (!emit.empty()) {
    // A cubin is made of PTX, which is then in the package, too.
    options.compile.ptx = emits("ptx") || emits("cubin");
    options.compile.cuda = emits("cuda");
    options.compile.lineDirectives = lineDirectives;
    if (!emits("cubin"))
      options.compile.cubins = Cubins::Never;
  }
  for (const std::string &kind : emit)
    if (kind != "ptx" && kind != "cubin" && kind != "cuda")
      options.error =
          "expected --emit of cubin, ptx and cuda, got '" + kind + "'";
  if (!options.error.empty())
    return options;
  if (input.empty())
    options.error = "expected a file to compile (see --help)";
  else if (output.empty())
    options.error = "expected a directory for the package, -o DIR";
  return options;
}

//===----------------------------------------------------------------------===//
// Compiles IR to a package
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kTool = "carousel-compile";

static int fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), kTool)
      << escapeControls(message.str()) << '\n';
  return 1;
}

static void printReport(const CompileToolOptions &options,
                        const Package &package) {
  using Explain = CompileToolOptions::Explain;
  EscapedStream out(llvm::outs());
  if (options.explain == Explain::JSON)
    return explainDecisionsAsJSON(out, package);
  if (options.explain == Explain::SVG)
    return drawGraphs(out, package);
  if (options.explain == Explain::Text) {
    explainGraphs(out, package);
    return explainDecisions(out, package);
  }
  if (options.quiet)
    return;
  printSummary(llvm::outs(), package);
  llvm::outs() << '\n';
  printDecisions(out, package);
}

int main(int argc, char **argv) {
  blockFileSizeSignal();
  llvm::InitLLVM init(argc, argv);
  installToolOutOfMemoryHandlers();
  CompileToolOptions options = parseCompileToolOptions(argc, argv);
  if (!options.error.empty())
    return fail(options.error);
  // A package that can't be written needn't be compiled.
  if (llvm::Error error = checkPackageDirectory(options.output))
    return fail(llvm::toString(std::move(error)));
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(options.input, &error);
  if (!input)
    return fail(error);

  DialectRegistry registry;
  registerToolDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  if (!checkNesting(sources))
    return 1;
  ToolDiagnostics diagnostics(sources, &context);
  // Names are for the text that people read; they change no other.
  OwningOpRef<ModuleOp> module =
      options.compile.cuda ? parseWithNames(sources, &context)
                           : parseSourceFile<ModuleOp>(sources, &context);
  if (!module) {
    llvm::StringRef why =
        explainRefusal(sources.getMemoryBuffer(1)->getBuffer());
    return why.empty() ? 1 : fail(why.str());
  }
  if (options.compile.chips.empty())
    return fail("expected chips to compile for, --chip sm_90a,...");
  // A module that isn't written out has no line to point at.
  if (auto loc = dyn_cast<FileLineColLoc>(module->getLoc());
      loc && loc.getLine() == 0)
    (*module)->setLoc(FileLineColLoc::get(loc.getFilename(), 1, 1));
  if (!options.quiet)
    options.compile.progress = [](const CompileStep &step) {
      llvm::errs() << '[' << step.number << '/' << step.count << "] "
                   << step.module << " for " << step.chip << '\n';
    };
  if (!options.hasOthers)
    if (std::string error = useCodeCache(options.compile); !error.empty())
      return fail(error);
  FailureOr<Package> package = compilePackage(*module, options.compile);
  if (failed(package))
    return 1;
  InterruptGuard guard;
  if (llvm::Error error = writePackage(package->files, options.output,
                                       InterruptGuard::isInterrupted))
    return fail(llvm::toString(std::move(error)));
  printReport(options, *package);
  return 0;
}
