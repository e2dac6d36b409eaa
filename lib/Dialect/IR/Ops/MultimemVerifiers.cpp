//===- MultimemVerifiers.cpp - rules of multicast memory ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints C29, C45, C46, C234, C236 and C237 of docs/Spec.md. Any access to
// a multicast address but multimem's is undefined, so C237 names the ops that
// may use such an argument, and refuses all others.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

#include "../Kernels/KernelRules.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// C29, C234
template <typename Op> static LogicalResult verifyValue(Op op) {
  MemRefType destination = op.getDestination().getType();
  if (failed(verifyIndices(op, destination, op.getDestinationIndices(),
                           "destination")))
    return failure();
  Type type = op.getValue().getType();
  int64_t lanes = 1;
  if (auto vector = dyn_cast<VectorType>(type))
    lanes = vector.getRank() == 1 && !vector.isScalable()
                ? vector.getNumElements()
                : 0;
  unsigned bits = getElementBits(getElementTypeOrSelf(type));
  if (bits < 8 || !llvm::is_contained<int64_t>({32, 64, 128}, lanes * bits))
    return op.emitOpError("expected a number or a vector of 4, 8 or 16 bytes, "
                          "got ")
           << type;
  if (getElementTypeOrSelf(type) != destination.getElementType())
    return op.emitOpError("expected a destination with elements of ")
           << getElementTypeOrSelf(type) << ", got " << destination;
  return lanes == 1 ? success() : verifyContiguous(op, destination);
}

LogicalResult MultimemStoreOp::verify() { return verifyValue(*this); }

int64_t carousel::getMultimemWidth(ReduceType type) {
  switch (type) {
  case ReduceType::F16:
  case ReduceType::BF16:
  case ReduceType::F32:
    return 16;
  case ReduceType::U32:
  case ReduceType::S32:
  case ReduceType::B32:
    return 4;
  case ReduceType::U64:
  case ReduceType::S64:
  case ReduceType::B64:
  case ReduceType::F64:
    return 8;
  }
  llvm_unreachable("covered switch");
}

LogicalResult MultimemReduceOp::verify() {
  if (failed(verifyValue(*this)) ||
      failed(verifyMulticastReduction(
          *this, getKind(), getType(),
          getDestination().getType().getElementType())))
    return failure();
  // C236
  Type type = getValue().getType();
  int64_t lanes = 1;
  if (auto vector = dyn_cast<VectorType>(type))
    lanes = vector.getNumElements();
  int64_t bytes = lanes * getElementBits(getElementTypeOrSelf(type)) / 8;
  if (bytes > getMultimemWidth(getType()))
    return emitOpError("expected at most ")
           << getMultimemWidth(getType()) << " bytes of "
           << stringifyReduceType(getType()) << " in a reduction, got " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

bool carousel::isMulticast(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(memref);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return false;
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function && argument.getArgNumber() < function.getNumArguments() &&
         function.getArgAttr(argument.getArgNumber(), kMulticast);
}

/// C237, C45, C46: whether the op may have the memref as this operand.
static LogicalResult verifyUse(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<MultimemStoreOp, MultimemReduceOp, memref::DimOp, memref::RankOp,
          memref::ExtractStridedMetadataOp, ViewLikeOpInterface,
          UnrealizedConversionCastOp>(op))
    return success();
  // The op itself is verified later.
  constexpr unsigned kGlobalOfStore = 1;
  if (!isa<StoreOp, RingStoreOp>(op) ||
      use.getOperandNumber() != kGlobalOfStore)
    return op->emitOpError("expected only carousel.store and carousel.multimem "
                           "to access an argument with carousel.multicast");
  auto store = dyn_cast<StoreOp>(op);
  ReductionAttr reduce =
      store ? store.getReduceAttr() : cast<RingStoreOp>(op).getReduceAttr();
  if (!reduce)
    return success();
  return verifyMulticastReduction(
      op, reduce.getKind(), reduce.getType(),
      cast<MemRefType>(use.get().getType()).getElementType());
}

LogicalResult carousel::verifyMulticastUses(gpu::GPUFuncOp kernel,
                                            unsigned position) {
  SmallVector<unsigned> positions = getArgumentPositions(kernel);
  int64_t number = llvm::find(positions, position) - positions.begin();
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i) {
    auto encode =
        kernel.getArgAttrOfType<EncodeAttr>(i, CarouselDialect::kEncode);
    if (encode && encode.getArgument() == number)
      return kernel.emitError("expected no tensor map of an argument with "
                              "carousel.multicast, got kernel argument ")
             << i;
  }
  for (const KernelArgument &argument : getKernelArguments(kernel))
    if (argument.mayAlias &&
        (argument.position == position || *argument.mayAlias == number))
      return kernel.emitError("expected an argument with carousel.multicast to "
                              "alias no other, got may_alias of kernel "
                              "argument ")
             << argument.position;
  if (kernel.getBody().empty())
    return success();
  SmallVector<Value> views = {kernel.getArgument(position)};
  while (!views.empty())
    for (OpOperand &use : views.pop_back_val().getUses()) {
      if (failed(verifyUse(use)))
        return failure();
      Operation *user = use.getOwner();
      if (isa<ViewLikeOpInterface, memref::ExtractStridedMetadataOp>(user))
        views.push_back(user->getResult(0));
    }
  return success();
}
