//===- InlineValues.cpp - frequent arithmetic in the thread's code --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that the host has: moves, integer arithmetic without carry and
// saturation, logic, shifts, comparisons, selections, conversions of integers
// and of bf16, and sums, products, fma and extrema of f32 that round to nearest
// and keep subnormals. A NaN that one gives has PTX's bits; those of f64 keep
// parts of their operands', which the host's instructions don't promise.
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
using ptx::TypeClass;
using ptx::Word;
using Kind = ptx::Operand::Kind;

namespace {

class Inline {
public:
  Inline(ThreadCode &code, const Instruction &instruction)
      : code(code), instruction(instruction), b(code.b), loc(code.loc) {}

  bool run();

private:
  Value get(unsigned operand) {
    return code.read(instruction, instruction.operands[operand], type);
  }
  bool set(Value value) {
    code.write(instruction.operands[0], value);
    return true;
  }
  bool isSigned() const { return ptx::getClass(type) == TypeClass::Signed; }
  bool isFloat() const {
    return type == ptx::Type::F32 || type == ptx::Type::F64;
  }
  bool isSimpleInteger() const {
    return ptx::isInteger(type) && ptx::getBits(type) >= 16 &&
           !has(Word::Sat) && !has(Word::Cc);
  }
  bool has(Word word) const { return instruction.has(word); }
  mlir::Type floatType() {
    return type == ptx::Type::F32 ? mlir::Type(b.getF32Type())
                                  : mlir::Type(b.getF64Type());
  }
  Value getFloat(unsigned operand) {
    return LLVM::BitcastOp::create(b, loc, floatType(), get(operand));
  }
  bool setFloat(Value value);
  bool isPlainFloat() const {
    return type == ptx::Type::F32 && !has(Word::Ftz) && !has(Word::Sat) &&
           !has(Word::Rz) && !has(Word::Rm) && !has(Word::Rp) &&
           instruction.operands.size() <= 4;
  }
  bool sum();
  bool product();
  bool multiplyAdd();
  bool shift();
  bool compare();
  bool select();
  bool convert();
  bool extremum();
  bool floatExtremum();
  bool changeSign();
  bool move();
  Value narrowToBF16(Value bits);
  template <typename Op> bool binary() {
    Value left = get(1), right = get(2);
    return set(Op::create(b, loc, left, right));
  }
  template <typename Op> bool floatBinary() {
    Value left = getFloat(1), right = getFloat(2);
    return setFloat(Op::create(b, loc, left, right));
  }

  ThreadCode &code;
  const Instruction &instruction;
  OpBuilder &b;
  Location loc;
  ptx::Type type = ptx::Type::B32;
};

} // namespace

bool Inline::setFloat(Value value) {
  Value isNaN =
      LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::uno, value, value);
  Value word = LLVM::BitcastOp::create(b, loc, code.word(32), value);
  return set(LLVM::SelectOp::create(b, loc, isNaN, code.i32(0x7fffffff), word));
}

bool Inline::sum() {
  bool isAdd = instruction.opcode == Opcode::Add;
  if (isPlainFloat() && instruction.getTypes().size() == 1)
    return isAdd ? floatBinary<LLVM::FAddOp>() : floatBinary<LLVM::FSubOp>();
  if (!isSimpleInteger())
    return false;
  return isAdd ? binary<LLVM::AddOp>() : binary<LLVM::SubOp>();
}

bool Inline::product() {
  if (isPlainFloat())
    return floatBinary<LLVM::FMulOp>();
  if (!isSimpleInteger())
    return false;
  if (has(Word::Lo))
    return binary<LLVM::MulOp>();
  unsigned bits = ptx::getBits(type);
  Value left = code.resize(get(1), 2 * bits, isSigned()),
        right = code.resize(get(2), 2 * bits, isSigned());
  Value wide = LLVM::MulOp::create(b, loc, left, right);
  if (has(Word::Wide))
    return set(wide);
  Value high =
      LLVM::LShrOp::create(b, loc, wide, code.constant(2 * bits, bits));
  return set(code.resize(high, bits));
}

