//===- RowPart.cpp - a CTA's part of a row --------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowPart.h.
//
//===----------------------------------------------------------------------===//

#include "RowPart.h"

#include "../Kernels/ClusterParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

/// The CTAs of which each keeps a part of a row.
static int64_t countCTAs(gpu::GPUFuncOp kernel, BlockProgramAttr program) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  int64_t ctas = 1;
  if (launch && program.getKeeps() != 0)
    for (int64_t extent : launch.getCluster())
      ctas *= extent;
  return ctas;
}

RowPart::RowPart(gpu::GPUFuncOp kernel, BlockProgramAttr program)
    : kernel(kernel), ctas(countCTAs(kernel, program)),
      most(program.getKeeps() / ctas) {}

std::string RowPart::findRefusal(const RowLevels &levels) const {
  if (isWhole())
    return "";
  auto launch = gpu::GPUFuncOp(kernel)->getAttrOfType<LaunchAttr>(
      CarouselDialect::kLaunch);
  if (!llvm::isPowerOf2_64(ctas) || launch.getCluster()[0] != ctas)
    return "its cluster isn't one of a power of two CTAs in x";
  unsigned ends = 0;
  for (Operation &op : levels.getBlock().without_terminator()) {
    if (op.getNumRegions() != 0)
      return "it has control flow, which CTAs of a cluster don't share";
    if (!levels.isEnd(&op))
      continue;
    ++ends;
    if (!canExchange(op.getResult(0).getType()))
      return "CTAs of a cluster exchange only numbers of up to 64 bits";
  }
  return ends != 0 ? "" : "its CTAs would have nothing to exchange";
}

Value RowPart::start(OpBuilder &builder, Value extent) {
  Location loc = kernel.getLoc();
  own.emplace(builder, loc, ctas, most);
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  kernel->setAttr(CarouselDialect::kLaunch, withClusters(launch, ctas));
  Value rest = arith::SubIOp::create(builder, loc, extent, own->begin);
  Value limit = arith::ConstantIndexOp::create(builder, loc, most);
  return arith::MinSIOp::create(builder, loc, rest, limit);
}

Value RowPart::addBegin(OpBuilder &builder, Location loc, Value index) const {
  return own ? arith::AddIOp::create(builder, loc, index, own->begin) : index;
}

/// Whether the op has the number of a program, or of all, in x.
static bool countsPrograms(Operation *op) {
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return id.getDimension() == gpu::Dimension::x;
  auto size = dyn_cast<gpu::GridDimOp>(op);
  return size && size.getDimension() == gpu::Dimension::x;
}

void RowPart::cloneOutside(OpBuilder &builder, Operation *op,
                           IRMapping &mapping) const {
  bool isWrite = op->getNumResults() == 0 && !isMemoryEffectFree(op);
  if (!own || !isWrite) {
    Operation *clone = builder.clone(*op, mapping);
    if (own && countsPrograms(op))
      mapping.map(op->getResult(0),
                  toPrograms(builder, op->getLoc(), clone->getResult(0), ctas));
    return;
  }
  scf::IfOp::create(builder, op->getLoc(),
                    isFirstCTA(builder, op->getLoc(), *own),
                    [&](OpBuilder &nested, Location loc) {
                      nested.clone(*op, mapping);
                      scf::YieldOp::create(nested, loc);
                    });
}

Value RowPart::gather(OpBuilder &builder, vector::MultiDimReductionOp end,
                      Value sum, const IRMapping &mapping) const {
  return reduceParts(builder, end, sum, mapping.lookup(end.getAcc()), ctas);
}
