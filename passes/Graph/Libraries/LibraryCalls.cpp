//===- LibraryCalls.cpp - calls of a library in a graph -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a carousel.library_matmul for a product, with copies of factors, and
// with reshapes where several loops are one of the call's.
//
//===----------------------------------------------------------------------===//

#include "LibraryCalls.h"

#include "../Reading/ExtentFactors.h"
#include "RoundingReaders.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <tuple>

using namespace mlir;
using namespace carousel;

namespace {

/// Writes the call of one product.
class CallWriter {
public:
  CallWriter(const LibraryCandidate &candidate, bool usesTF32)
      : op(candidate.op), candidate(candidate), usesTF32(usesTF32),
        builder(candidate.epilogue ? candidate.epilogue->op : candidate.op),
        loc(op.getLoc()), maps(op.getIndexingMapsArray()),
        factors(op.getInputs()), packed(candidate.packed) {
    const LibraryProduct &product = candidate.product;
    loops = product.batches;
    for (const LibraryProduct::Run &run : {product.m, product.n, product.k})
      loops.push_back(run);
    if (candidate.epilogue && candidate.epilogue->isSwapped) {
      std::swap(loops.rbegin()[1], loops.rbegin()[2]);
      std::swap(maps[0], maps[1]);
      std::swap(factors[0], factors[1]);
      std::swap(packed[0], packed[1]);
    }
  }

  void write() {
    sizes = tensor::getMixedSizes(builder, loc, getShape());
    groups = getGroups(2);
    checkExtents();
    pack(0);
    pack(1);
    Value lhs = collapse(0), rhs = collapse(1);
    Value bias, residual;
    if (candidate.epilogue)
      std::tie(bias, residual) = writeAdded();
    Type element = chooseElement(getElementTypeOrSelf(lhs));
    Value empty = tensor::EmptyOp::create(
        builder, loc, collapseSizes(sizes, groups), element);
    Value result = LibraryMatmulOp::create(
                       builder, getSources(), empty.getType(), lhs, rhs, empty,
                       bias, residual, Value(), getMaps(),
                       usesTF32 && getElementTypeOrSelf(lhs).isF32(),
                       candidate.epilogue ? candidate.epilogue->function
                                          : LibraryFunction::Identity)
                       .getResult();
    if (groups.size() != sizes.size())
      result = tensor::ExpandShapeOp::create(
          builder, loc,
          cast<RankedTensorType>(op.getResult(0).getType()).clone(element),
          result, groups, sizes);
    op.getResult(0).replaceAllUsesWith(result);
    if (candidate.epilogue)
      replaceEpilogue(result, element);
    op.erase();
  }

private:
  /// The sources of the call for the package, as launches have them.
  Location getSources() {
    if (!candidate.epilogue)
      return loc;
    return builder.getFusedLoc({loc, candidate.epilogue->op->getLoc()});
  }

  /// Whoever rounds the result first reads what is rounded.
  Type chooseElement(Type factor) {
    std::optional<LibraryEpilogue> epilogue = candidate.epilogue;
    if (epilogue && !epilogue->isRoundedByReaders)
      return epilogue->element;
    RoundingReaders readers((epilogue ? epilogue->op : op)->getResult(0),
                            factor);
    if (!readers)
      return getElementTypeOrSelf(op.getResult(0));
    readers.rewrite();
    return factor;
  }

  /// The bias has one dimension, and the residual those of the call's result.
  std::pair<Value, Value> writeAdded() {
    const LibraryEpilogue &epilogue = *candidate.epilogue;
    Value bias = epilogue.bias ? epilogue.bias->get() : Value();
    if (bias && cast<RankedTensorType>(bias.getType()).getRank() != 1) {
      ReassociationIndices all = llvm::to_vector(llvm::seq<int64_t>(
          0, cast<RankedTensorType>(bias.getType()).getRank()));
      bias = tensor::CollapseShapeOp::create(
          builder, loc, bias, SmallVector<ReassociationIndices>{all});
    }
    if (!epilogue.residual)
      return {bias, Value()};
    Value residual = epilogue.residual->get();
    for (size_t at = epilogue.reshapes.size(); at-- != 0;)
      residual = undo(epilogue.reshapes[at], sizesBefore[at], residual);
    if (groups.size() != sizes.size())
      residual =
          tensor::CollapseShapeOp::create(builder, loc, residual, groups);
    return {bias, residual};
  }

