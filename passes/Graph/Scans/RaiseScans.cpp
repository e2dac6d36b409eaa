//===- RaiseScans.cpp - scans that are written by slices ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-raise-scans. Front ends that have no op for it write a scan by an
// associative operation as a recursion (jax.lax.associative_scan):
//
//   pairs = combine(x[0::2], x[1::2])
//   odd   = scan(pairs)
//   even  = concat(x[0:1], combine(odd, x[2::2]))
//   scan  = interleave(even, odd)
//
// A scan (ReadScan.h) reads and writes each element once. docs/GraphPhase.md,
// Scans.
//
//===----------------------------------------------------------------------===//

#include "../../Block/Kernels/NeutralElement.h"
#include "../Bodies/GroupValues.h"
#include "../Reading/ReadGraph.h"
#include "../Shapes/Patterns.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/SetVector.h"

namespace carousel {
#define GEN_PASS_DEF_RAISESCANS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Shorter recursions fuse with what is around them.
static constexpr int64_t kLeastRaised = 4;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static bool isElementwise(linalg::GenericOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumResults() == 1 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         !op.hasIndexSemantics() &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); });
}

/// The result of an op of tensors, or in an elementwise op's body, that
/// computes a value. Goes from bodies to operands, and from tensors into
/// bodies, but not beyond `end`.
static Value resolve(Value value, Value end = {}) {
  while (value != end) {
    Value next;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto op = dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
      OpOperand *operand =
          isElementwise(op) ? op.getMatchingOpOperand(argument) : nullptr;
      if (operand && op.isDpsInput(operand))
        next = operand->get();
    } else if (auto op = value.getDefiningOp<linalg::GenericOp>();
               isElementwise(op)) {
      next = op.getBlock()->getTerminator()->getOperand(0);
    }
    if (!next)
      break;
    value = next;
  }
  return value;
}

static bool isZero(Value tensor) {
  TypedAttr fill = findFill(tensor);
  return fill && isNeutral(fill, vector::CombiningKind::ADD);
}

namespace {

/// Elements of a tensor along one dimension, and all along the others.
struct Elements {
  Value source;
  int64_t offset = 0, stride = 1, size = 0;

  bool operator==(const Elements &other) const {
    return source == other.source && offset == other.offset &&
           (stride == other.stride || size == 1) && size == other.size;
  }
};

/// A tensor whose even elements are those of one tensor, and whose odd ones are
/// those of another.
struct Interleaving {
  unsigned dim = 0;
  int64_t extent = 0;
  Value even, odd;
};

} // namespace

static int64_t getExtent(Value tensor, unsigned dim) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
}

/// Reads a slice or insertion into `whole`, whose other dimensions are whole.
static std::optional<Elements> readElements(OffsetSizeAndStrideOpInterface op,
                                            Value whole, unsigned dim) {
  auto type = cast<RankedTensorType>(whole.getType());
  Elements elements{whole};
  for (int64_t own = 0; own < type.getRank(); ++own) {
    OpFoldResult size = op.getMixedSizes()[own];
    std::optional<int64_t> offset =
                               getConstantIntValue(op.getMixedOffsets()[own]),
                           stride =
                               getConstantIntValue(op.getMixedStrides()[own]),
                           extent = getConstantIntValue(size);
    if (own == int64_t(dim)) {
      if (!offset || !stride || !extent)
        return std::nullopt;
      elements.offset = *offset;
      elements.stride = *stride;
      elements.size = *extent;
      continue;
    }
    FailureOr<bool> isWhole =
        ValueBoundsConstraintSet::areEqual(size, {whole, own});
    if (offset != 0 || stride != 1 || failed(isWhole) || !*isWhole)
      return std::nullopt;
  }
  return elements;
}

static std::optional<Elements> readSlice(Value tensor, unsigned dim) {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getSourceType().getRank() != slice.getType().getRank())
    return std::nullopt;
  return readElements(slice, slice.getSource(), dim);
}

