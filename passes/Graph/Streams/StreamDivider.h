//===- StreamDivider.h - streams as tiles and their sums --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a product sums over more than a program has, the ops of a stream become
// ops on tiles, each with reductions of its own, and ops that combine these.
// Before it is combined, what a tile has is corrected by the same rules that a
// stream corrects its sums by. Columns that are no whole tile are the rest: ops
// are written once more for these. docs/GraphPhase.md, Losses.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_STREAMS_STREAMDIVIDER_H
#define CAROUSEL_PASSES_GRAPH_STREAMS_STREAMDIVIDER_H

#include "../Reading/ReadGraph.h"
#include "TiledOps.h"

#include "carousel/Analysis/Graph/GroupShape.h"

namespace carousel {

class StreamDivider {
public:
  /// \p group is a stream with \p shape, whose dimension has tiles of \p
  /// columns.
  StreamDivider(const Graph &graph, const OpGroup &group,
                const GroupShape &shape, int64_t columns,
                mlir::RewriterBase &rewriter);

  /// Empty if the ops can be written, or what stands against it.
  std::string explain();
  /// Writes the new ops, and erases those that they replace.
  mlir::LogicalResult run();

private:
  mlir::linalg::GenericOp getOp(size_t at) const {
    return mlir::dyn_cast<mlir::linalg::GenericOp>(graph.ops[group.ops[at]]);
  }
  const GraphOp &getNode(size_t at) const {
    return graph.problem.ops[group.ops[at]];
  }
  mlir::Value getResult(size_t at) const {
    return graph.ops[group.ops[at]]->getResult(0);
  }
  StreamRole getRole(size_t at) const { return shape.stream->roles[at]; }
  std::optional<size_t> findWriter(mlir::Value tensor) const;
  const StreamReference *findReference(mlir::Value tensor) const;
  bool isNeeded(size_t at) const { return needed[at]; }
  std::optional<unsigned> findLoop(size_t at) const;

  /// The results of ops for all tiles together, or for the rest of the columns.
  struct Part {
    /// The tensor along tiles and columns, of what tiles compute.
    llvm::DenseMap<mlir::Value, mlir::Value> tiles;
    /// By result of rows: its parts of all tiles, and the value that tiles are
    /// computed with.
    llvm::DenseMap<mlir::Value, mlir::Value> partials, guarded;
    bool isRest = false;
  };

  TiledOps::Operand findOperand(size_t at, mlir::OpOperand &input,
                                const Part &part);
  void writePart(size_t at, Part &part);
  mlir::Value writeOp(size_t at, const Part &part, mlir::TypedAttr start);
  /// Writes 0 for an extremum of nothing, with which tiles are computed.
  mlir::Value writeGuarded(size_t at, mlir::Value partial);

  const Graph &graph;
  const OpGroup &group;
  const GroupShape &shape;
  mlir::RewriterBase &rewriter;
  TiledOps tiled;
  llvm::SmallVector<bool> needed; ///< rows that tiles are computed with
  Part ofTiles, ofRest;
  /// The rows of each tile, the rest being one more.
  llvm::DenseMap<mlir::Value, mlir::Value> partials;
  /// The result of all tiles of sums.
  llvm::DenseMap<mlir::Value, mlir::Value> totals;

  friend class TileCombiner;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_STREAMS_STREAMDIVIDER_H
