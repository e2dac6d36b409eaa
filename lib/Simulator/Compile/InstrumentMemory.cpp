//===- InstrumentMemory.cpp - checks of memory accesses -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inserts a call before each access to memory that isn't a thread's own. The
// call tells the machine of the access, and returns the address to use. It is
// the same address, or a harmless one if the access is out of bounds. Calls of
// loads and stores also say which op accesses, and in which iteration of the
// loops around it, so that a run can count a warp's accesses: two threads have
// the same number in a block if each loop around it is in the same iteration
// for both.
//
//===----------------------------------------------------------------------===//

#include "Machine/MachineLowering.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace carousel::sim;

/// 2^64 divided by the golden ratio: its small multiples are far from each
/// other, so that iterations of an inner loop don't reach the numbers of its
/// next run.
static constexpr uint64_t kFar = 0x9E3779B97F4A7C15;

static Value makeNumber(OpBuilder &builder, Location loc, uint64_t number) {
  return LLVM::ConstantOp::create(builder, loc,
                                  builder.getI64IntegerAttr(int64_t(number)));
}

/// The header's argument counts iterations, from a number on that the iteration
/// of the loop around it determines.
static Value addNumber(CFGLoop *loop, Value outer) {
  Block *header = loop->getHeader();
  llvm::SmallSetVector<Block *, 4> predecessors(header->pred_begin(),
                                                header->pred_end());
  Location loc = header->getParentOp()->getLoc();
  Value number = header->addArgument(
      IntegerType::get(loc.getContext(), /*width=*/64), loc);
  for (Block *predecessor : predecessors) {
    auto branch = cast<BranchOpInterface>(predecessor->getTerminator());
    OpBuilder builder(branch);
    Value last = loop->contains(predecessor) ? number : outer;
    Value next = makeNumber(builder, loc, 1);
    if (last)
      next = LLVM::AddOp::create(builder, loc, last, next);
    if (last != number)
      next = LLVM::MulOp::create(builder, loc, next,
                                 makeNumber(builder, loc, kFar));
    for (auto [index, successor] : llvm::enumerate(branch->getSuccessors()))
      if (successor == header)
        branch.getSuccessorOperands(index).append(next);
  }
  return number;
}

namespace {

class IterationNumbers {
public:
  /// Adds an argument of 64 bits to the header of each loop. A cycle with
  /// several entries has no number.
  explicit IterationNumbers(LLVM::LLVMFuncOp function) {
    Region &body = function.getBody();
    if (body.empty() || body.hasOneBlock())
      return;
    DominanceInfo dominance(function);
    CFGLoopInfo loops(dominance.getDomTree(&body));
    llvm::DenseMap<CFGLoop *, Value> numbersOfLoops;
    for (CFGLoop *loop : loops.getLoopsInPreorder())
      numbersOfLoops[loop] =
          addNumber(loop, numbersOfLoops.lookup(loop->getParentLoop()));
    for (Block &block : body)
      if (CFGLoop *loop = loops.getLoopFor(&block))
        numbers[&block] = numbersOfLoops.lookup(loop);
  }

  /// The number of the innermost loop around the block; null if there is none.
  mlir::Value get(mlir::Block *block) const { return numbers.lookup(block); }

private:
  llvm::DenseMap<mlir::Block *, mlir::Value> numbers;
};

} // namespace

/// The allocation of an address, if it is the thread's own memory whose address
/// no other thread knows; else null.
static LLVM::AllocaOp findOwn(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (auto own = dyn_cast<LLVM::AllocaOp>(op))
      return own;
    if (!isa<LLVM::GEPOp, LLVM::BitcastOp, LLVM::AddrSpaceCastOp>(op))
      return {};
    pointer = op->getOperand(0);
  }
  return {};
}

bool carousel::sim::isOfValues(Value pointer) {
  while (auto step = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = step.getBase();
  auto call = pointer.getDefiningOp<LLVM::CallOp>();
  return call && call.getCallee() == "carousel_sim_values";
}

/// The number of bytes that a load or store of this type accesses.
static uint64_t getAccessBytes(const DataLayout &layout, Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    Type element = vector.getElementType();
    uint64_t bits = isa<LLVM::LLVMPointerType>(element)
                        ? 64
                        : element.getIntOrFloatBitWidth();
    return llvm::divideCeil(vector.getNumElements() * bits, 8);
  }
  return layout.getTypeSize(type);
}

