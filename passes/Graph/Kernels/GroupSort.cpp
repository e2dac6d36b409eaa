//===- GroupSort.cpp - the sort of a group's kernel -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupSort.h.
//
//===----------------------------------------------------------------------===//

#include "GroupSort.h"

#include "../Reading/ReadScan.h"

using namespace mlir;
using namespace carousel;

/// The vector with the dimension `places` in place of `reduced`, and all of its
/// dimensions in ascending order; `dims` becomes them.
static Value putInPlace(GroupVectors &vectors, Value value,
                        SmallVector<unsigned> &dims, unsigned reduced,
                        unsigned places) {
  OpBuilder &builder = vectors.builder;
  unsigned at = llvm::find(dims, reduced) - dims.begin();
  auto type = cast<VectorType>(value.getType());
  if (!vectors.isVector(places)) { // a single element
    dims.erase(dims.begin() + at);
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + at);
    if (shape.empty())
      return vector::ExtractOp::create(builder, vectors.loc, value, 0);
    return vector::ShapeCastOp::create(
        builder, vectors.loc, VectorType::get(shape, type.getElementType()),
        value);
  }
  dims[at] = places;
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, dims.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
  if (llvm::is_sorted(order))
    return value;
  dims = llvm::map_to_vector(order, [&](int64_t own) { return dims[own]; });
  return vector::TransposeOp::create(builder, vectors.loc, value, order);
}

LogicalResult carousel::writeSort(const GroupProgram &program, unsigned op,
                                  GroupVectors &vectors, GroupMemory &memory,
                                  OpWriter &writer) {
  auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
  Sort sort = *findSort(structured);
  SmallVector<unsigned> positions = getPositions(program, op);
  unsigned reduced = positions[sort.reduced], places = positions[sort.places];
  SmallVector<unsigned> dims = vectors.findVectorDims(positions);
  llvm::erase(dims, places);
  BodyValues values;
  SmallVector<Value> operands(sort.op->getOperands());
  if (failed(writer.writeBody(op, operands, values)))
    return failure();
  for (Value &operand : operands)
    operand = vectors.expand(values[operand], dims);
  int64_t count = vectors.schedule.dims[places].tile;
  unsigned along = llvm::find(dims, reduced) - dims.begin();
  bool isWhole = count == vectors.schedule.dims[reduced].tile;
  auto sorted = SortOp::create(
      vectors.builder, vectors.loc, operands.front(),
      ValueRange(operands).drop_front(), int64_t(along),
      isWhole ? IntegerAttr() : vectors.builder.getI64IntegerAttr(count));
  Operation *end = structured.getBlock()->getTerminator();
  for (OpOperand &result : end->getOpOperands()) {
    unsigned number = cast<OpResult>(result.get()).getResultNumber();
    SmallVector<unsigned> ofResult(dims);
    Value value = putInPlace(vectors, sorted->getResult(number), ofResult,
                             reduced, places);
    memory.define(op, result.getOperandNumber(), {value, ofResult, {}});
  }
  return success();
}
