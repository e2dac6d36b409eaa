//===- CompilePackage.cpp - compile modules to packages -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers a copy of each gpu.module for each chip, without variants that never
// run there. Collects PTX, cubins and the manifest.
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/CompilePackage.h"

#include "KernelParts.h"
#include "LowerGraphs.h"
#include "LowerTilePhase.h"
#include "Occupation.h"

#include "carousel/Dialect/Transforms/VerifyLimits.h"
#include "carousel/Package/DescribeProgram.h"
#include "carousel/Package/ReportDecisions.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Passes/Pipelines.h"
#include "carousel/Target/AssemblePTX.h"
#include "carousel/Target/ChipModel.h"
#include "carousel/Target/CubinRegisters.h"
#include "carousel/Target/EmitCUDA.h"
#include "carousel/Target/MathLibrary.h"
#include "carousel/Target/TargetInfo.h"
#include "carousel/Target/TargetMachines.h"
#include "carousel/Target/VerifyPTX.h"
#include "carousel/Target/VerifyProducts.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <mutex>
#include <set>

using namespace mlir;
using namespace carousel;

/// A module that says its target is for no other.
static bool isMadeFor(gpu::GPUModuleOp module, const TargetInfo &chip) {
  ArrayAttr targets = module.getTargetsAttr();
  return !targets || llvm::any_of(targets, [&](Attribute target) {
    auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target);
    return nvvm && nvvm.getChip() == chip.chip;
  });
}

namespace {

using Cubins = CompilePackageOptions::Cubins;

/// Compiles one module.
class Compiler {
public:
  Compiler(ModuleOp module, const CompilePackageOptions &options,
           PassManagers &managers, MathLibrary &math, TargetMachines &machines)
      : module(module), options(options), managers(managers), math(math),
        machines(machines) {}

  FailureOr<Package> compile();

private:
  LogicalResult findChips();
  LogicalResult planFor();
  LogicalResult checkAssembler();
  LogicalResult describePrograms();
  LogicalResult chooseVariants();
  LogicalResult numberWaits();
  LogicalResult compileModule(gpu::GPUModuleOp gpuModule,
                              const TargetInfo &chip,
                              ModuleDescription &description);
  LogicalResult noteExterns(gpu::GPUModuleOp gpuModule, StringRef ptx,
                            ModuleDescription &description);
  LogicalResult compileCUDA(ModuleOp holder, const TargetInfo &chip,
                            ModuleDescription &description);
  void noteRegisters(const TargetInfo &chip, StringRef module, StringRef cubin);
  void noteOccupancies();
  void addImage(ModuleDescription &description, const TargetInfo &chip,
                llvm::StringLiteral kind, std::string contents,
                StringRef function = {});
  void dropUnused();

  bool runsOn(gpu::GPUFuncOp func, const TargetInfo &chip) const {
    return chosen.contains({func, &chip});
  }
  bool runsOn(gpu::GPUModuleOp gpuModule, const TargetInfo &chip) const {
    return isMadeFor(gpuModule, chip) &&
           llvm::any_of(
               gpuModule.getOps<gpu::GPUFuncOp>(),
               [&](gpu::GPUFuncOp func) { return runsOn(func, chip); });
  }

  ModuleOp module;
  const CompilePackageOptions &options;
  PassManagers &managers;
  MathLibrary &math;
  TargetMachines &machines;
  SmallVector<const TargetInfo *> chips;
  bool hasAssembler = false;
  llvm::DenseSet<Operation *> lowered; ///< modules from the tile phase
  llvm::DenseSet<std::pair<Operation *, const TargetInfo *>> chosen;
  Package package;
};

} // namespace

LogicalResult Compiler::findChips() {
  if (options.chips.empty())
    return emitError(module.getLoc()) << "expected at least one chip, got none";
  for (const std::string &chip : options.chips) {
    std::string error;
    FailureOr<TargetSpec> spec =
        makeTargetSpec(chip, options.ptxVersion, error);
    if (failed(spec))
      return emitError(module.getLoc()) << error;
    if (llvm::is_contained(chips, spec->info))
      return emitError(module.getLoc())
             << "expected each chip once, got '" << chip << "' twice";
    chips.push_back(spec->info);
  }
  return planFor();
}

