//===- ProductRotation.cpp - products of two iterations at once -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProductRotation.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/ProductRotation.h"

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Rings/RingPlan.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace carousel;

using OpSet = llvm::SetVector<Operation *>;
using ValueSet = llvm::SetVector<Value>;

/// Slots that a ring needs. Those of the second stage are in use when the next
/// iteration's other tiles are waited for, and producers may fill them first.
/// If both stages read a ring's tiles, two are in use, and one is to be filled.
static constexpr int64_t kSlotsOfOne = 2, kSlotsOfBoth = 3;

static int64_t countRegistersOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? countRegisters(vector.getNumElements(),
                                 vector.getElementTypeBitWidth())
                : 0;
}

/// Whether the op's result has more registers than its operands.
static bool isSpread(Operation *op) {
  int64_t registers = 0;
  for (Type type : op->getOperandTypes())
    registers += countRegistersOf(type);
  return op->getNumResults() == 1 &&
         countRegistersOf(op->getResult(0).getType()) > registers;
}

//===----------------------------------------------------------------------===//
// Slices of the body
//===----------------------------------------------------------------------===//

/// The op of the body that a value is computed in, or null.
static Operation *findInBody(scf::ForOp loop, Value value) {
  Operation *op = value.getDefiningOp();
  return op ? loop.getBody()->findAncestorOpInBlock(*op) : nullptr;
}

static bool isArgument(scf::ForOp loop, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == loop.getBody();
}

/// The values from outside of the op that it and its regions use.
static ValueSet getInputs(Operation *op) {
  ValueSet inputs;
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!op->isProperAncestor(operand.getParentBlock()->getParentOp()) &&
          operand.getParentBlock()->getParentOp() != op)
        inputs.insert(operand);
  });
  return inputs;
}

namespace {

/// Ops of a body, with all that computes their operands in it.
struct Slice {
  explicit Slice(scf::ForOp loop) : loop(loop) {}

  void add(Value value) {
    llvm::SetVector<Value> values;
    values.insert(value);
    for (unsigned i = 0; i < values.size(); ++i) {
      if (isArgument(loop, values[i]))
        arguments.insert(values[i]);
      else if (Operation *op = findInBody(loop, values[i]);
               op && ops.insert(op))
        values.insert_range(getInputs(op));
    }
  }
  void add(Operation *op) {
    if (ops.insert(op))
      for (Value input : getInputs(op))
        add(input);
  }

  scf::ForOp loop;
  OpSet ops;
  ValueSet arguments; ///< of the body that they use
};

} // namespace

/// The ops of the body that depend on a value.
static OpSet findDependents(scf::ForOp loop, Value value) {
  OpSet dependents;
  for (Operation &op : loop.getBody()->without_terminator())
    if (llvm::any_of(getInputs(&op), [&](Value input) {
          return input == value || dependents.contains(findInBody(loop, input));
        }))
      dependents.insert(&op);
  return dependents;
}

//===----------------------------------------------------------------------===//
// The second products
//===----------------------------------------------------------------------===//

/// The casts from the product's sums to the one that the loop yields, and the
/// number of the carried value; nullopt if something else uses them.
static std::optional<unsigned> findYield(MultiplyOp op, scf::ForOp loop,
                                         SmallVectorImpl<Operation *> &casts) {
  Value sums = op.getResult();
  while (sums.hasOneUse() && isa<vector::ShapeCastOp>(*sums.user_begin())) {
    casts.push_back(*sums.user_begin());
    sums = casts.back()->getResult(0);
  }
  Operation *yield = loop.getBody()->getTerminator();
  if (!sums.hasOneUse() || *sums.user_begin() != yield)
    return std::nullopt;
  return sums.use_begin()->getOperandNumber();
}

