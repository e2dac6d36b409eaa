//===- TrackPoison.cpp - where poison goes --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works on a kernel in the LLVM dialect, before accesses are checked, so that
// it has few ops, and each means what the host computes. Each number that a
// value consists of is a leaf: an element of a vector, a member of a struct. It
// has a bit if it may be poison. An analysis finds these leaves as a fixed
// point over the blocks; a second pass over the same ops, by the same
// functions, computes their bits. Those that are known are constants, which the
// host's compiler folds. Blocks get bits as arguments, and the vectors of block
// programs have theirs in memory of the thread, behind the vectors.
//
//===----------------------------------------------------------------------===//

#include "Machine/MachineLowering.h"
#include "PoisonSources.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel::sim;
using namespace carousel;

namespace {

class PoisonBits {
public:
  /// The bit of each leaf; null for a leaf that is no poison.
  using Leaves = llvm::SmallVector<mlir::Value, 4>;
  using Sources = llvm::SmallBitVector;

  PoisonBits(mlir::Location loc, unsigned numSources)
      : builder(loc.getContext()), loc(loc), numSources(numSources) {}

  static unsigned countLeaves(mlir::Type type);

  bool isClean(mlir::Value value) const { return !leaves.contains(value); }
  Leaves get(mlir::Value value) const;
  void set(mlir::Value value, Leaves bits);
  void clear(mlir::Value value) { leaves.erase(value); }
  /// The ops whose poison a value may be.
  const Sources &getSources(mlir::Value value) { return sourcesOf[value]; }
  void addSources(mlir::Value value, Sources from);

  mlir::Value constant(bool bit);
  mlir::Value joinAll(const Leaves &bits);
  /// The results of an op without effects.
  void compute(mlir::Operation *op);

  /// Bits are computed here.
  mlir::OpBuilder builder;
  bool isBuilding = false;

private:
  mlir::Value join(mlir::Value a, mlir::Value b);
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value isAt(mlir::Value position, unsigned number);
  Leaves select(mlir::LLVM::SelectOp op);
  Leaves extract(mlir::LLVM::ExtractElementOp op);
  Leaves insert(mlir::LLVM::InsertElementOp op);
  Leaves shuffle(mlir::LLVM::ShuffleVectorOp op);
  Leaves castBits(mlir::LLVM::BitcastOp op);
  Leaves extractPart(mlir::LLVM::ExtractValueOp op);
  Leaves insertPart(mlir::LLVM::InsertValueOp op);
  Leaves computeByLeaf(mlir::Operation *op, mlir::Type type);

  mlir::Location loc;
  unsigned numSources;
  llvm::DenseMap<mlir::Value, Leaves> leaves; ///< of values that may be poison
  llvm::DenseMap<mlir::Value, Sources> sourcesOf;
};

} // namespace

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

using Sources = PoisonBits::Sources;

