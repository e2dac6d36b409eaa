//===- ProgramOrder.h - the order of programs in a loop ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs that go through the programs of a grid choose the order. Programs that
// run at the same time shall read the same, so that most comes from the L2:
//
// - Tiles of a product's result are numbered by groups of rows of tiles: in a
//   group, down each column and then to the next one. With as many rows as
//   columns, programs that run together read the least. Rows that a list in
//   memory gives may have no work, the last ones first: so a few of them, no
//   more than a group, go one after the other.
// - One dimension of the grid may select what programs' loops read, as keys and
//   values of a head, and the other one how much of it, as causal rows do. Such
//   programs are numbered by groups of heads: as many as the L2 has room for.
//   In a group, the first rows of all heads come first, and so on; in every
//   second group, the last rows do. A CTA takes every n-th program. So if the
//   author gives long programs first, CTAs that have long ones of one group
//   have short ones of the next.
//
// Other programs have the author's order.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_VARIANTS_PROGRAMORDER_H
#define CAROUSEL_PASSES_BLOCK_VARIANTS_PROGRAMORDER_H

#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace carousel {

class ProgramOrder {
public:
  /// Orders the programs of a kernel that compute the product, for a grid of so
  /// many dimensions. The kernel still has the numbers of its blocks.
  ProgramOrder(mlir::gpu::GPUFuncOp kernel, mlir::vector::ContractionOp product,
               unsigned dims, const ChipModel &chip);

  /// The dimension of the grid along which a cluster's CTAs may have
  /// neighbouring rows of tiles, or nullopt.
  std::optional<unsigned> getRows() const;

  /// Computes before the loop what numbers need, for a grid of these extents,
  /// of which one is divided among clusters of `ctas`.
  void prepare(mlir::ImplicitLocOpBuilder &b,
               mlir::ArrayRef<mlir::Value> extents, int64_t ctas);

  /// The numbers of a program's block. They have 32 bits, as those of blocks:
  /// no index that is computed from them is negative.
  mlir::SmallVector<mlir::Value>
  computeIds(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
             mlir::ArrayRef<mlir::Value> extents) const;

private:
  /// Groups are made along the first one. In a group, it changes first.
  struct Groups {
    unsigned along, across;
  };
  std::optional<Groups> findTiles();
  std::optional<Groups> findShared();
  mlir::Value createSizeOfTiles(mlir::ImplicitLocOpBuilder &b,
                                mlir::ArrayRef<mlir::Value> extents,
                                int64_t ctas);
  mlir::Value createSizeOfShared(mlir::ImplicitLocOpBuilder &b,
                                 mlir::ArrayRef<mlir::Value> extents);

  mlir::Value turnInEverySecond(mlir::ImplicitLocOpBuilder &b,
                                mlir::Value group, mlir::Value place,
                                mlir::Value extent) const;

  mlir::gpu::GPUFuncOp kernel;
  mlir::vector::ContractionOp product;
  const ChipModel &chip;
  std::optional<Groups> tiles, groups;
  /// Memory says where a row of tiles begins, as a list of groups' tiles does.
  bool haveListedRows = false;
  /// What programs of the same number along the groups read, and the
  /// dimensions of its memory that this number selects.
  struct SharedRead {
    mlir::Value memory;
    mlir::SmallVector<unsigned> selected;
  };
  mlir::SmallVector<SharedRead> shared;
  mlir::Value size; ///< of a group
  mlir::Value last; ///< the last group's number, if every second one is turned
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_VARIANTS_PROGRAMORDER_H
