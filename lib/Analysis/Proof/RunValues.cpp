//===- RunValues.cpp - what registers of a skeleton hold ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers, terms of a launch, and conditions. Constants are computed as the
// device computes them; sums of terms as if they were integers without bounds.
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

#include "carousel/PTX/Values.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace carousel;
using namespace carousel::proof;
using llvm::BitVector;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::SpecialRegister;
using ptx::Word;
using OperandKind = ptx::Operand::Kind;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A number of each thread.
static Value makeNumbers(const BitVector &threads,
                         llvm::function_ref<int64_t(unsigned)> get) {
  auto lanes = std::make_shared<std::vector<int64_t>>(threads.size(), 0);
  for (unsigned thread : threads.set_bits())
    (*lanes)[thread] = get(thread);
  return Value::of(Linear(), std::move(lanes));
}

/// One number in some threads, another in the others.
static Value choose(const BitVector &some, const Value &lhs, const Value &rhs,
                    const BitVector &threads) {
  if (!lhs.isFixed() || !rhs.isFixed())
    return {};
  return makeNumbers(threads, [&](unsigned thread) {
    return some.test(thread) ? lhs.get(thread) : rhs.get(thread);
  });
}

static Lanes combineLanes(const Lanes &lhs, const Lanes &rhs, int64_t factor) {
  if (!rhs || factor == 0)
    return lhs;
  auto sum = std::make_shared<std::vector<int64_t>>(*rhs);
  for (size_t i = 0; i < sum->size(); ++i)
    (*sum)[i] = (*sum)[i] * factor + (lhs ? (*lhs)[i] : 0);
  return sum;
}

static Value add(const Value &lhs, const Value &rhs, int64_t factor = 1) {
  if (!lhs.isNumber() || !rhs.isNumber())
    return {};
  return Value::of(lhs.number.plus(rhs.number, factor),
                   combineLanes(lhs.lanes, rhs.lanes, factor));
}

static Value multiply(const Value &value, int64_t factor) {
  return add(Value::of(0), value, factor);
}

Value KernelRun::readSpecial(const Operand &operand) {
  char part = operand.part.empty() ? 'x' : operand.part.front();
  unsigned dim = part - 'x';
  auto getTerm = [&](const char *name, int64_t least) {
    return Value::of(Linear::of(terms.getFree(
        std::string(name) + part, least, std::numeric_limits<int32_t>::max())));
  };
  switch (operand.special) {
  case SpecialRegister::Tid:
    return dim < 3 ? Value::of(Linear(), threadIds[dim]) : Value();
  case SpecialRegister::NTid:
    return dim < 3 ? Value::of(launch.block[dim]) : Value();
  case SpecialRegister::LaneId:
    return Value::of(Linear(), laneIds);
  case SpecialRegister::WarpId:
    return Value::of(Linear(), warpIds);
  case SpecialRegister::CtaId:
    return getTerm("%ctaid.", 0);
  case SpecialRegister::NCtaId:
    return getTerm("%nctaid.", 1);
  default:
    return {};
  }
}

Value KernelRun::read(const Instruction &instruction, const Operand &operand,
                      const Class &own) {
  switch (operand.kind) {
  case OperandKind::Register: {
    unsigned slot = code.slots[operand.reg];
    if (slot == ~0u || !operand.part.empty())
      return {};
    Value value = own.registers[slot];
    if (!operand.negated)
      return value;
    if (value.isConstant())
      return Value::of(!value.number.constant);
    return combineConditions(Condition::Kind::Not, value, value);
  }
  case OperandKind::Special:
    return readSpecial(operand);
  case OperandKind::Immediate:
    return Value::of(int64_t(operand.value.bits));
  case OperandKind::Symbol:
  case OperandKind::Address:
    return readAddress(instruction, operand, own);
  default:
    return {};
  }
}

