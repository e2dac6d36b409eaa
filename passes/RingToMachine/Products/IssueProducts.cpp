//===- IssueProducts.cpp - the instructions of one product ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See IssueProducts.h.
//
//===----------------------------------------------------------------------===//

#include "IssueProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

namespace {

/// A tile of a product, as blocks of rows of one span.
class Blocks {
public:
  Blocks(ImplicitLocOpBuilder &b, Value tile, Swizzle swizzle,
         MatrixMajor major, Value first)
      : b(b), swizzle(swizzle), major(major), first(first) {
    auto type = cast<MemRefType>(tile.getType());
    element = type.getElementType();
    int64_t rows = type.getDimSize(0);
    span = *getSwizzleSpan(swizzle) * 8 / element.getIntOrFloatBitWidth();
    SmallVector<int64_t> shape = {type.getDimSize(1) / span, rows, span};
    SmallVector<int64_t> strides = {rows * span, span, 1};
    auto layout = StridedLayoutAttr::get(b.getContext(), 0, strides);
    blocks = memref::ReinterpretCastOp::create(
        b, MemRefType::get(shape, element, layout, type.getMemorySpace()), tile,
        /*offset=*/0, shape, strides);
  }

  /// The descriptor of the piece that begins at `k`, `along` rows of m or n
  /// after the first.
  Value describe(int64_t along, int64_t k) {
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    Value at = b.createOrFold<arith::AddIOp>(first, index(along));
    SmallVector<Value> place = {index(k / span), at, index(k % span)};
    if (major == MatrixMajor::MN)
      place = {b.createOrFold<arith::DivUIOp>(at, index(span)), index(k),
               b.createOrFold<arith::RemUIOp>(at, index(span))};
    return WgmmaDescriptorOp::create(
        b, MatrixDescriptorType::get(b.getContext(), element, major), blocks,
        place, swizzle);
  }

private:
  ImplicitLocOpBuilder &b;
  Swizzle swizzle;
  MatrixMajor major;
  Value first, blocks;
  Type element;
  int64_t span;
};

} // namespace

static VectorType getPieceType(MultiplyOp op) {
  auto type = cast<VectorType>(op.getSums().getType());
  return VectorType::get(type.getShape().drop_front(), type.getElementType());
}

SmallVector<Value> carousel::splitSums(ImplicitLocOpBuilder &b, MultiplyOp op,
                                       Value sums) {
  auto type = cast<VectorType>(op.getSums().getType());
  VectorType piece = getPieceType(op);
  int64_t pieces = type.getDimSize(0);
  DenseElementsAttr constant;
  if (matchPattern(sums, m_Constant(&constant)) && constant.isSplat())
    return SmallVector<Value>(
        pieces, arith::ConstantOp::create(b, constant.resizeSplat(piece)));
  Value all = b.createOrFold<vector::ShapeCastOp>(type, sums);
  SmallVector<Value> result;
  for (int64_t i = 0; i < pieces; ++i)
    result.push_back(vector::ExtractOp::create(b, all, i));
  return result;
}

Value carousel::joinSums(ImplicitLocOpBuilder &b, ValueRange pieces,
                         VectorType to) {
  if (pieces.size() == 1)
    return b.createOrFold<vector::ShapeCastOp>(to, pieces.front());
  auto piece = cast<VectorType>(pieces.front().getType());
  SmallVector<int64_t> shape = {int64_t(pieces.size())};
  shape.append(piece.getShape().begin(), piece.getShape().end());
  auto type = VectorType::get(shape, piece.getElementType());
  Value all = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (auto [i, part] : llvm::enumerate(pieces))
    all = vector::InsertOp::create(b, part, all, int64_t(i));
  return b.createOrFold<vector::ShapeCastOp>(to, all);
}

SmallVector<Value> carousel::splitFactor(ImplicitLocOpBuilder &b,
                                         Value factor) {
  SmallVector<Value> registers;
  auto type = cast<VectorType>(factor.getType());
  auto words = VectorType::get({4, 1}, b.getI32Type());
  for (int64_t piece = 0; piece < type.getDimSize(0); ++piece)
    for (int64_t step = 0; step < type.getDimSize(1); ++step) {
      Value part = vector::ExtractOp::create(b, factor,
                                             ArrayRef<int64_t>({piece, step}));
      registers.push_back(vector::BitCastOp::create(b, words, part));
    }
  return registers;
}

SmallVector<Value> carousel::issueProducts(ImplicitLocOpBuilder &b,
                                           MultiplyOp op, ValueRange registers,
                                           ValueRange factor) {
  auto getMajor = [](bool isAlongK) {
    return isAlongK ? MatrixMajor::K : MatrixMajor::MN;
  };
  std::optional<Blocks> first;
  if (!op.hasRegisters())
    first.emplace(b, op.getA(), op.getSwizzleA(), getMajor(!op.getTransposeA()),
                  op.getRow());
  Blocks second(b, op.getB(), op.getSwizzleB(), getMajor(op.getTransposeB()),
                op.getColumn());
  int64_t step = op.getInstructionDepth(), steps = op.getDepth() / step;
  TypeAttr typeOfA;
  if (op.hasRegisters())
    typeOfA = TypeAttr::get(getElementTypeOrSelf(op.getA().getType()));
  SmallVector<Value> sums(registers);
  for (int64_t number = 0; number < steps; ++number) {
    int64_t k = number * step;
    Value right = second.describe(/*along=*/0, k);
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Value left = first ? first->describe(i * kWgmmaRows, k)
                         : factor[i * steps + number];
      sum =
          WgmmaMmaOp::create(b, sum.getType(), left, right, sum,
                             /*scale=*/Value(), /*negate_a=*/false,
                             /*negate_b=*/false, /*unsigned_a=*/false,
                             /*unsigned_b=*/false, /*saturate=*/false, typeOfA);
    }
  }
  return sums;
}

void carousel::lowerAndWait(MultiplyOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> pieces = splitSums(b, op, op.getSums());
  size_t count = pieces.size();
  if (op.hasRegisters())
    llvm::append_range(pieces, splitFactor(b, op.getA()));
  ValueRange fenced = WgmmaFenceOp::create(b, pieces).getResults();
  SmallVector<Value> registers =
      issueProducts(b, op, fenced.take_front(count), fenced.drop_front(count));
  WgmmaCommitOp::create(b);
  // The factor's registers are the products' until the wait, too.
  llvm::append_range(registers, fenced.drop_front(count));
  auto wait = WgmmaWaitOp::create(b, /*pending=*/0, registers);
  op.replaceAllUsesWith(joinSums(b, wait.getResults().take_front(count),
                                 cast<VectorType>(op.getSums().getType())));
  op.erase();
}