  /// The reshape's source, if `value` were its result.
  Value undo(Operation *reshape, ArrayRef<OpFoldResult> before, Value value) {
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
      return tensor::CollapseShapeOp::create(builder, loc, value,
                                             expand.getReassociationIndices());
    auto collapse = cast<tensor::CollapseShapeOp>(reshape);
    auto type = cast<RankedTensorType>(collapse.getSrcType());
    return tensor::ExpandShapeOp::create(
        builder, loc, type.clone(getElementTypeOrSelf(value)), value,
        collapse.getReassociationIndices(), SmallVector<OpFoldResult>(before));
  }

  /// Lets readers of the epilogue's op read the call's result, in its shape.
  void replaceEpilogue(Value result, Type element) {
    linalg::GenericOp last = candidate.epilogue->op;
    for (Operation *reshape : candidate.epilogue->reshapes) {
      reshape->moveBefore(last);
      result = reshape->getResult(0);
      result.setType(cast<RankedTensorType>(result.getType()).clone(element));
    }
    // Types of the chain may state more extents, or less.
    if (Type type =
            cast<RankedTensorType>(last->getResult(0).getType()).clone(element);
        result.getType() != type)
      result = tensor::CastOp::create(builder, loc, type, result);
    last->getResult(0).replaceAllUsesWith(result);
    last.erase();
  }

  /// Returns a tensor that has the result's extents.
  Value getShape() {
    Value init = op.getDpsInits()[0];
    if (auto fill = init.getDefiningOp<linalg::FillOp>())
      return fill.getOutputs()[0];
    return init;
  }

  void checkExtents() {
    ExtentChecks checks(builder, loc, "in a product");
    for (unsigned input : {0, 1})
      for (auto [dim, loop] : llvm::enumerate(maps[input].getResults()))
        checks.add(cast<AffineDimExpr>(loop).getPosition(), factors[input],
                   dim);
    for (auto [dim, size] : llvm::enumerate(sizes))
      checks.add(maps[2].getDimPosition(dim), size,
                 "dimension " + std::to_string(dim) + " of the result");
    if (candidate.epilogue)
      checkAddedExtents();
  }

  /// Checks that the addend is as long as the result behind the reshapes.
  void checkAddedExtents() {
    const LibraryEpilogue &epilogue = *candidate.epilogue;
    SmallVector<OpFoldResult> shape = sizes;
    for (Operation *reshape : epilogue.reshapes) {
      sizesBefore.push_back(shape);
      if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
        shape = expand.getMixedOutputShape();
      else
        shape = collapseSizes(
            shape,
            cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices());
    }
    ExtentChecks checks(builder, epilogue.op->getLoc(), "after a product");
    for (auto [dim, size] : llvm::enumerate(shape))
      checks.add(dim, size,
                 "dimension " + std::to_string(dim) + " of the result");
    linalg::GenericOp last = epilogue.op;
    for (OpOperand *operand : {epilogue.residual, epilogue.bias})
      if (operand)
        for (auto [dim, loop] :
             llvm::enumerate(last.getMatchingIndexingMap(operand).getResults()))
          checks.add(cast<AffineDimExpr>(loop).getPosition(), operand->get(),
                     dim);
  }

