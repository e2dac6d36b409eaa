//===- Integer.cpp - integer arithmetic -----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, Integer Arithmetic Instructions, and those of extended precision.
// Functions compute modulo 2^64 or in 128 bits, where nothing overflows. The
// carry flag is the last operand and the last result (Values.h).
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "Call.h"

using namespace carousel;
using namespace carousel::ptx;

namespace {

using Wide = __int128;

template <typename T> T clampTo(Wide value) {
  Wide least = std::numeric_limits<T>::min(),
       most = std::numeric_limits<T>::max();
  return T(value < least ? least : value > most ? most : value);
}

template <typename T> T add(T a, T b) { return T(uint64_t(a) + uint64_t(b)); }
template <typename T> T sub(T a, T b) { return T(uint64_t(a) - uint64_t(b)); }
template <typename T> T addSat(T a, T b) { return clampTo<T>(Wide(a) + b); }
template <typename T> T subSat(T a, T b) { return clampTo<T>(Wide(a) - b); }

template <typename T> T mulLow(T a, T b) {
  return T(uint64_t(a) * uint64_t(b));
}

template <typename T> T mulHigh(T a, T b) {
  using Product =
      std::conditional_t<std::is_signed_v<T>, Wide, unsigned __int128>;
  return T(Product(a) * Product(b) >> (sizeof(T) * 8));
}

template <typename T> T madLow(T a, T b, T c) { return add(mulLow(a, b), c); }
template <typename T> T madHigh(T a, T b, T c) { return add(mulHigh(a, b), c); }
template <typename T> T madHighSat(T a, T b, T c) {
  return addSat(mulHigh(a, b), c);
}

template <typename T>
using Twice = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
template <typename T> Twice<T> mulWide(T a, T b) {
  return mulLow<Twice<T>>(a, b);
}

template <typename T> Twice<T> madWide(T a, T b, Twice<T> c) {
  return add(mulWide(a, b), c);
}

/// The product of the low 24 bits, of 48 bits.
template <typename T> int64_t product24(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    return int64_t(int32_t(uint32_t(a) << 8) >> 8) *
           (int32_t(uint32_t(b) << 8) >> 8);
  else
    return int64_t(a & 0xffffff) * (b & 0xffffff);
}

template <typename T> T mul24Low(T a, T b) { return T(product24(a, b)); }
template <typename T> T mul24High(T a, T b) { return T(product24(a, b) >> 16); }
template <typename T> T mad24Low(T a, T b, T c) {
  return add(mul24Low(a, b), c);
}

template <typename T> T mad24High(T a, T b, T c) {
  return add(mul24High(a, b), c);
}

template <typename T> T mad24HighSat(T a, T b, T c) {
  return addSat(mul24High(a, b), c);
}

template <typename T> T sad(T a, T b, T c) {
  return add(c, a < b ? sub(b, a) : sub(a, b));
}

/// A quotient by zero and its remainder have all bits set.
template <typename T> T div(T a, T b) {
  return b == 0 ? T(-1) : T(Wide(a) / b);
}

template <typename T> T rem(T a, T b) {
  return b == 0 ? T(-1) : T(Wide(a) % b);
}

template <typename T> T neg(T a) { return sub(T(0), a); }
template <typename T> T abs(T a) { return a < 0 ? neg(a) : a; }

template <typename T> T min(T a, T b) { return a < b ? a : b; }
template <typename T> T max(T a, T b) { return a < b ? b : a; }
template <typename T> T minRelu(T a, T b) { return max(min(a, b), T(0)); }
template <typename T> T maxRelu(T a, T b) { return max(max(a, b), T(0)); }

template <typename A, typename B>
int32_t dotBytes(uint32_t a, uint32_t b, int32_t c) {
  for (unsigned i = 0; i < 32; i += 8)
    c = add(c, int32_t(A(a >> i)) * int32_t(B(b >> i)));
  return c;
}

/// Two halves of a and two bytes of b, from bit First.
template <typename A, typename B, unsigned First>
int32_t dotHalves(uint32_t a, uint32_t b, int32_t c) {
  for (unsigned i = 0; i < 2; ++i)
    c = add(c, int32_t(A(a >> (16 * i))) * int32_t(B(b >> (First + 8 * i))));
  return c;
}

uint64_t carrylessLow(uint64_t a, uint64_t b, uint64_t c) {
  for (unsigned i = 0; i < 64; ++i)
    c ^= (b >> i & 1) ? a << i : 0;
  return c;
}

uint64_t carrylessHigh(uint64_t a, uint64_t b, uint64_t c) {
  for (unsigned i = 1; i < 64; ++i)
    c ^= (b >> i & 1) ? a >> (64 - i) : 0;
  return c;
}

} // namespace

