//===- RegisterPoison.cpp - registers that nothing has written ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register has a value once an instruction has written it. Those that may be
// read before (UnwrittenRegisters.cpp) have a second variable, whose bits say
// which bits of the register have no value. Few kernels have any. Instructions
// that only compute pass these bits on; a finding is made where one of them is
// used for more.
//
//===----------------------------------------------------------------------===//

#include "ThreadCode.h"

using namespace mlir;
using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandUse;
using ptx::RegisterId;
using ptx::Word;
using Kind = ptx::Operand::Kind;

//===----------------------------------------------------------------------===//
// Bits without a value
//===----------------------------------------------------------------------===//

void ThreadCode::findUnwritten() {
  for (RegisterId id : findUnwrittenRegisters(function)) {
    unsigned bits = getRegisterBits(id);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&target.getBody().front());
    Value variable =
        LLVM::AllocaOp::create(b, loc, pointer(), word(bits), i64(1));
    LLVM::StoreOp::create(
        b, loc,
        LLVM::ConstantOp::create(
            b, loc, b.getIntegerAttr(word(bits), APInt::getAllOnes(bits))),
        variable);
    poisons[id] = variable;
  }
}

/// The bits of an operand without a value, as read() has its bits. Null: none.
Value ThreadCode::getPoison(const Operand &operand, unsigned bits) {
  if (operand.kind != Kind::Register)
    return {};
  Value variable = poisons.lookup(operand.reg);
  if (!variable)
    return {};
  Value poison = LLVM::LoadOp::create(
      b, loc, word(getRegisterBits(operand.reg)), variable);
  return resize(poison, bits);
}

void ThreadCode::setPoison(RegisterId id, Value poison) {
  Value variable = poisons.lookup(id);
  if (!variable)
    return;
  unsigned bits = getRegisterBits(id);
  LLVM::StoreOp::create(
      b, loc, poison ? resize(poison, bits) : constant(bits, 0), variable);
}

void ThreadCode::checkWritten(const Operand &operand,
                              std::optional<unsigned> used) {
  if (operand.kind != Kind::Register)
    return;
  unsigned bits = getRegisterBits(operand.reg);
  bits = std::min(bits, used.value_or(bits));
  Value poison = getPoison(operand, bits);
  if (!poison)
    return;
  Value isPoison = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, poison,
                                        constant(bits, 0));
  Region &body = target.getBody();
  auto *report = new Block(), *after = new Block();
  body.push_back(report);
  body.push_back(after);
  LLVM::CondBrOp::create(b, loc, isPoison, report, after);
  b.setInsertionPointToEnd(report);
  call("carousel_sim_ptx_unwritten", {});
  LLVM::BrOp::create(b, loc, after);
  b.setInsertionPointToEnd(after);
}

/// Values may be copied to memory that knows of it or is the thread's own, and
/// handed to lanes that don't use them.
static bool passesOn(const Instruction &instruction, unsigned operand) {
  if (instruction.opcode == Opcode::St && operand == 1) {
    ptx::StateSpace space = instruction.getSpace(0);
    return space == ptx::StateSpace::Local || space == ptx::StateSpace::Param ||
           mayStorePoison(instruction);
  }
  return (instruction.opcode == Opcode::ShflSync && operand == 1) ||
         instruction.opcode == Opcode::Call;
}

void ThreadCode::checkOperands(const Instruction &instruction) {
  for (unsigned i = 0; i < instruction.operands.size(); ++i) {
    if (instruction.getSpec(i).use != OperandUse::Read ||
        passesOn(instruction, i))
      continue;
    // A store may be narrower than its register.
    std::optional<unsigned> used;
    if (instruction.opcode == Opcode::St && i == 1)
      used = ptx::getBits(getType(instruction, i));
    SmallVector<RegisterId> registers;
    collectRegisters(instruction.operands[i], registers);
    for (RegisterId id : registers) {
      Operand operand;
      operand.kind = Kind::Register;
      operand.reg = id;
      checkWritten(operand, used);
    }
  }
}

