//===- SplitExtents.cpp - products in parts -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-split-extents. Analysis/Distribution/ExtentParts.h says which
// dimensions are divided. Each op on them becomes one for each part.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Distribution/ExtentParts.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

namespace carousel {
#define GEN_PASS_DEF_SPLITEXTENTS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// The number of a part along each dimension.
using PartNumbers = SmallVector<unsigned>;

static bool isVector(Value value) { return isa<VectorType>(value.getType()); }

namespace {

/// How a vector is divided along its dimensions.
struct Division {
  SmallVector<SmallVector<int64_t>> parts;

  PartNumbers first() const { return PartNumbers(parts.size(), 0); }
  /// The next part, the last dimension fastest; false after the last one.
  bool advance(PartNumbers &numbers) const {
    for (unsigned dim = parts.size(); dim-- != 0;) {
      if (++numbers[dim] != parts[dim].size())
        return true;
      numbers[dim] = 0;
    }
    return false;
  }
  unsigned getPlace(ArrayRef<unsigned> numbers) const {
    unsigned place = 0;
    for (auto [number, own] : llvm::zip_equal(numbers, parts))
      place = place * own.size() + number;
    return place;
  }
  int64_t getOffset(unsigned dim, unsigned number) const {
    ArrayRef<int64_t> before = ArrayRef(parts[dim]).take_front(number);
    return std::accumulate(before.begin(), before.end(), int64_t(0));
  }
  VectorType getType(VectorType whole, ArrayRef<unsigned> numbers) const {
    SmallVector<int64_t> shape;
    for (auto [number, own] : llvm::zip_equal(numbers, parts))
      shape.push_back(own[number]);
    return VectorType::get(shape, whole.getElementType());
  }
  unsigned count() const {
    unsigned all = 1;
    for (const auto &own : parts)
      all *= own.size();
    return all;
  }
};

/// Writes the kernel again, with the parts in place of what is divided.
class KernelSplitter {
public:
  KernelSplitter(gpu::GPUFuncOp kernel, const ExtentParts &plan)
      : kernel(kernel), plan(plan), b(kernel.getLoc(), kernel.getContext()) {}

  void run() {
    split(kernel.getBody().front());
    for (Operation *op : llvm::reverse(old)) {
      op->dropAllUses();
      op->erase();
    }
  }

private:
  void split(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      split(&op);
  }
  void split(Operation *op);
  void splitLoop(scf::ForOp loop);
  void splitBranch(scf::IfOp branch);
  void splitYield(Operation *op);
  void splitProduct(vector::ContractionOp op);
  void splitReduction(vector::MultiDimReductionOp op);
  void splitTransfer(VectorTransferOpInterface op);
  void splitStep(vector::StepOp op);
  void splitBroadcast(vector::BroadcastOp op);
  void splitTranspose(vector::TransposeOp op);
  void splitCast(vector::ShapeCastOp op);
  void splitElements(Operation *op);

  Division getDivision(Value vector) const { return {plan.getParts(vector)}; }
  bool isDivided(Value value) const {
    return isVector(value) && plan.isDivided(value);
  }

  /// A part of a vector that may be whole, by its numbers there.
  Value getPart(Value vector, ArrayRef<unsigned> numbers) {
    if (!isDivided(vector))
      return vector;
    return parts.at(vector)[getDivision(vector).getPlace(numbers)];
  }
  /// Makes the parts of a result, in the order of their places.
  void setParts(Value result,
                function_ref<Value(ArrayRef<unsigned>, VectorType)> make) {
    Division division = getDivision(result);
    auto type = cast<VectorType>(result.getType());
    SmallVector<Value> made;
    PartNumbers numbers = division.first();
    do
      made.push_back(make(numbers, division.getType(type, numbers)));
    while (division.advance(numbers));
    parts[result] = std::move(made);
  }
  /// The values that stand for these.
  SmallVector<Value> expand(ValueRange values) {
    SmallVector<Value> all;
    for (Value value : values)
      if (isDivided(value))
        llvm::append_range(all, parts.at(value));
      else
        all.push_back(value);
    return all;
  }
  SmallVector<Type> expandTypes(ValueRange values) const {
    SmallVector<Type> types;
    for (Value value : values) {
      if (!isDivided(value)) {
        types.push_back(value.getType());
        continue;
      }
      Division division = getDivision(value);
      PartNumbers numbers = division.first();
      do
        types.push_back(
            division.getType(cast<VectorType>(value.getType()), numbers));
      while (division.advance(numbers));
    }
    return types;
  }
  /// Gives values of an op the values that stand for them.
  void replace(ValueRange values, ValueRange by) {
    for (Value value : values) {
      unsigned count = isDivided(value) ? getDivision(value).count() : 1;
      if (isDivided(value))
        parts[value] = llvm::to_vector(by.take_front(count));
      else
        value.replaceAllUsesWith(by.front());
      by = by.drop_front(count);
    }
  }
  /// A copy of an op without regions.
  Operation *copy(Operation *op, ValueRange operands, TypeRange results) {
    Operation *made = b.clone(*op);
    made->setOperands(operands);
    for (auto [result, type] : llvm::zip_equal(made->getResults(), results))
      result.setType(type);
    return made;
  }