bool Inline::multiplyAdd() {
  if (isPlainFloat() && instruction.getTypes().size() == 1) {
    Value factors[] = {getFloat(1), getFloat(2), getFloat(3)};
    return setFloat(
        LLVM::FMAOp::create(b, loc, factors[0], factors[1], factors[2]));
  }
  if (!isSimpleInteger() || has(Word::Hi))
    return false;
  if (has(Word::Lo)) {
    Value left = get(1), right = get(2), added = get(3);
    Value factors = LLVM::MulOp::create(b, loc, left, right);
    return set(LLVM::AddOp::create(b, loc, factors, added));
  }
  unsigned bits = 2 * ptx::getBits(type);
  Value left = code.resize(get(1), bits, isSigned()),
        right = code.resize(get(2), bits, isSigned());
  Value added = code.read(instruction, 3);
  Value factors = LLVM::MulOp::create(b, loc, left, right);
  return set(LLVM::AddOp::create(b, loc, factors, added));
}

/// Amounts above the width count as the width.
bool Inline::shift() {
  unsigned bits = ptx::getBits(type);
  Value value = get(1), amount = code.read(instruction, 2);
  Value most = code.i32(bits - 1);
  Value isBeyond =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ugt, amount, most);
  Value least = LLVM::SelectOp::create(b, loc, isBeyond, most, amount);
  Value by = code.resize(least, bits);
  if (instruction.opcode == Opcode::Shr && isSigned())
    return set(LLVM::AShrOp::create(b, loc, value, by));
  Value shifted = instruction.opcode == Opcode::Shl
                      ? Value(LLVM::ShlOp::create(b, loc, value, by))
                      : Value(LLVM::LShrOp::create(b, loc, value, by));
  return set(LLVM::SelectOp::create(b, loc, isBeyond, code.constant(bits, 0),
                                    shifted));
}

static std::optional<LLVM::ICmpPredicate> getIntegerPredicate(Word word,
                                                              bool isSigned) {
  using P = LLVM::ICmpPredicate;
  switch (word) {
  case Word::Eq:
    return P::eq;
  case Word::Ne:
    return P::ne;
  case Word::Lt:
    return isSigned ? P::slt : P::ult;
  case Word::Le:
    return isSigned ? P::sle : P::ule;
  case Word::Gt:
    return isSigned ? P::sgt : P::ugt;
  case Word::Ge:
    return isSigned ? P::sge : P::uge;
  case Word::Lo:
    return P::ult;
  case Word::Ls:
    return P::ule;
  case Word::Hi:
    return P::ugt;
  case Word::Hs:
    return P::uge;
  default:
    return std::nullopt;
  }
}

static std::optional<LLVM::FCmpPredicate> getFloatPredicate(Word word) {
  using P = LLVM::FCmpPredicate;
  switch (word) {
  case Word::Eq:
    return P::oeq;
  case Word::Ne:
    return P::one;
  case Word::Lt:
    return P::olt;
  case Word::Le:
    return P::ole;
  case Word::Gt:
    return P::ogt;
  case Word::Ge:
    return P::oge;
  case Word::Equ:
    return P::ueq;
  case Word::Neu:
    return P::une;
  case Word::Ltu:
    return P::ult;
  case Word::Leu:
    return P::ule;
  case Word::Gtu:
    return P::ugt;
  case Word::Geu:
    return P::uge;
  case Word::Num:
    return P::ord;
  case Word::Nan:
    return P::uno;
  default:
    return std::nullopt;
  }
}

bool Inline::compare() {
  const Operand &result = instruction.operands[0];
  if (has(Word::Ftz) || has(Word::And) || has(Word::Or) || has(Word::Xor) ||
      result.kind != Kind::Register || !instruction.modifiers[0])
    return false;
  Word word = *instruction.modifiers[0];
  if (isFloat()) {
    auto predicate = getFloatPredicate(word);
    if (!predicate)
      return false;
    Value left = getFloat(1), right = getFloat(2);
    return set(LLVM::FCmpOp::create(b, loc, *predicate, left, right));
  }
  TypeClass kind = ptx::getClass(type);
  if (kind != TypeClass::Bits && !ptx::isInteger(type))
    return false;
  auto predicate = getIntegerPredicate(word, isSigned());
  if (!predicate)
    return false;
  Value left = get(1), right = get(2);
  return set(LLVM::ICmpOp::create(b, loc, *predicate, left, right));
}

