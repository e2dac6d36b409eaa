//===- WorkspacePlan.cpp - one allocation for a program's buffers ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Programs/WorkspacePlan.h"

#include "carousel/Analysis/Values/LaunchExpressions.h"

#include "carousel/Analysis/SharedMemory/SharedMemoryPlan.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

ArenaUnits carousel::placeInUnits(MutableArrayRef<GroupedBuffer> buffers,
                                  bool isStatic) {
  // Each unit is rounded up to the alignment once the extents are known, so a
  // buffer has few of them. Then it may be rounded up to whole units instead.
  constexpr int64_t kMostUnits = 16;
  int64_t unit = 0, most = 0;
  for (const GroupedBuffer &buffer : buffers) {
    unit = std::gcd(unit, buffer.bytes);
    most = std::max(most, buffer.bytes);
  }
  if (isStatic)
    unit = kWorkspaceAlignment;
  else if (unit != 0 && most / unit > kMostUnits)
    unit = llvm::divideCeil(most, kMostUnits);
  if (unit == 0)
    return {};
  SmallVector<PlacedBuffer> placed;
  for (const GroupedBuffer &buffer : buffers)
    placed.push_back({int64_t(llvm::divideCeil(buffer.bytes, unit)),
                      /*alignment=*/1, buffer.lives});
  ArenaUnits units;
  units.bytes = unit;
  units.count = placeByLifetime(placed, /*base=*/0);
  // The set of buffers that live grows only where one begins.
  for (const PlacedBuffer &start : placed) {
    int64_t live = 0;
    Lifetime begin = {start.lives.first, start.lives.first};
    for (const PlacedBuffer &other : placed)
      live += other.lives.overlaps(begin) ? other.bytes : 0;
    units.mostLive = std::max(units.mostLive, live);
  }
  for (auto [buffer, place] : llvm::zip_equal(buffers, placed))
    buffer.offset = place.offset;
  return units;
}

/// The bytes of a buffer without its dynamic extents.
static std::optional<int64_t> getStaticBytes(MemRefType type) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &extent : shape)
    if (ShapedType::isDynamic(extent))
      extent = 1;
  if (!type.getLayout().isIdentity())
    return std::nullopt;
  return getAllocationBytes(MemRefType::get(shape, type.getElementType()));
}

/// A buffer lives from its first use, since it may be allocated long before.
static std::vector<WorkspacePlan::Buffer>
findBuffers(func::FuncOp program, ArrayRef<memref::AllocOp> allocs) {
  std::vector<WorkspacePlan::Buffer> buffers;
  llvm::DenseMap<Operation *, int64_t> positions;
  for (Operation &op : program.getBody().front())
    positions.try_emplace(&op, positions.size());
  for (memref::AllocOp alloc : allocs) {
    WorkspacePlan::Buffer &buffer = buffers.emplace_back();
    buffer.alloc = alloc;
    for (Operation *user : alloc->getUsers()) {
      buffer.lives.extend(positions.lookup(user));
      if (auto dealloc = dyn_cast<memref::DeallocOp>(user))
        buffer.dealloc = dealloc;
    }
    // Users of views come later than the views.
    if (!buffer.dealloc)
      buffer.lives.extend(positions.size());
  }
  return buffers;
}

/// The number of the group with these extents, in any order.
static unsigned findGroup(std::vector<WorkspacePlan::Group> &groups,
                          ValueRange extents) {
  for (auto [number, group] : llvm::enumerate(groups))
    if (std::is_permutation(group.extents.begin(), group.extents.end(),
                            extents.begin(), extents.end()))
      return number;
  groups.push_back({SmallVector<Value>(extents), {}});
  return groups.size() - 1;
}

/// Null if an extent isn't an expression of a launch.
static ExprAttr multiply(LaunchExpressions &expressions, ValueRange extents) {
  ExprAttr product;
  for (Value extent : extents) {
    ExprAttr factor = expressions.get(extent);
    if (!factor)
      return {};
    product = product
                  ? ExprAttr::get(factor.getContext(), ExprKind::Mul,
                                  /*value=*/0, /*argument=*/0, product, factor)
                  : factor;
  }
  return product;
}

static void place(WorkspacePlan &plan, unsigned number) {
  SmallVector<GroupedBuffer> own;
  for (const WorkspacePlan::Buffer &buffer : plan.buffers)
    if (buffer.group == number)
      own.push_back(buffer);
  WorkspacePlan::Group &group = plan.groups[number];
  group.units = placeInUnits(own, group.extents.empty());
  auto next = own.begin();
  for (WorkspacePlan::Buffer &buffer : plan.buffers)
    if (buffer.group == number)
      buffer.offset = (next++)->offset;
}

// C225
FailureOr<WorkspacePlan>
carousel::planWorkspace(func::FuncOp program, ArrayRef<memref::AllocOp> allocs,
                        bool areKept) {
  WorkspacePlan plan;
  plan.buffers = findBuffers(program, allocs);
  LaunchExpressions expressions(program);
  MLIRContext *context = program.getContext();
  for (WorkspacePlan::Buffer &buffer : plan.buffers) {
    memref::AllocOp alloc = buffer.alloc;
    std::optional<int64_t> bytes = getStaticBytes(alloc.getType());
    if (!bytes)
      return alloc.emitError("expected a contiguous buffer, got ")
             << alloc.getType();
    buffer.bytes = *bytes;
    if (areKept)
      buffer.lives = Lifetime::whole();
    buffer.group = findGroup(plan.groups, alloc.getDynamicSizes());
    if (!alloc.getDynamicSizes().empty() &&
        !multiply(expressions, alloc.getDynamicSizes()))
      return alloc.emitError("expected extents that a launch can compute from "
                             "the program's arguments");
  }
  LaunchSum bytes = LaunchSum::constant(0);
  for (unsigned number = 0; number < plan.groups.size(); ++number) {
    place(plan, number);
    const WorkspacePlan::Group &group = plan.groups[number];
    ExprAttr product = multiply(expressions, group.extents);
    LaunchSum unit = product ? LaunchSum::of(product).times(group.units.bytes)
                             : LaunchSum::constant(group.units.bytes);
    bytes = bytes.plus(unit.ceilDivide(context, kWorkspaceAlignment)
                           .times(kWorkspaceAlignment)
                           .times(group.units.count));
  }
  plan.bytes = bytes.get(context);
  if (!plan.bytes || !isSmallEnough(plan.bytes))
    return program.emitError("expected buffers whose size a launch can "
                             "compute, got ")
           << plan.buffers.size() << " that are too many or too large";
  return plan;
}
