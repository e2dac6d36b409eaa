//===- Conversion.cpp - to and from narrow and packed formats -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt of one number to one number, then cvt with .relu, .satfinite, random bits
// and formats of 8 bits and less, and cvt.pack, whose first operand becomes the
// upper element.
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

/// Converts; a number out of range becomes the nearest number in it.
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

/// The first modifier's rounding.
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

namespace {

/// The exponent of a float: 2^(bits - 127), or NaN where all bits are set.
struct UE8M0 {
  using Bits = uint8_t;
  uint8_t bits;
};

template <typename F> F relu(F value) {
  return value.isNegative() && !value.isNaN() ? F{0} : value;
}

template <typename F, Rounding R, bool Relu, bool SatFinite>
F narrow(double value) {
  F result = roundTo<F, R, SatFinite>(value);
  return Relu ? relu(result) : result;
}

//===-- Two elements
//--------------------------------------------------------===//

/// The width of an element in its register: FP6 has two bits of padding.
template <typename F>
constexpr unsigned kWidth = std::is_same_v<F, E2M1> ? 4 : sizeof(F) * 8;

template <typename F> uint64_t join(F upper, F lower) {
  return uint64_t(upper.bits) << kWidth<F> | lower.bits;
}

template <typename F> F elementOf(uint64_t bits, unsigned index) {
  using Bits = typename F::Bits;
  return F{Bits(Bits(bits >> (index * kWidth<F>)) &
                Bits(F::signBit | F::magnitude))};
}

template <typename F, Rounding R, bool Relu, bool SatFinite>
void oneFromFloat(const uint64_t *operands, uint64_t *results) {
  results[0] =
      narrow<F, R, Relu, SatFinite>(toDouble(fromBits<F32>(operands[0]))).bits;
}

template <typename F, Rounding R, bool Relu, bool SatFinite>
void twoFromFloats(const uint64_t *operands, uint64_t *results) {
  auto convert = [](uint64_t bits) {
    return narrow<F, R, Relu, SatFinite>(toDouble(fromBits<F32>(bits)));
  };
  results[0] = join(convert(operands[0]), convert(operands[1]));
}

template <typename F, typename A, bool Relu>
void twoFromTwo(const uint64_t *operands, uint64_t *results) {
  auto convert = [&](unsigned index) {
    double value = toDouble(elementOf<A>(operands[0], index));
    return narrow<F, Rounding::Nearest, Relu, true>(value);
  };
  results[0] = join(convert(1), convert(0));
}

/// To a larger format, which has infinities if the narrow one has.
template <typename F, typename A, bool Relu>
void widenTwo(const uint64_t *operands, uint64_t *results) {
  auto convert = [&](unsigned index) {
    double value = toDouble(elementOf<A>(operands[0], index));
    return narrow<F, Rounding::Nearest, Relu, false>(value);
  };
  results[0] = join(convert(1), convert(0));
}

/// The bits of a float that TF32 doesn't have.
constexpr uint32_t kBelowTF32 =
    (1u << (F32::mantissaBits - TF32::mantissaBits)) - 1;

/// TF32 is a float whose lower bits are zero, also those of its NaN.
template <Rounding R, bool Relu, bool SatFinite> F32 toTF32(F32 a) {
  TF32 result = a.isNaN() ? TF32{TF32::nan}
                          : narrow<TF32, R, Relu, SatFinite>(toDouble(a));
  return F32{result.bits * (kBelowTF32 + 1)};
}

/// Chips add half of the last bit and clear those below. NaN loses bits, too,
/// and becomes infinite if it has no others.
template <bool SatFinite> F32 toTF32Away(F32 a) {
  uint32_t bits = a.bits;
  if ((bits & F32::magnitude) < F32::infinity)
    bits += kBelowTF32 / 2 + 1;
  bits &= ~kBelowTF32;
  if (SatFinite && (bits & F32::magnitude) >= F32::infinity)
    bits -= kBelowTF32 + 1;
  return F32{bits};
}

//===-- Random bits
//---------------------------------------------------------===//

/// Adds `random`, of `Width` bits, to the upper end of what is cut off.
template <typename F, unsigned Width, bool Relu, bool SatFinite>
F roundRandomly(F32 a, uint32_t random) {
  F nearest = narrow<F, Rounding::Nearest, Relu, SatFinite>(toDouble(a));
  if (a.isNaN() || a.isInfinite() || a.isZero() || (Relu && a.isNegative()))
    return nearest;
  int exponent = int(a.bits >> 23 & 0xff);
  uint64_t significand = a.bits & 0x7fffff;
  if (exponent == 0)
    exponent = 1;
  else
    significand |= 0x800000;
  int above = exponent - 127 - (1 - F::bias);
  unsigned shift = 23 - F::mantissaBits + unsigned(above < 0 ? -above : 0);
  if (above < 0)
    above = 0;
  uint64_t kept = 0;
  if (shift < 24 + Width)
    kept =
        (significand + (shift < Width ? random >> (Width - shift)
                                      : uint64_t(random) << (shift - Width))) >>
        shift;
  uint64_t result = (uint64_t(above) << F::mantissaBits) + kept;
  if (result > F::largest)
    result = overflow<F, Rounding::Nearest, SatFinite>(a.isNegative(), false);
  using Bits = typename F::Bits;
  return F{Bits((a.isNegative() ? F::signBit : Bits(0)) | Bits(result))};
}

/// The halves of the last operand have the bits of the elements.
template <typename F, bool Relu, bool SatFinite>
void twoRandomly(const uint64_t *operands, uint64_t *results) {
  constexpr unsigned width = 23 - F::mantissaBits;
  constexpr uint32_t mask = (1u << width) - 1;
  uint32_t random = uint32_t(operands[2]);
  auto convert = [&](uint64_t bits, uint32_t random) {
    return roundRandomly<F, width, Relu, SatFinite>(fromBits<F32>(bits),
                                                    random & mask);
  };
  results[0] =
      join(convert(operands[0], random >> 16), convert(operands[1], random));
}

uint32_t reverse16(uint32_t bits) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 16; ++i)
    result |= (bits >> i & 1) << (15 - i);
  return result;
}