/// Graphs are planned once, for the newest chip.
LogicalResult Compiler::planFor() {
  std::map<unsigned, StringRef, std::greater<>> gpus; // by chip, newest first
  SmallVector<unsigned> sms;
  for (const TargetInfo *chip : chips) {
    sms.push_back(chip->sm);
    gpus[chip->sm] = ChipModel::of(*chip).gpu;
  }
  auto error = [&] { return emitError(module.getLoc()); };
  std::set<unsigned> given;
  for (StringRef gpu : options.gpus) {
    if (failed(verifyGPU(gpu, sms, error)))
      return failure();
    unsigned sm = *ChipModel::findSM(gpu);
    if (!given.insert(sm).second)
      return error() << "expected one GPU of each chip, got '" << gpus[sm]
                     << "' and '" << gpu << "'";
    gpus[sm] = gpu;
  }
  // What the module says itself holds where the caller says nothing.
  if (given.empty() && module->hasAttr(DLTIDialect::kTargetSystemDescAttrName))
    return success();
  attachGPUs(module, llvm::to_vector(llvm::make_second_range(gpus)));
  return success();
}

LogicalResult Compiler::checkAssembler() {
  if (!options.ptx && !options.cuda)
    return emitError(module.getLoc())
           << "expected PTX or CUDA C++ to be asked for, got neither";
  if (!options.ptx || options.cubins == Cubins::Never)
    return success();
  llvm::Expected<std::string> found =
      findAssembler({options.assembler, options.cudaRoot});
  hasAssembler = static_cast<bool>(found);
  if (hasAssembler)
    return success();
  std::string reason = llvm::toString(found.takeError());
  if (options.cubins == Cubins::Required)
    return emitError(module.getLoc()) << reason;
  emitRemark(module.getLoc()) << reason << "; the package holds PTX only";
  return success();
}

/// Which variants are compiled for which chips.
LogicalResult Compiler::chooseVariants() {
  for (KernelDescription &kernel : package.manifest.kernels)
    for (const TargetInfo *chip : chips) {
      bool found = false;
      for (VariantDescription &variant : kernel.variants) {
        if (variant.findExcludingGuard(chip->sm) ||
            !isMadeFor(variant.function->getParentOfType<gpu::GPUModuleOp>(),
                       *chip))
          continue;
        found = true;
        variant.chips.push_back(chip->chip.str());
        chosen.insert({variant.function, chip});
      }
      if (!found)
        return kernel.variants.front().function.emitError("expected kernel '")
               << kernel.name << "' to have a variant for " << chip->chip
               << ", got capability guards that exclude it";
    }
  return success();
}

void Compiler::addImage(ModuleDescription &description, const TargetInfo &chip,
                        llvm::StringLiteral kind, std::string contents,
                        StringRef function) {
  StringRef ending = kind == "cuda" ? StringRef("cu") : StringRef(kind);
  std::string file = (description.name + (function.empty() ? "" : ".") +
                      function + "." + chip.chip + "." + ending)
                         .str();
  description.images.push_back({chip.chip.str(), kind, file, contents.size(),
                                hashContents(contents), function.str()});
  package.files.push_back({std::move(file), std::move(contents)});
}

/// One line of what an external program said.
static std::string joinLines(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef &line : lines)
    line = line.trim();
  return llvm::join(lines, "; ");
}

/// Notes the functions that the PTX leaves to the linker. The loader of the
/// package supplies them, so ptxas can't make a cubin.
LogicalResult Compiler::noteExterns(gpu::GPUModuleOp gpuModule, StringRef ptx,
                                    ModuleDescription &description) {
  FailureOr<std::vector<ExternDescription>> externs =
      describeExterns(gpuModule, ptx, options.indexBitwidth);
  if (failed(externs))
    return failure();
  for (ExternDescription &function : *externs) {
    // As for another chip.
    if (llvm::any_of(description.externs, [&](const ExternDescription &known) {
          return known.name == function.name;
        }))
      continue;
    Operation *declaration = gpuModule.lookupSymbol(function.name);
    if (options.cubins == Cubins::Required)
      return declaration->emitError("expected a body of '")
             << function.name << "' for a cubin, got a declaration";
    if (options.cubins != Cubins::Never)
      declaration->emitRemark("'")
          << function.name << "' is left for the linker; the package holds no "
          << "cubin of '" << gpuModule.getName() << "'";
    description.externs.push_back(std::move(function));
  }
  return success();
}

