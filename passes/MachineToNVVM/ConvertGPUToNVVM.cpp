//===- ConvertGPUToNVVM.cpp - the remaining ops to NVVM -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs upstream's conversions to the LLVM and NVVM dialects as one. Upstream's
// own pass first rewrites the whole module greedily, for ops that LowerGPUOps
// and LowerVectors have already lowered, and collects its patterns in each run.
//
//===----------------------------------------------------------------------===//

#include "../MachineExpansion/GenericAtomics.h"
#include "../RingToMachine/LoopAnnotations.h"
#include "NVVMLowering.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/BasicPtxBuilderInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/TypeSwitch.h"

namespace carousel {
#define GEN_PASS_DEF_CONVERTGPUTONVVM
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

static constexpr StringLiteral kDeviceScope{"device"};

/// These patterns come before what dialects say of their ops in general.
static constexpr unsigned kGPUBenefit = 10;

static LowerToLLVMOptions getOptions(MLIRContext *context, unsigned bits) {
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(bits);
  return options;
}

/// Moves annotations of loops of scf to their branches back, under a name that
/// the translation to LLVM IR doesn't look for.
template <typename Op> static void takeAnnotation(Op branch) {
  if (auto annotation =
          branch->template getAttrOfType<LLVM::LoopAnnotationAttr>(
              kLoopAnnotation)) {
    branch->removeDiscardableAttr(kLoopAnnotation);
    branch.setLoopAnnotationAttr(annotation);
  }
}

/// Atomics of memref are relaxed at gpu scope (docs/Phases.md). Upstream makes
/// them acq_rel for the system, which PTX's `atom` isn't without fences.
static void relax(LLVM::AtomicRMWOp op) {
  op.setOrdering(LLVM::AtomicOrdering::monotonic);
  op.setSyncscope(kDeviceScope);
}

/// With the load of the first attempt, which is part of the atomic.
static void relax(LLVM::AtomicCmpXchgOp op) {
  op.setSuccessOrdering(LLVM::AtomicOrdering::monotonic);
  op.setFailureOrdering(LLVM::AtomicOrdering::monotonic);
  op.setSyncscope(kDeviceScope);
  for (Operation *user : op.getPtr().getUsers()) {
    auto load = dyn_cast<LLVM::LoadOp>(user);
    if (!load || load.getLoc() != op.getLoc() ||
        load.getOrdering() != LLVM::AtomicOrdering::not_atomic)
      continue;
    load.setOrdering(LLVM::AtomicOrdering::monotonic);
    load.setSyncscope(kDeviceScope);
    load.setAlignment(
        llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8));
  }
}

/// Verifies what upstream's patterns take for granted, and end in a signal
/// without: memory that is declared has elements that LLVM has.
static LogicalResult verifyDeclared(Operation *op, Type type,
                                    const LLVMTypeConverter &converter) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || converter.convertType(memref.getElementType()))
    return success();
  return op->emitError("expected elements that LLVM has where memory is "
                       "declared, got ")
         << memref;
}

static bool isOfIndex(Type type) {
  return getElementTypeOrSelf(type).isIndex();
}

/// The pass that has something to do before upstream's patterns make valid IR
/// of an op; empty if there is none.
static StringRef findEarlierPass(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](memref::CopyOp) { return "carousel-expand-memory"; })
      .Case([](memref::GenericAtomicRMWOp atomic) {
        bool isPlain =
            isa<IntegerType>(atomic.getType()) && isSwapped(atomic.getType());
        return isPlain || isAtomicLoad(atomic) || matchCompareAndSwap(atomic)
                   ? ""
                   : "carousel-expand-memory";
      })
      .Case([](gpu::ShuffleOp shuffle) {
        Type type = shuffle.getValue().getType();
        return type.isInteger(32) || type.isF32() ? ""
                                                  : "carousel-lower-gpu-ops";
      })
      .Case<vector::DeinterleaveOp, vector::MaskOp>(
          [](auto) { return "carousel-lower-vectors"; })
      // libdevice's takes an exponent of 32 bits, and upstream passes any.
      .Case<math::FPowIOp>([](auto) { return "carousel-expand-arith"; })
      .Case([](arith::AddUIExtendedOp sum) {
        return isOfIndex(sum.getSum().getType()) ? "carousel-expand-arith" : "";
      })
      .Case([](arith::TruncFOp truncation) {
        return truncation.getRoundingmode() ? "carousel-expand-arith" : "";
      })
      .Default([](Operation *) { return StringRef(); });
}

static LogicalResult verifyOp(Operation *op,
                              const LLVMTypeConverter &converter) {
  if (StringRef pass = findEarlierPass(op); !pass.empty()) {
    InFlightDiagnostic error = op->emitError("expected what --")
                               << pass << " makes of it, got '" << op->getName()
                               << "'";
    if (op->getNumOperands() > 0)
      error << " of " << op->getOperand(0).getType();
    return error;
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](gpu::GPUFuncOp func) -> LogicalResult {
        // Verifiers refuse these on an llvm.func.
        for (StringRef name : {StringRef(CarouselDialect::kLaunch),
                               StringRef(CarouselDialect::kVariant),
                               StringRef(CarouselDialect::kCoresident),
                               StringRef(kDecisionsAttr),
                               StringRef(CarouselDialect::kStartsInOrder),
                               StringRef(kForProgramsAttr)})
          if (func->hasAttr(name))
            return func.emitError("expected the flat signature of "
                                  "--carousel-expand-kernel-abi, got ")
                   << name;
        for (ArrayRef<BlockArgument> buffers :
             {func.getWorkgroupAttributions(), func.getPrivateAttributions()})
          for (BlockArgument buffer : buffers)
            if (failed(verifyDeclared(func, buffer.getType(), converter)))
              return failure();
        return success();
      })
      .Case<memref::GlobalOp, memref::AllocOp, memref::AllocaOp>(
          [&](auto declared) {
            return verifyDeclared(declared, declared.getType(), converter);
          })
      .Default([](Operation *) { return success(); });
}