/// Two elements share 16 bits, which the first reads in the opposite order.
/// For e2m1 these are every other byte, and for larger formats the halves.
template <typename F, bool Relu>
void fourRandomly(const uint64_t *operands, uint64_t *results) {
  uint32_t random = uint32_t(operands[4]);
  uint32_t upper = random >> 16, lower = random & 0xffff;
  if (std::is_same_v<F, E2M1>) {
    uint32_t odd = (random >> 16 & 0xff00) | (random >> 8 & 0xff);
    lower = (random >> 8 & 0xff00) | (random & 0xff);
    upper = odd;
  }
  uint32_t bits[] = {reverse16(upper), upper, reverse16(lower), lower};
  uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result = result << kWidth<F> | roundRandomly<F, 16, Relu, true>(
                                       fromBits<F32>(operands[i]), bits[i])
                                       .bits;
  results[0] = result;
}

//===-- Exponents
//-----------------------------------------------------------===//

/// Converts a magnitude to an exponent. Infinity is NaN, or the largest
/// exponent with .satfinite.
template <bool Up, bool SatFinite> uint8_t toExponent(F32 a) {
  if (a.isNaN())
    return 0xff;
  uint32_t magnitude = a.bits & F32::magnitude;
  uint32_t exponent = magnitude >> 23;
  // 2^-127 is the least one, and a subnormal float.
  bool isAbove =
      exponent == 0 ? magnitude > 0x400000 : (magnitude & 0x7fffff) != 0;
  exponent += Up && isAbove;
  return uint8_t(exponent >= 0xff ? (SatFinite ? 0xfe : 0xff) : exponent);
}

template <bool Up, bool SatFinite>
void exponentsFromFloats(const uint64_t *operands, uint64_t *results) {
  results[0] = uint64_t(toExponent<Up, SatFinite>(fromBits<F32>(operands[0])))
                   << 8 |
               toExponent<Up, SatFinite>(fromBits<F32>(operands[1]));
}

