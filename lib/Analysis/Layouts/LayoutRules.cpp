//===- LayoutRules.cpp - layouts through changes of shape -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LayoutRules.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/LayoutRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace carousel;

using Coordinates = llvm::SmallVector<uint32_t>;

llvm::SmallVector<unsigned>
carousel::getExtentBits(llvm::ArrayRef<int64_t> extents) {
  llvm::SmallVector<unsigned> bits;
  for (int64_t extent : extents)
    bits.push_back(llvm::Log2_64_Ceil(std::max<int64_t>(extent, 1)));
  return bits;
}

//===----------------------------------------------------------------------===//
// Reductions and broadcasts
//===----------------------------------------------------------------------===//

bool carousel::canReduce(const LinearLayout &source,
                         llvm::ArrayRef<bool> isReduced) {
  for (Place place : kAllPlaces)
    for (const Coordinates &basis : source.getBases(place)) {
      bool within = false, outside = false;
      for (auto [number, reduced] : llvm::zip_equal(basis, isReduced))
        (reduced ? within : outside) |= number != 0;
      if (within && outside)
        return false;
    }
  return true;
}

bool carousel::needsGather(const LinearLayout &source,
                           llvm::ArrayRef<bool> isReduced) {
  for (const auto &basis : source.getBases(Place::CTA))
    for (auto [number, reduced] : llvm::zip_equal(basis, isReduced))
      if (reduced && number != 0)
        return true;
  return false;
}

LinearLayout carousel::getReducedLayout(const LinearLayout &source,
                                        llvm::ArrayRef<bool> isReduced) {
  llvm::SmallVector<unsigned> bits;
  for (auto [extent, reduced] :
       llvm::zip_equal(source.getExtentBits(), isReduced))
    if (!reduced)
      bits.push_back(extent);
  return source
      .mapBases(bits,
                [&](llvm::ArrayRef<uint32_t> basis) {
                  Coordinates kept;
                  for (auto [number, reduced] :
                       llvm::zip_equal(basis, isReduced))
                    if (!reduced)
                      kept.push_back(number);
                  return kept;
                })
      .withoutCopies();
}

std::optional<llvm::SmallVector<PlaceBit>>
carousel::findScannedBits(const LinearLayout &source, unsigned dim) {
  unsigned count = source.getExtentBits()[dim];
  std::vector<std::optional<PlaceBit>> found(count);
  for (Place place : kAllPlaces)
    for (auto [bit, basis] : llvm::enumerate(source.getBases(place))) {
      uint32_t own = basis[dim];
      if (own == 0)
        continue;
      bool isAlone = llvm::count_if(basis, [](uint32_t number) {
                       return number != 0;
                     }) == 1;
      if (place == Place::CTA || !isAlone || !llvm::isPowerOf2_32(own) ||
          found[llvm::Log2_32(own)])
        return std::nullopt;
      found[llvm::Log2_32(own)] = PlaceBit{place, unsigned(bit)};
    }
  llvm::SmallVector<PlaceBit> bits;
  for (const std::optional<PlaceBit> &own : found) {
    if (!own)
      return std::nullopt;
    bits.push_back(*own);
  }
  auto isWarp = [](const PlaceBit &own) { return own.place == Place::Warp; };
  auto *first = llvm::find_if(bits, isWarp);
  auto *last = std::find_if_not(first, bits.end(), isWarp);
  bool followEachOther =
      std::none_of(last, bits.end(), isWarp) &&
      std::is_sorted(first, last, [](const PlaceBit &a, const PlaceBit &b) {
        return a.bit < b.bit;
      });
  return followEachOther ? std::optional(bits) : std::nullopt;
}

LinearLayout carousel::gatherLowBits(const LinearLayout &source, unsigned dim,
                                     unsigned low) {
  llvm::SmallVector<PlaceBit> bits = *findScannedBits(source, dim);
  auto order = [](const PlaceBit &bit, llvm::ArrayRef<Place> places) {
    return std::pair(llvm::find(places, bit.place) - places.begin(), bit.bit);
  };
  auto sort = [&](auto begin, auto end, llvm::ArrayRef<Place> places) {
    std::sort(begin, end, [&](const PlaceBit &a, const PlaceBit &b) {
      return order(a, places) < order(b, places);
    });
  };
  sort(bits.begin(), bits.end(), {Place::Lane, Place::Register, Place::Warp});
  sort(bits.begin() + low, bits.end(),
       {Place::Register, Place::Lane, Place::Warp});
  return placeBits(source, dim, bits);
}

LinearLayout carousel::placeBits(const LinearLayout &source, unsigned dim,
                                 llvm::ArrayRef<PlaceBit> bits) {
  LinearLayout placed(source.getExtentBits());
  for (Place place : kAllPlaces)
    for (auto [number, basis] : llvm::enumerate(source.getBases(place))) {
      Coordinates own(basis);
      for (auto [bit, at] : llvm::enumerate(bits))
        if (at.place == place && at.bit == number)
          own[dim] = uint32_t(1) << bit;
      placed.addBasis(place, own);
    }
  return placed;
}

LinearLayout carousel::getFirstLayout(const LinearLayout &source, unsigned dim,
                                      unsigned low) {
  llvm::SmallVector<unsigned> bits(source.getExtentBits());
  if (bits[dim] <= low)
    return source;
  bits[dim] = low;
  return gatherLowBits(source, dim, low)
      .mapBases(bits,
                [&](llvm::ArrayRef<uint32_t> basis) {
                  Coordinates own(basis);
                  own[dim] &= (uint32_t(1) << low) - 1;
                  return own;
                })
      .withoutCopies();
}

