//===- SharedMemoryUse.cpp - shared memory that a kernel uses -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SharedMemoryUse.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/SharedMemory/SharedMemoryUse.h"

#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

/// The bytes of a static buffer; on overflow the largest number.
static uint64_t getBytes(MemRefType type) {
  uint64_t bytes = getMostElementBytes(type.getElementType()).value_or(0);
  for (int64_t extent : type.getShape())
    bytes = llvm::SaturatingMultiply(bytes, static_cast<uint64_t>(extent));
  return bytes;
}

uint64_t carousel::getDynamicEnd(memref::ViewOp view) {
  if (!view.getSource().getDefiningOp<gpu::DynamicSharedMemoryOp>() ||
      !view.getType().hasStaticShape())
    return 0;
  int64_t shift = getConstantIntValue(view.getByteShift()).value_or(0);
  return llvm::SaturatingAdd<uint64_t>(shift, getBytes(view.getType()));
}

uint64_t carousel::padStaticShared(uint64_t bytes) {
  return llvm::alignTo(bytes, rules::kSwizzle128Alignment);
}

/// The kernel and the functions that it calls, directly or indirectly.
static llvm::SmallSetVector<Operation *, 4>
getReachable(gpu::GPUFuncOp kernel, SymbolTableCollection &symbolTables) {
  llvm::SmallSetVector<Operation *, 4> reachable;
  reachable.insert(kernel);
  for (size_t i = 0; i < reachable.size(); ++i)
    reachable[i]->walk([&](CallOpInterface call) {
      if (Operation *callee = call.resolveCallableInTable(&symbolTables))
        reachable.insert(callee);
    });
  return reachable;
}

static bool isPlacedView(OpOperand &use) {
  auto view = dyn_cast<memref::ViewOp>(use.getOwner());
  return view && view.getType().hasStaticShape() &&
         getConstantIntValue(view.getByteShift());
}

SharedMemoryUse
carousel::computeSharedMemoryUse(gpu::GPUFuncOp kernel,
                                 SymbolTableCollection &symbolTables) {
  SharedMemoryUse use;
  // ptxas lays out declarations in this order.
  auto declare = [&](MemRefType type, uint64_t alignment) {
    if (!type.hasStaticShape() && !use.unsized)
      use.unsized = type;
    if (!type.hasStaticShape())
      return;
    use.staticBytes = llvm::SaturatingAdd(
        llvm::alignTo(use.staticBytes, alignment), getBytes(type));
  };
  for (auto [i, buffer] : llvm::enumerate(kernel.getWorkgroupAttributions())) {
    auto align =
        dyn_cast_or_null<IntegerAttr>(kernel.getWorkgroupAttributionAttr(
            i, LLVM::LLVMDialect::getAlignAttrName()));
    // C104 rejects invalid alignments.
    bool valid = align && llvm::isPowerOf2_64(align.getValue().getZExtValue());
    declare(cast<MemRefType>(buffer.getType()),
            valid ? align.getValue().getZExtValue() : 1);
  }
  llvm::SmallSetVector<Operation *, 4> reachable =
      getReachable(kernel, symbolTables);
  llvm::SmallSetVector<StringRef, 4> globals;
  for (Operation *reached : reachable)
    reached->walk([&](memref::GetGlobalOp get) {
      if (!isSharedMemRef(get.getType()) || !globals.insert(get.getName()))
        return;
      auto global = symbolTables.lookupNearestSymbolFrom<memref::GlobalOp>(
          get, get.getNameAttr());
      declare(get.getType(), global ? global.getAlignment().value_or(1) : 1);
    });
  for (Operation *reached : reachable)
    reached->walk([&](gpu::DynamicSharedMemoryOp dynamic) {
      use.hasDynamic = true;
      for (OpOperand &operand : dynamic->getUses()) {
        use.hasUnknownEnd |= !isPlacedView(operand);
        if (auto view = dyn_cast<memref::ViewOp>(operand.getOwner()))
          use.dynamicEnd = std::max(use.dynamicEnd, getDynamicEnd(view));
      }
    });
  return use;
}
