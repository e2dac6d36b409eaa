//===- FillInReaders.cpp - fill where tiles are read ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor copy fills a tile with zero. For another fill, each reader of the
// tile computes where its element is in the global memref, and selects the fill
// if that is outside.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/ReaderFill.h"
#include "carousel/Dialect/IR/FillValue.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"

namespace carousel {
#define GEN_PASS_DEF_FILLINREADERS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

/// Rewrites the readers of one load's tile.
class ReaderRewriter {
public:
  ReaderRewriter(LoadOp load)
      : load(load), global(load.getGlobal()), type(load.getTile().getType()),
        leading(load.getOffsets().size() - type.getRank()),
        constant(
            convertFillValue(load.getFillValueAttr(), type.getElementType())) {}

  void rewrite(Operation *reader);

private:
  Value createIsInside(ImplicitLocOpBuilder &b, unsigned dim, Value position);
  Value createIsRowInside(ImplicitLocOpBuilder &b, ValueRange indices);
  void rewriteElement(memref::LoadOp reader);
  void rewriteVector(vector::LoadOp reader);

  LoadOp load;
  TypedValue<MemRefType> global;
  MemRefType type;
  unsigned leading; ///< dimensions of the global memref that the tile lacks
  TypedAttr constant;
};

} // namespace

static Value createAnd(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return b.createOrFold<arith::AndIOp>(lhs, rhs);
}

static Value createSum(ImplicitLocOpBuilder &b, Value lhs, int64_t rhs) {
  return b.createOrFold<arith::AddIOp>(lhs,
                                       arith::ConstantIndexOp::create(b, rhs));
}

/// Whether a position is inside in one dimension of the global memref. As
/// unsigned numbers, negative positions are past the end.
Value ReaderRewriter::createIsInside(ImplicitLocOpBuilder &b, unsigned dim,
                                     Value position) {
  return b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::ult, position,
      b.createOrFold<memref::DimOp>(global, dim));
}

/// Whether the row of an element is inside; null if it is known to be.
Value ReaderRewriter::createIsRowInside(ImplicitLocOpBuilder &b,
                                        ValueRange indices) {
  Value inside;
  for (unsigned dim = 0, e = load.getOffsets().size() - 1; dim < e; ++dim) {
    Value position = load.getOffsets()[dim];
    int64_t extent = dim < leading ? 1 : type.getDimSize(dim - leading);
    std::optional<int64_t> begin = getConstantIntValue(position);
    if (begin && *begin >= 0 && !global.getType().isDynamicDim(dim) &&
        *begin <= global.getType().getDimSize(dim) - extent)
      continue;
    if (dim >= leading)
      position =
          b.createOrFold<arith::AddIOp>(position, indices[dim - leading]);
    inside = createAnd(b, inside, createIsInside(b, dim, position));
  }
  return inside;
}

void ReaderRewriter::rewriteElement(memref::LoadOp reader) {
  ImplicitLocOpBuilder b(reader.getLoc(), reader->getContext());
  b.setInsertionPointAfter(reader);
  unsigned last = load.getOffsets().size() - 1;
  Value inside = createIsRowInside(b, reader.getIndices());
  Value position = load.getOffsets()[last];
  position =
      b.createOrFold<arith::AddIOp>(position, reader.getIndices().back());
  inside = createAnd(b, inside, createIsInside(b, last, position));
  Value fill = arith::ConstantOp::create(b, constant);
  auto chosen = arith::SelectOp::create(b, inside, reader.getResult(), fill);
  reader.getResult().replaceAllUsesExcept(chosen, chosen);
}

/// Most vectors are inside as a whole, and cost two comparisons.
void ReaderRewriter::rewriteVector(vector::LoadOp reader) {
  ImplicitLocOpBuilder b(reader.getLoc(), reader->getContext());
  b.setInsertionPointAfter(reader);
  unsigned last = load.getOffsets().size() - 1;
  int64_t elements = reader.getVectorType().getNumElements();
  Value row = createIsRowInside(b, reader.getIndices());
  Value begin = b.createOrFold<arith::AddIOp>(load.getOffsets()[last],
                                              reader.getIndices().back());
  Value whole = createAnd(b, row, createIsInside(b, last, begin));
  if (elements > 1)
    whole = createAnd(
        b, whole, createIsInside(b, last, createSum(b, begin, elements - 1)));
  auto branch = scf::IfOp::create(
      b, whole,
      [&](OpBuilder &nested, Location loc) {
        scf::YieldOp::create(nested, loc, reader.getResult());
      },
      [&](OpBuilder &nested, Location loc) {
        ImplicitLocOpBuilder at(loc, nested);
        Value fill = arith::ConstantOp::create(at, constant);
        SmallVector<Value> values;
        for (int64_t i = 0; i < elements; ++i) {
          Value inside = createAnd(
              at, row, createIsInside(at, last, createSum(at, begin, i)));
          values.push_back(arith::SelectOp::create(
              at, inside, vector::ExtractOp::create(at, reader.getResult(), i),
              fill));
        }
        Value filled =
            vector::FromElementsOp::create(at, reader.getVectorType(), values);
        scf::YieldOp::create(nested, loc, filled);
      });
  reader.getResult().replaceUsesWithIf(
      branch.getResult(0),
      [&](OpOperand &use) { return !branch->isAncestor(use.getOwner()); });
}

void ReaderRewriter::rewrite(Operation *reader) {
  if (auto element = dyn_cast<memref::LoadOp>(reader))
    return rewriteElement(element);
  rewriteVector(cast<vector::LoadOp>(reader));
}

namespace {

struct FillInReaders : carousel::impl::FillInReadersBase<FillInReaders> {
  void runOnOperation() override {
    bool isChanged = false;
    getOperation().walk([&](LoadOp load) {
      EngineAttr engine = load.getEngineAttr();
      if (!engine || engine.getKind() != EngineKind::Tensor ||
          !load.getFillValueAttr())
        return;
      Type element = load.getTile().getType().getElementType();
      if (isOwnFill(load.getFillValueAttr(), element)) {
        // C205: --carousel-select-engine has made sure of it.
        ReaderFill plan = planReaderFill(load);
        if (!plan.refusal.empty()) {
          load.emitOpError("expected readers that can fill, got ")
              << plan.refusal;
          return signalPassFailure();
        }
        ReaderRewriter rewriter(load);
        for (Operation *reader : plan.readers)
          rewriter.rewrite(reader);
        rewritten += plan.readers.size();
        emitRemark(load, plan);
      }
      load.removeFillValueAttr();
      isChanged = true;
    });
    if (!isChanged)
      markAllAnalysesPreserved();
  }

  void emitRemark(LoadOp load, const ReaderFill &plan) {
    if (!getContext().getRemarkEngine())
      return;
    remark::passed(
        load.getLoc(),
        remark::RemarkOpts::name("Fill")
            .category("carousel-fill-in-readers")
            .function(load->getParentOfType<gpu::GPUFuncOp>().getName()))
        << remark::add("fill of {0} by {1} readers of the tile",
                       toText(load.getFillValueAttr()), plan.readers.size());
  }
};

} // namespace
