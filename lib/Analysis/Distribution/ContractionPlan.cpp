//===- ContractionPlan.cpp - how threads contract vectors -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ContractionPlan.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/ContractionPlan.h"

#include "VectorRelations.h"

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Analysis/Layouts/SumLayouts.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

/// The numbers of the indexing maps.
enum Map : unsigned { kLhs, kRhs, kAcc };

std::optional<unsigned> carousel::findOperandDim(vector::ContractionOp op,
                                                 unsigned map, unsigned dim) {
  return op.getIndexingMapsArray()[map].getResultPosition(
      getAffineDimExpr(dim, op.getContext()));
}

bool carousel::passesTile(Operation *op) {
  return isa_and_nonnull<vector::ShapeCastOp, RoundTF32Op>(op);
}

bool carousel::isForProducts(Value vector) {
  return !vector.use_empty() &&
         llvm::all_of(vector.getUsers(), [](Operation *user) {
           return isa<vector::ContractionOp>(user) ||
                  (passesTile(user) && isForProducts(user->getResult(0)));
         });
}

bool carousel::isTileOfProduct(Value vector) {
  while (passesTile(vector.getDefiningOp()))
    vector = vector.getDefiningOp()->getOperand(0);
  auto read = vector.getDefiningOp<vector::TransferReadOp>();
  return read && becomesTransfer(read) && isForProducts(vector);
}

std::string carousel::explainContraction(vector::ContractionOp op) {
  Type sum = getElementTypeOrSelf(op.getAccType());
  for (VectorType type : {op.getLhsType(), op.getRhsType()}) {
    Type element = type.getElementType();
    bool extends =
        element == sum ||
        (isa<FloatType>(element) == isa<FloatType>(sum) &&
         element.getIntOrFloatBitWidth() < sum.getIntOrFloatBitWidth());
    if (!extends) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "expected factors that extend to the sum's type '" << sum << "'"
          << ", got '" << element << "'";
      return text;
    }
  }
  return "";
}

//===----------------------------------------------------------------------===//
// By matrix instructions
//===----------------------------------------------------------------------===//

/// Whether all elements are numbers of tf32, since the kernel rounds them. What
/// it moves or masks with zeros afterwards are such numbers, too.
static bool isRounded(Value factor) {
  llvm::SetVector<Value> parts;
  parts.insert(factor);
  for (unsigned i = 0; i < parts.size(); ++i) {
    Operation *source = parts[i].getDefiningOp();
    if (auto select = dyn_cast_if_present<arith::SelectOp>(source))
      parts.insert_range(
          ValueRange{select.getTrueValue(), select.getFalseValue()});
    else if (isa_and_nonnull<vector::BroadcastOp, vector::ShapeCastOp,
                             vector::TransposeOp>(source))
      parts.insert(source->getOperand(0));
    else if (!isa_and_nonnull<RoundTF32Op>(source) &&
             !matchPattern(parts[i], m_AnyZeroFloat()))
      return false;
  }
  return true;
}

bool carousel::hasTF32Factors(vector::ContractionOp op) {
  return op.getLhsType().getElementType().isF32() &&
         op.getRhsType().getElementType().isF32() && isRounded(op.getLhs()) &&
         isRounded(op.getRhs());
}

bool carousel::hasFloat8Factors(vector::ContractionOp op) {
  auto isFloat8 = [](VectorType type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type.getElementType());
  };
  return isFloat8(op.getLhsType()) && isFloat8(op.getRhsType());
}

/// Whether an instruction multiplies factors' elements, which are of one type,
/// and adds them.
static bool hasInstruction(Type factor, Type sum, bool isRounded) {
  if (factor.isInteger(8))
    return sum.isInteger(32);
  return sum.isF32() && (factor.isF16() || factor.isBF16() || isRounded);
}

