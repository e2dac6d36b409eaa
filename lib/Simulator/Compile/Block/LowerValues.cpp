//===- LowerValues.cpp - vectors of a block program in memory -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerValues.h"

#include "../KernelModule.h"

#include "carousel/Dialect/IR/DistributionOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace carousel::sim;

/// A line of the host's cache, and the widest of its vectors.
static constexpr uint64_t kAlignment = 64;

std::optional<SplatSource> carousel::sim::findSplat(Value vector) {
  Operation *op = vector.getDefiningOp();
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return SplatSource{splat.getSplatValue<TypedAttr>(), {}, nullptr};
  if (auto broadcast = dyn_cast_or_null<vector::BroadcastOp>(op))
    if (!isa<VectorType>(broadcast.getSourceType()))
      return SplatSource{{}, broadcast.getSource(), nullptr};
  if (isa_and_nonnull<ub::PoisonOp>(op))
    return SplatSource{{}, {}, op};
  return std::nullopt;
}

Type carousel::sim::getStoredType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

bool carousel::sim::hasVectors(Operation *op) {
  auto isVector = [](Type type) { return isa<VectorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isVector) ||
         llvm::any_of(op->getResultTypes(), isVector) ||
         llvm::any_of(op->getRegions(), [&](Region &region) {
           return !region.empty() &&
                  llvm::any_of(region.getArgumentTypes(), isVector);
         });
}

/// LLVM's time is quadratic in the ops of a loop, too.
static constexpr size_t kMostOps = 512;

static bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         !isa<carousel::DistributionOpInterface>(op) &&
         op->getNumRegions() == 0 && op->getNumResults() != 0 &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return isa<VectorType>(type); });
}

/// Whether the op neither uses a run's results nor needs a loop. The ops of the
/// run can move past it then.
static bool isBetween(Operation *op) {
  return op->getNumRegions() == 0 &&
         llvm::none_of(op->getOperandTypes(),
                       [](Type type) { return isa<VectorType>(type); }) &&
         llvm::all_of(op->getResults(), [](Value result) {
           return !isa<VectorType>(result.getType()) || findSplat(result);
         });
}

void ValuePlan::findRuns(Block &block) {
  std::optional<int64_t> elements; // of the run that the next op may join
  for (Operation &op : block) {
    if (isElementwise(&op)) {
      int64_t count =
          cast<VectorType>(op.getResult(0).getType()).getNumElements();
      if (elements != count || runs.back().size() == kMostOps)
        runs.emplace_back();
      elements = count;
      runs.back().push_back(&op);
      runOf[&op] = runs.size() - 1;
    } else if (!isBetween(&op)) {
      elements.reset();
    }
  }
}

/// In pre-order, so that a range of positions encloses those of its regions.
void ValuePlan::number(Operation *op) {
  Range &range = ranges[op];
  range.first = next++;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        number(&inner);
  ranges[op].last = next++;
}

/// A run's loop reads its operands and writes its results in each iteration.
void ValuePlan::joinRanges() {
  for (const Run &run : runs) {
    Range whole = {ranges.at(run.front()).first, ranges.at(run.back()).last};
    for (Operation *op : run)
      ranges[op] = whole;
  }
}

unsigned ValuePlan::addSlot(Type type, Range range) {
  auto vector = cast<VectorType>(type);
  uint64_t element = *getElementBytes(getStoredType(vector.getElementType()));
  slots.push_back({range.first, range.last, element * vector.getNumElements()});
  return slots.size() - 1;
}

/// A use in a region counts until the region's end, because a loop may come
/// back to it.
void ValuePlan::extend(unsigned slot, Value value) {
  for (Operation *user : value.getUsers()) {
    Operation *ancestor = value.getParentBlock()->findAncestorOpInBlock(*user);
    slots[slot].last = std::max(slots[slot].last, ranges.at(ancestor).last);
  }
}

LogicalResult ValuePlan::addResults(Operation *op) {
  for (Value result : op->getResults()) {
    auto type = dyn_cast<VectorType>(result.getType());
    if (!type || findSplat(result))
      continue;
    const Run *run = findRun(op);
    if (run && llvm::all_of(result.getUsers(), [&](Operation *user) {
          return findRun(user) == run;
        }))
      continue;
    if (!type.getElementType().isIntOrIndexOrFloat())
      return op->emitError("expected vectors of numbers in a block program, "
                           "got ")
             << type;
    unsigned slot = addSlot(type, ranges.at(op));
    slotOf[result] = slot;
    extend(slot, result);
  }
  return success();
}

/// The arguments of a loop's body share the places of its results. The
/// condition of a while loop has others, which it may forward.
void ValuePlan::addArguments(Operation *op) {
  auto share = [&](ValueRange arguments, ValueRange results) {
    for (auto [argument, result] : llvm::zip_equal(arguments, results))
      if (isa<VectorType>(argument.getType())) {
        slotOf[argument] = slotOf.at(result);
        extend(slotOf.at(result), argument);
      }
  };
  if (auto loop = dyn_cast<scf::ForOp>(op))
    share(loop.getRegionIterArgs(), loop.getResults());
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    share(loop.getAfterArguments(), loop.getResults());
    for (Value argument : loop.getBeforeArguments())
      if (isa<VectorType>(argument.getType()))
        slotOf[argument] = addSlot(argument.getType(), ranges.at(op));
  }
}