template <bool Up, bool SatFinite>
void exponentsFromTwo(const uint64_t *operands, uint64_t *results) {
  // A bf16 is the upper half of a float.
  uint64_t floats[] = {operands[0] & 0xffff0000,
                       operands[0] << 16 & 0xffff0000};
  exponentsFromFloats<Up, SatFinite>(floats, results);
}

BF16 fromExponent(UE8M0 a) {
  if (a.bits == 0xff)
    return BF16{BF16::nan};
  return roundTo<BF16, Rounding::Nearest>(std::ldexp(1.0, int(a.bits) - 127));
}

void exponentsToTwo(const uint64_t *operands, uint64_t *results) {
  results[0] = join(fromExponent({uint8_t(operands[0] >> 8)}),
                    fromExponent({uint8_t(operands[0])}));
}

//===-- Integers
//------------------------------------------------------------===//

template <unsigned Bits, bool Signed> uint32_t saturate(int32_t a) {
  int64_t least = Signed ? -(int64_t(1) << (Bits - 1)) : 0;
  int64_t most = (int64_t(1) << (Signed ? Bits - 1 : Bits)) - 1;
  int64_t clamped = a < least ? least : a > most ? most : a;
  return uint32_t(clamped) & ((1u << Bits) - 1);
}

template <unsigned Bits, bool Signed> uint32_t packTwo(int32_t a, int32_t b) {
  return saturate<Bits, Signed>(a) << Bits | saturate<Bits, Signed>(b);
}

template <unsigned Bits, bool Signed>
uint32_t packMore(int32_t a, int32_t b, uint32_t c) {
  return c << (2 * Bits) | packTwo<Bits, Signed>(a, b);
}

} // namespace

static Evaluate findIntegerPack(const Instruction &instruction) {
  return select(
      [](auto type) -> Evaluate {
        constexpr Type t = type();
        constexpr bool isSigned =
            t == Type::S2 || t == Type::S4 || t == Type::S8 || t == Type::S16;
        if constexpr (t == Type::U16 || t == Type::S16)
          return value<packTwo<16, isSigned>>;
        else if constexpr (t == Type::U8 || t == Type::S8)
          return value<packMore<8, isSigned>>;
        else if constexpr (t == Type::U4 || t == Type::S4)
          return value<packMore<4, isSigned>>;
        else
          return value<packMore<2, isSigned>>;
      },
      Axis<Type::U16, Type::S16, Type::U8, Type::S8, Type::U4, Type::S4,
           Type::U2, Type::S2>{typeOfSlot(instruction, 'D')});
}

/// The format of a packed type's elements.
template <Type T> struct Element;
#define CAROUSEL_ELEMENT(type, format)                                         \
  template <> struct Element<Type::type> {                                     \
    using Held = format;                                                       \
  };
CAROUSEL_ELEMENT(F16, carousel::ptx::F16)
CAROUSEL_ELEMENT(F16x2, carousel::ptx::F16)
CAROUSEL_ELEMENT(BF16, carousel::ptx::BF16)
CAROUSEL_ELEMENT(BF16x2, carousel::ptx::BF16)
CAROUSEL_ELEMENT(E4M3x2, E4M3)
CAROUSEL_ELEMENT(E5M2x2, E5M2)
CAROUSEL_ELEMENT(E3M2x2, E3M2)
CAROUSEL_ELEMENT(E2M3x2, E2M3)
CAROUSEL_ELEMENT(E2M1x2, E2M1)
CAROUSEL_ELEMENT(E4M3x4, E4M3)
CAROUSEL_ELEMENT(E5M2x4, E5M2)
CAROUSEL_ELEMENT(E3M2x4, E3M2)
CAROUSEL_ELEMENT(E2M3x4, E2M3)
CAROUSEL_ELEMENT(E2M1x4, E2M1)
#undef CAROUSEL_ELEMENT
template <Type T> using ElementOf = typename Element<T>::Held;

using WidePair = Axis<Type::F16x2, Type::BF16x2>;
using NarrowPair =
    Axis<Type::E4M3x2, Type::E5M2x2, Type::E3M2x2, Type::E2M3x2, Type::E2M1x2>;