//===----------------------------------------------------------------------===//
// Computations
//===----------------------------------------------------------------------===//

namespace {

/// The bits without a value that one instruction makes.
class Propagation {
public:
  Propagation(ThreadCode &code, const Instruction &instruction)
      : code(code), b(code.b), instruction(instruction) {}

  void compute(SmallVectorImpl<std::pair<RegisterId, Value>> &results);

private:
  Value get(unsigned operand, unsigned bits) {
    return code.getPoison(instruction.operands[operand], bits);
  }
  Value getOrNone(unsigned operand, unsigned bits) {
    Value poison = get(operand, bits);
    return poison ? poison : code.constant(bits, 0);
  }
  Value join(Value x, Value y) {
    return !x ? y : !y ? x : Value(LLVM::OrOp::create(b, code.loc, x, y));
  }
  /// All bits, if one of these has no value.
  Value spread(Value poison, unsigned bits) {
    if (!poison)
      return {};
    unsigned from = poison.getType().getIntOrFloatBitWidth();
    Value any = LLVM::ICmpOp::create(b, code.loc, LLVM::ICmpPredicate::ne,
                                     poison, code.constant(from, 0));
    return code.resize(any, bits, /*isSigned=*/true);
  }
  /// All bits, if an operand has a bit without a value.
  Value joinAll(unsigned bits);
  Value joinHalves(unsigned from, unsigned half);
  Value computeLogic(unsigned bits);
  Value computeShift(unsigned bits);
  Value computeTable();
  Value computeInsertion(unsigned bits);
  Value computeExtraction(unsigned bits);
  Value computePermutation();
  std::optional<uint64_t> getNumber(unsigned operand) const;
  Value computeSelection(unsigned bits);
  Value computeConversion(unsigned bits);
  Value computeScalar(unsigned bits);
  void moveVector(SmallVectorImpl<std::pair<RegisterId, Value>> &results);

  ThreadCode &code;
  OpBuilder &b;
  const Instruction &instruction;
};

} // namespace

Value Propagation::joinAll(unsigned bits) {
  Value all;
  for (RegisterId id : getRegisters(instruction, /*areWritten=*/false)) {
    Operand operand;
    operand.kind = Kind::Register;
    operand.reg = id;
    all = join(all,
               spread(code.getPoison(operand, code.getRegisterBits(id)), bits));
  }
  return all;
}

/// The same for `half` bits from `from` on of operands that have two halves.
Value Propagation::joinHalves(unsigned from, unsigned half) {
  Value all;
  for (RegisterId id : getRegisters(instruction, /*areWritten=*/false)) {
    Operand operand;
    operand.kind = Kind::Register;
    operand.reg = id;
    unsigned width = code.getRegisterBits(id);
    Value poison = code.getPoison(operand, width);
    if (poison && width == 2 * half)
      poison = code.resize(
          LLVM::LShrOp::create(b, code.loc, poison, code.constant(width, from)),
          half);
    all = join(all, spread(poison, half));
  }
  return all;
}

/// A bit has a value if the other operand's bit decides it.
Value Propagation::computeLogic(unsigned bits) {
  if (instruction.opcode == Opcode::Not)
    return get(1, bits);
  Value x = getOrNone(1, bits), y = getOrNone(2, bits);
  const Operand &first = instruction.operands[1],
                &second = instruction.operands[2];
  // Compilers make a zero so.
  if (instruction.opcode == Opcode::Xor && first.kind == Kind::Register &&
      second.kind == Kind::Register && first.reg == second.reg)
    return {};
  if (instruction.opcode == Opcode::Xor)
    return join(x, y);
  Value valueX = code.read(instruction, 1), valueY = code.read(instruction, 2);
  if (instruction.opcode == Opcode::Or) {
    Value ones = code.constant(bits, ~uint64_t(0));
    valueX = LLVM::XOrOp::create(b, code.loc, valueX, ones);
    valueY = LLVM::XOrOp::create(b, code.loc, valueY, ones);
  }
  auto both = [&](Value p, Value q) -> Value {
    return LLVM::AndOp::create(b, code.loc, p, q);
  };
  return join(both(x, y), join(both(x, valueY), both(valueX, y)));
}