  /// Copies a factor to the order in which batches come first.
  void pack(unsigned input) {
    if (packed[input].empty())
      return;
    SmallVector<OpFoldResult> given =
        tensor::getMixedSizes(builder, loc, factors[input]);
    unsigned rank = given.size();
    SmallVector<OpFoldResult> sizes;
    SmallVector<AffineExpr> places(rank), packedLoops;
    for (auto [dim, loop] : llvm::enumerate(packed[input])) {
      AffineExpr expr = builder.getAffineDimExpr(*loop);
      unsigned from = *maps[input].getResultPosition(expr);
      sizes.push_back(given[from]);
      places[from] = builder.getAffineDimExpr(dim);
      packedLoops.push_back(expr);
    }
    Value empty = tensor::EmptyOp::create(builder, loc, sizes,
                                          getElementTypeOrSelf(factors[input]));
    AffineMap copyMaps[] = {
        AffineMap::get(rank, 0, places, builder.getContext()),
        builder.getMultiDimIdentityMap(rank)};
    SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
    factors[input] = linalg::GenericOp::create(
                         builder, loc, empty.getType(), factors[input], empty,
                         copyMaps, kinds,
                         [](OpBuilder &body, Location at, ValueRange elements) {
                           linalg::YieldOp::create(body, at, elements.front());
                         })
                         .getResult(0);
    maps[input] = AffineMap::get(maps[input].getNumDims(), 0, packedLoops,
                                 builder.getContext());
  }

  /// The dimensions of a tensor along each of the call's loops, in the tensor's
  /// order.
  SmallVector<ReassociationIndices> getGroups(unsigned tensor) {
    SmallVector<ReassociationIndices> groups;
    std::optional<size_t> last;
    for (int64_t dim = 0; dim < maps[tensor].getNumResults(); ++dim) {
      size_t loop = findLoop(maps[tensor].getDimPosition(dim));
      if (loop != last)
        groups.emplace_back();
      groups.back().push_back(dim);
      last = loop;
    }
    return groups;
  }

  size_t findLoop(unsigned loop) const {
    return llvm::find_if(loops,
                         [&](const LibraryProduct::Run &run) {
                           return llvm::is_contained(run, loop);
                         }) -
           loops.begin();
  }

  Value collapse(unsigned input) {
    Value tensor = factors[input];
    SmallVector<ReassociationIndices> groups = getGroups(input);
    if (int64_t(groups.size()) == maps[input].getNumResults())
      return tensor;
    return tensor::CollapseShapeOp::create(builder, loc, tensor, groups);
  }

  SmallVector<OpFoldResult>
  collapseSizes(ArrayRef<OpFoldResult> sizes,
                ArrayRef<ReassociationIndices> groups) {
    SmallVector<OpFoldResult> collapsed;
    for (const ReassociationIndices &dims : groups) {
      AffineExpr product = builder.getAffineConstantExpr(1);
      SmallVector<OpFoldResult> factors;
      for (int64_t dim : dims) {
        product = product * builder.getAffineSymbolExpr(factors.size());
        factors.push_back(sizes[dim]);
      }
      collapsed.push_back(affine::makeComposedFoldedAffineApply(
          builder, loc, product, factors));
    }
    return collapsed;
  }

  ArrayAttr getMaps() {
    SmallVector<AffineMap> wanted;
    for (unsigned tensor = 0; tensor < 3; ++tensor) {
      SmallVector<AffineExpr> exprs;
      for (const ReassociationIndices &dims : getGroups(tensor))
        exprs.push_back(builder.getAffineDimExpr(
            findLoop(maps[tensor].getDimPosition(dims.front()))));
      wanted.push_back(AffineMap::get(loops.size(), /*symbolCount=*/0, exprs,
                                      builder.getContext()));
    }
    return builder.getAffineMapArrayAttr(wanted);
  }

  linalg::GenericOp op;
  const LibraryCandidate &candidate;
  bool usesTF32;
  OpBuilder builder;
  Location loc;
  SmallVector<AffineMap> maps;
  SmallVector<Value> factors;
  std::array<SmallVector<std::optional<unsigned>>, 2> packed;
  /// The sizes of the product's result, with its dimensions by loop of the
  /// call.
  SmallVector<OpFoldResult> sizes;
  SmallVector<ReassociationIndices> groups;
  /// The sizes of what each reshape before the epilogue's op reads.
  SmallVector<SmallVector<OpFoldResult>> sizesBefore;
  std::vector<LibraryProduct::Run> loops; ///< of the call: those of the op
};

} // namespace

void carousel::writeLibraryCall(const LibraryCandidate &candidate,
                                bool usesTF32) {
  CallWriter(candidate, usesTF32).write();
}
