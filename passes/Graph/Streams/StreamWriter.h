//===- StreamWriter.h - reductions of a kernel in one pass ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the loop of a stream: what its tiles compute, and how sums are
// corrected where the rows change that tiles are computed with.
// docs/GraphPhase.md, Streams.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_STREAMS_STREAMWRITER_H
#define CAROUSEL_PASSES_GRAPH_STREAMS_STREAMWRITER_H

#include "../Kernels/OpWriter.h"
#include "../Kernels/PartialSums.h"
#include "StreamMasks.h"
#include "StreamNumbers.h"

#include "llvm/ADT/MapVector.h"

namespace carousel {

class StreamWriter {
public:
  /// \p parts: of a program that divides the stream, or null.
  StreamWriter(const GroupProgram &program, GroupVectors &vectors,
               GroupMemory &memory, PartialSums *parts)
      : program(program), stream(*program.shape.stream), vectors(vectors),
        memory(memory), parts(parts), writer(program, vectors, memory) {}

  /// Writes all ops of the group, where the builder is.
  mlir::LogicalResult write();

private:
  /// Rows that tiles are computed with, by tensor.
  struct Rows {
    llvm::MapVector<mlir::Value, GroupValue> values;
    /// Whether each of these is of no element so far.
    llvm::DenseMap<mlir::Value, GroupValue> isNew;
  };
  using Change = ElementChanges<RowNumbers>::Change;

  mlir::LogicalResult writeBefore();
  void startSums();
  mlir::LogicalResult writeTiles(llvm::MutableArrayRef<mlir::Value> sums);
  mlir::LogicalResult writeTile(unsigned op);
  mlir::FailureOr<GroupValue> computeTile(unsigned op);
  const ScaledTile *findScaled(unsigned op) const;
  /// Returns the factor that makes a sum the op's result.
  double getScale(unsigned sumOp) const;
  mlir::Value scaleSum(unsigned op, mlir::Value sum);
  /// Has what is multiplied stand for a scaled tile's product.
  mlir::LogicalResult presetFactor(unsigned op, BodyValues &values);
  mlir::LogicalResult addTile(unsigned op, mlir::Value &sum, const Rows &before,
                              const Rows &now);
  /// Leaves a part's sums, and lets the last part combine those of all.
  mlir::LogicalResult combineParts(llvm::SmallVectorImpl<mlir::Value> &sums);
  /// Adds sums of other elements: both are corrected by what all have.
  mlir::LogicalResult addPart(llvm::MutableArrayRef<mlir::Value> sums,
                              mlir::ValueRange part);
  mlir::LogicalResult finishSum(unsigned op, mlir::Value sum,
                                const Rows &before, Rows &truth);
  mlir::LogicalResult writeAfter(mlir::ValueRange sums);

  /// Whether tiles are computed with a row, or with one that follows from it.
  bool isNeeded(mlir::Value row) const { return needed.contains(row); }
  void findNeeded();
  /// Computes the needed rows that follow from the sums so far.
  mlir::FailureOr<Rows> computeRows(mlir::ValueRange sums);
  void addRow(unsigned op, mlir::Value sum, Rows &rows);
  /// Finds the change of what an op computes, or its reduction combines with
  /// its result.
  mlir::FailureOr<Change> findChange(unsigned op, const Rows &before,
                                     const Rows &after);
  /// Finds the change of a tensor of tiles, where \p before becomes \p after.
  mlir::FailureOr<Change> findChange(mlir::Value tensor, const Rows &before,
                                     const Rows &after);
  void keepWhereEmpty(Change &change);
  /// An op's sum of some elements, of which none may count.
  mlir::Value correctSoFar(unsigned op, const Change &change, mlir::Value sum);

  /// Neutral elements behind the end, where later ops need them.
  void maskTile(unsigned op);
  mlir::TypedAttr findPadding(unsigned op);
  bool feedsExtremum(mlir::Value tensor) const;

  StreamRole getRole(unsigned op) const { return stream.roles[op]; }
  const GraphOp &getNode(unsigned op) const {
    return program.graph.problem.ops[op];
  }
  mlir::linalg::LinalgOp getOp(unsigned op) const {
    return mlir::cast<mlir::linalg::LinalgOp>(program.graph.ops[op]);
  }
  mlir::Value getResult(unsigned op) const {
    return program.graph.ops[op]->getResult(0);
  }
  llvm::SmallVector<unsigned> findSumDims(unsigned op) const;
  const StreamReference *findReference(mlir::Value tensor) const;
  unsigned getPosition() const { return program.schedule.find(stream.dim); }

  const GroupProgram &program;
  const StreamShape &stream;
  GroupVectors &vectors;
  GroupMemory &memory;
  PartialSums *parts;
  OpWriter writer;
  llvm::SmallVector<mlir::Value> starts; ///< of sums
  llvm::SmallVector<StreamMask> masks;
  llvm::SmallVector<ScaledTile> scaledTiles;
  bool hasHugeNumbers = false; ///< among the elements of tiles
  llvm::SmallDenseSet<mlir::Value> needed;
  using Changes = llvm::DenseMap<mlir::Value, Change>;
  /// The changes of tensors of tiles in this iteration, or at the end; and
  /// those at the end where rows without elements don't change.
  Changes changes, changesOfChosen;
  /// Whether the stream has no element, which the launch knows; null if it has.
  mlir::Value isEmpty;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_STREAMS_STREAMWRITER_H
