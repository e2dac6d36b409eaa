//===- MmaForm.h - products of a warp ---------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form of an `mma`, as translated code passes it to the machine, and the
// product itself. A lane's fragments are words of 32 bits, in the order of the
// text: A, B, C.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_PTX_MMAFORM_H
#define CAROUSEL_LIB_SIMULATOR_PTX_MMAFORM_H

#include "carousel/PTX/Instruction.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace carousel::sim {

/// Of m16n8: 16 rows of A, 8 columns of B.
struct MmaForm {
  enum class Factor : uint8_t { F16, BF16, TF32, E4M3, E5M2, S8, U8 };
  enum class Sum : uint8_t { F32, F16, S32 };
  Factor a = Factor::F16, b = Factor::F16;
  Sum sum = Sum::F32;
  /// Registers of A; B has half as many.
  uint8_t words = 4;
  bool saturate = false;

  uint64_t encode() const {
    return uint64_t(a) | uint64_t(b) << 8 | uint64_t(sum) << 16 |
           uint64_t(words) << 24 | uint64_t(saturate) << 32;
  }
  static MmaForm decode(uint64_t bits) {
    MmaForm form;
    form.a = Factor(bits & 0xff);
    form.b = Factor(bits >> 8 & 0xff);
    form.sum = Sum(bits >> 16 & 0xff);
    form.words = bits >> 24 & 0xff;
    form.saturate = bits >> 32 & 1;
    return form;
  }
  unsigned getFactorWords() const { return words + words / 2; }
  unsigned getSumWords() const { return sum == Sum::F16 ? 2 : 4; }
  unsigned getWords() const { return getFactorWords() + getSumWords(); }
};

/// The form of an instruction; nullopt where the machine doesn't have it.
std::optional<MmaForm> getMmaForm(const ptx::Instruction &instruction);

/// Computes D of all lanes in the place of their C. `lanes` are the words of
/// each. Sums of floats are computed in f32, k by k, as at the machine phase.
void multiplyWarp(const MmaForm &form, llvm::ArrayRef<uint32_t *> lanes);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_PTX_MMAFORM_H