namespace {

class Instrumentation {
public:
  Instrumentation(ModuleOp module, LLVM::LLVMFuncOp function, SiteTable &sites,
                  AccessOps &accesses)
      : sites(sites), accesses(accesses), layout(module), iterations(function) {
  }

  LogicalResult instrument(Operation *op) {
    auto load = dyn_cast<LLVM::LoadOp>(op);
    auto store = dyn_cast<LLVM::StoreOp>(op);
    if ((load && isOfValues(load.getAddr())) ||
        (store && isOfValues(store.getAddr())))
      return success();
    OpBuilder builder(op);
    MachineCall call(builder, op->getLoc(), op, sites.get(op->getLoc()));
    if (load) {
      takeAlignment(call, load, load.getType());
      uint64_t bytes = getAccessBytes(layout, load.getType());
      if (isAttempt(load))
        redirect(call, load.getAddrMutable(), call.i64(bytes),
                 "carousel_sim_atomic_load");
      else
        redirectCounted(call, load.getAddrMutable(), bytes, "load");
    } else if (store) {
      takeAlignment(call, store, store.getValue().getType());
      redirectCounted(call, store.getAddrMutable(),
                      getAccessBytes(layout, store.getValue().getType()),
                      "store");
    } else if (auto prefetch = dyn_cast<LLVM::Prefetch>(op)) {
      countMatrixRows(call, prefetch);
    } else if (auto rmw = dyn_cast<LLVM::AtomicRMWOp>(op)) {
      checkNatural(call, rmw.getPtr(), rmw.getVal().getType());
      redirect(call, rmw.getPtrMutable(),
               call.i64(getAccessBytes(layout, rmw.getVal().getType())),
               rmw.use_empty() ? "carousel_sim_atomic_reduce"
                               : "carousel_sim_atomic");
    } else if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op)) {
      checkNatural(call, exchange.getPtr(), exchange.getVal().getType());
      redirect(call, exchange.getPtrMutable(),
               call.i64(getAccessBytes(layout, exchange.getVal().getType())),
               "carousel_sim_atomic");
    } else if (isa<LLVM::MemcpyOp, LLVM::MemmoveOp>(op)) {
      redirect(call, op->getOpOperand(1), op->getOperand(2),
               "carousel_sim_read");
      redirect(call, op->getOpOperand(0), op->getOperand(2),
               "carousel_sim_write");
    } else if (auto set = dyn_cast<LLVM::MemsetOp>(op)) {
      redirect(call, op->getOpOperand(0), set.getLen(), "carousel_sim_write");
    } else if (isa<LLVM::MaskedLoadOp, LLVM::MaskedStoreOp, LLVM::masked_gather,
                   LLVM::masked_scatter, LLVM::masked_expandload,
                   LLVM::masked_compressstore, LLVM::MemcpyInlineOp,
                   LLVM::MemsetInlineOp>(op)) {
      return op->emitError("the simulated machine doesn't know this "
                           "operation: '")
             << op->getName() << "'";
    } else if (isa<LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp>(
                   op)) {
      guardDivision(builder, call, op);
    }
    return success();
  }

