//===- LinearLayout.cpp - where a vector's elements are -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LinearLayout.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace carousel;

static constexpr const char *kNames[kPlaces] = {"register", "lane", "warp",
                                                "cta"};

namespace {

/// Columns over bits, of which sums are sought.
class BitMatrix {
public:
  /// Returns false if the column is a sum of earlier ones.
  bool add(uint32_t column, uint64_t name) {
    for (const Row &row : rows)
      if (column >> row.lead & 1) {
        column ^= row.value;
        name ^= row.names;
      }
    if (column == 0)
      return false;
    unsigned lead = llvm::Log2_32(column);
    for (Row &row : rows)
      if (row.value >> lead & 1) {
        row.value ^= column;
        row.names ^= name;
      }
    rows.push_back({column, lead, name});
    return true;
  }

  /// The names of columns whose sum is `target`.
  std::optional<uint64_t> solve(uint32_t target) const {
    uint64_t names = 0;
    for (const Row &row : rows)
      if (target >> row.lead & 1) {
        target ^= row.value;
        names ^= row.names;
      }
    return target == 0 ? std::optional(names) : std::nullopt;
  }

  size_t getRank() const { return rows.size(); }

private:
  struct Row {
    uint32_t value;
    unsigned lead; ///< the bit that no other row has
    uint64_t names;
  };
  std::vector<Row> rows;
};

} // namespace

/// A column's name: 16 bits for each kind of place.
static uint64_t getName(Place place, unsigned bit) {
  return uint64_t(1) << (16 * static_cast<unsigned>(place) + bit);
}

static PlaceNumbers toNumbers(uint64_t names) {
  PlaceNumbers numbers;
  for (unsigned i = 0; i < kPlaces; ++i)
    numbers[i] = names >> (16 * i) & 0xffff;
  return numbers;
}

//===----------------------------------------------------------------------===//
// LinearLayout
//===----------------------------------------------------------------------===//

LinearLayout::LinearLayout(llvm::ArrayRef<unsigned> extentBits)
    : extentBits(extentBits.begin(), extentBits.end()) {
  assert(std::accumulate(extentBits.begin(), extentBits.end(), 0u) < 32 &&
         "expected fewer than 2^32 elements");
}

void LinearLayout::addBasis(Place place, llvm::ArrayRef<uint32_t> coordinates) {
  assert(getNumBits(place) < 16 && "expected at most 2^16 places of a kind");
  bases[index(place)].push_back(pack(coordinates));
}

unsigned LinearLayout::getNumBits() const {
  unsigned bits = 0;
  for (Place place : kAllPlaces)
    bits += getNumBits(place);
  return bits;
}

uint32_t LinearLayout::pack(llvm::ArrayRef<uint32_t> coordinates) const {
  assert(coordinates.size() == extentBits.size() &&
         "expected a number for each dimension");
  uint32_t packed = 0;
  for (auto [bits, number] : llvm::zip_equal(extentBits, coordinates)) {
    assert(number >> bits == 0 && "expected a number below the extent");
    packed = packed << bits | number;
  }
  return packed;
}

llvm::SmallVector<uint32_t> LinearLayout::unpack(uint32_t packed) const {
  llvm::SmallVector<uint32_t> coordinates;
  for (unsigned bits : llvm::reverse(extentBits)) {
    coordinates.push_back(packed & ((1u << bits) - 1));
    packed >>= bits;
  }
  std::reverse(coordinates.begin(), coordinates.end());
  return coordinates;
}

llvm::SmallVector<llvm::SmallVector<uint32_t>>
LinearLayout::getBases(Place place) const {
  llvm::SmallVector<llvm::SmallVector<uint32_t>> unpacked;
  for (uint32_t basis : bases[index(place)])
    unpacked.push_back(unpack(basis));
  return unpacked;
}

LinearLayout LinearLayout::mapBases(llvm::ArrayRef<unsigned> extentBits,
                                    BasisMap map) const {
  LinearLayout mapped(extentBits);
  for (Place place : kAllPlaces)
    for (uint32_t basis : bases[index(place)])
      mapped.addBasis(place, map(unpack(basis)));
  return mapped;
}

LinearLayout LinearLayout::withoutCopies() const {
  LinearLayout layout = *this;
  llvm::erase(layout.bases[index(Place::Register)], 0u);
  return layout;
}

llvm::SmallVector<uint32_t>
LinearLayout::apply(const PlaceNumbers &place) const {
  uint32_t packed = 0;
  for (unsigned i = 0; i < kPlaces; ++i)
    for (auto [bit, basis] : llvm::enumerate(bases[i]))
      if (place[i] >> bit & 1)
        packed ^= basis;
  return unpack(packed);
}

bool LinearLayout::isSurjective() const {
  BitMatrix matrix;
  for (const auto &own : bases)
    for (uint32_t basis : own)
      matrix.add(basis, 0);
  return matrix.getRank() ==
         std::accumulate(extentBits.begin(), extentBits.end(), size_t(0));
}

