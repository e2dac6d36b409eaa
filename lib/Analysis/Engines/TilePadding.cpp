//===- TilePadding.cpp - rows of tiles as whole granules ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TilePadding.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/TilePadding.h"

#include "carousel/Analysis/Values/Divisibility.h"
#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

/// The largest ratio of a padded row to the row as it is. The lines of memory
/// that are read grow much less.
static constexpr int64_t kMostGrowth = 2;

/// Shared memory that is left for barriers and for the padding between buffers.
static constexpr int64_t kReserve = 2048;

std::optional<MutableOperandRange>
carousel::getElementIndices(Operation *access) {
  using Result = std::optional<MutableOperandRange>;
  return llvm::TypeSwitch<Operation *, Result>(access)
      .Case<memref::LoadOp, memref::StoreOp>(
          [](auto op) -> Result { return op.getIndicesMutable(); })
      .Case<vector::LoadOp, vector::StoreOp>([](auto op) -> Result {
        if (op.getVectorType().getRank() != 1)
          return std::nullopt;
        return op.getIndicesMutable();
      })
      .Default([](Operation *) { return std::nullopt; });
}

IndexSum carousel::splitIndex(Value index) {
  IndexSum sum = {index};
  APInt value;
  while (Operation *op = sum.base.getDefiningOp()) {
    bool isSum = isa<arith::AddIOp>(op), isDifference = isa<arith::SubIOp>(op);
    if ((!isSum && !isDifference) ||
        !matchPattern(op->getOperand(1), m_ConstantInt(&value)))
      break;
    sum.constant += isSum ? value.getSExtValue() : -value.getSExtValue();
    sum.base = op->getOperand(0);
  }
  if (matchPattern(sum.base, m_ConstantInt(&value)))
    sum = {Value(), sum.constant + value.getSExtValue()};
  return sum;
}

/// The alignment in bytes that an access promises.
static int64_t getPromisedAlignment(Operation *access) {
  return llvm::TypeSwitch<Operation *, int64_t>(access)
      .Case<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp>(
          [](auto op) -> int64_t { return op.getAlignment().value_or(1); })
      .Default([](Operation *) { return 1; });
}

namespace {

class PaddingPlanner {
public:
  PaddingPlanner(gpu::GPUFuncOp kernel, const ChipModel &target)
      : kernel(kernel), target(target) {}

  std::vector<TilePadding> plan();

private:
  std::string planRows(TilePadding &padding);
  std::string explainLoad(LoadOp load, Value tile);
  std::optional<int64_t> getRemainder(Value offset, int64_t granule);
  std::string followUses(TilePadding &padding, Value memref);
  bool isOnlyRead(Value memref);
  bool isReadOnlyMemory(Value root);
  int64_t countFreeBytes();
  int64_t countCopies(memref::AllocOp tile);

  gpu::GPUFuncOp kernel;
  const ChipModel &target;
  Divisibility facts; // of the kernel as it is
};

} // namespace

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// Whether the kernel only reads through `memref`, as far as its uses show.
bool PaddingPlanner::isOnlyRead(Value memref) {
  return llvm::all_of(memref.getUsers(), [&](Operation *user) {
    if (isa<LoadOp, memref::LoadOp, memref::DimOp, vector::LoadOp>(user))
      return true;
    if (isa<memref::SubViewOp, memref::CastOp, memref::CollapseShapeOp,
            memref::ExpandShapeOp>(user))
      return isOnlyRead(user->getResult(0));
    return false;
  });
}

/// Whether the kernel only reads the memory of an argument.
bool PaddingPlanner::isReadOnlyMemory(Value root) {
  return isa<BlockArgument>(root) && isOnlyRead(root) &&
         llvm::all_of(kernel.getArguments(), [&](BlockArgument other) {
           return !isa<BaseMemRefType>(other.getType()) || other == root ||
                  !mayOverlap(other, root) || isOnlyRead(other);
         });
}

