//===- TransferFacts.h - what decides about a transfer ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The box of a transfer as numbers, where its two memrefs come from, and the
// needs that an engine has of them: each is met by what is known, becomes a
// guard of the launch, or says why it can't be met.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_ENGINES_TRANSFERFACTS_H
#define CAROUSEL_LIB_ANALYSIS_ENGINES_TRANSFERFACTS_H

#include "carousel/Analysis/Engines/TransferShape.h"
#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Target/TargetInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace carousel {

/// What a variant of a kernel may ask of a launch.
enum class GuardUse {
  All,
  NoRaggedness, ///< nothing of extents that a box may reach across
  None
};

/// A memref's way back to the op or the argument that it is part of.
struct MemRefOrigin {
  mlir::Value root;
  /// All that lies between is casts.
  bool isWhole = true;
  /// Divides the bytes between the root's first element and the memref's; 0 if
  /// it is the same.
  int64_t offset = 0;
  /// What somebody has promised of the memref's address.
  int64_t alignment = 1;
};

MemRefOrigin findOrigin(mlir::Value memref, const Divisibility &indices);

/// What all transfers of a kernel share.
struct KernelFacts {
  KernelFacts(mlir::gpu::GPUFuncOp kernel, const TargetSpec &target);

  mlir::gpu::GPUFuncOp kernel;
  TargetSpec target;
  Divisibility indices;
  llvm::SmallVector<KernelArgument> arguments;
  /// The number of each argument, as guards count.
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  /// What the kernel's variant asks of a launch already.
  llvm::SmallVector<GuardAttr> known;
};

/// A transfer in numbers. Lists are by dimension of the global memref;
/// `ShapedType::kDynamic` is what only a launch knows.
struct TransferFacts {
  TransferFacts(const KernelFacts &kernel, TransferOpInterface op);

  const KernelFacts &kernel;
  TransferOpInterface op;
  bool isLoad;
  bool inBounds;
  OutOfBoundsFill fill = OutOfBoundsFill::Zero;
  ReductionAttr reduce;
  /// Nobody else accesses the box that is reduced into.
  bool isExclusive = false;
  int64_t elementBytes;
  int64_t tileBytes;
  int64_t rank;

  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<int64_t> strides; ///< in elements
  llvm::SmallVector<int64_t> box;     ///< 1 in dimensions that the tile lacks
  llvm::SmallVector<mlir::Value> offsets;
  /// The caller's argument that the global memref is or is a part of.
  std::optional<unsigned> argument;
  /// The global memref is that argument, but for casts.
  bool isArgument = false;
  /// The strides of the argument follow from its extents.
  bool isContiguousArgument = false;
  std::string name;
  /// What a memref is that isn't an argument.
  std::string origin;
  /// In bytes: what is known of the first element's address, and of a part's
  /// distance from its argument's.
  int64_t globalAlignment;
  int64_t globalOffset = 0;

  bool isTileContiguous;
  llvm::SmallVector<int64_t> tileStrides;
  /// What the tile can be aligned to, at most 1024 bytes.
  int64_t tileAlignment;
  /// What is aligned for all of its transfers.
  mlir::Value tileBuffer;
  TransferShape shape;

  /// Whether the box is inside of the global memref in a dimension.
  bool isInside(int64_t dim) const;
  /// Expressions of a launch; only for arguments.
  ExprAttr getExtentExpr(int64_t dim) const;
  ExprAttr getStrideExpr(int64_t dim) const;
};

/// The needs of one engine for one transfer. Each method returns whether the
/// need is met or can be made a guard, and leaves the reason if it isn't.
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
  /// The distance of neighbours along `dim` is a multiple of `bytes`.
  bool isStrideMultiple(int64_t dim, int64_t bytes);
  /// So is that of the box from the global memref's begin, along `dim`.
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

/// Adds a guard, unless the others imply it; drops those that it implies.
void mergeGuard(llvm::SmallVectorImpl<GuardAttr> &guards, GuardAttr guard);
bool isImplied(llvm::ArrayRef<GuardAttr> guards, GuardAttr guard);

GuardAttr makeCapability(mlir::MLIRContext *context, int64_t sm);
ExprAttr makeExpr(mlir::MLIRContext *context, ExprKind kind, int64_t value,
                  int64_t argument = 0);
/// lhs * rhs, lhs floordiv rhs; constants are folded.
ExprAttr multiply(ExprAttr lhs, int64_t rhs);
ExprAttr floorDivide(ExprAttr lhs, int64_t rhs);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_ENGINES_TRANSFERFACTS_H
