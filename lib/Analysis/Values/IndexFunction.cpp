//===- IndexFunction.cpp - indices as functions of the thread -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See IndexFunction.h. Sums and multiples are computed with symbols. All other
// ops are evaluated by their own folders, when their operands are constants.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/IndexFunction.h"

#include "carousel/Analysis/Values/ValueDepth.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

std::optional<IndexForm> IndexForm::plus(const IndexForm &other,
                                         int64_t factor) const {
  IndexForm sum = *this;
  int64_t product;
  if (llvm::MulOverflow(other.constant, factor, product) ||
      llvm::AddOverflow(sum.constant, product, sum.constant))
    return std::nullopt;
  for (auto [symbol, count] : other.terms) {
    if (llvm::MulOverflow(count, factor, product))
      return std::nullopt;
    auto *found = llvm::find_if(sum.terms, [&, symbol = symbol](auto &term) {
      return term.first == symbol;
    });
    if (found == sum.terms.end())
      found = sum.terms.insert(found, {symbol, 0});
    if (llvm::AddOverflow(found->second, product, found->second))
      return std::nullopt;
  }
  llvm::erase_if(sum.terms, [](auto &term) { return term.second == 0; });
  return sum;
}

std::optional<IndexForm> IndexForm::times(int64_t factor) const {
  return IndexForm().plus(*this, factor);
}

bool IndexForm::hasTermsOf(const IndexForm &other) const {
  return terms.size() == other.terms.size() &&
         llvm::all_of(terms, [&](const auto &term) {
           return llvm::is_contained(other.terms, term);
         });
}

void IndexForm::print(llvm::raw_ostream &os) const {
  llvm::interleave(
      terms,
      [&](const auto &term) {
        if (term.second != 1)
          os << term.second << " * ";
        term.first.printAsOperand(os, OpPrintingFlags().useLocalScope());
      },
      [&] { os << " + "; });
  if (terms.empty() || constant != 0)
    os << (terms.empty() ? "" : " + ") << constant;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

IndexFunction::IndexFunction(gpu::GPUFuncOp kernel,
                             const UniformValues &uniform, Operation *unit)
    : uniform(uniform), unit(unit), block(getKnownBlock(kernel)) {}

std::optional<int64_t> IndexFunction::getBlockThreads() const {
  if (!block)
    return std::nullopt;
  int64_t threads = 1;
  for (int64_t extent : *block)
    if (extent < 1 || llvm::MulOverflow(threads, extent, threads))
      return std::nullopt;
  return threads;
}

void IndexFunction::setThread(int64_t number) {
  thread = number;
  known.clear();
}

void IndexFunction::bind(Value value, int64_t constant) {
  known[value] = IndexForm(constant);
}

bool IndexFunction::isInside(Value value) const {
  return unit && unit->isAncestor(value.getParentBlock()->getParentOp());
}

std::optional<IndexForm> IndexFunction::evaluate(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  auto constant = constants.find(value);
  if (constant != constants.end())
    return IndexForm(constant->second);
  std::optional<IndexForm> form = compute(value);
  if (form)
    known[value] = *form;
  return form;
}

std::optional<IndexForm> IndexFunction::evaluate(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return IndexForm(*constant);
  if (auto dynamic = dyn_cast<Value>(value))
    return evaluate(dynamic);
  return std::nullopt;
}

std::optional<int64_t> IndexFunction::evaluateConstant(Value value) {
  std::optional<IndexForm> form = evaluate(value);
  if (!form)
    return std::nullopt;
  if (form->isConstant())
    return form->constant;
  llvm::raw_string_ostream os(reason = "");
  os << "the value ";
  form->print(os);
  os << " is known at run time only";
  return std::nullopt;
}

std::optional<SmallVector<IndexForm>>
IndexFunction::evaluateAll(ValueRange values) {
  SmallVector<IndexForm> forms;
  for (Value value : values) {
    std::optional<IndexForm> form = evaluate(value);
    if (!form)
      return std::nullopt;
    forms.push_back(std::move(*form));
  }
  return forms;
}

std::optional<IndexForm> IndexFunction::evaluateExtent(Value memref,
                                                       unsigned dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return IndexForm(type.getDimSize(dim));
  // Any of its dims that is known before the unit.
  for (Operation *user : memref.getUsers()) {
    auto extent = dyn_cast<memref::DimOp>(user);
    if (!extent || extent.getConstantIndex() != dim)
      continue;
    Operation *ancestor =
        unit ? extent->getBlock()->findAncestorOpInBlock(*unit) : nullptr;
    if (!unit || (ancestor && extent->isBeforeInBlock(ancestor)))
      return evaluate(extent.getResult());
  }
  return std::nullopt;
}

std::optional<IndexForm> IndexFunction::compute(Value value) {
  reason.clear();
  if (!isa<IndexType, IntegerType>(value.getType()))
    return std::nullopt;
  if (std::optional<int64_t> constant = getConstantIntValue(value)) {
    constants.try_emplace(value, *constant);
    return IndexForm(*constant);
  }
  Operation *op = value.getDefiningOp();
  if (op)
    if (std::optional<IndexForm> form = computeThread(op))
      return form;
  if (auto extent = value.getDefiningOp<memref::DimOp>())
    if (std::optional<int64_t> dim = extent.getConstantIndex())
      if (auto type = dyn_cast<MemRefType>(extent.getSource().getType())) {
        if (*dim >= 0 && *dim < type.getRank() && !type.isDynamicDim(*dim))
          return IndexForm(type.getDimSize(*dim));
        value = extents.try_emplace({extent.getSource(), *dim}, value)
                    .first->second;
      }
  ValueDepth level(depth);
  if (level.isTooDeep())
    reason = "a value that more than " + std::to_string(kMaxValueDepth) +
             " ops in a row compute can't be evaluated for each thread";
  else if (op && isa_and_nonnull<arith::ArithDialect, affine::AffineDialect,
                                 index::IndexDialect>(op->getDialect()))
    if (std::optional<IndexForm> form = computeOp(cast<OpResult>(value)))
      return form;
  if (uniform.contains(value) && !isInside(value)) {
    IndexForm symbol;
    symbol.terms.emplace_back(value, 1);
    return symbol;
  }
  if (!reason.empty())
    return std::nullopt;
  reason =
      op ? "'" + op->getName().getStringRef().str() +
               "' can't be evaluated for each thread"
         : "a value that a loop or a branch carries can't be evaluated for "
           "each thread";
  return std::nullopt;
}

std::optional<IndexForm> IndexFunction::computeOp(OpResult result) {
  Operation *op = result.getOwner();
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    std::optional<IndexForm> condition = evaluate(select.getCondition());
    if (!condition || !condition->isConstant())
      return std::nullopt;
    return evaluate(condition->constant != 0 ? select.getTrueValue()
                                             : select.getFalseValue());
  }
  std::optional<SmallVector<IndexForm>> operands =
      evaluateAll(op->getOperands());
  if (!operands)
    return std::nullopt;
  if (std::optional<IndexForm> form = computeLinear(op, *operands))
    return form;
  return fold(result, *operands);
}

