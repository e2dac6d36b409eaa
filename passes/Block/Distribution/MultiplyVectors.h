//===- MultiplyVectors.h - contractions by threads --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of distributed vectors: by wgmma, by mma.sync, or by multiply-adds
// of each thread's own elements.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_MULTIPLYVECTORS_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_MULTIPLYVECTORS_H

#include "../Threads/ConvertLayouts.h"
#include "../Threads/ThreadProgram.h"
#include "AccessVectors.h"

#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "carousel/Analysis/Layouts/FragmentLayouts.h"

namespace carousel {

/// A tile in shared memory that warps read by ldmatrix.
class MatrixTile {
public:
  /// `layout` has matrix loads.
  MatrixTile(ThreadProgram &program, mlir::Value tile,
             const LinearLayout &layout);

  /// `count` registers from `first` on, a multiple of it: in rows of 32 bits.
  mlir::Value loadWords(int64_t first, int64_t count);
  /// All registers.
  mlir::Value load();

  /// Whether the product's factor is these elements rounded to tf32.
  bool isRounded = false;

private:
  /// A thread's elements of one instruction.
  int64_t getElements() const;
  mlir::Value loadInstruction(int64_t number);

  ThreadProgram *program;
  mlir::Value tile;
  LinearLayout layout;
  mlir::Type element;
  MatrixLoads loads;
  llvm::SmallVector<mlir::Value> loaded; ///< by instruction
};

/// A tile in shared memory whose elements threads load where they multiply
/// them.
struct ElementTile {
  std::shared_ptr<VectorReader> reader;
  LinearLayout layout; ///< of the reader's registers
};

/// A factor of a product: registers, or a tile to read them from, by
/// instructions of warps or by loads of threads.
struct Factor {
  mlir::Value registers;
  MatrixTile *tile = nullptr;
  VectorReader *reader = nullptr;
  SharedVector *shared = nullptr; ///< what threads have left there
  /// For each register of the factor, that of the reader.
  llvm::SmallVector<int64_t> sources;
  /// Whether these are rounded to tf32 where instructions take them.
  bool isRounded = false;
  /// Whether the reader's tile has the factor's own dimensions.
  bool isMatrix = false;

  /// Whether elements from a number on that the run computes can be read.
  bool canBegin() const { return shared || (reader && isMatrix); }
};

/// The tiles in shared memory that products read, by the vector of the block
/// phase.
class FactorTiles {
public:
  /// A tile whose elements the instructions of warps load.
  void add(mlir::Value vector, MatrixTile tile) {
    tiles.try_emplace(vector, std::move(tile));
  }
  void add(mlir::Value vector, ElementTile tile) {
    elements.try_emplace(vector, std::move(tile));
  }
  /// A factor that threads have left in shared memory.
  void add(mlir::OpOperand &factor, SharedVector vector) {
    shared.try_emplace(&factor, std::move(vector));
  }
  SharedVector *findShared(mlir::OpOperand &factor) {
    auto found = shared.find(&factor);
    return found == shared.end() ? nullptr : &found->second;
  }
  /// One that products by warpgroups read.
  void keep(mlir::Value vector, mlir::Value memref) {
    memrefs[vector] = memref;
  }
  mlir::Value getMemRef(mlir::Value vector) const {
    return memrefs.lookup(vector);
  }
  MatrixTile *find(mlir::Value vector);
  const ElementTile *findElements(mlir::Value vector) const {
    auto tile = elements.find(vector);
    return tile == elements.end() ? nullptr : &tile->second;
  }
  /// Whether the op passes a tile on to a product, which has it then. An op
  /// that rounds may have been done by the load.
  bool pass(mlir::Operation *op, bool isDone);

private:
  llvm::DenseMap<mlir::Value, MatrixTile> tiles;
  llvm::DenseMap<mlir::Value, ElementTile> elements;
  llvm::DenseMap<mlir::OpOperand *, SharedVector> shared;
  llvm::DenseMap<mlir::Value, mlir::Value> memrefs;
};

/// The registers of the result of a product by warpgroups. A factor is a tile
/// in shared memory, or the registers of the threads, as the plan's form says.
/// The sums have the layout of `plan`.
mlir::Value multiplyTiles(ThreadProgram &program,
                          mlir::vector::ContractionOp op,
                          const ContractionPlan &plan, mlir::Value lhs,
                          mlir::Value rhs, mlir::Value acc);

/// The registers of the result of another product, or a scalar. All operands
/// have the layouts of `plan`.
mlir::Value multiplyVectors(ThreadProgram &program,
                            mlir::vector::ContractionOp op,
                            const LayoutPlan &layouts, Factor lhs, Factor rhs,
                            mlir::Value acc);

/// The steps along k of an iteration where a loop goes along it, so that the
/// code of a thread's multiply-adds stays in the instruction cache; nullopt if
/// they are few.
std::optional<int64_t> findStep(mlir::vector::ContractionOp op,
                                const LayoutPlan &plan);

/// Whether products in the same block take the vector that `read` reads from
/// its tile, piece by piece, and nothing else does.
bool isFactorOnly(const LayoutPlan &plan, mlir::Operation *read);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_MULTIPLYVECTORS_H
