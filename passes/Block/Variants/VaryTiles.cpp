//===- VaryTiles.cpp - products with tiles of other extents ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-vary-tiles. Analysis/Distribution/ProgramTiles.h says which
// extents may change, and ProductTiles.h which are worth it.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Distribution/ProductTiles.h"
#include "carousel/Analysis/Distribution/ProgramTiles.h"
#include "carousel/Analysis/Values/LaunchExpressions.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"

namespace carousel {
#define GEN_PASS_DEF_VARYTILES
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

/// The products of a kernel's programs, and what a launch knows of them.
struct TiledProducts {
  ProductWork work;
  ProductLaunch launch;
  /// The dimensions of the grid along rows and columns.
  unsigned rowDim = 0, columnDim = 0;
};

} // namespace

static bool isByWarpgroups(vector::ContractionOp op) {
  constexpr ThreadBits kWarpgroup = {/*lanes=*/5, /*warps=*/2};
  return hasMatrixInstructions(op) &&
         explainNoWarpgroups(op, kWarpgroup).empty();
}

/// Each use of a splat has a constant of its own: it may get an extent that
/// others don't.
static void copyConstants(gpu::GPUFuncOp kernel) {
  SmallVector<arith::ConstantOp> constants;
  kernel.walk([&](arith::ConstantOp op) {
    if (isa<VectorType>(op.getType()))
      constants.push_back(op);
  });
  for (arith::ConstantOp constant : constants)
    while (!constant->use_empty() && !constant->hasOneUse()) {
      OpBuilder builder(constant);
      constant->getUses().begin()->set(builder.clone(*constant)->getResult(0));
    }
}

/// Why the kernel can't have other tiles at all, or an empty string.
static std::string explainKernel(gpu::GPUFuncOp kernel, LaunchAttr launch) {
  if (!launch.getBlock().empty())
    return "its author gives a block";
  if (!launch.getCluster().empty())
    return "its author gives a cluster";
  if (kernel->hasAttr(CarouselDialect::kStartsInOrder) ||
      kernel->hasAttr(CarouselDialect::kCoresident))
    return "its author asks for the order or the presence of CTAs";
  auto program =
      kernel->getAttrOfType<BlockProgramAttr>(CarouselDialect::kBlockProgram);
  if (program.getWidth() != 0 || program.getPrograms().value_or(1) != 1)
    return "its vectors cover an extent, or programs are together";
  if (kernel->hasAttr(CarouselDialect::kVariant))
    return "it is a variant already";
  return {};
}

/// How often a loop runs, as a launch knows it. Null if it doesn't.
static ExprAttr countIterations(gpu::GPUFuncOp kernel, scf::ForOp loop) {
  LaunchExpressions launch(kernel);
  ExprAttr step = launch.get(loop.getStep());
  if (!step || step.getKind() != ExprKind::Constant || step.getValue() <= 0)
    return {};
  LaunchSum first = LaunchSum::of(launch.get(loop.getLowerBound()));
  LaunchSum end = LaunchSum::of(launch.get(loop.getUpperBound()));
  return end.plus(first.times(-1))
      .ceilDivide(kernel.getContext(), step.getValue())
      .get(kernel.getContext());
}

/// The programs for each tile; null for one.
static ExprAttr countBatches(gpu::GPUFuncOp kernel,
                             const TiledProducts &found) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  ExprAttr batches;
  for (auto [dim, extent] : llvm::enumerate(launch.getGrid()))
    if (dim != found.rowDim && dim != found.columnDim)
      batches =
          batches ? ExprAttr::get(kernel.getContext(), ExprKind::Mul,
                                  /*value=*/0, /*argument=*/0, batches, extent)
                  : extent;
  return batches;
}

static int64_t countResultBits(gpu::GPUFuncOp kernel, VectorType sums) {
  int64_t bits = 0;
  kernel.walk([&](vector::TransferWriteOp op) {
    if (op.getVectorType().getShape() == sums.getShape())
      bits += op.getVectorType().getElementTypeBitWidth();
  });
  return bits;
}

/// The tiled dimensions of the grid along a product's rows and columns, or why
/// it has none.
static std::string findTileDims(vector::ContractionOp op,
                                const ProgramTiles &tiles,
                                TiledProducts &found) {
  std::optional<ProductDims> roles = findProductDims(op);
  auto find = [&](unsigned role, unsigned &into) {
    std::optional<unsigned> dim =
        tiles.findGridDim(op.getResult(), *findOperandDim(op, 2, role));
    into = dim.value_or(0);
    return dim.has_value();
  };
  StringRef name;
  if (!find(roles->m, found.rowDim))
    name = "rows";
  else if (!find(roles->n, found.columnDim))
    name = "columns";
  else
    return {};
  std::string reason = ("its " + name + " aren't tiled").str();
  for (unsigned dim = 0; dim < 3; ++dim)
    if (StringRef why = tiles.getRefusal(dim); !why.empty())
      return reason + ": " + why.str();
  return reason;
}