/// The dimension that an insertion has two places of each element in.
static std::optional<unsigned> findSpread(tensor::InsertSliceOp insert) {
  if (!insert || !isZero(insert.getDest()) ||
      insert.getSourceType().getRank() != insert.getDestType().getRank())
    return std::nullopt;
  for (auto [dim, stride] : llvm::enumerate(insert.getMixedStrides()))
    if (getConstantIntValue(stride) == 2)
      return dim;
  return std::nullopt;
}

/// Reads the sum of two tensors that have zeros between their elements.
static std::optional<Interleaving> readInterleaving(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!isElementwise(op))
    return std::nullopt;
  Operation *sum = resolve(tensor).getDefiningOp();
  if (!sum || !isa<arith::AddFOp, arith::AddIOp, arith::OrIOp>(sum))
    return std::nullopt;
  Interleaving found;
  for (Value term : sum->getOperands()) {
    auto insert = resolve(term).getDefiningOp<tensor::InsertSliceOp>();
    std::optional<unsigned> dim = findSpread(insert);
    if (!dim)
      return std::nullopt;
    std::optional<Elements> places =
        readElements(insert, insert.getDest(), *dim);
    int64_t extent = getExtent(insert.getDest(), *dim);
    if (!places || ShapedType::isDynamic(extent))
      return std::nullopt;
    Value &part = places->offset == 0 ? found.even : found.odd;
    // Parts have as many elements as there are places.
    if (part || places->offset > 1 ||
        places->size != (extent + 1 - places->offset) / 2 ||
        ((found.even || found.odd) &&
         (found.dim != *dim || found.extent != extent)))
      return std::nullopt;
    found.dim = *dim;
    found.extent = extent;
    part = insert.getSource();
  }
  return found;
}

