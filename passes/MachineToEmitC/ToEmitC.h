//===- ToEmitC.h - what the conversions to EmitC share ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types of C++, a builder of EmitC's ops for one op of the source, and
// patterns that are functions. docs/CUDA.md says what becomes what.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINETOEMITC_TOEMITC_H
#define CAROUSEL_PASSES_MACHINETOEMITC_TOEMITC_H

#include "carousel/Target/EmitCUDA.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Transforms/DialectConversion.h"

namespace carousel {

/// A memref becomes a pointer to the element at the dynamic part of its offset,
/// its dynamic extents and its dynamic strides; anything else one value.
class CTypes : public mlir::TypeConverter {
public:
  CTypes(mlir::MLIRContext *context, unsigned indexBits);

  mlir::Type getIndexType() const { return indexType; }
  /// The spelling of a converted type; empty if there is none.
  std::string spell(mlir::Type type) const;
  /// What an element of a memref is, or null.
  mlir::Type getElementType(mlir::Type type) const;
  /// The array that a declared memref is; null if it has a layout or extents
  /// that aren't known.
  mlir::emitc::ArrayType getArray(mlir::MemRefType type) const;

private:
  mlir::Type indexType;
};

/// The integer type of the same width with a sign, or without one.
mlir::Type getSigned(mlir::Type type);
mlir::Type getUnsigned(mlir::Type type);

/// Whether a type is i1 or a vector of it.
bool isBool(mlir::Type type);
/// The element type of a source's type in C++, with a sign or without.
std::string spellElement(const CTypes &types, mlir::Type type, bool isSigned);

/// Whether values are floats of 8 bits, or vectors of them: bytes in C++, which
/// are only moved.
bool isMovedOnly(mlir::Type type);

/// Makes the ops that stand for one op of the source.
class CBuilder {
public:
  CBuilder(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
           const CTypes &types)
      : rewriter(rewriter), loc(loc), types(types) {}

  template <typename OpTy>
  mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    return OpTy::create(rewriter, loc, lhs.getType(), lhs, rhs);
  }
  mlir::Value compare(mlir::emitc::CmpPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);
  mlir::Value cast(mlir::Value value, mlir::Type type);
  /// `!value`, also of a vector of bools.
  mlir::Value negate(mlir::Value value);
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value index(int64_t value) {
    return constant(types.getIndexType(), value);
  }
  /// An expression without operands and effects.
  mlir::Value literal(llvm::StringRef text, mlir::Type type);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);

  /// A call of a function that gives the same for the same arguments and does
  /// nothing else; one of any other function.
  mlir::Value pure(mlir::Type result, llvm::StringRef callee,
                   mlir::ValueRange operands,
                   llvm::ArrayRef<std::string> templateArguments = {});
  /// Elements in braces: of a vector with the name of its type, else of what
  /// takes them.
  mlir::Value list(mlir::Type type, mlir::ValueRange elements);
  mlir::emitc::CallOpaqueOp call(mlir::Type result, llvm::StringRef callee,
                                 mlir::ValueRange operands,
                                 llvm::ArrayRef<std::string> arguments = {});

  mlir::Value variable(mlir::Type type);
  /// A declaration of a memref's array, in shared memory or the thread's own,
  /// as the pointer that the memref becomes; null if there is none.
  mlir::Value array(mlir::MemRefType type, mlir::Attribute alignment,
                    bool isShared);
  mlir::Value load(mlir::Value lvalue);
  void assign(mlir::Value variable, mlir::Value value);
  mlir::Value subscript(mlir::Value pointer, mlir::Value index);

  /// Sums and products of indices; those with 0 and 1 leave no op.
  mlir::Value addIndex(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mulIndex(mlir::Value lhs, mlir::Value rhs);

  /// The number of the element in elements behind the converted memref's
  /// pointer, its static offset included.
  mlir::Value linearize(mlir::MemRefType type, mlir::ValueRange converted,
                        llvm::ArrayRef<mlir::Value> indices);
  /// Its address.
  mlir::Value element(mlir::MemRefType type, mlir::ValueRange converted,
                      llvm::ArrayRef<mlir::Value> indices);
  mlir::Value advance(mlir::Value pointer, mlir::Value elements);
  /// An extent or a stride, from the converted memref or from the type.
  mlir::Value extent(mlir::MemRefType type, mlir::ValueRange converted,
                     unsigned dim);
  mlir::Value stride(mlir::MemRefType type, mlir::ValueRange converted,
                     unsigned dim);

  mlir::ConversionPatternRewriter &rewriter;
  mlir::Location loc;
  const CTypes &types;
};

