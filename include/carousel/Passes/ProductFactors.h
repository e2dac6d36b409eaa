//===- ProductFactors.h - how factors are multiplied ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The option `products` of the passes that plan products of graphs.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_PRODUCTFACTORS_H
#define CAROUSEL_PASSES_PRODUCTFACTORS_H

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

} // namespace carousel

#endif // CAROUSEL_PASSES_PRODUCTFACTORS_H
