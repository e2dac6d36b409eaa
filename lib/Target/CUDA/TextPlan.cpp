//===- TextPlan.cpp - statements and names of the text --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op has a number, in the order of the text. An inlined op is evaluated at
// the number of the statement that it becomes part of. Ops are visited from
// last to first, so that this is known for all users of a value. A read may
// move to its use only if no write is in between.
//
//===----------------------------------------------------------------------===//

#include "TextPlan.h"

#include "carousel/Target/EmitCUDA.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <functional>

using namespace mlir;
using namespace carousel;

/// The largest number of ops in an expression.
static constexpr unsigned kMaxCost = 7;

static bool isPureOp(Operation *op) {
  if (auto call = dyn_cast<emitc::CallOpaqueOp>(op))
    return call->hasAttr(TextAttrs::kPure) && op->getNumResults() == 1;
  return isa<emitc::AddOp, emitc::SubOp, emitc::MulOp, emitc::DivOp,
             emitc::RemOp, emitc::BitwiseAndOp, emitc::BitwiseOrOp,
             emitc::BitwiseXorOp, emitc::BitwiseNotOp,
             emitc::BitwiseLeftShiftOp, emitc::BitwiseRightShiftOp,
             emitc::CmpOp, emitc::CastOp, emitc::ConditionalOp,
             emitc::LogicalAndOp, emitc::LogicalOrOp, emitc::LogicalNotOp,
             emitc::UnaryMinusOp, emitc::UnaryPlusOp>(op);
}

/// Ops that print as short as a name, or whose type no declaration can have.
static bool isAlwaysInlined(Operation *op) {
  if (isa<emitc::ConstantOp, emitc::LiteralOp, emitc::SubscriptOp,
          emitc::GetGlobalOp>(op))
    return true;
  if (auto cast = dyn_cast<emitc::CastOp>(op))
    return isa<emitc::ArrayType>(cast.getSource().getType());
  if (auto call = dyn_cast<emitc::CallOpaqueOp>(op)) {
    if (call.getCallee() == "&")
      return true;
    // Coordinates, and members of a struct.
    if (call.getCallee() == TextAttrs::kList)
      if (auto type = dyn_cast<emitc::OpaqueType>(call.getResult(0).getType()))
        return !type.getValue().starts_with("carousel::vec<");
  }
  return false;
}

static bool hasEffect(Operation *op) {
  if (auto assign = dyn_cast<emitc::AssignOp>(op))
    return assign.getVar().getDefiningOp<emitc::SubscriptOp>() != nullptr;
  if (auto call = dyn_cast<emitc::CallOpaqueOp>(op))
    return !call->hasAttr(TextAttrs::kPure);
  return isa<emitc::CallOp, emitc::VerbatimOp>(op);
}

static bool isVariableLoad(Operation *op) {
  auto load = dyn_cast<emitc::LoadOp>(op);
  return load && load.getOperand().getDefiningOp<emitc::VariableOp>();
}

TextPlan::TextPlan(emitc::FuncOp func) {
  number(func);
  findSourceNames();
  findDeclarations();
  for (Operation *op : llvm::reverse(order))
    decide(op);
}

void TextPlan::number(emitc::FuncOp func) {
  unsigned next = 0;
  std::function<void(Region &)> visit = [&](Region &region) {
    for (Operation &op : region.getOps()) {
      order.push_back(&op);
      unsigned begin = next++;
      for (Region &nested : op.getRegions())
        visit(nested);
      extents[&op] = {begin, next++};
      if (hasEffect(&op))
        effects.push_back(begin);
    }
  };
  visit(func.getBody());
  llvm::sort(effects);
}

/// One op of the source often becomes several with its location. The last one
/// gets the name.
void TextPlan::findSourceNames() {
  DenseMap<Location, Operation *> last;
  for (Operation *op : order)
    if (op->getNumResults() == 1 && isa<NameLoc>(op->getLoc()) &&
        !isAlwaysInlined(op))
      last[op->getLoc()] = op;
  for (auto [loc, op] : last) {
    // A variable's name belongs to the variable.
    if (isVariableLoad(op))
      continue;
    sourceNames[op] = cast<NameLoc>(loc).getName();
  }
}

