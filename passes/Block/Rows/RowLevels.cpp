//===- RowLevels.cpp - loops over the chunks of a row ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowLevels.h.
//
//===----------------------------------------------------------------------===//

#include "RowLevels.h"

#include "RowLoop.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace carousel;

llvm::SetVector<Value> carousel::findOutsideValues(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, values);
  return values;
}

bool carousel::canRepeat(Operation *op) {
  return !op->walk([](Operation *nested) {
              bool isFree = isMemoryEffectFree(nested) ||
                            hasSingleEffect<MemoryEffects::Read>(nested);
              return isFree || nested->hasTrait<OpTrait::IsTerminator>() ||
                             nested->getNumRegions() != 0
                         ? WalkResult::advance()
                         : WalkResult::interrupt();
            }).wasInterrupted();
}

RowLevels::RowLevels(gpu::GPUFuncOp kernel, int64_t width)
    : body(kernel.getBody().front()), width(width) {
  placeAll();
}

RowLevels::RowLevels(scf::ForOp loop, const RowLevels &outside)
    : body(*loop.getBody()), width(outside.width), outside(&outside) {
  findOfColumns();
  placeAll();
}

RowLevels::~RowLevels() = default;

void RowLevels::findOfColumns() {
  auto isOf = [&](Value value) {
    Operation *source = value.getDefiningOp();
    return source
               ? ofColumns.contains(source)
               : value.getParentBlock() == &body && isCovered(value.getType());
  };
  for (Operation &op : body.without_terminator())
    if (llvm::any_of(findOutsideValues(&op), isOf))
      ofColumns.insert(&op);
}

void RowLevels::placeAll() {
  for (Operation &op : body.without_terminator())
    if (refusal = place(&op); !refusal.empty())
      return;
  refusal = findConflict();
}

bool RowLevels::isCovered(Type type) const {
  return carousel::isCovered(type, width);
}

bool RowLevels::isCoveredOp(Operation *op) const {
  return !loops.contains(op) &&
         (llvm::any_of(op->getOperandTypes(),
                       [&](Type type) { return isCovered(type); }) ||
          llvm::any_of(op->getResultTypes(),
                       [&](Type type) { return isCovered(type); }));
}

bool RowLevels::isEnd(Operation *op) const {
  auto reduction = dyn_cast<vector::MultiDimReductionOp>(op);
  return reduction && isCovered(reduction.getSource().getType()) &&
         !isCovered(reduction.getType());
}

const RowLoop *RowLevels::getLoop(Operation *op) const {
  auto found = loops.find(op);
  if (found != loops.end())
    return found->second.get();
  return outside ? outside->getLoop(op) : nullptr;
}

static std::string describe(Operation *op, const Twine &what) {
  return ("'" + op->getName().getStringRef() + "' " + what).str();
}

/// Finds the op's level. Returns why the op can't go over chunks.
std::string RowLevels::place(Operation *op) {
  unsigned level = 0;
  for (Value value : findOutsideValues(op))
    if (Operation *source = value.getDefiningOp())
      level = std::max(level, levels.lookup(source) + isEnd(source));
  levels[op] = level;
  last = std::max(last, level);
  op->walk([&](Operation *nested) { noteMemory(nested); });
  if (op->getNumRegions() != 0)
    return placeRegions(op);
  if (!isCoveredOp(op))
    return "";
  if (std::string reason = explainFixedWidth(op, width); !reason.empty())
    return reason;
  if (coversTwice(op, width))
    return describe(op, "has the covered dimension twice");
  if (isOfColumns(op) && isEnd(op))
    return describe(op, "reduces what a loop carries in each iteration");
  bool isChange =
      isa<vector::InterleaveOp, vector::DeinterleaveOp,
          vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp,
          vector::ExtractOp, vector::InsertOp, vector::ConstantMaskOp,
          vector::ContractionOp, TransferOpInterface>(op);
  if (isChange)
    return describe(op, "changes the covered dimension");
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    for (auto [dim, expr] :
         llvm::enumerate(transfer.getPermutationMap().getResults()))
      if (transfer.getVectorType().getDimSize(dim) == width &&
          !isa<AffineDimExpr>(expr))
        return describe(op, "repeats elements along the covered dimension");
  return "";
}