/// Fills `found`, or says why it can't.
static std::string findProducts(gpu::GPUFuncOp kernel,
                                ArrayRef<vector::ContractionOp> products,
                                const ProgramTiles &tiles,
                                TiledProducts &found) {
  vector::ContractionOp first = products.front();
  auto loop = dyn_cast<scf::ForOp>(first->getParentOp());
  if (!loop || !llvm::all_of(products, [&](vector::ContractionOp op) {
        return op->getParentOp() == loop && isByWarpgroups(op);
      }))
    return "not all of its products are by warpgroups in one loop";
  found.launch.iterations = countIterations(kernel, loop);
  if (!found.launch.iterations)
    return "the launch doesn't know the iterations of its loop";
  llvm::SmallDenseSet<Value> rowTiles, columnTiles;
  for (vector::ContractionOp op : products) {
    TiledProducts own;
    std::string reason = findTileDims(op, tiles, own);
    if (!reason.empty())
      return reason;
    std::optional<ProductDims> roles = findProductDims(op);
    SmallVector<int64_t> bounds;
    op.getIterationBounds(bounds);
    if (op != first &&
        (own.rowDim != found.rowDim || own.columnDim != found.columnDim ||
         bounds[roles->k] != found.work.depth))
      return "its products have other tiles";
    found.rowDim = own.rowDim;
    found.columnDim = own.columnDim;
    found.work.rows = bounds[roles->m];
    found.work.columns = bounds[roles->n];
    found.work.depth = bounds[roles->k];
    found.work.factorBits = op.getLhsType().getElementTypeBitWidth();
    found.work.resultBits =
        countResultBits(kernel, cast<VectorType>(op.getResultType()));
    rowTiles.insert(op.getLhs());
    columnTiles.insert(op.getRhs());
  }
  found.launch.rows = tiles.getCovered(found.rowDim);
  found.launch.columns = tiles.getCovered(found.columnDim);
  found.launch.batches = countBatches(kernel, found);
  if (auto request =
          loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline)) {
    found.work.stages = request.getStages().value_or(found.work.stages);
    for (int64_t stages : request.getStagesOfEach())
      found.work.stages = std::max(found.work.stages, stages);
  }
  found.work.products = products.size();
  found.work.rowTiles = rowTiles.size();
  found.work.columnTiles = columnTiles.size();
  return {};
}

namespace {

struct VaryTiles : public carousel::impl::VaryTilesBase<VaryTiles> {
  using VaryTilesBase::VaryTilesBase;

  void runOnOperation() override {
    std::optional<ChipModel> chip = findChipModel(getOperation());
    if (!chip)
      return; // other passes report it where they need one
    SymbolTable symbols(getOperation());
    for (auto kernel : llvm::to_vector(getOperation().getOps<gpu::GPUFuncOp>()))
      if (kernel->hasAttr(CarouselDialect::kBlockProgram))
        vary(kernel, symbols, *chip);
  }

  void vary(gpu::GPUFuncOp kernel, SymbolTable &symbols,
            const ChipModel &chip) {
    SmallVector<vector::ContractionOp> products;
    kernel.walk([&](vector::ContractionOp op) { products.push_back(op); });
    auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    if (!launch || llvm::none_of(products, isByWarpgroups))
      return;
    std::string reason = explainKernel(kernel, launch);
    if (!reason.empty())
      return miss(products.front(), reason);
    copyConstants(kernel);
    TiledProducts found;
    reason = findProducts(kernel, products, ProgramTiles(kernel), found);
    if (!reason.empty())
      return miss(products.front(), reason);
    std::string name = kernel.getName().str();
    for (const ProductTile &tile : planProductTiles(found.work, chip)) {
      bool isOwn =
          tile.rows == found.work.rows && tile.columns == found.work.columns;
      gpu::GPUFuncOp variant = kernel;
      if (!isOwn) {
        variant = kernel.clone();
        variant.setName(
            llvm::formatv("{0}_{1}x{2}", name, tile.rows, tile.columns).str());
        symbols.insert(variant);
        ProgramTiles(variant).resize(found.rowDim, tile.rows);
        ProgramTiles(variant).resize(found.columnDim, tile.columns);
        ++made;
      }
      setBlock(variant, tile.warpgroups * rules::kWarpgroupSize);
      ExprAttr cost = makeCost(found.work, tile, found.launch, chip);
      variant->setAttr(CarouselDialect::kVariant,
                       VariantAttr::get(&getContext(), name, {}, cost));
      report(variant, tile);
    }
  }

  void setBlock(gpu::GPUFuncOp variant, int64_t threads) {
    auto launch = variant->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    variant->setAttr(CarouselDialect::kLaunch,
                     LaunchAttr::get(&getContext(), launch.getGrid(), threads,
                                     launch.getCluster(), launch.getShared()));
  }

  void report(gpu::GPUFuncOp variant, const ProductTile &tile) {
    if (!getContext().getRemarkEngine())
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "tile of ";
    print(os, tile);
    remark::passed(variant.getLoc(), remark::RemarkOpts::name("Tile")
                                         .category(getArgument())
                                         .function(variant.getName()))
        << text;
  }

  void miss(vector::ContractionOp product, StringRef reason) {
    ++missed;
    auto kernel = product->getParentOfType<gpu::GPUFuncOp>();
    remark::missed(product.getLoc(), remark::RemarkOpts::name("Tile")
                                         .category(getArgument())
                                         .function(kernel.getName()))
        << remark::add("no other tiles: {0}", reason);
  }
};

} // namespace