std::optional<ProductDims> carousel::findProductDims(vector::ContractionOp op) {
  SmallVector<vector::IteratorType> iterators = op.getIteratorTypesArray();
  if (iterators.size() != 3 || !isa<VectorType>(op.getAccType()))
    return std::nullopt;
  std::optional<unsigned> m, n, k;
  for (unsigned dim = 0; dim < 3; ++dim) {
    bool ofLhs = findOperandDim(op, kLhs, dim).has_value();
    bool ofRhs = findOperandDim(op, kRhs, dim).has_value();
    if (iterators[dim] == vector::IteratorType::reduction)
      k = dim;
    else if (ofLhs && !ofRhs)
      m = dim;
    else if (ofRhs && !ofLhs)
      n = dim;
  }
  if (!m || !n || !k)
    return std::nullopt;
  return ProductDims{*m, *n, *k};
}

/// Puts a layout of (first, second) in the operand's order, which is this one
/// or the reverse.
static LinearLayout inOrder(vector::ContractionOp op, unsigned map,
                            unsigned first, const LinearLayout &layout) {
  if (findOperandDim(op, map, first) == 0u)
    return layout;
  return getTransposed(layout, {1, 0});
}

static unsigned getFactorBits(vector::ContractionOp op) {
  return op.getLhsType().getElementTypeBitWidth();
}

bool carousel::hasMatrixFactors(vector::ContractionOp op) {
  Type factor = op.getLhsType().getElementType();
  return factor == op.getRhsType().getElementType() &&
         (factor.isF16() || factor.isBF16() || factor.isInteger(8) ||
          hasTF32Factors(op));
}

ProductBits carousel::getInstructionBits(vector::ContractionOp op) {
  return {4, 3, getFragmentBitsOfK(getFactorBits(op))};
}

Obstacle carousel::findMatrixObstacle(vector::ContractionOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Type factor = op.getLhsType().getElementType();
  Type sum = getElementTypeOrSelf(op.getAccType());
  bool hasTypes = hasFloat8Factors(op)
                      ? sum.isF32() && hasWarpgroups(op)
                      : hasInstruction(factor, sum, hasTF32Factors(op));
  if (op.getKind() != vector::CombiningKind::ADD || !hasTypes) {
    os << "no instruction combines '" << factor << "' by "
       << vector::stringifyCombiningKind(op.getKind()) << " in '" << sum << "'";
    if (factor.isF32())
      os << " without " << RoundTF32Op::getOperationName();
    return {Miss::ProductTypes, text};
  }
  std::optional<ProductDims> dims = findProductDims(op);
  if (!dims)
    return {Miss::ProductShape, "no product of two matrices"};
  SmallVector<int64_t> bounds;
  op.getIterationBounds(bounds);
  ProductBits least = getInstructionBits(op);
  for (auto [name, dim, bits] :
       {std::tuple("m", dims->m, least.m), std::tuple("n", dims->n, least.n),
        std::tuple("k", dims->k, least.k)})
    if (!llvm::isPowerOf2_64(bounds[dim]) ||
        llvm::Log2_64(bounds[dim]) < bits) {
      os << "an extent of " << bounds[dim] << " along " << name
         << " isn't a power of two from " << (1u << bits) << " on";
      return {Miss::ProductExtents, text};
    }
  return {};
}

bool carousel::hasMatrixInstructions(vector::ContractionOp op) {
  return findMatrixObstacle(op).empty();
}

/// Whether it sums along the rows of two factors of 32 bits. Threads read each
/// element of these for itself: no instruction transposes it.
static bool sumsWideRows(vector::ContractionOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned factor : {kLhs, kRhs}) {
    auto first = dyn_cast<AffineDimExpr>(maps[factor].getResult(0));
    if (!first || maps[kAcc].isFunctionOfDim(first.getPosition()))
      return false;
  }
  return getFactorBits(op) == 32;
}

/// Sums of products stay in registers, and each is added to often. Two warps of
/// a scheduler hide each other's reads of single elements.
int64_t carousel::countSumsOfThread(vector::ContractionOp op) {
  constexpr int64_t kMost = 128, kLeast = 32, kThreads = 256;
  auto sums = cast<VectorType>(op.getResultType());
  if (sumsWideRows(op))
    return std::clamp(sums.getNumElements() / kThreads, kLeast, kMost);
  return hasFloat8Factors(op) ? kMost / 2 : kMost;
}

