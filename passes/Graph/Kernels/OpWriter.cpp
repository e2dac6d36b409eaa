//===- OpWriter.cpp - structured ops of a group on vectors ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OpWriter.h.
//
//===----------------------------------------------------------------------===//

#include "OpWriter.h"

#include "../Products/OneHotIndices.h"
#include "GroupProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace carousel;

/// Whether a body takes numbers to whole ones, which a quotient just below of
/// one would change by 1.
static bool roundsToIntegers(linalg::LinalgOp op) {
  return op.getBlock()
      ->walk([](Operation *inner) {
        bool makes =
            isa<math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp,
                math::TruncOp, arith::FPToSIOp, arith::FPToUIOp, arith::RemFOp>(
                inner);
        return makes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the kernel multiplies floating-point numbers of fewer bits than f32
/// has, so that quotients of f32 may be approximate: docs/Accuracy.md.
static bool allowsReciprocals(const GroupProgram &program) {
  bool hasProduct = false;
  for (auto [number, op] : llvm::enumerate(program.graph.problem.ops)) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(program.graph.ops[number]);
    if (linalgOp && roundsToIntegers(linalgOp))
      return false;
    if (!op.isProduct())
      continue;
    hasProduct = true;
    bool isRounded = program.usesTF32 || op.roundsFactors;
    for (Value factor : linalgOp.getDpsInputs()) {
      auto type = dyn_cast<FloatType>(getElementTypeOrSelf(factor));
      if (!type || type.getWidth() > 32 ||
          (type.getWidth() == 32 && !isRounded))
        return false;
    }
  }
  return hasProduct;
}

LogicalResult OpWriter::write(unsigned op, ArrayRef<Value> results,
                              BodyValues &values) {
  SmallVector<unsigned> loops = getPositions(program, op);
  BodyWriter body(
      vectors, loops,
      [&](Value tensor, ArrayRef<GroupValue> indices,
          const GroupValue &condition) {
        return memory.extract(tensor, indices, condition);
      },
      allowsReciprocals(program));
  if (isReadInPages(program, op)) {
    PagedRows pages = *matchPagedRows(getOp(op));
    SmallVector<Value> indices(pages.page.getIndices().drop_back());
    llvm::append_range(indices, pages.element.getIndices().drop_front());
    indices[indices.size() - pages.element.getIndices().size() + pages.at] =
        pages.number;
    if (failed(body.write(getOp(op), indices, values)))
      return failure();
    GroupValue rows = memory.readPages(pages, values);
    if (!readsAllPages(program, op))
      rows.padding = {};
    values[pages.element] = rows;
  }
  return body.write(getOp(op), results, values);
}

LogicalResult OpWriter::writeBody(unsigned op, ArrayRef<Value> results,
                                  BodyValues &values) {
  memory.readOperands(op, values);
  return write(op, results, values);
}

FailureOr<GroupValue> OpWriter::writePart(unsigned op, Value result) {
  Block *body = getOp(op).getBlock();
  FailureOr<llvm::SetVector<Operation *>> needed = findSources(result, body);
  if (failed(needed))
    return failure();
  BodyValues values;
  memory.readOperands(op, values, [&](BlockArgument argument) {
    return argument == result ||
           llvm::any_of(argument.getUsers(), [&](Operation *user) {
             return needed->contains(user);
           });
  });
  if (failed(write(op, result, values)))
    return failure();
  return values[result];
}

FailureOr<SmallVector<GroupValue>> OpWriter::computeElementwise(unsigned op) {
  BodyValues values;
  SmallVector<Value> results(
      getOp(op).getBlock()->getTerminator()->getOperands());
  if (failed(writeBody(op, results, values)))
    return failure();
  return llvm::map_to_vector(results,
                             [&](Value result) { return values[result]; });
}

LogicalResult OpWriter::writeElementwise(unsigned op) {
  FailureOr<SmallVector<GroupValue>> results = computeElementwise(op);
  if (failed(results))
    return failure();
  for (auto [number, result] : llvm::enumerate(*results))
    memory.define(op, number, result);
  return success();
}

FailureOr<GroupValue> OpWriter::readElement(unsigned op) {
  Combination combination = *findCombination(getOp(op));
  BodyValues values;
  if (failed(writeBody(op, combination.element, values)))
    return failure();
  SmallVector<unsigned> loops = getPositions(program, op);
  // Along all dimensions of the op, since all of its iterations count.
  GroupValue element = values[combination.element];
  SmallVector<unsigned> dims = vectors.findVectorDims(loops);
  element.value = vectors.expand(element, dims);
  element.dims = dims;
  element.value = vectors.maskReduced(element, combination.kind);
  return element;
}