static LogicalResult verifyModule(gpu::GPUModuleOp module,
                                  const LLVMTypeConverter &converter) {
  return failure(module
                     .walk([&](Operation *op) {
                       return succeeded(verifyOp(op, converter))
                                  ? WalkResult::advance()
                                  : WalkResult::interrupt();
                     })
                     .wasInterrupted());
}

/// The ops of the gpu dialect that carousel-lower-gpu-ops leaves.
static bool hasPattern(Operation *op) {
  return isa<gpu::BarrierOp, gpu::BlockDimOp, gpu::BlockIdOp,
             gpu::ClusterBlockIdOp, gpu::ClusterDimBlocksOp, gpu::ClusterDimOp,
             gpu::ClusterIdOp, gpu::DynamicSharedMemoryOp, gpu::GPUFuncOp,
             gpu::GridDimOp, gpu::LaneIdOp, gpu::PrintfOp, gpu::ReturnOp,
             gpu::ShuffleOp, gpu::SubgroupMmaComputeOp,
             gpu::SubgroupMmaConstantMatrixOp, gpu::SubgroupMmaElementwiseOp,
             gpu::SubgroupMmaLoadMatrixOp, gpu::SubgroupMmaStoreMatrixOp,
             gpu::ThreadIdOp>(op);
}

namespace {

/// The part that doesn't depend on the module. Modules are converted at once,
/// each by a copy of the pass, with one of these.
struct Conversion {
  Conversion(MLIRContext *context, unsigned indexBitwidth)
      : converter(context, getOptions(context, indexBitwidth)),
        target(*context) {
    configureGpuToNVVMTypeConverter(converter);
    RewritePatternSet collected(context);
    populateGpuToNVVMConversionPatterns(converter, collected, kGPUBenefit);
    populateGpuWMMAToNVVMConversionPatterns(converter, collected);
    populateMatricesToNVVM(converter, collected, target);
    populateBytesToNVVM(converter, collected);
    populateGenericAtomicsToLLVM(converter, collected);
    for (Dialect *dialect : context->getLoadedDialects())
      if (auto *toLLVM = dyn_cast<ConvertToLLVMPatternInterface>(dialect))
        toLLVM->populateConvertToLLVMConversionPatterns(target, converter,
                                                        collected);
    configureGpuToNVVMConversionLegality(target);
    // Upstream refuses these, which its own patterns make of functions that
    // libdevice doesn't have for a type. Without rollback that would end the
    // process; --carousel-verify-target reports them.
    target.addLegalOp<LLVM::CopySignOp, LLVM::CosOp, LLVM::ExpOp, LLVM::Exp2Op,
                      LLVM::FAbsOp, LLVM::FCeilOp, LLVM::FFloorOp, LLVM::FRemOp,
                      LLVM::LogOp, LLVM::Log10Op, LLVM::Log2Op, LLVM::PowOp,
                      LLVM::RoundEvenOp, LLVM::RoundOp, LLVM::SinOp,
                      LLVM::SincosOp, LLVM::SqrtOp>();
    // An op without a pattern is an error of carousel-verify-target.
    target.addDynamicallyLegalDialect<gpu::GPUDialect>(
        [](Operation *op) { return !hasPattern(op); });
    // Those that are written as PTX.
    target.addDynamicallyLegalDialect<NVVM::NVVMDialect>([](Operation *op) {
      auto text = dyn_cast<NVVM::BasicPtxBuilderInterface>(op);
      return !text || text.hasIntrinsic();
    });
    patterns = std::move(collected);
  }

  LLVMTypeConverter converter;
  LLVMConversionTarget target;
  FrozenRewritePatternSet patterns;
};

struct ConvertGPUToNVVM
    : public carousel::impl::ConvertGPUToNVVMBase<ConvertGPUToNVVM> {
  using ConvertGPUToNVVMBase::ConvertGPUToNVVMBase;

  LogicalResult initialize(MLIRContext *context) override {
    conversion = std::make_shared<Conversion>(context, indexBitwidth);
    return success();
  }

  void runOnOperation() override {
    DenseSet<Operation *> given;
    getOperation()->walk([&](Operation *op) {
      if (isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op))
        given.insert(op);
    });
    // Takes a fifth less time, and nothing is left to fold.
    ConversionConfig config;
    config.allowPatternRollback = false;
    config.foldingMode = DialectConversionFoldingMode::Never;
    if (failed(verifyIndexBitwidth(getOperation(), indexBitwidth)) ||
        failed(verifyModule(getOperation(), conversion->converter)) ||
        failed(applyPartialConversion(getOperation(), conversion->target,
                                      conversion->patterns, config)))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      if (auto branch = dyn_cast<LLVM::BrOp>(op))
        takeAnnotation(branch);
      else if (auto branch = dyn_cast<LLVM::CondBrOp>(op))
        takeAnnotation(branch);
      else if (given.contains(op))
        return;
      else if (auto update = dyn_cast<LLVM::AtomicRMWOp>(op))
        relax(update);
      else if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op))
        relax(exchange);
    });
  }

  std::shared_ptr<const Conversion> conversion;
};

} // namespace