/// Regions without covered vectors are executed as they are. Loops over rows
/// aren't nested.
std::string RowLevels::placeRegions(Operation *op) {
  bool hasCovered = false;
  op->walk([&](Operation *nested) { hasCovered |= isCoveredOp(nested); });
  if (!hasCovered)
    return "";
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || outside)
    return describe(op, "has regions");
  auto rows = std::make_unique<RowLoop>(loop, *this);
  std::string reason = rows->getRefusal();
  loops[op] = std::move(rows);
  return reason;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void RowLevels::noteMemory(Operation *op) {
  if (std::optional<ElementAccess> access = findElementAccess(op))
    (access->writes ? writes : reads)
        .emplace_back(op, getRootBuffer(access->memref));
}

/// The last level whose loop needs what an op of the block computes, also
/// through others: loops compute covered vectors again. None if columns need
/// it, which may compute everything again.
std::optional<unsigned> RowLevels::findLastUse(Operation *op) const {
  unsigned use = getLevel(op);
  // Whether chunks need it again because of what they compute.
  llvm::MapVector<Operation *, bool> found;
  SmallVector<std::pair<Operation *, bool>> pending = {{op, true}};
  while (!pending.empty()) {
    auto [next, isAgain] = pending.pop_back_val();
    if (auto [at, isNew] = found.try_emplace(next, isAgain); !isNew) {
      if (at->second || !isAgain)
        continue;
      at->second = true;
    }
    if (isAgain)
      use = std::max(use, getLevel(next));
    if (outside && (isOfColumns(next) || next == body.getTerminator()))
      return std::nullopt;
    bool goesOn = isAgain && !isEnd(next) &&
                  llvm::any_of(next->getResultTypes(),
                               [&](Type type) { return isCovered(type); });
    if (!goesOn && !outside)
      continue;
    for (Operation *user : next->getUsers())
      if (Operation *own = body.findAncestorOpInBlock(*user))
        pending.emplace_back(own, goesOn);
  }
  return use;
}

/// Whether all loops have read an element when one writes it, for two arguments
/// that may be one memref.
bool RowLevels::isReadFirst(Operation *read, Operation *write) const {
  Operation *a = body.findAncestorOpInBlock(*read);
  Operation *b = body.findAncestorOpInBlock(*write);
  // An iteration has levels of its own; other regions are executed as they are.
  if (a == b)
    return true;
  if (loops.contains(a) || loops.contains(b) || isOfColumns(b) ||
      b->isBeforeInBlock(a))
    return false;
  std::optional<unsigned> use = findLastUse(a);
  if (!use || *use > getLevel(b))
    return false;
  if (!isCoveredOp(a) || !isCoveredOp(b))
    return !isCoveredOp(a) || *use < getLevel(b);
  Value own = findColumn(a), other = findColumn(b);
  return own && other && isEqualConstantIntOrValue(own, other);
}

/// Loops over chunks change the order of accesses.
std::string RowLevels::findConflict() const {
  for (auto [write, memref] : writes)
    for (auto [read, other] : reads) {
      if (other == memref)
        return "it reads and writes the same memref";
      if (getAliasedRoot(other) == getAliasedRoot(memref) &&
          !isReadFirst(read, write))
        return "it writes a memref before it has read one that may be the "
               "same";
    }
  for (size_t second = 0; second < writes.size(); ++second)
    for (size_t first = 0; first < second; ++first)
      if (writes[first].second == writes[second].second &&
          !areOrdered(writes[first].first, writes[second].first))
        return "it writes a memref twice";
  for (auto [op, memref] : writes) {
    Value column = isOfColumns(op) ? findColumn(op) : Value();
    if (column && varies(column))
      return describe(op, "goes to other columns in each iteration");
  }
  return "";
}

/// Whether iterations may have different values.
bool RowLevels::varies(Value value) const {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i) {
    Value own = values[i];
    if (own.getParentBlock() != &body)
      continue;
    Operation *source = own.getDefiningOp();
    if (!source || !isMemoryEffectFree(source))
      return true;
    values.insert_range(findOutsideValues(source));
  }
  return false;
}

