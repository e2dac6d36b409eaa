//===- PaddingValues.cpp - elements beyond the covered extent -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PaddingValues.h. A sparse forward analysis. PaddingOfElements.h has what
// ops compute element by element.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/PaddingValues.h"

#include "PaddingOfElements.h"

#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <functional>

using namespace mlir;
using namespace carousel;

void Padding::print(llvm::raw_ostream &os) const {
  switch (kind) {
  case Kind::None:
    os << "none";
    return;
  case Kind::Shared:
    os << "shared";
    return;
  case Kind::Unknown:
    os << "unknown";
    return;
  case Kind::Constant:
    os << value;
    if (isUncertain)
      os << " or NaN";
    if (conditions)
      os << " under " << conditions;
    return;
  }
}

Padding Padding::join(const Padding &lhs, const Padding &rhs) {
  if (lhs.isNone() || rhs.isNone())
    return lhs.isNone() ? rhs : lhs;
  Conditions both = lhs.conditions | rhs.conditions;
  bool isCommon = lhs.isCommon() && rhs.isCommon();
  bool isSame = lhs.kind == rhs.kind && lhs.value == rhs.value;
  if (isSame) {
    Padding same = lhs.under(both).asCommon(isCommon);
    same.isUncertain |= rhs.isUncertain;
    return same;
  }
  auto isNumber = isCommon ? isFiniteNumber : isSharedNumber;
  bool areNumbers = isNumber(lhs) && isNumber(rhs);
  return (areNumbers ? shared() : unknown()).under(both).asCommon(isCommon);
}

namespace {

using PaddingLattice = dataflow::Lattice<Padding>;

class PaddingAnalysis
    : public dataflow::SparseForwardDataFlowAnalysis<PaddingLattice> {
public:
  PaddingAnalysis(DataFlowSolver &solver, CoveredExtent &extent)
      : SparseForwardDataFlowAnalysis(solver), extent(extent) {}

  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const PaddingLattice *> operands,
                               ArrayRef<PaddingLattice *> results) override;
  void setToEntryState(PaddingLattice *lattice) override {
    Type type = cast<Value>(lattice->getAnchor()).getType();
    propagateIfChanged(
        lattice, lattice->join(isOf(type) ? Padding::unknown()
                                          : Padding::shared().asCommon()));
  }

private:
  bool isOf(Type type) const { return isCovered(type, extent.getWidth()); }
  Padding compute(Operation *op, ArrayRef<Padding> operands);
  Padding findConstant(Value value) const;
  Padding read(vector::TransferReadOp op, ArrayRef<Padding> operands);
  Padding makeMask(vector::CreateMaskOp op);
  Padding reduce(vector::MultiDimReductionOp op, ArrayRef<Padding> operands);

  CoveredExtent &extent;
};

} // namespace

static bool isFiniteElements(Attribute attr) {
  auto elements = dyn_cast<DenseElementsAttr>(attr);
  return elements && (!isa<FloatType>(elements.getElementType()) ||
                      llvm::all_of(elements.getValues<APFloat>(),
                                   std::mem_fn(&APFloat::isFinite)));
}

/// None of what isn't constant.
Padding PaddingAnalysis::findConstant(Value value) const {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return Padding();
  if (auto splat = dyn_cast<SplatElementsAttr>(attr))
    return Padding::constant(splat.getSplatValue<TypedAttr>()).asCommon();
  if (auto number = dyn_cast<TypedAttr>(attr);
      number && !isa<ElementsAttr>(attr))
    return Padding::constant(number).asCommon();
  return !isOf(value.getType()) && isFiniteElements(attr)
             ? Padding::shared().asCommon()
             : Padding::unknown();
}

LogicalResult
PaddingAnalysis::visitOperation(Operation *op,
                                ArrayRef<const PaddingLattice *> lattices,
                                ArrayRef<PaddingLattice *> results) {
  auto set = [&](size_t number, const Padding &padding) {
    propagateIfChanged(results[number], results[number]->join(padding));
  };
  SmallVector<Padding> operands;
  for (const PaddingLattice *lattice : lattices)
    operands.push_back(lattice->getValue());
  bool isReady = llvm::none_of(
      operands, [](const Padding &operand) { return operand.isNone(); });
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(op);
  bool isOfConstants =
      isElementwise && llvm::all_of(operands, [](const Padding &operand) {
        return operand.isNone() || operand.getConstant();
      });
  std::optional<SmallVector<Padding>> elements;
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    if (Padding constant = findConstant(result); !constant.isNone()) {
      set(number, constant);
      continue;
    }
    // The columns have it in common.
    if (!isOf(result.getType()) && !isOfConstants) {
      set(number,
          (isa<ub::PoisonOp>(op) ? Padding::unknown() : Padding::shared())
              .asCommon());
      continue;
    }
    if (!isReady)
      continue;
    if (isElementwise && !elements)
      elements = computeElements(op, operands);
    set(number, isElementwise ? (*elements)[number] : compute(op, operands));
  }
  return success();
}