Value KernelRun::readAddress(const Instruction &instruction,
                             const Operand &operand, const Class &own) {
  const Operand &base =
      operand.kind == OperandKind::Address ? operand.elements.front() : operand;
  int64_t offset = base.offset;
  if (base.kind != OperandKind::Symbol)
    return add(read(instruction, base, own), Value::of(offset));
  if (auto found = shared.offsets.find(base.symbol);
      found != shared.offsets.end())
    return Value::of(int64_t(found->second) + offset);
  return add(Value::of(Linear::of(terms.get(shared.symbols[base.symbol].name))),
             Value::of(offset));
}

void KernelRun::write(Class &own, ptx::RegisterId id, Value value,
                      const BitVector *some) {
  unsigned slot = code.slots[id];
  if (slot == ~0u)
    return;
  Value &known = own.registers[slot];
  simplify(value, own);
  if (!some || *some == own.members) {
    known = std::move(value);
    return;
  }
  // Others keep theirs.
  known = choose(*some, value, known, own.members);
}

//===----------------------------------------------------------------------===//
// Computations
//===----------------------------------------------------------------------===//

/// The registers that an operand is made of, or sinks.
static void collectLeaves(const Operand &operand,
                          SmallVectorImpl<const Operand *> &to) {
  if (operand.elements.empty())
    to.push_back(&operand);
  for (const Operand &element : operand.elements)
    collectLeaves(element, to);
}

bool KernelRun::isUniform(const Instruction &instruction,
                          const Operand &operand, const Class &own) {
  SmallVector<const Operand *> leaves;
  collectLeaves(operand, leaves);
  return llvm::all_of(leaves, [&](const Operand *leaf) {
    Value value = read(instruction, *leaf, own);
    return value.isNumber() && !value.lanes;
  });
}

static bool isWritten(const Instruction &instruction, unsigned operand) {
  return instruction.getSpec(operand).use != ptx::OperandUse::Read;
}

/// Computes an instruction on constants, thread by thread. Returns false if an
/// operand is something else.
bool KernelRun::computeConstants(Class &own, const CodeLine &line,
                                 const BitVector *some) {
  const Instruction &instruction = *line.instruction;
  ptx::Evaluate evaluate = ptx::findValue(instruction);
  if (!evaluate)
    return false;
  SmallVector<const Operand *> sources, results;
  for (unsigned i = 0; i < instruction.operands.size(); ++i)
    collectLeaves(instruction.operands[i],
                  isWritten(instruction, i) ? results : sources);
  constexpr size_t kMostWords = 16;
  if (sources.size() > kMostWords || results.size() > kMostWords)
    return false;
  SmallVector<Value> values;
  bool hasLanes = false;
  for (const Operand *source : sources) {
    Value value = read(instruction, *source, own);
    if (!value.isFixed())
      return false;
    hasLanes |= bool(value.lanes);
    values.push_back(std::move(value));
  }
  llvm::SmallVector<uint64_t, 4> selectors = ptx::getSelectors(instruction);
  std::vector<std::shared_ptr<std::vector<int64_t>>> lanes(results.size());
  for (auto &result : lanes)
    result = std::make_shared<std::vector<int64_t>>(own.members.size(), 0);
  uint64_t words[2 * kMostWords], made[kMostWords] = {};
  unsigned first = own.members.find_first();
  for (unsigned thread : own.members.set_bits()) {
    if (hasLanes || thread == first) {
      for (auto [word, value] : llvm::zip(words, values))
        word = uint64_t(value.get(thread));
      llvm::copy(selectors, words + values.size());
      evaluate(words, made);
    }
    for (auto [number, result] : llvm::enumerate(lanes))
      (*result)[thread] = int64_t(made[number]);
  }
  for (auto [number, result] : llvm::enumerate(results))
    if (result->kind == OperandKind::Register)
      write(own, result->reg, Value::of(Linear(), lanes[number]), some);
  return true;
}

ConditionId KernelRun::getCondition(const Value &value) {
  switch (value.kind) {
  case Value::Kind::Condition:
    return value.condition;
  case Value::Kind::Unknown:
    return terms.add({});
  case Value::Kind::Number:
    // Predicates are 0 or 1.
    return test(Condition::Kind::AtLeastZero, add(value, Value::of(1), -1))
        .condition;
  }
  llvm_unreachable("all kinds are handled");
}

