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

#include "ClusterParts.h"
#include "NeutralElement.h"

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
  Value id = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value mask = arith::ConstantIndexOp::create(builder, loc, ctas - 1);
  Value limit = arith::ConstantIndexOp::create(builder, loc, most);
  rank = arith::AndIOp::create(builder, loc, id, mask);
  begin = arith::MulIOp::create(builder, loc, rank, limit);
  Value rest = arith::SubIOp::create(builder, loc, extent, begin);
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  kernel->setAttr(CarouselDialect::kLaunch, withClusters(launch, ctas));
  return arith::MinSIOp::create(builder, loc, rest, limit);
}

Value RowPart::addBegin(OpBuilder &builder, Location loc, Value index) const {
  return begin ? arith::AddIOp::create(builder, loc, index, begin) : index;
}

void RowPart::cloneOutside(OpBuilder &builder, Operation *op,
                           IRMapping &mapping) const {
  bool isWrite = op->getNumResults() == 0 && !isMemoryEffectFree(op);
  if (isWhole() || !isWrite) {
    Operation *clone = builder.clone(*op, mapping);
    if (!isWhole())
      countPrograms(builder, op, clone, mapping);
    return;
  }
  Location loc = op->getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rank, zero);
  scf::IfOp::create(builder, loc, isFirst, [&](OpBuilder &nested, Location) {
    nested.clone(*op, mapping);
    scf::YieldOp::create(nested, loc);
  });
}

/// Ids and the grid count CTAs now.
void RowPart::countPrograms(OpBuilder &builder, Operation *op, Operation *clone,
                            IRMapping &mapping) const {
  auto id = dyn_cast<gpu::BlockIdOp>(op);
  auto size = dyn_cast<gpu::GridDimOp>(op);
  if ((!id || id.getDimension() != gpu::Dimension::x) &&
      (!size || size.getDimension() != gpu::Dimension::x))
    return;
  Location loc = op->getLoc();
  Value bits =
      arith::ConstantIndexOp::create(builder, loc, llvm::Log2_64(ctas));
  mapping.map(op->getResult(0),
              arith::ShRUIOp::create(builder, loc, clone->getResult(0), bits)
                  .getResult());
}

/// A reduction like `end` of another vector.
static Value reduceAgain(OpBuilder &builder, vector::MultiDimReductionOp end,
                         Value source, Value acc, ArrayRef<int64_t> dims) {
  Operation *reduced = vector::MultiDimReductionOp::create(
      builder, end.getLoc(), acc.getType(), end.getKind(), source, acc, dims);
  reduced->setDiscardableAttrs(end->getDiscardableAttrDictionary());
  return reduced->getResult(0);
}

Value RowPart::gather(OpBuilder &builder, vector::MultiDimReductionOp end,
                      Value sum, const IRMapping &mapping) const {
  Location loc = end.getLoc();
  Type type = end.getType();
  Value neutral = arith::ConstantOp::create(
      builder, loc, getNeutralElement(builder, end.getKind(), type));
  Value part = reduceAgain(builder, end, sum, neutral, end.getReductionDims());
  Value all =
      fromWords(builder, loc, gatherWords(builder, loc, part, ctas), type);
  return reduceAgain(builder, end, all, mapping.lookup(end.getAcc()), {0});
}