static std::optional<unsigned> getSource(Operation *op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  StringRef name = call ? call.getCallee().value_or("") : "";
  unsigned number;
  if (!name.consume_front(kPoisonPrefix) || name.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

namespace {

class PoisonTracker {
public:
  PoisonTracker(LLVM::LLVMFuncOp function, KernelModule &kernel,
                SiteTable &sites, PoisonChecks &checks)
      : function(function), kernel(kernel), sites(sites), checks(checks),
        bits(function.getLoc(), kernel.poison.size()) {}

  void run();
  bool hasBitsOfValues() const { return areValuesTracked; }

private:
  // Ops.
  void visit(Operation *op);
  void visitCall(LLVM::CallOp op);
  void visitLoad(LLVM::LoadOp op);
  void visitStore(LLVM::StoreOp op);
  void visitEffects(Operation *op);
  Value getBitOfValues(Value address);
  bool visitRegisters(LLVM::LoadOp op);
  bool visitRegisters(LLVM::StoreOp op);
  void check(Operation *op, Value value, StringRef what);

  // Blocks.
  void analyse();
  void enter(Operation *branch);
  void addArguments();
  void passArguments(Operation *branch);

  LLVM::LLVMFuncOp function;
  KernelModule &kernel;
  SiteTable &sites;
  PoisonChecks &checks;
  PoisonBits bits;
  /// Whether vectors of a block program may be poison, and whose.
  bool areValuesTracked = false;
  Sources sourcesOfValues;
  /// The same for registers of products.
  bool areRegistersTracked = false;
  Sources sourcesOfRegisters;
  /// The bits that a block takes, as arguments and leaves of them.
  DenseMap<Block *, SmallVector<std::pair<unsigned, unsigned>>> passed;
  bool isChanged = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Memory, branches and calls
//===----------------------------------------------------------------------===//

void PoisonTracker::check(Operation *op, Value value, StringRef what) {
  if (!bits.isBuilding || bits.isClean(value))
    return;
  std::string sources;
  constexpr unsigned kMost = 3;
  unsigned count = 0;
  for (unsigned source : bits.getSources(value).set_bits()) {
    if (count++ == kMost)
      sources += " or others";
    if (count <= kMost)
      sources +=
          (count == 1 ? "the poison of " : " or of ") + kernel.poison[source];
  }
  MachineCall call(bits.builder, op->getLoc(), op, sites.get(op->getLoc()));
  call.emit("carousel_sim_check_poison",
            {bits.joinAll(bits.get(value)), call.i32(checks.size())});
  checks.push_back({what, std::move(sources)});
}

/// The bits of a block program's vectors are at the same distance from their
/// elements: the first byte of each.
Value PoisonTracker::getBitOfValues(Value address) {
  return LLVM::GEPOp::create(
      bits.builder, address.getLoc(), address.getType(),
      bits.builder.getI8Type(), address,
      ArrayRef<LLVM::GEPArg>{int32_t(kernel.memory.valueBytes)});
}

/// The number of bytes of a value, in memory by which it goes to the machine's
/// registers or comes from them.
static std::optional<int32_t> getRegisterBytes(Value address) {
  auto slot = address.getDefiningOp<LLVM::AllocaOp>();
  auto bytes = slot ? slot->getAttrOfType<IntegerAttr>(kRegisterSlot) : nullptr;
  return bytes ? std::optional(int32_t(bytes.getInt())) : std::nullopt;
}

static Value getByte(PoisonBits &bits, Value address, int32_t offset) {
  return LLVM::GEPOp::create(bits.builder, address.getLoc(), address.getType(),
                             bits.builder.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// Registers of products may be poison until they are stored elsewhere, as the
/// sums are before the first product.
bool PoisonTracker::visitRegisters(LLVM::StoreOp op) {
  std::optional<int32_t> bytes = getRegisterBytes(op.getAddr());
  if (!bytes)
    return false;
  if (bits.isClean(op.getValue()))
    return true;
  if (!bits.isBuilding) {
    Sources before = sourcesOfRegisters;
    sourcesOfRegisters |= bits.getSources(op.getValue());
    isChanged |= !areRegistersTracked || before != sourcesOfRegisters;
    areRegistersTracked = true;
    return true;
  }
  auto store = [&](Value bit, int32_t offset) {
    Value byte = LLVM::ZExtOp::create(bits.builder, op.getLoc(),
                                      bits.builder.getI8Type(), bit);
    LLVM::StoreOp::create(bits.builder, op.getLoc(), byte,
                          getByte(bits, op.getAddr(), offset));
  };
  // After the op that says that no bits are set: before the call.
  Operation *call = op;
  while (!isa<LLVM::CallOp>(call))
    call = call->getNextNode();
  bits.builder.setInsertionPoint(call);
  int32_t at = *bytes;
  for (Value bit : bits.get(op.getValue()))
    store(bit ? bit : bits.constant(false), at++);
  store(bits.constant(true), at);
  return true;
}

bool PoisonTracker::visitRegisters(LLVM::LoadOp op) {
  std::optional<int32_t> bytes = getRegisterBytes(op.getAddr());
  if (!bytes || !areRegistersTracked)
    return false;
  Leaves loaded(PoisonBits::countLeaves(op.getType()), op.getAddr());
  if (bits.isBuilding)
    for (auto [number, bit] : llvm::enumerate(loaded)) {
      Value byte = LLVM::LoadOp::create(
          bits.builder, op.getLoc(), bits.builder.getI8Type(),
          getByte(bits, op.getAddr(), *bytes + int32_t(number)));
      bit = LLVM::TruncOp::create(bits.builder, op.getLoc(),
                                  bits.builder.getI1Type(), byte);
    }
  else
    bits.addSources(op, sourcesOfRegisters);
  bits.set(op, std::move(loaded));
  return true;
}

void PoisonTracker::visitLoad(LLVM::LoadOp op) {
  check(op, op.getAddr(), "an address");
  bits.clear(op.getResult());
  if (visitRegisters(op))
    return;
  if (!isOfValues(op.getAddr()) || !areValuesTracked)
    return;
  Value bit = op.getAddr();
  if (bits.isBuilding) {
    Value byte = LLVM::LoadOp::create(bits.builder, op.getLoc(),
                                      bits.builder.getI8Type(),
                                      getBitOfValues(op.getAddr()));
    bit = LLVM::TruncOp::create(bits.builder, op.getLoc(),
                                bits.builder.getI1Type(), byte);
  } else {
    bits.addSources(op, sourcesOfValues);
  }
  bits.set(op, Leaves(PoisonBits::countLeaves(op.getType()), bit));
}

void PoisonTracker::visitStore(LLVM::StoreOp op) {
  check(op, op.getAddr(), "an address");
  if (visitRegisters(op))
    return;
  if (!isOfValues(op.getAddr()))
    return check(op, op.getValue(), "a stored value");
  if (bits.isBuilding && areValuesTracked) {
    Value bit = bits.joinAll(bits.get(op.getValue()));
    Value byte = LLVM::ZExtOp::create(bits.builder, op.getLoc(),
                                      bits.builder.getI8Type(),
                                      bit ? bit : bits.constant(false));
    LLVM::StoreOp::create(bits.builder, op.getLoc(), byte,
                          getBitOfValues(op.getAddr()));
  }
  if (bits.isBuilding || bits.isClean(op.getValue()))
    return;
  Sources before = sourcesOfValues;
  sourcesOfValues |= bits.getSources(op.getValue());
  isChanged |= !areValuesTracked || before != sourcesOfValues;
  areValuesTracked = true;
}

/// Checks values that leave the thread, such as a shuffle's, like those that
/// are stored. Functions of the host's library only compute.
void PoisonTracker::visitCall(LLVM::CallOp op) {
  if (std::optional<unsigned> source = getSource(op)) {
    Value bit = op.getResult();
    if (bits.isBuilding)
      bit = bits.constant(true);
    bits.set(op.getResult(),
             Leaves(PoisonBits::countLeaves(op.getResult().getType()), bit));
    Sources own(kernel.poison.size());
    own.set(*source);
    bits.addSources(op.getResult(), own);
    return;
  }
  StringRef name = op.getCallee().value_or("");
  auto callee = kernel.module->lookupSymbol<LLVM::LLVMFuncOp>(name);
  bool isOfMachine = name.starts_with("carousel_sim_") &&
                     !name.starts_with("carousel_sim_convert") &&
                     !name.starts_with("carousel_sim_math");
  if (callee && callee.isExternal() && !isOfMachine)
    return bits.compute(op);
  visitEffects(op);
}

void PoisonTracker::visitEffects(Operation *op) {
  StringRef what = isa<BranchOpInterface>(op) ? "a condition" : "an operand";
  for (Value operand : op->getOperands())
    check(op, operand, what);
  for (Value result : op->getResults())
    bits.clear(result);
}

void PoisonTracker::visit(Operation *op) {
  // Bits are computed from operands, before the op.
  bits.builder.setInsertionPoint(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LLVM::LoadOp op) { visitLoad(op); })
      .Case([&](LLVM::StoreOp op) { visitStore(op); })
      .Case([&](LLVM::CallOp op) { visitCall(op); })
      .Case([&](LLVM::BrOp) {})
      .Case([&](LLVM::CondBrOp op) {
        check(op, op.getCondition(), "a condition");
      })
      .Case([&](LLVM::SwitchOp op) { check(op, op.getValue(), "a condition"); })
      .Case<LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp>(
          [&](auto op) {
            check(op, op.getRhs(), "a divisor");
            bits.compute(op);
          })
      .Default([&](Operation *op) {
        if (isMemoryEffectFree(op) && !op->hasTrait<OpTrait::IsTerminator>())
          bits.compute(op);
        else
          visitEffects(op);
      });
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Notes what the blocks after a branch get.
void PoisonTracker::enter(Operation *op) {
  auto branch = dyn_cast<BranchOpInterface>(op);
  for (unsigned i = 0, e = op->getNumSuccessors(); branch && i != e; ++i) {
    SuccessorOperands operands = branch.getSuccessorOperands(i);
    for (auto [number, argument] :
         llvm::enumerate(op->getSuccessor(i)->getArguments())) {
      Value operand = operands[number];
      if (bits.isClean(operand))
        continue;
      Leaves entered = bits.get(argument);
      for (auto [to, bit] : llvm::zip_equal(entered, bits.get(operand))) {
        isChanged |= bit && !to;
        to = to ? to : bit;
      }
      bits.set(argument, std::move(entered));
      Sources before = bits.getSources(argument);
      bits.addSources(argument, bits.getSources(operand));
      isChanged |= before != bits.getSources(argument);
    }
  }
}

void PoisonTracker::analyse() {
  sourcesOfValues.resize(kernel.poison.size());
  sourcesOfRegisters.resize(kernel.poison.size());
  SetVector<Block *> blocks = getBlocksSortedByDominance(function.getBody());
  do {
    isChanged = false;
    for (Block *block : blocks)
      for (Operation &op : *block) {
        visit(&op);
        if (op.hasTrait<OpTrait::IsTerminator>())
          enter(&op);
      }
  } while (isChanged);
}

void PoisonTracker::addArguments() {
  for (Block &block : function.getBody())
    for (unsigned i = 0, e = block.getNumArguments(); i != e; ++i) {
      BlockArgument argument = block.getArgument(i);
      if (bits.isClean(argument))
        continue;
      Leaves entered = bits.get(argument);
      for (auto [leaf, bit] : llvm::enumerate(entered))
        if (bit) {
          bit = block.addArgument(bits.builder.getI1Type(), argument.getLoc());
          passed[&block].push_back({i, unsigned(leaf)});
        }
      bits.set(argument, std::move(entered));
    }
}

void PoisonTracker::passArguments(Operation *op) {
  bits.builder.setInsertionPoint(op);
  auto branch = dyn_cast<BranchOpInterface>(op);
  for (unsigned i = 0, e = op->getNumSuccessors(); branch && i != e; ++i) {
    SmallVector<Value> given;
    for (auto [argument, leaf] : passed[op->getSuccessor(i)]) {
      Value bit = bits.get(branch.getSuccessorOperands(i)[argument])[leaf];
      given.push_back(bit ? bit : bits.constant(false));
    }
    branch.getSuccessorOperands(i).append(given);
  }
}

void PoisonTracker::run() {
  analyse();
  addArguments();
  bits.isBuilding = true;
  for (Block *block : getBlocksSortedByDominance(function.getBody()))
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      visit(&op);
      if (op.hasTrait<OpTrait::IsTerminator>())
        passArguments(&op);
    }
}

/// From here on a number of zeros stands for poison: what is computed from it
/// after a finding doesn't depend on the host's compiler.
static void removeSources(ModuleOp module) {
  SmallVector<Operation *> sources;
  module.walk([&](LLVM::CallOp op) {
    if (getSource(op))
      sources.push_back(op);
  });
  for (Operation *op : sources) {
    OpBuilder builder(op);
    op->replaceAllUsesWith(LLVM::ZeroOp::create(builder, op->getLoc(),
                                                op->getResult(0).getType()));
    op->erase();
  }
  for (auto function :
       llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>()))
    if (function.getName().starts_with(kPoisonPrefix))
      function.erase();
}

void carousel::sim::trackPoison(KernelModule &kernel, SiteTable &sites,
                                PoisonChecks &checks) {
  if (kernel.poison.empty())
    return;
  bool hasBitsOfValues = false;
  SmallVector<LLVM::LLVMFuncOp> functions(
      kernel.module->getOps<LLVM::LLVMFuncOp>());
  for (LLVM::LLVMFuncOp function : functions) {
    if (function.isExternal())
      continue;
    PoisonTracker tracker(function, kernel, sites, checks);
    tracker.run();
    hasBitsOfValues |= tracker.hasBitsOfValues();
  }
  removeSources(*kernel.module);
  if (hasBitsOfValues)
    kernel.memory.valueBytes *= 2;
}
