//===- RaiseToTransfersBoxes.cpp - the elements of moves ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RaiseToTransfersBoxes.h. The box is the smallest one around all places.
// Each of its elements must be in one of them.
//
//===----------------------------------------------------------------------===//

#include "RaiseToTransfersBoxes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

void MovePlaces::append(const MovePlaces &others) {
  int64_t first = moves.size();
  llvm::append_range(moves, others.moves);
  llvm::append_range(shapes, others.shapes);
  llvm::append_range(globalDims, others.globalDims);
  llvm::append_range(tileDims, others.tileDims);
  mayLeave |= others.mayLeave;
  threads = std::max(threads, others.threads);
  size_t begin = places.size();
  places.insert(places.end(), others.places.begin(), others.places.end());
  for (size_t place = begin; place < places.size(); place += getStride())
    places[place] += first;
}

bool MovePlaces::hasBaseOf(const MovePlaces &others) const {
  return global == others.global && globalBase == others.globalBase &&
         tileBase == others.tileBase;
}

int64_t MoveBox::getNumElements() const {
  int64_t elements = 1;
  for (int64_t extent : tileExtents)
    if (llvm::MulOverflow(elements, extent, elements))
      return INT64_MAX;
  return elements;
}

static int64_t getLength(ArrayRef<int64_t> shape, int moved) {
  return moved < 0 ? 1 : shape[moved];
}

/// The smallest box around boxes of a memref.
static void surround(const MovePlaces &places, unsigned first,
                     ArrayRef<SmallVector<int>> dims,
                     SmallVector<int64_t> &begin,
                     SmallVector<int64_t> &extents) {
  unsigned rank = dims.front().size();
  begin.assign(rank, INT64_MAX);
  SmallVector<int64_t> end(rank, INT64_MIN);
  for (size_t place = 0; place < places.places.size();
       place += places.getStride()) {
    int64_t move = places.places[place];
    for (unsigned dim = 0; dim < rank; ++dim) {
      int64_t at = places.places[place + first + dim];
      begin[dim] = std::min(begin[dim], at);
      end[dim] = std::max(end[dim],
                          at + getLength(places.shapes[move], dims[move][dim]));
    }
  }
  extents.resize(rank);
  for (unsigned dim = 0; dim < rank; ++dim)
    extents[dim] = end[dim] - begin[dim];
}

/// Marks the elements that the boxes of the places hold, and counts them.
static int64_t countElements(const MovePlaces &places, const MoveBox &box) {
  std::vector<bool> seen(box.getNumElements());
  unsigned rank = box.tileExtents.size();
  for (size_t place = 0; place < places.places.size();
       place += places.getStride()) {
    int64_t move = places.places[place];
    int64_t elements = 1;
    SmallVector<int64_t> lengths(rank);
    for (unsigned dim = 0; dim < rank; ++dim)
      elements *= lengths[dim] =
          getLength(places.shapes[move], places.tileDims[move][dim]);
    for (int64_t element = 0; element < elements; ++element) {
      int64_t rest = element, linear = 0, stride = 1;
      for (int dim = rank - 1; dim >= 0; --dim) {
        int64_t at = places.places[place + 1 + dim] + rest % lengths[dim];
        linear += (at - box.tileBegin[dim]) * stride;
        rest /= lengths[dim];
        stride *= box.tileExtents[dim];
      }
      seen[linear] = true;
    }
  }
  return llvm::count(seen, true);
}

/// Whether the elements of each place lie in the memref as they lie in the
/// tile, the dims with more than one element in the same order.
static bool areAlike(const MovePlaces &places, const MoveBox &box) {
  SmallVector<std::pair<unsigned, unsigned>> pairs;
  unsigned tileRank = box.tileExtents.size();
  unsigned globalDim = 0, globalRank = box.globalExtents.size();
  for (unsigned dim = 0; dim < tileRank; ++dim) {
    if (box.tileExtents[dim] == 1)
      continue;
    while (globalDim < globalRank && box.globalExtents[globalDim] == 1)
      ++globalDim;
    if (globalDim == globalRank)
      return false;
    pairs.emplace_back(dim, globalDim++);
  }
  for (; globalDim < globalRank; ++globalDim)
    if (box.globalExtents[globalDim] != 1)
      return false;
  for (size_t place = 0; place < places.places.size();
       place += places.getStride()) {
    int64_t move = places.places[place];
    for (auto [tile, global] : pairs) {
      int inTile = places.tileDims[move][tile];
      int inGlobal = places.globalDims[move][global];
      bool isSameDim =
          inTile == inGlobal || (getLength(places.shapes[move], inTile) == 1 &&
                                 getLength(places.shapes[move], inGlobal) == 1);
      if (!isSameDim || places.places[place + 1 + tile] - box.tileBegin[tile] !=
                            places.places[place + 1 + tileRank + global] -
                                box.globalBegin[global])
        return false;
    }
  }
  return true;
}

MoveBox carousel::fitBox(const MovePlaces &places) {
  MoveBox box;
  surround(places, 1, places.tileDims, box.tileBegin, box.tileExtents);
  surround(places, 1 + places.tileBase.size(), places.globalDims,
           box.globalBegin, box.globalExtents);
  if (!areAlike(places, box))
    box.refusal = "the elements don't lie in the tile as they lie in the "
                  "global memref";
  else if (box.getNumElements() > kMaxMoveSteps)
    box.refusal =
        "the tile has more than " + std::to_string(kMaxMoveSteps) + " elements";
  else
    box.covered = countElements(places, box);
  return box;
}
