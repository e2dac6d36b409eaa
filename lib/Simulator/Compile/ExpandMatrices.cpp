//===- ExpandMatrices.cpp - ldmatrix and mma.sync ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands a warp's matrix instructions to ops that the machine supports:
// shuffles between its lanes, loads and arithmetic. A lane of ldmatrix then
// reads the bytes that it receives, at an address that another lane provides,
// so that the machine sees the reader of each byte. A prefetch of the lane's
// own row stands for the instruction where accesses of shared memory are
// counted. PTX ISA, Warp-level matrix instructions: the layout of the
// fragments.
//
// Lane 4g + t holds these elements of a matrix, with e elements in each
// register of 32 bits:
// - of A (16 rows), in register r, k = (r / 2) * 4e + t * e + i of row
//   g + 8 * (r mod 2), for i below e;
// - of B (8 columns), in register r, k = r * 4e + t * e + i of column g;
// - of C and D, in row r of two, columns 2t and 2t + 1 of row g + 8r.
//
//===----------------------------------------------------------------------===//

#include "KernelModule.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

/// The number of lanes that together hold a row of A, or a column of B.
static constexpr int64_t kGroup = 4;
static constexpr int64_t kMatrixRows = 8;

static constexpr llvm::StringLiteral kRows = "carousel_sim.matrix_rows";
static constexpr llvm::StringLiteral kCaller = "carousel_sim.of_caller";

Location sim::markMatrixRows(Location location, int64_t rows) {
  Builder builder(location.getContext());
  NamedAttribute mark(builder.getStringAttr(kRows),
                      builder.getI64IntegerAttr(rows));
  return FusedLoc::get(location.getContext(), location,
                       builder.getDictionaryAttr(mark));
}

Location sim::markOfCaller(Location location) {
  return FusedLoc::get(location.getContext(), location,
                       StringAttr::get(location.getContext(), kCaller));
}

bool sim::isOfCaller(Location location) {
  auto marked = dyn_cast<FusedLocWith<StringAttr>>(location);
  return marked && marked.getMetadata().getValue() == kCaller;
}

std::optional<int64_t> sim::getMatrixRows(Location location) {
  auto marked = dyn_cast<FusedLocWith<DictionaryAttr>>(location);
  auto rows = marked ? marked.getMetadata().getAs<IntegerAttr>(kRows) : nullptr;
  return rows ? std::optional(rows.getInt()) : std::nullopt;
}

namespace {

/// Accesses values of other lanes.
class Warp {
public:
  explicit Warp(ImplicitLocOpBuilder &b)
      : b(b), lane(toI32(gpu::LaneIdOp::create(b, nullptr))),
        width(constant(rules::kWarpSize)) {}

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, b.getI32Type(), value);
  }
  Value toI32(Value index) {
    return arith::IndexCastOp::create(b, b.getI32Type(), index);
  }
  Value toIndex(Value word) {
    return arith::IndexCastOp::create(b, b.getIndexType(), word);
  }
  Value add(Value lhs, int64_t rhs) {
    return arith::AddIOp::create(b, lhs, constant(rhs));
  }
  Value mul(Value lhs, int64_t rhs) {
    return arith::MulIOp::create(b, lhs, constant(rhs));
  }
  /// The lane's number in its group of four, and the number of the group.
  Value inGroup() { return arith::RemUIOp::create(b, lane, constant(kGroup)); }
  Value group() { return arith::DivUIOp::create(b, lane, constant(kGroup)); }

  /// The first lane of the group.
  Value getRowLane() { return mul(group(), kGroup); }

  /// The word of the lane with this number.
  Value shuffle(Value word, Value from) {
    return gpu::ShuffleOp::create(b, word, from, width, gpu::ShuffleMode::IDX)
        .getShuffleResult();
  }

  /// The elements as words of 64 bits, or as one of 32.
  SmallVector<Value> pack(Value fragment) {
    auto type = cast<VectorType>(fragment.getType());
    auto row = VectorType::get({type.getNumElements()}, type.getElementType());
    int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
    Type word = b.getIntegerType(bits % 64 == 0 ? 64 : 32);
    auto words = VectorType::get({bits / word.getIntOrFloatBitWidth()}, word);
    Value all = vector::BitCastOp::create(
        b, words, vector::ShapeCastOp::create(b, row, fragment));
    SmallVector<Value> result;
    for (int64_t i = 0; i < words.getNumElements(); ++i)
      result.push_back(vector::ExtractOp::create(b, all, i));
    return result;
  }

private:
  ImplicitLocOpBuilder &b;
  Value lane;
  Value width;
};

