//===- ProductLoop.cpp - products in flight across iterations -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProductLoop.h.
//
//===----------------------------------------------------------------------===//

#include "ProductLoop.h"

#include "IssueProducts.h"

#include "carousel/Analysis/Rings/ProductRotation.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

/// Iterations whose products are in flight beside those of the current one.
static constexpr unsigned kInFlight = 1;

ProductLoop::ProductLoop(scf::ForOp loop) : loop(loop) { reason = read(); }

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The number of the loop's carried value that an argument of its body is.
static std::optional<unsigned> findCarried(scf::ForOp loop, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != loop.getBody() ||
      argument.getArgNumber() == 0)
    return std::nullopt;
  return argument.getArgNumber() - loop.getNumInductionVars();
}

std::string ProductLoop::readSums(MultiplyOp op) {
  constexpr const char *kOtherUsers =
      "its sums are used by more than the product of the next iteration";
  if (std::optional<uint64_t> count = op.getPromote())
    return "its sums become f32 after each " + std::to_string(*count) + " of k";
  Value from = op.getSums();
  while (auto cast = from.getDefiningOp<vector::ShapeCastOp>()) {
    if (!from.hasOneUse())
      return kOtherUsers;
    from = cast.getSource();
  }
  std::optional<unsigned> carried = findCarried(loop, from);
  if (!carried || !from.hasOneUse())
    return carried ? kOtherUsers : "it doesn't add to sums that a loop carries";
  Value to = op.getResult();
  while (to.hasOneUse() && isa<vector::ShapeCastOp>(*to.user_begin()))
    to = to.user_begin()->getResult(0);
  if (!to.hasOneUse() || loop.getYieldedValues()[*carried] != to)
    return kOtherUsers;
  products.push_back({op, *carried});
  return {};
}

std::string ProductLoop::readRing(Value ring) {
  if (std::string why = explainFilling(ring, loop); !why.empty())
    return why;
  auto type = cast<RingType>(ring.getType());
  if (type.getStages() <= int64_t(kInFlight))
    return "its ring has only one slot";
  RingReleaseOp release;
  for (Operation *user : ring.getUsers())
    if (auto other = dyn_cast<RingReleaseOp>(user);
        other && loop->isProperAncestor(other)) {
      if (release || other->getBlock() != loop.getBody())
        return "its slots are released in several places";
      release = other;
    }
  std::optional<unsigned> carried =
      release ? findCarried(loop, release.getUse()) : std::nullopt;
  if (!carried)
    return "the loop doesn't count the uses of its ring";
  auto next = loop.getYieldedValues()[*carried].getDefiningOp<arith::AddIOp>();
  if (!next || next.getLhs() != release.getUse() ||
      !matchPattern(next.getRhs(), m_One()))
    return "the loop doesn't count the uses of its ring";
  releases.push_back({release, *carried});
  return {};
}

std::string ProductLoop::read() {
  for (auto op : loop.getBody()->getOps<MultiplyOp>()) {
    if (std::string why = readSums(op); !why.empty())
      return why;
    if (op.hasRegisters()) {
      if (findCarried(loop, op.getA()))
        return "the loop carries a factor in registers";
      factors.insert(op.getA());
    }
    for (OpOperand *tile : op.getConsumedTiles()) {
      auto slot = findSlot(tile->get());
      if (!slot)
        return "a factor isn't in a ring";
      rings.insert(slot.getRing());
    }
  }
  // The next iteration's slots are waited for before this one's are released.
  if (preparesFactors())
    for (auto wait : loop.getBody()->getOps<RingWaitOp>())
      rings.insert(wait.getRing());
  for (Value ring : rings)
    if (std::string why = readRing(ring); !why.empty())
      return why;
  // The loop also releases slots of earlier products of the iteration.
  for (const Release &release : releases)
    if (release.op->isBeforeInBlock(products.back().op))
      return "a slot is released before the last product of the iteration";
  if (factors.empty())
    return {};
  std::string why = readFactors();
  if (why.empty())
    readParts();
  return why;
}

