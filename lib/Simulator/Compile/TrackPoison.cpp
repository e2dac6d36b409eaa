//===- TrackPoison.cpp - where poison goes --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works on a kernel in the LLVM dialect, before accesses are checked, so that
// it has few ops, and each means what the host computes. An analysis finds the
// leaves that may be poison (PoisonBits.h), as a fixed point over the blocks. A
// second pass over the same ops computes their bits. Those that are known are
// constants, which the host's compiler folds. Blocks get bits as arguments, and
// the vectors of block programs have theirs in memory of the thread, behind the
// vectors.
//
//===----------------------------------------------------------------------===//

#include "Machine/MachineLowering.h"
#include "PoisonBits.h"
#include "PoisonSources.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

using Leaves = PoisonBits::Leaves;
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

/// What leaves the thread, such as a shuffle's value, is checked like what is
/// stored. Functions of the host's library only compute.
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