std::optional<uint64_t> Propagation::getNumber(unsigned operand) const {
  const Operand &given = instruction.operands[operand];
  if (given.kind != Kind::Immediate)
    return std::nullopt;
  return given.value.bits;
}

/// lop3: a bit has a value if the table gives the same for all that those
/// without a value may be.
Value Propagation::computeTable() {
  constexpr unsigned kBits = 32, kInputs = 3;
  std::optional<uint64_t> table = getNumber(kInputs + 1);
  if (!table)
    return joinAll(kBits);
  Value possible[kInputs][2];
  for (unsigned i = 0; i < kInputs; ++i) {
    Value value = code.read(instruction, i + 1),
          poison = getOrNone(i + 1, kBits);
    Value inverse = LLVM::XOrOp::create(b, code.loc, value,
                                        code.constant(kBits, ~uint64_t(0)));
    possible[i][0] = join(inverse, poison);
    possible[i][1] = join(value, poison);
  }
  Value results[2];
  for (unsigned row = 0; row < 1u << kInputs; ++row) {
    Value all = possible[0][row >> 2 & 1];
    all = LLVM::AndOp::create(b, code.loc, all, possible[1][row >> 1 & 1]);
    all = LLVM::AndOp::create(b, code.loc, all, possible[2][row & 1]);
    Value &result = results[*table >> row & 1];
    result = join(result, all);
  }
  if (!results[0] || !results[1])
    return {};
  return LLVM::AndOp::create(b, code.loc, results[0], results[1]);
}

/// bfi at a place that the text gives.
Value Propagation::computeInsertion(unsigned bits) {
  std::optional<uint64_t> position = getNumber(3), length = getNumber(4);
  if (!position || !length)
    return joinAll(bits);
  // Both are of 8 bits.
  auto begin = std::min(unsigned(*position & 0xff), bits);
  auto end = std::min(begin + unsigned(*length & 0xff), bits);
  APInt field = APInt::getBitsSet(bits, begin, end);
  if (field.isZero())
    return get(2, bits);
  Value inserted = LLVM::ShlOp::create(b, code.loc, getOrNone(1, bits),
                                       code.constant(bits, begin));
  inserted = LLVM::AndOp::create(b, code.loc, inserted,
                                 code.constant(bits, field.getZExtValue()));
  Value kept =
      LLVM::AndOp::create(b, code.loc, getOrNone(2, bits),
                          code.constant(bits, (~field).getZExtValue()));
  return join(inserted, kept);
}

/// bfe at a place that the text gives. A sign has no value if its bit has none.
Value Propagation::computeExtraction(unsigned bits) {
  std::optional<uint64_t> position = getNumber(2), length = getNumber(3);
  if (!position || !length)
    return joinAll(bits);
  bool isSigned = ptx::getClass(ThreadCode::getType(instruction, 0)) ==
                  ptx::TypeClass::Signed;
  // Both are of 8 bits. Past the end, all bits are the sign.
  unsigned begin = *position & 0xff,
           end = std::min(begin + unsigned(*length & 0xff), bits);
  if ((*length & 0xff) == 0 || (begin >= bits && !isSigned))
    return {};
  begin = std::min(begin, bits - 1);
  Value field = LLVM::ShlOp::create(b, code.loc, getOrNone(1, bits),
                                    code.constant(bits, bits - end));
  Value by = code.constant(bits, bits - (end - begin));
  if (isSigned)
    return LLVM::AShrOp::create(b, code.loc, field, by);
  return LLVM::LShrOp::create(b, code.loc, field, by);
}