/// Checks that an iteration may do what precedes its products while those of
/// the one before are in flight.
std::string ProductLoop::readFactors() {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false; // of the regions of branches
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.getBody();
  };
  auto addSlice = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == loop.getBody())
      (void)getBackwardSlice(op, &slice, options);
  };
  for (Value factor : factors)
    addSlice(factor);
  for (auto wait : loop.getBody()->getOps<RingWaitOp>()) {
    addSlice(wait.getUse());
    slice.insert(wait);
  }
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!isa<MultiplyOp, RingWaitOp, RingReleaseOp>(op)) {
      std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
          getEffectsRecursively(&op);
      // Ops after the last product are moved before it.
      bool isBehind = products.back().op->isBeforeInBlock(&op);
      if (!effects || llvm::any_of(*effects, [&](const auto &effect) {
            return isBehind || !isa<MemoryEffects::Read>(effect.getEffect());
          }))
        return ("a factor is in registers, and the iteration has '" +
                op.getName().getStringRef() + "'")
            .str();
    }
    if (slice.contains(&op))
      preparation.insert(&op);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void ProductLoop::rewrite() {
  createLoop(prepareFirst());
  if (hasParts())
    multiplyFirstPart();
  else
    multiply();
  WgmmaWaitOp last = takeSums();
  if (hasParts() || !preparesFactors())
    releaseEarlier(last);
  if (hasParts())
    multiplySecondPart();
  if (preparesFactors())
    prepareNext();
  finish();
}

/// Whether a branch makes a vector.
static bool isOfBranch(Value vector) {
  while (auto cast = vector.getDefiningOp<vector::ShapeCastOp>())
    vector = cast.getSource();
  return vector.getDefiningOp<scf::IfOp>() != nullptr;
}

/// Sums are carried as registers, behind the other values.
void ProductLoop::createLoop(ValueRange extra) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  llvm::SmallDenseSet<unsigned> sums;
  SmallVector<Value> pieces;
  bool mayBeLoaded = false;
  for (const Product &product : products) {
    sums.insert(product.carried);
    firstRegisters.push_back(pieces.size());
    Value init = loop.getInitArgs()[product.carried];
    mayBeLoaded |= isOfBranch(init);
    llvm::append_range(pieces, splitSums(b, product.op, init));
  }
  auto fence = WgmmaFenceOp::create(b, pieces, /*renews=*/false,
                                    /*renews_sums=*/mayBeLoaded);
  SmallVector<Value> inits;
  for (auto [number, init] : llvm::enumerate(loop.getInitArgs()))
    if (!sums.contains(number)) {
      kept.push_back(number);
      inits.push_back(init);
    }
  llvm::append_range(inits, fence.getResults());
  firstFactor = inits.size();
  llvm::append_range(inits, extra);
  secondFactor = inits.size();
  if (hasParts())
    llvm::append_range(inits, createUnreadPart(b));
  made = scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(),
                            loop.getStep(), inits, /*bodyBuilder=*/nullptr,
                            loop.getUnsignedCmp());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  for (unsigned &first : firstRegisters)
    first += kept.size();
  loop.getInductionVar().replaceAllUsesWith(made.getInductionVar());
  SmallVector<Value> yields;
  for (auto [position, number] : llvm::enumerate(kept)) {
    loop.getRegionIterArg(number).replaceAllUsesWith(
        made.getRegionIterArg(position));
    loop.getResult(number).replaceAllUsesWith(made.getResult(position));
  }
  for (unsigned number : kept)
    yields.push_back(loop.getYieldedValues()[number]);
  Block *body = made.getBody();
  if (!body->empty())
    body->back().erase();
  Operation *oldYield = loop.getBody()->getTerminator();
  body->getOperations().splice(body->end(), loop.getBody()->getOperations(),
                               loop.getBody()->begin(),
                               oldYield->getIterator());
  b.setInsertionPointToEnd(body);
  llvm::append_range(yields, made.getRegionIterArgs().drop_front(kept.size()));
  scf::YieldOp::create(b, yields);
}

