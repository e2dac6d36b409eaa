//===- Comparison.cpp - comparisons and selections ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// setp, set, selp and slct. A comparison is a set of relations between two
// operands, of which one holds.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Families.h"

using namespace carousel;
using namespace carousel::ptx;

namespace {

enum Relation : unsigned { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

/// The relations of a comparison, or 0 where a type doesn't have it.
unsigned relationsOf(Word comparison, TypeClass kind) {
  bool isFloat = kind == TypeClass::Float || kind == TypeClass::OtherFloat ||
                 kind == TypeClass::PackedFloat;
  bool isUnsigned = kind == TypeClass::Unsigned || kind == TypeClass::Bits;
  switch (comparison) {
  case Word::Eq:
    return Equal;
  case Word::Ne:
    return Less | Greater;
  default:
    break;
  }
  if (kind == TypeClass::Bits)
    return 0;
  switch (comparison) {
  case Word::Lt:
    return Less;
  case Word::Le:
    return Less | Equal;
  case Word::Gt:
    return Greater;
  case Word::Ge:
    return Greater | Equal;
  case Word::Lo:
    return isUnsigned ? Less : 0;
  case Word::Ls:
    return isUnsigned ? Less | Equal : 0;
  case Word::Hi:
    return isUnsigned ? Greater : 0;
  case Word::Hs:
    return isUnsigned ? Greater | Equal : 0;
  default:
    break;
  }
  if (!isFloat)
    return 0;
  switch (comparison) {
  case Word::Equ:
    return Equal | Unordered;
  case Word::Neu:
    return Less | Greater | Unordered;
  case Word::Ltu:
    return Less | Unordered;
  case Word::Leu:
    return Less | Equal | Unordered;
  case Word::Gtu:
    return Greater | Unordered;
  case Word::Geu:
    return Greater | Equal | Unordered;
  case Word::Num:
    return Less | Equal | Greater;
  case Word::Nan:
    return Unordered;
  default:
    return 0;
  }
}

template <bool Ftz, typename T> unsigned relate(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b ? Less : a == b ? Equal : Greater;
  } else {
    double x = read<Ftz>(a), y = read<Ftz>(b);
    return x < y ? Less : x == y ? Equal : x > y ? Greater : Unordered;
  }
}

enum class Combine : uint8_t { None, And, Or, Xor };
template <Combine C> bool combine(bool value, bool with) {
  switch (C) {
  case Combine::None:
    return value;
  case Combine::And:
    return value && with;
  case Combine::Or:
    return value || with;
  case Combine::Xor:
    return value != with;
  }
}

/// Reads two operands and perhaps a predicate. `Lanes` are the elements of a
/// packed type.
template <typename T, unsigned Relations, bool Ftz> struct Comparison {
  static bool holds(const uint64_t *operands, unsigned lane = 0) {
    unsigned shift = lane * sizeof(T) * 8;
    T a = fromBits<T>(operands[0] >> shift),
      b = fromBits<T>(operands[1] >> shift);
    return (relate<Ftz>(a, b) & Relations) != 0;
  }

  /// A scalar's second predicate is the first, of the opposite comparison; that
  /// of a pair is of the upper half.
  template <Combine C, unsigned Lanes, bool HasSecond>
  static void setPredicates(const uint64_t *operands, uint64_t *results) {
    bool with = C != Combine::None && (operands[2] & 1);
    bool first = holds(operands);
    results[0] = combine<C>(first, with);
    if constexpr (HasSecond)
      results[1] = combine<C>(Lanes == 1 ? !first : holds(operands, 1), with);
  }

  /// Whether it holds for each lane, a bit for each. This isn't inlined: `set`
  /// has many instances for one comparison.
  template <unsigned Lanes>
  LLVM_ATTRIBUTE_NOINLINE static unsigned holdsFor(const uint64_t *operands) {
    unsigned mask = 0;
    for (unsigned lane = 0; lane < Lanes; ++lane)
      mask |= unsigned(holds(operands, lane)) << lane;
    return mask;
  }

  /// `True` is what stands for true, of `Width` bits in each lane.
  template <Combine C, unsigned Lanes, uint32_t True, unsigned Width>
  static void setValue(const uint64_t *operands, uint64_t *results) {
    bool with = C != Combine::None && (operands[2] & 1);
    unsigned mask = holdsFor<Lanes>(operands);
    uint64_t result = 0;
    for (unsigned lane = 0; lane < Lanes; ++lane)
      if (combine<C>(mask >> lane & 1, with))
        result |= uint64_t(True) << (lane * Width);
    results[0] = result;
  }
};

using CombineAxis =
    Axis<Combine::None, Combine::And, Combine::Or, Combine::Xor>;
CombineAxis combineAxis(const Instruction &instruction) {
  return {instruction.has(Word::And)   ? Combine::And
          : instruction.has(Word::Or)  ? Combine::Or
          : instruction.has(Word::Xor) ? Combine::Xor
                                       : Combine::None};
}

/// The sets of relations that comparisons of integers and of floats have.
using IntegerRelations = Axis<1u, 2u, 3u, 4u, 5u, 6u>;
using FloatRelations =
    Axis<1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u, 13u, 14u>;
unsigned relationsOf(const Instruction &instruction, Type type) {
  return relationsOf(*instruction.modifiers.front(), getClass(type));
}

/// Signed operands are compared as such; bits as unsigned ones.
using IntegerTypes = Axis<Type::B16, Type::B32, Type::B64, Type::U16, Type::U32,
                          Type::U64, Type::S16, Type::S32, Type::S64>;
using FloatTypes = Axis<Type::F16, Type::F16x2, Type::BF16, Type::BF16x2,
                        Type::F32, Type::F64>;

template <typename T, bool Ftz>
constexpr bool hasFtz =
    !Ftz || std::is_same_v<T, F32> || std::is_same_v<T, F16>;

/// Makes a choice for integers or for floats.
template <typename Make, typename... Axes>
Evaluate selectCompared(const Instruction &instruction, Type type, Make make,
                        Axes... axes) {
  unsigned relations = relationsOf(instruction, type);
  TypeClass kind = getClass(type);
  if (kind == TypeClass::Bits || isInteger(type))
    return select(make, IntegerTypes{type}, IntegerRelations{relations},
                  Axis<false>{instruction.has(Word::Ftz)}, axes...);
  return select(make, FloatTypes{type}, FloatRelations{relations},
                flag(instruction, Word::Ftz), axes...);
}

template <typename T> T selectBy(T a, T b, bool p) { return p ? a : b; }
template <typename T> T selectBySign(T a, T b, int32_t c) {
  return c >= 0 ? a : b;
}
/// NaN isn't above zero, and -0 is.
template <typename T, bool Ftz> T selectByFloat(T a, T b, F32 c) {
  return read<Ftz>(c) >= 0 ? a : b;
}

} // namespace

