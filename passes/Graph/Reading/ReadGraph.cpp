//===- ReadGraph.cpp - graphs of linalg as planners see them --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReadGraph.h.
//
//===----------------------------------------------------------------------===//

#include "ReadGraph.h"

#include "../../Block/Kernels/ElementChanges.h"
#include "ExtentFactors.h"
#include "OperandChanges.h"
#include "ReadConvolution.h"
#include "ReadScan.h"
#include "RowReads.h"
#include "RowUpdates.h"

#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Values/IndexRanges.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

std::optional<Combination> carousel::findCombination(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return std::nullopt;
  Block &body = *op.getBlock();
  Value result = body.getTerminator()->getOperand(0);
  BlockArgument before = body.getArgument(op.getNumDpsInputs());
  Operation *combiner = result.getDefiningOp();
  if (!combiner || combiner->getBlock() != &body || !before.hasOneUse() ||
      combiner != *before.user_begin() || combiner->getNumOperands() != 2)
    return std::nullopt;
  std::optional<vector::CombiningKind> kind =
      linalg::getCombinerOpKind(combiner);
  if (!kind)
    return std::nullopt;
  bool isFirst = combiner->getOperand(0) == before;
  return Combination{*kind, combiner, combiner->getOperand(isFirst ? 1 : 0)};
}

TypedAttr carousel::findFill(Value tensor) {
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  Attribute value;
  if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&value)))
    return {};
  return dyn_cast<TypedAttr>(value);
}

AffineExpr carousel::findBadDivision(AffineMap map) {
  AffineExpr found;
  map.walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || binary.getKind() == AffineExprKind::Add ||
        binary.getKind() == AffineExprKind::Mul)
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (divisor && divisor.getValue() < 1)
      found = expr;
  });
  return found;
}

arith::CmpIPredicate carousel::getSigned(arith::CmpIPredicate predicate) {
  using Predicate = arith::CmpIPredicate;
  switch (predicate) {
  case Predicate::ult:
    return Predicate::slt;
  case Predicate::ule:
    return Predicate::sle;
  case Predicate::ugt:
    return Predicate::sgt;
  case Predicate::uge:
    return Predicate::sge;
  default:
    return predicate;
  }
}

IntegerValueRange carousel::findLoopRange(Value value) {
  auto index = value.getDefiningOp<linalg::IndexOp>();
  if (!index)
    return IntegerValueRange::getMaxRange(value);
  auto op = index->getParentOfType<linalg::LinalgOp>();
  int64_t extent = op.getStaticLoopRanges()[index.getDim()];
  int64_t last = ShapedType::isDynamic(extent)
                     ? kMostOfLoop
                     : std::max<int64_t>(extent, 1) - 1;
  unsigned width = IndexType::kInternalStorageBitWidth;
  return ConstantIntRanges::fromSigned(APInt(width, 0), APInt(width, last));
}

bool carousel::isInside(Value index, int64_t extent) {
  IntegerValueRange range = IndexRanges(findLoopRange).get(index);
  return !ShapedType::isDynamic(extent) && !range.isUninitialized() &&
         range.getValue().umax().ult(extent);
}

bool carousel::readsInit(linalg::LinalgOp op, unsigned init) {
  return !op.getBlock()->getArgument(op.getNumDpsInputs() + init).use_empty();
}

/// Whether it only pads images that convolutions and pools read.
static bool isOnlyPad(Operation *op) {
  return isa<tensor::InsertSliceOp>(op) &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           return readsInsidePad(user, op);
         });
}

bool carousel::isStart(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto structured = dyn_cast<linalg::LinalgOp>(user))
    return structured.isDpsInit(&use);
  auto pad = dyn_cast<tensor::InsertSliceOp>(user);
  return pad && &use == &pad.getDestMutable() && isOnlyPad(pad);
}

bool carousel::isOnlyStart(Operation *op) {
  return op->getNumResults() == 1 && findFill(op->getResult(0)) &&
         llvm::all_of(op->getResult(0).getUses(), isStart);
}

