//===- SimulateSource.cpp - simulations of the C interface ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the kernel, or after passes the first of its variants that takes the
// arguments, and runs one schedule after the other on the arrays.
//
//===----------------------------------------------------------------------===//

#include "HostArrays.h"
#include "SimulateOptions.h"
#include "SourceModule.h"

#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/PTX/Parser.h"
#include "carousel/Simulator/PTXDescription.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::capi;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static std::string getQualifiedName(gpu::GPUFuncOp kernel) {
  auto parent = kernel->getParentOfType<gpu::GPUModuleOp>();
  return (parent.getName() + "::" + kernel.getName()).str();
}

/// The functions that serve the kernel: one, or after passes its variants.
static carousel_compiler_status
findKernels(ModuleOp module, std::string name, bool isLowered,
            SmallVectorImpl<gpu::GPUFuncOp> &found) {
  llvm::erase(name, '@');
  llvm::SetVector<StringRef> names;
  std::vector<std::string> all;
  module.walk([&](gpu::GPUFuncOp func) {
    if (!func.isKernel())
      return;
    StringRef served = isLowered ? getKernelName(func) : func.getName();
    std::string qualified = getQualifiedName(func);
    all.push_back(qualified);
    auto parent = func->getParentOfType<gpu::GPUModuleOp>();
    std::string outer = (parent.getName() + "::" + served).str();
    if (!name.empty() && name != served && name != func.getName() &&
        name != qualified && name != outer)
      return;
    // A function's own name is that of one variant.
    names.insert(name == func.getName() || name == qualified ? func.getName()
                                                             : served);
    found.push_back(func);
  });
  if (found.empty() && all.empty())
    return fail(CAROUSEL_COMPILER_NOT_FOUND,
                "expected a module with a kernel, got none");
  if (names.size() == 1 && (isLowered || found.size() == 1))
    return CAROUSEL_COMPILER_OK;
  return fail(CAROUSEL_COMPILER_NOT_FOUND,
              "kernel: expected one of " + llvm::join(all, ", ") + ", got " +
                  (name.empty() ? "none" : "'" + name + "'"));
}

namespace {

/// The code of a kernel that a module describes.
struct Code {
  std::string file;
  ptx::Module module;
  std::optional<sim::PTXParameters> parameters;
};

/// What one call does with its module.
class Simulation {
public:
  /// `code` may be null: that of the module.
  Simulation(SourceModule &module, const Code *code, const Schedules &schedules,
             ArrayRef<carousel_host_argument> given,
             carousel_compiler_result &result)
      : module(module), code(code), schedules(schedules), given(given),
        result(result) {}

  /// `succeeded` is false after errors of the module.
  carousel_compiler_status run(bool &succeeded);

private:
  carousel_compiler_status chooseKernel(bool &succeeded);
  carousel_compiler_status bindProgram(bool &succeeded);
  sim::RunResult runOnce(const sim::RunOptions &options) {
    llvm::ArrayRef<sim::Argument> arguments = arrays.reset();
    return program ? program->run(arguments, options)
                   : kernel->run(arguments, options);
  }
  carousel_compiler_status runSchedules();
  void keep(sim::RunResult run, uint64_t index);

  SourceModule &module;
  const Code *code;
  const Schedules &schedules;
  ArrayRef<carousel_host_argument> given;
  carousel_compiler_result &result;
  std::unique_ptr<sim::CompiledKernel> kernel;
  std::unique_ptr<sim::CompiledProgram> program; ///< instead of the kernel
  std::string name;
  HostArrays arrays;
};

} // namespace

/// The first variant that takes the arguments.
carousel_compiler_status Simulation::chooseKernel(bool &succeeded) {
  SmallVector<gpu::GPUFuncOp> found;
  bool isLowered = !schedules.pipeline.empty();
  if (carousel_compiler_status status =
          findKernels(module.getModule(), schedules.kernel, isLowered, found))
    return status;
  std::string refusals;
  for (gpu::GPUFuncOp func : found) {
    name = getQualifiedName(func);
    auto compiled =
        code ? sim::CompiledKernel::compilePTX(module.getModule(), name,
                                               code->module, code->file,
                                               code->parameters)
             : sim::CompiledKernel::compile(module.getModule(), name);
    succeeded = mlir::succeeded(compiled);
    if (!succeeded)
      return CAROUSEL_COMPILER_OK;
    kernel = std::move(*compiled);
    arrays = HostArrays();
    std::vector<ArgumentAccess> accesses;
    for (const KernelArgument &argument : getKernelArguments(func))
      accesses.push_back(argument.access);
    if (carousel_compiler_status status =
            arrays.bind(kernel->getArguments(), accesses, name, given))
      return status;
    // Guards may ask for extents of workspaces, too.
    if (carousel_compiler_status status =
            arrays.addWorkspaces(*kernel, schedules.run))
      return status;
    std::string refusal =
        kernel->findRefusal(arrays.getArguments(), schedules.run);
    if (refusal.empty())
      return CAROUSEL_COMPILER_OK;
    refusals += (refusals.empty() ? "" : "; ") + name + ": " + refusal;
  }
  return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
              "expected arguments that a variant takes: " + refusals);
}

