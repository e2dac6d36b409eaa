//===- PinSharedMemory.cpp - keep shared variables that engines write -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If only an engine or another CTA writes a shared variable, LLVM sees no store
// to it, and would fold its loads. A reference from `llvm.compiler.used`
// prevents that at no cost.
//
//===----------------------------------------------------------------------===//

#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/SetVector.h"

namespace carousel {
#define GEN_PASS_DEF_PINSHAREDMEMORY
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

static constexpr StringLiteral kUsedName{"llvm.compiler.used"};

/// The dynamic shared memory of a kernel: an external array without extent.
static bool isDynamicShared(LLVM::GlobalOp global) {
  auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
  return array && array.getNumElements() == 0;
}

/// The symbols that a list of used variables names.
static void collectSymbols(LLVM::GlobalOp list,
                           llvm::SmallSetVector<StringAttr, 8> &symbols) {
  list.getInitializerRegion().walk([&](LLVM::AddressOfOp address) {
    symbols.insert(address.getGlobalNameAttr().getAttr());
  });
}

/// llvm.mlir.global appending @llvm.compiler.used() : array<n x ptr> of the
/// symbols.
static void createUsedList(gpu::GPUModuleOp module,
                           ArrayRef<StringAttr> symbols) {
  Location loc = module.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(module.getContext());
  auto array = LLVM::LLVMArrayType::get(pointer, symbols.size());
  auto used =
      LLVM::GlobalOp::create(builder, loc, array, /*isConstant=*/false,
                             LLVM::Linkage::Appending, kUsedName, Attribute());
  used.setSection("llvm.metadata");
  builder.createBlock(&used.getInitializerRegion());
  Value list = LLVM::UndefOp::create(builder, loc, array);
  SymbolTable table(module);
  for (auto [index, symbol] : llvm::enumerate(symbols)) {
    auto global = table.lookup<LLVM::GlobalOp>(symbol);
    unsigned space = global ? global.getAddrSpace() : 0;
    Value address = LLVM::AddressOfOp::create(
        builder, loc, LLVM::LLVMPointerType::get(module.getContext(), space),
        symbol);
    if (space != 0)
      address = LLVM::AddrSpaceCastOp::create(builder, loc, pointer, address);
    list = LLVM::InsertValueOp::create(builder, loc, list, address, index);
  }
  LLVM::ReturnOp::create(builder, loc, list);
}

namespace {

struct PinSharedMemory
    : public carousel::impl::PinSharedMemoryBase<PinSharedMemory> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    llvm::SmallSetVector<StringAttr, 8> symbols;
    auto list = SymbolTable(module).lookup<LLVM::GlobalOp>(kUsedName);
    if (list)
      collectSymbols(list, symbols);
    size_t listed = symbols.size();
    for (auto global : module.getOps<LLVM::GlobalOp>()) {
      if (global.getAddrSpace() !=
          static_cast<uint32_t>(NVVM::NVVMMemorySpace::Shared))
        continue;
      if (isDynamicShared(global)) {
        // `.extern .shared`: the launch says how long it is.
        global.setLinkage(LLVM::Linkage::External);
        global.setAlignment(rules::kSwizzle128Alignment);
      } else {
        symbols.insert(global.getSymNameAttr());
      }
    }
    if (symbols.size() == listed)
      return;
    if (list)
      list.erase();
    createUsedList(module, symbols.getArrayRef());
    pinned += symbols.size() - listed;
  }
};

} // namespace
