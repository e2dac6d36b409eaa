//===- SimProgramPlan.h - what a program does with its arguments *- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets the host function of a program. It reads no memory of the device,
// so all its steps (launches, fills and copies), with the views that they work
// on, are known before the first one runs. Errors are one line with a place.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_PROGRAM_SIMPROGRAMPLAN_H
#define CAROUSEL_LIB_SIMULATOR_PROGRAM_SIMPROGRAMPLAN_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Simulator/Simulator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"

namespace carousel::sim {

namespace plan {

/// The message, after the op's place.
std::string failAt(mlir::Operation *op, const llvm::Twine &message);

/// Bytes of an element.
uint64_t getBytes(mlir::MemRefType type);
/// The name in the file, if the parser kept it.
std::string nameBuffer(mlir::Operation *op);
/// Row-major strides; nothing if the elements don't fit 48 bits of address.
std::optional<llvm::SmallVector<int64_t>>
computeStrides(llvm::ArrayRef<int64_t> extents, uint64_t elementBytes);
int64_t countElements(llvm::ArrayRef<int64_t> extents);
std::string printExtents(llvm::ArrayRef<int64_t> extents);

} // namespace plan

struct ProgramStep {
  mlir::Operation *op = nullptr;
  /// One for each operand of the op.
  std::vector<Argument> operands;
};

class ProgramPlan {
public:
  /// Returns memory for a buffer of the program, which nobody has written.
  using Allocate = llvm::function_ref<void *(uint64_t bytes)>;

  /// Returns an empty string, or an error. There must be an argument for each
  /// of the function.
  std::string make(mlir::func::FuncOp program,
                   llvm::ArrayRef<Argument> arguments, Allocate allocate);

  llvm::ArrayRef<ProgramStep> getSteps() const { return steps; }

private:
  /// Elements of a buffer of the program or of an argument.
  struct View {
    Argument memory;
    unsigned buffer = 0;
    /// The base of memref.reinterpret_cast's offset, and the elements from
    /// there on. Slices keep both: offsets aren't part of the pointer.
    char *base = nullptr;
    uint64_t elements = 0;

    /// The offset counts from the first element of the view.
    void setBase();
  };

  std::string bind(mlir::Value argument, const Argument &value);
  void addBuffer(mlir::Value value, Argument memory);
  std::string interpret(mlir::Operation &op, Allocate allocate);
  std::string compute(mlir::Operation &op);
  std::string allocateBuffer(mlir::memref::AllocOp op, Allocate allocate);
  std::string free(mlir::memref::DeallocOp op);
  std::string getConstant(mlir::memref::GetGlobalOp op, Allocate allocate);
  std::string slice(mlir::memref::SubViewOp op);
  std::string expand(mlir::memref::ExpandShapeOp op);
  std::string collapse(mlir::memref::CollapseShapeOp op);
  std::string cast(mlir::memref::CastOp op);
  std::string viewBytes(mlir::memref::ViewOp op);
  std::string reinterpret(mlir::memref::ReinterpretCastOp op);
  std::string readLayout(mlir::memref::ExtractStridedMetadataOp op);
  std::string checkExtents(LibraryMatmulOp op);
  std::string addStep(mlir::Operation &op);

  /// Null, with an error, for memory that was freed.
  const View *getView(mlir::Operation *user, mlir::Value value,
                      std::string &error) const;
  /// The value of an index, a number of the program.
  int64_t getIndex(mlir::OpFoldResult value) const;
  llvm::SmallVector<int64_t>
  getIndices(llvm::ArrayRef<mlir::OpFoldResult> values) const;

  llvm::DenseMap<mlir::Value, View> views;
  llvm::DenseMap<mlir::Value, mlir::Attribute> numbers;
  std::vector<bool> isFreed; ///< of each buffer
  std::vector<ProgramStep> steps;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_PROGRAM_SIMPROGRAMPLAN_H
