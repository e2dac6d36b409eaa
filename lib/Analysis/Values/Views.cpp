//===- Views.cpp - the buffers of memrefs ---------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Views.h. Views are the ops that implement MLIR's interface.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/Views.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <algorithm>

using namespace mlir;
using namespace carousel;

std::optional<ElementAccess> carousel::findElementAccess(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface ||
      !isa<memref::MemRefDialect, vector::VectorDialect>(op->getDialect()))
    return std::nullopt;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  std::optional<ElementAccess> access;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    bool writes = isa<MemoryEffects::Write>(effect.getEffect());
    if (!effect.getValue() ||
        (!writes && !isa<MemoryEffects::Read>(effect.getEffect())))
      continue;
    access = {effect.getValue(), writes || (access && access->writes)};
  }
  return access;
}

Value carousel::getRootBuffer(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    // The same buffer of a CTA of the cluster, maybe of this one.
    if (auto map = dyn_cast<ClusterMapSharedOp>(op))
      memref = map.getSource();
    else if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      memref = view.getViewSource();
    else
      break;
  }
  return memref;
}

Value carousel::getLayoutBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::ViewOp>(view))
      break;
    memref = view.getViewSource();
  }
  return memref;
}

std::optional<SmallVector<Operation *>> carousel::getAccesses(Value buffer) {
  SmallVector<Operation *> accesses;
  SmallVector<Value> views = {buffer};
  while (!views.empty()) {
    Value view = views.pop_back_val();
    for (Operation *user : view.getUsers()) {
      if (isa<ViewLikeOpInterface>(user)) {
        llvm::append_range(views, user->getResults());
      } else if (isa<memref::DimOp, memref::DeallocOp>(user)) {
        continue;
      } else if (isMemoryEffectFree(user)) {
        // Passes on the buffer or its address, for example in a region's yield.
        return std::nullopt;
      } else if (isa<MemoryEffectOpInterface>(user) &&
                 user->getNumRegions() == 0 &&
                 llvm::none_of(user->getResultTypes(),
                               llvm::IsaPred<BaseMemRefType>)) {
        if (!llvm::is_contained(accesses, user))
          accesses.push_back(user);
      } else {
        return std::nullopt;
      }
    }
  }
  return accesses;
}

SmallVector<Operation *> carousel::getViews(Value memref) {
  SmallVector<Operation *> views;
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>()) {
    views.push_back(view);
    memref = view.getViewSource();
  }
  std::reverse(views.begin(), views.end());
  return views;
}

SmallVector<Value> carousel::getViewParameters(Operation *view) {
  Value source = cast<ViewLikeOpInterface>(view).getViewSource();
  SmallVector<Value> parameters(view->getOperands());
  llvm::erase(parameters, source);
  return parameters;
}

/// Whether `root` is memory that doesn't overlap with any other such root.
static bool isMemoryOfItsOwn(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root))
    return isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp());
  return isa<memref::GetGlobalOp, memref::AllocOp, memref::AllocaOp>(
      root.getDefiningOp());
}

Value carousel::getAliasedRoot(Value root) {
  auto argument = dyn_cast<BlockArgument>(root);
  auto kernel =
      argument ? dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp())
               : gpu::GPUFuncOp();
  // Attributions are also arguments of the entry block.
  if (!kernel || argument.getOwner() != &kernel.getBody().front() ||
      argument.getArgNumber() >= kernel.getNumArguments())
    return root;
  auto attr = kernel.getArgAttrOfType<ArgumentAttr>(argument.getArgNumber(),
                                                    CarouselDialect::kArgument);
  if (!attr || !attr.getMayAlias())
    return root;
  return kernel.getArgument(getArgumentPositions(kernel)[*attr.getMayAlias()]);
}

bool carousel::haveSameElements(Value lhs, Value rhs) {
  while (lhs != rhs) {
    auto left = lhs.getDefiningOp<ViewLikeOpInterface>(),
         right = rhs.getDefiningOp<ViewLikeOpInterface>();
    if (!left || !right)
      return getAliasedRoot(lhs) == getAliasedRoot(rhs);
    // A table may name one row at two places.
    if (isa<RowsOp>(left) || left->getName() != right->getName() ||
        left->getPropertiesAsAttribute() != right->getPropertiesAsAttribute() ||
        lhs.getType() != rhs.getType() ||
        getViewParameters(left) != getViewParameters(right))
      return false;
    lhs = left.getViewSource();
    rhs = right.getViewSource();
  }
  return true;
}

bool carousel::mayOverlap(Value lhs, Value rhs) {
  lhs = getAliasedRoot(getRootBuffer(lhs));
  rhs = getAliasedRoot(getRootBuffer(rhs));
  auto isGlobal = [](Value root) {
    return !isSharedMemRef(root.getType()) && !isLocalMemRef(root.getType());
  };
  if (isGlobal(lhs) != isGlobal(rhs))
    return false;
  if (lhs == rhs || !isMemoryOfItsOwn(lhs) || !isMemoryOfItsOwn(rhs))
    return true;
  // This GPU's part is one of those that a multicast address stands for.
  if ((isMulticast(lhs) && isSharedWithPeers(rhs)) ||
      (isMulticast(rhs) && isSharedWithPeers(lhs)))
    return true;
  auto global = lhs.getDefiningOp<memref::GetGlobalOp>(),
       other = rhs.getDefiningOp<memref::GetGlobalOp>();
  return global && other && global.getName() == other.getName();
}
