//===- DropVariants.cpp - variants that no launch takes -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DropVariants.h. The runtime's rule is in Kernel::Impl::choose.
//
//===----------------------------------------------------------------------===//

#include "DropVariants.h"

#include "carousel/Dialect/IR/EvaluateExpr.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace carousel;

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

/// Nothing for a variant whose guards never hold.
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

void carousel::dropVariants(gpu::GPUModuleOp module) {
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