struct ExpandLdMatrix : public OpRewritePattern<nvgpu::LdMatrixOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nvgpu::LdMatrixOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Warp warp(b);
    auto type = cast<VectorType>(op.getRes().getType());
    VectorType row =
        VectorType::get({type.getShape().back()}, type.getElementType());
    // Indices of shared memory have 32 bits, so a word holds two of them.
    SmallVector<Value> own;
    Value half = arith::ConstantIntOp::create(b, b.getI64Type(), 32);
    auto toI64 = [&](Value index) -> Value {
      return arith::IndexCastOp::create(b, b.getI64Type(), index);
    };
    for (auto [i, index] : llvm::enumerate(op.getIndices())) {
      Value word = toI64(index);
      if (i % 2 == 0)
        own.push_back(word);
      else
        own.back() = arith::OrIOp::create(
            b, arith::ShLIOp::create(b, own.back(), half), word);
    }
    // The address from which the lane with this number reads, from this element
    // on.
    size_t rank = op.getIndices().size();
    auto getIndices = [&](Value from, Value element) {
      SmallVector<Value> indices;
      for (Value word : own) {
        Value got = warp.shuffle(word, from);
        if (indices.size() + 1 < rank) {
          Value low = arith::TruncIOp::create(b, b.getI32Type(), got);
          indices.push_back(warp.toIndex(arith::ShRUIOp::create(b, got, half)));
          indices.push_back(warp.toIndex(low));
        } else {
          indices.push_back(warp.toIndex(got));
        }
      }
      indices.back() =
          arith::AddIOp::create(b, indices.back(), warp.toIndex(element));
      return indices;
    };
    memref::PrefetchOp::create(
        rewriter, markMatrixRows(op.getLoc(), kMatrixRows * type.getDimSize(0)),
        op.getSrcMemref(), op.getIndices(),
        /*isWrite=*/false, /*localityHint=*/0,
        /*isDataCache=*/true);
    Location part = markMatrixRows(op.getLoc(), /*rows=*/0);
    Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
    Value group = warp.group(), inGroup = warp.inGroup();
    for (int64_t tile = 0; tile < type.getDimSize(0); ++tile) {
      int64_t first = tile * kMatrixRows, lanes = row.getNumElements();
      if (!op.getTranspose()) {
        Value got = vector::LoadOp::create(
            rewriter, part, row, op.getSrcMemref(),
            getIndices(warp.add(group, first), warp.mul(inGroup, lanes)));
        result = vector::InsertOp::create(b, got, result, tile);
        continue;
      }
      for (int64_t i = 0; i < lanes; ++i) {
        Value from = warp.add(warp.mul(inGroup, lanes), first + i);
        Value got = memref::LoadOp::create(rewriter, part, op.getSrcMemref(),
                                           getIndices(from, group));
        result = vector::InsertOp::create(b, got, result,
                                          ArrayRef<int64_t>{tile, i});
      }
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Calls a function that exchanges and multiplies. The kernel has one for each
/// kind of product: inline, a thousand products would be blocks of so many
/// calls that the host's compiler, whose time grows with the square of their
/// number, takes minutes.
struct ExpandMmaSync : public OpRewritePattern<nvgpu::MmaSyncOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nvgpu::MmaSyncOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Warp warp(b);
    SmallVector<Value> operands = warp.pack(op.getMatrixA());
    operands.push_back(warp.pack(op.getMatrixB()).front());
    // Here, so that the function's shuffles are at the place of the product.
    operands.push_back(warp.shuffle(operands.front(), warp.getRowLane()));
    operands.push_back(op.getMatrixC());
    rewriter.replaceOpWithNewOp<func::CallOp>(
        op, getFunction(rewriter, op, operands), operands);
    return success();
  }

