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

#include "KernelParts.h"
#include "LowerTilePhase.h"
#include "PassManagers.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Dialect/Transforms/VerifyLimits.h"
#include "carousel/Package/DescribeProgram.h"
#include "carousel/Package/PassCancellation.h"
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
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <mutex>
#include <set>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// PTX, cubins and CUDA C++ of modules
//
// Compiles one gpu.module for one chip, to the images of a package.
// Lowers a copy of the module, without variants that never run on the chip.
//===----------------------------------------------------------------------===//

namespace {

/// The variants that are compiled for each chip.
class ChosenVariants {
public:
  void insert(gpu::GPUFuncOp func, const TargetInfo &chip) {
    chosen.insert({func, &chip});
  }
  bool contains(gpu::GPUFuncOp func, const TargetInfo &chip) const {
    return chosen.contains({func, &chip});
  }
  /// Whether any function of the module is.
  bool contains(gpu::GPUModuleOp module, const TargetInfo &chip) const;

private:
  DenseSet<std::pair<Operation *, const TargetInfo *>> chosen;
};

class ModuleCompiler {
public:
  ModuleCompiler(const CompilePackageOptions &options, PassManagers &managers,
                 MathLibrary &math, TargetMachines &machines,
                 const ChosenVariants &chosen, Package &package)
      : options(options), managers(managers), math(math), machines(machines),
        chosen(chosen), package(package) {}

  /// Finds the assembler of cubins, if the options want any.
  LogicalResult findAssembler(ModuleOp module);

  /// Adds the images to the package, and to `description`, which is the
  /// module's. \p isVerified: a pipeline has checked the module for the chip.
  LogicalResult compile(gpu::GPUModuleOp gpuModule, const TargetInfo &chip,
                        bool isVerified, ModuleDescription &description);

private:
  bool isCancelled() const {
    return options.isCancelled && options.isCancelled();
  }
  OwningOpRef<ModuleOp> copyFor(gpu::GPUModuleOp gpuModule,
                                const TargetInfo &chip);
  LogicalResult compilePTX(ModuleOp holder, gpu::GPUModuleOp gpuModule,
                           const TargetInfo &chip, bool isVerified,
                           ModuleDescription &description);
  LogicalResult assemble(gpu::GPUModuleOp gpuModule, StringRef ptx,
                         const TargetInfo &chip,
                         ModuleDescription &description);
  LogicalResult noteExterns(gpu::GPUModuleOp gpuModule, StringRef ptx,
                            ModuleDescription &description);
  LogicalResult compileCUDA(ModuleOp holder, const TargetInfo &chip,
                            ModuleDescription &description);
  void noteRegisters(const TargetInfo &chip, StringRef module, StringRef cubin);
  void addImage(ModuleDescription &description, const TargetInfo &chip,
                StringLiteral kind, std::string contents,
                StringRef function = {});

  const CompilePackageOptions &options;
  PassManagers &managers;
  MathLibrary &math;
  TargetMachines &machines;
  const ChosenVariants &chosen;
  Package &package;
  bool hasAssembler = false;
};

} // namespace

/// Whether a module may be compiled for a chip: one that says its target is for
/// no other.
static bool isMadeFor(gpu::GPUModuleOp module, const TargetInfo &chip) {
  ArrayAttr targets = module.getTargetsAttr();
  return !targets || llvm::any_of(targets, [&](Attribute target) {
    auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target);
    return nvvm && nvvm.getChip() == chip.chip;
  });
}

using Cubins = CompilePackageOptions::Cubins;

bool ChosenVariants::contains(gpu::GPUModuleOp module,
                              const TargetInfo &chip) const {
  return isMadeFor(module, chip) &&
         llvm::any_of(
             module.getOps<gpu::GPUFuncOp>(),
             [&](gpu::GPUFuncOp func) { return contains(func, chip); });
}

LogicalResult ModuleCompiler::findAssembler(ModuleOp module) {
  if (!options.ptx && !options.cuda)
    return emitError(module.getLoc())
           << "expected PTX or CUDA C++ to be asked for, got neither";
  if (!options.ptx || options.cubins == Cubins::Never)
    return success();
  llvm::Expected<std::string> found =
      carousel::findAssembler({options.assembler, options.cudaRoot});
  hasAssembler = static_cast<bool>(found);
  if (hasAssembler)
    return success();
  std::string reason = llvm::toString(found.takeError());
  if (options.cubins == Cubins::Required)
    return emitError(module.getLoc()) << reason;
  emitRemark(module.getLoc()) << reason << "; the package holds PTX only";
  return success();
}

