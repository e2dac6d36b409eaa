//===- Conversion.cpp - between integers and floats -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt of one number to one number. PackedConversion.cpp has the formats of 8
// bits and less, and .relu and .satfinite.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Double.h"
#include "Families.h"

using namespace carousel;
using namespace carousel::ptx;

namespace {

template <typename T> constexpr bool isF32 = std::is_same_v<T, F32>;

//===-- To integers
//---------------------------------------------------------===//

template <typename D, typename A, bool Sat> Extended<D> integerToInteger(A a) {
  if constexpr (Sat) {
    __int128 least = std::numeric_limits<D>::min(),
             most = std::numeric_limits<D>::max();
    return {D(a < least ? least : a > most ? most : a)};
  }
  return {D(a)};
}

template <Rounding R> double roundToIntegral(double value) {
  switch (R) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

/// A NaN gives zero where 32 bits or less come from floats of at most 32 bits,
/// and the upper bit alone elsewhere.
template <typename D, typename A> D integerOfNaN() {
  if (sizeof(D) == 8 || sizeof(A) == 8)
    return D(std::make_unsigned_t<D>(1) << (sizeof(D) * 8 - 1));
  return 0;
}

/// What is out of range becomes the nearest number in it.
template <typename D, typename A, Rounding R, bool Ftz>
Extended<D> floatToInteger(A a) {
  constexpr bool readsFtz = Ftz && isF32<A>;
  double value = read<readsFtz>(a);
  if (value != value)
    return {integerOfNaN<D, A>()};
  value = roundToIntegral<R>(value);
  // One more than the largest number is a power of two, and exact.
  constexpr double end =
      2.0 * double(D(1) << (std::numeric_limits<D>::digits - 1));
  if (value >= end)
    return {std::numeric_limits<D>::max()};
  if (value < double(std::numeric_limits<D>::min()))
    return {std::numeric_limits<D>::min()};
  return {D(value)};
}

//===-- To floats
//-----------------------------------------------------------===//

/// Rounded to odd.
template <typename A> double integerToOdd(A a) {
  double value = double(a);
  if constexpr (sizeof(A) == 8)
    return roundToOdd(value, double(__int128(a) - __int128(value)));
  return value;
}

template <typename D, typename A, Rounding R, bool Sat> D integerToFloat(A a) {
  if constexpr (Sat)
    a = a < 0 ? 0 : a > 1 ? 1 : a;
  if constexpr (!std::is_same_v<D, F64>)
    return roundTo<D, R>(integerToOdd(a));
  else if constexpr (R == Rounding::Nearest || sizeof(A) < 8)
    return D{llvm::bit_cast<uint64_t>(double(a))};
  else {
    llvm::APFloat result(llvm::APFloat::IEEEdouble());
    result.convertFromAPInt(llvm::APInt(64, uint64_t(a)), std::is_signed_v<A>,
                            modeOf<R>());
    return D{llvm::bit_cast<uint64_t>(result.convertToDouble())};
  }
}

template <typename D> D clampToUnit(D value) {
  double held = toDouble(value);
  if (!(held > 0))
    return D{0};
  return held > 1 ? roundTo<D, Rounding::Nearest>(1) : value;
}

/// A NaN of A as one of D, quiet: with its sign and the upper bits of its
/// fraction.
template <typename D, typename A> D convertNaN(A a) {
  constexpr int shift = int(D::mantissaBits) - int(A::mantissaBits);
  uint64_t fraction = a.bits & ((uint64_t(1) << A::mantissaBits) - 1);
  fraction = shift < 0 ? fraction >> -shift : fraction << shift;
  uint64_t quiet = uint64_t(1) << (D::mantissaBits - 1);
  uint64_t sign = a.isNegative() ? D::signBit : 0;
  return D{typename D::Bits(sign | D::infinity | quiet | fraction)};
}

template <typename D, typename A, Rounding R, bool Integral, bool Ftz, bool Sat>
D floatToFloat(A a) {
  if (a.isNaN()) {
    if constexpr (Sat)
      return D{0};
    // Chips move these, and NaN with them.
    else if constexpr (std::is_same_v<A, BF16> && isF32<D> && !Ftz)
      return D{uint32_t(a.bits) << 16};
    else if constexpr (std::is_same_v<D, A> && sizeof(D) >= 4 && !Integral &&
                       !Ftz)
      return a;
    // With .ftz, an operation of f32 comes first.
    else if constexpr (std::is_same_v<D, F64> && Ftz)
      return convertNaN<D>(F32{F32::nan});
    else if constexpr (std::is_same_v<D, F64> || std::is_same_v<A, F64>)
      return convertNaN<D>(a);
    else
      return D{D::nan};
  }
  // Chips don't flush what becomes f16.
  constexpr bool readsFtz = Ftz && isF32<A> && !std::is_same_v<D, F16>;
  constexpr bool givesFtz = Ftz && isF32<D>;
  double value = read<readsFtz>(a);
  if constexpr (Integral)
    value = std::copysign(roundToIntegral<R>(value), value);
  if constexpr (std::is_same_v<D, F64>) {
    if constexpr (Sat)
      value = !(value > 0) ? 0 : value > 1 ? 1 : value;
    return D{llvm::bit_cast<uint64_t>(value)};
  } else {
    return finish<D, R, givesFtz, Sat>(value);
  }
}

} // namespace

using IntegerTypes = Axis<Type::U8, Type::U16, Type::U32, Type::U64, Type::S8,
                          Type::S16, Type::S32, Type::S64>;
using FloatTypes = Axis<Type::F16, Type::BF16, Type::F32, Type::F64>;

/// What the first modifier says of rounding.
enum class Mode : uint8_t { None, Float, Integer };

static Mode integralMode(const Instruction &instruction) {
  for (Word word : {Word::Rni, Word::Rzi, Word::Rmi, Word::Rpi})
    if (instruction.has(word))
      return Mode::Integer;
  for (Word word : {Word::Rn, Word::Rz, Word::Rm, Word::Rp})
    if (instruction.has(word))
      return Mode::Float;
  return Mode::None;
}

static Evaluate findToInteger(const Instruction &instruction, Type d, Type a,
                              Mode mode) {
  if (isInteger(a)) {
    if (mode != Mode::None || instruction.has(Word::Ftz))
      return nullptr;
    return select(
        [](auto d, auto a, auto sat) {
          return value<integerToInteger<HostOf<d()>, HostOf<a()>, sat()>>;
        },
        IntegerTypes{d}, IntegerTypes{a}, flag(instruction, Word::Sat));
  }
  if (mode != Mode::Integer)
    return nullptr;
  return select(
      [](auto d, auto a, auto r, auto ftz) -> Evaluate {
        using A = HostOf<a()>;
        if constexpr (ftz() && !isF32<A>)
          return nullptr;
        else
          return value<floatToInteger<HostOf<d()>, A, r(), ftz()>>;
      },
      IntegerTypes{d}, FloatTypes{a}, roundingAxis(instruction),
      flag(instruction, Word::Ftz));
}

static Evaluate findToFloat(const Instruction &instruction, Type d, Type a,
                            Mode mode) {
  if (isInteger(a)) {
    if (mode != Mode::Float || (instruction.has(Word::Ftz) && d != Type::F32))
      return nullptr;
    return select(
        [](auto d, auto a, auto r, auto sat) {
          return value<integerToFloat<HostOf<d()>, HostOf<a()>, r(), sat()>>;
        },
        FloatTypes{d}, IntegerTypes{a}, roundingAxis(instruction),
        flag(instruction, Word::Sat));
  }
  return select(
      [](auto d, auto a, auto mode, auto r, auto ftz, auto sat) -> Evaluate {
        using D = HostOf<d()>;
        using A = HostOf<a()>;
        constexpr bool narrows = D::mantissaBits < A::mantissaBits ||
                                 D::exponentBits < A::exponentBits;
        constexpr bool isSame = std::is_same_v<D, A>;
        // Between f16 and bf16, the nearest is meant without a word.
        constexpr bool isMutual = sizeof(D) == 2 && sizeof(A) == 2 && !isSame;
        // Where a modifier has no meaning, there is no such instruction.
        if constexpr ((ftz() && !isF32<D> && !isF32<A>) ||
                      (mode() == Mode::None && r() != Rounding::Nearest) ||
                      (mode() == Mode::Integer ? !isSame
                       : narrows ? mode() != Mode::Float && !isMutual
                                 : mode() != Mode::None && isSame))
          return nullptr;
        else
          return value<
              floatToFloat<D, A, r(), mode() == Mode::Integer, ftz(), sat()>>;
      },
      FloatTypes{d}, FloatTypes{a},
      Axis<Mode::None, Mode::Float, Mode::Integer>{mode},
      roundingAxis(instruction), flag(instruction, Word::Ftz),
      flag(instruction, Word::Sat));
}

Evaluate ptx::findConversionValue(const Instruction &instruction) {
  std::optional<Word> d = instruction.getModifier('D'),
                      a = instruction.getModifier('A');
  if (instruction.opcode != Opcode::Cvt || !d || !a)
    return nullptr;
  Type result = *typeOf(*d), operand = *typeOf(*a);
  Mode mode = integralMode(instruction);
  return isInteger(result) ? findToInteger(instruction, result, operand, mode)
                           : findToFloat(instruction, result, operand, mode);
}
