//===- DelayedOps.cpp - ops that are computed where they're written -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DelayedOps.h. The block is gone through upwards from each write, so that
// the users of an op are known before it.
//
//===----------------------------------------------------------------------===//

#include "DelayedOps.h"

#include "../Threads/ThreadProgram.h"
#include "ElementOps.h"
#include "FreeVectors.h"

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Distribution/AccessTransfers.h"
#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Accesses of one memory by many threads
//===----------------------------------------------------------------------===//

MemoryOrder::MemoryOrder(gpu::GPUFuncOp kernel, const LayoutPlan &plan)
    : kernel(kernel), plan(plan) {}

/// Arguments that may be the same memref count as the first of them.
Value MemoryOrder::findMemory(Value memref) const {
  Value root = getRootBuffer(memref);
  SmallVector<KernelArgument> arguments = getKernelArguments(kernel);
  for (const KernelArgument &argument : arguments)
    if (argument.mayAlias && root == kernel.getArgument(argument.position))
      return kernel.getArgument(arguments[*argument.mayAlias].position);
  return root;
}

std::optional<MemoryOrder::Access> MemoryOrder::describe(Operation *op) const {
  std::optional<ElementAccess> access = findElementAccess(op);
  if (!access ||
      (isa<VectorTransferOpInterface>(op) && plan.getAccess(op).isTransfer))
    return std::nullopt;
  return Access{op, findMemory(access->memref), access->writes};
}

/// Two transfers of the same box in the same layout, or two scalars, which the
/// first thread writes. Where threads have copies, all of them read, and the
/// first one writes. Lanes write elements of shifted runs for each other.
bool MemoryOrder::isOfSameThread(Operation *a, Operation *b) const {
  if (isa<memref::StoreOp>(a) && isa<memref::StoreOp>(b))
    return true;
  auto first = dyn_cast<VectorTransferOpInterface>(a);
  auto second = dyn_cast<VectorTransferOpInterface>(b);
  return first && second && first.getBase() == second.getBase() &&
         first.getIndices() == second.getIndices() &&
         first.getVectorType().getShape() ==
             second.getVectorType().getShape() &&
         first.getPermutationMap() == second.getPermutationMap() &&
         plan.getAccess(a).layout == plan.getAccess(b).layout &&
         !plan.getAccess(a).isShifted && !plan.getAccess(b).isShifted &&
         (getFreeThreadBits(plan.getAccess(a).layout) == 0 ||
          isa<vector::TransferWriteOp>(a) == isa<vector::TransferWriteOp>(b));
}

bool MemoryOrder::mayMeet(Operation *a, Operation *b) const {
  std::optional<Access> first = describe(a), second = describe(b);
  return first && second && first->memory == second->memory &&
         !isOfSameThread(a, b);
}

bool MemoryOrder::needsBarrier(Operation *op) {
  std::optional<Access> access = describe(op);
  if (!access)
    return false;
  bool conflicts = llvm::any_of(pending, [&](const Access &earlier) {
    return earlier.memory == access->memory &&
           (earlier.writes || access->writes) &&
           !isOfSameThread(earlier.op, op);
  });
  if (conflicts)
    pending.clear();
  pending.push_back(*access);
  for (std::vector<Access> &body : bodies)
    body.push_back(*access);
  return conflicts;
}

/// The extent of a transfer's box along a dimension of the memref.
static int64_t getBoxExtent(VectorTransferOpInterface transfer, unsigned at) {
  for (auto [dim, expr] :
       llvm::enumerate(transfer.getPermutationMap().getResults()))
    if (auto along = dyn_cast<AffineDimExpr>(expr))
      if (along.getPosition() == at)
        return transfer.getVectorType().getDimSize(dim);
  return 1;
}

/// Whether an index is the induction variable, or it plus numbers from outside
/// of the loop.
static bool movesWith(scf::ForOp loop, Value index) {
  while (index != loop.getInductionVar()) {
    auto sum = index.getDefiningOp<arith::AddIOp>();
    if (!sum)
      return false;
    if (loop.isDefinedOutsideOfLoop(sum.getLhs()))
      index = sum.getRhs();
    else if (loop.isDefinedOutsideOfLoop(sum.getRhs()))
      index = sum.getLhs();
    else
      return false;
  }
  return true;
}

