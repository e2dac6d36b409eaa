//===- LowerValues.h - vectors of a block program in memory -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of the block phase have up to 2^20 elements, which LLVM can't hold in
// registers. Each value gets bytes in a block of memory that the thread owns,
// and values that are never live together share bytes; then ops become loops
// over elements. Each function lowers the ops of one kind, at the builder's
// position. They return false for another op, and failure after an error.
// `mask` is that of the vector.mask around the op, or null.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_BLOCK_LOWERVALUES_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_BLOCK_LOWERVALUES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

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

using Coords = llvm::ArrayRef<mlir::Value>;

/// Creates loops over elements, and reads and writes of them. Coordinates are
/// values of type index, outermost first.
class ValueAccess {
public:
  /// `memory`: the thread's bytes, at the start of the kernel. Views of it are
  /// created after it.
  ValueAccess(const ValuePlan &plan, mlir::Value memory)
      : plan(plan), memory(memory) {}

  /// Vector dimensions of extent `width` cover an extent, which ends before
  /// `end`. Elements from there on take part in no reduction, and aren't
  /// written.
  void setCovered(int64_t width, mlir::Value end) {
    covered = width;
    coveredEnd = end;
  }
  bool isCovered(int64_t extent) const {
    return coveredEnd && extent == covered;
  }
  /// For `forEach` and `fold`, in place of an extent: elements up to the end.
  int64_t getBound(int64_t extent) const {
    return isCovered(extent) ? mlir::ShapedType::kDynamic : extent;
  }
  /// The end of such a bound.
  mlir::Value getEnd(mlir::ImplicitLocOpBuilder &b, int64_t bound) const;
  /// Whether an element isn't beyond the end; null if none is.
  mlir::Value isInside(mlir::ImplicitLocOpBuilder &b,
                       llvm::ArrayRef<int64_t> shape, Coords coords) const;

  /// Replaces the results of the op in a mask by those of the mask.
  void alias(mlir::Value inner, mlir::Value outer) { aliases[inner] = outer; }

  /// Whether other loops read the elements of this result of a run.
  bool isStored(mlir::Value vector) const { return plan.hasPlace(vector); }
  mlir::Value read(mlir::ImplicitLocOpBuilder &b, mlir::Value vector,
                   Coords coords);
  /// The element of this number in row-major order. A scalar is returned as it
  /// is.
  mlir::Value readFlat(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                       mlir::Value number);
  void write(mlir::ImplicitLocOpBuilder &b, mlir::Value vector, Coords coords,
             mlir::Value element);
  void writeFlat(mlir::ImplicitLocOpBuilder &b, mlir::Value vector,
                 mlir::Value number, mlir::Value element);
  /// Copies all elements of a vector to the place of another one.
  void copy(mlir::ImplicitLocOpBuilder &b, mlir::Value from, mlir::Value to);
  /// Copies by a place of the yielded value's own, if it has one: `save` fills
  /// it.
  void save(mlir::ImplicitLocOpBuilder &b, mlir::OpOperand &yielded);
  void copyYielded(mlir::ImplicitLocOpBuilder &b, mlir::OpOperand &yielded,
                   mlir::Value to);

  /// Calls `body` with the coordinates of each element, in ascending order.
  void forEach(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<int64_t> shape,
               llvm::function_ref<void(Coords)> body);
  /// The same, with a value that each element replaces. Returns the last one.
  mlir::Value fold(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<int64_t> shape,
                   mlir::Value initial,
                   llvm::function_ref<mlir::Value(Coords, mlir::Value)> body);
  /// The same with several values.
  llvm::SmallVector<mlir::Value>
  foldAll(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<int64_t> shape,
          mlir::ValueRange initial,
          llvm::function_ref<llvm::SmallVector<mlir::Value>(Coords,
                                                            mlir::ValueRange)>
              body);

private:
  mlir::Value getView(mlir::Type vector, uint64_t offset);
  mlir::Value getPlace(mlir::Value vector);
  void fill(mlir::ImplicitLocOpBuilder &b, mlir::Value from, mlir::Value to);
  mlir::Value load(mlir::ImplicitLocOpBuilder &b, mlir::Value view,
                   mlir::Value number, mlir::Type element);

  const ValuePlan &plan;
  mlir::Value memory;
  int64_t covered = 0;
  mlir::Value coveredEnd; ///< null: nothing is covered
  llvm::DenseMap<mlir::Value, mlir::Value> aliases;
  llvm::DenseMap<std::pair<mlir::Type, uint64_t>, mlir::Value> views;
};

mlir::Value createIndex(mlir::ImplicitLocOpBuilder &b, int64_t value);
/// Adds or multiplies by a constant; no op for 0 or 1.
mlir::Value addConstant(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                        int64_t constant);
mlir::Value scale(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                  int64_t factor);

/// The run's ops, before the last one.
void lowerRun(ValueAccess &access, llvm::ArrayRef<mlir::Operation *> run);
/// Constants, masks, ops of other dialects, and ops that move elements.
mlir::FailureOr<bool> lowerElements(mlir::ImplicitLocOpBuilder &b,
                                    ValueAccess &access, mlir::Operation *op);
mlir::FailureOr<bool> lowerMoves(mlir::ImplicitLocOpBuilder &b,
                                 ValueAccess &access, mlir::Operation *op);
/// Reads and writes of memrefs.
mlir::FailureOr<bool> lowerAccesses(mlir::ImplicitLocOpBuilder &b,
                                    ValueAccess &access, mlir::Operation *op,
                                    mlir::Value mask);
mlir::FailureOr<bool> lowerReductions(mlir::ImplicitLocOpBuilder &b,
                                      ValueAccess &access, mlir::Operation *op,
                                      mlir::Value mask);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_BLOCK_LOWERVALUES_H
