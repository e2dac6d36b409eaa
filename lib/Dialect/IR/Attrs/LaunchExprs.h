//===- LaunchExprs.h - text of launch expressions ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of expressions and guards inside other attributes, without
// `#carousel.expr<...>` around it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_DIALECT_IR_ATTRS_LAUNCHEXPRS_H
#define CAROUSEL_LIB_DIALECT_IR_ATTRS_LAUNCHEXPRS_H

#include "carousel/Dialect/IR/CarouselDialect.h"

namespace carousel {

mlir::ParseResult parseBare(mlir::AsmParser &parser, ExprAttr &expr);
mlir::ParseResult parseBare(mlir::AsmParser &parser, GuardAttr &guard);
void printBare(mlir::AsmPrinter &printer, ExprAttr expr);
void printBare(mlir::AsmPrinter &printer, GuardAttr guard);

/// C108: fails where the expression, which may be null, names `resident`.
llvm::LogicalResult
verifyNoResident(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 ExprAttr expr, llvm::StringRef place);

} // namespace carousel

#endif // CAROUSEL_LIB_DIALECT_IR_ATTRS_LAUNCHEXPRS_H
