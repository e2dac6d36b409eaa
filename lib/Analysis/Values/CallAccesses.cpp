//===- CallAccesses.cpp - the memory that calls access --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CallAccesses.h. An op of a function's body that isn't known to be
// harmless accesses any memory.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/CallAccesses.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

bool carousel::isReport(Operation *op) {
  return isa<cf::AssertOp, gpu::PrintfOp>(op);
}

namespace {

/// The accesses of one function, in terms of its own values.
class FunctionSummary {
public:
  explicit FunctionSummary(SmallVectorImpl<Operation *> &open) : open(open) {}

  SmallVector<CallAccess> summarise(CallOpInterface call);

private:
  void add(Value memref, bool isWrite) {
    CallAccess access = {memref, isWrite};
    if (!llvm::is_contained(accesses, access))
      accesses.push_back(access);
  }
  void addAnything() {
    add(nullptr, /*isWrite=*/false);
    add(nullptr, /*isWrite=*/true);
  }
  void addExternal(CallOpInterface call);
  void addOp(Operation *op);

  SmallVectorImpl<Operation *> &open; ///< functions that are being visited
  SmallVector<CallAccess> accesses;
};

} // namespace

/// Whether an integer may hold the address of memory: some op of the module
/// takes an address as an integer.
static bool mayHoldAddress(Operation *user) {
  Operation *module = SymbolTable::getNearestSymbolTable(user);
  return module
      ->walk([](Operation *op) {
        return isa<memref::ExtractAlignedPointerAsIndexOp>(op) ||
                       op->getName().getStringRef() == "llvm.ptrtoint"
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A function without a body accesses memory through its operands only.
void FunctionSummary::addExternal(CallOpInterface call) {
  bool hasIntegers = false;
  for (Value operand : call.getArgOperands()) {
    Type type = operand.getType();
    if (auto vector = dyn_cast<VectorType>(type))
      type = vector.getElementType();
    hasIntegers |= isa<IndexType, IntegerType>(type);
    if (isa<BaseMemRefType>(type)) {
      add(operand, /*isWrite=*/false);
      add(operand, /*isWrite=*/true);
    } else if (!type.isIntOrIndexOrFloat()) {
      addAnything();
    }
  }
  if (hasIntegers && mayHoldAddress(call))
    addAnything();
}

void FunctionSummary::addOp(Operation *op) {
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    for (const CallAccess &access : FunctionSummary(open).summarise(call))
      add(access.memref, access.isWrite);
    return;
  }
  // Shuffles and prints pass values. Barriers and fences order accesses.
  bool isExchange =
      isa_and_nonnull<gpu::GPUDialect>(op->getDialect()) &&
      !isa<gpu::BarrierOp, gpu::AllReduceOp>(op) &&
      llvm::none_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>);
  if (isReport(op) || isExchange || op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface || isa_and_nonnull<CarouselDialect>(op->getDialect())) {
    if (!isMemoryEffectFree(op))
      addAnything();
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects)
    if (isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()))
      add(effect.getValue(), isa<MemoryEffects::Write>(effect.getEffect()));
}

/// Finds the caller's memory that an access of `function` is to: null for any
/// memory, nullopt for memory of the function's own.
static std::optional<Value> findInCaller(Value memref, Operation *function,
                                         CallOpInterface call) {
  if (!memref || !isa<BaseMemRefType>(memref.getType()))
    return Value();
  Value root = getRootBuffer(memref);
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    unsigned index = argument.getArgNumber();
    bool isOperand = argument.getOwner()->getParentOp() == function &&
                     argument.getOwner()->isEntryBlock() &&
                     index < call.getArgOperands().size();
    return isOperand ? call.getArgOperands()[index] : Value();
  }
  if (root.getDefiningOp<memref::AllocaOp>())
    return std::nullopt;
  return root.getDefiningOp<memref::GetGlobalOp>() ? root : Value();
}

SmallVector<CallAccess> FunctionSummary::summarise(CallOpInterface call) {
  Operation *function = call.resolveCallable();
  auto callee = dyn_cast_if_present<FunctionOpInterface>(function);
  if (!callee || llvm::is_contained(open, function)) {
    addAnything();
    return accesses;
  }
  if (callee->hasAttr(LLVM::LLVMDialect::getReadnoneAttrName()))
    return accesses;
  if (callee.isExternal()) {
    addExternal(call);
    return accesses;
  }
  open.push_back(function);
  callee.getFunctionBody().walk([&](Operation *op) { addOp(op); });
  open.pop_back();
  SmallVector<CallAccess> inside;
  std::swap(inside, accesses);
  for (const CallAccess &access : inside)
    if (std::optional<Value> memref =
            findInCaller(access.memref, function, call))
      add(*memref, access.isWrite);
  return accesses;
}

SmallVector<CallAccess> carousel::getCallAccesses(CallOpInterface call) {
  SmallVector<Operation *> open;
  return FunctionSummary(open).summarise(call);
}
