//===- OnlineMasks.cpp - tiles of online reductions that masks exclude ----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OnlineMasks.h.
//
//===----------------------------------------------------------------------===//

#include "OnlineMasks.h"

#include "../../Block/Kernels/ExtremumRows.h"
#include "../Reading/ReadConvolution.h"
#include "RowCorrections.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// The least that scores are, but for those that a mask leaves.
static constexpr double kLeastScore = -0x1p29;

bool carousel::excludes(Value value) {
  APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) && !number.isNaN() &&
         number.convertToDouble() <= kLeastScore;
}

/// Whether an op's body has a number that may exclude elements beside \p own.
static bool hasHugeValue(linalg::LinalgOp op, Value own, double huge) {
  bool hasOne = false;
  op.getBlock()->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      APFloat number(0.0);
      hasOne |= operand != own &&
                matchPattern(operand, m_ConstantFloat(&number)) &&
                !(std::abs(number.convertToDouble()) < huge);
    }
  });
  return hasOne;
}

bool carousel::isOfProduct(linalg::LinalgOp op, Value own, double huge) {
  llvm::SetVector<Operation *> ops;
  ops.insert(op);
  for (unsigned i = 0; i < ops.size(); ++i) {
    auto source = cast<linalg::LinalgOp>(ops[i]);
    if (isContraction(source))
      continue;
    if (source.getNumReductionLoops() != 0 ||
        hasHugeValue(source, i == 0 ? own : Value(), huge))
      return false;
    for (OpOperand *input : source.getDpsInputOperands()) {
      if (!isa<FloatType>(getElementTypeOrSelf(input->get())))
        continue;
      if (!input->get().getDefiningOp<linalg::LinalgOp>())
        return false;
      ops.insert(input->get().getDefiningOp());
    }
  }
  return true;
}

/// A choice between an element and one that is never the largest, also as what
/// is added to it.
static bool readMask(linalg::LinalgOp op, OnlineMask &mask) {
  Value result = skipRoundings(op.getBlock()->getTerminator()->getOperand(0));
  auto choice = result.getDefiningOp<arith::SelectOp>();
  Value added;
  if (auto sum = result.getDefiningOp<arith::AddFOp>())
    for (unsigned own : {0, 1})
      if (auto found = sum->getOperand(own).getDefiningOp<arith::SelectOp>()) {
        choice = found;
        added = sum->getOperand(1 - own);
      }
  if (!choice)
    return false;
  for (bool holds : {true, false}) {
    Value kept = holds ? choice.getTrueValue() : choice.getFalseValue();
    Value other = holds ? choice.getFalseValue() : choice.getTrueValue();
    if (!excludes(other) || (added && !matchPattern(kept, m_AnyZeroFloat())))
      continue;
    mask.kept = added ? added : kept;
    mask.isFinite = !matchPattern(other, m_NegInfFloat());
    static_cast<IndexCondition &>(mask) =
        readCondition(op, choice.getCondition(), holds);
    return true;
  }
  return false;
}

/// Whether a body compares its argument with minus infinity, as what finds rows
/// without any other element does.
static bool isComparedWithNever(Value element, Value argument) {
  auto compare = element.getDefiningOp<arith::CmpFOp>();
  return compare && compare.getPredicate() == arith::CmpFPredicate::OEQ &&
         skipRoundings(compare.getLhs()) == argument &&
         matchPattern(compare.getRhs(), m_NegInfFloat());
}

Operation *carousel::findExponential(Operation *user, Value argument) {
  auto difference = dyn_cast<arith::SubFOp>(user);
  if (!difference || skipRoundings(difference.getLhs()) != argument)
    return nullptr;
  Operation *next = difference;
  do {
    if (!next->hasOneUse())
      return nullptr;
    next = *next->user_begin();
  } while (isa<arith::ExtFOp, arith::TruncFOp>(next));
  bool isExponential = isa<math::ExpOp, math::Exp2Op>(next) &&
                       !next->getResult(0).getType().isF64();
  return isExponential ? next : nullptr;
}

/// Whether the row that a difference is from is one that the online reduction
/// corrects.
static bool hasCorrectedRow(const GroupProgram &program,
                            linalg::LinalgOp reader, Value row) {
  auto isOfBody = [&](Value source) {
    return source.getParentBlock() == reader.getBlock();
  };
  return isComputedOf(row, isOfBody, [&](Value source) {
    auto argument = dyn_cast<BlockArgument>(source);
    if (!argument || !isOfBody(argument))
      return false;
    const OnlineReference *reference =
        findReference(program.graph, *program.shape.stream,
                      reader.getMatchingOpOperand(argument)->get());
    return reference && reference->kind == ChangeKind::Shift;
  });
}

