//===- AccessAlignment.cpp - how wide accesses of vectors are -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AccessAlignment.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/AccessAlignment.h"

#include "../Engines/TransferFacts.h"

#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

AccessAlignment::AccessAlignment(gpu::GPUFuncOp kernel)
    : arguments(getKernelArguments(kernel)) {
  for (auto [number, argument] : llvm::enumerate(arguments))
    numbers[kernel.getArgument(argument.position)] = number;
  if (auto variant =
          kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant))
    llvm::append_range(known, variant.getGuards());
  for (auto [number, argument] : llvm::enumerate(arguments))
    if (auto promised = kernel.getArgAttrOfType<IntegerAttr>(
            argument.position, LLVM::LLVMDialect::getAlignAttrName()))
      known.push_back(GuardAttr::get(kernel.getContext(), GuardKind::Aligned,
                                     number, ExprAttr(), ExprAttr(),
                                     promised.getInt(), /*most=*/0));
}

bool AccessAlignment::isKnown(GuardAttr guard) const {
  return isImplied(known, guard);
}

std::optional<unsigned> AccessAlignment::findArgument(Value memref) const {
  MemRefOrigin origin = findOrigin(memref, indices);
  auto found = numbers.find(origin.root);
  if (!origin.isWhole || found == numbers.end())
    return std::nullopt;
  return found->second;
}

bool AccessAlignment::requireDivisible(
    ExprAttr expr, int64_t divisor, SmallVectorImpl<GuardAttr> &guards) const {
  auto guard =
      GuardAttr::get(expr.getContext(), GuardKind::Divisible, /*argument=*/0,
                     expr, ExprAttr(), divisor, /*most=*/0);
  if (divisor != 1 && !isKnown(guard))
    mergeGuard(guards, guard);
  return true;
}

bool AccessAlignment::requireMultiple(
    OpFoldResult index, int64_t divisor,
    SmallVectorImpl<GuardAttr> &guards) const {
  if (isMultiple(indices.getMultiple(index), divisor))
    return true;
  auto value = dyn_cast<Value>(index);
  SmallVector<DivisibilityNeed> needs;
  if (!value || failed(indices.require(value, divisor, needs)))
    return false;
  MLIRContext *context = value.getContext();
  for (const DivisibilityNeed &need : needs) {
    ExprAttr expr;
    if (auto scalar = numbers.find(need.value); scalar != numbers.end()) {
      expr = makeExpr(context, ExprKind::Scalar, 0, scalar->second);
    } else if (auto dim = need.value.getDefiningOp<memref::DimOp>()) {
      std::optional<unsigned> argument = findArgument(dim.getSource());
      std::optional<int64_t> number = dim.getConstantIndex();
      if (!argument || !number)
        return false;
      expr = makeExpr(context, ExprKind::Extent, *number, *argument);
    }
    if (!expr || !requireDivisible(expr, need.divisor, guards))
      return false;
  }
  return true;
}

/// The memref of which a view is the beginning in all dimensions, and where the
/// last dimension ends; nullopt for the memref's own extent.
static std::pair<Value, std::optional<OpFoldResult>> skipLimits(Value memref) {
  std::optional<OpFoldResult> last;
  while (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    bool begins = view.getSourceType().getRank() == view.getType().getRank() &&
                  llvm::all_of(view.getMixedOffsets(),
                               [](OpFoldResult offset) {
                                 return isConstantIntValue(offset, 0);
                               }) &&
                  view.hasUnitStride();
    if (!begins)
      break;
    if (!last)
      last = view.getMixedSizes().back();
    memref = view.getSource();
  }
  return {memref, last};
}

/// A memref with all elements of `memref`, beginning at the same address.
static Value skipReshapes(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
      break;
    memref = op->getOperand(0);
  }
  return memref;
}

