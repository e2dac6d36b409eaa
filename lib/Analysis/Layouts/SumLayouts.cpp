//===- SumLayouts.cpp - sums of multiply-adds -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SumLayouts.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/SumLayouts.h"

#include "carousel/Analysis/Layouts/AnchorLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace carousel;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The elements of a lane's access of 16 bytes, in bits.
static constexpr unsigned kRunBits = 2;

/// Sums of blocks in each thread, which use each element of a factor several
/// times. A warp has eight columns, or runs of them, of four rows, so that its
/// lanes read 128 bytes of each factor. Where elements of a factor are
/// neighbours along k, lanes read neighbouring rows of its tile, which a
/// swizzle puts into different banks. Otherwise a lane reads a run of the row.
/// Of sums whose rows are reduced, warps have whole rows if there are enough.
static std::optional<LinearLayout> makeSumsOfWarps(ArrayRef<unsigned> bits,
                                                   HasRuns hasRuns,
                                                   ThreadBits threads,
                                                   bool inRows) {
  constexpr unsigned kLanes[] = {2, 3};
  unsigned own = threads.lanes + threads.warps;
  if (bits.size() != 2 || threads.lanes != 5 || threads.ctas != 0 ||
      bits[0] + bits[1] < own || bits[1] < kLanes[1])
    return std::nullopt;
  unsigned registers[2];
  registers[1] =
      std::min(bits[1] - kLanes[1], (bits[0] + bits[1] - own + 1) / 2);
  if (inRows && bits[0] >= kLanes[0] + threads.warps)
    registers[1] = bits[1] - kLanes[1];
  registers[0] = bits[0] + bits[1] - own - registers[1];
  if (bits[0] < registers[0] + kLanes[0])
    return std::nullopt;
  std::array<SmallVector<Place>, 2> places;
  for (unsigned dim = 0; dim < 2; ++dim) {
    unsigned run = hasRuns(dim) ? std::min(registers[dim], kRunBits) : 0;
    places[dim].append(run, Place::Register);
    places[dim].append(kLanes[dim], Place::Lane);
    places[dim].append(registers[dim] - run, Place::Register);
    places[dim].append(bits[dim] - places[dim].size(), Place::Warp);
  }
  LinearLayout layout(bits);
  for (unsigned dim : {1, 0})
    for (auto [bit, place] : llvm::enumerate(places[dim])) {
      SmallVector<uint32_t> basis(2, 0);
      basis[dim] = 1u << bit;
      layout.addBasis(place, basis);
    }
  return layout;
}

std::optional<LinearLayout>
carousel::followRowsOfFactor(ArrayRef<unsigned> bits,
                             const LinearLayout &factor, HasRuns hasRuns,
                             ThreadBits threads) {
  if (bits.size() != 2 || factor.getExtentBits().size() != 2 ||
      threads.ctas != 0)
    return std::nullopt;
  unsigned rows = 0, columnsOfThreads = 0;
  auto isRow = [](const auto &basis) { return basis[0] != 0; };
  for (Place place : {Place::Register, Place::Lane, Place::Warp})
    for (const auto &basis : factor.getBases(place)) {
      if (isRow(basis) && (basis[1] != 0 || !llvm::isPowerOf2_32(basis[0])))
        return std::nullopt;
      rows += isRow(basis);
      columnsOfThreads += !isRow(basis) && place != Place::Register;
    }
  if (rows != bits[0] || columnsOfThreads > bits[1])
    return std::nullopt;
  unsigned ofRegisters = bits[1] - columnsOfThreads;
  unsigned run = hasRuns(1) ? std::min(ofRegisters, kRunBits) : 0;
  LinearLayout layout(bits);
  unsigned next = 0;
  auto addColumns = [&](Place place, unsigned count) {
    for (; count != 0; --count)
      layout.addBasis(place, {0, 1u << next++});
  };
  addColumns(Place::Register, run);
  for (Place place : {Place::Lane, Place::Warp})
    for (const auto &basis : factor.getBases(place))
      if (isRow(basis))
        layout.addBasis(place, basis);
      else
        addColumns(place, 1);
  addColumns(Place::Register, ofRegisters - run);
  for (const auto &basis : factor.getBases(Place::Register))
    if (isRow(basis))
      layout.addBasis(Place::Register, basis);
  return layout;
}

LinearLayout carousel::makeSumLayout(ArrayRef<unsigned> bits, HasRuns hasRuns,
                                     ThreadBits threads, bool inRows) {
  // Squares of the result in each thread use each factor several times.
  constexpr unsigned kSideBits = 2;
  if (bits.size() < 2)
    return makeCoalescedLayout(bits, 0, threads);
  if (std::optional<LinearLayout> sums =
          makeSumsOfWarps(bits, hasRuns, threads, inRows))
    return *sums;
  unsigned last = bits.size() - 1;
  return makeBlockedLayout(bits, last, last - 1, kSideBits, threads);
}