/// mul and mad.
static Evaluate findProduct(const Instruction &instruction) {
  bool isMad = instruction.opcode == Opcode::Mad;
  Axis<Type::U16, Type::U32, Type::U64, Type::S16, Type::S32, Type::S64> type{
      typeOfSlot(instruction, 'T')};
  if (instruction.has(Word::Wide))
    return select(
        [](auto t, auto isMad) {
          using T = HostOf<t()>;
          if constexpr (sizeof(T) > 4)
            return Evaluate(nullptr);
          else if constexpr (isMad())
            return value<madWide<T>>;
          else
            return value<mulWide<T>>;
        },
        type, Axis<false, true>{isMad});
  if (instruction.has(Word::Sat))
    return type.value == Type::S32 ? value<madHighSat<int32_t>> : nullptr;
  return select(
      [](auto t, auto isMad, auto isHigh) {
        using T = HostOf<t()>;
        if constexpr (isMad())
          return value < isHigh() ? madHigh<T> : madLow < T >> ;
        else
          return value < isHigh() ? mulHigh<T> : mulLow < T >> ;
      },
      type, Axis<false, true>{isMad}, flag(instruction, Word::Hi));
}

static Evaluate findProduct24(const Instruction &instruction) {
  if (instruction.has(Word::Sat))
    return value<mad24HighSat<int32_t>>;
  return select(
      [](auto t, auto isMad, auto isHigh) {
        using T = HostOf<t()>;
        if constexpr (isMad())
          return value < isHigh() ? mad24High<T> : mad24Low < T >> ;
        else
          return value < isHigh() ? mul24High<T> : mul24Low < T >> ;
      },
      Axis<Type::U32, Type::S32>{typeOfSlot(instruction, 'T')},
      Axis<false, true>{instruction.opcode == Opcode::Mad24},
      flag(instruction, Word::Hi));
}

static Evaluate findDot(const Instruction &instruction) {
  Axis<Type::U32, Type::S32> a{typeOfSlot(instruction, 'A')},
      b{typeOfSlot(instruction, 'B')};
  return select(
      [](auto a, auto b, auto isPairs, auto isHigh) {
        constexpr bool signedA = a() == Type::S32, signedB = b() == Type::S32;
        using Byte = std::conditional_t<signedB, int8_t, uint8_t>;
        if constexpr (isPairs())
          return value<dotHalves<std::conditional_t<signedA, int16_t, uint16_t>,
                                 Byte, isHigh() ? 16 : 0>>;
        else
          return value<
              dotBytes<std::conditional_t<signedA, int8_t, uint8_t>, Byte>>;
      },
      a, b, Axis<false, true>{instruction.opcode == Opcode::Dp2a},
      flag(instruction, Word::Hi));
}

/// Instructions whose operands and result have one type.
static Evaluate findSameTypes(const Instruction &instruction) {
  return select(
      [opcode = instruction.opcode](auto t, auto sat, auto relu) -> Evaluate {
        using T = HostOf<t()>;
        switch (opcode) {
        case Opcode::Add:
          return each < t(), sat() ? addSat<T> : add < T >> ;
        case Opcode::Sub:
          return each < t(), sat() ? subSat<T> : sub < T >> ;
        case Opcode::Sad:
          return each<t(), sad<T>>;
        case Opcode::Div:
          return each<t(), div<T>>;
        case Opcode::Rem:
          return each<t(), rem<T>>;
        case Opcode::Abs:
          return each<t(), abs<T>>;
        case Opcode::Neg:
          return each<t(), neg<T>>;
        case Opcode::Min:
          return each < t(), relu() ? minRelu<T> : min < T >> ;
        case Opcode::Max:
          return each < t(), relu() ? maxRelu<T> : max < T >> ;
        default:
          return nullptr;
        }
      },
      IntegerAxis{typeOfSlot(instruction, 'T')}, flag(instruction, Word::Sat),
      flag(instruction, Word::Relu));
}

