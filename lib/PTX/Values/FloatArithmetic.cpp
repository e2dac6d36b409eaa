//===- FloatArithmetic.cpp - arithmetic of floats -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that pick an operand or change its sign, where nothing is
// rounded; div, rcp and sqrt with a direction of rounding, as IEEE 754 has
// them; add, sub, mul, fma and mad of f16, bf16, f32 and f64, and those that
// take a narrow operand beside f32.
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

namespace {

/// a + b. A sum that cancels is +0, and -0 where it is rounded down.
template <Rounding R> double addExactly(double a, double b) {
  double sum = addToOdd(a, b);
  if (R == Rounding::Down && sum == 0 && std::signbit(a) != std::signbit(b))
    return -0.0;
  return sum;
}

/// Whether the host rounds it: to the nearest, and nothing else is asked for.
template <typename F, Rounding R, bool Ftz, bool Sat>
constexpr bool isOfHost =
    std::is_same_v<F, F32> && R == Rounding::Nearest && !Sat;
template <bool Ftz, typename Slow> F32 finishHost(float value, Slow slow) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  if (value != value)
    return F32{F32::nan};
  // It may be flushed.
  if (Ftz && std::fabs(value) <= std::numeric_limits<float>::min())
    return slow();
  return F32{bits};
}

template <bool Ftz> float hostFloat(F32 value) {
  return llvm::bit_cast<float>(Ftz ? flush(value).bits : value.bits);
}

template <typename F, Rounding R, bool Ftz, bool Sat> F add(F a, F b) {
  auto slow = [=] {
    return finish<F, R, Ftz, Sat>(addExactly<R>(read<Ftz>(a), read<Ftz>(b)));
  };
  if constexpr (isOfHost<F, R, Ftz, Sat>)
    return finishHost<Ftz>(hostFloat<Ftz>(a) + hostFloat<Ftz>(b), slow);
  return slow();
}

template <typename F> F negate(F a) {
  return F{typename F::Bits(a.bits ^ F::signBit)};
}

template <typename F, Rounding R, bool Ftz, bool Sat> F sub(F a, F b) {
  return add<F, R, Ftz, Sat>(a, negate(b));
}

template <typename F, Rounding R, bool Ftz, bool Sat> F mul(F a, F b) {
  auto slow = [=] {
    return finish<F, R, Ftz, Sat>(read<Ftz>(a) * read<Ftz>(b));
  };
  if constexpr (isOfHost<F, R, Ftz, Sat>)
    return finishHost<Ftz>(hostFloat<Ftz>(a) * hostFloat<Ftz>(b), slow);
  return slow();
}

template <typename F, Rounding R, bool Ftz, bool Sat> F fma(F a, F b, F c) {
  auto slow = [=] {
    return finish<F, R, Ftz, Sat>(
        addExactly<R>(read<Ftz>(a) * read<Ftz>(b), read<Ftz>(c)));
  };
  if constexpr (isOfHost<F, R, Ftz, Sat>)
    return finishHost<Ftz>(
        std::fma(hostFloat<Ftz>(a), hostFloat<Ftz>(b), hostFloat<Ftz>(c)),
        slow);
  return slow();
}

/// Whether it is the value that tensor copies write for elements outside of the
/// tensor, or its negative.
template <typename F> bool isOutOfBounds(F a) {
  return (a.bits & F::magnitude) == 0x7ff7;
}

/// With .relu, and with .oob where an operand is out of bounds, less than zero
/// is zero.
template <typename F, bool Ftz, bool Oob, bool Relu>
F fmaSpecial(F a, F b, F c) {
  if (Oob && (isOutOfBounds(a) || isOutOfBounds(b)))
    return F{0};
  F result = fma<F, Rounding::Nearest, Ftz, false>(a, b, c);
  return Relu && result.isNegative() ? F{0} : result;
}

