//===- InsertGraphOps.cpp - more ops on tensors ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InsertGraphOps.h"

#include "MutateAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel::fuzz;

namespace {
/// Makes ops after the tensor's own.
class GraphOps {
public:
  GraphOps(Value tensor, Draw &draw)
      : tensor(tensor), type(cast<RankedTensorType>(tensor.getType())),
        draw(draw), loc(tensor.getLoc()), builder(tensor.getContext()) {
    builder.setInsertionPointAfterValue(tensor);
  }

  /// Null where none fits.
  Value make() {
    switch (draw.below(7)) {
    case 0:
      return elementwise();
    case 1:
      return pad();
    case 2:
      return slice();
    case 3:
      return reduce();
    case 4:
      return transpose();
    case 5:
      return product();
    default:
      return reshape();
    }
  }

private:
  SmallVector<int64_t> listDims() const {
    return llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  }
  Value empty(ArrayRef<int64_t> shape, ArrayRef<int64_t> sources) {
    SmallVector<Value> extents;
    for (auto [extent, source] : llvm::zip(shape, sources))
      if (ShapedType::isDynamic(extent))
        extents.push_back(tensor::DimOp::create(builder, loc, tensor, source));
    return tensor::EmptyOp::create(builder, loc, shape, type.getElementType(),
                                   extents);
  }
  Value zero() {
    return arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
  }

  Value elementwise() {
    SmallVector<int64_t> all = listDims();
    Value init = empty(type.getShape(), all);
    AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               builder, loc, TypeRange(type), ValueRange(tensor),
               ValueRange(init), {map, map}, loops,
               [&](OpBuilder &body, Location at, ValueRange values) {
                 Value value = values[0];
                 if (isa<FloatType>(value.getType()))
                   value = math::ExpOp::create(body, at, value);
                 else
                   value = arith::MulIOp::create(body, at, value, value);
                 linalg::YieldOp::create(body, at, value);
               })
        .getResult(0);
  }

  Value pad() {
    SmallVector<OpFoldResult> low, high;
    SmallVector<int64_t> shape;
    for (int64_t extent : type.getShape()) {
      int64_t before = draw.oneIn(2) ? 0 : draw.oddValue();
      int64_t after = draw.oneIn(2) ? 0 : draw.oddValue();
      low.push_back(builder.getIndexAttr(before));
      high.push_back(builder.getIndexAttr(after));
      // As upstream adds them.
      shape.push_back(ShapedType::isDynamic(extent)
                          ? extent
                          : int64_t(uint64_t(extent) + before + after));
      if (shape.back() < 0)
        shape.back() = ShapedType::kDynamic;
    }
    return tensor::PadOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()),
        tensor, low, high, zero());
  }

  Value slice() {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    for ([[maybe_unused]] int64_t extent : type.getShape()) {
      offsets.push_back(
          builder.getIndexAttr(draw.oneIn(2) ? 0 : draw.oddValue()));
      sizes.push_back(builder.getIndexAttr(std::abs(int32_t(draw.oddValue()))));
      strides.push_back(
          builder.getIndexAttr(draw.oneIn(2) ? 1 : draw.oddValue()));
    }
    return tensor::ExtractSliceOp::create(builder, loc, tensor, offsets, sizes,
                                          strides);
  }

  Value reduce() {
    if (type.getRank() == 0)
      return {};
    int64_t dim = draw.below(type.getRank());
    SmallVector<int64_t> shape(type.getShape()), sources;
    shape.erase(shape.begin() + dim);
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (i != dim)
        sources.push_back(i);
    Value init =
        linalg::FillOp::create(builder, loc, zero(), empty(shape, sources))
            .getResult(0);
    return linalg::ReduceOp::create(
               builder, loc, tensor, init, dim,
               [&](OpBuilder &body, Location at, ValueRange values) {
                 Value sum;
                 if (isa<FloatType>(values[0].getType()))
                   sum = arith::AddFOp::create(body, at, values[0], values[1]);
                 else
                   sum = arith::AddIOp::create(body, at, values[0], values[1]);
                 linalg::YieldOp::create(body, at, sum);
               })
        .getResult(0);
  }

  Value transpose() {
    if (type.getRank() < 2)
      return {};
    SmallVector<int64_t> order = listDims(), shape;
    std::swap(order[draw.below(order.size())], order[draw.below(order.size())]);
    for (int64_t dim : order)
      shape.push_back(type.getDimSize(dim));
    return linalg::TransposeOp::create(builder, loc, tensor,
                                       empty(shape, order), order)
        .getResult()[0];
  }

  /// With itself, transposed.
  Value product() {
    if (type.getRank() != 2)
      return {};
    Value right = linalg::TransposeOp::create(
                      builder, loc, tensor,
                      empty({type.getDimSize(1), type.getDimSize(0)}, {1, 0}),
                      ArrayRef<int64_t>{1, 0})
                      .getResult()[0];
    Value init = linalg::FillOp::create(
                     builder, loc, zero(),
                     empty({type.getDimSize(0), type.getDimSize(0)}, {0, 0}))
                     .getResult(0);
    return linalg::MatmulOp::create(builder, loc, ValueRange{tensor, right},
                                    ValueRange{init})
        .getResult(0);
  }

  Value reshape() {
    if (type.getRank() == 0)
      return {};
    ReassociationIndices all(listDims());
    SmallVector<ReassociationIndices> groups = {all};
    return tensor::CollapseShapeOp::create(builder, loc, tensor, groups);
  }

  Value tensor;
  RankedTensorType type;
  Draw &draw;
  Location loc;
  OpBuilder builder;
};
} // namespace

void carousel::fuzz::insertGraphOp(ModuleOp module, Draw &draw) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      functions.push_back(function);
  if (functions.empty())
    return;
  func::FuncOp function = draw.from(functions);
  SmallVector<Value> tensors;
  auto add = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.getElementType().isIntOrFloat())
      tensors.push_back(value);
  };
  Block &block = function.getBody().front();
  llvm::for_each(block.getArguments(), add);
  for (Operation &op : block)
    llvm::for_each(op.getResults(), add);
  auto last = dyn_cast<func::ReturnOp>(block.getTerminator());
  if (tensors.empty() || !last)
    return;
  Value tensor = draw.from(tensors);
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : tensor.getUses())
    uses.push_back(&use);
  Value made = GraphOps(tensor, draw).make();
  if (!made)
    return;
  if (made.getType() == tensor.getType() && !uses.empty() && draw.oneIn(2)) {
    for (OpOperand *use : uses)
      use->set(made);
    return;
  }
  last.getOperandsMutable().append(made);
  FunctionType type = function.getFunctionType();
  SmallVector<Type> results(type.getResults());
  results.push_back(made.getType());
  function.setFunctionType(
      FunctionType::get(type.getContext(), type.getInputs(), results));
}
