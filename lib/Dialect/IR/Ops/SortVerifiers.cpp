//===- SortVerifiers.cpp - rules of sorts ---------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the descriptions of carousel.sort and carousel.sorted.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

#include "carousel/Dialect/IR/CarouselReduceOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace carousel;

LogicalResult SortOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto key = cast<VectorType>(adaptor.getKey().getType());
  SmallVector<int64_t> shape(key.getShape());
  if (adaptor.getFirst() && adaptor.getDim() < shape.size())
    shape[adaptor.getDim()] = *adaptor.getFirst();
  types.push_back(VectorType::get(shape, IntegerType::get(context, 32)));
  for (Type type : adaptor.getValues().getTypes())
    types.push_back(
        VectorType::get(shape, cast<VectorType>(type).getElementType()));
  return success();
}

LogicalResult SortOp::verify() {
  // C366
  VectorType type = getType();
  constexpr unsigned kWidths[] = {8, 16, 32, 64};
  if (type.isScalable() || llvm::none_of(kWidths, [&](unsigned width) {
        return type.getElementType().isSignlessInteger(width);
      }))
    return emitOpError("expected keys of i8, i16, i32 or i64, got ") << type;
  // C367
  if (failed(verifyVectorsAlong(*this, type, getValues(), getDim())))
    return failure();
  int64_t extent = type.getDimSize(getDim());
  if (getFirstCount() > extent)
    return emitOpError("expected at most ")
           << extent << " first elements, got " << getFirstCount();
  return success();
}

LogicalResult SortedOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.push_back(IntegerType::get(context, 32));
  llvm::append_range(types, adaptor.getValues().getTypes());
  return success();
}

LogicalResult SortedOp::verify() {
  // C368
  auto owner = dyn_cast_or_null<linalg::GenericOp>((*this)->getParentOp());
  if (!owner)
    return emitOpError("expected to be in the body of a linalg.generic");
  if (owner.getNumReductionLoops() != 1)
    return emitOpError("expected a linalg.generic with one reduction loop, "
                       "got ")
           << owner.getNumReductionLoops();
  return success();
}