template <typename N, Rounding R, bool Sat> F32 addMixed(N a, F32 b) {
  return finish<F32, R, false, Sat>(addExactly<R>(toDouble(a), toDouble(b)));
}

template <typename N, Rounding R, bool Sat> F32 subMixed(N a, F32 b) {
  return addMixed<N, R, Sat>(a, negate(b));
}

template <typename N, Rounding R, bool Sat> F32 fmaMixed(N a, N b, F32 c) {
  return finish<F32, R, false, Sat>(
      addExactly<R>(toDouble(a) * toDouble(b), toDouble(c)));
}

} // namespace

static Evaluate findDouble(const Instruction &instruction) {
  return select(
      [opcode = instruction.opcode](auto r) -> Evaluate {
        switch (opcode) {
        case Opcode::Add:
          return value<add64<r()>>;
        case Opcode::Sub:
          return value<sub64<r()>>;
        case Opcode::Mul:
          return value<mul64<r()>>;
        case Opcode::Fma:
        case Opcode::Mad:
          return value<fma64<r()>>;
        default:
          return nullptr;
        }
      },
      roundingAxis(instruction));
}

static Evaluate findMixed(const Instruction &instruction, Type narrow) {
  return select(
      [opcode = instruction.opcode](auto n, auto r, auto sat) -> Evaluate {
        using N = HostOf<n()>;
        switch (opcode) {
        case Opcode::Add:
          return value<addMixed<N, r(), sat()>>;
        case Opcode::Sub:
          return value<subMixed<N, r(), sat()>>;
        case Opcode::Fma:
          return value<fmaMixed<N, r(), sat()>>;
        default:
          return nullptr;
        }
      },
      Axis<Type::F16, Type::BF16>{narrow}, roundingAxis(instruction),
      flag(instruction, Word::Sat));
}

static Evaluate findSpecialFma(const Instruction &instruction, Type type) {
  return select(
      [](auto t, auto ftz, auto oob, auto relu) {
        return each<t(), fmaSpecial<HostOf<t()>, ftz(), oob(), relu()>>;
      },
      Axis<Type::F16, Type::F16x2, Type::BF16, Type::BF16x2>{type},
      flag(instruction, Word::Ftz), flag(instruction, Word::Oob),
      flag(instruction, Word::Relu));
}

Evaluate ptx::findFloatValue(const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::Add:
  case Opcode::Sub:
  case Opcode::Mul:
  case Opcode::Fma:
  case Opcode::Mad:
    break;
  default:
    return nullptr;
  }
  Type type = typeOfSlot(instruction, 'T');
  if (type == Type::F64)
    return findDouble(instruction);
  if (std::optional<Word> narrow = instruction.getModifier('A'))
    return findMixed(instruction, *typeOf(*narrow));
  if (instruction.has(Word::Oob) || instruction.has(Word::Relu))
    return findSpecialFma(instruction, type);
  return select(
      [opcode = instruction.opcode](auto t, auto r, auto ftz,
                                    auto sat) -> Evaluate {
        using F = HostOf<t()>;
        // Only f32 has other roundings than to the nearest.
        if constexpr (r() != Rounding::Nearest && !std::is_same_v<F, F32>)
          return nullptr;
        else
          switch (opcode) {
          case Opcode::Add:
            return each<t(), add<F, r(), ftz(), sat()>>;
          case Opcode::Sub:
            return each<t(), sub<F, r(), ftz(), sat()>>;
          case Opcode::Mul:
            return each<t(), mul<F, r(), ftz(), sat()>>;
          case Opcode::Fma:
          case Opcode::Mad:
            return each<t(), fma<F, r(), ftz(), sat()>>;
          default:
            return nullptr;
          }
      },
      Axis<Type::F16, Type::F16x2, Type::BF16, Type::BF16x2, Type::F32,
           Type::F32x2>{type},
      roundingAxis(instruction), flag(instruction, Word::Ftz),
      flag(instruction, Word::Sat));
}