Value KernelRun::addCondition(Condition condition) {
  return {Value::Kind::Condition, {}, {}, terms.add(std::move(condition))};
}

/// A condition on a number.
Value KernelRun::test(Condition::Kind kind, const Value &number) {
  return addCondition({kind, number.number, number.lanes});
}

Value KernelRun::combineConditions(Condition::Kind kind, const Value &lhs,
                                   const Value &rhs) {
  return addCondition({kind, {}, {}, getCondition(lhs), getCondition(rhs)});
}

/// Constants of 32 bits as signed numbers: sums of terms have signs.
static Value extendSign(Value value, const BitVector &threads) {
  if (!value.isFixed())
    return value;
  if (!value.lanes)
    return Value::of(int32_t(value.number.constant));
  return makeNumbers(
      threads, [&](unsigned thread) { return int32_t(value.get(thread)); });
}

static unsigned getSourceBits(const Instruction &instruction) {
  auto types = instruction.getTypes();
  return types.empty() ? 0 : ptx::getBits(types.back());
}

/// Whether an instruction computes something else of numbers with a sign.
static bool isUnsigned(const Instruction &instruction) {
  auto types = instruction.getTypes();
  return !types.empty() &&
         ptx::getClass(types.back()) != ptx::TypeClass::Signed;
}

/// Whether all threads have a number that isn't negative, on this way.
bool KernelRun::isAtLeastZero(const Value &number, const Class &own,
                              unsigned line) {
  return number.isNumber() && decide(test(Condition::Kind::AtLeastZero, number),
                                     /*isNegated=*/false, own, line)
                                      .kind == Choice::Kind::All;
}

/// An operand as a number with a sign.
Value KernelRun::readSigned(const Instruction &instruction, unsigned operand,
                            const Class &own) {
  Value value = read(instruction, instruction.operands[operand], own);
  return getSourceBits(instruction) == 32
             ? extendSign(std::move(value), own.members)
             : value;
}

Value KernelRun::readNumber(const Instruction &instruction, unsigned operand,
                            const Class &own, unsigned line) {
  Value value = readSigned(instruction, operand, own);
  if (!value.isNumber() || !isUnsigned(instruction))
    return value;
  // A launch passes none that differs with its sign.
  if (value.number.terms.size() == 1 && value.number.constant == 0 &&
      value.number.terms.front().second > 0 &&
      terms.getTerm(value.number.terms.front().first).isFree &&
      !assumptions.isAtLeastZero(value.number))
    assumptions.assumeAtLeastZero(value.number, true);
  if (isAtLeastZero(value, own, line))
    return value;
  // All are negative, or which are isn't followed.
  unsigned bits = getSourceBits(instruction);
  return bits == 32 && isAtLeastZero(add(Value::of(-1), value, -1), own, line)
             ? add(value, Value::of(int64_t(1) << bits))
             : Value();
}

static Condition::Kind getConnective(bool isAnd, bool isOr) {
  return isAnd  ? Condition::Kind::And
         : isOr ? Condition::Kind::Or
                : Condition::Kind::Xor;
}

/// setp of numbers.
Value KernelRun::compare(const Instruction &instruction, const Class &own,
                         unsigned line) {
  auto has = [&](std::initializer_list<Word> words) {
    return llvm::any_of(words,
                        [&](Word word) { return instruction.has(word); });
  };
  bool isEquality = has({Word::Eq, Word::Ne}),
       isGreater = has({Word::Gt, Word::Hi, Word::Ge, Word::Hs}),
       isStrict = has({Word::Gt, Word::Hi, Word::Lt, Word::Lo});
  if (!isEquality && !isGreater && !isStrict && !has({Word::Le, Word::Ls}))
    return {};
  // Equal bits are equal numbers, whatever their signs.
  auto get = [&](unsigned operand) {
    return isEquality ? readSigned(instruction, operand, own)
                      : readNumber(instruction, operand, own, line);
  };
  Value lhs = get(1), rhs = get(2);
  Value difference = isGreater ? add(lhs, rhs, -1) : add(rhs, lhs, -1);
  if (!difference.isNumber())
    return {};
  if (isStrict)
    difference.number.constant -= 1;
  Value value =
      test(isEquality ? Condition::Kind::Zero : Condition::Kind::AtLeastZero,
           difference);
  if (instruction.has(Word::Ne))
    value = combineConditions(Condition::Kind::Not, value, value);
  if (instruction.operands.size() < 4 ||
      instruction.operands[3].kind == OperandKind::Sink)
    return value;
  Value other = read(instruction, instruction.operands[3], own);
  return combineConditions(
      getConnective(instruction.has(Word::And), instruction.has(Word::Or)),
      value, other);
}

