//===- LayoutPlan.cpp - layouts of a block program's vectors --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LayoutPlan.h. Vectors that ops compute element by element form classes,
// each with one layout. The largest accesses of global memory choose the
// layouts of their classes first. From these follow others, through changes of
// shape and reductions.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/LayoutPlan.h"

#include "VectorAccesses.h"
#include "VectorRelations.h"

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Analysis/Layouts/ReadLayout.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

/// Without that many a thread has none left for addresses.
static constexpr int64_t kMostVectorRegisters = 224;

//===----------------------------------------------------------------------===//
// Planner
//===----------------------------------------------------------------------===//

namespace carousel {

class LayoutPlanner {
public:
  LayoutPlanner(gpu::GPUFuncOp kernel, LayoutPlan &plan)
      : kernel(kernel), plan(plan), alignment(kernel) {
    readThreads();
  }

  void run() {
    collect();
    if (!plan.faults.empty())
      return;
    seedRequests();
    if (!plan.faults.empty())
      return;
    seedAccesses();
    seedRest();
    for (VectorAccess &access : accesses)
      chooseAccess(access);
    for (Operation *op : ops)
      finish(op);
  }

private:
  void readThreads() {
    auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    int64_t threads = 1;
    for (int64_t extent : launch.getBlock())
      threads *= extent;
    if (!llvm::isPowerOf2_64(threads)) {
      refuse(kernel, "expected a block of a power of two threads, got " +
                         std::to_string(threads));
      return;
    }
    unsigned bits = llvm::Log2_64(threads);
    plan.threads.lanes = std::min(bits, 5u);
    plan.threads.warps = bits - plan.threads.lanes;
  }

  void refuse(Operation *op, const Twine &message) {
    plan.faults.push_back({op, message.str()});
  }

  //===--------------------------------------------------------------------===//
  // Classes
  //===--------------------------------------------------------------------===//

  Value find(Value value) {
    Value root = value;
    while (Value next = parents.lookup(root))
      root = next;
    while (value != root)
      value = std::exchange(parents[value], root);
    return root;
  }

