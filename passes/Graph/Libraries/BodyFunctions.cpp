//===- BodyFunctions.cpp - functions that a body computes -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BodyFunctions.h.
//
//===----------------------------------------------------------------------===//

#include "BodyFunctions.h"

#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <map>
#include <optional>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Relu
//===----------------------------------------------------------------------===//

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat());
}

/// The comparison with its operands swapped.
static arith::CmpFPredicate swap(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OGT:
    return P::OLT;
  case P::OGE:
    return P::OLE;
  case P::OLT:
    return P::OGT;
  case P::OLE:
    return P::OGE;
  case P::UGT:
    return P::ULT;
  case P::UGE:
    return P::ULE;
  case P::ULT:
    return P::UGT;
  case P::ULE:
    return P::UGE;
  default:
    return predicate;
  }
}

/// A selection between x and zero by a comparison of the two.
static bool isSelectedRelu(arith::SelectOp select, Value x, bool &ignoresNaN) {
  using P = arith::CmpFPredicate;
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return false;
  P predicate = compare.getPredicate();
  if (compare.getRhs() == x && isZero(compare.getLhs()))
    predicate = swap(predicate);
  else if (compare.getLhs() != x || !isZero(compare.getRhs()))
    return false;
  bool keepsWhereTrue = select.getTrueValue() == x;
  Value other = keepsWhereTrue ? select.getFalseValue() : select.getTrueValue();
  if ((!keepsWhereTrue && select.getFalseValue() != x) || !isZero(other))
    return false;
  bool isGreater = predicate == P::OGT || predicate == P::OGE ||
                   predicate == P::UGT || predicate == P::UGE;
  bool isLess = predicate == P::OLT || predicate == P::OLE ||
                predicate == P::ULT || predicate == P::ULE;
  if (keepsWhereTrue ? !isGreater : !isLess)
    return false;
  bool isTrueOfNaN = predicate == P::UGT || predicate == P::UGE ||
                     predicate == P::ULT || predicate == P::ULE;
  ignoresNaN = keepsWhereTrue != isTrueOfNaN;
  return !ignoresNaN;
}

