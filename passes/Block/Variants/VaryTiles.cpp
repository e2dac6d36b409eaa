//===- VaryTiles.cpp - products with tiles of other extents ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-vary-tiles. Analysis/Distribution/ProgramTiles.h says which
// extents may change, and ProductTiles.h which are worth it; DivideSums.h
// divides iterations.
//
//===----------------------------------------------------------------------===//

#include "DivideSums.h"

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Distribution/ExtentParts.h"
#include "carousel/Analysis/Distribution/ProductTiles.h"
#include "carousel/Analysis/Distribution/ProgramTiles.h"
#include "carousel/Analysis/Values/LaunchExpressions.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Dialect/IR/DistributionOpInterface.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Analysis/SliceAnalysis.h"
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
  /// The numbers of programs along rows and columns. Rows or columns without a
  /// number keep their tile.
  std::optional<unsigned> rowNumber, columnNumber;
};

} // namespace

static constexpr ThreadBits kWarpgroup = {/*lanes=*/5, /*warps=*/2};

static bool isByWarpgroups(vector::ContractionOp op) {
  return hasMatrixInstructions(op) &&
         explainNoWarpgroups(op, kWarpgroup).empty();
}

/// Instructions for each element of a factor that threads load and compute in
/// the product's loop.
static double countInstructions(vector::ContractionOp op, Value factor) {
  // A conversion of an integer has several, and a load its address.
  constexpr double kLoad = 1.5, kConversion = 4;
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = options.inclusive = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *source) {
    return source->getBlock() == op->getBlock();
  };
  (void)getBackwardSlice(factor, &slice, options);
  double instructions = 0;
  for (Operation *source : slice)
    if (isa<vector::TransferReadOp>(source))
      instructions += kLoad;
    else if (isa<arith::SIToFPOp, arith::UIToFPOp>(source))
      instructions += kConversion;
    else if (auto own = dyn_cast<DistributionOpInterface>(source))
      instructions += own.countInstructions();
    else if (OpTrait::hasElementwiseMappableTraits(source) &&
             !isa<RoundTF32Op>(source))
      instructions += 1;
  return instructions;
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
  auto variant = kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
  if (variant && variant.getCost())
    return "it has a cost already";
  return {};
}

/// The other one of zero and a number between which a program chooses: those
/// without iterations hardly count.
static Value skipZero(Value bound) {
  auto choice = bound.getDefiningOp<arith::SelectOp>();
  if (!choice)
    return bound;
  return matchPattern(choice.getFalseValue(), m_Zero()) ? choice.getTrueValue()
         : matchPattern(choice.getTrueValue(), m_Zero())
             ? choice.getFalseValue()
             : bound;
}

/// How often a loop runs, as a launch knows it. Null if it doesn't.
static ExprAttr countIterations(gpu::GPUFuncOp kernel, scf::ForOp loop) {
  LaunchExpressions launch(kernel);
  ExprAttr step = launch.get(loop.getStep());
  if (!step || step.getKind() != ExprKind::Constant || step.getValue() <= 0)
    return {};
  LaunchSum first = LaunchSum::of(launch.get(loop.getLowerBound()));
  LaunchSum end = LaunchSum::of(launch.get(skipZero(loop.getUpperBound())));
  return end.plus(first.times(-1))
      .ceilDivide(kernel.getContext(), step.getValue())
      .get(kernel.getContext());
}

/// The programs for each tile; null for one.
static ExprAttr countBatches(const ProgramTiles &tiles,
                             const TiledProducts &found) {
  ExprAttr batches;
  for (auto [number, count] : llvm::enumerate(tiles.getCounts()))
    if (found.rowNumber != number && found.columnNumber != number)
      batches = batches
                    ? ExprAttr::get(count.getContext(), ExprKind::Mul,
                                    /*value=*/0, /*argument=*/0, batches, count)
                    : count;
  return batches;
}

