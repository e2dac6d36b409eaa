//===- PoisonBits.cpp - which parts of values are poison ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PoisonBits.h.
//
//===----------------------------------------------------------------------===//

#include "PoisonBits.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel::sim;
using Leaves = PoisonBits::Leaves;

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

unsigned PoisonBits::countLeaves(Type type) {
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return array.getNumElements() * countLeaves(array.getElementType());
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements();
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type)) {
    unsigned count = 0;
    for (Type member : structure.getBody())
      count += countLeaves(member);
    return count;
  }
  return 1;
}

/// The first leaf of a part of an aggregate.
static unsigned findLeaf(Type type, ArrayRef<int64_t> position) {
  auto countLeaves = PoisonBits::countLeaves;
  unsigned first = 0;
  for (int64_t at : position) {
    if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
      type = array.getElementType();
      first += at * countLeaves(type);
      continue;
    }
    ArrayRef<Type> members = cast<LLVM::LLVMStructType>(type).getBody();
    for (Type before : members.take_front(at))
      first += countLeaves(before);
    type = members[at];
  }
  return first;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Leaves PoisonBits::get(Value value) const {
  auto found = leaves.find(value);
  return found == leaves.end() ? Leaves(countLeaves(value.getType()))
                               : found->second;
}

void PoisonBits::set(Value value, Leaves bits) {
  if (llvm::none_of(bits, [](Value bit) { return bool(bit); }))
    leaves.erase(value);
  else
    leaves[value] = std::move(bits);
}

void PoisonBits::addSources(Value value, Sources from) {
  Sources &known = sourcesOf[value];
  known.resize(numSources);
  if (!from.empty())
    known |= from;
}

Value PoisonBits::constant(bool bit) {
  return LLVM::ConstantOp::create(builder, loc, builder.getBoolAttr(bit));
}

Value PoisonBits::join(Value a, Value b) {
  if (!a || !b || a == b || !isBuilding)
    return a ? a : b;
  return LLVM::OrOp::create(builder, loc, a, b);
}

Value PoisonBits::joinAll(const Leaves &bits) {
  Value all;
  for (Value bit : bits)
    all = join(all, bit);
  return all;
}

Value PoisonBits::choose(Value condition, Value a, Value b) {
  if (a == b || !isBuilding)
    return a ? a : b;
  return LLVM::SelectOp::create(builder, loc, condition,
                                a ? a : constant(false),
                                b ? b : constant(false));
}

//===----------------------------------------------------------------------===//
// Computations
//===----------------------------------------------------------------------===//

Leaves PoisonBits::select(LLVM::SelectOp op) {
  Leaves a = get(op.getTrueValue()), b = get(op.getFalseValue());
  Leaves ofCondition = get(op.getCondition());
  bool isVector = isa<VectorType>(op.getCondition().getType());
  Leaves result;
  for (auto [number, bits] : llvm::enumerate(llvm::zip_equal(a, b))) {
    auto [taken, other] = bits;
    Value condition = op.getCondition();
    if (isVector && isBuilding && taken != other)
      condition = LLVM::ExtractElementOp::create(
          builder, loc, condition,
          LLVM::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(number)));
    result.push_back(join(choose(condition, taken, other),
                          ofCondition[isVector ? number : 0]));
  }
  return result;
}