/// Whether the box moves on with the loop by its own extent or more.
bool MemoryOrder::isOfOneIteration(Operation *op, Operation *loop) const {
  auto range = dyn_cast<scf::ForOp>(loop);
  auto transfer = dyn_cast<VectorTransferOpInterface>(op);
  if (!range || !transfer)
    return false;
  int64_t step = indices.getMultiple(range.getStep());
  for (auto [at, index] : llvm::enumerate(transfer.getIndices()))
    if (step >= getBoxExtent(transfer, at) && movesWith(range, index))
      return true;
  return false;
}

/// Whether boxes begin at multiples of their extents. Then those of two
/// iterations are the same or have no element in common, so that an element has
/// the same thread in each.
bool MemoryOrder::isOfTiling(Operation *op) const {
  auto transfer = dyn_cast<VectorTransferOpInterface>(op);
  if (!transfer)
    return false;
  for (auto [at, index] : llvm::enumerate(transfer.getIndices()))
    if (indices.getMultiple(index) % getBoxExtent(transfer, at) != 0)
      return false;
  return true;
}

bool MemoryOrder::leaveLoop(Operation *loop) {
  std::vector<Access> body = std::move(bodies.back());
  bodies.pop_back();
  for (const Access &write : body)
    for (const Access &other : body) {
      if (!write.writes || write.memory != other.memory)
        continue;
      bool isScalar = isa<memref::StoreOp>(write.op);
      if ((isScalar || isOfOneIteration(write.op, loop) ||
           isOfTiling(write.op)) &&
          (write.op == other.op || isOfSameThread(write.op, other.op)))
        continue;
      pending.clear();
      return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Ops that are computed where they're written
//===----------------------------------------------------------------------===//

/// Bytes become floats four at a time, by what was read together.
static bool convertsBytes(Operation *op) {
  return isa<arith::SIToFPOp, arith::UIToFPOp>(op) &&
         getElementTypeOrSelf(op->getOperand(0)).isInteger(8);
}

/// Whether an op's results are used as it computes them.
static bool keepsLayouts(Operation *op, const LayoutPlan &plan) {
  return llvm::all_of(op->getResults(), [&](OpResult result) {
    const LinearLayout *own = plan.getLayout(result);
    return own && plan.getComputedLayout(result) == *own &&
           llvm::all_of(result.getUses(), [&](OpOperand &use) {
             return plan.getOperandLayout(use) == *own;
           });
  });
}

/// Whether an op by elements takes them in the layout of its result.
static bool takesOneLayout(Operation *op, const LayoutPlan &plan) {
  const LinearLayout &own = *plan.getLayout(op->getResult(0));
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return !isa<VectorType>(operand.get().getType()) ||
           plan.getOperandLayout(operand) == own;
  });
}

/// Whether an op begins to compute from coordinates and scalars alone.
static bool isOfCoordinates(Operation *op, const LayoutPlan &plan) {
  return isElementwise(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return !plan.getLayout(operand); });
}

static bool makesVectors(Operation *op) {
  return op->getNumResults() != 0 &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<VectorType>);
}

/// Ops by elements, and those that renumber registers.
static bool mayBeDelayed(Operation *op, const LayoutPlan &plan) {
  if (isReshaping(op))
    return !plan.movesPart(op);
  return isElementwise(op) && isMemoryEffectFree(op) && !convertsBytes(op) &&
         !isa<RoundTF32Op>(op) && !findComparedSteps(op) &&
         takesOneLayout(op, plan);
}

static bool isPlainRead(vector::TransferReadOp read, const LayoutPlan &plan) {
  const AccessPlan &access = plan.getAccess(read);
  bool isInTile = access.isTransfer && !access.partner;
  return !read.getMask() && !isInTile && !access.byMatrices &&
         access.run <= kRegistersOfPiece;
}

/// Whether what is read needs as many registers as a piece.
static bool isLong(vector::TransferReadOp read, const LayoutPlan &plan) {
  return countRegisters(plan.getAccess(read).layout) >= kRegistersOfPiece;
}

bool carousel::onlyReads(Operation *op) {
  return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
         isa<vector::TransferReadOp>(op) || isMemoryEffectFree(op);
}

