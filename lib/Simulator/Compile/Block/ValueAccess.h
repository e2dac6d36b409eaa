//===- ValueAccess.h - elements of values, and loops over them --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_BLOCK_VALUEACCESS_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_BLOCK_VALUEACCESS_H

#include "ValuePlan.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace carousel::sim {

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

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_BLOCK_VALUEACCESS_H