private:
  /// The load for the first attempt of memref.generic_atomic_rmw is part of the
  /// atomic.
  static bool isAttempt(LLVM::LoadOp load) {
    return llvm::any_of(load.getAddr().getUsers(), [&](Operation *user) {
      return isa<LLVM::AtomicCmpXchgOp>(user) &&
             user->getLoc() == load.getLoc();
    });
  }

  /// An alignment larger than the elements' is the author's promise. It is
  /// checked, and the host doesn't rely on it.
  template <typename Op>
  void takeAlignment(MachineCall &call, Op op, Type type) {
    uint64_t own = layout.getTypeABIAlignment(getElementTypeOrSelf(type));
    std::optional<uint64_t> promised = op.getAlignment();
    if (!promised || *promised <= own)
      return checkNatural(call, op.getAddr(), own);
    call.emit("carousel_sim_check_alignment",
              {op.getAddr(), call.i64(*promised)});
    op.setAlignment(own);
  }

  /// The device traps on an element whose address isn't a multiple of its
  /// alignment.
  void checkNatural(MachineCall &call, Value pointer, uint64_t alignment) {
    if (!isAligned(pointer, alignment) && !findOwn(pointer))
      call.emit("carousel_sim_check_alignment", {pointer, call.i64(alignment)});
  }
  void checkNatural(MachineCall &call, Value pointer, Type type) {
    checkNatural(call, pointer, layout.getTypeABIAlignment(type));
  }

  /// Buffers and their elements are aligned. Views of bytes need not be.
  bool isAligned(Value pointer, uint64_t alignment) {
    while (auto step = pointer.getDefiningOp<LLVM::GEPOp>()) {
      uint64_t unit = layout.getTypeSize(step.getElemType());
      for (auto index : step.getIndices()) {
        APInt known;
        if (auto constant = dyn_cast<IntegerAttr>(index))
          known = constant.getValue();
        else if (!matchPattern(cast<Value>(index), m_ConstantInt(&known)))
          known = APInt(64, 1);
        if (uint64_t(known.getSExtValue()) * unit % alignment != 0)
          return false;
      }
      pointer = step.getBase();
    }
    return true;
  }

  /// The atomics are those of memref, which are relaxed, whatever ordering
  /// LLVM's ops have.
  void redirect(MachineCall &call, OpOperand &pointer, Value size,
                StringRef function) {
    if (LLVM::AllocaOp own = findOwn(pointer.get()))
      return checkOwn(call, pointer, size, own);
    pointer.set(
        call.emit(function, {pointer.get(), size}, pointer.get().getType()));
  }

  /// The number of the op and that of the iteration.
  std::pair<Value, Value> getCounter(MachineCall &call, Operation *op,
                                     StringRef name, uint64_t bytes) {
    Value iteration = iterations.get(op->getBlock());
    accesses.push_back({sites.get(op->getLoc()), name, bytes});
    return {call.i32(accesses.size()), iteration ? iteration : call.i64(0)};
  }

  void redirectCounted(MachineCall &call, OpOperand &pointer, uint64_t bytes,
                       StringRef name) {
    Operation *op = pointer.getOwner();
    Value size = call.i64(bytes);
    if (LLVM::AllocaOp own = findOwn(pointer.get()))
      return checkOwn(call, pointer, size, own);
    // The prefetch counts for the loads of a matrix.
    auto [number, iteration] =
        getMatrixRows(op->getLoc())
            ? std::pair<Value, Value>(call.i32(0), call.i64(0))
            : getCounter(call, op, name, bytes);
    pointer.set(call.emit(("carousel_sim_" + name).str(),
                          {pointer.get(), size, number, iteration},
                          pointer.get().getType()));
  }

  /// The lanes that provide rows access 16 bytes each, by quarter warps: one
  /// for each matrix.
  void countMatrixRows(MachineCall &call, LLVM::Prefetch prefetch) {
    std::optional<int64_t> rows = getMatrixRows(prefetch.getLoc());
    if (!rows)
      return;
    auto [number, iteration] = getCounter(call, prefetch, "ldmatrix",
                                          carousel::rules::kMatrixRowBytes);
    call.emit("carousel_sim_count_rows",
              {prefetch.getAddr(), call.i32(*rows), number, iteration});
    prefetch.erase();
  }

  /// Whether all values are constant and the access fits.
  bool isInside(Value pointer, Value size, LLVM::AllocaOp own) {
    APInt count, bytes;
    if (!matchPattern(own.getArraySize(), m_ConstantInt(&count)) ||
        !matchPattern(size, m_ConstantInt(&bytes)))
      return false;
    // No larger number fits, and sums don't overflow.
    constexpr int64_t kMost = int64_t(1) << 30;
    int64_t offset = 0;
    for (; pointer != own.getResult();
         pointer = pointer.getDefiningOp()->getOperand(0)) {
      auto step = pointer.getDefiningOp<LLVM::GEPOp>();
      if (!step)
        continue;
      if (step.getIndices().size() != 1)
        return false;
      APInt index;
      auto known = step.getIndices()[0];
      if (auto value = dyn_cast<Value>(known)) {
        if (!matchPattern(value, m_ConstantInt(&index)))
          return false;
      } else {
        index = cast<IntegerAttr>(known).getValue();
      }
      int64_t number = index.getSExtValue();
      int64_t unit = layout.getTypeSize(step.getElemType());
      if (std::abs(number) > kMost / std::max<int64_t>(unit, 1))
        return false;
      offset += number * unit;
    }
    uint64_t all = count.getZExtValue() * layout.getTypeSize(own.getElemType());
    return offset >= 0 && uint64_t(offset) + bytes.getZExtValue() <= all;
  }

  /// An access outside a thread's own buffer would access the host's stack.
  void checkOwn(MachineCall &call, OpOperand &pointer, Value size,
                LLVM::AllocaOp own) {
    if (isInside(pointer.get(), size, own))
      return;
    Operation *op = pointer.getOwner();
    Location loc = op->getLoc();
    OpBuilder builder(op);
    Type i64 = builder.getI64Type();
    Value count = own.getArraySize();
    if (count.getType() != i64)
      count = LLVM::ZExtOp::create(builder, loc, i64, count);
    Value bytes = LLVM::MulOp::create(
        builder, loc, count, call.i64(layout.getTypeSize(own.getElemType())));
    Value begin = LLVM::PtrToIntOp::create(builder, loc, i64, own);
    Value at = LLVM::PtrToIntOp::create(builder, loc, i64, pointer.get());
    Value offset = LLVM::SubOp::create(builder, loc, at, begin);
    using Predicate = LLVM::ICmpPredicate;
    Value isBehind =
        LLVM::ICmpOp::create(builder, loc, Predicate::ugt, offset, bytes);
    Value left = LLVM::SubOp::create(builder, loc, bytes, offset);
    Value isLonger =
        LLVM::ICmpOp::create(builder, loc, Predicate::ugt, size, left);
    Value bad = LLVM::OrOp::create(builder, loc, isBehind, isLonger);
    pointer.set(call.emit("carousel_sim_check_own", {pointer.get(), size, bad},
                          pointer.get().getType()));
  }

  /// The host traps where the device returns an arbitrary value. Constants are
  /// known to be valid. Other divisors become 1 if they are invalid.
  void guardDivision(OpBuilder &builder, MachineCall &call, Operation *op) {
    Value dividend = op->getOperand(0), divisor = op->getOperand(1);
    Location loc = op->getLoc();
    Type type = divisor.getType();
    bool isSigned = isa<LLVM::SDivOp, LLVM::SRemOp>(op);
    APInt known;
    if (matchPattern(divisor, m_ConstantInt(&known)) && !known.isZero() &&
        !(isSigned && known.isAllOnes()))
      return;
    auto constant = [&](const APInt &value) -> Value {
      Attribute attr =
          builder.getIntegerAttr(getElementTypeOrSelf(type), value);
      if (auto vector = dyn_cast<VectorType>(type))
        attr = DenseElementsAttr::get(vector, attr);
      return LLVM::ConstantOp::create(builder, loc, type, attr);
    };
    unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    Value bad = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                     divisor, constant(APInt::getZero(bits)));
    if (isSigned) {
      Value isLeast =
          LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, dividend,
                               constant(APInt::getSignedMinValue(bits)));
      Value isMinusOne =
          LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, divisor,
                               constant(APInt::getAllOnes(bits)));
      Value overflows = LLVM::AndOp::create(builder, loc, isLeast, isMinusOne);
      bad = LLVM::OrOp::create(builder, loc, bad, overflows);
    }
    Value safe = LLVM::SelectOp::create(builder, loc, bad,
                                        constant(APInt(bits, 1)), divisor);
    if (isa<VectorType>(type))
      bad = LLVM::vector_reduce_or::create(builder, loc, builder.getI1Type(),
                                           bad);
    call.emit("carousel_sim_check_division", {bad});
    op->setOperand(1, safe);
  }

  SiteTable &sites;
  AccessOps &accesses;
  DataLayout layout;
  IterationNumbers iterations;
};

} // namespace