static bool isOfTiles(const GroupProgram &program, unsigned op) {
  OnlineRole role = program.shape.stream->roles[op];
  return role == OnlineRole::Tile || role == OnlineRole::Inner;
}

/// The row that a difference is from, if it is in memory: gradients have what
/// the forward pass has found. Null for others.
static OpOperand *findKnownRow(const GroupProgram &program,
                               linalg::LinalgOp reader, Value row) {
  auto argument = dyn_cast<BlockArgument>(skipRoundings(row));
  if (!argument || argument.getOwner() != reader.getBlock())
    return nullptr;
  OpOperand *operand = reader.getMatchingOpOperand(argument);
  std::optional<unsigned> writer = program.graph.findWriter(operand->get());
  bool isKnown =
      !writer || program.shape.stream->roles[*writer] == OnlineRole::Before;
  return reader.isDpsInput(operand) && isKnown ? operand : nullptr;
}

/// Whether what an op computes is zero where values that are in a set are.
static bool isZeroOf(Operation *op, const llvm::DenseSet<Value> &zeros) {
  auto isZero = [&](unsigned operand) {
    return zeros.contains(op->getOperand(operand)) ||
           matchPattern(op->getOperand(operand), m_AnyZeroFloat());
  };
  if (isa<arith::MulFOp>(op))
    return isZero(0) || isZero(1);
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return isZero(0) && isZero(1);
  if (isa<arith::SelectOp>(op))
    return isZero(1) && isZero(2);
  return isa<arith::DivFOp, arith::NegFOp, arith::ExtFOp, arith::TruncFOp>(
             op) &&
         isZero(0);
}

/// Whether all sums of an online reduction are of products with a value of an
/// op's body: where it is zero, it adds nothing.
static bool isFactorOfSums(const GroupProgram &program, unsigned op,
                           Value value) {
  llvm::DenseSet<Value> zeros = {value};
  for (unsigned at : program.group.ops) {
    OnlineRole role = program.shape.stream->roles[at];
    if (at < op || (role != OnlineRole::Tile && role != OnlineRole::Sum))
      continue;
    auto structured = cast<linalg::LinalgOp>(program.graph.ops[at]);
    for (OpOperand *input : structured.getDpsInputOperands())
      if (zeros.contains(input->get()))
        zeros.insert(structured.getMatchingBlockArgument(input));
    for (Operation &inner : structured.getBlock()->without_terminator())
      if (inner.getNumResults() == 1 && isZeroOf(&inner, zeros))
        zeros.insert(inner.getResult(0));
    if (role == OnlineRole::Sum) {
      std::optional<Combination> combination = findCombination(structured);
      if (combination->kind != vector::CombiningKind::ADD ||
          !zeros.contains(combination->element))
        return false;
      continue;
    }
    Operation *end = structured.getBlock()->getTerminator();
    for (auto [result, element] :
         llvm::zip_equal(structured->getResults(), end->getOperands()))
      if (zeros.contains(element))
        zeros.insert(result);
  }
  return true;
}