bool Inline::select() {
  Value then = get(1), otherwise = get(2), holds = code.read(instruction, 3);
  return set(LLVM::SelectOp::create(b, loc, holds, then, otherwise));
}

/// f32 to bf16, to nearest even.
Value Inline::narrowToBF16(Value bits) {
  Value number = LLVM::BitcastOp::create(b, loc, b.getF32Type(), bits);
  Value isNaN =
      LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::uno, number, number);
  Value odd = LLVM::AndOp::create(
      b, loc, LLVM::LShrOp::create(b, loc, bits, code.i32(16)), code.i32(1));
  Value bias = LLVM::AddOp::create(b, loc, odd, code.i32(0x7fff));
  Value rounded = LLVM::LShrOp::create(
      b, loc, LLVM::AddOp::create(b, loc, bits, bias), code.i32(16));
  return LLVM::SelectOp::create(b, loc, isNaN, code.i32(0x7fff), rounded);
}

/// Converts between integers, without saturation, and between f32 and bf16.
bool Inline::convert() {
  auto types = instruction.getTypes();
  if (has(Word::Relu) || has(Word::Satfinite) || has(Word::Ftz) ||
      has(Word::Rz) || has(Word::Rs))
    return false;
  if (types.size() == 2 && types[0] == ptx::Type::F32 &&
      types[1] == ptx::Type::BF16) {
    Value half = code.read(instruction, instruction.operands[1], types[1]);
    return set(
        LLVM::ShlOp::create(b, loc, code.resize(half, 32), code.i32(16)));
  }
  bool isFromF32 = types.size() == 2 && types[1] == ptx::Type::F32 &&
                   has(Word::Rn) && !has(Word::Sat);
  if (isFromF32 && types[0] == ptx::Type::BF16)
    return set(narrowToBF16(
        code.read(instruction, instruction.operands[1], types[1])));
  if (isFromF32 && types[0] == ptx::Type::BF16x2) {
    // The first source is the upper half.
    Value upper = narrowToBF16(code.read(instruction, 1)),
          lower = narrowToBF16(code.read(instruction, 2));
    upper = LLVM::ShlOp::create(b, loc, upper, code.i32(16));
    return set(LLVM::OrOp::create(b, loc, upper, lower));
  }
  if (types.size() != 2 || !ptx::isInteger(types[0]) ||
      !ptx::isInteger(types[1]) || has(Word::Sat))
    return false;
  Value value = code.read(instruction, instruction.operands[1], types[1]);
  unsigned bits = ptx::getBits(types[0]);
  value =
      code.resize(value, bits, ptx::getClass(types[1]) == TypeClass::Signed);
  code.write(instruction.operands[0], value,
             ptx::getClass(types[0]) == TypeClass::Signed);
  return true;
}

bool Inline::extremum() {
  if (!isSimpleInteger() || has(Word::Relu))
    return false;
  bool isMin = instruction.opcode == Opcode::Min;
  Value left = get(1), right = get(2);
  auto predicate = getIntegerPredicate(isMin ? Word::Lt : Word::Gt, isSigned());
  Value isLeft = LLVM::ICmpOp::create(b, loc, *predicate, left, right);
  return set(LLVM::SelectOp::create(b, loc, isLeft, left, right));
}

/// A NaN loses to a number, and -0 to +0.
bool Inline::floatExtremum() {
  if (type != ptx::Type::F32 || has(Word::Ftz) || has(Word::NaN) ||
      has(Word::Abs) || instruction.operands.size() != 3)
    return false;
  bool isMin = instruction.opcode == Opcode::Min;
  Value left = getFloat(1), right = getFloat(2);
  Value leftWord = get(1), rightWord = get(2);
  Value isEqual =
      LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::oeq, left, right);
  // Equal numbers differ in the sign of zero at most.
  Value ofEqual = isMin
                      ? Value(LLVM::OrOp::create(b, loc, leftWord, rightWord))
                      : Value(LLVM::AndOp::create(b, loc, leftWord, rightWord));
  Value isLeft = LLVM::FCmpOp::create(
      b, loc, isMin ? LLVM::FCmpPredicate::olt : LLVM::FCmpPredicate::ogt, left,
      right);
  Value rightIsNaN =
      LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::uno, right, right);
  Value takesLeft = LLVM::OrOp::create(b, loc, isLeft, rightIsNaN);
  Value taken = LLVM::SelectOp::create(b, loc, takesLeft, leftWord, rightWord);
  Value result = LLVM::SelectOp::create(b, loc, isEqual, ofEqual, taken);
  Value number = LLVM::BitcastOp::create(b, loc, floatType(), result);
  Value isNaN =
      LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::uno, number, number);
  return set(
      LLVM::SelectOp::create(b, loc, isNaN, code.i32(0x7fffffff), result));
}