void TextPlan::findDeclarations() {
  for (Operation *op : order) {
    auto variable = dyn_cast<emitc::VariableOp>(op);
    if (!variable || !isa<emitc::LValueType>(variable.getType()))
      continue;
    Operation *first = nullptr;
    for (Operation *user : variable->getUsers())
      if (!first || extents.lookup(user).begin < extents.lookup(first).begin)
        first = user;
    auto assign = dyn_cast_or_null<emitc::AssignOp>(first);
    if (assign && assign->getBlock() == variable->getBlock()) {
      declarations.insert(assign);
      declaredLater.insert(variable);
    }
  }
}

/// The last point at which an operand is evaluated.
unsigned TextPlan::getPoint(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (inlined.contains(user))
    return points.lookup(user);
  // Each iteration compares with the bound, and adds the step.
  if (isa<emitc::ForOp>(user) && use.getOperandNumber() != 0)
    return extents.lookup(user).end;
  return extents.lookup(user).begin;
}

unsigned TextPlan::getLastPoint(Operation *op) const {
  unsigned last = extents.lookup(op).begin;
  for (OpOperand &use : op->getUses()) {
    last = std::max(last, getPoint(use));
    // If the op is outside a loop, every iteration evaluates the use.
    for (Operation *parent = use.getOwner()->getParentOp();
         parent && !parent->isAncestor(op); parent = parent->getParentOp())
      if (isa<emitc::ForOp, emitc::DoOp>(parent))
        last = std::max(last, extents.lookup(parent).end);
  }
  return last;
}

/// Whether a variable still holds the value that was read, at each use.
bool TextPlan::isReadInTime(emitc::LoadOp load) const {
  unsigned begin = extents.lookup(load).begin, last = getLastPoint(load);
  return llvm::none_of(load.getOperand().getUsers(), [&](Operation *user) {
    if (!isa<emitc::AssignOp, emitc::VerbatimOp>(user))
      return false;
    unsigned at = extents.lookup(user).begin;
    return begin < at && at < last;
  });
}

void TextPlan::decide(Operation *op) {
  if (op->getNumResults() != 1)
    return;
  auto inlineAt = [&](unsigned point, unsigned cost) {
    inlined.insert(op);
    points[op] = point;
    costs[op] = cost;
  };
  if (isAlwaysInlined(op))
    return inlineAt(getLastPoint(op), 1);
  if (isVariableLoad(op)) {
    if (isReadInTime(cast<emitc::LoadOp>(op)))
      inlineAt(getLastPoint(op), 1);
    return;
  }
  // Dead values aren't printed.
  if (op->use_empty()) {
    if (isPureOp(op) || isa<emitc::LoadOp>(op))
      inlineAt(extents.lookup(op).begin, 0);
    return;
  }
  bool isLoad = isa<emitc::LoadOp>(op);
  if ((!isLoad && !isPureOp(op)) || !op->hasOneUse() ||
      sourceNames.contains(op))
    return;
  OpOperand &use = *op->use_begin();
  Operation *user = use.getOwner();
  if (user->getBlock() != op->getBlock())
    return;
  // C++ computes narrow integers as int, and only an assignment truncates them.
  if (auto integer = dyn_cast<IntegerType>(op->getResult(0).getType()))
    if (!isLoad && integer.getWidth() > 1 && integer.getWidth() < 32 &&
        !isa<emitc::CastOp, emitc::CallOpaqueOp>(op))
      return;
  // Each iteration would compute it again.
  if (isa<emitc::ForOp>(user) && use.getOperandNumber() != 0)
    return;
  unsigned point = getPoint(use);
  unsigned begin = extents.lookup(op).begin;
  if (isLoad) {
    auto *effect = llvm::upper_bound(effects, begin);
    if (effect != effects.end() && *effect < point)
      return;
  }
  // The cost of the whole expression so far.
  unsigned cost = 1 + (inlined.contains(user) ? costs.lookup(user) : 0);
  if (cost > kMaxCost)
    return;
  inlineAt(point, cost);
  // Its cost counts for all parts of the expression.
  for (Operation *parent = user; inlined.contains(parent);) {
    costs[parent] = std::max(costs[parent], cost);
    if (!parent->hasOneUse())
      break;
    parent = *parent->getUsers().begin();
  }
}
