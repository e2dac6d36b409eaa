//===- FragmentLayouts.cpp - layouts of matrix products -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FragmentLayouts.h. With e elements in a register of 32 bits, lane 4g + t
// holds of a piece
// - of A: k = t * e + i and 4e further on, of rows g and g + 8;
// - of B: k = t * e + i and 4e further on, of column g;
// - of C: columns 2t and 2t + 1, of rows g and g + 8.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/FragmentLayouts.h"

#include "carousel/Analysis/Layouts/LayoutRules.h"

#include <algorithm>

using namespace carousel;

/// Bits of a piece.
static constexpr unsigned kRows = 4, kColumns = 3, kMatrixRows = 3;
/// A quarter of a warp's lanes hold a row of a piece.
static constexpr unsigned kLanesOfRow = 2;

namespace {

/// Gives bits of two dimensions to places, in any order.
class FragmentBuilder {
public:
  FragmentBuilder(unsigned first, unsigned second) : layout({first, second}) {}

  /// Bits `from` up to `to` of a dimension.
  void add(Place place, unsigned dim, unsigned from, unsigned to) {
    for (unsigned bit = from; bit < to; ++bit) {
      uint32_t basis[2] = {0, 0};
      basis[dim] = 1u << bit;
      layout.addBasis(place, basis);
    }
  }

  void addCopies(Place place, unsigned count) {
    for (unsigned bit = 0; bit < count; ++bit)
      layout.addBasis(place, {0, 0});
  }

  LinearLayout layout;
};

/// Bits of the warp's number that select its rows and its columns of C.
struct WarpBits {
  unsigned m = 0, n = 0, copies = 0;
};

} // namespace

/// Each bit halves the longer side of a warp's part.
static WarpBits shareWarps(ProductBits bits, unsigned warps) {
  WarpBits shared;
  for (; warps != 0; --warps) {
    unsigned m = bits.m - shared.m, n = bits.n - shared.n;
    bool canShareM = m > kRows, canShareN = n > kColumns;
    if (canShareM && (m >= n || !canShareN))
      ++shared.m;
    else if (canShareN)
      ++shared.n;
    else
      ++shared.copies;
  }
  return shared;
}

static unsigned getPackBits(unsigned elementBits) {
  return elementBits == 8 ? 2 : elementBits == 16 ? 1 : 0;
}

unsigned carousel::getFragmentBitsOfK(unsigned elementBits) {
  return getPackBits(elementBits) + kLanesOfRow + 1;
}

FragmentLayouts carousel::makeFragmentLayouts(ProductBits bits,
                                              unsigned elementBits,
                                              ThreadBits threads) {
  unsigned pack = getPackBits(elementBits);
  unsigned half = pack + kLanesOfRow; // of k
  WarpBits warps = shareWarps(bits, threads.warps);
  unsigned m = bits.m - warps.m, n = bits.n - warps.n;

  FragmentBuilder a(bits.m, bits.k);
  a.add(Place::Register, 1, 0, pack);
  a.add(Place::Register, 0, kMatrixRows, kRows);
  a.add(Place::Register, 1, half, bits.k);
  a.add(Place::Register, 0, kRows, m);
  a.add(Place::Lane, 1, pack, half);
  a.add(Place::Lane, 0, 0, kMatrixRows);
  a.add(Place::Warp, 0, m, bits.m);
  a.addCopies(Place::Warp, warps.n + warps.copies);

  FragmentBuilder b(bits.k, bits.n);
  b.add(Place::Register, 0, 0, pack);
  b.add(Place::Register, 0, half, half + 1);
  b.add(Place::Register, 1, kColumns, n);
  b.add(Place::Register, 0, half + 1, bits.k);
  b.add(Place::Lane, 0, pack, half);
  b.add(Place::Lane, 1, 0, kColumns);
  b.addCopies(Place::Warp, warps.m);
  b.add(Place::Warp, 1, n, bits.n);
  b.addCopies(Place::Warp, warps.copies);

  FragmentBuilder c(bits.m, bits.n);
  c.add(Place::Register, 1, 0, 1);
  c.add(Place::Register, 0, kMatrixRows, kRows);
  c.add(Place::Register, 1, kColumns, n);
  c.add(Place::Register, 0, kRows, m);
  c.add(Place::Lane, 1, 1, kColumns);
  c.add(Place::Lane, 0, 0, kMatrixRows);
  c.add(Place::Warp, 0, m, bits.m);
  c.add(Place::Warp, 1, n, bits.n);
  c.addCopies(Place::Warp, warps.copies);
  return {a.layout, b.layout, c.layout};
}

