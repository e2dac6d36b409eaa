//===- AttrFields.h - attributes made of named fields -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The assembly of the dialect's larger attributes: named fields in any order.
// C116 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_DIALECT_IR_ATTRS_ATTRFIELDS_H
#define CAROUSEL_LIB_DIALECT_IR_ATTRS_ATTRFIELDS_H

#include "mlir/IR/OpImplementation.h"

namespace carousel {

struct Field {
  llvm::StringRef name;
  bool required;
  llvm::function_ref<mlir::ParseResult()> parse;
};

/// `<` (name `=` value (`,` name `=` value)*)? `>`, in any order.
mlir::ParseResult parseFields(mlir::AsmParser &parser, llvm::StringRef what,
                              llvm::ArrayRef<Field> fields);

} // namespace carousel

#endif // CAROUSEL_LIB_DIALECT_IR_ATTRS_ATTRFIELDS_H
