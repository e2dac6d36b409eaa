//===- LayoutPlan.cpp - layouts of a block program's vectors --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LayoutPlan.h. The plan follows from the layouts of the classes.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/LayoutPlan.h"

#include "LayoutPlanner.h"
#include "TileBanks.h"
#include "VectorRelations.h"

#include "carousel/Analysis/Distribution/GatherRuns.h"
#include "carousel/Analysis/Distribution/VectorParts.h"
#include "carousel/Analysis/Layouts/FragmentLayouts.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void LayoutPlanner::setOperand(OpOperand &operand, const LinearLayout &layout) {
  plan.operands.insert({&operand, layout});
}

void LayoutPlanner::setAllOperands(Operation *op, const LinearLayout &layout) {
  for (OpOperand &operand : op->getOpOperands())
    if (isVector(operand.get()))
      setOperand(operand, layout);
}

void LayoutPlanner::finish(Operation *op) {
  for (Region &region : op->getRegions())
    for (Value argument : region.getArguments())
      if (isVector(argument))
        plan.layouts.insert({argument, *lookUp(argument)});
  for (Value result : op->getResults())
    if (isVector(result) && !isFree(result)) {
      plan.layouts.insert({result, *lookUp(result)});
      noteCoordinates(op);
      checkRegisters(origins.lookup(find(result)), result, *lookUp(result));
    }
  if (isElementwise(op)) {
    if (!isFree(op->getResult(0)))
      setAllOperands(op, *lookUp(op->getResult(0)));
  } else if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
    finishReduction(reduction);
  } else if (auto scan = dyn_cast<ScanOp>(op)) {
    finishScan(scan);
  } else if (auto sort = dyn_cast<SortOp>(op)) {
    finishSort(sort);
  } else if (auto contraction = dyn_cast<vector::ContractionOp>(op)) {
    finishContraction(contraction);
  } else if (relatesLayouts(op)) {
    finishReshaping(op);
  } else if (auto found = plan.accesses.find(op);
             found != plan.accesses.end()) {
    finishAccess(op, found->second.layout);
  } else if (auto scatter = dyn_cast<vector::ScatterOp>(op)) {
    finishScatter(scatter);
  } else if (VectorPart::of(op)) {
    finishPart(op);
  } else {
    finishCarried(op);
  }
}

void LayoutPlanner::finishPart(Operation *op) {
  bool isInsertion = isa<vector::InsertOp, vector::InsertStridedSliceOp>(op);
  bool isScalarInserted = isInsertion && !isVector(op->getOperand(0));
  if (plan.threads.ctas != 0 && !isScalarInserted)
    refuse(op, VectorPart::of(op)->isScalar()
                   ? "expected no single elements of vectors that a cluster "
                     "shares"
                   : "expected parts of vectors that a cluster shares to begin "
                     "at constant multiples of their extents");
  plan.moved.insert(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Value vector = operand.get();
    if (!isVector(vector))
      continue;
    if (isInsertion && operand.getOperandNumber() == 1)
      setOperand(operand, *lookUp(op->getResult(0)));
    else
      setOperand(operand, isFree(vector)
                              ? makeDefault(cast<VectorType>(vector.getType()))
                              : *lookUp(vector));
  }
}

void LayoutPlanner::noteCoordinates(Operation *op) {
  auto isKnown = [&](Value operand) {
    return !isVector(operand) || isFree(operand) ||
           ofCoordinates.contains(operand);
  };
  if ((isElementwise(op) || relatesLayouts(op)) &&
      llvm::all_of(op->getOperands(), isKnown))
    ofCoordinates.insert(op->result_begin(), op->result_end());
}

static int64_t countRegisters(VectorType type, const LinearLayout &layout) {
  return carousel::countRegisters(
      int64_t(1) << layout.getNumBits(Place::Register), getElementBits(type));
}

int64_t LayoutPlanner::checkRegisters(Operation *op, Value vector,
                                      const LinearLayout &layout) {
  // Threads read it from the tile where they need it, or compute it there.
  if (isTileOfProduct(vector) || ofCoordinates.contains(vector))
    return 0;
  int64_t registers =
      ::countRegisters(cast<VectorType>(vector.getType()), layout);
  plan.mostRegisters = std::max(plan.mostRegisters, registers);
  auto &[known, most] = largest[op];
  if (most < registers)
    std::tie(known, most) = std::pair(vector, registers);
  return registers;
}

void LayoutPlanner::reportRegisters() {
  for (auto [op, demand] : largest) {
    auto [vector, registers] = demand;
    if (registers <= kMostVectorRegisters)
      continue;
    LayoutFault fault;
    fault.op = op;
    fault.message =
        "expected at most " + std::to_string(kMostVectorRegisters) +
        " registers of a thread for a vector, got " +
        std::to_string(registers) + " in a block of " +
        std::to_string(1 << (plan.threads.lanes + plan.threads.warps)) +
        " threads";
    if (vector.getDefiningOp() != op)
      fault.vector = vector;
    auto product = dyn_cast<vector::ContractionOp>(op);
    if (product && !plan.getContraction(product).matrices)
      fault.remedy = "threads need all of k of the factors of their sums; read "
                     "the factors in a pipelined loop, or let matrix "
                     "instructions multiply them (" +
                     findMatrixObstacle(product).text + ")";
    plan.faults.push_back(std::move(fault));
  }
}

