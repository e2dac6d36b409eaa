//===- GroupMemory.h - tensors of a group as memory and vectors -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors of a group are memrefs where they cross its border, and vectors
// where they don't.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_KERNELS_GROUPMEMORY_H
#define CAROUSEL_PASSES_GRAPH_KERNELS_GROUPMEMORY_H

#include "../Bodies/GroupBodies.h"
#include "../Reading/RowReads.h"
#include "GroupProgram.h"

namespace carousel {

/// The schedule's dimension of each loop of an op.
llvm::SmallVector<unsigned> getPositions(const GroupProgram &program,
                                         unsigned op);

/// Those that an access goes along, in the tensor's order. Neighbours that are
/// one stand once.
llvm::SmallVector<unsigned> getPositions(const GroupProgram &program,
                                         unsigned op,
                                         const GraphAccess &access);

/// A vector in the order of a tensor's dimensions.
struct StoredVector {
  mlir::Value value;
  llvm::SmallVector<unsigned> dims;
  mlir::TypedAttr padding;
};

class GroupMemory {
public:
  GroupMemory(const GroupProgram &program, GroupVectors &vectors)
      : program(program), vectors(vectors) {}

  /// The memref or scalar that stands for a value of the function.
  void setParameter(mlir::Value value, mlir::Value parameter) {
    parameters[value] = parameter;
  }
  mlir::Value getParameter(mlir::Value value) const {
    return parameters.lookup(value);
  }

  /// Reads an op's operands: values for its body's arguments, and for what the
  /// body uses from outside. `isNeeded` may leave some operands out.
  void readOperands(
      unsigned op, BodyValues &values,
      llvm::function_ref<bool(mlir::BlockArgument)> isNeeded = nullptr);
  /// Reads the init of an op.
  GroupValue readInit(unsigned op, unsigned init);
  /// A factor of a product.
  StoredVector readFactor(unsigned op, mlir::OpOperand *factor);
  /// Elements at indices that the op computes.
  GroupValue extract(mlir::Value tensor, llvm::ArrayRef<GroupValue> indices,
                     const GroupValue &condition);

  /// A tile of rows of pages. \p values has the indices that the op computes.
  GroupValue readPages(const PagedRows &pages, const BodyValues &values);

  /// Reads a factor that the op uses again.
  void keepFactor(unsigned op, mlir::OpOperand *factor) {
    factors.try_emplace(factor, readFactor(op, factor));
  }

  /// Notes the value of a tensor, which may change later.
  void note(mlir::Value tensor, const GroupValue &value) {
    known[tensor] = value;
  }
  const GroupValue *lookUp(mlir::Value tensor) const {
    auto found = known.find(tensor);
    return found == known.end() ? nullptr : &found->second;
  }
  /// Notes a result, and writes it where it leaves the group.
  void define(unsigned op, unsigned result, const GroupValue &value);

private:
  /// The element of a tensor whose elements are all the same; a null value for
  /// others.
  GroupValue readConstant(mlir::Value tensor);
  GroupValue read(unsigned op, mlir::Value tensor, mlir::AffineMap map);
  /// Reads the elements of its image that a stencil needs.
  GroupValue readImage(unsigned op);
  bool canReadAhead(mlir::Value memref, llvm::ArrayRef<unsigned> positions);
  mlir::Operation *findLoopWithout(llvm::ArrayRef<unsigned> positions) const;
  GroupValue readWindow(unsigned op, mlir::Value memref, mlir::AffineMap map);
  GroupValue computeIndex(mlir::AffineExpr expr,
                          llvm::ArrayRef<unsigned> loops);
  GroupValue gather(mlir::Value memref, llvm::ArrayRef<GroupValue> indices,
                    llvm::ArrayRef<unsigned> dims, const GroupValue &condition);
  GroupValue readNeighbours(mlir::Value memref,
                            llvm::ArrayRef<GroupValue> indices,
                            llvm::ArrayRef<unsigned> dims,
                            const GroupValue &condition);
  /// A value that is zero where the condition, a scalar, doesn't hold.
  GroupValue readUnder(const GroupValue &condition, mlir::Type type,
                       llvm::function_ref<mlir::Value(mlir::OpBuilder &)> read);
  llvm::SmallVector<unsigned> getMemRefPositions(unsigned op,
                                                 mlir::AffineMap map) const;
  mlir::TypedAttr choosePadding(mlir::Value tensor);

  /// A part of a tensor that has been read.
  struct KnownRead {
    mlir::Value memref;
    llvm::SmallVector<unsigned> positions;
    GroupValue value;
  };

  const GroupProgram &program;
  GroupVectors &vectors;
  llvm::DenseMap<mlir::Value, mlir::Value> parameters;
  llvm::DenseMap<mlir::Value, GroupValue> known; ///< tensors of the group
  std::vector<KnownRead> reads;
  llvm::DenseMap<mlir::OpOperand *, StoredVector> factors; ///< kept
  mlir::Operation *firstWrite = nullptr; ///< of the last block with writes
  mlir::Block *blockOfReads = nullptr;
  int64_t registersRead = 0; ///< in that block, of all threads
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_KERNELS_GROUPMEMORY_H
