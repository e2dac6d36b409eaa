//===- CompileSource.cpp - packages and passes of the C interface ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts and checks the options, compiles, and makes the texts that
// carousel-compile prints.
//
//===----------------------------------------------------------------------===//

#include "SourceModule.h"

#include "../support/MLIR/UseCodeCache.h"

#include "carousel/Package/ReportDecisions.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::capi;

/// Bytes of the structs in the first versions of the header.
static constexpr size_t kOptionBytes = 152;
static_assert(kOptionBytes <= sizeof(carousel_compile_source_options));
static constexpr size_t kTransformBytes = 32;
static_assert(kTransformBytes <= sizeof(carousel_transform_source_options));

void carousel_compile_source_options_init(
    carousel_compile_source_options *options, size_t size) noexcept {
  if (!options || checkSize(size, kOptionBytes, "size"))
    return;
  CompilePackageOptions defaults;
  carousel_compile_source_options value = {};
  value.accumulate = "f32";
  value.products = "exact";
  value.index_bitwidth = static_cast<int32_t>(defaults.indexBitwidth);
  value.opt_level = static_cast<int32_t>(defaults.optLevel);
  value.ptx = defaults.ptx;
  value.cuda = defaults.cuda;
  value.warnings = true;
  value.libraries = defaults.libraries;
  value.streams = defaults.streams;
  options->size = size;
  writeStruct(value, kOptionBytes, "options", options);
}

static carousel_compiler_status readList(const char *const *list, size_t count,
                                         StringRef name,
                                         std::vector<std::string> &to) {
  if (count != 0 && !list)
    return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
                "options: " + name + ": expected a pointer, got null");
  for (size_t i = 0; i < count; ++i) {
    if (!list[i])
      return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
                  "options: " + name + ": expected a text as entry " +
                      Twine(i) + ", got null");
    to.push_back(list[i]);
  }
  return CAROUSEL_COMPILER_OK;
}

static carousel_compiler_status
readErrors(const carousel_compile_source_options &given,
           CompilePackageOptions &to) {
  std::vector<std::string> names;
  if (carousel_compiler_status status =
          readList(given.werror, given.werror_count, "werror", names))
    return status;
  for (StringRef name : names) {
    auto kind = llvm::StringSwitch<std::optional<MissKind>>(name)
                    .Case("pipeline", MissKind::Request)
                    .Case("tensor-cores", MissKind::TensorCores)
                    .Case("alignment", MissKind::Alignment)
                    .Case("spills", MissKind::Spills)
                    .Default(std::nullopt);
    if (!kind)
      return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
                  "options: werror: expected pipeline, tensor-cores, alignment "
                  "or spills, got '" +
                      name + "'");
    to.errors.push_back(*kind);
  }
  return CAROUSEL_COMPILER_OK;
}

static carousel_compiler_status checkRange(int64_t value, int64_t least,
                                           int64_t most, StringRef name) {
  if (value >= least && value <= most)
    return CAROUSEL_COMPILER_OK;
  return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
              "options: " + name + ": expected " + Twine(least) + " to " +
                  Twine(most) + ", got " + Twine(value));
}