/// Between CTAs go only the results of reductions.
void LayoutPlanner::checkClusters() {
  if (plan.threads.ctas == 0)
    return;
  constexpr const char *kMessage =
      "expected vectors whose elements stay in their CTA of the cluster";
  for (const auto &[operand, layout] : plan.operands)
    if (const LinearLayout *own = plan.getLayout(operand->get()))
      if (leavesCTA(*own, layout))
        return refuse(operand->getOwner(), kMessage);
  for (const auto &[value, layout] : plan.computed)
    if (leavesCTA(layout, *plan.getLayout(value)))
      return refuse(value.getDefiningOp(), kMessage);
  for (vector::MultiDimReductionOp op : reductions)
    if (isVector(op.getResult()) &&
        needsGather(plan.getOperandLayout(op.getSourceMutable()),
                    getReducedDims(op)))
      return refuse(op, "expected one result of a reduction over a cluster");
}

void LayoutPlanner::finishReduction(vector::MultiDimReductionOp op) {
  VectorType type = op.getSourceVectorType();
  SmallVector<bool> dims = getReducedDims(op);
  LinearLayout source =
      isFree(op.getSource()) ? makeDefault(type) : *lookUp(op.getSource());
  if (!canReduce(source, dims))
    source = makeDefault(type);
  setOperand(op.getSourceMutable(), source);
  LinearLayout result = getReducedLayout(source, dims);
  if (isVector(op.getResult())) {
    setOperand(op.getAccMutable(), result);
    plan.computed.insert({op.getResult(), result});
  }
}

void LayoutPlanner::finishScan(ScanOp op) {
  LinearLayout layout = *lookUp(op.getScanned().front());
  if (!findScannedBits(layout, op.getDim()))
    layout = makeDefault(op.getType());
  if (!findScannedBits(layout, op.getDim()))
    refuse(op, "expected the threads of one CTA to have a scan's dimension");
  LinearLayout ofTotals = getReducedLayout(layout, op.getScannedDims());
  for (OpOperand &source : op.getSourcesMutable())
    setOperand(source, layout);
  for (OpOperand &init : op.getInitsMutable())
    if (isVector(init.get()))
      setOperand(init, ofTotals);
  for (Value result : op.getScanned())
    plan.computed.insert({result, layout});
  for (Value result : op.getTotals())
    if (isVector(result))
      plan.computed.insert({result, ofTotals});
}

void LayoutPlanner::finishSort(SortOp op) {
  LinearLayout layout =
      isFree(op.getKey()) ? makeDefault(op.getType()) : *lookUp(op.getKey());
  if (!findScannedBits(layout, op.getDim()))
    layout = makeDefault(op.getType());
  if (!findScannedBits(layout, op.getDim()))
    return refuse(op,
                  "expected the threads of one CTA to have a sort's dimension");
  for (OpOperand &operand : op->getOpOperands())
    setOperand(operand, layout);
  LinearLayout first = getFirstLayout(layout, op.getDim(), getFirstBits(op));
  for (Value result : op->getResults())
    plan.computed.insert({result, first});
}

void LayoutPlanner::finishContraction(vector::ContractionOp op) {
  const ContractionPlan &contraction = plan.getContraction(op);
  setOperand(op.getLhsMutable(), contraction.lhs);
  setOperand(op.getRhsMutable(), contraction.rhs);
  int64_t ofFactors = 0;
  for (auto [factor, layout] :
       {std::pair(&op.getLhsMutable(), &contraction.lhs),
        {&op.getRhsMutable(), &contraction.rhs}})
    if (!isFree(factor->get()) && !plan.isKept(*factor))
      ofFactors += checkRegisters(op, factor->get(), *layout);
  if (!contraction.matrices)
    plan.mostRegisters = std::max(plan.mostRegisters, ofFactors);
  if (!isVector(op.getResult()))
    return;
  setOperand(op.getAccMutable(), contraction.acc);
  plan.computed.insert({op.getResult(), contraction.acc});
}

bool LayoutPlanner::deriveOperands(Operation *op, const LinearLayout &result) {
  std::vector<std::pair<OpOperand *, LinearLayout>> derived;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isVector(operand.get()))
      continue;
    std::optional<LinearLayout> layout = deriveOperand(operand, result);
    if (!layout)
      return false;
    derived.emplace_back(&operand, layout->withoutCopies());
  }
  for (auto &[operand, layout] : derived)
    setOperand(*operand, layout);
  for (Value value : op->getResults())
    plan.computed.insert({value, result});
  return true;
}

