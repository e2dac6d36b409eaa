//===- Video.cpp - video instructions -------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, Scalar Video Instructions and SIMD Video Instructions. An operand's
// part is a constant after the operands: of a scalar instruction its first bit
// and, from bit 8, its width; of a packed one the lanes, four bits each, and of
// the result a bit for each lane.
//
// Scalar instructions give what ptxas makes of them for a chip, which isn't all
// that the ISA says: docs/PTXValues.md lists where they differ.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Families.h"

#include "llvm/ADT/StringExtras.h"

using namespace carousel;
using namespace carousel::ptx;

namespace {

enum class Action : uint8_t {
  Add,
  Sub,
  AbsDiff,
  Min,
  Max,
  Average,
  ShiftLeft,
  ShiftRight,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual
};

/// The operation on the first result and the last operand.
enum class Second : uint8_t { None, Merge, Add, Min, Max };

/// The modifiers of an instruction, in a number that a template can have.
struct Modifiers {
  Action action;
  Second second;
  bool resultSigned, signedA, signedB, sat, wraps;

  constexpr uint32_t encode() const {
    return uint32_t(action) | uint32_t(second) << 8 |
           uint32_t(resultSigned) << 16 | uint32_t(signedA) << 17 |
           uint32_t(signedB) << 18 | uint32_t(sat) << 19 |
           uint32_t(wraps) << 20;
  }
  static constexpr Modifiers decode(uint32_t code) {
    return {Action(code & 0xff),  Second(code >> 8 & 0xff),
            bool(code >> 16 & 1), bool(code >> 17 & 1),
            bool(code >> 18 & 1), bool(code >> 19 & 1),
            bool(code >> 20 & 1)};
  }
};

int64_t extractBits(uint64_t word, unsigned first, unsigned width,
                    bool isSigned) {
  uint64_t bits = word >> first & (~uint64_t(0) >> (64 - width));
  return isSigned ? int64_t(bits << (64 - width)) >> (64 - width)
                  : int64_t(bits);
}

int64_t clampBits(int64_t value, unsigned width, bool isSigned) {
  int64_t least = isSigned ? -(int64_t(1) << (width - 1)) : 0;
  int64_t most = (int64_t(1) << (isSigned ? width - 1 : width)) - 1;
  return value < least ? least : value > most ? most : value;
}

int64_t act(const Modifiers &modifiers, int64_t a, int64_t b) {
  switch (modifiers.action) {
  case Action::Add:
    return a + b;
  case Action::Sub:
    return a - b;
  case Action::AbsDiff:
    return a < b ? b - a : a - b;
  case Action::Min:
    return a < b ? a : b;
  case Action::Max:
    return a < b ? b : a;
  case Action::Average:
    return (a + b + (a + b >= 0)) >> 1;
  case Action::ShiftLeft:
  case Action::ShiftRight: {
    int64_t amount = modifiers.wraps ? b & 31 : b > 32 ? 32 : b;
    return modifiers.action == Action::ShiftLeft
               ? int64_t(uint64_t(a) << amount)
               : a >> amount;
  }
  case Action::Equal:
    return a == b;
  case Action::NotEqual:
    return a != b;
  case Action::Less:
    return a < b;
  case Action::LessEqual:
    return a <= b;
  case Action::Greater:
    return a > b;
  case Action::GreaterEqual:
    return a >= b;
  }
}

bool isShift(Action action) {
  return action == Action::ShiftLeft || action == Action::ShiftRight;
}

/// Saturates, with .sat, to a part of `width` bits.
int64_t saturate(const Modifiers &modifiers, int64_t value, unsigned width) {
  bool isSigned = modifiers.resultSigned;
  // A shifted value has 34 bits, and saturates to a register for each part.
  if (isShift(modifiers.action))
    return clampBits(extractBits(uint64_t(value), 0, 34, true), 32, isSigned);
  // For parts, negative values count as large.
  if (width < 32) {
    uint64_t most = (uint64_t(1) << (isSigned ? width - 1 : width)) - 1;
    return int64_t(std::min(uint64_t(value), most));
  }
  // Unsigned values have no upper bound, and lose what is above 32 bits.
  return isSigned ? clampBits(value, width, true) : std::max<int64_t>(value, 0);
}

/// The last operand of a comparison has the sign of the first.
uint32_t combine(const Modifiers &modifiers, int64_t value, uint32_t c) {
  Action action = modifiers.action;
  if (modifiers.second == Second::None)
    return uint32_t(value);
  if (modifiers.second == Second::Add)
    return uint32_t(value) + c;
  // Minima and maxima are of 64 bits. Some values have their lower half
  // sign-extended first, also if the result is unsigned.
  if (action == Action::Add || action == Action::Sub ||
      (isShift(action) && modifiers.sat))
    value = int32_t(value);
  bool isSigned =
      action >= Action::Equal ? modifiers.signedA : modifiers.resultSigned;
  bool isLess = isSigned ? value < int32_t(c) : uint64_t(value) < c;
  return isLess == (modifiers.second == Second::Min) ? uint32_t(value) : c;
}

/// Operands a, b and, but for Second::None, c; then the parts, those of the
/// result first where it is merged into c.
uint32_t evaluateScalar(const Modifiers &modifiers, const uint64_t *operands) {
  bool merges = modifiers.second == Second::Merge;
  const uint64_t *parts = operands + (modifiers.second == Second::None ? 2 : 3);
  uint64_t resultPart = merges ? *parts++ : 32 << 8;
  auto read = [](uint64_t word, uint64_t part, bool isSigned) {
    return extractBits(word, part & 0xff, part >> 8, isSigned);
  };
  int64_t value = act(modifiers, read(operands[0], parts[0], modifiers.signedA),
                      read(operands[1], parts[1], modifiers.signedB));
  unsigned first = resultPart & 0xff, width = unsigned(resultPart >> 8);
  if (modifiers.sat)
    value = saturate(modifiers, value, width);
  if (!merges)
    return combine(modifiers, value, uint32_t(operands[2]));
  // A byte of the result gets the lowest one of the value, but a half of it
  // gets the same half.
  uint32_t mask = (~0u >> (32 - width)) << first;
  uint32_t placed = uint32_t(value) << (width == 16 ? 0 : first);
  return (placed & mask) | (uint32_t(operands[2]) & ~mask);
}

/// Operands a, b and c, the mask of the result, and the lanes of a and b.
template <unsigned Width>
uint32_t evaluatePacked(const Modifiers &modifiers, const uint64_t *operands) {
  uint64_t both = (operands[1] << 32) | (operands[0] & 0xffffffff);
  uint32_t result = uint32_t(operands[2]);
  for (unsigned lane = 0; lane < 32 / Width; ++lane) {
    if (!(operands[3] >> lane & 1))
      continue;
    auto read = [&](uint64_t lanes, bool isSigned) {
      return extractBits(both, unsigned(lanes >> (4 * lane) & 7) * Width, Width,
                         isSigned);
    };
    int64_t value = act(modifiers, read(operands[4], modifiers.signedA),
                        read(operands[5], modifiers.signedB));
    if (modifiers.second == Second::Add) {
      result += uint32_t(value);
      continue;
    }
    if (modifiers.sat)
      value = clampBits(value, Width, modifiers.resultSigned);
    uint32_t mask = (~0u >> (32 - Width)) << (lane * Width);
    result =
        (uint32_t(uint64_t(value) << (lane * Width)) & mask) | (result & ~mask);
  }
  return result;
}

/// The parts are multiplied and added as signed words. Only the shift and the
/// bounds of .sat are unsigned where both operands are.
template <bool SignedA, bool SignedB, bool PlusOne, bool Sat, unsigned Shift>
void multiplyAdd(const uint64_t *operands, uint64_t *results) {
  constexpr bool isSigned = SignedA || SignedB;
  auto read = [](uint64_t word, uint64_t part, bool isSigned) -> int64_t {
    return int32_t(extractBits(word, part & 0xff, part >> 8, isSigned));
  };
  int64_t value = read(operands[0], operands[3], SignedA) *
                      read(operands[1], operands[4], SignedB) +
                  int32_t(operands[2]) + PlusOne;
  value = isSigned ? value >> Shift : int64_t(uint64_t(value) >> Shift);
  if constexpr (Sat)
    value = clampBits(value, 32, isSigned);
  results[0] = uint32_t(value);
}

template <uint32_t Code, unsigned Width>
void evaluateVideo(const uint64_t *operands, uint64_t *results) {
  constexpr Modifiers modifiers = Modifiers::decode(Code);
  if constexpr (Width == 32)
    results[0] = evaluateScalar(modifiers, operands);
  else
    results[0] = evaluatePacked<Width>(modifiers, operands);
}

} // namespace