void ValuePlan::addCopies(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return;
  Operation *yield = loop.getBody()->getTerminator();
  for (OpOperand &operand : yield->getOpOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand.get());
    if (isa<VectorType>(operand.get().getType()) && argument &&
        argument.getOwner() == loop.getBody() &&
        argument != loop.getRegionIterArg(operand.getOperandNumber()))
      copyOf[&operand] = addSlot(operand.get().getType(), ranges.at(yield));
  }
}

std::optional<uint64_t> ValuePlan::getCopyOffset(OpOperand &yielded) const {
  auto found = copyOf.find(&yielded);
  if (found == copyOf.end())
    return std::nullopt;
  return slots[found->second].offset;
}

/// First fit, in the order in which values become live.
void ValuePlan::place() {
  std::vector<Slot *> order;
  for (Slot &slot : slots)
    order.push_back(&slot);
  llvm::sort(order, [](const Slot *a, const Slot *b) {
    return std::tie(a->first, a) < std::tie(b->first, b);
  });
  std::multimap<uint64_t, Slot *> live; // by offset
  for (Slot *slot : order) {
    for (auto it = live.begin(); it != live.end();)
      it = it->second->last < slot->first ? live.erase(it) : std::next(it);
    uint64_t offset = 0;
    for (auto [begin, other] : live) {
      if (offset + slot->bytes <= begin)
        break;
      offset =
          std::max(offset, llvm::alignTo(begin + other->bytes, kAlignment));
    }
    slot->offset = offset;
    live.insert({offset, slot});
    bytes = std::max(bytes, offset + slot->bytes);
  }
}

FailureOr<ValuePlan> ValuePlan::compute(Operation *kernel) {
  ValuePlan plan;
  kernel->walk<WalkOrder::PreOrder>([&](Block *block) {
    // A mask lowers the op inside.
    if (!isa<vector::MaskOp>(block->getParentOp()))
      plan.findRuns(*block);
  });
  plan.number(kernel);
  plan.joinRanges();
  WalkResult result = kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (failed(plan.addResults(op)))
      return WalkResult::interrupt();
    plan.addArguments(op);
    plan.addCopies(op);
    // The op inside writes the results of the mask.
    return isa<vector::MaskOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  plan.place();
  return plan;
}

Value carousel::sim::createIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value carousel::sim::addConstant(ImplicitLocOpBuilder &b, Value value,
                                 int64_t constant) {
  if (constant == 0)
    return value;
  return arith::AddIOp::create(b, value, createIndex(b, constant));
}