carousel_compiler_status Simulation::bindProgram(bool &succeeded) {
  name = schedules.program;
  llvm::erase(name, '@');
  auto function = module.getModule().lookupSymbol<func::FuncOp>(name);
  if (!function || function.isExternal() ||
      !function->hasAttr(CarouselDialect::kProgram)) {
    std::vector<std::string> all;
    for (auto each : module.getModule().getOps<func::FuncOp>())
      if (each->hasAttr(CarouselDialect::kProgram))
        all.push_back(each.getName().str());
    return fail(CAROUSEL_COMPILER_NOT_FOUND,
                "program: expected one of " +
                    (all.empty() ? "none, as no passes have made a program"
                                 : llvm::join(all, ", ")) +
                    ", got '" + name + "'");
  }
  std::vector<sim::ArgumentInfo> infos;
  std::vector<ArgumentAccess> accesses;
  for (auto [position, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto named = function.getArgAttrOfType<ArgumentAttr>(
        position, CarouselDialect::kArgument);
    if (function.getArgAttr(position, CarouselDialect::kWorkspace))
      return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
                  "expected a program that allocates its buffers, as "
                  "carousel-graph-to-block leaves it, got a workspace");
    infos.push_back(
        {named ? named.getName().str() : "arg" + std::to_string(position),
         type});
    accesses.push_back(named ? named.getAccess() : ArgumentAccess::InOut);
  }
  if (carousel_compiler_status status =
          arrays.bind(infos, accesses, name, given))
    return status;
  auto compiled = sim::CompiledProgram::compile(module.getModule(), name);
  succeeded = mlir::succeeded(compiled);
  if (succeeded)
    program = std::move(*compiled);
  return CAROUSEL_COMPILER_OK;
}

void Simulation::keep(sim::RunResult run, uint64_t index) {
  RunRecord &record = result.run.emplace();
  record.status = run.status;
  record.kernel = name;
  record.schedulesRun = index + 1;
  record.figures = run.figures;
  record.expiredWaits = run.expiredWaits;
  if (schedules.run.replay.empty()) {
    record.policy = schedules.policies[index % schedules.policies.size()];
    record.seed = schedules.seed + index / schedules.policies.size();
  }
  std::string &findings = result.texts[CAROUSEL_COMPILER_FINDINGS];
  for (sim::Finding &finding : run.findings) {
    FindingRecord &to = result.findings.emplace_back();
    to.notes = llvm::join(finding.notes, "\n");
    llvm::raw_string_ostream stream(to.text);
    sim::printText(finding, stream);
    findings += to.text;
    to.finding = std::move(finding);
  }
  if (schedules.run.trace)
    result.texts[CAROUSEL_COMPILER_TRACE] = std::move(run.trace);
  if (schedules.run.record)
    result.texts[CAROUSEL_COMPILER_RECORD] = std::move(run.record);
  if (!schedules.run.bankConflicts)
    return;
  llvm::json::Array list;
  for (const sim::SharedAccesses &accesses : run.sharedAccesses)
    list.push_back(
        llvm::json::Object{{"location", llvm::json::fixUTF8(accesses.location)},
                           {"op", accesses.op},
                           {"bytes", accesses.bytes},
                           {"accesses", accesses.executions},
                           {"wavefronts", accesses.wavefronts},
                           {"least", accesses.least},
                           {"excess", accesses.getExcess()}});
  llvm::raw_string_ostream(result.texts[CAROUSEL_COMPILER_SHARED_ACCESSES])
      << llvm::json::Value(std::move(list));
}

carousel_compiler_status Simulation::runSchedules() {
  for (uint64_t index = 0;; ++index) {
    // The machine asks after some milliseconds, which a schedule may not take.
    if (carousel_compiler_status status = schedules.checkCancelled())
      return status;
    if (schedules.progress && schedules.progress(schedules.progressData, index,
                                                 schedules.getTotal()) != 0)
      return fail(CAROUSEL_COMPILER_STOPPED, "stopped before schedule " +
                                                 Twine(index) + " of " +
                                                 Twine(schedules.getTotal()));
    sim::RunOptions options = schedules.run;
    bool stopped = false;
    if (schedules.run.isCancelled)
      options.isCancelled = [&] {
        return stopped = stopped || schedules.run.isCancelled();
      };
    options.policy = schedules.policies[index % schedules.policies.size()];
    options.seed = schedules.seed + index / schedules.policies.size();
    sim::RunResult run = runOnce(options);
    if (stopped)
      return failCancelled(schedules.process);
    if (!run.error.empty())
      return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT, run.error);
    bool ends = !run.findings.empty() ||
                run.status != sim::RunStatus::Finished ||
                index + 1 == schedules.getTotal();
    if (!ends)
      continue;
    arrays.writeBack();
    keep(std::move(run), index);
    return CAROUSEL_COMPILER_OK;
  }
}

