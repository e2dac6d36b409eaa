//===- SplitKernels.cpp - split modules by kernel -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SplitKernels.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/SplitKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace carousel;

static bool isKernel(Operation &op) {
  if (auto func = dyn_cast<gpu::GPUFuncOp>(op))
    return func.isKernel();
  return isa<LLVM::LLVMFuncOp>(op) &&
         op.hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
}

/// Lists of used symbols, which apply to the whole module.
static bool isList(Operation &op) {
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  return global && global.getLinkage() == LLVM::Linkage::Appending;
}

/// Whether every copy of the module may have this symbol. Other modules may
/// call a function that is neither a kernel nor private, and LLVM analyses all
/// stores to a variable in global memory at once.
static bool canBeCopied(Operation &op) {
  if (isKernel(op) || isList(op))
    return true;
  if (auto func = dyn_cast<LLVM::LLVMFuncOp>(op))
    return func.isExternal() || func.getLinkage() == LLVM::Linkage::Internal ||
           func.getLinkage() == LLVM::Linkage::Private;
  if (auto func = dyn_cast<func::FuncOp>(op))
    return func.isExternal() || func.isPrivate();
  if (auto global = dyn_cast<LLVM::GlobalOp>(op))
    return global.getConstant() ||
           global.getAddrSpace() ==
               static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
  auto global = dyn_cast<memref::GlobalOp>(op);
  return global &&
         (global.getConstant() ||
          gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(global.getType()));
}

/// The kernels of a module, in order, if each can be compiled on its own;
/// otherwise none.
static SmallVector<Operation *>
findIndependentKernels(gpu::GPUModuleOp module) {
  SmallVector<Operation *> kernels;
  for (Operation &op : *module.getBody()) {
    if (!canBeCopied(op))
      return {};
    if (isKernel(op))
      kernels.push_back(&op);
  }
  return kernels;
}

using Symbols = llvm::SmallSetVector<Operation *, 16>;

/// `kernels` and the symbols that they need.
static Symbols findNeeded(gpu::GPUModuleOp module,
                          ArrayRef<Operation *> kernels,
                          const SymbolTable &table) {
  Symbols needed;
  needed.insert(kernels.begin(), kernels.end());
  for (Operation &op : *module.getBody())
    if (isList(op))
      needed.insert(&op);
  for (size_t i = 0; i < needed.size(); ++i)
    if (auto uses = SymbolTable::getSymbolUses(needed[i]))
      for (const SymbolTable::SymbolUse &use : *uses)
        if (Operation *symbol =
                table.lookup(use.getSymbolRef().getRootReference()))
          needed.insert(symbol);
  return needed;
}

/// A copy of the module with these of its symbols, in module order.
static OwningOpRef<gpu::GPUModuleOp> extract(gpu::GPUModuleOp module,
                                             const Symbols &symbols) {
  OwningOpRef<gpu::GPUModuleOp> copy(
      cast<gpu::GPUModuleOp>(module->cloneWithoutRegions()));
  OpBuilder builder(copy->getContext());
  builder.createBlock(&copy->getBodyRegion());
  for (Operation &op : *module.getBody())
    if (symbols.contains(&op))
      builder.clone(op);
  return copy;
}

SmallVector<OwningOpRef<gpu::GPUModuleOp>>
carousel::splitKernels(gpu::GPUModuleOp module) {
  SmallVector<Operation *> kernels = findIndependentKernels(module);
  if (kernels.size() < 2)
    return {};
  // Extracting a part costs time in proportion to the module.
  constexpr size_t kMostParts = 16;
  size_t size = llvm::divideCeil(kernels.size(), kMostParts);
  size_t count = llvm::divideCeil(kernels.size(), size);
  std::vector<Symbols> needed(count);
  SymbolTable table(module);
  parallelFor(module.getContext(), 0, count, [&](size_t index) {
    auto part = ArrayRef(kernels).drop_front(index * size).take_front(size);
    needed[index] = findNeeded(module, part, table);
  });
  // The first part also has symbols that no kernel needs: they may have errors,
  // or be meant for the host.
  for (Operation &op : *module.getBody())
    if (llvm::none_of(needed, [&](const Symbols &symbols) {
          return symbols.contains(&op);
        }))
      needed.front().insert(&op);
  SmallVector<OwningOpRef<gpu::GPUModuleOp>> parts(count);
  parallelFor(module.getContext(), 0, count, [&](size_t index) {
    parts[index] = extract(module, needed[index]);
  });
  return parts;
}

LogicalResult carousel::joinKernels(gpu::GPUModuleOp module,
                                    ArrayRef<gpu::GPUModuleOp> parts) {
  llvm::MapVector<StringAttr, Operation *> symbols;
  for (gpu::GPUModuleOp part : parts)
    for (Operation &op : *part.getBody()) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      if (!symbol)
        return failure();
      auto [entry, isNew] = symbols.try_emplace(symbol.getNameAttr(), &op);
      if (!isNew &&
          !OperationEquivalence::isEquivalentTo(
              entry->second, &op, OperationEquivalence::IgnoreLocations))
        return failure();
    }
  // Attributes that passes set on the module apply to each part.
  DictionaryAttr attributes = module->getAttrDictionary();
  if (!parts.empty())
    attributes = gpu::GPUModuleOp(parts.front())->getAttrDictionary();
  for (gpu::GPUModuleOp part : parts)
    if (part->getAttrDictionary() != attributes)
      return failure();
  module->setAttrs(attributes);
  module.getBody()->clear();
  for (Operation *op : llvm::make_second_range(symbols)) {
    op->remove();
    module.getBody()->push_back(op);
  }
  return success();
}
