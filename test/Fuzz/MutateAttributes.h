//===- MutateAttributes.h - attributes at their limits ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_FUZZ_MUTATEATTRIBUTES_H
#define CAROUSEL_TEST_FUZZ_MUTATEATTRIBUTES_H

#include "Draw.h"

#include "mlir/IR/Operation.h"

namespace carousel::fuzz {

/// Changes or removes one attribute of the op.
void mutateAttribute(mlir::Operation *op, Draw &draw);

/// An integer, index or float at a limit.
mlir::TypedAttr makeOddNumber(mlir::Type type, Draw &draw);

} // namespace carousel::fuzz

#endif // CAROUSEL_TEST_FUZZ_MUTATEATTRIBUTES_H
