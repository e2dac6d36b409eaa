//===- TableOps.h - ops that compute tables of integers ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured ops whose bodies compute with indices: tables say where rows are.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_TABLES_TABLEOPS_H
#define CAROUSEL_PASSES_GRAPH_TABLES_TABLEOPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace carousel {

using ComputeElement = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::ValueRange indices, mlir::ValueRange elements)>;

/// The result of an elementwise op that is like \p init.
mlir::Value createElements(mlir::RewriterBase &rewriter, mlir::Location loc,
                           mlir::Value init, mlir::ValueRange inputs,
                           llvm::ArrayRef<mlir::AffineMap> maps,
                           ComputeElement compute);

/// The same by a shape. \p sizes: its unknown extents.
mlir::Value createElements(mlir::RewriterBase &rewriter, mlir::Location loc,
                           llvm::ArrayRef<int64_t> shape, mlir::Type element,
                           mlir::ValueRange inputs,
                           llvm::ArrayRef<mlir::AffineMap> maps,
                           ComputeElement compute, mlir::ValueRange sizes = {});

/// The result of a reduction along the last loop, of an integer type: a sum
/// from 0, or a maximum from -1. \p loops: those of each input.
mlir::Value createReduction(mlir::OpBuilder &builder, mlir::Location loc,
                            llvm::ArrayRef<int64_t> shape, mlir::Type element,
                            mlir::ValueRange inputs,
                            llvm::ArrayRef<llvm::SmallVector<unsigned>> loops,
                            bool isMaximum, ComputeElement compute,
                            mlir::ValueRange sizes = {});

/// An scf.if of one result, which is a constant elsewhere, or else zero.
mlir::Value
createBranch(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
             mlir::Value condition,
             llvm::function_ref<mlir::Value(mlir::OpBuilder &)> write,
             mlir::TypedAttr otherwise = {});

/// An op with the body of another one.
mlir::linalg::GenericOp
createWithBodyOf(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp from,
                 mlir::ValueRange inputs, mlir::Value init,
                 llvm::ArrayRef<mlir::AffineMap> maps,
                 llvm::ArrayRef<mlir::utils::IteratorType> kinds);

/// The same product of other factors, which starts from the same constant.
/// \p shape: that of its result.
mlir::Value createProduct(mlir::RewriterBase &rewriter,
                          mlir::linalg::GenericOp product,
                          llvm::ArrayRef<int64_t> shape,
                          mlir::ValueRange factors,
                          llvm::ArrayRef<mlir::AffineMap> maps,
                          llvm::ArrayRef<mlir::utils::IteratorType> kinds);

/// Adds an input, at a place among the others or after them. Returns its
/// element in the body.
mlir::BlockArgument addInput(mlir::RewriterBase &rewriter,
                             mlir::linalg::GenericOp op, mlir::Value tensor,
                             mlir::AffineMap map,
                             std::optional<unsigned> place = {});

/// Arithmetic on indices and integers, and reads of tables.
class IndexBuilder {
public:
  IndexBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value constant(int64_t number) {
    return mlir::arith::ConstantIndexOp::create(builder, loc, number);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return mlir::arith::AddIOp::create(builder, loc, a, b);
  }
  mlir::Value subtract(mlir::Value a, mlir::Value b) {
    return mlir::arith::SubIOp::create(builder, loc, a, b);
  }
  mlir::Value multiply(mlir::Value a, mlir::Value b) {
    return mlir::arith::MulIOp::create(builder, loc, a, b);
  }
  mlir::Value multiply(mlir::Value a, int64_t b) {
    return multiply(a, constant(b));
  }
  mlir::Value divide(mlir::Value a, mlir::Value b) {
    return mlir::arith::DivUIOp::create(builder, loc, a, b);
  }
  mlir::Value divide(mlir::Value a, int64_t b) {
    return divide(a, constant(b));
  }
  mlir::Value remainder(mlir::Value a, mlir::Value b) {
    return mlir::arith::RemUIOp::create(builder, loc, a, b);
  }
  mlir::Value remainder(mlir::Value a, int64_t b) {
    return remainder(a, constant(b));
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  /// A null first one stands for no condition.
  mlir::Value both(mlir::Value a, mlir::Value b) {
    return a ? mlir::arith::AndIOp::create(builder, loc, a, b).getResult() : b;
  }
  mlir::Value either(mlir::Value a, mlir::Value b) {
    return mlir::arith::OrIOp::create(builder, loc, a, b);
  }
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return mlir::arith::SelectOp::create(builder, loc, condition, a, b);
  }
  mlir::Value least(mlir::Value a, mlir::Value b) {
    return mlir::arith::MinSIOp::create(builder, loc, a, b);
  }
  mlir::Value index(mlir::Value number) {
    if (number.getType().isIndex())
      return number;
    return mlir::arith::IndexCastOp::create(builder, loc,
                                            builder.getIndexType(), number);
  }
  mlir::Value integer(mlir::Value number) {
    return integer(number, builder.getI32Type());
  }
  mlir::Value integer(mlir::Value number, mlir::Type type) {
    if (number.getType() == type)
      return number;
    if (number.getType().isInteger(1))
      return mlir::arith::ExtUIOp::create(builder, loc, type, number);
    return mlir::arith::IndexCastOp::create(builder, loc, type, number);
  }
  mlir::Value read(mlir::Value table, mlir::ValueRange indices) {
    return index(mlir::tensor::ExtractOp::create(builder, loc, table, indices));
  }
  mlir::Value largest(mlir::Value a, mlir::Value b) {
    return mlir::arith::MaxSIOp::create(builder, loc, a, b);
  }
  /// A number in the bounds of a loop.
  mlir::Value limit(mlir::Value a, int64_t extent) {
    return least(largest(a, constant(0)), constant(extent - 1));
  }
  /// The number of an element in the order of memory. The first extent may be
  /// any.
  mlir::Value linearize(mlir::ValueRange indices,
                        llvm::ArrayRef<int64_t> extents) {
    mlir::Value number = indices.front();
    for (auto [index, extent] :
         llvm::drop_begin(llvm::zip_equal(indices, extents)))
      number = add(multiply(number, extent), index);
    return number;
  }
  /// The indices of the element with a number.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value number,
                                             llvm::ArrayRef<int64_t> extents) {
    llvm::SmallVector<mlir::Value> indices(extents.size());
    for (size_t dim = extents.size() - 1; dim != 0; --dim) {
      indices[dim] = remainder(number, extents[dim]);
      number = divide(number, extents[dim]);
    }
    indices.front() = number;
    return indices;
  }
  /// Reads the sum before a place from a table of sums that include it, along
  /// the first dimension.
  mlir::Value readBefore(mlir::Value sums, mlir::ValueRange indices) {
    mlir::Value zero = constant(0);
    llvm::SmallVector<mlir::Value> before(indices);
    mlir::Value isFirst =
        compare(mlir::arith::CmpIPredicate::eq, indices.front(), zero);
    before.front() =
        choose(isFirst, zero, subtract(indices.front(), constant(1)));
    return choose(isFirst, zero, read(sums, before));
  }

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_TABLES_TABLEOPS_H
