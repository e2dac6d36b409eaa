//===- DescribeNames.h - names and lines in a manifest ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reader of a manifest accepts names and lines for people only if they are
// short, printable UTF-8 (docs/Package.md). A name that isn't is an error at
// its op, since others look it up. A line for people is escaped instead.
// Private to the package compiler.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_DESCRIBE_DESCRIBENAMES_H
#define CAROUSEL_COMPILER_PACKAGE_DESCRIBE_DESCRIBENAMES_H

#include "mlir/IR/Operation.h"

namespace carousel {

/// Emits an error at `op` unless a manifest can hold the name of `what`.
mlir::LogicalResult verifyName(mlir::Operation *op, llvm::StringRef name,
                               llvm::StringRef what);

/// The text as a line of a manifest: escaped, and cut if it is too long.
std::string makeLine(llvm::StringRef text);

/// "saxpy.mlir:14", without folders: a package is the same wherever it is made.
std::string formatLine(mlir::FileLineColLoc place);

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_DESCRIBE_DESCRIBENAMES_H
