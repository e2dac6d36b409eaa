//===- Product.h - one product in flight ------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of a warpgroup, from the arrival of its first warp until its sums
// are written. It reads its factors from shared memory in pieces of 16 bytes,
// each by what the warps that need it know: rows of A by one warp, B by all
// four.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCT_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCT_H

#include "../Engine/AsyncOperation.h"
#include "MatrixDescriptor.h"
#include "ProductForm.h"
#include "ProductRegisters.h"

#include <array>

namespace carousel::sim {

class Product {
public:
  Product(ProductForm form, uint64_t a, uint64_t b, bool accumulates,
          uint32_t group);

  /// The pieces of both factors that it reads from memory.
  uint32_t countPieces() const { return piecesOfA + piecesOfB; }
  /// Reads some of them. `shared` is the CTA's shared memory.
  void read(AsyncContext &context, char *shared,
            const AsyncOperation &operation, const Pieces &pieces);
  /// Writes the sums to the threads' registers.
  void compute();

  const ProductForm form;
  const MatrixDescriptor a, b;
  const bool accumulates;
  const uint32_t group;
  /// What the lanes of each warp know when it arrives.
  std::array<View, ProductForm::kWarps> views;
  std::array<ProductRegisters *, ProductForm::kThreads> sums = {}, factors = {};
  bool isRead = false;
  uint64_t issueCycles = 0, landCycles = 0;

private:
  struct Place {
    uint64_t offset;
    uint32_t warp; ///< the one that reads it, or kWarps for all
    uint32_t number;
  };
  Place getPlace(uint32_t number) const;
  void put(uint32_t number, const char *from);
  void takeFactors();

  uint32_t piecesOfA, piecesOfB;
  /// Rows of m and of n, with 32 bytes each.
  std::vector<char> rowsOfA, rowsOfB;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCT_H