/// `a` is the map of the factor with the rows of instructions.
static ContractionPlan makeMatrixPlan(vector::ContractionOp op,
                                      const ProductDims &dims, ProductBits bits,
                                      ArrayRef<WarpBit> warps,
                                      unsigned a = kLhs) {
  unsigned elementBits = getFactorBits(op);
  FragmentLayouts layouts = makeFragmentLayouts(bits, elementBits, warps);
  LinearLayout ofA = inOrder(op, a, dims.m, layouts.a);
  LinearLayout ofB = inOrder(op, kRhs - a, dims.k, layouts.b);
  return ContractionPlan{a == kLhs ? ofA : ofB, a == kLhs ? ofB : ofA,
                         inOrder(op, kAcc, dims.m, layouts.c), dims,
                         int64_t(1) << getFragmentBitsOfK(elementBits)};
}

/// Whether a conversion moves elements no further than `most`.
static bool moves(const LinearLayout &from, const LinearLayout &to,
                  Movement most) {
  std::optional<Conversion> conversion = Conversion::plan(from, to);
  return conversion && conversion->getMovement() <= most;
}

static bool staysInThreads(const LinearLayout &from, const LinearLayout &to) {
  return moves(from, to, Movement::Registers);
}

/// By wgmma, unless layouts around the product want another one.
static std::optional<ContractionPlan>
planWarpgroups(vector::ContractionOp op, ProductDims dims, ProductBits bits,
               ThreadBits threads, const ContractionContext &context) {
  std::string reason;
  std::optional<WarpgroupForm> form = findWarpgroupForm(op, threads, reason);
  if (!form)
    return std::nullopt;
  if (form->isSwapped) {
    std::swap(dims.m, dims.n);
    std::swap(bits.m, bits.n);
  }
  // Each warpgroup needs whole rows of a factor in registers. Computing them
  // twice costs less than exchanging them: an instruction with half of the
  // columns reads as many rows of its first factor.
  WarpShare share = shareWarpgroups(bits, threads.warps,
                                    /*sharesColumns=*/!context.becomesFactor);
  if (context.acc) {
    std::optional<WarpShare> known =
        findWarpShare(inOrder(op, kAcc, dims.m, *context.acc));
    if (!known || *known != share)
      return std::nullopt;
  }
  ContractionPlan plan = makeMatrixPlan(op, dims, bits, share, form->getA());
  plan.byWarpgroups = true;
  plan.form = *form;
  // Four lanes have pairs of sums in turn, and eight bits of a factor by fours:
  // of a factor that is computed of sums, lanes exchange registers.
  Movement most = hasFloat8Factors(op) ? Movement::Lanes : Movement::Registers;
  for (auto [number, known, own] :
       {std::tuple(0u, &context.lhs, &plan.lhs), {1u, &context.rhs, &plan.rhs}})
    // Other products may share a tile, and other ops may not.
    if (*known &&
        (plan.isTileOfWarpgroups(number) ? **known != *own
                                         : !moves(**known, *own, most)))
      return std::nullopt;
  return plan;
}

/// The vectors that move between warps around a product.
static unsigned countExchanges(const ContractionPlan &plan,
                               const ContractionContext &context) {
  unsigned exchanges = 0;
  for (auto [known, wanted] :
       {std::pair(&context.lhs, &plan.lhs), {&context.rhs, &plan.rhs}})
    exchanges += *known && !staysInThreads(**known, *wanted);
  if (!context.reduced.empty())
    exchanges +=
        llvm::any_of(plan.acc.getBases(Place::Warp), [&](const auto &basis) {
          return llvm::any_of(llvm::zip_equal(basis, context.reduced),
                              [](auto pair) {
                                auto [number, isReduced] = pair;
                                return isReduced && number != 0;
                              });
        });
  return exchanges;
}

