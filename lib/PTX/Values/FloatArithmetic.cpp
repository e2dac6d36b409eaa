//===- FloatArithmetic.cpp - sums and products of floats ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// add, sub, mul, fma and mad of f16, bf16, f32 and f64, and those that take a
// narrow operand beside f32.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Double.h"
#include "Families.h"

using namespace carousel;
using namespace carousel::ptx;

namespace {

/// a + b. A sum that cancels is +0, and -0 where it is rounded down.
template <Rounding R> double addExactly(double a, double b) {
  double sum = addToOdd(a, b);
  if (R == Rounding::Down && sum == 0 && std::signbit(a) != std::signbit(b))
    return -0.0;
  return sum;
}

/// What the host has rounded to the nearest, where nothing else is asked for.
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

/// What tensor copies write for elements outside of the tensor, or its
/// negative.
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