void ModuleCompiler::addImage(ModuleDescription &description,
                              const TargetInfo &chip, llvm::StringLiteral kind,
                              std::string contents, StringRef function) {
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
LogicalResult ModuleCompiler::noteExterns(gpu::GPUModuleOp gpuModule,
                                          StringRef ptx,
                                          ModuleDescription &description) {
  FailureOr<std::vector<ExternDescription>> externs =
      describeExterns(gpuModule, ptx, options.indexBitwidth);
  if (failed(externs))
    return failure();
  for (ExternDescription &function : *externs) {
    // The function may be known from another chip.
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

/// A module around a copy of the gpu.module, with the kernels of the chip. Null
/// after an error.
OwningOpRef<ModuleOp> ModuleCompiler::copyFor(gpu::GPUModuleOp gpuModule,
                                              const TargetInfo &chip) {
  auto module = gpuModule->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> holder = cast<ModuleOp>(module->cloneWithoutRegions());
  OpBuilder builder(holder->getContext());
  builder.createBlock(&holder->getBodyRegion());
  auto copy = cast<gpu::GPUModuleOp>(builder.clone(*gpuModule));

  // The functions of the copy stand in the order of those of the original.
  bool erased = false;
  auto copies = llvm::to_vector(copy.getOps<gpu::GPUFuncOp>());
  for (auto [func, copied] :
       llvm::zip(gpuModule.getOps<gpu::GPUFuncOp>(), copies))
    if (func.isKernel() && !chosen.contains(func, chip)) {
      copied.erase();
      erased = true;
    }

  // Helpers of the kernels that are gone may use what the chip lacks.
  if (erased) {
    PassManager dce(module->getContext());
    dce.nest<gpu::GPUModuleOp>().addPass(createSymbolDCEPass());
    if (failed(dce.run(*holder)) || isCancelled())
      return {};
  }
  return holder;
}

LogicalResult ModuleCompiler::compile(gpu::GPUModuleOp gpuModule,
                                      const TargetInfo &chip, bool isVerified,
                                      ModuleDescription &description) {
  OwningOpRef<ModuleOp> holder = copyFor(gpuModule, chip);
  if (!holder)
    return failure();
  OwningOpRef<ModuleOp> forCUDA;
  if (options.cuda)
    forCUDA = holder->clone();
  if (options.ptx &&
      failed(compilePTX(*holder, gpuModule, chip, isVerified, description)))
    return failure();
  return options.cuda ? compileCUDA(*forCUDA, chip, description) : success();
}

LogicalResult ModuleCompiler::compilePTX(ModuleOp holder,
                                         gpu::GPUModuleOp gpuModule,
                                         const TargetInfo &chip,
                                         bool isVerified,
                                         ModuleDescription &description) {
  LowerToNVVMOptions lowering;
  lowering.chip = chip.chip.str();
  lowering.ptxVersion = options.ptxVersion;
  lowering.indexBitwidth = options.indexBitwidth;
  lowering.optLevel = options.optLevel;
  lowering.debugWaits = options.debugWaits;
  lowering.verify = !isVerified;
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
  FailureOr<std::string> ptx = emitKernels(
      holder, managers, {name, build},
      {options.cudaRoot, &math, &machines, noteIdle, options.isCancelled},
      options.code);
  if (failed(ptx))
    return failure();

  for (auto func : gpuModule.getOps<gpu::GPUFuncOp>())
    if (chosen.contains(func, chip) &&
        !StringRef(*ptx).contains((".entry " + func.getName() + "(").str()))
      return func.emitError("expected an entry of its own in the PTX for ")
             << chip.chip << ", got none";

  // The machine phase is what the simulated machine runs.
  auto isInText = [&](FunctionOpInterface func) {
    return chosen.contains(cast<gpu::GPUFuncOp>(func.getOperation()), chip) &&
           !idle.count(func.getName().str());
  };
  if (failed(reportMissingWrites(
          findMissingWrites(gpuModule, *ptx, isInText),
          "a pass lost it between the machine phase and LLVM; this is a fault "
          "of the compiler")) ||
      failed(noteExterns(gpuModule, *ptx, description)))
    return failure();
  if (isCancelled())
    return failure();
  if (hasAssembler && description.externs.empty() &&
      failed(assemble(gpuModule, *ptx, chip, description)))
    return failure();
  addImage(description, chip, "ptx", std::move(*ptx));
  return success();
}

/// Describes the assemblers that may make a cubin: that of the options, and the
/// program in place of the library.
static std::string describeAssembler(const AssembleOptions &options) {
  std::string text = std::to_string(int(options.assembler));
  for (Assembler assembler : {options.assembler, Assembler::Program}) {
    llvm::Expected<std::string> found =
        findAssembler({assembler, options.cudaRoot});
    text += "\n" + (found ? *found + " " + describeFile(*found)
                          : llvm::toString(found.takeError()));
  }
  return text;
}

/// The cubin, from the store if it is there, with what the assembler said.
static llvm::Expected<std::string>
assembleOnce(StringRef ptx, StringRef chip, const AssembleOptions &options,
             const CodeStore &store, Location loc, std::string &report) {
  if (!store)
    return assemblePTX(ptx, chip, options, &report);
  std::string key =
      makeCodeKey({"cubin", describeAssembler(options), chip, ptx});
  size_t size;
  if (std::optional<std::string> kept = store.find(key)) {
    StringRef rest = *kept;
    if (!rest.consumeInteger(10, size) && rest.consume_front("\n") &&
        size <= rest.size()) {
      report = rest.take_front(size).str();
      return rest.drop_front(size).str();
    }
  }
  llvm::Expected<std::string> cubin = assemblePTX(ptx, chip, options, &report);
  if (cubin)
    keepCode(store, key, std::to_string(report.size()) + "\n" + report + *cubin,
             loc);
  return cubin;
}

LogicalResult ModuleCompiler::assemble(gpu::GPUModuleOp gpuModule,
                                       StringRef ptx, const TargetInfo &chip,
                                       ModuleDescription &description) {
  std::string report;
  llvm::Expected<std::string> cubin =
      assembleOnce(ptx, chip.chip, {options.assembler, options.cudaRoot},
                   options.code, gpuModule.getLoc(), report);
  if (!cubin)
    return emitError(gpuModule.getLoc())
           << joinLines(llvm::toString(cubin.takeError()));
  if (cubin->empty())
    return emitError(gpuModule.getLoc())
           << "expected a cubin for " << chip.chip << ", got nothing";
  // Assertions call functions, at which ptxas lets products end: kernels are
  // slower then, and right.
  if (!options.debugAssertions && failed(verifyProducts(gpuModule, report)))
    return failure();
  noteRegisters(chip, gpuModule.getName(), *cubin);
  noteSpills(package.manifest.kernels, gpuModule.getName(), report);
  addImage(description, chip, "cubin", std::move(*cubin));
  return success();
}

/// A text for each kernel of a module whose kernels all run on the chip, so
/// that only what is launched is compiled.
LogicalResult ModuleCompiler::compileCUDA(ModuleOp holder,
                                          const TargetInfo &chip,
                                          ModuleDescription &description) {
  auto gpuModule = *holder.getOps<gpu::GPUModuleOp>().begin();
  SmallVector<std::string> names;
  for (auto func : gpuModule.getOps<gpu::GPUFuncOp>())
    if (func.isKernel())
      names.push_back(func.getName().str());
  PassManager pm(holder.getContext());
  LowerToEmitCOptions lowering;
  lowering.chip = chip.chip.str();
  lowering.ptxVersion = options.ptxVersion;
  lowering.indexBitwidth = options.indexBitwidth;
  lowering.debugWaits = options.debugWaits;
  buildLowerToEmitCPipeline(pm, lowering);
  if (failed(pm.run(holder)) || isCancelled())
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

/// The assembler's registers say more than an estimate.
void ModuleCompiler::noteRegisters(const TargetInfo &chip, StringRef module,
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

//===----------------------------------------------------------------------===//
// One compilation in a context
//
// Compilations of one MLIR context exclude each other.
//===----------------------------------------------------------------------===//

namespace {

/// Marks a context as one in which a compilation runs. There is one at a time:
/// pass managers load dialects into the context when they start, and its
/// threads, which do work of any pass manager, would mix up their messages.
class Occupation {
public:
  explicit Occupation(MLIRContext *context) : context(context) {
    std::scoped_lock lock(mutex);
    won = contexts.insert(context).second;
  }
  ~Occupation() {
    std::scoped_lock lock(mutex);
    if (won)
      contexts.erase(context);
  }
  Occupation(const Occupation &) = delete;
  Occupation &operator=(const Occupation &) = delete;

  explicit operator bool() const { return won; }

private:
  static inline std::mutex mutex;
  static inline DenseSet<MLIRContext *> contexts; // those occupied

  MLIRContext *context;
  bool won;
};

} // namespace

//===----------------------------------------------------------------------===//
// Graphs of a module to programs
//===----------------------------------------------------------------------===//

/// Helpers of a graph are called by functions on tensors, too.
static bool isGraph(func::FuncOp func) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return !func.isExternal() &&
         (llvm::any_of(func.getArgumentTypes(), isTensor) ||
          llvm::any_of(func.getResultTypes(), isTensor));
}

static bool isProgram(func::FuncOp func) {
  return func->hasAttr(CarouselDialect::kProgram);
}

/// Asks for a record, wherever a pass may write one.
static void askForDecisions(ModuleOp module) {
  Attribute none = ArrayAttr::get(module.getContext(), {});
  module->setAttr(kDecisionsAttr, none);
  for (auto func : module.getOps<func::FuncOp>())
    func->setAttr(kDecisionsAttr, none);
}

/// Sorted by function, and of each one in the order of the passes.
static std::vector<GraphDecision> takeDecisions(ModuleOp module) {
  auto isBefore = [](StringRef first, StringRef second) {
    return first.compare_numeric(second) < 0;
  };
  std::multimap<std::string, GraphDecision, decltype(isBefore)> sorted(
      isBefore);
  auto take = [&](Operation *holder) {
    for (GraphDecision &decision : takeGraphDecisions(holder))
      sorted.emplace(decision.function, decision);
  };
  for (auto func : module.getOps<func::FuncOp>())
    take(func);
  take(module);
  auto decisions = llvm::make_second_range(sorted);
  return {decisions.begin(), decisions.end()};
}

static LogicalResult lower(ModuleOp module,
                           const CompilePackageOptions &options,
                           PassManagers &managers) {
  if (llvm::any_of(module.getOps<func::FuncOp>(), isGraph)) {
    auto products =
        llvm::StringSwitch<std::optional<ProductFactors>>(options.products)
            .Case("exact", ProductFactors::Exact)
            .Case("tf32", ProductFactors::TF32)
            .Default(std::nullopt);
    if (!products)
      return emitError(module.getLoc(),
                       "expected exact or tf32 for products, got '")
             << options.products << "'";
    auto sums =
        llvm::StringSwitch<std::optional<ContractionSums>>(options.accumulate)
            .Case("f32", ContractionSums::F32)
            .Case("as-written", ContractionSums::AsWritten)
            .Default(std::nullopt);
    if (!sums)
      return emitError(module.getLoc(),
                       "expected f32 or as-written for accumulate, got '")
             << options.accumulate << "'";
    std::string name = "graphs, accumulate " + options.accumulate +
                       ", products " + options.products + ", libraries " +
                       std::to_string(options.libraries) + ", streams " +
                       std::to_string(options.streams);
    auto build = [&](OpPassManager &pm) {
      GraphToBlockOptions lowering;
      lowering.products = *products;
      lowering.libraries = options.libraries;
      lowering.streams = options.streams;
      lowering.accumulate = *sums;
      buildGraphToBlockPipeline(pm, lowering);
    };
    if (failed(managers.run({name, build, Verification::EachPass}, module)))
      return failure();
  }
  // The passes inline functions and make others.
  if (llvm::none_of(module.getOps<func::FuncOp>(), isProgram))
    return success();
  return managers.run(
      {"programs", buildProgramPipeline, Verification::EachPass}, module);
}

/// Lowers the functions on tensors of a module, if it has any, to programs of
/// kernels at the block phase. The buffers of all programs become workspaces.
/// Warns of what will be slow, and returns all that was decided.
static FailureOr<std::vector<GraphDecision>>
lowerGraphs(ModuleOp module, const CompilePackageOptions &options,
            PassManagers &managers) {
  askForDecisions(module);
  if (failed(lower(module, options, managers)))
    return failure();
  std::vector<GraphDecision> decisions = takeDecisions(module);
  bool hasErrors = false;
  for (const GraphDecision &decision : decisions) {
    bool isError = llvm::any_of(decision.misses, [&](Miss miss) {
      return llvm::is_contained(options.errors, getKind(miss));
    });
    hasErrors |= isError;
    if (isError || (decision.isWarning &&
                    options.misses != CompilePackageOptions::Misses::Ignore))
      emitMisses(decision.location, decision.text, decision.misses, isError);
  }
  if (hasErrors)
    return failure();
  return decisions;
}

//===----------------------------------------------------------------------===//
// Compile modules to packages
//===----------------------------------------------------------------------===//

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
  LogicalResult eraseAssertions();
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
  // The module's own description holds where the caller gives none.
  if (given.empty() && module->hasAttr(DLTIDialect::kTargetSystemDescAttrName))
    return success();
  attachGPUs(module, llvm::to_vector(llvm::make_second_range(gpus)));
  return success();
}

/// Chooses the variants that are compiled for each chip.
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

/// Those of kernels at the machine phase, too. Programs keep theirs.
LogicalResult Compiler::eraseAssertions() {
  if (options.debugAssertions)
    return success();
  PassManager pm(module.getContext());
  pm.nest<gpu::GPUModuleOp>().addPass(createEraseAssertions());
  return pm.run(module);
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

/// Drops variants that no chip of the list can run.
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
  if (failed(eraseAssertions()))
    return failure();
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
