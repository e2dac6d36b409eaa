//===- ShiftedWords.h - elements between two granules -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row that begins anywhere is accessed by aligned granules. Elements that two
// of these hold are shifted by a distance that is known at run time only.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_SHIFTEDWORDS_H
#define CAROUSEL_DIALECT_TRANSFORMS_SHIFTEDWORDS_H

#include "carousel/Support/HardwareLimits.h"
#include "mlir/IR/Builders.h"

namespace carousel {

inline constexpr int64_t kBytesOfWord = 4;
inline constexpr int64_t kWordsOfGranule = rules::kBulkGranule / kBytesOfWord;

/// A granule's words (i32) from those of two consecutive granules: from byte
/// `distance` of the first one on. The distance, an i32, is below 16 and a
/// multiple of `elementBytes`, a power of two.
llvm::SmallVector<mlir::Value>
shiftWords(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange words,
           mlir::Value distance, int64_t elementBytes);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_SHIFTEDWORDS_H