/// Instructions of an element, roughly.
static int64_t countWork(linalg::LinalgOp op) {
  constexpr int64_t kLoop = 64; // of as many iterations as data says
  if (matchPagedRows(op))
    return 1; // an address of whole pages
  int64_t work = 0;
  op.getBlock()->walk([&](Operation *inner) {
    if (isa<math::MathDialect>(inner->getDialect()))
      work += 8;
    else if (isa<scf::ForOp>(inner))
      work += kLoop;
    else if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                 arith::RemUIOp>(inner))
      work += 4;
    else if (!inner->hasTrait<OpTrait::IsTerminator>())
      work += 1;
  });
  return work;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Slices of slices are few; of more than these, the gaps of the last ones are
/// known.
static constexpr unsigned kMostSlices = 32;

/// The gaps of a slice of a tensor with gaps of its own.
static SmallVector<bool> findGaps(tensor::ExtractSliceOp slice,
                                  ArrayRef<bool> sourceGaps) {
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes(),
                            strides = slice.getMixedStrides();
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<bool> gaps;
  std::optional<unsigned> outer;
  bool isGap = false; ///< behind the outer dimension
  for (unsigned dim = 0; dim != sizes.size(); ++dim) {
    isGap |= outer && !isWholeDim(slice, slice.getSource(), dim);
    if (!dropped.test(dim)) {
      // The step doesn't matter to a dimension of one element.
      if (outer)
        gaps.push_back(isGap && !isOneInteger(sizes[*outer]));
      outer = dim;
      isGap = !isOneInteger(strides[dim]);
    }
    isGap |= !sourceGaps.empty() && sourceGaps[dim];
  }
  gaps.push_back(false);
  if (!llvm::is_contained(gaps, true))
    gaps.clear();
  return gaps;
}

/// The slices that a tensor is, or is put in, the outermost one first.
static SmallVector<tensor::ExtractSliceOp> collectSlices(Value tensor) {
  SmallVector<tensor::ExtractSliceOp> slices;
  while (slices.size() != kMostSlices) {
    Operation *op = tensor.getDefiningOp();
    if (auto cast = dyn_cast_or_null<tensor::CastOp>(op)) {
      tensor = cast.getSource();
    } else if (auto put =
                   dyn_cast_or_null<bufferization::MaterializeInDestinationOp>(
                       op)) {
      tensor = put.getDest();
    } else if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op)) {
      slices.push_back(slice);
      tensor = slice.getSource();
    } else {
      break;
    }
  }
  std::reverse(slices.begin(), slices.end());
  return slices;
}

SmallVector<bool> carousel::findGaps(Value tensor) {
  SmallVector<bool> gaps;
  for (tensor::ExtractSliceOp slice : collectSlices(tensor))
    gaps = ::findGaps(slice, gaps);
  return gaps;
}

int64_t carousel::findRowAlignment(Value tensor) {
  SmallVector<tensor::ExtractSliceOp> slices = collectSlices(tensor);
  if (slices.empty() || !getElementTypeOrSelf(tensor.getType()).isIntOrFloat())
    return 0;
  int64_t bytes = llvm::divideCeil(
      getElementTypeOrSelf(tensor.getType()).getIntOrFloatBitWidth(), 8);
  // Strides and offsets that the launch says are taken for multiples.
  SmallVector<int64_t> strides;
  for (int64_t extent :
       llvm::reverse(slices.front().getSourceType().getShape())) {
    strides.push_back(bytes);
    bytes *= ShapedType::isDynamic(extent) ? kAssumedExtent : extent;
  }
  std::reverse(strides.begin(), strides.end());
  int64_t alignment = 16;
  for (tensor::ExtractSliceOp slice : slices) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<int64_t> kept;
    for (auto [dim, stride] : llvm::enumerate(strides)) {
      if (auto offset = getConstantIntValue(slice.getMixedOffsets()[dim]))
        alignment = std::gcd(alignment, *offset * stride);
      if (!dropped.test(dim))
        kept.push_back(
            stride *
            getConstantIntValue(slice.getMixedStrides()[dim]).value_or(1));
    }
    strides = std::move(kept);
  }
  // A single element has no rows.
  if (!strides.empty())
    strides.pop_back();
  for (int64_t stride : strides)
    alignment = std::gcd(alignment, stride);
  return alignment;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Whether the op multiplies matrices: both factors have dimensions of the
