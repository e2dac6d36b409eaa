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

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace carousel;

/// Bits of a piece.
static constexpr unsigned kRows = 4, kColumns = 3, kMatrixRows = 3;
/// A quarter of a warp's lanes hold a row of a piece.
static constexpr unsigned kLanesOfRow = 2;

using Side = WarpBit::Side;

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

  /// Those of a side's bits that no warp has.
  void addOthers(unsigned dim, unsigned from, unsigned to,
                 llvm::ArrayRef<WarpBit> warps, Side side) {
    for (unsigned bit = from; bit < to; ++bit)
      if (!llvm::is_contained(warps, WarpBit{side, bit}))
        add(Place::Register, dim, bit, bit + 1);
  }

  /// Adds the warps' bits to a factor that has one side of C as dimension
  /// `dim`.
  void addWarps(unsigned dim, llvm::ArrayRef<WarpBit> warps, Side side) {
    for (const WarpBit &warp : warps)
      if (warp.side == side)
        add(Place::Warp, dim, warp.bit, warp.bit + 1);
      else
        layout.addBasis(Place::Warp, {0, 0});
  }

  LinearLayout layout;
};

} // namespace

WarpShare carousel::shareWarps(ProductBits bits, unsigned warps,
                               WarpOrder order) {
  unsigned rows = 0, columns = 0, copies = 0;
  for (; warps != 0; --warps) {
    unsigned m = bits.m - rows, n = bits.n - columns;
    bool canShareM = m > kRows, canShareN = n > kColumns;
    // Each bit halves the longer side of a warp's part.
    bool prefersM =
        order == WarpOrder::Rows || (order == WarpOrder::Squares && m >= n);
    if (canShareM && (prefersM || !canShareN))
      ++rows;
    else if (canShareN)
      ++columns;
    else
      ++copies;
  }
  WarpShare share;
  for (unsigned bit = bits.m - rows; bit < bits.m; ++bit)
    share.push_back({Side::Rows, bit});
  for (unsigned bit = bits.n - columns; bit < bits.n; ++bit)
    share.push_back({Side::Columns, bit});
  share.resize(share.size() + copies);
  return share;
}

WarpShare carousel::shareWarpgroups(ProductBits bits, unsigned warps,
                                    bool sharesColumns) {
  unsigned pieces = bits.m - kRows - kWarpBitsOfGroup;
  unsigned groups = warps - kWarpBitsOfGroup;
  unsigned rows = std::min(groups, pieces);
  unsigned columns =
      sharesColumns ? std::min(groups - rows, bits.n - kColumns) : 0;
  WarpShare share = {{Side::Rows, kRows}, {Side::Rows, kRows + 1}};
  for (unsigned bit = bits.m - rows; bit < bits.m; ++bit)
    share.push_back({Side::Rows, bit});
  for (unsigned bit = bits.n - columns; bit < bits.n; ++bit)
    share.push_back({Side::Columns, bit});
  share.resize(warps);
  return share;
}

static LinearLayout keepWarps(const LinearLayout &layout, bool ofGroups) {
  LinearLayout kept(layout.getExtentBits());
  llvm::SmallVector<uint32_t> zeros(layout.getExtentBits().size(), 0);
  for (Place place : {Place::Register, Place::Lane, Place::Warp, Place::CTA})
    for (auto [bit, basis] : llvm::enumerate(layout.getBases(place))) {
      bool isOfGroups = place == Place::Warp && bit >= kWarpBitsOfGroup;
      kept.addBasis(place, isOfGroups == ofGroups ? basis : zeros);
    }
  return kept;
}

LinearLayout carousel::ofWarpgroups(const LinearLayout &layout) {
  return keepWarps(layout, /*ofGroups=*/true);
}

LinearLayout carousel::inWarpgroup(const LinearLayout &layout) {
  return keepWarps(layout, /*ofGroups=*/false);
}

bool carousel::isOfWarpgroups(llvm::ArrayRef<WarpBit> warps) {
  return warps.size() >= kWarpBitsOfGroup &&
         warps[0] == WarpBit{Side::Rows, kRows} &&
         warps[1] == WarpBit{Side::Rows, kRows + 1};
}

bool carousel::haveOwnRows(llvm::ArrayRef<WarpBit> warps, unsigned bits) {
  if (!isOfWarpgroups(warps) || warps.size() == kWarpBitsOfGroup)
    return false;
  unsigned next = bits - (warps.size() - kWarpBitsOfGroup);
  return llvm::all_of(warps.drop_front(kWarpBitsOfGroup), [&](WarpBit bit) {
    return bit == WarpBit{Side::Rows, next++};
  });
}