LogicalResult Compiler::compileModule(gpu::GPUModuleOp gpuModule,
                                      const TargetInfo &chip,
                                      ModuleDescription &description) {
  OwningOpRef<ModuleOp> holder = cast<ModuleOp>(module->cloneWithoutRegions());
  OpBuilder builder(holder->getContext());
  builder.createBlock(&holder->getBodyRegion());
  auto copy = cast<gpu::GPUModuleOp>(builder.clone(*gpuModule));

  // The functions of the copy stand in the order of those of the original.
  bool erased = false;
  auto copies = llvm::to_vector(copy.getOps<gpu::GPUFuncOp>());
  for (auto [func, copied] :
       llvm::zip(gpuModule.getOps<gpu::GPUFuncOp>(), copies))
    if (func.isKernel() && !runsOn(func, chip)) {
      copied.erase();
      erased = true;
    }

  // Helpers of the kernels that are gone may use what the chip lacks.
  if (erased) {
    PassManager dce(module.getContext());
    dce.nest<gpu::GPUModuleOp>().addPass(createSymbolDCEPass());
    if (failed(dce.run(*holder)))
      return failure();
  }
  OwningOpRef<ModuleOp> forCUDA;
  if (options.cuda)
    forCUDA = holder->clone();
  if (!options.ptx)
    return compileCUDA(*forCUDA, chip, description);

  LowerToNVVMOptions lowering;
  lowering.chip = chip.chip.str();
  lowering.ptxVersion = options.ptxVersion;
  lowering.indexBitwidth = options.indexBitwidth;
  lowering.optLevel = options.optLevel;
  lowering.debugWaits = options.debugWaits;
  lowering.verify = !lowered.contains(gpuModule);
  std::string name = llvm::formatv(
      "NVVM, {0}, PTX {1}, {2} bits, level {3}, waits {4}, verify {5}",
      chip.chip, options.ptxVersion, options.indexBitwidth, options.optLevel,
      options.debugWaits, lowering.verify.getValue());
  auto build = [&](OpPassManager &pm) {
    buildLowerToNVVMPipeline(pm, lowering);
  };
  std::set<std::string> idle;
  std::mutex mutex;
  auto noteIdle = [&](StringRef kernel) {
    std::scoped_lock lock(mutex);
    idle.insert(kernel.str());
  };
  FailureOr<std::string> ptx =
      emitKernels(*holder, managers, {name, build},
                  {options.cudaRoot, &math, &machines, noteIdle});
  if (failed(ptx))
    return failure();

  for (auto func : gpuModule.getOps<gpu::GPUFuncOp>())
    if (runsOn(func, chip) &&
        !StringRef(*ptx).contains((".entry " + func.getName() + "(").str()))
      return func.emitError("expected an entry of its own in the PTX for ")
             << chip.chip << ", got none";

  // The machine phase is what the simulated machine runs.
  auto isInText = [&](FunctionOpInterface func) {
    return runsOn(cast<gpu::GPUFuncOp>(func.getOperation()), chip) &&
           !idle.count(func.getName().str());
  };
  if (failed(reportMissingWrites(
          findMissingWrites(gpuModule, *ptx, isInText),
          "a pass lost it between the machine phase and LLVM; this is a fault "
          "of the compiler")) ||
      failed(noteExterns(gpuModule, *ptx, description)))
    return failure();
  if (hasAssembler && description.externs.empty()) {
    std::string report;
    llvm::Expected<std::string> cubin = assemblePTX(
        *ptx, chip.chip, {options.assembler, options.cudaRoot}, &report);
    if (!cubin)
      return emitError(gpuModule.getLoc())
             << joinLines(llvm::toString(cubin.takeError()));
    if (cubin->empty())
      return emitError(gpuModule.getLoc())
             << "expected a cubin for " << chip.chip << ", got nothing";
    if (failed(verifyProducts(gpuModule, report)))
      return failure();
    noteRegisters(chip, gpuModule.getName(), *cubin);
    noteSpills(package.manifest.kernels, gpuModule.getName(), report);
    addImage(description, chip, "cubin", std::move(*cubin));
  }
  addImage(description, chip, "ptx", std::move(*ptx));
  return options.cuda ? compileCUDA(*forCUDA, chip, description) : success();
}