/// result that the other one lacks.
static bool isProduct(linalg::LinalgOp op) {
  if (!isContraction(op))
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  // A result may have a loop that is called reduced. Its sums have one term.
  if (failed(dims) || dims->m.empty() || dims->n.empty() || dims->k.empty())
    return false;
  // A loop along which one factor alone is summed isn't a depth.
  AffineMap result = op.getIndexingMapsArray().back();
  return llvm::all_of(llvm::seq(op.getNumLoops()), [&](unsigned loop) {
    return result.isFunctionOfDim(loop) || llvm::is_contained(dims->k, loop);
  });
}

namespace {

class GraphReader {
public:
  explicit GraphReader(Block &block) : block(block) {}

  Graph run() {
    for (Value argument : block.getArguments())
      number(argument);
    for (Operation &op : block) {
      auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
      if (op.hasTrait<OpTrait::IsTerminator>()) {
        for (Value result : op.getOperands())
          if (isTensor(result.getType()))
            graph.problem.tensors[number(result)].escapes = true;
        continue;
      }
      if (isa<tensor::EmptyOp, tensor::DimOp>(op) || isOnlyStart(&op) ||
          isOnlyPad(&op) ||
          (llvm::none_of(op.getOperandTypes(), isTensor) &&
           llvm::none_of(op.getResultTypes(), isTensor)))
        continue;
      auto structured = dyn_cast<linalg::LinalgOp>(op);
      graph.ops.push_back(&op);
      // Fills that aren't what an op starts from are steps of a program.
      bool isHost = !structured || isa<linalg::FillOp>(op);
      graph.problem.addOp(isHost ? readHost(&op) : readStructured(structured));
      if (isHost)
        continue;
      if (std::optional<unsigned> first = findEqual(&op)) {
        graph.problem.ops.back().copyOf = first;
        for (auto [copy, original] :
             llvm::zip_equal(op.getResults(), graph.ops[*first]->getResults()))
          firstOf[copy] = original;
      }
    }
    return std::move(graph);
  }

private:
  unsigned number(Value tensor) {
    auto [known, isNew] =
        graph.tensorIndices.try_emplace(tensor, graph.tensors.size());
    if (!isNew)
      return known->second;
    graph.tensors.push_back(tensor);
    GraphTensor info;
    info.gaps = findGaps(tensor);
    info.rowAlignment = findRowAlignment(tensor);
    if (auto type = dyn_cast<RankedTensorType>(tensor.getType())) {
      for (int64_t extent : type.getShape())
        info.extents.push_back(ShapedType::isDynamic(extent) ? kUnknownExtent
                                                             : extent);
      Type element = type.getElementType();
      info.isF16 = element.isF16();
      if (element.isIntOrFloat())
        info.elementBytes =
            llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
      else
        info.elementBytes = 8;
    }
    graph.problem.tensors.push_back(info);
    return known->second;
  }

  /// Cheap ops have copies for each of their users (FusedOps.h), which may read
  /// copies.
  std::optional<unsigned> findEqual(Operation *op) const {
    auto findFirst = [&](Value value) {
      Value first = firstOf.lookup(value);
      return first ? first : value;
    };
    llvm::DenseMap<Value, Value> pairs; // of the two bodies
    auto areEqual = [&](Value a, Value b) {
      return success(findFirst(a) == findFirst(b) || pairs.lookup(a) == b);
    };
    auto notePair = [&](Value a, Value b) { pairs[a] = b; };
    // Numbers tell copies apart.
    auto getAttrs = [](Operation *op) {
      NamedAttrList attrs(op->getDiscardableAttrDictionary());
      attrs.erase(kRecomputedAttr);
      return attrs.getDictionary(op->getContext());
    };
    DictionaryAttr own = getAttrs(op);
    for (auto [number, other] : llvm::enumerate(graph.ops))
      if (other != op && !graph.problem.ops[number].copyOf &&
          op->getName() == other->getName() && own == getAttrs(other) &&
          OperationEquivalence::isEquivalentTo(
              op, other, areEqual, notePair,
              OperationEquivalence::IgnoreLocations |
                  OperationEquivalence::IgnoreDiscardableAttrs))
        return number;
    return std::nullopt;
  }

