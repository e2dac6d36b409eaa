//===- WmmaForm.h - products of wmma ----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments of `wmma`. The ISA leaves open which lane has which element. Here
// lanes have the elements in order, row by row, from the first lane on. A
// factor with fewer elements than the lanes have room for is there several
// times.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_PTX_WMMAFORM_H
#define CAROUSEL_LIB_SIMULATOR_PTX_WMMAFORM_H

#include "MatrixElements.h"

#include "carousel/PTX/Instruction.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace carousel::sim {

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

#endif // CAROUSEL_LIB_SIMULATOR_PTX_WMMAFORM_H