bool carousel::isRelu(Value value, Value x, bool &ignoresNaN) {
  ignoresNaN = false;
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return isSelectedRelu(select, x, ignoresNaN);
  if (!isa_and_present<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return false;
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (!(lhs == x && isZero(rhs)) && !(rhs == x && isZero(lhs)))
    return false;
  ignoresNaN = isa<arith::MaxNumFOp>(op);
  return !ignoresNaN;
}

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

namespace {

/// The numbers of the unknowns that are multiplied, in ascending order.
using Monomial = SmallVector<unsigned>;
using Polynomial = std::map<Monomial, double>;
using Read = std::optional<Polynomial>;

/// Beyond this a body isn't one of the functions that are sought.
constexpr size_t kMostTerms = 64, kMostDegree = 16;

/// Reads values as polynomials of x, which is unknown 0, and of others that are
/// functions of polynomials.
class PolynomialReader {
public:
  enum class Function { X, Tanh, Exp, Reciprocal };

  explicit PolynomialReader(Value x) : unknowns{{Function::X, {}}} {
    known.set(x, makeUnknown(0));
  }

  Read read(Value value) {
    auto isNumber = [](Value inner) { return inner.getType().isF32(); };
    return known.get(value, isNumber,
                     [&](Value inner) { return compute(inner); });
  }

  const Polynomial &getArgument(unsigned unknown) const {
    return unknowns[unknown].second;
  }
  Function getFunction(unsigned unknown) const {
    return unknowns[unknown].first;
  }
  size_t countUnknowns() const { return unknowns.size(); }

  static bool agree(const Polynomial &lhs, const Polynomial &rhs);

private:
  static Polynomial makeUnknown(unsigned number) {
    return {{Monomial{number}, 1.0}};
  }
  Read apply(Function function, const Read &argument);
  static Read add(const Read &lhs, const Read &rhs, double factor);
  static Read multiply(const Read &lhs, const Read &rhs);
  static Read raise(const Read &base, int64_t exponent);
  static std::optional<double> getNumber(const Read &read);
  Read compute(Value value);

  std::vector<std::pair<Function, Polynomial>> unknowns;
  OperandFold<Read> known;
};

} // namespace

/// Constants of f32 are off by less than this.
static bool isNear(double lhs, double rhs) {
  return std::abs(lhs - rhs) <= 1e-6 * std::max(std::abs(lhs), std::abs(rhs));
}

bool PolynomialReader::agree(const Polynomial &lhs, const Polynomial &rhs) {
  return lhs.size() == rhs.size() &&
         std::equal(lhs.begin(), lhs.end(), rhs.begin(),
                    [](const auto &x, const auto &y) {
                      return x.first == y.first && isNear(x.second, y.second);
                    });
}

Read PolynomialReader::apply(Function function, const Read &argument) {
  if (!argument)
    return std::nullopt;
  for (auto [number, unknown] : llvm::enumerate(unknowns))
    if (unknown.first == function && agree(unknown.second, *argument))
      return makeUnknown(number);
  unknowns.push_back({function, *argument});
  return makeUnknown(unknowns.size() - 1);
}

Read PolynomialReader::add(const Read &lhs, const Read &rhs, double factor) {
  if (!lhs || !rhs)
    return std::nullopt;
  Polynomial sum = *lhs;
  for (const auto &[monomial, coefficient] : *rhs) {
    auto [term, isNew] = sum.try_emplace(monomial, 0);
    term->second += factor * coefficient;
    if (term->second == 0)
      sum.erase(term);
  }
  if (sum.size() > kMostTerms)
    return std::nullopt;
  return sum;
}

Read PolynomialReader::multiply(const Read &lhs, const Read &rhs) {
  if (!lhs || !rhs)
    return std::nullopt;
  Read product = Polynomial();
  for (const auto &[left, x] : *lhs)
    for (const auto &[right, y] : *rhs) {
      Monomial monomial(left);
      monomial.append(right.begin(), right.end());
      llvm::sort(monomial);
      if (monomial.size() > kMostDegree)
        return std::nullopt;
      product = add(product, Polynomial{{monomial, x * y}}, 1);
      if (!product)
        return std::nullopt;
    }
  return product;
}

Read PolynomialReader::raise(const Read &base, int64_t exponent) {
  if (exponent < 0 || exponent > static_cast<int64_t>(kMostDegree))
    return std::nullopt;
  Read power = Polynomial{{Monomial(), 1.0}};
  for (; exponent > 0; --exponent)
    power = multiply(power, base);
  return power;
}

std::optional<double> PolynomialReader::getNumber(const Read &read) {
  if (!read || read->size() != 1 || !read->begin()->first.empty())
    return std::nullopt;
  return read->begin()->second;
}

Read PolynomialReader::compute(Value value) {
  if (!value.getType().isF32())
    return std::nullopt;
  if (FloatAttr number; matchPattern(value, m_Constant(&number)))
    return number.getValue().isZero()
               ? Polynomial()
               : Polynomial{{Monomial(), number.getValueAsDouble()}};
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto operand = [&](unsigned number) { return read(op->getOperand(number)); };
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return add(operand(0), operand(1), isa<arith::AddFOp>(op) ? 1 : -1);
  if (isa<arith::MulFOp>(op))
    return multiply(operand(0), operand(1));
  if (isa<arith::NegFOp>(op))
    return add(Polynomial(), operand(0), -1);
  if (isa<arith::DivFOp>(op)) {
    Read divisor = operand(1);
    if (std::optional<double> number = getNumber(divisor))
      return multiply(operand(0), Polynomial{{Monomial(), 1 / *number}});
    return multiply(operand(0), apply(Function::Reciprocal, divisor));
  }
  if (isa<math::FmaOp>(op))
    return add(multiply(operand(0), operand(1)), operand(2), 1);
  if (isa<math::TanhOp>(op))
    return apply(Function::Tanh, operand(0));
  if (isa<math::ExpOp>(op))
    return apply(Function::Exp, operand(0));
  if (isa<math::PowFOp>(op)) {
    std::optional<double> exponent = getNumber(operand(1));
    if (!exponent || *exponent != std::floor(*exponent) ||
        std::abs(*exponent) > kMostDegree)
      return std::nullopt;
    return raise(operand(0), static_cast<int64_t>(*exponent));
  }
  APInt exponent;
  if (isa<math::FPowIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&exponent)) &&
      exponent.getSignificantBits() <= 64)
    return raise(operand(0), exponent.getSExtValue());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Gelu
//===----------------------------------------------------------------------===//

bool carousel::isTanhGelu(Value value, Value x) {
  using Function = PolynomialReader::Function;
  const double linear = std::sqrt(2 / M_PI), cubic = 0.044715 * linear;
  auto makeInner = [&](double factor) {
    return Polynomial{{Monomial{0}, factor * linear},
                      {Monomial{0, 0, 0}, factor * cubic}};
  };
  PolynomialReader reader(x);
  Read read = reader.read(value);
  if (!read)
    return false;
  // x/2 + x/2 * tanh(u), or with -u; u is the only other unknown.
  if (reader.countUnknowns() == 2 && reader.getFunction(1) == Function::Tanh)
    for (double sign : {1.0, -1.0})
      if (PolynomialReader::agree(reader.getArgument(1), makeInner(sign)) &&
          PolynomialReader::agree(
              *read, {{Monomial{0}, 0.5}, {Monomial{0, 1}, sign * 0.5}}))
        return true;
  // x / (1 + exp(-2u)), which is the same.
  return reader.countUnknowns() == 3 &&
         reader.getFunction(1) == Function::Exp &&
         reader.getFunction(2) == Function::Reciprocal &&
         PolynomialReader::agree(reader.getArgument(1), makeInner(-2)) &&
         PolynomialReader::agree(reader.getArgument(2),
                                 {{Monomial(), 1.0}, {Monomial{1}, 1.0}}) &&
         PolynomialReader::agree(*read, {{Monomial{0, 2}, 1.0}});
}