Evaluate ptx::findIntegerValue(const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::Mul:
  case Opcode::Mad:
    return findProduct(instruction);
  case Opcode::Mul24:
  case Opcode::Mad24:
    return findProduct24(instruction);
  case Opcode::Dp4a:
  case Opcode::Dp2a:
    return findDot(instruction);
  case Opcode::Clmad:
    return instruction.has(Word::Hi) ? value<carrylessHigh>
                                     : value<carrylessLow>;
  case Opcode::Add:
  case Opcode::Sub:
  case Opcode::Sad:
  case Opcode::Div:
  case Opcode::Rem:
  case Opcode::Abs:
  case Opcode::Neg:
  case Opcode::Min:
  case Opcode::Max:
    return findSameTypes(instruction);
  default:
    return nullptr;
  }
}

namespace {

template <typename T> using WithCarry = std::tuple<T, bool>;

/// T is unsigned: bits are the same for signed operands.
template <typename T> WithCarry<T> addCarry(T a, T b, bool carry) {
  unsigned __int128 sum = (unsigned __int128)(a) + b + carry;
  return {T(sum), bool(sum >> (sizeof(T) * 8))};
}

template <typename T> WithCarry<T> subBorrow(T a, T b, bool borrow) {
  return {T(a - b - borrow), (unsigned __int128)(b) + borrow > a};
}

template <typename T> WithCarry<T> addcCc(T a, T b, bool carry) {
  return addCarry(a, b, carry);
}

template <typename T> WithCarry<T> addCc(T a, T b) {
  return addCarry(a, b, false);
}

template <typename T> T addc(T a, T b, bool carry) { return T(a + b + carry); }
template <typename T> WithCarry<T> subcCc(T a, T b, bool borrow) {
  return subBorrow(a, b, borrow);
}

template <typename T> WithCarry<T> subCc(T a, T b) {
  return subBorrow(a, b, false);
}

template <typename T> T subc(T a, T b, bool borrow) {
  return T(a - b - borrow);
}

/// One half of a product. T has the sign.
template <typename T, bool High>
std::make_unsigned_t<T> multiply(std::make_unsigned_t<T> a,
                                 std::make_unsigned_t<T> b) {
  using Product =
      std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  Product product = Product(T(a)) * Product(T(b));
  return std::make_unsigned_t<T>(High ? product >> (sizeof(T) * 8) : product);
}

template <typename T, bool High, typename U = std::make_unsigned_t<T>>
WithCarry<U> madCc(U a, U b, U c) {
  return addCarry(multiply<T, High>(a, b), c, false);
}

template <typename T, bool High, typename U = std::make_unsigned_t<T>>
WithCarry<U> madcCc(U a, U b, U c, bool carry) {
  return addCarry(multiply<T, High>(a, b), c, carry);
}

template <typename T, bool High, typename U = std::make_unsigned_t<T>>
U madc(U a, U b, U c, bool carry) {
  return std::get<0>(addCarry(multiply<T, High>(a, b), c, carry));
}

} // namespace

static Evaluate findSum(const Instruction &instruction) {
  bool setsCarry = instruction.has(Word::Cc);
  return select(
      [opcode = instruction.opcode, setsCarry](auto t) -> Evaluate {
        using T = std::make_unsigned_t<HostOf<t()>>;
        switch (opcode) {
        case Opcode::Add:
          return value<addCc<T>>;
        case Opcode::Sub:
          return value<subCc<T>>;
        case Opcode::Addc:
          return setsCarry ? value<addcCc<T>> : value<addc<T>>;
        case Opcode::Subc:
          return setsCarry ? value<subcCc<T>> : value<subc<T>>;
        default:
          return nullptr;
        }
      },
      Axis<Type::U32, Type::S32, Type::U64, Type::S64>{
          typeOfSlot(instruction, 'T')});
}

static Evaluate findCarryProduct(const Instruction &instruction) {
  bool setsCarry = instruction.has(Word::Cc);
  return select(
      [opcode = instruction.opcode, setsCarry](auto t, auto high) -> Evaluate {
        using T = HostOf<t()>;
        if (opcode == Opcode::Mad)
          return value<madCc<T, high()>>;
        return setsCarry ? value<madcCc<T, high()>> : value<madc<T, high()>>;
      },
      Axis<Type::U32, Type::S32, Type::U64, Type::S64>{
          typeOfSlot(instruction, 'T')},
      flag(instruction, Word::Hi));
}

Evaluate ptx::findCarryValue(const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::Add:
  case Opcode::Sub:
    return instruction.has(Word::Cc) ? findSum(instruction) : nullptr;
  case Opcode::Addc:
  case Opcode::Subc:
    return findSum(instruction);
  case Opcode::Mad:
    return instruction.has(Word::Cc) ? findCarryProduct(instruction) : nullptr;
  case Opcode::Madc:
    return findCarryProduct(instruction);
  default:
    return nullptr;
  }
}
