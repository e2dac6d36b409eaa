//===- MatrixElements.h - elements of a warp's products ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `mma` and `wmma` have in common: the types of factors and sums, and
// the product itself, whatever lane has an element.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_PTX_MATRIXELEMENTS_H
#define CAROUSEL_LIB_SIMULATOR_PTX_MATRIXELEMENTS_H

#include "carousel/PTX/PTXTypes.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace carousel::sim {

enum class MatrixFactor : uint8_t {
  F16,
  BF16,
  TF32,
  E4M3,
  E5M2,
  F64,
  S8,
  U8,
  S4,
  U4,
  B1
};
enum class MatrixSum : uint8_t { F32, F16, F64, S32 };

std::optional<MatrixFactor> getMatrixFactor(ptx::Type type);
std::optional<MatrixSum> getMatrixSum(ptx::Type type);
/// In a fragment; tf32 has the 32 bits of its register.
unsigned getElementBits(MatrixFactor factor);
unsigned getElementBits(MatrixSum sum);
/// Whether products of these factors are added in this type.
bool isProductOf(MatrixFactor a, MatrixFactor b, MatrixSum sum);

/// A product of matrices of bits: C + A * B in the place of C. Each element
/// adds its products k by k: floats in f32, as at the machine phase, f64 in
/// f64, integers exactly.
struct MatrixProduct {
  MatrixFactor a = MatrixFactor::F16, b = MatrixFactor::F16;
  /// The types of C, and of D that replaces it.
  MatrixSum sum = MatrixSum::F32, result = MatrixSum::F32;
  bool saturate = false;
  /// Bits are combined by `and`, not by `xor`.
  bool conjoins = false;
  unsigned rows = 0, columns = 0, depth = 0;
  /// A row by row, B column by column, C row by row.
  std::vector<uint64_t> left, right, sums;

  MatrixProduct(unsigned rows, unsigned columns, unsigned depth)
      : rows(rows), columns(columns), depth(depth), left(rows * depth),
        right(columns * depth), sums(rows * columns) {}

  void compute();

private:
  template <typename T, typename Add> void multiply(Add add);
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_PTX_MATRIXELEMENTS_H
