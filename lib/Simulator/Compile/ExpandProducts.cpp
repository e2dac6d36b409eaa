//===- ExpandProducts.cpp - products of tiles -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands carousel.multiply, the product of two tiles at the tile phase, to
// what it means: each thread computes its own sums, in loops over the elements
// of both tiles, in the order of k. Lane 4g + t of warp w has columns 2t and
// 2t + 1 of each eight, in rows 16w + g and 16w + g + 8 of each 64. What
// the threads have of the first factor, they take from the lanes of their row.
//
//===----------------------------------------------------------------------===//

#include "KernelModule.h"

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

namespace {

struct ExpandMultiply : public OpRewritePattern<MultiplyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MultiplyOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<VectorType>(op.getSums().getType());
    Type sum = type.getElementType();
    int64_t count = type.getNumElements();
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    auto add = [&](Value lhs, Value rhs) -> Value {
      return arith::AddIOp::create(b, lhs, rhs);
    };
    auto mul = [&](Value lhs, int64_t rhs) -> Value {
      return arith::MulIOp::create(b, lhs, index(rhs));
    };
    auto div = [&](Value lhs, int64_t rhs) -> Value {
      return arith::DivUIOp::create(b, lhs, index(rhs));
    };
    auto rem = [&](Value lhs, int64_t rhs) -> Value {
      return arith::RemUIOp::create(b, lhs, index(rhs));
    };

    constexpr int64_t kWarpRows = 16, kGroupRows = 8, kGroupLanes = 4;
    Value lane = gpu::LaneIdOp::create(b, nullptr);
    Value warp = rem(gpu::SubgroupIdOp::create(b, nullptr),
                     rules::kWarpgroupSize / rules::kWarpSize);
    Value ownRow = add(mul(warp, kWarpRows), div(lane, kGroupLanes));
    if (op.getRow())
      ownRow = add(op.getRow(), ownRow);
    Value ownColumn = add(op.getColumn(), mul(rem(lane, kGroupLanes), 2));

    // The sums are in memory, where a loop finds them by number.
    auto flat = VectorType::get({count}, sum);
    Value own = memref::AllocaOp::create(b, MemRefType::get({count}, sum));
    Value zero = index(0), one = index(1);
    vector::StoreOp::create(
        b, vector::ShapeCastOp::create(b, flat, op.getSums()), own, zero);
    bool isAlongKA = !op.getTransposeA(), isAlongKB = op.getTransposeB();
    Value fragments = storeFragments(b, op);
    Value firstLane = arith::SubIOp::create(b, lane, rem(lane, kGroupLanes));
    int64_t k = op.getDepth();
    int64_t ofPiece = count / type.getDimSize(0);
    auto loop = scf::ForOp::create(b, zero, index(count), one);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value number = loop.getInductionVar();
      Value row = add(add(ownRow, mul(div(number, ofPiece), kWgmmaRows)),
                      mul(rem(div(number, 2), 2), kGroupRows));
      Value column = add(
          ownColumn, add(mul(div(rem(number, ofPiece), 4), kWgmmaColumnStep),
                         rem(number, 2)));
      auto multiplyAt = [&](Value at, Value before) -> Value {
        Value left;
        if (fragments) {
          // Two of a lane's registers have the first half of an instruction's
          // k, for both rows, and two have the second half.
          int64_t step = op.getInstructionDepth(), half = step / 2,
                  own = half / kGroupLanes;
          Value inHalf = rem(at, half);
          Value place[] = {
              div(number, ofPiece), div(at, step),
              add(mul(div(rem(at, step), half), 2), rem(div(number, 2), 2)),
              rem(inHalf, own)};
          Value mine =
              widen(b, memref::LoadOp::create(b, fragments, place), sum);
          Value source = add(firstLane, div(inHalf, own));
          left = gpu::ShuffleOp::create(
                     b, mine,
                     arith::IndexCastOp::create(b, b.getI32Type(), source),
                     arith::ConstantIntOp::create(b, b.getI32Type(),
                                                  rules::kWarpSize),
                     gpu::ShuffleMode::IDX)
                     .getShuffleResult();
        } else {
          left = widen(b,
                       isAlongKA ? loadFrom(b, op.getA(), row, at)
                                 : loadFrom(b, op.getA(), at, row),
                       sum);
        }
        Value right = isAlongKB ? loadFrom(b, op.getB(), column, at)
                                : loadFrom(b, op.getB(), at, column);
        return multiplyAdd(b, left, widen(b, right, sum), before);
      };
      auto addProducts = [&](Value begin, Value end, Value before) -> Value {
        auto products = scf::ForOp::create(b, begin, end, one, before);
        OpBuilder::InsertionGuard inner(b);
        b.setInsertionPointToStart(products.getBody());
        scf::YieldOp::create(b, multiplyAt(products.getInductionVar(),
                                           products.getRegionIterArg(0)));
        return products.getResult(0);
      };
      Value after = memref::LoadOp::create(b, own, number);
      int64_t part = op.getPromote().value_or(k);
      for (int64_t begin = 0; begin < k; begin += part) {
        if (!op.getPromote()) {
          after = addProducts(zero, index(k), after);
          break;
        }
        Value none = arith::ConstantOp::create(b, b.getZeroAttr(sum));
        after = arith::AddFOp::create(
            b, after, addProducts(index(begin), index(begin + part), none));
      }
      memref::StoreOp::create(b, after, own, number);
    }
    rewriter.replaceOpWithNewOp<vector::ShapeCastOp>(
        op, type, vector::LoadOp::create(b, flat, own, zero));
    return success();
  }

