//===- TransferNeeds.cpp - requirements of engines ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meets the needs of engines from known facts, makes guards of the launch for
// the rest, and describes needs that can't be met.
//
//===----------------------------------------------------------------------===//

#include "TransferFacts.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Expressions and guards
//===----------------------------------------------------------------------===//

ExprAttr carousel::makeExpr(MLIRContext *context, ExprKind kind, int64_t value,
                            int64_t argument) {
  return ExprAttr::get(context, kind, value, argument, ExprAttr(), ExprAttr());
}

static ExprAttr combine(ExprKind kind, ExprAttr lhs, int64_t rhs) {
  MLIRContext *context = lhs.getContext();
  return ExprAttr::get(context, kind, /*value=*/0, /*argument=*/0, lhs,
                       makeExpr(context, ExprKind::Constant, rhs));
}

ExprAttr carousel::multiply(ExprAttr lhs, int64_t rhs) {
  if (rhs == 1)
    return lhs;
  if (lhs.getKind() == ExprKind::Constant)
    return makeExpr(lhs.getContext(), ExprKind::Constant, lhs.getValue() * rhs);
  return combine(ExprKind::Mul, lhs, rhs);
}

ExprAttr carousel::floorDivide(ExprAttr lhs, int64_t rhs) {
  if (rhs == 1)
    return lhs;
  if (lhs.getKind() == ExprKind::Constant)
    return makeExpr(lhs.getContext(), ExprKind::Constant, lhs.getValue() / rhs);
  return combine(ExprKind::FloorDiv, lhs, rhs);
}

GuardAttr carousel::makeCapability(MLIRContext *context, int64_t sm) {
  return GuardAttr::get(context, GuardKind::Capability, /*argument=*/0,
                        ExprAttr(), ExprAttr(), sm, INT64_MAX);
}

/// Whether `guard` holds whenever `other` does.
static bool follows(GuardAttr guard, GuardAttr other) {
  if (guard == other)
    return true;
  if (guard.getKind() != other.getKind() ||
      guard.getArgument() != other.getArgument() ||
      guard.getValue() != other.getValue() ||
      guard.getOther() != other.getOther())
    return false;
  switch (guard.getKind()) {
  case GuardKind::Aligned:
  case GuardKind::Divisible:
    return other.getLeast() % guard.getLeast() == 0;
  case GuardKind::Capability:
  case GuardKind::Range:
    return guard.getLeast() <= other.getLeast() &&
           guard.getMost() >= other.getMost();
  case GuardKind::Equal:
    return false;
  }
  llvm_unreachable("a guard");
}

bool carousel::isImplied(ArrayRef<GuardAttr> guards, GuardAttr guard) {
  return llvm::any_of(guards,
                      [&](GuardAttr other) { return follows(guard, other); });
}

void carousel::mergeGuard(SmallVectorImpl<GuardAttr> &guards, GuardAttr guard) {
  if (isImplied(guards, guard))
    return;
  llvm::erase_if(guards,
                 [&](GuardAttr other) { return follows(other, guard); });
  guards.push_back(guard);
}

//===----------------------------------------------------------------------===//
// Needs
//===----------------------------------------------------------------------===//

bool Needs::addGuard(GuardAttr guard, bool isRaggedness, const Twine &why) {
  if (isImplied(facts.kernel.known, guard) || isImplied(guards, guard))
    return true;
  if (use == GuardUse::None || (use == GuardUse::NoRaggedness && isRaggedness))
    return refuse(why);
  // What cp.async copies at least.
  constexpr int64_t kShortBytes = 4;
  int64_t rowBytes = guard.getLeast() * facts.elementBytes;
  if (guard.getKind() == GuardKind::Divisible &&
      ((use == GuardUse::ShortRows && rowBytes > kShortBytes) ||
       (use == GuardUse::OddRows && rowBytes > facts.elementBytes)))
    return refuse(why);
  mergeGuard(guards, guard);
  return true;
}

bool Needs::hasTarget(unsigned sm, unsigned ptx) {
  std::string missing = facts.kernel.target.explainMissing({sm, ptx});
  return missing.empty() || refuse("a target that lacks it: it " + missing);
}

