//===- ConvertToEmitC.cpp - the machine phase as EmitC --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One conversion of everything in a gpu.module. Names that ops have for their
// results are kept before it, as names of locations: a later op has no other
// trace of where it comes from.
//
//===----------------------------------------------------------------------===//

#include "ToEmitC.h"

#include "../Lowering/BoundedWaits.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/OpImplementation.h"

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

namespace {

struct ConvertToEmitC
    : public carousel::impl::ConvertToEmitCBase<ConvertToEmitC> {
  using ConvertToEmitCBase::ConvertToEmitCBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(verifyIndexBitwidth(module, indexBitwidth)))
      return signalPassFailure();
    FailureOr<uint64_t> waitBound = checkWaitBound(module, debugWaits);
    if (failed(waitBound))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    nameResults(module);

    CTypes types(context, indexBitwidth);
    RewritePatternSet patterns(context);
    populateArithToEmitC(patterns, types);
    populateCompareToEmitC(patterns, types);
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
    populateWaitsToEmitC(patterns, types, *waitBound);

    ConversionTarget target(*context);
    target.addLegalDialect<emitc::EmitCDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    // An op without a pattern is an error where it stands.
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
