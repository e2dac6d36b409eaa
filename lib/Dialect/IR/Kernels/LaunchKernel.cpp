//===- LaunchKernel.cpp - launches compared with what they launch ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// carousel.launch_kernel: its effects, the functions that serve it, and C221
// and C222 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "KernelRules.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace carousel;

void LaunchKernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // On tensors, the op only makes values. It doesn't look at the kernel, which
  // another thread may rewrite: the kernel may read what it writes, too.
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

LogicalResult LaunchKernelOp::verify() { return verifyMemory(*this); }

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static Operation *lookupModule(LaunchKernelOp launch,
                               SymbolTableCollection &symbols) {
  return symbols.lookupNearestSymbolFrom(launch,
                                         launch.getKernel().getRootReference());
}

SmallVector<gpu::GPUFuncOp>
LaunchKernelOp::getVariants(SymbolTableCollection &symbols) {
  SmallVector<gpu::GPUFuncOp> variants;
  auto module =
      dyn_cast_or_null<gpu::GPUModuleOp>(lookupModule(*this, symbols));
  if (!module || getKernel().getNestedReferences().size() != 1)
    return variants;
  for (auto func : module.getOps<gpu::GPUFuncOp>())
    if (func.isKernel() &&
        getKernelName(func) == getKernel().getLeafReference())
      variants.push_back(func);
  return variants;
}

/// Whether the operand's type states what the kernel's type states.
static bool agree(MemRefType wanted, ShapedType given) {
  if (wanted.getElementType() != given.getElementType() ||
      wanted.getRank() != given.getRank())
    return false;
  for (auto [want, have] : llvm::zip_equal(wanted.getShape(), given.getShape()))
    if (!ShapedType::isDynamic(want) && want != have)
      return false;
  auto memref = dyn_cast<MemRefType>(given);
  SmallVector<int64_t> wantedStrides, givenStrides;
  int64_t offset;
  if (!memref || failed(wanted.getStridesAndOffset(wantedStrides, offset)) ||
      failed(memref.getStridesAndOffset(givenStrides, offset)))
    return !memref;
  for (auto [want, have, extent] :
       llvm::zip_equal(wantedStrides, givenStrides, given.getShape()))
    if (!ShapedType::isDynamic(want) && !ShapedType::isDynamic(have) &&
        want != have && extent != 1)
      return false;
  return true;
}

static StringRef getKind(bool isWritten) { return isWritten ? "outs" : "ins"; }

// C222
static LogicalResult verifyOperands(LaunchKernelOp launch,
                                    gpu::GPUFuncOp kernel) {
  auto addNote = [&](InFlightDiagnostic error) -> LogicalResult {
    error.attachNote(kernel.getLoc()) << "the kernel";
    return error;
  };
  SmallVector<KernelArgument> arguments = getKernelArguments(kernel);
  llvm::erase_if(arguments, [](const KernelArgument &argument) {
    return bool(argument.workspace);
  });
  for (bool isWritten : {false, true}) {
    OperandRange operands =
        isWritten ? launch.getOutputs() : launch.getInputs();
    auto isOfKind = [&](const KernelArgument &argument) {
      return (argument.access != ArgumentAccess::In) == isWritten;
    };
    size_t number = llvm::count_if(arguments, isOfKind);
    if (number != operands.size())
      return addNote(launch.emitOpError("expected ")
                     << number << " " << getKind(isWritten)
                     << ", the arguments that @" << getKernelName(kernel)
                     << (isWritten ? " writes" : " only reads") << ", got "
                     << operands.size());
    auto next = operands.begin();
    for (const KernelArgument &argument : arguments) {
      if (!isOfKind(argument))
        continue;
      Type type = (*next++).getType();
      auto memref = dyn_cast<MemRefType>(argument.type);
      auto shaped = dyn_cast<ShapedType>(type);
      if (memref ? shaped && agree(memref, shaped) : type == argument.type)
        continue;
      return addNote(launch.emitOpError("expected ")
                     << getKind(isWritten)
                     << " that fit the kernel's argument '" << argument.name
                     << "' of type " << argument.type << ", got " << type);
    }
  }
  return success();
}

// C221
LogicalResult LaunchKernelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *module = lookupModule(*this, symbols);
  if (!isa_and_nonnull<gpu::GPUModuleOp, gpu::BinaryOp>(module) ||
      getKernel().getNestedReferences().size() != 1)
    return emitOpError("expected a kernel of a gpu.module, as in "
                       "@kernels::@name, got ")
           << getKernel();
  SmallVector<gpu::GPUFuncOp> variants = getVariants(symbols);
  if (!variants.empty())
    return verifyOperands(*this, variants.front());
  // Kernels that are lowered already have lost what callers know of them.
  auto isLowered = [](Operation &op) {
    return isa<FunctionOpInterface>(op) && !isa<gpu::GPUFuncOp>(op);
  };
  if (isa<gpu::BinaryOp>(module) ||
      llvm::any_of(module->getRegion(0).front(), isLowered))
    return success();
  return emitOpError("expected the name of a kernel of @")
         << getKernel().getRootReference().getValue() << ", got @"
         << getKernel().getLeafReference().getValue();
}
