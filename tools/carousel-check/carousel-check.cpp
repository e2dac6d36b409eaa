//===- carousel-check.cpp - proves that kernels synchronise ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the kernels of files of PTX and of packages. docs/Proof.md.
//
//===----------------------------------------------------------------------===//

#include "../support/Process/FileSizeLimit.h"
#include "Reports.h"

#include "carousel/PTX/Parser.h"
#include "carousel/Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <chrono>

namespace cl = llvm::cl;
namespace json = llvm::json;
using namespace carousel;
using namespace carousel::proof;
using llvm::StringRef;

static constexpr int kWrongUse = 2, kRefuted = 1, kUnknown = 3;

static void fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "carousel-check")
      << escapeControls(message.str()) << '\n';
}

namespace {

struct Options {
  std::string kernel;
  LaunchShape launch;
  bool isQuiet = false;
  ReportFormat format = ReportFormat::Text;
};

/// Verdicts of all files.
struct Outcome {
  std::vector<CheckedKernel> kernels;
  bool isWrongUse = false;

  int getStatus() const {
    auto counts = countVerdicts(kernels);
    auto has = [&](Verdict verdict) { return counts[unsigned(verdict)] != 0; };
    return isWrongUse                                       ? kWrongUse
           : has(Verdict::Refuted)                          ? kRefuted
           : has(Verdict::Unknown) || has(Verdict::Bounded) ? kUnknown
                                                            : 0;
  }
};

} // namespace

static std::unique_ptr<llvm::MemoryBuffer> readFile(StringRef path,
                                                    Outcome &outcome) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (buffer)
    return std::move(*buffer);
  fail("cannot open '" + path + "': " + buffer.getError().message());
  outcome.isWrongUse = true;
  return nullptr;
}

