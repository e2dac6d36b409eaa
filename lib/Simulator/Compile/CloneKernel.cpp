//===- CloneKernel.cpp - a kernel in a module of its own --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the kernel, copies it with everything that it uses, and assigns an
// offset to every static buffer.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"
#include "KernelModule.h"

#include "carousel/Dialect/IR/AsyncCopies.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/Transforms/InlineBodies.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

/// The gap between two buffers of a block, so that an overrun of one is out of
/// bounds, and not a write to the next.
static constexpr uint64_t kRedZone = 128;

FailureOr<gpu::GPUFuncOp> sim::findKernel(ModuleOp module, StringRef name) {
  StringRef parent, leaf = name;
  if (name.contains("::"))
    std::tie(parent, leaf) = name.split("::");
  gpu::GPUFuncOp found;
  bool isAmbiguous = false;
  module.walk<WalkOrder::PreOrder>([&](gpu::GPUFuncOp func) {
    if (func.isKernel() && func.getName() == leaf &&
        (parent.empty() ||
         func->getParentOfType<gpu::GPUModuleOp>().getName() == parent)) {
      isAmbiguous |= bool(found);
      found = func;
    }
    return WalkResult::skip();
  });
  if (!found)
    return module.emitError("expected a kernel named '")
           << name << "' in the module, found none";
  if (isAmbiguous)
    return module.emitError("expected one kernel named '")
           << name << "', found it in several gpu.modules; write @module::@"
           << "kernel as module::kernel";
  return found;
}

//===----------------------------------------------------------------------===//
// Static buffers
//===----------------------------------------------------------------------===//

static std::string getBufferName(Location location, StringRef what) {
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName().str();
  std::string place = describeLocation(location);
  if (place.empty())
    return what.str();
  return (what + " at " + place).str();
}

std::optional<uint64_t> sim::getElementBytes(Type element) {
  if (isa<MbarrierType>(element))
    return rules::kMbarrierBytes;
  if (isa<TensorMapType>(element))
    return rules::kTensorMapBytes;
  if (element.isIndex())
    return 8;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    std::optional<uint64_t> bytes = getElementBytes(complex.getElementType());
    return bytes ? std::optional(2 * *bytes) : std::nullopt;
  }
  if (auto vector = dyn_cast<VectorType>(element)) {
    std::optional<uint64_t> bytes = getElementBytes(vector.getElementType());
    if (!bytes || vector.isScalable())
      return std::nullopt;
    return llvm::PowerOf2Ceil(*bytes * vector.getNumElements());
  }
  if (element.isIntOrFloat())
    return llvm::PowerOf2Ceil(
        llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
  return std::nullopt;
}

namespace {

/// Replaces attributions and allocations by memref.globals, and computes the
/// layout of the block of shared memory.
class StaticBuffers {
public:
  StaticBuffers(KernelModule &kernel, Operation *symbols)
      : kernel(kernel), symbols(symbols) {}

  /// Creates a memref.global of this type, and its address at the builder's
  /// insertion point.
  FailureOr<Value> create(OpBuilder &builder, Location loc, MemRefType type,
                          std::optional<uint64_t> alignment, StringRef what) {
    std::string symbol;
    do
      symbol = "__carousel_shared_" + std::to_string(next++);
    while (SymbolTable::lookupSymbolIn(symbols, symbol));
    OpBuilder atModule =
        OpBuilder::atBlockBegin(&symbols->getRegion(0).front());
    memref::GlobalOp::create(
        atModule, loc, symbol, builder.getStringAttr("private"), type,
        builder.getUnitAttr(), /*constant=*/false, /*alignment=*/nullptr);
    if (failed(place(loc, symbol, getBufferName(loc, what), type, alignment)))
      return failure();
    return memref::GetGlobalOp::create(builder, loc, type, symbol).getResult();
  }

  LogicalResult place(Location loc, StringRef symbol, std::string name,
                      MemRefType type, std::optional<uint64_t> alignment) {
    std::optional<uint64_t> element = getElementBytes(type.getElementType());
    if (!element || !type.hasStaticShape() || !type.getLayout().isIdentity())
      return emitError(loc)
             << "expected a contiguous buffer of static extents in shared "
                "memory, got "
             << type;
    // verify-machine has the same limits. Larger values would wrap around.
    constexpr uint64_t kMostAlignment = 1 << 16, kMostBytes = uint64_t(1) << 31;
    if (alignment &&
        (!llvm::isPowerOf2_64(*alignment) || *alignment > kMostAlignment))
      return emitError(loc)
             << "expected an alignment of shared memory that is a "
                "power of two up to 65536, got "
             << int64_t(*alignment);
    std::optional<uint64_t> bytes = element;
    for (int64_t extent : type.getShape())
      bytes = llvm::SaturatingMultiply(*bytes, uint64_t(extent));
    if (*bytes > kMostBytes)
      return emitError(loc) << "expected a buffer of at most 2^31 bytes in "
                               "shared memory, got "
                            << type;
    StaticBuffer buffer;
    buffer.symbol = symbol.str();
    buffer.name = std::move(name);
    buffer.size = *bytes;
    bool isBarrier = isa<MbarrierType>(type.getElementType());
    buffer.slotBytes = getSlotBytes(type);
    uint64_t own = std::max(*element, alignment.value_or(1));
    // Consecutive, as on the device.
    kernel.memory.staticSharedBytes =
        llvm::alignTo(kernel.memory.staticSharedBytes, own) + buffer.size;
    // Tensor copies need 128 bytes. A larger alignment needs an attribute.
    if (!isBarrier)
      own = std::max<uint64_t>(own, rules::kSharedTileAlignment);
    buffer.offset = llvm::alignTo(kernel.memory.staticBlockBytes, own);
    kernel.memory.staticBlockBytes = buffer.offset + buffer.size + kRedZone;
    kernel.memory.shared.push_back(std::move(buffer));
    return success();
  }