Value KernelRun::select(const Value &condition, const Value &lhs,
                        const Value &rhs, const Class &own, unsigned line) {
  Choice choice = decide(condition, /*isNegated=*/false, own, line);
  switch (choice.kind) {
  case Choice::Kind::All:
    return lhs;
  case Choice::Kind::None:
    return rhs;
  case Choice::Kind::Undecidable:
    return {};
  case Choice::Kind::Some:
    return choose(choice.some, lhs, rhs, own.members);
  }
  llvm_unreachable("all kinds are handled");
}

/// Splits a number into a multiple of 2^`bits` and a rest that isn't negative
/// and is below that, in all threads; nullopt if it isn't such a sum.
static std::optional<std::pair<Value, Value>>
splitBits(const Value &value, unsigned bits, const BitVector &threads) {
  if (!value.isNumber() || bits > 62)
    return std::nullopt;
  int64_t unit = int64_t(1) << bits;
  for (auto [term, factor] : value.number.terms)
    if (factor % unit != 0)
      return std::nullopt;
  Value low = makeNumbers(
      threads, [&](unsigned thread) { return value.get(thread) & (unit - 1); });
  return std::pair(add(value, low, -1), low);
}

/// Bits of sums whose terms are multiples of a power of two; unknown for
/// others. Dividends aren't negative.
static Value computeBits(const Instruction &instruction, const Value &lhs,
                         const Value &rhs, const BitVector &threads) {
  auto isPowerOfTwo = [](const Value &value) {
    return value.isConstant() && value.number.constant > 0 &&
           llvm::isPowerOf2_64(value.number.constant);
  };
  auto divide = [&](unsigned bits) -> Value {
    auto parts = splitBits(lhs, bits, threads);
    if (!parts)
      return {};
    Value quotient = makeNumbers(threads, [&](unsigned thread) {
      return parts->first.get(thread) >> bits;
    });
    for (auto [term, factor] : parts->first.number.terms)
      quotient.number.terms.push_back({term, factor >> bits});
    return quotient;
  };
  switch (instruction.opcode) {
  case Opcode::Shr:
    return rhs.isConstant() && uint64_t(rhs.number.constant) < 63
               ? divide(unsigned(rhs.number.constant))
               : Value();
  case Opcode::Div:
    return isPowerOfTwo(rhs) ? divide(llvm::Log2_64(rhs.number.constant))
                             : Value();
  case Opcode::Rem:
  case Opcode::And: {
    // The low bits.
    int64_t mask = rhs.isConstant() ? rhs.number.constant : 0;
    if (instruction.opcode == Opcode::Rem)
      mask = isPowerOfTwo(rhs) ? mask - 1 : 0;
    if (mask <= 0 || !llvm::isPowerOf2_64(uint64_t(mask) + 1))
      return {};
    auto parts = splitBits(lhs, llvm::Log2_64(uint64_t(mask) + 1), threads);
    return parts ? parts->second : Value();
  }
  case Opcode::Or:
  case Opcode::Xor: {
    // A sum, if no bit is in both.
    if (!lhs.isNumber() || !rhs.isFixed())
      return {};
    uint64_t all = 0;
    for (unsigned thread : threads.set_bits())
      all |= uint64_t(rhs.get(thread));
    if (all >> 62 != 0)
      return {};
    auto parts = splitBits(lhs, all == 0 ? 0 : llvm::Log2_64(all) + 1, threads);
    if (!parts)
      return {};
    for (unsigned thread : threads.set_bits())
      if ((parts->second.get(thread) & rhs.get(thread)) != 0)
        return {};
    return add(lhs, rhs);
  }
  default:
    return {};
  }
}