/// Writes products in place of each op, and a commit behind the last one.
void ProductLoop::multiply() {
  Operation *yield = made.getBody()->getTerminator();
  for (auto [product, first] : llvm::zip_equal(products, firstRegisters)) {
    MultiplyOp op = product.op;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    if (op == products.front().op && !op.hasRegisters())
      WgmmaFenceOp::create(b, ValueRange(), /*renews=*/false);
    ValueRange factor = takeFactor(b, op);
    int64_t pieces = cast<VectorType>(op.getSums().getType()).getDimSize(0);
    SmallVector<Value> after =
        issueProducts(b, op, made.getRegionIterArgs().slice(first, pieces),
                      factor, getAllInstructions(op));
    for (auto [i, value] : llvm::enumerate(after))
      yield->setOperand(first + i, value);
  }
  Operation *last = products.back().op;
  ImplicitLocOpBuilder b(last->getLoc(), last);
  WgmmaCommitOp::create(b);
  if (!preparesFactors())
    WgmmaWaitOp::create(b, kInFlight, ValueRange());
}

/// An iteration releases the slots of the one before, and the last slots are
/// released after the loop.
void ProductLoop::releaseEarlier(WgmmaWaitOp wait) {
  ImplicitLocOpBuilder b(made.getLoc(), products.back().op);
  auto isLess = made.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                      : arith::CmpIPredicate::slt;
  auto releaseIf = [&](Value condition, ArrayRef<Value> uses) {
    auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (auto [release, use] : llvm::zip_equal(releases, uses))
      RingReleaseOp::create(b, RingReleaseOp(release.op).getRing(), use);
  };
  Value hasEarlier =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, made.getInductionVar(),
                            made.getLowerBound());
  // Early, so that the slots are known when the wait is over.
  SmallVector<Value> before;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(made.getBody());
    Value first = arith::ConstantIndexOp::create(b, 1);
    for (const Release &release : releases)
      before.push_back(
          arith::SubIOp::create(b, RingReleaseOp(release.op).getUse(), first));
  }
  releaseIf(hasEarlier, before);
  b.setInsertionPointAfter(wait);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value hasAny = arith::CmpIOp::create(b, isLess, made.getLowerBound(),
                                       made.getUpperBound());
  SmallVector<Value> last;
  for (const Release &release : releases) {
    unsigned position = llvm::find(kept, release.carried) - kept.begin();
    last.push_back(arith::SubIOp::create(b, made.getResult(position), one));
  }
  releaseIf(hasAny, last);
  for (const Release &release : releases)
    RingReleaseOp(release.op).erase();
}

WgmmaWaitOp ProductLoop::takeSums() {
  ImplicitLocOpBuilder b(made.getLoc(), made);
  b.setInsertionPointAfter(made);
  SmallVector<Value> registers(
      made.getResults().slice(kept.size(), firstFactor - kept.size()));
  llvm::append_range(registers, made.getResults().drop_front(secondFactor));
  auto wait = WgmmaWaitOp::create(b, /*pending=*/0, registers);
  for (auto [product, first] : llvm::zip_equal(products, firstRegisters)) {
    Value old = loop.getResult(product.carried);
    MultiplyOp op = product.op;
    int64_t pieces = cast<VectorType>(op.getSums().getType()).getDimSize(0);
    old.replaceAllUsesWith(
        joinSums(b, wait.getResults().slice(first - kept.size(), pieces),
                 cast<VectorType>(old.getType())));
  }
  return wait;
}

void ProductLoop::finish() {
  loop.getBody()->getTerminator()->erase();
  // The products, and casts of sums around them, users first.
  for (const Product &product : products) {
    SmallVector<Operation *> dead;
    for (Value to = MultiplyOp(product.op).getResult(); to.hasOneUse();
         to = dead.back()->getResult(0))
      dead.push_back(*to.user_begin());
    std::reverse(dead.begin(), dead.end());
    dead.push_back(product.op);
    for (Operation *cast = MultiplyOp(product.op).getSums().getDefiningOp();
         cast; cast = cast->getOperand(0).getDefiningOp())
      dead.push_back(cast);
    for (Operation *op : dead)
      op->erase();
  }
  eraseMoved();
  loop.erase();
}