static std::optional<uint64_t> getNumber(Value position) {
  APInt number;
  if (!matchPattern(position, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getZExtValue();
}

Value PoisonBits::isAt(Value position, unsigned number) {
  if (!isBuilding)
    return {};
  Value here =
      LLVM::ConstantOp::create(builder, loc, position.getType(), number);
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, position,
                              here);
}

Leaves PoisonBits::extract(LLVM::ExtractElementOp op) {
  Leaves from = get(op.getVector());
  Value ofPosition = get(op.getPosition()).front();
  if (std::optional<uint64_t> number = getNumber(op.getPosition()))
    return {*number < from.size() ? from[*number] : Value()};
  if (isClean(op.getVector()) || !isBuilding)
    return {join(joinAll(from), ofPosition)};
  Value bit;
  for (auto [number, leaf] : llvm::enumerate(from)) {
    bit = choose(isAt(op.getPosition(), number), leaf, bit);
  }
  return {join(bit, ofPosition)};
}

Leaves PoisonBits::insert(LLVM::InsertElementOp op) {
  Leaves result = get(op.getVector());
  Value bit = get(op.getValue()).front();
  Value ofPosition = get(op.getPosition()).front();
  std::optional<uint64_t> number = getNumber(op.getPosition());
  if (number && *number < result.size()) {
    result[*number] = bit;
    return result;
  }
  for (auto [number, leaf] : llvm::enumerate(result)) {
    Value isHere = leaf == bit ? Value() : isAt(op.getPosition(), number);
    leaf = join(choose(isHere, bit, leaf), ofPosition);
  }
  return result;
}

/// Poison of the mask is upstream's, of lanes that nothing reads.
Leaves PoisonBits::shuffle(LLVM::ShuffleVectorOp op) {
  Leaves from = get(op.getV1());
  llvm::append_range(from, get(op.getV2()));
  Leaves result;
  for (int32_t lane : op.getMask())
    result.push_back(lane < 0 ? Value() : from[lane]);
  return result;
}

Leaves PoisonBits::castBits(LLVM::BitcastOp op) {
  Leaves from = get(op.getArg());
  unsigned count = countLeaves(op.getType());
  if (from.size() % count != 0 && count % from.size() != 0)
    return Leaves(count, joinAll(from));
  Leaves result(count);
  for (unsigned i = 0, e = std::max<unsigned>(count, from.size()); i != e;
       ++i) {
    Value &to = result[i * count / e];
    to = join(to, from[i * from.size() / e]);
  }
  return result;
}

Leaves PoisonBits::extractPart(LLVM::ExtractValueOp op) {
  Leaves from = get(op.getContainer());
  unsigned at = findLeaf(op.getContainer().getType(), op.getPosition());
  auto part = ArrayRef(from).slice(at, countLeaves(op.getType()));
  return Leaves(part.begin(), part.end());
}

Leaves PoisonBits::insertPart(LLVM::InsertValueOp op) {
  Leaves result = get(op.getContainer());
  llvm::copy(get(op.getValue()),
             result.begin() + findLeaf(op.getType(), op.getPosition()));
  return result;
}

/// Element by element where all operands are numbers or as many as the result
/// has. Else each leaf may depend on all.
Leaves PoisonBits::computeByLeaf(Operation *op, Type type) {
  unsigned count = countLeaves(type);
  bool isByElement =
      !op->getName().getStringRef().starts_with("llvm.intr.vector.") &&
      isa<VectorType>(type);
  for (Type operand : op->getOperandTypes())
    isByElement &= countLeaves(operand) == count || countLeaves(operand) == 1;
  Leaves result(count);
  for (Value operand : op->getOperands()) {
    if (isClean(operand))
      continue;
    Leaves bits = get(operand);
    if (!isByElement || bits.size() != count)
      bits.assign(count, joinAll(bits));
    for (auto [to, bit] : llvm::zip_equal(result, bits))
      to = join(to, bit);
  }
  return result;
}

void PoisonBits::compute(Operation *op) {
  if (op->getNumResults() == 0 ||
      llvm::all_of(op->getOperands(), [&](Value of) { return isClean(of); })) {
    for (Value result : op->getResults())
      leaves.erase(result);
    return;
  }
  Leaves first =
      llvm::TypeSwitch<Operation *, Leaves>(op)
          .Case([&](LLVM::SelectOp op) { return select(op); })
          .Case([&](LLVM::ExtractElementOp op) { return extract(op); })
          .Case([&](LLVM::InsertElementOp op) { return insert(op); })
          .Case([&](LLVM::ShuffleVectorOp op) { return shuffle(op); })
          .Case([&](LLVM::BitcastOp op) { return castBits(op); })
          .Case([&](LLVM::ExtractValueOp op) { return extractPart(op); })
          .Case([&](LLVM::InsertValueOp op) { return insertPart(op); })
          .Case([&](LLVM::FreezeOp) { return Leaves(); })
          .Default([&](Operation *op) {
            return computeByLeaf(op, op->getResult(0).getType());
          });
  set(op->getResult(0), std::move(first));
  for (Value other : llvm::drop_begin(op->getResults()))
    set(other, computeByLeaf(op, other.getType()));
  if (isBuilding)
    return;
  for (Value result : op->getResults())
    for (Value operand : op->getOperands())
      if (!isClean(result) && !isClean(operand))
        addSources(result, sourcesOf[operand]);
}