/// Finds a conversion whose rounding is of random bits.
static Evaluate findRandom(const Instruction &instruction, Type result) {
  if (result == Type::F16x2 || result == Type::BF16x2)
    return select(
        [](auto d, auto relu, auto sat) -> Evaluate {
          return &twoRandomly<ElementOf<d()>, relu(), sat()>;
        },
        WidePair{result}, flag(instruction, Word::Relu),
        flag(instruction, Word::Satfinite));
  return select(
      [](auto d, auto relu) -> Evaluate {
        return &fourRandomly<ElementOf<d()>, relu()>;
      },
      Axis<Type::E4M3x4, Type::E5M2x4, Type::E3M2x4, Type::E2M3x4,
           Type::E2M1x4>{result},
      flag(instruction, Word::Relu));
}

static Evaluate findExponents(const Instruction &instruction, Type result,
                              Type operand) {
  if (operand == Type::UE8M0x2)
    return exponentsToTwo;
  return select(
      [operand](auto up, auto sat) -> Evaluate {
        return operand == Type::F32 ? &exponentsFromFloats<up(), sat()>
                                    : &exponentsFromTwo<up(), sat()>;
      },
      flag(instruction, Word::Rp), flag(instruction, Word::Satfinite));
}

/// Finds the conversion of f32 to f16, bf16 or tf32, one or two.
static Evaluate findWide(const Instruction &instruction, Type result) {
  if (result == Type::TF32 && instruction.has(Word::Rna))
    return instruction.has(Word::Satfinite) ? value<toTF32Away<true>>
                                            : value<toTF32Away<false>>;
  return select(
      [](auto d, auto r, auto relu, auto sat) -> Evaluate {
        if constexpr (d() == Type::TF32)
          return value<toTF32<r(), relu(), sat()>>;
        else if constexpr (d() == Type::F16 || d() == Type::BF16)
          return &oneFromFloat<ElementOf<d()>, r(), relu(), sat()>;
        else
          return &twoFromFloats<ElementOf<d()>, r(), relu(), sat()>;
      },
      Axis<Type::TF32, Type::F16, Type::BF16, Type::F16x2, Type::BF16x2>{
          result},
      Axis<Rounding::Nearest, Rounding::Zero>{
          instruction.has(Word::Rz) ? Rounding::Zero : Rounding::Nearest},
      flag(instruction, Word::Relu), flag(instruction, Word::Satfinite));
}

Evaluate ptx::findPackedConversionValue(const Instruction &instruction) {
  if (instruction.opcode == Opcode::CvtPack)
    return findIntegerPack(instruction);
  if (instruction.opcode != Opcode::Cvt)
    return nullptr;
  llvm::SmallVector<Type, 4> types = instruction.getTypes();
  Type result = types.front(), operand = types.back();
  // A direction of rounding tells these from the general form.
  if (instruction.modifiers.front() == std::nullopt)
    return nullptr;
  if (result == Type::UE8M0x2 || operand == Type::UE8M0x2)
    return findExponents(instruction, result, operand);
  if (instruction.has(Word::Rs))
    return findRandom(instruction, result);
  if (operand == Type::F32) {
    Evaluate found = select(
        [](auto d, auto relu) -> Evaluate {
          return &twoFromFloats<ElementOf<d()>, Rounding::Nearest, relu(),
                                true>;
        },
        NarrowPair{result}, flag(instruction, Word::Relu));
    return found ? found : findWide(instruction, result);
  }
  Evaluate found = select(
      [](auto d, auto a, auto relu) -> Evaluate {
        return &widenTwo<ElementOf<d()>, ElementOf<a()>, relu()>;
      },
      WidePair{result}, NarrowPair{operand}, flag(instruction, Word::Relu));
  if (found)
    return found;
  return select(
      [](auto d, auto a, auto relu) -> Evaluate {
        return &twoFromTwo<ElementOf<d()>, ElementOf<a()>, relu()>;
      },
      NarrowPair{result}, WidePair{operand}, flag(instruction, Word::Relu));
}
