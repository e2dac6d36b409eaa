//===- VerifyTarget.cpp - verifier of the target phase --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Closes the target phase. An op or type without a lowering is an error at the
// op, instead of a failure of the translation. Checks constraints C102 and C106
// of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Verifier.h"

namespace carousel {
#define GEN_PASS_DEF_VERIFYTARGET
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// The widest integer that LLVM takes apart for NVPTX.
static constexpr unsigned kMaxIntegerBits = 128;

/// A function of which LLVM has the name only: NVPTX has no instructions for
/// it, and aborts. Approximate sines and tanh are instructions.
static bool isUnknownFunction(Operation *op) {
  if (isa<LLVM::SinOp, LLVM::CosOp, LLVM::TanhOp>(op)) {
    auto flags = cast<LLVM::FastmathFlagsInterface>(op).getFastmathAttr();
    return !flags ||
           !bitEnumContainsAny(flags.getValue(), LLVM::FastmathFlags::afn) ||
           !getElementTypeOrSelf(op->getResult(0).getType()).isF32();
  }
  if (isa<LLVM::Exp2Op>(op))
    return getElementTypeOrSelf(op->getResult(0).getType()).isF64();
  return isa<LLVM::ACosOp, LLVM::ASinOp, LLVM::ATan2Op, LLVM::ATanOp,
             LLVM::CoshOp, LLVM::Exp10Op, LLVM::ExpOp, LLVM::Log10Op,
             LLVM::Log2Op, LLVM::LogOp, LLVM::PowIOp, LLVM::PowOp,
             LLVM::SincosOp, LLVM::SinhOp, LLVM::TanOp>(op);
}

/// NVPTX takes no notice of another rounding mode than the default one.
static bool hasOtherRounding(Operation *op) {
  auto rounds = dyn_cast<LLVM::RoundingModeOpInterface>(op);
  return rounds && rounds.getRoundingModeAttr().getValue() !=
                       LLVM::RoundingMode::NearestTiesToEven;
}

/// An op that the translation to PTX takes. NVPTX has no scalable vectors.
static bool isLowered(Operation *op) {
  return isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(
             op->getDialect()) &&
         !isa<LLVM::vscale>(op) && !isUnknownFunction(op) &&
         !hasOtherRounding(op);
}

/// Finds the cause of a cast that is left: the ops that make or take the type
/// that LLVM doesn't have.
static Operation *findCause(UnrealizedConversionCastOp cast) {
  auto isCause = [](Operation *op) {
    return op && !isLowered(op) && !isa<UnrealizedConversionCastOp>(op);
  };
  for (Operation *user : cast->getUsers())
    if (isCause(user))
      return user;
  for (Value input : cast.getInputs())
    if (isCause(input.getDefiningOp()))
      return input.getDefiningOp();
  return nullptr;
}

/// C106: what NVPTX has registers for, or LLVM takes apart without aborting.
static bool hasRegisters(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() >= 1 && integer.getWidth() <= kMaxIntegerBits;
  if (isa<FloatType>(type))
    return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
  if (auto vector = dyn_cast<VectorType>(type))
    return !vector.isScalable() && hasRegisters(vector.getElementType());
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return hasRegisters(array.getElementType());
  if (auto structType = dyn_cast<LLVM::LLVMStructType>(type))
    return llvm::all_of(structType.getBody(), hasRegisters);
  return true;
}

static Type findBadType(Operation *op) {
  for (Type type : op->getResultTypes())
    if (!hasRegisters(type))
      return type;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (!hasRegisters(type))
          return type;
  return Type();
}

namespace {

struct VerifyTarget : public carousel::impl::VerifyTargetBase<VerifyTarget> {
  void runOnOperation() override {
    // The pass manager may not have verified the ops (Pipelines.h).
    if (failed(verify(getOperation())))
      return signalPassFailure();
    gpu::GPUModuleOp module = getOperation();
    bool refused = false;
    module.walk([&](Operation *op) {
      if (Type type = findBadType(op)) {
        refused = true;
        emitError(op->getLoc()) << "expected a type that PTX has, got " << type;
        return;
      }
      if (op == module.getOperation() || isLowered(op))
        return;
      // A cast is an error of its own only where no op is to blame.
      if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op))
        if (findCause(cast))
          return;
      refused = true;
      // C102
      emitError(op->getLoc())
          << "expected an op that can be lowered to LLVM or NVVM, got '"
          << op->getName() << "'";
    });
    if (refused)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
