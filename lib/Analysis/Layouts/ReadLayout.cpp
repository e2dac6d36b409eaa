//===- ReadLayout.cpp - layouts from attributes ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/ReadLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;
using llvm::formatv;

/// An element that no place holds. The elements are sums of bases, so all have
/// places if those with one bit of one coordinate have.
static std::optional<SmallVector<uint32_t>>
findMissing(const LinearLayout &layout) {
  ArrayRef<unsigned> extentBits = layout.getExtentBits();
  SmallVector<uint32_t> coordinates(extentBits.size());
  for (size_t dim = 0; dim < extentBits.size(); ++dim) {
    for (unsigned bit = 0; bit < extentBits[dim]; ++bit) {
      coordinates[dim] = uint32_t(1) << bit;
      if (!layout.find(coordinates))
        return coordinates;
    }
    coordinates[dim] = 0;
  }
  return std::nullopt;
}

std::optional<LinearLayout>
carousel::readLayout(LayoutAttr attr, VectorType vector, std::string &error) {
  size_t rank = vector.getRank();
  // Without bases, the attribute has no rank.
  if (attr.getRank() != 0 && attr.getRank() != rank) {
    error = formatv("expected bases of {0} coordinates, got {1}", rank,
                    attr.getRank());
    return std::nullopt;
  }
  SmallVector<unsigned> extentBits;
  for (int64_t extent : vector.getShape())
    extentBits.push_back(llvm::Log2_64_Ceil(extent));
  // Elements are numbered in 32 bits.
  constexpr unsigned kMostBits = 31;
  unsigned bits =
      std::accumulate(extentBits.begin(), extentBits.end(), unsigned(0));
  if (bits > kMostBits) {
    error = formatv("expected a vector of at most 2^{0} elements, with extents "
                    "rounded up to powers of two, got 2^{1}",
                    kMostBits, bits);
    return std::nullopt;
  }
  LinearLayout layout(extentBits);
  for (auto [place, numbers] : {std::pair(Place::Register, attr.getRegisters()),
                                {Place::Lane, attr.getLanes()},
                                {Place::Warp, attr.getWarps()},
                                {Place::CTA, attr.getCtas()}})
    for (size_t at = 0; at < numbers.size(); at += rank) {
      SmallVector<uint32_t> basis;
      for (auto [dim, number] : llvm::enumerate(numbers.slice(at, rank))) {
        int64_t extent = int64_t(1) << extentBits[dim];
        if (number >= extent) {
          error = formatv("expected coordinates below {0} in dimension {1}, "
                          "got {2}",
                          extent, dim, number);
          return std::nullopt;
        }
        basis.push_back(uint32_t(number));
      }
      layout.addBasis(place, basis);
    }
  if (auto missing = findMissing(layout)) {
    error = "expected a place for every element, got none for [";
    llvm::raw_string_ostream os(error);
    llvm::interleaveComma(*missing, os);
    os << ']';
    return std::nullopt;
  }
  return layout;
}