private:
  static func::FuncOp getFunction(PatternRewriter &rewriter,
                                  nvgpu::MmaSyncOp op, ValueRange operands) {
    VectorType factor = op.getMatrixA().getType();
    std::string name;
    llvm::raw_string_ostream(name)
        << "carousel.mma." << factor << "." << op.getRes().getType();
    Operation *symbols = SymbolTable::getNearestSymbolTable(op);
    if (Operation *known = SymbolTable::lookupSymbolIn(symbols, name))
      return cast<func::FuncOp>(known);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&symbols->getRegion(0).front());
    auto function = func::FuncOp::create(
        rewriter, op.getLoc(), name,
        rewriter.getFunctionType(operands.getTypes(), op.getRes().getType()));
    function.setPrivate();
    rewriter.setInsertionPointToStart(function.addEntryBlock());
    ImplicitLocOpBuilder b(markOfCaller(op.getLoc()), rewriter);
    func::ReturnOp::create(b, multiply(b, factor, function.getArguments()));
    return function;
  }

  /// Computes sums in f32 or i32, k by k. The hardware's intermediate rounding
  /// isn't documented.
  static Value multiply(ImplicitLocOpBuilder &b, VectorType factor,
                        ValueRange operands) {
    Value sums = operands.back(), first = operands.drop_back().back();
    operands = operands.drop_back(2);
    auto type = cast<VectorType>(sums.getType());
    bool isNarrow = type.getElementType().isF16();
    auto wide = isNarrow ? type.clone(b.getF32Type()) : type;
    if (isNarrow)
      sums = arith::ExtFOp::create(b, wide, sums);
    Value sum[2][2];
    for (int64_t row : {0, 1})
      for (int64_t column : {0, 1})
        sum[row][column] =
            vector::ExtractOp::create(b, sums, ArrayRef<int64_t>{row, column});
    // By member of a group: a word of A is a part of two rows, and a word of B
    // all parts of a column.
    Warp warp(b);
    Value rowLane = warp.getRowLane();
    // Columns 2t and 2t + 1 belong to groups 2t and 2t + 1.
    Value columnLane = warp.mul(warp.inGroup(), 2 * kGroup);
    Type element = factor.getElementType();
    SmallVector<Value> rows[kGroup], columns[kGroup];
    for (int64_t member = 0; member < kGroup; ++member) {
      for (Value word : operands.drop_back()) {
        bool isFirst = member == 0 && rows[0].empty();
        Value got =
            isFirst ? first : warp.shuffle(word, warp.add(rowLane, member));
        rows[member].push_back(unpack(b, got, element));
      }
      for (int64_t column : {0, 1})
        columns[member].push_back(
            unpack(b,
                   warp.shuffle(operands.back(),
                                warp.add(columnLane, column * kGroup + member)),
                   element));
    }
    int64_t perRegister = factor.getShape().back();
    auto get = [&](Value elements, int64_t reg, int64_t i) -> Value {
      return vector::ExtractOp::create(b, elements, reg * perRegister + i);
    };
    for (size_t part = 0; part < rows[0].size(); ++part)
      for (int64_t member = 0; member < kGroup; ++member)
        for (int64_t i = 0; i < perRegister; ++i)
          for (int64_t row : {0, 1})
            for (int64_t column : {0, 1})
              sum[row][column] = multiplyAdd(
                  b, get(rows[member][part], row, i),
                  get(columns[member][column], part, i), sum[row][column]);
    Value result = vector::FromElementsOp::create(
        b, wide, ValueRange{sum[0][0], sum[0][1], sum[1][0], sum[1][1]});
    return isNarrow ? arith::TruncFOp::create(b, type, result).getResult()
                    : result;
  }

  /// The elements of a word, as f32 or i32.
  static Value unpack(ImplicitLocOpBuilder &b, Value word, Type element) {
    int64_t count = word.getType().getIntOrFloatBitWidth() /
                    element.getIntOrFloatBitWidth();
    Value one = vector::BroadcastOp::create(
        b, VectorType::get({1}, word.getType()), word);
    Value elements =
        vector::BitCastOp::create(b, VectorType::get({count}, element), one);
    if (element.isF32()) {
      // The instruction ignores the bits that tf32 lacks.
      constexpr int64_t kIgnored = (1 << 13) - 1;
      auto words = cast<VectorType>(elements.getType()).clone(b.getI32Type());
      Value kept = arith::ConstantOp::create(
          b, DenseElementsAttr::get(words, b.getI32IntegerAttr(~kIgnored)));
      Value bits = arith::BitcastOp::create(b, words, elements);
      return arith::BitcastOp::create(b, elements.getType(),
                                      arith::AndIOp::create(b, bits, kept));
    }
    if (element.isInteger())
      return arith::ExtSIOp::create(b, VectorType::get({count}, b.getI32Type()),
                                    elements);
    return arith::ExtFOp::create(b, VectorType::get({count}, b.getF32Type()),
                                 elements);
  }

  static Value multiplyAdd(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                           Value sum) {
    if (isa<FloatType>(sum.getType()))
      return math::FmaOp::create(b, lhs, rhs, sum);
    return arith::AddIOp::create(b, arith::MulIOp::create(b, lhs, rhs), sum);
  }
};

} // namespace

void sim::populateExpandMatrices(RewritePatternSet &patterns) {
  patterns.add<ExpandLdMatrix, ExpandMmaSync>(patterns.getContext());
}
