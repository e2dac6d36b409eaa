//===- LayoutPlanner.cpp - layouts of a block program ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Classes of vectors, the layouts from which planning starts, and those of
// accesses. Prices are in sectors of 32 bytes that a warp touches. The layout
// of an access is that of its vector, or one of its own, from or to which
// registers are converted.
//
//===----------------------------------------------------------------------===//

#include "LayoutPlanner.h"
#include "TileBanks.h"
#include "VectorRelations.h"

#include "carousel/Analysis/Distribution/AccessTransfers.h"
#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Distribution/GatherRuns.h"
#include "carousel/Analysis/Distribution/VectorParts.h"
#include "carousel/Analysis/Layouts/ElementMaps.h"
#include "carousel/Analysis/Layouts/FragmentLayouts.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Analysis/Layouts/ReadLayout.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Dialect/IR/DistributionOpInterface.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

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
  seedScans();
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
  } else if (auto scan = dyn_cast<ScanOp>(op)) {
    SmallVector<Value> lines(scan.getSources()), others(scan.getInits());
    llvm::append_range(lines, scan.getScanned());
    llvm::append_range(others, scan.getTotals());
    unite(lines);
    unite(others);
    this->lines.push_back({scan.getType(), scan.getDim()});
  } else if (auto sort = dyn_cast<SortOp>(op)) {
    unite(SmallVector<Value>(sort->getOperands()));
    unite(SmallVector<Value>(sort->getResults()));
    if (!sort.getFirst())
      unite({sort.getKey(), sort.getOrder()});
    lines.push_back({sort.getType(), sort.getDim()});
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

/// Makes a layout for all uses of a vector from an op of another dialect:
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

unsigned LayoutPlanner::getFirstBits(SortOp op) {
  return llvm::Log2_64_Ceil(op.getFirstCount());
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
  if (auto scan = dyn_cast<ScanOp>(op)) {
    const LinearLayout *own = lookUp(scan.getScanned().front());
    if (own && findScannedBits(*own, scan.getDim()))
      changed |= assign(scan.getTotals().front(),
                        getReducedLayout(*own, scan.getScannedDims()));
    return changed;
  }
  if (auto sort = dyn_cast<SortOp>(op)) {
    const LinearLayout *own =
        isFree(sort.getKey()) ? nullptr : lookUp(sort.getKey());
    if (own && findScannedBits(*own, sort.getDim()))
      changed |= assign(sort.getOrder(), getFirstLayout(*own, sort.getDim(),
                                                        getFirstBits(sort)));
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

bool LayoutPlanner::isReducedAlong(VectorType type, int64_t dim) {
  return llvm::any_of(reductions,
                      [&](vector::MultiDimReductionOp op) {
                        return op.getSourceVectorType().getShape() ==
                                   type.getShape() &&
                               op.isReducedDim(dim);
                      }) ||
         llvm::any_of(lines, [&](std::pair<VectorType, int64_t> along) {
           return along.first.getShape() == type.getShape() &&
                  along.second == dim;
         });
}

LinearLayout LayoutPlanner::makePreferred(VectorType type, int64_t dim,
                                          int64_t run, bool inWarps) {
  return makeOrdered(type, dim, run, isReducedAlong(type, dim), inWarps);
}

LinearLayout LayoutPlanner::makeOrdered(VectorType type, int64_t dim,
                                        int64_t run, bool inRows,
                                        bool inWarps) {
  SmallVector<unsigned> bits = getExtentBits(type);
  unsigned runBits = std::min<unsigned>(llvm::Log2_64(run), bits[dim]);
  return makeOrderedLayout(bits, dim, runBits, plan.threads, inRows, inWarps);
}

LinearLayout LayoutPlanner::makeDefault(VectorType type) {
  int64_t bytes = std::max<int64_t>(1, getElementBits(type) / 8);
  return makePreferred(type, type.getRank() - 1, rules::kBulkGranule / bytes);
}

LinearLayout LayoutPlanner::makePreferred(const VectorAccess &access) {
  int64_t run = getMostRun(access);
  return makePreferred(access.getType(), access.getContiguousDim(), run,
                       isShifted(access, run));
}

bool LayoutPlanner::hasTransposes() {
  return llvm::any_of(ops, [](Operation *op) {
    auto transfer = dyn_cast<VectorTransferOpInterface>(op);
    return isa<vector::TransposeOp>(op) ||
           (transfer && !transfer.getPermutationMap().isMinorIdentity());
  });
}

LinearLayout LayoutPlanner::makeShared(const VectorAccess &access) {
  VectorType type = access.getType();
  int64_t dim = access.getContiguousDim();
  std::vector<LinearLayout> candidates;
  for (int64_t run = getMostRun(access); run >= 1; run /= 2) {
    // Lanes of shifted runs write for the next ones.
    bool inWarps = isShifted(access, run);
    candidates.push_back(makePreferred(type, dim, run, inWarps));
    if (isReducedAlong(type, dim))
      candidates.push_back(
          makeOrdered(type, dim, run, /*inRows=*/false, inWarps));
    for (int64_t other = 0; hasTransposes() && other < type.getRank(); ++other)
      if (other != dim && run > 1)
        candidates.push_back(makeBlockedLayout(
            getExtentBits(type), dim, other, llvm::Log2_64(run), plan.threads));
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

int64_t LayoutPlanner::getPrice(const VectorAccess &access,
                                const LinearLayout &layout) {
  llvm::DenseMap<Value, LinearLayout> before = classes;
  assign(access.getVector(), layout);
  propagate();
  int64_t price = 0;
  for (const VectorAccess &other : accesses)
    if (!isFree(other.getVector()) && lookUp(other.getVector()))
      price += other.getRepetitions() * getPrice(other);
  for (vector::MultiDimReductionOp reduction : reductions)
    if (!isFree(reduction.getSource()))
      if (const LinearLayout *source = lookUp(reduction.getSource()))
        price += getReductionPrice(reduction, *source);
  classes = std::move(before);
  return price;
}

int64_t LayoutPlanner::getReductionPrice(vector::MultiDimReductionOp op,
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

/// Instructions for a shifted run: two granules, or one and pieces of ends.
static constexpr int64_t kShiftedInstructions = 3;

int64_t LayoutPlanner::getPrice(const AccessPlan &access) {
  int64_t instructions = access.isShifted ? kShiftedInstructions : 1;
  return access.sectors +
         4 * instructions * (countRegisters(access.layout) / access.run);
}

int64_t LayoutPlanner::getPrice(const VectorAccess &access) {
  AccessPlan own = makeAccess(access, *lookUp(access.getVector()));
  AccessPlan best = makeAccess(access, makePreferred(access));
  return std::min(getPrice(own),
                  getPrice(best) + getConversionPrice(access, own.layout));
}

int64_t LayoutPlanner::countRegisters(const LinearLayout &layout) {
  return int64_t(1) << layout.getNumBits(Place::Register);
}

int64_t LayoutPlanner::getAlignedRun(const VectorAccess &access) {
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

/// Whether threads compute functions of elements, such as exponentials.
bool LayoutPlanner::computesFunctions() {
  return llvm::any_of(ops, [&](Operation *op) {
    auto type = op->getNumResults() == 1
                    ? dyn_cast<VectorType>(op->getResultTypes().front())
                    : VectorType();
    return type && isa<math::MathDialect>(op->getDialect()) &&
           llvm::any_of(accesses, [&](const VectorAccess &access) {
             return access.getType().getNumElements() <= type.getNumElements();
           });
  });
}

/// Whether the extent of the contiguous dimension isn't known.
static bool isDynamicAlong(const VectorAccess &access) {
  auto type = dyn_cast<MemRefType>(access.getMemRef().getType());
  return !type || type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1);
}

/// Wider elements, and pairs of narrow ones, fill sectors nearly as well where
/// they are, with fewer instructions. Threads that compute functions are bound
/// by these: measured on an H200, a softmax of 32768 x 4095 takes 152 us by
/// single elements and 159 by shifted ones, and rmsnorm 161 and 136. Rows of
/// unknown extents may end in each run, which takes branches: rmsnorm of 65536
/// x 999 takes 124 us so, and 86 by single elements. Transpositions and
/// products want other layouts. A granule has elements that other threads may
/// write.
int64_t LayoutPlanner::findShiftedRun(const VectorAccess &access) {
  constexpr int64_t kMostElementBytes = 2;
  VectorType type = access.getType();
  VectorTransferOpInterface transfer = access.getTransfer();
  int64_t run = rules::kBulkGranule / access.getElementBytes();
  int64_t extent = type.getRank() == 0 ? 0 : type.getShape().back();
  if (!access.isContiguous() || access.isTransfer() ||
      getElementBits(type) != 8 * access.getElementBytes() ||
      access.getElementBytes() > kMostElementBytes ||
      getAlignedRun(access) != 1 || transfer.getMask() ||
      !transfer.getPermutationMap().isMinorIdentity() ||
      !isGlobalMemRef(transfer.getShapedType()) || isDynamicAlong(access) ||
      access.getMemRef().getDefiningOp<RowsOp>() || computesFunctions() ||
      hasTransposes() || !contractions.empty() ||
      (int64_t(1) << plan.threads.lanes) != rules::kWarpSize ||
      !llvm::isPowerOf2_64(extent) || extent < run ||
      isAccessedElsewhere(
          access.getOp(), access.getMemRef(),
          /*byWrites=*/isa<vector::TransferReadOp>(access.getOp())))
    return 0;
  return run;
}

int64_t LayoutPlanner::getShiftedRun(const VectorAccess &access) {
  auto [known, isNew] = shiftedRuns.try_emplace(access.getOp(), 0);
  if (isNew)
    known->second = findShiftedRun(access);
  return known->second;
}

int64_t LayoutPlanner::getMostRun(const VectorAccess &access) {
  return std::max(getAlignedRun(access), getShiftedRun(access));
}

/// The reason why a layout doesn't fit the launch, or an empty string.
std::string LayoutPlanner::explainThreads(const LinearLayout &layout) const {
  for (auto [place, name, bits] :
       {std::tuple(Place::Lane, "lanes", plan.threads.lanes),
        {Place::Warp, "warps", plan.threads.warps},
        {Place::CTA, "CTAs", plan.threads.ctas}})
    if (layout.getNumBits(place) != bits)
      return llvm::formatv("expected a layout for the {0} {1} of the launch, "
                           "got one for {2}",
                           1 << bits, name, 1 << layout.getNumBits(place))
          .str();
  return "";
}

void LayoutPlanner::seedRequests() {
  for (Operation *op : ops) {
    auto request = op->getAttrOfType<LayoutAttr>(CarouselDialect::kLayout);
    if (!request)
      continue;
    Value vector = op->getResult(0);
    std::string error;
    std::optional<LinearLayout> layout =
        readLayout(request, cast<VectorType>(vector.getType()), error);
    if (layout)
      error = explainThreads(*layout);
    if (!error.empty()) {
      refuse(op, error);
      continue;
    }
    origin = op;
    assign(vector, *layout);
    if (*lookUp(vector) != layout->withoutCopies())
      refuse(op, "expected one layout for vectors that are computed from "
                 "each other element by element, got another one before");
    propagate();
  }
}

void LayoutPlanner::seedGathers() {
  for (Operation *op : ops) {
    auto gather = dyn_cast<ClusterGatherOp>(op);
    if (!gather)
      continue;
    Value all = gather.getResult();
    LinearLayout layout(getExtentBits(cast<VectorType>(all.getType())));
    for (unsigned bit = 0; bit < layout.getExtentBits().front(); ++bit)
      layout.addBasis(Place::Register, {1u << bit});
    for (unsigned bit = 0; bit < plan.threads.lanes; ++bit)
      layout.addBasis(Place::Lane, {0});
    for (unsigned bit = 0; bit < plan.threads.warps; ++bit)
      layout.addBasis(Place::Warp, {0});
    origin = op;
    if (assign(all, layout))
      propagate();
  }
}

ContractionContext LayoutPlanner::getContext(vector::ContractionOp op) {
  ContractionContext context;
  // A factor that another product of warpgroups takes in its tile is in no
  // thread, so that each of them may take it as its own rows and columns.
  auto isInTile = [&](Value vector) {
    return llvm::any_of(plan.contractions, [&](auto &pair) {
      return llvm::any_of(pair.first->getOpOperands(), [&](OpOperand &operand) {
        return pair.second.isTileOfWarpgroups(operand.getOperandNumber()) &&
               find(operand.get()) == find(vector);
      });
    });
  };
  auto getKnown = [&](Value vector) -> std::optional<LinearLayout> {
    const LinearLayout *layout =
        isVector(vector) && !isFree(vector) && !isInTile(vector)
            ? lookUp(vector)
            : nullptr;
    return layout ? std::optional(*layout) : std::nullopt;
  };
  context.acc = getKnown(op.getResult());
  context.lhs = getKnown(op.getLhs());
  context.rhs = getKnown(op.getRhs());
  if (!isVector(op.getResult()))
    return context;
  context.becomesFactor =
      llvm::any_of(contractions, [&](vector::ContractionOp other) {
        return find(other.getLhs()) == find(op.getResult()) ||
               find(other.getRhs()) == find(op.getResult());
      });
  for (vector::MultiDimReductionOp reduction : reductions)
    if (!isFree(reduction.getSource()) &&
        find(reduction.getSource()) == find(op.getResult())) {
      SmallVector<bool> dims = getReducedDims(reduction);
      context.reduced.resize(dims.size());
      for (auto [all, own] : llvm::zip_equal(context.reduced, dims))
        all |= own;
    }
  return context;
}

/// Whether an element takes as long to compute as many multiply-adds.
static bool isComputedSlowly(Operation *op) {
  llvm::SetVector<Operation *> sources;
  sources.insert(op);
  for (unsigned i = 0; i < sources.size(); ++i) {
    Operation *source = sources[i];
    if (isa<arith::DivFOp>(source) ||
        isa<math::MathDialect>(source->getDialect()))
      return true;
    if (!isElementwise(source))
      continue;
    for (Value operand : source->getOperands())
      if (Operation *next = operand.getDefiningOp();
          next && isa<VectorType>(operand.getType()) &&
          next->getBlock() == op->getBlock())
        sources.insert(next);
  }
  return false;
}

/// Log2 of the threads that have the same elements.
static unsigned countCopies(const LinearLayout &layout) {
  unsigned copies = 0;
  for (Place place : {Place::Lane, Place::Warp})
    copies += llvm::popcount(layout.getFreeBits(place));
  return copies;
}

bool LayoutPlanner::isKept(OpOperand &factor,
                           const ContractionPlan &contraction,
                           const LinearLayout &layout) {
  constexpr int64_t kFewRegisters = 32, kAddressWords = 2;
  Value vector = factor.get();
  Operation *source = vector.getDefiningOp();
  if (contraction.matrices || plan.threads.ctas != 0 || isFree(vector) ||
      !source || isTileOfProduct(vector) ||
      countRegisters(layout) <= kFewRegisters)
    return false;
  if (const LinearLayout *known = lookUp(vector)) {
    std::optional<Conversion> conversion = Conversion::plan(*known, layout);
    return conversion && conversion->getMovement() > Movement::Registers;
  }
  constexpr int64_t kMostBytes = 32768;
  auto loop = factor.getOwner()->getParentOfType<LoopLikeOpInterface>();
  auto type = cast<VectorType>(vector.getType());
  int64_t bytes = type.getNumElements() * getElementBits(type) / 8;
  if (bytes <= kMostBytes && loop && !loop->isAncestor(source))
    return true;
  // Each thread would compute what many others do.
  constexpr unsigned kFewCopies = 2;
  if (bytes <= kMostBytes && countCopies(layout) >= kFewCopies &&
      isComputedSlowly(source))
    return true;
  int64_t registers =
      carousel::countRegisters(countRegisters(layout), getElementBits(type));
  // ptxas computes the addresses of all that a thread reads before the first
  // product.
  int64_t needed = registers + kAddressWords * countRegisters(layout) /
                                   layout.getContiguous(type.getRank() - 1);
  int64_t threads = 1 << (plan.threads.lanes + plan.threads.warps);
  std::optional<ChipModel> chip = findChipModel(source);
  if (needed <= getVectorRegisters(threads) ||
      bytes > (chip ? chip->maxSharedPerBlock : kMostBytes))
    return false;
  plan.mostRegisters = std::max(plan.mostRegisters, registers);
  return true;
}

void LayoutPlanner::seedContractions() {
  for (vector::ContractionOp product : contractions) {
    ContractionPlan contraction =
        planContraction(product, plan.threads, getContext(product));
    plan.contractions.insert({product, contraction});
    origin = product;
    assign(product.getAcc(), contraction.acc);
    assign(product.getResult(), contraction.acc);
    for (auto [factor, layout] :
         {std::pair(&product.getLhsMutable(), &contraction.lhs),
          {&product.getRhsMutable(), &contraction.rhs}})
      if (isKept(*factor, contraction, *layout))
        plan.kept.insert(factor);
      else
        assign(factor->get(), *layout);
    propagate();
  }
}

void LayoutPlanner::seedScans() {
  for (Operation *op : ops) {
    auto scan = dyn_cast<ScanOp>(op);
    if (!scan || !isScannedByThreads(scan))
      continue;
    VectorType type = scan.getType();
    SmallVector<unsigned> bits = getExtentBits(type);
    unsigned lines =
        std::accumulate(bits.begin(), bits.end(), 0u) - bits[scan.getDim()];
    if (lines < plan.threads.lanes + plan.threads.warps)
      continue;
    SmallVector<bool> isReduced(bits.size(), false);
    for (vector::MultiDimReductionOp reduction : reductions)
      if (reduction.getSourceVectorType().getShape() == type.getShape())
        for (auto [all, own] :
             llvm::zip_equal(isReduced, getReducedDims(reduction)))
          all |= own;
    origin = op;
    assign(scan.getScanned().front(),
           makeLinesLayout(bits, scan.getDim(), isReduced, plan.threads));
    propagate();
  }
}

void LayoutPlanner::seedAccesses() {
  for (const VectorAccess &access : accesses) {
    Value vector = access.getVector();
    if (isFree(vector) || lookUp(vector))
      continue;
    origin = access.getOp();
    assign(vector, makeShared(access));
    propagate();
  }
}

void LayoutPlanner::seedRest() {
  for (Value vector : vectors) {
    origin = vector.getDefiningOp();
    if (!origin)
      origin = vector.getParentBlock()->getParentOp();
    if (assign(vector, makeDefault(cast<VectorType>(vector.getType()))))
      propagate();
  }
}

int64_t LayoutPlanner::getConversionPrice(const VectorAccess &access,
                                          const LinearLayout &layout) {
  constexpr int64_t kBarrier = 40;
  int64_t elements = int64_t(1) << layout.getNumBits(Place::Register);
  return 2 * elements * access.getElementBytes() + kBarrier;
}

/// Whether lanes have next lanes with the next runs, and no copies of elements.
static bool canShiftWrites(const LinearLayout &layout, int64_t run) {
  constexpr unsigned kFewLanes = 3; // of which two write pieces
  return layout.getFreeBits(Place::Lane) == 0 &&
         countLanesAlong(layout, run) >= kFewLanes;
}

AccessPlan LayoutPlanner::makeAccess(const VectorAccess &access,
                                     const LinearLayout &layout) {
  AccessPlan made{withRunsFirst(layout, access.getContiguousDim())};
  made.isTransfer = access.isTransfer();
  if (access.isContiguous()) {
    int64_t contiguous = made.layout.getContiguous(access.getContiguousDim());
    int64_t shifted = getShiftedRun(access);
    made.isShifted = shifted != 0 && contiguous >= shifted &&
                     (isa<vector::TransferReadOp>(access.getOp()) ||
                      canShiftWrites(made.layout, shifted));
    made.isAligned = made.isShifted &&
                     alignment.getRun(access.getMemRef(), access.getIndices(),
                                      /*inBounds=*/true, shifted) == shifted;
    made.run =
        made.isShifted ? shifted : std::min(getAlignedRun(access), contiguous);
  }
  access.countSectors(made.layout, made.run, made.sectors, made.fullSectors);
  // The L1 keeps the part of a sector that the next instruction reads.
  made.isReadOnce = access.isReadOnce() && !made.isTransfer &&
                    !made.isShifted && made.sectors == made.fullSectors;
  return made;
}

bool carousel::leavesCTA(const LinearLayout &from, const LinearLayout &to) {
  if (from.getNumBits(Place::CTA) == 0)
    return false;
  std::optional<Conversion> conversion = Conversion::plan(from, to);
  return !conversion || conversion->getMovement() == Movement::CTAs;
}

/// A tile of whole matrices, read by ldmatrix.
static bool canLoadMatrices(const VectorAccess &access,
                            const LinearLayout &layout) {
  constexpr int64_t kMatrixRows = 8;
  VectorType type = access.getType();
  // The instruction's op has no 8-bit floats.
  bool isFloat8 =
      isa<FloatType>(type.getElementType()) && getElementBits(type) == 8;
  return !isFloat8 && access.isTransfer() &&
         isa<vector::TransferReadOp>(access.getOp()) &&
         findMatrixLoads(layout, getElementBits(type)) &&
         llvm::all_of(type.getShape(), llvm::isPowerOf2_64) &&
         type.getShape().back() >= kMatrixRows &&
         type.getNumElements() / type.getShape().back() >= kMatrixRows;
}

/// Warpgroups multiply without waiting for each other, and so they store. Other
/// accesses of what they write would have to wait for all of them.
bool LayoutPlanner::storesByWarpgroups(const VectorAccess &access,
                                       const AccessPlan &made) {
  if (!made.isTransfer || isa<vector::TransferReadOp>(access.getOp()) ||
      llvm::none_of(plan.contractions,
                    [](const auto &pair) { return pair.second.byWarpgroups; }))
    return false;
  if (isAccessedElsewhere(access.getOp(), access.getMemRef()))
    return false;
  VectorType type = access.getType();
  std::optional<WarpShare> share =
      type.getRank() == 2 ? findWarpShare(made.layout) : std::nullopt;
  return share && llvm::isPowerOf2_64(type.getDimSize(0)) &&
         haveOwnRows(*share, made.layout.getExtentBits()[0]);
}

static VectorType getPartType(VectorType type, int64_t parts) {
  SmallVector<int64_t> shape(type.getShape());
  shape.back() /= parts;
  return VectorType::get(shape, type.getElementType());
}

/// The layout without the last bits of registers, which select the part.
static LinearLayout getPartLayout(const LinearLayout &layout, int64_t parts) {
  if (parts == 1)
    return layout;
  SmallVector<unsigned> bits(layout.getExtentBits());
  bits.back() -= llvm::Log2_64(parts);
  LinearLayout part(bits);
  for (Place place : {Place::Register, Place::Lane, Place::Warp, Place::CTA}) {
    auto bases = layout.getBases(place);
    if (place == Place::Register)
      bases.truncate(bases.size() - llvm::Log2_64(parts));
    for (const auto &basis : bases)
      part.addBasis(place, basis);
  }
  return part;
}

/// Whether all users of a vector round it to tf32, as it is or as a matrix of
/// its rows.
static bool isRoundedFirst(Value vector) {
  return !vector.use_empty() &&
         llvm::all_of(vector.getUsers(), [](Operation *user) {
           return isa<RoundTF32Op>(user) ||
                  (passesFactor(user) && isRoundedFirst(user->getResult(0)));
         });
}

/// Whether a load of the tile can do what all users do first: round to tf32.
/// Tensor maps do, and cp.async can't.
static bool canRoundAtLoad(Operation *op) {
  auto read = dyn_cast<vector::TransferReadOp>(op);
  if (!read || !isRoundedFirst(read) ||
      !matchPattern(read.getPadding(), m_PosZeroFloat()))
    return false;
  std::optional<ChipModel> chip = findChipModel(op);
  return chip && chip->sm >= rules::kBulkSM;
}

/// Whether shared memory has room for a conversion of such a vector.
static bool canConvert(Operation *op, VectorType type) {
  std::optional<ChipModel> chip = findChipModel(op);
  return !chip || type.getNumElements() * getElementBits(type) / 8 <=
                      chip->maxSharedPerBlock;
}

/// Lets a write take the tile of the read that is in place, if each element is
/// one thread's, and the same one's in both.
void LayoutPlanner::shareTile(const VectorAccess &access, AccessPlan &write) {
  vector::TransferReadOp read = findReadInPlace(access.getTransfer());
  if (!read)
    return;
  AccessPlan &own = plan.accesses.find(read)->second;
  bool hasCopies = own.layout.getFreeBits(Place::Lane) != 0 ||
                   own.layout.getFreeBits(Place::Warp) != 0;
  if (own.layout != write.layout || own.run != write.run || hasCopies)
    return;
  write.partner = read;
  own.partner = access.getOp();
}

void LayoutPlanner::chooseAccess(const VectorAccess &access) {
  LinearLayout preferred = makePreferred(access);
  AccessPlan best = makeAccess(access, preferred);
  if (!isFree(access.getVector())) {
    const LinearLayout &layout = *lookUp(access.getVector());
    AccessPlan own = makeAccess(access, layout);
    if (canLoadMatrices(access, layout) &&
        !isReadInPlace(access.getTransfer())) {
      own.layout = layout;
      own.byMatrices = true;
    }
    // A tile is in shared memory already. CTAs access their own elements.
    bool isRead = isa<vector::TransferReadOp>(access.getOp());
    bool leaves =
        isRead ? leavesCTA(preferred, layout) : leavesCTA(layout, preferred);
    if (own.isTransfer || leaves ||
        !canConvert(access.getOp(), access.getType()) ||
        own.sectors <= best.sectors + getConversionPrice(access, own.layout))
      best = own;
  }
  shareTile(access, best);
  best.byWarpgroups = !best.partner && storesByWarpgroups(access, best);
  if (best.byWarpgroups)
    best.parts =
        countTileParts(cast<VectorTransferOpInterface>(access.getOp()));
  best.rounds = best.isTransfer && canRoundAtLoad(access.getOp());
  if (best.isTransfer)
    best.swizzle = best.byMatrices || isFactorOfWarpgroups(plan, access.getOp())
                       ? chooseMatrixSwizzle(access.getType())
                       : chooseTileSwizzle(
                             getPartType(access.getType(), best.parts),
                             getPartLayout(best.layout, best.parts), best.run);
  plan.accesses.insert({access.getOp(), best});
}

void LayoutPlanner::chooseAccess(vector::GatherOp op) {
  unsigned dim = op.getVectorType().getRank() - 1;
  AccessPlan access{withRunsFirst(*lookUp(op.getResult()), dim)};
  if (explainNoRuns(op).empty())
    access.run = std::min<int64_t>(
        alignment.getRun(op.getBase(), op.getOffsets(), /*inBounds=*/true,
                         carousel::getMostRun(op)),
        access.layout.getContiguous(dim));
  plan.accesses.insert({op, access});
}
