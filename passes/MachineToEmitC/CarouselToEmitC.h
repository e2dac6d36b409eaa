//===- CarouselToEmitC.h - calls of the device headers ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the arguments of a call to a function of runtime/device, whose names
// and orders follow from the op's (docs/DeviceHeaders.md).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINETOEMITC_CAROUSELTOEMITC_H
#define CAROUSEL_PASSES_MACHINETOEMITC_CAROUSELTOEMITC_H

#include "ToEmitC.h"

#include "carousel/Dialect/IR/CarouselOps.h"

namespace carousel {

class DeviceCall {
public:
  DeviceCall(mlir::Operation *op, CBuilder &builder)
      : op(op), builder(builder) {}

  /// The address of an element.
  DeviceCall &address(mlir::Value memref, mlir::ValueRange converted,
                      llvm::ArrayRef<mlir::ValueRange> indices);
  /// The address of a semaphore. They are signed in the headers, as people
  /// count.
  DeviceCall &semaphore(mlir::Value memref, mlir::ValueRange converted,
                        llvm::ArrayRef<mlir::ValueRange> indices);
  /// A value, unless there is none.
  DeviceCall &value(mlir::ValueRange optional);
  /// A value or a literal of 32 bits, unless there is neither.
  DeviceCall &word(mlir::ValueRange optional, std::optional<uint32_t> literal);
  /// The phase that a wait names: a state, or a parity as 0 or 1.
  DeviceCall &phase(mlir::ValueRange state, mlir::ValueRange parity);
  /// Values in a struct that says what they are: `carousel::multicast{mask}`.
  DeviceCall &tagged(llvm::StringRef tag, mlir::ValueRange optional);
  /// Values in braces, as signed integers.
  DeviceCall &list(llvm::ArrayRef<mlir::ValueRange> values);

  /// A template argument; those with defaults are left out from the last on.
  DeviceCall &argument(const llvm::Twine &text, bool isDefault = false);
  DeviceCall &scope(MemScope scope, bool isDefault = false);
  DeviceCall &semantics(MemSemantics semantics, bool isDefault = false);
  /// Whether memory is the CTA's own or in the cluster's window.
  DeviceCall &window(mlir::Value memref);

  /// The function's name is the op's, then `suffix`.
  mlir::LogicalResult finish(llvm::StringRef suffix = {});

private:
  mlir::Operation *op;
  CBuilder &builder;
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<std::string> arguments;
  size_t needed = 0; ///< of the template arguments
};

/// "carousel::reduce::and_": case names that C++ has as keywords get a suffix.
std::string spellCase(llvm::StringRef enumeration, llvm::StringRef name);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINETOEMITC_CAROUSELTOEMITC_H