/// How many elements the memref has that a factor is read from; null if the
/// launch doesn't know it.
static ExprAttr countElements(Value factor) {
  vector::TransferReadOp read = findReadOfFactor(factor);
  Value memref = read ? read.getBase() : Value();
  if (auto rows = memref ? memref.getDefiningOp<RowsOp>() : RowsOp())
    memref = rows.getSource();
  auto argument = dyn_cast_if_present<BlockArgument>(memref);
  auto kernel =
      argument ? dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp())
               : gpu::GPUFuncOp();
  if (!kernel)
    return {};
  MLIRContext *context = kernel.getContext();
  SmallVector<unsigned> positions = getArgumentPositions(kernel);
  auto found = llvm::find(positions, argument.getArgNumber());
  ExprAttr count;
  for (auto [dim, extent] :
       llvm::enumerate(cast<MemRefType>(memref.getType()).getShape())) {
    bool isDynamic = ShapedType::isDynamic(extent);
    if (isDynamic && found == positions.end())
      return {};
    ExprAttr own = isDynamic ? ExprAttr::get(context, ExprKind::Extent, dim,
                                             found - positions.begin(), {}, {})
                             : ExprAttr::get(context, ExprKind::Constant,
                                             extent, 0, {}, {});
    count =
        count ? ExprAttr::get(context, ExprKind::Mul, 0, 0, count, own) : own;
  }
  return count;
}

/// Bytes from a row of the memref that a factor is read from to the next one;
/// null if the launch doesn't know it.
static ExprAttr findPitch(Value factor) {
  vector::TransferReadOp read = findReadOfFactor(factor);
  auto memref =
      read ? dyn_cast<BlockArgument>(read.getBase()) : BlockArgument();
  auto type = read ? dyn_cast<MemRefType>(read.getShapedType()) : MemRefType();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!memref || !type || type.getRank() < 2 ||
      failed(type.getStridesAndOffset(strides, offset)))
    return {};
  auto kernel = dyn_cast<gpu::GPUFuncOp>(memref.getOwner()->getParentOp());
  unsigned dim = type.getRank() - 2;
  MLIRContext *context = type.getContext();
  auto makeNumber = [&](int64_t value) {
    return ExprAttr::get(context, ExprKind::Constant, value, 0, {}, {});
  };
  ExprAttr pitch = makeNumber(strides[dim]);
  if (ShapedType::isDynamic(strides[dim])) {
    if (!kernel)
      return {};
    SmallVector<unsigned> positions = getArgumentPositions(kernel);
    auto found = llvm::find(positions, memref.getArgNumber());
    if (found == positions.end())
      return {};
    pitch = ExprAttr::get(context, ExprKind::Stride, dim,
                          found - positions.begin(), {}, {});
  }
  int64_t bytes = llvm::divideCeil(getElementBits(read.getVectorType()), 8);
  return ExprAttr::get(context, ExprKind::Mul, 0, 0, pitch, makeNumber(bytes));
}

static void countResults(gpu::GPUFuncOp kernel, VectorType sums,
                         ProductWork &work) {
  work.resultBits = work.storedBits = 0;
  kernel.walk([&](vector::TransferWriteOp op) {
    if (op.getVectorType().getShape() != sums.getShape())
      return;
    int64_t bits = op.getVectorType().getElementTypeBitWidth();
    work.resultBits += bits;
    if (becomesTransfer(op))
      work.storedBits += bits;
  });
}