std::optional<IndexForm> IndexFunction::computeThread(Operation *op) {
  if (!isa<gpu::ThreadIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp, gpu::BlockDimOp>(
          op))
    return std::nullopt;
  if (!getBlockThreads()) {
    if (!isa<gpu::BlockDimOp>(op))
      reason = "the extents of the block aren't known";
    return std::nullopt;
  }
  if (auto extent = dyn_cast<gpu::BlockDimOp>(op))
    return IndexForm((*block)[static_cast<unsigned>(extent.getDimension())]);
  usedThread = true;
  if (isa<gpu::LaneIdOp>(op))
    return IndexForm(thread % rules::kWarpSize);
  if (isa<gpu::SubgroupIdOp>(op))
    return IndexForm(thread / rules::kWarpSize);
  int64_t rest = thread;
  unsigned dim =
      static_cast<unsigned>(cast<gpu::ThreadIdOp>(op).getDimension());
  for (unsigned inner = 0; inner < dim; ++inner)
    rest /= (*block)[inner];
  return IndexForm(rest % (*block)[dim]);
}

/// Sums of 64 bits may wrap, and so do those that they are added to.
static bool hasWideSums(Type type) {
  return type.isIndex() || type.isInteger(64);
}

std::optional<IndexForm>
IndexFunction::computeLinear(Operation *op, ArrayRef<IndexForm> operands) {
  if (!llvm::all_of(op->getOperandTypes(), hasWideSums) ||
      !llvm::all_of(op->getResultTypes(), hasWideSums))
    return std::nullopt;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return computeAffine(apply.getAffineMap().getResult(0), operands,
                         apply.getAffineMap().getNumDims());
  if (isa<arith::IndexCastOp, index::CastSOp>(op))
    return operands.front();
  if (isa<arith::AddIOp, index::AddOp>(op))
    return operands[0].plus(operands[1]);
  if (isa<arith::SubIOp, index::SubOp>(op))
    return operands[0].plus(operands[1], -1);
  if (!isa<arith::MulIOp, index::MulOp>(op))
    return std::nullopt;
  if (operands[1].isConstant())
    return operands[0].times(operands[1].constant);
  return operands[0].isConstant() ? operands[1].times(operands[0].constant)
                                  : std::nullopt;
}