  void unite(ArrayRef<Value> values) {
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

  const LinearLayout *lookUp(Value vector) {
    auto found = classes.find(find(vector));
    return found == classes.end() ? nullptr : &found->second;
  }

  /// Whether the vector's class has no layout yet.
  bool assign(Value vector, const LinearLayout &layout) {
    if (!isVector(vector) || isFree(vector))
      return false;
    return classes.try_emplace(find(vector), layout.withoutCopies()).second;
  }

  void collect() {
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

  void noteVector(Value value) {
    if (isVector(value) && !isFree(value))
      vectors.push_back(value);
  }

  void collect(Operation *op) {
    if (isElementwise(op)) {
      SmallVector<Value> values(op->getOperands());
      values.push_back(op->getResult(0));
      unite(values);
    } else if (isReshaping(op)) {
      std::string reason = explainReshaping(op);
      if (!reason.empty())
        refuse(op, reason);
      if (op->getNumResults() == 2)
        unite(SmallVector<Value>(op->getResults()));
      if (isa<vector::InterleaveOp>(op))
        unite(SmallVector<Value>(op->getOperands()));
    } else if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
      unite({reduction.getAcc(), reduction.getResult()});
      reductions.push_back(reduction);
    } else if (auto gather = dyn_cast<vector::GatherOp>(op)) {
      unite({gather.getIndices(), gather.getMask(), gather.getPassThru(),
             gather.getResult()});
    } else if (auto scatter = dyn_cast<vector::ScatterOp>(op)) {
      unite(
          {scatter.getIndices(), scatter.getMask(), scatter.getValueToStore()});
    } else if (auto insert = dyn_cast<vector::InsertOp>(op)) {
      unite({insert.getDest(), insert.getResult()}); // of a scalar
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

  /// The largest first, then in program order.
  void addAccess(const VectorAccess &access) {
    auto *at = llvm::find_if(accesses, [&](const VectorAccess &other) {
      return other.getBytes() < access.getBytes();
    });
    accesses.insert(at, access);
  }

  //===--------------------------------------------------------------------===//
  // Seeds
  //===--------------------------------------------------------------------===//

  /// Whether a reduction of such vectors goes along a dimension.
  bool isReducedAlong(VectorType type, int64_t dim) {
    return llvm::any_of(reductions, [&](vector::MultiDimReductionOp op) {
      return op.getSourceVectorType().getShape() == type.getShape() &&
             op.isReducedDim(dim);
    });
  }

  LinearLayout makePreferred(VectorType type, int64_t dim, int64_t run) {
    return makeOrdered(type, dim, run, isReducedAlong(type, dim));
  }

  LinearLayout makeOrdered(VectorType type, int64_t dim, int64_t run,
                           bool inRows) {
    SmallVector<unsigned> bits = getExtentBits(type);
    unsigned runBits = std::min<unsigned>(llvm::Log2_64(run), bits[dim]);
    return makeOrderedLayout(bits, dim, runBits, plan.threads, inRows);
  }

  LinearLayout makeDefault(VectorType type) {
    int64_t bytes = std::max<int64_t>(1, getElementBits(type) / 8);
    return makePreferred(type, type.getRank() - 1, rules::kBulkGranule / bytes);
  }

  LinearLayout makePreferred(const VectorAccess &access) {
    return makePreferred(access.getType(), access.getContiguousDim(),
                         getMostRun(access));
  }

  bool hasTransposes() {
    return llvm::any_of(ops, [](Operation *op) {
      auto transfer = dyn_cast<VectorTransferOpInterface>(op);
      return isa<vector::TransposeOp>(op) ||
             (transfer && !transfer.getPermutationMap().isMinorIdentity());
    });
  }

  /// The layout for an access that serves all accesses best whose layouts
  /// follow from it. Those that begin at odd places want shorter runs.
  LinearLayout makeShared(const VectorAccess &access) {
    VectorType type = access.getType();
    int64_t dim = access.getContiguousDim();
    std::vector<LinearLayout> candidates;
    for (int64_t run = getMostRun(access); run >= 1; run /= 2) {
      candidates.push_back(makePreferred(type, dim, run));
      if (isReducedAlong(type, dim))
        candidates.push_back(makeOrdered(type, dim, run, /*inRows=*/false));
      for (int64_t other = 0; hasTransposes() && other < type.getRank();
           ++other)
        if (other != dim && run > 1)
          candidates.push_back(makeBlockedLayout(getExtentBits(type), dim,
                                                 other, llvm::Log2_64(run),
                                                 plan.threads));
    }
    auto best = candidates.begin();
    std::optional<int64_t> least;
    for (auto candidate = candidates.begin(); candidate != candidates.end();
         ++candidate) {
      int64_t price = getPrice(access, *candidate);
      if (!least || price < *least) {
        best = candidate;
        least = price;
      }
    }
    return *best;
  }

  /// Of all accesses whose vectors have a layout if this one's has `layout`.
  int64_t getPrice(const VectorAccess &access, const LinearLayout &layout) {
    llvm::DenseMap<Value, LinearLayout> before = classes;
    assign(access.getVector(), layout);
    propagate();
    int64_t price = 0;
    for (const VectorAccess &other : accesses)
      if (!isFree(other.getVector()) && lookUp(other.getVector()))
        price += getPrice(other);
    for (vector::MultiDimReductionOp reduction : reductions)
      if (!isFree(reduction.getSource()))
        if (const LinearLayout *source = lookUp(reduction.getSource()))
          price += getReductionPrice(reduction, *source);
    classes = std::move(before);
    return price;
  }

  /// Of shuffles, and of an exchange between warps, in sectors.
  static int64_t getReductionPrice(vector::MultiDimReductionOp op,
                                   const LinearLayout &source) {
    constexpr int64_t kShuffle = 2, kExchange = 60;
    SmallVector<bool> dims = getReducedDims(op);
    if (!canReduce(source, dims))
      return 0; // converted in any case
    int64_t results = countRegisters(getReducedLayout(source, dims));
    int64_t shuffles = 0, exchanges = 0;
    for (Place place : {Place::Lane, Place::Warp})
      for (const auto &basis : source.getBases(place))
        for (auto [number, reduced] : llvm::zip_equal(basis, dims))
          if (reduced && number != 0)
            ++(place == Place::Lane ? shuffles : exchanges);
    return results * shuffles * kShuffle + (exchanges != 0 ? kExchange : 0);
  }

  /// Of a warp's accesses, in sectors. An instruction costs as much as four.
  static int64_t getPrice(const AccessPlan &access) {
    return access.sectors + 4 * (countRegisters(access.layout) / access.run);
  }

  /// Of an access, with what a conversion of its vector costs.
  int64_t getPrice(const VectorAccess &access) {
    AccessPlan own = makeAccess(access, *lookUp(access.getVector()));
    AccessPlan best = makeAccess(access, makePreferred(access));
    return std::min(getPrice(own),
                    getPrice(best) + getConversionPrice(access, own.layout));
  }

  static int64_t countRegisters(const LinearLayout &layout) {
    return int64_t(1) << layout.getNumBits(Place::Register);
  }

  int64_t getMostRun(const VectorAccess &access) {
    if (!access.isContiguous())
      return 1;
    // Whole runs, also of an extent that isn't a power of two.
    int64_t extent = access.getType().getDimSize(access.getContiguousDim());
    int64_t most =
        std::max<int64_t>(rules::kBulkGranule / access.getElementBytes(), 1);
    most = std::min(most, extent & -extent);
    if (access.isTransfer())
      return most;
    return alignment.getRun(access.getMemRef(), access.getIndices(),
                            access.isInBounds(access.getContiguousDim()), most);
  }

  /// What users ask for.
  void seedRequests() {
    for (Operation *op : ops) {
      auto request = op->getAttrOfType<LayoutAttr>(CarouselDialect::kLayout);
      if (!request)
        continue;
      Value vector = op->getResult(0);
      std::string error;
      std::optional<LinearLayout> layout =
          readLayout(request, cast<VectorType>(vector.getType()), error);
      if (!layout) {
        refuse(op, error);
        continue;
      }
      assign(vector, *layout);
      if (*lookUp(vector) != layout->withoutCopies())
        refuse(op, "expected one layout for vectors that are computed from "
                   "each other element by element, got another one before");
      propagate();
    }
  }

  void seedAccesses() {
    for (const VectorAccess &access : accesses)
      if (assign(access.getVector(), makeShared(access)))
        propagate();
  }

  void seedRest() {
    for (Value vector : vectors)
      if (assign(vector, makeDefault(cast<VectorType>(vector.getType()))))
        propagate();
  }

  //===--------------------------------------------------------------------===//
  // Propagation
  //===--------------------------------------------------------------------===//

  static SmallVector<bool> getReducedDims(vector::MultiDimReductionOp op) {
    SmallVector<bool> dims(op.getSourceVectorType().getRank());
    for (int64_t dim = 0, rank = dims.size(); dim < rank; ++dim)
      dims[dim] = op.isReducedDim(dim);
    return dims;
  }

  bool propagate(Operation *op) {
    bool changed = false;
    if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
      const LinearLayout *source = isFree(reduction.getSource())
                                       ? nullptr
                                       : lookUp(reduction.getSource());
      SmallVector<bool> dims = getReducedDims(reduction);
      if (source && canReduce(*source, dims))
        changed |=
            assign(reduction.getResult(), getReducedLayout(*source, dims));
      return changed;
    }
    if (!isReshaping(op))
      return false;
    Value result = op->getResult(0);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isVector(operand.get()) || isFree(operand.get()))
        continue;
      const LinearLayout *ofResult = lookUp(result);
      const LinearLayout *ofOperand = lookUp(operand.get());
      std::optional<LinearLayout> derived;
      if (ofResult && !ofOperand) {
        if ((derived = deriveOperand(operand, *ofResult)))
          changed |= assign(operand.get(), *derived);
      } else if (ofOperand && !ofResult) {
        if ((derived = deriveResult(operand, *ofOperand)))
          changed |= assign(result, *derived);
      }
    }
    return changed;
  }

