//===- LayoutPlanner.cpp - classes of vectors -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LayoutPlanner.h.
//
//===----------------------------------------------------------------------===//

#include "LayoutPlanner.h"

#include "VectorRelations.h"

#include "carousel/Analysis/Distribution/VectorParts.h"
#include "carousel/Analysis/Layouts/ElementMaps.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Dialect/IR/DistributionOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

LayoutPlanner::LayoutPlanner(gpu::GPUFuncOp kernel, LayoutPlan &plan)
    : kernel(kernel), plan(plan), alignment(kernel) {
  readThreads();
}

void LayoutPlanner::run() {
  collect();
  if (!plan.faults.empty())
    return;
  seedRequests();
  if (!plan.faults.empty())
    return;
  seedGathers();
  seedContractions();
  seedAccesses();
  seedRest();
  for (VectorAccess &access : accesses)
    chooseAccess(access);
  for (Operation *op : ops)
    if (auto gather = dyn_cast<vector::GatherOp>(op))
      chooseAccess(gather);
  for (Operation *op : ops)
    finish(op);
  checkClusters();
  reportRegisters();
}

void LayoutPlanner::readThreads() {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  int64_t threads = 1;
  for (int64_t extent : launch.getBlock())
    threads *= extent;
  if (!llvm::isPowerOf2_64(threads)) {
    refuse(kernel, "expected a block of a power of two threads, got " +
                       std::to_string(threads));
    return;
  }
  int64_t ctas = 1;
  if (!isProgramOfCTA(kernel))
    for (int64_t extent : launch.getCluster())
      ctas *= extent;
  if (!llvm::isPowerOf2_64(ctas)) {
    refuse(kernel, "expected a cluster of a power of two CTAs, got " +
                       std::to_string(ctas));
    return;
  }
  plan.threads.ctas = llvm::Log2_64(ctas);
  unsigned bits = llvm::Log2_64(threads);
  plan.threads.lanes = std::min(bits, 5u);
  plan.threads.warps = bits - plan.threads.lanes;
}

void LayoutPlanner::refuse(Operation *op, const Twine &message) {
  plan.faults.push_back({op, message.str(), /*vector=*/{}, /*remedy=*/{}});
}

Value LayoutPlanner::find(Value value) {
  Value root = value;
  while (Value next = parents.lookup(root))
    root = next;
  while (value != root)
    value = std::exchange(parents[value], root);
  return root;
}

void LayoutPlanner::unite(ArrayRef<Value> values) {
  Value first;
  for (Value value : values) {
    if (!isVector(value) || isFree(value))
      continue;
    if (!first)
      first = find(value);
    else if (Value other = find(value); other != first)
      parents[other] = first;
  }
}

const LinearLayout *LayoutPlanner::lookUp(Value vector) {
  auto found = classes.find(find(vector));
  return found == classes.end() ? nullptr : &found->second;
}

bool LayoutPlanner::assign(Value vector, const LinearLayout &layout) {
  if (!isVector(vector) || isFree(vector))
    return false;
  Value root = find(vector);
  origins.try_emplace(root, origin);
  return classes.try_emplace(root, layout.withoutCopies()).second;
}

void LayoutPlanner::collect() {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == kernel)
      return;
    ops.push_back(op);
    for (Value result : op->getResults())
      noteVector(result);
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        noteVector(argument);
    collect(op);
  });
}

void LayoutPlanner::noteVector(Value value) {
  if (isVector(value) && !isFree(value))
    vectors.push_back(value);
}