Padding PaddingAnalysis::compute(Operation *op, ArrayRef<Padding> operands) {
  return llvm::TypeSwitch<Operation *, Padding>(op)
      .Case([&](vector::TransferReadOp own) { return read(own, operands); })
      .Case([&](vector::CreateMaskOp own) { return makeMask(own); })
      .Case([&](vector::MultiDimReductionOp own) {
        return reduce(own, operands);
      })
      .Case([&](vector::BroadcastOp own) {
        // Elements within the extent of one dimension may become padding of
        // another one.
        auto count = [&](Type type) {
          auto vector = dyn_cast<VectorType>(type);
          return vector ? llvm::count(vector.getShape(), extent.getWidth()) : 0;
        };
        int64_t own_dims = count(own.getSourceType());
        return own_dims == 0 || own_dims == count(own.getType())
                   ? operands.front()
                   : Padding::unknown();
      })
      .Case([&](vector::TransposeOp) { return operands.front(); })
      .Case([&](vector::ShapeCastOp own) {
        return explainFixedWidth(own, extent.getWidth()).empty()
                   ? operands.front()
                   : Padding::unknown();
      })
      .Case([&](vector::GatherOp own) {
        unsigned mask = own.getMaskMutable().getOperandNumber();
        unsigned other = own.getPassThruMutable().getOperandNumber();
        return isFalse(operands[mask])
                   ? operands[other]
                         .under(operands[mask].getConditions())
                         .asCommon(false)
                   : Padding::unknown();
      })
      .Default([](Operation *) { return Padding::unknown(); });
}

Padding PaddingAnalysis::read(vector::TransferReadOp op,
                              ArrayRef<Padding> operands) {
  auto conditions =
      extent.findConditions(cast<VectorTransferOpInterface>(op.getOperation()));
  if (!conditions)
    return Padding::unknown();
  return operands[op.getPaddingMutable().getOperandNumber()]
      .under(*conditions)
      .asCommon(false);
}

/// False beyond the extent if it ends there, in all covered dimensions.
Padding PaddingAnalysis::makeMask(vector::CreateMaskOp op) {
  Conditions all = 0;
  for (auto [dim, size] : llvm::enumerate(op.getOperands())) {
    if (op.getVectorType().getDimSize(dim) != extent.getWidth())
      continue;
    std::optional<Conditions> own = extent.findConditions(size);
    if (!own)
      return Padding::unknown();
    all |= *own;
  }
  return Padding::constant(BoolAttr::get(op.getContext(), false)).under(all);
}

/// The padding of a reduction along other dimensions than covered ones: a
/// column beyond the extent has padding only.
Padding PaddingAnalysis::reduce(vector::MultiDimReductionOp op,
                                ArrayRef<Padding> operands) {
  for (auto [dim, isReduced] : llvm::enumerate(op.getReductionMask()))
    if (isReduced &&
        op.getSourceVectorType().getDimSize(dim) == extent.getWidth())
      return Padding::unknown();
  const Padding &source = operands[0], &acc = operands[1];
  if (!isNeutral(op.getKind(), source, acc))
    return Padding::unknown();
  Padding result = acc;
  if (acc.getConstant())
    result = Padding::constant(acc.getConstant(),
                               source.mayBeNaN() || acc.mayBeNaN());
  return result.under(source.getConditions() | acc.getConditions())
      .asCommon(false);
}

PaddingValues::PaddingValues(gpu::GPUFuncOp kernel, CoveredExtent &extent) {
  // Dead code needs constants.
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<PaddingAnalysis>(extent);
  LogicalResult result = solver.initializeAndRun(kernel);
  assert(succeeded(result) && "no analysis fails");
  (void)result;
}

Padding PaddingValues::get(Value value) const {
  const auto *lattice = solver.lookupState<PaddingLattice>(value);
  return lattice ? lattice->getValue() : Padding();
}

//===----------------------------------------------------------------------===//
// The first column
//===----------------------------------------------------------------------===//