  gpu::GPUFuncOp kernel;
  const ExtentParts &plan;
  ImplicitLocOpBuilder b;
  llvm::DenseMap<Value, SmallVector<Value>> parts;
  SmallVector<Operation *> old;
};

} // namespace

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void KernelSplitter::splitLoop(scf::ForOp loop) {
  if (llvm::any_of(loop.getResults(),
                   [&](Value value) { return isDivided(value); })) {
    auto made =
        scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(),
                           loop.getStep(), expand(loop.getInitArgs()),
                           /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block *body = made.getBody();
    body->getOperations().splice(body->end(), loop.getBody()->getOperations());
    loop.getInductionVar().replaceAllUsesWith(made.getInductionVar());
    replace(loop.getRegionIterArgs(), made.getRegionIterArgs());
    replace(loop.getResults(), made.getResults());
    old.push_back(loop);
    loop = made;
  }
  split(*loop.getBody());
}

void KernelSplitter::splitBranch(scf::IfOp branch) {
  if (llvm::any_of(branch.getResults(),
                   [&](Value value) { return isDivided(value); })) {
    auto made =
        scf::IfOp::create(b, expandTypes(branch.getResults()),
                          branch.getCondition(), /*withElseRegion=*/true);
    for (auto [from, to] :
         llvm::zip_equal(branch.getRegions(), made.getRegions()))
      to->front().getOperations().splice(to->front().end(),
                                         from->front().getOperations());
    replace(branch.getResults(), made.getResults());
    old.push_back(branch);
    branch = made;
  }
  for (Region &region : branch->getRegions())
    if (!region.empty())
      split(region.front());
}

void KernelSplitter::splitYield(Operation *op) {
  op->setOperands(expand(op->getOperands()));
}

//===----------------------------------------------------------------------===//
// Products and reductions
//===----------------------------------------------------------------------===//

void KernelSplitter::splitProduct(vector::ContractionOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Value operands[] = {op.getLhs(), op.getRhs(), op.getAcc()};
  // This is the division of the iteration space.
  Division space;
  space.parts.resize(maps[0].getNumDims());
  for (auto [map, operand] : llvm::zip_equal(maps, operands))
    if (isVector(operand))
      for (auto [dim, expr] : llvm::enumerate(map.getResults()))
        space.parts[cast<AffineDimExpr>(expr).getPosition()] =
            plan.getParts(operand)[dim];
  // Along reduced dimensions, each adds to the one before.
  llvm::DenseMap<unsigned, Value> sums;
  Division ofSum =
      isVector(op.getResult()) ? getDivision(op.getResult()) : Division();
  PartNumbers numbers = space.first();
  do {
    SmallVector<Value> own;
    for (auto [map, operand] : llvm::zip_equal(maps, operands)) {
      PartNumbers ofOperand;
      for (AffineExpr expr : map.getResults())
        ofOperand.push_back(numbers[cast<AffineDimExpr>(expr).getPosition()]);
      if (own.size() != 2) {
        own.push_back(getPart(operand, ofOperand));
        continue;
      }
      unsigned place = ofSum.getPlace(ofOperand);
      auto [sum, isFirst] = sums.try_emplace(place);
      own.push_back(isFirst ? getPart(operand, ofOperand) : sum->second);
      sum->second = copy(op, own, own.back().getType())->getResult(0);
    }
  } while (space.advance(numbers));
  if (isDivided(op.getResult()))
    setParts(op.getResult(), [&](ArrayRef<unsigned> numbers, VectorType) {
      return sums.at(ofSum.getPlace(numbers));
    });
  else
    op.getResult().replaceAllUsesWith(sums.at(0));
}

void KernelSplitter::splitReduction(vector::MultiDimReductionOp op) {
  Division source = getDivision(op.getSource());
  SmallVector<bool> isReduced = op.getReductionMask();
  llvm::DenseMap<unsigned, Value> sums;
  Division ofSum =
      isVector(op.getResult()) ? getDivision(op.getResult()) : Division();
  PartNumbers numbers = source.first();
  do {
    PartNumbers kept;
    for (auto [number, reduced] : llvm::zip_equal(numbers, isReduced))
      if (!reduced)
        kept.push_back(number);
    auto [sum, isFirst] = sums.try_emplace(ofSum.getPlace(kept));
    Value before = isFirst ? getPart(op.getAcc(), kept) : sum->second;
    sum->second =
        copy(op, {getPart(op.getSource(), numbers), before}, before.getType())
            ->getResult(0);
  } while (source.advance(numbers));
  if (isDivided(op.getResult()))
    setParts(op.getResult(), [&](ArrayRef<unsigned> numbers, VectorType) {
      return sums.at(ofSum.getPlace(numbers));
    });
  else
    op.getResult().replaceAllUsesWith(sums.at(0));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void KernelSplitter::splitTransfer(VectorTransferOpInterface op) {
  bool isRead = isa<vector::TransferReadOp>(op);
  Value vector = isRead ? op->getResult(0) : op.getVector();
  Division division = getDivision(vector);
  SmallVector<AffineExpr> along(op.getPermutationMap().getResults());
  auto access = [&](ArrayRef<unsigned> numbers, VectorType type) -> Value {
    Operation *made = b.clone(*op.getOperation());
    // Indices follow the memref, or the vector and the memref.
    unsigned firstIndex = isRead ? 1 : 2;
    for (auto [dim, number] : llvm::enumerate(numbers)) {
      auto own = dyn_cast<AffineDimExpr>(along[dim]);
      int64_t offset = division.getOffset(dim, number);
      if (!own || offset == 0)
        continue;
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(made);
      OpOperand &index = made->getOpOperand(firstIndex + own.getPosition());
      index.set(b.createOrFold<arith::AddIOp>(
          index.get(), arith::ConstantIndexOp::create(b, offset)));
    }
    if (!isRead) {
      cast<vector::TransferWriteOp>(made).getValueToStoreMutable().assign(
          getPart(vector, numbers));
      return {};
    }
    made->getResult(0).setType(type);
    return made->getResult(0);
  };
  if (isRead)
    return setParts(vector, access);
  auto type = cast<VectorType>(vector.getType());
  PartNumbers numbers = division.first();
  do
    access(numbers, division.getType(type, numbers));
  while (division.advance(numbers));
}

void KernelSplitter::splitStep(vector::StepOp op) {
  Division division = getDivision(op.getResult());
  setParts(op.getResult(), [&](ArrayRef<unsigned> numbers, VectorType type) {
    Value steps = vector::StepOp::create(b, type);
    int64_t offset = division.getOffset(0, numbers[0]);
    if (offset == 0)
      return steps;
    Value begin = arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, b.getIndexAttr(offset)));
    return arith::AddIOp::create(b, steps, begin).getResult();
  });
}

