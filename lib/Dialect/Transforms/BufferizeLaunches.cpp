//===- BufferizeLaunches.cpp - launches for one-shot bufferize ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may need strides that the memref of an operand doesn't show, such as
// those of a slice. Then the operand is copied to a buffer of its own, and back
// from there if the kernel writes it.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/BufferizeLaunches.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace carousel;
using bufferization::AnalysisState;
using bufferization::BufferizationOptions;
using bufferization::BufferizationState;

/// The kernel's argument of each operand, or nothing if the kernel is unknown.
static SmallVector<KernelArgument> getArguments(LaunchKernelOp launch) {
  SymbolTableCollection symbols;
  SmallVector<gpu::GPUFuncOp> variants = launch.getVariants(symbols);
  SmallVector<KernelArgument> read, written;
  if (variants.empty())
    return read;
  for (KernelArgument &argument : getKernelArguments(variants.front()))
    if (!argument.workspace)
      (argument.access == ArgumentAccess::In ? read : written)
          .push_back(std::move(argument));
  llvm::append_range(read, written);
  return read;
}

/// Whether the type of a memref shows that it has the strides of the argument.
static bool showsStrides(MemRefType wanted, MemRefType given) {
  if (wanted.getLayout().isIdentity())
    return given.areTrailingDimsContiguous(given.getRank());
  SmallVector<int64_t> wantedStrides, givenStrides;
  int64_t offset;
  if (failed(wanted.getStridesAndOffset(wantedStrides, offset)) ||
      failed(given.getStridesAndOffset(givenStrides, offset)))
    return false;
  for (auto [want, have, extent] :
       llvm::zip_equal(wantedStrides, givenStrides, given.getShape()))
    if (!ShapedType::isDynamic(want) && want != have && extent != 1)
      return false;
  return true;
}

/// Memory for the elements of `like`, without gaps between them.
static FailureOr<Value> allocateLike(RewriterBase &rewriter, Location loc,
                                     Value like,
                                     const BufferizationOptions &options) {
  auto type = cast<MemRefType>(like.getType());
  SmallVector<Value> extents;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      extents.push_back(memref::DimOp::create(rewriter, loc, like, dim));
  MemRefType plain =
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  return options.createAlloc(rewriter, loc, plain, extents);
}

namespace {

struct LaunchModel
    : public bufferization::DstBufferizableOpInterfaceExternalModel<
          LaunchModel, LaunchKernelOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto launch = cast<LaunchKernelOp>(op);
    if (!launch.isDpsInit(&operand))
      return true;
    SmallVector<KernelArgument> arguments = getArguments(launch);
    return arguments.empty() ||
           arguments[operand.getOperandNumber()].access != ArgumentAccess::Out;
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto launch = cast<LaunchKernelOp>(op);
    rewriter.setInsertionPoint(op);
    SmallVector<KernelArgument> arguments = getArguments(launch);
    SmallVector<Value> inputs, outputs, results;
    SmallVector<std::pair<Value, Value>> copiesBack;
    for (OpOperand &operand : op->getOpOperands()) {
      bool isWritten = launch.isDpsInit(&operand);
      SmallVector<Value> &operands = isWritten ? outputs : inputs;
      if (!isa<TensorType>(operand.get().getType())) {
        operands.push_back(operand.get());
        continue;
      }
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      if (isWritten)
        results.push_back(*buffer);
      const KernelArgument *argument =
          arguments.empty() ? nullptr : &arguments[operand.getOperandNumber()];
      auto type = dyn_cast<MemRefType>(buffer->getType());
      if (!argument || !type ||
          showsStrides(cast<MemRefType>(argument->type), type)) {
        operands.push_back(*buffer);
        continue;
      }
      FailureOr<Value> plain =
          allocateLike(rewriter, op->getLoc(), *buffer, options);
      if (failed(plain) || (argument->access != ArgumentAccess::Out &&
                            failed(options.createMemCpy(rewriter, op->getLoc(),
                                                        *buffer, *plain))))
        return failure();
      if (isWritten)
        copiesBack.emplace_back(*plain, *buffer);
      operands.push_back(*plain);
    }
    auto lowered =
        LaunchKernelOp::create(rewriter, op->getLoc(), TypeRange(),
                               launch.getKernelAttr(), inputs, outputs);
    lowered->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    for (auto [from, to] : copiesBack)
      if (failed(options.createMemCpy(rewriter, op->getLoc(), from, to)))
        return failure();
    bufferization::replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

} // namespace

void carousel::registerLaunchBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CarouselDialect *) {
    LaunchKernelOp::attachInterface<LaunchModel>(*context);
  });
}