/// Whether a read may move behind the op. Of loops, those of products need the
/// registers.
static bool isPassed(Operation *op) {
  if (op->getNumRegions() == 0)
    return onlyReads(op);
  bool multiplies = false;
  WalkResult result = op->walk([&](Operation *inner) {
    multiplies |= isa<vector::ContractionOp>(inner);
    return onlyReads(inner) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return multiplies && !result.wasInterrupted();
}

/// The ops that a write takes, users first.
static SmallVector<Operation *> findOpsOf(vector::TransferWriteOp write,
                                          const LayoutPlan &plan,
                                          const MemoryOrder &order,
                                          bool readsRenumbered) {
  SmallVector<Operation *> own;
  llvm::SmallPtrSet<Operation *, 8> renumbered;
  bool mayRead = true;
  for (Operation *op = write->getPrevNode(); op; op = op->getPrevNode()) {
    bool isTaken =
        !op->use_empty() && llvm::all_of(op->getUsers(), [&](Operation *user) {
          return user == write || llvm::is_contained(own, user);
        });
    bool isRenumbered = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return isReshaping(user) || renumbered.contains(user);
    });
    auto mayBeTaken = [&] {
      if (auto read = dyn_cast<vector::TransferReadOp>(op))
        return mayRead &&
               (!isRenumbered || (readsRenumbered && isLong(read, plan))) &&
               isPlainRead(read, plan) && !order.mayMeet(read, write);
      return mayBeDelayed(op, plan);
    };
    if (isTaken && makesVectors(op) && !isFreeVector(op) &&
        keepsLayouts(op, plan) && mayBeTaken()) {
      own.push_back(op);
      if (isRenumbered)
        renumbered.insert(op);
    }
    mayRead &= isPassed(op);
  }
  return own;
}

/// Whether threads have registers for the rows beside the sums of a write. The
/// pieces of the write compute `taken`, which broadcasts `rows`; the operands
/// that other ops make are sums, and are there as a whole. Rows are read in
/// parts of words, and threads compute with them in f32.
static bool haveRegisters(ArrayRef<Operation *> rows,
                          ArrayRef<Operation *> taken, const LayoutPlan &plan,
                          bool byWarpgroups) {
  constexpr int64_t kLeastBits = 32;
  auto count = [&](Value value, int64_t leastBits) {
    int64_t bits = getElementBits(cast<VectorType>(value.getType()));
    return countRegisters(countRegisters(*plan.getLayout(value)),
                          std::max(bits, leastBits));
  };
  llvm::SmallPtrSet<Value, 8> others;
  for (Operation *op : taken)
    for (Value operand : op->getOperands())
      if (isa<VectorType>(operand.getType()) && plan.getLayout(operand) &&
          !llvm::is_contained(taken, operand.getDefiningOp()))
        others.insert(operand);
  int64_t sums = 0, registers = 0;
  for (Value value : others)
    sums += count(value, /*leastBits=*/1);
  for (Operation *row : rows)
    registers += count(row->getResult(0), kLeastBits);
  int64_t threads = 1 << (plan.getThreads().lanes + plan.getThreads().warps);
  int64_t available = byWarpgroups
                          ? getConsumerRegisters(threads, rules::kWarpgroupSize,
                                                 kProducerRegisters) -
                                kAddressRegisters
                          : getVectorRegisters(threads);
  return sums + registers <= available;
}

/// Whether several of the ops read an operand of one of them, as a gelu does:
/// computed as a whole, it would stay in registers beside what follows from it.
static bool isReadAgain(Operation *op, ArrayRef<Operation *> own) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    llvm::SmallPtrSet<Operation *, 4> readers;
    for (Operation *user : operand.getUsers())
      if (llvm::is_contained(own, user))
        readers.insert(user);
    Operation *source = operand.getDefiningOp();
    return readers.size() > 1 && isa<VectorType>(operand.getType()) &&
           !(source && isFreeVector(source));
  });
}