/// The tiled numbers along a product's rows and columns, or why it has none.
static std::string findNumbers(vector::ContractionOp op,
                               const ProgramTiles &tiles,
                               TiledProducts &found) {
  std::optional<ProductDims> roles = findProductDims(op);
  auto explain = [&](StringRef name, unsigned role,
                     std::optional<unsigned> &into) -> std::string {
    unsigned dim = *findOperandDim(op, 2, role);
    into = tiles.findNumber(op.getResult(), dim);
    if (into || !tiles.liesAlongPrograms(op.getResult(), dim))
      return {};
    return ("its " + name + " aren't tiled: " + tiles.getRefusal()).str();
  };
  std::string reason = explain("rows", roles->m, found.rowNumber);
  if (reason.empty())
    reason = explain("columns", roles->n, found.columnNumber);
  if (reason.empty() && !found.rowNumber && !found.columnNumber)
    return "neither its rows nor its columns are tiled";
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
    std::string reason = findNumbers(op, tiles, own);
    if (!reason.empty())
      return reason;
    std::optional<ProductDims> roles = findProductDims(op);
    SmallVector<int64_t> bounds;
    op.getIterationBounds(bounds);
    if (op != first && (own.rowNumber != found.rowNumber ||
                        own.columnNumber != found.columnNumber ||
                        bounds[roles->k] != found.work.depth))
      return "its products have other tiles";
    found.rowNumber = own.rowNumber;
    found.columnNumber = own.columnNumber;
    found.work.rows = bounds[roles->m];
    found.work.columns = bounds[roles->n];
    found.work.depth = bounds[roles->k];
    found.work.factorBits = op.getLhsType().getElementTypeBitWidth();
    countResults(kernel, cast<VectorType>(op.getResultType()), found.work);
    std::string unused;
    WarpgroupForm form =
        findWarpgroupForm(op, kWarpgroup, unused).value_or(WarpgroupForm());
    if (form.hasRegisters && form.isSwapped)
      found.work.columnInstructions += countInstructions(op, op.getRhs());
    else if (form.hasRegisters)
      found.work.rowInstructions += countInstructions(op, op.getLhs());
    rowTiles.insert(op.getLhs());
    columnTiles.insert(op.getRhs());
  }
  found.launch.pitchOfRows = findPitch(first.getLhs());
  found.launch.pitchOfColumns = findPitch(first.getRhs());
  found.launch.elementsOfRows = countElements(first.getLhs());
  found.launch.elementsOfColumns = countElements(first.getRhs());
  auto getCovered = [&](std::optional<unsigned> number, int64_t tile) {
    return number ? tiles.getCovered(*number)
                  : ExprAttr::get(kernel.getContext(), ExprKind::Constant, tile,
                                  0, {}, {});
  };
  found.launch.rows = getCovered(found.rowNumber, found.work.rows);
  found.launch.columns = getCovered(found.columnNumber, found.work.columns);
  found.launch.batches = countBatches(tiles, found);
  if (auto request =
          loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline)) {
    found.work.stages = request.getStages().value_or(found.work.stages);
    for (int64_t stages : request.getStagesOfEach())
      found.work.stages = std::max(found.work.stages, stages);
  }
  found.work.isPromoted = llvm::any_of(products, hasFloat8Factors);
  found.work.products = products.size();
  found.work.rowTiles = rowTiles.size();
  found.work.columnTiles = columnTiles.size();
  return {};
}

/// Whether each extent of the products is one, or can be taken as a sum of
/// them.
static bool isPowersOfTwo(gpu::GPUFuncOp kernel) {
  ExtentParts parts(kernel);
  return llvm::all_of(parts.getProducts(),
                      [](const ExtentParts::Product &product) {
                        return product.refusal.empty();
                      });
}

