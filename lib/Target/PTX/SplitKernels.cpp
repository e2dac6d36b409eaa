//===- SplitKernels.cpp - a module of each kernel -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SplitKernels.h.
//
//===----------------------------------------------------------------------===//

#include "SplitKernels.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

static bool isKernel(LLVM::LLVMFuncOp func) {
  return func->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
}

/// Whether what the module says of the symbol is the same in every copy.
static bool canBeCopied(Operation &op) {
  if (auto func = dyn_cast<LLVM::LLVMFuncOp>(op))
    // Others may call one that is neither a kernel nor private.
    return isKernel(func) || func.isExternal() ||
           func.getLinkage() == LLVM::Linkage::Internal ||
           func.getLinkage() == LLVM::Linkage::Private;
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  // LLVM looks at all stores to a variable of global memory at once.
  return global && (global.getConstant() ||
                    global.getLinkage() == LLVM::Linkage::Appending ||
                    global.getAddrSpace() ==
                        static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
}

SmallVector<LLVM::LLVMFuncOp>
carousel::findIndependentKernels(gpu::GPUModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> kernels;
  for (Operation &op : *module.getBody()) {
    if (!canBeCopied(op))
      return {};
    auto func = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (func && isKernel(func))
      kernels.push_back(func);
  }
  return kernels;
}

OwningOpRef<gpu::GPUModuleOp>
carousel::extractKernels(gpu::GPUModuleOp module,
                         ArrayRef<LLVM::LLVMFuncOp> kernels) {
  SymbolTable table(module);
  llvm::SmallSetVector<Operation *, 16> needed;
  needed.insert(kernels.begin(), kernels.end());
  // Lists of what is used, and all that they name.
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (global.getLinkage() == LLVM::Linkage::Appending)
      needed.insert(global);
  for (size_t i = 0; i < needed.size(); ++i)
    if (auto uses = SymbolTable::getSymbolUses(needed[i]))
      for (const SymbolTable::SymbolUse &use : *uses)
        if (Operation *symbol =
                table.lookup(use.getSymbolRef().getRootReference()))
          needed.insert(symbol);

  OwningOpRef<gpu::GPUModuleOp> copy(
      cast<gpu::GPUModuleOp>(module->cloneWithoutRegions()));
  OpBuilder builder(copy->getContext());
  builder.createBlock(&copy->getBodyRegion());
  // In the order of the module.
  for (Operation &op : *module.getBody())
    if (needed.contains(&op))
      builder.clone(op);
  return copy;
}