  /// The slots of a barrier array are its elements. For data with several
  /// dimensions, the outermost one counts slots.
  static uint64_t getSlotBytes(MemRefType type) {
    uint64_t element = *getElementBytes(type.getElementType());
    bool isBarrier = isa<MbarrierType>(type.getElementType());
    if (type.getRank() < (isBarrier ? 1 : 2) || type.getShape().front() < 1)
      return 0;
    return element * type.getNumElements() / type.getShape().front();
  }

private:
  KernelModule &kernel;
  Operation *symbols;
  unsigned next = 0;
};

} // namespace

static std::optional<uint64_t> getAlignment(Attribute attr) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getInt();
  return std::nullopt;
}

/// Converts the gpu.func to a func.func.
static LogicalResult flatten(gpu::GPUFuncOp func, StaticBuffers &buffers) {
  OpBuilder builder(func);
  auto flat = func::FuncOp::create(builder, func.getLoc(), func.getName(),
                                   func.getFunctionType());
  Block &body = func.getBody().front();
  builder.setInsertionPointToStart(&body);
  unsigned numWorkgroup = func.getNumWorkgroupAttributions();
  for (unsigned i = 0; i < numWorkgroup; ++i) {
    BlockArgument argument = func.getWorkgroupAttributions()[i];
    auto buffer = buffers.create(
        builder, argument.getLoc(), cast<MemRefType>(argument.getType()),
        getAlignment(func.getWorkgroupAttributionAttr(i, "llvm.align")),
        "shared buffer");
    if (failed(buffer))
      return failure();
    argument.replaceAllUsesWith(*buffer);
  }
  for (BlockArgument argument : func.getPrivateAttributions()) {
    auto type = cast<MemRefType>(argument.getType());
    Value buffer =
        memref::AllocaOp::create(builder, argument.getLoc(),
                                 MemRefType::Builder(type).setMemorySpace({}));
    if (buffer.getType() != type)
      buffer = memref::MemorySpaceCastOp::create(builder, argument.getLoc(),
                                                 type, buffer);
    argument.replaceAllUsesWith(buffer);
  }
  unsigned numArguments = func.getFunctionType().getNumInputs();
  body.eraseArguments(numArguments, body.getNumArguments() - numArguments);
  flat.getBody().takeBody(func.getBody());
  flat.walk([](gpu::ReturnOp op) {
    OpBuilder builder(op);
    func::ReturnOp::create(builder, op.getLoc(), op.getOperands());
    op.erase();
  });
  func.erase();
  return success();
}

/// Names the views of dynamic shared memory at constant offsets.
static void collectViews(KernelModule &kernel) {
  kernel.module->walk([&](memref::ViewOp view) {
    if (!view.getSource().getDefiningOp<gpu::DynamicSharedMemoryOp>() ||
        !view.getType().hasStaticShape())
      return;
    APInt shift;
    if (!matchPattern(view.getByteShift(), m_ConstantInt(&shift)))
      return;
    std::optional<uint64_t> element =
        getElementBytes(view.getType().getElementType());
    if (!element)
      return;
    kernel.memory.views.push_back(
        {"", getBufferName(view.getLoc(), "view"), shift.getZExtValue(),
         *element * view.getType().getNumElements(),
         StaticBuffers::getSlotBytes(view.getType())});
  });
}