/// The reason why the load can't have a wider box, or empty.
std::string PaddingPlanner::explainLoad(LoadOp load, Value tile) {
  MemRefType global = load.getGlobal().getType();
  int64_t bytes = global.getElementTypeBitWidth() / 8;
  if (load.getEngineAttr() || load.getByThreads())
    return "a load with a given engine, or by threads";
  if (load.getSwizzle() != Swizzle::None)
    return "a load with a swizzle";
  if (global.getShape().back() == load.getTile().getType().getShape().back())
    return "a load of whole rows, which may be one piece";
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(global.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1)
    return "a load from rows whose stride isn't known to be 1";
  for (int64_t stride : ArrayRef(strides).drop_back())
    if (!ShapedType::isDynamic(stride) &&
        stride * bytes % rules::kBulkGranule != 0)
      return "a load from rows " + std::to_string(stride * bytes) +
             " bytes apart, not a multiple of " +
             std::to_string(rules::kBulkGranule);
  if (!isReadOnlyMemory(getRootBuffer(load.getGlobal())))
    return "a load from memory that the kernel may write";
  return "";
}

/// The elements by which an offset is past a multiple of `granule`; nullopt if
/// that isn't known, and no condition on the launch makes it 0.
std::optional<int64_t> PaddingPlanner::getRemainder(Value offset,
                                                    int64_t granule) {
  IndexSum sum = splitIndex(offset);
  SmallVector<DivisibilityNeed> needs;
  if (sum.base && failed(facts.require(sum.base, granule, needs)))
    return std::nullopt;
  return llvm::mod(sum.constant, granule);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// At most so many copies of the tile exist: slots of rings, for each of its
/// scopes.
int64_t PaddingPlanner::countCopies(memref::AllocOp tile) {
  int64_t stages = 1, scopes = 1, threads = rules::kMaxThreadsPerBlock;
  if (std::optional<std::array<int64_t, 3>> block = getKnownBlock(kernel))
    threads = (*block)[0] * (*block)[1] * (*block)[2];
  for (Operation *user : tile->getUsers()) {
    auto transfer = dyn_cast<TransferOpInterface>(user);
    if (!transfer)
      continue;
    if (transfer.getScope() != TransferScope::CTA)
      scopes = llvm::divideCeil(threads, rules::kWarpSize);
    for (Operation *loop = user->getParentOp(); loop != kernel;
         loop = loop->getParentOp()) {
      auto request =
          loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline);
      if (!request)
        continue;
      // With auto, two are enough to overlap.
      stages = std::max<int64_t>({stages, 2, request.getStages().value_or(2),
                                  request.getStoreSlots().value_or(2)});
      for (int64_t each : request.getStagesOfEach())
        stages = std::max(stages, each);
    }
  }
  return stages * scopes;
}

/// The bytes that are left if no buffers share memory; none if the kernel has
/// shared memory of other kinds.
int64_t PaddingPlanner::countFreeBytes() {
  const int64_t limit = target.maxSharedPerBlock;
  int64_t used = kReserve;
  auto add = [&](MemRefType type, int64_t copies) {
    if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
      return;
    int64_t bytes = type.getNumElements() *
                    llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    used += copies *
            llvm::alignTo(std::min(bytes, limit), rules::kSharedTileAlignment);
  };
  if (auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch))
    used += launch.getShared();
  for (BlockArgument buffer : kernel.getWorkgroupAttributions())
    add(cast<MemRefType>(buffer.getType()), 1);
  kernel.walk([&](Operation *op) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      if (isSharedMemRef(alloc.getType()))
        add(alloc.getType(), countCopies(alloc));
    } else if (isa<gpu::DynamicSharedMemoryOp>(op) ||
               (isa<memref::GetGlobalOp>(op) &&
                isSharedMemRef(op->getResult(0).getType()))) {
      used += limit;
    }
  });
  return limit - used;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Collects the accesses to a tile or to a view of it. Returns the reason why
