//===- TileCombiner.h - the sum of what tiles have --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the op that combines a reduction's results of all tiles, each of which
// was computed with rows of its own: it is corrected by the rows of all tiles.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_STREAMS_TILECOMBINER_H
#define CAROUSEL_PASSES_GRAPH_STREAMS_TILECOMBINER_H

#include "StreamDivider.h"

namespace carousel {

class TileCombiner {
public:
  /// Combines the tiles of the group's op at \p sum.
  TileCombiner(const StreamDivider &divider, size_t sum);

  /// Empty if the op can be written.
  const std::string &getRefusal() const { return refusal; }
  /// Where the rewriter is. Null if an op has no correction.
  mlir::Value write(mlir::RewriterBase &rewriter);

private:
  /// The part of a row's tensor that is read.
  enum class Part {
    OfTile, ///< what a tile has, of extrema of nothing an infinite number
    Total,  ///< of all tiles
  };
  struct Input {
    mlir::Value tensor; ///< of the graph before
    Part part;
    llvm::SmallVector<unsigned> loops;
  };
  /// A number of a body, and whether what it corrects is zero.
  struct Number {
    mlir::Value value, isZero;
  };
  struct Correction {
    ChangeKind kind = ChangeKind::Same;
    Number number;
    bool isChosen = false;
  };
  class Rows;

  void collect();
  void collectRow(mlir::Value tensor, llvm::ArrayRef<unsigned> loops);
  /// Whether the input is new.
  bool add(mlir::Value tensor, Part part, llvm::ArrayRef<unsigned> loops);
  std::optional<llvm::SmallVector<unsigned>>
  findLoops(size_t at, mlir::OpOperand &input) const;
  mlir::Value getArgument(mlir::Value tensor, Part part) const;
  /// A row that tiles are computed with, or the true one.
  mlir::Value getRow(mlir::Value tensor, bool isOfTile);
  /// Whether a tile has no element of a row, and others have, unless elements
  /// are chosen; null if each has.
  mlir::Value findEmpty(size_t at);
  mlir::Value computeValue(size_t at, mlir::Value value, bool isOfTile);
  mlir::Value computeOne(size_t at, mlir::Value value, bool isOfTile);
  Correction findCorrection();
  Correction findCorrection(size_t at,
                            const llvm::DenseMap<mlir::Value, Correction> &of);
  mlir::Value correct(const Correction &correction, mlir::Value value);
  /// Corrects by rows what a tile has, of which nothing may count.
  mlir::Value correctSoFar(mlir::Value value);

  const StreamDivider &divider;
  size_t sum;
  llvm::SmallVector<unsigned> dims; ///< of the result, of the group's
  std::vector<Input> inputs;
  std::string refusal;

  mlir::OpBuilder *builder = nullptr; ///< in the body
  mlir::Block *body = nullptr;
  /// The values of the ops' bodies for all tiles, and for one.
  std::array<llvm::DenseMap<mlir::Value, mlir::Value>, 2> computed;
  bool hasFailed = false;
  bool isChosen = false; ///< what is summed
  /// The kinds of references that corrections are by.
  bool hasShifts = true, hasScales = true;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_STREAMS_TILECOMBINER_H
