//===- ScanVerifiers.cpp - rules of scans ---------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints C363 to C365 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

#include "carousel/Dialect/IR/CarouselReduceOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

Type ScanOp::getTotalType(VectorType source, int64_t dim) {
  SmallVector<int64_t> shape(source.getShape());
  shape.erase(shape.begin() + dim);
  return shape.empty() ? source.getElementType()
                       : Type(VectorType::get(shape, source.getElementType()));
}

LogicalResult ScanOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getSources().getTypes());
  llvm::append_range(types, adaptor.getInits().getTypes());
  return success();
}

LogicalResult ScanOp::verify() {
  // C363
  if (getSources().empty())
    return emitOpError("expected a vector to scan, got none");
  VectorType type = getType();
  auto dim = static_cast<int64_t>(getDim());
  if (failed(verifyVectorsAlong(*this, type, getSources(), getDim())))
    return failure();
  // C364
  SmallVector<Type> elements;
  for (auto [source, init] : llvm::zip_equal(getSources(), getInits())) {
    auto own = cast<VectorType>(source.getType());
    elements.push_back(own.getElementType());
    if (Type wanted = getTotalType(own, dim); init.getType() != wanted)
      return emitOpError("expected an initial value of ")
             << wanted << ", got " << init.getType();
  }
  // C365
  SmallVector<Type> arguments(elements);
  llvm::append_range(arguments, elements);
  Block &body = getBody().front();
  if (body.getArgumentTypes() != TypeRange(arguments))
    return emitOpError("expected a body of arguments of type ")
           << arguments << ", got " << body.getArgumentTypes();
  if (!isa<gpu::YieldOp>(getEnd()))
    return getEnd()->emitOpError("expected gpu.yield at the end of a scan's "
                                 "body, got '")
           << getEnd()->getName() << "'";
  if (getEnd()->getOperandTypes() != TypeRange(elements))
    return getEnd()->emitOpError("expected values of ")
           << elements << " of a scan's body, got "
           << getEnd()->getOperandTypes();
  for (Operation &op : body)
    if (!isMemoryEffectFree(&op) || op.getNumRegions() != 0)
      return op.emitOpError("expected ops of numbers without effects and "
                            "regions in a scan's body, got '")
             << op.getName() << "'";
  return success();
}