/// The warps' share of C by which a factor, of (m, k) or (n, k), stays where it
/// is: its rows are those of the result's `side`. Warps with the same rows
/// share the other side.
static std::optional<WarpShare>
followFactor(const LinearLayout &factor, WarpBit::Side side, ProductBits bits) {
  bool areRows = side == WarpBit::Side::Rows;
  WarpBit::Side other = areRows ? WarpBit::Side::Columns : WarpBit::Side::Rows;
  // A piece of C has 16 rows and 8 columns.
  unsigned next = areRows ? bits.n : bits.m, least = areRows ? 3 : 4;
  WarpShare share;
  for (const auto &basis : factor.getBases(Place::Warp)) {
    if (basis[1] != 0 || (basis[0] != 0 && !llvm::isPowerOf2_32(basis[0])))
      return std::nullopt;
    if (basis[0] != 0)
      share.push_back({side, llvm::Log2_32(basis[0])});
    else if (next > least)
      share.push_back({other, --next});
    else
      share.push_back({});
  }
  return share;
}

/// Whether a thread has registers for each factor that isn't in a tile.
static bool fitsRegisters(vector::ContractionOp op, ThreadBits threads,
                          const ContractionPlan &plan) {
  int64_t most = getVectorRegisters(1 << (threads.lanes + threads.warps));
  auto fits = [&](Value factor, const LinearLayout &layout) {
    int64_t elements = int64_t(1) << layout.getNumBits(Place::Register);
    return isTileOfProduct(factor) ||
           countRegisters(elements, getFactorBits(op)) <= most;
  };
  return fits(op.getLhs(), plan.lhs) && fits(op.getRhs(), plan.rhs);
}

