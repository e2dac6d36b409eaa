//===- ValuePlan.h - places of a block program's values ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of the block phase have up to 2^20 elements, which LLVM can't hold in
// registers. Each value gets bytes in a block of memory that the thread owns.
// Values that are never live together share bytes. Input: a kernel of the block
// phase. Output: an offset for each value, and the size of the block.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_BLOCK_VALUEPLAN_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_BLOCK_VALUEPLAN_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace carousel::sim {

/// A vector whose elements are all the same needs no bytes.
struct SplatSource {
  /// The element if it is known before the run.
  mlir::TypedAttr constant;
  /// Otherwise the scalar.
  mlir::Value scalar;
  /// Otherwise the ub.poison.
  mlir::Operation *poison = nullptr;
};
std::optional<SplatSource> findSplat(mlir::Value vector);

/// The type by which an element is stored. The host has no addresses of bits.
mlir::Type getStoredType(mlir::Type element);

/// Whether the op has a vector among its operands or results, or in its
/// regions' arguments.
bool hasVectors(mlir::Operation *op);

class ValuePlan {
public:
  /// Elementwise ops of a block that one loop computes, at the last one.
  using Run = std::vector<mlir::Operation *>;

  /// Emits an error for values that have no place.
  static mlir::FailureOr<ValuePlan> compute(mlir::Operation *kernel);

  /// The run that an op is part of; null if the op isn't elementwise.
  const Run *findRun(mlir::Operation *op) const {
    auto found = runOf.find(op);
    return found == runOf.end() ? nullptr : &runs[found->second];
  }
  /// Whether the value has an offset. A splat has none, nor has the result of a
  /// run whose users are in it.
  bool hasPlace(mlir::Value vector) const { return slotOf.contains(vector); }
  uint64_t getOffset(mlir::Value vector) const {
    return slots[slotOf.at(vector)].offset;
  }
  /// The offset of a copy of a yielded value. A loop needs one if the value is
  /// an argument of the loop's body: its place may be overwritten first.
  std::optional<uint64_t> getCopyOffset(mlir::OpOperand &yielded) const;

  uint64_t getBytes() const { return bytes; }

private:
  struct Slot {
    /// Positions in the kernel, both inclusive, where the bytes are in use.
    uint64_t first = 0, last = 0;
    uint64_t bytes = 0, offset = 0;
  };
  struct Range {
    uint64_t first = 0, last = 0;
  };

  void findRuns(mlir::Block &block);
  void number(mlir::Operation *op);
  void joinRanges();
  mlir::LogicalResult addResults(mlir::Operation *op);
  void addArguments(mlir::Operation *op);
  void addCopies(mlir::Operation *op);
  unsigned addSlot(mlir::Type type, Range range);
  void extend(unsigned slot, mlir::Value value);
  void place();

  std::vector<Run> runs;
  llvm::DenseMap<mlir::Operation *, unsigned> runOf;
  llvm::DenseMap<mlir::Operation *, Range> ranges;
  llvm::DenseMap<mlir::Value, unsigned> slotOf;
  llvm::DenseMap<mlir::OpOperand *, unsigned> copyOf;
  std::vector<Slot> slots;
  uint64_t bytes = 0, next = 0;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_BLOCK_VALUEPLAN_H