/// Checks the kernels of a text, with launches by kernel if a package says
/// these.
static void
checkText(StringRef file, const Options &options, Outcome &outcome,
          const std::map<std::string, LaunchShape> *launches = nullptr) {
  std::unique_ptr<llvm::MemoryBuffer> buffer = readFile(file, outcome);
  if (!buffer)
    return;
  ptx::Diagnostic error;
  std::optional<ptx::Module> module = ptx::parse(buffer->getBuffer(), error);
  if (!module) {
    fail(file + ":" + llvm::Twine(error.location.line) + ": " + error.message);
    outcome.isWrongUse = true;
    return;
  }
  for (const ptx::Function *kernel : module->getKernels()) {
    if (!options.kernel.empty() && kernel->name != options.kernel)
      continue;
    LaunchShape launch = options.launch;
    if (launches)
      if (auto known = launches->find(kernel->name); known != launches->end())
        launch = known->second;
    auto begin = std::chrono::steady_clock::now();
    Report report = checkKernel(*module, *kernel, launch);
    std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - begin;
    outcome.kernels.push_back(
        {file.str(), kernel->name, std::move(report), taken.count()});
    const CheckedKernel &checked = outcome.kernels.back();
    if (options.format == ReportFormat::Text &&
        (!options.isQuiet || checked.report.verdict == Verdict::Refuted))
      printText(llvm::outs(), checked);
  }
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

/// The bytes of a tensor map's box, or 0.
static uint64_t readBox(const json::Object &map) {
  const json::Array *box = map.getArray("box");
  auto element = map.getString("element");
  unsigned bits = 0;
  StringRef number = element ? element->drop_until(llvm::isDigit) : StringRef();
  if (!box || box->empty() || number.consumeInteger(10, bits))
    return 0;
  uint64_t elements = 1;
  for (const json::Value &extent : *box)
    elements *= uint64_t(extent.getAsInteger().value_or(0));
  return elements * bits / 8;
}

namespace {

/// The parameters of a variant that are extents and strides.
struct Parameters {
  explicit Parameters(const json::Array &all) : all(all) {}

  /// Adds `factor` times an expression of a guard; false if it has another
  /// form, or something that isn't passed.
  bool add(const json::Value &expression, int64_t factor,
           LaunchGuard &guard) const;

private:
  std::optional<unsigned> find(StringRef kind, const json::Array &of) const;

  const json::Array &all;
};

} // namespace

std::optional<unsigned> Parameters::find(StringRef kind,
                                         const json::Array &of) const {
  for (size_t number = 0; number < all.size(); ++number)
    if (const json::Object *own = all[number].getAsObject())
      if (own->getString("kind") == kind &&
          own->getInteger("argument") == of[1].getAsInteger() &&
          own->getInteger("dim") == of[2].getAsInteger())
        return unsigned(number);
  return std::nullopt;
}

bool Parameters::add(const json::Value &expression, int64_t factor,
                     LaunchGuard &guard) const {
  if (auto number = expression.getAsInteger()) {
    guard.constant += factor * *number;
    return true;
  }
  const json::Array *parts = expression.getAsArray();
  auto kind =
      parts && parts->size() == 3 ? (*parts)[0].getAsString() : std::nullopt;
  if (!kind)
    return false;
  if (*kind == "add" || *kind == "sub")
    return add((*parts)[1], factor, guard) &&
           add((*parts)[2], *kind == "add" ? factor : -factor, guard);
  std::optional<unsigned> number = find(*kind, *parts);
  if (number)
    guard.parameters.push_back({*number, factor});
  return number.has_value();
}

/// Adds what a guard of a variant promises, if it is of numbers.
static void readGuard(const json::Object &guard, const Parameters &parameters,
                      LaunchShape &launch) {
  LaunchGuard own;
  auto kind = guard.getString("kind");
  if (kind == "range" && guard.get("value") &&
      parameters.add(*guard.get("value"), 1, own)) {
    own.least = guard.getInteger("min").value_or(own.least);
    own.most = guard.getInteger("max").value_or(own.most);
    launch.guards.push_back(own);
  } else if (kind == "equal" && guard.get("left") && guard.get("right") &&
             parameters.add(*guard.get("left"), 1, own) &&
             parameters.add(*guard.get("right"), -1, own)) {
    own.least = own.most = 0;
    launch.guards.push_back(own);
  } else if (kind == "divisible" && guard.get("value") &&
             parameters.add(*guard.get("value"), 1, own) &&
             own.parameters.size() == 1 && own.constant == 0 &&
             guard.getInteger("by").value_or(0) > 0) {
    launch.divisors[own.parameters.front().first] = *guard.getInteger("by");
  }
}

/// The launch of a kernel's variant, as its manifest has it.
static LaunchShape readLaunch(const json::Object &variant, LaunchShape launch) {
  if (const json::Array *block = variant.getArray("block"))
    for (size_t dim = 0; dim < 3; ++dim)
      launch.block[dim] =
          dim < block->size()
              ? unsigned((*block)[dim].getAsInteger().value_or(1))
              : 1;
  if (auto bytes = variant.getInteger("dynamic_shared"))
    launch.sharedBytes = uint64_t(*bytes);
  const json::Array *parameters = variant.getArray("parameters"),
                    *maps = variant.getArray("tensor_maps");
  if (!parameters)
    return launch;
  if (const json::Array *guards = variant.getArray("guards"))
    for (const json::Value &guard : *guards)
      if (const json::Object *own = guard.getAsObject())
        readGuard(*own, Parameters(*parameters), launch);
  // Extents aren't negative.
  for (size_t number = 0; number < parameters->size(); ++number)
    if (const json::Object *own = (*parameters)[number].getAsObject();
        own && own->getString("kind") == "extent") {
      LaunchGuard guard;
      guard.parameters.push_back({unsigned(number), 1});
      guard.least = 0;
      launch.guards.push_back(guard);
    }
  if (!maps)
    return launch;
  size_t next = 0;
  for (size_t number = 0; number < parameters->size(); ++number) {
    const json::Object *parameter = (*parameters)[number].getAsObject();
    if (!parameter || parameter->getString("kind") != "tensor_map" ||
        next == maps->size())
      continue;
    if (const json::Object *map = (*maps)[next++].getAsObject())
      if (uint64_t bytes = readBox(*map))
        launch.boxes[unsigned(number)] = bytes;
  }
  return launch;
}

static void checkPackage(StringRef folder, const Options &options,
                         Outcome &outcome) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, "manifest.json");
  std::unique_ptr<llvm::MemoryBuffer> buffer = readFile(path, outcome);
  if (!buffer)
    return;
  llvm::Expected<json::Value> manifest = json::parse(buffer->getBuffer());
  const json::Object *root = manifest ? manifest->getAsObject() : nullptr;
  if (!root || !root->getArray("modules") || !root->getArray("kernels")) {
    llvm::consumeError(manifest.takeError());
    fail("expected a manifest in '" + path.str() + "'");
    outcome.isWrongUse = true;
    return;
  }
  std::map<std::string, LaunchShape> launches;
  for (const json::Value &kernel : *root->getArray("kernels"))
    if (const json::Object *own = kernel.getAsObject())
      if (const json::Array *variants = own->getArray("variants"))
        for (const json::Value &value : *variants)
          if (const json::Object *variant = value.getAsObject())
            if (auto name = variant->getString("function"))
              launches[name->str()] = readLaunch(*variant, options.launch);
  for (const json::Value &module : *root->getArray("modules")) {
    const json::Object *own = module.getAsObject();
    const json::Array *images = own ? own->getArray("images") : nullptr;
    if (!images)
      continue;
    for (const json::Value &value : *images) {
      const json::Object *image = value.getAsObject();
      if (!image || image->getString("kind") != "ptx" ||
          !image->getString("file"))
        continue;
      llvm::SmallString<128> text(folder);
      llvm::sys::path::append(text, *image->getString("file"));
      checkText(text, options, outcome, &launches);
    }
  }
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static void printCounts(llvm::ArrayRef<CheckedKernel> kernels) {
  llvm::outs() << kernels.size()
               << (kernels.size() == 1 ? " kernel:" : " kernels:");
  for (auto [verdict, count] : llvm::enumerate(countVerdicts(kernels)))
    llvm::outs() << (verdict == 0 ? " " : ", ") << count << ' '
                 << stringify(Verdict(verdict));
  llvm::outs() << '\n';
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("carousel-check");
  cl::list<std::string> inputs(cl::Positional, cl::OneOrMore,
                               cl::desc("<files of PTX, packages>"),
                               cl::cat(category));
  cl::opt<std::string> kernel("kernel", cl::desc("The kernel to check"),
                              cl::cat(category));
  cl::list<unsigned> block("block", cl::CommaSeparated,
                           cl::desc("Threads of a CTA: x,y,z"),
                           cl::cat(category));
  cl::opt<uint64_t> shared("shared",
                           cl::desc("Bytes of shared memory that the launch "
                                    "adds"),
                           cl::init(LaunchShape().sharedBytes),
                           cl::cat(category));
  cl::list<std::string> boxes(
      "box", cl::desc("Bytes of a tensor map's box: <parameter>=<bytes>"),
      cl::cat(category));
  cl::opt<unsigned> trips("trips",
                          cl::desc("Iterations of loops whose number the "
                                   "launch chooses"),
                          cl::init(LaunchShape().mostTrips), cl::cat(category));
  cl::opt<bool> quiet("quiet", cl::desc("As text, only print what is refuted"),
                      cl::cat(category));
  cl::opt<ReportFormat> format(
      cl::desc("How verdicts are printed:"), cl::init(ReportFormat::Text),
      cl::values(clEnumValN(ReportFormat::Json, "json", "As one JSON document"),
                 clEnumValN(ReportFormat::Sarif, "sarif",
                            "As one SARIF 2.1.0 document")),
      cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "carousel-check " CAROUSEL_VERSION "\n";
  });
  cl::ParseCommandLineOptions(
      argc, argv,
      "Proves or refutes that the threads of kernels synchronise.\n\n"
      "Exit status: 0 if all kernels are proved, 1 if one is refuted, 2 if the "
      "command line or a file is wrong, 3 if one is unknown.\n");
  Options options;
  options.kernel = kernel;
  options.isQuiet = quiet;
  options.format = format;
  options.launch.sharedBytes = shared;
  options.launch.mostTrips = trips;
  for (auto [dim, threads] : llvm::enumerate(block))
    if (dim < 3)
      options.launch.block[dim] = threads;
  for (size_t dim = block.size(); !block.empty() && dim < 3; ++dim)
    options.launch.block[dim] = 1;
  for (StringRef box : boxes) {
    auto [number, bytes] = box.split('=');
    unsigned parameter = 0;
    uint64_t count = 0;
    if (number.getAsInteger(10, parameter) || bytes.getAsInteger(10, count)) {
      fail("--box: expected <parameter>=<bytes>, got '" + box + "'");
      return kWrongUse;
    }
    options.launch.boxes[parameter] = count;
  }
  Outcome outcome;
  for (StringRef input : inputs)
    if (llvm::sys::fs::is_directory(input))
      checkPackage(input, options, outcome);
    else
      checkText(input, options, outcome);
  if (!kernel.empty() && outcome.kernels.empty() && !outcome.isWrongUse) {
    fail("--kernel: no file has a kernel '" + kernel + "'");
    return kWrongUse;
  }
  switch (options.format) {
  case ReportFormat::Text:
    printCounts(outcome.kernels);
    break;
  case ReportFormat::Json:
    printJson(llvm::outs(), outcome.kernels);
    break;
  case ReportFormat::Sarif:
    printSarif(llvm::outs(), outcome.kernels);
    break;
  }
  return outcome.getStatus();
}
