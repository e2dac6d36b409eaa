//===- RunModule.cpp - what tools do with a text --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunModule.h"

#include "../../tools/carousel-sim/Simulate.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Package/CompilePackage.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"

#include <unistd.h>

using namespace mlir;
using namespace carousel;
using namespace carousel::fuzz;

/// Larger memrefs aren't filled.
static constexpr int64_t kMaxElements = 1 << 16;

/// Makes the value of an --arg; empty if the argument is too large.
static std::string makeArgument(StringRef name, Type type, int64_t extent) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return (name + "=" + Twine(extent)).str();
  if (!shaped.hasRank())
    return {};
  std::string value = (name + "=zeros:").str();
  int64_t elements = 1;
  for (auto [dim, size] : llvm::enumerate(shaped.getShape())) {
    int64_t length = ShapedType::isDynamic(size) ? extent : size;
    if (length > kMaxElements || (elements *= length) > kMaxElements)
      return {};
    value += (dim ? "x" : "") + std::to_string(length);
  }
  return shaped.getRank() ? value : value + "[]";
}

/// Two kernels or programs at most, under one schedule.
void ModuleRunner::simulate(ModuleOp module, const std::string &text,
                            Draw &draw) {
  char name[] = "/tmp/carousel-fuzz-XXXXXX";
  int file = mkstemp(name);
  if (file < 0)
    return;
  llvm::scope_exit unlinkFile([&] { unlink(name); });
  bool written = write(file, text.data(), text.size()) ==
                 static_cast<ssize_t>(text.size());
  close(file);
  if (!written)
    return;
  constexpr int64_t kExtents[] = {1, 3, 8, 64, 0};
  int64_t extent = kExtents[draw.below(std::size(kExtents))];
  std::vector<simtool::Options> runs;
  auto add = [&](simtool::Options options, bool fits) {
    options.input = name;
    options.stepLimit = 20000;
    options.jobs = 1;
    options.quiet = true;
    if (fits && runs.size() < 2)
      runs.push_back(std::move(options));
  };
  module.walk([&](gpu::GPUFuncOp kernel) {
    if (!kernel.isKernel())
      return;
    simtool::Options options;
    bool fits = true;
    options.kernel = kernel.getName().str();
    for (const KernelArgument &argument : getKernelArguments(kernel)) {
      options.arguments.push_back(
          makeArgument(argument.name, argument.type, extent));
      fits &= !options.arguments.back().empty();
    }
    if (!kernel->getDiscardableAttr(CarouselDialect::kLaunch)) {
      options.grid = {2, 1, 1};
      options.block = {64, 1, 1};
    }
    add(options, fits);
  });
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isPrivate())
      continue;
    simtool::Options options;
    bool fits = true;
    options.program = function.getName().str();
    for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
      auto argument = function.getArgAttrOfType<ArgumentAttr>(
          number, CarouselDialect::kArgument);
      std::string given =
          argument ? argument.getName().str() : "arg" + std::to_string(number);
      options.arguments.push_back(makeArgument(given, type, extent));
      fits &= !options.arguments.back().empty();
    }
    add(options, fits);
  }
  for (const simtool::Options &options : runs)
    (void)simtool::simulate(options);
}

bool ModuleRunner::compile(ModuleOp module, Draw &draw) {
  constexpr StringLiteral kChips[] = {"sm_80", "sm_90a", "sm_90a", "sm_100a",
                                      "sm_120a"};
  CompilePackageOptions options;
  options.chips = {kChips[draw.below(std::size(kChips))].str()};
  options.cubins = CompilePackageOptions::Cubins::Never;
  options.cuda = draw.oneIn(4);
  options.indexBitwidth = draw.oneIn(8) ? 32 : 64;
  options.optLevel = draw.oneIn(4) ? 2 : 0;
  options.products = draw.oneIn(4) ? "tf32" : "exact";
  options.libraries = draw.oneIn(2);
  FailureOr<Package> package = compilePackage(module, options);
  if (failed(package))
    return false;
  std::string text;
  llvm::raw_string_ostream out(text);
  printSummary(out, *package);
  return true;
}

Verdict ModuleRunner::run(const std::string &text, Draw draw, Report &report) {
  report.setText(text);
  bool hasError = false;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  report.enter(Stage::Parse);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context));
  if (!module)
    return hasError ? Verdict::Unparsed : Verdict::Silent;
  report.enter(Stage::Compile);
  bool compiled = compile(*module, draw);
  if (!compiled && !hasError)
    return Verdict::Silent;
  report.enter(Stage::Simulate);
  simulate(*module, text, draw);
  report.enter(Stage::Done);
  return compiled ? Verdict::Compiled : Verdict::Refused;
}