/// The bit of a side that a basis selects outside of pieces.
static std::optional<WarpBit> findWarpBit(llvm::ArrayRef<uint32_t> basis) {
  if (basis[0] == 0 && basis[1] == 0)
    return WarpBit();
  bool isRow = basis[1] == 0;
  uint32_t number = isRow ? basis[0] : basis[1];
  if ((!isRow && basis[0] != 0) || !llvm::isPowerOf2_32(number))
    return std::nullopt;
  unsigned bit = llvm::Log2_32(number);
  if (bit < (isRow ? kRows : kColumns))
    return std::nullopt;
  return WarpBit{isRow ? Side::Rows : Side::Columns, bit};
}

std::optional<WarpShare> carousel::findWarpShare(const LinearLayout &c) {
  llvm::ArrayRef<unsigned> bits = c.getExtentBits();
  if (bits.size() != 2 || bits[0] < kRows || bits[1] < kColumns ||
      c.getNumBits(Place::CTA) != 0)
    return std::nullopt;
  WarpShare share;
  for (const auto &basis : c.getBases(Place::Warp)) {
    std::optional<WarpBit> bit = findWarpBit(basis);
    if (!bit)
      return std::nullopt;
    share.push_back(*bit);
  }
  // The result doesn't depend on the factors.
  LinearLayout made =
      makeFragmentLayouts({bits[0], bits[1], /*k=*/4}, 16, share).c;
  auto sort = [](const LinearLayout &layout) {
    auto registers = layout.withoutCopies().getBases(Place::Register);
    llvm::sort(registers);
    return registers;
  };
  if (made.getBases(Place::Lane) != c.getBases(Place::Lane) ||
      sort(made) != sort(c))
    return std::nullopt;
  return share;
}

static unsigned getPackBits(unsigned elementBits) {
  return elementBits == 8 ? 2 : elementBits == 16 ? 1 : 0;
}

unsigned carousel::getFragmentBitsOfK(unsigned elementBits) {
  return getPackBits(elementBits) + kLanesOfRow + 1;
}

FragmentLayouts carousel::makeFragmentLayouts(ProductBits bits,
                                              unsigned elementBits,
                                              llvm::ArrayRef<WarpBit> warps) {
  unsigned pack = getPackBits(elementBits);
  unsigned half = pack + kLanesOfRow; // of k

  FragmentBuilder a(bits.m, bits.k);
  a.add(Place::Register, 1, 0, pack);
  a.add(Place::Register, 0, kMatrixRows, kRows);
  a.add(Place::Register, 1, half, bits.k);
  a.addOthers(0, kRows, bits.m, warps, Side::Rows);
  a.add(Place::Lane, 1, pack, half);
  a.add(Place::Lane, 0, 0, kMatrixRows);
  a.addWarps(0, warps, Side::Rows);

  FragmentBuilder b(bits.k, bits.n);
  b.add(Place::Register, 0, 0, pack);
  b.add(Place::Register, 0, half, half + 1);
  b.addOthers(1, kColumns, bits.n, warps, Side::Columns);
  b.add(Place::Register, 0, half + 1, bits.k);
  b.add(Place::Lane, 0, pack, half);
  b.add(Place::Lane, 1, 0, kColumns);
  b.addWarps(1, warps, Side::Columns);

  FragmentBuilder c(bits.m, bits.n);
  c.add(Place::Register, 1, 0, 1);
  c.add(Place::Register, 0, kMatrixRows, kRows);
  c.addOthers(1, kColumns, bits.n, warps, Side::Columns);
  c.addOthers(0, kRows, bits.m, warps, Side::Rows);
  c.add(Place::Lane, 1, 1, kColumns);
  c.add(Place::Lane, 0, 0, kMatrixRows);
  for (const WarpBit &warp : warps)
    if (warp.side == Side::None)
      c.layout.addBasis(Place::Warp, {0, 0});
    else
      c.add(Place::Warp, warp.side == Side::Columns, warp.bit, warp.bit + 1);
  return {a.layout, b.layout, c.layout};
}

FragmentLayouts carousel::makeFragmentLayouts(ProductBits bits,
                                              unsigned elementBits,
                                              ThreadBits threads) {
  return makeFragmentLayouts(bits, elementBits,
                             shareWarps(bits, threads.warps));
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
