//===- ModuleCompiler.cpp - PTX, cubins and CUDA C++ of modules -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ModuleCompiler.h. Lowers a copy of the module, without variants that
// never run on the chip.
//
//===----------------------------------------------------------------------===//

#include "ModuleCompiler.h"

#include "KeptCode.h"
#include "KernelParts.h"

#include "carousel/Package/ReportDecisions.h"
#include "carousel/Passes/Pipelines.h"
#include "carousel/Target/AssemblePTX.h"
#include "carousel/Target/CubinRegisters.h"
#include "carousel/Target/EmitCUDA.h"
#include "carousel/Target/MathLibrary.h"
#include "carousel/Target/TargetInfo.h"
#include "carousel/Target/TargetMachines.h"
#include "carousel/Target/VerifyPTX.h"
#include "carousel/Target/VerifyProducts.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

#include <mutex>
#include <set>

using namespace mlir;
using namespace carousel;

bool carousel::isMadeFor(gpu::GPUModuleOp module, const TargetInfo &chip) {
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
  if (failed(verifyProducts(gpuModule, report)))
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