  /// Names the op by its kind and its place in the source, as people would say
  /// it. Without a place, a number tells ops apart; so does one where several
  /// come from the same line.
  std::string name(Operation *op, StringRef kind) {
    std::string place = formatSourceLine(op->getLoc());
    if (place.empty())
      return (kind + " " + Twine(graph.problem.ops.size())).str();
    std::string text = (kind + " at " + place).str();
    unsigned count = ++names[text];
    return count == 1 ? text : text + " #" + std::to_string(count);
  }

  /// Describes the work of a structured op.
  static StringRef describe(linalg::LinalgOp op, GraphOpKind kind) {
    using Kind = vector::CombiningKind;
    switch (kind) {
    case GraphOpKind::Elementwise:
      return "elementwise";
    case GraphOpKind::Contraction:
      return "matmul";
    case GraphOpKind::Convolution:
    case GraphOpKind::Stencil:
      return "convolution";
    default:
      break;
    }
    std::optional<Combination> combination = findCombination(op);
    if (!combination)
      return "loops";
    switch (combination->kind) {
    case Kind::ADD:
      return "sum";
    case Kind::MAXIMUMF:
    case Kind::MAXNUMF:
    case Kind::MAXSI:
    case Kind::MAXUI:
      return "maximum";
    case Kind::MINIMUMF:
    case Kind::MINNUMF:
    case Kind::MINSI:
    case Kind::MINUI:
      return "minimum";
    default:
      return "reduction";
    }
  }

  GraphOp readHost(Operation *op) {
    GraphOp node;
    node.name = name(
        op, isa<LibraryMatmulOp>(op) ? "matmul" : op->getName().stripDialect());
    node.kind = GraphOpKind::Host;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        node.reads.push_back({number(operand), {}});
    for (Value result : op->getResults())
      if (isa<RankedTensorType>(result.getType()))
        node.writes.push_back({number(result), {}});
    return node;
  }

  GraphAccess readAccess(Value tensor, AffineMap map) {
    GraphAccess access;
    access.tensor = number(tensor);
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      access.loops.push_back(dim ? std::optional<unsigned>(dim.getPosition())
                                 : std::nullopt);
    }
    return access;
  }