/// The upper half of a product of 32 bits by which compilers divide. If
/// `b * factor = a * 2^32 + r` and r is 0 or 1, it is a / b of a number that
/// isn't negative, rounded down. Unknown where terms aren't multiples of b.
static Value multiplyHigh(const Value &value, const Value &factor,
                          const BitVector &threads) {
  constexpr int64_t kMostDivisor = 64, kUnit = int64_t(1) << 32;
  if (!value.isNumber() || !factor.isConstant() || factor.number.constant < 0 ||
      factor.number.constant >= kUnit)
    return {};
  int64_t b = 1;
  while (b < kMostDivisor && factor.number.constant * b % kUnit > 1)
    ++b;
  int64_t a = factor.number.constant * b / kUnit;
  bool isFine = factor.number.constant * b % kUnit <= 1;
  for (auto [term, own] : value.number.terms)
    isFine &= own % b == 0;
  for (unsigned thread : threads.set_bits())
    isFine &= std::abs(value.get(thread)) < kUnit;
  if (!isFine)
    return {};
  // Rounded down, also where the rest of the sum makes up for a negative one.
  Value part = makeNumbers(threads, [&](unsigned thread) {
    int64_t product = a * value.get(thread);
    return product / b - (product % b < 0 ? 1 : 0);
  });
  for (auto [term, own] : value.number.terms)
    part.number.terms.push_back({term, own / b * a});
  return part;
}

/// Whether no result is negative if no operand is.
static bool keepsNatural(const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::Mul:
  case Opcode::Mad:
  case Opcode::Shl:
  case Opcode::Shr:
  case Opcode::Div:
  case Opcode::Rem:
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor:
  case Opcode::Popc:
  case Opcode::Clz:
    return true;
  case Opcode::Bfe:
    return isUnsigned(instruction);
  default:
    return false;
  }
}

