//===- PersistProducts.cpp - CTAs that go through tiles -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PersistProducts.h.
//
//===----------------------------------------------------------------------===//

#include "PersistProducts.h"

#include "DelaySignals.h"
#include "ProgramOrder.h"

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace carousel;

static vector::ContractionOp findProduct(gpu::GPUFuncOp kernel,
                                         ThreadBits threads) {
  vector::ContractionOp found;
  kernel.walk([&](vector::ContractionOp op) {
    if (hasMatrixInstructions(op) && explainNoWarpgroups(op, threads).empty())
      found = op;
  });
  return found;
}

/// Why programs know that each has a CTA of its own, or an empty string.
static std::string explainPrograms(gpu::GPUFuncOp kernel, LaunchAttr launch) {
  auto program =
      kernel->getAttrOfType<BlockProgramAttr>(CarouselDialect::kBlockProgram);
  if (!launch.getCluster().empty())
    return "its author gives a cluster";
  // The order of the programs isn't that of the CTAs any more.
  if (kernel->hasAttr(CarouselDialect::kStartsInOrder) ||
      kernel->hasAttr(CarouselDialect::kCoresident))
    return "its author asks for the order or the presence of CTAs";
  if (program.getPrograms().value_or(1) != 1)
    return "a CTA executes several programs together";
  std::string reason;
  kernel.walk([&](Operation *op) {
    auto id = dyn_cast<gpu::BlockIdOp>(op);
    // A CTA that ends makes room for the kernel that others wait for.
    bool isOfGrid =
        isa<gpu::GridDimOp, GridTicketOp, SerializeOp, WaitSignalOp,
            TransferOpInterface, memref::AllocOp, gpu::ClusterIdOp>(op) ||
        (id && unsigned(id.getDimension()) >= launch.getGrid().size());
    if (isOfGrid)
      reason = ("it has '" + op->getName().getStringRef() + "'").str();
    return isOfGrid ? WalkResult::interrupt() : WalkResult::advance();
  });
  return reason;
}

/// Counts the bytes of tiles of results and of slots of the loops' tiles. A
/// loop has as many slots as asked for, or two.
static int64_t countBytesOfTiles(gpu::GPUFuncOp kernel) {
  constexpr int64_t kOfOthers = 1024;
  int64_t bytes = kOfOthers;
  kernel.walk([&](VectorTransferOpInterface op) {
    if (becomesTransfer(op))
      bytes += countSlotBytes(op);
  });
  return bytes;
}

