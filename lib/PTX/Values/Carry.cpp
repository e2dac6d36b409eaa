//===- Carry.cpp - arithmetic with the carry flag -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, Extended-Precision Integer Arithmetic Instructions. The flag is the
// last operand and the last result (Values.h).
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Families.h"

using namespace carousel;
using namespace carousel::ptx;

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

static Evaluate findProduct(const Instruction &instruction) {
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
    return instruction.has(Word::Cc) ? findProduct(instruction) : nullptr;
  case Opcode::Madc:
    return findProduct(instruction);
  default:
    return nullptr;
  }
}
