//===- DescribeArguments.h - arguments and names in a manifest --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments of kernels and programs, and names in a manifest. A reader
// accepts names and lines for people only if they are short, printable UTF-8
// (docs/Package.md). A name that isn't is an error at its op, since others look
// it up. A line for people is escaped instead.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_DESCRIBE_DESCRIBEARGUMENTS_H
#define CAROUSEL_COMPILER_PACKAGE_DESCRIBE_DESCRIBEARGUMENTS_H

#include "carousel/Package/DescribePackage.h"
#include "mlir/IR/Operation.h"

namespace carousel {

/// Emits an error at `op` unless a manifest can hold the name of `what`.
mlir::LogicalResult verifyName(mlir::Operation *op, llvm::StringRef name,
                               llvm::StringRef what);

/// The text as a line of a manifest: escaped, and cut if it is too long.
std::string makeLine(llvm::StringRef text);

/// "saxpy.mlir:14", without folders: a package is the same wherever it is made.
std::string formatLine(mlir::FileLineColLoc place);

/// Emits an error at `op` unless a package has a name for the elements.
mlir::LogicalResult verifyElement(mlir::Operation *op, llvm::StringRef argument,
                                  mlir::MemRefType type);

/// Describes an argument of the kernel or program `op`. Emits an error there
/// for a type that a package can't describe.
mlir::FailureOr<ArgumentDescription>
describeArgument(mlir::Operation *op, const KernelArgument &source);

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_DESCRIBE_DESCRIBEARGUMENTS_H