/// Whether results go through their tile in parts.
static bool hasPartsOfTiles(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([](VectorTransferOpInterface op) {
        return countTileParts(op) != 1 ? WalkResult::interrupt()
                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Why tiles of results don't fit beside the slots, or an empty string.
/// Programs one by one may share their bytes.
static std::string explainResults(gpu::GPUFuncOp kernel,
                                  const ChipModel &chip) {
  int64_t bytes = countBytesOfTiles(kernel);
  if (bytes <= chip.maxSharedPerBlock)
    return {};
  return "results and slots need " + std::to_string(bytes) +
         " bytes of shared memory, of " +
         std::to_string(chip.maxSharedPerBlock);
}

//===----------------------------------------------------------------------===//
// Factors of all iterations
//===----------------------------------------------------------------------===//

/// Whether warpgroups multiply what the loop over programs reads, as it is, in
/// loops inside of it, and nothing else uses it.
static bool isFactorOfLoops(vector::TransferReadOp read, scf::ForOp programs,
                            ThreadBits threads) {
  auto isProduct = [&](Operation *user) {
    auto product = dyn_cast<vector::ContractionOp>(user);
    return product && product->getParentOp() != programs &&
           isPipelined(product->getParentOp()) &&
           hasMatrixInstructions(product) &&
           explainNoWarpgroups(product, threads).empty();
  };
  SmallVector<Operation *> open(read->getUsers());
  bool isFactor = !open.empty();
  while (isFactor && !open.empty()) {
    Operation *user = open.pop_back_val();
    if (isa<vector::ShapeCastOp>(user)) // the rows of a box
      llvm::append_range(open, user->getUsers());
    else
      isFactor = isProduct(user);
  }
  return isFactor;
}

/// Lets producers load the factors that programs read outside of their loops:
/// the next program's while the results of this one are written, and products
/// find them in their tile. Threads read the rest. Factors that other products
/// need would become loads, too; so the loop stays as it is if it has such.
static void pipelineFactors(scf::ForOp programs, ThreadBits threads,
                            const ChipModel &chip) {
  auto kernel = programs->getParentOfType<gpu::GPUFuncOp>();
  auto request = PipelineAttr::getAuto(programs.getContext());
  programs->setAttr(CarouselDialect::kPipeline, request);
  bool hasFactor = false, hasOther = false;
  programs.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != programs && op->hasAttr(CarouselDialect::kPipeline))
      return WalkResult::skip();
    auto read = dyn_cast<vector::TransferReadOp>(op);
    if (!read || !becomesTransfer(read))
      return WalkResult::advance();
    bool isFactor = isFactorOfLoops(read, programs, threads);
    hasFactor |= isFactor;
    hasOther |= !isFactor;
    return WalkResult::advance();
  });
  for (int64_t stages : {2, 1}) {
    programs->setAttr(CarouselDialect::kPipeline, request.withStages(stages));
    // A second slot isn't worth results in parts.
    if (hasFactor && !hasOther && (stages == 1 || !hasPartsOfTiles(kernel)) &&
        countBytesOfTiles(kernel) <= chip.maxSharedPerBlock)
      return;
  }
  programs->removeAttr(CarouselDialect::kPipeline);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {

class LoopOverTiles {
public:
  LoopOverTiles(gpu::GPUFuncOp kernel, LaunchAttr launch,
                vector::ContractionOp product, const ChipModel &chip)
      : kernel(kernel), launch(launch), product(product),
        order(kernel, product, unsigned(launch.getGrid().size()), chip),
        b(kernel.getLoc(), kernel.getContext()) {}

  /// Null if the kernel can't compute its grid.
  scf::ForOp write() {
    Block &body = kernel.getBody().front();
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    SmallVector<gpu::BlockIdOp> old;
    kernel.walk([&](gpu::BlockIdOp id) { old.push_back(id); });
    b.setInsertionPoint(body.getTerminator());
    SmallVector<Value> extents;
    for (ExprAttr expr : launch.getGrid())
      if (Value extent = createExtent(b, b.getLoc(), kernel, expr))
        extents.push_back(extent);
    if (extents.size() != launch.getGrid().size())
      return {};
    ctas = countCTAsOfCluster();
    Value first = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    Value step = gpu::GridDimOp::create(b, gpu::Dimension::x), rank;
    if (ctas != 1) {
      Value count = arith::ConstantIndexOp::create(b, ctas);
      rank = remainder(first, count);
      first = divide(first, count);
      step = divide(step, count);
      extents[*order.getRows()] = divide(extents[*order.getRows()], count);
    }
    order.prepare(b, extents, ctas);
    Value programs = extents.front();
    for (Value extent : ArrayRef(extents).drop_front())
      programs = arith::MulIOp::create(b, programs, extent);
    auto loop = scf::ForOp::create(b, first, programs, step);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> ids =
        order.computeIds(b, loop.getInductionVar(), extents);
    if (ctas != 1) {
      Value &row = ids[*order.getRows()];
      row = arith::MulIOp::create(b, row,
                                  arith::ConstantIndexOp::create(b, ctas));
      row = arith::AddIOp::create(b, row, rank);
    }
    Operation *end = loop.getBody()->getTerminator();
    for (Operation *op : ops)
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        constant->moveBefore(extents.front().getDefiningOp());
      else
        op->moveBefore(end);
    for (gpu::BlockIdOp id : old) {
      id.replaceAllUsesWith(ids[unsigned(id.getDimension())]);
      id.erase();
    }
    shrinkGrid();
    return delaySignals(loop);
  }

private:
  /// The CTAs of a cluster have tiles of rows that follow each other, and share
  /// those of columns. A guard must say that no row is left over.
  int64_t countCTAsOfCluster() {
    auto request = product->getParentOp()->getAttrOfType<PipelineAttr>(
        CarouselDialect::kPipeline);
    auto variant =
        kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
    std::optional<unsigned> rows = order.getRows();
    if (!rows || !request || !variant)
      return 1;
    auto isWhole = GuardAttr::get(kernel.getContext(), GuardKind::Divisible,
                                  /*argument=*/0, launch.getGrid()[*rows],
                                  ExprAttr(), request.getMulticast(),
                                  /*most=*/0);
    return llvm::is_contained(variant.getGuards(), isWhole)
               ? request.getMulticast()
               : 1;
  }

  Value divide(Value lhs, Value rhs) {
    return arith::DivUIOp::create(b, lhs, rhs);
  }
  Value remainder(Value lhs, Value rhs) {
    return arith::RemUIOp::create(b, lhs, rhs);
  }

  /// To what is resident, at most.
  void shrinkGrid() {
    MLIRContext *context = kernel.getContext();
    ArrayRef<ExprAttr> grid = launch.getGrid();
    auto combine = [&](ExprKind kind, ExprAttr lhs, ExprAttr rhs) {
      return ExprAttr::get(context, kind, 0, 0, lhs, rhs);
    };
    ExprAttr programs = grid.front();
    for (ExprAttr extent : grid.drop_front())
      programs = combine(ExprKind::Mul, programs, extent);
    auto resident = ExprAttr::get(context, ExprKind::Resident, 0, 0, {}, {});
    ExprAttr most = combine(ExprKind::Min, programs, resident);
    if (ctas != 1) {
      auto number = [&](int64_t value) {
        return ExprAttr::get(context, ExprKind::Constant, value, 0, {}, {});
      };
      most = combine(ExprKind::FloorDiv, most, number(ctas));
      most = combine(ExprKind::Mul, combine(ExprKind::Max, most, number(1)),
                     number(ctas));
    }
    kernel->setAttr(CarouselDialect::kLaunch,
                    LaunchAttr::get(context, most, launch.getBlock(),
                                    launch.getCluster(), launch.getShared()));
  }

  gpu::GPUFuncOp kernel;
  LaunchAttr launch;
  vector::ContractionOp product;
  ProgramOrder order;
  ImplicitLocOpBuilder b;
  int64_t ctas = 1; ///< of a cluster
};

} // namespace

bool carousel::persistProducts(gpu::GPUFuncOp kernel, ThreadBits threads,
                               const ChipModel &chip) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  vector::ContractionOp product = findProduct(kernel, threads);
  if (!product)
    return false;
  std::string reason = explainPrograms(kernel, launch);
  if (reason.empty())
    reason = explainResults(kernel, chip);
  if (reason.empty())
    if (scf::ForOp loop =
            LoopOverTiles(kernel, launch, product, chip).write()) {
      pipelineFactors(loop, threads, chip);
      return true;
    }
  if (reason.empty())
    reason = "the kernel can't compute its grid";
  remark::missed(product.getLoc(), remark::RemarkOpts::name("Programs")
                                       .category("carousel-specialize-blocks")
                                       .function(kernel.getName()))
      << remark::add("no loop over programs: {0}", reason);
  return false;
}