void KernelSplitter::splitBroadcast(vector::BroadcastOp op) {
  auto source = dyn_cast<VectorType>(op.getSourceType());
  int64_t rank = source ? source.getRank() : 0;
  setParts(op.getResult(), [&](ArrayRef<unsigned> numbers, VectorType type) {
    PartNumbers own(numbers.take_back(rank));
    for (auto [dim, number] : llvm::enumerate(own))
      if (source.getDimSize(dim) == 1)
        number = 0;
    Value part = source ? getPart(op.getSource(), own) : op.getSource();
    return vector::BroadcastOp::create(b, type, part).getResult();
  });
}

void KernelSplitter::splitTranspose(vector::TransposeOp op) {
  setParts(op.getResult(), [&](ArrayRef<unsigned> numbers, VectorType type) {
    PartNumbers own(numbers.size());
    for (auto [to, from] : llvm::enumerate(op.getPermutation()))
      own[from] = numbers[to];
    return copy(op, getPart(op.getVector(), own), type)->getResult(0);
  });
}

/// Dimensions of several elements have the same order on both sides.
void KernelSplitter::splitCast(vector::ShapeCastOp op) {
  VectorType source = op.getSourceVectorType(),
             result = op.getResultVectorType();
  setParts(op.getResult(), [&](ArrayRef<unsigned> numbers, VectorType type) {
    PartNumbers own(source.getRank(), 0);
    unsigned from = 0;
    for (auto [dim, number] : llvm::enumerate(numbers)) {
      if (result.getDimSize(dim) == 1)
        continue;
      while (source.getDimSize(from) == 1)
        ++from;
      own[from++] = number;
    }
    return copy(op, getPart(op.getSource(), own), type)->getResult(0);
  });
}