static bool callsMachine(Block &block) {
  // Passed checks aren't steps.
  return llvm::any_of(block.getOps<LLVM::CallOp>(), [](LLVM::CallOp call) {
    std::optional<StringRef> callee = call.getCallee();
    return callee && callee->starts_with("carousel_sim_") &&
           !callee->starts_with("carousel_sim_check_");
  });
}

/// Whether the loop of this branch back is one over the elements of a vector.
static bool isBounded(Operation *branch) {
  auto back = dyn_cast<LLVM::BrOp>(branch);
  if (!back || !back.getLoopAnnotationAttr())
    return false;
  BoolAttr ends = back.getLoopAnnotationAttr().getMustProgress();
  return ends && ends.getValue();
}

/// A loop without calls would never let other threads run, nor end at the step
/// limit.
static void countTurns(LLVM::LLVMFuncOp function, SiteTable &sites) {
  DenseMap<Block *, unsigned> order;
  for (Block &block : function.getBody())
    order[&block] = order.size();
  for (Block &block : function.getBody()) {
    Operation *branch = block.getTerminator();
    bool isBack = llvm::any_of(block.getSuccessors(), [&](Block *successor) {
      return order[successor] <= order[&block] && !callsMachine(*successor);
    });
    if (!isBack || callsMachine(block) || isBounded(branch))
      continue;
    OpBuilder builder(branch);
    MachineCall(builder, branch->getLoc(), branch, sites.get(branch->getLoc()))
        .emit("carousel_sim_step", {});
  }
}