/// prmt without a mode. A sign takes the whole byte.
Value Propagation::computePermutation() {
  constexpr unsigned kBits = 32, kWide = 64, kBytes = 4;
  if (llvm::any_of(instruction.modifiers, [](auto modifier) {
        return modifier && *modifier != Word::B32;
      }))
    return joinAll(kBits);
  Value sources = code.resize(getOrNone(2, kBits), kWide);
  sources =
      LLVM::ShlOp::create(b, code.loc, sources, code.constant(kWide, kBits));
  sources = join(sources, code.resize(getOrNone(1, kBits), kWide));
  Value selector = code.resize(code.read(instruction, 3), kWide);
  auto select = [&](unsigned bit, uint64_t mask) -> Value {
    Value part =
        LLVM::LShrOp::create(b, code.loc, selector, code.constant(kWide, bit));
    return LLVM::AndOp::create(b, code.loc, part, code.constant(kWide, mask));
  };
  Value all;
  for (unsigned i = 0; i < kBytes; ++i) {
    Value from = LLVM::ShlOp::create(b, code.loc, select(4 * i, 7),
                                     code.constant(kWide, 3));
    Value poison =
        code.resize(LLVM::LShrOp::create(b, code.loc, sources, from), 8);
    Value isSign = code.resize(select(4 * i + 3, 1), 1);
    poison =
        LLVM::SelectOp::create(b, code.loc, isSign, spread(poison, 8), poison);
    all = join(all, LLVM::ShlOp::create(b, code.loc, code.resize(poison, kBits),
                                        code.constant(kBits, 8 * i)));
  }
  return join(all, spread(get(3, kBits), kBits));
}

Value Propagation::computeShift(unsigned bits) {
  Value poison = getOrNone(1, bits);
  Value amount =
      code.read(instruction, instruction.operands[2], ptx::Type::U32);
  Value last = code.i32(bits - 1);
  Value isPast =
      LLVM::ICmpOp::create(b, code.loc, LLVM::ICmpPredicate::ugt, amount, last);
  Value by = code.resize(
      LLVM::SelectOp::create(b, code.loc, isPast, last, amount), bits);
  bool isSigned = instruction.opcode == Opcode::Shr &&
                  ptx::getClass(ThreadCode::getType(instruction, 0)) ==
                      ptx::TypeClass::Signed;
  Value shifted;
  if (isSigned)
    shifted = LLVM::AShrOp::create(b, code.loc, poison, by);
  else if (instruction.opcode == Opcode::Shr)
    shifted = LLVM::LShrOp::create(b, code.loc, poison, by);
  else
    shifted = LLVM::ShlOp::create(b, code.loc, poison, by);
  if (!isSigned)
    shifted = LLVM::SelectOp::create(b, code.loc, isPast,
                                     code.constant(bits, 0), shifted);
  return join(shifted, spread(get(2, 32), bits));
}

Value Propagation::computeSelection(unsigned bits) {
  Value chosen = LLVM::SelectOp::create(b, code.loc, code.read(instruction, 3),
                                        getOrNone(1, bits), getOrNone(2, bits));
  return join(chosen, spread(get(3, 1), bits));
}

/// Between integers; others need all their bits.
Value Propagation::computeConversion(unsigned bits) {
  ptx::Type to = ThreadCode::getType(instruction, 0),
            from = ThreadCode::getType(instruction, 1);
  auto isInteger = [](ptx::Type type) {
    ptx::TypeClass kind = ptx::getClass(type);
    return kind == ptx::TypeClass::Signed || kind == ptx::TypeClass::Unsigned;
  };
  const Operand &source = instruction.operands[1];
  if (!isInteger(from) || source.kind != Kind::Register || !source.part.empty())
    return joinAll(bits);
  Value poison = get(1, ptx::getBits(from));
  if (!poison)
    return {};
  if (!isInteger(to) || instruction.has(Word::Sat))
    return spread(poison, bits);
  bool isSigned = ptx::getClass(from) == ptx::TypeClass::Signed;
  return code.resize(code.resize(poison, ptx::getBits(to), isSigned), bits,
                     isSigned);
}

