//===- MutateAttributes.cpp - attributes at their limits ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MutateAttributes.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <limits>

using namespace mlir;
using namespace carousel::fuzz;

TypedAttr carousel::fuzz::makeOddNumber(Type type, Draw &draw) {
  if (isa<FloatType>(type)) {
    constexpr double kFloats[] = {0.0,
                                  -0.0,
                                  1e-40,
                                  1e30,
                                  std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN()};
    return FloatAttr::get(type, kFloats[draw.below(std::size(kFloats))]);
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, APInt(width, draw.oddValue(), true, true));
}

template <typename Array, typename Element>
static Attribute mutateArray(Array array, Draw &draw) {
  SmallVector<Element> values(array.asArrayRef());
  if (values.empty() || draw.oneIn(8))
    values.push_back(static_cast<Element>(draw.oddValue()));
  else if (draw.oneIn(8))
    values.pop_back();
  else
    draw.from(values) = static_cast<Element>(draw.oddValue());
  return Array::get(array.getContext(), values);
}

static AffineMap mutateMap(AffineMap map, Draw &draw) {
  SmallVector<AffineExpr> results(map.getResults());
  MLIRContext *context = map.getContext();
  if (results.empty() || map.getNumDims() == 0)
    return map;
  AffineExpr &result = draw.from(results);
  AffineExpr dim = getAffineDimExpr(draw.below(map.getNumDims()), context);
  switch (draw.below(6)) {
  case 0:
    result = dim;
    break;
  case 1:
    result = getAffineConstantExpr(draw.oddValue(), context);
    break;
  case 2:
    result = result + draw.oddValue();
    break;
  case 3:
    result = result * draw.oddValue();
    break;
  case 4:
    std::swap(result, draw.from(results));
    break;
  default:
    result = result + dim;
  }
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                        context);
}

/// Null: to be removed.
static Attribute mutate(Attribute attribute, Draw &draw) {
  if (isa<UnitAttr>(attribute) || draw.oneIn(10))
    return {};
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return makeOddNumber(integer.getType(), draw);
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return makeOddNumber(number.getType(), draw);
  if (auto array = dyn_cast<DenseI64ArrayAttr>(attribute))
    return mutateArray<DenseI64ArrayAttr, int64_t>(array, draw);
  if (auto array = dyn_cast<DenseI32ArrayAttr>(attribute))
    return mutateArray<DenseI32ArrayAttr, int32_t>(array, draw);
  if (auto dense = dyn_cast<DenseIntElementsAttr>(attribute))
    return DenseElementsAttr::get(
        dense.getType(),
        Attribute(makeOddNumber(dense.getElementType(), draw)));
  if (auto map = dyn_cast<AffineMapAttr>(attribute))
    return AffineMapAttr::get(mutateMap(map.getValue(), draw));
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    SmallVector<Attribute> values(array.getValue());
    if (values.empty())
      return {};
    size_t at = draw.below(values.size());
    if (draw.oneIn(8))
      values.push_back(values[at]);
    else if (draw.oneIn(4))
      std::swap(values[at], draw.from(values));
    else if (Attribute other = mutate(values[at], draw))
      values[at] = other;
    else
      values.erase(values.begin() + at);
    return ArrayAttr::get(attribute.getContext(), values);
  }
  return attribute;
}

void carousel::fuzz::mutateAttribute(Operation *op, Draw &draw) {
  auto attributes = op->getAttrDictionary().getValue();
  if (attributes.empty())
    return;
  NamedAttribute chosen = attributes[draw.below(attributes.size())];
  Attribute changed = mutate(chosen.getValue(), draw);
  if (changed)
    op->setAttr(chosen.getName(), changed);
  else
    op->removeAttr(chosen.getName());
}