/// Constants, poison, and ops that compute element by element.
void KernelSplitter::splitElements(Operation *op) {
  for (Value result : op->getResults())
    setParts(result, [&](ArrayRef<unsigned> numbers, VectorType type) -> Value {
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        return arith::ConstantOp::create(
            b, cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(getPart(operand, numbers));
      SmallVector<Type> types;
      for (Value other : op->getResults())
        types.push_back(type.clone(getElementTypeOrSelf(other.getType())));
      // An op of several results is copied for each, and folded later.
      Operation *made = copy(op, operands, types);
      return made->getResult(cast<OpResult>(result).getResultNumber());
    });
}

void KernelSplitter::split(Operation *op) {
  b.setLoc(op->getLoc());
  b.setInsertionPoint(op);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return splitLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return splitBranch(branch);
  auto isPart = [&](Value value) { return isDivided(value); };
  if (llvm::none_of(op->getOperands(), isPart) &&
      llvm::none_of(op->getResults(), isPart))
    return;
  if (isa<scf::YieldOp>(op))
    return splitYield(op);
  old.push_back(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](vector::ContractionOp own) { splitProduct(own); })
      .Case([&](vector::MultiDimReductionOp own) { splitReduction(own); })
      .Case([&](VectorTransferOpInterface own) { splitTransfer(own); })
      .Case([&](vector::StepOp own) { splitStep(own); })
      .Case([&](vector::BroadcastOp own) { splitBroadcast(own); })
      .Case([&](vector::TransposeOp own) { splitTranspose(own); })
      .Case([&](vector::ShapeCastOp own) { splitCast(own); })
      .Default([&](Operation *own) { splitElements(own); });
}

namespace {

struct SplitExtents : public carousel::impl::SplitExtentsBase<SplitExtents> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel->hasAttr(CarouselDialect::kBlockProgram))
        split(kernel);
  }

  void split(gpu::GPUFuncOp kernel) {
    ExtentParts plan(kernel);
    bool hasParts = false;
    for (const ExtentParts::Product &product : plan.getProducts()) {
      remark::RemarkOpts options = remark::RemarkOpts::name("ExtentParts")
                                       .category("carousel-split-extents")
                                       .function(kernel.getName());
      vector::ContractionOp op = product.op;
      if (!product.refusal.empty()) {
        ++missed;
        remark::missed(op.getLoc(), options)
            << remark::add("an extent of {0} stays whole: {1}", product.extent,
                           product.refusal);
        continue;
      }
      hasParts = true;
      ++divided;
      std::string parts;
      llvm::raw_string_ostream os(parts);
      llvm::interleave(getPartsOfExtent(product.extent), os, " + ");
      remark::passed(op.getLoc(), options) << remark::add(
          "an extent of {0} is taken as {1}", product.extent, parts);
    }
    if (hasParts)
      KernelSplitter(kernel, plan).run();
  }
};

} // namespace
