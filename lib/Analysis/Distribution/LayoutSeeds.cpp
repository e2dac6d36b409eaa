//===- LayoutSeeds.cpp - where layouts begin ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LayoutPlanner.h. Prices are in sectors of 32 bytes that a warp touches.
//
//===----------------------------------------------------------------------===//

#include "LayoutPlanner.h"
#include "VectorRelations.h"

#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Analysis/Layouts/ReadLayout.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

bool LayoutPlanner::isReducedAlong(VectorType type, int64_t dim) {
  return llvm::any_of(reductions, [&](vector::MultiDimReductionOp op) {
    return op.getSourceVectorType().getShape() == type.getShape() &&
           op.isReducedDim(dim);
  });
}

LinearLayout LayoutPlanner::makePreferred(VectorType type, int64_t dim,
                                          int64_t run) {
  return makeOrdered(type, dim, run, isReducedAlong(type, dim));
}

LinearLayout LayoutPlanner::makeOrdered(VectorType type, int64_t dim,
                                        int64_t run, bool inRows) {
  SmallVector<unsigned> bits = getExtentBits(type);
  unsigned runBits = std::min<unsigned>(llvm::Log2_64(run), bits[dim]);
  return makeOrderedLayout(bits, dim, runBits, plan.threads, inRows);
}

LinearLayout LayoutPlanner::makeDefault(VectorType type) {
  int64_t bytes = std::max<int64_t>(1, getElementBits(type) / 8);
  return makePreferred(type, type.getRank() - 1, rules::kBulkGranule / bytes);
}

LinearLayout LayoutPlanner::makePreferred(const VectorAccess &access) {
  return makePreferred(access.getType(), access.getContiguousDim(),
                       getMostRun(access));
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
    candidates.push_back(makePreferred(type, dim, run));
    if (isReducedAlong(type, dim))
      candidates.push_back(makeOrdered(type, dim, run, /*inRows=*/false));
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

int64_t LayoutPlanner::getPrice(const AccessPlan &access) {
  return access.sectors + 4 * (countRegisters(access.layout) / access.run);
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

int64_t LayoutPlanner::getMostRun(const VectorAccess &access) {
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
  auto getKnown = [&](Value vector) -> std::optional<LinearLayout> {
    const LinearLayout *layout =
        isVector(vector) && !isFree(vector) ? lookUp(vector) : nullptr;
    return layout ? std::optional(*layout) : std::nullopt;
  };
  context.acc = getKnown(op.getResult());
  context.lhs = getKnown(op.getLhs());
  context.rhs = getKnown(op.getRhs());
  if (!isVector(op.getResult()))
    return context;
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