/// Whether an element of the op's result that is minus infinity, or finite and
/// never the largest, adds nothing: it goes to maxima, and to exponentials of
/// differences from rows. Those that are corrected are factors of all sums; so
/// have to be those of rows in memory, which \p knownRows gets. Null: there are
/// none.
static bool addsNothing(const GroupProgram &program, unsigned op,
                        SmallVectorImpl<OpOperand *> *knownRows = nullptr) {
  Value tensor = program.graph.ops[op]->getResult(0);
  const OnlineReduction &stream = *program.shape.stream;
  auto isOfExponential = [&](unsigned reader, Operation *user, Value argument) {
    auto structured = cast<linalg::LinalgOp>(program.graph.ops[reader]);
    Operation *exponential = findExponential(user, argument);
    if (!exponential)
      return false;
    Value row = user->getOperand(1);
    if (hasCorrectedRow(program, structured, row))
      return true;
    OpOperand *known = findKnownRow(program, structured, row);
    if (!known || !knownRows ||
        !isFactorOfSums(program, reader, exponential->getResult(0)))
      return false;
    knownRows->push_back(known);
    return true;
  };
  return llvm::all_of(program.group.ops, [&](unsigned reader) {
    if (!llvm::is_contained(program.graph.ops[reader]->getOperands(), tensor))
      return true;
    auto structured = cast<linalg::LinalgOp>(program.graph.ops[reader]);
    for (OpOperand *input : structured.getDpsInputOperands()) {
      if (input->get() != tensor)
        continue;
      BlockArgument argument = structured.getMatchingBlockArgument(input);
      if (stream.roles[reader] == OnlineRole::Sum) {
        using Kind = vector::CombiningKind;
        std::optional<Combination> combination = findCombination(structured);
        bool isMaximum = combination->kind == Kind::MAXIMUMF ||
                         combination->kind == Kind::MAXNUMF;
        if (combination->kind != Kind::ADD &&
            !(isMaximum && skipRoundings(combination->element) == argument) &&
            !(combination->kind == Kind::AND &&
              isComparedWithNever(combination->element, argument)))
          return false;
        if (combination->kind != Kind::ADD)
          continue;
      }
      for (Operation *user : argument.getUsers()) {
        while (isa<arith::ExtFOp, arith::TruncFOp>(user) && user->hasOneUse())
          user = *user->user_begin();
        if (!isOfExponential(reader, user, argument))
          return false;
      }
    }
    return true;
  });
}

/// The ops of tiles that another one is computed of, and that one.
static llvm::SmallBitVector findTileSources(const GroupProgram &program,
                                            unsigned of) {
  llvm::SmallBitVector sources(program.group.ops.size());
  sources.set(of);
  for (unsigned op : llvm::reverse(program.group.ops))
    if (sources.test(op))
      for (Value operand : program.graph.ops[op]->getOperands())
        if (auto writer = program.graph.findWriter(operand);
            writer && isOfTiles(program, *writer))
          sources.set(*writer);
  return sources;
}

unsigned carousel::countHugeSources(const GroupProgram &program, unsigned of) {
  llvm::SmallBitVector sources = findTileSources(program, of);
  unsigned count = 0;
  for (unsigned op : program.group.ops) {
    if (program.shape.stream->roles[op] != OnlineRole::Tile ||
        !sources.test(op))
      continue;
    auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
    for (OpOperand *input : structured.getDpsInputOperands()) {
      if (!program.graph.findTensor(input->get()) ||
          !isa<FloatType>(getElementTypeOrSelf(input->get())))
        continue;
      // Others are bounded by what products and sums are.
      std::optional<unsigned> writer = program.graph.findWriter(input->get());
      count +=
          !writer || program.shape.stream->roles[*writer] == OnlineRole::Before;
    }
    SmallVector<Value> constants;
    structured.getBlock()->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        APFloat number(0.0);
        bool isHuge = matchPattern(operand, m_ConstantFloat(&number)) &&
                      number.isFinite() &&
                      std::abs(number.convertToDouble()) >= -kLeastScore;
        if (isHuge && !llvm::is_contained(constants, operand))
          constants.push_back(operand);
      }
    });
    count += constants.size();
  }
  return count;
}

/// Whether each sum of the online reduction needs the op's result, and nothing
/// that it is computed of: so what adds nothing there adds nothing at all.
static bool isNeededByAll(const GroupProgram &program, unsigned mask) {
  const OnlineReduction &stream = *program.shape.stream;
  llvm::SmallBitVector before = findTileSources(program, mask),
                       after(program.group.ops.size());
  after.set(mask);
  for (unsigned op : program.group.ops) {
    if (before.test(op))
      continue;
    bool isAfter = false;
    for (Value operand : program.graph.ops[op]->getOperands()) {
      std::optional<unsigned> writer = program.graph.findWriter(operand);
      if (!writer || !isOfTiles(program, *writer))
        continue;
      isAfter |= after.test(*writer);
      if (before.test(*writer) && *writer != mask)
        return false;
    }
    if (isAfter && isOfTiles(program, op))
      after.set(op);
    if (stream.roles[op] == OnlineRole::Sum && !isAfter)
      return false;
  }
  return true;
}