  GraphOp readStructured(linalg::LinalgOp op) {
    GraphOp node;
    node.work = countWork(op);
    op.getBlock()->walk([&](scf::ForOp) { node.hasDataLoop = true; });
    for (auto [iterator, extent] :
         llvm::zip_equal(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
      node.loops.push_back(
          {ShapedType::isDynamic(extent) ? kUnknownExtent : extent,
           iterator == utils::IteratorType::reduction});
    op.getBlock()->walk([&](linalg::IndexOp index) {
      node.loops[index.getDim()].usesIndex = true;
    });
    for (OpOperand *input : op.getDpsInputOperands())
      if (isa<RankedTensorType>(input->get().getType())) {
        GraphAccess &read = node.reads.emplace_back(
            readAccess(input->get(), op.getMatchingIndexingMap(input)));
        findOperandChanges(op, input, read);
      }
    node.combiner = findCombiner(op);
    node.results = op.getNumDpsInits();
    op.getBlock()->walk([&](RoundTF32Op) { node.roundsFactors = true; });
    TypedAttr start = findFill(op.getDpsInits()[0]);
    node.startsAtZero = start && (matchPattern(start, m_AnyZeroFloat()) ||
                                  matchPattern(start, m_Zero()));
    readBody(op, node);
    bool isIrregular = false;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      AffineMap map = op.getMatchingIndexingMap(&init);
      unsigned position =
          init.getOperandNumber() - op.getDpsInitOperand(0)->getOperandNumber();
      if (readsInit(op, position) && !findFill(init.get()))
        node.reads.push_back(readAccess(init.get(), map));
      OpResult result = op.getTiedOpResult(&init);
      if (result.use_empty())
        continue;
      node.writes.push_back(readAccess(result, map));
    }
    if (std::optional<ConvolutionImage> found =
            findConvolution(op, node.refusal)) {
      unsigned image = number(found->image);
      node.reads.front() = std::move(found->access);
      node.reads.front().tensor = image;
      node.kind = found->kind;
      if (node.isProduct())
        node.unit = findProductUnit(op);
      node.name =
          name(op, describe(op, hasWindows(op) ? node.kind
                                               : GraphOpKind::Reduction));
      return node;
    }
    for (ArrayRef<GraphAccess> accesses :
         {ArrayRef(node.reads), ArrayRef(node.writes)})
      for (const GraphAccess &access : accesses)
        isIrregular |= !access.isGather && !access.isRegular();
    if (std::optional<Sort> sort = findSort(op)) {
      // A network of p (p + 1) / 2 comparisons of 2^p elements.
      constexpr int64_t kComparison = 3;
      int64_t phases = llvm::Log2_64_Ceil(
          std::max<int64_t>(op.getStaticLoopRanges()[sort->reduced], 1));
      node.work += kComparison * phases * (phases + 1) / 2;
      node.places = sort->places;
      node.kind = GraphOpKind::Sort;
      node.name = name(op, "sort");
      return node;
    }
    if (std::optional<Scan> scan = findScan(op)) {
      // An element takes several steps: docs/BlockPhase.md, Scans.
      constexpr int64_t kSteps = 4;
      node.loops[scan->loop].isReduction = false;
      node.loops[scan->loop].isScanned = true;
      node.work += kSteps * int64_t(scan->carried.size());
      node.kind = GraphOpKind::Scan;
      node.name = name(op, "scan");
      return node;
    }
    node.kind = isIrregular        ? GraphOpKind::Irregular
                : !node.reduces()  ? GraphOpKind::Elementwise
                : !isReducible(op) ? GraphOpKind::Irregular
                : isProduct(op)    ? GraphOpKind::Contraction
                                   : GraphOpKind::Reduction;
    if (node.isProduct())
      node.unit = findProductUnit(op);
    if (std::optional<RowUpdate> update = findRowUpdate(op))
      node.update = {update->loop, update->count};
    node.name = name(op, describe(op, node.kind));
    return node;
  }

  static GraphCombiner findCombiner(linalg::LinalgOp op) {
    using Kind = vector::CombiningKind;
    std::optional<Combination> combination = findCombination(op);
    if (!combination || op.getNumReductionLoops() == 0)
      return GraphCombiner::None;
    switch (combination->kind) {
    case Kind::ADD:
      return GraphCombiner::Sum;
    case Kind::MAXIMUMF:
    case Kind::MAXNUMF:
      return GraphCombiner::Maximum;
    case Kind::MINIMUMF:
    case Kind::MINNUMF:
      return GraphCombiner::Minimum;
    default:
      return GraphCombiner::Other;
    }
  }

  static bool isReducible(linalg::LinalgOp op) {
    return findCombination(op).has_value();
  }

  /// The tensor that names the rows which are extracted.
  std::optional<unsigned> findTable(linalg::LinalgOp op,
                                    tensor::ExtractOp extract) {
    if (std::optional<PagedRows> pages = findPagedRows(extract))
      return number(pages->page.getTensor());
    if (extract.getIndices().size() != 2 ||
        !extract.getIndices()[1].getDefiningOp<linalg::IndexOp>())
      return std::nullopt;
    auto number = extract.getIndices()[0].getDefiningOp<arith::IndexCastOp>();
    auto argument =
        number ? dyn_cast<BlockArgument>(number.getIn()) : BlockArgument();
    if (!argument || argument.getOwner() != op.getBlock())
      return std::nullopt;
    Value table = op.getMatchingOpOperand(argument)->get();
    return isa<RankedTensorType>(table.getType())
               ? std::optional(this->number(table))
               : std::nullopt;
  }

  /// Reads the accesses to tensors that the body makes by itself.
  void readBody(linalg::LinalgOp op, GraphOp &node) {
    op.getBlock()->walk([&](tensor::ExtractOp extract) {
      GraphAccess access;
      access.tensor = number(extract.getTensor());
      access.loops.assign(extract.getIndices().size(), std::nullopt);
      access.isGather = !extract.getIndices().empty();
      access.table = findTable(op, extract);
      node.reads.push_back(access);
    });
  }

  Block &block;
  Graph graph;
  llvm::DenseMap<Value, Value> firstOf; ///< of what copies compute
  llvm::StringMap<unsigned> names;      ///< of ops; how many have each
};

} // namespace