/// The constant that a value is, if it is one.
std::optional<int64_t> getConstant(mlir::Value value);

/// Single values of operands that are one value each.
inline mlir::Value one(mlir::ValueRange range) { return range.front(); }
inline llvm::SmallVector<mlir::Value>
flatten(llvm::ArrayRef<mlir::ValueRange> ranges) {
  llvm::SmallVector<mlir::Value> values;
  for (mlir::ValueRange range : ranges)
    llvm::append_range(values, range);
  return values;
}

/// A pattern that is a function.
template <typename OpTy>
class FunctionPattern : public mlir::OpConversionPattern<OpTy> {
public:
  using Adaptor = typename mlir::OpConversionPattern<OpTy>::OneToNOpAdaptor;
  using Function = mlir::LogicalResult (*)(OpTy, Adaptor, CBuilder &);

  FunctionPattern(const CTypes &types, mlir::MLIRContext *context,
                  Function function)
      : mlir::OpConversionPattern<OpTy>(types, context), types(types),
        function(function) {}

  mlir::LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    CBuilder builder(rewriter, op.getLoc(), types);
    return function(op, adaptor, builder);
  }

private:
  const CTypes &types;
  Function function;
};

template <typename OpTy>
using AdaptorOf = typename FunctionPattern<OpTy>::Adaptor;

template <typename OpTy>
void addPattern(mlir::RewritePatternSet &patterns, const CTypes &types,
                typename FunctionPattern<OpTy>::Function function) {
  patterns.add<FunctionPattern<OpTy>>(types, patterns.getContext(), function);
}

/// A pattern for an op of any kind, by name: all operands and results are
/// single values.
using NamedFunction = mlir::LogicalResult (*)(mlir::Operation *,
                                              llvm::ArrayRef<mlir::Value>,
                                              CBuilder &, llvm::StringRef);
void addNamedPattern(mlir::RewritePatternSet &patterns, const CTypes &types,
                     llvm::StringRef op, NamedFunction function,
                     llvm::StringRef text = {});

void populateArithToEmitC(mlir::RewritePatternSet &patterns,
                          const CTypes &types);
void populateCompareToEmitC(mlir::RewritePatternSet &patterns,
                            const CTypes &types);
void populateFloat8ToEmitC(mlir::RewritePatternSet &patterns,
                           const CTypes &types);
void populateMathToEmitC(mlir::RewritePatternSet &patterns,
                         const CTypes &types);
void populateMatricesToEmitC(mlir::RewritePatternSet &patterns,
                             const CTypes &types);
void populateVectorToEmitC(mlir::RewritePatternSet &patterns,
                           const CTypes &types);
void populateMemRefToEmitC(mlir::RewritePatternSet &patterns,
                           const CTypes &types);
void populateSCFToEmitC(mlir::RewritePatternSet &patterns, const CTypes &types);
void populateGPUToEmitC(mlir::RewritePatternSet &patterns, const CTypes &types);
void populateFunctionsToEmitC(mlir::RewritePatternSet &patterns,
                              const CTypes &types);
void populateMbarrierToEmitC(mlir::RewritePatternSet &patterns,
                             const CTypes &types);
void populateTransfersToEmitC(mlir::RewritePatternSet &patterns,
                              const CTypes &types);
void populateSyncToEmitC(mlir::RewritePatternSet &patterns,
                         const CTypes &types);
/// Waits that are loops; a bound of 0 is none.
void populateWaitsToEmitC(mlir::RewritePatternSet &patterns,
                          const CTypes &types, uint64_t nanoseconds);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINETOEMITC_TOEMITC_H