/// Whether a value of a body is the same for all elements of a tile: it follows
/// from elements of tensors at numbers of tiles. Or for all that a program has,
/// without those of the online reduction's dimension.
static bool isFixed(const GroupProgram &program, unsigned op, Value value,
                    bool hasTiles) {
  Block *body = cast<linalg::LinalgOp>(program.graph.ops[op]).getBlock();
  SmallVector<unsigned> positions = getPositions(program, op);
  unsigned stream = program.schedule.find(program.shape.stream->dim);
  auto getTile = [&](linalg::IndexOp index) {
    return program.schedule.dims[positions[index.getDim()]].tile;
  };
  auto mayGoAlong = [&](linalg::IndexOp index) {
    return hasTiles || positions[index.getDim()] != stream;
  };
  auto isIndexOfTile = [&](Operation *source) {
    auto quotient = dyn_cast<arith::DivUIOp>(source);
    auto index = quotient ? quotient.getLhs().getDefiningOp<linalg::IndexOp>()
                          : linalg::IndexOp();
    APInt divisor;
    return index && matchPattern(quotient.getRhs(), m_ConstantInt(&divisor)) &&
           divisor.isStrictlyPositive() && mayGoAlong(index) &&
           divisor.getSExtValue() % getTile(index) == 0;
  };
  auto isOfBody = [&](Value inner) {
    return inner.getParentBlock() == body && inner.getDefiningOp() &&
           !isIndexOfTile(inner.getDefiningOp());
  };
  // Elements of tensors that vectors have several of.
  auto hasSeveral = [&](BlockArgument argument) {
    auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
    OpOperand *operand = structured.getMatchingOpOperand(argument);
    AffineMap map = structured.getMatchingIndexingMap(operand);
    return !structured.isDpsInput(operand) ||
           llvm::any_of(llvm::enumerate(positions), [&](auto loop) {
             return map.isFunctionOfDim(loop.index()) &&
                    (loop.value() == stream ||
                     program.schedule.dims[loop.value()].tile != 1);
           });
  };
  return !isComputedOf(value, isOfBody, [&](Value inner) {
    if (auto argument = dyn_cast<BlockArgument>(inner);
        argument && argument.getOwner() == body)
      return hasSeveral(argument);
    if (!isOfBody(inner))
      return isa<BlockArgument>(inner) && !isa<TensorType>(inner.getType());
    Operation *source = inner.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(source))
      return getTile(index) != 1 || !mayGoAlong(index);
    return source->getNumRegions() != 0 ||
           (!isa<tensor::ExtractOp>(source) &&
            llvm::any_of(source->getOperandTypes(), llvm::IsaPred<TensorType>));
  });
}

/// The sum of the coefficients that a bound has of loops along a dimension of
/// the schedule.
static int64_t getCoefficient(const GroupProgram &program, unsigned op,
                              const IndexBound &bound, unsigned position) {
  int64_t sum = 0;
  for (auto [loop, at] : llvm::enumerate(getPositions(program, op)))
    if (at == position)
      sum += bound.coefficients[loop];
  return sum;
}

/// The dimensions of a mask's rows, and of the elements of one, of those of the
/// schedule.
static std::pair<unsigned, unsigned>
findMaskPositions(const GroupProgram &program, const OnlineMask &mask) {
  unsigned rows = findRowsPosition(program),
           elements = program.schedule.find(program.shape.stream->dim);
  return mask.hasRowsAlong ? std::pair(elements, rows)
                           : std::pair(rows, elements);
}

/// Whether a mask keeps the first element of each row, or with \p isOwn that
/// with the number of the row.
static bool isKept(const GroupProgram &program, const OnlineMask &mask,
                   bool isOwn) {
  auto [rows, elements] = findMaskPositions(program, mask);
  return llvm::all_of(mask.bounds, [&, rows = rows, elements = elements](
                                       const IndexBound &bound) {
    int64_t own = getCoefficient(program, mask.op, bound, elements);
    // The kernel compares these numbers (BoundWriter::hasElements).
    if (!bound.isOfIndices())
      return !isOwn && !mask.hasRowsAlong;
    for (unsigned at = 0; at != program.schedule.dims.size(); ++at)
      if (at != elements && getCoefficient(program, mask.op, bound, at) +
                                    (isOwn && at == rows ? own : 0) <
                                0)
        return false;
    return bound.constant >= 0;
  });
}

/// Whether each row has an element that the mask keeps, perhaps if the launch
/// has no more rows than elements.
static bool mayHaveElements(const GroupProgram &program,
                            const OnlineMask &mask) {
  if (!mask.isFinite)
    return true;
  // Elements that the mask keeps may be excluded by another number.
  if (!mask.isExact || mask.whole || countHugeSources(program, mask.op) != 1)
    return false;
  return isKept(program, mask, /*isOwn=*/false) ||
         isKept(program, mask, /*isOwn=*/true);
}