SmallVector<MultiplyOp, 1> carousel::findSecondProducts(scf::ForOp loop) {
  SmallVector<MultiplyOp, 1> products;
  for (auto op : loop.getBody()->getOps<MultiplyOp>()) {
    SmallVector<Operation *> casts;
    std::optional<unsigned> carried = findYield(op, loop, casts);
    if (!carried || !op.hasRegisters() || op.getPromote())
      continue;
    Slice factor(loop), sums(loop);
    factor.add(op.getA());
    sums.add(op.getSums());
    bool isOfProduct = llvm::any_of(factor.ops, llvm::IsaPred<MultiplyOp>);
    if (isOfProduct && sums.arguments.contains(loop.getRegionIterArg(*carried)))
      products.push_back(op);
  }
  return products;
}

SmallVector<Value> carousel::findTilesOfSecondStage(scf::ForOp loop) {
  SmallVector<Value> tiles;
  SmallVector<MultiplyOp, 1> products = findSecondProducts(loop);
  for (MultiplyOp product : products)
    for (OpOperand *tile : product.getConsumedTiles()) {
      Value buffer = getRootBuffer(tile->get());
      std::optional<SmallVector<Operation *>> accesses = getAccesses(buffer);
      if (accesses && llvm::all_of(*accesses, [&](Operation *op) {
            return llvm::is_contained(products, op) || isa<LoadOp>(op);
          }))
        tiles.push_back(buffer);
    }
  return tiles;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

namespace {

class RotationPlanner {
public:
  RotationPlanner(scf::ForOp loop, ProductRotation &plan)
      : loop(loop), plan(plan), first(loop) {}

  std::string run();

private:
  std::string readSums();
  std::string readRings();
  std::string readFirst();
  std::string readSecond();
  void addSpreads();
  bool isLateUse(Value use);
  void addFirstRoots();

  bool isOfSecond(Operation *op) const {
    return llvm::is_contained(plan.products, op);
  }
  /// Whether the loop carries the sums of a product of the second stage so.
  bool isSum(unsigned number) const {
    return llvm::is_contained(plan.sums, number);
  }
  bool isSum(Value value) const {
    return llvm::any_of(plan.sums, [&](unsigned number) {
      return loop.getRegionIterArg(number) == value;
    });
  }

  mutable scf::ForOp loop;
  ProductRotation &plan;
  SmallVector<Operation *> casts; ///< of the products' sums
  OpSet scale;
  ValueSet ofFirst, ofSecond; ///< rings, by the stage that reads their tiles
  Slice first;
};

} // namespace

/// The ring that the op waits for or releases, or null.
static Value getRing(Operation *op) {
  if (auto wait = dyn_cast<RingWaitOp>(op))
    return wait.getRing();
  if (auto release = dyn_cast<RingReleaseOp>(op))
    return release.getRing();
  return {};
}

/// Checks that users of the carried sums are between them and their product.
std::string RotationPlanner::readSums() {
  for (MultiplyOp product : plan.products)
    plan.sums.push_back(*findYield(product, loop, casts));
  for (auto [product, number] : llvm::zip_equal(plan.products, plan.sums)) {
    Slice toProduct(loop);
    toProduct.add(MultiplyOp(product).getSums());
    for (Operation *op : findDependents(loop, loop.getRegionIterArg(number))) {
      if (op == product || llvm::is_contained(casts, op))
        continue;
      if (!toProduct.ops.contains(op))
        return "its carried sums are used by " + quoteName(op);
      if (!isMemoryEffectFree(op))
        return "its carried sums go through " + quoteName(op);
      scale.insert(op);
    }
  }
  for (auto [number, yielded] : llvm::enumerate(loop.getYieldedValues()))
    if (!isSum(unsigned(number)) &&
        (isSum(yielded) || scale.contains(yielded.getDefiningOp())))
      return "its carried sums are yielded as another value";
  addSpreads();
  return {};
}

/// A value that ops spread over more registers is handed over as it is.
void RotationPlanner::addSpreads() {
  for (unsigned i = 0; i < scale.size(); ++i)
    for (Value input : getInputs(scale[i])) {
      Operation *op = findInBody(loop, input);
      if (op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
          isSpread(op))
        scale.insert(op);
    }
}

std::string RotationPlanner::readRings() {
  for (MultiplyOp product : plan.products)
    for (OpOperand *tile : product.getConsumedTiles()) {
      auto slot = findSlot(tile->get());
      if (!slot)
        return "a factor isn't in a ring";
      ofSecond.insert(slot.getRing());
    }
  for (Operation &op : loop.getBody()->without_terminator()) {
    Value ring = getRing(&op);
    if (!ring)
      continue;
    if (std::string why = explainFilling(ring, loop); !why.empty())
      return why;
    bool isRead = llvm::any_of(ring.getUsers(), [&](Operation *user) {
      auto tile = dyn_cast<RingTileOp>(user);
      std::optional<SmallVector<Operation *>> accesses;
      if (tile)
        accesses = getAccesses(tile.getTile());
      return tile &&
             (!accesses || llvm::any_of(*accesses, [&](Operation *reader) {
               return !isOfSecond(reader) && loop->isProperAncestor(reader);
             }));
    });
    if (isRead || !ofSecond.contains(ring))
      ofFirst.insert(ring);
  }
  for (Value ring : ofSecond) {
    int64_t stages = cast<RingType>(ring.getType()).getStages();
    bool isOfBoth = ofFirst.contains(ring);
    int64_t needed = isOfBoth ? kSlotsOfBoth : kSlotsOfOne;
    if (stages < needed)
      return "a ring of " +
             std::string(isOfBoth ? "both products" : "the second product") +
             " needs " + std::to_string(needed) + " slots, and has " +
             std::to_string(stages);
  }
  return {};
}

/// Whether the second stage counts the uses of its rings by a carried value,
/// which nothing else needs.
bool RotationPlanner::isLateUse(Value use) {
  if (!isArgument(loop, use) || use == loop.getInductionVar() ||
      first.arguments.contains(use))
    return false;
  Slice next(loop);
  next.add(loop.getTiedLoopYieldedValue(cast<BlockArgument>(use))->get());
  return next.arguments.size() == 1 && next.arguments.front() == use &&
         llvm::none_of(next.ops, [&](Operation *op) {
           return first.ops.contains(op) || !isMemoryEffectFree(op);
         });
}

/// All but the carried values, of which some may be late.
void RotationPlanner::addFirstRoots() {
  for (MultiplyOp product : plan.products)
    first.add(product.getA());
  for (Operation *op : scale)
    for (Value input : getInputs(op))
      if (!isSum(input) && !scale.contains(findInBody(loop, input)))
        first.add(input);
  for (Operation &op : loop.getBody()->without_terminator()) {
    Value ring = getRing(&op);
    bool isOfFirst = ring ? ofFirst.contains(ring) && (isa<RingWaitOp>(op) ||
                                                       !ofSecond.contains(ring))
                          : isa<MultiplyOp>(op) && !isOfSecond(&op);
    if (isOfFirst)
      first.add(&op);
  }
}

std::string RotationPlanner::readFirst() {
  addFirstRoots();
  SmallVector<Value> uses;
  for (auto release : loop.getBody()->getOps<RingReleaseOp>())
    if (ofSecond.contains(release.getRing()))
      uses.push_back(release.getUse());
  // A yielded value is needed in time unless it is late, and so on.
  SmallVector<unsigned> others;
  for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number) {
    Value argument = loop.getRegionIterArg(number);
    if (isSum(number))
      continue;
    if (llvm::is_contained(uses, argument) && isLateUse(argument))
      plan.late.push_back(number);
    else
      others.push_back(number);
  }
  for (unsigned number : others)
    first.add(loop.getYieldedValues()[number]);
  if (llvm::any_of(plan.late, [&](unsigned number) {
        return first.arguments.contains(loop.getRegionIterArg(number));
      })) {
    for (unsigned number : plan.late)
      first.add(loop.getYieldedValues()[number]);
    plan.late.clear();
  }
  if (llvm::any_of(first.arguments, [&](Value v) { return isSum(v); }) ||
      llvm::any_of(first.ops, [&](Operation *op) { return isOfSecond(op); }))
    return "the other products depend on its sums";
  for (Operation *op : first.ops) {
    if (isa<MultiplyOp, RingWaitOp, RingReleaseOp>(op))
      continue;
    std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
        getEffectsRecursively(op);
    if (!effects || llvm::any_of(*effects, [](const auto &effect) {
          return !isa<MemoryEffects::Read>(effect.getEffect());
        }))
      return "the other products need " + quoteName(op);
  }
  return {};
}

