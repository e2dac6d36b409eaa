//===- ConstantBytes.h - constants as they lie in memory --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CONSTANTBYTES_H
#define CAROUSEL_DIALECT_IR_CONSTANTBYTES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <optional>
#include <string>

namespace carousel {

/// The elements of a constant, row-major, as they lie in the device's memory:
/// an i1 is a byte, numbers are little-endian. Nothing for elements that aren't
/// numbers, or aren't there (an elided resource).
std::optional<std::string> getConstantBytes(mlir::Attribute elements);

/// The same of a global, which must be constant.
std::optional<std::string> getConstantBytes(mlir::memref::GlobalOp global);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_CONSTANTBYTES_H