bool Needs::isGlobalAligned(int64_t bytes) {
  if (isMultiple(facts.globalAlignment, bytes))
    return true;
  if (!facts.argument)
    return refuse("an address of " + facts.name +
                  " that isn't known to be a multiple of " + Twine(bytes));
  if (!isMultiple(facts.globalOffset, bytes))
    return refuse("a part of " + facts.name + " that begins at a multiple of " +
                  Twine(facts.globalOffset) + " bytes, not of " + Twine(bytes));
  return addGuard(GuardAttr::get(facts.op->getContext(), GuardKind::Aligned,
                                 *facts.argument, ExprAttr(), ExprAttr(), bytes,
                                 /*most=*/0),
                  /*isRaggedness=*/false,
                  "an address of " + facts.name +
                      " that isn't known to be a multiple of " + Twine(bytes));
}

bool Needs::isTileAligned(int64_t bytes) {
  return isMultiple(facts.tileAlignment, bytes) ||
         refuse("a tile that is aligned to " + Twine(facts.tileAlignment) +
                " bytes, not to " + Twine(bytes));
}

bool Needs::hasUnitStride() {
  int64_t stride = facts.strides.back();
  if (stride == 1)
    return true;
  if (ShapedType::isDynamic(stride))
    return refuse("an innermost stride of " + facts.name +
                  " that isn't known to be 1");
  return refuse("an innermost stride of " + Twine(stride) + " elements in " +
                facts.name);
}

bool Needs::hasContiguousTile() {
  return facts.isTileContiguous || refuse("a tile that isn't contiguous");
}

int64_t Needs::getKnownDivisor(ExprAttr expr) const {
  if (expr.getKind() == ExprKind::Constant)
    return std::abs(expr.getValue());
  int64_t divisor = 1;
  for (ArrayRef<GuardAttr> list :
       {ArrayRef(facts.kernel.known), ArrayRef<GuardAttr>(guards)})
    for (GuardAttr guard : list)
      if (guard.getKind() == GuardKind::Divisible && guard.getValue() == expr)
        divisor = std::lcm(divisor, guard.getLeast());
  return divisor;
}

int64_t Needs::getStrideMultiple(int64_t dim) const {
  if (!ShapedType::isDynamic(facts.strides[dim]))
    return facts.strides[dim];
  if (!facts.hasArgumentStrides)
    return 1;
  int64_t known = getKnownDivisor(facts.getStrideExpr(dim));
  if (!facts.isContiguousArgument)
    return known;
  int64_t product = 1;
  for (int64_t inner = dim + 1; inner < facts.rank; ++inner)
    // Large enough for every granule.
    product = std::gcd(
        product * std::gcd<int64_t>(getKnownDivisor(facts.getExtentExpr(inner)),
                                    1 << 20),
        int64_t(1) << 20);
  return std::lcm(known, product);
}

bool Needs::isStrideMultiple(int64_t dim, int64_t bytes) {
  int64_t elements = bytes / std::gcd(bytes, facts.elementBytes);
  if (isMultiple(getStrideMultiple(dim), elements))
    return true;
  int64_t stride = facts.strides[dim];
  std::string what = "stride " + std::to_string(dim) + " of " + facts.name;
  if (!ShapedType::isDynamic(stride))
    return refuse(what + " of " + Twine(stride * facts.elementBytes) +
                  " bytes, not a multiple of " + Twine(bytes));
  std::string unknown = what + " not known to be a multiple of " +
                        std::to_string(bytes) + " bytes";
  if (!facts.hasArgumentStrides)
    return refuse(unknown);
  return addGuard(GuardAttr::get(facts.op->getContext(), GuardKind::Divisible,
                                 /*argument=*/0, facts.getStrideExpr(dim),
                                 ExprAttr(), elements, /*most=*/0),
                  /*isRaggedness=*/false, unknown);
}