/// Whether rows in memory that tiles are subtracted from all have the dimension
/// of the online reduction, or none of them; nullopt if they have both.
static std::optional<bool> areAlong(const GroupProgram &program,
                                    ArrayRef<OpOperand *> knownRows) {
  unsigned position = program.schedule.find(program.shape.stream->dim),
           rows = findRowsPosition(program);
  std::optional<bool> found;
  for (OpOperand *row : knownRows) {
    auto op = cast<linalg::LinalgOp>(row->getOwner());
    unsigned number = llvm::find(program.graph.ops, op.getOperation()) -
                      program.graph.ops.begin();
    SmallVector<unsigned> positions = getPositions(program, number);
    AffineMap map = op.getMatchingIndexingMap(row);
    auto has = [&](unsigned dim) {
      return llvm::any_of(llvm::enumerate(positions), [&](auto loop) {
        return loop.value() == dim && map.isFunctionOfDim(loop.index());
      });
    };
    bool isAlong = has(position);
    if (has(rows) == isAlong || found.value_or(isAlong) != isAlong)
      return std::nullopt;
    found = isAlong;
  }
  return found.value_or(false);
}

SmallVector<OnlineMask>
carousel::findOnlineMasks(const GroupProgram &program,
                          SmallVectorImpl<std::string> *refusals) {
  SmallVector<OnlineMask> masks;
  const OnlineReduction &stream = *program.shape.stream;
  unsigned position = program.schedule.find(stream.dim);
  auto refuse = [&](unsigned op, StringRef reason) {
    if (refusals)
      refusals->push_back("'" + program.graph.problem.ops[op].name +
                          "': " + reason.str());
  };
  for (unsigned op : program.group.ops) {
    OnlineMask mask;
    mask.op = op;
    if (stream.roles[op] != OnlineRole::Tile ||
        !readMask(cast<linalg::LinalgOp>(program.graph.ops[op]), mask))
      continue;
    SmallVector<OpOperand *> knownRows;
    std::optional<bool> hasRowsAlong;
    if (addsNothing(program, op, &knownRows) && isNeededByAll(program, op))
      hasRowsAlong = areAlong(program, knownRows);
    if (!hasRowsAlong) {
      refuse(op, "a sum needs elements that it excludes");
      continue;
    }
    mask.hasRowsAlong = *hasRowsAlong;
    llvm::erase_if(mask.bounds, [&](const IndexBound &bound) {
      bool isBound =
          std::abs(getCoefficient(program, op, bound, position)) == 1 &&
          llvm::all_of(bound.numbers,
                       [&](const auto &number) {
                         return isFixed(program, op, number.first,
                                        /*hasTiles=*/false);
                       }) &&
          llvm::all_of(bound.wrapping, [&](Value number) {
            return isFixed(program, op, number, /*hasTiles=*/false);
          });
      mask.isExact &= isBound;
      return !isBound;
    });
    if (mask.whole && !isFixed(program, op, mask.whole, /*hasTiles=*/true))
      mask.isExact = false;
    if (mask.bounds.empty())
      refuse(op, "its condition doesn't bound the tiles of rows");
    else if (!mayHaveElements(program, mask))
      refuse(op, "a finite number excludes elements, and a row may have no "
                 "other");
    if (!mask.bounds.empty())
      masks.push_back(std::move(mask));
  }
  return masks;
}

//===----------------------------------------------------------------------===//
// Scaled tiles
//===----------------------------------------------------------------------===//