/// Divides a form whose factors are multiples of `divisor`. The remainder is
/// that of the constant.
static std::optional<IndexForm> divide(const IndexForm &form, int64_t divisor,
                                       AffineExprKind kind) {
  IndexForm quotient;
  for (auto [symbol, factor] : form.terms) {
    if (factor % divisor != 0)
      return std::nullopt;
    quotient.terms.emplace_back(symbol, factor / divisor);
  }
  if (kind == AffineExprKind::Mod)
    return IndexForm(llvm::mod(form.constant, divisor));
  quotient.constant = kind == AffineExprKind::CeilDiv
                          ? llvm::divideCeilSigned(form.constant, divisor)
                          : llvm::divideFloorSigned(form.constant, divisor);
  return quotient;
}

std::optional<IndexForm>
IndexFunction::computeAffine(AffineExpr expr, ArrayRef<IndexForm> operands,
                             unsigned dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return IndexForm(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[dims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<IndexForm> lhs = computeAffine(binary.getLHS(), operands, dims);
  std::optional<IndexForm> rhs = computeAffine(binary.getRHS(), operands, dims);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return lhs->plus(*rhs);
  if (expr.getKind() == AffineExprKind::Mul && lhs->isConstant())
    std::swap(lhs, rhs);
  if (!rhs->isConstant())
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mul)
    return lhs->times(rhs->constant);
  if (rhs->constant <= 0)
    return std::nullopt;
  return divide(*lhs, rhs->constant, expr.getKind());
}

std::optional<IndexForm> IndexFunction::fold(OpResult result,
                                             ArrayRef<IndexForm> operands) {
  Operation *op = result.getOwner();
  SmallVector<Attribute> constants;
  for (auto [operand, form] : llvm::zip_equal(op->getOperands(), operands)) {
    if (!form.isConstant()) {
      llvm::raw_string_ostream os(reason = "");
      os << "'" << op->getName() << "' of ";
      form.print(os);
      os << " is known at run time only";
      return std::nullopt;
    }
    Type type = operand.getType();
    // An index may have 32 bits, which matters for all ops but sums and
    // products.
    if (type.isIndex() && !llvm::isInt<32>(form.constant)) {
      reason = "an index beyond 32 bits can't be evaluated";
      return std::nullopt;
    }
    APInt value(type.isIndex() ? 64 : type.getIntOrFloatBitWidth(),
                static_cast<uint64_t>(form.constant), /*isSigned=*/true,
                /*implicitTrunc=*/true);
    constants.push_back(IntegerAttr::get(type, value));
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(constants, results)) ||
      results.size() != op->getNumResults())
    return std::nullopt;
  for (auto [value, folded] : llvm::zip_equal(op->getResults(), results)) {
    std::optional<IndexForm> form;
    if (auto attribute = dyn_cast<Attribute>(folded)) {
      if (auto number = dyn_cast<IntegerAttr>(attribute))
        form = IndexForm(number.getValue().getSExtValue());
    } else {
      form = evaluate(cast<Value>(folded));
    }
    if (!form)
      return std::nullopt;
    known[value] = *form;
  }
  return known.lookup(result);
}

std::optional<int64_t> IndexFunction::matchClamp(OpFoldResult value,
                                                 const IndexForm &rest) {
  auto dynamic = dyn_cast<Value>(value);
  Operation *op = dynamic ? dynamic.getDefiningOp() : nullptr;
  if (!op)
    return std::nullopt;
  SmallVector<IndexForm> bounds;
  if (auto min = dyn_cast<affine::AffineMinOp>(op)) {
    std::optional<SmallVector<IndexForm>> operands =
        evaluateAll(min->getOperands());
    if (!operands)
      return std::nullopt;
    for (AffineExpr expr : min.getMap().getResults()) {
      std::optional<IndexForm> bound =
          computeAffine(expr, *operands, min.getMap().getNumDims());
      if (!bound)
        return std::nullopt;
      bounds.push_back(*bound);
    }
  } else if (isa<arith::MinSIOp, arith::MinUIOp, index::MinSOp, index::MinUOp>(
                 op)) {
    std::optional<SmallVector<IndexForm>> operands =
        evaluateAll(op->getOperands());
    if (!operands)
      return std::nullopt;
    bounds = *operands;
  }
  std::optional<int64_t> least;
  bool hasRest = false;
  for (const IndexForm &bound : bounds) {
    if (bound.isConstant())
      least = std::min(least.value_or(bound.constant), bound.constant);
    else if (bound == rest)
      hasRest = true;
    else
      return std::nullopt;
  }
  return hasRest ? least : std::nullopt;
}

bool IndexFunction::isSameInAllThreads(Value value) {
  if (uniform.contains(value))
    return true;
  std::optional<int64_t> threads = getBlockThreads();
  if (!threads)
    return false;
  std::optional<IndexForm> first;
  for (int64_t number = 0; number < *threads; ++number) {
    setThread(number);
    std::optional<IndexForm> form = evaluate(value);
    if (!form || (first && !(*form == *first)))
      return false;
    first = form;
  }
  return true;
}