void LayoutPlanner::collect(Operation *op) {
  if (std::string reason = explainElements(op); !reason.empty())
    return refuse(op, reason);
  if (isElementwise(op)) {
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    unite(values);
  } else if (relatesLayouts(op)) {
    std::string reason = explainRelation(op);
    if (!reason.empty())
      refuse(op, reason);
    if (op->getNumResults() > 1)
      unite(SmallVector<Value>(op->getResults()));
    if (isa<vector::InterleaveOp>(op))
      unite(SmallVector<Value>(op->getOperands()));
  } else if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
    unite({reduction.getAcc(), reduction.getResult()});
    reductions.push_back(reduction);
  } else if (auto contraction = dyn_cast<vector::ContractionOp>(op)) {
    unite({contraction.getAcc(), contraction.getResult()});
    if (std::string reason = explainContraction(contraction); !reason.empty())
      refuse(op, reason);
    else
      contractions.push_back(contraction);
  } else if (auto gather = dyn_cast<vector::GatherOp>(op)) {
    unite({gather.getIndices(), gather.getMask(), gather.getPassThru(),
           gather.getResult()});
  } else if (auto scatter = dyn_cast<vector::ScatterOp>(op)) {
    unite({scatter.getIndices(), scatter.getMask(), scatter.getValueToStore()});
  } else if (isa<vector::InsertOp, vector::InsertStridedSliceOp>(op)) {
    unite({op->getOperand(1), op->getResult(0)}); // of a part at any place
  } else if (std::optional<VectorAccess> access = VectorAccess::of(op)) {
    if (std::string reason = access->explain(); !reason.empty())
      refuse(op, reason);
    else
      addAccess(*access);
  } else {
    forEachCarried(op, [&](const CarriedValue &carried) {
      SmallVector<Value> values(carried.values.begin(), carried.values.end());
      for (OpOperand *use : carried.uses)
        values.push_back(use->get());
      unite(values);
    });
  }
}

/// The reason why an op has no elements, or an empty string.
std::string LayoutPlanner::explainElements(Operation *op) {
  if (std::optional<VectorPart> part = VectorPart::of(op))
    if (std::optional<int64_t> offset = part->findOutside())
      return "expected a position inside of the vector, got " +
             std::to_string(*offset);
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (constant && isVector(constant) &&
      !isa<DenseElementsAttr>(constant.getValue()))
    return "expected dense elements in a constant";
  return "";
}

void LayoutPlanner::addAccess(const VectorAccess &access) {
  auto *at = llvm::find_if(accesses, [&](const VectorAccess &other) {
    return other.getBytes() * other.getRepetitions() <
           access.getBytes() * access.getRepetitions();
  });
  accesses.insert(at, access);
}

SmallVector<bool>
LayoutPlanner::getReducedDims(vector::MultiDimReductionOp op) {
  SmallVector<bool> dims(op.getSourceVectorType().getRank());
  for (int64_t dim = 0, rank = dims.size(); dim < rank; ++dim)
    dims[dim] = op.isReducedDim(dim);
  return dims;
}

/// What an op of another dialect says of a vector, as a layout for all uses:
/// nullopt if it says little, or if a thread has elements of another one, too.
static std::optional<LinearLayout> makeOwn(const LinearLayout &derived) {
  constexpr unsigned kMostOthers = 2; // register bits of other elements
  LinearLayout layout = withAllElements(derived);
  if (layout.getNumBits() > derived.getNumBits() + kMostOthers)
    return std::nullopt;
  unsigned bits = 0;
  for (unsigned extent : layout.getExtentBits())
    bits += extent;
  unsigned used = layout.getNumBits();
  for (Place place : {Place::Register, Place::Lane, Place::Warp, Place::CTA})
    used -= llvm::popcount(layout.getFreeBits(place));
  return used == bits ? std::optional(layout) : std::nullopt;
}

bool LayoutPlanner::propagate(Operation *op) {
  bool changed = false;
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
    const LinearLayout *source =
        isFree(reduction.getSource()) ? nullptr : lookUp(reduction.getSource());
    SmallVector<bool> dims = getReducedDims(reduction);
    if (source && canReduce(*source, dims))
      changed |= assign(reduction.getResult(), getReducedLayout(*source, dims));
    return changed;
  }
  if (!relatesLayouts(op))
    return false;
  Value result = op->getResult(0);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isVector(operand.get()) || isFree(operand.get()))
      continue;
    const LinearLayout *ofResult = lookUp(result);
    const LinearLayout *ofOperand = lookUp(operand.get());
    std::optional<LinearLayout> derived;
    bool toOperand = ofResult && !ofOperand;
    if (toOperand)
      derived = deriveOperand(operand, *ofResult);
    else if (ofOperand && !ofResult)
      derived = deriveResult(operand, *ofOperand);
    if (derived && isa<DistributionOpInterface>(op))
      derived = makeOwn(*derived);
    if (derived)
      changed |= assign(toOperand ? operand.get() : result, *derived);
  }
  return changed;
}

void LayoutPlanner::propagate() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation *op : ops)
      changed |= propagate(op);
  }
}
