//===- FragmentLayouts.h - layouts of matrix products -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts of C[m, n] += A[m, k] * B[k, n] in which warps multiply by matrix
// instructions, and in which they load. PTX ISA, Warp-level matrix
// instructions: mma.sync and ldmatrix.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_LAYOUTS_FRAGMENTLAYOUTS_H
#define CAROUSEL_ANALYSIS_LAYOUTS_FRAGMENTLAYOUTS_H

#include "carousel/Analysis/Layouts/AnchorLayouts.h"

namespace carousel {

/// The extents of a product, as powers of two.
struct ProductBits {
  unsigned m, n, k;
};

/// The layouts of A as (m, k), B as (k, n) and C as (m, n). A piece is what one
/// instruction m16n8 takes; its elements are consecutive registers, in the
/// order of the instruction's operands. Pieces of A and C follow each other
/// along m last; those of B along k last.
struct FragmentLayouts {
  LinearLayout a, b, c;
};

/// The bits of k that an instruction adds: 16 bytes of each row.
unsigned getFragmentBitsOfK(unsigned elementBits);

/// The bit of C that a bit of a warp's number selects: one of the row's number,
/// one of the column's, or none, so that warps have copies.
struct WarpBit {
  enum class Side { Rows, Columns, None };
  Side side = Side::None;
  unsigned bit = 0;

  bool operator==(const WarpBit &other) const {
    return side == other.side && bit == other.bit;
  }
};
using WarpShare = llvm::SmallVector<WarpBit>;

/// How warps share C.
enum class WarpOrder {
  Squares, ///< each reads little of A and B
  Rows,    ///< each has whole rows as far as there are pieces
  Columns, ///< each has whole columns as far as there are pieces
};
/// Warps that are left over have copies.
WarpShare shareWarps(ProductBits bits, unsigned warps,
                     WarpOrder order = WarpOrder::Squares);

/// The same for instructions of four warps: these have 16 rows each, and
/// warpgroups share the pieces of 64 rows. Those that are left over share the
/// columns, or have copies if each needs all columns of its rows. There are at
/// least four warps and 64 rows.
WarpShare shareWarpgroups(ProductBits bits, unsigned warps,
                          bool sharesColumns = true);
/// The bits of a warp's number in its warpgroup.
inline constexpr unsigned kWarpBitsOfGroup = 2;
/// Where each warpgroup begins: the layout without what registers, lanes and
/// the warps of a warpgroup add.
LinearLayout ofWarpgroups(const LinearLayout &layout);
/// The rest: where a thread's elements are in what its warpgroup has.
LinearLayout inWarpgroup(const LinearLayout &layout);
/// Whether the four warps of each warpgroup have 64 rows in order.
bool isOfWarpgroups(llvm::ArrayRef<WarpBit> warps);

/// Whether, in addition, several warpgroups have all columns of rows of their
/// own, one after the other. `bits` are those of C's rows.
bool haveOwnRows(llvm::ArrayRef<WarpBit> warps, unsigned bits);

/// How warps share C in a layout whose threads have what instructions leave
/// them, in any order of registers; nullopt for other layouts.
std::optional<WarpShare> findWarpShare(const LinearLayout &c);

/// Elements of A and B have 8, 16 or 32 bits; m is at least 16, n at least 8,
/// and k at least an instruction's.
FragmentLayouts makeFragmentLayouts(ProductBits bits, unsigned elementBits,
                                    llvm::ArrayRef<WarpBit> warps);
/// The layouts in squares.
FragmentLayouts makeFragmentLayouts(ProductBits bits, unsigned elementBits,
                                    ThreadBits threads);

/// How ldmatrix loads a tile to a layout.
struct MatrixLoads {
  bool transposed;
  /// Matrices of 8 rows of 16 bytes that an instruction loads: 1, 2 or 4. A
  /// thread gets 32 bits of each.
  unsigned matrices;
  /// The rows whose addresses the lanes provide: register bits select the
  /// instruction.
  LinearLayout rows;
};

/// nullopt for other layouts. The layout's last dimension is that of
/// consecutive elements in memory, of 8, 16 or 32 bits. Only those of 16 bits
/// can be transposed.
std::optional<MatrixLoads> findMatrixLoads(const LinearLayout &layout,
                                           unsigned elementBits);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_LAYOUTS_FRAGMENTLAYOUTS_H
