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
// four. All that it knows of a factor are the 64 bits of its descriptor (PTX
// ISA, wgmma, Matrix Descriptor Format and Strides).
//
// A value of !carousel.wgmma_registers is a handle of registers that the
// machine holds for the thread. A product changes them in place and gives them
// a new handle, so that a second use of the old one is found. docs/Products.md
// says how the arithmetic differs from hardware.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCT_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_PRODUCT_H

#include "../Engine/AsyncOperation.h"
#include "ProductForm.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace carousel::sim {

class MatrixDescriptor {
public:
  MatrixDescriptor() = default;
  explicit MatrixDescriptor(uint64_t bits);

  /// The bits of an address, which is an offset in shared memory. Two bits that
  /// hardware doesn't have mark addresses that have none: descriptors may be
  /// made of addresses that no product uses.
  static uint64_t getAddressBits(uint64_t offset, bool isShared);

  /// Explains why hardware doesn't support it: the rule, then what was found.
  /// Empty if it supports the matrix.
  std::string explain() const;

  /// Where 16 bytes of the matrix lie in shared memory. `line` counts rows of m
  /// or n, or of k if the matrix is transposed, and `piece` the 16 bytes of a
  /// line.
  uint64_t getOffset(bool isTransposed, uint32_t line, uint32_t piece) const;

  uint64_t getAddress() const { return address; }

private:
  uint32_t address = 0, leading = 0, stride = 0;
  uint32_t mode = 0, base = 0;
  bool isShared = true, isAligned = true;
  /// The bytes of a line until the next block.
  uint32_t span = 16;
};

/// Sums of all threads, row by row, as words of 32 bits: f32, also where the
/// registers hold f16, or i32.
class SumMatrix {
public:
  SumMatrix(SumType type, uint32_t columns)
      : type(type), columns(columns), words(ProductForm::kRows * columns) {}

  /// One element, as the registers hold it.
  void set(SumPlace place, const char *element);
  void get(SumPlace place, char *element) const;

  /// Adds a product. Rows of both factors have 32 bytes: `a` has those of m and
  /// `b` those of n.
  void add(const ProductForm &form, const char *a, const char *b);

private:
  void addFloats(const ProductForm &form, const char *a, const char *b);
  void addIntegers(const ProductForm &form, const char *a, const char *b);

  SumType type;
  uint32_t columns;
  std::vector<uint32_t> words;
};

/// Rounds to the nearest number, ties to even.
uint16_t roundToHalf(float value);
float widenHalf(uint16_t bits);

struct ProductRegisters {
  std::vector<char> bytes;
  /// Whether each element is poison; empty if none is.
  std::vector<bool> poison;
  /// The newest group with a product that accesses them, 0 for none, and that
  /// product's site.
  uint32_t group = 0, site = 0;
  /// The last product that changed them: its shape, 0 for none, and how many
  /// fences the thread's warp had executed.
  uint32_t shape = 0, fences = 0;
  /// A product that hasn't been computed yet adds to them.
  bool isPending = false;
};

/// The registers of one thread.
class RegisterFile {
public:
  /// Makes a handle of a value. `poison` has a byte for each element, or is
  /// null.
  uint64_t keep(const char *value, uint32_t bytes, const char *poison,
                uint32_t elements);
  /// The registers of a handle; null if a later value has replaced it.
  ProductRegisters *find(uint64_t handle);
  /// The same registers under a new handle. The old one is used up.
  uint64_t renew(uint64_t handle);
  /// Gives the registers back.
  void free(uint64_t handle);

private:
  struct Slot {
    ProductRegisters registers;
    uint32_t generation = 1;
    bool isUsed = false;
  };
  Slot *lookUp(uint64_t handle);

  /// Products in flight point to the registers.
  std::deque<Slot> slots;
  std::vector<uint32_t> freeSlots;
};

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
  /// The knowledge of the lanes of each warp when it arrives.
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
