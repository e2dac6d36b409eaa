//===- MatrixDescriptor.h - a matrix in shared memory -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes the 64 bits that describe a matrix to wgmma, as hardware does: they
// are all that a product knows of it. PTX ISA, wgmma, Matrix Descriptor Format
// and Strides.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_MATRIXDESCRIPTOR_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_MATRIXDESCRIPTOR_H

#include <cstdint>
#include <string>

namespace carousel::sim {

class MatrixDescriptor {
public:
  MatrixDescriptor() = default;
  explicit MatrixDescriptor(uint64_t bits);

  /// The bits of an address, which is an offset in shared memory. Two bits that
  /// hardware doesn't have mark addresses that have none: descriptors may be
  /// made of addresses that no product uses.
  static uint64_t getAddressBits(uint64_t offset, bool isShared);

  /// What hardware doesn't support: the rule, then what was found. Empty if it
  /// supports the matrix.
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

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_MATRIXDESCRIPTOR_H