static LogicalResult placeGlobals(KernelModule &kernel,
                                  StaticBuffers &buffers) {
  for (auto global : kernel.module->getOps<memref::GlobalOp>()) {
    if (llvm::any_of(kernel.memory.shared, [&](const StaticBuffer &buffer) {
          return buffer.symbol == global.getSymName();
        }))
      continue;
    MemRefType type = global.getType();
    std::string name = "@" + global.getSymName().str();
    if (isSharedMemRef(type)) {
      if (failed(buffers.place(global.getLoc(), global.getSymName(), name, type,
                               global.getAlignment())))
        return failure();
      continue;
    }
    GlobalBuffer buffer;
    buffer.symbol = global.getSymName().str();
    buffer.name = name;
    std::optional<uint64_t> element = getElementBytes(type.getElementType());
    if (!element)
      return global.emitError("expected elements of a fixed size, got ")
             << type;
    buffer.size = *element * type.getNumElements();
    auto initial =
        dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr());
    if (global.getInitialValue() && !global.isUninitialized()) {
      if (!initial || !type.getElementType().isIntOrIndexOrFloat() ||
          type.getElementType().isInteger(1))
        return global.emitError(
            "expected dense initial values of whole bytes in a global");
      ArrayRef<char> raw = initial.getRawData();
      buffer.initial.emplace(buffer.size);
      for (uint64_t i = 0; i < buffer.size; ++i)
        (*buffer.initial)[i] = raw[initial.isSplat() ? i % *element : i];
    }
    kernel.memory.globals.push_back(std::move(buffer));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

/// Expands collectives that consist of others.
static LogicalResult expandCollectives(Operation *module) {
  RewritePatternSet patterns(module->getContext());
  populateExpandMatrices(patterns);
  populateExpandProducts(patterns);
  populateGpuGlobalIdPatterns(patterns);
  return rewriteOps(module, std::move(patterns));
}

/// Gives functions names that no function of the host has: a kernel may be
/// called @exp.
static LogicalResult renameFunctions(KernelModule &kernel, Operation *symbols) {
  Block &body = symbols->getRegion(0).front();
  for (auto func : body.getOps<func::FuncOp>()) {
    if (func.isExternal())
      continue; // poison
    std::string name = "device." + func.getName().str();
    if (func.getName() == kernel.entry)
      kernel.entry = name;
    if (failed(SymbolTable::replaceAllSymbolUses(
            func, StringAttr::get(func.getContext(), name), symbols)))
      return func.emitError("expected uses of this function that are known");
    func.setName(name);
    func.setPublic();
  }
  return success();
}

FailureOr<KernelModule> sim::cloneKernel(gpu::GPUFuncOp original) {
  auto used = getUsedSymbols(original);
  if (failed(used))
    return failure();
  bool isBlockProgram = original->hasAttr(CarouselDialect::kBlockProgram);
  for (Operation *op : *used)
    if (failed(verifyKnown(op, isBlockProgram)))
      return failure();

  KernelModule kernel;
  kernel.module = ModuleOp::create(original.getLoc());
  kernel.entry = original.getName().str();
  OpBuilder builder = OpBuilder::atBlockEnd(kernel.module->getBody());
  auto inner = gpu::GPUModuleOp::create(builder, original.getLoc(), "device");
  builder.setInsertionPointToStart(inner.getBody());
  for (Operation &op : *original->getBlock())
    if (used->contains(&op))
      builder.clone(op);
  // So that none is left of those that are inlined.
  for (auto func : inner.getOps<func::FuncOp>())
    func.setPrivate();
  // The known block size must not be folded, because another one may be
  // launched.
  inner.walk([](gpu::GPUFuncOp func) {
    func.setKnownBlockSizeAttr({});
    func.setKnownGridSizeAttr({});
    func.setKnownClusterSizeAttr({});
  });
  if (failed(inlineFunctions(inner)) || failed(lowerAsyncCopies(inner)))
    return failure();
  expandPoisonIndices(inner);
  expandTurns(inner);
  lookUpRows(inner);
  for (auto func : inner.getOps<gpu::GPUFuncOp>())
    if (func->hasAttr(CarouselDialect::kBlockProgram) &&
        failed(lowerBlockProgram(func, kernel.memory)))
      return failure();
  // No pattern may fold it before.
  hidePoison(inner, kernel.poison);
  if (failed(expandCollectives(inner)))
    return inner.emitError("expected collectives of numbers that fit a warp's "
                           "registers"),
           failure();

  StaticBuffers buffers(kernel, inner);
  for (auto func : llvm::make_early_inc_range(inner.getOps<gpu::GPUFuncOp>()))
    if (failed(flatten(func, buffers)))
      return failure();
  SmallVector<memref::AllocOp> allocs;
  inner.walk([&](memref::AllocOp op) { allocs.push_back(op); });
  for (memref::AllocOp op : allocs) {
    builder.setInsertionPoint(op);
    auto buffer = buffers.create(builder, op.getLoc(), op.getType(),
                                 op.getAlignment(), "shared buffer");
    if (failed(buffer))
      return failure();
    op.replaceAllUsesWith(*buffer);
    op.erase();
  }
  inner.walk([](memref::DeallocOp op) { op.erase(); });
  if (failed(renameFunctions(kernel, inner)))
    return failure();
  kernel.module->getBody()->getOperations().splice(
      kernel.module->getBody()->end(), inner.getBody()->getOperations());
  inner.erase();
  collectViews(kernel);
  if (failed(placeGlobals(kernel, buffers)))
    return failure();
  return kernel;
}