/// The width of a lane: 32 for a scalar instruction, 0 for others.
static unsigned laneWidthOf(Opcode opcode) {
  switch (opcode) {
  case Opcode::Vadd:
  case Opcode::Vsub:
  case Opcode::Vabsdiff:
  case Opcode::Vmin:
  case Opcode::Vmax:
  case Opcode::Vshl:
  case Opcode::Vshr:
  case Opcode::Vset:
  case Opcode::Vmad:
    return 32;
  case Opcode::Vadd2:
  case Opcode::Vsub2:
  case Opcode::Vavrg2:
  case Opcode::Vabsdiff2:
  case Opcode::Vmin2:
  case Opcode::Vmax2:
  case Opcode::Vset2:
    return 16;
  case Opcode::Vadd4:
  case Opcode::Vsub4:
  case Opcode::Vavrg4:
  case Opcode::Vabsdiff4:
  case Opcode::Vmin4:
  case Opcode::Vmax4:
  case Opcode::Vset4:
    return 8;
  default:
    return 0;
  }
}

static std::optional<Action> actionOf(const Instruction &instruction) {
  llvm::StringRef name = stringify(instruction.opcode);
  name.consume_back("2") || name.consume_back("4");
  if (name == "vset") {
    static constexpr std::pair<Word, Action> comparisons[] = {
        {Word::Eq, Action::Equal},   {Word::Ne, Action::NotEqual},
        {Word::Lt, Action::Less},    {Word::Le, Action::LessEqual},
        {Word::Gt, Action::Greater}, {Word::Ge, Action::GreaterEqual}};
    for (auto [word, action] : comparisons)
      if (instruction.has(word))
        return action;
    return std::nullopt;
  }
  static constexpr std::pair<llvm::StringLiteral, Action> names[] = {
      {"vadd", Action::Add},         {"vsub", Action::Sub},
      {"vabsdiff", Action::AbsDiff}, {"vmin", Action::Min},
      {"vmax", Action::Max},         {"vavrg", Action::Average},
      {"vshl", Action::ShiftLeft},   {"vshr", Action::ShiftRight}};
  for (auto [text, action] : names)
    if (name == text)
      return action;
  return std::nullopt;
}

