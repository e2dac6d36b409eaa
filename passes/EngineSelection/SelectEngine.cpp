//===- SelectEngine.cpp - select the engines of transfers -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the engine plan of each kernel: creates a function for each variant,
// adds tensor maps as arguments, sets the engine and the map of each transfer,
// and reports the reasons in remarks. Checks constraints C157, C158 and C190 of
// docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "ClampOffsets.h"

#include "carousel/Analysis/Engines/EnginePlan.h"
#include "carousel/Analysis/Engines/TransferBounds.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "carousel-select-engine"

namespace carousel {
#define GEN_PASS_DEF_SELECTENGINE
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// The kernel's argument with this map, which it gets if it hasn't.
static Value getMap(gpu::GPUFuncOp kernel, TensorMapType type,
                    EncodeAttr encode, bool &isNew) {
  isNew = false;
  unsigned count = kernel.getNumArguments();
  for (unsigned i = 0; i < count; ++i)
    if (kernel.getArgument(i).getType() == type &&
        kernel.getArgAttr(i, CarouselDialect::kEncode) == encode)
      return kernel.getArgument(i);
  isNew = true;
  NamedAttribute attr(
      StringAttr::get(kernel.getContext(), CarouselDialect::kEncode), encode);
  // Before the attributions, which are also arguments of the entry block.
  if (failed(kernel.insertArgument(
          count, type, DictionaryAttr::get(kernel.getContext(), {attr}),
          kernel.getLoc())))
    llvm_unreachable("a kernel takes arguments of any type");
  return kernel.getArgument(count);
}

static void setEngine(TransferOpInterface op, EngineAttr engine, Value map) {
  llvm::TypeSwitch<Operation *>(op.getOperation())
      .Case<LoadOp, StoreOp>([&](auto transfer) {
        transfer.setEngineAttr(engine);
        if (map)
          transfer.getMapMutable().assign(map);
      });
}

/// Copies by threads give the tile the swizzle that their op has.
static void setSwizzle(TransferOpInterface op, const EngineAssignment &plan) {
  EngineKind kind = plan.choice.engine.getKind();
  if (kind != EngineKind::CpAsync && kind != EngineKind::Vector)
    return;
  llvm::TypeSwitch<Operation *>(op.getOperation())
      .Case<LoadOp, StoreOp>(
          [&](auto transfer) { transfer.setSwizzle(plan.swizzle); });
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

/// What the engine needs of the tile's address.
static int64_t getTileAlignment(const EngineChoice &choice) {
  switch (choice.engine.getKind()) {
  case EngineKind::Tensor:
    return choice.map ? choice.map.getSharedAlignment() : 1;
  case EngineKind::Bulk:
    return rules::kBulkGranule;
  case EngineKind::CpAsync:
  case EngineKind::Vector:
    return choice.engine.getWidth();
  }
  llvm_unreachable("an engine");
}

/// An attribution has the alignment that it says, unlike a memref.alloc, which
/// gets its place from all of its uses.
static void alignAttribution(gpu::GPUFuncOp kernel, TransferOpInterface op,
                             int64_t alignment) {
  Value buffer = getRootBuffer(op.getTile());
  ArrayRef<BlockArgument> attributions = kernel.getWorkgroupAttributions();
  const auto *found = llvm::find(attributions, buffer);
  if (found == attributions.end())
    return;
  unsigned index = found - attributions.begin();
  StringRef name = LLVM::LLVMDialect::getAlignAttrName();
  auto old = dyn_cast_or_null<IntegerAttr>(
      kernel.getWorkgroupAttributionAttr(index, name));
  int64_t natural = op.getTileBytes() / op.getTile().getType().getNumElements();
  if ((old ? old.getInt() : natural) >= alignment)
    return;
  kernel.setWorkgroupAttributionAttr(
      index, name, Builder(kernel.getContext()).getI64IntegerAttr(alignment));
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

namespace {

struct SelectEngine : public carousel::impl::SelectEngineBase<SelectEngine> {
  using SelectEngineBase::SelectEngineBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<TargetSpec> target = getTargetSpec(module);
    if (failed(target))
      return signalPassFailure();
    FailureOr<ChipModel> chip = getChipModel(module);
    if (failed(chip))
      return signalPassFailure();
    SmallVector<gpu::GPUFuncOp> kernels;
    for (auto func : module.getOps<gpu::GPUFuncOp>())
      if (func.isKernel())
        kernels.push_back(func);
    // What is rare or slow needs one tile: launches without the best engines.
    SmallVector<bool> areServed = llvm::map_to_vector(kernels, isServedEarlier);
    SymbolTable symbols(module);
    bool refused = false;
    for (auto [kernel, isServed] : llvm::zip_equal(kernels, areServed))
      refused |=
          failed(selectEngines(kernel, *target, *chip, symbols, isServed));
    if (refused)
      signalPassFailure();
  }

  LogicalResult selectEngines(gpu::GPUFuncOp kernel, const TargetSpec &target,
                              const ChipModel &chip, SymbolTable &symbols,
                              bool isServed) {
    bool hasTransfers = kernel
                            .walk([](TransferOpInterface op) {
                              return isa<LoadOp, StoreOp>(*op)
                                         ? WalkResult::interrupt()
                                         : WalkResult::advance();
                            })
                            .wasInterrupted();
    if (!hasTransfers)
      return success();
    markInBounds(kernel);
    EnginePlan plan =
        planEngines(kernel, target, chip, {variants, preferEngine.getValue()});
    // C157
    for (const EngineFault &fault : plan.faults) {
      TransferOpInterface op = fault.op;
      InFlightDiagnostic error = op->emitOpError(fault.message);
      if (fault.other)
        error.attachNote(fault.other->getLoc())
            << (isa<TransferOpInterface>(fault.other) ? "the other transfer"
                                                      : "the atomic");
    }
    if (!plan.faults.empty())
      return failure();
    std::string name = getKernelName(kernel).str();
    std::string function = kernel.getName().str();
    bool hasOthers = plan.variants.size() > 1;
    isServed &= hasOthers;
    if (isServed)
      plan.variants.resize(1);
    functions += plan.variants.size();
    for (const EngineVariant &variant : plan.variants) {
      bool isLast = !isServed && &variant == &plan.variants.back();
      gpu::GPUFuncOp func = kernel;
      IRMapping mapping;
      if (!isLast) {
        func = cast<gpu::GPUFuncOp>(kernel->clone(mapping));
        func.setName(function + variant.suffix);
        symbols.insert(func, Block::iterator(kernel));
      }
      if (!variant.guards.empty() || hasOthers)
        addGuards(func, name, variant.guards);
      applyVariant(func, variant, mapping);
      record(func, variant);
    }
    if (isServed)
      symbols.erase(kernel);
    else if (hasOthers)
      makeLastResort(kernel);
    return success();
  }

  /// Costs are times by engines. What has none comes after all that have.
  void makeLastResort(gpu::GPUFuncOp kernel) {
    auto variant =
        kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
    if (!variant.getCost())
      return;
    kernel->setAttr(CarouselDialect::kVariant,
                    VariantAttr::get(kernel.getContext(), variant.getKernel(),
                                     variant.getGuards()));
    kernel->moveBefore(getOperation().getBody(),
                       getOperation().getBody()->end());
  }

  /// Boxes that are known to be inside need no check when they are issued, and
  /// engines need less of the launch.
  void markInBounds(gpu::GPUFuncOp kernel) {
    SmallVector<TransferOpInterface> inside;
    {
      Divisibility facts;
      IndexRanges ranges;
      kernel.walk([&](TransferOpInterface op) {
        // C126
        auto load = dyn_cast<LoadOp>(op.getOperation());
        bool isPlain = load ? load.getFill() == OutOfBoundsFill::Zero
                            : isa<StoreOp>(op.getOperation());
        if (isPlain && !op.getInBounds() && isKnownInBounds(op, facts, ranges))
          inside.push_back(op);
      });
    }
    for (TransferOpInterface op : inside)
      llvm::TypeSwitch<Operation *>(op.getOperation())
          .Case([](LoadOp load) {
            // There is nothing to fill.
            load.setInBounds(true);
            load.removeFillValueAttr();
          })
          .Case([](StoreOp store) { store.setInBounds(true); });
  }

  void applyVariant(gpu::GPUFuncOp func, const EngineVariant &variant,
                    const IRMapping &mapping) {
    for (const EngineAssignment &plan : variant.transfers) {
      TransferOpInterface op = plan.op;
      if (Operation *clone = mapping.lookupOrNull(op.getOperation()))
        op = cast<TransferOpInterface>(clone);
      Value map;
      bool isNew = false;
      if (plan.choice.map) {
        map = getMap(func, plan.choice.map, plan.choice.encode, isNew);
        maps += isNew;
      }
      setEngine(op, plan.choice.engine, map);
      alignAttribution(func, op, getTileAlignment(plan.choice));
      count(plan);
      log(func, op, plan);
      emitRemarks(func, op, plan);
      setSwizzle(op, plan);
    }
    clampOffsets(func);
  }

  /// Records engines, if a record is asked for and has none yet.
  void record(gpu::GPUFuncOp func, const EngineVariant &variant) {
    if (!recordsDecisions(func))
      return;
    KernelDecisions decisions = getDecisions(func);
    if (!decisions.transfers.empty())
      return;
    describeEngines(variant, decisions);
    setDecisions(func, decisions);
  }

  void count(const EngineAssignment &plan) {
    switch (plan.choice.engine.getKind()) {
    case EngineKind::Tensor:
      ++tensorTransfers;
      break;
    case EngineKind::Bulk:
      ++bulkTransfers;
      break;
    case EngineKind::CpAsync:
      ++cpAsyncTransfers;
      break;
    case EngineKind::Vector:
      ++vectorTransfers;
      break;
    }
    missed += plan.rejections.size();
  }

  void log(gpu::GPUFuncOp func, TransferOpInterface op,
           const EngineAssignment &plan) {
    LDBG() << op->getLoc() << ": @" << func.getName() << ": " << op->getName()
           << " of " << op.getTileBytes() << " bytes by " << plan.choice.engine
           << ", cost " << plan.choice.cost;
    for (const EngineRejection &rejection : plan.rejections)
      LDBG() << op->getLoc() << ": not by "
             << stringifyEngineKind(rejection.kind) << ": " << rejection.reason;
  }

  void emitRemarks(gpu::GPUFuncOp func, TransferOpInterface op,
                   const EngineAssignment &plan) {
    // Their text is made in any case.
    if (!getContext().getRemarkEngine())
      return;
    remark::RemarkOpts options = remark::RemarkOpts::name("Engine")
                                     .category("carousel-select-engine")
                                     .function(func.getName());
    std::string engine;
    llvm::raw_string_ostream(engine) << plan.choice.engine;
    std::string map;
    if (plan.choice.map)
      llvm::raw_string_ostream(map) << " through " << plan.choice.map;
    StringRef what = op.isLoad() ? "load" : "store";
    remark::passed(op->getLoc(), options) << remark::add(
        "{0} of {1} bytes by {2}{3}: {4} {5}, cost {6}{7}", what,
        op.getTileBytes(), engine, map, plan.choice.instructions,
        plan.choice.engine.getWidth() ? "pieces" : "instructions",
        plan.choice.cost, plan.isGiven ? ", as given" : "");
    for (const EngineRejection &rejection : plan.rejections)
      remark::missed(op->getLoc(), options) << remark::add(
          "{0} not used for {1}: {2}", stringifyEngineKind(rejection.kind),
          what, rejection.reason);
    if (!plan.swizzleRejection.empty())
      remark::missed(op->getLoc(), options) << remark::add(
          "swizzle {0} not used for {1}: {2}",
          stringifySwizzle(op.getSwizzle()), what, plan.swizzleRejection.text);
    // PTX promises no atomicity between the two.
    if (!plan.agreement.empty())
      remark::analysis(op->getLoc(), options) << remark::add(
          "{0} by {1}, as all reductions into its memref, {2}", what,
          plan.choice.engine.getKind() == EngineKind::Vector ? "threads"
                                                             : "an engine",
          plan.agreement);
  }
};

} // namespace
