//===- MatrixOps.cpp - supported matrix instructions ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/MatrixOps.h"

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace carousel;

static std::string explainLoad(nvgpu::LdMatrixOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  MemRefType type = op.getSrcMemref().getType();
  Type element = type.getElementType();
  int64_t tiles = op.getNumTiles();
  bool isPlain = isa<Float16Type, BFloat16Type, Float32Type>(element) ||
                 element.isSignlessInteger(8) ||
                 element.isSignlessInteger(16) || element.isSignlessInteger(32);
  if (type.getRank() == 0)
    os << "expected a memref with rows, got '" << type << "'";
  else if (!isPlain)
    os << "expected elements of f16, bf16, f32, i8, i16 or i32, got '"
       << element << "'";
  else if (op.getTranspose() && element.getIntOrFloatBitWidth() != 16)
    os << "expected elements of 16 bits to transpose, got '" << element << "'";
  else if (tiles != 1 && tiles != 2 && tiles != 4)
    os << "expected 1, 2 or 4 matrices, got " << tiles;
  return text;
}

static std::string explainProduct(nvgpu::MmaSyncOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto [m, n, k] = op.getMmaShapeAsArray();
  Type element = op.getMatrixA().getType().getElementType();
  Type sum = op.getMatrixC().getType().getElementType();
  bool isInteger = element.isSignlessInteger(8);
  if (!element.isF16() && !element.isBF16() && !element.isF32() && !isInteger)
    os << "expected a product of f16, bf16, f32 or i8, got '" << element << "'";
  else if (element.isF32() && !op.getTf32Enabled())
    os << "expected tf32Enabled on a product of f32, got none";
  // A row of one or two pieces of 16 bytes.
  else if (int64_t most = 256 / element.getIntOrFloatBitWidth();
           m != 16 || n != 8 || (k != most / 2 && k != most))
    os << "expected a product m16n8k" << most / 2 << " or m16n8k" << most
       << ", got m" << m << 'n' << n << 'k' << k;
  else if (isInteger ? !sum.isSignlessInteger(32)
                     : !sum.isF32() && !(sum.isF16() && element.isF16()))
    os << "expected sums of " << (isInteger ? "i32" : "f32")
       << (element.isF16() ? " or f16" : "") << " for products of '" << element
       << "', got '" << sum << "'";
  else if (op.getRes().getType() != op.getMatrixC().getType())
    os << "expected a result of '" << op.getMatrixC().getType()
       << "' as the sums have it, got '" << op.getRes().getType() << "'";
  return text;
}

std::string carousel::explainMatrixOp(Operation *op) {
  if (auto load = dyn_cast<nvgpu::LdMatrixOp>(op))
    return explainLoad(load);
  if (auto product = dyn_cast<nvgpu::MmaSyncOp>(op))
    return explainProduct(product);
  return {};
}
