//===- Product.cpp - one product in flight --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pieces that are adjacent in memory are read by one access. Transposed factors
// are turned when they are read.
//
//===----------------------------------------------------------------------===//

#include "Product.h"

#include "ProductArithmetic.h"

#include "llvm/ADT/SmallVector.h"

#include <cstring>
#include <tuple>

namespace carousel::sim {

static constexpr uint32_t kPiece = ProductForm::kPieceBytes;
static constexpr uint32_t kRowBytes = ProductForm::kRowBytes;
static constexpr uint32_t kPiecesOfRow = kRowBytes / kPiece;
/// Transposed factors have elements of 16 bits.
static constexpr uint32_t kElementsOfPiece = kPiece / 2;

Product::Product(ProductForm form, uint64_t a, uint64_t b, bool accumulates,
                 uint32_t group)
    : form(form), a(form.aInRegisters ? 0 : a), b(b), accumulates(accumulates),
      group(group),
      piecesOfA(form.aInRegisters ? 0 : ProductForm::kRows * kPiecesOfRow),
      piecesOfB(form.n * kPiecesOfRow), rowsOfA(ProductForm::kRows * kRowBytes),
      rowsOfB(form.n * kRowBytes) {}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// The line and the piece in it.
static std::pair<uint32_t, uint32_t> getLine(bool isTransposed, uint32_t rows,
                                             uint32_t number) {
  uint32_t ofLine = isTransposed ? rows / kElementsOfPiece : kPiecesOfRow;
  return {number / ofLine, number % ofLine};
}

Product::Place Product::getPlace(uint32_t number) const {
  if (number >= piecesOfA) {
    auto [line, piece] =
        getLine(form.isTransposedB, form.n, number - piecesOfA);
    return {b.getOffset(form.isTransposedB, line, piece), ProductForm::kWarps,
            number};
  }
  auto [line, piece] = getLine(form.isTransposedA, ProductForm::kRows, number);
  uint32_t row = form.isTransposedA ? piece * kElementsOfPiece : line;
  return {a.getOffset(form.isTransposedA, line, piece),
          row / ProductForm::kRowsOfWarp, number};
}

void Product::put(uint32_t number, const char *from) {
  bool isOfB = number >= piecesOfA;
  char *rows = isOfB ? rowsOfB.data() : rowsOfA.data();
  bool isTransposed = isOfB ? form.isTransposedB : form.isTransposedA;
  auto [line, piece] =
      getLine(isTransposed, isOfB ? form.n : ProductForm::kRows,
              isOfB ? number - piecesOfA : number);
  if (!isTransposed) {
    std::memcpy(rows + line * kRowBytes + piece * kPiece, from, kPiece);
    return;
  }
  for (uint32_t i = 0; i < kElementsOfPiece; ++i)
    std::memcpy(rows + (piece * kElementsOfPiece + i) * kRowBytes + line * 2,
                from + i * 2, 2);
}

void Product::read(AsyncContext &context, char *shared,
                   const AsyncOperation &operation, const Pieces &pieces) {
  llvm::SmallVector<Place, 0> places;
  pieces.forEachRun([&](uint32_t begin, uint32_t end) {
    for (uint32_t number = begin; number < end; ++number)
      places.push_back(getPlace(number));
  });
  llvm::sort(places, [](const Place &left, const Place &right) {
    return std::tie(left.warp, left.offset, left.number) <
           std::tie(right.warp, right.offset, right.number);
  });
  Access access;
  access.proxy = Proxy::Async;
  access.epoch = operation.readEpoch;
  access.thread = operation.issuer.thread;
  access.operation = operation.nameIndex;
  access.site = operation.issuer.site;
  access.operationId = operation.id;
  for (size_t first = 0, next; first < places.size(); first = next) {
    const Place &place = places[first];
    uint64_t end = place.offset + kPiece;
    for (next = first + 1;
         next < places.size() && places[next].warp == place.warp &&
         places[next].offset <= end;
         ++next)
      end = places[next].offset + kPiece;
    bool isAll = place.warp == ProductForm::kWarps;
    bool isInside = true, isStale = false;
    for (uint32_t warp = isAll ? 0 : place.warp;
         warp < (isAll ? ProductForm::kWarps : place.warp + 1) && isInside;
         ++warp) {
      access.view = &views[warp];
      AccessResult result = context.memory.access(shared + place.offset,
                                                  end - place.offset, access);
      isInside = result.inBounds;
      isStale |= result.stale;
    }
    bool isKnown = isInside &&
                   !(isStale && context.schedule.pick(Decision::Bytes, 2) == 1);
    for (size_t i = first; i < next; ++i) {
      if (isKnown) {
        put(places[i].number, shared + places[i].offset);
        continue;
      }
      char unknown[kPiece];
      poison(unknown, kPiece);
      put(places[i].number, unknown);
    }
  }
}

void Product::takeFactors() {
  constexpr uint32_t kRegisters = 4, kBytes = 4;
  for (uint32_t thread = 0; thread < ProductForm::kThreads; ++thread)
    for (uint32_t i = 0; i < kRegisters; ++i) {
      FactorPlace place(thread, i);
      std::memcpy(&rowsOfA[place.row * kRowBytes + place.byte],
                  &factors[thread]->bytes[i * kBytes], kBytes);
    }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Sums of rows with a factor in registers that is poison are poison, and those
/// that were poison, unless they begin at zero.
static void movePoison(Product &product) {
  std::array<bool, ProductForm::kRows> ofRows = {};
  for (uint32_t thread = 0; thread < ProductForm::kThreads; ++thread) {
    const ProductRegisters *factors = product.factors[thread];
    for (size_t i = 0; factors && i < factors->poison.size(); ++i)
      if (factors->poison[i])
        ofRows[FactorPlace(thread, uint32_t(i * 4 / factors->poison.size()))
                   .row] = true;
  }
  for (uint32_t thread = 0; thread < ProductForm::kThreads; ++thread) {
    std::vector<bool> &bits = product.sums[thread]->poison;
    if (!product.accumulates)
      bits.clear();
    for (uint32_t i = 0; i < product.form.getSumCount(); ++i)
      if (ofRows[SumPlace(thread, i).row]) {
        bits.resize(product.form.getSumCount());
        bits[i] = true;
      }
  }
}

void Product::compute() {
  if (form.aInRegisters)
    takeFactors();
  SumMatrix matrix(form.sum, form.n);
  uint32_t bytes = form.getSumBytes(), count = form.getSumCount();
  for (uint32_t thread = 0; accumulates && thread < ProductForm::kThreads;
       ++thread)
    for (uint32_t i = 0; i < count; ++i)
      matrix.set(SumPlace(thread, i), &sums[thread]->bytes[i * bytes]);
  matrix.add(form, rowsOfA.data(), rowsOfB.data());
  for (uint32_t thread = 0; thread < ProductForm::kThreads; ++thread)
    for (uint32_t i = 0; i < count; ++i)
      matrix.get(SumPlace(thread, i), &sums[thread]->bytes[i * bytes]);
  for (ProductRegisters *registers : sums)
    registers->isPending = false;
  movePoison(*this);
}

} // namespace carousel::sim
