//===- OpWriter.h - structured ops of a group on vectors --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes what the bodies of a group's ops compute, where the builder is.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_KERNELS_OPWRITER_H
#define CAROUSEL_PASSES_GRAPH_KERNELS_OPWRITER_H

#include "GroupMemory.h"

namespace carousel {

class OpWriter {
public:
  OpWriter(const GroupProgram &program, GroupVectors &vectors,
           GroupMemory &memory)
      : program(program), vectors(vectors), memory(memory) {}

  /// Computes `results` of an op's body.
  mlir::LogicalResult writeBody(unsigned op,
                                llvm::ArrayRef<mlir::Value> results,
                                BodyValues &values);
  /// The same of what the body computes from few of the op's inputs: only these
  /// are read.
  mlir::FailureOr<GroupValue> writePart(unsigned op, mlir::Value result);
  /// The results of an elementwise op.
  mlir::FailureOr<llvm::SmallVector<GroupValue>>
  computeElementwise(unsigned op);
  mlir::LogicalResult writeElementwise(unsigned op);
  /// The element that a reduction's body combines with its result, neutral
  /// behind the end.
  mlir::FailureOr<GroupValue> readElement(unsigned op);

private:
  mlir::LogicalResult write(unsigned op, llvm::ArrayRef<mlir::Value> results,
                            BodyValues &values);
  mlir::linalg::LinalgOp getOp(unsigned op) const {
    return mlir::cast<mlir::linalg::LinalgOp>(program.graph.ops[op]);
  }

  const GroupProgram &program;
  GroupVectors &vectors;
  GroupMemory &memory;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_KERNELS_OPWRITER_H
