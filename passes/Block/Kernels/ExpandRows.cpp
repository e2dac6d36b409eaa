//===- ExpandRows.cpp - accesses of threads to rows of a table ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-expand-rows. Guards and layouts are then those of gathers.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Dialect/Transforms/RowNumbers.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace carousel {
#define GEN_PASS_DEF_EXPANDROWS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;
using arith::CmpIPredicate;

namespace {

/// Indices and mask of the elements of a vector transfer.
class RowElements {
public:
  RowElements(ImplicitLocOpBuilder &b, VectorTransferOpInterface op)
      : b(b), type(op.getVectorType()),
        rows(op.getBase().getDefiningOp<RowsOp>()) {
    MemRefType source = rows.getSource().getType();
    auto layout = memref::ExtractStridedMetadataOp::create(b, rows.getSource());
    int64_t leading = source.getRank() - type.getRank();
    for (int64_t dim = 0; dim < source.getRank(); ++dim) {
      Value at = op.getIndices()[dim];
      Value place =
          dim >= leading ? createCoordinates(dim - leading, at) : splat(at);
      if (dim == 0)
        place = createNumbers(op, dim >= leading);
      add(place, dim, layout.getStrides()[dim], dim + 1 == source.getRank());
    }
  }

  Value indices, mask;

private:
  VectorType with(Type element) const {
    return VectorType::get(type.getShape(), element);
  }

  Value splat(Value value) {
    return vector::BroadcastOp::create(b, with(value.getType()), value);
  }

  /// A vector along one dimension as one of all elements.
  Value spread(Value line, int64_t dim) {
    SmallVector<int64_t> shape(type.getRank() - dim, 1);
    shape.front() = type.getDimSize(dim);
    Type element = cast<VectorType>(line.getType()).getElementType();
    if (shape.size() > 1)
      line =
          vector::ShapeCastOp::create(b, VectorType::get(shape, element), line);
    return vector::BroadcastOp::create(b, with(element), line);
  }

  Value createCoordinates(int64_t dim, Value at) {
    Value steps = vector::StepOp::create(
        b, VectorType::get(type.getDimSize(dim), b.getIndexType()));
    return arith::AddIOp::create(b, splat(at), spread(steps, dim));
  }

  /// Creates the numbers of the rows; those that the table doesn't have are -1.
  Value createNumbers(VectorTransferOpInterface op, bool isVector) {
    Value at = op.getIndices().front();
    if (!isVector)
      return splat(createRowNumber(b, rows, at));
    Type element = rows.getTable().getType().getElementType();
    int64_t extent = type.getDimSize(0);
    Value none = arith::ConstantOp::create(b, b.getIntegerAttr(element, -1));
    Value numbers = vector::TransferReadOp::create(
        b, VectorType::get(extent, element), rows.getTable(), at, none);
    return spread(arith::IndexCastOp::create(
                      b, VectorType::get(extent, b.getIndexType()), numbers),
                  0);
  }

  void add(Value place, int64_t dim, Value stride, bool isInnermost) {
    Value extent = b.createOrFold<memref::DimOp>(rows.getSource(), dim);
    Value exists =
        arith::CmpIOp::create(b, CmpIPredicate::ult, place, splat(extent));
    mask = mask ? arith::AndIOp::create(b, mask, exists).getResult() : exists;
    if (!isInnermost)
      place = arith::MulIOp::create(b, place, splat(stride));
    indices =
        indices ? arith::AddIOp::create(b, indices, place).getResult() : place;
  }

  ImplicitLocOpBuilder &b;
  VectorType type;
  RowsOp rows;
};

} // namespace

/// Makes a transfer a gather or a scatter.
static void expandVectorRows(VectorTransferOpInterface op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto rows = op.getBase().getDefiningOp<RowsOp>();
  RowElements elements(b, op);
  SmallVector<Value> begin(rows.getSource().getType().getRank(),
                           arith::ConstantIndexOp::create(b, 0).getResult());
  if (auto read = dyn_cast<vector::TransferReadOp>(op.getOperation())) {
    Value others =
        vector::BroadcastOp::create(b, op.getVectorType(), read.getPadding());
    read.replaceAllUsesWith(
        vector::GatherOp::create(b, op.getVectorType(), rows.getSource(), begin,
                                 elements.indices, elements.mask, others)
            .getResult());
  } else {
    auto write = cast<vector::TransferWriteOp>(op.getOperation());
    vector::ScatterOp::create(b, Type(), rows.getSource(), begin,
                              elements.indices, elements.mask,
                              write.getVector());
  }
  op->erase();
}

namespace {

struct ExpandRows : public carousel::impl::ExpandRowsBase<ExpandRows> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel->hasAttr(CarouselDialect::kBlockProgram) &&
          failed(expand(kernel)))
        signalPassFailure();
  }

  LogicalResult expand(gpu::GPUFuncOp kernel) {
    WalkResult result = kernel.walk([&](VectorTransferOpInterface op) {
      if (!op.getBase().getDefiningOp<RowsOp>() || becomesTransfer(op))
        return WalkResult::advance();
      // C307
      if (isReducingWrite(op)) {
        std::string reason = explainNoTransfer(op);
        op->emitOpError("expected a write to rows that reduce to be that of a "
                        "tile, got one of threads")
            << (reason.empty() ? "" : ": ") << reason;
        return WalkResult::interrupt();
      }
      expandVectorRows(op);
      ++expanded;
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    kernel.walk([](RowsOp op) {
      if (op->use_empty())
        op.erase();
    });
    return success();
  }
};

} // namespace
