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

#include "TakeElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
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
    auto [rows, columns] = getMatrixExtents(type);
    span = *getSwizzleSpan(swizzle) * 8 / element.getIntOrFloatBitWidth();
    SmallVector<int64_t> shape = {columns / span, rows, span};
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

Instructions carousel::getAllInstructions(MultiplyOp op) {
  return {0, op.getDepth() / op.getInstructionDepth()};
}

/// The words of one instruction, of all elements of a factor.
static Value extractWords(ImplicitLocOpBuilder &b, Value factor, int64_t piece,
                          int64_t step) {
  Value part =
      vector::ExtractOp::create(b, factor, ArrayRef<int64_t>({piece, step}));
  return vector::BitCastOp::create(b, VectorType::get({4, 1}, b.getI32Type()),
                                   part);
}

/// The same, without the elements of others.
static Value takeWords(ImplicitLocOpBuilder &b, Value factor, int64_t piece,
                       int64_t step) {
  auto type = cast<VectorType>(factor.getType());
  int64_t elements = type.getDimSize(2) * type.getDimSize(3),
          first = (piece * type.getDimSize(1) + step) * elements;
  Value part = takeElements(
      b, factor, llvm::to_vector(llvm::seq<int64_t>(first, first + elements)));
  Value words =
      vector::BitCastOp::create(b, VectorType::get({4}, b.getI32Type()), part);
  return vector::ShapeCastOp::create(b, VectorType::get({4, 1}, b.getI32Type()),
                                     words);
}

SmallVector<Value> carousel::splitFactor(ImplicitLocOpBuilder &b, Value factor,
                                         Instructions instructions) {
  SmallVector<Value> registers;
  auto type = cast<VectorType>(factor.getType());
  bool isAll = instructions.count == type.getDimSize(1);
  for (int64_t piece = 0; piece < type.getDimSize(0); ++piece)
    for (int64_t i = 0; i < instructions.count; ++i) {
      int64_t step = instructions.begin + i;
      registers.push_back(isAll ? extractWords(b, factor, piece, step)
                                : takeWords(b, factor, piece, step));
    }
  return registers;
}

bool carousel::addsToZero(MultiplyOp op) {
  return matchPattern(op.getSums(), m_AnyZeroFloat()) ||
         matchPattern(op.getSums(), m_Zero());
}

/// Whether the first product overwrites the registers of the sums.
static bool beginsAtZero(MultiplyOp op) {
  return op.getPromote() || addsToZero(op);
}

SmallVector<Value> carousel::issueProducts(ImplicitLocOpBuilder &b,
                                           MultiplyOp op, ValueRange registers,
                                           ValueRange factor,
                                           Instructions instructions) {
  auto getMajor = [](bool isAlongK) {
    return isAlongK ? MatrixMajor::K : MatrixMajor::MN;
  };
  std::optional<Blocks> first;
  if (!op.hasRegisters())
    first.emplace(b, op.getA(), op.getSwizzleA(), getMajor(!op.getTransposeA()),
                  op.getRow());
  Blocks second(b, op.getB(), op.getSwizzleB(), getMajor(op.getTransposeB()),
                op.getColumn());
  int64_t step = op.getInstructionDepth();
  TypeAttr typeOfA;
  if (op.hasRegisters())
    typeOfA = TypeAttr::get(getElementTypeOrSelf(op.getA().getType()));
  SmallVector<Value> sums(registers);
  for (int64_t number = 0; number < instructions.count; ++number) {
    int64_t k = (instructions.begin + number) * step;
    Value scale;
    if (number == 0 && beginsAtZero(op))
      scale = arith::ConstantIntOp::create(b, 0, /*width=*/1);
    Value right = second.describe(/*along=*/0, k);
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Value left = first ? first->describe(i * kWgmmaRows, k)
                         : factor[i * instructions.count + number];
      sum = WgmmaMmaOp::create(b, sum.getType(), left, right, sum, scale,
                               /*negate_a=*/false, /*negate_b=*/false,
                               /*unsigned_a=*/false, /*unsigned_b=*/false,
                               /*saturate=*/false, typeOfA);
    }
  }
  return sums;
}

/// Registers that the first product overwrites.
static SmallVector<Value> makeUnread(ImplicitLocOpBuilder &b, MultiplyOp op) {
  return SmallVector<Value>(
      cast<VectorType>(op.getSums().getType()).getDimSize(0),
      ub::PoisonOp::create(b, getPieceType(op)));
}

SmallVector<Value> carousel::startSums(ImplicitLocOpBuilder &b, MultiplyOp op) {
  return beginsAtZero(op) ? makeUnread(b, op) : splitSums(b, op, op.getSums());
}

/// Each part's sums are added to the others while the next part is in flight.
static SmallVector<Value> multiplyInParts(ImplicitLocOpBuilder &b,
                                          MultiplyOp op) {
  SmallVector<Value> sums;
  if (!addsToZero(op))
    sums = splitSums(b, op, op.getSums());
  int64_t count = *op.getPromote() / op.getInstructionDepth(),
          all = getAllInstructions(op).count;
  SmallVector<Value> factor;
  if (op.hasRegisters()) {
    SmallVector<Value> own = splitFactor(b, op.getA(), {0, all});
    llvm::append_range(
        factor, WgmmaFenceOp::create(b, own, /*renews=*/false).getResults());
  }
  auto getPart = [&](int64_t begin) {
    SmallVector<Value> part;
    for (size_t first = 0; first < factor.size(); first += all)
      llvm::append_range(part, ValueRange(factor).slice(first + begin, count));
    return part;
  };
  SmallVector<Value> before;
  auto add = [&](int64_t pending) {
    SmallVector<Value> registers = before;
    if (pending == 0)
      llvm::append_range(registers, factor);
    auto wait = WgmmaWaitOp::create(b, pending, registers);
    if (sums.empty()) {
      sums = wait.getResults().take_front(before.size());
      return;
    }
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = arith::AddFOp::create(b, sum, wait.getResult(i));
  };
  for (int64_t begin = 0; begin < all; begin += count) {
    SmallVector<Value> unread = makeUnread(b, op);
    ValueRange fenced =
        WgmmaFenceOp::create(b, unread, /*renews=*/false).getResults();
    SmallVector<Value> part =
        issueProducts(b, op, fenced, getPart(begin), {begin, count});
    WgmmaCommitOp::create(b);
    if (begin != 0)
      add(/*pending=*/1);
    before = std::move(part);
  }
  add(/*pending=*/0);
  return sums;
}

bool carousel::isOnePromotedPart(MultiplyOp op) {
  return op.getPromote() == uint64_t(op.getDepth()) && addsToZero(op);
}

void carousel::lowerPromoted(MultiplyOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> sums = multiplyInParts(b, op);
  op.replaceAllUsesWith(
      joinSums(b, sums, cast<VectorType>(op.getSums().getType())));
  op.erase();
}
