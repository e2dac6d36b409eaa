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

/// The function's overload is chosen by the types of the fragments.
static LogicalResult lowerMmaSync(nvgpu::MmaSyncOp op,
                                  AdaptorOf<nvgpu::MmaSyncOp> adaptor,
                                  CBuilder &builder) {
  Type element = op.getMatrixA().getType().getElementType();
  Type sum = op.getMatrixC().getType().getElementType();
  auto [m, n, k] = op.getMmaShapeAsArray();
  bool isKnown = (element.isF16() && (sum.isF16() || sum.isF32())) ||
                 (element.isBF16() && sum.isF32());
  if (!isKnown || m != 16 || n != 8 || (k != 8 && k != 16))
    return op.emitError("expected a product m16n8k8 or m16n8k16 of f16 or bf16 "
                        "for CUDA C++, got m")
           << m << 'n' << n << 'k' << k << " of " << element << " with sums of "
           << sum;
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
