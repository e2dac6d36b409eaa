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

static Value makeNumber(Linear number, Lanes lanes) {
  Value value;
  value.kind = Value::Kind::Number;
  value.number = std::move(number);
  value.lanes = std::move(lanes);
  return value;
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
  return makeNumber(lhs.number.plus(rhs.number, factor),
                    combineLanes(lhs.lanes, rhs.lanes, factor));
}

static Value multiply(const Value &value, int64_t factor) {
  return value.isNumber() ? makeNumber(value.number.times(factor),
                                       combineLanes({}, value.lanes, factor))
                          : Value();
}

Value KernelRun::readSpecial(const Operand &operand) {
  auto getTerm = [&](const char *name, int64_t least) {
    Linear number;
    number.terms.push_back(
        {terms.get(name, least, std::numeric_limits<int32_t>::max()), 1});
    return makeNumber(number, {});
  };
  char part = operand.part.empty() ? 'x' : operand.part.front();
  unsigned dim = part - 'x';
  switch (operand.special) {
  case SpecialRegister::Tid:
    return dim < 3 ? makeNumber({}, threadIds[dim]) : Value();
  case SpecialRegister::NTid:
    return dim < 3 ? Value::of(launch.block[dim]) : Value();
  case SpecialRegister::LaneId:
    return makeNumber({}, laneIds);
  case SpecialRegister::WarpId:
    return makeNumber({}, warpIds);
  case SpecialRegister::CtaId:
    return getTerm(dim == 0   ? "%ctaid.x"
                   : dim == 1 ? "%ctaid.y"
                              : "%ctaid.z",
                   0);
  case SpecialRegister::NCtaId:
    return getTerm(dim == 0   ? "%nctaid.x"
                   : dim == 1 ? "%nctaid.y"
                              : "%nctaid.z",
                   1);
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
    Condition condition;
    condition.kind = Condition::Kind::Not;
    condition.lhs = getCondition(value);
    value.kind = Value::Kind::Condition;
    value.condition = terms.add(condition);
    return value;
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
  Linear number;
  number.constant = offset;
  number.terms.push_back({terms.get(shared.symbols[base.symbol].name), 1});
  return makeNumber(number, {});
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
  if (!value.isNumber() || !known.isNumber() || !value.number.isConstant() ||
      !known.number.isConstant()) {
    known = Value();
    return;
  }
  auto lanes = std::make_shared<std::vector<int64_t>>(own.members.size(), 0);
  for (unsigned thread : own.members.set_bits())
    (*lanes)[thread] =
        some->test(thread) ? value.get(thread) : known.get(thread);
  known = makeNumber({}, lanes);
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
    if (!value.isNumber() || !value.number.isConstant())
      return false;
    hasLanes |= bool(value.lanes);
    values.push_back(std::move(value));
  }
  llvm::SmallVector<uint64_t, 4> selectors = ptx::getSelectors(instruction);
  std::vector<std::shared_ptr<std::vector<int64_t>>> lanes(results.size());
  uint64_t words[2 * kMostWords], made[kMostWords] = {};
  auto computeFor = [&](unsigned thread) {
    for (auto [word, value] : llvm::zip(words, values))
      word = uint64_t(value.get(thread));
    llvm::copy(selectors, words + values.size());
    evaluate(words, made);
  };
  if (!hasLanes) {
    computeFor(own.members.find_first());
    for (auto [number, result] : llvm::enumerate(results))
      if (result->kind == OperandKind::Register)
        write(own, result->reg, Value::of(int64_t(made[number])), some);
    return true;
  }
  for (auto &own_ : lanes)
    own_ = std::make_shared<std::vector<int64_t>>(own.members.size(), 0);
  SmallVector<bool> isSame(results.size(), true);
  unsigned first = own.members.find_first();
  for (unsigned thread : own.members.set_bits()) {
    computeFor(thread);
    for (size_t number = 0; number < results.size(); ++number) {
      (*lanes[number])[thread] = int64_t(made[number]);
      isSame[number] &= (*lanes[number])[first] == int64_t(made[number]);
    }
  }
  for (auto [number, result] : llvm::enumerate(results))
    if (result->kind == OperandKind::Register)
      write(own, result->reg,
            isSame[number] ? Value::of((*lanes[number])[first])
                           : makeNumber({}, lanes[number]),
            some);
  return true;
}

static bool isSigned(const Instruction &instruction) {
  auto types = instruction.getTypes();
  return !types.empty() &&
         ptx::getClass(types.back()) == ptx::TypeClass::Signed;
}

ConditionId KernelRun::getCondition(const Value &value) {
  Condition condition;
  switch (value.kind) {
  case Value::Kind::Condition:
    return value.condition;
  case Value::Kind::Unknown:
    break;
  case Value::Kind::Number:
    // Predicates are 0 or 1.
    condition.kind = Condition::Kind::AtLeastZero;
    condition.number = value.number.plus(Value::of(1).number, -1);
    condition.lanes = value.lanes;
  }
  return terms.add(condition);
}

