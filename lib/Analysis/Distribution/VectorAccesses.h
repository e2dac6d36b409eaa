//===- VectorAccesses.h - reads and writes of vectors -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vector.transfer_read and vector.transfer_write by what they access.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_VECTORACCESSES_H
#define CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_VECTORACCESSES_H

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Analysis/Layouts/LinearLayout.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <string>

namespace carousel {

class VectorAccess {
public:
  static std::optional<VectorAccess> of(mlir::Operation *op);

  mlir::Operation *getOp() const { return op; }
  mlir::VectorTransferOpInterface getTransfer() const { return transfer; }
  mlir::Value getMemRef() const { return transfer.getBase(); }
  mlir::ValueRange getIndices() const { return indices; }
  mlir::VectorType getType() const { return transfer.getVectorType(); }
  mlir::Value getVector() const;
  int64_t getElementBytes() const;
  /// The bytes of the whole vector.
  int64_t getBytes() const {
    return getType().getNumElements() * getElementBytes();
  }
  /// How often the access is executed, in the planner's prices: loops count as
  /// 16 iterations each.
  int64_t getRepetitions() const;
  /// The vector's dimension along the memref's last one; the last one if there
  /// is none.
  int64_t getContiguousDim() const { return contiguous; }
  /// Whether consecutive elements of that dimension are consecutive in memory.
  bool isContiguous() const { return hasContiguous; }
  bool isInBounds(int64_t dim) const { return transfer.isDimInBounds(dim); }
  bool isTransfer() const { return becomesTransfer(transfer); }
  /// Whether nothing else in the kernel accesses the memref, and each program
  /// or iteration reads elements of its own.
  bool isReadOnce() const;
  /// The reason why threads can't make the access, or an empty string.
  std::string explain() const;

  /// The sectors of 32 bytes that a warp touches in accesses of `run` elements
  /// of each lane, and those that the same bytes would fill.
  void countSectors(const LinearLayout &layout, int64_t run, int64_t &sectors,
                    int64_t &fullSectors) const;

private:
  /// Whether programs or iterations read elements of others.
  bool meetsAgain() const;
  bool isEachProgramsOwn() const;

  mlir::Operation *op = nullptr;
  /// Its queries are not const.
  mutable mlir::VectorTransferOpInterface transfer;
  llvm::SmallVector<mlir::Value> indices;
  int64_t contiguous = 0;
  bool hasContiguous = false;
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_VECTORACCESSES_H
