//===- CarouselToEmitC.h - calls to the device headers ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a call to a function of runtime/device. The function's name and the
// order of its arguments follow from the op (docs/DeviceHeaders.md).
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

  /// Adds the address of an element.
  DeviceCall &address(mlir::Value memref, mlir::ValueRange converted,
                      llvm::ArrayRef<mlir::ValueRange> indices);
  /// Adds the address of a semaphore, which is signed in the headers.
  DeviceCall &semaphore(mlir::Value memref, mlir::ValueRange converted,
                        llvm::ArrayRef<mlir::ValueRange> indices);
  /// Adds a value, if there is one.
  DeviceCall &value(mlir::ValueRange optional);
  /// Adds a value or a 32-bit literal, if there is either.
  DeviceCall &word(mlir::ValueRange optional, std::optional<uint32_t> literal);
  /// Adds the phase of a wait: a state, or a parity as 0 or 1.
  DeviceCall &phase(mlir::ValueRange state, mlir::ValueRange parity);
  /// Adds values in a struct that names them: `carousel::multicast{mask}`.
  DeviceCall &tagged(llvm::StringRef tag, mlir::ValueRange optional);
  /// Adds values in braces, as signed integers.
  DeviceCall &list(llvm::ArrayRef<mlir::ValueRange> values);

  /// Adds a template argument. Trailing ones that equal defaults are left out.
  DeviceCall &argument(const llvm::Twine &text, bool isDefault = false);
  DeviceCall &scope(MemScope scope, bool isDefault = false);
  DeviceCall &semantics(MemSemantics semantics, bool isDefault = false);
  /// Whether memory is the CTA's own or belongs to another CTA of the cluster.
  DeviceCall &window(mlir::Value memref);

  /// Emits the call. The function's name is that of the op, then `suffix`.
  mlir::LogicalResult finish(llvm::StringRef suffix = {});

private:
  mlir::Operation *op;
  CBuilder &builder;
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<std::string> arguments;
  size_t needed = 0; ///< number of template arguments to write
};

/// "carousel::reduce::and_": names of cases that are keywords of C++ get an
/// underscore.
std::string spellCase(llvm::StringRef enumeration, llvm::StringRef name);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINETOEMITC_CAROUSELTOEMITC_H