carousel_compiler_status Simulation::run(bool &succeeded) {
  if (carousel_compiler_status status = schedules.program.empty()
                                            ? chooseKernel(succeeded)
                                            : bindProgram(succeeded))
    return status;
  return succeeded ? runSchedules() : CAROUSEL_COMPILER_OK;
}

/// Reads the PTX of a call, and describes its kernel by the parameters of the
/// options if the source doesn't. `isRead` is false after an error of the text.
static carousel_compiler_status
readCode(const carousel_compiler_source &source, Schedules &schedules,
         MLIRContext &context, carousel_compiler_result &result, Code &code,
         std::string &description, bool &isRead) {
  const carousel_compiler_source &text =
      schedules.parameters ? source : *schedules.ptx;
  code.file = text.name;
  ptx::Diagnostic wrong;
  std::optional<ptx::Module> parsed =
      ptx::parse(StringRef(text.data, text.bytes), wrong);
  isRead = parsed.has_value();
  if (!isRead) {
    SourceModule place(text, context, result);
    emitError(FileLineColLoc::get(&context, code.file, wrong.location.line,
                                  wrong.location.column))
        << wrong.message;
    place.finish(false);
    return CAROUSEL_COMPILER_OK;
  }
  code.module = std::move(*parsed);
  if (!schedules.parameters)
    return CAROUSEL_COMPILER_OK;
  std::string &kernel = schedules.kernel;
  llvm::erase(kernel, '@');
  auto kernels = code.module.getKernels();
  if (kernel.empty() && kernels.size() != 1)
    return fail(CAROUSEL_COMPILER_NOT_FOUND,
                "kernel: expected one of the PTX, which has " +
                    Twine(kernels.size()) + ", got none");
  if (kernel.empty())
    kernel = kernels.front()->name;
  std::string error;
  llvm::SmallVector<llvm::StringRef> attributes;
  if (schedules.startsInOrder)
    attributes.push_back(CarouselDialect::kStartsInOrder);
  if (schedules.isCoresident)
    attributes.push_back(CarouselDialect::kCoresident);
  auto described =
      sim::describePTX(kernel, *schedules.parameters, attributes, error);
  if (!described)
    return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT, "parameters: " + error);
  description = std::move(described->text);
  code.parameters = std::move(described->members);
  return CAROUSEL_COMPILER_OK;
}

carousel_compiler_status
carousel_simulate_source(carousel_compiler *compiler,
                         const carousel_compiler_source *source,
                         const carousel_simulate_source_options *options,
                         const carousel_host_argument *arguments, size_t count,
                         carousel_compiler_result **result) noexcept {
  if (carousel_compiler_status status =
          require({{compiler, "compiler"}, {result, "result"}}))
    return status;
  if (carousel_compiler_status status = checkSource(source))
    return status;
  if (count != 0 && !arguments)
    return require({{arguments, "arguments"}});
  if (carousel_compiler_status status = compiler->checkProcess())
    return status;
  if (carousel_compiler_status status = compiler->checkCallback())
    return status;
  Schedules schedules;
  if (carousel_compiler_status status = readOptions(options, schedules))
    return status;
  KeptInChild<carousel_compiler_result> made;
  CompilerLock lock(*compiler);
  Code code;
  std::string description;
  bool hasCode = schedules.ptx || schedules.parameters, isRead = true;
  if (hasCode)
    if (carousel_compiler_status status =
            readCode(*source, schedules, compiler->context, *made, code,
                     description, isRead))
      return status;
  if (!isRead) {
    *result = made.release();
    return CAROUSEL_COMPILER_OK;
  }
  carousel_compiler_source described = *source;
  if (schedules.parameters)
    described = {"parameters", description.data(), description.size()};
  KeptInChild<SourceModule> module(described, compiler->context, *made);
  KeptInChild<Watch> watch(schedules.run.isCancelled);
  bool succeeded = module->parse(SourceModule::Names::Memrefs) &&
                   module->runPasses(schedules.pipeline, *watch);
  if (watch->isStopped())
    return watch->fail();
  if (succeeded) {
    if (carousel_compiler_status status = schedules.checkCancelled())
      return status;
    Simulation simulation(*module, hasCode ? &code : nullptr, schedules,
                          ArrayRef(arguments, count), *made);
    if (carousel_compiler_status status = simulation.run(succeeded))
      return status;
  }
  module->finish(succeeded);
  *result = made.release();
  return CAROUSEL_COMPILER_OK;
}
