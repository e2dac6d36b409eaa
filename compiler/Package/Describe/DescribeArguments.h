//===- DescribeArguments.h - arguments in a manifest ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments of kernels and programs. Private to the package compiler.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_DESCRIBE_DESCRIBEARGUMENTS_H
#define CAROUSEL_COMPILER_PACKAGE_DESCRIBE_DESCRIBEARGUMENTS_H

#include "carousel/Package/DescribePackage.h"

namespace carousel {

/// Emits an error at `op` unless a package has a name for the elements.
mlir::LogicalResult verifyElement(mlir::Operation *op, llvm::StringRef argument,
                                  mlir::MemRefType type);

/// Describes an argument of the kernel or program `op`. Emits an error there
/// for a type that a package can't describe.
mlir::FailureOr<ArgumentDescription>
describeArgument(mlir::Operation *op, const KernelArgument &source);

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_DESCRIBE_DESCRIBEARGUMENTS_H
