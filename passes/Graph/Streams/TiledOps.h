//===- TiledOps.h - structured ops on tiles of a dimension ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes ops again with two loops in place of one: along the tiles of a
// dimension, and along the columns of a tile. Columns that are no whole tile
// are the rest, for which ops are written once more.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_STREAMS_TILEDOPS_H
#define CAROUSEL_PASSES_GRAPH_STREAMS_TILEDOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace carousel {

class TiledOps {
public:
  TiledOps(mlir::RewriterBase &rewriter, int64_t extent, int64_t columns)
      : rewriter(rewriter), tiles(extent / columns), columns(columns),
        rest(extent % columns) {}

  bool hasRest() const { return rest != 0; }

  /// A stand-in for a tensor that an op reads.
  struct Operand {
    /// Null: `constant` stands for its elements.
    mlir::Value tensor;
    /// The first dimension is along tiles, so that neighbours are rows of one
    /// tile.
    bool isOfTiles = false;
    mlir::TypedAttr constant;
  };
  using FindOperand = llvm::function_ref<Operand(mlir::OpOperand &input)>;

  /// Whether an op's body and maps can be written along tiles of a loop.
  static bool canTile(mlir::linalg::GenericOp op, unsigned loop);

  /// The op, before itself, with a loop along the tiles and one along columns
  /// in place of \p loop. Its results start from \p start, if that isn't null.
  /// A sum along the loop is one for each tile.
  mlir::Value writeTiled(mlir::linalg::GenericOp op, unsigned loop,
                         FindOperand findOperand, mlir::TypedAttr start);
  /// An op without the loop, for each tile.
  mlir::Value writeForTiles(mlir::linalg::GenericOp op,
                            FindOperand findOperand);
  /// The op, before itself, along the rest of \p loop, if it has that.
  mlir::Value writeRest(mlir::linalg::GenericOp op,
                        std::optional<unsigned> loop, FindOperand findOperand,
                        mlir::TypedAttr start);
  /// A tensor with two dimensions in place of one: a view of it, or what one
  /// elementwise op computes of views.
  mlir::Value expand(mlir::Value tensor, unsigned dim);
  /// The rest of a tensor along a dimension, in the same way.
  mlir::Value takeRest(mlir::Value tensor, unsigned dim);
  /// Joins what an op computes of whole tiles and of the rest.
  mlir::Value append(mlir::Value ofTiles, mlir::Value ofRest);

private:
  /// The part that an op is written for.
  enum class Part { Tiles, Rest };

  mlir::linalg::GenericOp write(mlir::linalg::GenericOp op,
                                std::optional<unsigned> loop, Part part,
                                FindOperand findOperand, mlir::TypedAttr start);
  /// Writes what an elementwise op computes of the part, for a tensor that it
  /// computes for one other op. Null for other tensors.
  mlir::Value writeProducer(mlir::Value tensor, unsigned dim, Part part);
  mlir::Value slice(mlir::Value tensor, unsigned dim, int64_t first,
                    int64_t count);

  mlir::RewriterBase &rewriter;
  int64_t tiles, columns, rest;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_STREAMS_TILEDOPS_H