/// Whether threads have registers for copies beside the tile's sums.
static bool leavesRegisters(const ProductTile &tile, const ProductWork &work) {
  int64_t threads = tile.warpgroups * rules::kWarpgroupSize;
  int64_t sums = tile.rows * tile.columns * work.products / threads;
  // MultiplyOp::countOwnRegisters says the same.
  if (work.isPromoted)
    sums *= 1 + std::min<int64_t>(work.depth / kPromotedDepth, 2);
  return leavesRegistersForCopies(sums, threads);
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
    if (!launch)
      return;
    if (llvm::none_of(products, isByWarpgroups))
      return missParts(kernel, "no warpgroups compute a product");
    std::string reason = explainKernel(kernel, launch);
    if (!reason.empty())
      return miss(kernel, products.front(), reason);
    copyConstants(kernel);
    TiledProducts found;
    ProgramTiles programs(kernel);
    reason = findProducts(kernel, products, programs, found);
    if (!reason.empty())
      return miss(kernel, products.front(), reason);
    // CTAs of a cluster follow each other along the grid's dimension of rows.
    auto findGridDim = [&](std::optional<unsigned> number) {
      return number ? programs.findGridDim(*number) : std::nullopt;
    };
    std::optional<unsigned> rowDim = findGridDim(found.rowNumber),
                            columnDim = findGridDim(found.columnNumber);
    bool hasRowsInGrid = rowDim && launch.getGrid().size() > 1;
    auto loop = cast<scf::ForOp>(products.front()->getParentOp());
    if (getMostParts(kernel) != 1) {
      reason = chip.maxClusterSize == 1 ? "the chip has no clusters"
               : !rowDim && !columnDim
                   ? "neither rows nor columns have a dimension of the grid"
                   : explainUndivided(loop);
      if (reason.empty())
        found.work.mostParts = getMostParts(kernel);
      else
        missParts(kernel, reason);
    }
    std::vector<ProductTile> tiles = planProductTiles(found.work, chip);
    auto canResize = [&](std::optional<unsigned> number, int64_t from,
                         int64_t to) {
      return number ? programs.canResize(*number, to) : from == to;
    };
    auto isPossible = [&](const ProductTile &tile) {
      return (tile.ctas == 1 || hasRowsInGrid) &&
             canResize(found.rowNumber, found.work.rows, tile.rows) &&
             canResize(found.columnNumber, found.work.columns, tile.columns) &&
             (tile.parts == 1 ||
              (rowDim ? canResize(found.rowNumber, found.work.rows,
                                  tile.rows / tile.parts)
                      : canResize(found.columnNumber, found.work.columns,
                                  tile.columns / tile.parts)));
    };
    llvm::erase_if(tiles, std::not_fn(isPossible));
    if (tiles.size() == 1)
      return miss(kernel, products.front(), "no other tile fits");
    std::string name = kernel.getName().str();
    std::string served = getKernelName(kernel).str();
    auto at = std::next(Block::iterator(kernel));
    bool hasRoom = leavesRegisters(tiles.front(), found.work);
    for (const ProductTile &tile : ArrayRef(tiles).drop_front()) {
      gpu::GPUFuncOp variant = kernel.clone();
      variant.setName(
          llvm::formatv("{0}_{1}x{2}", name, tile.rows, tile.columns).str() +
          (tile.ctas == 1 ? "" : "_cluster" + std::to_string(tile.ctas)) +
          (tile.parts == 1 ? "" : "_parts" + std::to_string(tile.parts)));
      // The first one also serves launches that no engine does.
      bool isFirst =
          !hasRoom && tile.parts == 1 && leavesRegisters(tile, found.work);
      symbols.insert(variant, isFirst ? Block::iterator(kernel) : at);
      if (tile.parts == 1)
        resize(variant, found, tile.rows, tile.columns);
      else
        divide(variant, found, tile, rowDim.has_value(),
               rowDim ? *rowDim : *columnDim);
      if (!isPowersOfTwo(variant)) {
        symbols.erase(variant);
        continue;
      }
      hasRoom |= isFirst;
      requestMulticast(variant, tile.ctas);
      finish(variant, served, found, tile, chip);
      ++made;
    }
    requestMulticast(kernel, /*ctas=*/1);
    finish(kernel, served, found, tiles.front(), chip);
  }

  static scf::ForOp resize(gpu::GPUFuncOp variant, const TiledProducts &found,
                           int64_t rows, int64_t columns) {
    ProgramTiles tiles(variant);
    if (found.rowNumber)
      tiles.resize(*found.rowNumber, rows);
    if (found.columnNumber)
      tiles.resize(*found.columnNumber, columns);
    scf::ForOp loop;
    variant.walk([&](vector::ContractionOp op) {
      loop = cast<scf::ForOp>(op->getParentOp());
    });
    return loop;
  }

  /// Programs of the variant have a part of a tile each, along the rows if
  /// those have a dimension of the grid. The CTAs of a cluster have a tile.
  void divide(gpu::GPUFuncOp variant, const TiledProducts &found,
              const ProductTile &tile, bool isAlongRows, unsigned gridDim) {
    auto whole = cast<gpu::GPUFuncOp>(OpBuilder(variant).clone(*variant));
    scf::ForOp ofTile = resize(whole, found, tile.rows, tile.columns);
    scf::ForOp ofPart =
        resize(variant, found, tile.rows / (isAlongRows ? tile.parts : 1),
               tile.columns / (isAlongRows ? 1 : tile.parts));
    auto products = ofTile.getOps<vector::ContractionOp>();
    std::string unused;
    WarpgroupForm form =
        findWarpgroupForm(*products.begin(), kWarpgroup, unused)
            .value_or(WarpgroupForm());
    divideSums(ofPart, ofTile, gridDim, tile.parts, form.isSwapped);
    auto launch = whole->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    SmallVector<ExprAttr> grid(launch.getGrid());
    grid[gridDim] =
        ExprAttr::get(&getContext(), ExprKind::Mul, 0, 0, grid[gridDim],
                      ExprAttr::get(&getContext(), ExprKind::Constant,
                                    tile.parts, 0, {}, {}));
    SmallVector<int64_t> cluster(gridDim + 1, 1);
    cluster.back() = tile.parts;
    variant->setAttr(CarouselDialect::kLaunch,
                     LaunchAttr::get(&getContext(), grid, launch.getBlock(),
                                     cluster, launch.getShared()));
    whole.erase();
  }

  void requestMulticast(gpu::GPUFuncOp variant, int64_t ctas) {
    variant.walk([&](vector::ContractionOp op) {
      Operation *loop = op->getParentOp();
      auto request =
          loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline);
      if (!request && ctas == 1)
        return;
      if (!request)
        request = PipelineAttr::getAuto(&getContext());
      loop->setAttr(CarouselDialect::kPipeline, request.withMulticast(ctas));
    });
  }

  void finish(gpu::GPUFuncOp variant, StringRef served,
              const TiledProducts &found, const ProductTile &tile,
              const ChipModel &chip) {
    setBlock(variant, tile.warpgroups * rules::kWarpgroupSize);
    SmallVector<GuardAttr> guards;
    if (auto attr =
            variant->getAttrOfType<VariantAttr>(CarouselDialect::kVariant))
      guards = llvm::to_vector(attr.getGuards());
    if (tile.ctas != 1)
      guards.push_back(GuardAttr::get(
          &getContext(), GuardKind::Divisible, /*argument=*/0,
          countTiles(found.launch.rows, tile.rows), ExprAttr(), tile.ctas,
          /*most=*/0));
    // The grid has more programs than tiles then.
    auto launch = variant->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    if (tile.parts != 1)
      guards.push_back(GuardAttr::get(
          &getContext(), GuardKind::Range, /*argument=*/0,
          launch.getGrid()[launch.getCluster().size() - 1], ExprAttr(),
          /*least=*/0, /*most=*/rules::kMaxGridYZ));
    variant->setAttr(
        CarouselDialect::kVariant,
        VariantAttr::get(&getContext(), served, guards,
                         makeCost(found.work, tile, found.launch, chip)));
    report(variant, tile);
  }

  void setBlock(gpu::GPUFuncOp variant, int64_t threads) {
    auto launch = variant->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    variant->setAttr(CarouselDialect::kLaunch,
                     LaunchAttr::get(&getContext(), launch.getGrid(), threads,
                                     launch.getCluster(), launch.getShared()));
  }

  void report(gpu::GPUFuncOp variant, const ProductTile &tile) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "tile of ";
    print(os, tile);
    if (recordsDecisions(variant)) {
      KernelDecisions decisions = getDecisions(variant);
      decisions.notes.push_back({"product", text});
      setDecisions(variant, decisions);
    }
    remark::passed(variant.getLoc(), remark::RemarkOpts::name("Tile")
                                         .category(getArgument())
                                         .function(variant.getName()))
        << text;
  }

  void missParts(gpu::GPUFuncOp kernel, StringRef reason) {
    if (getMostParts(kernel) == 1)
      return;
    std::string text = "k isn't divided: " + reason.str();
    if (recordsDecisions(kernel)) {
      KernelDecisions decisions = getDecisions(kernel);
      decisions.notes.push_back({"product", text});
      setDecisions(kernel, decisions);
    }
    remark::missed(kernel.getLoc(), remark::RemarkOpts::name("Parts")
                                        .category(getArgument())
                                        .function(kernel.getName()))
        << text;
  }

  void miss(gpu::GPUFuncOp kernel, vector::ContractionOp product,
            StringRef reason) {
    ++missed;
    missParts(kernel, reason);
    remark::missed(product.getLoc(), remark::RemarkOpts::name("Tile")
                                         .category(getArgument())
                                         .function(kernel.getName()))
        << remark::add("no other tiles: {0}", reason);
  }
};

} // namespace