static carousel_compiler_status
readOptions(const carousel_compile_source_options *options,
            CompilePackageOptions &to) {
  carousel_compile_source_options given;
  carousel_compile_source_options_init(&given, sizeof(given));
  if (carousel_compiler_status status =
          readStruct(options, kOptionBytes, "options", given))
    return status;
  struct {
    int64_t value, least, most;
    StringRef name;
  } ranges[] = {
      {given.ptx_version, 0, 999, "ptx_version"},
      {given.opt_level, 0, 3, "opt_level"},
      {given.debug_waits, 0, INT32_MAX, "debug_waits"},
      {given.cubins, 0, CAROUSEL_COMPILER_CUBINS_REQUIRED, "cubins"},
      {given.assembler, 0, CAROUSEL_COMPILER_ASSEMBLER_PTXAS, "assembler"}};
  for (const auto &range : ranges)
    if (carousel_compiler_status status =
            checkRange(range.value, range.least, range.most, range.name))
      return status;
  if (given.index_bitwidth != 32 && given.index_bitwidth != 64)
    return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
                "options: index_bitwidth: expected 32 or 64, got " +
                    Twine(given.index_bitwidth));
  if (!given.ptx && !given.cuda)
    return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
                "options: expected one of ptx and cuda, got neither");
  if (carousel_compiler_status status =
          require({{given.accumulate, "options: accumulate"},
                   {given.products, "options: products"}}))
    return status;
  if (carousel_compiler_status status =
          readList(given.chips, given.chip_count, "chips", to.chips))
    return status;
  if (carousel_compiler_status status =
          readList(given.gpus, given.gpu_count, "gpus", to.gpus))
    return status;
  if (carousel_compiler_status status = readErrors(given, to))
    return status;
  if (given.ptx_version != 0)
    to.ptxVersion = given.ptx_version;
  if (given.debug_waits != 0)
    to.debugWaits = given.debug_waits;
  to.debugAssertions = given.debug_assertions != 0;
  to.indexBitwidth = given.index_bitwidth;
  to.optLevel = given.opt_level;
  to.cubins = static_cast<CompilePackageOptions::Cubins>(given.cubins);
  to.assembler = static_cast<Assembler>(given.assembler);
  to.ptx = given.ptx != 0;
  to.cuda = given.cuda != 0;
  to.lineDirectives = given.line_directives != 0;
  using Misses = CompilePackageOptions::Misses;
  to.misses = given.warnings ? Misses::Warn : Misses::Ignore;
  to.accumulate = given.accumulate;
  to.products = given.products;
  to.libraries = given.libraries != 0;
  to.streams = given.streams != 0;
  to.cudaRoot = given.cuda_root ? given.cuda_root : "";
  if (given.first_variant)
    to.wanted = [](StringRef, auto) { return true; };
  if (given.progress)
    to.progress = [given](const CompileStep &step) {
      given.progress(given.progress_data, step.number, step.count,
                     step.module.str().c_str(), step.chip.str().c_str());
    };
  if (given.is_cancelled)
    to.isCancelled = [given] {
      return given.is_cancelled(given.cancel_data) != 0;
    };
  return CAROUSEL_COMPILER_OK;
}

static_assert(CAROUSEL_COMPILER_CUBINS_AUTO ==
                  int(CompilePackageOptions::Cubins::Auto) &&
              CAROUSEL_COMPILER_CUBINS_NEVER ==
                  int(CompilePackageOptions::Cubins::Never) &&
              CAROUSEL_COMPILER_CUBINS_REQUIRED ==
                  int(CompilePackageOptions::Cubins::Required) &&
              CAROUSEL_COMPILER_ASSEMBLER_AUTO == int(Assembler::Auto) &&
              CAROUSEL_COMPILER_ASSEMBLER_LIBRARY == int(Assembler::Library) &&
              CAROUSEL_COMPILER_ASSEMBLER_PTXAS == int(Assembler::Program));

template <typename Print>
static void addText(carousel_compiler_result &result,
                    carousel_compiler_text kind, Print print) {
  llvm::raw_string_ostream stream(result.texts[kind]);
  print(stream);
}

/// Adds the reports that carousel-compile can print about a package.
static void addReports(carousel_compiler_result &result,
                       const Package &package) {
  addText(result, CAROUSEL_COMPILER_DECISIONS_JSON,
          [&](auto &os) { explainDecisionsAsJSON(os, package); });
  addText(result, CAROUSEL_COMPILER_DECISIONS, [&](auto &os) {
    explainGraphs(os, package);
    explainDecisions(os, package);
  });
  addText(result, CAROUSEL_COMPILER_SUMMARY, [&](auto &os) {
    printSummary(os, package);
    os << '\n';
    printDecisions(os, package);
  });
  if (!package.graphs.empty())
    addText(result, CAROUSEL_COMPILER_GRAPHS_SVG,
            [&](auto &os) { drawGraphs(os, package); });
}

