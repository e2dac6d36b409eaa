//===- GroupValues.h - vectors with dimensions of a group -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of a group's kernel is a vector over some of the schedule's
// dimensions, or a scalar. Values of different dimensions are computed with
// together once the dimensions that one of them lacks have been added.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_BODIES_GROUPVALUES_H
#define CAROUSEL_PASSES_GRAPH_BODIES_GROUPVALUES_H

#include "carousel/Analysis/Graph/GroupSchedule.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace carousel {

struct GroupValue {
  mlir::Value value;
  /// Positions of the schedule's dimensions that the vector has, ascending.
  llvm::SmallVector<unsigned> dims;
  /// The value of elements behind a reduced dimension's end; null if that isn't
  /// known.
  mlir::TypedAttr padding;
  /// The first one of indices that grow by 1 along their only dimension; null
  /// for other values.
  mlir::Value first = nullptr;
  /// The factor of the exponentials of an online reduction's tiles.
  double scale = 1.0;
  /// The numbers of tiles may be so large that only their differences are
  /// exact.
  bool mayBeHuge = false;
  /// The condition only says that a number is that of a matrix's row.
  bool isOfRow = false;
};

/// Whether an element doesn't change what it is combined with.
bool isNeutral(mlir::TypedAttr element, mlir::vector::CombiningKind kind);

/// The dimensions of a memref from the first one of vectors on, if a read of
/// all of them can be a tile of a ring; none if it can't.
llvm::ArrayRef<unsigned> findBox(const GroupSchedule &schedule,
                                 llvm::ArrayRef<unsigned> positions);

/// Where a program is in the dimensions of a schedule, and what vectors it
/// makes.
class GroupVectors {
public:
  GroupVectors(mlir::OpBuilder &builder, mlir::Location loc,
               const GroupSchedule &schedule)
      : builder(builder), loc(loc), schedule(schedule),
        begins(schedule.dims.size()), extents(schedule.dims.size()) {}

  /// The index of the vectors' first element, and the extent.
  void setBegin(unsigned position, mlir::Value begin) {
    begins[position] = begin;
  }
  void setExtent(unsigned position, mlir::Value extent) {
    extents[position] = extent;
  }
  mlir::Value getBegin(unsigned position);
  mlir::Value getExtent(unsigned position) { return extents[position]; }

  bool isVector(unsigned position) const {
    return schedule.dims[position].tile != 1;
  }
  /// Those of `positions` that vectors have, ascending and each once.
  llvm::SmallVector<unsigned>
  findVectorDims(llvm::ArrayRef<unsigned> positions) const;
  /// A vector over these, or the element type if there are none.
  mlir::Type getType(mlir::Type element, llvm::ArrayRef<unsigned> dims) const;

  mlir::Value createSplat(mlir::TypedAttr element,
                          llvm::ArrayRef<unsigned> dims);
  /// With all of `dims`, among which are those of the value.
  mlir::Value expand(const GroupValue &value, llvm::ArrayRef<unsigned> dims);
  /// Creates a mask of the elements of vectors that exist.
  mlir::Value createMask(llvm::ArrayRef<unsigned> dims);
  /// The numbers of the elements along a dimension.
  GroupValue createIndices(unsigned position);

  /// The value, with `neutral` behind the ends of reduced dimensions.
  mlir::Value maskReduced(const GroupValue &value, mlir::TypedAttr neutral);
  mlir::Value maskReduced(const GroupValue &value,
                          mlir::vector::CombiningKind kind);
  /// Combined along those of some dimensions that the value has.
  GroupValue reduce(const GroupValue &value, llvm::ArrayRef<unsigned> summed,
                    mlir::vector::CombiningKind kind);

  /// `positions`: the schedule's dimension of each of the memref's.
  GroupValue read(mlir::Value memref, llvm::ArrayRef<unsigned> positions,
                  mlir::TypedAttr padding);
  /// In the order of the memref's dimensions, as products want it.
  mlir::Value readAsStored(mlir::Value memref,
                           llvm::ArrayRef<unsigned> positions,
                           mlir::TypedAttr padding);
  /// The same, by a read of the box if there is one.
  mlir::Value readBox(mlir::Value memref, llvm::ArrayRef<unsigned> positions,
                      mlir::TypedAttr padding);
  /// The elements of a matrix at `indices`, if they are whole rows of a
  /// product's factor, whose numbers are read from a table in memory: producers
  /// copy them to the ring of its loop. Nothing for other elements.
  std::optional<GroupValue> readRows(mlir::Value memref,
                                     llvm::ArrayRef<GroupValue> indices);
  /// A tile of rows of pages: of those that a row of the table at \p ofTable
  /// names. The memref's indices behind the page's are those given, of which
  /// the one at \p row counts the rows of all pages. Producers copy the tile
  /// page by page.
  GroupValue readPages(mlir::Value memref, mlir::Value table,
                       mlir::ValueRange ofTable,
                       llvm::ArrayRef<GroupValue> indices, unsigned row);
  /// The op that writes.
  mlir::Operation *write(const GroupValue &value, mlir::Value memref,
                         llvm::ArrayRef<unsigned> positions);

  bool isRagged(unsigned position) const {
    return schedule.dims[position].isRagged();
  }
  llvm::SmallVector<bool> getInBounds(llvm::ArrayRef<unsigned> dims) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const GroupSchedule &schedule;

private:
  /// \p joined: which dimension is one with the one before it.
  mlir::Value readJoined(mlir::Value memref, llvm::ArrayRef<unsigned> positions,
                         unsigned joined, mlir::TypedAttr padding);
  mlir::Operation *writeJoined(const GroupValue &value, mlir::Value memref,
                               llvm::ArrayRef<unsigned> positions,
                               unsigned joined);
  /// Where the program is in memrefs whose few elements are one dimension with
  /// the one before it.
  void setJoinedBegins(GroupVectors &joined);
  llvm::SmallVector<mlir::Value> getIndices(llvm::ArrayRef<unsigned> positions);

  llvm::SmallVector<mlir::Value> begins, extents;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_BODIES_GROUPVALUES_H