void DelayedOps::collect(vector::TransferWriteOp write, const LayoutPlan &plan,
                         const MemoryOrder &order) {
  constexpr int64_t kManyRegisters = 64;
  const LinearLayout &layout = plan.getAccess(write).layout;
  if (write.getMask() || countRegisters(layout) < kManyRegisters ||
      plan.getOperandLayout(write.getValueToStoreMutable()) != layout)
    return;
  SmallVector<Operation *> own =
      findOpsOf(write, plan, order, /*readsRenumbered=*/false);
  bool computes = llvm::any_of(own, [&](Operation *op) {
    return isOfCoordinates(op, plan) || isReadAgain(op, own);
  });
  // Where registers are rare, rows that are broadcast are read with pieces.
  SmallVector<Operation *> all =
      findOpsOf(write, plan, order, /*readsRenumbered=*/true);
  SmallVector<Operation *> rows;
  llvm::copy_if(all, std::back_inserter(rows),
                [&](Operation *op) { return !llvm::is_contained(own, op); });
  if (computes ||
      (!rows.empty() && !haveRegisters(rows, all, plan, byWarpgroups)))
    own = all;
  bool hasReads = llvm::any_of(own, llvm::IsaPred<vector::TransferReadOp>);
  // Written through a tile, results of sums alone are computed faster as a
  // whole; with what is read or computed beside them, they need too many
  // registers.
  if (plan.getAccess(write).isTransfer && !hasReads && !computes)
    return;
  ops.insert(own.begin(), own.end());
  for (Operation *op : own)
    if (isa<vector::TransferReadOp>(op))
      reads[write].push_back(op);
}

DelayedOps::DelayedOps(gpu::GPUFuncOp kernel, const LayoutPlan &plan,
                       const MemoryOrder &order) {
  kernel.walk([&](vector::ContractionOp op) {
    byWarpgroups |= plan.getContraction(op).byWarpgroups;
  });
  kernel.walk(
      [&](vector::TransferWriteOp write) { collect(write, plan, order); });
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

void PiecesOfWrite::prepare(OpOperand &written) {
  auto isDelayed = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && delayed.contains(op);
  };
  auto isComputed = [&](Value value) {
    return isDelayed(value) &&
           !isa<vector::TransferReadOp>(value.getDefiningOp());
  };
  if (!isDelayed(written.get()))
    getWholeOnce(written);
  walkOperands(written.get(), isComputed, [&](Value value) {
    if (!isDelayed(value))
      return WalkResult::advance();
    Operation *op = value.getDefiningOp();
    if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
      getReader(read);
      return WalkResult::advance();
    }
    for (OpOperand &own : op->getOpOperands())
      if (!isDelayed(own.get()))
        getWholeOnce(own);
    return WalkResult::advance();
  });
}

VectorReader &PiecesOfWrite::getReader(vector::TransferReadOp read) {
  std::unique_ptr<VectorReader> &reader = readers[read];
  if (!reader)
    reader = makeReader(read);
  return *reader;
}

/// The registers of vectors that a write takes as a whole beside its sums.
int64_t PiecesOfWrite::countBesideSums(vector::TransferWriteOp write) const {
  auto isComputed = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && delayed.contains(op) && !isa<vector::TransferReadOp>(op);
  };
  int64_t registers = 0;
  walkOperands(write.getValueToStore(), isComputed, [&](Value value) {
    auto type = dyn_cast<VectorType>(value.getType());
    Operation *op = value.getDefiningOp();
    if (type && op && !delayed.contains(op) && plan.getLayout(value) &&
        !isa<LoopLikeOpInterface>(op))
      registers += countRegisters(countRegisters(*plan.getLayout(value)),
                                  getElementBits(type));
    return WalkResult::advance();
  });
  return registers;
}

int64_t PiecesOfWrite::readAhead(vector::TransferWriteOp write,
                                 int64_t registers) {
  auto isTaken = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && delayed.contains(op) && !isReshaping(op) &&
           !isa<vector::TransferReadOp>(op);
  };
  int64_t bits = 0;
  walkOperands(write.getValueToStore(), isTaken, [&](Value value) {
    auto read = value.getDefiningOp<vector::TransferReadOp>();
    if (read && delayed.contains(read) && !plan.getAccess(read).isTransfer) {
      readsAhead.push_back(read);
      bits += getReader(read).countBitsAhead();
    }
    return WalkResult::advance();
  });
  const AccessPlan &access = plan.getAccess(write);
  pieceAhead = countRegistersOfPiece(access);
  endAhead = countRegisters(access.layout);
  int64_t ofPiece = countRegisters(pieceAhead, bits);
  int64_t pieces =
      (registers - countBesideSums(write)) / std::max<int64_t>(ofPiece, 1);
  // While one piece is written, others are on their way.
  if (readsAhead.empty() || pieces < 2) {
    readsAhead.clear();
    return 0;
  }
  distance = std::min(pieces * pieceAhead, endAhead);
  readPiecesUntil(distance);
  return distance / pieceAhead * ofPiece;
}