std::optional<MatrixLoads> carousel::findMatrixLoads(const LinearLayout &layout,
                                                     unsigned elementBits) {
  // A box is a matrix whose rows have the last dimension.
  if (llvm::ArrayRef<unsigned> bits = layout.getExtentBits(); bits.size() > 2) {
    unsigned rows = 0;
    for (unsigned own : bits.drop_back())
      rows += own;
    std::optional<MatrixLoads> loads =
        findMatrixLoads(getReshaped(layout, {rows, bits.back()}), elementBits);
    if (loads)
      loads->rows = getReshaped(loads->rows, bits);
    return loads;
  }
  if (layout.getExtentBits().size() != 2 ||
      layout.getNumBits(Place::Lane) != 5 ||
      (elementBits != 8 && elementBits != 16 && elementBits != 32))
    return std::nullopt;
  auto registers = layout.getBases(Place::Register);
  auto lanes = layout.getBases(Place::Lane);
  auto warps = layout.getBases(Place::Warp);
  unsigned pack = getPackBits(elementBits);
  if (registers.size() < pack)
    return std::nullopt;
  // The elements of a register, four lanes, and eight groups of these.
  unsigned columns = pack + kLanesOfRow;
  llvm::SmallVector<llvm::SmallVector<uint32_t>> own(registers.begin(),
                                                     registers.begin() + pack);
  own.append(lanes.begin(), lanes.end());
  auto isAlong = [&](unsigned first, unsigned second) {
    for (auto [bit, basis] : llvm::enumerate(own)) {
      llvm::SmallVector<uint32_t> wanted = {0, 0};
      if (bit < columns)
        wanted[first] = 1u << bit;
      else
        wanted[second] = 1u << (bit - columns);
      if (basis != wanted)
        return false;
    }
    return true;
  };
  bool transposed = elementBits == 16 && isAlong(0, 1);
  if (!transposed && !isAlong(1, 0))
    return std::nullopt;
  auto isOfMatrices = [&](llvm::ArrayRef<uint32_t> basis) {
    return basis[0] % (1u << kMatrixRows) == 0 &&
           basis[1] % (1u << columns) == 0;
  };
  if (!llvm::all_of(llvm::drop_begin(registers, pack), isOfMatrices) ||
      !llvm::all_of(warps, isOfMatrices))
    return std::nullopt;

  unsigned selects = std::min<unsigned>(registers.size() - pack, 2);
  LinearLayout rows(layout.getExtentBits());
  for (unsigned bit = 0; bit < kMatrixRows; ++bit)
    rows.addBasis(Place::Lane, {1u << bit, 0});
  for (unsigned bit = 0; bit < 2; ++bit)
    rows.addBasis(Place::Lane,
                  bit < selects
                      ? llvm::ArrayRef<uint32_t>(registers[pack + bit])
                      : llvm::ArrayRef<uint32_t>({0, 0}));
  for (const auto &basis : llvm::drop_begin(registers, pack + selects))
    rows.addBasis(Place::Register, basis);
  for (const auto &basis : warps)
    rows.addBasis(Place::Warp, basis);
  for (const auto &basis : layout.getBases(Place::CTA))
    rows.addBasis(Place::CTA, basis);
  return MatrixLoads{transposed, 1u << selects, rows};
}
