//===- ConvertToEmitC.cpp - machine phase to EmitC ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts all of a gpu.module in one conversion. Before it, the pass saves the
// names of results as names of locations, because converted ops keep their
// locations only.
//
//===----------------------------------------------------------------------===//

#include "ToEmitC.h"

#include "../MachineToNVVM/BoundedWaits.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace carousel {
#define GEN_PASS_DEF_CONVERTTOEMITC
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Names the location of ops that have a name for their result but none in
/// their location: `block_id_x`, `view`. A constant is better seen.
static void nameResults(Operation *root) {
  root->walk([](Operation *op) {
    if (op->getNumResults() != 1 || op->hasTrait<OpTrait::ConstantLike>() ||
        isa<NameLoc>(op->getLoc()))
      return;
    auto interface = dyn_cast<OpAsmOpInterface>(op);
    if (!interface)
      return;
    interface.getAsmResultNames([&](Value value, StringRef name) {
      if (!name.empty())
        op->setDiscardableAttr(TextAttrs::kHint,
                               StringAttr::get(op->getContext(), name));
    });
    if (auto hint = dyn_cast_or_null<StringAttr>(
            op->removeDiscardableAttr(TextAttrs::kHint)))
      op->setLoc(NameLoc::get(hint, op->getLoc()));
  });
}

/// Lets ops that no pattern took stand beside converted ones until they are
/// reported.
static void keepForeignTypes(CTypes &types) {
  types.addSourceMaterialization([](OpBuilder &builder, Type type,
                                    ValueRange inputs, Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs)
        .getResult(0);
  });
  types.addTargetMaterialization([](OpBuilder &builder, TypeRange results,
                                    ValueRange inputs,
                                    Location loc) -> SmallVector<Value> {
    // The address of a kernel's tensor map is no mere cast.
    if (inputs.size() == 1 && results.size() == 1 &&
        isa<emitc::OpaqueType>(inputs.front().getType()) &&
        isa<emitc::PointerType>(results.front()))
      return {};
    return UnrealizedConversionCastOp::create(builder, loc, results, inputs)
        .getResults();
  });
}

/// A type of an op that C++ has nothing for, or null.
static Type findForeignType(Operation *op, const CTypes &types) {
  auto isForeign = [&](Type type) {
    SmallVector<Type> converted;
    return failed(types.convertType(type, converted));
  };
  for (TypeRange range :
       {TypeRange(op->getResultTypes()), TypeRange(op->getOperandTypes())})
    for (Type type : range)
      if (isForeign(type))
        return type;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (isForeign(type))
          return type;
  return Type();
}

/// C202: reports the ops that no pattern took.
static LogicalResult verifyConverted(gpu::GPUModuleOp module,
                                     const CTypes &types) {
  bool refused = false;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa_and_nonnull<emitc::EmitCDialect>(op->getDialect()) ||
        isa<gpu::GPUModuleOp, UnrealizedConversionCastOp>(op))
      return WalkResult::advance();
    refused = true;
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (function && function.getFunctionBody().getBlocks().size() > 1) {
      emitError(op->getLoc())
          << "expected structured control flow in a function, got "
          << function.getFunctionBody().getBlocks().size() << " blocks";
    } else if (Type type = findForeignType(op, types)) {
      emitError(op->getLoc()) << "expected types that CUDA C++ has, got "
                              << type << " in '" << op->getName() << "'";
    } else {
      emitError(op->getLoc())
          << "expected an op that has a form in CUDA C++, got '"
          << op->getName() << "'";
    }
    // Its contents may well have one.
    return WalkResult::skip();
  });
  return failure(refused);
}

namespace {

struct ConvertToEmitC
    : public carousel::impl::ConvertToEmitCBase<ConvertToEmitC> {
  using ConvertToEmitCBase::ConvertToEmitCBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(verifyIndexBitwidth(module, indexBitwidth)))
      return signalPassFailure();
    FailureOr<std::optional<uint64_t>> waitBound =
        checkWaitBound(module, debugWaits.getValue());
    if (failed(waitBound))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    nameResults(module);

    CTypes types(context, indexBitwidth);
    keepForeignTypes(types);
    RewritePatternSet patterns(context);
    populateArithToEmitC(patterns, types);
    populateCompareToEmitC(patterns, types);
    populateFloat8ToEmitC(patterns, types);
    populateMathToEmitC(patterns, types);
    populateMatricesToEmitC(patterns, types);
    populateVectorToEmitC(patterns, types);
    populateMemRefToEmitC(patterns, types);
    populateSCFToEmitC(patterns, types);
    populateGPUToEmitC(patterns, types);
    populateFunctionsToEmitC(patterns, types);
    populateMbarrierToEmitC(patterns, types);
    populateTransfersToEmitC(patterns, types);
    populateSyncToEmitC(patterns, types);
    populateWgmmaToEmitC(patterns, types);
    populateWaitsToEmitC(patterns, types, *waitBound);

    ConversionTarget target(*context);
    target.addLegalDialect<emitc::EmitCDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    // An op that is left is an error where it stands, by its own words.
    if (failed(applyPartialConversion(module, target, std::move(patterns))) ||
        failed(verifyConverted(module, types)))
      signalPassFailure();
  }
};

} // namespace