/// The value of an instruction whose operands depend on the launch; unknown if
/// it's none that is followed.
Value KernelRun::computeSymbols(const Instruction &instruction,
                                const Class &own, unsigned line) {
  unsigned bits = getSourceBits(instruction);
  auto get = [&](unsigned operand) {
    return readSigned(instruction, operand, own);
  };
  auto getNumber = [&](unsigned operand) {
    return readNumber(instruction, operand, own, line);
  };
  auto isPredicate = [&] {
    auto types = instruction.getTypes();
    return !types.empty() &&
           ptx::getClass(types.back()) == ptx::TypeClass::Predicate;
  };
  switch (instruction.opcode) {
  case Opcode::Add:
    return add(get(1), get(2));
  case Opcode::Sub:
    return add(get(1), get(2), -1);
  case Opcode::Neg:
    return multiply(get(1), -1);
  case Opcode::Mul:
  case Opcode::Mad: {
    if (instruction.has(Word::Hi)) {
      Value part;
      if (instruction.opcode == Opcode::Mul && bits == 32 &&
          isUnsigned(instruction))
        part = multiplyHigh(getNumber(1), getNumber(2), own.members);
      if (part.isNumber())
        return part;
      break;
    }
    bool isWide = instruction.has(Word::Wide);
    Value lhs = isWide ? getNumber(1) : get(1),
          rhs = isWide ? getNumber(2) : get(2);
    if (lhs.isConstant())
      std::swap(lhs, rhs);
    if (!rhs.isConstant())
      break;
    Value product = multiply(lhs, rhs.number.constant);
    if (instruction.opcode == Opcode::Mul)
      return product;
    return add(product, isWide ? read(instruction, instruction.operands[3], own)
                               : get(3));
  }
  case Opcode::Shl: {
    Value amount = get(2);
    if (!amount.isConstant() || uint64_t(amount.number.constant) >= 63)
      break;
    return multiply(get(1), int64_t(1) << amount.number.constant);
  }
  case Opcode::Cvt: {
    auto types = instruction.getTypes();
    if (types.size() != 2 || !llvm::all_of(types, ptx::isInteger) ||
        instruction.has(Word::Sat))
      return {};
    unsigned toBits = ptx::getBits(types.front());
    if (toBits >= 32)
      return toBits > bits ? getNumber(1) : get(1);
    // Fewer bits than sums are assumed to have.
    Value value = get(1);
    Value above = add(Value::of((int64_t(1) << (toBits - 1)) - 1), value, -1);
    return isAtLeastZero(value, own, line) && isAtLeastZero(above, own, line)
               ? value
               : Value();
  }
  case Opcode::Bfe: {
    Value first = get(2), count = get(3);
    if (!isUnsigned(instruction) || !first.isConstant() ||
        !count.isConstant() || first.number.constant < 0 ||
        count.number.constant < 0 || count.number.constant >= bits)
      break;
    unsigned shift = unsigned(std::min<int64_t>(first.number.constant, bits));
    auto parts = splitBits(get(1), shift + count.number.constant, own.members);
    if (!parts || shift + count.number.constant > bits)
      break;
    return makeNumbers(own.members, [&](unsigned thread) {
      return parts->second.get(thread) >> shift;
    });
  }
  case Opcode::Setp:
    return compare(instruction, own, line);
  case Opcode::Selp:
    return select(read(instruction, instruction.operands[3], own), get(1),
                  get(2), own, line);
  case Opcode::Min:
  case Opcode::Max: {
    Value lhs = getNumber(1), rhs = getNumber(2),
          difference = add(lhs, rhs, -1);
    if (!difference.isNumber())
      return {};
    Value condition = test(Condition::Kind::AtLeastZero, difference);
    return instruction.opcode == Opcode::Max
               ? select(condition, lhs, rhs, own, line)
               : select(condition, rhs, lhs, own, line);
  }
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor:
    if (isPredicate())
      return combineConditions(getConnective(instruction.opcode == Opcode::And,
                                             instruction.opcode == Opcode::Or),
                               get(1), get(2));
    break;
  case Opcode::Not:
    if (isPredicate()) {
      Value value = get(1);
      return combineConditions(Condition::Kind::Not, value, value);
    }
    return add(Value::of(-1), get(1), -1);
  default:
    break;
  }
  if (instruction.operands.size() == 3) {
    bool isQuotient =
        instruction.opcode == Opcode::Div || instruction.opcode == Opcode::Rem;
    Value lhs = isQuotient || instruction.opcode == Opcode::Shr ? getNumber(1)
                                                                : get(1),
          rhs = get(2);
    // A mask of bits that all are.
    if (instruction.opcode == Opcode::And && lhs.isNumber() && !lhs.lanes &&
        rhs.isConstant() && llvm::isMask_64(rhs.number.constant)) {
      auto [least, most] = assumptions.getRange(lhs.number);
      if (least >= 0 && most <= rhs.number.constant)
        return lhs;
    }
    Value part;
    if (!isQuotient || isAtLeastZero(lhs, own, line))
      part = computeBits(instruction, lhs, rhs, own.members);
    if (!part.isNumber() &&
        (instruction.opcode == Opcode::Or || instruction.opcode == Opcode::Xor))
      part = computeBits(instruction, rhs, lhs, own.members);
    if (part.isNumber())
      return part;
  }
  // Another function of such numbers is a term of its own.
  if (!ptx::findValue(instruction) || instruction.operands.size() > 4)
    return {};
  std::string name = ptx::stringify(instruction.opcode).str();
  for (const auto &word : instruction.modifiers)
    if (word)
      name += "." + ptx::stringify(*word).str();
  int64_t least = std::numeric_limits<int64_t>::min(),
          most = std::numeric_limits<int64_t>::max();
  bool isNatural = keepsNatural(instruction);
  for (unsigned operand = 1; operand < instruction.operands.size(); ++operand) {
    Value value = get(operand);
    if (!value.isNumber() || value.lanes)
      return {};
    name += (operand == 1 ? " (" : ", ") + terms.print(value.number);
    auto [low, high] = assumptions.getRange(value.number);
    isNatural &= low >= 0;
    if (instruction.opcode == Opcode::And && value.isConstant() &&
        value.number.constant >= 0) {
      least = 0;
      most = value.number.constant;
    }
    if (instruction.opcode == Opcode::Rem && operand == 2 &&
        value.isConstant() && value.number.constant > 0)
      most = value.number.constant - 1;
  }
  if (isNatural)
    least = 0;
  return Value::of(Linear::of(terms.get(name + ")", least, most)));
}