bool Needs::makeOffsetMultiple(int64_t dim, int64_t divisor) {
  SmallVector<DivisibilityNeed> leaves;
  if (failed(facts.kernel.indices.require(facts.offsets[dim], divisor, leaves)))
    return false;
  MLIRContext *context = facts.op->getContext();
  for (const DivisibilityNeed &leaf : leaves) {
    ExprAttr expr;
    auto scalar = facts.kernel.numbers.find(leaf.value);
    if (scalar != facts.kernel.numbers.end()) {
      expr = makeExpr(context, ExprKind::Scalar, 0, scalar->second);
    } else if (auto dimOp = leaf.value.getDefiningOp<memref::DimOp>()) {
      MemRefOrigin source = findOrigin(dimOp.getSource(), facts.kernel.indices);
      auto root = facts.kernel.numbers.find(source.root);
      std::optional<int64_t> index = dimOp.getConstantIndex();
      auto type = dyn_cast<MemRefType>(source.root.getType());
      if (!source.isWhole || root == facts.kernel.numbers.end() || !type ||
          !index || *index < 0 || *index >= type.getRank())
        return false;
      expr = makeExpr(context, ExprKind::Extent, *index, root->second);
    }
    if (!expr ||
        !addGuard(GuardAttr::get(context, GuardKind::Divisible, /*argument=*/0,
                                 expr, ExprAttr(), leaf.divisor, /*most=*/0),
                  /*isRaggedness=*/false, ""))
      return false;
  }
  return true;
}

bool Needs::isOffsetMultiple(int64_t dim, int64_t bytes) {
  int64_t elements = bytes / std::gcd(bytes, facts.elementBytes);
  int64_t offset = facts.kernel.indices.getMultiple(facts.offsets[dim]);
  int64_t stride = getStrideMultiple(dim);
  int64_t forStride = elements / std::gcd(elements, offset);
  if (isMultiple(stride, forStride))
    return true;
  // A guard on the stride covers all offsets.
  if (ShapedType::isDynamic(facts.strides[dim]) &&
      isStrideMultiple(dim, forStride * facts.elementBytes))
    return true;
  int64_t forOffset = elements / std::gcd(elements, stride);
  if (makeOffsetMultiple(dim, forOffset))
    return true;
  if (ShapedType::isDynamic(facts.strides[dim]))
    return refuse("stride " + Twine(dim) + " of " + facts.name +
                  " not known to be a multiple of " +
                  Twine(forStride * facts.elementBytes) + " bytes");
  return refuse("offset " + Twine(dim) + " known to be a multiple of " +
                Twine(offset * stride * facts.elementBytes) +
                " bytes only, not of " + Twine(bytes));
}

bool Needs::isBoxAligned(const TransferShape &shape, int64_t bytes) {
  for (auto [dim, group] :
       llvm::zip(shape.dims, ArrayRef(shape.globalGroups).drop_back()))
    if (dim.extent > 1 && !isStrideMultiple(group.back(), bytes))
      return false;
  for (int64_t dim = 0; dim < facts.rank; ++dim)
    if (!isOffsetMultiple(dim, bytes))
      return false;
  return isGlobalAligned(bytes);
}

bool Needs::isExtentMultiple(int64_t dim, int64_t factor, int64_t divisor) {
  int64_t rest = divisor / std::gcd(divisor, factor);
  int64_t extent = facts.extents[dim];
  std::string what = "extent " + std::to_string(dim) + " of " + facts.name;
  if (!ShapedType::isDynamic(extent))
    return isMultiple(extent, rest) ||
           refuse(what + " of " + Twine(extent) + ", not a multiple of " +
                  Twine(rest));
  std::string unknown =
      what + " not known to be a multiple of " + std::to_string(rest);
  if (rest == 1)
    return true;
  if (!facts.isArgument)
    return refuse(unknown);
  return addGuard(GuardAttr::get(facts.op->getContext(), GuardKind::Divisible,
                                 /*argument=*/0, facts.getExtentExpr(dim),
                                 ExprAttr(), rest, /*most=*/0),
                  /*isRaggedness=*/true, unknown);
}

bool Needs::isExtentInRange(int64_t dim, int64_t most) {
  int64_t extent = facts.extents[dim];
  std::string what = "extent " + std::to_string(dim) + " of " + facts.name;
  if (!ShapedType::isDynamic(extent))
    return (extent >= 1 && extent <= most) ||
           refuse(what + " of " + Twine(extent) + ", not in 1 to " +
                  Twine(most));
  return addGuard(GuardAttr::get(facts.op->getContext(), GuardKind::Range,
                                 /*argument=*/0, facts.getExtentExpr(dim),
                                 ExprAttr(), 1, most),
                  /*isRaggedness=*/false,
                  what + " not known to be at most " + Twine(most));
}

bool Needs::startsInside(int64_t dim) {
  return facts.kernel.indices.isNonNegative(facts.offsets[dim]) ||
         refuse("offset " + Twine(dim) + " not known to be 0 or more");
}