/// A text for each kernel of a module whose kernels all run on the chip, so
/// that only what is launched is compiled.
LogicalResult Compiler::compileCUDA(ModuleOp holder, const TargetInfo &chip,
                                    ModuleDescription &description) {
  auto gpuModule = *holder.getOps<gpu::GPUModuleOp>().begin();
  SmallVector<std::string> names;
  for (auto func : gpuModule.getOps<gpu::GPUFuncOp>())
    if (func.isKernel())
      names.push_back(func.getName().str());
  PassManager pm(module.getContext());
  LowerToEmitCOptions lowering;
  lowering.chip = chip.chip.str();
  lowering.ptxVersion = options.ptxVersion;
  lowering.indexBitwidth = options.indexBitwidth;
  lowering.debugWaits = options.debugWaits;
  buildLowerToEmitCPipeline(pm, lowering);
  if (failed(pm.run(holder)))
    return failure();
  for (const std::string &name : names) {
    EmitCUDAOptions printing;
    printing.lineDirectives = options.lineDirectives;
    printing.kernel = name;
    FailureOr<std::string> text = emitCUDA(gpuModule, printing);
    if (failed(text))
      return failure();
    addImage(description, chip, "cuda", std::move(*text), name);
  }
  return success();
}

/// Before modules are copied for chips, so that all copies have one table.
LogicalResult Compiler::numberWaits() {
  if (!options.debugWaits)
    return success();
  PassManager pm(module.getContext());
  pm.nest<gpu::GPUModuleOp>().addPass(createAssignWaitIds());
  return pm.run(module);
}

/// The assembler's registers say more than an estimate.
void Compiler::noteRegisters(const TargetInfo &chip, StringRef module,
                             StringRef cubin) {
  llvm::StringMap<int64_t> registers = readRegisters(cubin);
  for (KernelDescription &kernel : package.manifest.kernels)
    for (VariantDescription &variant : kernel.variants) {
      auto found = registers.find(variant.functionName);
      if (variant.moduleName != module || found == registers.end())
        continue;
      for (OccupancyDescription &occupancy : variant.occupancies)
        if (occupancy.chip == chip.chip)
          occupancy = describeOccupancy(variant, chip, found->second);
    }
}

void Compiler::noteOccupancies() {
  for (KernelDescription &kernel : package.manifest.kernels)
    for (VariantDescription &variant : kernel.variants)
      if (variant.decisions)
        for (const std::string &chip : variant.chips)
          variant.occupancies.push_back(describeOccupancy(
              variant, *TargetInfo::lookup(chip), std::nullopt));
}

/// What no chip of the list can run is not in the package.
void Compiler::dropUnused() {
  for (KernelDescription &kernel : package.manifest.kernels)
    llvm::erase_if(kernel.variants, [](const VariantDescription &variant) {
      return variant.chips.empty();
    });
}

/// While launches still find their kernels.
LogicalResult Compiler::describePrograms() {
  ConstantPool constants;
  FailureOr<std::vector<ProgramDescription>> programs =
      carousel::describePrograms(module, constants);
  if (failed(programs))
    return failure();
  package.manifest.programs = std::move(*programs);
  const std::string &contents = constants.getContents();
  if (contents.empty())
    return success();
  constexpr llvm::StringLiteral kFile = "constants.bin";
  package.manifest.constants = {kFile.str(), contents.size(),
                                hashContents(contents)};
  package.files.push_back({kFile.str(), contents});
  return success();
}

