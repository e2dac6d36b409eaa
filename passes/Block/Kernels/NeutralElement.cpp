//===- NeutralElement.cpp - what a reduction ignores ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See NeutralElement.h. -0 and not 0 for sums of floats, and NaN for maxnumf
// and minnumf, which take the other operand.
//
//===----------------------------------------------------------------------===//

#include "NeutralElement.h"

using namespace mlir;
using namespace carousel;

using vector::CombiningKind;

/// An infinity, or the largest number of a type that has none.
static APFloat getEnd(const llvm::fltSemantics &semantics, bool isNegative) {
  return APFloat::semanticsHasInf(semantics)
             ? APFloat::getInf(semantics, isNegative)
             : APFloat::getLargest(semantics, isNegative);
}

TypedAttr carousel::getNeutralElement(OpBuilder &builder, CombiningKind kind,
                                      Type type) {
  if (auto floats = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floats.getFloatSemantics();
    switch (kind) {
    case CombiningKind::ADD:
      return builder.getFloatAttr(type, APFloat::getZero(semantics, true));
    case CombiningKind::MUL:
      return builder.getFloatAttr(type, 1.0);
    case CombiningKind::MINNUMF:
    case CombiningKind::MAXNUMF:
      return builder.getFloatAttr(type, APFloat::getNaN(semantics));
    case CombiningKind::MINIMUMF:
      return builder.getFloatAttr(type, getEnd(semantics, false));
    default:
      return builder.getFloatAttr(type, getEnd(semantics, true));
    }
  }
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  switch (kind) {
  case CombiningKind::MUL:
    return builder.getIntegerAttr(type, APInt(bits, 1));
  case CombiningKind::AND:
  case CombiningKind::MINUI:
    return builder.getIntegerAttr(type, APInt::getAllOnes(bits));
  case CombiningKind::MINSI:
    return builder.getIntegerAttr(type, APInt::getSignedMaxValue(bits));
  case CombiningKind::MAXSI:
    return builder.getIntegerAttr(type, APInt::getSignedMinValue(bits));
  default:
    return builder.getIntegerAttr(type, APInt::getZero(bits));
  }
}

TypedAttr carousel::getStart(OpBuilder &builder, CombiningKind kind,
                             Type type) {
  if (kind == CombiningKind::MAXNUMF)
    kind = CombiningKind::MAXIMUMF;
  if (kind == CombiningKind::MINNUMF)
    kind = CombiningKind::MINIMUMF;
  return getNeutralElement(builder, kind, type);
}
