//===- ContractionPlan.h - how threads contract vectors ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts in which threads compute a vector.contract of the block phase: by
// matrix instructions of the warp where there are some for the types, and
// otherwise each thread its own elements of the result.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_CONTRACTIONPLAN_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_CONTRACTIONPLAN_H

#include "carousel/Analysis/Layouts/FragmentLayouts.h"
#include "carousel/Support/Misses.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <string>

namespace carousel {

/// The roles of dimensions in C[m, n] += A[m, k] * B[k, n]. The op's first
/// factor is A, or B if a plan says so.
struct ProductDims {
  /// Dimensions of the op's iteration space.
  unsigned m, n, k;
};

/// How a warpgroup takes the factors of a product.
struct WarpgroupForm {
  /// The op's second factor is A: its columns are the rows of instructions.
  bool isSwapped = false;
  /// The threads have A in registers. Otherwise it is in a tile, too.
  bool hasRegisters = false;

  unsigned getA() const { return isSwapped ? 1 : 0; }
};

struct ContractionPlan {
  /// The layouts in the dimensions of the op's operands.
  LinearLayout lhs, rhs, acc;
  /// The dimensions of products by matrix instructions: nvgpu.mma.sync of
  /// m16n8, or wgmma.
  std::optional<ProductDims> matrices;
  /// The extent of k in one instruction.
  int64_t instructionK = 0;
  /// By wgmma, which reads B in its tile. Each warpgroup has whole pieces of 64
  /// rows of the sums. Its registers are in the order of these pieces, of the
  /// columns in eights, and of an instruction's sums.
  bool byWarpgroups = false;
  WarpgroupForm form;

  /// Whether the instructions of warpgroups read this operand of the op in its
  /// tile: a factor, and not the sums.
  bool isTileOfWarpgroups(unsigned operand) const {
    return byWarpgroups && operand < 2 &&
           (!form.hasRegisters || operand != form.getA());
  }
};

/// The reason why a contraction can't be distributed, or an empty string.
std::string explainContraction(mlir::vector::ContractionOp op);

/// Whether its types and extents have matrix instructions.
bool hasMatrixInstructions(mlir::vector::ContractionOp op);

/// The sums that a thread has of one with matrix instructions, at most.
int64_t countSumsOfThread(mlir::vector::ContractionOp op);

/// The reason why they haven't; empty if they have.
Obstacle findMatrixObstacle(mlir::vector::ContractionOp op);

/// The extents of one instruction, as powers of two, for its types.
ProductBits getInstructionBits(mlir::vector::ContractionOp op);

/// The roles of its dimensions, if it is a product of two matrices.
std::optional<ProductDims> findProductDims(mlir::vector::ContractionOp op);

/// Whether instructions multiply factors of this type to some sums. Those of
/// f32 do if the kernel rounds both to tf32.
bool hasMatrixFactors(mlir::vector::ContractionOp op);

/// The products of 8-bit floats that are added before the sums become f32, and
/// the sums that two warpgroups have registers for.
inline constexpr int64_t kPromotedDepth = 128, kMostPromotedSums = 128 * 128;

/// Whether both factors are of 8-bit floats. Instructions of warpgroups add
/// their products with fewer bits than f32 has, so that sums of 128 are added
/// to others of f32 (docs/BlockPhase.md, Products).
bool hasFloat8Factors(mlir::vector::ContractionOp op);

/// Whether `carousel.round_tf32` rounds both factors.
bool hasTF32Factors(mlir::vector::ContractionOp op);

/// Whether an op between a read and its product may leave the elements in their
/// tile: another shape, or a rounding.
bool passesTile(mlir::Operation *op);

/// Whether contractions alone use the vector, maybe in another shape.
bool isForProducts(mlir::Value vector);

/// Whether a vector is read to a tile of a ring, and nothing but contractions
/// needs it, maybe in another shape.
bool isTileOfProduct(mlir::Value vector);

/// Whether an op between a read and a product of warpgroups may leave the
/// elements in their tile: a rounding, or a cast that makes a matrix of the
/// rows of a vector.
bool passesFactor(mlir::Operation *op);

/// The read of a factor that warpgroups multiply, through ops of passesFactor;
/// null if another op makes it.
mlir::vector::TransferReadOp findReadOfFactor(mlir::Value factor);

/// Whether the target of the op's module has wgmma.
bool hasWarpgroups(mlir::Operation *op);

/// The reason why wgmma doesn't compute a product that has matrix instructions;
/// empty if it does, unless layouts around it stand against it.
std::string explainNoWarpgroups(mlir::vector::ContractionOp op,
                                ThreadBits threads);

/// How warpgroups take the factors. Both are read in their tiles if they can
/// be. Otherwise the one that can't be, since threads change it or its rows
/// don't lie along k, is in registers. The second one is A if it must be in
/// registers, or if the sums have too few rows or too many columns. Nullopt,
/// and the reason, if wgmma doesn't compute the product.
std::optional<WarpgroupForm> findWarpgroupForm(mlir::vector::ContractionOp op,
                                               ThreadBits threads,
                                               std::string &reason);

/// A warpgroup's share of the sums: pieces of 64 rows, and columns.
struct WarpgroupShare {
  int64_t pieces, columns;
};
/// The share of a warpgroup in a product.
WarpgroupShare getWarpgroupShare(mlir::vector::ContractionOp op,
                                 const ContractionPlan &plan);

/// Layouts around a contraction that are known before its own, in the
/// dimensions of its operands, and what becomes of its result.
struct ContractionContext {
  /// The layout of the sums: what users ask for, or what another product leaves
  /// them in.
  std::optional<LinearLayout> acc;
  /// The layouts of factors that threads have in registers.
  std::optional<LinearLayout> lhs, rhs;
  /// Dimensions of the result along which it is reduced; none if empty.
  llvm::SmallVector<bool> reduced;
  /// Whether another product has a factor that is computed of the result,
  /// element by element.
  bool becomesFactor = false;
};

/// Plans a contraction that can be planned. Instructions leave the sums in the
/// known layout if they can, and threads always do. Those of warpgroups come
/// first. Otherwise warps share the result so that the fewest vectors move
/// between them, before and after the product.
ContractionPlan planContraction(mlir::vector::ContractionOp op,
                                ThreadBits threads,
                                const ContractionContext &context = {});

/// Whether instructions multiply factors of this type in C[m, n] += A[m, k] *
/// B[k, n], of at least an instruction's m and n.
bool hasMatrixInstructions(ProductBits bits, mlir::Type factor, mlir::Type sum,
                           bool isRounded);

/// Counts each thread's elements of A and of B in such a product: of factors of
/// this type, where nothing around the product is known.
std::array<int64_t, 2> countFactorElements(ProductBits bits, mlir::Type factor,
                                           mlir::Type sum, bool isRounded,
                                           ThreadBits threads);

/// The dimension of an operand or result (its indexing map's number) that a
/// dimension of the iteration space is; nullopt if it has none.
std::optional<unsigned> findOperandDim(mlir::vector::ContractionOp op,
                                       unsigned map, unsigned dim);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_CONTRACTIONPLAN_H