void LayoutPlanner::finishReshaping(Operation *op) {
  if (deriveOperands(op, *lookUp(op->getResult(0))))
    return;
  // A part moves with less than the whole vector would be converted with.
  if (VectorPart::of(op) && plan.threads.ctas == 0) {
    OpOperand &whole = op->getOpOperand(0);
    bool isExtraction =
        isa<vector::ExtractOp, vector::ExtractStridedSliceOp>(op);
    std::optional<LinearLayout> result;
    if (isExtraction && !isFree(whole.get()))
      result = deriveResult(whole, *lookUp(whole.get()));
    if (!result || !deriveOperands(op, *result))
      finishPart(op);
    return;
  }
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isVector(operand.get()))
      continue;
    auto type = cast<VectorType>(operand.get().getType());
    std::vector<LinearLayout> candidates;
    if (!isFree(operand.get()))
      candidates.push_back(*lookUp(operand.get()));
    candidates.push_back(
        makeSliceableLayout(getExtentBits(type), plan.threads));
    for (const LinearLayout &candidate : candidates)
      if (std::optional<LinearLayout> result = deriveResult(operand, candidate))
        if (deriveOperands(op, *result))
          return;
  }
  refuse(op, "expected a change of shape that threads can make of their own "
             "elements");
}

void LayoutPlanner::finishAccess(Operation *op, const LinearLayout &layout) {
  setAllOperands(op, layout);
  for (Value result : op->getResults())
    plan.computed.insert({result, layout});
}

void LayoutPlanner::finishScatter(vector::ScatterOp op) {
  for (Value value : {op.getValueToStore(), op.getIndices(), op.getMask()})
    if (!isFree(value))
      return setAllOperands(op, *lookUp(value));
  setAllOperands(op, makeDefault(op.getVectorType()));
}

void LayoutPlanner::finishCarried(Operation *op) {
  if (isa<scf::YieldOp, scf::ConditionOp>(op))
    return;
  forEachCarried(op, [&](const CarriedValue &carried) {
    if (isVector(carried.values.front()))
      for (OpOperand *use : carried.uses)
        setOperand(*use, *lookUp(carried.values.front()));
  });
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

LayoutPlan LayoutPlan::compute(gpu::GPUFuncOp kernel) {
  LayoutPlan plan;
  LayoutPlanner(kernel, plan).run();
  return plan;
}

const LinearLayout *LayoutPlan::getLayout(Value vector) const {
  const auto *found = layouts.find(vector);
  return found == layouts.end() ? nullptr : &found->second;
}

const LinearLayout &LayoutPlan::getOperandLayout(OpOperand &operand) const {
  auto found = operands.find(&operand);
  assert(found != operands.end() && "expected a vector operand");
  return found->second;
}

const LinearLayout &LayoutPlan::getComputedLayout(OpResult result) const {
  auto found = computed.find(result);
  if (found != computed.end())
    return found->second;
  return layouts.find(result)->second;
}

bool LayoutPlan::isOnlyKept(Value vector) const {
  return !vector.use_empty() &&
         llvm::all_of(vector.getUses(),
                      [&](OpOperand &use) { return isKept(use); });
}

const AccessPlan &LayoutPlan::getAccess(Operation *op) const {
  return accesses.find(op)->second;
}

const ContractionPlan &
LayoutPlan::getContraction(vector::ContractionOp op) const {
  return contractions.find(op)->second;
}

int64_t LayoutPlan::getRegisters(Value vector) const {
  return ::countRegisters(cast<VectorType>(vector.getType()),
                          *getLayout(vector));
}

void LayoutPlan::print(llvm::raw_ostream &os) const {
  for (const auto &[value, layout] : layouts) {
    os << value.getLoc() << ": " << value.getType() << ": ";
    layout.print(os);
    os << '\n';
  }
  for (const auto &[op, access] : accesses)
    os << op->getLoc() << ": " << op->getName() << ": runs of " << access.run
       << (access.isShifted ? " at any element, " : ", ") << access.sectors
       << " sectors, " << access.fullSectors << " without gaps\n";
}

unsigned carousel::countLanesAlong(const LinearLayout &layout, int64_t run) {
  SmallVector<uint32_t> next(layout.getExtentBits().size(), 0);
  unsigned lanes = 0;
  for (const auto &basis : layout.getBases(Place::Lane)) {
    next.back() = uint32_t(run << lanes);
    if (basis != next)
      break;
    ++lanes;
  }
  return lanes;
}

bool carousel::isRoundedAtLoad(const LayoutPlan &plan, Operation *op) {
  auto rounding = dyn_cast<RoundTF32Op>(op);
  auto read = rounding ? findReadOfFactor(rounding.getValue())
                       : vector::TransferReadOp();
  return read && plan.getAccess(read).rounds;
}

/// Whether a product of warpgroups takes a vector in its tile.
static bool isMultipliedInTile(const LayoutPlan &plan, Value vector) {
  return llvm::any_of(vector.getUses(), [&](OpOperand &use) {
    if (auto product = dyn_cast<vector::ContractionOp>(use.getOwner()))
      return plan.getContraction(product).isTileOfWarpgroups(
          use.getOperandNumber());
    return passesFactor(use.getOwner()) &&
           isMultipliedInTile(plan, use.getOwner()->getResult(0));
  });
}

bool carousel::isFactorOfWarpgroups(const LayoutPlan &plan, Operation *read) {
  return isa<vector::TransferReadOp>(read) &&
         isMultipliedInTile(plan, read->getResult(0));
}