/// The index along the covered dimension.
Value RowLevels::findColumn(Operation *access) const {
  auto transfer = dyn_cast<VectorTransferOpInterface>(access);
  if (!transfer)
    return nullptr;
  for (auto [dim, expr] :
       llvm::enumerate(transfer.getPermutationMap().getResults()))
    if (transfer.getVectorType().getDimSize(dim) == width)
      return transfer.getIndices()[cast<AffineDimExpr>(expr).getPosition()];
  return nullptr;
}

/// Whether two writes to a memref keep their order: each chunk of the first
/// comes before the same one of the second.
bool RowLevels::areOrdered(Operation *first, Operation *second) const {
  Operation *a = body.findAncestorOpInBlock(*first);
  Operation *b = body.findAncestorOpInBlock(*second);
  if (a == b)
    return true;
  if (loops.contains(a) || loops.contains(b) ||
      isOfColumns(a) != isOfColumns(b) || getLevel(a) > getLevel(b))
    return false;
  if (!isCoveredOp(a) || !isCoveredOp(b))
    return !isCoveredOp(a) || getLevel(a) < getLevel(b);
  Value own = findColumn(a), other = findColumn(b);
  return own && other && isEqualConstantIntOrValue(own, other);
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

SmallVector<Operation *>
RowLevels::findNeeded(unsigned level,
                      const llvm::DenseSet<Operation *> *only) const {
  llvm::SetVector<Operation *> needed;
  for (Operation &op : body.without_terminator()) {
    if (getLevel(&op) != level || isOfColumns(&op) ||
        (only && !only->contains(&op)))
      continue;
    const RowLoop *rows = getLoop(&op);
    bool writes = !isMemoryEffectFree(&op) && op.getNumResults() == 0;
    if (rows ? rows->writesColumns()
             : isCoveredOp(&op) && (isEnd(&op) || writes))
      needed.insert(&op);
  }
  for (size_t i = 0; i < needed.size(); ++i) {
    llvm::SetVector<Value> values;
    if (const RowLoop *rows = getLoop(needed[i]))
      values = rows->findColumnValues();
    else
      values.insert(needed[i]->operand_begin(), needed[i]->operand_end());
    for (Value value : values)
      if (Operation *source = value.getDefiningOp())
        if (isCovered(value.getType()))
          needed.insert(source);
  }
  // Ops before the block come before its own.
  SmallVector<Operation *> ordered = needed.takeVector();
  llvm::sort(ordered, [&](Operation *a, Operation *b) {
    bool isOwn = a->getBlock() == &body;
    return a->getBlock() == b->getBlock() ? a->isBeforeInBlock(b) : !isOwn;
  });
  return ordered;
}

static bool isConstant(Value index) {
  return matchPattern(index, m_Constant());
}

bool RowLevels::isOfAllPrograms(vector::TransferReadOp read) {
  return llvm::all_of(read.getIndices(), isConstant);
}

/// Whether it reads a part of one row of global memory, which each program has
/// of its own, and which a transfer could bring.
static bool readsRow(vector::TransferReadOp read) {
  auto memref = dyn_cast<MemRefType>(read.getShapedType());
  VectorType vector = read.getVectorType();
  Type element = vector.getElementType();
  return memref && isGlobalMemRef(memref) && memref.getRank() >= 2 &&
         memref.getElementType() == element && element.isIntOrFloat() &&
         element.getIntOrFloatBitWidth() % 8 == 0 && vector.getRank() <= 2 &&
         vector.getShape().back() == vector.getNumElements() &&
         !read.getMask() && read.getPermutationMap().isMinorIdentity() &&
         isConstant(read.getPadding()) && !RowLevels::isOfAllPrograms(read);
}

llvm::MapVector<Operation *, unsigned> RowLevels::findRepeated() const {
  if (hasLoops())
    return {};
  llvm::MapVector<Operation *, unsigned> first;
  llvm::SetVector<Operation *> repeated;
  for (unsigned level = 0; level <= last; ++level)
    for (Operation *op : findNeeded(level))
      if (isa<vector::TransferReadOp>(op) &&
          !first.try_emplace(op, level).second)
        repeated.insert(op);
  llvm::MapVector<Operation *, unsigned> reads;
  for (Operation *op : repeated)
    if (readsRow(cast<vector::TransferReadOp>(op)))
      reads[op] = first.lookup(op);
  return reads;
}
