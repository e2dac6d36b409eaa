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

#include "KernelParts.h"

#include "carousel/Dialect/IR/EvaluateExpr.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Passes/Pipelines.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Variants that no launch takes
//
// A launch takes the variant that its model predicts to be the fastest among
// those whose guards hold, or the first one (docs/Package.md). Of a program's
// kernel, whose extents are known, most are never taken on the GPU that the
// program is planned for: they aren't compiled. Kernels that callers launch
// keep all, which carousel-tune measures. The runtime's rule is in
// Kernel::Impl::choose.
//===----------------------------------------------------------------------===//

namespace {

/// A variant as launches see it.
struct Choice {
  gpu::GPUFuncOp function;
  SmallVector<GuardAttr> guards; ///< those that don't always hold
  bool hasCost = false;
  std::optional<int64_t> cost; ///< if it is known
  bool fitsGrid = true;

  /// Whether a launch that `other` takes takes this one instead, which comes
  /// before it if `isEarlier`.
  bool covers(const Choice &other, bool isEarlier) const {
    if (!fitsGrid || !llvm::all_of(guards, [&](GuardAttr guard) {
          return llvm::is_contained(other.guards, guard);
        }))
      return false;
    if (!hasCost || !other.hasCost)
      return isEarlier;
    return cost && other.cost &&
           (*cost < *other.cost || (isEarlier && *cost == *other.cost));
  }
};

} // namespace

/// Blocks of a grid that isn't known are within the limits wherever another
/// variant's are.
static bool fitsGrid(gpu::GPUFuncOp function, KnownTerm getTerm) {
  auto launch = function->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  int64_t most = rules::kMaxGridX;
  for (ExprAttr blocks : launch.getGrid()) {
    if (evaluate(blocks, getTerm).value_or(0) > most)
      return false;
    most = rules::kMaxGridYZ;
  }
  return true;
}

/// Describes a variant; nullopt if its guards never hold.
static std::optional<Choice> describe(gpu::GPUFuncOp function,
                                      KnownTerm getTerm) {
  Choice choice;
  choice.function = function;
  choice.fitsGrid = fitsGrid(function, getTerm);
  auto variant =
      function->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
  if (!variant)
    return choice;
  for (GuardAttr guard : variant.getGuards()) {
    std::optional<bool> holds = evaluate(guard, getTerm);
    if (!holds)
      choice.guards.push_back(guard);
    else if (!*holds)
      return std::nullopt;
  }
  if (ExprAttr cost = variant.getCost()) {
    choice.hasCost = true;
    choice.cost = evaluate(cost, getTerm);
    if (choice.cost && *choice.cost < 0)
      choice.cost.reset();
  }
  return choice;
}

/// Erases variants of one kernel.
static void drop(ArrayRef<gpu::GPUFuncOp> variants, KnownTerm getTerm) {
  SmallVector<Choice> choices;
  SmallVector<gpu::GPUFuncOp> never;
  for (gpu::GPUFuncOp function : variants)
    if (std::optional<Choice> choice = describe(function, getTerm))
      choices.push_back(std::move(*choice));
    else
      never.push_back(function);
  if (choices.empty())
    return; // the launch says why
  for (auto [place, choice] : llvm::enumerate(choices))
    for (auto [other, better] : llvm::enumerate(choices))
      if (other != place && better.covers(choice, other < place)) {
        never.push_back(choice.function);
        break;
      }
  for (gpu::GPUFuncOp function : never)
    function.erase();
}

/// Erases them from a module of the tile phase whose engines are selected.
static void dropVariants(gpu::GPUModuleOp module) {
  std::optional<ChipModel> chip = findChipModel(module);
  llvm::MapVector<StringAttr, SmallVector<gpu::GPUFuncOp>> kernels;
  for (auto function : module.getOps<gpu::GPUFuncOp>())
    if (function.isKernel() && function->hasAttr(kForProgramsAttr))
      kernels[StringAttr::get(function.getContext(), getKernelName(function))]
          .push_back(function);
  auto getTerm = [&](ExprAttr term) -> std::optional<int64_t> {
    if (chip && term.getKind() == ExprKind::SMs)
      return chip->sms;
    return std::nullopt;
  };
  for (auto &[name, variants] : kernels)
    drop(variants, getTerm);
}

//===----------------------------------------------------------------------===//
// Lower a module for each chip
//===----------------------------------------------------------------------===//

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
      lowering.debugAssertions = options.debugAssertions;
      std::string target =
          llvm::formatv("{0}, PTX {1}, assertions {2}", chip->chip,
                        options.ptxVersion, options.debugAssertions);
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