static std::optional<ContractionPlan>
planMatrices(vector::ContractionOp op, ThreadBits threads,
             const ContractionContext &context) {
  // Fragments have no place for the CTAs of a cluster.
  if (!hasMatrixInstructions(op) || threads.lanes != 5 || threads.ctas != 0)
    return std::nullopt;
  ProductDims dims = *findProductDims(op);
  SmallVector<int64_t> bounds;
  op.getIterationBounds(bounds);
  ProductBits bits{llvm::Log2_64(bounds[dims.m]), llvm::Log2_64(bounds[dims.n]),
                   llvm::Log2_64(bounds[dims.k])};
  if (std::optional<ContractionPlan> plan =
          planWarpgroups(op, dims, bits, threads, context))
    return plan;
  if (hasFloat8Factors(op))
    return std::nullopt;
  if (context.acc)
    if (std::optional<WarpShare> warps =
            findWarpShare(inOrder(op, kAcc, dims.m, *context.acc))) {
      ContractionPlan plan = makeMatrixPlan(op, dims, bits, *warps);
      if (fitsRegisters(op, threads, plan))
        return plan;
    }
  SmallVector<WarpShare> shares;
  for (WarpOrder order :
       {WarpOrder::Squares, WarpOrder::Rows, WarpOrder::Columns})
    shares.push_back(shareWarps(bits, threads.warps, order));
  for (auto [known, map, dim, side] :
       {std::tuple(&context.lhs, kLhs, dims.m, WarpBit::Side::Rows),
        {&context.rhs, kRhs, dims.n, WarpBit::Side::Columns}})
    if (*known)
      if (std::optional<WarpShare> share =
              followFactor(inOrder(op, map, dim, **known), side, bits))
        shares.push_back(*share);
  std::optional<ContractionPlan> best;
  std::pair<bool, unsigned> least; // spills, exchanges
  for (const WarpShare &share : shares) {
    ContractionPlan plan = makeMatrixPlan(op, dims, bits, share);
    std::pair price(!fitsRegisters(op, threads, plan),
                    countExchanges(plan, context));
    if (best && price >= least)
      continue;
    best = plan;
    least = price;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// By threads
//===----------------------------------------------------------------------===//

/// Each thread has what its elements of the result need: all of the reduced
/// dimensions, and of the others those of the result.
static LinearLayout getFactorLayout(vector::ContractionOp op, unsigned map,
                                    const LinearLayout &acc) {
  auto type = map == kLhs ? op.getLhsType() : op.getRhsType();
  SmallVector<unsigned> bits = getExtentBits(type);
  SmallVector<vector::IteratorType> iterators = op.getIteratorTypesArray();
  LinearLayout layout(bits);
  for (unsigned dim = 0; dim < iterators.size(); ++dim) {
    std::optional<unsigned> own = findOperandDim(op, map, dim);
    if (!own || iterators[dim] == vector::IteratorType::parallel)
      continue;
    for (unsigned bit = 0; bit < bits[*own]; ++bit) {
      SmallVector<uint32_t> basis(bits.size(), 0);
      basis[*own] = 1u << bit;
      layout.addBasis(Place::Register, basis);
    }
  }
  for (Place place : {Place::Register, Place::Lane, Place::Warp, Place::CTA})
    for (const auto &coordinates : acc.getBases(place)) {
      SmallVector<uint32_t> basis(bits.size(), 0);
      for (unsigned dim = 0; dim < iterators.size(); ++dim)
        if (std::optional<unsigned> own = findOperandDim(op, map, dim))
          if (std::optional<unsigned> ofAcc = findOperandDim(op, kAcc, dim))
            basis[*own] = coordinates[*ofAcc];
      layout.addBasis(place, basis);
    }
  return layout.withoutCopies();
}

static ContractionPlan planThreads(vector::ContractionOp op, ThreadBits threads,
                                   const ContractionContext &context) {
  SmallVector<unsigned> bits;
  if (auto type = dyn_cast<VectorType>(op.getAccType()))
    bits = getExtentBits(type);
  auto hasRuns = [&](unsigned dim) {
    for (unsigned loop = 0; loop < op.getIteratorTypesArray().size(); ++loop)
      if (findOperandDim(op, kAcc, loop) == dim)
        for (auto [map, type] : {std::pair(kLhs, op.getLhsType()),
                                 std::pair(kRhs, op.getRhsType())})
          if (findOperandDim(op, map, loop) == unsigned(type.getRank() - 1))
            return true;
    return false;
  };
  // A matrix whose rows alone are reduced.
  bool inRows = context.reduced.size() == 2 && !context.reduced[0];
  std::optional<ProductDims> dims = findProductDims(op);
  std::optional<LinearLayout> followed;
  if (dims && context.lhs && findOperandDim(op, kLhs, dims->m) == 0u &&
      findOperandDim(op, kAcc, dims->m) == 0u)
    followed = followRowsOfFactor(bits, *context.lhs, hasRuns, threads);
  LinearLayout acc = context.acc ? *context.acc
                     : followed ? *followed
                                : makeSumLayout(bits, hasRuns, threads, inRows);
  return {getFactorLayout(op, kLhs, acc), getFactorLayout(op, kRhs, acc), acc,
          std::nullopt};
}

bool carousel::hasMatrixInstructions(ProductBits bits, Type factor, Type sum,
                                     bool isRounded) {
  return hasInstruction(factor, sum, isRounded) &&
         bits.k >= getFragmentBitsOfK(factor.getIntOrFloatBitWidth());
}

std::array<int64_t, 2> carousel::countFactorElements(ProductBits bits,
                                                     Type factor, Type sum,
                                                     bool isRounded,
                                                     ThreadBits threads) {
  auto count = [](const LinearLayout &layout) {
    return int64_t(1) << layout.getNumBits(Place::Register);
  };
  if (hasMatrixInstructions(bits, factor, sum, isRounded)) {
    FragmentLayouts layouts =
        makeFragmentLayouts(bits, factor.getIntOrFloatBitWidth(), threads);
    return {count(layouts.a), count(layouts.b)};
  }
  LinearLayout sums =
      makeSumLayout({bits.m, bits.n}, [](unsigned) { return false; }, threads);
  std::array<int64_t, 2> counts = {int64_t(1) << bits.k, int64_t(1) << bits.k};
  for (const auto &basis : sums.getBases(Place::Register))
    counts[basis[0] == 0] *= 2;
  return counts;
}

ContractionPlan carousel::planContraction(vector::ContractionOp op,
                                          ThreadBits threads,
                                          const ContractionContext &context) {
  if (std::optional<ContractionPlan> plan = planMatrices(op, threads, context))
    return *plan;
  return planThreads(op, threads, context);
}
