//===- FoldGrid.cpp - programs of all dimensions along x ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FoldGrid.h. Upstream's affine.delinearize_index would take the divisions,
// but passes that follow know those of arith.
//
//===----------------------------------------------------------------------===//

#include "FoldGrid.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace carousel;

/// Whether the number of programs depends on the launch. Constants are checked
/// when the kernel is verified.
static bool dependsOnLaunch(ExprAttr programs) {
  return programs.getKind() != ExprKind::Constant;
}

/// Whether no launch has a number below 0. Scalars and differences may be
/// negative: the host refuses them one by one, and would take the product of
/// two of them.
static bool isNeverNegative(ExprAttr expr) {
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return expr.getValue() >= 0;
  case ExprKind::Extent:
    return true;
  case ExprKind::Add:
  case ExprKind::Mul:
  case ExprKind::FloorDiv:
  case ExprKind::CeilDiv:
  case ExprKind::Mod:
  case ExprKind::Min:
  case ExprKind::Max:
    return isNeverNegative(expr.getLhs()) && isNeverNegative(expr.getRhs());
  default:
    return false;
  }
}

static bool hasLoop(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

bool carousel::foldGrid(gpu::GPUFuncOp kernel) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  ArrayRef<ExprAttr> grid = launch.getGrid();
  if (llvm::none_of(grid.drop_front(), dependsOnLaunch) ||
      !llvm::all_of(grid, isNeverNegative) || !launch.getCluster().empty() ||
      !hasLoop(kernel))
    return false;

  SmallVector<Operation *> users;
  kernel.walk([&](Operation *op) {
    if (isa<gpu::BlockIdOp, gpu::GridDimOp>(op))
      users.push_back(op);
  });
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel.getContext());
  Operation *begin = &kernel.getBody().front().front();
  b.setInsertionPoint(begin);
  Value rest = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  SmallVector<Value> extents, ids;
  for (ExprAttr extent : grid) {
    extents.push_back(createExtent(b, b.getLoc(), kernel, extent));
    if (!extents.back()) {
      while (Operation *unused = begin->getPrevNode())
        unused->erase();
      return false;
    }
  }
  for (Value extent : ArrayRef(extents).drop_back()) {
    ids.push_back(arith::RemUIOp::create(b, rest, extent));
    rest = arith::DivUIOp::create(b, rest, extent);
  }
  ids.push_back(rest);

  for (Operation *user : users) {
    auto id = dyn_cast<gpu::BlockIdOp>(user);
    unsigned dim = unsigned(id ? id.getDimension()
                               : cast<gpu::GridDimOp>(user).getDimension());
    Value value;
    if (dim < grid.size())
      value = id ? ids[dim] : extents[dim];
    else
      value = arith::ConstantIndexOp::create(b, id ? 0 : 1);
    user->getResult(0).replaceAllUsesWith(value);
  }
  // One of them may be where the new ops are inserted.
  for (Operation *user : users)
    user->erase();

  MLIRContext *context = kernel.getContext();
  ExprAttr programs = grid.front();
  for (ExprAttr extent : grid.drop_front())
    programs = ExprAttr::get(context, ExprKind::Mul, /*value=*/0,
                             /*argument=*/0, programs, extent);
  kernel->setAttr(CarouselDialect::kLaunch,
                  LaunchAttr::get(context, programs, launch.getBlock(),
                                  launch.getCluster(), launch.getShared()));
  return true;
}