Value Propagation::computeScalar(unsigned bits) {
  switch (instruction.opcode) {
  case Opcode::Mov:
    return get(1, bits);
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor:
  case Opcode::Not:
    return computeLogic(bits);
  case Opcode::Shl:
  case Opcode::Shr:
    return computeShift(bits);
  case Opcode::Selp:
    return computeSelection(bits);
  case Opcode::Cvt:
    return computeConversion(bits);
  case Opcode::Lop3:
    return computeTable();
  case Opcode::Bfi:
    return computeInsertion(bits);
  case Opcode::Bfe:
    return computeExtraction(bits);
  case Opcode::Prmt:
    return computePermutation();
  default:
    break;
  }
  ptx::Type type = ThreadCode::getType(instruction, 0);
  if (type != ptx::Type::F16x2 && type != ptx::Type::BF16x2 &&
      type != ptx::Type::F32x2)
    return joinAll(bits);
  // Two elements, each of its own.
  unsigned half = bits / 2;
  Value low = joinHalves(0, half), high = joinHalves(half, half);
  Value both;
  if (low)
    both = code.resize(low, bits);
  if (high)
    both = join(both, LLVM::ShlOp::create(b, code.loc, code.resize(high, bits),
                                          code.constant(bits, half)));
  return both;
}

/// mov between a register and a vector of its parts.
void Propagation::moveVector(
    SmallVectorImpl<std::pair<RegisterId, Value>> &results) {
  const Operand &to = instruction.operands[0], &from = instruction.operands[1];
  unsigned bits = ptx::getBits(ThreadCode::getType(instruction, 0));
  if (from.kind == Kind::Vector) {
    unsigned part = bits / unsigned(from.elements.size());
    Value all;
    for (auto [i, element] : llvm::enumerate(from.elements))
      if (Value poison = code.getPoison(element, part))
        all = join(all,
                   LLVM::ShlOp::create(b, code.loc, code.resize(poison, bits),
                                       code.constant(bits, i * part)));
    if (to.kind == Kind::Register)
      results.push_back({to.reg, all});
    return;
  }
  unsigned part = bits / unsigned(to.elements.size());
  Value all = code.getPoison(from, bits);
  for (auto [i, element] : llvm::enumerate(to.elements))
    if (element.kind == Kind::Register)
      results.push_back(
          {element.reg, all ? code.resize(LLVM::LShrOp::create(
                                              b, code.loc, all,
                                              code.constant(bits, i * part)),
                                          part)
                            : Value()});
}

void Propagation::compute(
    SmallVectorImpl<std::pair<RegisterId, Value>> &results) {
  if (instruction.opcode == Opcode::Mov &&
      (instruction.operands[0].kind == Kind::Vector ||
       instruction.operands[1].kind == Kind::Vector))
    return moveVector(results);
  SmallVector<RegisterId> written =
      getRegisters(instruction, /*areWritten=*/true);
  bool isScalar =
      written.size() == 1 && instruction.operands[0].kind == Kind::Register;
  for (RegisterId id : written) {
    unsigned bits = code.getRegisterBits(id);
    results.push_back({id, isScalar ? computeScalar(bits) : joinAll(bits)});
  }
}

SmallVector<std::pair<RegisterId, Value>>
ThreadCode::propagate(const Instruction &instruction) {
  SmallVector<std::pair<RegisterId, Value>> results;
  auto mayBePoison = [&](RegisterId id) { return poisons.contains(id); };
  // Where all operands have values, writeRegister says so of the results.
  if (llvm::any_of(getRegisters(instruction, /*areWritten=*/false),
                   mayBePoison))
    Propagation(*this, instruction).compute(results);
  return results;
}