Value carousel::sim::scale(ImplicitLocOpBuilder &b, Value value,
                           int64_t factor) {
  if (factor == 1)
    return value;
  return arith::MulIOp::create(b, value, createIndex(b, factor));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Tells instrumentMemory that the loop ends by itself. Its iterations are no
/// steps of the thread; those that access memory of others are counted by their
/// accesses.
static void markBounded(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto attr = LLVM::LoopAnnotationAttr::get(
      context, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
      /*mustProgress=*/BoolAttr::get(context, true), {}, {}, {}, {});
  loop->setDiscardableAttr("loop_annotation", attr);
}

/// Dimensions without an extent end before `end`.
static SmallVector<Value>
foldFrom(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape, Value end,
         SmallVectorImpl<Value> &coords, ValueRange values,
         function_ref<SmallVector<Value>(Coords, ValueRange)> body) {
  size_t dim = coords.size();
  if (dim == shape.size())
    return body(coords, values);
  Value zero = createIndex(b, 0);
  if (shape[dim] == 1) {
    coords.push_back(zero);
    SmallVector<Value> results = foldFrom(b, shape, end, coords, values, body);
    coords.pop_back();
    return results;
  }
  Value extent =
      ShapedType::isDynamic(shape[dim]) ? end : createIndex(b, shape[dim]);
  auto loop = scf::ForOp::create(b, zero, extent, createIndex(b, 1), values);
  markBounded(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  coords.push_back(loop.getInductionVar());
  SmallVector<Value> next =
      foldFrom(b, shape, end, coords, loop.getRegionIterArgs(), body);
  coords.pop_back();
  if (values.empty())
    return {};
  // The builder has moved to the end of what the body created.
  b.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(b, next);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> ValueAccess::foldAll(
    ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape, ValueRange initial,
    function_ref<SmallVector<Value>(Coords, ValueRange)> body) {
  SmallVector<Value> coords;
  return foldFrom(b, shape, coveredEnd, coords, initial, body);
}

Value ValueAccess::fold(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                        Value initial,
                        function_ref<Value(Coords, Value)> body) {
  return foldAll(b, shape, initial,
                 [&](Coords coords, ValueRange values) {
                   return SmallVector<Value>{body(coords, values.front())};
                 })
      .front();
}

void ValueAccess::forEach(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                          function_ref<void(Coords)> body) {
  foldAll(b, shape, {}, [&](Coords coords, ValueRange) {
    body(coords);
    return SmallVector<Value>();
  });
}

Value ValueAccess::getEnd(ImplicitLocOpBuilder &b, int64_t bound) const {
  return ShapedType::isDynamic(bound) ? coveredEnd : createIndex(b, bound);
}

Value ValueAccess::isInside(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                            Coords coords) const {
  Value inside;
  for (auto [extent, coord] : llvm::zip_equal(shape, coords)) {
    if (!isCovered(extent))
      continue;
    Value own =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, coord, coveredEnd);
    inside = inside ? arith::AndIOp::create(b, inside, own) : own;
  }
  return inside;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value ValueAccess::getView(Type type, uint64_t offset) {
  auto vector = cast<VectorType>(type);
  auto flat = MemRefType::get({vector.getNumElements()},
                              getStoredType(vector.getElementType()));
  Value &view = views[{flat, offset}];
  if (!view) {
    ImplicitLocOpBuilder b(memory.getLoc(), memory.getContext());
    b.setInsertionPointAfterValue(memory);
    Value byte = createIndex(b, int64_t(offset));
    view = memref::ViewOp::create(b, flat, memory, byte, ValueRange());
  }
  return view;
}

Value ValueAccess::getPlace(Value vector) {
  if (Value outer = aliases.lookup(vector))
    vector = outer;
  return getView(vector.getType(), plan.getOffset(vector));
}

static Value linearize(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                       Coords coords) {
  Value number;
  for (auto [extent, coord] : llvm::zip_equal(shape, coords)) {
    if (extent == 1)
      continue;
    number = number ? arith::AddIOp::create(b, scale(b, number, extent), coord)
                    : coord;
  }
  return number ? number : createIndex(b, 0);
}

static Value readSplat(ImplicitLocOpBuilder &b, const SplatSource &splat,
                       Type element) {
  if (splat.scalar)
    return splat.scalar;
  if (splat.constant)
    return arith::ConstantOp::create(b, splat.constant);
  OpBuilder &builder = b;
  auto poison = ub::PoisonOp::create(builder, splat.poison->getLoc(), element);
  poison->setDiscardableAttrs(splat.poison->getDiscardableAttrDictionary());
  return poison;
}

Value ValueAccess::load(ImplicitLocOpBuilder &b, Value view, Value number,
                        Type element) {
  Value stored = memref::LoadOp::create(b, view, number);
  if (stored.getType() == element)
    return stored;
  return arith::TruncIOp::create(b, element, stored);
}

Value ValueAccess::readFlat(ImplicitLocOpBuilder &b, Value value,
                            Value number) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return value;
  if (std::optional<SplatSource> splat = findSplat(value))
    return readSplat(b, *splat, type.getElementType());
  return load(b, getPlace(value), number, type.getElementType());
}

Value ValueAccess::read(ImplicitLocOpBuilder &b, Value vector, Coords coords) {
  auto type = cast<VectorType>(vector.getType());
  return readFlat(b, vector, linearize(b, type.getShape(), coords));
}

void ValueAccess::writeFlat(ImplicitLocOpBuilder &b, Value vector, Value number,
                            Value element) {
  Type stored = getStoredType(element.getType());
  if (stored != element.getType())
    element = arith::ExtUIOp::create(b, stored, element);
  memref::StoreOp::create(b, element, getPlace(vector), number);
}

void ValueAccess::write(ImplicitLocOpBuilder &b, Value vector, Coords coords,
                        Value element) {
  auto type = cast<VectorType>(vector.getType());
  writeFlat(b, vector, linearize(b, type.getShape(), coords), element);
}

void ValueAccess::copy(ImplicitLocOpBuilder &b, Value from, Value to) {
  int64_t count = cast<VectorType>(to.getType()).getNumElements();
  forEach(b, count, [&](Coords coords) {
    writeFlat(b, to, coords[0], readFlat(b, from, coords[0]));
  });
}

static void copyView(ValueAccess &access, ImplicitLocOpBuilder &b, Value from,
                     Value to) {
  access.forEach(b, cast<MemRefType>(to.getType()).getShape(),
                 [&](Coords coords) {
                   Value element = memref::LoadOp::create(b, from, coords);
                   memref::StoreOp::create(b, element, to, coords);
                 });
}

void ValueAccess::save(ImplicitLocOpBuilder &b, OpOperand &yielded) {
  if (std::optional<uint64_t> offset = plan.getCopyOffset(yielded))
    copyView(*this, b, getPlace(yielded.get()),
             getView(yielded.get().getType(), *offset));
}

void ValueAccess::copyYielded(ImplicitLocOpBuilder &b, OpOperand &yielded,
                              Value to) {
  Value from = yielded.get();
  if (std::optional<uint64_t> offset = plan.getCopyOffset(yielded))
    copyView(*this, b, getView(from.getType(), *offset), getPlace(to));
  else if (findSplat(from) || getPlace(from) != getPlace(to))
    copy(b, from, to);
}
