//===- RowChunks.cpp - the ops of a row for one chunk of it ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowChunks.h.
//
//===----------------------------------------------------------------------===//

#include "RowChunks.h"

#include "../Kernels/ClusterParts.h"
#include "LoadOfRead.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// A CTA's part of a row
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// The ops of a row for one chunk of it
//===----------------------------------------------------------------------===//

void RowChunks::keep(OpBuilder &builder, vector::TransferReadOp read,
                     const IRMapping &mapping) {
  constexpr int64_t kAlignment = 128;
  Location loc = read.getLoc();
  auto type = MemRefType::get(
      {1, part.getMost()}, read.getVectorType().getElementType(),
      MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(builder.getContext(),
                                 gpu::AddressSpace::Workgroup));
  Value tile = memref::AllocOp::create(builder, loc, type,
                                       builder.getI64IntegerAttr(kAlignment));
  SmallVector<Value> indices = llvm::map_to_vector(
      read.getIndices(), [&](Value index) { return mapping.lookup(index); });
  indices.back() = part.addBegin(builder, loc, indices.back());
  createTileLoad(
      builder, loc,
      {mapping.lookup(read.getBase()), indices, /*isInBounds=*/false}, tile,
      read.getPadding(), Swizzle::None);
  tiles[read] = tile;
}

void RowChunks::clone(OpBuilder &builder, Operation *op, IRMapping &own,
                      Value chunk) {
  Location loc = op->getLoc();
  if (auto tile = tiles.find(op); tile != tiles.end()) {
    auto read = cast<vector::TransferReadOp>(op);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    SmallVector<bool> inBounds(read.getVectorType().getRank(), true);
    own.map(read.getResult(),
            vector::TransferReadOp::create(
                builder, loc, read.getVectorType(), tile->second,
                ValueRange{zero, chunk}, own.lookup(read.getPadding()),
                ArrayRef<bool>(inBounds))
                .getResult());
    return;
  }
  Operation *clone = builder.clone(*op, own);
  builder.setInsertionPoint(clone);
  auto getAt = [&] { return part.addBegin(builder, loc, chunk); };
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(clone)) {
    Value at = getAt();
    for (auto [dim, expr] :
         llvm::enumerate(transfer.getPermutationMap().getResults())) {
      if (transfer.getVectorType().getDimSize(dim) != width)
        continue;
      unsigned along = cast<AffineDimExpr>(expr).getPosition();
      OpOperand &index =
          *llvm::find_if(clone->getOpOperands(), [&](OpOperand &operand) {
            return operand.getOperandNumber() ==
                   transfer.getIndices().getBeginOperandIndex() + along;
          });
      index.set(arith::AddIOp::create(builder, loc, index.get(), at));
    }
  } else if (auto mask = dyn_cast<vector::CreateMaskOp>(clone)) {
    for (auto [dim, operand] : llvm::enumerate(clone->getOpOperands()))
      if (mask.getVectorType().getDimSize(dim) == width)
        operand.set(
            arith::SubIOp::create(builder, loc, operand.get(), getAt()));
  } else if (auto steps = dyn_cast<vector::StepOp>(clone)) {
    builder.setInsertionPointAfter(clone);
    Value copies =
        vector::BroadcastOp::create(builder, loc, steps.getType(), getAt());
    own.map(op->getResult(0),
            arith::AddIOp::create(builder, loc, steps, copies).getResult());
    return;
  }
  builder.setInsertionPointAfter(clone);
}