private:
  /// An element of a tile, all of whose dimensions but the last count rows.
  static Value loadFrom(ImplicitLocOpBuilder &b, Value tile, Value row,
                        Value column) {
    ArrayRef<int64_t> shape = cast<MemRefType>(tile.getType()).getShape();
    SmallVector<Value> place = {column};
    for (int64_t extent : llvm::reverse(shape.drop_back().drop_front())) {
      Value size = arith::ConstantIndexOp::create(b, extent);
      place.push_back(arith::RemUIOp::create(b, row, size));
      row = arith::DivUIOp::create(b, row, size);
    }
    place.push_back(row);
    std::reverse(place.begin(), place.end());
    return memref::LoadOp::create(b, tile, place);
  }

  /// The first factor's registers in memory, where a loop finds them by number;
  /// null if it is in a tile.
  static Value storeFragments(ImplicitLocOpBuilder &b, MultiplyOp op) {
    auto type = dyn_cast<VectorType>(op.getA().getType());
    if (!type)
      return {};
    Value memory = memref::AllocaOp::create(
        b, MemRefType::get(type.getShape(), type.getElementType()));
    Value zero = arith::ConstantIndexOp::create(b, 0);
    SmallVector<Value> place(type.getRank(), zero);
    vector::StoreOp::create(b, op.getA(), memory, place);
    return memory;
  }

  /// Products are exact in f32; of f32, the instruction ignores the bits that
  /// tf32 lacks.
  static Value widen(ImplicitLocOpBuilder &b, Value value, Type sum) {
    Type type = value.getType();
    if (type.isInteger())
      return arith::ExtSIOp::create(b, sum, value);
    if (!type.isF32())
      return arith::ExtFOp::create(b, sum, value);
    constexpr int64_t kIgnored = (1 << 13) - 1;
    Value bits = arith::BitcastOp::create(b, b.getI32Type(), value);
    Value kept = arith::AndIOp::create(
        b, bits, arith::ConstantIntOp::create(b, b.getI32Type(), ~kIgnored));
    return arith::BitcastOp::create(b, type, kept);
  }

  static Value multiplyAdd(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                           Value sum) {
    if (sum.getType().isInteger())
      return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, lhs, rhs));
    return arith::AddFOp::create(b, sum, arith::MulFOp::create(b, lhs, rhs));
  }
};

} // namespace

void sim::populateExpandProducts(RewritePatternSet &patterns) {
  patterns.add<ExpandMultiply>(patterns.getContext());
}