static Second secondOf(const Instruction &instruction) {
  return instruction.has(Word::Add)              ? Second::Add
         : instruction.has(Word::Min)            ? Second::Min
         : instruction.has(Word::Max)            ? Second::Max
         : instruction.form->operands[0].selects ? Second::Merge
                                                 : Second::None;
}

static bool isSigned(const Instruction &instruction, char slot) {
  std::optional<Word> type = instruction.getModifier(slot);
  return type && *typeOf(*type) == Type::S32;
}

static Evaluate findMultiplyAdd(const Instruction &instruction) {
  return select(
      [](auto a, auto b, auto po, auto sat, auto shift) -> Evaluate {
        return &multiplyAdd<a(), b(), po(), sat(), shift()>;
      },
      Axis<false, true>{isSigned(instruction, 'A')},
      Axis<false, true>{isSigned(instruction, 'B')},
      flag(instruction, Word::Po), flag(instruction, Word::Sat),
      Axis<0u, 7u, 15u>{instruction.has(Word::Shr7)    ? 7u
                        : instruction.has(Word::Shr15) ? 15u
                                                       : 0u});
}

/// Chooses by the modifiers that the axes leave open.
template <unsigned Width, typename Actions, typename Seconds, typename Results,
          typename Sats, typename Wraps, typename Signs>
static Evaluate findAction(const Instruction &instruction, Actions action,
                           Seconds second, Results resultSigned, Sats sat,
                           Wraps wraps, Signs signedB) {
  return select(
      [](auto action, auto second, auto d, auto a, auto b, auto sat,
         auto wraps) -> Evaluate {
        constexpr Modifiers modifiers{action(), second(), d(),    a(),
                                      b(),      sat(),    wraps()};
        return &evaluateVideo<modifiers.encode(), Width>;
      },
      action, second, resultSigned,
      Axis<false, true>{isSigned(instruction, 'A')}, signedB, sat, wraps);
}

using Comparisons =
    Axis<Action::Equal, Action::NotEqual, Action::Less, Action::LessEqual,
         Action::Greater, Action::GreaterEqual>;
