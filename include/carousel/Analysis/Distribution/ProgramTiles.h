//===- ProgramTiles.h - tiles that a grid of programs covers ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs have *numbers*: the grid's dimensions, or where an extent of the
// grid is a product, the quotients and remainders of the id by its factors. A
// number is *tiled* if each program does the same to the elements of its own
// tile, one by one. So the kernel means the same with tiles of another extent,
// and with as many programs as these need. docs/BlockPhase.md, Tiles.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_PROGRAMTILES_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_PROGRAMTILES_H

#include "carousel/Analysis/Distribution/DimClasses.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <optional>
#include <string>

namespace carousel {

class DistributionOpInterface;

class ProgramTiles {
public:
  /// Finds the tiles of a kernel without calls. Uses that share a constant
  /// vector count as one class: whoever resizes gives each use its own first.
  explicit ProgramTiles(mlir::gpu::GPUFuncOp kernel);

  /// How many programs have different numbers; an expression for each number.
  /// The grid has their product.
  llvm::SmallVector<ExprAttr> getCounts() const;
  /// The dimension of the grid that has this number alone.
  std::optional<unsigned> findGridDim(unsigned number) const;
  /// The elements that all tiles along the number cover; null if it isn't
  /// tiled.
  ExprAttr getCovered(unsigned number) const;
  /// Why the first number that isn't tiled is none; empty if all are.
  std::string getRefusal() const;

  /// The tiled number along which a dimension of a vector lies.
  std::optional<unsigned> findNumber(mlir::Value vector, unsigned dim) const;
  /// Whether it may lie along tiles of any number. If not, other tiles leave
  /// the dimension as it is.
  bool liesAlongPrograms(mlir::Value vector, unsigned dim) const;

  /// Whether all accesses stay where they are said to be with tiles of another
  /// extent.
  bool canResize(unsigned number, int64_t extent) const;
  /// Gives tiles another extent: in vectors, constants, offsets and the grid.
  /// Tiles along other numbers may be resized afterwards. A new analysis may
  /// find less: it doesn't follow all counts that this writes.
  void resize(unsigned number, int64_t extent);

private:
  struct Number {
    unsigned gridDim;
    ExprAttr count;
    /// Where it is tiled: the extent of a tile, and what all cover.
    int64_t extent = 0;
    ExprAttr covered;
    /// Values that are the number, and the first element of its tile.
    llvm::SmallVector<mlir::Value> values, offsets;
    /// Ops that divide by the count.
    llvm::SmallVector<mlir::Operation *> divisions;
    /// Accesses of tiles are said to be in bounds.
    bool isInBounds = false;
    std::string refusal;
  };

  void findNumbers(unsigned gridDim, ExprAttr grid);
  void divide(unsigned gridDim, unsigned first);
  void findOffsets(unsigned number);
  void refuse(unsigned number, const llvm::Twine &reason);
  void refuseAll(const llvm::Twine &reason);
  bool isTiled(unsigned number) const {
    return numbers[number].refusal.empty();
  }
  void writeCount(unsigned number);
  /// The value of an expression of constants.
  static std::optional<int64_t> findConstant(ExprAttr expr);

  // Classes of dimensions of vectors that have the same extent.
  struct Class {
    std::optional<unsigned> number = std::nullopt;
    bool isFixed = false;
  };
  void unify(mlir::Value a, unsigned dimOfA, mlir::Value b, unsigned dimOfB);
  /// Programs see all of such a dimension, or give it a meaning of its own.
  void fix(mlir::Value vector, unsigned dim);
  void fixAll(mlir::Operation *op);
  void noteOffset(mlir::Value vector, unsigned dim, unsigned number);
  void merge(Class &into, const Class &from);

  void note(mlir::Operation *op);
  void noteTransfer(mlir::VectorTransferOpInterface op);
  bool noteVectors(mlir::Operation *op);
  void fixReduced(mlir::Operation *op);
  void noteReshaped(mlir::vector::ShapeCastOp op);
  void noteSources(DistributionOpInterface op);
  void notePairs(mlir::Operation *op);

  mlir::gpu::GPUFuncOp kernel;
  llvm::SmallVector<Number, 3> numbers;
  llvm::DenseMap<mlir::Value, unsigned> numberOfOffset;
  DimClasses<Class> classes;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_PROGRAMTILES_H
