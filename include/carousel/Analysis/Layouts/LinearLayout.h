//===- LinearLayout.h - where a vector's elements are -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linear map from places (register, lane, warp, CTA of the cluster) to
// elements of a vector, over bits: docs/BlockPhase.md, Layouts. The bits of a
// place select bases, which are coordinates; the element is their exclusive or.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_LAYOUTS_LINEARLAYOUT_H
#define CAROUSEL_ANALYSIS_LAYOUTS_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cstdint>
#include <optional>

namespace carousel {

enum class Place { Register, Lane, Warp, CTA };
constexpr unsigned kPlaces = 4;
inline constexpr std::array<Place, kPlaces> kAllPlaces = {
    Place::Register, Place::Lane, Place::Warp, Place::CTA};

/// The numbers of a place, by Place.
using PlaceNumbers = std::array<uint32_t, kPlaces>;

/// The ways to move elements from one layout to another, cheapest first.
enum class Movement {
  None,      ///< each register keeps its element
  Registers, ///< other registers of the same thread
  Lanes,     ///< other threads of the same warp
  Warps,     ///< other warps of the CTA
  CTAs,      ///< other CTAs of the cluster
};

class LinearLayout {
public:
  /// A layout of a vector with 2^extentBits[d] elements in dimension d, all in
  /// register 0 of one thread, and that has no other elements yet.
  explicit LinearLayout(llvm::ArrayRef<unsigned> extentBits);

  /// Adds the next bit of a kind of place. `coordinates` has a number for each
  /// dimension, below its extent; all 0 for places that hold the same elements.
  void addBasis(Place place, llvm::ArrayRef<uint32_t> coordinates);

  unsigned getNumBits(Place place) const { return bases[index(place)].size(); }
  unsigned getNumBits() const;
  llvm::ArrayRef<unsigned> getExtentBits() const { return extentBits; }

  /// The coordinates that the bits of a kind of place select, lowest bit first.
  llvm::SmallVector<llvm::SmallVector<uint32_t>> getBases(Place place) const;

  using BasisMap = llvm::function_ref<llvm::SmallVector<uint32_t>(
      llvm::ArrayRef<uint32_t> coordinates)>;
  /// The layout of a vector of other extents, with each basis mapped to
  /// coordinates of that vector.
  LinearLayout mapBases(llvm::ArrayRef<unsigned> extentBits,
                        BasisMap map) const;
  /// Without register bits that don't change the element.
  LinearLayout withoutCopies() const;

  /// The coordinates of the element at a place.
  llvm::SmallVector<uint32_t> apply(const PlaceNumbers &place) const;
  /// Whether every element is at some place.
  bool isSurjective() const;
  /// Bits of a kind of place that don't change the element.
  uint32_t getFreeBits(Place place) const;
  /// A place of an element, with 0 for bits that are free; nullopt if it is at
  /// none.
  std::optional<PlaceNumbers> find(llvm::ArrayRef<uint32_t> coordinates) const;
  /// The register of an element of lane 0 in warp 0 of CTA 0; nullopt if that
  /// lane doesn't have it.
  std::optional<uint32_t>
  findRegister(llvm::ArrayRef<uint32_t> coordinates) const;

  /// The number of consecutive registers that hold consecutive elements of a
  /// dimension, which begin at a multiple of that number.
  uint32_t getContiguous(unsigned dim) const;

  bool operator==(const LinearLayout &other) const {
    return extentBits == other.extentBits && bases == other.bases;
  }
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }
  void print(llvm::raw_ostream &os) const;

private:
  static unsigned index(Place place) { return static_cast<unsigned>(place); }
  uint32_t pack(llvm::ArrayRef<uint32_t> coordinates) const;
  llvm::SmallVector<uint32_t> unpack(uint32_t packed) const;

  llvm::SmallVector<unsigned> extentBits;
  /// Coordinates as one number, the last dimension lowest.
  std::array<llvm::SmallVector<uint32_t>, kPlaces> bases;

  friend class Conversion;
};

/// Finds for each place of one layout a place of another one with the same
/// element.
class Conversion {
public:
  /// Both layouts are of the same extents. nullopt if `from` lacks an element
  /// of `to`. If several places have an element, a nearby one is taken.
  static std::optional<Conversion> plan(const LinearLayout &from,
                                        const LinearLayout &to);

  /// The place in `from` of what `place` has in `to`.
  PlaceNumbers apply(const PlaceNumbers &place) const;
  Movement getMovement() const;

private:
  /// The sources of each place's bits, by Place.
  std::array<llvm::SmallVector<PlaceNumbers>, kPlaces> images;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_LAYOUTS_LINEARLAYOUT_H
