//===- MmaForm.h - forms of mma and wmma ------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form of an `mma` or `wmma`, as translated code passes it to the machine,
// the types of factors and sums, and the product itself. A lane's fragments are
// in memory in the order of the text: A, B, C. The ISA leaves open which lane
// has which element of a `wmma`. Here lanes have the elements in order, row by
// row, from the first lane on; a factor with fewer elements than the lanes have
// room for is there several times.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_PTX_MATRICES_MMAFORM_H
#define CAROUSEL_LIB_SIMULATOR_PTX_MATRICES_MMAFORM_H

#include "carousel/PTX/Instruction.h"
#include "carousel/PTX/PTXTypes.h"
#include "llvm/ADT/ArrayRef.h"

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

/// The form of m16n8 and m8n8: 16 or 8 rows of A, 8 columns of B.
struct MmaForm {
  MatrixFactor a = MatrixFactor::F16, b = MatrixFactor::F16;
  MatrixSum sum = MatrixSum::F32;
  /// Registers of B; A has as many for each 8 rows.
  uint8_t registers = 2;
  /// 8 rows are a half.
  uint8_t halves = 2;
  bool saturate = false;
  /// Bits are multiplied by `and`.
  bool conjoins = false;

  uint64_t encode() const {
    return uint64_t(a) | uint64_t(b) << 8 | uint64_t(sum) << 16 |
           uint64_t(registers) << 24 | uint64_t(halves) << 32 |
           uint64_t(saturate) << 40 | uint64_t(conjoins) << 41;
  }
  static MmaForm decode(uint64_t bits) {
    MmaForm form;
    form.a = MatrixFactor(bits & 0xff);
    form.b = MatrixFactor(bits >> 8 & 0xff);
    form.sum = MatrixSum(bits >> 16 & 0xff);
    form.registers = bits >> 24 & 0xff;
    form.halves = bits >> 32 & 0xff;
    form.saturate = bits >> 40 & 1;
    form.conjoins = bits >> 41 & 1;
    return form;
  }
  unsigned getRegisterBytes() const { return a == MatrixFactor::F64 ? 8 : 4; }
  unsigned getFactorBytes() const {
    return unsigned(halves + 1) * registers * getRegisterBytes();
  }
  /// Two neighbours for each 8 rows.
  unsigned getSumBytes() const { return 2u * halves * getElementBits(sum) / 8; }
  unsigned getBytes() const { return getFactorBytes() + getSumBytes(); }
};

/// The form of an instruction; nullopt where the machine doesn't have it.
std::optional<MmaForm> getMmaForm(const ptx::Instruction &instruction);

/// Computes D of all lanes in the place of their C. `lanes` are the fragments
/// of each.
void multiplyWarp(const MmaForm &form, llvm::ArrayRef<char *> lanes);

/// One matrix in the registers of a warp.
struct WmmaFragment {
  uint8_t rows = 0, columns = 0;
  uint8_t elementBits = 0;
  /// The bytes of a lane.
  uint8_t bytes = 0;
  /// In memory, elements of a row are neighbours.
  bool isRowMajor = true;

  uint64_t encode() const {
    return uint64_t(rows) | uint64_t(columns) << 8 |
           uint64_t(elementBits) << 16 | uint64_t(bytes) << 24 |
           uint64_t(isRowMajor) << 32;
  }
  static WmmaFragment decode(uint64_t bits) {
    WmmaFragment fragment;
    fragment.rows = bits & 0xff;
    fragment.columns = bits >> 8 & 0xff;
    fragment.elementBits = bits >> 16 & 0xff;
    fragment.bytes = bits >> 24 & 0xff;
    fragment.isRowMajor = bits >> 32 & 1;
    return fragment;
  }
  unsigned getElements() const { return bytes * 8u / elementBits; }
  /// The number of a lane's element in the matrix, row by row.
  unsigned getNumber(unsigned lane, unsigned element) const {
    return (lane * getElements() + element) % (unsigned(rows) * columns);
  }
  /// The distance of an element from the first, in elements.
  uint64_t getDistance(unsigned number, uint64_t stride) const {
    uint64_t row = number / columns, column = number % columns;
    return isRowMajor ? row * stride + column : column * stride + row;
  }
};

/// A wmma.mma. Its fragments follow each other in memory: A, B, C, D.
struct WmmaForm {
  MatrixFactor a = MatrixFactor::F16, b = MatrixFactor::F16;
  MatrixSum c = MatrixSum::F32, d = MatrixSum::F32;
  WmmaFragment left, right, sums, result;
  bool saturate = false;

  uint64_t encodeTypes() const {
    return uint64_t(a) | uint64_t(b) << 8 | uint64_t(c) << 16 |
           uint64_t(d) << 24 | uint64_t(saturate) << 32;
  }
  void decodeTypes(uint64_t bits) {
    a = MatrixFactor(bits & 0xff);
    b = MatrixFactor(bits >> 8 & 0xff);
    c = MatrixSum(bits >> 16 & 0xff);
    d = MatrixSum(bits >> 24 & 0xff);
    saturate = bits >> 32 & 1;
  }
  unsigned getBytes() const {
    return left.bytes + right.bytes + sums.bytes + result.bytes;
  }
};

/// The fragment that an instruction loads or stores, and that are its operand
/// of this number; nullopt where the machine doesn't have it.
std::optional<WmmaFragment> getWmmaFragment(const ptx::Instruction &instruction,
                                            unsigned operand);
std::optional<WmmaForm> getWmmaForm(const ptx::Instruction &instruction);

/// Computes D of all lanes. `lanes` are the fragments of each.
void multiplyWarp(const WmmaForm &form, llvm::ArrayRef<char *> lanes);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_PTX_MATRICES_MMAFORM_H
