//===- ExtentChecks.h - tensors as long as others ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops of a step end at the extent of one tensor, and the others have to have
// as many elements. cf.assert compares extents that types don't show.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_EXTENTCHECKS_H
#define CAROUSEL_PASSES_GRAPH_READING_EXTENTCHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace carousel {

/// "dimension 0 of x", for messages.
std::string describeDimension(mlir::Value tensor, int64_t dim);

class ExtentChecks {
public:
  /// `where`: "in @main_0", for messages.
  ExtentChecks(mlir::OpBuilder &builder, mlir::Location loc, std::string where)
      : builder(builder), loc(loc), where(std::move(where)) {}

  /// The loop goes along a dimension of a value of the program.
  void add(unsigned loop, mlir::Value tensor, int64_t dim);
  /// The loop has this extent in `what`.
  void add(unsigned loop, mlir::OpFoldResult size, std::string what);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::string where;
  llvm::DenseMap<unsigned, std::pair<mlir::OpFoldResult, std::string>> extents;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_EXTENTCHECKS_H
