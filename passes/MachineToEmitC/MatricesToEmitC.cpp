//===- MatricesToEmitC.cpp - nvgpu's matrix ops to EmitC ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToEmitC.h"

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace carousel;

static LogicalResult lowerLdMatrix(nvgpu::LdMatrixOp op,
                                   AdaptorOf<nvgpu::LdMatrixOp> adaptor,
                                   CBuilder &builder) {
  Type result = builder.types.convertType(op.getRes().getType());
  if (!result)
    return failure();
  Value address =
      builder.element(op.getSrcMemref().getType(), adaptor.getSrcMemref(),
                      flatten(adaptor.getIndices()));
  auto call = builder.call(
      result, "carousel::ldmatrix", address,
      {std::to_string(op.getNumTiles()), op.getTranspose() ? "true" : "false"});
  builder.rewriter.replaceOp(op, call.getResults());
  return success();
}

/// The function's overload is chosen by the types of the fragments, of which
/// --carousel-verify-machine has seen to it that there is one.
static LogicalResult lowerMmaSync(nvgpu::MmaSyncOp op,
                                  AdaptorOf<nvgpu::MmaSyncOp> adaptor,
                                  CBuilder &builder) {
  Type result = builder.types.convertType(op.getRes().getType());
  auto call =
      builder.call(result, "carousel::mma_sync",
                   {one(adaptor.getMatrixA()), one(adaptor.getMatrixB()),
                    one(adaptor.getMatrixC())});
  builder.rewriter.replaceOp(op, call.getResults());
  return success();
}

void carousel::populateMatricesToEmitC(RewritePatternSet &patterns,
                                       const CTypes &types) {
  addPattern<nvgpu::LdMatrixOp>(patterns, types, lowerLdMatrix);
  addPattern<nvgpu::MmaSyncOp>(patterns, types, lowerMmaSync);
}
