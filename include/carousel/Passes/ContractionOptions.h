//===- ContractionOptions.h - how graphs multiply and add -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options `products` and `accumulate` of passes on graphs.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_CONTRACTIONOPTIONS_H
#define CAROUSEL_PASSES_CONTRACTIONOPTIONS_H

#include "llvm/Support/CommandLine.h"

namespace carousel {

/// How factors of f32 are multiplied.
enum class ProductFactors { Exact, TF32 };

inline llvm::cl::ValuesClass getProductFactorsValues() {
  return llvm::cl::values(
      clEnumValN(ProductFactors::Exact, "exact", "as they are"),
      clEnumValN(ProductFactors::TF32, "tf32",
                 "rounded to tf32, which tensor cores multiply"));
}

/// The least type in which sums add.
enum class ContractionSums { F32, AsWritten };

inline llvm::cl::ValuesClass getContractionSumsValues() {
  return llvm::cl::values(
      clEnumValN(ContractionSums::F32, "f32", "f32, for f16 and bf16, too"),
      clEnumValN(ContractionSums::AsWritten, "as-written",
                 "the type that the graph has"));
}

} // namespace carousel

#endif // CAROUSEL_PASSES_CONTRACTIONOPTIONS_H
