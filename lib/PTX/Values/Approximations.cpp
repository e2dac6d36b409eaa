//===- Approximations.cpp - what .approx and .full compute ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ISA bounds the error of these instructions. What they give here is the
// function's value in double, rounded to the nearest: well within the bound,
// and the hardware's result where that is exact, such as for zeros, infinities
// and powers of two.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Double.h"
#include "Families.h"

using namespace carousel;
using namespace carousel::ptx;

namespace {

template <typename F, bool Ftz> F deliver(double value) {
  return finish<F, Rounding::Nearest, Ftz, false>(value);
}

template <bool Ftz> F32 divideFull(F32 a, F32 b) {
  return deliver<F32, Ftz>(divideToOdd(read<Ftz>(a), read<Ftz>(b)));
}
/// The product with a reciprocal, which is 0 for the largest divisors.
template <bool Ftz> F32 divideApprox(F32 a, F32 b) {
  double divisor = read<Ftz>(b);
  if (std::isfinite(divisor) && std::fabs(divisor) > 0x1p126)
    return deliver<F32, Ftz>(read<Ftz>(a) * std::copysign(0.0, divisor));
  return deliver<F32, Ftz>(divideToOdd(read<Ftz>(a), divisor));
}

template <bool Ftz> F32 reciprocal(F32 a) {
  return deliver<F32, Ftz>(divideToOdd(1, read<Ftz>(a)));
}
template <bool Ftz> F32 root(F32 a) {
  return deliver<F32, Ftz>(sqrtToOdd(read<Ftz>(a)));
}
template <bool Ftz> F32 reciprocalRoot(F32 a) {
  return deliver<F32, Ftz>(1 / std::sqrt(read<Ftz>(a)));
}
template <bool Ftz> F32 logarithm(F32 a) {
  return deliver<F32, Ftz>(std::log2(read<Ftz>(a)));
}
template <typename F, bool Ftz> F power(F a) {
  return deliver<F, Ftz>(std::exp2(read<Ftz>(a)));
}
template <typename F> F hyperbolicTangent(F a) {
  return deliver<F, false>(std::tanh(toDouble(a)));
}

/// The argument in turns, as the hardware has it: a product that is rounded
/// toward zero, so that large arguments lose digits before the function.
template <bool Ftz> double turns(F32 a) {
  constexpr double turnsOfRadian = 0x1.45f306p-3;
  return toDouble(roundTo<F32, Rounding::Zero>(read<Ftz>(a) * turnsOfRadian));
}
/// Sines and cosines of a quarter turn are exact.
constexpr double kPi = 3.14159265358979323846;
template <bool Ftz> F32 sine(F32 a) {
  double turn = turns<Ftz>(a);
  if (std::isinf(turn))
    return F32{F32::nan};
  double part = std::remainder(turn, 1.0);
  if (std::fabs(part) > 0.25)
    part = std::copysign(0.5, part) - part;
  return deliver<F32, Ftz>(part == 0 ? part : std::sin(2 * kPi * part));
}
template <bool Ftz> F32 cosine(F32 a) {
  double turn = turns<Ftz>(a);
  if (std::isinf(turn))
    return F32{F32::nan};
  double part = std::fabs(std::remainder(turn, 1.0));
  return deliver<F32, Ftz>(std::sin(2 * kPi * (0.25 - part)));
}

/// The upper half of a result, from the upper half of the operand.
template <typename Function> F64 ofUpperHalf(F64 a, Function function) {
  constexpr uint64_t upper = ~uint64_t(0xffffffff);
  double result = function(toDouble(flush(F64{a.bits & upper})));
  if (result != result)
    return F64{F64::nan & upper};
  return flush(F64{llvm::bit_cast<uint64_t>(result) & upper});
}
F64 reciprocalOfUpperHalf(F64 a) {
  return ofUpperHalf(a, [](double value) { return 1 / value; });
}
F64 reciprocalRootOfUpperHalf(F64 a) {
  return ofUpperHalf(a, [](double value) { return 1 / std::sqrt(value); });
}
F64 reciprocalRoot64(F64 a) { return propagate(1 / std::sqrt(toDouble(a)), a); }

} // namespace

/// Instructions of one f32.
static Evaluate findUnary(const Instruction &instruction) {
  return select(
      [opcode = instruction.opcode](auto ftz) -> Evaluate {
        switch (opcode) {
        case Opcode::Rcp:
          return value<reciprocal<ftz()>>;
        case Opcode::Sqrt:
          return value<root<ftz()>>;
        case Opcode::Rsqrt:
          return value<reciprocalRoot<ftz()>>;
        case Opcode::Lg2:
          return value<logarithm<ftz()>>;
        case Opcode::Ex2:
          return value<power<F32, ftz()>>;
        case Opcode::Sin:
          return value<sine<ftz()>>;
        case Opcode::Cos:
          return value<cosine<ftz()>>;
        case Opcode::Tanh:
          return value<hyperbolicTangent<F32>>;
        default:
          return nullptr;
        }
      },
      flag(instruction, Word::Ftz));
}

/// ex2 and tanh of narrow types.
static Evaluate findNarrow(const Instruction &instruction, Type type) {
  return select(
      [opcode = instruction.opcode](auto t) -> Evaluate {
        using F = HostOf<t()>;
        constexpr bool ftz = std::is_same_v<F, BF16>;
        if (opcode == Opcode::Ex2)
          return each<t(), power<F, ftz>>;
        if (opcode == Opcode::Tanh)
          return each<t(), hyperbolicTangent<F>>;
        return nullptr;
      },
      Axis<Type::F16, Type::F16x2, Type::BF16, Type::BF16x2>{type});
}

Evaluate ptx::findApproximateValue(const Instruction &instruction) {
  bool isFtz = instruction.has(Word::Ftz);
  if (instruction.has(Word::Full))
    return isFtz ? value<divideFull<true>> : value<divideFull<false>>;
  if (!instruction.has(Word::Approx))
    return nullptr;
  if (instruction.opcode == Opcode::Div)
    return isFtz ? value<divideApprox<true>> : value<divideApprox<false>>;
  Type type = typeOfSlot(instruction, 'T');
  if (type == Type::F32)
    return findUnary(instruction);
  if (type != Type::F64)
    return findNarrow(instruction, type);
  if (instruction.opcode == Opcode::Rcp)
    return value<reciprocalOfUpperHalf>;
  return isFtz ? value<reciprocalRootOfUpperHalf> : value<reciprocalRoot64>;
}