/// The first element and the others, which a tensor is made of.
/// readConcatenation looks at each element of insertions.
static std::optional<std::pair<Value, Value>> splitFirst(Value tensor,
                                                         unsigned dim) {
  SmallVector<Concatenation::Part> parts;
  if (tensor.getDefiningOp<tensor::InsertSliceOp>()) {
    Value rest = tensor;
    while (auto insert = rest.getDefiningOp<tensor::InsertSliceOp>()) {
      std::optional<Elements> places = readElements(insert, tensor, dim);
      if (!places || places->stride != 1 || parts.size() == 2 ||
          places->size != getExtent(insert.getSource(), dim))
        return std::nullopt;
      parts.push_back({insert.getSource(), places->offset});
      rest = insert.getDest();
    }
  } else if (Operation *op = tensor.getDefiningOp()) {
    std::optional<Concatenation> whole = readConcatenation(op);
    if (whole && whole->axis == int64_t(dim))
      parts = whole->parts;
  }
  if (parts.size() != 2)
    return std::nullopt;
  if (parts[1].start < parts[0].start)
    std::swap(parts[0], parts[1]);
  if (parts[0].start != 0 || parts[1].start != 1 ||
      getExtent(parts[0].value, dim) != 1 ||
      getExtent(parts[1].value, dim) != getExtent(tensor, dim) - 1)
    return std::nullopt;
  return std::pair(parts[0].value, parts[1].value);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {

/// Tensors that a level of the recursion combines. The factors are of linear
/// recurrences, and segments are of scans that begin anew somewhere.
struct Combined {
  Value elements, factors, segments;
};

/// The combination of two ranges. The later one is a single element, or what
/// several have been combined to: its value is combined with that of the
/// earlier range by an op, or added to the product of that with a factor, or
/// stays as it is where a segment begins.
struct Step {
  Value before, elements, factors, segments;
  /// Null for linear recurrences.
  Operation *combiner = nullptr;
  bool beginsWhereTrue = true;

  bool isLike(const Step &other) const {
    return bool(combiner) == bool(other.combiner) &&
           (!combiner || combiner->getName() == other.combiner->getName()) &&
           bool(segments) == bool(other.segments) &&
           beginsWhereTrue == other.beginsWhereTrue;
  }
};

/// Reads how `value` follows from what `isBefore` says is of the earlier range.
class StepReader {
public:
  StepReader(unsigned dim, Value end, llvm::function_ref<bool(Value)> isBefore)
      : dim(dim), end(end), isBefore(isBefore) {}

  std::optional<Step> read(Value value);

private:
  Value get(Value value) const { return resolve(value, end); }
  bool isPart(Value value) const {
    return readSlice(value, dim).has_value() && value != step.before;
  }
  bool setBefore(Value value) {
    if (!isBefore(value))
      return false;
    step.before = value;
    return true;
  }
  bool readMove(Value value);
  bool readProduct(Value product, Value element);

  unsigned dim;
  Value end;
  llvm::function_ref<bool(Value)> isBefore;
  Step step;
};

} // namespace

bool StepReader::readProduct(Value product, Value element) {
  Operation *op = product.getDefiningOp();
  if (!op || !isa<arith::MulFOp, arith::MulIOp>(op))
    return false;
  Value lhs = get(op->getOperand(0)), rhs = get(op->getOperand(1));
  step.elements = get(element);
  for (auto [before, factor] : {std::pair(lhs, rhs), std::pair(rhs, lhs)})
    if (setBefore(before)) {
      step.factors = factor;
      return isPart(factor) && isPart(step.elements);
    }
  return false;
}

bool StepReader::readMove(Value value) {
  Operation *op = get(value).getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return false;
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    for (unsigned number : {0, 1})
      if (readProduct(get(op->getOperand(number)), op->getOperand(1 - number)))
        return true;
  if (!linalg::getCombinerOpKind(op))
    return false;
  for (unsigned number : {0, 1})
    if (setBefore(get(op->getOperand(number)))) {
      step.combiner = op;
      step.factors = {};
      step.elements = get(op->getOperand(1 - number));
      return isPart(step.elements);
    }
  return false;
}

std::optional<Step> StepReader::read(Value value) {
  auto choice = get(value).getDefiningOp<arith::SelectOp>();
  if (!choice)
    return readMove(value) ? std::optional(step) : std::nullopt;
  Value arms[] = {choice.getTrueValue(), choice.getFalseValue()};
  step.segments = get(choice.getCondition());
  step.beginsWhereTrue = isPart(get(arms[0]));
  Value own = get(arms[step.beginsWhereTrue ? 0 : 1]);
  if (!isPart(step.segments) || !readMove(arms[step.beginsWhereTrue ? 1 : 0]) ||
      step.elements != own)
    return std::nullopt;
  return step;
}

//===----------------------------------------------------------------------===//
// Recursions
//===----------------------------------------------------------------------===//

namespace {

class RecursionReader {
public:
  /// Reads the scan that a tensor is.
  bool read(Value tensor);

  unsigned dim = 0;
  Step step; ///< of the outermost level
  Combined whole;

private:
  /// Reads what a step combines, elements of `offset` and each second one on.
  /// Sets the tensors that aren't known, and compares the others.
  bool readCombined(const Step &own, int64_t offset, int64_t size,
                    Combined &combined) const;
  /// Reads the even elements of a level of several: the first element, then
  /// the odd ones combined with those behind them.
  bool readEven(const Interleaving &level, Combined &combined,
                bool isOutermost);
  /// Whether the next level's tensors have the pairs of this one's.
  bool arePairs(Combined &level, int64_t size, const Combined &next) const;
  bool isPairOf(Value pairs, Value parts, int64_t count,
                llvm::function_ref<bool(Operation *)> isKnown) const;
};

} // namespace

bool RecursionReader::readCombined(const Step &own, int64_t offset,
                                   int64_t size, Combined &combined) const {
  auto matches = [&](Value part, Value &tensor) {
    if (!part)
      return true;
    std::optional<Elements> elements = readSlice(part, dim);
    if (!elements)
      return false;
    if (!tensor)
      tensor = elements->source;
    return *elements == Elements{tensor, offset, 2, size};
  };
  return matches(own.elements, combined.elements) &&
         matches(own.factors, combined.factors) &&
         matches(own.segments, combined.segments);
}

bool RecursionReader::readEven(const Interleaving &level, Combined &combined,
                               bool isOutermost) {
  auto readFirst = [&](Value first) {
    std::optional<Elements> elements = readSlice(first, dim);
    if (!elements)
      return false;
    combined.elements = elements->source;
    return *elements == Elements{combined.elements, 0, 2, 1};
  };
  if (level.extent == 2)
    return readFirst(level.even);
  std::optional<std::pair<Value, Value>> parts = splitFirst(level.even, dim);
  if (!parts || !readFirst(parts->first))
    return false;
  int64_t count = (level.extent - 1) / 2;
  auto isBefore = [&](Value value) {
    if (level.extent % 2 == 1)
      return value == level.odd;
    return readSlice(value, dim) == Elements{level.odd, 0, 1, count};
  };
  std::optional<Step> own =
      StepReader(dim, level.odd, isBefore).read(parts->second);
  if (!own || (!isOutermost && !own->isLike(step)))
    return false;
  if (isOutermost)
    step = *own;
  return readCombined(*own, 2, count, combined);
}

bool RecursionReader::isPairOf(
    Value pairs, Value parts, int64_t count,
    llvm::function_ref<bool(Operation *)> isKnown) const {
  Operation *op = resolve(pairs).getDefiningOp();
  if (!op || !isKnown(op))
    return false;
  std::optional<Elements> lhs = readSlice(resolve(op->getOperand(0)), dim),
                          rhs = readSlice(resolve(op->getOperand(1)), dim);
  if (lhs && rhs && lhs->offset == 1)
    std::swap(lhs, rhs);
  return lhs == Elements{parts, 0, 2, count} &&
         rhs == Elements{parts, 1, 2, count};
}

bool RecursionReader::arePairs(Combined &level, int64_t size,
                               const Combined &next) const {
  auto isBefore = [&](Value value) {
    return readSlice(value, dim) == Elements{level.elements, 0, 2, size};
  };
  std::optional<Step> own = StepReader(dim, {}, isBefore).read(next.elements);
  return own && own->isLike(step) && readCombined(*own, 1, size, level);
}

bool RecursionReader::read(Value tensor) {
  SmallVector<Combined> levels;
  SmallVector<int64_t> counts; ///< of pairs
  Value rest = tensor;
  do {
    std::optional<Interleaving> level = readInterleaving(rest);
    bool isOutermost = levels.empty();
    if (!level ||
        (isOutermost ? level->extent < kLeastRaised
                     : level->dim != dim || level->extent != counts.back()))
      return false;
    if (isOutermost)
      dim = level->dim;
    if (!readEven(*level, levels.emplace_back(), isOutermost))
      return false;
    counts.push_back(level->extent / 2);
    rest = level->odd;
  } while (counts.back() > 1);
  levels.push_back({rest, {}, {}});
  // Steps say which tensors are a level's factors and segments. These are
  // compared with the next level's once all are known.
  for (auto [number, count] : llvm::enumerate(counts))
    if (!arePairs(levels[number], count, levels[number + 1]))
      return false;
  for (auto [number, count] : llvm::enumerate(counts)) {
    const Combined &level = levels[number], &next = levels[number + 1];
    if (next.factors &&
        !isPairOf(next.factors, level.factors, count, [](Operation *op) {
          return isa<arith::MulFOp, arith::MulIOp>(op);
        }))
      return false;
    if (next.segments &&
        !isPairOf(next.segments, level.segments, count, [&](Operation *op) {
          return step.beginsWhereTrue ? isa<arith::OrIOp>(op)
                                      : isa<arith::AndIOp>(op);
        }))
      return false;
  }
  whole = levels.front();
  return true;
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Writes the scan that a recursion computes.
static Value writeScan(OpBuilder &builder, Location loc,
                       const RecursionReader &recursion) {
  const Step &step = recursion.step;
  unsigned dim = recursion.dim;
  SmallVector<Value> tensors = {recursion.whole.elements};
  for (Value other : {recursion.whole.factors, recursion.whole.segments})
    if (other)
      tensors.push_back(other);
  auto type = cast<RankedTensorType>(tensors.front().getType());
  Type element = type.getElementType();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, tensors.front());
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, element);
  sizes.erase(sizes.begin() + dim);
  TypedAttr start =
      step.combiner
          ? getNeutralElement(
                builder, *linalg::getCombinerOpKind(step.combiner), element)
          : builder.getZeroAttr(element);
  Value starts =
      linalg::FillOp::create(
          builder, loc,
          arith::ConstantOp::create(builder, loc, start).getResult(),
          tensor::EmptyOp::create(builder, loc, sizes, element).getResult())
          .getResult(0);
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps(tensors.size(), all);
  maps.append({all.dropResult(dim), all});
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  iterators[dim] = utils::IteratorType::reduction;
  auto writeBody = [&](OpBuilder &body, Location at, ValueRange arguments) {
    Value own = arguments.front(), before = arguments[tensors.size()], after,
          begins = step.segments ? arguments[tensors.size() - 1] : Value();
    if (begins && !step.beginsWhereTrue)
      begins = arith::XOrIOp::create(
          body, at, begins, arith::ConstantIntOp::create(body, at, 1, 1));
    if (step.combiner) {
      Operation *combined = body.clone(*step.combiner);
      combined->setOperands({before, own});
      after = combined->getResult(0);
    } else {
      bool isFloat = isa<FloatType>(element);
      auto combine = [&](auto ofFloat, auto ofInteger, Value lhs, Value rhs) {
        return isFloat
                   ? decltype(ofFloat)::create(body, at, lhs, rhs).getResult()
                   : decltype(ofInteger)::create(body, at, lhs, rhs);
      };
      after = combine(
          arith::AddFOp(), arith::AddIOp(),
          combine(arith::MulFOp(), arith::MulIOp(), arguments[1], before), own);
      // The recursion multiplies nothing with the first factor.
      Value isFirst =
          arith::CmpIOp::create(body, at, arith::CmpIPredicate::eq,
                                linalg::IndexOp::create(body, at, dim),
                                arith::ConstantIndexOp::create(body, at, 0));
      begins =
          begins ? arith::OrIOp::create(body, at, isFirst, begins) : isFirst;
    }
    if (begins)
      after = arith::SelectOp::create(body, at, begins, own, after);
    linalg::YieldOp::create(body, at, {after, after});
  };
  return linalg::GenericOp::create(
             builder, loc, TypeRange{starts.getType(), type}, tensors,
             ValueRange{starts, empty}, maps, iterators, writeBody)
      .getResult(1);
}

/// Erases an op without users, and what nothing else uses.
static void eraseDead(Operation *op,
                      llvm::SmallPtrSetImpl<Operation *> &erased) {
  llvm::SetVector<Operation *> dead;
  dead.insert(op);
  while (!dead.empty()) {
    Operation *own = dead.pop_back_val();
    if (!isOpTriviallyDead(own))
      continue;
    own->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && !own->isAncestor(source))
          dead.insert(source);
    });
    erased.insert(own);
    own->erase();
  }
}

namespace {
struct RaiseScans : public carousel::impl::RaiseScansBase<RaiseScans> {
  using RaiseScansBase::RaiseScansBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isElementwise(op))
        ops.push_back(op);
    });
    llvm::SmallPtrSet<Operation *, 16> erased;
    // The outermost level comes last.
    for (Operation *op : llvm::reverse(ops)) {
      RecursionReader recursion;
      if (erased.contains(op) || !recursion.read(op->getResult(0)))
        continue;
      OpBuilder builder(op);
      op->getResult(0).replaceAllUsesWith(
          writeScan(builder, op->getLoc(), recursion));
      eraseDead(op, erased);
      ++raised;
    }
  }
};
} // namespace