Value KernelRun::combineConditions(Condition::Kind kind, const Value &lhs,
                                   const Value &rhs) {
  Condition condition;
  condition.kind = kind;
  condition.lhs = getCondition(lhs);
  condition.rhs = getCondition(rhs);
  Value value;
  value.kind = Value::Kind::Condition;
  value.condition = terms.add(condition);
  return value;
}

/// setp of numbers.
Value KernelRun::compare(const Instruction &instruction, const Class &own) {
  Value lhs = read(instruction, instruction.operands[1], own),
        rhs = read(instruction, instruction.operands[2], own);
  if (!lhs.isNumber() || !rhs.isNumber())
    return {};
  enum {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    None
  } order = instruction.has(Word::Eq)                                ? Eq
            : instruction.has(Word::Ne)                              ? Ne
            : instruction.has(Word::Lt) || instruction.has(Word::Lo) ? Lt
            : instruction.has(Word::Le) || instruction.has(Word::Ls) ? Le
            : instruction.has(Word::Gt) || instruction.has(Word::Hi) ? Gt
            : instruction.has(Word::Ge) || instruction.has(Word::Hs) ? Ge
                                                                     : None;
  if (order == None)
    return {};
  bool isSwapped = order == Gt || order == Ge;
  Value difference = isSwapped ? add(lhs, rhs, -1) : add(rhs, lhs, -1);
  Condition condition;
  condition.kind = order == Eq || order == Ne ? Condition::Kind::Zero
                                              : Condition::Kind::AtLeastZero;
  condition.number = difference.number;
  condition.lanes = difference.lanes;
  if (order == Lt || order == Gt)
    condition.number.constant -= 1;
  Value value;
  value.kind = Value::Kind::Condition;
  value.condition = terms.add(condition);
  if (order == Ne) {
    Condition inverted;
    inverted.kind = Condition::Kind::Not;
    inverted.lhs = value.condition;
    value.condition = terms.add(inverted);
  }
  if (instruction.operands.size() < 4 ||
      instruction.operands[3].kind == OperandKind::Sink)
    return value;
  Value other = read(instruction, instruction.operands[3], own);
  return combineConditions(instruction.has(Word::And)  ? Condition::Kind::And
                           : instruction.has(Word::Or) ? Condition::Kind::Or
                                                       : Condition::Kind::Xor,
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
    break;
  }
  if (!lhs.isNumber() || !rhs.isNumber() || !lhs.number.isConstant() ||
      !rhs.number.isConstant())
    return {};
  auto lanes = std::make_shared<std::vector<int64_t>>(own.members.size(), 0);
  for (unsigned thread : own.members.set_bits())
    (*lanes)[thread] =
        choice.some.test(thread) ? lhs.get(thread) : rhs.get(thread);
  return makeNumber({}, lanes);
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
  auto high = std::make_shared<std::vector<int64_t>>(threads.size(), 0),
       low = std::make_shared<std::vector<int64_t>>(threads.size(), 0);
  for (unsigned thread : threads.set_bits()) {
    int64_t constant = value.get(thread);
    (*low)[thread] = constant & (unit - 1);
    (*high)[thread] = constant - (*low)[thread];
  }
  Linear terms = value.number;
  terms.constant = 0;
  return std::pair(makeNumber(terms, high), makeNumber({}, low));
}

/// Bits of sums whose terms are multiples of a power of two; unknown for
/// others.
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
    Value quotient = parts->first;
    for (auto &[term, factor] : quotient.number.terms)
      factor >>= bits;
    auto lanes = std::make_shared<std::vector<int64_t>>(*quotient.lanes);
    for (int64_t &lane : *lanes)
      lane >>= bits;
    quotient.lanes = lanes;
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
    if (!lhs.isNumber() || !rhs.isNumber() || !rhs.number.isConstant())
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