carousel_compiler_status
carousel_compile_source(carousel_compiler *compiler,
                        const carousel_compiler_source *source,
                        const carousel_compile_source_options *options,
                        carousel_compiler_result **result) noexcept {
  if (carousel_compiler_status status = require(
          {{compiler, "compiler"}, {options, "options"}, {result, "result"}}))
    return status;
  if (carousel_compiler_status status = checkSource(source))
    return status;
  if (carousel_compiler_status status = compiler->checkProcess())
    return status;
  if (carousel_compiler_status status = compiler->checkCallback())
    return status;
  Kept<CompilePackageOptions> compile(*compiler);
  if (carousel_compiler_status status = readOptions(options, *compile))
    return status;
  if (std::string error = useCodeCache(*compile); !error.empty())
    return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT, error);
  Kept<carousel_compiler_result> made(*compiler);
  CompilerLock lock(*compiler);
  if (carousel_compiler_status status = compiler->checkLeft())
    return status;
  Kept<SourceModule> module(*compiler, *source, compiler->context, *made);
  // Names are for the text that people read; they change no other.
  using Names = SourceModule::Names;
  bool succeeded = module->parse(compile->cuda ? Names::Values : Names::None);
  if (succeeded) {
    // A callback that forks must not return into work that goes on.
    if (compile->progress && !compile->isCancelled)
      compile->isCancelled = [] { return false; };
    Kept<Watch> watch(*compiler, *compiler, std::move(compile->isCancelled));
    compile->isCancelled = watch->getIsStopped();
    if (auto progress = std::move(compile->progress))
      compile->progress = [own = &*watch, progress](const CompileStep &step) {
        own->callBack([&] { progress(step); });
      };
    Kept<FailureOr<Package>> package(*compiler, failure());
    watch->run([compiler, made = &*package, parsed = module->getModule(),
                used = &*compile] {
      *made = compiler->packages.compile(parsed, *used);
    });
    if (watch->isStopped())
      return watch->fail();
    succeeded = mlir::succeeded(*package);
    if (succeeded) {
      addReports(*made, **package);
      made->files = std::move((*package)->files);
    }
  }
  module->finish(succeeded);
  *result = made.release();
  return CAROUSEL_COMPILER_OK;
}

void carousel_transform_source_options_init(
    carousel_transform_source_options *options, size_t size) noexcept {
  if (!options || checkSize(size, kTransformBytes, "size"))
    return;
  options->size = size;
  writeStruct(carousel_transform_source_options{}, kTransformBytes, "options",
              options);
}

carousel_compiler_status carousel_run_passes(
    carousel_compiler *compiler, const carousel_compiler_source *source,
    const char *pipeline, carousel_compiler_result **result) noexcept {
  carousel_transform_source_options options;
  carousel_transform_source_options_init(&options, sizeof(options));
  options.pipeline = pipeline;
  return carousel_transform_source(compiler, source, &options, result);
}

carousel_compiler_status
carousel_transform_source(carousel_compiler *compiler,
                          const carousel_compiler_source *source,
                          const carousel_transform_source_options *options,
                          carousel_compiler_result **result) noexcept {
  if (carousel_compiler_status status = require(
          {{compiler, "compiler"}, {options, "options"}, {result, "result"}}))
    return status;
  if (carousel_compiler_status status = checkSource(source))
    return status;
  if (carousel_compiler_status status = compiler->checkProcess())
    return status;
  if (carousel_compiler_status status = compiler->checkCallback())
    return status;
  carousel_transform_source_options given = {};
  if (carousel_compiler_status status =
          readStruct(options, kTransformBytes, "options", given))
    return status;
  Kept<carousel_compiler_result> made(*compiler);
  CompilerLock lock(*compiler);
  if (carousel_compiler_status status = compiler->checkLeft())
    return status;
  Kept<SourceModule> module(*compiler, *source, compiler->context, *made);
  std::function<bool()> ask;
  if (given.is_cancelled)
    ask = [&] { return given.is_cancelled(given.cancel_data) != 0; };
  Kept<Watch> watch(*compiler, *compiler, std::move(ask));
  bool succeeded =
      module->parse(SourceModule::Names::None) &&
      module->runPasses(given.pipeline ? given.pipeline : "", *watch);
  if (watch->isStopped())
    return watch->fail();
  if (succeeded)
    addText(*made, CAROUSEL_COMPILER_MODULE, [&](auto &os) {
      module->getModule().print(
          os, OpPrintingFlags().enableDebugInfo(given.locations != 0));
      os << '\n';
    });
  module->finish(succeeded);
  *result = made.release();
  return CAROUSEL_COMPILER_OK;
}
