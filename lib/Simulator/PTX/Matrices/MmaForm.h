//===- MmaForm.h - products of a warp ---------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form of an `mma`, as translated code passes it to the machine, and the
// product itself. A lane's fragments are in memory in the order of the text: A,
// B, C.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_PTX_MMAFORM_H
#define CAROUSEL_LIB_SIMULATOR_PTX_MMAFORM_H

#include "MatrixElements.h"

#include "carousel/PTX/Instruction.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace carousel::sim {

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

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_PTX_MMAFORM_H