/// Reads the rest.
std::string RotationPlanner::readSecond() {
  Slice second(loop);
  for (MultiplyOp product : plan.products)
    second.add(product.getOperation());
  for (Operation *cast : casts)
    second.ops.insert(cast);
  for (unsigned number : plan.late)
    second.add(loop.getYieldedValues()[number]);
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isOfFirst = first.ops.contains(&op);
    if (isOfFirst)
      plan.first.push_back(&op);
    if (scale.contains(&op))
      plan.scale.push_back(&op);
    else if (!isOfFirst && (getRing(&op) || second.ops.contains(&op)))
      plan.second.push_back(&op);
    else if (!isOfFirst && !isMemoryEffectFree(&op))
      return "the iteration has " + quoteName(&op);
  }
  OpSet own(plan.scale.begin(), plan.scale.end());
  own.insert(plan.second.begin(), plan.second.end());
  ValueSet handed;
  for (Operation *op : own)
    for (Value input : getInputs(op)) {
      Operation *from = findInBody(loop, input);
      if (isSum(input) || (from && own.contains(from)) ||
          (!from && !isArgument(loop, input)))
        continue;
      bool isLate = llvm::any_of(plan.late, [&](unsigned number) {
        return loop.getRegionIterArg(number) == input;
      });
      if (!isLate)
        handed.insert(input);
    }
  plan.handed = handed.takeVector();
  return {};
}

