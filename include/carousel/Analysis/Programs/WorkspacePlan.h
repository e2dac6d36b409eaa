//===- WorkspacePlan.h - one allocation for a program's buffers -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places the buffers of a program in one piece of memory. Extents may be known
// at the launch only, so sizes are compared where they are: buffers whose
// dynamic extents are the same values form a group, in which sizes differ by
// constant factors. Groups don't share bytes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_PROGRAMS_WORKSPACEPLAN_H
#define CAROUSEL_ANALYSIS_PROGRAMS_WORKSPACEPLAN_H

#include "carousel/Analysis/SharedMemory/BufferLifetimes.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace carousel {

/// Device memory of allocations has this alignment, in bytes.
inline constexpr int64_t kWorkspaceAlignment = 256;

/// A buffer of a group, of `bytes` times the product of dynamic extents.
struct GroupedBuffer {
  int64_t bytes = 0;
  Lifetime lives;
  /// The offset in units of the group.
  int64_t offset = 0;
};

struct ArenaUnits {
  /// The bytes of a unit, before they are multiplied by the dynamic extents and
  /// rounded up to kWorkspaceAlignment.
  int64_t bytes = 0;
  /// The end of the last buffer.
  int64_t count = 0;
  /// The most that buffers have which live at the same time: no placement ends
  /// earlier.
  int64_t mostLive = 0;
};

/// Assigns offsets, so that buffers whose lifetimes overlap share no bytes
/// whatever the dynamic extents are. `isStatic`: there are none.
ArenaUnits placeInUnits(llvm::MutableArrayRef<GroupedBuffer> buffers,
                        bool isStatic);

struct WorkspacePlan {
  struct Buffer : GroupedBuffer {
    mlir::memref::AllocOp alloc;
    mlir::memref::DeallocOp dealloc; ///< null: lives to the end
    unsigned group = 0;
  };
  struct Group {
    llvm::SmallVector<mlir::Value> extents; ///< the dynamic ones
    ArenaUnits units;
  };
  std::vector<Buffer> buffers;
  std::vector<Group> groups;
  /// The size of the arena.
  ExprAttr bytes;
};

/// Plans the buffers of a program of one block that these ops allocate. If they
/// are kept from launch to launch, none share bytes. Emits an error at a buffer
/// that has no place: whose layout isn't contiguous, or whose extents don't
/// follow from the program's arguments by expressions of a launch.
mlir::FailureOr<WorkspacePlan>
planWorkspace(mlir::func::FuncOp program,
              llvm::ArrayRef<mlir::memref::AllocOp> allocs,
              bool areKept = false);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_PROGRAMS_WORKSPACEPLAN_H
