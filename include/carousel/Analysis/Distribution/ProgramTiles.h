//===- ProgramTiles.h - tiles that a grid of programs covers ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension of the grid is *tiled* if each of its programs does the same to
// the elements of its own tile, one by one. So the kernel means the same with
// tiles of another extent, and with as many programs as these need. Reads
// vectors of a block program: which of their dimensions lie along a tile.
// docs/BlockPhase.md, Tiles.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_PROGRAMTILES_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_PROGRAMTILES_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/VectorInterfaces.h"

#include <optional>
#include <string>

namespace carousel {

class ProgramTiles {
public:
  /// Of a kernel without calls, whose grid has an expression for each
  /// dimension.
  explicit ProgramTiles(mlir::gpu::GPUFuncOp kernel);

  /// Elements of a tile along a dimension of the grid; nullopt if it isn't
  /// tiled.
  std::optional<int64_t> getExtent(unsigned gridDim) const;
  /// The elements that all tiles along the dimension cover.
  ExprAttr getCovered(unsigned gridDim) const;
  /// Why a dimension of the grid isn't tiled; empty if it is.
  llvm::StringRef getRefusal(unsigned gridDim) const;

  /// The tiled dimension of the grid along which a dimension of a vector lies.
  std::optional<unsigned> findGridDim(mlir::Value vector, unsigned dim) const;

  /// Gives tiles along a tiled dimension another extent: in vectors, constants,
  /// offsets and the grid. The analysis doesn't hold afterwards.
  void resize(unsigned gridDim, int64_t extent);

private:
  struct GridDim {
    int64_t extent = 0;
    ExprAttr covered;
    /// Values that are the first element of the program's tile.
    llvm::SmallVector<mlir::Value> offsets;
    std::string refusal;
  };

  void findOffsets(unsigned dim, ExprAttr grid);
  void refuse(unsigned dim, const llvm::Twine &reason);
  void refuseAll(const llvm::Twine &reason);
  bool isTiled(unsigned dim) const { return dims[dim].refusal.empty(); }

  // Classes of dimensions of vectors that have the same extent.
  unsigned getNode(mlir::Value vector, unsigned dim);
  unsigned findRoot(unsigned node) const;
  void unify(mlir::Value a, unsigned dimOfA, mlir::Value b, unsigned dimOfB);
  /// All dimensions of vectors of the same shape.
  void unifyAll(mlir::Value a, mlir::Value b);
  /// Programs see all of such a dimension, or give it a meaning of its own.
  void fix(mlir::Value vector, unsigned dim);
  void fixAll(mlir::Operation *op);
  void noteOffset(mlir::Value vector, unsigned dim, unsigned gridDim);
  void merge(unsigned root, std::optional<unsigned> gridDim, bool isFixed);

  void note(mlir::Operation *op);
  void noteTransfer(mlir::VectorTransferOpInterface op);
  bool noteVectors(mlir::Operation *op);
  bool noteControl(mlir::Operation *op);

  mlir::gpu::GPUFuncOp kernel;
  llvm::SmallVector<GridDim, 3> dims;
  llvm::DenseMap<mlir::Value, unsigned> gridDimOfOffset;
  llvm::DenseMap<mlir::Value, unsigned> firstNodes;
  struct Class {
    unsigned parent;
    std::optional<unsigned> gridDim;
    bool isFixed = false;
  };
  llvm::SmallVector<Class> classes;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_PROGRAMTILES_H