SmallVector<ScaledTile> carousel::findScaledTiles(const GroupProgram &program) {
  SmallVector<ScaledTile> tiles;
  for (unsigned op : program.group.ops) {
    // Exponentials of f64 are computed as they stand.
    SmallVector<OpOperand *> knownRows;
    if (program.shape.stream->roles[op] != OnlineRole::Tile ||
        getElementTypeOrSelf(program.graph.ops[op]->getResult(0)).isF64() ||
        countHugeSources(program, op) != 0 ||
        !addsNothing(program, op, &knownRows))
      continue;
    auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
    ScaledTile tile;
    tile.op = op;
    tile.product =
        skipRoundings(structured.getBlock()->getTerminator()->getOperand(0));
    if (auto choice = tile.product.getDefiningOp<arith::SelectOp>()) {
      bool isFirst = excludes(choice.getFalseValue());
      tile.other = isFirst ? choice.getFalseValue() : choice.getTrueValue();
      tile.product = skipRoundings(isFirst ? choice.getTrueValue()
                                           : choice.getFalseValue());
      if (!excludes(tile.other))
        continue;
    }
    auto product = tile.product.getDefiningOp<arith::MulFOp>();
    APFloat scale(0.0);
    if (!product || !product->hasOneUse() ||
        !matchPattern(product.getRhs(), m_ConstantFloat(&scale)) ||
        !(scale.convertToDouble() > 0 && scale.isFinite()))
      continue;
    tile.factor = product.getLhs();
    tile.scale = scale.convertToDouble();
    // The number of a mask stays finite, if it is.
    APFloat other(0.0);
    if (tile.other && matchPattern(tile.other, m_ConstantFloat(&other)) &&
        !other.isInfinity() &&
        -other.convertToDouble() >
            tile.scale * std::numeric_limits<float>::max())
      continue;
    tiles.push_back(tile);
  }
  return tiles;
}

//===----------------------------------------------------------------------===//
// The tiles that a program has
//===----------------------------------------------------------------------===//

unsigned carousel::findRowsPosition(const GroupProgram &program) {
  for (auto [position, dim] : llvm::enumerate(program.schedule.dims))
    if (dim.walk == DimWalk::Grid && dim.tile != 1)
      return position;
  llvm_unreachable("a stream has rows");
}

bool carousel::haveLaterRowsMore(const GroupProgram &program) {
  unsigned rows = findRowsPosition(program),
           position = program.schedule.find(program.shape.stream->dim);
  bool areMore = false;
  for (const OnlineMask &mask : findOnlineMasks(program))
    for (const IndexBound &bound : mask.bounds) {
      int64_t along = getCoefficient(program, mask.op, bound, position);
      int64_t ofRows = getCoefficient(program, mask.op, bound, rows);
      // A window has as many tiles of each row.
      if (along > 0 && ofRows != 0)
        return false;
      areMore |= along < 0 && ofRows > 0;
    }
  return areMore;
}

namespace {

/// Computes bounds of a program's rows.
class BoundWriter {
public:
  /// Without \p ops, bounds have no numbers in memory.
  BoundWriter(const GroupProgram &program, GroupVectors &vectors,
              OpWriter *ops = nullptr)
      : program(program), vectors(vectors), ops(ops), builder(vectors.builder),
        position(program.schedule.find(program.shape.stream->dim)) {}

  Value getIndex(int64_t value) {
    return arith::ConstantIndexOp::create(builder, vectors.loc, value);
  }
  template <typename Op> Value compute(Value lhs, Value rhs) {
    return builder.createOrFold<Op>(vectors.loc, lhs, rhs);
  }

  /// The largest or least value of a bound, with the dimension of tiles or
  /// without it. Null if the rows of a program have several.
  Value computeBound(const OnlineMask &mask, const IndexBound &bound,
                     bool isLargest, bool hasTiles) {
    Value sum = getIndex(bound.constant);
    for (unsigned at = 0; at != program.schedule.dims.size(); ++at) {
      int64_t factor = getCoefficient(program, mask.op, bound, at);
      if (factor == 0 || (at == position && !hasTiles))
        continue;
      bool isLast = (factor > 0) == isLargest;
      Value number = isLast ? getLast(at) : vectors.getBegin(at);
      sum = compute<arith::AddIOp>(
          sum, compute<arith::MulIOp>(number, getIndex(factor)));
    }
    for (auto [number, sign] : bound.numbers) {
      Value index = readNumber(mask, number);
      if (!index)
        return {};
      sum = compute<arith::AddIOp>(
          sum, compute<arith::MulIOp>(index, getIndex(sign)));
    }
    return sum;
  }

  /// Whether each row has an element that the mask keeps, for which the launch
  /// may have to say that rows are no more than the online reduction's
  /// elements. Null if that isn't known.
  Value hasElements(const OnlineMask &mask) {
    if (!mayHaveElements(program, mask))
      return {};
    if (!mask.isFinite)
      return getTrue();
    if (isKept(program, mask, /*isOwn=*/false))
      return keepsFirst(mask);
    auto [rows, elements] = findMaskPositions(program, mask);
    return arith::CmpIOp::create(
        builder, vectors.loc, arith::CmpIPredicate::ule,
        vectors.getExtent(rows), vectors.getExtent(elements));
  }

