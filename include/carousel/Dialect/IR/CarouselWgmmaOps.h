//===- CarouselWgmmaOps.h - products of a warpgroup -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op classes that CarouselWgmmaOps.td generates, and what both lowerings
// and the simulated machine read of them: the form of a product, and the
// constant bits of a descriptor. docs/Products.md defines both.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELWGMMAOPS_H
#define CAROUSEL_DIALECT_IR_CAROUSELWGMMAOPS_H

#include "carousel/Dialect/IR/CarouselOps.h"

#include <array>
#include <string>

namespace carousel {

/// PTX ISA, wgmma: the chip and the PTX version.
TargetRequirement getWgmmaRequirement();

/// The rows of the sums, and the bytes of a row of a factor.
inline constexpr int64_t kWgmmaRows = 64;
inline constexpr int64_t kWgmmaDepthBytes = 32;
inline constexpr int64_t kWgmmaColumnStep = 8;
inline constexpr int64_t kMaxWgmmaColumns = 256;
/// C328
inline constexpr uint32_t kMaxWgmmaPending = 7;

/// The rows and columns of a tile of `multiply`: all dimensions but the last
/// count rows.
std::array<int64_t, 2> getMatrixExtents(mlir::MemRefType tile);

/// One instruction wgmma.mma_async: what its name says, and its immediates.
struct WgmmaForm {
  int64_t n = 0;
  /// The types of A and B: i8, f16, bf16, f32 (as tf32), f8E4M3FN or f8E5M2.
  mlir::Type a, b;
  mlir::Type sum;
  bool aInRegisters = false;
  MatrixMajor majorA = MatrixMajor::K, majorB = MatrixMajor::K;
  bool negateA = false, negateB = false;
  bool unsignedA = false, unsignedB = false;
  bool saturate = false;

  /// The extent that is summed over, in elements.
  int64_t getDepth() const;
  /// The registers of 32 bits that a thread's sums are.
  int64_t getSumRegisters() const;
  /// "m64n256k16.f32.bf16.bf16"
  std::string getName() const;
  /// The whole instruction as inline PTX. Operands are numbered as `operand`
  /// ("$" or "%") and a number: the registers of the sums, then the
  /// descriptor or the four registers of A, the descriptor of B, and `scale` as
  /// a register of 32 bits.
  std::string getText(llvm::StringRef operand) const;
};

/// The parts of a descriptor that don't depend on the address, as its op's
/// memref and swizzle give them. PTX ISA, Matrix Descriptor Format.
struct MatrixLayout {
  /// Bytes of a row.
  int64_t span = 0;
  /// Bytes from one block of the matrix to the next.
  int64_t blockStride = 0;
  /// The fields, in bytes.
  int64_t leadingOffset = 0, strideOffset = 0;
  unsigned swizzleMode = 0;

  /// The 64 bits, with an address of 0.
  uint64_t getBits() const;
};

/// The layout of a tile, or nullopt, with what is wrong ("expected ..., got
/// ...") in `why`.
std::optional<MatrixLayout> getMatrixLayout(mlir::MemRefType type,
                                            Swizzle swizzle, MatrixMajor major,
                                            std::string &why);

/// C332: "expected ..., got ..." for an op that would compute with registers
/// of products. Empty for other ops.
std::string explainRegisterUse(mlir::Operation *op);

} // namespace carousel

#define GET_OP_CLASSES
#include "carousel/Dialect/IR/CarouselWgmmaOps.h.inc"

#endif // CAROUSEL_DIALECT_IR_CAROUSELWGMMAOPS_H
