//===- BitIndex.h - indices as linear maps of bits --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads an index as the exclusive or of a constant and bits of other values, as
// those of threads are in swizzled tiles. Additions count where they carry
// nothing, and products, quotients and remainders by powers of two. So indices
// of one thread differ by constants where the bits are the same.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_BITINDEX_H
#define CAROUSEL_ANALYSIS_VALUES_BITINDEX_H

#include "carousel/Analysis/Values/IndexRanges.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>
#include <optional>

namespace carousel {

/// An index below 2^kBits. Bit b is that of the constant, plus the parity of
/// the sources' bits that `rows[b]` has.
struct BitIndex {
  static constexpr unsigned kBits = 31;
  std::array<uint64_t, kBits> rows = {};
  uint32_t constant = 0;
  /// Computed by an exclusive or, so that no sum of a constant says the same.
  bool isPermuted = false;

  /// The bits that depend on sources.
  uint32_t getVariable() const;
  /// The bits that may be 1.
  uint32_t getPossible() const { return getVariable() | constant; }

  BitIndex operator^(const BitIndex &other) const;
  BitIndex operator&(uint32_t mask) const;
  /// Shifted to the right by a negative number of bits; nullopt if a bit is
  /// lost on the left.
  std::optional<BitIndex> shift(int bits) const;
};

/// Some bits of a value, shifted to the left, or to the right if `shift` is
/// negative.
struct BitTerm {
  mlir::Value source;
  uint64_t mask = 0; ///< of the source
  int shift = 0;
};

/// The indices of one kernel.
class BitIndices {
public:
  /// nullopt if it isn't such a map of at most 64 bits of sources.
  std::optional<BitIndex> get(mlir::Value value);
  /// The row-major place of `indices` in an array of these extents.
  std::optional<BitIndex> linearize(mlir::ValueRange indices,
                                    llvm::ArrayRef<int64_t> extents);
  /// Terms whose exclusive or is the index without its constant.
  llvm::SmallVector<BitTerm> getTerms(const BitIndex &index) const;

private:
  std::optional<BitIndex> compute(mlir::Value value);
  std::optional<BitIndex> makeSource(mlir::Value value);

  IndexRanges ranges;
  OperandFold<std::optional<BitIndex>> known;
  /// The value and the number of its bit, for each bit of a row.
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> sources;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_BITINDEX_H