/// The value of an instruction whose operands depend on the launch; unknown if
/// it's none that is followed.
Value KernelRun::computeSymbols(const Instruction &instruction,
                                const Class &own, unsigned line) {
  auto get = [&](unsigned operand) {
    Value value = read(instruction, instruction.operands[operand], own);
    // Constants of 32 bits have signs where they are added to terms.
    auto types = instruction.getTypes();
    if (value.isConstant() && !types.empty() &&
        ptx::getBits(types.back()) == 32)
      value.number.constant = int32_t(value.number.constant);
    return value;
  };
  auto isConstant = [&](const Value &value) { return value.isConstant(); };
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
    if (instruction.has(Word::Hi))
      break;
    Value lhs = get(1), rhs = get(2);
    if (isConstant(lhs))
      std::swap(lhs, rhs);
    if (!isConstant(rhs))
      break;
    Value product = multiply(lhs, rhs.number.constant);
    return instruction.opcode == Opcode::Mad ? add(product, get(3)) : product;
  }
  case Opcode::Shl: {
    Value amount = get(2);
    if (!isConstant(amount) || uint64_t(amount.number.constant) >= 63)
      break;
    return multiply(get(1), int64_t(1) << amount.number.constant);
  }
  case Opcode::Cvt:
  case Opcode::Cvta:
    for (ptx::Type type : instruction.getTypes())
      if (!ptx::isInteger(type) && ptx::getClass(type) != ptx::TypeClass::Bits)
        return {};
    return get(1);
  case Opcode::Setp:
    return compare(instruction, own);
  case Opcode::Selp:
    return select(read(instruction, instruction.operands[3], own), get(1),
                  get(2), own, line);
  case Opcode::Min:
  case Opcode::Max: {
    Value lhs = get(1), rhs = get(2), difference = add(lhs, rhs, -1);
    if (!difference.isNumber())
      return {};
    Condition isGreater;
    isGreater.kind = Condition::Kind::AtLeastZero;
    isGreater.number = difference.number;
    isGreater.lanes = difference.lanes;
    Value condition;
    condition.kind = Value::Kind::Condition;
    condition.condition = terms.add(isGreater);
    return instruction.opcode == Opcode::Max
               ? select(condition, lhs, rhs, own, line)
               : select(condition, rhs, lhs, own, line);
  }
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor:
    if (isPredicate())
      return combineConditions(
          instruction.opcode == Opcode::And  ? Condition::Kind::And
          : instruction.opcode == Opcode::Or ? Condition::Kind::Or
                                             : Condition::Kind::Xor,
          get(1), get(2));
    break;
  case Opcode::Not:
    if (isPredicate()) {
      Value value = get(1);
      return combineConditions(Condition::Kind::Not, value, value);
    }
    break;
  default:
    break;
  }
  if (instruction.operands.size() == 3) {
    Value lhs = get(1), rhs = get(2);
    // A mask of bits that all are.
    if (instruction.opcode == Opcode::And && lhs.isNumber() && !lhs.lanes &&
        rhs.isConstant() && llvm::isMask_64(rhs.number.constant)) {
      auto [least, most] = assumptions.getRange(lhs.number);
      if (least >= 0 && most <= rhs.number.constant)
        return lhs;
    }
    Value bits = computeBits(instruction, lhs, rhs, own.members);
    if (!bits.isNumber() &&
        (instruction.opcode == Opcode::Or || instruction.opcode == Opcode::Xor))
      bits = computeBits(instruction, rhs, lhs, own.members);
    if (bits.isNumber())
      return bits;
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
  bool isOfNatural = true;
  for (unsigned operand = 1; operand < instruction.operands.size(); ++operand) {
    Value value = get(operand);
    if (!value.isNumber() || value.lanes)
      return {};
    name += (operand == 1 ? " (" : ", ") + terms.print(value.number);
    auto [low, high] = assumptions.getRange(value.number);
    isOfNatural &= low >= 0;
    bool isMask = instruction.opcode == Opcode::And && value.isConstant() &&
                  value.number.constant >= 0;
    if (isMask)
      most = value.number.constant;
    if (instruction.opcode == Opcode::Rem && operand == 2 &&
        value.isConstant() && value.number.constant > 0)
      most = value.number.constant - 1;
  }
  if (isOfNatural || !isSigned(instruction))
    least = 0;
  Linear number;
  number.terms.push_back({terms.get(name + ")", least, most), 1});
  return makeNumber(number, {});
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
      TermId term = terms.get(name, std::numeric_limits<int32_t>::min(),
                              std::numeric_limits<int32_t>::max());
      auto known = facts.divisors.find(term);
      Linear loaded;
      loaded.terms.push_back(
          {term, known == facts.divisors.end() ? 1 : known->second});
      if (part->kind == OperandKind::Register)
        write(own, part->reg, makeNumber(loaded, {}), some);
    }
    return;
  }
  case Opcode::ElectSync: {
    // The first of the lanes, whichever class these are in.
    Value mask = read(instruction, instruction.operands.back(), own);
    if (!mask.isConstant() || uint32_t(mask.number.constant) == 0)
      return setAll({});
    unsigned first = llvm::countr_zero(uint32_t(mask.number.constant));
    auto lanes = std::make_shared<std::vector<int64_t>>(own.members.size(), 0);
    constexpr unsigned kWarp = 32;
    for (unsigned thread = first; thread < own.members.size(); thread += kWarp)
      (*lanes)[thread] = 1;
    setAll({});
    if (!line.writes.empty())
      write(own, line.writes.back(), makeNumber({}, lanes), some);
    return;
  }
  case Opcode::ShflSync: {
    // A value that all lanes have is that of each lane.
    Value value = read(instruction, instruction.operands[1], own);
    if (value.isNumber() && value.lanes && value.number.isConstant() &&
        instruction.has(Word::Idx)) {
      Value lane = read(instruction, instruction.operands[2], own);
      if (!lane.isConstant())
        return setAll({});
      auto lanes =
          std::make_shared<std::vector<int64_t>>(own.members.size(), 0);
      bool isInside = true;
      for (unsigned thread : own.members.set_bits()) {
        unsigned from = (thread & ~31u) | (lane.number.constant & 31);
        isInside &= own.members.test(from);
        (*lanes)[thread] = value.get(from);
      }
      value = isInside ? makeNumber({}, lanes) : Value();
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
  if (count >= launch.mostTrips) {
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
