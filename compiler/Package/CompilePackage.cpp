//===- CompilePackage.cpp - compile modules to packages -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses which variants are compiled for which chips. Collects the images of
// modules, and the manifest.
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/CompilePackage.h"

#include "LowerGraphs.h"
#include "LowerTilePhase.h"
#include "ModuleCompiler.h"
#include "Occupation.h"

#include "carousel/Dialect/Transforms/VerifyLimits.h"
#include "carousel/Package/DescribeProgram.h"
#include "carousel/Package/PassCancellation.h"
#include "carousel/Package/ReportDecisions.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Target/ChipModel.h"
#include "carousel/Target/MathLibrary.h"
#include "carousel/Target/TargetInfo.h"
#include "carousel/Target/TargetMachines.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <set>

using namespace mlir;
using namespace carousel;

namespace {

/// Compiles one module.
class Compiler {
public:
  Compiler(ModuleOp module, const CompilePackageOptions &options,
           PassManagers &managers, MathLibrary &math, TargetMachines &machines)
      : module(module), options(options), managers(managers),
        modules(options, managers, math, machines, chosen, package) {}

  FailureOr<Package> compile();

private:
  LogicalResult findChips();
  LogicalResult planFor();
  LogicalResult describePrograms();
  LogicalResult chooseVariants();
  LogicalResult numberWaits();
  void noteOccupancies();
  void dropUnused();

  ModuleOp module;
  const CompilePackageOptions &options;
  PassManagers &managers;
  SmallVector<const TargetInfo *> chips;
  ChosenVariants chosen;
  Package package;
  ModuleCompiler modules;
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
        chosen.insert(variant.function, *chip);
      }
      if (!found)
        return kernel.variants.front().function.emitError("expected kernel '")
               << kernel.name << "' to have a variant for " << chip->chip
               << ", got capability guards that exclude it";
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

/// Programs are described while launches still find their kernels.
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
  FailureOr<llvm::DenseSet<Operation *>> verified =
      lowerTilePhase(module, chips, options, managers);
  if (failed(verified) || failed(numberWaits()))
    return failure();
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
  if (failed(chooseVariants()) || failed(modules.findAssembler(module)))
    return failure();
  dropUnused();
  if (failed(reportMisses(package.manifest.kernels, options.misses,
                          options.errors)))
    return failure();
  noteOccupancies();

  SmallVector<std::pair<gpu::GPUModuleOp, const TargetInfo *>> steps;
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    for (const TargetInfo *chip : chips)
      if (chosen.contains(gpuModule, *chip))
        steps.emplace_back(gpuModule, chip);
  for (auto [index, step] : llvm::enumerate(steps)) {
    auto [gpuModule, chip] = step;
    std::vector<ModuleDescription> &descriptions = package.manifest.modules;
    if (descriptions.empty() ||
        descriptions.back().name != gpuModule.getName()) {
      descriptions.push_back({gpuModule.getName().str(), {}, {}});
      if (options.debugWaits)
        descriptions.back().waits = describeWaits(gpuModule);
    }
    if (options.progress)
      options.progress(
          {index + 1, steps.size(), gpuModule.getName(), chip->chip});
    if (failed(modules.compile(gpuModule, *chip, verified->contains(gpuModule),
                               descriptions.back())))
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
  PassCancellation cancellation(module.getContext(), options.isCancelled);
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
