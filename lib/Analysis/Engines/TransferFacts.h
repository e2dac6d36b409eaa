//===- TransferFacts.h - facts about a transfer -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The box of a transfer as numbers, the origins of its two memrefs, and the
// needs of an engine. Each need is met by known facts, becomes a guard of the
// launch, or yields the reason why it isn't met.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_ENGINES_TRANSFERFACTS_H
#define CAROUSEL_LIB_ANALYSIS_ENGINES_TRANSFERFACTS_H

#include "carousel/Analysis/Engines/TransferShape.h"
#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace carousel {

/// The conditions that a variant of a kernel may put on a launch.
enum class GuardUse {
  All,
  ShortRows,    ///< none on rows of more than four bytes
  OddRows,      ///< none on rows of more than an element
  NoRaggedness, ///< none on extents that a box may exceed
  None
};

/// The op or argument that a memref is part of.
struct MemRefOrigin {
  mlir::Value root;
  /// There are only casts in between.
  bool isWhole = true;
  /// Its strides are the root's, by dimension.
  bool keepsStrides = true;
  /// A divisor of the bytes from the root's first element to the memref's; 0 if
  /// they are the same.
  int64_t offset = 0;
  /// The alignment of the memref's address that the author promises.
  int64_t alignment = 1;
};

MemRefOrigin findOrigin(mlir::Value memref, const Divisibility &indices);

/// Facts that all transfers of a kernel share.
struct KernelFacts {
  KernelFacts(mlir::gpu::GPUFuncOp kernel, const TargetSpec &target,
              const ChipModel &chip);

  mlir::gpu::GPUFuncOp kernel;
  TargetSpec target;
  const ChipModel &chip;
  Divisibility indices;
  llvm::SmallVector<KernelArgument> arguments;
  /// The number of each argument, as guards use it.
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  /// The guards that the kernel's variant already has.
  llvm::SmallVector<GuardAttr> known;
};

/// A transfer in numbers. Lists have one entry for each dimension of the global
/// memref. `ShapedType::kDynamic` stands for a value that is known only at
/// launch.
struct TransferFacts {
  TransferFacts(const KernelFacts &kernel, TransferOpInterface op);

  const KernelFacts &kernel;
  TransferOpInterface op;
  bool isLoad;
  bool inBounds;
  OutOfBoundsFill fill = OutOfBoundsFill::Zero;
  ReductionAttr reduce;
  /// Elements are rounded to tf32.
  bool rounds = false;
  /// No other thread accesses the box of the reduction.
  bool isExclusive = false;
  /// The global memref is a multicast address, to which threads alone store.
  bool isMulticast = false;
  int64_t elementBytes;
  int64_t tileBytes;
  int64_t rank;

  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<int64_t> strides; ///< in elements
  llvm::SmallVector<int64_t> box;     ///< 1 where the tile has no dimension
  llvm::SmallVector<mlir::Value> offsets;
  /// The kernel argument that the global memref is, or is part of.
  std::optional<unsigned> argument;
  /// The global memref is that argument, except for casts.
  bool isArgument = false;
  /// The global memref is rows of that argument that a table names, with two
  /// dimensions or more each, as pages have: a tensor copy takes them one by
  /// one.
  bool arePages = false;
  /// The global memref has the argument's strides.
  bool hasArgumentStrides = false;
  /// The strides of the argument follow from its extents.
  bool isContiguousArgument = false;
  std::string name;
  /// A description of a memref that isn't an argument.
  std::string origin;
  /// The known alignment, in bytes, of the first element's address, and of its
  /// distance from the argument's.
  int64_t globalAlignment;
  int64_t globalOffset = 0;

  bool isTileContiguous;
  llvm::SmallVector<int64_t> tileStrides;
  /// The alignment that the tile can get, at most 1024 bytes.
  int64_t tileAlignment;
  /// The buffer to align for all of its transfers.
  mlir::Value tileBuffer;
  TransferShape shape;

  /// Whether the box is inside the global memref in a dimension.
  bool isInside(int64_t dim) const;
  /// Expressions of a launch, which only arguments have.
  ExprAttr getExtentExpr(int64_t dim) const;
  ExprAttr getStrideExpr(int64_t dim) const;
};

/// The needs of one engine for one transfer. Each method returns whether the
/// need is met or can become a guard. Otherwise it records the reason.
class Needs {
public:
  Needs(const TransferFacts &facts, GuardUse use) : facts(facts), use(use) {}

  bool refuse(const llvm::Twine &why) {
    reason = why.str();
    return false;
  }
  bool hasTarget(unsigned sm, unsigned ptx);
  bool isGlobalAligned(int64_t bytes);
  bool isTileAligned(int64_t bytes);
  bool hasUnitStride();
  bool hasContiguousTile();
  /// The distance between neighbours along `dim` is a multiple of `bytes`.
  bool isStrideMultiple(int64_t dim, int64_t bytes);
  /// The offset of the box along `dim` is a multiple of `bytes`.
  bool isOffsetMultiple(int64_t dim, int64_t bytes);
  /// All of the box's rows begin at multiples of `bytes`.
  bool isBoxAligned(const TransferShape &shape, int64_t bytes);
  /// `factor` times the extent of `dim` is a multiple of `divisor`.
  bool isExtentMultiple(int64_t dim, int64_t factor, int64_t divisor);
  /// The extent of `dim` is in 1 to `most`.
  bool isExtentInRange(int64_t dim, int64_t most);
  bool startsInside(int64_t dim);

  std::string reason;
  llvm::SmallVector<GuardAttr> guards;

private:
  int64_t getStrideMultiple(int64_t dim) const;
  int64_t getKnownDivisor(ExprAttr expr) const;
  bool addGuard(GuardAttr guard, bool isRaggedness, const llvm::Twine &why);
  bool makeOffsetMultiple(int64_t dim, int64_t divisor);

  const TransferFacts &facts;
  GuardUse use;
};

/// Adds a guard, unless the others imply it. Removes guards that it implies.
void mergeGuard(llvm::SmallVectorImpl<GuardAttr> &guards, GuardAttr guard);
bool isImplied(llvm::ArrayRef<GuardAttr> guards, GuardAttr guard);

GuardAttr makeCapability(mlir::MLIRContext *context, int64_t sm);
ExprAttr makeExpr(mlir::MLIRContext *context, ExprKind kind, int64_t value,
                  int64_t argument = 0);
/// lhs * rhs and lhs floordiv rhs, with constants folded.
ExprAttr multiply(ExprAttr lhs, int64_t rhs);
ExprAttr floorDivide(ExprAttr lhs, int64_t rhs);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_ENGINES_TRANSFERFACTS_H