void KernelRun::compute(Class &own, const CodeLine &line,
                        const BitVector *some) {
  const Instruction &instruction = *line.instruction;
  unsigned at = &line - code.lines.data();
  auto setAll = [&](const Value &value) {
    for (ptx::RegisterId id : line.writes)
      write(own, id, value, some);
  };
  switch (instruction.opcode) {
  case Opcode::Mov: {
    const Operand &to = instruction.operands[0],
                  &from = instruction.operands[1];
    bool isWhole = to.kind == OperandKind::Register && from.elements.empty();
    return setAll(isWhole ? read(instruction, from, own) : Value());
  }
  case Opcode::Cvta:
    return setAll(read(instruction, instruction.operands[1], own));
  case Opcode::Ld: {
    // A launch passes it, or all threads read it at one place.
    Value address = readAddress(instruction, instruction.operands[1], own);
    ptx::StateSpace space = instruction.getSpace(1);
    bool isFixed =
        space != ptx::StateSpace::Local && !instruction.has(Word::Volatile) &&
        !instruction.has(Word::Acquire) && !instruction.has(Word::Relaxed);
    if (!isFixed || !address.isNumber() || address.lanes)
      return setAll({});
    SmallVector<const Operand *> parts;
    collectLeaves(instruction.operands[0], parts);
    int64_t bytes = ptx::getBits(instruction.getTypes().back()) / 8;
    for (auto [number, part] : llvm::enumerate(parts)) {
      Linear place = address.number;
      place.constant += bytes * int64_t(number);
      // A multiple of a number is that times a term of its own.
      std::string name = getLoadName(terms.print(place));
      TermId term = terms.getFree(name, std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max());
      auto known = facts.divisors.find(term);
      int64_t factor = known == facts.divisors.end() ? 1 : known->second;
      if (part->kind == OperandKind::Register)
        write(own, part->reg, Value::of(Linear::of(term, factor)), some);
    }
    return;
  }
  case Opcode::ElectSync: {
    // The first of the lanes, whichever class these are in.
    Value mask = read(instruction, instruction.operands.back(), own);
    if (!mask.isConstant() || uint32_t(mask.number.constant) == 0)
      return setAll({});
    unsigned first = llvm::countr_zero(uint32_t(mask.number.constant));
    setAll({});
    if (!line.writes.empty())
      write(own, line.writes.back(),
            makeNumbers(
                own.members,
                [&](unsigned thread) { return thread % kWarpSize == first; }),
            some);
    return;
  }
  case Opcode::ShflSync: {
    // A value that all lanes have is that of each lane.
    Value value = read(instruction, instruction.operands[1], own);
    if (value.isFixed() && value.lanes && instruction.has(Word::Idx)) {
      Value lane = read(instruction, instruction.operands[2], own);
      if (!lane.isConstant())
        return setAll({});
      bool isInside = true;
      Value shuffled = makeNumbers(own.members, [&](unsigned thread) {
        unsigned from = (thread & ~31u) | (lane.number.constant & 31);
        isInside &= own.members.test(from);
        return value.get(from);
      });
      value = isInside ? shuffled : Value();
    } else if (value.lanes) {
      value = Value();
    }
    setAll(value);
    return;
  }
  default:
    break;
  }
  if (computeConstants(own, line, some))
    return;
  Value value = computeSymbols(instruction, own, at);
  setAll({});
  if (!line.writes.empty())
    write(own, line.writes.front(), std::move(value), some);
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

std::optional<bool> KernelRun::evaluate(ConditionId id, unsigned thread) const {
  const Condition &condition = terms.getCondition(id);
  auto getNumber = [&] {
    Linear number = condition.number;
    if (condition.lanes)
      number.constant += (*condition.lanes)[thread];
    return number;
  };
  switch (condition.kind) {
  case Condition::Kind::AtLeastZero:
    return assumptions.isAtLeastZero(getNumber());
  case Condition::Kind::Zero:
    return assumptions.isZero(getNumber());
  case Condition::Kind::Unknown:
    return std::nullopt;
  case Condition::Kind::Not: {
    std::optional<bool> own = evaluate(condition.lhs, thread);
    return own ? std::optional(!*own) : std::nullopt;
  }
  default:
    break;
  }
  std::optional<bool> lhs = evaluate(condition.lhs, thread),
                      rhs = evaluate(condition.rhs, thread);
  if (condition.kind == Condition::Kind::Xor)
    return lhs && rhs ? std::optional(*lhs != *rhs) : std::nullopt;
  bool deciding = condition.kind == Condition::Kind::Or;
  if (lhs == deciding || rhs == deciding)
    return deciding;
  return lhs && rhs ? std::optional(!deciding) : std::nullopt;
}

std::optional<ConditionId> KernelRun::findOpen(ConditionId id,
                                               unsigned thread) const {
  const Condition &condition = terms.getCondition(id);
  if (condition.kind == Condition::Kind::Unknown || evaluate(id, thread))
    return std::nullopt;
  if (condition.kind == Condition::Kind::AtLeastZero ||
      condition.kind == Condition::Kind::Zero)
    return condition.lanes ? std::nullopt : std::optional(id);
  if (std::optional<ConditionId> lhs = findOpen(condition.lhs, thread))
    return lhs;
  return condition.kind == Condition::Kind::Not
             ? std::nullopt
             : findOpen(condition.rhs, thread);
}

/// The next of the script, or a new one. Loops that have gone on for long are
/// left: the last decision there isn't taken again.
bool KernelRun::takeDecision(unsigned line) {
  auto &[count, last] = decisionsAt[line];
  if (next < script.size()) {
    last = script[next++];
    ++count;
    return last;
  }
  bool taken = true;
  // Rings of many slots repeat late.
  constexpr unsigned kLater = 4;
  unsigned most = launch.mostTrips * (mode == RunMode::Repeat ? kLater : 1);
  if (count >= most && !repeats(line)) {
    taken = !last;
    isBounded = true;
    bounded.insert(script.size());
  }
  last = taken;
  ++count;
  script.push_back(taken);
  next = script.size();
  return taken;
}

KernelRun::Choice KernelRun::decide(const Value &predicate, bool isNegated,
                                    const Class &own, unsigned line) {
  Choice choice;
  if (predicate.kind == Value::Kind::Unknown)
    return choice;
  ConditionId id = getCondition(predicate);
  while (true) {
    BitVector some(own.members.size());
    bool isOpen = false;
    for (unsigned thread : own.members.set_bits()) {
      std::optional<bool> holds = evaluate(id, thread);
      if (!holds) {
        isOpen = true;
        std::optional<ConditionId> atom = findOpen(id, thread);
        if (!atom)
          return choice;
        const Condition &condition = terms.getCondition(*atom);
        bool taken = takeDecision(line);
        if (condition.kind == Condition::Kind::Zero)
          assumptions.assumeZero(condition.number, taken);
        else
          assumptions.assumeAtLeastZero(condition.number, taken);
        // Only intervals can be assumed.
        if (!evaluate(*atom, thread))
          return choice;
        break;
      }
      if (*holds != isNegated)
        some.set(thread);
    }
    if (isOpen)
      continue;
    choice.kind = some.none()           ? Choice::Kind::None
                  : some == own.members ? Choice::Kind::All
                                        : Choice::Kind::Some;
    choice.some = std::move(some);
    return choice;
  }
}