using ScalarActions =
    Axis<Action::Add, Action::Sub, Action::AbsDiff, Action::Min, Action::Max>;
using PackedActions = Axis<Action::Add, Action::Sub, Action::AbsDiff,
                           Action::Min, Action::Max, Action::Average>;
using ScalarSeconds =
    Axis<Second::None, Second::Merge, Second::Add, Second::Min, Second::Max>;
using PackedSeconds = Axis<Second::Merge, Second::Add>;

template <unsigned Width>
static Evaluate findPacked(const Instruction &instruction, Action action,
                           Second second) {
  Axis<false, true> d{isSigned(instruction, 'D')},
      b{isSigned(instruction, 'B')};
  Axis<false> none{false};
  if (action >= Action::Equal)
    return findAction<Width>(instruction, Comparisons{action},
                             PackedSeconds{second}, none, none, none, b);
  return findAction<Width>(instruction, PackedActions{action},
                           PackedSeconds{second}, d,
                           flag(instruction, Word::Sat), none, b);
}

static Evaluate findScalar(const Instruction &instruction, Action action,
                           Second second) {
  Axis<false, true> d{isSigned(instruction, 'D')},
      b{isSigned(instruction, 'B')}, sat = flag(instruction, Word::Sat);
  Axis<false> none{false};
  ScalarSeconds seconds{second};
  if (action >= Action::Equal)
    return findAction<32>(instruction, Comparisons{action}, seconds, none, none,
                          none, b);
  if (action == Action::ShiftLeft || action == Action::ShiftRight)
    return findAction<32>(instruction,
                          Axis<Action::ShiftLeft, Action::ShiftRight>{action},
                          seconds, d, sat, flag(instruction, Word::Wrap), none);
  return findAction<32>(instruction, ScalarActions{action}, seconds, d, sat,
                        none, b);
}

Evaluate ptx::findVideoValue(const Instruction &instruction) {
  unsigned width = laneWidthOf(instruction.opcode);
  if (width == 0)
    return nullptr;
  if (instruction.opcode == Opcode::Vmad)
    return findMultiplyAdd(instruction);
  std::optional<Action> action = actionOf(instruction);
  if (!action)
    return nullptr;
  Second second = secondOf(instruction);
  return width == 32   ? findScalar(instruction, *action, second)
         : width == 16 ? findPacked<16>(instruction, *action, second)
                       : findPacked<8>(instruction, *action, second);
}

/// The place and width of `.b3`, `.h1` or a whole word in a register.
static uint64_t scalarPart(llvm::StringRef part) {
  if (part.empty())
    return 32 << 8;
  unsigned width = part[0] == 'b' ? 8 : 16;
  return unsigned(part[1] - '0') * width | width << 8;
}

/// The lanes of `.h10` or `.b3210`, the highest one first; `standard` is the
/// part of an operand that names none.
static uint64_t packedLanes(llvm::StringRef part, llvm::StringRef standard) {
  uint64_t lanes = 0;
  for (char digit : (part.empty() ? standard : part).drop_front())
    lanes = lanes << 4 | unsigned(digit - '0');
  return lanes;
}
static uint64_t packedMask(llvm::StringRef part) {
  if (part.empty())
    return 15;
  uint64_t mask = 0;
  for (char digit : part.drop_front())
    mask |= 1u << (digit - '0');
  return mask;
}

llvm::SmallVector<uint64_t, 4>
ptx::getSelectors(const Instruction &instruction) {
  llvm::SmallVector<uint64_t, 4> selectors;
  unsigned width = laneWidthOf(instruction.opcode);
  if (width == 0)
    return selectors;
  unsigned sources = 0;
  for (auto [index, operand] : llvm::enumerate(instruction.operands)) {
    const OperandSpec &spec = instruction.getSpec(unsigned(index));
    if (!spec.selects)
      continue;
    llvm::StringRef part = operand.part;
    if (width == 32)
      selectors.push_back(scalarPart(part));
    else if (spec.use == OperandUse::Written)
      selectors.push_back(packedMask(part));
    else if (sources++ == 0)
      selectors.push_back(packedLanes(part, width == 16 ? "h10" : "b3210"));
    else
      selectors.push_back(packedLanes(part, width == 16 ? "h32" : "b7654"));
  }
  return selectors;
}
