//===- Moves.cpp - copies, and vectors as one value -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mov: of a value, of the elements of a vector into one register, and back.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Families.h"

using namespace carousel;
using namespace carousel::ptx;

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