bool AccessAlignment::require(Value view, ValueRange offsets, bool inBounds,
                              int64_t elements,
                              SmallVectorImpl<GuardAttr> &guards) const {
  if (elements == 1)
    return true;
  auto [memref, end] = skipLimits(view);
  auto type = cast<MemRefType>(memref.getType());
  MLIRContext *context = memref.getContext();
  SmallVector<int64_t> strides;
  int64_t first;
  if (type.getRank() == 0 || failed(type.getStridesAndOffset(strides, first)) ||
      strides.back() != 1)
    return false;
  SmallVector<GuardAttr> needs;
  std::optional<unsigned> argument = findArgument(memref);
  int64_t last = type.getRank() - 1;

  // The memref's address. A memref that starts within an argument has what is
  // known of it.
  int64_t bytes = elements * getElementBits(type) / 8;
  if (bytes > 1 && findOrigin(memref, indices).alignment % bytes != 0) {
    std::optional<unsigned> whole = findArgument(skipReshapes(memref));
    if (!whole)
      return false;
    auto aligned = GuardAttr::get(context, GuardKind::Aligned, *whole,
                                  ExprAttr(), ExprAttr(), bytes, /*most=*/0);
    bool isWorkspace = bool(arguments[*whole].workspace);
    if (!isKnown(aligned) && !isWorkspace)
      mergeGuard(needs, aligned);
  }

  // Rows begin at multiples of a run.
  bool isContiguous = type.getLayout().isIdentity();
  for (int64_t dim = 0; dim < last; ++dim) {
    if (isMultiple(indices.getMultiple(offsets[dim]), elements) &&
        getConstantIntValue(offsets[dim]) == 0 && type.getDimSize(dim) == 1)
      continue;
    if (!ShapedType::isDynamic(strides[dim])) {
      if (!isMultiple(strides[dim], elements))
        return false;
      continue;
    }
    if (!argument)
      return false;
    // A multiple of the last extent.
    if (isContiguous && ShapedType::isDynamic(type.getDimSize(last)))
      requireDivisible(makeExpr(context, ExprKind::Extent, last, *argument),
                       elements, needs);
    else if (!isContiguous || !isMultiple(type.getDimSize(last), elements))
      requireDivisible(makeExpr(context, ExprKind::Stride, dim, *argument),
                       elements, needs);
  }
  if (!requireMultiple(offsets.back(), elements, needs))
    return false;

  if (!inBounds) {
    if (end) {
      if (!requireMultiple(*end, elements, needs))
        return false;
    } else if (!type.isDynamicDim(last)) {
      if (!isMultiple(type.getDimSize(last), elements))
        return false;
    } else if (argument) {
      requireDivisible(makeExpr(context, ExprKind::Extent, last, *argument),
                       elements, needs);
    } else {
      return false;
    }
  }
  for (GuardAttr guard : needs)
    mergeGuard(guards, guard);
  return true;
}

int64_t AccessAlignment::getRun(Value memref, ValueRange offsets, bool inBounds,
                                int64_t most) const {
  for (int64_t elements = most; elements > 1; elements /= 2) {
    SmallVector<GuardAttr> needs;
    if (require(memref, offsets, inBounds, elements, needs) && needs.empty())
      return elements;
  }
  return 1;
}

/// Whether an index is a known number more than something else, and the number
/// is no multiple: a neighbour's place.
static bool isBesideMultiple(Value index, int64_t elements) {
  llvm::SetVector<Value> terms;
  terms.insert(index);
  for (unsigned i = 0; i < terms.size(); ++i) {
    if (getConstantIntValue(terms[i]).value_or(0) % elements != 0)
      return true;
    if (Operation *source = terms[i].getDefiningOp();
        isa_and_nonnull<arith::AddIOp, arith::SubIOp>(source))
      terms.insert_range(source->getOperands());
  }
  return false;
}

Obstacle AccessAlignment::findObstacle(Value view, ValueRange offsets,
                                       int64_t elements) const {
  Value memref = skipLimits(view).first;
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t first;
  if (elements == 1 || type.getRank() == 0 ||
      failed(type.getStridesAndOffset(strides, first)))
    return {};
  if (ShapedType::isDynamic(strides.back()))
    return {Miss::AccessStride,
            "the memref's last dimension has an unknown stride"};
  int64_t bytes = elements * getElementBits(type) / 8;
  if (bytes > 1 && findOrigin(memref, indices).alignment % bytes != 0 &&
      !findArgument(skipReshapes(memref)))
    return {Miss::AccessView, "it isn't known where the view begins"};
  SmallVector<GuardAttr> needs;
  if (!requireMultiple(offsets.back(), elements, needs) &&
      !isBesideMultiple(offsets.back(), elements))
    return {Miss::AccessOffset,
            "the offset along the last dimension isn't known to be a multiple "
            "of " +
                std::to_string(elements)};
  return {};
}