/// Whether the columns are counted from 0 in a type that has their numbers in
/// each launch: of fewer bits, they may begin again.
static bool isCount(Value columns) {
  constexpr unsigned kLeastBits = 32;
  while (auto cast = columns.getDefiningOp<arith::IndexCastOp>()) {
    Type type = getElementTypeOrSelf(cast.getType());
    if (!type.isIndex() && type.getIntOrFloatBitWidth() < kLeastBits)
      return false;
    columns = cast.getIn();
  }
  return columns.getDefiningOp<vector::StepOp>();
}

static bool isFloatLowest(const Padding &padding) {
  auto number = dyn_cast_or_null<FloatAttr>(padding.getConstant());
  return number && number.getValue().isInfinity() &&
         number.getValue().isNegative() && !padding.mayBeNaN();
}

/// Whether the condition holds for padding only if it holds for all elements of
/// the row: they equal the row's maximum, which is -inf like the padding then.
std::optional<Conditions>
PaddingValues::findConditionsOfAll(Value condition) const {
  Conditions all = 0;
  llvm::SetVector<Value> parts;
  parts.insert(condition);
  for (unsigned i = 0; i < parts.size(); ++i) {
    Padding padding = get(parts[i]);
    auto either = parts[i].getDefiningOp<arith::OrIOp>();
    if (either && !isFalse(padding)) {
      parts.insert_range(either->getOperands());
      continue;
    }
    std::optional<Conditions> own = isFalse(padding)
                                        ? padding.getConditions()
                                        : findConditionsOfMaximum(parts[i]);
    if (!own)
      return std::nullopt;
    all |= *own;
  }
  return all;
}

std::optional<Conditions>
PaddingValues::findConditionsOfMaximum(Value condition) const {
  auto equal = condition.getDefiningOp<arith::CmpFOp>();
  if (!equal || equal.getPredicate() != arith::CmpFPredicate::OEQ)
    return std::nullopt;
  auto copies = equal.getRhs().getDefiningOp<vector::BroadcastOp>();
  auto most =
      copies ? copies.getSource().getDefiningOp<vector::MultiDimReductionOp>()
             : vector::MultiDimReductionOp();
  // maxnumf ignores elements, which don't equal it.
  Padding row = get(equal.getLhs());
  bool isOfRow = most && most.getSource() == equal.getLhs() &&
                 most.getKind() == vector::CombiningKind::MAXIMUMF &&
                 !isa<VectorType>(most.getType()) && isFloatLowest(row);
  return isOfRow ? std::optional(row.getConditions()) : std::nullopt;
}

/// The least index of the columns for which a condition holds. If it holds for
/// padding, it holds for the first column.
std::optional<Conditions>
PaddingValues::findConditionsOfFirst(vector::MultiDimReductionOp op) const {
  auto choice = op.getSource().getDefiningOp<arith::SelectOp>();
  bool isLeast = op.getKind() == vector::CombiningKind::MINSI ||
                 op.getKind() == vector::CombiningKind::MINUI;
  if (!choice || !isLeast || isa<VectorType>(op.getType()))
    return std::nullopt;
  Padding others = get(choice.getFalseValue()), acc = get(op.getAcc());
  if (!isCount(choice.getTrueValue()) || !isNeutral(op.getKind(), others, acc))
    return std::nullopt;
  std::optional<Conditions> own = findConditionsOfAll(choice.getCondition());
  return own ? std::optional(*own | others.getConditions()) : std::nullopt;
}

std::optional<Conditions>
PaddingValues::findConditions(vector::MultiDimReductionOp op) const {
  Padding source = get(op.getSource()), acc = get(op.getAcc());
  // What is never executed has no value.
  if (source.isNone())
    return 0;
  return isNeutral(op.getKind(), source, acc)
             ? std::optional(source.getConditions() | acc.getConditions())
             : findConditionsOfFirst(op);
}

std::optional<Conditions>
PaddingValues::findConditions(vector::ContractionOp op) const {
  Padding lhs = get(op.getLhs()), rhs = get(op.getRhs());
  if (lhs.isNone() || rhs.isNone())
    return 0;
  if (op.getKind() != vector::CombiningKind::ADD)
    return std::nullopt;
  bool isZero = (isZeroNumber(lhs) && isSharedNumber(rhs)) ||
                (isZeroNumber(rhs) && isSharedNumber(lhs));
  return isZero ? std::optional(lhs.getConditions() | rhs.getConditions())
                : std::nullopt;
}
