//===- FillValue.cpp - what loads write outside of memrefs ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FillValue.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/FillValue.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace carousel;

TypedAttr carousel::convertFillValue(Attribute value, Type element) {
  Builder builder(element.getContext());
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    APFloat number(semantics);
    bool isFinite = true, losesInfo;
    if (auto integer = dyn_cast<IntegerAttr>(value)) {
      number.convertFromAPInt(integer.getValue(), /*IsSigned=*/true,
                              APFloat::rmNearestTiesToEven);
    } else {
      number = cast<FloatAttr>(value).getValue();
      isFinite = number.isFinite();
      number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    }
    if (isFinite ? !number.isFinite() : !number.isInfinity())
      return {};
    return builder.getFloatAttr(type, number);
  }
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!integer || !element.isInteger())
    return {};
  unsigned width = element.getIntOrFloatBitWidth();
  const APInt &bits = integer.getValue();
  if (!bits.isSignedIntN(width) && !bits.isIntN(width))
    return {};
  return builder.getIntegerAttr(element, bits.trunc(width));
}

TypedAttr carousel::getFillConstant(OutOfBoundsFill fill, Attribute value,
                                    Type element) {
  if (value)
    return convertFillValue(value, element);
  Builder builder(element.getContext());
  if (fill == OutOfBoundsFill::Zero)
    return builder.getZeroAttr(element);
  auto type = cast<FloatType>(element);
  return builder.getFloatAttr(type, APFloat::getNaN(type.getFloatSemantics()));
}

APInt carousel::getBits(TypedAttr constant) {
  if (auto number = dyn_cast<FloatAttr>(constant))
    return number.getValue().bitcastToAPInt();
  return cast<IntegerAttr>(constant).getValue();
}

bool carousel::isOwnFill(Attribute value, Type element) {
  if (!value)
    return false;
  TypedAttr constant = convertFillValue(value, element);
  return constant && !getBits(constant).isZero();
}

std::string carousel::toText(Attribute value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    os << integer.getInt();
    return text;
  }
  const APFloat number = cast<FloatAttr>(value).getValue();
  if (number.isInfinity()) {
    os << (number.isNegative() ? "-inf" : "inf");
    return text;
  }
  // The shortest text that is read as the same number. A point tells it from an
  // integer.
  SmallString<32> digits;
  number.toString(digits, /*FormatPrecision=*/0, /*FormatMaxPadding=*/3);
  size_t exponent = std::min(digits.str().find('E'), digits.size());
  os << digits.str().take_front(exponent)
     << (digits.str().contains('.') ? "" : ".0")
     << digits.str().drop_front(exponent);
  return text;
}