/// Allocates a thread's buffers at the start of its function, and not in each
/// iteration of a loop. They must fit the limits of a device thread.
static LogicalResult placeOwn(ModuleOp module) {
  constexpr uint64_t kMostBytes = 512 << 10;
  DataLayout layout(module);
  uint64_t total = 0;
  SmallVector<LLVM::AllocaOp> allocas;
  module.walk([&](LLVM::AllocaOp op) { allocas.push_back(op); });
  for (LLVM::AllocaOp op : allocas) {
    APInt count;
    if (!matchPattern(op.getArraySize(), m_ConstantInt(&count)))
      return op.emitError("expected a thread's own memory to have a size that "
                          "is known before the run");
    uint64_t element = layout.getTypeSize(op.getElemType());
    uint64_t most = kMostBytes / std::max<uint64_t>(element, 1);
    total += count.ugt(most) ? kMostBytes + 1 : count.getZExtValue() * element;
    if (total > kMostBytes)
      return op.emitError("expected at most ")
             << kMostBytes << " bytes of a thread's own memory in all";
    Block &entry = op->getParentOfType<LLVM::LLVMFuncOp>().getBody().front();
    if (op->getBlock() == &entry)
      continue;
    OpBuilder builder = OpBuilder::atBlockBegin(&entry);
    Operation *size = builder.clone(*op.getArraySize().getDefiningOp());
    op->moveAfter(size);
    op->setOperand(0, size->getResult(0));
  }
  return success();
}

LogicalResult carousel::sim::instrumentMemory(ModuleOp module, SiteTable &sites,
                                              AccessOps &accesses) {
  if (failed(placeOwn(module)))
    return failure();
  SmallVector<LLVM::LLVMFuncOp> functions(module.getOps<LLVM::LLVMFuncOp>());
  for (LLVM::LLVMFuncOp function : functions) {
    SmallVector<Operation *> operations;
    function.walk([&](Operation *op) { operations.push_back(op); });
    Instrumentation instrumentation(module, function, sites, accesses);
    for (Operation *op : operations)
      if (failed(instrumentation.instrument(op)))
        return failure();
  }
  for (LLVM::LLVMFuncOp function : functions)
    countTurns(function, sites);
  return success();
}