void PiecesOfWrite::readPiecesUntil(int64_t end) {
  for (; nextAhead < std::min(end, endAhead); nextAhead += pieceAhead)
    for (vector::TransferReadOp read : readsAhead)
      ahead[getKey(read.getResult(), {nextAhead, pieceAhead})] =
          getReader(read).readWords(nextAhead, pieceAhead);
}

Value PiecesOfWrite::get(OpOperand &written, int64_t first, int64_t count) {
  computed.clear();
  if (!readsAhead.empty())
    readPiecesUntil(first + distance);
  return take(written, {first, count});
}

Value PiecesOfWrite::take(OpOperand &operand, Range range) {
  Operation *op = operand.get().getDefiningOp();
  if (op && delayed.contains(op))
    return compute(cast<OpResult>(operand.get()), range);
  Value whole = getWholeOnce(operand);
  if (!isa<VectorType>(whole.getType()))
    return whole;
  SmallVector<int64_t> own(range.count);
  std::iota(own.begin(), own.end(), range.first);
  return program.select(whole, own);
}

Value PiecesOfWrite::getWholeOnce(OpOperand &operand) {
  Value &whole = wholes[&operand];
  if (!whole)
    whole = getWhole(operand);
  return whole;
}

Value PiecesOfWrite::compute(OpResult result, Range range) {
  auto isOpen = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && delayed.contains(op) &&
           computed.count(getKey(value, range)) == 0;
  };
  // Reads have indices as operands, and what is reshaped other ranges.
  auto isElementwise = [&](Value value) {
    return isOpen(value) && !isReshaping(value.getDefiningOp()) &&
           !value.getDefiningOp<vector::TransferReadOp>();
  };
  walkOperands(result, isElementwise, [&](Value value) {
    if (isOpen(value)) {
      Value piece = computeOne(cast<OpResult>(value), range);
      computed[getKey(value, range)] = piece;
    }
    return WalkResult::advance();
  });
  return computed[getKey(result, range)];
}

Value PiecesOfWrite::computeOne(OpResult result, Range range) {
  Operation *op = result.getOwner();
  if (isReshaping(op))
    return reshape(result, range);
  if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
    auto found = ahead.find(getKey(result, range));
    return found != ahead.end()
               ? readers[read]->getElements(found->second)
               : readers[read]->readPiece(range.first, range.count);
  }
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(take(operand, range));
  SmallVector<Value> pieces =
      computeElements(program, op, operands, range.count);
  for (auto [own, piece] : llvm::zip_equal(op->getResults(), pieces))
    computed[getKey(own, range)] = piece;
  return pieces[result.getResultNumber()];
}

/// The least range of an operand's registers that has all those of `sources`;
/// nullopt if there are none. Reads take runs.
static std::optional<std::pair<int64_t, int64_t>>
findRange(const RegisterSources &sources, unsigned operand, int64_t run) {
  std::optional<int64_t> first, last;
  for (const RegisterSource &source : sources)
    if (source.operand == operand) {
      first = std::min<int64_t>(first.value_or(source.number), source.number);
      last = std::max<int64_t>(last.value_or(source.number), source.number);
    }
  if (!first)
    return std::nullopt;
  int64_t begin = llvm::alignDown(*first, run);
  return std::pair(begin, int64_t(llvm::alignTo(*last + 1, run)) - begin);
}

Value PiecesOfWrite::reshape(OpResult result, Range range) {
  Operation *op = result.getOwner();
  SmallVector<const LinearLayout *, 2> layouts;
  for (OpOperand &operand : op->getOpOperands())
    layouts.push_back(&plan.getOperandLayout(operand));
  RegisterSources sources =
      findSources(result, layouts, plan.getComputedLayout(result));
  sources = RegisterSources(ArrayRef(sources).slice(range.first, range.count));
  SmallVector<Value, 2> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    auto read = operand.get().getDefiningOp<vector::TransferReadOp>();
    int64_t run = read && delayed.contains(read) ? plan.getAccess(read).run : 1;
    auto own = findRange(sources, number, run);
    operands.push_back(own ? take(operand, {own->first, own->second})
                           : Value());
    for (RegisterSource &source : sources)
      if (source.operand == number)
        source.number -= own->first;
  }
  return takeRegisters(program, operands, sources);
}
