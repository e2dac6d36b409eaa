//===- Division.cpp - quotients and roots, rounded ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// div, rcp and sqrt with a direction of rounding, as IEEE 754 has them.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Double.h"
#include "Families.h"

using namespace carousel;
using namespace carousel::ptx;

namespace {

template <Rounding R, bool Ftz> F32 divide(F32 a, F32 b) {
  return finish<F32, R, Ftz, false>(divideToOdd(read<Ftz>(a), read<Ftz>(b)));
}
template <Rounding R, bool Ftz> F32 reciprocal(F32 a) {
  return finish<F32, R, Ftz, false>(divideToOdd(1, read<Ftz>(a)));
}
template <Rounding R, bool Ftz> F32 root(F32 a) {
  return finish<F32, R, Ftz, false>(sqrtToOdd(read<Ftz>(a)));
}

template <Rounding R> F64 reciprocal64(F64 a) {
  F64 one{llvm::bit_cast<uint64_t>(1.0)};
  return div64<R>(one, a);
}

} // namespace

Evaluate ptx::findDivisionValue(const Instruction &instruction) {
  Opcode opcode = instruction.opcode;
  bool isDivision =
      opcode == Opcode::Div || opcode == Opcode::Rcp || opcode == Opcode::Sqrt;
  if (!isDivision || instruction.has(Word::Approx) ||
      instruction.has(Word::Full))
    return nullptr;
  return select(
      [opcode](auto t, auto r, auto ftz) -> Evaluate {
        constexpr bool isDouble = t() == Type::F64;
        switch (opcode) {
        case Opcode::Div:
          return isDouble ? value<div64<r()>> : value<divide<r(), ftz()>>;
        case Opcode::Rcp:
          return isDouble ? value<reciprocal64<r()>>
                          : value<reciprocal<r(), ftz()>>;
        default:
          return isDouble ? value<sqrt64<r()>> : value<root<r(), ftz()>>;
        }
      },
      Axis<Type::F32, Type::F64>{typeOfSlot(instruction, 'T')},
      roundingAxis(instruction), flag(instruction, Word::Ftz));
}