std::string RotationPlanner::run() {
  for (auto read : {&RotationPlanner::readSums, &RotationPlanner::readRings,
                    &RotationPlanner::readFirst, &RotationPlanner::readSecond})
    if (std::string why = (this->*read)(); !why.empty())
      return why;
  return {};
}

RingTileOp carousel::findSlot(Value tile) {
  return getRootBuffer(tile).getDefiningOp<RingTileOp>();
}

std::string carousel::explainFilling(Value ring, scf::ForOp loop) {
  auto roles = loop->getParentOfType<RingRolesOp>();
  bool isConsumer =
      roles && roles.getConsumer().isAncestor(loop->getParentRegion());
  for (Operation *user : ring.getUsers())
    if (isa<RingProduceOp>(user) &&
        (!isConsumer ||
         !roles.getProducer().isAncestor(user->getParentRegion())))
      return "no role of producers fills its slots";
  return {};
}

std::string carousel::planRotation(scf::ForOp loop, ProductRotation &plan) {
  return RotationPlanner(loop, plan).run();
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Counts the registers that the loop carries, with the factor of the product
/// in flight, beside the sums of the first products, whose registers the next
/// factor gets. Factors of all iterations have registers of their own.
int64_t ProductRotation::countRegisters() const {
  MultiplyOp last = products.back();
  auto loop = cast<scf::ForOp>(last->getParentOp());
  int64_t registers = 0;
  for (Type type : loop.getResultTypes())
    registers += countRegistersOf(type);
  // Values that the loop yields, too, have registers once.
  for (Value value : handed)
    if (!llvm::is_contained(loop.getYieldedValues(), value))
      registers += countRegistersOf(value.getType());
  ValueSet factors;
  for (Operation *op : first) {
    auto other = dyn_cast<MultiplyOp>(op);
    if (!other)
      continue;
    // Products that add to each other have the same sums.
    Value sums = other.getSums();
    while (auto cast = sums.getDefiningOp<vector::ShapeCastOp>())
      sums = cast.getSource();
    if (!sums.getDefiningOp<MultiplyOp>())
      registers += countRegistersOf(other.getSums().getType());
    Slice factor(loop);
    factor.add(other.getA());
    if (other.hasRegisters() && factor.arguments.empty())
      factors.insert(other.getA());
  }
  for (Value factor : factors)
    registers += countRegistersOf(factor.getType());
  return registers;
}
