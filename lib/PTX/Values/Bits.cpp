//===- Bits.cpp - bits, bytes and copies ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, Logic and Shift Instructions, and the integer instructions about
// single bits and bytes; mov of a value, of the elements of a vector into one
// register, and back.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Families.h"

using namespace carousel;
using namespace carousel::ptx;

namespace {

template <typename T> T bitAnd(T a, T b) { return a & b; }
template <typename T> T bitOr(T a, T b) { return a | b; }
template <typename T> T bitXor(T a, T b) { return a ^ b; }
template <typename T> T bitNot(T a) {
  if constexpr (std::is_same_v<T, bool>)
    return !a;
  else
    return ~a;
}

template <typename T> T logicalNot(T a) { return a == 0; }

/// Any function of three bits: `table` has its value for each of them.
uint32_t lookUp(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

std::tuple<uint32_t, bool> lookUpOr(uint32_t a, uint32_t b, uint32_t c,
                                    uint32_t table, bool p) {
  uint32_t result = lookUp(a, b, c, table);
  return {result, result != 0 || p};
}

std::tuple<uint32_t, bool> lookUpAnd(uint32_t a, uint32_t b, uint32_t c,
                                     uint32_t table, bool p) {
  uint32_t result = lookUp(a, b, c, table);
  return {result, result != 0 && p};
}

/// Amounts above the width shift everything out.
template <typename T> T shiftLeft(T a, uint32_t amount) {
  return amount >= sizeof(T) * 8 ? T(0) : T(uint64_t(a) << amount);
}

template <typename T> T shiftRight(T a, uint32_t amount) {
  constexpr uint32_t most = sizeof(T) * 8 - 1;
  if (amount > most)
    return std::is_signed_v<T> ? T(a >> most) : T(0);
  return T(a >> amount);
}

template <bool Wraps> uint32_t limit(uint32_t amount) {
  return Wraps ? amount & 31 : amount > 32 ? 32 : amount;
}

/// Shifts the 64 bits that b and a are together.
template <bool Wraps> uint32_t funnelLeft(uint32_t a, uint32_t b, uint32_t c) {
  return uint32_t((uint64_t(b) << 32 | a) << limit<Wraps>(c) >> 32);
}

template <bool Wraps> uint32_t funnelRight(uint32_t a, uint32_t b, uint32_t c) {
  return uint32_t((uint64_t(b) << 32 | a) >> limit<Wraps>(c));
}

template <typename T> uint32_t countOnes(T a) {
  return uint32_t(llvm::popcount(a));
}

template <typename T> uint32_t countLeadingZeros(T a) {
  return uint32_t(llvm::countl_zero(a));
}

template <typename T> T reverse(T a) {
  T result = 0;
  for (unsigned i = 0; i < sizeof(T) * 8; ++i)
    result |= (a >> i & 1) << (sizeof(T) * 8 - 1 - i);
  return result;
}

/// The highest bit that differs from the sign, or how far it is from the top.
template <typename T, bool ShiftAmount> uint32_t findBit(T a) {
  auto bits = std::make_unsigned_t<T>(a < 0 ? ~a : a);
  if (bits == 0)
    return ~0u;
  unsigned zeros = unsigned(llvm::countl_zero(bits));
  return ShiftAmount ? zeros : uint32_t(sizeof(T) * 8 - 1 - zeros);
}

/// The n-th set bit from a base, upwards or downwards.
uint32_t findNthSet(uint32_t mask, uint32_t base, int32_t offset) {
  // Chips negate the least offset to itself, and find the lowest bit.
  if (offset == std::numeric_limits<int32_t>::min())
    return 0;
  int64_t left = offset < 0 ? -int64_t(offset) : offset;
  if (left > 0)
    --left;
  for (int64_t position = base; position >= 0 && position < 32;
       position += offset < 0 ? -1 : 1) {
    if ((mask >> position & 1) && left-- == 0)
      return uint32_t(position);
    if (offset == 0)
      break;
  }
  return ~0u;
}

/// A position or length: a byte for fields of 32 bits, and for those of 64 all
/// bits.
template <typename T> uint32_t fieldNumber(uint32_t operand) {
  return sizeof(T) == 8 ? operand : operand & 0xff;
}

/// The lowest bits, `length` of them.
template <typename T> T lowBits(uint32_t length) {
  return length >= sizeof(T) * 8 ? T(-1) : T((uint64_t(1) << length) - 1);
}

/// Extracts a field; bits above the value are its sign.
template <typename T> T extractField(T a, uint32_t b, uint32_t c) {
  uint32_t length = fieldNumber<T>(c);
  if (length == 0)
    return 0;
  T shifted = shiftRight(a, fieldNumber<T>(b));
  T mask = lowBits<T>(length);
  bool sign = std::is_signed_v<T> && shiftRight(shifted, length - 1) & 1;
  return T((shifted & mask) | (sign ? T(~mask) : T(0)));
}

template <typename T> T insertField(T a, T b, uint32_t c, uint32_t d) {
  uint32_t position = fieldNumber<T>(c);
  T mask = shiftLeft(lowBits<T>(fieldNumber<T>(d)), position);
  return T((shiftLeft(a, position) & mask) | (b & T(~mask)));
}

template <typename T, bool Wraps> T extend(T a, uint32_t amount) {
  unsigned bits = limit<Wraps>(amount);
  if (bits == 0)
    return 0;
  unsigned shift = 32 - bits;
  return T(T(uint32_t(a) << shift) >> shift);
}

/// `width` bits from bit `first`.
template <bool Wraps> uint32_t makeMask(uint32_t first, uint32_t width) {
  if (!Wraps && first > 31)
    return 0;
  unsigned from = first & 31;
  uint32_t above = ~0u << from;
  if (!Wraps && width > 31)
    return above;
  unsigned end = from + (width & 31);
  return end > 31 ? above : above & ~(~0u << end);
}

/// Four bytes of the eight of a and b; bit 3 of a selector asks for the sign.
uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned selector = selectors >> (4 * i) & 15;
    uint32_t byte = bytes >> (8 * (selector & 7)) & 0xff;
    if (selector & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

/// Four lists of selectors, of which the last operand names one.
template <uint16_t S0, uint16_t S1, uint16_t S2, uint16_t S3>
uint32_t permuteBy(uint32_t a, uint32_t b, uint32_t which) {
  constexpr uint16_t lists[] = {S0, S1, S2, S3};
  return permute(a, b, lists[which & 3]);
}

} // namespace

static Evaluate findPermute(const Instruction &instruction) {
  std::optional<Word> mode = instruction.modifiers.back();
  if (!mode)
    return value<permute>;
  switch (*mode) {
  case Word::F4e:
    return value<permuteBy<0x3210, 0x4321, 0x5432, 0x6543>>;
  case Word::B4e:
    return value<permuteBy<0x5670, 0x6701, 0x7012, 0x0123>>;
  case Word::Rc8:
    return value<permuteBy<0x0000, 0x1111, 0x2222, 0x3333>>;
  case Word::Ecl:
    return value<permuteBy<0x3210, 0x3211, 0x3222, 0x3333>>;
  case Word::Ecr:
    return value<permuteBy<0x0000, 0x1110, 0x2210, 0x3210>>;
  case Word::Rc16:
    return value<permuteBy<0x1010, 0x3232, 0x1010, 0x3232>>;
  default:
    return nullptr;
  }
}

static Evaluate findLogic(const Instruction &instruction) {
  return select(
      [opcode = instruction.opcode](auto t) -> Evaluate {
        using T = HostOf<t()>;
        switch (opcode) {
        case Opcode::And:
          return value<bitAnd<T>>;
        case Opcode::Or:
          return value<bitOr<T>>;
        case Opcode::Xor:
          return value<bitXor<T>>;
        case Opcode::Not:
          return value<bitNot<T>>;
        case Opcode::Cnot:
          return value<logicalNot<T>>;
        default:
          return nullptr;
        }
      },
      Axis<Type::Pred, Type::B16, Type::B32, Type::B64>{
          typeOfSlot(instruction, 'T')});
}

/// Finds the function of an instruction on bits and unsigned integers, and on
/// signed ones where there is a sign.
static Evaluate findField(const Instruction &instruction) {
  bool shiftAmount = instruction.has(Word::Shiftamt);
  return select(
      [opcode = instruction.opcode, shiftAmount](auto t) -> Evaluate {
        using T = HostOf<t()>;
        using U = std::make_unsigned_t<T>;
        switch (opcode) {
        case Opcode::Shl:
          return value<shiftLeft<T>>;
        case Opcode::Shr:
          return value<shiftRight<T>>;
        case Opcode::Popc:
          return value<countOnes<U>>;
        case Opcode::Clz:
          return value<countLeadingZeros<U>>;
        case Opcode::Brev:
          return value<reverse<U>>;
        case Opcode::Bfind:
          return shiftAmount ? value<findBit<T, true>>
                             : value<findBit<T, false>>;
        case Opcode::Bfe:
          return value<extractField<T>>;
        case Opcode::Bfi:
          return value<insertField<U>>;
        default:
          return nullptr;
        }
      },
      Axis<Type::B16, Type::B32, Type::B64, Type::U16, Type::U32, Type::U64,
           Type::S16, Type::S32, Type::S64>{typeOfSlot(instruction, 'T')});
}

Evaluate ptx::findBitValue(const Instruction &instruction) {
  bool wraps = instruction.has(Word::Wrap);
  switch (instruction.opcode) {
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor:
  case Opcode::Not:
  case Opcode::Cnot:
    return findLogic(instruction);
  case Opcode::Lop3:
    return instruction.has(Word::Or)    ? value<lookUpOr>
           : instruction.has(Word::And) ? value<lookUpAnd>
                                        : value<lookUp>;
  case Opcode::Shf:
    if (instruction.has(Word::L))
      return wraps ? value<funnelLeft<true>> : value<funnelLeft<false>>;
    return wraps ? value<funnelRight<true>> : value<funnelRight<false>>;
  case Opcode::Szext:
    if (typeOfSlot(instruction, 'T') == Type::S32)
      return wraps ? value<extend<int32_t, true>>
                   : value<extend<int32_t, false>>;
    return wraps ? value<extend<uint32_t, true>>
                 : value<extend<uint32_t, false>>;
  case Opcode::Bmsk:
    return wraps ? value<makeMask<true>> : value<makeMask<false>>;
  case Opcode::Fns:
    return value<findNthSet>;
  case Opcode::Prmt:
    return findPermute(instruction);
  case Opcode::Shl:
  case Opcode::Shr:
  case Opcode::Popc:
  case Opcode::Clz:
  case Opcode::Brev:
  case Opcode::Bfind:
  case Opcode::Bfe:
  case Opcode::Bfi:
    return findField(instruction);
  default:
    return nullptr;
  }
}

namespace {

template <typename T> T copy(T a) { return a; }

std::tuple<uint64_t, uint64_t> copy128(uint64_t low, uint64_t high) {
  return {low, high};
}

template <unsigned Width>
constexpr uint64_t kMask = ~uint64_t(0) >> (64 - Width);

/// `Count` elements of `Width` bits, the first in the lowest bits.
template <unsigned Count, unsigned Width>
void pack(const uint64_t *operands, uint64_t *results) {
  uint64_t words[2] = {0, 0};
  for (unsigned i = 0; i < Count; ++i)
    words[i * Width / 64] |= (operands[i] & kMask<Width>) << (i * Width % 64);
  results[0] = words[0];
  if constexpr (Count * Width == 128)
    results[1] = words[1];
}

template <unsigned Count, unsigned Width>
void unpack(const uint64_t *operands, uint64_t *results) {
  uint64_t words[2] = {operands[0], Count * Width == 128 ? operands[1] : 0};
  for (unsigned i = 0; i < Count; ++i)
    results[i] = words[i * Width / 64] >> (i * Width % 64) & kMask<Width>;
}

} // namespace

static Evaluate findVector(const Operand &vector, unsigned bits, bool packs) {
  return select(
      [packs](auto count, auto bits) -> Evaluate {
        constexpr unsigned width = bits() / count();
        if constexpr (width < 8 || width > 64)
          return nullptr;
        else
          return packs ? &pack<count(), width> : &unpack<count(), width>;
      },
      Axis<2u, 4u, 8u>{unsigned(vector.elements.size())},
      Axis<16u, 32u, 64u, 128u>{bits});
}

Evaluate ptx::findMoveValue(const Instruction &instruction) {
  if (instruction.opcode != Opcode::Mov)
    return nullptr;
  Type type = instruction.getTypes().front();
  const Operand &result = instruction.operands[0],
                &operand = instruction.operands[1];
  if (result.kind == Operand::Kind::Vector)
    return findVector(result, getBits(type), false);
  if (operand.kind == Operand::Kind::Vector)
    return findVector(operand, getBits(type), true);
  if (type == Type::B128)
    return value<copy128>;
  switch (getBits(type)) {
  case 1:
    return value<copy<bool>>;
  case 16:
    return value<copy<uint16_t>>;
  case 32:
    return value<copy<uint32_t>>;
  default:
    return value<copy<uint64_t>>;
  }
}