  Value getTrue() {
    return arith::ConstantOp::create(builder, vectors.loc,
                                     builder.getBoolAttr(true));
  }

  /// Whether a bound's sum doesn't wrap; null if its numbers aren't known.
  Value fits(const OnlineMask &mask, const IndexBound &bound) {
    Value all = getTrue();
    for (Value number : bound.wrapping) {
      Value index = readNumber(mask, number);
      if (!index)
        return {};
      Value above = compute<arith::AddIOp>(index, getIndex(kMostNumber));
      Value isSmall =
          arith::CmpIOp::create(builder, vectors.loc, arith::CmpIPredicate::ult,
                                above, getIndex(2 * kMostNumber));
      all = compute<arith::AndIOp>(all, isSmall);
    }
    return all;
  }

private:
  /// Whether bounds with numbers keep the first element of each row; null if
  /// the rows of a program have several numbers.
  Value keepsFirst(const OnlineMask &mask) {
    Value all = getTrue();
    for (const IndexBound &bound : mask.bounds) {
      if (bound.isOfIndices())
        continue;
      Value fits = this->fits(mask, bound);
      Value least = computeBound(mask, bound, /*isLargest=*/false,
                                 /*hasTiles=*/false);
      if (!least || !fits)
        return {};
      all = compute<arith::AndIOp>(all, fits);
      Value isKept = arith::CmpIOp::create(
          builder, vectors.loc, arith::CmpIPredicate::sge, least, getIndex(0));
      all = compute<arith::AndIOp>(all, isKept);
    }
    return all;
  }

  /// A value of the body that all rows of a program have, as an index, or null.
  Value readNumber(const OnlineMask &mask, Value number) {
    FailureOr<GroupValue> scalar = ops->writePart(mask.op, number);
    if (failed(scalar) || !scalar->dims.empty())
      return {};
    return scalar->value.getType().isIndex()
               ? scalar->value
               : arith::IndexCastOp::create(builder, vectors.loc,
                                            builder.getIndexType(),
                                            scalar->value);
  }

  /// The last element of the program's vectors that exists.
  Value getLast(unsigned at) {
    int64_t tile = program.schedule.dims[at].tile;
    if (tile == 1)
      return vectors.getBegin(at);
    Value end = compute<arith::AddIOp>(vectors.getBegin(at), getIndex(tile));
    if (vectors.isRagged(at))
      end = compute<arith::MinSIOp>(end, vectors.getExtent(at));
    return compute<arith::SubIOp>(end, getIndex(1));
  }

  const GroupProgram &program;
  GroupVectors &vectors;
  OpWriter *ops;
  OpBuilder &builder;
  unsigned position;
};

} // namespace

std::pair<Value, Value>
carousel::computeOnlineRange(const GroupProgram &program, GroupVectors &vectors,
                             OpWriter &ops, ArrayRef<OnlineMask> masks) {
  BoundWriter writer(program, vectors, &ops);
  unsigned position = program.schedule.find(program.shape.stream->dim);
  Value zero = writer.getIndex(0);
  Value from = zero, to = vectors.getExtent(position), all = to;
  for (const OnlineMask &mask : masks) {
    Value isKnown = writer.hasElements(mask);
    if (!isKnown)
      continue;
    for (const IndexBound &bound : mask.bounds) {
      Value fits = writer.fits(mask, bound);
      if (!fits)
        continue;
      Value isUsed = writer.compute<arith::AndIOp>(isKnown, fits);
      auto choose = [&](Value bound, Value otherwise) {
        return vectors.builder.createOrFold<arith::SelectOp>(
            vectors.loc, isUsed, bound, otherwise);
      };
      // along j: sum + j >= 0, or sum - j >= 0.
      bool isLeast = getCoefficient(program, mask.op, bound, position) > 0;
      Value sum = writer.computeBound(mask, bound, /*isLargest=*/true,
                                      /*hasTiles=*/false);
      if (!sum)
        continue;
      if (!isLeast) {
        Value end = writer.compute<arith::AddIOp>(sum, writer.getIndex(1));
        end = writer.compute<arith::MaxSIOp>(end, zero);
        to = writer.compute<arith::MinSIOp>(to, choose(end, all));
        continue;
      }
      Value tile = writer.getIndex(program.schedule.dims[position].tile);
      Value least = writer.compute<arith::MaxSIOp>(
          writer.compute<arith::SubIOp>(zero, sum), zero);
      Value first = writer.compute<arith::MulIOp>(
          writer.compute<arith::DivUIOp>(least, tile), tile);
      from = writer.compute<arith::MaxSIOp>(from, choose(first, zero));
    }
  }
  return {from, to};
}