  void propagate() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (Operation *op : ops)
        changed |= propagate(op);
    }
  }

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// In sectors: what goes to shared memory and back, and a barrier.
  static int64_t getConversionPrice(const VectorAccess &access,
                                    const LinearLayout &layout) {
    constexpr int64_t kBarrier = 40;
    int64_t elements = int64_t(1) << layout.getNumBits(Place::Register);
    return 2 * elements * access.getElementBytes() + kBarrier;
  }

  AccessPlan makeAccess(const VectorAccess &access,
                        const LinearLayout &layout) {
    AccessPlan made{withRunsFirst(layout, access.getContiguousDim())};
    made.isTransfer = access.isTransfer();
    made.isReadOnce = access.isReadOnce() && !made.isTransfer;
    if (access.isContiguous())
      made.run = std::min<int64_t>(
          getMostRun(access),
          made.layout.getContiguous(access.getContiguousDim()));
    access.countSectors(made.layout, made.run, made.sectors, made.fullSectors);
    return made;
  }

  void chooseAccess(const VectorAccess &access) {
    LinearLayout preferred = makePreferred(access);
    AccessPlan best = makeAccess(access, preferred);
    if (!isFree(access.getVector())) {
      AccessPlan own = makeAccess(access, *lookUp(access.getVector()));
      if (own.sectors <= best.sectors + getConversionPrice(access, own.layout))
        best = own;
    }
    plan.accesses.insert({access.getOp(), best});
  }

  void setOperand(OpOperand &operand, const LinearLayout &layout) {
    plan.operands.insert({&operand, layout});
  }

  void setAllOperands(Operation *op, const LinearLayout &layout) {
    for (OpOperand &operand : op->getOpOperands())
      if (isVector(operand.get()))
        setOperand(operand, layout);
  }

  void finish(Operation *op) {
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        if (isVector(argument))
          plan.layouts.insert({argument, *lookUp(argument)});
    for (Value result : op->getResults())
      if (isVector(result) && !isFree(result)) {
        plan.layouts.insert({result, *lookUp(result)});
        checkRegisters(op, result);
      }
    if (isElementwise(op)) {
      if (!isFree(op->getResult(0)))
        setAllOperands(op, *lookUp(op->getResult(0)));
    } else if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
      finishReduction(reduction);
    } else if (isReshaping(op)) {
      finishReshaping(op);
    } else if (auto found = plan.accesses.find(op);
               found != plan.accesses.end()) {
      finishAccess(op, found->second.layout);
    } else if (isa<vector::GatherOp>(op)) {
      setAllOperands(op, *lookUp(op->getResult(0)));
    } else if (auto scatter = dyn_cast<vector::ScatterOp>(op)) {
      finishScatter(scatter);
    } else if (isa<vector::InsertOp>(op)) {
      setAllOperands(op, *lookUp(op->getResult(0)));
    } else if (isa<vector::ExtractOp>(op)) {
      finishElement(op->getOpOperand(0));
    } else {
      finishCarried(op);
    }
  }

  /// A vector of which one element is wanted.
  void finishElement(OpOperand &operand) {
    Value vector = operand.get();
    setOperand(operand, isFree(vector)
                            ? makeDefault(cast<VectorType>(vector.getType()))
                            : *lookUp(vector));
  }

  void checkRegisters(Operation *op, Value value) {
    int64_t registers = plan.getRegisters(value);
    if (registers <= kMostVectorRegisters)
      return;
    refuse(op, "expected at most " + Twine(kMostVectorRegisters) +
                   " registers of a thread for a vector, got " +
                   Twine(registers) + " in a block of " +
                   Twine(1 << (plan.threads.lanes + plan.threads.warps)) +
                   " threads");
  }

  void finishReduction(vector::MultiDimReductionOp op) {
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

  bool deriveOperands(Operation *op, const LinearLayout &result) {
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

  /// In the result's layout if the operands have one for it; otherwise in that
  /// of an operand, or in one that always works, and then converted.
  void finishReshaping(Operation *op) {
    if (deriveOperands(op, *lookUp(op->getResult(0))))
      return;
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
        if (std::optional<LinearLayout> result =
                deriveResult(operand, candidate))
          if (deriveOperands(op, *result))
            return;
    }
    refuse(op, "expected a change of shape that threads can make of their own "
               "elements");
  }

  void finishAccess(Operation *op, const LinearLayout &layout) {
    setAllOperands(op, layout);
    for (Value result : op->getResults())
      plan.computed.insert({result, layout});
  }

  void finishScatter(vector::ScatterOp op) {
    for (Value value : {op.getValueToStore(), op.getIndices(), op.getMask()})
      if (!isFree(value))
        return setAllOperands(op, *lookUp(value));
    setAllOperands(op, makeDefault(op.getVectorType()));
  }

  void finishCarried(Operation *op) {
    if (isa<scf::YieldOp, scf::ConditionOp>(op))
      return;
    forEachCarried(op, [&](const CarriedValue &carried) {
      if (isVector(carried.values.front()))
        for (OpOperand *use : carried.uses)
          setOperand(*use, *lookUp(carried.values.front()));
    });
  }

  gpu::GPUFuncOp kernel;
  LayoutPlan &plan;
  AccessAlignment alignment;
  std::vector<Operation *> ops;
  std::vector<Value> vectors;
  SmallVector<VectorAccess, 8> accesses;
  std::vector<vector::MultiDimReductionOp> reductions;
  llvm::DenseMap<Value, Value> parents;
  llvm::DenseMap<Value, LinearLayout> classes;
};

} // namespace carousel

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

const AccessPlan &LayoutPlan::getAccess(Operation *op) const {
  return accesses.find(op)->second;
}

int64_t LayoutPlan::getRegisters(Value vector) const {
  int64_t bits = getElementBits(cast<VectorType>(vector.getType()));
  int64_t elements = int64_t(1)
                     << getLayout(vector)->getNumBits(Place::Register);
  // Booleans are predicates.
  return bits == 1 ? 0 : llvm::divideCeil(elements * bits, 32);
}

void LayoutPlan::print(llvm::raw_ostream &os) const {
  for (const auto &[value, layout] : layouts) {
    os << value.getLoc() << ": " << value.getType() << ": ";
    layout.print(os);
    os << '\n';
  }
  for (const auto &[op, access] : accesses)
    os << op->getLoc() << ": " << op->getName() << ": runs of " << access.run
       << ", " << access.sectors << " sectors, " << access.fullSectors
       << " without gaps\n";
}
