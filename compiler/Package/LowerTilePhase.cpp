//===- LowerTilePhase.cpp - lower a module for each chip ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LowerTilePhase.h.
//
//===----------------------------------------------------------------------===//

#include "LowerTilePhase.h"

#include "DropVariants.h"
#include "KernelParts.h"

#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Passes/Pipelines.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;
using namespace carousel;

/// Code for a chip with a letter runs there only.
static bool isSpecific(const TargetInfo &chip) {
  return llvm::isAlpha(chip.chip.back());
}

static GuardAttr getCapability(MLIRContext *context, const TargetInfo &chip) {
  return GuardAttr::get(context, GuardKind::Capability, /*argument=*/0,
                        /*value=*/{}, /*other=*/{}, chip.sm,
                        isSpecific(chip) ? chip.sm
                                         : std::numeric_limits<int64_t>::max());
}

/// Lets the kernel run where its chip's code does.
static void addGuard(gpu::GPUFuncOp kernel, const TargetInfo &chip) {
  SmallVector<GuardAttr> guards = {getCapability(kernel.getContext(), chip)};
  auto variant = kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
  if (variant)
    // A wider range would say less than the chip's own.
    llvm::copy_if(variant.getGuards(), std::back_inserter(guards),
                  [](GuardAttr guard) {
                    return guard.getKind() != GuardKind::Capability;
                  });
  kernel->setAttr(CarouselDialect::kVariant,
                  VariantAttr::get(kernel.getContext(), getKernelName(kernel),
                                   guards,
                                   variant ? variant.getCost() : ExprAttr()));
}

/// Whether one of the kernel's own guards keeps it from the chip.
static bool isExcluded(gpu::GPUFuncOp kernel, const TargetInfo &chip) {
  auto variant = kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
  return variant && llvm::any_of(variant.getGuards(), [&](GuardAttr guard) {
           return guard.getKind() == GuardKind::Capability &&
                  (chip.sm < guard.getLeast() || chip.sm > guard.getMost());
         });
}

/// A module with what of `source` is for the chip.
static OwningOpRef<ModuleOp> copyFor(gpu::GPUModuleOp source,
                                     const TargetInfo &chip) {
  OwningOpRef<ModuleOp> holder = ModuleOp::create(source.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(holder->getBody());
  auto copy = cast<gpu::GPUModuleOp>(builder.clone(*source));
  copy.setName((source.getName() + "_" + chip.chip).str());
  // The model of the chip, which parts of the module have, too.
  StringRef model = DLTIDialect::kTargetSystemDescAttrName;
  if (Attribute spec = source->getParentOp()->getAttr(model);
      spec && !copy->hasAttr(model))
    copy->setAttr(model, spec);
  for (auto kernel : llvm::make_early_inc_range(copy.getOps<gpu::GPUFuncOp>()))
    if (kernel.isKernel() && isExcluded(kernel, chip))
      kernel.erase();
    else if (kernel.isKernel())
      setDecisions(kernel, {}); // which asks for a record
  return holder;
}

/// Leaves the first variant of each kernel that is wanted.
static LogicalResult keepWanted(gpu::GPUModuleOp module, const TargetInfo &chip,
                                const CompilePackageOptions &options) {
  if (!options.wanted)
    return success();
  llvm::MapVector<StringAttr, SmallVector<gpu::GPUFuncOp>> kernels;
  for (auto func : module.getOps<gpu::GPUFuncOp>())
    if (func.isKernel())
      kernels[StringAttr::get(func.getContext(), getKernelName(func))]
          .push_back(func);
  for (auto &[name, variants] : kernels) {
    auto isWanted = [&, name = name](gpu::GPUFuncOp func) {
      auto variant =
          func->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
      return options.wanted(name, variant ? variant.getGuards()
                                          : ArrayRef<GuardAttr>());
    };
    auto *kept = llvm::find_if(variants, isWanted);
    if (kept == variants.end())
      return variants.front().emitError("expected a variant of kernel '")
             << name.getValue() << "' for " << chip.chip
             << " that is wanted, got " << variants.size() << " that aren't";
    for (gpu::GPUFuncOp variant : variants)
      if (variant != *kept)
        variant.erase();
  }
  return success();
}

FailureOr<llvm::DenseSet<Operation *>>
carousel::lowerTilePhase(ModuleOp module, ArrayRef<const TargetInfo *> chips,
                         const CompilePackageOptions &options,
                         PassManagers &managers) {
  SmallVector<const TargetInfo *> order(chips);
  llvm::sort(order, [](const TargetInfo *left, const TargetInfo *right) {
    return std::make_tuple(!isSpecific(*left), -int64_t(left->sm)) <
           std::make_tuple(!isSpecific(*right), -int64_t(right->sm));
  });
  llvm::DenseSet<Operation *> made;
  auto sources = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  for (gpu::GPUModuleOp source : sources) {
    if (!isTilePhase(source))
      continue;
    for (const TargetInfo *chip : order) {
      OwningOpRef<ModuleOp> holder = copyFor(source, *chip);
      LowerOptions lowering;
      lowering.chip = chip->chip.str();
      lowering.ptxVersion = options.ptxVersion;
      std::string target =
          llvm::formatv("{0}, PTX {1}", chip->chip, options.ptxVersion);
      auto buildEngines = [&](OpPassManager &pm) {
        buildEnginePipeline(pm, lowering);
      };
      auto buildRings = [&](OpPassManager &pm) {
        buildRingPipeline(pm, lowering);
      };
      if (failed(managers.run(
              {"engines, " + target, buildEngines, Verification::EachPass},
              *holder)))
        return failure();
      auto planned = *holder->getOps<gpu::GPUModuleOp>().begin();
      dropVariants(planned);
      if (failed(keepWanted(planned, *chip, options)) ||
          failed(lowerKernels(*holder, managers,
                              {"rings, " + target, buildRings})))
        return failure();
      auto lowered = *holder->getOps<gpu::GPUModuleOp>().begin();
      for (auto kernel : lowered.getOps<gpu::GPUFuncOp>())
        if (kernel.isKernel())
          addGuard(kernel, *chip);
      lowered->moveBefore(source);
      made.insert(lowered);
    }
    source.erase();
  }
  return made;
}