uint32_t LinearLayout::getFreeBits(Place place) const {
  uint32_t free = 0;
  for (auto [bit, basis] : llvm::enumerate(bases[index(place)]))
    free |= uint32_t(basis == 0) << bit;
  return free;
}

std::optional<PlaceNumbers>
LinearLayout::find(llvm::ArrayRef<uint32_t> coordinates) const {
  BitMatrix matrix;
  for (Place place : kAllPlaces)
    for (auto [bit, basis] : llvm::enumerate(bases[index(place)]))
      matrix.add(basis, getName(place, bit));
  std::optional<uint64_t> names = matrix.solve(pack(coordinates));
  if (!names)
    return std::nullopt;
  return toNumbers(*names);
}

std::optional<uint32_t>
LinearLayout::findRegister(llvm::ArrayRef<uint32_t> coordinates) const {
  BitMatrix matrix;
  for (auto [bit, basis] : llvm::enumerate(bases[index(Place::Register)]))
    matrix.add(basis, getName(Place::Register, bit));
  std::optional<uint64_t> names = matrix.solve(pack(coordinates));
  if (!names)
    return std::nullopt;
  return toNumbers(*names)[index(Place::Register)];
}

uint32_t LinearLayout::getContiguous(unsigned dim) const {
  unsigned shift =
      std::accumulate(extentBits.begin() + dim + 1, extentBits.end(), 0u);
  uint32_t elements = 1;
  for (uint32_t basis : bases[index(Place::Register)]) {
    if (basis != elements << shift || elements >> extentBits[dim] != 0)
      break;
    elements *= 2;
  }
  // The others select whole runs.
  for (Place place : kAllPlaces)
    for (auto [bit, basis] : llvm::enumerate(bases[index(place)])) {
      bool isOfRun = place == Place::Register && uint64_t(1) << bit < elements;
      uint32_t within = basis >> shift & ((uint32_t(1) << extentBits[dim]) - 1);
      while (!isOfRun && within % elements != 0)
        elements /= 2;
    }
  return elements;
}

void LinearLayout::print(llvm::raw_ostream &os) const {
  llvm::ListSeparator separator;
  for (Place place : kAllPlaces) {
    if (getNumBits(place) == 0)
      continue;
    os << separator << kNames[index(place)] << " = [";
    llvm::interleaveComma(bases[index(place)], os, [&](uint32_t basis) {
      os << '[';
      llvm::interleaveComma(unpack(basis), os);
      os << ']';
    });
    os << ']';
  }
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

std::optional<Conversion> Conversion::plan(const LinearLayout &from,
                                           const LinearLayout &to) {
  assert(from.extentBits == to.extentBits && "expected layouts of one vector");
  // The bits, by the farthest place that may be another one than the element's
  // new place.
  std::array<BitMatrix, kPlaces> within;
  for (Place reach : kAllPlaces)
    for (Place place : kAllPlaces)
      if (place <= reach)
        for (auto [bit, basis] :
             llvm::enumerate(from.bases[static_cast<unsigned>(place)]))
          within[static_cast<unsigned>(reach)].add(basis, getName(place, bit));
  Conversion conversion;
  for (Place place : kAllPlaces)
    for (auto [bit, basis] :
         llvm::enumerate(to.bases[static_cast<unsigned>(place)])) {
      const auto &own = from.bases[static_cast<unsigned>(place)];
      uint64_t here = bit < own.size() ? getName(place, bit) : 0;
      uint32_t there = here ? own[bit] : 0;
      std::optional<uint64_t> source;
      if (here && there == basis)
        source = here;
      for (unsigned reach = 0; !source && reach < kPlaces; ++reach)
        if (std::optional<uint64_t> names = within[reach].solve(basis ^ there))
          source = *names ^ here;
      if (!source)
        return std::nullopt;
      conversion.images[static_cast<unsigned>(place)].push_back(
          toNumbers(*source));
    }
  return conversion;
}

PlaceNumbers Conversion::apply(const PlaceNumbers &place) const {
  PlaceNumbers source = {};
  for (unsigned i = 0; i < kPlaces; ++i)
    for (auto [bit, image] : llvm::enumerate(images[i]))
      if (place[i] >> bit & 1)
        for (unsigned j = 0; j < kPlaces; ++j)
          source[j] ^= image[j];
  return source;
}

Movement Conversion::getMovement() const {
  unsigned farthest = 0;
  for (unsigned i = 0; i < kPlaces; ++i)
    for (auto [bit, image] : llvm::enumerate(images[i]))
      for (unsigned j = 0; j < kPlaces; ++j)
        if (image[j] != (i == j ? 1u << bit : 0u))
          farthest = std::max(farthest, j + 1);
  return static_cast<Movement>(farthest);
}
