//===- ElementMaps.cpp - layouts through maps of elements -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ElementMaps.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/ElementMaps.h"

#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace carousel;
using namespace mlir;

using Coordinates = SmallVector<uint32_t>;

//===----------------------------------------------------------------------===//
// Expressions over bits
//===----------------------------------------------------------------------===//

namespace {

/// An expression as the exclusive or of a constant and a column for each bit of
/// each dimension that is 1.
struct BitExpr {
  SmallVector<Coordinates> columns; ///< by dimension and bit
  uint32_t constant = 0;

  /// All bits that may be 1.
  uint32_t getBits() const {
    uint32_t bits = constant;
    for (const Coordinates &dim : columns)
      for (uint32_t column : dim)
        bits |= column;
    return bits;
  }
  template <typename Function> BitExpr apply(Function function) const {
    BitExpr result = *this;
    result.constant = function(constant);
    for (Coordinates &dim : result.columns)
      for (uint32_t &column : dim)
        column = function(column);
    return result;
  }
  BitExpr combine(const BitExpr &other) const {
    BitExpr result = *this;
    result.constant ^= other.constant;
    for (auto [dim, own] : llvm::zip_equal(result.columns, other.columns))
      for (auto [column, added] : llvm::zip_equal(dim, own))
        column ^= added;
    return result;
  }
};

class BitReader {
public:
  explicit BitReader(ArrayRef<unsigned> extentBits) : extentBits(extentBits) {}

  std::optional<BitExpr> read(AffineExpr expr) const {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      BitExpr result = makeZero();
      for (auto [bit, column] :
           llvm::enumerate(result.columns[dim.getPosition()]))
        column = 1u << bit;
      return result;
    }
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      if (constant.getValue() < 0 || constant.getValue() >> 31 != 0)
        return std::nullopt;
      BitExpr result = makeZero();
      result.constant = constant.getValue();
      return result;
    }
    auto both = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!both)
      return std::nullopt;
    if (expr.getKind() == AffineExprKind::Add)
      return readSum(both);
    auto factor = dyn_cast<AffineConstantExpr>(both.getRHS());
    std::optional<BitExpr> own = read(both.getLHS());
    if (!factor || !own)
      return std::nullopt;
    // A coordinate that is always 0, times any number.
    if (own->getBits() == 0)
      return own;
    if (factor.getValue() <= 0 || !llvm::isPowerOf2_64(factor.getValue()))
      return std::nullopt;
    return scale(*own, expr.getKind(), llvm::Log2_64(factor.getValue()));
  }

private:
  BitExpr makeZero() const {
    BitExpr zero;
    for (unsigned bits : extentBits)
      zero.columns.emplace_back(bits, 0u);
    return zero;
  }

  /// Terms without a common bit have no carry, and what is taken from a number
  /// that has all its bits no borrow.
  std::optional<BitExpr> readSum(AffineBinaryOpExpr sum) const {
    std::optional<BitExpr> lhs = read(sum.getLHS()), rhs = read(sum.getRHS());
    if (lhs && rhs)
      return (lhs->getBits() & rhs->getBits()) == 0
                 ? std::optional(lhs->combine(*rhs))
                 : std::nullopt;
    std::optional<BitExpr> taken = read(-sum.getLHS());
    if (!taken || !isa<AffineConstantExpr>(sum.getRHS()) || !rhs ||
        (taken->getBits() & ~rhs->constant) != 0)
      return std::nullopt;
    return taken->combine(*rhs);
  }

  static std::optional<BitExpr> scale(const BitExpr &expr, AffineExprKind kind,
                                      unsigned shift) {
    if (kind == AffineExprKind::Mul) {
      if (shift > 31 || shift > unsigned(llvm::countl_zero(expr.getBits())))
        return std::nullopt;
      return expr.apply([&](uint32_t own) { return own << shift; });
    }
    if (kind == AffineExprKind::FloorDiv)
      return expr.apply(
          [&](uint32_t own) { return shift > 31 ? 0 : own >> shift; });
    if (kind == AffineExprKind::Mod)
      return expr.apply([&](uint32_t own) {
        return shift > 31 ? own : own & ((1u << shift) - 1);
      });
    return std::nullopt;
  }

  ArrayRef<unsigned> extentBits;
};

} // namespace

std::optional<ElementMap> ElementMap::of(AffineMap map, ArrayRef<unsigned> from,
                                         ArrayRef<unsigned> to) {
  ElementMap result;
  for (unsigned bits : from)
    result.columns.emplace_back(bits, Coordinates());
  for (auto [expr, bits] : llvm::zip_equal(map.getResults(), to)) {
    std::optional<BitExpr> own = BitReader(from).read(expr);
    if (!own || own->getBits() >> bits != 0)
      return std::nullopt;
    result.constant.push_back(own->constant);
    for (auto [dim, columns] : llvm::zip_equal(result.columns, own->columns))
      for (auto [column, number] : llvm::zip_equal(dim, columns))
        column.push_back(number);
  }
  return result;
}

Coordinates ElementMap::applyLinear(ArrayRef<uint32_t> coordinates) const {
  Coordinates mapped(constant.size(), 0u);
  for (auto [dim, number] : llvm::zip_equal(columns, coordinates))
    for (auto [bit, column] : llvm::enumerate(dim))
      if (number >> bit & 1)
        for (auto [own, changed] : llvm::zip_equal(mapped, column))
          own ^= changed;
  return mapped;
}

