//===- FillValue.h - what loads write outside of memrefs --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load's fill is a number of 64 bits in its text, and a constant of the
// tile's element type in what it does.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_FILLVALUE_H
#define CAROUSEL_DIALECT_IR_FILLVALUE_H

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"

#include <string>

namespace carousel {

/// The number of an F64Attr or I64Attr, rounded to `element`. Null if the type
/// can't hold it: a fraction in integers, an infinity or what would become one.
mlir::TypedAttr convertFillValue(mlir::Attribute value, mlir::Type element);

/// The constant with which a load of `element` fills.
mlir::TypedAttr getFillConstant(OutOfBoundsFill fill, mlir::Attribute value,
                                mlir::Type element);

/// Whether no engine has this fill: a value other than zero.
bool isOwnFill(mlir::Attribute value, mlir::Type element);

/// The bits of a constant.
llvm::APInt getBits(mlir::TypedAttr constant);

/// "-inf", "7", "1.500000e+00"
std::string toText(mlir::Attribute value);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_FILLVALUE_H