Graph carousel::readGraph(Operation *holder) {
  Graph graph = GraphReader(holder->getRegion(0).front()).run();
  if (std::optional<ChipModel> chip = findChipModel(holder))
    graph.problem.chip = *chip;
  graph.problem.clusterSize = findClusterSizeOfAll(holder);
  return graph;
}

//===----------------------------------------------------------------------===//
// Factors of products
//===----------------------------------------------------------------------===//

/// The ops between an argument of the body and a factor, outermost last.
static SmallVector<Operation *> findCasts(Value factor) {
  SmallVector<Operation *> casts;
  while (Operation *cast = factor.getDefiningOp()) {
    casts.push_back(cast);
    factor = cast->getOperand(0);
  }
  return llvm::to_vector(llvm::reverse(casts));
}

static bool keepsZero(Operation *op) {
  return isa<CastOpInterface, RoundTF32Op>(op);
}

/// Whether products have a factor's only conversion themselves: products of
/// integers have signs.
static bool isPartOfProduct(ArrayRef<Operation *> casts) {
  return casts.size() == 1 && isa<arith::ExtFOp, arith::ExtSIOp>(casts[0]);
}

bool carousel::isBit(const ProductFactor &factor) {
  return factor.casts.size() == 1 && isa<arith::ExtUIOp>(factor.casts[0]) &&
         factor.casts[0]->getOperand(0).getType().isInteger(1);
}

std::array<ProductFactor, 2> carousel::findFactors(linalg::LinalgOp op) {
  std::array<ProductFactor, 2> factors;
  for (Value value :
       findCombination(op)->element.getDefiningOp()->getOperands()) {
    SmallVector<Operation *> casts = findCasts(value);
    auto argument =
        cast<BlockArgument>(casts.empty() ? value : casts[0]->getOperand(0));
    factors[argument.getArgNumber()] = {op.getMatchingOpOperand(argument),
                                        value.getType(), casts,
                                        llvm::all_of(casts, keepsZero)};
  }
  auto getNarrow = [](const ProductFactor &factor) -> Type {
    Type element = getElementTypeOrSelf(factor.input->get());
    return isBit(factor) ? IntegerType::get(element.getContext(), 8) : element;
  };
  if (getNarrow(factors[0]) == getNarrow(factors[1]) &&
      llvm::all_of(factors, [](const ProductFactor &factor) {
        return isPartOfProduct(factor.casts) || isBit(factor);
      }))
    for (ProductFactor &factor : factors) {
      factor.type = getNarrow(factor);
      if (!isBit(factor))
        factor.casts.clear();
    }
  return factors;
}

ProductUnit carousel::findProductUnit(linalg::LinalgOp op) {
  std::array<ProductFactor, 2> factors = findFactors(op);
  Type left = factors[0].type, right = factors[1].type;
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0]);
  // Warpgroups multiply 8-bit floats, and instructions of other chips what they
  // are extended to.
  bool isFloat8 = isa<Float8E4M3FNType, Float8E5M2Type>(left) &&
                  isa<Float8E4M3FNType, Float8E5M2Type>(right);
  constexpr unsigned kBits = 5; // of a tile's extents
  bool isAdded = findCombination(op)->kind == vector::CombiningKind::ADD;
  if (isAdded &&
      (isFloat8 ? sum.isF32()
                : left == right &&
                      hasMatrixInstructions({kBits, kBits, kBits}, left, sum,
                                            /*isRounded=*/false)))
    return ProductUnit::TensorCores;
  return isAdded && left.isF32() && right.isF32() && sum.isF32()
             ? ProductUnit::RoundingCores
             : ProductUnit::Threads;
}