Coordinates ElementMap::apply(ArrayRef<uint32_t> coordinates) const {
  Coordinates mapped = applyLinear(coordinates);
  for (auto [own, changed] : llvm::zip_equal(mapped, constant))
    own ^= changed;
  return mapped;
}

static SmallVector<unsigned> getBitsOf(Value vector) {
  return getExtentBits(cast<VectorType>(vector.getType()).getShape());
}

std::optional<ElementMap>
carousel::findElementMap(Operation *op, const ElementSource &source) {
  return ElementMap::of(source.map, getBitsOf(op->getResult(0)),
                        getBitsOf(op->getOperand(source.operand)));
}

std::optional<SmallVector<ElementMap, 2>>
carousel::findElementMaps(OpOperand &operand) {
  auto op = cast<DistributionOpInterface>(operand.getOwner());
  SmallVector<ElementMap, 2> maps;
  for (const ElementSource &source : op.getElementSources()) {
    if (source.operand != operand.getOperandNumber())
      continue;
    std::optional<ElementMap> map = findElementMap(op, source);
    if (!map || (!maps.empty() && !map->hasSameBits(maps.front())))
      return std::nullopt;
    maps.push_back(*map);
  }
  return maps;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Registers whose elements others have, too, are left out.
static void addBasis(LinearLayout &layout, Place place,
                     ArrayRef<uint32_t> basis) {
  if (place != Place::Register || !layout.findRegister(basis))
    layout.addBasis(place, basis);
}

static void addBases(LinearLayout &layout, const LinearLayout &other) {
  for (Place place : kAllPlaces)
    for (const Coordinates &basis : other.getBases(place))
      addBasis(layout, place, basis);
}

/// The single bits of coordinates, lowest first.
static SmallVector<Coordinates> getBits(ArrayRef<unsigned> extentBits) {
  SmallVector<Coordinates> bits;
  for (size_t dim = extentBits.size(); dim-- > 0;)
    for (unsigned bit = 0; bit < extentBits[dim]; ++bit) {
      bits.emplace_back(extentBits.size(), 0u);
      bits.back()[dim] = 1u << bit;
    }
  return bits;
}

/// Registers come first whose bits select the sources of one element, since
/// these are often next to each other.
LinearLayout carousel::getSourceLayout(ArrayRef<ElementMap> maps,
                                       const LinearLayout &result,
                                       ArrayRef<unsigned> extentBits) {
  LinearLayout mapped =
      result.mapBases(extentBits, [&](ArrayRef<uint32_t> basis) {
        return maps.front().applyLinear(basis);
      });
  LinearLayout own(extentBits);
  // The differences between sources first: they say least of other threads.
  for (const ElementMap &map : llvm::reverse(maps)) {
    LinearLayout known = own;
    addBases(known, mapped);
    Coordinates basis(map.getConstant());
    if (&map != &maps.front())
      for (auto [number, first] :
           llvm::zip_equal(basis, maps.front().getConstant()))
        number ^= first;
    if (std::optional<PlaceNumbers> place = known.find(basis)) {
      // Other threads have it: without what registers add to theirs, so that
      // runs of registers begin at multiples of their length.
      (*place)[unsigned(Place::Register)] = 0;
      basis = known.apply(*place);
    }
    addBasis(own, Place::Register, basis);
  }
  addBases(own, mapped);
  return own;
}

LinearLayout carousel::withAllElements(const LinearLayout &layout) {
  LinearLayout all = layout;
  for (const Coordinates &bit : getBits(layout.getExtentBits()))
    if (!all.find(bit))
      all.addBasis(Place::Register, bit);
  return all;
}

/// Solves for the bits of the result's coordinates that each basis comes from.
/// A layout serves as the system of equations: what bits of the result select
/// in its registers and lanes, and constants after them. Each kind of place has
/// at most 16 bits.
std::optional<LinearLayout>
carousel::getLayoutOfSource(ArrayRef<ElementMap> maps,
                            const LinearLayout &operand,
                            ArrayRef<unsigned> extentBits) {
  LinearLayout system(operand.getExtentBits());
  constexpr unsigned kPlaceBits = 16;
  SmallVector<Coordinates> bits = getBits(extentBits);
  for (auto [number, bit] : llvm::enumerate(bits))
    system.addBasis(number < kPlaceBits ? Place::Register : Place::Lane,
                    maps.front().applyLinear(bit));
  for (const ElementMap &map : maps)
    if (!system.find(map.getConstant()))
      system.addBasis(system.getNumBits(Place::Warp) < kPlaceBits ? Place::Warp
                                                                  : Place::CTA,
                      map.getConstant());
  LinearLayout result(extentBits);
  for (Place place : kAllPlaces)
    for (const Coordinates &basis : operand.getBases(place)) {
      Coordinates selected(extentBits.size(), 0u);
      if (std::optional<PlaceNumbers> found = system.find(basis)) {
        uint32_t numbers = (*found)[unsigned(Place::Register)] |
                           (*found)[unsigned(Place::Lane)] << kPlaceBits;
        for (auto [number, bit] : llvm::enumerate(bits))
          if (numbers >> number & 1)
            for (auto [own, added] : llvm::zip_equal(selected, bit))
              own ^= added;
      } else if (place != Place::Register) {
        return std::nullopt;
      }
      addBasis(result, place, selected);
    }
  if (!result.isSurjective())
    return std::nullopt;
  return result;
}
