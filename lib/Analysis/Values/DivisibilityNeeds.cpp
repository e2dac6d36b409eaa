//===- DivisibilityNeeds.cpp - conditions on a launch ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes back from a value to the kernel's arguments, and computes the divisors
// that they would need.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/Divisibility.h"

#include "carousel/Analysis/Values/ValueDepth.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

namespace {

class NeedFinder {
public:
  NeedFinder(const Divisibility &facts,
             SmallVectorImpl<DivisibilityNeed> &needs)
      : facts(facts), needs(needs) {}

  bool find(OpFoldResult value, int64_t divisor) {
    if (isMultiple(facts.getMultiple(value), divisor))
      return true;
    auto known = dyn_cast<Value>(value);
    return known && find(known, divisor);
  }

private:
  bool find(Value value, int64_t divisor) {
    if (depth == kMaxPathDepth)
      return false;
    if (known.contains({value, divisor}))
      return true;
    ++depth;
    size_t before = needs.size();
    bool found = findSource(value, divisor);
    if (found) {
      known.insert({value, divisor});
    } else if (needs.size() != before) {
      needs.truncate(before);
      known.clear();
    }
    --depth;
    return found;
  }

  bool findAll(ValueRange values, int64_t divisor) {
    return llvm::all_of(values, [&](Value value) {
      return find(OpFoldResult(value), divisor);
    });
  }

  /// One factor provides what the other one lacks.
  bool findProduct(Value lhs, Value rhs, int64_t divisor) {
    auto rest = [&](Value factor) {
      return divisor / std::gcd(divisor, facts.getMultiple(factor));
    };
    return find(OpFoldResult(lhs), rest(rhs)) ||
           find(OpFoldResult(rhs), rest(lhs));
  }

  bool findSource(Value value, int64_t divisor) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return findArgument(argument, divisor);
    return llvm::TypeSwitch<Operation *, bool>(value.getDefiningOp())
        .Case([&](memref::DimOp) {
          needs.push_back({value, divisor});
          return true;
        })
        .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp,
              arith::MaxSIOp, arith::MaxUIOp, arith::IndexCastOp,
              arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(
            [&](Operation *op) { return findAll(op->getOperands(), divisor); })
        .Case([&](arith::SelectOp op) {
          return findAll(op->getOperands().drop_front(), divisor);
        })
        .Case([&](arith::MulIOp op) {
          return findProduct(op.getLhs(), op.getRhs(), divisor);
        })
        .Case([&](arith::ShLIOp op) {
          std::optional<int64_t> shift = getConstantIntValue(op.getRhs());
          return shift && *shift >= 0 && *shift < 62 &&
                 find(OpFoldResult(op.getLhs()),
                      divisor / std::gcd(divisor, int64_t(1) << *shift));
        })
        .Case([&](affine::AffineApplyOp op) {
          return findExpr(op.getAffineMap().getResult(0), op.getOperands(),
                          op.getAffineMap().getNumDims(), divisor);
        })
        .Default([](Operation *) { return false; });
  }

  bool findArgument(BlockArgument argument, int64_t divisor) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<FunctionOpInterface>(parent) &&
        argument.getOwner()->isEntryBlock()) {
      if (!argument.getType().isIntOrIndex())
        return false;
      needs.push_back({argument, divisor});
      return true;
    }
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    if (!loop)
      return false;
    std::optional<SmallVector<Value>> variables = loop.getLoopInductionVars();
    std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds();
    std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
    if (!variables || !lower || !steps)
      return false;
    const auto *variable = llvm::find(*variables, argument);
    if (variable == variables->end())
      return false;
    size_t number = variable - variables->begin();
    return find((*lower)[number], divisor) && find((*steps)[number], divisor);
  }

  bool findExpr(AffineExpr expr, ValueRange operands, unsigned dims,
                int64_t divisor) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return isMultiple(constant.getValue(), divisor);
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return find(OpFoldResult(operands[dim.getPosition()]), divisor);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return find(OpFoldResult(operands[dims + symbol.getPosition()]), divisor);
    auto binary = cast<AffineBinaryOpExpr>(expr);
    if (expr.getKind() == AffineExprKind::Add)
      return findExpr(binary.getLHS(), operands, dims, divisor) &&
             findExpr(binary.getRHS(), operands, dims, divisor);
    auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (expr.getKind() != AffineExprKind::Mul || !constant)
      return false;
    return findExpr(binary.getLHS(), operands, dims,
                    divisor / std::gcd(divisor, constant.getValue()));
  }

  const Divisibility &facts;
  SmallVectorImpl<DivisibilityNeed> &needs;
  unsigned depth = 0;
  /// Whose needs are among those found.
  llvm::DenseSet<std::pair<Value, int64_t>> known;
};

} // namespace

LogicalResult
Divisibility::require(Value value, int64_t divisor,
                      SmallVectorImpl<DivisibilityNeed> &needs) const {
  assert(llvm::isPowerOf2_64(divisor) && "sums of fewer bits may wrap");
  return success(NeedFinder(*this, needs).find(OpFoldResult(value), divisor));
}
