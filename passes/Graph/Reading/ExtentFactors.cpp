//===- ExtentFactors.cpp - extents as products ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ExtentFactors.h.
//
//===----------------------------------------------------------------------===//

#include "ExtentFactors.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void ExtentFactors::multiply(const ExtentFactors &other) {
  isTooLarge |=
      other.isTooLarge || llvm::MulOverflow(constant, other.constant, constant);
  llvm::append_range(others, other.others);
}

std::optional<ExtentFactors>
ExtentFactors::divide(const ExtentFactors &divisor) const {
  if (isTooLarge || divisor.isTooLarge || divisor.constant <= 0 ||
      constant % divisor.constant != 0)
    return std::nullopt;
  ExtentFactors rest = *this;
  rest.constant /= divisor.constant;
  for (const Factor &factor : divisor.others) {
    auto *found = llvm::find(rest.others, factor);
    if (found == rest.others.end())
      return std::nullopt;
    rest.others.erase(found);
  }
  return rest;
}

bool ExtentFactors::operator==(const ExtentFactors &other) const {
  if (constant != other.constant || others.size() != other.others.size() ||
      isTooLarge || other.isTooLarge)
    return false;
  SmallVector<Factor> left = others;
  for (const Factor &factor : other.others) {
    auto *found = llvm::find(left, factor);
    if (found == left.end())
      return false;
    left.erase(found);
  }
  return true;
}

Value ExtentFactors::build(OpBuilder &builder, Location loc) const {
  Value product = arith::ConstantIndexOp::create(builder, loc, constant);
  for (auto [value, dim] : others) {
    Value factor = dim < 0
                       ? value
                       : builder.createOrFold<tensor::DimOp>(
                             loc, value,
                             arith::ConstantIndexOp::create(builder, loc, dim)
                                 .getResult());
    product = builder.createOrFold<arith::MulIOp>(loc, factor, product);
  }
  return product;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

namespace {

/// Extents that are squared again and again have a product of any length, and
/// any number of ways leads to a factor. After so many steps, what is found is
/// a factor as it is.
class Factorizer {
public:
  ExtentFactors factorize(OpFoldResult extent);
  ExtentFactors factorize(Value tensor, int64_t dim);

private:
  std::optional<ExtentFactors> factorize(AffineExpr expr,
                                         affine::AffineApplyOp apply);
  std::optional<ExtentFactors> factorize(GroupOp group, OpResult result,
                                         int64_t dim);

  int64_t stepsLeft = 1024;
};

} // namespace

std::optional<ExtentFactors>
Factorizer::factorize(AffineExpr expr, affine::AffineApplyOp apply) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return factorize(Builder(apply).getIndexAttr(constant.getValue()));
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return factorize(apply.getOperand(dim.getPosition()));
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return factorize(apply.getOperand(apply.getAffineMap().getNumDims() +
                                      symbol.getPosition()));
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<ExtentFactors> lhs = factorize(binary.getLHS(), apply);
  std::optional<ExtentFactors> rhs = factorize(binary.getRHS(), apply);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (binary.getKind()) {
  case AffineExprKind::Mul:
    lhs->multiply(*rhs);
    return lhs;
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    return lhs->divide(*rhs);
  default:
    return std::nullopt;
  }
}

/// The index that a number of 64 bits is, or the number.
static Value findIndex(Value number) {
  Value found = number;
  for (Value value = number;;) {
    auto cast = value.getDefiningOp<arith::IndexCastOp>();
    if (!cast || !(value.getType().isIndex() || value.getType().isInteger(64)))
      return found;
    value = cast.getIn();
    if (value.getType().isIndex())
      found = value;
  }
}

ExtentFactors Factorizer::factorize(OpFoldResult extent) {
  ExtentFactors factors;
  if (std::optional<int64_t> known = getConstantIntValue(extent)) {
    factors.constant = *known;
    return factors;
  }
  Value value = findIndex(cast<Value>(extent));
  Operation *op = stepsLeft-- > 0 ? value.getDefiningOp() : nullptr;
  if (auto product = dyn_cast_if_present<arith::MulIOp>(op)) {
    factors = factorize(product.getLhs());
    factors.multiply(factorize(product.getRhs()));
    return factors;
  }
  if (isa_and_present<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
                      arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    if (std::optional<ExtentFactors> quotient =
            factorize(op->getOperand(0)).divide(factorize(op->getOperand(1))))
      return *quotient;
  if (auto dim = dyn_cast_if_present<tensor::DimOp>(op))
    if (std::optional<int64_t> index = dim.getConstantIndex())
      return factorize(dim.getSource(), *index);
  if (auto apply = dyn_cast_if_present<affine::AffineApplyOp>(op))
    if (std::optional<ExtentFactors> product =
            factorize(apply.getAffineMap().getResult(0), apply))
      return *product;
  factors.others.push_back({value, -1});
  return factors;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The size of a slice along one of its dimensions.
static OpFoldResult getSize(tensor::ExtractSliceOp slice, int64_t dim) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (auto [from, size] : llvm::enumerate(slice.getMixedSizes()))
    if (!dropped.test(from) && dim-- == 0)
      return size;
  llvm_unreachable("a slice has a size for each dimension");
}

/// The extent of a group's result, if it is a product of extents outside.
std::optional<ExtentFactors>
Factorizer::factorize(GroupOp group, OpResult result, int64_t dim) {
  ExtentFactors inside =
      factorize(group.getBody().front().getTerminator()->getOperand(
                    result.getResultNumber()),
                dim);
  ExtentFactors outside;
  outside.constant = inside.constant;
  outside.isTooLarge = inside.isTooLarge;
  for (auto [value, at] : inside.others) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &group.getBody().front())
      return std::nullopt;
    Value input = group.getInputs()[argument.getArgNumber()];
    outside.multiply(at < 0 ? factorize(OpFoldResult(input))
                            : factorize(input, at));
  }
  return outside;
}

