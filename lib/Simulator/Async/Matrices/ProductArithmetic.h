//===- ProductArithmetic.h - products and sums ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of one wgmma.mma on plain matrices. Products of floats are
// added in f32, in the order of k; docs/Products.md says how this differs from
// hardware.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCTARITHMETIC_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCTARITHMETIC_H

#include "ProductForm.h"

#include <vector>

namespace carousel::sim {

/// Sums of all threads, row by row, as words of 32 bits: f32, also where the
/// registers hold f16, or i32.
class SumMatrix {
public:
  SumMatrix(SumType type, uint32_t columns)
      : type(type), columns(columns), words(ProductForm::kRows * columns) {}

  /// One element, as the registers hold it.
  void set(SumPlace place, const char *element);
  void get(SumPlace place, char *element) const;

  /// Adds a product. Rows of both factors have 32 bytes: `a` has those of m and
  /// `b` those of n.
  void add(const ProductForm &form, const char *a, const char *b);

private:
  void addFloats(const ProductForm &form, const char *a, const char *b);
  void addIntegers(const ProductForm &form, const char *a, const char *b);

  SumType type;
  uint32_t columns;
  std::vector<uint32_t> words;
};

/// Rounds to the nearest number, ties to even.
uint16_t roundToHalf(float value);
float widenHalf(uint16_t bits);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCTARITHMETIC_H