FailureOr<Package> Compiler::compile() {
  // The attributes are read before the pipeline looks at them.
  if (failed(verify(module)) || failed(verifyLimits(module)) ||
      failed(findChips()))
    return failure();
  FailureOr<std::vector<GraphDecision>> decided =
      lowerGraphs(module, options, managers);
  if (failed(decided) || failed(describePrograms()))
    return failure();
  package.graphs = std::move(*decided);
  FailureOr<llvm::DenseSet<Operation *>> made =
      lowerTilePhase(module, chips, options, managers);
  if (failed(made) || failed(numberWaits()))
    return failure();
  lowered = std::move(*made);
  FailureOr<std::vector<KernelDescription>> kernels =
      describeKernels(module, options.indexBitwidth);
  if (failed(kernels))
    return failure();
  if (kernels->empty() && package.manifest.programs.empty())
    return emitError(module.getLoc(),
                     "expected a kernel in a gpu.module, or a program, found "
                     "none");
  package.manifest.producer = "carousel " CAROUSEL_VERSION;
  package.manifest.kernels = std::move(*kernels);
  if (failed(chooseVariants()) || failed(checkAssembler()))
    return failure();
  dropUnused();
  if (failed(reportMisses(package.manifest.kernels, options.misses,
                          options.errors)))
    return failure();
  noteOccupancies();

  SmallVector<std::pair<gpu::GPUModuleOp, const TargetInfo *>> steps;
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    for (const TargetInfo *chip : chips)
      if (runsOn(gpuModule, *chip))
        steps.emplace_back(gpuModule, chip);
  for (auto [index, step] : llvm::enumerate(steps)) {
    auto [gpuModule, chip] = step;
    std::vector<ModuleDescription> &modules = package.manifest.modules;
    if (modules.empty() || modules.back().name != gpuModule.getName()) {
      modules.push_back({gpuModule.getName().str(), {}, {}});
      if (options.debugWaits)
        modules.back().waits = describeWaits(gpuModule);
    }
    if (options.progress)
      options.progress(
          {index + 1, steps.size(), gpuModule.getName(), chip->chip});
    if (failed(compileModule(gpuModule, *chip, modules.back())))
      return failure();
  }

  if (failed(reportMisses(package.manifest.kernels, options.misses,
                          options.errors, /*areSpills=*/true)))
    return failure();
  std::string manifest = printManifest(package.manifest);
  if (manifest.size() > kMaxManifestBytes)
    return emitError(module.getLoc())
           << "expected a manifest of at most " << kMaxManifestBytes
           << " bytes, got " << manifest.size();
  package.files.push_back({kManifestFile.str(), std::move(manifest)});
  return std::move(package);
}

PackageCompiler::PackageCompiler(MLIRContext *context)
    : managers(std::make_unique<PassManagers>(context)),
      math(std::make_unique<MathLibrary>()),
      machines(std::make_unique<TargetMachines>()) {}

PackageCompiler::~PackageCompiler() = default;

FailureOr<Package>
PackageCompiler::compile(ModuleOp module,
                         const CompilePackageOptions &options) {
  if (module.getContext() != managers->getContext())
    return emitError(module.getLoc())
           << "expected a module of the compiler's MLIR context, got one of "
              "another";
  Occupation occupation(module.getContext());
  if (!occupation)
    return emitError(module.getLoc())
           << "expected one compilation at a time in an MLIR context, got "
              "another one that runs";
  OwningOpRef<ModuleOp> copy = module.clone();
  managers->setIsCancelled(options.isCancelled);
  FailureOr<Package> package =
      Compiler(*copy, options, *managers, *math, *machines).compile();
  managers->setIsCancelled(nullptr); // it may refer to what the caller has
  if (succeeded(package))
    for (KernelDescription &kernel : package->manifest.kernels)
      for (VariantDescription &variant : kernel.variants)
        variant.function = {};
  return package;
}

FailureOr<Package>
carousel::compilePackage(ModuleOp module,
                         const CompilePackageOptions &options) {
  return PackageCompiler(module.getContext()).compile(module, options);
}