bool Inline::changeSign() {
  if (type != ptx::Type::F32 || has(Word::Ftz))
    return false;
  constexpr uint32_t kSign = 1u << 31;
  Value value = get(1);
  Value changed =
      instruction.opcode == Opcode::Neg
          ? Value(LLVM::XOrOp::create(b, loc, value, code.i32(kSign)))
          : Value(LLVM::AndOp::create(b, loc, value, code.i32(kSign - 1)));
  return setFloat(LLVM::BitcastOp::create(b, loc, b.getF32Type(), changed));
}

/// Moves to and from the parts of a register, low first.
bool Inline::move() {
  const Operand &target = instruction.operands[0],
                &source = instruction.operands[1];
  unsigned bits = ptx::getBits(type);
  auto isPlain = [](const Operand &operand) {
    return operand.kind == Kind::Immediate || operand.kind == Kind::Sink ||
           (operand.kind == Kind::Register && operand.part.empty());
  };
  bool isPack = source.kind == Kind::Vector;
  ArrayRef<Operand> parts = isPack ? source.elements : target.elements;
  if (!llvm::all_of(parts, isPlain) || !isPlain(isPack ? target : source))
    return false;
  unsigned each = bits / unsigned(parts.size());
  if (!isPack) {
    Value value = get(1);
    for (auto [i, part] : llvm::enumerate(parts))
      code.write(
          part, code.resize(LLVM::LShrOp::create(b, loc, value,
                                                 code.constant(bits, i * each)),
                            each));
    return true;
  }
  Value all;
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value value = part.kind == Kind::Immediate
                      ? code.constant(each, part.value.bits)
                      : code.resize(code.readRegister(part.reg), each);
    value = LLVM::ShlOp::create(b, loc, code.resize(value, bits),
                                code.constant(bits, i * each));
    all = all ? Value(LLVM::OrOp::create(b, loc, all, value)) : value;
  }
  return set(all);
}

/// Whether all operands are values that a register of the thread may hold.
static bool hasPlainOperands(const Instruction &instruction) {
  return llvm::all_of(instruction.operands, [](const Operand &operand) {
    return operand.kind == Kind::Immediate ||
           (operand.kind == Kind::Register && operand.part.empty());
  });
}

bool Inline::run() {
  auto types = instruction.getTypes();
  if (types.empty())
    return false;
  type = types[0];
  if (instruction.opcode == Opcode::Mov)
    return move();
  if (!hasPlainOperands(instruction))
    return false;
  switch (instruction.opcode) {
  case Opcode::Add:
  case Opcode::Sub:
    return sum();
  case Opcode::Mul:
    return product();
  case Opcode::Fma:
  case Opcode::Mad:
    return multiplyAdd();
  case Opcode::And:
    return binary<LLVM::AndOp>();
  case Opcode::Or:
    return binary<LLVM::OrOp>();
  case Opcode::Xor:
    return binary<LLVM::XOrOp>();
  case Opcode::Not: {
    Value value = get(1);
    return set(LLVM::XOrOp::create(
        b, loc, value, code.constant(ptx::getBits(type), ~uint64_t(0))));
  }
  case Opcode::Shl:
  case Opcode::Shr:
    return shift();
  case Opcode::Setp:
    return compare();
  case Opcode::Selp:
    return select();
  case Opcode::Cvt:
    return convert();
  case Opcode::Min:
  case Opcode::Max:
    return isFloat() ? floatExtremum() : extremum();
  case Opcode::Neg:
  case Opcode::Abs:
    return changeSign();
  default:
    return false;
  }
}

bool sim::translateInline(ThreadCode &code, const Instruction &instruction) {
  return Inline(code, instruction).run();
}