/// one doesn't permit wider rows, or an empty string.
std::string PaddingPlanner::followUses(TilePadding &padding, Value memref) {
  MemRefType type = padding.tile.getType();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  bool isTile = memref == padding.tile.getResult();
  for (Operation *user : memref.getUsers()) {
    if (isTile && isa<LoadOp, memref::DeallocOp>(user))
      continue;
    if (auto view = dyn_cast<memref::SubViewOp>(user)) {
      padding.views.push_back(view);
      if (std::string why = followUses(padding, view); !why.empty())
        return why;
      continue;
    }
    if (isa<TransferOpInterface>(user))
      return isTile ? "a store of the tile, which would write the padding"
                    : "a transfer of a part of the tile";
    if (!getElementIndices(user))
      return "a use by " + user->getName().getStringRef().str();
    // Where an element lies changes by these numbers of bytes.
    int64_t alignment = getPromisedAlignment(user),
            shift = padding.before * bytes,
            growth = (padding.width - type.getShape().back()) * bytes;
    if (shift % alignment != 0 || growth % alignment != 0)
      return "an access aligned to " + std::to_string(alignment) +
             " bytes, where rows begin " + std::to_string(shift) +
             " bytes later and are " + std::to_string(growth) +
             " bytes further apart";
    if (isTile)
      padding.accesses.push_back(user);
  }
  return "";
}

std::string PaddingPlanner::planRows(TilePadding &padding) {
  MemRefType type = padding.tile.getType();
  int64_t bytes = type.getElementTypeBitWidth() / 8,
          width = type.getShape().back(), granule = rules::kBulkGranule / bytes;
  for (LoadOp load : padding.loads) {
    if (std::string why = explainLoad(load, padding.tile); !why.empty())
      return why;
    std::optional<int64_t> before =
        getRemainder(load.getOffsets().back(), granule);
    if (!before)
      return "a load at an offset that isn't known to be a number of elements "
             "past a multiple of " +
             std::to_string(granule);
    if (load != padding.loads.front() && *before != padding.before)
      return "loads that begin " + std::to_string(padding.before) + " and " +
             std::to_string(*before) + " elements past a multiple of " +
             std::to_string(granule);
    padding.before = *before;
  }
  padding.width = llvm::alignTo(padding.before + width, granule);
  if (padding.width > kMostGrowth * width)
    return "rows of " + std::to_string(padding.width * bytes) +
           " bytes with padding, more than twice as many";
  return followUses(padding, padding.tile);
}

std::vector<TilePadding> PaddingPlanner::plan() {
  std::vector<TilePadding> paddings;
  std::optional<int64_t> left;
  kernel.walk([&](memref::AllocOp tile) {
    MemRefType type = tile.getType();
    if (type.getRank() == 0 || !type.hasStaticShape() ||
        !type.getLayout().isIdentity() ||
        !type.getElementType().isIntOrFloat() ||
        type.getElementTypeBitWidth() % 8 != 0 ||
        !llvm::isPowerOf2_64(type.getElementTypeBitWidth()))
      return;
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    if (type.getShape().back() * bytes % rules::kBulkGranule == 0)
      return;
    TilePadding padding;
    padding.tile = tile;
    kernel.walk([&](LoadOp load) {
      if (load.getTile() == tile)
        padding.loads.push_back(load);
    });
    if (padding.loads.empty())
      return;
    padding.refusal = planRows(padding);
    if (padding.refusal.empty()) {
      if (!left)
        left = countFreeBytes();
      int64_t more = type.getNumElements() / type.getShape().back() *
                     (padding.width - type.getShape().back()) * bytes *
                     countCopies(tile);
      if (more > *left)
        padding.refusal = "padding of " + std::to_string(more) +
                          " bytes, where " +
                          std::to_string(std::max<int64_t>(*left, 0)) +
                          " bytes of shared memory are left";
      else
        *left -= more;
    }
    paddings.push_back(std::move(padding));
  });
  return paddings;
}

std::vector<TilePadding> carousel::planTilePadding(gpu::GPUFuncOp kernel,
                                                   const ChipModel &target) {
  return PaddingPlanner(kernel, target).plan();
}