ExtentFactors Factorizer::factorize(Value tensor, int64_t dim) {
  ExtentFactors factors;
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (type && !type.isDynamicDim(dim)) {
    factors.constant = type.getDimSize(dim);
    return factors;
  }
  Operation *op = stepsLeft-- > 0 ? tensor.getDefiningOp() : nullptr;
  if (auto structured = dyn_cast_if_present<linalg::LinalgOp>(op))
    return factorize(structured.getTiedOpOperand(cast<OpResult>(tensor))->get(),
                     dim);
  if (auto group = dyn_cast_if_present<GroupOp>(op))
    if (std::optional<ExtentFactors> product =
            factorize(group, cast<OpResult>(tensor), dim))
      return *product;
  if (auto empty = dyn_cast_if_present<tensor::EmptyOp>(op))
    return factorize(empty.getMixedSizes()[dim]);
  if (auto cast = dyn_cast_if_present<tensor::CastOp>(op))
    return factorize(cast.getSource(), dim);
  if (auto slice = dyn_cast_if_present<tensor::ExtractSliceOp>(op))
    return factorize(getSize(slice, dim));
  if (auto insert = dyn_cast_if_present<tensor::InsertSliceOp>(op))
    return factorize(insert.getDest(), dim);
  if (auto expand = dyn_cast_if_present<tensor::ExpandShapeOp>(op))
    return factorize(expand.getMixedOutputShape()[dim]);
  if (auto collapse = dyn_cast_if_present<tensor::CollapseShapeOp>(op)) {
    SmallVector<ReassociationIndices> groups =
        collapse.getReassociationIndices();
    for (int64_t of : groups[dim])
      factors.multiply(factorize(collapse.getSrc(), of));
    return factors;
  }
  factors.others.push_back({tensor, dim});
  return factors;
}

ExtentFactors carousel::factorizeExtent(OpFoldResult extent) {
  return Factorizer().factorize(extent);
}

ExtentFactors carousel::factorizeExtent(Value tensor, int64_t dim) {
  return Factorizer().factorize(tensor, dim);
}

bool carousel::isWholeDim(OffsetSizeAndStrideOpInterface slice, Value tensor,
                          int64_t dim) {
  return isZeroInteger(slice.getMixedOffsets()[dim]) &&
         isOneInteger(slice.getMixedStrides()[dim]) &&
         factorizeExtent(slice.getMixedSizes()[dim]) ==
             factorizeExtent(tensor, dim);
}

SmallVector<ExtentFactors> carousel::findLoopExtents(linalg::LinalgOp op,
                                                     unsigned loop) {
  SmallVector<ExtentFactors> extents;
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto own = dyn_cast<AffineDimExpr>(expr);
          own && own.getPosition() == loop)
        extents.push_back(factorizeExtent(operand.get(), dim));
  return extents;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

std::string carousel::describeDimension(Value tensor, int64_t dim) {
  std::string text = "dimension " + std::to_string(dim) + " of ";
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return text + "an operand";
  auto program = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto attr = program.getArgAttrOfType<ArgumentAttr>(
      argument.getArgNumber(), CarouselDialect::kArgument);
  return text + (attr ? attr.getName().str()
                      : "arg" + std::to_string(argument.getArgNumber()));
}

void ExtentChecks::add(unsigned loop, Value tensor, int64_t dim) {
  add(loop, tensor::getMixedSize(builder, loc, tensor, dim),
      describeDimension(tensor, dim));
}

void ExtentChecks::add(unsigned loop, OpFoldResult size, std::string what) {
  auto [first, isNew] = extents.try_emplace(loop, size, what);
  const auto &[known, name] = first->second;
  if (isNew || known == size)
    return;
  if (getConstantIntValue(known) && getConstantIntValue(size))
    return; // the ops' verifiers compared them
  Value equal = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq,
      getValueOrCreateConstantIndexOp(builder, loc, known),
      getValueOrCreateConstantIndexOp(builder, loc, size));
  cf::AssertOp::create(builder, loc, equal,
                       "expected " + what + " to be as long as " + name + " " +
                           where);
}
