//===- ProductForm.h - what a product of a warpgroup computes ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The extents, types and modifiers of one wgmma.mma, as a word that compiled
// code passes to the machine, and where a thread's elements are in the
// matrices. docs/Products.md defines them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCTFORM_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCTFORM_H

#include <cstdint>

namespace carousel::sim {

enum class FactorType : uint8_t { F16, BF16, TF32, E4M3, E5M2, S8, U8 };
enum class SumType : uint8_t { F32, F16, S32 };

struct ProductForm {
  static constexpr uint32_t kRows = 64, kRowBytes = 32, kPieceBytes = 16;
  static constexpr uint32_t kThreads = 128, kWarps = 4, kRowsOfWarp = 16;

  uint32_t n = 8;
  FactorType a = FactorType::BF16, b = FactorType::BF16;
  SumType sum = SumType::F32;
  bool aInRegisters = false;
  /// A factor's elements are contiguous along m or n, and not along k.
  bool isTransposedA = false, isTransposedB = false;
  bool negateA = false, negateB = false;
  bool saturate = false;

  uint32_t getFactorBytes() const {
    return a == FactorType::TF32                           ? 4
           : a == FactorType::F16 || a == FactorType::BF16 ? 2
                                                           : 1;
  }
  uint32_t getDepth() const { return kRowBytes / getFactorBytes(); }
  uint32_t getSumBytes() const { return sum == SumType::F16 ? 2 : 4; }
  /// The elements of a thread's sums.
  uint32_t getSumCount() const { return n / 2; }
  /// Equal for products that may follow each other on the same registers
  /// without a fence.
  uint32_t getShape() const { return n << 8 | getDepth(); }

  uint64_t encode() const {
    return uint64_t(n) | uint64_t(a) << 16 | uint64_t(b) << 20 |
           uint64_t(sum) << 24 | uint64_t(aInRegisters) << 28 |
           uint64_t(isTransposedA) << 29 | uint64_t(isTransposedB) << 30 |
           uint64_t(negateA) << 31 | uint64_t(negateB) << 32 |
           uint64_t(saturate) << 33;
  }
  static ProductForm decode(uint64_t word) {
    ProductForm form;
    form.n = word & 0xffff;
    form.a = FactorType(word >> 16 & 0xf);
    form.b = FactorType(word >> 20 & 0xf);
    form.sum = SumType(word >> 24 & 0xf);
    form.aInRegisters = word >> 28 & 1;
    form.isTransposedA = word >> 29 & 1;
    form.isTransposedB = word >> 30 & 1;
    form.negateA = word >> 31 & 1;
    form.negateB = word >> 32 & 1;
    form.saturate = word >> 33 & 1;
    return form;
  }
};

/// The place of element `number` of the sums of a thread of the warpgroup.
struct SumPlace {
  uint32_t row, column;
  SumPlace(uint32_t thread, uint32_t number) {
    uint32_t lane = thread % 32, upper = number / 2 % 2;
    row = thread / 32 * ProductForm::kRowsOfWarp + lane / 4 + 8 * upper;
    column = number / 4 * 8 + lane % 4 * 2 + number % 2;
  }
};

/// The place of register `number` of a thread's part of A: a row, and a byte of
/// it.
struct FactorPlace {
  uint32_t row, byte;
  FactorPlace(uint32_t thread, uint32_t number) {
    uint32_t lane = thread % 32;
    row = thread / 32 * ProductForm::kRowsOfWarp + lane / 4 + 8 * (number % 2);
    byte = number / 2 * ProductForm::kPieceBytes + lane % 4 * 4;
  }
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCTFORM_H
