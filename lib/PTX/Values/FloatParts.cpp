//===- FloatParts.cpp - minima, maxima, signs and classes of floats -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that pick an operand or change its sign: nothing is rounded.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Double.h"
#include "Families.h"

using namespace carousel;
using namespace carousel::ptx;

namespace {

/// Ordered like the values, with -0 before +0.
template <typename F> typename F::Bits orderOf(F a) {
  return a.isNegative() ? typename F::Bits(~a.bits)
                        : typename F::Bits(a.bits | F::signBit);
}

/// A NaN as a result: the canonical one, and for f64 the operand, made quiet.
template <typename F> F nanOf(F a) {
  if constexpr (std::is_same_v<F, F64>)
    return F64{a.bits | uint64_t(1) << 51};
  else
    return F{F::nan};
}

template <bool IsMax, bool KeepsNaN, typename F> F pick(F a, F b) {
  if (a.isNaN() && b.isNaN())
    return nanOf(b);
  if (a.isNaN() || b.isNaN())
    return KeepsNaN ? F{F::nan} : a.isNaN() ? b : a;
  return (orderOf(a) < orderOf(b)) == IsMax ? b : a;
}

template <typename F, bool IsMax, bool Ftz, bool KeepsNaN, bool Abs>
F prepareAndPick(F a, F b) {
  if constexpr (Ftz)
    a = flush(a), b = flush(b);
  if constexpr (Abs)
    a.bits &= F::magnitude, b.bits &= F::magnitude;
  return pick<IsMax, KeepsNaN>(a, b);
}
/// Picks by magnitude, and gives the result the sign of the product.
template <typename F, bool IsMax, bool Ftz, bool KeepsNaN>
F pickXorSign(F a, F b) {
  F result = prepareAndPick<F, IsMax, Ftz, KeepsNaN, true>(a, b);
  if (!result.isNaN())
    result.bits |= (a.bits ^ b.bits) & F::signBit;
  return result;
}
template <typename F, bool IsMax, bool Ftz, bool KeepsNaN, bool Abs>
F pickOfThree(F a, F b, F c) {
  return prepareAndPick<F, IsMax, Ftz, KeepsNaN, Abs>(
      prepareAndPick<F, IsMax, Ftz, KeepsNaN, Abs>(a, b), c);
}

/// A NaN keeps its sign.
template <typename F, bool Ftz> F abs(F a) {
  if constexpr (Ftz)
    a = flush(a);
  return a.isNaN() ? nanOf(a) : F{typename F::Bits(a.bits & F::magnitude)};
}
template <typename F, bool Ftz> F neg(F a) {
  if constexpr (Ftz)
    a = flush(a);
  return a.isNaN() ? nanOf(a) : F{typename F::Bits(a.bits ^ F::signBit)};
}

/// The sign of a and the magnitude of b.
template <typename F> F copySign(F a, F b) {
  return F{typename F::Bits((a.bits & F::signBit) | (b.bits & F::magnitude))};
}

template <typename F> bool isFinite(F a) {
  return !a.isNaN() && !a.isInfinite();
}
template <typename F> bool isInfinite(F a) { return a.isInfinite(); }
template <typename F> bool isNumber(F a) { return !a.isNaN(); }
template <typename F> bool isNaN(F a) { return a.isNaN(); }
/// Zeros count as normal.
template <typename F> bool isNormal(F a) {
  return isFinite(a) && !a.isSubnormal();
}
template <typename F> bool isSubnormal(F a) { return a.isSubnormal(); }

} // namespace

static Evaluate findPick(const Instruction &instruction) {
  bool ofThree = instruction.operands.size() == 4;
  bool hasXorSign = instruction.has(Word::Xorsign);
  bool hasAbs = instruction.has(Word::Abs);
  // The ISA has .xorsign.abs of two operands and .abs of three.
  if (ofThree ? hasXorSign : hasXorSign != hasAbs)
    return nullptr;
  return select(
      [ofThree](auto t, auto isMax, auto ftz, auto nan, auto abs) -> Evaluate {
        using F = HostOf<t()>;
        if constexpr (std::is_same_v<F, F32>)
          if (ofThree)
            return value<pickOfThree<F, isMax(), ftz(), nan(), abs()>>;
        if constexpr (abs())
          return each<t(), pickXorSign<F, isMax(), ftz(), nan()>>;
        else
          return each<t(), prepareAndPick<F, isMax(), ftz(), nan(), false>>;
      },
      Axis<Type::F16, Type::F16x2, Type::BF16, Type::BF16x2, Type::F32,
           Type::F64>{typeOfSlot(instruction, 'T')},
      Axis<false, true>{instruction.opcode == Opcode::Max},
      flag(instruction, Word::Ftz), flag(instruction, Word::NaN),
      Axis<false, true>{hasAbs});
}

static Evaluate findSign(const Instruction &instruction) {
  return select(
      [](auto t, auto isNeg, auto ftz) {
        using F = HostOf<t()>;
        return each < t(), isNeg() ? neg<F, ftz()> : abs < F, ftz() >> ;
      },
      Axis<Type::F16, Type::F16x2, Type::BF16, Type::BF16x2, Type::F32,
           Type::F64>{typeOfSlot(instruction, 'T')},
      Axis<false, true>{instruction.opcode == Opcode::Neg},
      flag(instruction, Word::Ftz));
}

static Evaluate findClass(const Instruction &instruction) {
  return select(
      [word = *instruction.modifiers.front()](auto t) -> Evaluate {
        using F = HostOf<t()>;
        switch (word) {
        case Word::Finite:
          return value<isFinite<F>>;
        case Word::Infinite:
          return value<isInfinite<F>>;
        case Word::Number:
          return value<isNumber<F>>;
        case Word::Notanumber:
          return value<isNaN<F>>;
        case Word::Normal:
          return value<isNormal<F>>;
        case Word::Subnormal:
          return value<isSubnormal<F>>;
        default:
          return nullptr;
        }
      },
      Axis<Type::F32, Type::F64>{typeOfSlot(instruction, 'T')});
}

Evaluate ptx::findFloatPartValue(const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::Min:
  case Opcode::Max:
    return findPick(instruction);
  case Opcode::Abs:
  case Opcode::Neg:
    return findSign(instruction);
  case Opcode::Copysign:
    return typeOfSlot(instruction, 'T') == Type::F32 ? value<copySign<F32>>
                                                     : value<copySign<F64>>;
  case Opcode::Testp:
    return findClass(instruction);
  default:
    return nullptr;
  }
}