double carousel::findNeededPart(const GroupProgram &program) {
  unsigned rows = findRowsPosition(program),
           position = program.schedule.find(program.shape.stream->dim);
  const ScheduledDim &own = program.schedule.dims[position],
                     &ofRows = program.schedule.dims[rows];
  if (own.extent == kUnknownExtent || ofRows.extent == kUnknownExtent)
    return 1;
  // From their sum along j: sum + j >= 0, or sum - j >= 0.
  struct Line {
    int64_t along, factor, constant;
  };
  SmallVector<Line> lines;
  for (const OnlineMask &mask : findOnlineMasks(program)) {
    if (!mayHaveElements(program, mask))
      continue;
    for (const IndexBound &bound : mask.bounds) {
      auto isOther = [&](unsigned at) {
        return at != rows && at != position &&
               getCoefficient(program, mask.op, bound, at) != 0;
      };
      if (bound.isOfIndices() &&
          llvm::none_of(llvm::seq<unsigned>(program.schedule.dims.size()),
                        isOther))
        lines.push_back({getCoefficient(program, mask.op, bound, position),
                         getCoefficient(program, mask.op, bound, rows),
                         bound.constant});
    }
  }
  double needed = 0, all = 0;
  for (int64_t row = 0; row < ofRows.extent; row += ofRows.tile) {
    int64_t last = std::min(row + ofRows.tile, ofRows.extent) - 1;
    int64_t from = 0, to = own.extent;
    for (const Line &line : lines) {
      int64_t sum =
          line.constant + line.factor * (line.factor > 0 ? last : row);
      if (line.along < 0)
        to = std::min(to, sum + 1);
      else
        from = std::max(from, -sum / own.tile * own.tile);
    }
    needed += double(llvm::alignTo(std::max<int64_t>(to - from, 0), own.tile));
    all += double(llvm::alignTo(own.extent, own.tile));
  }
  return all == 0 ? 1 : needed / all;
}

SmallVector<Value> carousel::findHeldComparisons(const GroupProgram &program,
                                                 const OnlineMask &mask) {
  SmallVector<Value> held;
  unsigned position = program.schedule.find(program.shape.stream->dim);
  int64_t tile = program.schedule.dims[position].tile;
  for (const IndexBound &bound : mask.bounds) {
    // j - c x >= 0, or c x - j - 1 >= 0, of an x in memory.
    int64_t own = getCoefficient(program, mask.op, bound, position);
    bool isOfTiles = (bound.constant + (own > 0 ? 0 : 1)) % tile == 0 &&
                     !bound.numbers.empty() && !mask.isFinite &&
                     bound.wrapping.empty();
    for (unsigned at = 0; at != program.schedule.dims.size(); ++at)
      isOfTiles &=
          at == position || getCoefficient(program, mask.op, bound, at) == 0;
    for (auto [number, factor] : bound.numbers)
      isOfTiles &= factor % tile == 0;
    if (isOfTiles)
      held.push_back(bound.comparison);
  }
  return held;
}

Value carousel::isWholeTile(const GroupProgram &program, GroupVectors &vectors,
                            OpWriter &ops, const OnlineMask &mask) {
  if (!mask.isExact)
    return {};
  BoundWriter writer(program, vectors, &ops);
  Value isWhole = writer.getTrue();
  if (mask.whole) {
    FailureOr<GroupValue> whole = ops.writePart(mask.op, mask.whole);
    if (failed(whole) || !whole->dims.empty())
      return {};
    isWhole = whole->value;
  }
  SmallVector<Value> held = findHeldComparisons(program, mask);
  for (const IndexBound &bound : mask.bounds) {
    if (llvm::is_contained(held, bound.comparison))
      continue;
    Value least = writer.computeBound(mask, bound, /*isLargest=*/false,
                                      /*hasTiles=*/true);
    Value fits = writer.fits(mask, bound);
    if (!least || !fits)
      return {};
    isWhole = writer.compute<arith::AndIOp>(isWhole, fits);
    Value holds = arith::CmpIOp::create(vectors.builder, vectors.loc,
                                        arith::CmpIPredicate::sge, least,
                                        writer.getIndex(0));
    isWhole = writer.compute<arith::AndIOp>(isWhole, holds);
  }
  return isWhole;
}
