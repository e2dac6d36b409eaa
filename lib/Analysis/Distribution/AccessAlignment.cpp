//===- AccessAlignment.cpp - how wide accesses of vectors are -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AccessAlignment.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Distribution/AccessAlignment.h"

#include "../Engines/TransferFacts.h"

#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

int64_t carousel::getElementBits(ShapedType type) {
  return type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
}

/// Whether a vector has a product's shape, or is a box of its rows.
static bool haveSameRows(VectorType product, VectorType vector) {
  return product.getShape() == vector.getShape() ||
         (product.getRank() == 2 && vector.getRank() > 2 &&
          product.getShape().back() == vector.getShape().back() &&
          product.getNumElements() == vector.getNumElements());
}

/// Whether a product of the vector's rows satisfies `holds`.
static bool anyProduct(gpu::GPUFuncOp kernel, VectorType type,
                       function_ref<bool(vector::ContractionOp)> holds) {
  return kernel
      .walk([&](vector::ContractionOp op) {
        auto product = dyn_cast<VectorType>(op.getResultType());
        return product && haveSameRows(product, type) && holds(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether threads hold the elements as fragments of a product: the vector has
/// its shape, and the kernel multiplies by matrix instructions.
static bool isFragments(gpu::GPUFuncOp kernel, VectorType type) {
  return anyProduct(kernel, type, [](vector::ContractionOp op) {
    return hasMatrixInstructions(op);
  });
}

ThreadBits carousel::findThreads(gpu::GPUFuncOp kernel) {
  ThreadBits threads{/*lanes=*/5, /*warps=*/kWarpBitsOfGroup};
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  auto multiply = [](ArrayRef<int64_t> extents) {
    return std::accumulate(extents.begin(), extents.end(), int64_t(1),
                           std::multiplies<>());
  };
  if (launch && !isProgramOfCTA(kernel))
    threads.ctas = llvm::Log2_64(multiply(launch.getCluster()));
  if (launch && !launch.getBlock().empty()) {
    int64_t count = multiply(launch.getBlock());
    threads.warps =
        llvm::Log2_64(std::max<int64_t>(count / rules::kWarpSize, 1));
  }
  return threads;
}

/// Whether the fragments are those of warpgroups.
static bool isProductOfWarpgroups(gpu::GPUFuncOp kernel, VectorType type) {
  ThreadBits threads = findThreads(kernel);
  return anyProduct(kernel, type, [&](vector::ContractionOp op) {
    return hasMatrixInstructions(op) &&
           explainNoWarpgroups(op, threads).empty();
  });
}

/// Whether threads may as well write what they hold of a product by warpgroups:
/// rows of their fragments are whole sectors of global memory.
static bool writesSectors(gpu::GPUFuncOp kernel, VectorType type) {
  constexpr int64_t kBitsOfWholeSectors = 32;
  return getElementBits(type) >= kBitsOfWholeSectors &&
         isProductOfWarpgroups(kernel, type);
}

static int64_t countBytes(ShapedType type) {
  return llvm::divideCeil(type.getNumElements() * getElementBits(type), 8);
}

int64_t carousel::countSlotBytes(VectorTransferOpInterface op) {
  constexpr int64_t kLeastStages = 2;
  int64_t slots = 1;
  for (Operation *loop = op->getParentOp(); !isa<gpu::GPUFuncOp>(loop);
       loop = loop->getParentOp())
    if (auto request =
            loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline)) {
      slots = request.getStages().value_or(kLeastStages);
      for (int64_t stages : request.getStagesOfEach())
        slots = std::max(slots, stages);
      break;
    }
  return slots * countBytes(op.getVectorType());
}

/// The bytes of the slots of pipelined loops.
static int64_t countSlotBytes(gpu::GPUFuncOp kernel) {
  int64_t bytes = 0;
  kernel.walk([&](vector::TransferReadOp op) {
    auto read = cast<VectorTransferOpInterface>(op.getOperation());
    if (isPipelined(op) && becomesTransfer(read))
      bytes += countSlotBytes(read);
  });
  return bytes;
}

/// Whether tiles of all writes of fragments fit beside the shared memory that
/// the kernel allocates. The rings of earlier loops are no longer in use,
/// unless a loop has roles, as those of products by warpgroups get: then these
/// last as long as the kernel.
static bool fitsTiles(gpu::GPUFuncOp kernel, const ChipModel &chip,
                      bool besideSlots) {
  constexpr int64_t kOfOthers = 1024; // reductions, barriers
  int64_t bytes = kOfOthers + (besideSlots ? countSlotBytes(kernel) : 0);
  bool hasRoles = false;
  kernel.walk([&](Operation *op) {
    if (auto pipeline =
            op->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline))
      hasRoles |= pipeline.getMode() == PipelineMode::Specialized;
    if (auto write = dyn_cast<vector::TransferWriteOp>(op);
        write && isFragments(kernel, write.getVectorType()) &&
        !writesSectors(kernel, write.getVectorType()))
      bytes += countBytes(write.getVectorType());
  });
  kernel.walk([&](memref::AllocOp op) {
    if (op.getType().hasStaticShape())
      bytes += countBytes(op.getType());
  });
  return !hasRoles && bytes <= chip.maxSharedPerBlock;
}

/// Whether an iteration of the loop computes a whole product of the vector's
/// rows, by a loop of its own.
static bool hasWholeProduct(LoopLikeOpInterface loop, VectorType type) {
  auto kernel = loop->getParentOfType<gpu::GPUFuncOp>();
  return anyProduct(kernel, type, [&](vector::ContractionOp op) {
    auto own = op->getParentOfType<LoopLikeOpInterface>();
    return own && loop->isProperAncestor(own);
  });
}

static SmallVector<LoopLikeOpInterface> getLoopsOfProgram(Operation *op) {
  SmallVector<LoopLikeOpInterface> loops;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    if (!isLoopOverPrograms(loop))
      loops.push_back(loop);
  return loops;
}

/// Threads would write fragments by 4 bytes, 16 of each row at once. An engine
/// writes whole rows: on an H200, a product of 8192 x 512 x 8192 then takes 195
/// us instead of 237, and one of 8192 x 2048 x 8192 641 instead of 678. Over
/// NVLink, threads write whole rows of a tile, too. Fragments of 32 bits are
/// whole sectors, and their tile would take two slots from the rings of a
/// product by warpgroups. In a loop of the program,
/// the tile takes shared memory from the rings of the next iteration, which
/// pays where an iteration has a whole product.
static bool writesFragments(VectorTransferOpInterface op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  if (!kernel || !isa<vector::TransferWriteOp>(op) ||
      !isFragments(kernel, op.getVectorType()))
    return false;
  SmallVector<LoopLikeOpInterface> loops = getLoopsOfProgram(op);
  if (llvm::any_of(loops, [&](LoopLikeOpInterface loop) {
        return !hasWholeProduct(loop, op.getVectorType());
      }))
    return false;
  std::optional<ChipModel> chip = findChipModel(kernel);
  bool besideSlots =
      !loops.empty() || isProductOfWarpgroups(kernel, op.getVectorType());
  if (!chip || !fitsTiles(kernel, *chip, besideSlots))
    return false;
  auto argument = dyn_cast<BlockArgument>(op.getBase());
  bool isOfPeer = argument &&
                  argument.getOwner() == &kernel.getBody().front() &&
                  kernel.getArgAttr(argument.getArgNumber(), kPeer);
  if (isOfPeer || chip->sm < rules::kBulkSM)
    return isOfPeer;
  return !writesSectors(kernel, op.getVectorType());
}

/// Takes `value` apart into a dividend and the size of a cluster, or 1.
static int64_t takeClusterSize(Value &value) {
  auto quotient = value.getDefiningOp<arith::DivUIOp>();
  if (!quotient)
    return 1;
  std::optional<int64_t> size = getConstantIntValue(quotient.getRhs());
  if (size)
    value = quotient.getLhs();
  return size.value_or(1);
}

bool carousel::isLoopOverPrograms(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return false;
  Value first = loop.getLowerBound(), step = loop.getStep();
  return takeClusterSize(first) == takeClusterSize(step) &&
         first.getDefiningOp<gpu::BlockIdOp>() &&
         step.getDefiningOp<gpu::GridDimOp>();
}

bool carousel::isPipelined(Operation *op) {
  Operation *loop = op->getParentOp();
  while (loop && !loop->hasAttr(CarouselDialect::kPipeline))
    loop = loop->getParentOp();
  return loop;
}

/// Whether a box may begin before its memref. A store of a tile must not, and a
/// load may (docs/Rationale.md). Indices of dimensions that the vector doesn't
/// have are in bounds. Rows are looked up wherever a box begins in its table.
static bool mayBeginBefore(VectorTransferOpInterface op) {
  Divisibility indices;
  bool areRows = op.getBase().getDefiningOp<RowsOp>() != nullptr;
  for (auto [dim, expr] :
       llvm::enumerate(op.getPermutationMap().getResults())) {
    auto along = dyn_cast<AffineDimExpr>(expr);
    if (along && !op.isDimInBounds(dim) &&
        !(areRows && along.getPosition() == 0) &&
        !indices.isNonNegative(op.getIndices()[along.getPosition()]))
      return true;
  }
  return false;
}

/// Whether the loop's results are written by warpgroups whose products are in a
/// pipelined loop inside of it. All of them would meet for a tile of the CTA.
static bool writesResults(Operation *op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  Operation *loop = op->getParentOp();
  while (!loop->hasAttr(CarouselDialect::kPipeline))
    loop = loop->getParentOp();
  if (!isLoopOverPrograms(loop))
    return false;
  ThreadBits threads = findThreads(kernel);
  return loop
      ->walk([&](vector::ContractionOp product) {
        Operation *inner = product->getParentOp();
        return inner != loop && inner->hasAttr(CarouselDialect::kPipeline) &&
                       hasMatrixInstructions(product) &&
                       explainNoWarpgroups(product, threads).empty()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the loop around the access makes it a transfer.
static bool isPipelinedAccess(VectorTransferOpInterface op) {
  return isPipelined(op) &&
         (isa<vector::TransferReadOp>(op) || !writesResults(op));
}

/// Whether an engine could make the access, wherever it begins. Tiles have no
/// indices.
static bool isOfEngine(VectorTransferOpInterface op) {
  if (!isGlobalMemRef(op.getShapedType()) || op.getMask() ||
      op.getVectorType().getElementType().isIndex() ||
      !op.getPermutationMap().isMinorIdentity() ||
      getElementBits(op.getVectorType()) < 8 ||
      (!isPipelinedAccess(op) && !writesFragments(op)))
    return false;
  auto read = dyn_cast<vector::TransferReadOp>(op.getOperation());
  return !read || matchPattern(read.getPadding(), m_Constant());
}

/// Whether each CTA of a cluster has a part of the kernel's vectors. A CTA can
/// load a whole tile, but has only a part of one to store.
static bool isSharedByCluster(VectorTransferOpInterface op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  auto launch =
      kernel ? kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch)
             : LaunchAttr();
  if (!launch ||
      llvm::all_of(launch.getCluster(), [](int64_t ctas) { return ctas == 1; }))
    return false;
  return !isProgramOfCTA(kernel);
}

bool carousel::becomesTransfer(VectorTransferOpInterface op) {
  return isOfEngine(op) && (isa<vector::TransferReadOp>(op) ||
                            (!mayBeginBefore(op) && !isSharedByCluster(op)));
}

std::string carousel::explainNoTransfer(VectorTransferOpInterface op) {
  if (!isOfEngine(op) || becomesTransfer(op))
    return "";
  if (isSharedByCluster(op))
    return "threads write it, since each CTA of the cluster has only a part of "
           "the tile";
  return "threads write it, since an index may be negative and no store of a "
         "tile may begin before its memref";
}

AccessAlignment::AccessAlignment(gpu::GPUFuncOp kernel)
    : arguments(getKernelArguments(kernel)) {
  for (auto [number, argument] : llvm::enumerate(arguments))
    numbers[kernel.getArgument(argument.position)] = number;
  if (auto variant =
          kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant))
    llvm::append_range(known, variant.getGuards());
  for (auto [number, argument] : llvm::enumerate(arguments))
    if (auto promised = kernel.getArgAttrOfType<IntegerAttr>(
            argument.position, LLVM::LLVMDialect::getAlignAttrName()))
      known.push_back(GuardAttr::get(kernel.getContext(), GuardKind::Aligned,
                                     number, ExprAttr(), ExprAttr(),
                                     promised.getInt(), /*most=*/0));
}

bool AccessAlignment::isKnown(GuardAttr guard) const {
  return isImplied(known, guard);
}

std::optional<unsigned> AccessAlignment::findArgument(Value memref) const {
  MemRefOrigin origin = findOrigin(memref, indices);
  auto found = numbers.find(origin.root);
  if (!origin.isWhole || found == numbers.end())
    return std::nullopt;
  return found->second;
}

bool AccessAlignment::requireDivisible(
    ExprAttr expr, int64_t divisor, SmallVectorImpl<GuardAttr> &guards) const {
  auto guard =
      GuardAttr::get(expr.getContext(), GuardKind::Divisible, /*argument=*/0,
                     expr, ExprAttr(), divisor, /*most=*/0);
  if (divisor != 1 && !isKnown(guard))
    mergeGuard(guards, guard);
  return true;
}

bool AccessAlignment::requireMultiple(
    OpFoldResult index, int64_t divisor,
    SmallVectorImpl<GuardAttr> &guards) const {
  if (isMultiple(indices.getMultiple(index), divisor))
    return true;
  auto value = dyn_cast<Value>(index);
  SmallVector<DivisibilityNeed> needs;
  if (!value || failed(indices.require(value, divisor, needs)))
    return false;
  MLIRContext *context = value.getContext();
  for (const DivisibilityNeed &need : needs) {
    ExprAttr expr;
    if (auto scalar = numbers.find(need.value); scalar != numbers.end()) {
      expr = makeExpr(context, ExprKind::Scalar, 0, scalar->second);
    } else if (auto dim = need.value.getDefiningOp<memref::DimOp>()) {
      std::optional<unsigned> argument = findArgument(dim.getSource());
      std::optional<int64_t> number = dim.getConstantIndex();
      if (!argument || !number)
        return false;
      expr = makeExpr(context, ExprKind::Extent, *number, *argument);
    }
    if (!expr || !requireDivisible(expr, need.divisor, guards))
      return false;
  }
  return true;
}

/// The memref of which a view is the beginning in all dimensions, and where the
/// last dimension ends; nullopt for the memref's own extent.
static std::pair<Value, std::optional<OpFoldResult>> skipLimits(Value memref) {
  std::optional<OpFoldResult> last;
  while (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    bool begins = view.getSourceType().getRank() == view.getType().getRank() &&
                  llvm::all_of(view.getMixedOffsets(),
                               [](OpFoldResult offset) {
                                 return isConstantIntValue(offset, 0);
                               }) &&
                  view.hasUnitStride();
    if (!begins)
      break;
    if (!last)
      last = view.getMixedSizes().back();
    memref = view.getSource();
  }
  return {memref, last};
}

bool AccessAlignment::require(Value view, ValueRange offsets, bool inBounds,
                              int64_t elements,
                              SmallVectorImpl<GuardAttr> &guards) const {
  if (elements == 1)
    return true;
  auto [memref, end] = skipLimits(view);
  auto type = cast<MemRefType>(memref.getType());
  MLIRContext *context = memref.getContext();
  SmallVector<int64_t> strides;
  int64_t first;
  if (type.getRank() == 0 || failed(type.getStridesAndOffset(strides, first)) ||
      strides.back() != 1)
    return false;
  SmallVector<GuardAttr> needs;
  std::optional<unsigned> argument = findArgument(memref);
  int64_t last = type.getRank() - 1;

  // The memref's address. A memref that starts within an argument has what is
  // known of it.
  int64_t bytes = elements * getElementBits(type) / 8;
  if (bytes > 1 && findOrigin(memref, indices).alignment % bytes != 0) {
    if (!argument)
      return false;
    auto aligned = GuardAttr::get(context, GuardKind::Aligned, *argument,
                                  ExprAttr(), ExprAttr(), bytes, /*most=*/0);
    bool isWorkspace = bool(arguments[*argument].workspace);
    if (!isKnown(aligned) && !isWorkspace)
      mergeGuard(needs, aligned);
  }

  // Rows begin at multiples of a run.
  bool isContiguous = type.getLayout().isIdentity();
  for (int64_t dim = 0; dim < last; ++dim) {
    if (isMultiple(indices.getMultiple(offsets[dim]), elements) &&
        getConstantIntValue(offsets[dim]) == 0 && type.getDimSize(dim) == 1)
      continue;
    if (!ShapedType::isDynamic(strides[dim])) {
      if (!isMultiple(strides[dim], elements))
        return false;
      continue;
    }
    if (!argument)
      return false;
    // A multiple of the last extent.
    if (isContiguous && ShapedType::isDynamic(type.getDimSize(last)))
      requireDivisible(makeExpr(context, ExprKind::Extent, last, *argument),
                       elements, needs);
    else if (!isContiguous || !isMultiple(type.getDimSize(last), elements))
      requireDivisible(makeExpr(context, ExprKind::Stride, dim, *argument),
                       elements, needs);
  }
  if (!requireMultiple(offsets.back(), elements, needs))
    return false;

  if (!inBounds) {
    if (end) {
      if (!requireMultiple(*end, elements, needs))
        return false;
    } else if (!type.isDynamicDim(last)) {
      if (!isMultiple(type.getDimSize(last), elements))
        return false;
    } else if (argument) {
      requireDivisible(makeExpr(context, ExprKind::Extent, last, *argument),
                       elements, needs);
    } else {
      return false;
    }
  }
  for (GuardAttr guard : needs)
    mergeGuard(guards, guard);
  return true;
}

int64_t AccessAlignment::getRun(Value memref, ValueRange offsets, bool inBounds,
                                int64_t most) const {
  for (int64_t elements = most; elements > 1; elements /= 2) {
    SmallVector<GuardAttr> needs;
    if (require(memref, offsets, inBounds, elements, needs) && needs.empty())
      return elements;
  }
  return 1;
}

/// Whether an index is a known number more than something else, and the number
/// is no multiple: a neighbour's place.
static bool isBesideMultiple(Value index, int64_t elements) {
  if (std::optional<int64_t> number = getConstantIntValue(index))
    return *number % elements != 0;
  Operation *source = index.getDefiningOp();
  return isa_and_nonnull<arith::AddIOp, arith::SubIOp>(source) &&
         llvm::any_of(source->getOperands(), [&](Value operand) {
           return isBesideMultiple(operand, elements);
         });
}

Obstacle AccessAlignment::findObstacle(Value view, ValueRange offsets,
                                       int64_t elements) const {
  Value memref = skipLimits(view).first;
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t first;
  if (elements == 1 || type.getRank() == 0 ||
      failed(type.getStridesAndOffset(strides, first)))
    return {};
  if (ShapedType::isDynamic(strides.back()))
    return {Miss::AccessStride,
            "the memref's last dimension has an unknown stride"};
  int64_t bytes = elements * getElementBits(type) / 8;
  if (bytes > 1 && findOrigin(memref, indices).alignment % bytes != 0 &&
      !findArgument(memref))
    return {Miss::AccessView, "it isn't known where the view begins"};
  SmallVector<GuardAttr> needs;
  if (!requireMultiple(offsets.back(), elements, needs) &&
      !isBesideMultiple(offsets.back(), elements))
    return {Miss::AccessOffset,
            "the offset along the last dimension isn't known to be a multiple "
            "of " +
                std::to_string(elements)};
  return {};
}