static Evaluate findPredicates(const Instruction &instruction) {
  Type type = typeOfSlot(instruction, 'T');
  bool hasSecond =
      instruction.operands.front().kind == Operand::Kind::Predicate;
  return selectCompared(
      instruction, type,
      [](auto t, auto relations, auto ftz, auto combine,
         auto second) -> Evaluate {
        using T = HostOf<t()>;
        if constexpr (hasFtz<T, ftz()>)
          return &Comparison<T, relations(), ftz()>::template setPredicates<
              combine(), Host<t()>::count, second()>;
        else
          return nullptr;
      },
      combineAxis(instruction), Axis<false, true>{hasSecond});
}

/// The value that stands for true: all bits, or 1.0.
enum class Truth : uint8_t { Bits16, Bits32, F16, BF16, F32 };

static Truth truthOf(Type result, Type compared) {
  switch (result) {
  case Type::F32:
    return Truth::F32;
  case Type::F16:
  case Type::F16x2:
    return Truth::F16;
  case Type::BF16:
  case Type::BF16x2:
    return Truth::BF16;
  case Type::U16:
  case Type::S16:
    return Truth::Bits16;
  default:
    // One for each half of a pair.
    return getClass(compared) == TypeClass::PackedFloat ? Truth::Bits16
                                                        : Truth::Bits32;
  }
}

/// Whether the ISA has a comparison of type T with such a result.
template <Type T> constexpr bool givesTruth(Truth truth) {
  switch (T) {
  case Type::F16x2:
    return truth == Truth::F16 || truth == Truth::Bits16;
  case Type::BF16x2:
    return truth == Truth::BF16 || truth == Truth::Bits16;
  case Type::F16:
  case Type::BF16:
    return truth != Truth::F32;
  default:
    return truth != Truth::Bits16;
  }
}

static Evaluate findSet(const Instruction &instruction) {
  llvm::SmallVector<Type, 4> types = instruction.getTypes();
  Truth truth = truthOf(types.front(), types.back());
  return selectCompared(
      instruction, types.back(),
      [](auto t, auto relations, auto ftz, auto combine,
         auto truth) -> Evaluate {
        using T = HostOf<t()>;
        constexpr uint32_t values[] = {0xffff, 0xffffffff, 0x3c00, 0x3f80,
                                       0x3f800000};
        constexpr uint32_t isTrue = values[unsigned(truth())];
        constexpr unsigned lanes = Host<t()>::count;
        if constexpr (hasFtz<T, ftz()> && givesTruth<t()>(truth()))
          return &Comparison<T, relations(), ftz()>::template setValue<
              combine(), lanes, isTrue, 16>;
        else
          return nullptr;
      },
      combineAxis(instruction),
      Axis<Truth::Bits16, Truth::Bits32, Truth::F16, Truth::BF16, Truth::F32>{
          truth});
}

static Evaluate findSelection(const Instruction &instruction) {
  bool byFloat = instruction.getTypes().back() == Type::F32 &&
                 instruction.opcode == Opcode::Slct;
  bool isFtz = instruction.has(Word::Ftz);
  unsigned bits = getBits(typeOfSlot(instruction, 'T'));
  return select(
      [=, opcode = instruction.opcode](auto width) -> Evaluate {
        using T = std::conditional_t<
            width() == 16, uint16_t,
            std::conditional_t<width() == 32, uint32_t, uint64_t>>;
        if (opcode == Opcode::Selp)
          return value<selectBy<T>>;
        if (!byFloat)
          return value<selectBySign<T>>;
        return isFtz ? value<selectByFloat<T, true>>
                     : value<selectByFloat<T, false>>;
      },
      Axis<16u, 32u, 64u>{bits});
}

Evaluate ptx::findComparisonValue(const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::Setp:
    return findPredicates(instruction);
  case Opcode::Set:
    return findSet(instruction);
  case Opcode::Selp:
  case Opcode::Slct:
    return findSelection(instruction);
  default:
    return nullptr;
  }
}