LinearLayout carousel::getBroadcastSource(const LinearLayout &result,
                                          llvm::ArrayRef<unsigned> extentBits) {
  return result
      .mapBases(extentBits,
                [&](llvm::ArrayRef<uint32_t> basis) {
                  Coordinates own(basis.take_back(extentBits.size()));
                  for (auto [number, bits] : llvm::zip_equal(own, extentBits))
                    if (bits == 0)
                      number = 0;
                  return own;
                })
      .withoutCopies();
}

//===----------------------------------------------------------------------===//
// The same elements in another order
//===----------------------------------------------------------------------===//

static LinearLayout permute(const LinearLayout &layout,
                            llvm::ArrayRef<int64_t> sources) {
  llvm::SmallVector<unsigned> bits;
  for (int64_t dim : sources)
    bits.push_back(layout.getExtentBits()[dim]);
  return layout.mapBases(bits, [&](llvm::ArrayRef<uint32_t> basis) {
    Coordinates permuted;
    for (int64_t dim : sources)
      permuted.push_back(basis[dim]);
    return permuted;
  });
}

LinearLayout carousel::getTransposed(const LinearLayout &source,
                                     llvm::ArrayRef<int64_t> permutation) {
  return permute(source, permutation);
}

LinearLayout carousel::getTransposeSource(const LinearLayout &result,
                                          llvm::ArrayRef<int64_t> permutation) {
  llvm::SmallVector<int64_t> inverse(permutation.size());
  for (auto [dim, source] : llvm::enumerate(permutation))
    inverse[source] = dim;
  return permute(result, inverse);
}

LinearLayout carousel::getReshaped(const LinearLayout &source,
                                   llvm::ArrayRef<unsigned> extentBits) {
  return source.mapBases(extentBits, [&](llvm::ArrayRef<uint32_t> basis) {
    uint32_t linear = 0;
    for (auto [number, bits] : llvm::zip_equal(basis, source.getExtentBits()))
      linear = linear << bits | number;
    Coordinates reshaped;
    for (unsigned bits : llvm::reverse(extentBits)) {
      reshaped.push_back(linear & ((1u << bits) - 1));
      linear >>= bits;
    }
    std::reverse(reshaped.begin(), reshaped.end());
    return reshaped;
  });
}

LinearLayout carousel::withRunsFirst(const LinearLayout &layout, unsigned dim) {
  llvm::SmallVector<Coordinates> registers = layout.getBases(Place::Register);
  LinearLayout ordered(layout.getExtentBits());
  Coordinates next(layout.getExtentBits().size(), 0);
  for (next[dim] = 1;; next[dim] *= 2) {
    auto *found = llvm::find(registers, next);
    if (found == registers.end())
      break;
    ordered.addBasis(Place::Register, next);
    registers.erase(found);
  }
  for (const Coordinates &basis : registers)
    ordered.addBasis(Place::Register, basis);
  for (Place place : {Place::Lane, Place::Warp, Place::CTA})
    for (const Coordinates &basis : layout.getBases(place))
      ordered.addBasis(place, basis);
  return ordered;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

std::optional<LinearLayout>
carousel::getSliceLayout(const LinearLayout &source,
                         llvm::ArrayRef<unsigned> extentBits) {
  LinearLayout slice(extentBits);
  for (Place place : kAllPlaces)
    for (const Coordinates &basis : source.getBases(place)) {
      bool within = false, selects = false;
      for (auto [number, bits] : llvm::zip_equal(basis, extentBits)) {
        within |= (number & ((1u << bits) - 1)) != 0;
        selects |= number >> bits != 0;
      }
      if (selects && (within || place != Place::Register))
        return std::nullopt;
      if (!selects)
        slice.addBasis(place, basis);
    }
  return slice;
}

LinearLayout carousel::getSliceSource(const LinearLayout &slice,
                                      llvm::ArrayRef<unsigned> extentBits) {
  LinearLayout source =
      slice.mapBases(extentBits, [](llvm::ArrayRef<uint32_t> basis) {
        return Coordinates(basis);
      });
  for (auto [dim, bits] : llvm::enumerate(extentBits))
    for (unsigned bit = slice.getExtentBits()[dim]; bit < bits; ++bit) {
      Coordinates basis(extentBits.size(), 0);
      basis[dim] = 1u << bit;
      source.addBasis(Place::Register, basis);
    }
  return source;
}

LinearLayout carousel::getInterleaved(const LinearLayout &half) {
  llvm::SmallVector<unsigned> bits(half.getExtentBits());
  ++bits.back();
  LinearLayout result(bits);
  Coordinates selection(bits.size(), 0);
  selection.back() = 1;
  result.addBasis(Place::Register, selection);
  for (Place place : kAllPlaces)
    for (Coordinates &basis : half.getBases(place)) {
      basis.back() <<= 1;
      result.addBasis(place, basis);
    }
  return result;
}

std::optional<LinearLayout>
carousel::getInterleaveSource(const LinearLayout &result) {
  llvm::SmallVector<unsigned> bits(result.getExtentBits());
  if (bits.back() == 0)
    return std::nullopt;
  --bits.back();
  LinearLayout half(bits);
  Coordinates selection(bits.size(), 0);
  selection.back() = 1;
  for (Place place : kAllPlaces)
    for (Coordinates &basis : result.getBases(place)) {
      if (place == Place::Register && basis == selection)
        continue;
      if (basis.back() & 1)
        return std::nullopt;
      basis.back() >>= 1;
      half.addBasis(place, basis);
    }
  return half;
}
